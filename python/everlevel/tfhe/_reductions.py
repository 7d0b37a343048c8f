"""Reductions of arrays of integers and of truth values along axes: sums, products, extrema, dot products; and sorting.

Each is made of operations on all elements at once, so that bootstraps that don't wait for each other share a pass over
the key.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeVar

import numpy as np
from numpy.typing import DTypeLike, NDArray

from .. import _native
from .._common import checks
from .._common.arrays import array_of
from .._common.shaped import Shape
from ..errors import MessageError, OperandTypeError, WidthError
from . import _checks, _uint_operations
from ._array import EncryptedArray, concatenate, key_of
from ._core import Core
from ._integer_array import IntegerArray, IntegerT
from ._uint_operations import WIDTHS
from .bool_array import BoolArray
from .decimal_array import DecimalArray
from .uint_array import UintArray

AnyT = TypeVar("AnyT", bound=EncryptedArray[Any])


def reduce(self: Core, name: str, x: IntegerT, axis: Any, keepdims: Any = False) -> IntegerT:
    rows, shape = _checks.rows(name, x.shape, axis, keepdims)
    if not rows.size:
        _require_elements(name, x.shape, rows)
        return _uint_operations.filled(self, name, x, 0, shape)
    return type(x)(self, _reduced(self, name, x, rows), shape)


def place_of(self: Core, name: str, x: IntegerArray, axis: Any, keepdims: Any = False) -> UintArray:
    if isinstance(axis, tuple):
        raise MessageError(f"{name}: axis {axis!r} is a tuple, and one axis is needed; choose one, or None for all")
    rows, shape = _checks.rows(name, x.shape, axis, keepdims)
    if not rows.size:
        _require_elements(name, x.shape, rows)
        return _uint_operations.resized(self, x.reshape(shape), 8, UintArray)
    return UintArray(self, _reduced(self, name, x, rows), shape)


def _require_elements(name: str, shape: Shape, rows: NDArray[np.intp]) -> None:
    """Refuse extrema, places and means of no elements."""
    if name != "sum" and not rows.shape[0]:
        raise MessageError(
            f"{name}: an array of shape {shape} has no elements along these axes, and one at least is needed; "
            f"choose others",
            length=0,
        )


def _reduced(self: Core, name: str, x: IntegerArray, rows: NDArray[np.intp]) -> _native.TfheUintArray:
    key = key_of(self, name, x)
    with self._reporting(name) as report:
        return x._take(rows)._native.reduce(name, x._signed, rows.shape[0], (self._context, key, report))


def product(self: Core, x: IntegerT, axis: Any, keepdims: Any = False) -> IntegerT:
    """Multiply along axes by a tree of products."""
    rows, shape = _checks.rows("prod", x.shape, axis, keepdims)
    if not rows.shape[0]:
        return _uint_operations.filled(self, "prod", x, 1, shape)
    left = x._take(rows)
    while len(left) > 1:
        half = len(left) // 2
        products: Any = _uint_operations.binary(self, "multiply", left[:half], left[half : 2 * half])
        left = concatenate([products, left[2 * half :]]) if len(left) % 2 else products
    return left.reshape(shape)


def cumulative_sum(self: Core, x: IntegerT, axis: Any) -> IntegerT:
    """Sum up along an axis by twice as many additions as elements, in twice as many rounds as their number has bits.

    Brent and Kung's: sums of pairs, of pairs of these, and so on, and then the other elements by these.
    """
    if axis is None:
        x, axis = x.ravel(), 0
    axes = _one_axis("cumsum", x.shape, axis)
    sums = x._take(np.moveaxis(_checks.places(x.shape), axes, 0))
    length = len(sums)
    steps = [2**i for i in range((length - 1).bit_length())]
    for step, first in [*((step, 2 * step - 1) for step in steps), *((step, 3 * step - 1) for step in steps[::-1])]:
        at = np.arange(first, length, 2 * step)
        if at.size:
            sums[at] = _uint_operations.binary(self, "add", sums[at], sums[at - step])
    return sums._take(np.moveaxis(_checks.places(sums.shape), 0, axes))


def mean(self: Core, x: IntegerT, axis: Any, keepdims: Any = False) -> IntegerT:
    """Divide the exact sum, which a larger width holds, by the number of elements, rounding down."""
    rows, _ = _checks.rows("mean", x.shape, axis, keepdims)
    _require_elements("mean", x.shape, rows)
    count = rows.shape[0]
    needed = x.width + (count - 1).bit_length()
    width = next((width for width in WIDTHS if width >= needed), None)
    if width is None:
        raise WidthError(
            f"mean: {count} integers of {x.width} bits have a sum of {needed} bits, and {WIDTHS[-1]} at most are "
            f"taken; take fewer, or sums",
            left=x.width,
            right=needed,
        )
    total = reduce(self, "sum", _uint_operations.resized(self, x, width, type(x)), axis, keepdims)
    if count > 1:
        total = _uint_operations.binary(self, "floor_divide", total, count)  # type: ignore[assignment]
    return _uint_operations.resized(self, total, x.width, type(x))


def matrix_product(self: Core, a: Any, b: Any) -> Any:
    """Multiply vectors and matrices, and stacks of these, as ``numpy.matmul`` does."""
    left, right = _factor("matmul", a), _factor("matmul", b)
    if not left.ndim or not right.ndim:
        raise MessageError("matmul: an operand is a single integer, and vectors or matrices are needed; use *")
    if left.shape[-1] != right.shape[-2 if right.ndim > 1 else 0]:
        raise MessageError(
            f"matmul: arrays of shapes {left.shape} and {right.shape} don't go together; reshape one, or transpose it"
        )
    # Rows of the one beside columns of the other: the last axis but one is summed up.
    rows = left.reshape((*left.shape, 1)) if left.ndim > 1 else left.reshape((1, *left.shape, 1))
    columns = right.reshape((*right.shape, 1)) if right.ndim == 1 else right
    columns = columns.reshape((*columns.shape[:-2], 1, *columns.shape[-2:]))
    found: Any = _uint_operations.binary(self, "multiply", rows, columns)
    total = reduce(self, "sum", found, found.ndim - 2)
    dropped = [*([-2] if left.ndim == 1 else []), *([-1] if right.ndim == 1 else [])]
    return total._take(np.squeeze(_checks.places(total.shape), tuple(dropped)))


def dot(self: Core, a: Any, b: Any) -> Any:
    """Sum products over the last axis of the one operand and the last but one of the other, as ``numpy.dot`` does."""
    left, right = _factor("dot", a), _factor("dot", b)
    if not left.ndim or not right.ndim:
        return _uint_operations.binary(self, "multiply", a, b)
    if left.ndim <= 2 and right.ndim <= 2:
        return matrix_product(self, left, right)
    # One matrix of all rows, and one of all columns.
    columns = _moved(right, -2 if right.ndim > 1 else 0)
    if left.shape[-1] != columns.shape[0]:
        raise MessageError(
            f"dot: arrays of shapes {left.shape} and {right.shape} don't go together; reshape one, or transpose it"
        )
    flat = matrix_product(self, left.reshape((-1, left.shape[-1])), columns.reshape((columns.shape[0], -1)))
    return flat.reshape((*left.shape[:-1], *columns.shape[1:]))


def _factor(operation: str, value: Any) -> Any:
    if isinstance(value, IntegerArray):
        return value
    if isinstance(value, EncryptedArray):
        return checks.instance(operation, "operand", value, IntegerArray)
    return array_of(operation, value, "integers")


def _moved(x: Any, axis: int) -> Any:
    places = np.moveaxis(_checks.places(x.shape), axis, 0)
    return x._take(places) if isinstance(x, EncryptedArray) else np.moveaxis(x, axis, 0)


def sort(self: Any, x: IntegerT, axis: Any = -1) -> IntegerT:
    """Sort along an axis by Batcher's odd-even merges: comparisons of pairs that don't depend on what is compared."""
    if axis is None:
        x, axis = x.ravel(), 0
    axes = _one_axis("sort", x.shape, axis)
    rows = x._take(np.moveaxis(_checks.places(x.shape), axes, 0))
    for low, high in _comparators(len(rows)):
        a, b = rows[low], rows[high]
        in_order = _uint_operations.compare(self, "less_equal", a, b)
        both = concatenate([in_order, in_order]), concatenate([a, b]), concatenate([b, a])
        rows[np.concatenate([low, high])] = self.select(*both)
    return rows._take(np.moveaxis(_checks.places(rows.shape), 0, axes))


def _comparators(count: int) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """Yield the rounds of Batcher's network: places that are compared, and where the smaller ones go first."""
    sorted_len = 1
    while sorted_len < count:
        distance = sorted_len
        while distance:
            low = np.arange(count - distance)
            starts = distance % sorted_len
            in_pair = (low >= starts) & ((low - starts) % (2 * distance) < distance)
            low = low[in_pair & (low // (2 * sorted_len) == (low + distance) // (2 * sorted_len))]
            if low.size:
                yield low, low + distance
            distance //= 2
        sorted_len *= 2


def _one_axis(operation: str, shape: Shape, axis: Any) -> int:
    if isinstance(axis, tuple):
        raise MessageError(
            f"{operation}: axis {axis!r} is a tuple, and one axis is needed; choose one, or None for all"
        )
    _checks.rows(operation, shape, axis)
    return int(axis)


# Truth values.


def any_of(self: Core, name: str, x: BoolArray, axis: Any, keepdims: Any = False) -> BoolArray:
    rows, shape = _checks.rows(name, x.shape, axis, keepdims)
    key = key_of(self, name, x)
    if not rows.size:
        # Nothing holds of none: `all` is the opposite of that.
        return _uint_operations.bool_operand(self, name, "x", np.zeros(shape, dtype=bool), key)
    with self._reporting(name) as report:
        return BoolArray(self, x._take(rows)._native.any(rows.shape[0], (self._context, key, report)), shape)


def count(self: Core, x: BoolArray, axis: Any, keepdims: Any = False, dtype: DTypeLike | str | None = None) -> Any:
    """Count the truth values that hold, in the least width that is sure to hold the number."""
    rows, _ = _checks.rows("sum", x.shape, axis, keepdims)
    least = next(width for width in WIDTHS if rows.shape[0] < 2**width)
    integers = _uint_operations.integers_of_bools(self, x, f"uint{least}" if dtype is None else dtype)
    return reduce(self, "sum", integers, axis, keepdims)


def masked(self: Any, condition: BoolArray, value: Any) -> Any:
    """Multiply by truth values: what is multiplied where they hold, and zero elsewhere."""
    if isinstance(value, BoolArray):
        return _uint_operations.bool_gate(self, "and", condition, value)
    if not isinstance(value, EncryptedArray) and array_of("multiply", value, "integers or booleans").dtype.kind == "b":
        return _uint_operations.bool_gate(self, "and", condition, value)
    if isinstance(value, DecimalArray):
        return value * condition
    if isinstance(value, EncryptedArray) and not isinstance(value, IntegerArray):
        raise OperandTypeError(
            f"multiply: the operands are a BoolArray and a {type(value).__name__}, and integers of 8 to 256 bits or "
            f"truth values are multiplied; use the tables of the engine's bootstrap",
            argument="b",
            expected="UintArray, IntArray or BoolArray",
            actual=type(value).__name__,
        )
    return self.select(condition, value, 0)
