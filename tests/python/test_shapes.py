"""Ciphertexts that remember shapes, beside NumPy's arrays."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import everlevel
from claims import assert_claims
from everlevel import Ciphertext, Engine, _native, compat, errors
from everlevel._common.slot_shapes import SLOTS
from parties import INSECURE_LOG_N, Party, keyed_party, new_party

SHAPES: list[tuple[int, ...]] = [(), (1,), (3,), (512,), (2, 3), (1, 5), (16, 32), (512, 1), (3, 4, 5), (2, 1, 3, 2)]


@pytest.fixture(scope="module")
def party() -> Party:
    """Six levels, whose engine knows its keys."""
    return keyed_party(Engine(max_level=6, insecure_log_n=INSECURE_LOG_N))


def encrypted(party: Party, values: Any, bound: float = 4) -> Ciphertext:
    return party.engine.encrypt(values, party.secret_key, bound=bound)


def check(party: Party, x: Ciphertext, expected: Any) -> None:
    """Compare shape and values; and the padding, where it is said to be zero."""
    assert x.shape == np.shape(expected)
    found = party.engine.decrypt(x, party.secret_key)
    assert found.shape == np.shape(expected)
    assert_claims(x, expected, party.secret_key, varied=False)


@pytest.mark.parametrize("shape", SHAPES)
def test_shapes_come_back(party: Party, rng: np.random.Generator, shape: tuple[int, ...], tmp_path: Path) -> None:
    engine, values = party.engine, rng.uniform(-1, 1, shape)
    x = encrypted(party, values)
    check(party, x, values)
    assert (x.ndim, x.size, x.unit_count) == (len(shape), values.size, 1)
    if shape:
        assert len(x) == len(values)
    else:
        with pytest.raises(errors.OperandTypeError, match="len: a single value has no length"):
            len(x)
    x.save(tmp_path / "x")
    plaintext = engine.encode(values + 1j, bound=4)
    np.testing.assert_allclose(engine.decode(plaintext), values + 1j, atol=1e-6)
    fresh = engine.encrypt(engine.encode(values), party.public_key)
    for back in (engine.load(tmp_path / "x"), pickle.loads(pickle.dumps(x)), fresh):
        assert back.shape == shape
    check(party, engine.load(tmp_path / "x"), values)  # type: ignore[arg-type]
    again = pickle.loads(pickle.dumps(plaintext))
    assert (again.shape, again.ndim) == (shape, len(shape))


OPERATIONS: dict[str, Callable[[Any, Any], Any]] = {
    "add": lambda x, y: x + y,
    "reflected": lambda x, y: y - x,
    "subtract": lambda x, y: x - y,
    "multiply": lambda x, y: x * y,
    "all": lambda x, y: 2 * (x - y) * 0.5 + x * y - 1,
}


PAIRS: list[tuple[tuple[int, ...], tuple[int, ...]]] = [
    *[((3,), (3,)), ((3,), (1,)), ((1,), (3,)), ((2, 3), (3,)), ((3,), (2, 3)), ((2, 3), (2, 1)), ((4, 1), (1, 5))],
    *[((), (3,)), ((3,), ()), ((), ()), ((2, 1, 3), (4, 1)), ((512,), ()), ((16, 32), (32,))],
]


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize(("left", "right"), PAIRS)
def test_shapes_broadcast(
    party: Party, rng: np.random.Generator, left: tuple[int, ...], right: tuple[int, ...], operation: str
) -> None:
    a, b = rng.uniform(-1, 1, left), rng.uniform(-1, 1, right)
    x, y, combine = encrypted(party, a), encrypted(party, b), OPERATIONS[operation]
    expected = combine(a, b)
    check(party, combine(x, y), expected)
    check(party, combine(x, b), expected)
    check(party, combine(a, y), expected)


@pytest.mark.parametrize("shape", SHAPES)
def test_numbers_leave_zeros_behind(party: Party, rng: np.random.Generator, shape: tuple[int, ...]) -> None:
    values = rng.uniform(-1, 1, shape)
    x = encrypted(party, values)
    for how in (lambda a: a + 1, lambda a: 2 - a, lambda a: a * 3, lambda a: a / 4, lambda a: -a):
        result, expected = how(x), how(values)
        assert result._layout.is_clean
        check(party, result, expected)
    check(party, x * (1 + 2j) + 1j, values * (1 + 2j) + 1j)


@pytest.mark.parametrize("how", ["sum", "mean"])
@pytest.mark.parametrize("shape", [shape for shape in SHAPES if shape not in ((), (512,))])
def test_reductions_go_along_axes(party: Party, rng: np.random.Generator, shape: tuple[int, ...], how: str) -> None:
    values = rng.uniform(-1, 1, shape)
    x = encrypted(party, values, bound=1)
    every = tuple(range(len(shape)))
    axes = [None, *every, -1, *([every, every[:-1], every[1:]] if len(shape) > 1 else [])]
    for axis in axes:
        reduced = getattr(x, how)(axis)
        check(party, reduced, getattr(values, how)(axis))
        terms = values.size // max(np.size(values.sum(axis)), 1)
        assert reduced.bound == pytest.approx(terms if how == "sum" else 1)
    # What was behind the values doesn't count.
    check(party, getattr((x - x.mean() + 1), how)(), getattr(values - values.mean() + 1, how)())
    with pytest.raises(errors.ParameterError, match=f"{how}: axis is {len(shape) + 2}"):
        getattr(x, how)(len(shape) + 2)


@pytest.mark.parametrize("axis", [None, 0, 1, -1, (0, 2)])
@pytest.mark.parametrize("ddof", [0, 1])
def test_variances_go_along_axes(party: Party, rng: np.random.Generator, axis: Any, ddof: int) -> None:
    values = rng.uniform(-1, 1, (3, 4, 5))
    check(party, encrypted(party, values, bound=1).var(axis, ddof=ddof), values.var(axis, ddof=ddof))
    if axis is None:
        check(party, encrypted(party, values[0, 0], bound=1).var(ddof=ddof), values[0, 0].var(ddof=ddof))
        with pytest.raises(errors.ParameterError, match="var: ddof is 60 and there are 60 terms"):
            encrypted(party, values).var(ddof=60)


def test_axes_are_kept(party: Party, rng: np.random.Generator) -> None:
    values = rng.uniform(-1, 1, (3, 4))
    x = encrypted(party, values, bound=1)
    for axis in (None, 0, 1, (0, 1)):
        for how in ("sum", "mean", "var"):
            check(party, getattr(x, how)(axis, keepdims=True), getattr(values, how)(axis, keepdims=True))
        centred = values - values.mean(axis, keepdims=True)
        check(party, x - np.mean(x, axis, keepdims=True), centred)
    with pytest.raises(errors.ParameterError, match="sum: keepdims is True, and what was reduced of 2 units"):
        encrypted(party, np.ones(600)).sum(keepdims=True)


def test_norms_go_along_axes(party: Party, rng: np.random.Generator) -> None:
    deep = keyed_party(Engine(max_level=9, insecure_log_n=INSECURE_LOG_N))
    values = rng.uniform(0.5, 1, (3, 4))
    x = encrypted(deep, values, bound=1)
    for axis in (None, 0, 1):
        found = deep.engine.decrypt(everlevel.norm(x, axis, interval=(0.5, 4)), deep.secret_key)
        np.testing.assert_allclose(found, np.linalg.norm(values, axis=axis), atol=2.0**-13)


@pytest.fixture(scope="module")
def lossy() -> Party:
    """Bootstraps, whose engine knows its keys."""
    party = new_party(Engine(use_bootstrap=True, insecure_log_n=INSECURE_LOG_N))
    party.engine.create_evaluation_key(party.secret_key, bootstrap="lossy")
    return party


@pytest.mark.parametrize("axis", [None, 0, 1, (0, 1)])
def test_extrema_go_along_axes(lossy: Party, axis: Any) -> None:
    values = np.array([[0.5, -0.25, 0.1], [-1.0, 0.75, 0.3]])
    x = encrypted(lossy, values, bound=1)
    for how in ("max", "min"):
        for keepdims in (False, True):
            result = getattr(np, how)(x, axis, keepdims=keepdims)
            expected = getattr(values, how)(axis, keepdims=keepdims)
            assert result.shape == np.shape(expected)
            np.testing.assert_allclose(lossy.engine.decrypt(result, lossy.secret_key), expected, atol=0.05)


def test_extrema_and_places_of_vectors(lossy: Party) -> None:
    engine, key = lossy.engine, lossy.secret_key
    values = np.array([0.5, -0.25, -1.0, 0.75, 0.3])
    x = encrypted(lossy, values, bound=1)
    shifted = x - x.mean()
    for found, expected in ((x.argmax(), 3), (np.argmin(x), 2), (shifted.argmax(), 3), (shifted.max(), 0.69)):
        assert found.shape == ()
        assert float(engine.decrypt(found, key)) == pytest.approx(expected, abs=0.05)
    check(lossy, x.sum().max(), np.array(0.3))
    full = encrypted(lossy, np.r_[values, np.zeros(507)], bound=1)
    assert full.min().shape == (512,)
    np.testing.assert_allclose(engine.decrypt(full.min(), key), -1, atol=0.1)
    for axis in (-2, 1, 2):
        table = encrypted(lossy, np.arange(24).reshape(2, 3, 4) % 7 / 7, bound=1)
        places = table.argmin(axis) if axis == 1 else np.argmax(table, axis=axis)
        expected = (np.argmin if axis == 1 else np.argmax)(np.arange(24).reshape(2, 3, 4) % 7, axis=axis)
        assert places.shape == expected.shape
        assert_claims(places, expected, lossy.secret_key, varied=False, error=2**-16)
    assert table.argmax(0, keepdims=True).shape == (1, 3, 4)
    table = encrypted(lossy, [[0.5, -0.5]], bound=1)
    with pytest.raises(errors.OperandTypeError, match=r"sort: the ciphertext is of shape \(1, 2\), and a vector is"):
        np.sort(table)
    assert everlevel.top_k(table, 1).shape == (1,)
    assert everlevel.outer([1.0, 2.0], x).shape == (2, 5)


def test_what_is_behind_the_values_enters_no_result(party: Party, rng: np.random.Generator) -> None:
    engine, values = party.engine, rng.uniform(-1, 1, 5)
    x = encrypted(party, values, bound=1)
    centred = x - x.mean()
    assert not centred._layout.is_clean
    expected = values - values.mean()
    check(party, (centred * centred).mean(), np.mean(expected**2))
    check(party, centred.sum(), 0.0)
    padded = np.r_[expected, np.zeros(507)]
    check(party, centred.rotate(2), np.roll(padded, 2))
    check(party, engine.rotate_batch(centred, [1])[0], np.roll(padded, 1))
    check(party, engine.sum_range(centred, 3), sum(np.roll(padded, -k) for k in range(3)))
    check(party, np.eye(512)[::-1] @ centred, padded[::-1])
    check(party, centred * np.ones(512), padded)
    check(party, engine.vstack([centred, x]).units()[0], padded)
    check(party, centred.within(2), expected)
    assert centred.within(2)._layout.is_clean


def test_sums_of_products_are_those_of_vectors(party: Party, rng: np.random.Generator) -> None:
    values, weights = rng.uniform(-1, 1, (2, 5))
    x, table = encrypted(party, values), encrypted(party, np.ones((2, 3)))
    for product in (everlevel.dot(x, weights), weights @ x, x @ encrypted(party, weights), np.dot(x, weights)):
        check(party, product, values @ weights)
    check(party, table @ np.ones(3), [3, 3])
    check(party, everlevel.dot([1.0, 1.0], table), [2, 2, 2])
    with pytest.raises(errors.MessageError, match=r"^matmul: the shapes are \(6, 6\) and \(2, 3\), "):
        np.eye(6) @ table


def test_functions_have_no_value_behind_short_vectors(party: Party, rng: np.random.Generator) -> None:
    engine, values = party.engine, rng.uniform(1, 2, (2, 3))
    x = encrypted(party, values, bound=2)
    for f, g in ((everlevel.log, np.log), (everlevel.reciprocal, np.reciprocal)):
        y = f(x, interval=(1, 2))
        assert y._layout.is_clean
        np.testing.assert_allclose(engine.decrypt(y, party.secret_key), g(values), atol=2.0**-15)
        behind = engine.decrypt(y, party.secret_key, slots=True)[6:]
        assert np.abs(behind).max() <= 2.0**-y.precision_floor
        np.testing.assert_allclose(engine.decrypt(y.sum(), party.secret_key), g(values).sum(), atol=2.0**-13)
    check(party, engine.evaluate_polynomial(x * 0.25, [1.5, 2, 0.5j]), 1.5 + values / 2 + 0.5j * (values / 4) ** 2)
    series = engine.evaluate_chebyshev_polynomial(x * 0.5, [0.5, 0, 1])
    check(party, series, 0.5 + 2 * (values / 2) ** 2 - 1)


def test_choices_from_arrays(party: Party, lossy: Party, rng: np.random.Generator) -> None:
    a, b = rng.uniform(-1, 1, (2, 2, 3))
    mask = np.array([[True, False, True], [False, False, True]])
    check(party, everlevel.where(mask, encrypted(party, a), b), np.where(mask, a, b))
    check(party, np.where(mask, encrypted(party, a), encrypted(party, b)), np.where(mask, a, b))
    check(party, np.where([True, False, True], encrypted(party, a), 0.5), np.where([True, False, True], a, 0.5))
    x = lossy.engine.encrypt(a, lossy.secret_key, bound=1)
    for result, expected in (
        (np.maximum(x, b), np.maximum(a, b)),
        (np.minimum(0.25, x), np.minimum(0.25, a)),
        (np.where(x > b[0], x, b[0]), np.where(a > b[0], a, b[0])),
    ):
        assert result.shape == (2, 3)
        np.testing.assert_allclose(lossy.engine.decrypt(result, lossy.secret_key), expected, atol=0.05)
    counted = (x > 0.0).sum()
    assert counted.shape == ()


def test_softmax_on_an_interval_without_0(party: Party) -> None:
    deep = keyed_party(Engine(max_level=13, insecure_log_n=INSECURE_LOG_N))
    values = np.array([[2.5, 2.0, 3.0]])
    result = everlevel.softmax(encrypted(deep, values), interval=(2, 3))
    expected = np.exp(values) / np.exp(values).sum()
    assert result.shape == (1, 3)
    np.testing.assert_allclose(deep.engine.decrypt(result, deep.secret_key), expected, atol=2.0**-13)


def test_other_lengths_are_filled_up_for_one_version(party: Party) -> None:
    x = encrypted(party, [1.0, 2.0, 3.0])
    for other in ([1.0, 1.0], encrypted(party, [1.0, 1.0]), party.engine.encode([1.0, 1.0])):
        with pytest.warns(DeprecationWarning, match=r"add: the shapes are \(\d,\) and \(\d,\), and zeros") as caught:
            total = x + other
        assert caught[0].filename == __file__
        check(party, total, np.r_[2.0, 3, 3, np.zeros(509)])
    with pytest.raises(errors.MessageError, match=r"multiply: the shapes are \(3,\) and \(2, 2\), which don't"):
        x * np.ones((2, 2))
    with pytest.raises(errors.MessageError, match=r"which make 6000 values, and a unit has 512 slots"):
        x + np.ones((2000, 3))


def test_one_value_meets_full_vectors_as_in_numpy(party: Party, rng: np.random.Generator) -> None:
    values = rng.uniform(-1, 1, 512)
    x, one = encrypted(party, values), encrypted(party, [2.0])
    check(party, x + one, values + 2)
    check(party, one * values, 2 * values)
    check(party, x - x.mean(keepdims=True), values - values.mean())
    check(party, x * np.array([[2.0]]), values.reshape(1, 512) * 2)
    check(party, x - encrypted(party, 0.5), values - 0.5)


def test_the_slots_shape_is_that_of_0_1(party: Party) -> None:
    engine, key = party.engine, party.secret_key
    x = engine.encrypt([1.0, 2.0], key, bound=4, slots=True)
    assert (x.shape, x._layout) == ((512,), SLOTS)
    check(party, x.mean(), np.full(512, 3 / 512))
    check(party, x + 1, np.r_[2.0, 3, np.ones(510)])
    check(party, x + encrypted(party, [1.0, 1.0]), np.r_[2.0, 3, np.zeros(510)])
    assert engine.encrypt(engine.encode([1.0]), key, slots=True).shape == (512,)
    with pytest.raises(errors.MessageError, match="2 dimensions"):
        engine.encrypt(np.ones((2, 2)), key, slots=True)
    old = compat.Engine(max_level=6, insecure_log_n=INSECURE_LOG_N)
    secret = old.create_secret_key()
    x = old.encrypt([1.0, 0.5], secret)
    assert (x.shape, len(old.decrypt(x, secret))) == ((512,), 512)
    moved = old.load_bytes(encrypted(party, [1.0, 2.0]).to_bytes())
    assert moved.shape == (512,)  # type: ignore[union-attr]


@pytest.mark.parametrize("text", ["600", "2,-1", "0", "a", "3,", "²", "9" * 5000])
@pytest.mark.parametrize("padding", ["zeros", "any", "none"])
def test_headers_are_checked(party: Party, text: str, padding: str) -> None:
    x = encrypted(party, [1.0, 2.0])
    for shape in [text, *(["2"] if padding == "none" else [])]:
        notes = {"is_real": "true", "shape": shape, "padding": padding}
        data = _native.serialize(party.engine._context, x._native, notes, False)
        with pytest.raises(errors.HeaderError, match=r"the header's shape is .*; pass a file"):
            party.engine.load_bytes(data)


INDICES: dict[str, Callable[[Any], Any]] = {
    "the first ones": lambda a: a[:7],
    "a part": lambda a: a[3:9],
    "steps": lambda a: a[::3],
    "backwards": lambda a: a[::-1],
    "one": lambda a: a[4],
    "the last": lambda a: a[-1],
    "chosen ones": lambda a: a[np.array([5, 1, 1, 0])],
    "a mask": lambda a: a[np.arange(12) % 3 == 0],
    "another axis": lambda a: a[None, 2:5],
    "a reshape": lambda a: a.reshape(3, -1),
    "a row": lambda a: a.reshape(3, 4)[1],
    "a column": lambda a: a.reshape(3, 4)[:, 1],
    "an element": lambda a: a.reshape(3, 4)[2, 3],
    "corners": lambda a: a.reshape(3, 4)[1:, :2],
    "a transpose": lambda a: a.reshape(3, 4).T,
    "axes": lambda a: a.reshape(2, 3, 2).transpose(1, 2, 0),
    "a ravel": lambda a: a.reshape(3, 4).T.ravel(),
    "a roll": lambda a: np.roll(a, 5),
    "a roll to the left": lambda a: np.roll(a, -3),
    "a roll by all": lambda a: np.roll(a, 24),
    "rows rolled": lambda a: np.roll(a.reshape(3, 4), 1, axis=0),
    "columns rolled": lambda a: np.roll(a.reshape(3, 4), (1, 2), axis=(0, 1)),
    "a flat roll": lambda a: np.roll(a.reshape(3, 4), 2),
    "a flip": lambda a: np.flip(a.reshape(3, 4), 1),
    "a repetition": lambda a: np.repeat(a[:3], 2),
    "tiles": lambda a: np.tile(a[:5], 2),
    "a broadcast": lambda a: np.broadcast_to(a[:3], (2, 3)),
    "dimensions": lambda a: np.squeeze(np.expand_dims(a, (0, 2))),
    "parts": lambda a: np.concatenate(np.split(a, 3)[::-1]),
    "a join": lambda a: np.concatenate([a, [0.5, 0.25], a[3:5]]),
    "columns joined": lambda a: np.concatenate([a.reshape(3, 4), np.ones((3, 1)), a.reshape(3, 4) * 2], axis=1),
    "a stack": lambda a: np.stack([a, a * a]),
    "single ones": lambda a: np.stack([a.mean(), a[3]]),
    "neighbours": lambda a: a[1:] - a[:-1],
    "a single one in shapes": lambda a: np.broadcast_to(a.sum(), (2, 2)) + a.sum().reshape(1),
}


@pytest.mark.parametrize("what", INDICES)
def test_values_move_as_in_numpy(party: Party, rng: np.random.Generator, what: str) -> None:
    values = rng.uniform(-1, 1, 12)
    x, move = encrypted(party, values, bound=1), INDICES[what]
    expected = move(values)
    check(party, move(x), expected)
    # Whatever is behind the values, it doesn't come to light.
    dirty = x - x.mean()
    result, expected = move(dirty), move(values - values.mean())
    check(party, result, expected)
    check(party, result.sum(), expected.sum())


def test_moves_that_cost_nothing(party: Party) -> None:
    x = encrypted(party, np.arange(12.0), bound=12)
    for free in (x[:7], x[3:9], x.reshape(3, 4)[1], x.roll(2), np.concatenate([x, x]), x.reshape(6, 2)):
        assert free.level == x.level
    assert (x[3].level, x[::2].level, x.reshape(3, 4).T.level) == (x.level - 1,) * 3
    assert [row.shape for row in x.reshape(3, 4)] == [(4,)] * 3
    assert np.shape(x) == (12,)
    assert (np.size(x), np.ndim(x)) == (12, 1)


def test_full_vectors_move_all_slots(party: Party, rng: np.random.Generator) -> None:
    values = rng.uniform(-1, 1, 512)
    x = encrypted(party, values, bound=1)
    check(party, x[5:9], values[5:9])
    check(party, x.reshape(16, 32).sum(axis=0), values.reshape(16, 32).sum(axis=0))
    check(party, x.roll(3), np.roll(values, 3))
    check(party, x[10], values[10])
    check(party, x.reshape(16, 32).reshape(512), values)


MOVES: dict[str, tuple[type, str, Callable[[Any], Any]]] = {
    "beyond": (IndexError, "out of bounds", lambda x: x[12]),
    "no index": (IndexError, "are valid indices", lambda x: x["a"]),
    "one for several": (errors.OperandTypeError, "^vstack: ciphertexts is one", lambda x: x._engine.vstack(x)),
    "encrypted": (errors.OperandTypeError, "is encrypted", lambda x: x[x]),
    "nothing": (errors.MessageError, r"^index: the result is of shape \(0,\)", lambda x: x[5:5]),
    "another size": (errors.OperandTypeError, r"^reshape: the arguments don't fit", lambda x: x.reshape(5)),
    "too much": (errors.MessageError, r"^tile: the result is of shape \(600,\)", lambda x: np.tile(x, 50)),
    "lengths": (errors.OperandTypeError, "^concatenate: ", lambda x: np.concatenate([x, np.ones((2, 2))])),
    "nothing encrypted": (errors.OperandTypeError, "^concatenate: nothing", lambda x: everlevel.concatenate([[1.0]])),
    "no list": (errors.OperandTypeError, "^concatenate: arrays", lambda x: everlevel.concatenate(3)),  # type: ignore[arg-type]
    "an axis": (errors.OperandTypeError, "^roll: ", lambda x: np.roll(x, 1, axis=1)),
    "units": (errors.UnitCountError, "^index: the ciphertext has 2 units", lambda x: x._engine.vstack([x, x])[0]),
    "a part of a unit": (errors.UnitCountError, "^roll: ", lambda x: np.roll(x._engine.vstack([x, x]), 1)),
}


@pytest.mark.parametrize("what", MOVES)
def test_moves_that_there_are_not(party: Party, what: str) -> None:
    kind, words, call = MOVES[what]
    with pytest.raises(kind, match=words):
        call(encrypted(party, np.ones(12)))


def test_comparisons_take_padding_that_is_no_larger_than_values(rng: np.random.Generator) -> None:
    deep = keyed_party(Engine(use_bootstrap=True, insecure_log_n=INSECURE_LOG_N), bootstrap="lossy")
    engine, key = deep.engine, deep.secret_key
    values = np.array([0.75, -0.5, 0.25, -1.0, 0.5])
    x, one = engine.encrypt(values, key, bound=1), engine.encrypt(-0.25, key, bound=1)
    far, near = engine.encrypt(values + 6, key, bound=(5, 7)), engine.encrypt(-6.0, key, bound=(-6.5, -5.5))
    for operand, expected in (
        (x + one, values - 0.25),
        ((x * x)[1:], (values * values)[1:]),
        (x.roll(1), np.roll(values, 1)),
        (far + near, values),
    ):
        assert not operand._layout.is_clean
        above, signs = expected > 0.125, np.sign(expected - 0.125)
        np.testing.assert_allclose(engine.decrypt(operand > 0.125, key), above, atol=2.0**-12)
        np.testing.assert_allclose(engine.decrypt(everlevel.sign(operand - 0.125), key), signs, atol=2.0**-12)
        chosen = engine.decrypt(everlevel.where(operand > 0.125, operand, 0.125), key)
        np.testing.assert_allclose(chosen, np.maximum(expected, 0.125), atol=2.0**-10)
