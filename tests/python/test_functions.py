"""Ready functions, NumPy's protocol and comparison operators of CKKS, against NumPy and what ciphertexts claim."""

from __future__ import annotations

import math
import pickle
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import everlevel
import function_table
from claims import assert_claims
from everlevel import Engine, errors
from everlevel.ckks import _elementary, limbs
from parties import INSECURE_LOG_N, Party, keyed_party, new_party

NOISE = 2.0**-20
"""Of lossy bootstraps and of signs on a small ring, in values of size 1."""


@pytest.fixture(scope="module")
def shallow() -> Party:
    return keyed_party(Engine(max_level=12, insecure_log_n=INSECURE_LOG_N))


@pytest.fixture(scope="module")
def lossy() -> Party:
    return keyed_party(Engine(use_bootstrap=True, insecure_log_n=INSECURE_LOG_N), bootstrap="lossy")


def spread(party: Party, low: float, high: float, seed: int = 1) -> tuple[np.ndarray, Any]:
    """Values over an interval, both ends among them, and their encryption."""
    slots = party.engine.slot_count
    values = np.random.default_rng(seed).permutation(np.linspace(low, high, slots))
    return values, party.engine.encrypt(values, party.secret_key, bound=max(abs(low), abs(high)))


def values_of(party: Party, x: Any) -> np.ndarray:
    return party.engine.decrypt(x, party.secret_key)


# Elementary functions.


@pytest.mark.parametrize("row", function_table.FITTED, ids=lambda row: f"{row.name} on {row.interval}")
def test_elementary_functions_err_by_their_promise(row: function_table.Row, shallow: Party) -> None:
    values, x = spread(shallow, *row.interval)
    fitted = row.fitted
    y = row(x)
    assert y.level == x.level - fitted.levels
    found = assert_claims(y, fitted(values), shallow.secret_key, varied=False)
    exact = row.exact(values)
    assert np.abs(found - exact).max() <= 2.0**-15 * np.ptp(exact)


def test_the_table_states_degrees_and_levels() -> None:
    page = function_table.PAGE.read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)\(x(?:, 1\.5)?\)` \| \((\S+), (\S+)\) \| (\d+) \| (\d+) \|", page, re.MULTILINE)
    assert [(name, (float(a), float(b)), (int(degree), int(levels))) for name, a, b, degree, levels in rows] == [
        (row.name, row.interval, function_table.stated(row)) for row in function_table.FITTED
    ]
    errors_in_page = [float(found) for found in re.findall(r"\| 2\^(-[\d.]+) \|$", page, re.MULTILINE)]
    assert max(errors_in_page[: len(rows)]) <= -15
    over_slots = function_table.OVER_SLOTS
    assert re.findall(r"^\| `(.*)` \| \d+ \| \d* \| 2", page, re.MULTILINE) == [row.call for row in over_slots]
    assert max(errors_in_page[-len(over_slots) :]) <= -15


def test_docstrings_state_levels() -> None:
    for name in ("exp", "log", "sqrt", "reciprocal", "sigmoid", "tanh", "sin", "cos", "power"):
        said = re.findall(r"(\d+)\s+(?:on|for a ratio of|of)\s+(\(.*?\)|\d+)", getattr(everlevel, name).__doc__)
        assert said, name
        for levels, where in said:
            low, high = map(float, where.strip("()").split(",")) if "(" in where else (1 / float(where), 1.0)
            exponent = 1.5 if name == "power" else None
            assert _elementary.fit_on(name, low, high, exponent=exponent).levels == int(levels), (name, where)


@pytest.mark.parametrize(
    "function",
    [np.exp, np.tanh, np.sin, np.cos, np.square, np.negative, np.positive, np.conjugate, np.sum, np.mean, np.var],
    ids=lambda f: f.__name__,
)
def test_numpys_functions_are_ours(function: Any, shallow: Party) -> None:
    values, x = spread(shallow, -1.5, 2)
    name = function.__name__
    ours: dict[Any, Callable[[], Any]] = {
        np.square: lambda: x**2,
        np.negative: lambda: -x,
        np.positive: lambda: +x,
        np.conjugate: x.conjugate,
        np.sum: x.sum,
        np.mean: x.mean,
        np.var: x.var,
    }
    result = values_of(shallow, function(x))
    np.testing.assert_array_equal(result, values_of(shallow, ours.get(function, lambda: getattr(everlevel, name)(x))()))
    np.testing.assert_allclose(result[:5], np.resize(function(values), 5), atol=2.0**-15 * np.exp(2))


def test_numpys_functions_of_two_are_operators(shallow: Party) -> None:
    a, x = spread(shallow, -1, 1)
    b, y = spread(shallow, -1, 1, seed=2)
    for function in (np.add, np.subtract, np.multiply):
        for left, right in ((x, y), (x, b), (a, y), (x, 2.5), (np.float64(2.5), y)):
            plain = [{id(x): a, id(y): b}.get(id(value), value) for value in (left, right)]
            assert_claims(function(left, right), function(*plain), shallow.secret_key, varied=False)
    for result in (a * y, np.float32(0.5) * y, np.eye(len(b)) @ y, a @ y):
        assert isinstance(result, everlevel.Ciphertext)
    assert_claims(np.divide(x, 4), a / 4, shallow.secret_key)
    assert_claims(np.power(x, 3), a**3, shallow.secret_key)
    assert_claims(np.roll(x, 3), np.roll(a, 3), shallow.secret_key)
    assert_claims(np.matmul(np.eye(len(b)), y), b, shallow.secret_key)


@pytest.mark.parametrize(
    ("exponent", "interval"), [(1.5, (1, 2)), (0.3, (0.1, 1)), (-0.5, (1, 2)), (-2, (-2, -1)), (3, (-1, 2))]
)
def test_powers(exponent: float, interval: tuple[float, float], shallow: Party) -> None:
    values, x = spread(shallow, *interval)
    y = everlevel.power(x, exponent, interval=interval)
    fitted = _elementary.fit_on("power", *interval, exponent=float(exponent))
    assert y.level == x.level - fitted.levels
    found = assert_claims(y, fitted(values), shallow.secret_key, varied=False)
    assert np.abs(found - values**exponent).max() <= 2.0**-15 * np.ptp(values**exponent)


def test_powers_that_are_products(shallow: Party) -> None:
    values, x = spread(shallow, -1, 2)
    for found in (everlevel.power(x, 3), np.float_power(x, 3), x**3.0):
        assert found.level == x.level - 2
        assert_claims(found, values**3, shallow.secret_key, varied=False)


def test_division(shallow: Party) -> None:
    a, x = spread(shallow, -1, 1)
    b, y = spread(shallow, 1, 2, seed=2)
    for dividend, plain in ((x, a), (a, a), (3, 3.0), (shallow.engine.encode(a, bound=1), a)):
        result = everlevel.divide(dividend, y, interval=(1, 2))
        assert np.abs(values_of(shallow, result) - plain / b).max() <= 2.0**-15 * 3
    with pytest.raises(errors.OperandTypeError, match=r"^divide: .*everlevel\.divide\(dividend, divisor, interval"):
        x / y


def test_values_within_a_smaller_interval_than_the_bound(shallow: Party) -> None:
    """An interval is a claim in the place of the bound, as `within` is, and what contradicts the bound is refused."""
    slots = shallow.engine.slot_count
    values = np.linspace(1, 2, slots)
    x = shallow.engine.encrypt(values, shallow.secret_key, bound=100)
    y = everlevel.log(x, interval=(1, 2))
    assert y.bound_kind == "claimed"
    assert np.abs(values_of(shallow, y) - np.log(values)).max() <= 2.0**-15
    small = shallow.engine.encrypt(values / 4, shallow.secret_key, bound=0.5)
    with pytest.raises(errors.RangeError, match=r"^log: values lie from -0\.5 to 0\.5, "):
        everlevel.log(small, interval=(1, 2))


def test_functions_of_what_was_not_declared(shallow: Party) -> None:
    values = np.linspace(-1, 1, shallow.engine.slot_count)
    x = shallow.engine.encrypt(values, shallow.secret_key)
    y = everlevel.exp(x)
    assert y.bound_kind == "assumed"
    assert np.abs(values_of(shallow, y) - np.exp(values)).max() <= 2.0**-15 * 2.4


def test_automatic_bootstraps(rng: np.random.Generator) -> None:
    party = new_party(Engine(auto_bootstrap=True, insecure_log_n=INSECURE_LOG_N))
    party.engine.create_evaluation_key(party.secret_key, bootstrap="lossy")
    values = rng.uniform(-1, 1, party.engine.slot_count)
    x = party.engine.encrypt(values, party.secret_key, level=1, bound=1)
    assert np.abs(values_of(party, np.exp(x)) - np.exp(values)).max() <= 2.0**-14
    assert party.engine.bootstrap_count == 1
    everlevel.sin(x)
    assert party.engine.bootstrap_count == 1  # x is bootstrapped once
    missing = new_party(Engine(auto_bootstrap=True, insecure_log_n=INSECURE_LOG_N))
    with pytest.raises(errors.MissingKeyError, match=r"^exp: .*create_evaluation_key"):
        everlevel.exp(missing.engine.encrypt([0.5], missing.secret_key, level=1, bound=1))


# Comparisons, and what chooses by them.


def test_comparison_operators(lossy: Party) -> None:
    secret, engine = lossy.secret_key, lossy.engine
    a, x = spread(lossy, -3, 3)
    b, y = spread(lossy, -1, 1, seed=2)
    for left, right, plain, bound in (
        (x, y, (a, b), 4),
        (x, b, (a, b), 4),
        (a, y, (a, b), 4),
        (x, 0.25, (a, 0.25), 3.25),
        (0.25, x, (0.25, a), 3.25),
        (x, engine.encode(b, bound=1), (a, b), 4),
    ):
        apart = np.abs(np.subtract(*plain)) >= engine.gap * bound * 1.0001
        slack = np.where(apart, NOISE, 1)
        assert 0.8 < apart.mean() < 1
        result = left > right
        assert (result.bound, result.level) == (1, 12)
        assert_claims(result, np.greater(*plain), secret, slack=slack)
    apart = np.abs(a - b) >= engine.gap * 4 * 1.0001
    slack = np.where(apart, NOISE, 1)
    for found, expected in (
        (x < y, a < b),
        (x >= y, a > b),
        (x <= y, a < b),
        (np.greater(x, y), a > b),
        (np.less(a, y), a < b),
        (np.greater_equal(x, b), a > b),
        (np.less_equal(x, b), a < b),
    ):
        decrypted = assert_claims(found, expected, secret, slack=slack)
        assert -NOISE <= decrypted.min() <= decrypted.max() <= 1 + NOISE
    for refused in (lambda: x == y, lambda: x != 0.5, lambda: np.equal(x, y)):
        with pytest.raises(errors.OperandTypeError, match="equal: "):
            refused()
    for operand in (None, object(), engine.encode_to_plain_matrix(np.eye(2), level=2)):
        with pytest.raises(TypeError):
            _ = x > operand


def test_the_gap_is_an_option(lossy: Party, tmp_path: Path) -> None:
    assert lossy.engine.gap == 2.0**-6
    assert "bootstrap, gap 2^-6, " in repr(lossy.engine)
    engine = Engine(use_bootstrap=True, gap=2**-9, insecure_log_n=INSECURE_LOG_N)
    assert "gap 2^-9" in repr(engine)
    assert "gap 0.3" in repr(Engine(use_bootstrap=True, gap=0.3, insecure_log_n=INSECURE_LOG_N))
    assert "gap" not in repr(Engine(max_level=1, insecure_log_n=INSECURE_LOG_N))
    assert pickle.loads(pickle.dumps(engine)).gap == 2**-9
    secret_key = engine.create_secret_key()
    engine.create_evaluation_key(secret_key, bootstrap="lossy", rotations=False)
    secret_key.save(tmp_path / "secret.key")
    assert Engine.from_file(tmp_path / "secret.key", gap=2**-8).gap == 2**-8
    values = np.resize([2.0**-8, -(2.0**-8)], engine.slot_count)
    x = engine.encrypt(values, secret_key, bound=1)
    before = engine.bootstrap_count
    assert_claims(x > 0, values > 0, secret_key, slack=NOISE)
    assert engine.bootstrap_count == before + 2
    for wrong in (0, 2**-13, 1, -1, float("nan"), "1", None, 1j):
        with pytest.raises(errors.ParameterError, match=r"^Engine: gap is "):
            Engine(use_bootstrap=True, gap=wrong, insecure_log_n=INSECURE_LOG_N)  # type: ignore[arg-type]


def test_signs_sizes_and_extrema(lossy: Party) -> None:
    secret, gap = lossy.secret_key, lossy.engine.gap
    a, x = spread(lossy, -3, 3)
    b, y = spread(lossy, -1, 1, seed=2)
    apart = np.abs(a) >= 3 * gap
    for found in (everlevel.sign(x), np.sign(x)):
        assert_claims(found, np.sign(a), secret, slack=np.where(apart, NOISE, 1))
    for found in (abs(x), np.abs(x), everlevel.absolute(x), np.fabs(x)):
        assert_claims(found, np.abs(a), secret, error=3 * gap + NOISE)
    for found, expected in (
        (np.maximum(x, y), np.maximum(a, b)),
        (np.minimum(a, y), np.minimum(a, b)),
        (everlevel.maximum(x, 0.5), np.maximum(a, 0.5)),
        (everlevel.minimum(x, b), np.minimum(a, b)),
    ):
        assert_claims(found, expected, secret, error=4 * gap / 2 + 2.0**-14)
    zero = x - x
    assert (zero.bound, zero.interval) == (0, (0, 0))
    assert np.abs(values_of(lossy, abs(lossy.engine.encrypt(np.zeros(4), secret, bound=0)))).max() < 2.0**-10


@pytest.mark.parametrize(("low", "high", "signs"), [(-1, 0.5, 2), (0, None, 1), (None, 1, 1), (-5, 5, 0), (-3, 2.5, 1)])
def test_clips(low: float | None, high: float | None, signs: int, lossy: Party) -> None:
    a, x = spread(lossy, -3, 3)
    before = lossy.engine.bootstrap_count
    results = [everlevel.clip(x, low, high)]
    assert lossy.engine.bootstrap_count == before + signs
    results += [x.clip(low, high), np.clip(x, low, high)]
    expected = np.clip(a, low, high)
    for result in results:
        # Half of the gap, and what a lossy bootstrap of sizes up to 5.5 errs by.
        found = assert_claims(result, expected, lossy.secret_key, slack=5.5 * (lossy.engine.gap / 2 + NOISE))
        assert np.abs(found).max() <= result.bound + 2.0**-12
    assert results[0].bound <= max(abs(low or 0), abs(high or 0), 0 if None not in (low, high) else 3) + 0.05


def test_choices(lossy: Party) -> None:
    secret = lossy.secret_key
    a, x = spread(lossy, -1, 1)
    b, y = spread(lossy, -1, 1, seed=2)
    apart = np.abs(a - b) >= lossy.engine.gap * 2 * 1.0001
    for found in (everlevel.where(x > y, x, y), np.where(x > b, x, y), np.where(x > y, a, b), np.where(x > y, x, b)):
        # Within the gap, what is chosen is between the two.
        slack = np.where(apart, 4 * NOISE, np.abs(a - b) + NOISE)
        assert found.bound == 1
        assert_claims(found, np.maximum(a, b), secret, slack=slack)
    assert_claims(np.where(x > y, 2, -1), np.where(a > b, 2, -1), secret, slack=np.where(apart, 4 * NOISE, 3))
    assert_claims(everlevel.where(a > b, x, y), np.maximum(a, b), secret, varied=False)
    assert_claims(everlevel.where(a > b, x, 0.5), np.where(a > b, a, 0.5), secret, varied=False)
    assert_claims(everlevel.where(True, x, y), a, secret, varied=False)
    # A condition that may be beyond 1 claims nothing.
    assert everlevel.where(2 * x, x, y).bound == 5


# Integers.


@pytest.mark.parametrize(("bound", "level"), [(0.25, None), (1, 1), (3.5, None), (31, 2)])
def test_rounding(bound: float, level: int | None, lossy: Party) -> None:
    a = np.linspace(-bound, bound, lossy.engine.slot_count)
    x = lossy.engine.encrypt(a, lossy.secret_key, bound=bound, level=level)
    for function, shift in ((np.floor, 0.0), (np.ceil, 0.0), (np.rint, 0.5)):
        y = function(x)
        found, expected = values_of(lossy, y), function(a)
        apart = np.abs(a + shift - np.rint(a + shift)) >= lossy.engine.gap * 1.001
        assert np.abs(found - expected)[apart].max() <= 2.0**-15 * max(bound, 1)
        # Within the gap, results are between the integers on both sides.
        assert np.abs(found - expected).max() <= 1 + 2.0**-12
        assert np.abs(found).max() - 2.0**-15 <= y.bound <= np.ceil(bound + shift) * 1.001
        assert y.bound_kind == "declared"


def test_rounding_by_other_names(lossy: Party) -> None:
    a = np.array([0.1234, -0.2601, 0.2])
    x = lossy.engine.encrypt(a, lossy.secret_key, bound=0.3)
    for found in (everlevel.round(x, 2), np.round(x, 2), round(x, 2)):
        np.testing.assert_allclose(values_of(lossy, found), np.round(a, 2), atol=2.0**-20)
    assert "round" not in everlevel.__all__
    for found, expected in (
        (math.floor(10 * x), [1, -3]),  # type: ignore[call-overload]
        (math.ceil(10 * x), [2, -2]),  # type: ignore[call-overload]
        (round(10 * x), [1, -3]),
    ):
        np.testing.assert_allclose(values_of(lossy, found)[:2], expected, atol=2.0**-15)
    undeclared = everlevel.round(lossy.engine.encrypt([0.75, -0.125], lossy.secret_key))
    assert undeclared.bound_kind == "assumed"
    np.testing.assert_allclose(values_of(lossy, undeclared), [1, 0], atol=2.0**-15)
    with pytest.raises(errors.ParameterError, match=r"^floor: values may be as large as 40, .* x\.within\(31\)"):
        np.floor(lossy.engine.encrypt([40.0], lossy.secret_key, bound=40))
    for wrong in (-1, 10):
        with pytest.raises(errors.ParameterError, match=f"^round: decimals is {wrong}, and 0 to 9"):
            everlevel.round(x, wrong)


# Sums, moments, and the like.


def test_sums_of_products(shallow: Party) -> None:
    secret = shallow.secret_key
    a, x = spread(shallow, -1, 1)
    b, y = spread(shallow, -1, 1, seed=2)
    weights = b[:7]
    for found, expected in (
        (everlevel.dot(x, y), a @ b),
        (x @ y, a @ b),
        (np.dot(x, b), a @ b),
        (np.inner(a, y), a @ b),
        (x.dot(shallow.engine.encode(b, bound=1)), a @ b),
        (weights @ x, weights @ a[:7]),
        (x @ list(weights), weights @ a[:7]),
    ):
        assert_claims(found, expected, secret, varied=False)
    # What the weights allow, and not what the largest of them does.
    assert (weights @ x).bound == pytest.approx(np.abs(weights).sum())
    matrix = np.random.default_rng(3).uniform(-1, 1, (len(a), 3))
    assert_claims(x @ matrix, a @ matrix, secret, varied=False)
    assert_claims(np.dot(matrix.T, x), matrix.T @ a, secret, varied=False)
    for wrong in ("x", [], [None], np.ones((2, 2, 2)), None, object(), limbs, [[1, 2], [3]]):
        with pytest.raises((errors.EverlevelError, TypeError)):
            x @ wrong
    with pytest.raises(errors.OperandTypeError, match=r"^dot: .* one must be"):
        everlevel.dot(a, b)


@pytest.mark.parametrize("count", [None, 1, 2, 8, 9, 64, 65, 300])
def test_prefix_sums(count: int | None, shallow: Party) -> None:
    a, x = spread(shallow, -1, 1)
    result, width = everlevel.cumsum(x, count=count), len(a) if count is None else count
    assert x.level - result.level == next(levels for levels in range(9) if 8**levels >= width)
    found = values_of(shallow, result)
    np.testing.assert_allclose(found[:width], np.cumsum(a)[:width], atol=2.0**-result.precision_floor)
    if count is None:
        np.testing.assert_array_equal(values_of(shallow, np.cumsum(x)), found)
        np.testing.assert_array_equal(values_of(shallow, x.cumsum()), found)


def test_moments(shallow: Party) -> None:
    secret = shallow.secret_key
    a, x = spread(shallow, -1, 3)
    n = len(a)
    for found, expected in ((everlevel.var(x), a.var()), (x.var(ddof=1), a.var(ddof=1)), (np.var(x), a.var())):
        assert found.level == x.level - 3
        assert 9 <= found.bound < 9.1
        assert_claims(found, expected, secret, varied=False)
    for deviation in (everlevel.std(x, interval=(0.5, 3)), x.std(interval=(0.5, 3))):
        assert np.abs(values_of(shallow, deviation) - a.std()).max() <= 2.0**-13
    long = np.random.default_rng(3).uniform(-1, 1, 2 * n)
    two = shallow.engine.encrypt(long, secret, bound=1)
    rows = long.reshape(2, n)
    assert_claims(two.var(), long.var(), secret, varied=False)
    assert_claims(two.var(0), rows.var(0), secret, varied=False)
    assert_claims(two.var(1), np.repeat(rows.var(1), n), secret, varied=False)
    length = float(np.linalg.norm(a))
    found = values_of(shallow, everlevel.norm(x, interval=(length / 2, length * 1.5)))
    assert np.abs(found - length).max() <= 2.0**-15 * length
    for wrong in (-1, n, 2**70):
        with pytest.raises(errors.ParameterError, match=f"^var: ddof is {wrong} and there are {n} terms"):
            x.var(ddof=wrong)


@pytest.mark.parametrize(("shape", "axis"), [((4, 3), 1), ((4, 3), 0), ((2, 3, 4), (0, 2)), ((5,), 0), ((3, 4), None)])
def test_softmax_along_axes(shape: tuple[int, ...], axis: Any, shallow: Party, rng: np.random.Generator) -> None:
    values = rng.uniform(-0.25, 0.25, shape)
    x = shallow.engine.encrypt(values, shallow.secret_key, bound=0.25)
    y = everlevel.softmax(x, axis)
    powers = np.exp(values)
    assert y.shape == shape
    assert_claims(y, powers / powers.sum(axis=axis, keepdims=True), shallow.secret_key, varied=False, slack=2.0**-15)


@pytest.mark.parametrize(("count", "bound"), [(None, 1), (10, 1), (3, 0.5)])
def test_softmax(count: int | None, bound: float, shallow: Party) -> None:
    a, x = spread(shallow, -bound, bound)
    width = len(a) if count is None else count
    result = everlevel.softmax(x, count=count)
    expected = np.zeros(len(a))
    expected[:width] = np.exp(a[:width]) / np.exp(a[:width]).sum()
    found = values_of(shallow, result)
    assert np.abs(found - expected).max() <= 2.0**-15
    assert abs(found.sum() - 1) <= 2.0**-13
    assert result.bound < 1.002


def test_claims_where_values_lie(shallow: Party) -> None:
    _, x = spread(shallow, -1, 1)
    y = x * x * (1 - x)
    for claimed, bound in ((y.within(2), 2), (y.within(-0.5, 2), 2), (y.within(-3, 1), 3), (y.within(0.25, 0.5), 0.5)):
        assert (claimed.bound, claimed.bound_kind) == (bound, "claimed")
    for wrong in ((2, 1), (float("nan"), 1), ("a", 1), (1, float("inf")), (1, "b")):
        with pytest.raises(errors.ParameterError, match=r"^within: the values are said to lie from "):
            y.within(*wrong)
    for size in (-1, float("inf"), None, "1"):
        with pytest.raises(errors.ParameterError, match=r"^within: bound is "):
            y.within(size)


# Refusals.


REFUSALS: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "log of a bound": (r"^log: values may lie anywhere in \[-2, 2\] .* above 0; .*log\(…, interval=", np.log),
    "sqrt of a bound": (r"^sqrt: values may lie anywhere in \[-2, 2\]", np.sqrt),
    "reciprocal of a bound": (r"^reciprocal: .* intervals without 0; ", np.reciprocal),
    "std without an interval": (r"^std: interval is None.*everlevel\.std\(x, interval=", np.std),
    "norm without one": (r"^norm: interval is None.*everlevel\.norm\(x, interval=", np.linalg.norm),
    "norm below 0": (r"^norm: interval is \[-1, 1\]", lambda x: everlevel.norm(x, interval=(-1, 1))),
    "log at 0": (
        r"^log: interval is \[0, 1\], and log is for values above 0",
        lambda x: everlevel.log(x, interval=(0, 1)),
    ),
    "a power of a bound": (r"^power: values may lie .* above 0; .*everlevel\.power\(…, interval=", lambda x: x**0.5),
    "an inverse power": (r"^power: .* intervals without 0; ", lambda x: everlevel.power(x, -1)),
    "the power 0": (r"^power: the exponent is 0, and a finite", lambda x: everlevel.power(x, 0)),
    "an integer below 1": (
        r"^power: the exponent is -1, .* call everlevel\.power\(x, exponent, interval",
        lambda x: x**-1,
    ),
    "no interval": (r"^exp: interval is \(1, 0\), and two finite", lambda x: everlevel.exp(x, interval=(1, 0))),
    "near a pole": (
        r"^sqrt: on \[1e-09, 2\], degree 4095 has an error of",
        lambda x: everlevel.sqrt(x, interval=(1e-9, 2)),
    ),
    "too large": (
        r"^exp: on \[-1000, 1000\], the function is inf at x",
        lambda x: everlevel.exp(x, interval=(-1e3, 1e3)),
    ),
    "softmax of all": (r"^softmax: values may lie", lambda x: everlevel.softmax(x, interval=(-1e3, 1e3))),
    "an array": (r"^exp: ciphertext is of type ndarray, and a Ciphertext", lambda x: everlevel.exp(np.ones(3))),  # type: ignore[arg-type]
    "two in the clear": (r"^where: nothing is encrypted", lambda x: everlevel.where(True, 1, 2)),
    "arrays of two lengths": (r"^where: arrays have 2 values and 3", lambda x: everlevel.where([1, 0], x, [1, 2, 3])),
    "no function": (r"^numpy\.arcsin: .*; call everlevel\.fit\(numpy\.arcsin, interval=", np.arcsin),
    "a logarithm of less than 0": (r"^log2: values may .* in \[-2, 2\].* numpy\.log2\(x\.within\(0\.1, 1\)\)", np.log2),
    "a tangent beyond its pole": (r"^tan: .* angles below pi/2; .* numpy\.tan\(x\.within\(-1, 1\)\)", np.tan),
    "powers by an array": (
        r"^power: exponent is of type ndarray, and one integer is needed",
        lambda x: x ** np.ones(2),
    ),
    "values before coefficients": (r"^polyval: x is of type list, .* swap them", lambda x: np.polyval(x, [1, 2])),
    "a share of some that count": (
        r"^softmax: count is 2, and axis says which values count; ",
        lambda x: everlevel.softmax(x, 0, count=2),
    ),
    "maximum of slots": (r"^max: use_bootstrap is False", np.max),
    "a sort": (r"^sort: use_bootstrap is False", np.sort),
    "a sort along an axis": (r"^numpy\.sort: .*; call everlevel\.sort\(x\)", lambda x: np.sort(x, axis=0)),
    "a median": (r"^median: use_bootstrap is False", np.median),
    "an outer product": (r"^outer: the vectors have 512 and 512 values, ", lambda x: np.outer(x, x)),
    "a truncation": (r"^numpy\.trunc: .*; call everlevel\.floor", np.trunc),
    "a stack": (r"^numpy\.vstack: .*; call engine\.vstack", lambda x: np.vstack([x, x])),
    "a reduction": (r"^numpy\.multiply: reduce isn't for", np.multiply.reduce),
    "an out": (r"^numpy\.add: out isn't for", lambda x: np.add(x, np.ones(3), out=np.ones(3))),
    "a dtype": (r"^numpy\.sum: ", lambda x: np.sum(x, dtype=float)),
    "another argument": (r"^numpy\.cumsum: got an unexpected", lambda x: np.cumsum(x, dtype=float)),
    "a power of an encrypted exponent": (r"^numpy\.power: ", lambda x: np.power(2, x)),
    "another axis": (r"^roll: the arguments don't fit \(axis 1", lambda x: np.roll(x, 1, 1)),
    "several units": (r"^roll: the ciphertext has 2 units", lambda x: np.roll(x._engine.vstack([x, x]), 1)),
    "units to one": (r"^cumsum: the ciphertext has 2 units", lambda x: np.cumsum(x._engine.vstack([x, x]))),
    "ends": (r"^clip: low is 1 and high is 0", lambda x: x.clip(1, 0)),
    "no end": (r"^clip: low is 'a'", lambda x: x.clip("a", 0)),
    "an array of it": (r"^array: a Ciphertext is encrypted", np.asarray),
}


@pytest.mark.parametrize("what", REFUSALS)
def test_refusals_name_the_call_both_values_and_the_next_step(what: str, shallow: Party) -> None:
    words, call = REFUSALS[what]
    _, x = spread(shallow, -2, 2)
    with pytest.raises(errors.EverlevelError, match=words) as caught:
        call(x)
    assert ";" in str(caught.value)


def test_what_a_function_needs(shallow: Party) -> None:
    engine, secret = shallow.engine, shallow.secret_key
    for call in (np.exp, everlevel.var, everlevel.absolute):
        with pytest.raises(errors.OperandTypeError, match=r" complex, .* \(x \+ x\.conjugate\(\)\)"):
            call(engine.encrypt([1j], secret, bound=1))
    with pytest.raises(errors.LevelError, match=r"^exp: needs level ≥ 3, ciphertext is at level 2 of 12"):
        np.exp(engine.encrypt([0.5], secret, level=2, bound=1))
    with pytest.raises(errors.ParameterError, match="use_bootstrap is False and True is needed"):
        _ = engine.encrypt([0.5], secret, bound=1) > 0.25
    other = Engine(max_level=5, insecure_log_n=INSECURE_LOG_N)
    with pytest.raises(errors.MissingKeyError, match=r"^exp: .*create_relinearization_key\(secret_key\)"):
        np.exp(other.encrypt([0.5], other.create_secret_key(), bound=1))
