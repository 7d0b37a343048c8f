"""The sixteen scripts of the 1.x interface's page on bootstraps: each runs with its import line alone changed."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np
import pytest

from everlevel import errors

SETUP = """
from {module} import Engine

engine = Engine({options})
secret_key = engine.create_secret_key()
public_key = engine.create_public_key(secret_key)
relinearization_key = engine.create_relinearization_key(secret_key)
conjugation_key = engine.create_conjugation_key(secret_key)
"""
PAIR = """
rotation_key = engine.create_rotation_key(secret_key)
small_bootstrap_key = engine.create_small_bootstrap_key(secret_key)
"""
ONE = "\n{name} = engine.create_{name}(\n    secret_key{stages}\n)\n"
CALL = """
message = {message}
ciphertext = engine.encrypt(message, public_key, level={level})
bootstrapped = engine.{call}(
    ciphertext, relinearization_key, conjugation_key, {keys}{stages}
)
results.append((message, bootstrapped))
"""
SMALL = "rotation_key, small_bootstrap_key"
THREE = "[-1, 0, 1]"
SPARSE = "[-1, 0, 1, 0] * 256"
SIGNS = "[-1, 1]"


class Script(NamedTuple):
    """A script by what it differs in from the others."""

    options: str
    key: str
    """The one key of its bootstrap, with the stages that it is made for; or the pair."""
    message: str
    call: str
    levels: tuple[int, ...] = (0,)
    """Of the ciphertexts of its calls."""
    stages: tuple[str, ...] = ("",)
    """What its calls say of stages."""

    def source(self, module: str) -> str:
        """Return the script."""
        name, _, made_for = self.key.partition(", ")
        made_for = f", {made_for}" if made_for else ""
        keys = PAIR if self.key == SMALL else ONE.format(name=name, stages=made_for)
        calls = [
            CALL.format(
                message=self.message,
                level=level,
                call=self.call,
                keys=SMALL if self.key == SMALL else name,
                stages=stages,
            )
            for level, stages in zip(self.levels, self.stages, strict=True)
        ]
        options = f"{self.options}, insecure_log_n=11"
        return SETUP.format(module=module, options=options) + keys + "".join(calls)


FULL, DEEP, FEW = "use_bootstrap=True", "use_bootstrap_to_14_levels=True", "slot_count=1024, use_bootstrap=True"
REGULAR, LOSSY = "bootstrap_key, stage_count=3", "lossy_bootstrap_key, stage_count=3"
TWICE = ("", ", stage_count=5")

SCRIPTS = [
    # The first edition of the page.
    Script(FULL, REGULAR, THREE, "bootstrap"),
    Script(FULL, SMALL, THREE, "bootstrap", (0, 0), TWICE),
    Script(FEW, REGULAR, SPARSE, "bootstrap"),
    Script(FEW, SMALL, SPARSE, "bootstrap", stages=(", stage_count=1",)),
    Script(FULL, LOSSY, THREE, "lossy_bootstrap"),
    Script(FULL, SMALL, THREE, "lossy_bootstrap", (0, 0), TWICE),
    # The second one, in which lossy bootstraps begin higher.
    Script(FULL, REGULAR, THREE, "bootstrap"),
    Script(FULL, SMALL, THREE, "bootstrap", (0, 0), TWICE),
    Script(DEEP, "bootstrap_key", THREE, "bootstrap"),
    Script(DEEP, SMALL, THREE, "bootstrap"),
    Script(FEW, REGULAR, SPARSE, "bootstrap"),
    Script(FEW, SMALL, SPARSE, "bootstrap", stages=(", stage_count=1",)),
    Script(FULL, LOSSY, THREE, "lossy_bootstrap", (3,)),
    Script(FULL, SMALL, THREE, "lossy_bootstrap", (3, 5), TWICE),
    Script(FULL, LOSSY, SIGNS, "sign_bootstrap", (3,)),
    Script(FULL, SMALL, SIGNS, "sign_bootstrap", (3, 5), TWICE),
]


def test_there_are_sixteen() -> None:
    assert len(SCRIPTS) == 16


@pytest.mark.parametrize("module", ["everlevel", "everlevel.compat"])
@pytest.mark.parametrize("number", range(16))
def test_script(number: int, module: str) -> None:
    script = SCRIPTS[number]
    names: dict[str, Any] = {"results": []}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        exec(script.source(module), names)
    # Lossy bootstraps of level 0 are regular ones, and say so.
    assert {warning.category for warning in caught} <= {errors.LevelWarning}
    assert len(names["results"]) == len(script.levels)
    for message, out in names["results"]:
        assert out.level >= 8
        worst = np.abs(names["engine"].decrypt(out, names["secret_key"])[: len(message)] - message).max()
        assert worst < 2.0**-out.precision_floor
