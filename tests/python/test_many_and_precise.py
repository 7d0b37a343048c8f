"""Bootstraps of many ciphertexts, and of high precision, at insecure small rings."""

import numpy as np
import pytest

from claims import assert_claims
from everlevel import Ciphertext, Engine, EvaluationKey, SecretKey, errors

Deep = tuple[Engine, SecretKey, EvaluationKey]


def make(**options: object) -> Deep:
    engine = Engine(insecure_log_n=10, **options)  # type: ignore[call-overload]
    secret = engine.create_secret_key()
    return engine, secret, engine.create_evaluation_key(secret, rotations=False, bootstrap="lossy")


@pytest.fixture(scope="module")
def standard() -> Deep:
    return make(use_bootstrap=True)


@pytest.fixture(scope="module")
def high() -> Deep:
    return make(precision="high")


def uniform(engine: Engine, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).uniform(-1, 1, engine.slot_count)


def bits(engine: Engine, ciphertext: Ciphertext, secret: SecretKey, values: np.ndarray) -> float:
    return float(-np.log2(np.abs(engine.decrypt(ciphertext, secret) - values)).mean())


def test_many_are_what_each_is(standard: Deep) -> None:
    engine, secret, keys = standard
    values = [uniform(engine, seed) for seed in range(6)]
    ciphertexts = [engine.encrypt(v, secret, level=level) for v, level in zip(values, [0, 3, 5, 0, 1, 4], strict=True)]
    before = engine.bootstrap_count
    many = engine.bootstrap_many(ciphertexts, keys)
    assert engine.bootstrap_count == before + 6
    for out, ciphertext, v in zip(many, ciphertexts, values, strict=True):
        alone = engine.bootstrap(ciphertext, keys)
        assert (out.level, out.is_real) == (alone.level, True)
        np.testing.assert_array_equal(engine.decrypt(out, secret), engine.decrypt(alone, secret))
        assert_claims(out, v, secret)
    assert engine.bootstrap_many([], keys) == []


def test_many_of_several_units_lossy_and_sign(standard: Deep) -> None:
    engine, secret, keys = standard
    long = np.concatenate([uniform(engine, 7), uniform(engine, 8)])
    two, one = engine.encrypt(long, secret, level=3), engine.encrypt(long[: engine.slot_count], secret, level=4)
    a, b = engine.bootstrap_many([two, one], keys, method="lossy", real_only=True)
    assert (a.unit_count, b.unit_count, a.level, b.level) == (2, 1, engine.max_level, engine.max_level)
    assert_claims(a, long, secret)
    signs = np.sign(long)
    (out,) = engine.bootstrap_many([engine.encrypt(signs, secret, level=3)], keys, method="sign", real_only=True)
    assert_claims(out, signs, secret)


def test_high_precision_has_32_bits(high: Deep) -> None:
    engine, secret, keys = high
    assert engine.max_level == 11
    assert "high precision" in repr(engine)
    for values in (uniform(engine, 1), np.ones(engine.slot_count)):
        ciphertext = engine.encrypt(values, secret, level=0)
        once = engine.bootstrap(ciphertext, keys)
        precise = engine.bootstrap(ciphertext, keys, precision="high")
        assert (once.level, precise.level) == (8, 7)
        assert bits(engine, precise, secret, values) > max(32, bits(engine, once, secret, values) + 6)
        assert precise.precision_bits > 32
        assert_claims(precise, values, secret, varied=np.ptp(values) > 0)
        (many,) = engine.bootstrap_many([ciphertext], keys, precision="high")
        np.testing.assert_array_equal(engine.decrypt(many, secret), engine.decrypt(precise, secret))
    squared = engine.multiply(precise, precise, keys)
    assert_claims(squared, 1, secret)


def test_what_cannot_be_is_refused(standard: Deep, high: Deep) -> None:
    engine, secret, keys = standard
    ciphertext = engine.encrypt([0.5], secret, level=0)
    with pytest.raises(errors.ParameterError, match=r"^bootstrap: precision is 'high' and the engine's is 'standard'"):
        engine.bootstrap(ciphertext, keys, precision="high")
    with pytest.raises(errors.ParameterError, match=r"precision is 'highest', and 'standard' and 'high' are offered"):
        engine.bootstrap(ciphertext, keys, precision="highest")  # type: ignore[arg-type]
    with pytest.raises(errors.ParameterError, match=r"^bootstrap_many: method is 'fast'"):
        engine.bootstrap_many([ciphertext], keys, method="fast")  # type: ignore[arg-type]
    with pytest.raises(errors.OperandTypeError, match=r"^bootstrap_many: ciphertexts is one Ciphertext"):
        engine.bootstrap_many(ciphertext, keys)  # type: ignore[arg-type]
    with pytest.raises(errors.OperandTypeError):
        engine.bootstrap_many([ciphertext, 3], keys)  # type: ignore[list-item]
    with pytest.raises(errors.LevelError):
        engine.bootstrap_many([ciphertext], keys, method="sign")
    other = engine.encrypt([0.5], engine.create_secret_key(), level=0)
    with pytest.raises(errors.KeyMismatchError, match="ciphertext 1 is of another secret"):
        engine.bootstrap_many([ciphertext, other], keys)
    with pytest.raises(errors.ParameterError, match="more levels are asked for"):
        Engine(precision="high", use_bootstrap_to_14_levels=True)
    engine, secret, keys = high
    with pytest.raises(errors.ParameterError, match="'regular' is the precise one"):
        engine.bootstrap_many([engine.encrypt([1.0], secret)], keys, method="lossy", precision="high")
