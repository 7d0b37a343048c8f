"""Every public name of the 1.x engine is here, under its arguments' names, or in the table of what is not."""

from __future__ import annotations

import inspect
import pickle
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from claims import assert_claims
from everlevel import compat, errors
from everlevel.cluster._bound import EngineLike
from everlevel.compat import Engine
from parties import of_1x

ROOT = Path(__file__).resolve().parents[2]
CLASSES = [
    "BootstrapKey",
    "Ciphertext",
    "ConjugationKey",
    "DecryptedShare",
    "Engine",
    "FixedRotationKey",
    "GLEngine",
    "LightPlainMatrix",
    "LightPlaintext",
    "LossyBootstrapKey",
    "MatrixMultiplicationKey",
    "MergeBootstrapKey",
    "PlainMatrix",
    "Plaintext",
    "PublicKey",
    "PublicKeyA",
    "PublicKeyB",
    "RelinearizationKey",
    "RotationKey",
    "SecretKey",
    "SmallBootstrapKey",
]
NO_CLASSES = {"DecryptedShare", "GLEngine", "PublicKeyA", "PublicKeyB"}
SHARED = re.compile(
    r"create_individual_\w+|create_multiparty_\w+|create_public_key_[ab]|individual_decrypt|multiparty_\w+"
    r"|(write|read|serialize|deserialize)_(public_key_[ab]|decrypted_share)"
)


def names_of_1x() -> dict[str, list[list[str]]]:
    """Return each name with the arguments of each of its forms."""
    names = {}
    for line in (ROOT / "tests/python/data/engine_1x.txt").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            name, _, forms = line.partition(":")
            names[name] = [form.split() for form in forms.split("|")] if forms else []
    return names


NAMES = names_of_1x()


def is_left_out(name: str) -> bool:
    return bool(SHARED.fullmatch(name)) or "pytorch" in name or name == "mod_raise"


def test_the_list_is_whole() -> None:
    assert len(NAMES) == 156


@pytest.mark.parametrize("name", sorted(name for name in NAMES if not is_left_out(name)))
def test_a_name_is_here_with_its_forms(name: str) -> None:
    attribute: Any = inspect.getattr_static(Engine, name)
    if isinstance(attribute, property):
        assert NAMES[name] == []
        return
    signature = inspect.signature(attribute)
    aliases = {**compat.ALIASES.get(name, {}), **file_aliases(name)}
    if name in compat.BOOTSTRAPS:
        aliases |= dict.fromkeys(compat.KEYS, ("keys",))
    for form in NAMES[name]:
        required = [argument for argument in form if not argument.endswith("?")]
        for arguments in (required, form):
            signature.bind(None, *arguments)
        for argument in form:
            keyword = argument.rstrip("?")
            assert keyword in signature.parameters or keyword in aliases, f"{name}({keyword}=...)"


def file_aliases(name: str) -> compat.Aliases:
    verb, _, kind = name.partition("_")
    return compat.file_aliases(kind) if verb in ("write", "read", "serialize", "deserialize") else {}


@pytest.mark.parametrize("name", sorted(name for name in NAMES if is_left_out(name)))
def test_a_name_that_is_left_out_says_so(name: str) -> None:
    engine = Engine(max_level=1, insecure_log_n=10)
    with pytest.raises(errors.UnsupportedError, match=f"^Engine.{name}: not offered.*;"):
        getattr(engine, name)


@pytest.mark.parametrize("name", CLASSES)
def test_classes_are_imported_as_the_engine_is(name: str) -> None:
    assert hasattr(compat, name) != (name in NO_CLASSES)


def test_arguments_by_the_names_of_1x(party: Any, rotation_key: Any, tmp_path: Path) -> None:
    engine: Any = of_1x(party)
    a = engine.encrypt(array=[1.0, 2.0], secret_key=party.secret_key, bound=2)
    p, light = engine.encode([10.0, 20.0], bound=20), engine.encode_to_light_plaintext([10.0, 20.0])

    def check(ciphertext: Any, *expected: float, turn: int = 0) -> None:
        moved = np.roll([*expected, *np.zeros(engine.slot_count - len(expected))], -turn)
        assert_claims(ciphertext, moved, party.secret_key)

    check(engine.add(ciphertext1=a, ciphertext2=a), 2, 4)
    check(engine.subtract(ciphertext=a, plaintext=p), -9, -18)
    check(engine.subtract(p, ciphertext=a), 9, 18)
    check(engine.subtract(light_plaintext=light, ciphertext=a), -9, -18)
    check(engine.multiply(constant=3, ciphertext=a), 3, 6)
    check(engine.multiply(a, array=[2.0, 3.0]), 2, 6)
    check(engine.multiply_imaginary_integer(a, constant=2) * -1j, 2, 4)
    check(engine.encrypt(plaintext=p, public_key=party.public_key), 10, 20)
    check(engine.rotate(a, rotation_key=rotation_key, delta=1), 0, 1, 2)
    check(engine.rotate_batch(a, rotation_key=rotation_key, deltas=[1])[0], 0, 1, 2)
    check(engine.roll(ciphertext=a, rotation_key=rotation_key, shift=-1), 1, 2, turn=1)
    fixed = engine.create_fixed_rotation_key(party.secret_key, delta=-1)
    check(engine.rotate(ciphertext=a, fixed_rotation_key=fixed), 1, 2, turn=1)
    check(engine.rotate_batch(a, fixed_rotation_keys=[fixed])[0], 1, 2, turn=1)
    matrix = engine.encode_to_plain_matrix([[1.0, 1.0]])
    for name in ("rotation_key", "matrix_multiplication_key"):
        check(engine.multiply_matrix(plain_matrix=matrix, ciphertext=a, **{name: rotation_key}), 3, 0)
    assert engine.level_down(plain_matrix=matrix, level=1).level == 1
    assert engine.level_down(plaintext=p, level=1).level == 1
    for copy in (engine.clone(plaintext=p), engine.ntt(p), engine.intt(plaintext=p), engine.roll(p, shift=0)):
        assert copy.level == 5
    check(engine.roll_many(a, rotation_key, [-1])[0], 1, 2, turn=1)
    for level in ((), (2,)):
        assert engine.create_secret_key(*level).level == 5
        assert engine.create_public_key(party.secret_key, *level).level == 5
    engine.write_ciphertext(ciphertext=a, file_path=tmp_path / "a")
    check(engine.read_ciphertext(file_path=tmp_path / "a"), 1, 2)
    check(engine.deserialize_ciphertext(data=engine.serialize_ciphertext(ciphertext=a)), 1, 2)
    for wrong in ({"constant": 1}, {"left": a, "plaintext": p, "array": [1.0]}):
        with pytest.raises(TypeError):
            engine.add(**wrong)


def test_a_pickled_engine_keeps_its_names(party: Any) -> None:
    for engine in (party.engine, of_1x(party)):
        assert type(pickle.loads(pickle.dumps(engine))) is type(engine)
    like = EngineLike.of(of_1x(party))
    assert type(pickle.loads(pickle.dumps(like)).make(1)) is Engine
