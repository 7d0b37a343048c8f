"""Matrices and bootstraps over limbs, from Python."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from claims import assert_claims
from concurrency import ctrl_c_at_the_first_step
from everlevel import errors
from everlevel.ckks import limbs


@pytest.fixture(scope="module")
def engine() -> limbs.Engine:
    return limbs.Engine("n16", insecure_log_n=8)


@pytest.fixture(scope="module")
def secret_key(engine: limbs.Engine) -> limbs.SecretKey:
    key = engine.create_secret_key()
    engine.create_evaluation_key(key, rotations=True)
    return key


@pytest.fixture(scope="module")
def bootstrap_key(engine: limbs.Engine, secret_key: limbs.SecretKey) -> limbs.BootstrapKey:
    return engine.create_bootstrap_key(secret_key)


def test_matrices_are_numpys(engine: limbs.Engine, secret_key: limbs.SecretKey) -> None:
    rng = np.random.default_rng(3)
    n = engine.slot_count
    a = rng.uniform(-1, 1, n)
    x = engine.encrypt(a, secret_key)
    for shape in [(n, n), (3, 5), (1, n), (n, 1), (1, 1)]:
        m = rng.uniform(-1, 1, shape)
        y = m @ x
        assert isinstance(y, limbs.Ciphertext)
        assert (y.budget_bits, y.is_real) == (x.budget_bits - 40, True)
        assert_claims(y, np.r_[m @ a[: shape[1]], np.zeros(n - shape[0])], secret_key)
    m = rng.integers(-3, 4, (4, 4)) + 1j * np.eye(4)
    y = engine.multiply_matrix(m, x, precision_bits=12, progress=False)
    assert (y.budget_bits, y.is_real) == (x.budget_bits - 12, False)
    assert_claims(y, np.r_[m @ a[:4], np.zeros(n - 4)], secret_key)
    assert_claims([[1, 2], [3, 4]] @ x, np.r_[[[1, 2], [3, 4]] @ a[:2], np.zeros(n - 2)], secret_key)
    turned = {3: np.ones(n), -2: np.arange(n) / n} @ x
    assert_claims(turned, np.roll(a, -3) + np.arange(n) / n * np.roll(a, 2), secret_key)


def test_wrong_matrices_are_refused(engine: limbs.Engine, secret_key: limbs.SecretKey) -> None:
    x = engine.encrypt([0.5], secret_key)
    n = engine.slot_count
    with pytest.raises(errors.ParameterError, match=f"1 to {n} rows and columns"):
        np.ones((n + 1, 1)) @ x
    with pytest.raises(errors.MessageError, match="1 dimensions"):
        [1.0, 2.0] @ x
    with pytest.raises(errors.MessageError):
        engine.multiply_matrix([[np.nan]], x)
    with pytest.raises(errors.MessageTypeError):
        engine.multiply_matrix([["one"]], x)
    with pytest.raises(errors.RangeError, match="and 62 are held"):
        engine.multiply_matrix([[2.0**30]], x)
    with pytest.raises(errors.ParameterError, match="precision_bits is 41"):
        engine.multiply_matrix([[1.0]], x, precision_bits=41)
    with pytest.raises(errors.NoiseError):
        [[1.0]] @ engine.lower(x, 30)
    with pytest.raises(TypeError):
        "matrix" @ x  # type: ignore[operator]
    other = limbs.Engine("n16", insecure_log_n=8)
    with pytest.raises(errors.MissingKeyError):
        [[1.0]] @ other.encrypt([0.5], other.create_secret_key())


def test_bootstraps_give_bits_back(
    engine: limbs.Engine, secret_key: limbs.SecretKey, bootstrap_key: limbs.BootstrapKey
) -> None:
    rng = np.random.default_rng(4)
    a = rng.uniform(-1, 1, engine.slot_count)
    x = engine.lower(engine.encrypt(a, secret_key), 12)
    for y in (engine.bootstrap(x), engine.bootstrap(x, bootstrap_key, progress=False)):
        assert (y.budget_bits, y.is_real, y.bound) == (297, True, 1)
        assert 20 < y.precision_bits < 22
        assert_claims(y, a, secret_key)
        assert_claims(y * y, a * a, secret_key)
    large = engine.lower(engine.encrypt(100 * a, secret_key, bound=100), 19)
    y = engine.bootstrap(large)
    assert y.budget_bits == 304
    assert_claims(y, 100 * a, secret_key)


def test_bootstraps_that_cannot_be_are_refused(
    engine: limbs.Engine, secret_key: limbs.SecretKey, bootstrap_key: limbs.BootstrapKey
) -> None:
    x = engine.encrypt([0.5], secret_key)
    with pytest.raises(errors.NoiseError, match="the operands have 11"):
        engine.bootstrap(engine.lower(x, 11))
    other = limbs.Engine("n16", insecure_log_n=8)
    other_key = other.create_secret_key()
    with pytest.raises(errors.MissingKeyError, match="create_bootstrap_key"):
        other.bootstrap(other.encrypt([0.5], other_key))
    with pytest.raises(errors.KeyMismatchError):
        other.bootstrap(other.encrypt([0.5], other_key), bootstrap_key)
    with pytest.raises(errors.OperandTypeError):
        engine.bootstrap(x, secret_key)  # type: ignore[arg-type]
    small = limbs.Engine("n14", insecure_log_n=8)
    with pytest.raises(errors.ParameterError, match="take the set n16"):
        small.create_bootstrap_key(small.create_secret_key())
    with pytest.raises(errors.EngineMismatchError):
        small.bootstrap(small.encrypt([0.5], small.create_secret_key()), bootstrap_key)
    with pytest.raises(errors.ParameterError, match="take the set n16"):
        small.estimate_memory("create_bootstrap_key")


def test_bootstrap_keys_are_remembered_saved_and_forgotten(tmp_path: Path) -> None:
    engine, elsewhere = (limbs.Engine("n16", insecure_log_n=8) for _ in range(2))
    secret_key = engine.create_secret_key()
    key = engine.create_bootstrap_key(secret_key)
    assert "BootstrapKey(n16; " in repr(key)
    x = engine.encrypt([0.5], secret_key)
    key.save(tmp_path / "bootstrap")
    read = elsewhere.load(tmp_path / "bootstrap")
    assert isinstance(read, limbs.BootstrapKey)
    assert read.nbytes == key.nbytes
    expected = np.eye(1, engine.slot_count)[0] / 2
    x.save(tmp_path / "message")
    message = elsewhere.load(tmp_path / "message")
    assert_claims(elsewhere.bootstrap(message), expected, secret_key)
    engine.forget_keys()
    with pytest.raises(errors.MissingKeyError):
        engine.bootstrap(x)
    engine.use(key)
    assert_claims(engine.bootstrap(x), expected, secret_key)


def test_memory_is_told_and_work_is_stopped(
    engine: limbs.Engine,
    secret_key: limbs.SecretKey,
    bootstrap_key: limbs.BootstrapKey,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert engine.estimate_memory("create_bootstrap_key").held == bootstrap_key.nbytes
    x = engine.encrypt([0.5], secret_key)
    assert engine.estimate_memory("bootstrap").held >= engine.bootstrap(x).nbytes
    for work in (
        lambda: engine.create_bootstrap_key(secret_key),
        lambda: engine.bootstrap(x),
        lambda: np.ones((64, 64)) @ x,
    ):
        with ctrl_c_at_the_first_step(monkeypatch):
            work()
