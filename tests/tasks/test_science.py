"""Tasks of scientists, written from the documentation alone: series, models, distances, tests, tables."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import everlevel
from everlevel import bulk
from parties import Party


def assert_near(owner: Party, found: Any, expected: Any, error: float) -> None:
    decrypted = owner.engine.decrypt(found, owner.secret_key)
    assert decrypted.shape == np.shape(expected)
    np.testing.assert_allclose(decrypted, expected, atol=error)


def test_rolling_correlation(owner: Party, rng: np.random.Generator) -> None:
    a = rng.uniform(0, 1, 60)
    b = 0.5 * a + 0.5 * rng.uniform(0, 1, 60)

    def correlation(x: Any, y: Any, rsqrt: Any) -> Any:
        def mean(z: Any) -> Any:
            return np.convolve(z, np.ones(10) / 10, mode="valid")

        covariance = mean(x * y) - mean(x) * mean(y)
        return covariance * rsqrt(mean(x * x) - mean(x) ** 2) * rsqrt(mean(y * y) - mean(y) ** 2)

    x, y = (owner.engine.encrypt(each, owner.secret_key, bound=(0, 1)) for each in (a, b))
    found = correlation(x, y, lambda variance: everlevel.rsqrt(variance, interval=(0.01, 0.25)))
    assert_near(owner, found, correlation(a, b, lambda variance: variance**-0.5), 1e-4)


def test_softmax_regression(owner: Party, rng: np.random.Generator) -> None:
    features, classes = rng.uniform(-1, 1, (40, 3)), np.eye(3)[rng.integers(0, 3, 40)]
    x = owner.engine.encrypt(features, owner.secret_key, bound=1)
    t = owner.engine.encrypt(classes, owner.secret_key, bound=(0, 1))
    weights, plain = owner.engine.encrypt(np.zeros((3, 3)), owner.secret_key, bound=1), np.zeros((3, 3))
    for _ in range(3):
        shares = everlevel.softmax(x @ weights, axis=1, interval=(-1, 1))
        weights = (weights - x.T @ (shares - t) / 40).within(-1, 1)
        powers = np.exp(features @ plain)
        plain = plain - features.T @ (powers / powers.sum(axis=1, keepdims=True) - classes) / 40
    assert_near(owner, weights, plain, 1e-4)


def test_kalman_filter_of_a_level(owner: Party, rng: np.random.Generator) -> None:
    readings, drift, noise = 1 + 0.3 * rng.normal(size=5), 0.01, 0.09
    level, variance = 0.0, 1.0
    x = owner.engine.encrypt(level, owner.secret_key, bound=3)
    v = owner.engine.encrypt(variance, owner.secret_key, bound=(0, 1))
    for reading in readings:
        gain = ((v + drift) / (v + drift + noise)).within(0, 1)
        x = (x + gain * (owner.engine.encrypt(reading, owner.secret_key, bound=3) - x)).within(3)
        v = ((1 - gain) * (v + drift)).within(0, 1)
        share = (variance + drift) / (variance + drift + noise)
        level, variance = level + share * (reading - level), (1 - share) * (variance + drift)
    assert_near(owner, x, level, 1e-3)
    assert_near(owner, v, variance, 1e-3)


def test_beliefs_after_observations(owner: Party, rng: np.random.Generator) -> None:
    """Claimed errors grow faster than beliefs do, and divisions take where these are said to lie."""
    plain, likelihoods = np.array([0.2, 0.5, 0.3]), rng.uniform(0.1, 0.9, (3, 3))
    beliefs = owner.engine.encrypt(plain, owner.secret_key, bound=(0, 1))
    for likelihood in likelihoods:
        joint = beliefs * likelihood
        beliefs = joint / joint.sum().within(0.05, 1)
        plain = plain * likelihood / (plain * likelihood).sum()
    assert_near(owner, beliefs, plain, 1e-3)


def test_cosine_similarity_of_rows(owner: Party, rng: np.random.Generator) -> None:
    table = rng.uniform(0.1, 1, (20, 6))
    x = owner.engine.encrypt(table, owner.secret_key, bound=(0.1, 1))
    unit = x / everlevel.norm(x, axis=1, keepdims=True, interval=(0.2, 2.5))
    plain = table / np.linalg.norm(table, axis=1, keepdims=True)
    assert_near(owner, unit @ unit.T, plain @ plain.T, 1e-4)


def test_residuals_of_a_polynomial_regression(owner: Party, rng: np.random.Generator) -> None:
    t = np.linspace(-1, 1, 50)
    values, powers = np.polyval([0.3, -0.2, 0.1], t) + 0.01 * rng.normal(size=50), np.vander(t, 3)
    y = owner.engine.encrypt(values, owner.secret_key, bound=1)
    weights = np.linalg.pinv(powers) @ y
    residuals = y - powers @ weights
    expected, (squares,), *_ = np.linalg.lstsq(powers, values, rcond=None)
    assert_near(owner, weights, expected, 1e-6)
    assert_near(owner, (residuals**2).mean(), squares / 50, 1e-6)


def test_exponential_of_a_matrix(owner: Party, rng: np.random.Generator) -> None:
    matrix = rng.uniform(-0.4, 0.4, (4, 4))
    x = owner.engine.encrypt(matrix, owner.secret_key, bound=0.4)
    total, term, plain, power = np.eye(4) + x, x, np.eye(4) + matrix, matrix
    for k in range(2, 8):
        term, power = term @ x / k, power @ matrix / k
        total, plain = total + term, plain + power
    assert_near(owner, total, plain, 1e-6)


def test_discounted_cash_flows(owner: Party, rng: np.random.Generator) -> None:
    flows, years = rng.uniform(0.2, 0.8, 10), np.arange(1, 11)
    x = owner.engine.encrypt(flows, owner.secret_key, bound=(0, 1))
    rate = owner.engine.encrypt(0.07, owner.secret_key, bound=(0, 0.2))
    value = (x * np.exp(-years * np.log1p(rate))).sum()
    assert_near(owner, value, (flows * 1.07**-years).sum(), 1e-4)


def test_weighted_median(owner: Party) -> None:
    values, weights = np.array([0.1, 0.4, 0.7, 0.95, 0.25]), np.array([0.1, 0.35, 0.2, 0.25, 0.1])
    x: Any = owner.engine.encrypt(values, owner.secret_key, bound=(0, 1))
    w = owner.engine.encrypt(weights, owner.secret_key, bound=(0, 1))
    below = ((x[:, None] > x) * (1 - np.eye(5)) * w).sum(axis=1).within(0, 1)
    is_median = (below < 0.5) * (below + w > 0.5)
    assert_near(owner, (is_median * x).sum(), 0.4, 0.01)


def test_distances_between_points(owner: Party, rng: np.random.Generator) -> None:
    points = rng.uniform(0, 1, (12, 3))
    x = owner.engine.encrypt(points, owner.secret_key, bound=(0, 1))
    squares = ((x[:, None] - x) ** 2).sum(axis=-1)
    expected = ((points[:, None] - points) ** 2).sum(axis=-1)
    assert_near(owner, squares, expected, 1e-6)
    distances = everlevel.sqrt(squares + 0.01, interval=(0.01, 3.01))
    assert_near(owner, distances, np.sqrt(expected + 0.01), 1e-4)


def test_t_statistic_of_two_samples(owner: Party, rng: np.random.Generator) -> None:
    a, b = rng.normal(0.5, 0.1, 30).clip(0, 1), rng.normal(0.6, 0.15, 40).clip(0, 1)
    x: Any = owner.engine.encrypt(a, owner.secret_key, bound=(0, 1))
    y: Any = owner.engine.encrypt(b, owner.secret_key, bound=(0, 1))
    # Errors of standard deviations of at least 0.05, in hundredths.
    spread = 1e4 * (np.var(x, ddof=1) / 30 + np.var(y, ddof=1) / 40)
    t = 100 * (x.mean() - y.mean()) * everlevel.rsqrt(spread, interval=(1, 146))
    expected = (a.mean() - b.mean()) / np.sqrt(a.var(ddof=1) / 30 + b.var(ddof=1) / 40)
    assert_near(owner, t, expected, 1e-2)


@pytest.mark.parametrize("length", [40, 700])
def test_lengths_of_runs_by_bulk(rng: np.random.Generator, length: int) -> None:
    engine = bulk.Engine("integer-4-128", insecure_log_n=10, progress=False)
    secret_key = engine.create_secret_key()
    engine.create_evaluation_key(secret_key, rotations=True)
    states = rng.integers(0, 3, length)
    x = engine.encrypt(states, secret_key, max_value=2)
    ends = engine.bootstrap(x, x.roll(-1), lut=lambda a, b: a != b)
    run = np.flatnonzero(engine.decrypt(ends, secret_key))
    expected = np.flatnonzero(states != np.roll(states, -1))
    assert np.array_equal(run, expected)
    # Of every ten days, on how many did the state change?
    decades = ends.reshape(-1, 10).sum(axis=1)
    assert np.array_equal(engine.decrypt(decades, secret_key), (states != np.roll(states, -1)).reshape(-1, 10).sum(1))
