"""Public keys of TFHE and NTRU: what they encrypt, re-randomisation, files and pickles, and what is refused."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import everlevel
from everlevel import bfv, ntru, tfhe
from everlevel.errors import (
    ChecksumError,
    EngineMismatchError,
    FileParametersError,
    FormatError,
    KeyMismatchError,
    MessageError,
    MessageTypeError,
    OperandTypeError,
    ParameterError,
    SpaceError,
    TruncatedFileError,
)

Party = tuple[tfhe.Engine, tfhe.SecretKey, tfhe.PublicKey]


def make(engine: tfhe.Engine) -> Party:
    secret_key = engine.create_secret_key()
    engine.create_evaluation_key(secret_key)
    return engine, secret_key, engine.create_public_key(secret_key)


@pytest.fixture(scope="module")
def integers() -> Party:
    return make(tfhe.Engine("integer-4-64", insecure_log_n=10, thread_count=2))


@pytest.fixture(scope="module", params=["tfhe", "ntru"])
def gates(request: pytest.FixtureRequest) -> Party:
    engine: tfhe.Engine = {"tfhe": tfhe, "ntru": ntru}[request.param].Engine("gate-64", insecure_log_n=9)
    return make(engine)


def test_bits_go_through_gates(gates: Party, rng: np.random.Generator) -> None:
    engine, secret_key, public_key = gates
    a, b = rng.integers(0, 2, (2, 3, 70)).astype(bool)
    x, y = engine.encrypt(a, public_key), engine.encrypt(b, secret_key)
    assert x.shape == a.shape
    np.testing.assert_array_equal(engine.decrypt(x, secret_key), a, strict=True)
    z = engine.rerandomize(x & engine.rerandomize(y, public_key), public_key)
    np.testing.assert_array_equal(engine.decrypt(z, secret_key), a & b, strict=True)
    assert 0 < z.failure_probability < 2**-50


def test_integers_go_through_tables_and_sums(integers: Party, rng: np.random.Generator) -> None:
    engine, secret_key, public_key = integers
    m = rng.integers(0, 16, (4, 5))
    x = engine.encrypt(m, public_key)
    np.testing.assert_array_equal(engine.decrypt(engine.bootstrap(x, lut=lambda v: 15 - v), secret_key), 15 - m)
    small = engine.rerandomize(engine.encrypt([1, 3], public_key, max_value=3), public_key)
    assert (small.max_value, small.shape) == (3, (2,))
    for dtype in (np.uint8, np.uint16, np.uint32, np.uint64):
        top = np.iinfo(dtype).max
        u, v = rng.integers(0, top, (2, 5), dtype=dtype, endpoint=True)
        a, b = engine.encrypt_uint(u, public_key), engine.encrypt_uint(v, secret_key)
        total = engine.rerandomize(a + engine.rerandomize(b, public_key), public_key)
        assert isinstance(total, tfhe.UintArray)
        np.testing.assert_array_equal(engine.decrypt(total, secret_key), u + v, strict=True)
        truths = np.array([True, False, True, True, False])
        condition = engine.rerandomize(engine.encrypt_bool(truths, public_key), public_key)
        assert isinstance(condition, tfhe.BoolArray)
        chosen = engine.select(condition, a, b)
        np.testing.assert_array_equal(engine.decrypt(chosen, secret_key), np.where(truths, u, v))


def test_public_ciphertexts_may_be_combined_as_results_of_bootstraps_are(integers: Party) -> None:
    engine, secret_key, public_key = integers
    x = engine.encrypt([3, 1], public_key, max_value=3)
    result = engine.bootstrap(engine.encrypt([3, 1], secret_key, max_value=3), lut=lambda v: v % 4)
    of_both = [(4 * y + y).log2_p_fail for y in (x, engine.rerandomize(result, public_key))]
    assert max(of_both) <= engine.max_log2_p_fail
    np.testing.assert_array_equal(engine.decrypt(engine.bootstrap(4 * x + x), secret_key), [15, 5])
    # No less noise than of the secret key, and less than of a bootstrap.
    own = engine.encrypt([3], secret_key).log2_p_fail
    assert own <= x.log2_p_fail <= engine.bootstrap(x).log2_p_fail


def test_another_process_needs_the_public_key_alone(integers: Party, tmp_path: Path) -> None:
    engine, secret_key, public_key = integers
    public_key.save(tmp_path / "public.key")
    client, key = everlevel.open(tmp_path / "public.key", thread_count=1)
    assert isinstance(key, tfhe.PublicKey)
    assert type(client) is tfhe.Engine
    assert client is not engine
    client.encrypt_uint(np.array([7, 60_000], np.uint16), key).save(tmp_path / "values")
    values: Any = engine.load(tmp_path / "values")
    np.testing.assert_array_equal(engine.decrypt(values + 1, secret_key), [8, 60_001])
    again = pickle.loads(pickle.dumps(public_key))
    assert again.to_bytes() == public_key.to_bytes() == engine.load(tmp_path / "public.key").to_bytes()
    np.testing.assert_array_equal(engine.decrypt(again._engine.encrypt([5], again), secret_key), [5])
    assert repr(public_key) == "PublicKey(integer-4-64; 16.4 kB)"
    assert public_key.kind == "public key"
    assert public_key.nbytes == engine.estimate_memory("create_public_key").held


def test_damaged_files_are_refused(integers: Party, gates: Party, tmp_path: Path) -> None:
    engine, _, public_key = integers
    whole, path = public_key.to_bytes(), tmp_path / "key"
    for length in (0, 10, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:length])
        with pytest.raises(FormatError):
            engine.load(path)
    path.write_bytes(whole[:-1])
    with pytest.raises(TruncatedFileError):
        engine.load(path)
    with pytest.raises(ChecksumError):
        engine.load_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    with pytest.raises(FileParametersError, match="a tfhe public key of integer-4-64"):
        gates[0].load_bytes(whole)


def test_wrong_arguments_are_refused(integers: Party, gates: Party) -> None:
    engine, secret_key, public_key = integers
    other_engine, _, other_public = gates
    stranger = engine.create_secret_key()
    x, foreign = engine.encrypt([1], public_key), engine.encrypt([1], stranger)
    levels = bfv.Engine("n13", insecure_log_n=9)
    of_bfv: Any = levels.create_public_key(levels.create_secret_key())
    nothing: Any = None
    as_secret: Any = public_key
    as_public: Any = secret_key
    numbers: Any = [1]
    for kind, match, call in (
        (EngineMismatchError, "encrypt: key was made by", lambda: engine.encrypt([1], other_public)),
        (OperandTypeError, "encrypt: key is of type PublicKey", lambda: engine.encrypt([1], of_bfv)),
        (OperandTypeError, "encrypt: key is of type NoneType", lambda: engine.encrypt([1], nothing)),
        (MessageError, "encrypt: ", lambda: engine.encrypt([16], public_key)),
        (MessageError, "encrypt: ", lambda: engine.encrypt([3], public_key, max_value=2)),
        (MessageTypeError, "encrypt: ", lambda: engine.encrypt([1.5], public_key)),
        (MessageError, "encrypt_uint: ", lambda: engine.encrypt_uint([256], public_key, width=8)),
        (SpaceError, "encrypt_uint: ", lambda: other_engine.encrypt_uint([1], other_public, width=8)),
        (KeyMismatchError, "rerandomize: ", lambda: engine.rerandomize(foreign, public_key)),
        (OperandTypeError, "rerandomize: public_key", lambda: engine.rerandomize(x, as_public)),
        (OperandTypeError, "rerandomize: ciphertext", lambda: engine.rerandomize(numbers, public_key)),
        (EngineMismatchError, "rerandomize: ", lambda: engine.rerandomize(x, other_public)),
        (EngineMismatchError, "rerandomize: ", lambda: other_engine.rerandomize(x, other_public)),
        (OperandTypeError, "decrypt: secret_key", lambda: engine.decrypt(x, as_secret)),
        (OperandTypeError, "create_public_key: ", lambda: engine.create_public_key(as_secret)),
        (KeyMismatchError, "decrypt", lambda: engine.decrypt(x, stranger)),
    ):
        with pytest.raises(kind, match=match):
            call()


def test_sets_whose_ciphertexts_are_under_the_small_secret_have_none() -> None:
    engine = tfhe.Engine("insecure-tfhe-lib", insecure_log_n=9)
    with pytest.raises(ParameterError, match="create_public_key: the parameters have ciphertexts under the small"):
        engine.create_public_key(engine.create_secret_key())


def test_a_set_of_full_size() -> None:
    engine, secret_key, public_key = make(tfhe.Engine("integer-4-128"))
    assert public_key.nbytes == 2 * 2048 * 8
    u = np.array([4_000_000_000, 7, 0, 2**32 - 1], np.uint32)
    a = engine.encrypt_uint(u, public_key)
    found = engine.decrypt(engine.rerandomize(a + 500_000_000, public_key), secret_key)
    np.testing.assert_array_equal(found, u + np.uint32(500_000_000))
    assert a.failure_probability < 2**-128
