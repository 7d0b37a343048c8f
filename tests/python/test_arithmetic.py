"""Every operation against NumPy's, with its levels and whether it stays real."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from claims import assert_claims
from everlevel import errors
from parties import Party, of_1x


def messages(party: Party, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    count = party.engine.slot_count
    return rng.uniform(-1, 1, count), rng.uniform(-1, 1, count)


OPERATIONS: list[tuple[str, Callable[[Any, Any], Any], int]] = [
    ("x + y", lambda x, y: x + y, 0),
    ("x - y", lambda x, y: x - y, 0),
    ("x * y", lambda x, y: x * y, 1),
    ("-x", lambda x, y: -x, 0),
    ("+x", lambda x, y: +x, 0),
    ("x + 1.5", lambda x, y: x + 1.5, 0),
    ("1.5 + x", lambda x, y: 1.5 + x, 0),
    ("x + 2", lambda x, y: x + 2, 0),
    ("x + 1j", lambda x, y: x + 1j, 0),
    ("x - 1.5", lambda x, y: x - 1.5, 0),
    ("1.5 - x", lambda x, y: 1.5 - x, 0),
    ("3 * x", lambda x, y: 3 * x, 0),
    ("x * -3", lambda x, y: x * -3, 0),
    ("x * 0", lambda x, y: x * 0, 0),
    ("x * True", lambda x, y: x * True, 0),
    ("x * uint8", lambda x, y: x * np.uint8(3), 0),
    ("1j * x", lambda x, y: 1j * x, 0),
    ("(2 - 3j) * x", lambda x, y: (2 - 3j) * x, 0),
    ("1.5 * x", lambda x, y: 1.5 * x, 1),
    ("2.0 * x", lambda x, y: 2.0 * x, 0),
    ("x * (0.5 + 0.25j)", lambda x, y: x * (0.5 + 0.25j), 1),
    ("numpy scalar first", lambda x, y: np.float64(1.5) * x, 1),
    ("x / 2", lambda x, y: x / 2, 1),
    ("x / 0.5", lambda x, y: x / 0.5, 0),
    ("x / -1", lambda x, y: x / -1, 0),
    ("x / 2j", lambda x, y: x / 2j, 1),
    ("x / numpy scalar", lambda x, y: x / np.int64(3), 1),
    ("x / array", lambda x, y: x / np.linspace(1, 2, x.size if isinstance(x, np.ndarray) else x.slot_count), 1),
    ("x / integers", lambda x, y: x / (np.arange(x.size if isinstance(x, np.ndarray) else x.slot_count) + 1), 1),
    ("x ** 1", lambda x, y: x**1, 0),
    ("x ** 2", lambda x, y: x**2, 1),
    ("x ** 3", lambda x, y: x**3, 2),
    ("x ** 5", lambda x, y: x**5, 3),
    ("x ** 8", lambda x, y: x**8, 3),
    ("chain", lambda x, y: (x * y + x) * (y - 2) - 3 * x * x, 2),
]


@pytest.mark.parametrize(("name", "operation", "levels"), OPERATIONS, ids=[name for name, _, _ in OPERATIONS])
def test_operators(party: Party, rng: np.random.Generator, name: str, operation: Any, levels: int) -> None:
    x, y = messages(party, rng)
    a, b = (party.engine.encrypt(m, party.public_key) for m in (x, y))
    result, expected = operation(a, b), operation(x, y)
    assert assert_claims(result, expected, party.secret_key).dtype == expected.dtype, name
    assert result.level == 5 - levels
    assert result.polynomial_count == 2


@pytest.mark.parametrize("kind", [np.float64, np.complex128, np.int64, np.uint8, list, "plaintext"])
def test_arrays_and_plaintexts(party: Party, rng: np.random.Generator, kind: Any) -> None:
    engine = party.engine
    x, _ = messages(party, rng)
    y = rng.integers(0, 5, engine.slot_count)
    a = engine.encrypt(x, party.public_key)
    forms = {"plaintext": engine.encode, list: np.ndarray.tolist}
    other: Any = forms.get(kind, lambda values: values.astype(kind))(y)
    for result, expected, levels in [
        (a + other, x + y, 0),
        (other + a, x + y, 0),
        (a - other, x - y, 0),
        (other - a, y - x, 0),
        (a * other, x * y, 1),
        (other * a, x * y, 1),
    ]:
        assert_claims(result, expected, party.secret_key)
        assert result.level == 5 - levels
        assert result.is_real == (kind is not np.complex128)


def test_short_arrays_are_padded_like_messages(party: Party) -> None:
    a = party.engine.encrypt([1.0, 2.0, 3.0], party.public_key, bound=3, slots=True)
    with pytest.warns(DeprecationWarning, match=r"multiply: the shapes are \(512,\) and \(1,\), and zeros"):
        assert_claims(a * [2.0], [2, 0, 0], party.secret_key)


@pytest.mark.parametrize("divisor", [0, 0.0, np.int64(0), 0j, [1.0, 2.0, 0.0], np.array([2, 1, 0]), 1e-320])
def test_division_by_zero_is_refused(party: Party, divisor: Any) -> None:
    a = party.engine.encrypt([1.0, 2.0, 3.0], party.public_key, bound=3)
    with pytest.raises(
        errors.DivisionByZeroError, match=r"^divide: the divisor.* whose inverse is no finite"
    ) as caught:
        a / divisor
    assert caught.value.index == (2 if np.ndim(divisor) else None)


def test_what_else_does_not_divide(party: Party) -> None:
    a = party.engine.encrypt([1.0, 2.0, 3.0], party.public_key, bound=3)
    for operation in (lambda: 2 / a, lambda: a / a, lambda: np.ones(3) / a, lambda: [1.0] / a):
        with pytest.raises(errors.OperandTypeError, match=r"^divide: the divisor is encrypted.*everlevel\.divide\("):
            operation()
    for wrong in (party.engine.encode([1.0]), party.secret_key, None, party):
        with pytest.raises(TypeError):
            a / wrong
    for wrong in (float("nan"), [1.0, np.inf], "2"):
        with pytest.raises(errors.MessageError, match=r"^divide: "):
            a / wrong
    a = party.engine.encrypt([1.0], party.public_key, level=0)
    with pytest.raises(errors.LevelError):
        a / 2
    assert (party.engine.encrypt([1.0], party.public_key, bound=6.0) / 4).bound == 1.5


def test_arrays_of_ciphertexts_are_refused(party: Party) -> None:
    """They would be arrays of objects."""
    a = party.engine.encrypt([1.0, 2.0, 3.0], party.public_key, bound=3)
    for operation in (
        lambda: np.array(a),
        lambda: np.asarray(a, dtype=float),
        lambda: np.array([a, a], dtype=object),
    ):
        with pytest.raises(
            errors.OperandTypeError, match=r"a Ciphertext is encrypted .*x\.rotate\(1\) for numpy\.roll"
        ):
            operation()
    for plain in (party.engine.encode([1.0]), party.engine.encode_to_plain_matrix(np.eye(4))):
        with pytest.raises(errors.OperandTypeError, match=f"a {type(plain).__name__} is encoded "):
            np.roll(plain, 1)
    with pytest.raises(TypeError):
        a * party.engine.encode_to_plain_matrix(np.eye(4))


def test_levels_are_aligned(party: Party) -> None:
    high, low = (party.engine.encrypt([0.5, 2.0], party.public_key, level=level, bound=2) for level in (5, 2))
    for result, expected, level in [(high + low, [1, 4], 2), (low - high, [0, 0], 2), (high * low, [0.25, 4], 1)]:
        assert result.level == level
        assert_claims(result, expected, party.secret_key)


def test_products_without_a_key_are_added_up_and_relinearized_once(party: Party) -> None:
    engine = party.engine
    a = engine.encrypt([1.0, 2.0], party.public_key, bound=2)
    total = engine.multiply(a, a, relinearize=False) + engine.square(a, relinearize=False)
    assert total.polynomial_count == 3
    assert "3 polynomials" in repr(total)
    assert_claims(total, [2, 8], party.secret_key)
    done = engine.relinearize(total, party.relinearization_key)
    assert done.polynomial_count == 2
    assert_claims(done, [2, 8], party.secret_key)


def test_imaginary_integers(party: Party) -> None:
    a = party.engine.encrypt([1.0, 2.0], party.public_key, bound=2)
    for result in (3j * a, party.engine.multiply(a, 3j), of_1x(party).multiply_imaginary_integer(3, a)):
        assert result.level == a.level
        assert_claims(result, [3j, 6j], party.secret_key)


def test_level_down(party: Party) -> None:
    a = party.engine.encrypt([1.5], party.public_key, bound=1.5)
    for level in range(6):
        lower = party.engine.level_down(a, level)
        assert lower.level == level
        assert_claims(lower, [1.5], party.secret_key)
    assert a.level == 5


def test_lower_levels_are_smaller(party: Party) -> None:
    sizes = [party.engine.encrypt([1], party.public_key, level=level).nbytes for level in range(6)]
    assert sizes == sorted(set(sizes))


def test_all_levels_can_be_used(party: Party) -> None:
    a = party.engine.encrypt([0.9], party.public_key)
    for _ in range(5):
        a = party.engine.square(a, party.relinearization_key)
    assert a.level == 0
    assert_claims(a, [0.9**32], party.secret_key)


def test_weighted_sum(party: Party) -> None:
    engine = party.engine
    a, b = (engine.encrypt([value], party.public_key, bound=2) for value in (1.0, 2.0))
    for weights, levels in [([10, 1], 0), ([0.5, 1.5], 1)]:
        total = engine.weighted_sum([a, b], weights)
        assert total.level == 5 - levels
        assert_claims(total, [np.dot(weights, [1, 2])], party.secret_key)
    with pytest.raises(errors.MessageError, match="2 ciphertexts and 3 weights"):
        engine.weighted_sum([a, b], [1, 2, 3])


def test_weighted_sums_round_once(party: Party, rng: np.random.Generator) -> None:
    engine, count = party.engine, 24
    x, p = (rng.uniform(-1, 1, size=(count, engine.slot_count)) for _ in range(2))
    terms = [engine.encrypt(row, party.secret_key, level=3 + k % 3, bound=1) for k, row in enumerate(x)]
    weights: list[Any] = [engine.encode(row, level=4, bound=1) for row in p[:8]]
    weights += [engine.encode_to_light_plaintext(row) for row in p[8:16]]
    numbers = p[16:, 0] + 1j * p[16:, 1] * (np.arange(8) % 2)
    total = engine.weighted_sum(terms, [*weights, *numbers])
    assert (total.level, total.is_real) == (2, False)
    expected = (x[:16] * p[:16]).sum(0) + numbers @ x[16:]
    assert_claims(total, expected, party.secret_key)
    # One by one, each product is rounded.
    single = terms[0] * weights[0]
    for term, weight in zip(terms[1:], [*weights[1:], *numbers], strict=True):
        single = single + term * weight
    assert total.precision_bits > single.precision_bits + 0.5
    reals = engine.weighted_sum(terms[:20:3], p[:7, 0])
    assert (reals.level, reals.is_real, reals.bound) == (2, True, pytest.approx(np.abs(p[:7, 0]).sum(), rel=1e-9))
    # Products of three polynomials are summed up as they are.
    product = engine.multiply(terms[2], terms[5], relinearize=False)
    mixed = engine.weighted_sum([product, terms[2]], [0.5, 0.25])
    assert (mixed.polynomial_count, mixed.level) == (3, product.level - 1)
    assert_claims(mixed, 0.5 * x[2] * x[5] + 0.25 * x[2], party.secret_key)
    with pytest.raises(errors.LevelError, match="weighted_sum"):
        engine.weighted_sum([engine.level_down(terms[0], 0)], [0.5])
    with pytest.raises(errors.ParameterError, match="level of the plaintext"):
        engine.weighted_sum([terms[0]], [engine.encode(p[0], level=0)])
    vectors = [engine.vstack(terms[k::3][:2]) for k in range(3)]
    units = engine.weighted_sum(vectors, [0.5, engine.encode(p[:2].ravel(), level=5), -0.25])
    parts = [0.5 * x[3 * k] + p[k] * x[3 * k + 1] - 0.25 * x[3 * k + 2] for k in range(2)]
    assert_claims(units, np.concatenate(parts), party.secret_key)
    with pytest.raises(errors.UnitCountError):
        engine.weighted_sum([vectors[0], terms[0]], [0.5, 0.5])
    with pytest.raises(errors.KeyMismatchError):
        engine.weighted_sum([terms[0], engine.encrypt(x[0], engine.create_secret_key())], [0.5, 0.5])


def test_power_and_chebyshev_bases(party: Party, rng: np.random.Generator) -> None:
    engine, (x, _) = party.engine, messages(party, rng)
    a = engine.encrypt(x, party.public_key)
    powers = engine.make_power_basis(a, 6, party.relinearization_key)
    chebyshev = engine.make_chebyshev_basis(a, 6, party.relinearization_key)
    for k, (power, polynomial) in enumerate(zip(powers, chebyshev, strict=True), start=1):
        assert power.level >= 5 - np.ceil(np.log2(k))
        assert_claims(power, x**k, party.secret_key)
        expected = np.cos(k * np.arccos(x))
        assert_claims(polynomial, expected, party.secret_key)


@pytest.mark.parametrize("degree", [0, 1, 2, 3, 5, 7, 15])
@pytest.mark.parametrize("basis", ["power", "chebyshev"])
@pytest.mark.parametrize("is_complex", [False, True])
def test_polynomials(party: Party, rng: np.random.Generator, degree: int, basis: str, is_complex: bool) -> None:
    engine, (x, _) = party.engine, messages(party, rng)
    series = rng.uniform(-1, 1, degree + 1) + (1j * rng.uniform(-1, 1, degree + 1) if is_complex else 0)
    a = engine.encrypt(x, party.public_key)
    if basis == "power":
        result = engine.evaluate_polynomial(a, series, party.relinearization_key)
        expected = np.polynomial.polynomial.polyval(x, series)
    else:
        result = engine.evaluate_chebyshev_polynomial(a, series, party.relinearization_key)
        expected = np.polynomial.chebyshev.chebval(x, series)
    assert np.iscomplexobj(assert_claims(result, expected, party.secret_key)) == is_complex
    assert result.level >= 5 - np.ceil(np.log2(degree + 1))


def test_results_are_new_and_operands_untouched(party: Party) -> None:
    a = party.engine.encrypt([1.0, 2.0], party.public_key, bound=2)
    before = party.engine.decrypt(a, party.secret_key)
    twin = copy.copy(a)
    _ = a + a, a * a, -a, 1.5 * a
    np.testing.assert_array_equal(party.engine.decrypt(a, party.secret_key), before)
    np.testing.assert_array_equal(party.engine.decrypt(twin, party.secret_key), before)
