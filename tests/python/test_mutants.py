"""Planted faults are noticed by the helper that compares decrypted values, and a loose tolerance survives a run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from claims import assert_claims
from everlevel import Engine, bfv
from everlevel.ckks import limbs
from mutants.__main__ import met_by
from mutants.faults import FAULTS

ENGINES: dict[str, Any] = {
    "levels": lambda: Engine(max_level=5, insecure_log_n=10),
    "limbs": lambda: limbs.Engine("n14", insecure_log_n=9),
    "bfv": lambda: bfv.Engine("n13", insecure_log_n=8),
}
PLANTED = [
    *(("levels", fault) for fault in ("noise", "slot", "scale", "key")),
    *(("limbs", fault) for fault in ("noise", "slot", "key")),
    *(("bfv", fault) for fault in ("value", "key")),
]

LOOSE = """
import numpy as np
import pytest
from claims import assert_claims
from everlevel import Engine
from parties import new_party

@pytest.fixture(scope="module")
def party():
    return new_party(Engine(max_level=2, insecure_log_n=9))

def test_loose(party):
    x = party.engine.encrypt([0.5], party.secret_key)
    np.testing.assert_allclose(party.engine.decrypt(x, party.secret_key)[:1], [0.5], atol=1e-3)

def test_by_claims(party):
    assert_claims(party.engine.encrypt([0.5], party.secret_key), [0.5], party.secret_key)

def test_that_decrypts_nothing(party):
    assert party.engine.max_level == 2
"""


@pytest.mark.parametrize(("scheme", "name"), PLANTED)
def test_a_fault_is_noticed(scheme: str, name: str, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = ENGINES[scheme]()
    key, fault, decrypt = engine.create_secret_key(), FAULTS[name](), type(engine).decrypt
    values = rng.integers(-99, 99, engine.slot_count) if scheme == "bfv" else rng.uniform(-1, 1, engine.slot_count)
    x = engine.encrypt(values, key)
    assert_claims(x, values, key)

    def planted(self: Any, x: Any, *given: Any, **options: Any) -> Any:
        return fault(x, decrypt(self, x, *given, **options), rng)

    monkeypatch.setattr(type(engine), "decrypt", planted)
    with pytest.raises(AssertionError):
        assert_claims(x, values, key)


def test_a_loose_tolerance_survives(tmp_path: Path) -> None:
    path = tmp_path / "test_loose.py"
    path.write_text(LOOSE, encoding="utf-8")
    found = {name.rpartition("::")[2]: is_killed for name, is_killed in met_by("slot", [path]).items()}
    assert found == {"test_loose": False, "test_by_claims": True}
