"""Look-ups in large tables against NumPy's, on a ring without security; what is refused; keys in files."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import everlevel
from everlevel import ntru, tfhe
from everlevel.errors import (
    EngineMismatchError,
    MessageError,
    MissingKeyError,
    OperandTypeError,
    ParameterError,
    SpaceError,
    TableError,
)

Party = tuple[tfhe.Engine, tfhe.SecretKey, tfhe.LookupKey]


def make(parameters: str = "integer-4-128", **options: Any) -> Party:
    engine = tfhe.Engine(parameters, **{"insecure_log_n": 10, "thread_count": 2, **options})
    secret_key = engine.create_secret_key()
    engine.create_evaluation_key(secret_key)
    return engine, secret_key, engine.create_lookup_key(secret_key)


@pytest.fixture(scope="module")
def party() -> Party:
    return make()


@pytest.mark.parametrize(("dtype", "in_bits", "out_bits"), [(np.uint8, 8, 16), (np.uint16, 12, 8), (np.uint16, 16, 32)])
def test_integers_select_from_tables(
    party: Party, rng: np.random.Generator, dtype: Any, in_bits: int, out_bits: int
) -> None:
    engine, secret_key, _ = party
    top = np.iinfo(dtype).max
    values = np.append(rng.integers(0, top, 2, dtype=dtype, endpoint=True), np.array([0, top], dtype)).reshape(2, 2)
    table = rng.integers(0, 2**out_bits - 1, 2**in_bits, dtype=np.uint64, endpoint=True)
    found = engine.lookup(engine.encrypt_uint(values, secret_key), table, in_bits=in_bits, out_bits=out_bits)
    assert isinstance(found, tfhe.UintArray)
    assert found.width == out_bits
    assert found.shape == (2, 2)
    expected = table[values.astype(int) % 2**in_bits].astype(f"uint{out_bits}")
    np.testing.assert_array_equal(engine.decrypt(found, secret_key), expected, strict=True)
    assert 0 < found.failure_probability < 2**-64


def test_messages_select_too_and_results_are_operands(party: Party) -> None:
    engine, secret_key, lookup_key = party
    values = np.arange(16)
    x = engine.encrypt(values, secret_key)
    before = lookup_key.rotation_count
    small = engine.lookup(x, lambda m: (7 * m + 3) % 16)
    assert isinstance(small, tfhe.Ciphertext)
    assert lookup_key.rotation_count == before + 32
    np.testing.assert_array_equal(engine.decrypt(small, secret_key), (7 * values + 3) % 16)
    np.testing.assert_array_equal(
        engine.decrypt(engine.bootstrap(small, lut=lambda m: 15 - m), secret_key), 15 - (7 * values + 3) % 16
    )
    wide = engine.lookup(x[:3], values * 4000, out_bits=16)
    np.testing.assert_array_equal(engine.decrypt(wide + wide, secret_key), np.arange(3) * 8000)
    # Upper digits that are zero whatever the index is come out in the clear of the next operation.
    assert (engine.lookup(x[:1], values, out_bits=16) + 1).failure_probability < 2**-64
    bit = engine.lookup(x[:2], [1] + [0] * 15, out_bits=1)
    assert bit.max_value == 1
    assert engine.decrypt(bit, secret_key).tolist() == [1, 0]
    tail = engine.lookup(engine.encrypt_uint(np.array([513], np.uint32), secret_key), np.arange(4), in_bits=2)
    assert engine.decrypt(tail, secret_key).tolist() == [1]
    assert tail.width == 32


def test_bad_input_is_refused_before_work(party: Party) -> None:
    engine, secret_key, lookup_key = party
    x, small = engine.encrypt_uint(np.array([3], np.uint8), secret_key), engine.encrypt([3], secret_key)
    count = lookup_key.rotation_count
    wide = engine.encrypt_uint(np.array([3], np.uint32), secret_key)
    bits = tfhe.Engine("gate-64", insecure_log_n=9)
    bits_key = bits.create_secret_key()
    other = tfhe.Engine("integer-4-64", insecure_log_n=10)
    foreign = other.encrypt([1], other.create_secret_key())
    stranger = engine.encrypt([1], engine.create_secret_key())
    cases: list[tuple[type[Exception], str, Any]] = [
        (TableError, "has shape (255,), and (256,)", lambda: engine.lookup(x, range(255))),
        (TableError, "gives 256 for (0), and 0 to 255", lambda: engine.lookup(x, [256] * 256)),
        (TableError, "gives -1 for (2)", lambda: engine.lookup(x, lambda i: i - 3 if i == 2 else 0)),
        (TableError, "and 0 to 15 fit", lambda: engine.lookup(small, [16] * 16)),
        (TableError, "and 0 to 1 fit", lambda: engine.lookup(small, range(16), out_bits=1)),
        (ParameterError, "in_bits is 32, and 1 to 16", lambda: engine.lookup(wide, range(2))),
        (ParameterError, "in_bits is 9, and 1 to 8", lambda: engine.lookup(x, range(512), in_bits=9)),
        (ParameterError, "in_bits is 0", lambda: engine.lookup(x, [1], in_bits=0)),
        (ParameterError, "out_bits is 12", lambda: engine.lookup(x, range(256), out_bits=12)),
        (MessageError, "15", lambda: engine.lookup(small, range(8), in_bits=3)),
        (OperandTypeError, "lookup: ciphertext is of type list", lambda: engine.lookup([3], range(16))),
        (OperandTypeError, "", lambda: engine.lookup(engine.encrypt_bool([True], secret_key), range(16))),
        (OperandTypeError, "convert it with int()", lambda: engine.lookup(small, lambda i: i / 2)),
        (EngineMismatchError, "", lambda: engine.lookup(foreign, range(16))),
        (MissingKeyError, "evaluation key", lambda: engine.lookup(stranger, range(16))),
        (SpaceError, "integers of 4 bits or more", lambda: bits.create_lookup_key(bits_key)),
        (SpaceError, "integers of 4 bits or more", lambda: bits.lookup(bits.encrypt([True], bits_key), [0, 1])),
        (EngineMismatchError, "", lambda: engine.create_lookup_key(other.create_secret_key())),
    ]
    for kind, text, call in cases:
        with pytest.raises(kind) as raised:
            call()
        assert text in str(raised.value), str(raised.value)
    assert lookup_key.rotation_count == count


def test_ntru_has_no_look_ups() -> None:
    engine = ntru.Engine("integer-4-64", insecure_log_n=10)
    with pytest.raises(ParameterError, match="TFHE's"):
        engine.create_lookup_key(engine.create_secret_key())


@pytest.mark.parametrize(
    ("parameters", "found"),
    [
        ("integer-5-14-baseline", r"tables that fail with 2\^-14\.0"),
        ("integer-4-64-experimental", "partial, shared or structured secrets"),
        ("integer-4-64-blocks-experimental", "partial, shared or structured secrets"),
        ("integer-4-64-partial-experimental", "partial, shared or structured secrets"),
    ],
)
def test_what_nothing_is_claimed_of_has_no_look_ups(parameters: str, found: str) -> None:
    engine = tfhe.Engine(parameters, insecure_log_n=12)
    with pytest.raises(ParameterError, match=f"{found}.*choose a set such as integer-4-128") as raised:
        engine.create_lookup_key(engine.create_secret_key())
    assert raised.value.option == "parameters"
    with pytest.raises(ParameterError, match=found):
        engine.estimate_memory("create_lookup_key")


def test_keys_are_remembered_and_forgotten() -> None:
    engine, secret_key, lookup_key = make(insecure_log_n=9)
    evaluation_key = engine.create_evaluation_key(secret_key)
    x = engine.encrypt([5], secret_key)
    engine.forget_keys()
    engine.use(evaluation_key)
    with pytest.raises(MissingKeyError, match="create_lookup_key"):
        engine.lookup(x, range(16))
    engine.use(lookup_key, evaluation_key)
    assert engine.decrypt(engine.lookup(x, range(16)), secret_key) == [5]
    with pytest.raises(OperandTypeError):
        engine.use(secret_key)  # type: ignore[arg-type]
    assert engine.estimate_memory("create_lookup_key").held >= lookup_key.nbytes


def test_keys_travel_in_files_and_pickles(tmp_path: Path) -> None:
    engine, secret_key, lookup_key = make(insecure_log_n=9)
    for key, name in ((secret_key, "secret"), (engine.create_evaluation_key(secret_key), "evaluation")):
        key.save(tmp_path / name)
    lookup_key.save(tmp_path / "lookup")
    assert (tmp_path / "lookup").stat().st_size < lookup_key.prepared_nbytes
    again = tfhe.Engine("integer-4-128", insecure_log_n=9)
    secret = again.load(tmp_path / "secret")
    again.load(tmp_path / "evaluation")
    loaded = again.load(tmp_path / "lookup")
    assert isinstance(loaded, tfhe.LookupKey)
    assert isinstance(secret, tfhe.SecretKey)
    x = again.encrypt_uint(np.array([77], np.uint8), secret)
    assert again.decrypt(again.lookup(x, lambda i: 255 - i), secret).tolist() == [178]
    assert loaded.to_bytes() == lookup_key.to_bytes() == pickle.loads(pickle.dumps(lookup_key)).to_bytes()
    assert isinstance(everlevel.open(tmp_path / "lookup").object, tfhe.LookupKey)
    assert repr(loaded).startswith("LookupKey(integer-4-128, ")
    assert (loaded.security_bits, loaded.log2_p_fail) == (0, -65)


@pytest.mark.full_size
def test_a_real_set_looks_up_bytes() -> None:
    engine, secret_key, lookup_key = make(insecure_log_n=None)
    assert lookup_key.prepared_nbytes < 220e6
    assert 128 <= lookup_key.security_bits < engine.security_bits
    x = engine.encrypt_uint(np.array([7, 250], np.uint8), secret_key)
    found = engine.lookup(x, lambda i: i * i, out_bits=16)
    np.testing.assert_array_equal(engine.decrypt(found, secret_key), [49, 62500])
    assert found.failure_probability < 2**-64
