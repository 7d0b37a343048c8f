"""Real numbers of CKKS as integers of TFHE: roundings, tables, and refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from everlevel import Engine, errors, tfhe

RNG = np.random.default_rng(321)


def lwes(parameters: str) -> tuple[tfhe.Engine, tfhe.SecretKey]:
    engine = tfhe.Engine(parameters, insecure_log_n=10, thread_count=2)
    secret_key = engine.create_secret_key()
    engine.create_evaluation_key(secret_key)
    engine.create_ring_switch_key(SECRET, secret_key)
    return engine, secret_key


# One thread sets the engine apart from those of other tests, to which pickles come back.
CKKS = Engine(use_bootstrap=True, insecure_log_n=11, thread_count=1)
SECRET = CKKS.create_secret_key()
CKKS.create_evaluation_key(SECRET, bootstrap="lossy")
TFHE, TFHE_SECRET = lwes("integer-4-128")


def encrypted(values: Any, level: int = 3, bound: float = 1) -> Any:
    return CKKS.encrypt(values, SECRET, level=level, bound=bound)


@pytest.mark.parametrize(("parameters", "bits"), [("integer-1-64", 1), ("integer-3-128", 3), ("integer-5-128", 5)])
def test_numbers_are_rounded_to_the_nearest_integer(parameters: str, bits: int) -> None:
    engine, secret_key = lwes(parameters)
    top = 2**bits - 1
    # A tenth of the distance away from integers, at both ends too.
    exact = np.concatenate([[0, top], RNG.integers(0, top + 1, 60)])
    values = np.clip((exact + RNG.uniform(-0.1, 0.1, exact.size)) / top * 2 - 1, -1, 1)
    found = engine.from_ckks(encrypted(values))
    np.testing.assert_array_equal(engine.decrypt(found, secret_key), exact)
    looked_up = engine.from_ckks(encrypted(values, level=5), lut=lambda m: top - m)
    np.testing.assert_array_equal(engine.decrypt(looked_up, secret_key), top - exact)


def test_all_results_are_one_of_two_neighbours() -> None:
    values = RNG.uniform(-1, 1, (4, 50))
    exact = (values + 1) / 2 * 15
    y = TFHE.from_ckks(encrypted(values))
    found = TFHE.decrypt(y, TFHE_SECRET)
    assert y.shape == (4, 50)
    assert np.abs(found - exact).max() < 1
    assert (found == exact.round()).mean() > 0.8
    row = TFHE.decrypt(TFHE.from_ckks(encrypted(values), index=1), TFHE_SECRET)
    assert np.abs(row - exact[1]).max() < 1
    assert 0 < y.failure_probability < 2**-50


def test_roundings_fail_near_thresholds_as_seldom_as_told() -> None:
    distances = np.array([0.0, 0.004, 0.01, 0.03])
    below = RNG.integers(0, 15, (distances.size, 250))
    side = RNG.choice([-1, 1], below.shape)
    values = (below + 0.5) / 7.5 - 1 + side * distances[:, None]
    x = encrypted(values)
    wrong = TFHE.decrypt(TFHE.from_ckks(x), TFHE_SECRET) != below + (side > 0)
    told = [TFHE.rounding_failure(x, distance) for distance in distances]
    assert told[0] == 1
    assert told[3] < 2**-20
    assert told == sorted(told, reverse=True)
    for rate, bound in zip(wrong.mean(axis=1), told, strict=True):
        # Six standard deviations of a mean of 250.
        assert rate <= bound + 6 * (bound / 250) ** 0.5
    assert wrong[0].mean() > 0.2
    gates, _ = lwes("gate-128")
    assert gates.rounding_failure(x, 1) < 2**-60 < gates.rounding_failure(x, 0.01)
    for distance in (-0.1, float("nan"), float("inf"), "near"):
        with pytest.raises(errors.ParameterError, match=r"rounding_failure: .*distance"):
            TFHE.rounding_failure(x, distance)  # type: ignore[arg-type]


def test_signs_are_bits_for_gates() -> None:
    engine, secret_key = lwes("gate-128")
    values = RNG.choice([-1, -0.4, 0.5, 1], 40)
    bits = engine.from_ckks(encrypted(values))
    np.testing.assert_array_equal(engine.decrypt(bits, secret_key), values > 0)
    both = bits[1:] ^ bits[:-1]
    np.testing.assert_array_equal(engine.decrypt(both, secret_key), (values[1:] > 0) ^ (values[:-1] > 0))
    with pytest.raises(errors.TableError, match="no tables"):
        engine.from_ckks(encrypted(values), lut=[0, 1])


def test_long_vectors_have_units() -> None:
    values = RNG.integers(0, 16, 2 * CKKS.slot_count + 5) / 7.5 - 1
    places = [0, CKKS.slot_count - 1, CKKS.slot_count, 2 * CKKS.slot_count + 4]
    x = CKKS.encrypt(values, SECRET, level=3, bound=1)
    found = TFHE.decrypt(TFHE.from_ckks(x, index=places), TFHE_SECRET)
    np.testing.assert_array_equal(found, ((values[places] + 1) * 7.5).round())


def test_what_does_not_fit_is_refused() -> None:
    x = encrypted([0.5, -0.5])
    with pytest.raises(errors.LevelError, match="from_ckks"):
        TFHE.from_ckks(encrypted([0.5], level=2))
    with pytest.raises(errors.RangeError, match="from_ckks"):
        TFHE.from_ckks(encrypted([0.5], bound=2))
    with pytest.raises(errors.OperandTypeError, match="complex"):
        TFHE.from_ckks(encrypted([0.5j]))
    with pytest.raises(errors.OperandTypeError):
        TFHE.from_ckks(TFHE.encrypt([1], TFHE_SECRET))  # type: ignore[arg-type]
    with pytest.raises(errors.TableError):
        TFHE.from_ckks(x, lut=[0, 1, 2])
    with pytest.raises(errors.TableError):
        TFHE.from_ckks(x, lut=lambda m: m + 1)
    with pytest.raises(errors.OperandTypeError, match="index 2"):
        TFHE.from_ckks(x, index=2)
    other = CKKS.create_secret_key()
    with pytest.raises(errors.MissingKeyError, match="ring switch key"):
        TFHE.from_ckks(CKKS.encrypt([0.5], other, level=3, bound=1))
    TFHE.create_ring_switch_key(other, TFHE_SECRET)
    with pytest.raises(errors.MissingKeyError):
        TFHE.from_ckks(CKKS.encrypt([0.5], other, level=3, bound=1))
    shallow = Engine(max_level=4, insecure_log_n=11)
    with pytest.raises(errors.ParameterError, match="use_bootstrap"):
        TFHE.from_ckks(shallow.encrypt([0.5], shallow.create_secret_key(), bound=1))


@pytest.mark.slow
@pytest.mark.full_size
def test_a_thousand_numbers_come_over_at_full_size() -> None:
    ckks = Engine(use_bootstrap=True)
    ckks_key = ckks.create_secret_key()
    ckks.create_evaluation_key(ckks_key, bootstrap="lossy")
    engine = tfhe.Engine("integer-4-128")
    secret_key = engine.create_secret_key()
    engine.create_evaluation_key(secret_key)
    engine.create_ring_switch_key(ckks_key, secret_key)
    values = RNG.integers(0, 16, 1024)
    x = ckks.encrypt(values / 7.5 - 1, ckks_key, level=3, bound=1)
    found = engine.from_ckks(x, lut=lambda m: 15 - m)
    np.testing.assert_array_equal(engine.decrypt(found, secret_key), 15 - values)
