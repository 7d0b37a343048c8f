"""Arrays of TFHE as real numbers of CKKS: tables, shapes, claims, and refusals."""

from __future__ import annotations

import numpy as np
import pytest

from everlevel import Engine, errors, tfhe

RNG = np.random.default_rng(413)


def lwes(parameters: str) -> tuple[tfhe.Engine, tfhe.SecretKey]:
    engine = tfhe.Engine(parameters, insecure_log_n=10, thread_count=2)
    secret_key = engine.create_secret_key()
    engine.create_evaluation_key(secret_key)
    engine.create_packing_key(secret_key, SECRET)
    return engine, secret_key


# One thread sets the engine apart from those of other tests, to which pickles come back.
CKKS = Engine(use_bootstrap=True, insecure_log_n=11, thread_count=1)
SECRET = CKKS.create_secret_key()
CKKS.create_evaluation_key(SECRET, bootstrap="lossy")
TFHE, TFHE_SECRET = lwes("integer-4-128")


@pytest.mark.parametrize(("parameters", "bits"), [("gate-128", 1), ("integer-1-64", 1), ("integer-3-128", 3)])
def test_integers_become_numbers(parameters: str, bits: int) -> None:
    engine, secret_key = lwes(parameters)
    top = 2**bits - 1
    values = RNG.integers(0, top + 1, (5, 40))
    if engine.message_bits is None:
        x = engine.encrypt(values.astype(bool), secret_key) ^ False
    else:
        x = engine.bootstrap(engine.encrypt(values, secret_key))
    y = CKKS.from_tfhe(x)
    assert y.shape == (5, 40)
    assert y.level == CKKS.max_level - bits - 1
    found, exact = CKKS.decrypt(y, SECRET), values / top * 2 - 1
    assert np.abs(found - exact).max() < 2**-y.precision_floor
    assert np.abs(found - exact).max() < 2**-6
    numbers = RNG.uniform(-1, 1, top + 1)
    looked_up = CKKS.decrypt(CKKS.from_tfhe(x, lut=numbers), SECRET)
    assert np.abs(looked_up - numbers[values]).max() < 2**-6
    # They go on as any numbers do.
    assert np.abs(CKKS.decrypt(y * y, SECRET) - exact**2).max() < 2**-5


def test_there_and_back() -> None:
    TFHE.create_ring_switch_key(SECRET, TFHE_SECRET)
    values = RNG.integers(0, 16, 40)
    x = CKKS.from_tfhe(TFHE.encrypt(values, TFHE_SECRET))
    y = TFHE.from_ckks(x, lut=lambda m: 15 - m)
    assert np.array_equal(TFHE.decrypt(y, TFHE_SECRET), 15 - values)


def test_long_vectors_have_units() -> None:
    values = np.arange(3 * CKKS.slot_count) % 8
    y = CKKS.from_tfhe(TFHE.encrypt(values, TFHE_SECRET, max_value=7), lut=lambda m: m / 8)
    assert y.unit_count == 3
    assert np.abs(CKKS.decrypt(y, SECRET).ravel() - values / 8).max() < 2**-10


def test_what_does_not_fit_is_refused() -> None:
    x = TFHE.encrypt([3, 9], TFHE_SECRET)
    for lut in ([0.5] * 15, lambda m: m, lambda m: 1j, [float("nan")] * 16):
        with pytest.raises(errors.TableError, match="from_tfhe"):
            CKKS.from_tfhe(x, lut=lut)
    with pytest.raises(errors.MessageTypeError):
        CKKS.from_tfhe(x, lut=lambda m: "one")
    with pytest.raises(errors.MessageError, match=r"shape \(\)"):
        CKKS.from_tfhe(x[0])
    with pytest.raises(errors.MessageError):
        CKKS.from_tfhe(x[:0])
    with pytest.raises(errors.OperandTypeError):
        CKKS.from_tfhe([1, 2])  # type: ignore[arg-type]
    stranger = TFHE.create_secret_key()
    with pytest.raises(errors.MissingKeyError, match="packing key"):
        CKKS.from_tfhe(TFHE.encrypt([1], stranger))
    without = Engine(use_bootstrap=True, insecure_log_n=11, thread_count=1)
    without_secret = without.create_secret_key()
    TFHE.create_packing_key(TFHE_SECRET, without_secret)
    with pytest.raises(errors.MissingKeyError):
        without.from_tfhe(x)
    shallow = Engine(max_level=4, insecure_log_n=11)
    with pytest.raises(errors.ParameterError, match="use_bootstrap"):
        shallow.from_tfhe(x)
