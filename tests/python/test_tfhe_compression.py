"""Compressed lists of arrays of every kind: what comes back, sizes, files, and what is refused."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import everlevel
from everlevel import ntru, tfhe
from everlevel.errors import (
    EngineMismatchError,
    FileSizeError,
    FormatError,
    KeyMismatchError,
    MissingKeyError,
    OperandTypeError,
    ParameterError,
)

Party = tuple[tfhe.Engine, tfhe.SecretKey, tfhe.CompressionKey]


def make(parameters: str = "integer-4-128", module: Any = tfhe, **options: Any) -> Party:
    engine = module.Engine(parameters, **{"insecure_log_n": 10, "thread_count": 2, **options})
    secret_key = engine.create_secret_key()
    engine.create_evaluation_key(secret_key)
    return engine, secret_key, engine.create_compression_key(secret_key)


@pytest.fixture(scope="module")
def party() -> Party:
    return make()


def arrays(engine: tfhe.Engine, secret_key: tfhe.SecretKey) -> list[Any]:
    """Return an array of every kind, of several shapes."""
    return [
        engine.encrypt(np.arange(6).reshape(2, 3), secret_key),
        engine.encrypt_uint(np.arange(6, dtype=np.uint16).reshape(3, 2) * 9999, secret_key),
        engine.encrypt_uint(np.uint8(7), secret_key),
        engine.encrypt_uint([2**127 + 5], secret_key, width=128),
        engine.encrypt_int(np.array([-5, 100], np.int8), secret_key),
        engine.encrypt_bool([[True, False]], secret_key),
        engine.encrypt_decimal(["19.99", "-0.01"], secret_key, width=16),
        engine.encrypt_uint(np.zeros((0, 2), np.uint8), secret_key),
    ]


def test_every_kind_comes_back(party: Party) -> None:
    engine, secret_key, _ = party
    for x in arrays(engine, secret_key):
        expected = engine.decrypt(x, secret_key)
        listed = engine.compress(x)
        found = engine.decrypt(listed, secret_key)
        np.testing.assert_array_equal(found, expected, strict=True)
        assert (listed.shape, listed.size, listed.ndim) == (x.shape, x.size, x.ndim)
        assert listed.dtype == expected.dtype
        again = engine.decompress(listed)
        assert type(again) is type(x)
        np.testing.assert_array_equal(engine.decrypt(again, secret_key), expected, strict=True)
        assert listed.expanded_nbytes == again.nbytes
        assert type(x).__name__ in repr(listed)
        assert again.failure_probability < 2**-100


def test_results_are_operands_again(party: Party) -> None:
    engine, secret_key, _ = party
    x = engine.encrypt_uint(np.array([3, 65535], np.uint16), secret_key)
    y = engine.decompress(engine.compress(x + 1))
    assert engine.decrypt(y * y, secret_key).tolist() == [16, 0]
    assert repr(engine.compress(engine.encrypt_decimal(["1.5"], secret_key, width=16))).startswith(
        "CompressedList(DecimalArray, shape (1,), int16 with 2 places, "
    )


def test_gates_and_ntru_have_lists_too(rng: np.random.Generator) -> None:
    for parameters, module, log_n in [("gate-128", tfhe, 9), ("integer-4-64", ntru, 10)]:
        engine, secret_key, _ = make(parameters, module, insecure_log_n=log_n)
        values = rng.random(70) < 0.5 if engine.message_bits is None else rng.integers(0, 16, 70, dtype=np.uint8)
        listed = engine.compress(engine.encrypt(values, secret_key))
        np.testing.assert_array_equal(engine.decrypt(listed, secret_key), values, strict=True)
        np.testing.assert_array_equal(engine.decrypt(engine.decompress(listed), secret_key), values, strict=True)


def test_files_and_pickles(party: Party, tmp_path: Path) -> None:
    engine, secret_key, compression_key = party
    for x in arrays(engine, secret_key):
        listed = engine.compress(x)
        listed.save(tmp_path / "list")
        for again in (engine.load(tmp_path / "list"), pickle.loads(pickle.dumps(listed)), copy.copy(listed)):
            assert isinstance(again, tfhe.CompressedList)
            assert repr(again) == repr(listed)
            np.testing.assert_array_equal(engine.decrypt(again, secret_key), engine.decrypt(x, secret_key), strict=True)
            assert type(engine.decompress(again)) is type(x)
    with pytest.raises(FileSizeError):
        engine.load(tmp_path / "list", max_bytes=100)
    data = bytearray(listed.to_bytes())
    data[-1] ^= 1
    with pytest.raises(FormatError):
        engine.load_bytes(bytes(data))
    other = tfhe.Engine("integer-4-128", insecure_log_n=10, thread_count=1)
    compression_key.save(tmp_path / "key")
    loaded = other.load(tmp_path / "key")
    assert loaded.to_bytes() == compression_key.to_bytes() == pickle.loads(pickle.dumps(compression_key)).to_bytes()
    x = other.encrypt([1, 2], other.load_bytes(secret_key.to_bytes()))
    assert engine.decrypt(other.compress(x), secret_key).tolist() == [1, 2]
    with pytest.raises(MissingKeyError, match="evaluation key"):
        other.decompress(other.compress(x))
    assert other.estimate_memory("create_compression_key").held == compression_key.nbytes
    other.forget_keys()
    with pytest.raises(MissingKeyError, match="create_compression_key"):
        other.compress(x)
    other.use(compression_key)
    assert other.compress(x).size == 2


def test_lists_are_rerandomised_unless_they_are_not_to_be(party: Party) -> None:
    engine, secret_key, _ = party
    for x in arrays(engine, secret_key):
        lists = [engine.compress(x), engine.compress(x), engine.compress(x, rerandomize=False)]
        assert engine.compress(x, rerandomize=False).to_bytes() == lists[2].to_bytes()
        assert len({listed.to_bytes() for listed in lists}) == (3 if x.size else 1)
        for listed in lists:
            np.testing.assert_array_equal(engine.decrypt(listed, secret_key), engine.decrypt(x, secret_key))


def test_lists_of_the_default_set_open(tmp_path: Path) -> None:
    engine = tfhe.Engine(thread_count=1)
    secret_key = engine.create_secret_key()
    compression_key = engine.create_compression_key(secret_key)
    assert repr(compression_key) == "CompressionKey(gate-128, 933.9 kB; 41 bits a ciphertext)"
    bits = np.arange(600) % 7 < 3
    engine.compress(engine.encrypt(bits, secret_key)).save(tmp_path / "list")
    assert (tmp_path / "list").stat().st_size < 600 * 12
    other, listed = everlevel.open(tmp_path / "list")
    np.testing.assert_array_equal(other.decrypt(listed, secret_key), bits, strict=True)


def test_what_is_refused(party: Party) -> None:
    engine, secret_key, _ = party
    bits, bits_key, _ = make("gate-64", insecure_log_n=9)
    x = engine.encrypt([1, 2], secret_key, max_value=3)
    listed = engine.compress(x)
    stranger = engine.create_secret_key()
    small = ntru.Engine("gate-64", thread_count=1)
    public_key = engine.create_public_key(secret_key)
    for error, match, call in [
        (OperandTypeError, "compress: ciphertext", lambda: engine.compress([1, 2])),
        (OperandTypeError, "compress: ciphertext", lambda: engine.compress(listed)),
        (OperandTypeError, "compress: rerandomize", lambda: engine.compress(x, rerandomize=public_key)),
        (OperandTypeError, "decompress: compressed", lambda: engine.decompress(x)),
        (OperandTypeError, "bool", lambda: bool(listed)),
        (OperandTypeError, "equal", lambda: listed == listed),
        (OperandTypeError, "array", lambda: np.asarray(listed)),
        (OperandTypeError, "create_compression_key: secret_key", lambda: engine.create_compression_key(7)),
        (EngineMismatchError, "compress", lambda: engine.compress(bits.encrypt([True], bits_key))),
        (EngineMismatchError, "decompress", lambda: bits.decompress(listed)),
        (EngineMismatchError, "decrypt", lambda: bits.decrypt(listed, bits_key)),
        (EngineMismatchError, "create_compression_key", lambda: engine.create_compression_key(bits_key)),
        (MissingKeyError, "no compression key", lambda: engine.compress(engine.encrypt([1], stranger))),
        (KeyMismatchError, "decrypt", lambda: engine.decrypt(listed, stranger)),
        (ParameterError, "lists need room", lambda: small.create_compression_key(small.create_secret_key())),
        (ParameterError, "lists need room", lambda: small.estimate_memory("create_compression_key")),
    ]:
        with pytest.raises(error, match=match):
            call()  # type: ignore[no-untyped-call]
    with pytest.raises(TypeError):
        listed + 1  # type: ignore[operator]


@pytest.mark.slow
def test_sizes_and_times_at_full_size() -> None:
    """A thousand integers of 32 bits with the set's own ring, as the page tells them."""
    engine, secret_key, compression_key = make(insecure_log_n=None)
    values = np.random.default_rng(5).integers(0, 2**32, 1000, dtype=np.uint32)
    x = engine.encrypt_uint(values, secret_key)
    listed = engine.compress(x)
    assert compression_key.ciphertext_bits == 27
    assert listed.nbytes <= 60_000
    assert len(listed.to_bytes()) <= 62_000
    np.testing.assert_array_equal(engine.decrypt(listed, secret_key), values, strict=True)
    again = engine.decompress(engine.compress(x[:20]))
    np.testing.assert_array_equal(engine.decrypt(again, secret_key), values[:20], strict=True)
