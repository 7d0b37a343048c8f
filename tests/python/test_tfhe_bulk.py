"""Arrays of bulk as arrays of TFHE: values and noise against what is claimed, files, and refusals."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import everlevel
from everlevel import bulk, errors, ntru, tfhe

RNG = np.random.default_rng(320)


def slots(parameters: str) -> tuple[bulk.Engine, bulk.SecretKey]:
    engine = bulk.Engine(parameters, insecure_log_n=11, thread_count=2)
    secret_key = engine.create_secret_key()
    engine.create_evaluation_key(secret_key)
    return engine, secret_key


def lwes(parameters: str, module: Any = tfhe, **options: Any) -> tuple[tfhe.Engine, tfhe.SecretKey]:
    engine = module.Engine(parameters, **{"insecure_log_n": 10, "thread_count": 2, **options})
    secret_key = engine.create_secret_key()
    engine.create_evaluation_key(secret_key)
    return engine, secret_key


BULK, BULK_SECRET = slots("integer-4-128")
TFHE, TFHE_SECRET = lwes("integer-4-128")
KEY = TFHE.create_ring_switch_key(BULK_SECRET, TFHE_SECRET)


@pytest.mark.parametrize("shape", [(), (5,), (3, 700), (2, 1024, 2)])
def test_arrays_of_any_shape_come_over(shape: tuple[int, ...]) -> None:
    values = RNG.integers(0, 16, shape)
    y = TFHE.from_bulk(BULK.encrypt(values, BULK_SECRET))
    assert (y.shape, y.max_value) == (shape, 15)
    np.testing.assert_array_equal(TFHE.decrypt(y, TFHE_SECRET), values)


@pytest.mark.parametrize(
    "index", [0, -1, (1, 2), np.s_[:, 1], np.s_[1, ::-2], ..., [2, 0, 0], np.arange(12).reshape(3, 4) % 5 == 0, None]
)
def test_indices_are_numpys(index: Any) -> None:
    values = RNG.integers(0, 16, (3, 4))
    y = TFHE.from_bulk(BULK.encrypt(values, BULK_SECRET), index=index)
    expected = values if index is None else values[index]
    assert y.shape == np.shape(expected)
    np.testing.assert_array_equal(TFHE.decrypt(y, TFHE_SECRET), expected)


def test_look_ups_go_on_where_bulk_ends() -> None:
    values, table = RNG.integers(0, 16, 40), RNG.permutation(16)
    x = BULK.bootstrap(BULK.encrypt(values, BULK_SECRET), lut=table)
    y = TFHE.from_bulk(x)
    assert x.failure_probability <= y.failure_probability < 2**-100
    squares = TFHE.bootstrap(y, lut=lambda m: m * m % 16)
    np.testing.assert_array_equal(TFHE.decrypt(squares, TFHE_SECRET), table[values] ** 2 % 16)
    assert squares.failure_probability >= x.failure_probability
    small = BULK.bootstrap(x, lut=lambda m: m % 4)
    z = TFHE.from_bulk(small)
    assert z.max_value == 3
    sums = 2 * z[:-1] + z[1:]
    np.testing.assert_array_equal(
        TFHE.decrypt(sums, TFHE_SECRET), 2 * (table[values] % 4)[:-1] + (table[values] % 4)[1:]
    )


@pytest.mark.parametrize(
    ("parameters", "module", "other", "max_value"),
    [
        ("gate-128", tfhe, "gate-128", 1),
        ("integer-1-128", tfhe, "gate-64", 1),
        ("integer-4-128", tfhe, "gate-128", 1),
        *((f"integer-{bits}-128", tfhe, f"integer-{bits}-128", 2**bits - 1) for bits in range(1, 6)),
        ("integer-6-128", tfhe, "integer-2-64", 3),
        ("integer-4-128", ntru, "integer-4-64", 15),
    ],
)
def test_spaces_that_fit(parameters: str, module: Any, other: str, max_value: int) -> None:
    engine, secret_key = slots(parameters)
    target, target_key = lwes(other, module)
    target.create_ring_switch_key(secret_key, target_key)
    values = RNG.integers(0, max_value + 1, 50)
    is_bits = engine.message_bits is None
    x = engine.encrypt(values.astype(bool) if is_bits else values, secret_key, max_value=None if is_bits else max_value)
    y = target.from_bulk(x)
    np.testing.assert_array_equal(target.decrypt(y, target_key), values)
    if target.message_bits is None:
        bits = values.astype(bool)
        np.testing.assert_array_equal(target.decrypt(y[1:] ^ y[:-1], target_key), bits[1:] ^ bits[:-1])
    else:
        again = target.bootstrap(y, lut=lambda m: max_value - m)
        np.testing.assert_array_equal(target.decrypt(again, target_key), max_value - values)


def test_files_and_pickles(tmp_path: Path) -> None:
    KEY.save(tmp_path / "key")
    other = tfhe.Engine("integer-4-128", insecure_log_n=10, thread_count=1)
    x = BULK.encrypt([3, 9], BULK_SECRET)
    with pytest.raises(errors.MissingKeyError, match=r"create_ring_switch_key\(from_secret_key, secret_key\)"):
        other.from_bulk(x)
    loaded = other.load(tmp_path / "key")
    assert isinstance(loaded, tfhe.RingSwitchKey)
    assert loaded.to_bytes() == KEY.to_bytes() == pickle.loads(pickle.dumps(KEY)).to_bytes()
    assert isinstance(everlevel.open(tmp_path / "key").object, tfhe.RingSwitchKey)
    secret_key = other.load_bytes(TFHE_SECRET.to_bytes())
    assert other.decrypt(other.from_bulk(x), secret_key).tolist() == [3, 9]
    other.forget_keys()
    with pytest.raises(errors.MissingKeyError):
        other.from_bulk(x)
    other.use(KEY)
    y = other.from_bulk(x)
    y.save(tmp_path / "ciphertext")
    again = TFHE.load(tmp_path / "ciphertext")
    assert isinstance(again, tfhe.Ciphertext)
    assert TFHE.decrypt(again, TFHE_SECRET).tolist() == [3, 9]
    assert KEY.nbytes > KEY.prepared_nbytes > 0
    assert repr(KEY).startswith("RingSwitchKey(integer-4-128, ")
    data = bytearray(KEY.to_bytes())
    data[-1] ^= 1
    with pytest.raises(errors.FormatError):
        other.load_bytes(bytes(data))


def test_what_does_not_fit_is_refused() -> None:
    x = BULK.encrypt([3, 9], BULK_SECRET)
    smaller, smaller_key = lwes("integer-3-128")
    smaller.create_ring_switch_key(BULK_SECRET, smaller_key)
    with pytest.raises(errors.SpaceError, match="may be as large as 15, the space ends at 7"):
        smaller.from_bulk(x)
    larger, larger_key = lwes("integer-5-128")
    larger.create_ring_switch_key(BULK_SECRET, larger_key)
    with pytest.raises(errors.SpaceError, match="integers of 5 bits"):
        larger.from_bulk(x)
    with pytest.raises(errors.OperandTypeError, match=r"from_bulk: .*index 2 is out of bounds"):
        TFHE.from_bulk(x, index=2)
    with pytest.raises(errors.OperandTypeError, match=r"bulk\.Ciphertext|Ciphertext"):
        TFHE.from_bulk(TFHE.encrypt([1], TFHE_SECRET))  # type: ignore[arg-type]
    with pytest.raises(errors.OperandTypeError):
        TFHE.create_ring_switch_key(TFHE_SECRET, TFHE_SECRET)  # type: ignore[arg-type]
    with pytest.raises(errors.EngineMismatchError):
        TFHE.create_ring_switch_key(BULK_SECRET, smaller_key)
    other = BULK.create_secret_key()
    with pytest.raises(errors.MissingKeyError, match="ring switch key"):
        TFHE.from_bulk(BULK.encrypt([1], other))
    TFHE.create_ring_switch_key(other, TFHE_SECRET)
    with pytest.raises(errors.MissingKeyError, match="evaluation key"):
        TFHE.from_bulk(BULK.encrypt([1], other))
    full_size = tfhe.Engine("integer-4-128", thread_count=1)
    small = bulk.Engine("integer-4-128", insecure_log_n=10)
    with pytest.raises(errors.ParameterError, match=r"a ring of degree 2\^11 beside one of 2\^10"):
        full_size.create_ring_switch_key(small.create_secret_key(), full_size.create_secret_key())
    # Sums of many, whose errors have added up.
    noisy = BULK.encrypt([0, 0], BULK_SECRET, max_value=0)
    noisy._error = 0.2
    with pytest.raises(errors.NoiseError, match="from_bulk"):
        TFHE.from_bulk(noisy)


@pytest.mark.slow
@pytest.mark.full_size
@pytest.mark.parametrize(("parameters", "other"), [("integer-4-128", "integer-4-128"), ("gate-128", "gate-128")])
def test_whole_ciphertexts_come_over_at_full_size(parameters: str, other: str) -> None:
    engine = bulk.Engine(parameters)
    secret_key = engine.create_secret_key()
    engine.create_evaluation_key(secret_key)
    target = tfhe.Engine(other)
    target_key = target.create_secret_key()
    target.create_evaluation_key(target_key)
    target.create_ring_switch_key(secret_key, target_key)
    values = RNG.integers(0, engine.max_value + 1, engine.bootstrap_size)
    values = values.astype(bool) if engine.message_bits is None else values
    x = engine.bootstrap(engine.encrypt(values, engine.create_public_key(secret_key)))
    y = target.from_bulk(x)
    assert np.array_equal(target.decrypt(y, target_key), values)
    if engine.message_bits is None:
        found, expected = y[:500] & y[500:1000], values[:500] & values[500:1000]
    else:
        found, expected = target.bootstrap(y[:500], lut=lambda m: 15 - m), 15 - values[:500]
    assert np.array_equal(target.decrypt(found, target_key), expected)
