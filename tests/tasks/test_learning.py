"""Tasks of learning and of linear algebra: clusters, regressions, networks, products of matrices, iterations."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import everlevel
from claims import assert_claims
from everlevel.errors import RangeError, RangeWarning
from parties import Party

POINTS = 256
sigmoid = everlevel.fit(lambda t: 1 / (1 + np.exp(-t)), 15, (-8, 8))


@pytest.fixture
def answers(rng: np.random.Generator) -> tuple[Any, Any]:
    """Features of points, and yes or no for each."""
    features = rng.normal(size=(POINTS, 4))
    return features, (features @ [1.5, -2, 0.5, 1.0] + 0.3 * rng.normal(size=POINTS) > 0) * 1.0


def logistic_regression(owner: Party, answers: tuple[Any, Any], bound: float | None, limit: float | None) -> Any:
    """Descend by four steps, and compare the weights with those in the clear."""
    engine, key = owner.engine, owner.secret_key
    features, labels = answers[0] / 4, answers[1]
    columns = [engine.encrypt(column, key, bound=bound) for column in features.T]
    y = engine.encrypt(labels, key, bound=bound)
    weights = [engine.encrypt(0.0, key, bound=bound) for _ in columns]
    plain = np.zeros(len(columns))
    for _ in range(4):
        score = sum(weight * column for weight, column in zip(weights, columns, strict=True))
        error = y - sigmoid(score)
        weights = [weight + 4 * (error * column).mean() for weight, column in zip(weights, columns, strict=True)]
        if limit is not None:
            weights = [weight.within(-limit, limit) for weight in weights]
        plain = plain + 4 * (features.T @ (labels - sigmoid(features @ plain)) / POINTS)
    for weight, expected in zip(weights, plain, strict=True):
        assert_claims(weight, expected, key, varied=False, error=1e-4)
    return weights


def test_logistic_regression_without_a_bound(owner: Party, answers: tuple[Any, Any]) -> None:
    logistic_regression(owner, answers, None, None)


def test_logistic_regression_without_claims(owner: Party, answers: tuple[Any, Any]) -> None:
    with pytest.warns(
        RangeWarning, match=r"interval is \[-8.0, 8.0\], which is taken as a claim: .* x\.within\(-8, 8\)"
    ):
        logistic_regression(owner, answers, 1, None)


def test_logistic_regression_within_a_limit(owner: Party, answers: tuple[Any, Any]) -> None:
    assert logistic_regression(owner, answers, 1, 2)[0].bound == 2


def test_clusters_of_points(owner: Party, rng: np.random.Generator) -> None:
    engine, key = owner.engine, owner.secret_key
    points = np.r_[rng.normal(-0.5, 0.1, POINTS // 2), rng.normal(0.4, 0.1, POINTS // 2)]
    x = engine.encrypt(points, key, bound=1)
    left, right, plain = engine.encrypt(-1.0, key, bound=1), engine.encrypt(1.0, key, bound=1), (-1.0, 1.0)
    inverse = everlevel.fit(lambda t: 1 / t, 31, (0.1, 1))
    for _ in range(2):
        nearer = engine.compare((x - right) ** 2, (x - left) ** 2, bound=4)
        farther = 1 - nearer
        left = ((nearer * x).mean() * inverse(nearer.mean())).within(-1, 1)
        right = ((farther * x).mean() * inverse(farther.mean())).within(-1, 1)
        is_left = (points - plain[1]) ** 2 > (points - plain[0]) ** 2
        plain = points[is_left].mean(), points[~is_left].mean()
    for centre, expected in zip((left, right), plain, strict=True):
        assert_claims(centre, expected, key, varied=False, error=1e-3)


def test_three_matrices_in_a_row(owner: Party, rng: np.random.Generator) -> None:
    engine, key = owner.engine, owner.secret_key
    matrix, v = rng.normal(size=(64, 64)), rng.normal(size=64)
    y = matrix @ (matrix @ (matrix @ engine.encrypt(v, key, bound=5)))
    assert_claims(y[:64], matrix @ matrix @ matrix @ v, key)


def power_iteration(owner: Party, rng: np.random.Generator, steps: int, limit: float | None) -> None:
    engine, key = owner.engine, owner.secret_key
    matrix = rng.normal(size=(16, 16))
    matrix = matrix @ matrix.T
    matrix = matrix / np.linalg.eigvalsh(matrix)[-1]
    x, v = engine.encrypt(np.ones(16), key, bound=1), np.ones(16)
    for _ in range(steps):
        x, v = matrix @ x, matrix @ v
        if limit is not None:
            x = x.within(-limit, limit)
    assert_claims(x[:16], v, key, varied=False, error=1e-3)


def test_power_iteration_of_6_steps(owner: Party, rng: np.random.Generator) -> None:
    power_iteration(owner, rng, 6, None)


def test_power_iteration_of_20_steps(owner: Party) -> None:
    with pytest.raises(RangeError, match=r"x\.within\("):
        power_iteration(owner, np.random.default_rng(0), 20, None)
    # No iterate is longer than the first: sizes stay below √16.
    power_iteration(owner, np.random.default_rng(0), 20, 4)


def network(owner: Party, rng: np.random.Generator, *, is_bound_said: bool) -> None:
    engine, key = owner.engine, owner.secret_key
    first, second = rng.normal(size=(32, 64)) / 8, rng.normal(size=(10, 32)) / 6
    shifts, v = (rng.normal(size=32) * 0.1, rng.normal(size=10) * 0.1), rng.uniform(0, 1, 64)
    x = engine.encrypt(v, key, bound=1)
    hidden = first @ x + shifts[0]
    active = engine.relu(hidden, bound=hidden.bound) if is_bound_said else engine.relu(hidden)
    outputs = second @ active + shifts[1]
    gap = 2.0**-7 * np.abs(second).sum(axis=1).max()
    expected = second @ np.maximum(first @ v + shifts[0], 0) + shifts[1]
    assert_claims(outputs[:10], expected, key, varied=False, slack=gap, error=1e-3)


def test_network_of_two_layers(owner: Party, rng: np.random.Generator) -> None:
    network(owner, rng, is_bound_said=False)


def test_network_whose_bound_is_said(owner: Party, rng: np.random.Generator) -> None:
    network(owner, rng, is_bound_said=True)


def inverse_by_newton(owner: Party, limit: float | None) -> None:
    engine, key = owner.engine, owner.secret_key
    x, y = engine.encrypt(0.3, key, bound=1), engine.encrypt(1.5, key, bound=2)
    plain = 1.5
    for _ in range(5):
        y, plain = y * (2 - x * y), plain * (2 - 0.3 * plain)
        if limit is not None:
            y = y.within(0, limit)
    assert_claims(y, plain, key, varied=False, error=1e-3)


def test_inverse_by_newton(owner: Party) -> None:
    with pytest.raises(RangeError, match=r"x\.within\("):
        inverse_by_newton(owner, None)
    inverse_by_newton(owner, 4)


def linear_regression(owner: Party, limit: float | None) -> None:
    engine, key = owner.engine, owner.secret_key
    features = np.random.default_rng(1).normal(size=(engine.slot_count, 3))
    features /= np.abs(features).max()
    targets = features @ [0.3, -0.2, 0.5]
    columns, y = [engine.encrypt(column, key, bound=1) for column in features.T], engine.encrypt(targets, key, bound=1)
    weights, plain = [engine.encrypt(0.0, key, bound=1) for _ in columns], np.zeros(3)
    for _ in range(10):
        error = y - sum(weight * column for weight, column in zip(weights, columns, strict=True))
        weights = [weight + 8 * (error * column).mean() for weight, column in zip(weights, columns, strict=True)]
        if limit is not None:
            weights = [weight.within(-limit, limit) for weight in weights]
        plain = plain + 8 * (features.T @ (targets - features @ plain)) / engine.slot_count
    for weight, expected in zip(weights, plain, strict=True):
        assert_claims(weight, expected, key, varied=False, error=1e-3)


def test_linear_regression_by_gradient_descent(owner: Party) -> None:
    with pytest.raises(RangeError, match=r"x\.within\("):
        linear_regression(owner, None)
    linear_regression(owner, 1)
