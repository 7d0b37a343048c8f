"""Shapes of BFV's vectors and of those over limbs: NumPy's, beside which random programs run."""

from __future__ import annotations

import pickle
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from claims import assert_claims
from everlevel import bfv, errors
from everlevel.ckks import limbs

T = 786_433


@pytest.fixture(scope="module", params=["bfv", "limbs"])
def party(request: pytest.FixtureRequest) -> Any:
    """Engine, secret key, and the same values in the clear as the scheme has them."""
    integers = request.param == "bfv"
    engine: Any = bfv.Engine("n14", insecure_log_n=8) if integers else limbs.Engine("n14", insecure_log_n=8)
    secret_key = engine.create_secret_key()
    engine.create_evaluation_key(secret_key, rotations=True)
    return engine, secret_key, integers


def exact(values: Any, integers: bool) -> Any:
    """Give what decryption gives: integers nearest to zero, or numbers as they are."""
    return (np.asarray(values, dtype=np.int64) + T // 2) % T - T // 2 if integers else np.asarray(values)


def assert_same(x: Any, values: Any, party: Any) -> None:
    _, secret_key, integers = party
    assert x.shape == np.shape(values)
    assert_claims(x, exact(values, integers), secret_key, varied=False)


def drawn(rng: np.random.Generator, shape: tuple[int, ...], integers: bool) -> Any:
    return rng.integers(-50, 51, shape) if integers else rng.uniform(-1, 1, shape)


SHAPES = [(), (1,), (3,), (7,), (40,), (100,), (2, 3), (3, 1), (1, 3), (4, 5, 2), (2, 45), (9, 1, 11), (200,), (3, 70)]
"""Those of more than 128 values take both rows of BFV's slots, and don't fit over limbs."""


def shapes(engine: Any) -> list[tuple[int, ...]]:
    return [shape for shape in SHAPES if np.prod(shape) < engine.slot_count]


def test_arrays_of_any_shape_come_back(party: Any, tmp_path: Path) -> None:
    engine, secret_key, integers = party
    rng = np.random.default_rng(3)
    for shape in shapes(engine):
        values = drawn(rng, shape, integers)
        x = engine.encrypt(values, secret_key)
        assert (x.ndim, x.size, x.unit_count) == (values.ndim, values.size, 1)
        assert engine.decrypt(x, secret_key).shape == shape
        if shape:
            assert len(x) == len(values)
        x.save(tmp_path / "x")
        for same in (x, engine.load(tmp_path / "x"), pickle.loads(pickle.dumps(x)), engine.load_bytes(x.to_bytes())):
            assert_same(same, values, party)
        dirty = x + x.sum() if shape else x
        again = engine.load_bytes(dirty.to_bytes())
        assert again._layout == dirty._layout
        assert_same(again, values + values.sum() if shape else values, party)
    slots = engine.slot_count
    for whole in (
        engine.encrypt(drawn(rng, (slots,), integers), secret_key),
        engine.encrypt([1], secret_key, slots=True),
    ):
        assert whole.shape == engine.decrypt(whole, secret_key).shape == (slots,)
        assert "shape" not in whole._stored()[1]
    with pytest.raises(errors.OperandTypeError, match=r"^len: a single value has no length"):
        len(engine.encrypt(1, secret_key))


def test_headers_that_lie_are_refused(party: Any) -> None:
    engine, secret_key, _ = party
    x = engine.encrypt([1], secret_key)
    for notes in (
        {"shape": "0"},
        {"shape": "1000"},
        {"shape": "a"},
        {"shape": "2", "padding": "some"},
        {"shape": "-1"},
    ):
        data = engine._context.serialize(x._native, notes)
        with pytest.raises(errors.HeaderError, match=r"^(read|load_bytes|deserialize): .*header's shape is"):
            engine.load_bytes(data)


def test_padding_never_counts(party: Any) -> None:
    engine, secret_key, integers = party
    values = np.array([1, 2, 3])
    x = engine.encrypt(values, secret_key, **({} if integers else {"bound": 3}))
    for found, expected in [
        ((x + 1).sum(), 9),
        ((1 - x).sum(), -3),
        ((x + x.sum()).sum(), 24),
        (((x + x.sum())[1:] + 1).sum(), 19),
        ((x.roll(1) + 1).roll(-1), values + 1),
        ((x.roll(1) + 1).rotate(1)[1:4], np.roll(values, 1) + 1),
        (x[::-1].sum(), 6),
        (x + np.array([[10], [20]]), values + np.array([[10], [20]])),
        ((x + np.array([[10], [20]])).sum(axis=0), 2 * values + 30),
        (x.reshape(3, 1) * x, np.outer(values, values)),
        (x[1] * x, 2 * values),
        (x - x[0], values - 1),
        (x[2], 3),
        (x.sum(keepdims=True), [6]),
        (x.reshape(1, 3).sum(axis=1, keepdims=True), [[6]]),
        (np.add.reduce(x.reshape(3, 1)), [6]),
        (x.reshape(3, 1).sum(axis=(0, 1)), 6),
    ]:
        assert_same(found, np.asarray(expected), party)


def line(rng: np.random.Generator, ndim: int) -> tuple[Any, bool]:
    """Draw a function of one or two arrays, and say of how many."""
    axis: Any = None if ndim == 0 or rng.random() < 0.3 else int(rng.integers(-ndim, ndim))
    keepdims, shift, step = bool(rng.random() < 0.5), int(rng.integers(-20, 20)), int(rng.choice([-2, -1, 1, 2]))
    start = int(rng.integers(0, 3))
    lines: list[tuple[Any, bool]] = [
        (np.add, True),
        (np.subtract, True),
        (np.multiply, True),
        (lambda u: np.sum(u, axis=axis, keepdims=keepdims), False),
        (lambda u: np.mean(u, axis=axis, keepdims=keepdims), False),
        (lambda u: np.roll(u, shift, axis), False),
        (lambda u: u[..., start::step] if np.ndim(u) else u[()], False),
        (lambda u: u[start] if np.ndim(u) else np.expand_dims(u, 0), False),
        (np.transpose, False),
        (lambda u: np.reshape(u, (1, -1)), False),
        (lambda u: u**2, False),
    ]
    return lines[int(rng.choice(len(lines), p=[0.15, 0.15, 0.15, 0.1, 0.1, 0.1, 0.05, 0.05, 0.05, 0.05, 0.05]))]


@pytest.mark.parametrize("seed", range(40))
def test_programs_are_numpys(party: Any, seed: int) -> None:
    engine, secret_key, integers = party
    rng = np.random.default_rng(seed)

    def fresh() -> Any:
        fitting = shapes(engine)
        return drawn(rng, fitting[int(rng.integers(len(fitting)))], integers)

    pool = [(engine.encrypt(values, secret_key), values) for values in (fresh(), fresh(), fresh())]
    for _ in range(14):
        x, a = pool[int(rng.integers(len(pool)))]
        function, is_binary = line(rng, a.ndim)
        pairs = [(x, a)]
        if is_binary:
            other = fresh() if rng.random() < 0.5 else drawn(rng, (), integers)[()]
            pairs.append(pool[int(rng.integers(len(pool)))] if rng.random() < 0.5 else (other, other))
            pairs = pairs[:: 1 if rng.random() < 0.5 else -1]
        encrypted, clear = zip(*pairs, strict=True)
        try:
            expected = np.asarray(function(*clear))
        except (ValueError, IndexError):
            continue
        is_mean = integers and expected.dtype.kind == "f"
        if is_mean or not 0 < expected.size < engine.slot_count or np.abs(expected).max() > 1e6:
            continue
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                found = function(*encrypted)
        except errors.NoiseError:
            continue
        assert_same(found, expected, party)
        pool.append((found, exact(expected, integers)))


def test_transposes_and_quotients(party: Any) -> None:
    engine, secret_key, integers = party
    values = np.arange(1, 7).reshape(2, 3)
    x = engine.encrypt(values, secret_key, **({} if integers else {"bound": 6}))
    assert_same(x.T, values.T, party)
    assert_same(+x, values, party)
    with pytest.raises(errors.OperandTypeError, match=r"^setitem: a ciphertext doesn't change, .*: add an array"):
        x[0] = 1
    if integers:
        with pytest.raises(errors.OperandTypeError, match=r"^divide: .* multiply by an inverse modulo"):
            x / 2
        return
    for divisor in (2, 0.3, [[1.0], [4.0]], np.array([2, 5, 7])):
        assert_same(x / divisor, values / np.asarray(divisor), party)
    with pytest.raises(errors.DivisionByZeroError, match=r"^divide: the divisor at index 1 is 0"):
        x / [1, 0, 2]
    for refused in (lambda: x / x, lambda: 1 / x):
        with pytest.raises(errors.OperandTypeError, match=r"^divide: .*divide by numbers and arrays in the clear"):
            refused()


def test_lengths_that_dont_broadcast(party: Any) -> None:
    engine, secret_key, _ = party
    x, y = engine.encrypt([1, 1, 1], secret_key), engine.encrypt([1, 1], secret_key)
    slots = engine.slot_count
    for other in (y, [1, 1], np.ones(2, int)):
        with pytest.warns(DeprecationWarning, match=r"^add: the shapes are \(3,\) and \(2,\), and zeros follow both"):
            total = x + other
        assert_same(total, np.r_[2, 2, 1, np.zeros(slots - 3, int)], party)
    for other in (np.ones((2, 2), int), engine.encrypt(np.ones((2, 2), int), secret_key)):
        with pytest.raises(errors.MessageError, match=r"^multiply: the shapes are \(3,\) and \(2, 2\), which don't"):
            x * other
    with pytest.raises(errors.MessageError, match=r"^add: the shapes are .* which make \d+ values, and a unit has"):
        engine.encrypt(np.ones((1, 60), int), secret_key) + np.ones((60, 1), int)
    # All slots count beside as many values.
    assert_same(x + np.ones(slots, int), np.r_[2, 2, 2, np.ones(slots - 3, int)], party)


def test_what_is_refused_says_what_to_do(party: Any) -> None:
    engine, secret_key, integers = party
    x, all_slots = engine.encrypt([[1, 1, 1]], secret_key), engine.encrypt([1], secret_key, slots=True)
    for call, error, words in [
        (lambda: x.sum(axis=2), errors.ParameterError, r"^sum: axis is 2, .*choose from -2 to 1"),
        (lambda: x.sum(axis=(0, 0)), errors.ParameterError, r"^sum: axis is \(0, 0\)"),
        (lambda: x.sum(keepdims=np.ones(2)), errors.OperandTypeError, "^sum: keepdims"),
        (lambda: x.reshape(2, 2), errors.OperandTypeError, r"^reshape: .*cannot reshape array of size 3"),
        (lambda: x.roll(1, axis=5), errors.OperandTypeError, r"^roll: .*axis 5 is out of bounds"),
        (lambda: x.roll("a"), errors.OperandTypeError, "^roll: "),
        (lambda: x[x], errors.OperandTypeError, "doesn't turn into a NumPy array"),
        (lambda: x[0, 5], IndexError, "out of bounds"),
        (lambda: x[:, 3:], errors.MessageError, r"^index: the result is of shape \(1, 0\)"),
        (lambda: np.sum(x, dtype=float), errors.OperandTypeError, r"^numpy\.sum: .*dtype.*; use its operators"),
        (lambda: np.exp(x), errors.OperandTypeError, r"^numpy\.exp: .*; use its operators"),
        (lambda: np.dot(x, x), errors.OperandTypeError, r"^numpy\.dot: .*\(x \* y\)\.sum"),
        (lambda: np.add(x, 1, where=[True]), errors.OperandTypeError, r"^numpy\.add: where isn't for"),
        (lambda: np.add(x, 1, out=np.ones(3)), errors.OperandTypeError, r"^numpy\.add: out isn't for"),
        (lambda: all_slots.sum(keepdims=True), errors.ParameterError, "^sum: keepdims"),
        (lambda: engine.encrypt([1], secret_key, slots=np.ones(2)), errors.OperandTypeError, "^encrypt: slots"),
        (lambda: engine.decrypt(x, secret_key, slots=np.ones(2)), errors.OperandTypeError, "^decrypt: slots"),
    ]:
        with pytest.raises(error, match=words):
            call()
    if integers:
        with pytest.raises(errors.OperandTypeError, match=r"^numpy\.mean: there is no such operation"):
            np.mean(x)
        units = engine.encrypt(np.ones(2 * engine.slot_count, int), secret_key)
        for each in (lambda: units.roll(1), lambda: units[0], lambda: units.reshape(-1)):
            with pytest.raises(errors.UnitCountError, match=r"has 2 units, and 1 is needed; take them apart"):
                each()
        total = engine.encrypt([1, 2], secret_key).sum()
        assert_claims(units + total, np.full(2 * engine.slot_count, 4), secret_key)


def test_polynomials_and_bridges_keep_shapes() -> None:
    engine = limbs.Engine("n14", insecure_log_n=8)
    secret_key = engine.create_secret_key()
    engine.create_evaluation_key(secret_key, rotations=True)
    values = np.array([[0.5, -0.25, 1.0]])
    x = engine.encrypt(values, secret_key)
    party = engine, secret_key, False
    for y, expected in [
        (engine.evaluate_polynomial(x, [1, 2, 3]), 1 + 2 * values + 3 * values**2),
        (engine.evaluate_chebyshev_polynomial(x, [1, 2, 3]), 1 + 2 * values + 3 * (2 * values**2 - 1)),
        (engine.evaluate_polynomial(x + x.mean(), [1, 2]), 1 + 2 * (values + values.mean())),
        (engine.conjugate(engine.rescale(engine.square(x), 1)), values**2 / 2),
    ]:
        assert_same(y, expected, party)
        assert_same(y.sum(axis=1), expected.sum(axis=1), party)


@pytest.fixture(scope="module")
def over_limbs() -> Any:
    engine = limbs.Engine("n14", insecure_log_n=8)
    secret_key = engine.create_secret_key()
    engine.create_evaluation_key(secret_key, rotations=True)
    return engine, secret_key


def test_sums_have_the_bound_of_what_they_add_up(over_limbs: Any) -> None:
    engine, secret_key = over_limbs
    values = np.linspace(-1, 1, 12).reshape(3, 4)
    x = engine.encrypt(values, secret_key)
    assert [x.sum(axis).bound for axis in (None, 0, 1)] == [12.0, 3.0, 4.0]
    assert x.mean().bound == pytest.approx(1)
    moved = [x.roll(1), x.T, x[1:, 1:], x.mean(axis=1, keepdims=True), x + x.mean(axis=0)]
    assert [y.bound for y in moved] == pytest.approx([1, 1, 1, 1, 2])
    assert engine.encrypt(values, secret_key, slots=True).sum().bound == engine.slot_count


def test_products_with_matrices_have_a_value_for_each_row(over_limbs: Any) -> None:
    engine, secret_key = over_limbs
    values, matrix = np.array([0.5, -0.25, 0.125]), np.arange(6.0).reshape(2, 3) / 4
    x = engine.encrypt(values, secret_key)
    y = matrix @ x
    assert_claims(y, matrix @ values, secret_key, varied=False)
    assert_claims(y.mean(), (matrix @ values).mean(), secret_key, varied=False)
    assert np.abs(engine.decrypt(y, secret_key, slots=True)[2:]).max() < 1e-6
    for other in (np.ones((2, 5)), {0: np.ones(engine.slot_count)}):
        assert (other @ x).shape == engine.multiply_matrix(matrix, x).shape == (engine.slot_count,)


def test_products_with_encrypted_matrices_are_numpys(over_limbs: Any) -> None:
    engine, secret_key = over_limbs
    for shape, rows in (((3, 4), 2), ((3, 4), 3), ((1, 6), 5), ((5, 1), 2), ((2, 3), 4)):
        values, matrix = np.linspace(-1, 1, int(np.prod(shape))).reshape(shape), np.cos(np.arange(rows * shape[0]))
        x, matrix = engine.encrypt(values, secret_key), matrix.reshape(rows, -1)
        y = matrix @ x
        assert_claims(y, matrix @ values, secret_key, varied=False)
        assert_claims(y.mean(axis=0), (matrix @ values).mean(axis=0), secret_key, varied=False)
    x = engine.encrypt(np.ones((2, 3, 4)), secret_key)
    for other in (np.eye(2), np.eye(24)):
        with pytest.raises(errors.MessageError, match=r"^matmul: the shapes are"):
            other @ x
    with pytest.raises(errors.MessageError, match=r"^matmul: the shapes are .* at most 128 slots"):
        np.ones((40, 3)) @ engine.encrypt(np.ones((3, 4)), secret_key)
    with pytest.raises(errors.OperandTypeError, match=r"^multiply_matrix: the ciphertext is of shape \(2, 3, 4\)"):
        engine.multiply_matrix(np.eye(24), x)
    with pytest.raises(errors.OperandTypeError, match=r"^multiply_matrix: .*a vector is needed"):
        {0: np.ones(engine.slot_count)} @ x


def test_claims_take_the_place_of_bounds(over_limbs: Any) -> None:
    engine, secret_key = over_limbs
    values = np.array([[0.5, -0.25, 0.125], [0.25, 0.25, -0.75]])
    x = engine.encrypt(values, secret_key)
    total = x.sum(axis=0)
    claimed = total.within(-0.75, 1)
    assert (total.bound, claimed.bound, claimed.shape, claimed.within(0.8).bound) == (2.0, 1.0, (3,), 0.8)
    # What is behind the sums, of other values, would be beyond the claim.
    assert not total._layout.is_clean
    assert claimed._layout.is_clean
    assert claimed.budget_bits == total.budget_bits - engine.precision_bits
    np.testing.assert_allclose(engine.decrypt(claimed, secret_key), values.sum(axis=0), atol=1e-6)
    assert np.abs(engine.decrypt(claimed, secret_key, slots=True)[3:]).max() < 1e-6
    assert x.sum().within(0.5).budget_bits == x.budget_bits
    with pytest.warns(errors.RangeWarning, match=r"^decrypt: "):
        engine.decrypt(x.within(0.25), secret_key)
    for wrong in ((-1,), (1, 0), (float("nan"),), (0, float("inf")), ("x",)):
        with pytest.raises(errors.ParameterError, match=r"^within: "):
            x.within(*wrong)
    with pytest.raises(errors.NoiseError, match=r"^within: "):
        x.within(2.0**1000)
