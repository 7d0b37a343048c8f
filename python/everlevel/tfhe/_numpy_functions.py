"""NumPy functions of encrypted arrays for which these have no operator or method, with NumPy's arguments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .._common.numpy_calls import MOVES
from . import _array
from ._array import EncryptedArray
from ._integer_array import IntegerArray
from ._numpy import NUMPY
from .bool_array import BoolArray
from .ciphertext import Ciphertext
from .decimal_array import DecimalArray

NUMPY.moves([move for move in MOVES if move not in NUMPY.methods], _array.placed)
NUMPY.moves(
    (
        np.atleast_3d,
        np.roll,
        np.rot90,
        np.rollaxis,
        np.fliplr,
        np.flipud,
        np.hsplit,
        np.vsplit,
        np.dsplit,
        np.delete,
        np.resize,
    ),
    _array.placed,
)


def _engine(*values: Any) -> Any:
    """Return the engine of the first encrypted operand. NumPy calls these functions with at least one."""
    return next(value for value in values if isinstance(value, EncryptedArray))._engine


@NUMPY.implements(np.minimum)
def _minimum(x1: Any, x2: Any) -> Any:
    return _engine(x1, x2).minimum(x1, x2)


@NUMPY.implements(np.maximum)
def _maximum(x1: Any, x2: Any) -> Any:
    return _engine(x1, x2).maximum(x1, x2)


@NUMPY.implements(np.where)
def _where(condition: Any, x: Any, y: Any) -> Any:
    engine = _engine(condition, x, y)
    choose = engine.mux if any(isinstance(value, Ciphertext) for value in (condition, x, y)) else engine.select
    return choose(condition, x, y)


@NUMPY.implements(np.clip)
def _clip(a: Any, a_min: Any, a_max: Any) -> Any:
    """Clip below and then above: where the bounds cross, the upper one holds, as in NumPy."""
    low = a if a_min is None else _maximum(a, a_min)
    return low if a_max is None else _minimum(low, a_max)


@NUMPY.implements(np.square)
def _square(x: Any) -> Any:
    if isinstance(x, BoolArray):
        raise NUMPY.refusal("numpy.square", "truth values have no squares", "BoolArray")
    return x * x


@NUMPY.implements(np.dot)
def _dot(a: Any, b: Any) -> Any:
    return _engine(a, b)._uint_dot(a, b)


@NUMPY.implements(np.sort)
def _sort(a: Any, axis: int | None = -1) -> Any:
    if isinstance(a, DecimalArray):
        return a._of(_engine(a)._uint_sort(a.units, axis))
    if not isinstance(a, IntegerArray):
        raise NUMPY.refusal("numpy.sort", "integers of 8 to 256 bits are sorted", type(a).__name__)
    return _engine(a)._uint_sort(a, axis)


@NUMPY.implements(np.count_nonzero)
def _count_nonzero(a: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
    if isinstance(a, Ciphertext):
        raise NUMPY.refusal("numpy.count_nonzero", "a Ciphertext isn't counted", "Ciphertext")
    return _truths(a).sum(axis, keepdims=keepdims)


def _bitwise_count(x: Any) -> Any:
    return _engine(x).bitwise_count(x)


# NumPy has it from 2.0 on.
if hasattr(np, "bitwise_count"):
    NUMPY.implements(np.bitwise_count)(_bitwise_count)


def _truths(value: Any) -> Any:
    """Whether each element isn't zero; bits are truth values."""
    if isinstance(value, (BoolArray, Ciphertext)):
        return value
    return value.astype(bool) if isinstance(value, IntegerArray) else np.asarray(value).astype(bool)


@NUMPY.implements(np.logical_and)
def _logical_and(x1: Any, x2: Any) -> Any:
    return _truths(x1) & _truths(x2)


@NUMPY.implements(np.logical_or)
def _logical_or(x1: Any, x2: Any) -> Any:
    return _truths(x1) | _truths(x2)


@NUMPY.implements(np.logical_xor)
def _logical_xor(x1: Any, x2: Any) -> Any:
    return _truths(x1) ^ _truths(x2)


@NUMPY.implements(np.logical_not)
def _logical_not(x: Any) -> Any:
    return ~_truths(x)


@NUMPY.implements(np.stack)
def _stack(arrays: Sequence[Any], axis: int = 0) -> Any:
    return _array.stack(arrays, axis)


@NUMPY.implements(np.concatenate)
def _concatenate(arrays: Sequence[Any], axis: int | None = 0) -> Any:
    return _array.concatenate(arrays, axis)


@NUMPY.implements(np.append)
def _append(arr: Any, values: Any, axis: Any = None) -> Any:
    return _array.joined(
        "append", [arr, values], lambda places: np.append(places[0], places[1], axis), f" along axis {axis!r}"
    )


def _joining(function: Any) -> Callable[..., Any]:
    """Make the function of encrypted arrays that joins them as NumPy's does."""

    def call(tup: Sequence[Any]) -> Any:
        return _array.joined(function.__name__, tup, function)

    return call


for _function in (np.vstack, np.hstack, np.dstack, np.column_stack):
    NUMPY.implements(_function)(_joining(_function))
