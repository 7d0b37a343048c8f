"""Tasks on time series and tables: averages, filters, moments, divisions, counts, choices."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import everlevel
from claims import assert_claims
from everlevel.errors import RangeWarning
from parties import Party

GAP = 2.0**-6


def temperatures(rng: np.random.Generator, count: int) -> Any:
    return 20 + 5 * np.sin(np.arange(count) / 20) + rng.normal(size=count)


def test_moving_average_of_temperatures(owner: Party, rng: np.random.Generator) -> None:
    engine, key = owner.engine, owner.secret_key
    t = temperatures(rng, engine.slot_count)
    x = engine.encrypt(t, key, bound=60, level=2)
    y = engine.sum_range(x, count=5) * 0.2
    assert y.bound == pytest.approx(60)
    assert_claims(y, sum(np.roll(t, -k) for k in range(5)) / 5, key, varied=False)


def test_moving_average_without_a_bound(owner: Party, rng: np.random.Generator) -> None:
    engine, key = owner.engine, owner.secret_key
    t = temperatures(rng, engine.slot_count)
    with pytest.warns(RangeWarning, match="size 1 is assumed"):
        x = engine.encrypt(t, key, level=2)
    y = engine.sum_range(x, count=5) * 0.2
    with pytest.warns(RangeWarning, match="the ciphertext's bound is 1"):
        found = engine.decrypt(y, key)
    np.testing.assert_allclose(found, sum(np.roll(t, -k) for k in range(5)) / 5, atol=1e-5)


def test_average_of_three_points_at_level_1(owner: Party, rng: np.random.Generator) -> None:
    engine, key = owner.engine, owner.secret_key
    t = temperatures(rng, engine.slot_count)
    x = engine.encrypt(t, key, bound=60, level=1)
    y = (x + x.rotate(1) + x.rotate(-1)) / 3
    assert_claims(y, (t + np.roll(t, 1) + np.roll(t, -1)) / 3, key, varied=False)


def test_filter_of_finite_response(owner: Party, rng: np.random.Generator) -> None:
    engine, key = owner.engine, owner.secret_key
    taps, t = [0.1, 0.2, 0.4, 0.2, 0.1], rng.normal(size=engine.slot_count)
    x = engine.encrypt(t, key, bound=6)
    y = sum(tap * x.rotate(i - 2) for i, tap in enumerate(taps))
    assert_claims(y, sum(tap * np.roll(t, i - 2) for i, tap in enumerate(taps)), key)


def test_weights_that_decay(owner: Party, rng: np.random.Generator) -> None:
    engine, key = owner.engine, owner.secret_key
    t = rng.normal(size=8)
    readings = [engine.encrypt([each], key, bound=5) for each in t]
    average, plain = readings[0], t[0]
    for reading, each in zip(readings[1:], t[1:], strict=True):
        average, plain = 0.9 * average + 0.1 * reading, 0.9 * plain + 0.1 * each
    assert average.bound == pytest.approx(5)
    assert_claims(average, [plain], key, varied=False)


def test_standard_scores_of_ages(owner: Party, rng: np.random.Generator) -> None:
    engine, key = owner.engine, owner.secret_key
    ages = rng.uniform(20, 90, engine.slot_count)
    x = engine.encrypt(ages, key, bound=100)
    centred = x - x.mean()
    variance = (centred * centred).mean()
    inverse = everlevel.fit(lambda t: 1 / np.sqrt(t), 31, (50, 2500))
    with pytest.warns(RangeWarning, match="taken as a claim"):
        scores = centred * inverse(variance)
    assert scores.bound_kind == "claimed"
    assert_claims(scores, (ages - ages.mean()) * inverse(ages.var()), key, varied=False, error=1e-3)
    np.testing.assert_allclose(engine.decrypt(scores, key), (ages - ages.mean()) / ages.std(), atol=0.02)


def test_standard_scores_of_shares(owner: Party, rng: np.random.Generator) -> None:
    engine, key = owner.engine, owner.secret_key
    shares = rng.uniform(0.2, 0.9, engine.slot_count)
    x = engine.encrypt(shares, key, bound=1)
    centred = x - x.mean()
    variance = (centred * centred).mean().within(0.25)
    inverse = everlevel.fit(lambda t: 1 / np.sqrt(t), 31, (0.01, 0.25))
    scores = centred * inverse(variance)
    assert_claims(scores, (shares - shares.mean()) * inverse(shares.var()), key, varied=False, error=1e-4)


def test_covariance_of_two_columns(owner: Party, rng: np.random.Generator) -> None:
    engine, key = owner.engine, owner.secret_key
    a = rng.uniform(0, 100, engine.slot_count)
    b = 0.5 * a + rng.uniform(0, 30, engine.slot_count)
    x, y = engine.encrypt(a, key, bound=100), engine.encrypt(b, key, bound=100)
    covariance = (x * y).mean() - x.mean() * y.mean()
    assert_claims(covariance, np.cov(a, b, bias=True)[0, 1], key, varied=False, error=0.01)


def test_division_of_columns(owner: Party, rng: np.random.Generator) -> None:
    engine, key = owner.engine, owner.secret_key
    a, b = rng.uniform(1, 2, engine.slot_count), rng.uniform(-1, 1, engine.slot_count)
    x, y = engine.encrypt(a, key, bound=2), engine.encrypt(b, key, bound=1)
    inverse = everlevel.fit(lambda t: 1 / t, 15, (1, 2))
    assert_claims(y * inverse(x), b / a, key, slack=inverse.max_error)


def test_counts_above_thresholds(owner: Party, rng: np.random.Generator) -> None:
    engine, key = owner.engine, owner.secret_key
    shares = rng.uniform(0, 1, engine.slot_count)
    x = engine.encrypt(shares, key, bound=1)
    for threshold in (0.25, 0.5, 0.75):
        near = (np.abs(shares - threshold) < GAP).sum()
        count = engine.compare(x, threshold, bound=1).sum()
        assert_claims(count, (shares > threshold).sum(), key, varied=False, slack=near + 2.0**-10)


def test_comparison_with_an_array(owner: Party, rng: np.random.Generator) -> None:
    engine, key = owner.engine, owner.secret_key
    shares = rng.uniform(0, 1, engine.slot_count)
    x = engine.encrypt(shares, key, bound=1)
    larger = engine.compare(x - 0.25, np.zeros(engine.slot_count), bound=1)
    assert_claims(larger, shares > 0.25, key, varied=False, slack=2.0**-19 + (np.abs(shares - 0.25) < GAP))


def test_choice_by_hand(owner: Party, rng: np.random.Generator) -> None:
    engine, key = owner.engine, owner.secret_key
    a, b = rng.uniform(-1, 1, (2, engine.slot_count))
    x, y = engine.encrypt(a, key, bound=1), engine.encrypt(b, key, bound=1)
    condition = engine.compare(x, y)
    chosen = condition * x + (1 - condition) * y
    assert_claims(chosen, np.maximum(a, b), key, varied=False, slack=GAP, error=1e-3)
