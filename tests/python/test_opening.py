"""Files find their engines: `Engine.from_file`, `everlevel.open`, and what the engines of others say of them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import everlevel
from claims import assert_claims
from everlevel import Engine, bfv, bulk, errors, ntru, tfhe
from everlevel.ckks import limbs

ENGINES: dict[str, Callable[[], Any]] = {
    "everlevel": lambda: Engine(max_level=2, insecure_log_n=9),
    "few slots": lambda: Engine(max_level=2, slot_count=8, insecure_log_n=9),
    "bootstrap": lambda: Engine(use_bootstrap=True, insecure_log_n=9),
    "double": lambda: Engine(precision="double", max_level=2, insecure_log_n=9),
    "limbs": lambda: limbs.Engine("n14", precision_bits=23, insecure_log_n=9),
    "secure limbs": lambda: limbs.Engine("n13"),
    "bfv": lambda: bfv.Engine("n13", insecure_log_n=9),
    "bfv of a modulus": lambda: bfv.Engine("n12", plain_modulus=786433, insecure_log_n=8),
    "secure bfv": lambda: bfv.Engine("n12"),
    "bulk": lambda: bulk.Engine("integer-2-128", insecure_log_n=9),
    "bits": lambda: tfhe.Engine("gate-64", insecure_log_n=9),
    "secure bits": lambda: tfhe.Engine("gate-64"),
    "integers": lambda: tfhe.Engine("integer-2-64", insecure_log_n=10),
    "ntru": lambda: ntru.Engine("gate-64", insecure_log_n=9),
    "secure ntru": lambda: ntru.Engine("gate-64"),
}


def message_of(engine: Any) -> list[Any]:
    return [True, False] if getattr(engine, "message_bits", 1) is None else [1, 0]


def encrypted(engine: Any, path: Path) -> Any:
    """Write a ciphertext to a path, and return its key."""
    secret_key = engine.create_secret_key()
    engine.encrypt(message_of(engine), secret_key).save(path)
    return secret_key


@pytest.mark.parametrize("name", ENGINES)
def test_an_engine_is_made_for_a_file(name: str, tmp_path: Path) -> None:
    engine, path = ENGINES[name](), tmp_path / "x"
    secret_key = encrypted(engine, path)
    found, x = everlevel.open(path, thread_count=1)
    assert type(found) is type(engine)
    assert found is not engine
    assert found.slot_count == engine.slot_count if hasattr(engine, "slot_count") else True
    secret_key.save(tmp_path / "secret")
    again = type(engine).from_file(tmp_path / "secret", thread_count=1)
    key = found.load(tmp_path / "secret")
    assert repr(again).startswith(repr(engine).partition("(")[0])
    for same in (x, found.load_bytes(x.to_bytes()), found.load_bytes(memoryview(path.read_bytes()))):
        assert_claims(same, message_of(engine), key)
    np.testing.assert_array_equal(found.decrypt(x, found.load_bytes(secret_key.to_bytes())), found.decrypt(x, key))
    assert_claims(engine.load(path), message_of(engine), secret_key)


def test_an_engine_of_a_file_takes_the_options_of_engines(tmp_path: Path) -> None:
    engine, path = ENGINES["bootstrap"](), tmp_path / "secret"
    engine.create_secret_key().save(path)
    found = Engine.from_file(path, slot_count=16, auto_bootstrap=True, bound=2, range="error")
    assert (found.slot_count, found.auto_bootstrap) == (16, True)
    assert found.max_level == engine.max_level
    assert found.encrypt([1.5], found.create_secret_key()).bound == 2
    with pytest.raises(errors.OperandTypeError, match="from_file: path is of type int"):
        Engine.from_file(3)  # type: ignore[arg-type]
    with pytest.raises(errors.StorageNotFoundError):
        everlevel.open(tmp_path / "nowhere")
    (tmp_path / "foreign").write_bytes(b"\x89PNG" * 100)
    with pytest.raises(errors.ForeignFileError):
        bfv.Engine.from_file(tmp_path / "foreign")


@pytest.mark.parametrize(("of_file", "of_engine"), [("everlevel", "bootstrap"), ("everlevel", "double")])
def test_other_levels_are_named(of_file: str, of_engine: str, tmp_path: Path) -> None:
    path, other = tmp_path / "x", ENGINES[of_engine]()
    key = encrypted(ENGINES[of_file](), path)
    with pytest.raises(errors.FileParametersError) as caught:
        other.load(path)
    text = str(caught.value)
    assert "the file holds a ciphertext of N 2^9, levels 0..2, INSECURE, and this is Engine(" in text
    assert f"levels 0..{other.max_level}" in text
    assert f"open it with Engine.from_file('{path}'), or everlevel.open('{path}')" in text
    assert "0x" not in text
    assert isinstance(caught.value.found, int)
    assert caught.value.found != caught.value.expected
    key.save(tmp_path / "secret")
    data = (tmp_path / "secret").read_bytes()
    for call in (lambda: other.load(tmp_path / "secret"), lambda: other.load_bytes(data)):
        with pytest.raises(
            errors.FileParametersError, match=r"secret key of N 2\^9, levels 0\.\.2, INSECURE, and this"
        ):
            call()


@pytest.mark.parametrize(
    ("of_file", "of_engine", "words"),
    [
        ("secure bits", "bits", "gate-64, n 640, N 2^9, rank 3, security 108 bits core-SVP, 128 bits MATZOV"),
        ("bits", "integers", "gate-64, n 32, N 2^9, rank 1, INSECURE"),
        ("bfv", "bfv of a modulus", "n13, N 2^9, modulo 786433, INSECURE"),
        ("limbs", "secure limbs", "n14, N 2^9, scale 2^23, INSECURE"),
    ],
)
def test_other_sets_are_named_with_the_call_that_opens_them(
    of_file: str, of_engine: str, words: str, tmp_path: Path
) -> None:
    path = tmp_path / "x"
    encrypted(ENGINES[of_file](), path)
    other = ENGINES[of_engine]()
    with pytest.raises(errors.FileParametersError) as caught:
        other.load(path)
    text = str(caught.value)
    assert f"of {words}, and this is {other!r}" in text
    call = text.partition("open it with ")[2].partition(", or everlevel.open(")[0]
    modules = {"Engine": Engine, "ckks": everlevel.ckks, "tfhe": tfhe, "bfv": bfv, "ntru": ntru, "limbs": limbs}
    eval(call.removeprefix("ckks."), modules).load(path)


@pytest.mark.parametrize("of_engine", ["everlevel", "limbs", "bfv", "bulk", "bits", "ntru"])
@pytest.mark.parametrize("of_file", ["everlevel", "limbs", "bfv", "bulk", "bits", "ntru"])
def test_other_schemes_are_named(of_file: str, of_engine: str, tmp_path: Path) -> None:
    if of_file == of_engine:
        return
    path = tmp_path / "x"
    encrypted(ENGINES[of_file](), path)
    other = ENGINES[of_engine]()
    whose = {"everlevel": "Engine.from_file(", "limbs": "ckks.limbs.Engine('n14'", "bits": "tfhe.Engine('gate-64'"}
    opens = whose.get(of_file) or f"{of_file}.Engine("
    for call in (lambda: other.load(path), lambda: type(other).from_file(path)):
        with pytest.raises(errors.FormatError) as caught:
            call()
        assert f"; open it with {opens}" in str(caught.value)
        assert f"everlevel.open('{path}')" in str(caught.value)
        assert "update Everlevel" not in str(caught.value)
