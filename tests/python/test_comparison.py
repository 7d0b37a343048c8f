"""Signs, comparisons, minima and maxima: the errors that they state, against NumPy; and plans on their own."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from claims import assert_claims
from everlevel import Engine, EvaluationKey
from everlevel.ckks import _sign_plan
from everlevel.errors import (
    KeyMismatchError,
    MessageError,
    MissingKeyError,
    OperandTypeError,
    ParameterError,
    RangeError,
    UnitCountError,
)
from parties import INSECURE_LOG_N, Party, keyed_party, new_party, of_1x

NOISE = 2.0**-22
"""Of a small ring, beyond what plans count."""


@pytest.fixture(scope="module")
def lossy() -> Party:
    return keyed_party(Engine(use_bootstrap=True, insecure_log_n=INSECURE_LOG_N), bootstrap="lossy")


@pytest.fixture(scope="module")
def five() -> Party:
    return keyed_party(
        Engine(use_bootstrap=True, insecure_log_n=INSECURE_LOG_N), bootstrap="lossy", stage_count=5, rotations=False
    )


@pytest.mark.parametrize("levels", [(10, 10), (7, 10), (2, 10), (8, 8)])
@pytest.mark.parametrize("bound", [0.3, 1.0, 5.0, 20.0])
@pytest.mark.parametrize("log2_gap", [-2, -5, -8, -12])
def test_plans_keep_what_they_state(log2_gap: int, bound: float, levels: tuple[int, int]) -> None:
    gap = bound * 2.0**log2_gap
    plan = _sign_plan.plan((gap, 2.0**-20, bound), *levels)
    assert plan.error <= 2.0**-20
    points = np.concatenate([np.geomspace(gap, bound, 100_001), np.linspace(gap, bound, 100_001)])
    assert np.abs(plan(points) - 1).max() <= plan.error
    np.testing.assert_allclose(plan(-points), -plan(points), atol=1e-9)
    inside = plan(np.linspace(0, gap, 1001))
    assert -1e-9 <= inside.min() <= inside.max() <= 1 + 1e-9
    assert all(used <= there for used, there in zip(plan.levels, (levels[0], *[levels[1]] * 9), strict=False))


def test_signs_to_the_stated_error_at_every_level(lossy: Party, rng: np.random.Generator) -> None:
    engine = lossy.engine
    values = rng.uniform(-1, 1, engine.slot_count)
    for level, gap in ((13, 2**-7), (13, 2**-12), (8, 2**-6), (5, 2**-4), (2, 2**-5), (0, 2**-9)):
        x = engine.encrypt(values, lossy.public_key, level=level)
        result, right = engine.sign(x, gap=gap), np.abs(values) >= gap
        assert result.level == 13
        # Within the gap nothing is claimed; outside of it are a noiseless engine's values, from level 5 on.
        computed = engine.plan_sign(gap=gap, level=level)(values) if level >= 5 else np.sign(values)
        decrypted = assert_claims(
            result, computed, lossy.secret_key, slack=np.where(right, 0 if level >= 5 else 2**-20, 1)
        )
        assert np.abs(decrypted - np.sign(values))[right].max() < 2**-20 + NOISE
        assert (decrypted * np.sign(values)).min() > -NOISE
        assert np.abs(decrypted).max() < 1 + NOISE


@pytest.mark.parametrize(("bound", "level"), [(5, 13), (20, 5), (100, 13), (100, 5), (1000, 13)])
def test_signs_of_large_values(lossy: Party, bound: float, level: int) -> None:
    # In powers of x, coefficients of a first polynomial would be rounded by more than they are.
    engine, gap = lossy.engine, bound * 2.0**-9
    values = np.geomspace(gap, bound, engine.slot_count) * (-1) ** np.arange(engine.slot_count)
    result = engine.sign(engine.encrypt(values, lossy.secret_key, level=level, bound=bound), gap=gap, bound=bound)
    np.testing.assert_allclose(engine.decrypt(result, lossy.secret_key), np.sign(values), atol=2.0**-19)


def test_plans_count_the_bootstraps_and_levels(lossy: Party, five: Party) -> None:
    for party, stage_count in ((lossy, 3), (five, 5)):
        engine = party.engine
        values = np.resize([-0.75, 0.25], engine.slot_count)
        x = engine.encrypt(values, party.public_key, level=12)
        plan = engine.plan_sign(gap=2**-9, level=12, stage_count=stage_count)
        before = engine.bootstrap_count
        assert_claims(engine.sign(x, gap=2**-9), plan(values), party.secret_key)
        assert engine.bootstrap_count - before == plan.bootstrap_count
        assert plan.levels[0] <= 12 - stage_count
    assert "2 sign bootstraps" in repr(lossy.engine.plan_sign(gap=2**-9))
    assert lossy.engine.plan_sign(gap=2**-7).bootstrap_count == 1


def test_comparisons_extrema_and_what_is_made_of_signs(lossy: Party, rng: np.random.Generator) -> None:
    engine, secret, gap = lossy.engine, lossy.secret_key, 2**-6
    a, b = rng.uniform(-1, 1, (2, engine.slot_count))
    for level in (13, 7, 1):
        x, y = (engine.encrypt(values, lossy.public_key, level=level) for values in (a, b))
        apart = np.abs(a - b) >= gap
        assert_claims(engine.compare(x, y, gap=gap), a > b, secret, slack=np.where(apart, 2**-21, 1))
        for result, plain in (
            (engine.maximum(x, y, gap=gap), np.maximum(a, b)),
            (engine.minimum(x, y, gap=gap), np.minimum(a, b)),
            (engine.minimum(x, b, gap=gap), np.minimum(a, b)),
            (engine.maximum(0.25, y, gap=gap), np.maximum(0.25, b)),
            (engine.relu(x, gap=gap), np.maximum(a, 0)),
            (engine.abs(x, gap=2 * gap), np.abs(a)),
        ):
            # The lossy bootstraps in between have 2^-16.
            assert_claims(result, plain, secret, error=gap / 2 + 2**-15)
    equal = engine.compare(x, engine.encrypt(a, lossy.public_key), gap=gap)
    assert_claims(equal, 0.5, secret, varied=False, error=0.01)


@pytest.mark.filterwarnings("error")
def test_circuits_are_what_operations_make(lossy: Party, rng: np.random.Generator) -> None:
    # The operations that these circuits were made of in version 0.1.0, which nothing is to differ from.
    engine, secret = lossy.engine, lossy.secret_key
    values = rng.uniform(-1, 1, (2, engine.slot_count))
    x, y = (engine.encrypt(row, secret, bound=1) for row in values)

    def bits(result: Any) -> Any:
        return engine.decrypt(result, secret).tolist()

    difference = x - y
    greater = 0.5 * engine.sign(difference, bound=2.0) + 0.5
    assert bits(engine.compare(x, y)) == bits(greater)
    assert bits(engine.maximum(x, y)) == bits(y + difference * greater)
    assert bits(engine.minimum(x, y)) == bits(x - difference * greater)
    positive = x * (0.5 * engine.sign(x) + 0.5)
    assert bits(engine.relu(x)) == bits(positive)
    size = x * engine.sign(x)
    assert bits(engine.abs(x)) == bits(size)
    z = engine.maximum(x, x.rotate(-1))
    assert bits(engine.max_of_slots(x, count=2)) == bits(z)
    assert bits(engine.max_of_slots(x, count=3)) == bits(engine.maximum(z, z.rotate(-1)))
    # Floors count what is lost within the gap beside the errors of the parts.
    lost = 2**-6 / 2 * np.linspace(0, 1, 4097) * (1 - engine.plan_sign()(2**-6 * np.linspace(0, 1, 4097)))
    for result, parts, share in ((engine.relu(x), positive, 1), (engine.abs(x), size, 2)):
        assert 0 < 2**-result.precision_floor - 2**-parts.precision_floor - share * lost.max() < share * 2**-16
        assert result.bound == parts.bound == 1


def test_operands_in_the_clear_on_either_side(lossy: Party, rng: np.random.Generator) -> None:
    engine, secret = lossy.engine, lossy.secret_key
    a, b = rng.uniform(-1, 1, (2, engine.slot_count))
    x = engine.encrypt(np.full(engine.slot_count, -0.25), secret, bound=1)
    # Of an array of one value, zeros follow it.
    for values in ([0.5], np.array([0.5])):
        largest = engine.decrypt(engine.maximum(values, x), secret)
        np.testing.assert_allclose(largest, [0.5] + [0.0] * (engine.slot_count - 1), atol=1e-5)
    for other, level in (
        (b, 13),
        (engine.encode(b, bound=1), 1),
        (engine.encode(b, level=2), 13),
        (engine.encode_to_light_plaintext(b), 1),
    ):
        x, before = engine.encrypt(a, secret, level=level, bound=1), engine.bootstrap_count
        for result, plain in (
            (engine.maximum(x, other), np.maximum(a, b)),
            (engine.minimum(other, x), np.minimum(a, b)),
            (engine.compare(other, x), a < b),
        ):
            apart = np.abs(a - b) >= (2**-6 if plain.dtype == bool else 0)
            errors = np.abs(engine.decrypt(result, secret) - plain)[apart]
            assert errors.max() <= np.fmin(2**-result.precision_floor, 2**-6)
            assert result.bound == pytest.approx(1, abs=1e-6)
        # Two where nothing is to be raised, and one more before.
        assert engine.bootstrap_count - before <= 3 * 3


@pytest.mark.filterwarnings("error")
def test_what_is_refused_costs_no_bootstrap(lossy: Party) -> None:
    engine: Any = lossy.engine
    x, wide = (engine.encrypt([0.5], lossy.secret_key, level=0, bound=bound) for bound in (1, 150))
    two = engine.encrypt(np.full(2 * engine.slot_count, 0.5), lossy.secret_key, level=0, bound=1)
    before = engine.bootstrap_count
    for call in (engine.maximum, engine.minimum, engine.compare):
        name = call.__name__
        for operands, bound in (((x, wide), "151"), ((wide, x), "151"), ((x, 255), "256"), (([0.5, -255], x), "256")):
            with pytest.raises(
                RangeError, match=rf"^{name}: .* as large as {bound}, .* pass {name}\(…, bound={bound}\)"
            ):
                call(*operands)
        with pytest.raises(OperandTypeError, match=f"^{name}: an operand is complex"):
            call(x, 1j)
        with pytest.raises(OperandTypeError, match=f"^{name}: the ciphertext is complex"):
            call(0.5, 1j * x)
        with pytest.raises(UnitCountError, match=f"^{name}: one operand has"):
            call(two, x)
        with pytest.raises(UnitCountError, match=f"^{name}: one operand has"):
            call(x, np.full(2 * engine.slot_count, 0.5))
        with pytest.raises(MessageError, match=f"^{name}: the value at index 0 is nan"):
            call(x, [np.nan])
    for call in (engine.relu, engine.abs, engine.max_of_slots, engine.argmin_of_slots):
        with pytest.raises(RangeError, match=f"^{call.__name__}: "):
            call(wide)
    assert engine.bootstrap_count == before
    # Operands that go together, if not by their bounds alone.
    inside = engine.encrypt(np.full(engine.slot_count, 0.5), lossy.secret_key, bound=1)
    assert np.abs(engine.decrypt(engine.compare(inside, 0.25, bound=1.0), lossy.secret_key) - 1).max() < 1e-5


@pytest.mark.parametrize("count", [1, 2, 5, 16, None])
def test_the_largest_and_smallest_of_slots(lossy: Party, rng: np.random.Generator, count: int | None) -> None:
    engine, gap = lossy.engine, 2**-8
    values = rng.uniform(0, 1, engine.slot_count)
    x = engine.encrypt(values, lossy.public_key, level=10)
    rows = int(np.ceil(np.log2(count or engine.slot_count)))
    for result, plain in (
        (engine.max_of_slots(x, count=count, gap=gap, bound=1.0), values[:count].max()),
        (engine.min_of_slots(x, count=count, gap=gap, bound=1.0), values[:count].min()),
    ):
        found = engine.decrypt(result, lossy.secret_key)
        places = slice(None) if count is None else slice(1)
        assert np.abs(found[places] - plain).max() <= rows * (gap / 2 + 2**-15) + NOISE
        if count == 1:
            assert_claims(result, values, lossy.secret_key)


def test_keys_given_and_missing(lossy: Party, deep: Party) -> None:
    engine = lossy.engine
    x = engine.encrypt([0.5, -0.5], lossy.public_key)
    key = engine.create_evaluation_key(lossy.secret_key, bootstrap="lossy", rotations=[-1])
    engine.forget_keys()
    largest = engine.max_of_slots(x, key, count=2)
    # In the last slot, it is the first one's value, and that of padding.
    assert_claims(largest, np.r_[0.5, np.zeros(engine.slot_count - 2), 0.5], lossy.secret_key, varied=False, error=1e-3)
    with pytest.raises(MissingKeyError, match="no key for a rotation by -2"):
        engine.max_of_slots(x, key, count=4)
    without = EvaluationKey([k for k in key.keys if k is not key.bootstrap_key])
    with pytest.raises(MissingKeyError, match=r"sign: .* no bootstrap key; .*bootstrap=True"):
        engine.sign(x, without)
    engine.use(key)
    # A key of 1.x has one order.
    old = of_1x(deep).create_evaluation_key(deep.secret_key, rotations=False)
    with pytest.raises(MissingKeyError, match=r"sign: .* no lossy bootstrap key; .*bootstrap='lossy'"):
        deep.engine.sign(deep.engine.encrypt([0.5], deep.public_key), old)
    deep.engine.use(old)
    with pytest.raises(KeyMismatchError, match=r"sign: .* regular .*bootstrap='lossy'"):
        deep.engine.sign(deep.engine.encrypt([0.5], deep.public_key))
    usual = deep.engine.create_evaluation_key(deep.secret_key, rotations=False)
    sign = deep.engine.sign(deep.engine.encrypt([0.5, -0.5], deep.public_key), usual)
    np.testing.assert_allclose(deep.engine.decrypt(sign, deep.secret_key)[:2], [1, -1], atol=1e-3)
    deep.engine.use(usual)


def test_a_small_key_will_do(rng: np.random.Generator) -> None:
    party = new_party(Engine(use_bootstrap=True, insecure_log_n=INSECURE_LOG_N))
    engine = party.engine
    key = engine.create_evaluation_key(party.secret_key, bootstrap="small")
    a, b = rng.uniform(-1, 1, (2, engine.slot_count))
    for level in (13, 4, 0):
        x, y = (engine.encrypt(values, party.public_key, level=level) for values in (a, b))
        for given in (key, None):
            assert_claims(engine.maximum(x, y, given), np.maximum(a, b), party.secret_key, error=2**-7 + 2**-15)


def test_bad_input(lossy: Party, party: Party) -> None:
    engine: Any = lossy.engine
    x = engine.encrypt([0.5], lossy.public_key)
    with pytest.raises(OperandTypeError, match="sign: the ciphertext is complex"):
        engine.sign(1j * x)
    with pytest.raises(OperandTypeError, match="one must be"):
        engine.compare([0.5], 0.5)
    with pytest.raises(OperandTypeError, match=r"maximum: .* one must be"):
        engine.maximum([0.5], 0.5)
    for options in ({"gap": 2**-13}, {"gap": 0}, {"gap": 1.0}, {"gap": -1}, {"error": 2**-27}, {"bound": 0}):
        with pytest.raises(ParameterError, match="choose it so"):
            engine.sign(x, **options)
        with pytest.raises(ParameterError, match="choose it so"):
            engine.plan_sign(**options)
    with pytest.raises(ParameterError, match="1 levels are left for polynomials"):
        engine.plan_sign(level=4)
    for count in (0, engine.slot_count + 1):
        with pytest.raises(ParameterError, match="max_of_slots: count is"):
            engine.max_of_slots(x, count=count)
    with pytest.raises(ParameterError, match="use_bootstrap is False"):
        party.engine.sign(party.engine.encrypt([0.5], party.public_key))


def test_the_range_is_checked_on_request(party: Party) -> None:
    engine = party.engine
    inside = engine.encrypt(np.array([0.5, -1, 1j]), party.public_key)
    assert engine.check_range(inside, party.secret_key) == pytest.approx(1, abs=1e-4)
    with pytest.raises(MessageError, match="the value at index 1 is -3") as info:
        engine.check_range(3 * engine.encrypt([0.1, -1], party.public_key), party.secret_key)
    assert info.value.index == 1
    assert info.value.value == pytest.approx(-3, abs=1e-4)
    assert engine.check_range(3 * inside, party.secret_key, bound=3) == pytest.approx(3, abs=1e-4)


@pytest.mark.full_size
@pytest.mark.slow
def test_signs_and_maxima_at_full_size(rng: np.random.Generator) -> None:
    party = new_party(Engine(use_bootstrap=True))
    engine = party.engine
    key = engine.create_evaluation_key(party.secret_key, bootstrap="lossy", rotations=False)
    a, b = rng.uniform(-1, 1, (2, engine.slot_count))
    x, y = (engine.encrypt(values, party.public_key) for values in (a, b))
    for gap, bootstraps in ((2**-7, 1), (2**-12, 2)):
        before = engine.bootstrap_count
        signs = engine.decrypt(engine.sign(x, key, gap=gap), party.secret_key)
        assert engine.bootstrap_count - before == bootstraps
        assert np.abs(signs - np.sign(a))[np.abs(a) >= gap].max() < 2**-20
    largest = engine.decrypt(engine.maximum(x, y, key, gap=2**-6), party.secret_key)
    assert np.abs(largest - np.maximum(a, b)).max() < 2**-7
