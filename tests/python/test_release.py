"""Decryptions that may be given away."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import everlevel
from claims import assert_claims
from everlevel import Engine
from everlevel.errors import KeyMismatchError, ParameterError, ReleaseError
from parties import INSECURE_LOG_N, Party


def test_values_on_a_grid_are_exact(party: Party) -> None:
    engine, key = party.engine, party.secret_key
    values = np.random.default_rng(1).integers(-40, 41, engine.slot_count + 3) / 4
    released = engine.release(engine.encrypt(values, party.public_key, bound=10), key, grid=0.25)
    np.testing.assert_array_equal(released.values[: len(values)], values)
    np.testing.assert_array_equal(np.asarray(released), released.values)
    assert released.log2_failure == -64
    assert released.error_model == "heuristic"
    assert released.values.dtype == np.float64
    assert "failure 2^-64" in repr(released)
    complex_values = np.array([1 + 2j, -3j])
    released = engine.release(engine.encrypt(complex_values, key, bound=4), key, grid=1)
    np.testing.assert_array_equal(released.values[:2], complex_values)


@pytest.mark.parametrize("bound", [1e8, 1e10, 1e12, 1e14])
def test_full_vectors_of_large_integers_are_exact(bound: float) -> None:
    engine = Engine(max_level=2, insecure_log_n=12)
    key = engine.create_secret_key()
    rng = np.random.default_rng(int(bound))
    for _ in range(3):
        values = rng.integers(-int(bound), int(bound), engine.slot_count, endpoint=True).astype(float)
        x = engine.encrypt(values, key, bound=bound)
        np.testing.assert_array_equal(engine.release(x, key, grid=1).values, values)
        assert_claims(x, values, key)
        # 53 bits of the bound, less a few for noise where that is seen.
        assert 0 <= 53 - np.log2(bound) - x.precision_floor < 3 + max(0, 27 - np.log2(bound))


def test_flooded_values_are_as_precise_as_they_say(party: Party) -> None:
    engine, key = party.engine, party.secret_key
    values = np.full(engine.slot_count, 0.5)
    released = engine.release(engine.encrypt(values, key, bound=1), key, statistical_bits=16)
    measured = -np.log2(np.sqrt(np.mean(np.abs(released.values - values) ** 2)))
    # The real parts have half of the error's square.
    assert released.precision_bits == pytest.approx(measured - 0.5, abs=0.5)
    assert "16 statistical bits" in repr(released)


def test_what_would_tell_too_much_or_nothing_is_refused(party: Party) -> None:
    engine, key = party.engine, party.secret_key
    x = engine.encrypt([0.5], key, bound=1)
    with pytest.raises(ReleaseError, match=r"assumed.*bound="):
        engine.release(engine.encrypt([0.5], key), key, grid=1)
    with pytest.raises(ReleaseError, match="further than"):
        engine.release(x, key, grid=1)
    with pytest.raises(ReleaseError, match=r"steps from .* on") as refusal:
        engine.release(x, key, grid=1e-12)
    assert refusal.value.needed is not None
    assert refusal.value.needed > 1e-12
    with pytest.raises(ReleaseError, match="64 statistical bits leave"):
        engine.release(x, key, statistical_bits=64)
    for options in ({}, {"grid": 1, "statistical_bits": 20}, {"grid": 0}, {"statistical_bits": 4}):
        with pytest.raises(ParameterError):
            engine.release(x, key, **options)  # type: ignore[arg-type]
    with pytest.raises(KeyMismatchError):
        engine.release(x, engine.create_secret_key(), grid=0.5)


def test_nothing_is_released_of_which_no_error_is_known() -> None:
    engine = Engine(use_bootstrap=True, insecure_log_n=9)
    key = engine.create_secret_key(release_budget=16)
    engine.create_evaluation_key(key, bootstrap="lossy")
    # A sign of what is nearly zero, up to the error of another sign.
    x = engine.encrypt(np.zeros(engine.slot_count), key, bound=1)
    unknown = engine.relu(engine.abs(x, gap=2**-8), gap=2**-8)
    for y, why in (
        (unknown, "errors leave steps from"),
        (unknown - unknown, "errors leave steps from"),
        (unknown**16, "nothing is known of the errors"),
        (unknown**16 * 0.5, "nothing is known of the errors"),
    ):
        assert np.isnan(y.precision_floor)
        with pytest.raises(ReleaseError, match=why):
            engine.release(y, key, grid=0.25)


def test_a_key_gives_away_as_much_as_its_budget() -> None:
    engine = Engine(max_level=1, insecure_log_n=INSECURE_LOG_N)
    key = engine.create_secret_key(release_budget=2)
    x = engine.encrypt([1.0], key, bound=1)
    assert [engine.release(x, key, grid=1).remaining for _ in range(2)] == [1, 0]
    with pytest.raises(ReleaseError, match="released 2 decryptions, and its budget is 2"):
        engine.release(x, key, grid=1)
    for wrong in (0, -1, 1.5, 2**64):
        with pytest.raises((ParameterError, TypeError)):
            engine.create_secret_key(release_budget=wrong)  # type: ignore[arg-type]


def test_double_precision_leaves_ten_bits_of_sixty_four() -> None:
    engine = Engine(max_level=1, precision="double", insecure_log_n=INSECURE_LOG_N)
    assert "double precision" in repr(engine)
    key = engine.create_secret_key(release_budget=2)
    engine.create_relinearization_key(key)
    values = np.linspace(-1, 1, engine.slot_count)
    x = engine.encrypt(values, key, bound=1)
    # A ciphertext's errors are smaller than doubles tell, and a decryption's aren't.
    assert 52.9 < x.precision_floor <= 53 < x.precision_bits < 56
    assert "precision at least 53.0 bits" in repr(x)
    assert_claims(x, values, key)
    for result, exact in ((x, values), (x * x, values**2)):
        released = engine.release(result, key, statistical_bits=64)
        assert released.precision_bits is not None
        assert released.precision_bits > 10
        assert np.max(np.abs(released.values - exact)) < 2 ** (4 - released.precision_bits)


def test_double_precision_has_no_bootstraps_and_fewer_levels() -> None:
    with pytest.raises(ParameterError, match="'double' and a bootstrap"):
        Engine(precision="double", use_bootstrap=True)
    with pytest.raises(ParameterError, match="at most 41"):
        Engine(max_level=42, precision="double")
    with pytest.raises(ParameterError, match="'standard', 'high' and 'double' are offered"):
        Engine(precision="triple")
    assert Engine(max_level=2, precision="double").log_n == 14


def test_rare_integer_parts_of_a_bootstrap_count_wherever_a_ciphertext_goes(
    deep: Party, bootstrap_key: everlevel.BootstrapKey
) -> None:
    engine, key = deep.engine, deep.secret_key

    def least(x: everlevel.Ciphertext) -> float:
        """Half of the least grid, over the largest error that the floor claims."""
        with pytest.raises(ReleaseError) as refused:
            engine.release(x, key, grid=1e-12)
        needed = refused.value.needed
        assert needed is not None
        return needed / 2 * 2**x.precision_floor

    x = engine.encrypt(np.full(engine.slot_count, 0.001), key, bound=0.001, level=0)
    # 39.25 standard deviations for 24.
    assert 1.6 < least(x) < 1.7
    y = engine.bootstrap(x, deep.relinearization_key, deep.conjugation_key, bootstrap_key)
    assert least(y) > 4
    assert least(pickle.loads(pickle.dumps(y))) == least(y)
    assert least(y * 0.5 - y) > 4
