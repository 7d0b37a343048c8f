"""Values of arrays in other slots: rolls, permutations, and sums along axes.

Slots are rotated, and chosen among rotations by a product with a matrix of zeros and ones, which takes a level. Slots
behind the values take part: whatever they hold is an integer that an element may have, before and after.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _native
from .._common import checks, slot_shapes, spaces
from .._common.shaped import Shape
from ..errors import MessageError, MissingKeyError, SpaceError
from ..tfhe import _checks
from . import _operands
from ._core import Core
from ._integers import combined, looked_up, require_small_error
from ._routes import in_three
from ._sets import LEVEL
from .ciphertext import Ciphertext

Places = NDArray[np.int64]


def roll(self: Core, ciphertext: Ciphertext, shift: Any, axis: Any = None) -> Ciphertext:
    """Move elements along axes, and the last ones to the first places, as ``numpy.roll`` does.

    Parameters
    ----------
    ciphertext : Ciphertext
        Of any shape.
    shift : int or tuple of int
        Places by which elements move, along each axis.
    axis : int or tuple of int, optional
        Axes; if left out, elements move in the flat order.

    Returns
    -------
    Ciphertext
        Of the same shape. It is a product, and takes no bootstrap; what another product or a selection has made is
        looked up once before. An array that fills the slots of its ciphertext is rotated alone.

    Raises
    ------
    MissingKeyError
        If the engine's evaluation key for the secret wasn't made with ``rotations=True``.
    NoiseError
        If the errors are too large.
    OperandTypeError
        If NumPy takes no such shift or axis.
    EngineMismatchError
        If the ciphertext is of other parameters.

    Examples
    --------
    >>> engine, secret_key = bulk_engine, bulk_secret_key
    >>> x = engine.encrypt([3, 9, 12, 6], secret_key)
    >>> engine.decrypt(engine.roll(x, 1), secret_key)
    array([ 6,  3,  9, 12], dtype=uint8)
    """
    operation = "roll"
    x = _operands.ciphertext(self, operation, "ciphertext", ciphertext)
    places = slot_shapes.called(operation, lambda: np.roll(_checks.places(x.shape), shift, axis))
    return gathered(self, operation, x, places.reshape(1, -1), x.shape)


def permute(self: Core, ciphertext: Ciphertext, order: Any, axis: Any = None) -> Ciphertext:
    """Put elements in another order, as ``numpy.take(x, order, axis)`` does where every element is taken once.

    Parameters
    ----------
    ciphertext : Ciphertext
        Of any shape.
    order : array_like of int
        Which element comes to each place: all of the flat order, in any shape; or, with an axis, a vector of those
        along it. It is public.
    axis : int, optional
        The axis along which elements move; if left out, they are numbered in the flat order.

    Returns
    -------
    Ciphertext
        Of the shape of `order`, or of the same one, with an axis. It is a product, with a rotation for each distance
        that elements move by, or fewer; where there are very many distances, three products and two bootstraps.

    Raises
    ------
    MessageError
        If `order` hasn't every element once.
    MessageTypeError
        If it hasn't integers.
    MissingKeyError
        If the engine's evaluation key for the secret wasn't made with ``rotations=True``.
    ParameterError
        If there is no such axis.
    NoiseError
        If the errors are too large.
    OperandTypeError, EngineMismatchError
        If the ciphertext is none, or of other parameters.

    Examples
    --------
    >>> engine, secret_key = bulk_engine, bulk_secret_key
    >>> x = engine.encrypt([[3, 9, 12], [6, 0, 1]], secret_key)
    >>> engine.decrypt(engine.permute(x, [2, 0, 1], axis=1), secret_key)
    array([[12,  3,  9],
           [ 1,  6,  0]], dtype=uint8)
    >>> transposed = engine.permute(x, np.arange(6).reshape(2, 3).T)
    >>> engine.decrypt(transposed, secret_key)
    array([[ 3,  6],
           [ 9,  0],
           [12,  1]], dtype=uint8)
    """
    operation = "permute"
    x = _operands.ciphertext(self, operation, "ciphertext", ciphertext)
    listed = _checks.integers(operation, order)
    if axis is None:
        size, is_fit = x.size, listed.size == x.size
    else:
        place = checks.integer(operation, "axis", axis)
        axis = slot_shapes.axes(operation, place, x.ndim)[0]
        size, is_fit = x.shape[axis], listed.ndim == 1
    if not is_fit or not np.array_equal(np.sort(listed, axis=None), np.arange(size)):
        raise MessageError(
            f"{operation}: the order has shape {listed.shape}, and each of 0 to {size - 1} once is needed; "
            f"pass a permutation, such as numpy.argsort gives one",
            length=listed.size,
        )
    places = np.take(_checks.places(x.shape), listed, axis)
    return gathered(self, operation, x, places.reshape(1, -1), places.shape)


def sum(self: Core, ciphertext: Ciphertext, *, axis: Any = None, keepdims: bool = False) -> Ciphertext:  # noqa: A001
    """Add up integers along axes, as ``numpy.sum`` does, while the sums stay in the space. No bootstrap is taken.

    Larger sums are sums of digits: see `bootstrap_many` with ``m % 4`` and ``m // 4``, whose results can be added up
    further.

    Parameters
    ----------
    ciphertext : Ciphertext
        Integers, of any shape.
    axis : int or tuple of int, optional
        Axes that are added up; all, if left out.
    keepdims : bool, default False
        Whether the axes stay, with a length of 1.

    Returns
    -------
    Ciphertext
        Its `max_value` is as many times the operand's as it adds up. Rotations are twice as many as a length has binary
        digits. Unless the first axes are added up, sums are brought to their places by a product, as in `permute`.

    Raises
    ------
    SpaceError
        If a sum may leave the space, with its largest value; or the parameters hold bits.
    ParameterError
        If there is no such axis.
    MissingKeyError
        If the engine's evaluation key for the secret wasn't made with ``rotations=True``.
    NoiseError
        If the errors of all operands together may be too large.
    OperandTypeError, EngineMismatchError
        If the ciphertext is none, or of other parameters.

    Examples
    --------
    >>> engine, secret_key = bulk_engine, bulk_secret_key
    >>> x = engine.encrypt([[3, 1, 2], [0, 1, 1]], secret_key, max_value=3)
    >>> engine.decrypt(engine.sum(x, axis=0), secret_key)
    array([3, 2, 3], dtype=uint8)
    >>> is_one = engine.bootstrap(x, lut=lambda m: m == 1)
    >>> engine.decrypt(engine.sum(is_one), secret_key)
    array(3, dtype=uint8)
    """
    operation = "sum"
    x = _operands.ciphertext(self, operation, "ciphertext", ciphertext)
    spaces.require_integers(self, operation)
    axes, keeps = slot_shapes.axes(operation, axis, x.ndim), checks.flag(operation, "keepdims", keepdims)
    left = tuple(size for place, size in enumerate(x.shape) if place not in axes)
    shape = tuple(1 if place in axes else size for place, size in enumerate(x.shape)) if keeps else left
    count = math.prod(x.shape[place] for place in axes)
    largest, most = count * x.max_value, self._context.set.space - 1
    if largest > most:
        fitting = most // x.max_value
        how = f"add up to {fitting} of them" if fitting > 1 else "give a smaller max_value when encrypting"
        raise SpaceError(
            f"{operation}: sums of {count} elements up to {x.max_value} may be {largest}, and the space ends at "
            f"{most}; {how}, and then sums' digits, which engine.bootstrap_many(x, [lambda m: m % 4, lambda m: m // 4])"
            f" gives; or choose parameters of more bits",
            found=largest,
            needed=most,
        )
    if count == 1:
        return x.reshape(shape)
    # Rows of what is added up, in the flat order.
    rows = np.moveaxis(_checks.places(x.shape), axes, range(len(axes))).reshape(count, -1)
    if x._native.unit_count > 1:
        return _over_units(self, operation, x, rows, shape)
    for place in axes:
        x = _added_up(self, operation, x, math.prod(x.shape[place + 1 :]), x.shape[place])
    return gathered(self, operation, x, rows[:1], shape)


def _over_units(self: Core, operation: str, x: Ciphertext, rows: Places, shape: Shape) -> Ciphertext:
    """Add up rows of places of an array in several ciphertexts, by one product."""
    slots = self._context.ckks.slot_count
    if _diagonal_count(rows, x._native.unit_count, slots) > grid(x._native.unit_count, slots)[1]:
        # Rows one after the other have few distances.
        x = gathered(self, operation, x, rows.reshape(1, -1), (rows.size,))
        rows = _checks.places(rows.shape)
    return gathered(self, operation, x, rows, shape)


def _added_up(self: Core, operation: str, x: Ciphertext, stride: int, count: int) -> Ciphertext:
    """Add up so many elements from each on, which are a stride apart."""
    total, done = x, 1
    for digit in f"{count:b}"[1:]:
        further = _turned(self, operation, total, done * stride)
        total, done = combined(self, operation, x.shape, [(1, total), (1, further)], 0), 2 * done
        if digit == "1":
            further = _turned(self, operation, total, stride)
            total, done = combined(self, operation, x.shape, [(1, further), (1, x)], 0), done + 1
    return total


def _turned(self: Core, operation: str, x: Ciphertext, amount: int) -> Ciphertext:
    """Rotate the slots of every unit to the left."""
    key, context = _rotation_key(self, operation, x), self._context.ckks
    amount %= context.slot_count
    if amount == 0:
        return x
    error = context.error_after_move(self._context.set.space, LEVEL, x._error, (1, 0))
    require_small_error(operation, error)
    count = x._bootstrap_count + 1
    native = context.rotate(x._native, key, -amount)
    return Ciphertext(self, native, x.shape, max_value=x.max_value, error=error, bootstrap_count=count)


def gathered(self: Core, operation: str, x: Ciphertext, sources: Places, shape: Shape) -> Ciphertext:
    """Bring elements to a shape: to each place the sum of those at the sources in its column, which stays in the space.

    With one source for each place, no two places have the same.
    """
    _rotation_key(self, operation, x)
    slots, units, targets = self._context.ckks.slot_count, x._native.unit_count, np.arange(sources.shape[1])
    blocks, amounts = sources // slots - targets // slots, (sources - targets) % slots
    if len(sources) == 1 and len(targets) > (units - 1) * slots and not np.any([blocks, amounts - amounts[0, 0]]):
        return _of_shape(_turned(self, operation, x, int(amounts[0, 0])), shape)
    columns, most = grid(units, slots)
    if len(sources) == 1 and _diagonal_count(sources, units, slots) > most:
        whole = _completed(sources[0], units * slots)
        x = _of_shape(x, (len(whole),))
        for step in in_three(whole, columns):
            x = _multiplied(self, operation, x, step.reshape(1, -1), (len(whole),))
        return _of_shape(x, shape)
    return _multiplied(self, operation, x, sources, shape)


def _multiplied(self: Core, operation: str, x: Ciphertext, sources: Places, shape: Shape) -> Ciphertext:
    """Bring elements to a shape, as `gathered` does, by one product."""
    key, context, space = _rotation_key(self, operation, x), self._context.ckks, self._context.set.space
    slots, of_units, count = context.slot_count, x._native.unit_count, len(sources)
    matrices = [_matrix(sources[:, first : first + slots], first, slots) for first in range(0, sources.shape[1], slots)]
    if x._native.level < LEVEL:
        x = looked_up(self, operation, x, [np.arange(x.max_value + 1)])[0]
    error = context.error_after_move(space, LEVEL, x._error, (count, max(len(places) for places, _ in matrices)))
    require_small_error(operation, error)
    units = [
        _native.multiply_matrix(context, ((slots, of_units * slots), places, values), x._native, key)
        for places, values in matrices
    ]
    # Integer m is (2m + 1)/p - 1: of each term after the first, that is an offset.
    summed = context.add_scalar(context.stack(units), (count - 1) * (1 - 1 / space))
    found = count * (x._bootstrap_count + 1)
    native = context.within(summed, 1.0)
    return Ciphertext(self, native, shape, max_value=count * x.max_value, error=error, bootstrap_count=found)


def _matrix(sources: Places, first: int, slots: int) -> tuple[list[tuple[int, int]], NDArray[np.float64]]:
    """Return blocks and amounts of the diagonals that bring elements to the slots of a unit, and these.

    Slots behind the last element get what is as far from them as its sources are from it.
    """
    targets = np.arange(sources.shape[1])
    keys = sources // slots * slots + (sources - first - targets) % slots
    keys = np.concatenate([keys, np.repeat(keys[:, -1:], slots - len(targets), axis=1)], axis=1)
    found, places = np.unique(keys, return_inverse=True)
    values = np.zeros((len(found), slots))
    np.add.at(values, (places.reshape(keys.shape), np.arange(slots)), 1.0)
    return [divmod(int(key), slots) for key in found], values


def _diagonal_count(sources: Places, units: int, slots: int) -> int:
    """Count the diagonals of all units of a product."""
    targets = np.arange(sources.shape[1])
    blocks = targets // slots * units + sources // slots
    return len(np.unique(blocks * slots + (sources - targets) % slots))


def grid(units: int, slots: int) -> tuple[int, int]:
    """Return the columns of the grid for permutations in three steps, and how many diagonals these have together."""
    columns = 2 ** max(1, round(math.log2(units * slots) / 2) - 1)
    return columns, 2 * units * (2 * columns - 1) + units**2 * (slots // columns)


def _completed(sources: Places, size: int) -> Places:
    """Return a permutation that has these sources, and the others behind."""
    others = np.setdiff1d(np.arange(size), sources, assume_unique=True)
    return np.concatenate([sources, others])


def _of_shape(x: Ciphertext, shape: Shape) -> Ciphertext:
    """Return an array of other elements, which begin with these."""
    count = x._bootstrap_count
    return Ciphertext(x._engine, x._native, shape, max_value=x.max_value, error=x._error, bootstrap_count=count)


def first(x: Ciphertext, size: int) -> Ciphertext:
    """Return as many of the first elements, which stay in their slots, as a vector."""
    engine: Any = x._engine
    context, native, count = engine._context.ckks, x._native, x._bootstrap_count
    units = -(-size // context.slot_count)
    native = native if units == native.unit_count else context.stack(native.units()[:units])
    return Ciphertext(engine, native, (size,), max_value=x.max_value, error=x._error, bootstrap_count=count)


def _rotation_key(self: Core, operation: str, x: Ciphertext) -> _native.RotationKey:
    key: _native.RotationKey | None = self._key(operation, x._native.secret_id).rotation
    if key is None:
        raise MissingKeyError(
            f"{operation}: the engine's evaluation key for this ciphertext's secret has no rotations; make one with "
            f"engine.create_evaluation_key(secret_key, rotations=True)",
            key="rotation key",
        )
    return key
