"""Places of the largest and the smallest value, against NumPy's, at the stated gaps and errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from claims import assert_claims
from everlevel import Engine, EvaluationKey
from everlevel.errors import MissingKeyError, OperandTypeError, ParameterError, RangeWarning
from parties import INSECURE_LOG_N, Party, keyed_party, new_party

GAP = 2**-6


@pytest.fixture(scope="module")
def lossy() -> Party:
    return keyed_party(Engine(use_bootstrap=True, insecure_log_n=INSECURE_LOG_N), bootstrap="lossy")


def separated(rng: np.random.Generator, count: int, slots: int, *, smallest: bool = False) -> np.ndarray:
    """Values in [-1, 1], of which the largest of the first is one gap above the others."""
    values = rng.uniform(-1, 0.95, slots)
    place = rng.integers(count)
    if count > 1:
        values[place] = np.delete(values[:count], place).max() + 1.01 * GAP
    return -values if smallest else values


@pytest.mark.parametrize("level", [13, 5])
@pytest.mark.parametrize("count", [1, 2, 10, 17, 18])
def test_they_are_numpys(lossy: Party, rng: np.random.Generator, count: int, level: int) -> None:
    engine, secret = lossy.engine, lossy.secret_key
    for argument, plain in ((engine.argmax_of_slots, np.argmax), (engine.argmin_of_slots, np.argmin)):
        values = separated(rng, count, engine.slot_count, smallest=plain is np.argmin)
        x, place = engine.encrypt(values, lossy.public_key, level=level), plain(values[:count])
        hot = argument(x, count=count, one_hot=True, gap=GAP)
        assert_claims(hot, np.eye(1, engine.slot_count, place)[0], secret, varied=False, error=2**-24)
        index = argument(x, count=count, gap=GAP)
        assert index.is_real
        assert_claims(index, place, secret, varied=False, error=2**-16)
        # The sign's highest, less one for it, two for its cleaning, one for the weights, and those of the products.
        products = int(np.ceil(np.log2(count - 1))) if 1 < count <= 17 else 0
        assert index.level == hot.level == (level - 1 if count == 1 else 13 - 4 - products)


@pytest.mark.parametrize("smallest", [False, True])
def test_of_all_slots(lossy: Party, rng: np.random.Generator, smallest: bool) -> None:
    engine = lossy.engine
    values = separated(rng, engine.slot_count, engine.slot_count, smallest=smallest)
    x = engine.encrypt(values, lossy.public_key)
    argument, plain = (engine.argmin_of_slots, np.argmin) if smallest else (engine.argmax_of_slots, np.argmax)
    assert_claims(argument(x, gap=GAP), plain(values), lossy.secret_key, varied=False, error=2**-8)


def test_few_values_cost_one_sign(lossy: Party, rng: np.random.Generator) -> None:
    engine = lossy.engine
    for level, bootstraps in ((13, 2), (5, 2), (4, 2), (0, 3)):
        x = engine.encrypt(separated(rng, 16, 16), lossy.public_key, level=level)
        before = engine.bootstrap_count
        engine.argmax_of_slots(x, count=16, gap=GAP)
        assert engine.bootstrap_count - before == bootstraps
    x = engine.encrypt(separated(rng, 16, 16), lossy.public_key, level=12)
    before = engine.bootstrap_count
    engine.argmax_of_slots(x, count=16, gap=2**-3)  # for which the levels suffice
    assert engine.bootstrap_count - before == 1


def test_values_of_any_place_within_their_bound(lossy: Party, rng: np.random.Generator) -> None:
    """Differences count, not the values. Of few, what lies beyond `count` is not looked at."""
    engine = lossy.engine
    for count in (5, 30):
        values = rng.uniform(-1, 1, engine.slot_count) if count == 5 else np.full(engine.slot_count, 0.5)
        values[:count] = 0.5 + 0.25 * separated(rng, count, count)
        x = engine.encrypt(values, lossy.public_key)
        # The values' bound is 1, and their differences are at most 0.5.
        with pytest.warns(RangeWarning, match="argmax_of_slots: values may be as large as [12], "):
            index = engine.argmax_of_slots(x, count=count, gap=GAP / 4, bound=0.5)
        assert_claims(index, values[:count].argmax(), lossy.secret_key, varied=False, error=2**-16)


def test_equal_values_share(lossy: Party) -> None:
    engine = lossy.engine
    x = engine.encrypt([0.5, -0.5, 0.5], lossy.public_key)
    hot = engine.argmax_of_slots(x, count=3, one_hot=True)
    assert_claims(hot, [0.5, 0, 0.5], lossy.secret_key, varied=False, error=2**-16)


def test_units_have_their_own(lossy: Party, rng: np.random.Generator) -> None:
    engine = lossy.engine
    for count in (4, 25):
        rows = np.stack([separated(rng, count, engine.slot_count) for _ in range(2)])
        x = engine.encrypt(rows.ravel(), lossy.public_key, level=8)
        expected = np.repeat(rows[:, :count].argmax(axis=1), engine.slot_count)
        assert_claims(
            engine.argmax_of_slots(x, count=count, gap=GAP), expected, lossy.secret_key, varied=False, error=2**-16
        )


@pytest.mark.parametrize("matrices", [False, True])
def test_keys_that_are_given(rng: np.random.Generator, matrices: bool) -> None:
    party = new_party(Engine(use_bootstrap=True, insecure_log_n=INSECURE_LOG_N))
    engine: Any = party.engine
    key = engine.create_evaluation_key(party.secret_key, bootstrap="small", matrices=matrices)
    engine.forget_keys()
    for count in (6, 20):
        values = separated(rng, count, count)
        x = engine.encrypt(values, party.public_key, level=5)
        index = engine.argmax_of_slots(x, key, count=count, gap=GAP)
        assert_claims(index, values.argmax(), party.secret_key, varied=False, error=2**-16)
    engine.forget_keys()
    with pytest.raises(MissingKeyError, match="argmax_of_slots: the engine knows no "):
        engine.argmax_of_slots(x, count=6)
    without = EvaluationKey([k for k in key.keys if k is not key.small_bootstrap_key])
    with pytest.raises(MissingKeyError, match=r"argmax_of_slots: .* no bootstrap key; .*bootstrap=True"):
        engine.argmax_of_slots(x, without, count=6)


def test_bad_input(lossy: Party) -> None:
    engine = lossy.engine
    x = engine.encrypt([0.5], lossy.public_key)
    with pytest.raises(OperandTypeError, match="argmin_of_slots: the ciphertext is complex"):
        engine.argmin_of_slots(1j * x)
    for count in (0, engine.slot_count + 1):
        with pytest.raises(ParameterError, match="argmax_of_slots: count is"):
            engine.argmax_of_slots(x, count=count)
    for gap in (0, 2**-12, 3.0):
        with pytest.raises(ParameterError, match="argmax_of_slots: gap is"):
            engine.argmax_of_slots(x, gap=gap)


@pytest.mark.full_size
@pytest.mark.slow
def test_one_of_ten_at_full_size(rng: np.random.Generator) -> None:
    party = new_party(Engine(use_bootstrap=True))
    engine = party.engine
    key = engine.create_evaluation_key(party.secret_key, bootstrap="small")
    values = separated(rng, 10, engine.slot_count)
    x = engine.encrypt(values, party.public_key, level=4)
    before, place = engine.bootstrap_count, values[:10].argmax()
    hot = engine.argmax_of_slots(x, key, count=10, one_hot=True, gap=GAP)
    assert engine.bootstrap_count - before == 2
    assert_claims(hot, np.eye(1, engine.slot_count, place)[0], party.secret_key, error=2**-22)
