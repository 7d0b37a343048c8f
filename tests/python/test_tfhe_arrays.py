"""Assignment, reductions along axes, sorting, matrix products, joins and moves of encrypted arrays, beside NumPy's."""

from __future__ import annotations

import copy
import operator
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from claims import assert_claims
from everlevel import tfhe
from everlevel.cluster._blocks import Blocks
from everlevel.errors import MessageError, MessageTypeError, OperandTypeError, WidthError
from parties import IntegerParty, integer_party

DTYPES: list[Any] = [np.uint8, np.int16]
AXES: list[Any] = [None, 0, -1, (0, 2), ()]


@pytest.fixture(scope="module")
def party() -> IntegerParty:
    return integer_party()


@pytest.fixture(params=DTYPES, ids=lambda dtype: np.dtype(dtype).name)
def pair(request: pytest.FixtureRequest, party: IntegerParty, rng: np.random.Generator) -> tuple[Any, Any]:
    """An array of three dimensions, in the clear and encrypted."""
    info = np.iinfo(request.param)
    x = rng.integers(info.min, info.max, (3, 2, 4), dtype=request.param, endpoint=True)
    return x, encrypted(party, x)


def encrypted(party: IntegerParty, values: Any) -> Any:
    engine, secret_key = party
    array = np.asarray(values)
    encrypt = {"u": engine.encrypt_uint, "i": engine.encrypt_int, "b": engine.encrypt_bool}[array.dtype.kind]
    return encrypt(array, secret_key)


INDICES: list[Any] = [
    0, -1, (1, 0, 3), slice(1, None), (slice(None), 1), (Ellipsis, slice(None, None, -2)), [0, 2], (None, 1),
    ([0, 1, 2], [1, 0, 1], [3, 3, 0]), np.array([True, False, True]), Ellipsis,
    np.arange(24).reshape(3, 2, 4) % 5 == 0,
]  # fmt: skip


def test_assignment_is_numpys(pair: tuple[Any, Any], party: IntegerParty) -> None:
    x, a = pair
    for index in INDICES:
        for value in (7, x.ravel()[5], x[::-1][index]):
            clear, before = x.copy(), a.copy()
            clear[index] = value
            before[index] = value if np.ndim(value) == 0 else encrypted(party, value)
            after = before.copy()
            after[index] = value
            for found in (before, after):
                assert (found.shape, found.dtype) == (x.shape, x.dtype)
                assert_claims(found, clear, party[1])
    assert_claims(a, x, party[1])


def test_assignment_of_other_kinds(party: IntegerParty) -> None:
    engine, secret_key = party
    flags = engine.encrypt_bool([True, False, True], secret_key)
    flags[1] = flags[0] & True
    flags[2:] = False
    assert_claims(flags, [True, True, False], secret_key)
    small = engine.encrypt([1, 2, 3], secret_key, max_value=3)
    small[0] = 9
    small[1:] = small[1:][::-1]
    assert_claims(small, [9, 3, 2], secret_key)
    assert small.max_value == 9
    numbers = encrypted(party, np.array([[1, 2], [3, 4]], np.int8))
    numbers[0] = flags[1:]
    assert_claims(numbers, [[1, 0], [3, 4]], secret_key)
    wide = engine.encrypt_int([-1, 2], secret_key, width=256)
    wide[0] = -(2**200)
    assert_claims(wide, [-(2**200), 2], secret_key)


def test_assignment_where_a_condition_holds(pair: tuple[Any, Any], party: IntegerParty) -> None:
    x, a = pair
    for condition, value in [(x > x[0, 0, 0], 5), (x > 9, x.ravel()[3]), (x[:, 0, 0] > 9, x[0]), (x[..., 0] > 9, 0)]:
        clear, found = x.copy(), a.copy()
        clear[condition] = value
        found[encrypted(party, condition)] = value if np.ndim(value) == 0 else encrypted(party, value)
        assert_claims(found, clear, party[1])
    flags = a > 9
    flags[flags] = False
    assert_claims(flags, np.zeros(x.shape, dtype=bool), party[1])
    for value in ([1, 2], x[:2]):
        with pytest.raises(MessageError, match=r"setitem: the condition has shape .* one value for all"):
            a[a > 9] = encrypted(party, np.asarray(value, dtype=x.dtype))
    with pytest.raises(MessageError, match="setitem: the condition has shape"):
        a[a[:2] > 9] = 1
    with pytest.raises(MessageError, match=r"setitem: .* take one encrypted place"):
        a[a] = 1


def test_assignments_that_are_refused(party: IntegerParty) -> None:
    engine, secret_key = party
    a = encrypted(party, np.array([1, 2, 3], np.uint8))
    other = engine.create_secret_key()
    engine.create_evaluation_key(other)
    refused: list[tuple[Any, Any, type[Exception], str]] = [
        (0, 256, MessageError, "the value is 256"),
        (0, -1, MessageError, "the value is -1"),
        (0, 1.5, MessageTypeError, "setitem: the values have dtype float64"),
        (0, "x", MessageTypeError, "setitem"),
        (0, None, MessageTypeError, "setitem"),
        (slice(0, 2), [1, 2, 3], MessageError, r"3 elements of shape \(3,\) don't go to places of shape \(2,\)"),
        (3, 1, IndexError, "out of bounds"),
        (1.5, 1, IndexError, "valid indices"),
        (0, encrypted(party, np.uint16(1)), WidthError, r"setitem: .* 8 and 16 bits; .*astype"),
        (0, encrypted(party, np.int8(1)), OperandTypeError, "IntArray beside UintArray"),
        (0, engine.encrypt(1, secret_key), OperandTypeError, "setitem"),
        (0, engine.encrypt_uint(np.uint8(1), other), ValueError, "setitem: the operands belong to keys"),
    ]
    for index, value, kind, message in refused:
        with pytest.raises(kind, match=message):
            a[index] = value
    assert_claims(a, [1, 2, 3], secret_key)


def test_copies_are_apart(party: IntegerParty) -> None:
    a = encrypted(party, np.array([1, 2, 3], np.uint8))
    others = [a.copy(), copy.copy(a), copy.deepcopy(a), +a, a[:], a.reshape(3), np.copy(a), abs(a)]
    others.append(pickle.loads(pickle.dumps(a)))
    a[...] = 0
    for other in others:
        assert_claims(other, [1, 2, 3], party[1])
    assert_claims(a, [0, 0, 0], party[1])


@pytest.mark.parametrize("axis", AXES, ids=str)
def test_reductions_are_numpys(axis: Any, pair: tuple[Any, Any], party: IntegerParty) -> None:
    x, a = pair
    flags, encrypted_flags = x > 50, a > 50
    with np.errstate(over="ignore"):
        for keepdims in (False, True):
            options = {"axis": axis, "keepdims": keepdims}
            assert_claims(a.sum(**options), x.sum(dtype=x.dtype, **options), party[1])
            assert_claims(a.min(**options), x.min(**options), party[1])
            assert_claims(np.max(a, **options), x.max(**options), party[1])
            assert_claims(encrypted_flags.sum(**options), flags.sum(**options), party[1])
            assert_claims(encrypted_flags.any(**options), flags.any(**options), party[1])
            assert_claims(np.all(encrypted_flags, **options), flags.all(**options), party[1])
            assert_claims(np.count_nonzero(a, **options), np.count_nonzero(x, **options), party[1])
            exact = x.astype(object).sum(**options)
            assert_claims(a.mean(**options), exact // (x.size // np.size(exact)), party[1])
        assert_claims(a.prod(axis), x.prod(axis, dtype=x.dtype), party[1])
        if not isinstance(axis, tuple):
            for found, expected in [
                (a.argmin(axis, keepdims=True), x.argmin(axis, keepdims=True)),
                (np.argmax(a, axis), np.argmax(x, axis)),
                (a.cumsum(axis), x.cumsum(axis, dtype=x.dtype)),
                (np.sort(a, axis), np.sort(x, axis)),
            ]:
                assert_claims(found, expected, party[1])


def test_sums_of_other_types(party: IntegerParty) -> None:
    x = np.array([[200, 100], [250, 255]], np.uint8)
    a = encrypted(party, x)
    assert_claims(a.sum(dtype=np.uint16), 805, party[1])
    assert_claims(np.sum(a, 0, np.uint32), x.sum(axis=0), party[1])
    assert_claims(a.prod(dtype=np.uint64), x.prod(dtype=np.uint64), party[1])
    assert_claims(a.cumsum(dtype="int128"), [200, 300, 550, 805], party[1])
    assert_claims((a > 100).sum(1, np.int16), [1, 2], party[1])
    assert ((a > 0).sum().dtype, (a > 0).sum(dtype=np.int16).dtype) == (np.uint8, np.int16)
    small = party[0].encrypt(np.arange(4).reshape(2, 2), party[1], max_value=3)
    assert_claims(small.sum((0, 1)), 6, party[1])
    assert_claims(small.sum(1, keepdims=True), [[1], [5]], party[1])
    with pytest.raises(WidthError, match="mean: 2 integers of 256 bits have a sum of 257 bits"):
        party[0].encrypt_uint([1, 2], party[1], width=256).mean()


@pytest.mark.parametrize("length", [1, 2, 3, 5, 8, 13])
def test_sorting_and_sums_of_any_length(length: int, party: IntegerParty, rng: np.random.Generator) -> None:
    x = rng.integers(-5, 5, (2, length)).astype(np.int8)
    a = encrypted(party, x)
    assert_claims(np.cumsum(a, axis=1), np.cumsum(x, axis=1, dtype=np.int8), party[1])
    assert_claims(np.add.accumulate(a), np.add.accumulate(x), party[1])
    assert_claims(np.sort(a), np.sort(x), party[1])
    assert a.sort() is None
    assert_claims(a, np.sort(x), party[1])


SHAPES: list[tuple[Any, Any]] = [((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 2)), ((2, 3), (3, 4)), ((2, 2, 3), (3, 2))]


@pytest.mark.parametrize("shapes", SHAPES, ids=str)
def test_products_of_matrices(shapes: tuple[Any, Any], party: IntegerParty, rng: np.random.Generator) -> None:
    x, y = (rng.integers(-128, 127, shape, dtype=np.int8, endpoint=True) for shape in shapes)
    a, b = encrypted(party, x), encrypted(party, y)
    for left, right in [(a, b), (a, y), (x, b)]:
        assert_claims(left @ right, x @ y, party[1])
        assert_claims(np.matmul(left, right), x @ y, party[1])
        assert_claims(np.dot(left, right), np.dot(x, y), party[1])
    assert_claims(a.dot(3), x * np.int8(3), party[1])


def test_products_of_matrices_that_are_refused(party: IntegerParty) -> None:
    a = encrypted(party, np.ones((2, 3), np.uint8))
    cube = encrypted(party, np.arange(12, dtype=np.uint8).reshape(2, 2, 3))
    assert_claims(np.dot(cube, cube.reshape(2, 3, 2)), np.dot(*_cubes()), party[1])
    for call in (operator.matmul, np.dot):
        with pytest.raises(MessageError, match=r"\(2, 3\) and \(2, 3\) don't go together"):
            call(a, a)
    with pytest.raises(MessageError, match="matmul: an operand is a single integer"):
        a @ a[0, 0]
    with pytest.raises(OperandTypeError, match="matmul"):
        a @ (a > 0)


def _cubes() -> tuple[Any, Any]:
    x = np.arange(12, dtype=np.uint8).reshape(2, 2, 3)
    return x, x.reshape(2, 3, 2)


@pytest.mark.parametrize("axis", [5, -3, 1.5, "x", (0, 0), (0, 7), True], ids=str)
def test_axes_that_are_not_there(axis: Any, party: IntegerParty) -> None:
    a = encrypted(party, np.ones((2, 3), np.uint8))
    flags = a > 0
    calls = [a.sum, a.prod, a.cumsum, a.mean, a.min, a.argmax, a.sort, flags.sum, flags.any, flags.all]
    for call in calls:
        with pytest.raises(MessageError, match=r"^\w+: axis .*choose one, .*or None for all"):
            call(axis)
    with pytest.raises(OperandTypeError, match="keepdims is 1 of type int"):
        a.sum(keepdims=1)


def test_truth_values_beside_integers(pair: tuple[Any, Any], party: IntegerParty) -> None:
    x, a = pair
    flags, b = x > 50, a > 50
    numbers = flags.astype(x.dtype)
    functions = [operator.mul, operator.add, operator.sub, operator.and_, operator.xor, np.minimum, operator.lt]
    with np.errstate(over="ignore"):
        for function in [*functions, operator.eq, operator.ne]:
            assert_claims(function(a, b), function(x, numbers), party[1])
            assert_claims(function(b, a), function(numbers, x), party[1])
        assert_claims(b * x, numbers * x, party[1])
        assert_claims(x * b, numbers * x, party[1])
    assert (b * a).dtype == x.dtype
    for other in (b[::-1], flags[::-1], True):
        clear = flags[::-1] if other is not True else True
        assert_claims(b * other, flags & clear, party[1])
        assert_claims(np.logical_xor(b, other), flags ^ clear, party[1])
    assert_claims(np.logical_and(a, b), np.logical_and(x, flags), party[1])
    assert_claims(np.logical_or(a, 0), x != 0, party[1])
    assert_claims(np.logical_not(a), x == 0, party[1])
    with pytest.raises(MessageTypeError, match="no width"):
        b * 3
    with pytest.raises(OperandTypeError, match="multiply: the operands are a BoolArray and a Ciphertext"):
        b * party[0].encrypt(3, party[1])


MOVES: list[Any] = [
    np.transpose, np.ravel, np.squeeze, np.flip, np.fliplr, np.flipud, np.rot90, np.atleast_3d,
    lambda x: np.roll(x, 2), lambda x: np.roll(x, 1, axis=1), lambda x: np.tile(x, (2, 1, 1)),
    lambda x: np.repeat(x, 2, axis=0), lambda x: np.take(x, [3, 0, 3], axis=2), lambda x: np.swapaxes(x, 0, 2),
    lambda x: np.moveaxis(x, 0, -1), lambda x: np.rollaxis(x, 2), lambda x: np.expand_dims(x, (0, 2)),
    lambda x: np.broadcast_to(x, (2, 3, 2, 4)), lambda x: np.diagonal(x, axis1=0, axis2=1),
    lambda x: np.delete(x, [0, 3], axis=2), lambda x: np.resize(x, (5, 6)), lambda x: np.split(x, 2, axis=2)[1],
    lambda x: np.array_split(x, 2)[0], lambda x: np.hsplit(x, 2)[0], lambda x: np.concatenate([x, x[:1]]),
    lambda x: np.concatenate([x, x[:1]], axis=None), lambda x: np.stack([x, x], axis=-1),
    lambda x: np.vstack([x, x[:2]]), lambda x: np.hstack([x, x]), lambda x: np.dstack([x, x[..., :1]]),
    lambda x: np.column_stack([x[0], x[1]]), lambda x: np.append(x, x[0, 0]), lambda x: np.append(x, x[:1], axis=0),
    lambda x: x.transpose(1, 2, 0), lambda x: x.transpose((2, 0, 1)), lambda x: x.T.ravel(),
]  # fmt: skip


def test_moves_and_joins_are_numpys(pair: tuple[Any, Any], party: IntegerParty) -> None:
    x, a = pair
    for function in MOVES:
        assert_claims(function(a), function(x), party[1])
    assert_claims(np.stack([a, x]), np.stack([x, x]), party[1])
    assert_claims(np.concatenate([x, a]), np.concatenate([x, x]), party[1])
    flags = a > 50
    assert_claims(np.where(flags, True, x < 9), (x > 50) | (x < 9), party[1])
    assert_claims(np.vstack([flags, flags]), np.vstack([x > 50, x > 50]), party[1])
    for encrypted_argument in (lambda: np.atleast_1d(a, a), lambda: np.take(a, a), lambda: np.atleast_2d(a, x)):
        with pytest.raises(OperandTypeError, match=r"^numpy\.\w+: .*(one is taken|alone may be)"):
            encrypted_argument()
    for refused in (lambda: np.tile(a, "x"), lambda: np.moveaxis(a, 5, 0), lambda: np.split(a, 5)):
        with pytest.raises(OperandTypeError, match=r"^\w+: the arguments don't fit"):
            refused()


def test_results_in_arrays_that_are_given(party: IntegerParty) -> None:
    x, y = np.array([[200, 5], [17, 80]], np.uint8), np.array([100, 3], np.uint8)
    a, b = encrypted(party, x), encrypted(party, y)
    out = encrypted(party, np.zeros_like(x))
    assert np.add(a, b, out=out) is out
    assert_claims(out, x + y, party[1])
    np.multiply(a, y, out)
    assert_claims(out, x * y, party[1])
    quotient, remainder = out.copy(), out.copy()
    found = np.divmod(a, b, out=(quotient, remainder))
    assert found[0] is quotient
    assert found[1] is remainder
    assert_claims(quotient, x // y, party[1])
    assert_claims(remainder, x % y, party[1])
    row = out[0]
    assert np.sum(a, axis=0, out=row) is row
    assert_claims(row, x.sum(axis=0, dtype=np.uint8), party[1])
    assert np.minimum.reduce(a, out=row) is row
    assert_claims(row, x.min(axis=0), party[1])
    for ufunc, options in [(np.add, {}), (np.multiply, {"axis": 1}), (np.maximum, {"axis": None, "keepdims": True})]:
        assert_claims(ufunc.reduce(a, **options), ufunc.reduce(x, dtype=np.uint8, **options), party[1])
    assert_claims(np.add.accumulate(a, axis=1), np.add.accumulate(x, axis=1), party[1])
    flags = a > 50
    assert_claims(np.logical_or.reduce(flags), (x > 50).any(axis=0), party[1])
    assert_claims(np.logical_and.reduce(flags, axis=None), False, party[1])
    assert_claims(np.add.outer(a[0], b[0]), np.add.outer(x[0], y[0]), party[1])
    for refused in [
        lambda: np.add(a, b, out=x),
        lambda: np.add(a, b, where=x > 3),
        lambda: np.add.reduce(a, initial=5),
        lambda: np.subtract.reduce(a),
        lambda: np.add.at(a, 0, 1),
        lambda: np.sum(a, where=x > 3),
        lambda: np.cumsum(a, out=x),
    ]:
        with pytest.raises(OperandTypeError, match=r"^numpy\.\w+"):
            refused()
    with pytest.raises(MessageError, match="setitem: 4 elements"):
        np.add(a, b, out=row)


def test_arrays_without_elements(party: IntegerParty, tmp_path: Path) -> None:
    engine, secret_key = party
    x = np.zeros((2, 0, 3), np.int16)
    a, full = encrypted(party, x), encrypted(party, np.ones((2, 1, 3), np.int16))
    flags, small = a > 3, engine.encrypt([], secret_key, max_value=3)
    numbers = [
        a,
        a + a,
        a * full,
        full - a,
        a // full,
        divmod(a, 7)[1],
        -a,
        abs(a),
        ~a,
        a << 3,
        a >> full,
        a**2,
        a.copy(),
    ]
    numbers += [
        a.min(0),
        a.cumsum(1),
        np.sort(a, 1),
        a.astype(np.int16),
        np.minimum(a, full),
        full[:, :0],
        a[..., ::-1],
    ]
    numbers += [np.where(flags, a, 3), engine.select(flags, full, a), np.concatenate([a, a], axis=1), flags * full]
    numbers += [engine.checked_add(a, 1)[0], engine.rotate_left(a, 1), engine.load_bytes(a.to_bytes())]
    for found in numbers:
        assert type(found) is tfhe.IntArray
        assert found.width == 16
        assert found.shape == (x.min(0).shape if found is numbers[13] else x.shape)
        assert_claims(found, np.zeros(found.shape, np.int16), secret_key)
    for bools in (flags, a == full, ~flags, flags & (a < 0), flags.any(0), engine.load_bytes(flags.to_bytes())):
        assert_claims(bools, np.zeros(bools.shape, bool), secret_key)
    for axis, keepdims in [(1, False), (1, True), (None, False)]:
        for found, expected in [
            (a.sum(axis, keepdims=keepdims), x.sum(axis, keepdims=keepdims)),
            (a.prod(axis, keepdims=keepdims), x.prod(axis, keepdims=keepdims)),
            (flags.any(axis, keepdims=keepdims), (x > 3).any(axis, keepdims=keepdims)),
            (flags.all(axis, keepdims=keepdims), (x > 3).all(axis, keepdims=keepdims)),
            (flags.sum(axis, keepdims=keepdims), (x > 3).sum(axis, keepdims=keepdims)),
        ]:
            assert_claims(found, expected, secret_key)
    for call in (a.min, a.argmax, a.mean):
        with pytest.raises(MessageError, match=r"^\w+: an array of shape .* has no elements along these axes"):
            call(1)
    full[:, :0] = a
    assert_claims(np.concatenate([full, a], axis=1), np.ones((2, 1, 3)), secret_key)
    for found in (small, small + 3, 2 * small, small[::-1], engine.bootstrap(small, lut=lambda m: m)):
        assert_claims(found, np.zeros(0), secret_key)
    assert_claims(engine.encrypt_uint([], secret_key, width=128), np.zeros(0, object), secret_key)
    blocks = Blocks("negate", (a, full), None, slots=2)
    assert len(blocks) == 1
    assert_claims(blocks.join([one + other for one, other in blocks]), x, secret_key)
    a.save(tmp_path / "nothing")
    assert engine.load(tmp_path / "nothing").shape == x.shape  # type: ignore[attr-defined]
    assert repr(a).startswith("IntArray(shape (2, 0, 3), int16, ")
