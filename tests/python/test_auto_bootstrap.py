"""Programs of any depth on an engine that bootstraps by itself."""

from __future__ import annotations

import gc
import logging
import pickle
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from claims import assert_claims
from everlevel import Engine, EvaluationKey
from everlevel.errors import LevelError, MissingKeyError
from parties import INSECURE_LOG_N, Party, keyed_party, new_party


@pytest.fixture(scope="module")
def auto() -> Party:
    return keyed_party(Engine(auto_bootstrap=True, insecure_log_n=INSECURE_LOG_N), bootstrap="lossy")


def test_a_program_of_sixty_products_runs(
    auto: Party, rng: np.random.Generator, caplog: pytest.LogCaptureFixture
) -> None:
    engine = auto.engine
    values = rng.uniform(0.1, 0.9, engine.slot_count)
    x, before = engine.encrypt(values, auto.public_key, level=2), engine.bootstrap_count
    with caplog.at_level(logging.INFO, logger="everlevel"):
        for _ in range(30):
            x, values = 2.5 * (x * (1 - x)), 2.5 * values * (1 - values)  # settles to 0.6
            x = engine.assume_bound(x, 1)
    assert_claims(x, values, auto.secret_key, error=2**-15)
    count = engine.bootstrap_count - before
    assert 58 / 10 <= count <= 7  # 60 levels, two of them there at first, and ten by each bootstrap
    records = [record.getMessage() for record in caplog.records if record.name == "everlevel"]
    assert len(records) == count
    assert records[0].startswith("multiply: needs level 1, operands at 0 and 0: 1 bootstrap(s) to level 10 in ")


def test_two_real_operands_share_a_bootstrap_which_is_remembered(auto: Party) -> None:
    engine = auto.engine
    x, y = (engine.encrypt([value], auto.public_key, level=0) for value in (0.5, -0.5))
    before = engine.bootstrap_count
    assert (x * y).level == 9
    assert (x * x + y * y).level == 9
    assert engine.bootstrap_count == before + 1
    assert x.level == 0  # as it was


def test_sums_and_rotations_of_what_was_bootstrapped_keep_its_levels(auto: Party) -> None:
    engine = auto.engine
    values = np.linspace(-1, 1, engine.slot_count)
    x = engine.encrypt(values, auto.public_key, level=0)
    before = engine.bootstrap_count
    _ = x * x
    for result, plain in (
        (x + 1, values + 1),
        (1 - x, 1 - values),
        (x - x.rotate(5), values - np.roll(values, 5)),
        (-x, -values),
        (x.conjugate(), values),
    ):
        assert result.level == 10
        assert_claims(result, plain, auto.secret_key)
    assert engine.bootstrap_count == before + 1


def test_signs_and_extrema_take_what_was_bootstrapped(auto: Party) -> None:
    engine, gap = auto.engine, 2**-4
    values = np.linspace(-1, 1, engine.slot_count)
    x = engine.encrypt(values, auto.public_key, level=0)
    _ = x * x
    before = engine.bootstrap_count
    sign = engine.sign(x, gap=gap)
    assert engine.bootstrap_count - before == engine.plan_sign(gap=gap, level=10).bootstrap_count
    assert np.abs(engine.decrypt(sign, auto.secret_key) - np.sign(values))[np.abs(values) >= gap].max() < 2**-15
    before = engine.bootstrap_count
    largest = engine.maximum(0.25, x, gap=2 * gap)
    assert engine.bootstrap_count - before == engine.plan_sign(gap=2 * gap, bound=2.0, level=10).bootstrap_count
    assert np.abs(engine.decrypt(largest, auto.secret_key) - np.maximum(values, 0.25)).max() < gap + 2**-15


def test_an_operand_that_would_bring_it_down_again_is_raised_along(auto: Party) -> None:
    engine = auto.engine
    for values in ([0.9], [0.9j]):
        x, factor = (engine.encrypt(values, auto.public_key, level=level) for level in (0, 1))
        before = engine.bootstrap_count
        for _ in range(7):
            x = x * factor
        assert engine.bootstrap_count - before == (1 if np.isrealobj(np.asarray(values)) else 2)


def test_operands_are_bootstrapped_where_it_takes_the_least_time(auto: Party, rng: np.random.Generator) -> None:
    engine = auto.engine
    values = rng.uniform(-1, 1, engine.slot_count)
    x, before = engine.encrypt(values, auto.public_key, level=4), engine.bootstrap_count
    y = x * x
    assert (y.level, engine.bootstrap_count - before) == (3, 0)
    # The product's result could not have SlotsToCoeffs first any more.
    z = y * y
    assert (z.level, engine.bootstrap_count - before) == (12, 1)
    assert_claims(z, values**4, auto.secret_key)
    # Of a mean that is the operand and not its sum, which is too large.
    mean = engine.mean(engine.encrypt(0.1 * values + 0.4, auto.public_key, level=3))
    assert (mean.level, engine.bootstrap_count - before) == (12, 2)
    assert_claims(mean, np.full(engine.slot_count, (0.1 * values + 0.4).mean()), auto.secret_key, varied=False)
    # What is below already goes on, and so does what has half of the levels left.
    low = engine.level_down(y, 2)
    assert ((low * low).level, engine.bootstrap_count - before) == (1, 2)
    high = engine.encrypt(values, auto.public_key, level=8)
    assert (engine.evaluate_polynomial(high, [0.0] * 64 + [1.0]).level, engine.bootstrap_count - before) == (1, 2)


CALLS: list[tuple[Callable[[Engine, Any], Any], Callable[[np.ndarray], Any]]] = [
    (lambda engine, x: 0.5 * x, lambda x: 0.5 * x),
    (lambda engine, x: np.full(4, 0.5) * x, lambda x: 0.5 * x),
    (lambda engine, x: engine.encode([0.5]) * x, lambda x: 0.5 * x[:1]),
    (lambda engine, x: engine.square(x), lambda x: x**2),
    (lambda engine, x: x**5, lambda x: x**5),
    (lambda engine, x: engine.multiply(engine.multiply(x, x), 0.5), lambda x: 0.5 * x**2),
    (lambda engine, x: engine.weighted_sum([x, x], [0.5, 0.25]), lambda x: 0.75 * x),
]


@pytest.mark.parametrize(("call", "plain"), CALLS)
def test_whatever_lacks_levels_gets_them(auto: Party, call: Any, plain: Any) -> None:
    x = auto.engine.encrypt([0.5, -0.75], auto.public_key, level=0)
    fresh = auto.engine.encrypt([0.5, -0.75], auto.public_key)
    values = np.array([0.5, -0.75, *np.zeros(auto.engine.slot_count - 2)])
    for y in (x, fresh):
        assert_claims(call(auto.engine, y), plain(values), auto.secret_key)


def test_polynomials_and_signs_too(auto: Party) -> None:
    engine, key = auto.engine, auto.relinearization_key
    x = engine.encrypt([0.5, -0.75], auto.public_key, level=2)
    assert engine.evaluate_chebyshev_polynomial(x, [0.0, 0.5, 0.0, 0.25, 0.125], key).level == 7
    assert engine.evaluate_polynomial(x, [0.0, 0.5, 1j, 0.25, 0.125], key).level == 7
    assert [power.level for power in engine.make_power_basis(x, 5, key)] == [10, 9, 8, 8, 7]
    assert engine.sign_bootstrap(engine.encrypt([1.0, -1.0], auto.public_key, level=0)).level == 13


def test_more_than_a_bootstrap_gives_is_refused(auto: Party) -> None:
    x = auto.engine.encrypt([0.5], auto.public_key, level=2)
    before = auto.engine.bootstrap_count
    with pytest.raises(LevelError, match="needs level ≥ 11, and a bootstrap of stage_count 3 ends at level 10") as info:
        auto.engine.make_chebyshev_basis(x, 1025, auto.relinearization_key)
    assert (info.value.needed, info.value.max_level) == (11, 10)
    assert auto.engine.bootstrap_count == before


def test_without_a_key_it_is_said_how_to_make_one() -> None:
    party = new_party(Engine(auto_bootstrap=True, insecure_log_n=INSECURE_LOG_N))
    x = party.engine.encrypt([0.5], party.public_key, level=0)
    with pytest.raises(MissingKeyError, match=r"no key to bootstrap it; call engine\.create_evaluation_key"):
        x * x
    party.engine.use(party.engine.create_bootstrap_key(party.secret_key))
    assert (x * x).level == 9


def test_nothing_happens_unasked(deep: Party) -> None:
    deep.engine.create_evaluation_key(deep.secret_key, rotations=False)
    x = deep.engine.encrypt([0.5], deep.public_key, level=0)
    with pytest.raises(LevelError, match="bootstrap it first"):
        x * x
    assert not deep.engine.auto_bootstrap


def test_the_option_travels_with_the_engine(auto: Party, deep: Party) -> None:
    assert pickle.loads(pickle.dumps(auto.engine)).auto_bootstrap
    assert not pickle.loads(pickle.dumps(deep.engine)).auto_bootstrap
    assert "automatic bootstrap" in repr(auto.engine)


def test_threads_share_what_is_bootstrapped(auto: Party) -> None:
    engine = auto.engine
    x = engine.encrypt([0.5, -0.75], auto.public_key, level=0)
    before = engine.bootstrap_count
    with ThreadPoolExecutor(8) as pool:
        products = list(pool.map(lambda _: x * x, range(16)))
    assert engine.bootstrap_count == before + 1
    for product in products:
        assert_claims(product, [0.25, 0.5625], auto.secret_key)


def test_what_is_remembered_goes_with_the_original(auto: Party) -> None:
    refreshed = auto.engine._refreshed
    assert refreshed is not None
    x = auto.engine.encrypt([0.5], auto.public_key, level=0)
    gc.collect()
    before = len(refreshed._fresh)
    _ = x * x
    assert len(refreshed._fresh) == before + 1
    del x
    gc.collect()
    assert len(refreshed._fresh) == before


@pytest.mark.full_size
@pytest.mark.slow
def test_forty_products_at_full_size(tmp_path: Path, rng: np.random.Generator) -> None:
    engine = Engine(auto_bootstrap=True)
    secret_key = engine.create_secret_key()
    engine.create_evaluation_key(secret_key, rotations=False).save(tmp_path / "evaluation.key", expanded=True)
    engine.forget_keys()
    assert isinstance(engine.load(tmp_path / "evaluation.key"), EvaluationKey)  # mapped
    values = rng.uniform(0.1, 0.9, engine.slot_count)
    x = engine.encrypt(values, secret_key, level=10)
    for _ in range(20):
        # Values stay in [0, 1], which bounds of products don't know.
        x = engine.assume_bound(2.5 * (x * (1 - x)), 1)
        values = 2.5 * values * (1 - values)
    # x² and 2.5·x are two levels each time, from 10: the last of 40 is taken from the fourth ten.
    assert engine.bootstrap_count == 3
    assert_claims(x, values, secret_key, error=2**-15)
