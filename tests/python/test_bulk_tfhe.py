"""Arrays of TFHE as those of bulk: tables, spaces of other sizes, files of the key, and refusals."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest

import everlevel
from everlevel import bulk, errors, tfhe
from everlevel.bulk._tfhe import _rounds

RNG = np.random.default_rng(412)


def slots(parameters: str) -> tuple[bulk.Engine, bulk.SecretKey]:
    # Two threads set the engines apart from those of other tests, to which pickles come back.
    engine = bulk.Engine(parameters, insecure_log_n=10, thread_count=2)
    secret_key = engine.create_secret_key()
    engine.create_evaluation_key(secret_key)
    return engine, secret_key


def lwes(parameters: str) -> tuple[tfhe.Engine, tfhe.SecretKey]:
    engine = tfhe.Engine(parameters, insecure_log_n=10, thread_count=2)
    secret_key = engine.create_secret_key()
    engine.create_evaluation_key(secret_key)
    return engine, secret_key


BULK, BULK_SECRET = slots("integer-4-128")
TFHE, TFHE_SECRET = lwes("integer-4-128")
KEY = TFHE.create_packing_key(TFHE_SECRET, BULK_SECRET)


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("gate-128", "gate-128"),
        ("integer-1-128", "gate-128"),
        ("gate-64", "integer-2-128"),
        ("integer-2-128", "integer-4-128"),
        ("integer-4-64", "integer-4-128"),
        ("integer-5-128", "integer-3-128"),
    ],
)
def test_elements_go_to_slots_and_are_looked_up(source: str, target: str) -> None:
    engine, secret_key = lwes(source)
    other, other_key = slots(target)
    engine.create_packing_key(secret_key, other_key)
    top = min(engine.max_value, other.max_value)
    values = RNG.integers(0, top + 1, (7, 30))
    if engine.message_bits is None:
        x = engine.encrypt(values.astype(bool), secret_key)
        x = ~(x & x)
        values = 1 - values
    else:
        x = engine.bootstrap(engine.encrypt(values, secret_key, max_value=top), lut=lambda m: top - m)
        values = top - values
    y = other.from_tfhe(x)
    assert y.shape == (7, 30)
    assert y.max_value == top
    assert np.array_equal(other.decrypt(y, other_key), values)
    if other.message_bits is None:
        assert np.array_equal(other.decrypt(y ^ y, other_key), np.zeros((7, 30), bool))
        return
    looked_up = other.from_tfhe(x, lut=lambda m: (m % 2) * other.max_value)
    assert np.array_equal(other.decrypt(looked_up, other_key), values % 2 * other.max_value)
    again = other.bootstrap(looked_up, lut=lambda m: other.max_value - m)
    assert np.array_equal(other.decrypt(again, other_key), other.max_value - values % 2 * other.max_value)


def test_arrays_of_any_size_and_shape_and_sums_of_elements() -> None:
    size = BULK.bootstrap_size + 3
    x = TFHE.encrypt(np.arange(size) % 8, TFHE_SECRET, max_value=7)
    y = BULK.from_tfhe(x + x)
    assert y.shape == (size,)
    assert y.max_value == 14
    assert np.array_equal(BULK.decrypt(y, BULK_SECRET), np.arange(size) % 8 * 2)
    one = BULK.from_tfhe(TFHE.encrypt(9, TFHE_SECRET), lut=[15 - m for m in range(16)])
    assert one.shape == ()
    assert BULK.decrypt(one, BULK_SECRET) == 6


def test_failures_before_count() -> None:
    fresh = TFHE.encrypt([3], TFHE_SECRET, max_value=3)
    assert BULK.from_tfhe(fresh).failure_probability == 2 * 2.0**-128
    TFHE.create_ring_switch_key(BULK_SECRET, TFHE_SECRET)
    often = BULK.encrypt([3], BULK_SECRET)
    often._bootstrap_count = 2**70
    y = BULK.from_tfhe(TFHE.from_bulk(often))
    assert 2.0**-58 <= y.failure_probability < 2.0**-57
    assert BULK.load_bytes(y.to_bytes()).failure_probability == y.failure_probability


def test_bootstraps_of_the_identity_come_first_where_errors_are_large() -> None:
    table, same = np.arange(16) % 2 * 15, np.arange(16)
    counts = []
    for log2_std_dev in (-12, -9, -8.5):
        tables, error = _rounds(BULK, "from_tfhe", table, 4, 2.0**log2_std_dev)
        assert tables[-1] == table.tolist()
        assert all(one == same.tolist() for one in tables[:-1])
        assert error <= BULK._context.ckks.integer_errors(16, 4, False)[1]
        counts.append(len(tables))
    assert counts[0] == 1
    assert counts == sorted(counts)
    assert 2 <= counts[-1] <= 4
    # Tables whose neighbours are alike take larger errors.
    assert len(_rounds(BULK, "from_tfhe", same // 8, 4, 2.0**-9)[0]) == 1
    with pytest.raises(errors.NoiseError, match=r"from_tfhe: .*bootstrap the ciphertext first"):
        _rounds(BULK, "from_tfhe", table, 4, 0.03)


def test_there_and_back() -> None:
    TFHE.create_ring_switch_key(BULK_SECRET, TFHE_SECRET)
    values = RNG.integers(0, 16, 40)
    x = BULK.from_tfhe(TFHE.encrypt(values, TFHE_SECRET), lut=lambda m: 15 - m)
    y = TFHE.bootstrap(TFHE.from_bulk(x), lut=lambda m: m // 2)
    assert np.array_equal(BULK.decrypt(BULK.from_tfhe(y), BULK_SECRET), (15 - values) // 2)


def test_keys_travel(tmp_path: Path) -> None:
    KEY.save(tmp_path / "key")
    other = tfhe.Engine("integer-4-128", insecure_log_n=10, thread_count=1)
    x = other.encrypt([3, 9], other.load_bytes(TFHE_SECRET.to_bytes()))
    with pytest.raises(errors.MissingKeyError, match=r"create_packing_key\(secret_key, to_secret_key\)"):
        BULK.from_tfhe(x)
    loaded = other.load(tmp_path / "key")
    assert isinstance(loaded, tfhe.PackingKey)
    assert loaded.to_bytes() == KEY.to_bytes() == pickle.loads(pickle.dumps(KEY)).to_bytes()
    assert isinstance(everlevel.open(tmp_path / "key").object, tfhe.PackingKey)
    assert BULK.decrypt(BULK.from_tfhe(x), BULK_SECRET).tolist() == [3, 9]
    other.forget_keys()
    with pytest.raises(errors.MissingKeyError):
        BULK.from_tfhe(x)
    other.use(KEY)
    assert BULK.decrypt(BULK.from_tfhe(x), BULK_SECRET).tolist() == [3, 9]
    assert KEY.nbytes > KEY.prepared_nbytes > 0
    assert repr(KEY).startswith("PackingKey(integer-4-128, ")
    data = bytearray(KEY.to_bytes())
    data[-1] ^= 1
    with pytest.raises(errors.FormatError):
        other.load_bytes(bytes(data))


def test_what_does_not_fit_is_refused() -> None:
    x = TFHE.encrypt([3, 9], TFHE_SECRET)
    smaller, smaller_key = slots("integer-3-128")
    with pytest.raises(errors.MissingKeyError, match="packing key"):
        smaller.from_tfhe(TFHE.encrypt([1], TFHE_SECRET, max_value=1))
    TFHE.create_packing_key(TFHE_SECRET, smaller_key)
    with pytest.raises(errors.SpaceError, match="may be as large as 15, and the space ends at 7"):
        smaller.from_tfhe(x)
    bits, bits_key = slots("gate-128")
    TFHE.create_packing_key(TFHE_SECRET, bits_key)
    with pytest.raises(errors.SpaceError, match="may be as large as 15"):
        bits.from_tfhe(x)
    with pytest.raises(errors.SpaceError):
        bits.from_tfhe(TFHE.encrypt([1], TFHE_SECRET, max_value=1), lut=[0, 1, 0, 0])
    with pytest.raises(errors.TableError):
        BULK.from_tfhe(x, lut=[1, 2])
    with pytest.raises(errors.TableError):
        BULK.from_tfhe(x, lut=lambda m: m + 1)
    with pytest.raises(errors.OperandTypeError):
        BULK.from_tfhe(BULK.encrypt([1], BULK_SECRET))  # type: ignore[arg-type]
    with pytest.raises(errors.MessageError, match="no elements"):
        BULK.from_tfhe(x[:0])
    with pytest.raises(errors.OperandTypeError):
        TFHE.create_packing_key(TFHE_SECRET, TFHE_SECRET)  # type: ignore[arg-type]
    with pytest.raises(errors.EngineMismatchError):
        TFHE.create_packing_key(lwes("integer-3-128")[1], BULK_SECRET)
    full_size = tfhe.Engine("integer-4-128", thread_count=1)
    with pytest.raises(errors.ParameterError, match=r"a ring of degree 2\^11 beside one of 2\^10"):
        full_size.create_packing_key(full_size.create_secret_key(), BULK_SECRET)


@pytest.mark.slow
@pytest.mark.full_size
@pytest.mark.parametrize("parameters", ["integer-4-128", "gate-128"])
def test_thousands_of_elements_go_over_at_full_size(parameters: str) -> None:
    engine = bulk.Engine(parameters)
    secret_key = engine.create_secret_key()
    engine.create_evaluation_key(secret_key)
    source = tfhe.Engine(parameters)
    source_key = source.create_secret_key()
    source.create_evaluation_key(source_key)
    source.create_packing_key(source_key, secret_key)
    values = RNG.integers(0, engine.max_value + 1, 2000)
    if engine.message_bits is None:
        x = ~(source.encrypt(values.astype(bool), source_key) ^ True)
    else:
        x = source.bootstrap(source.encrypt(values, source_key))
    many = tfhe.concatenate([x] * 32 + [x[:1536]])
    y = engine.from_tfhe(many)
    assert y.size == engine.bootstrap_size
    expected = np.concatenate([values] * 32 + [values[:1536]])
    assert np.array_equal(engine.decrypt(y, secret_key), expected)
