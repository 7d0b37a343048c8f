"""Checks of what a user passes in, and its conversion to what the native module takes: flat arrays, and a shape."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from math import log2
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from .._common import checks
from .._common.arrays import array_of, in_range, integer_array, place_of
from .._common.axes import meant
from .._common.checks import unmasked
from .._common.shaped import Shape
from ..errors import DivisionByZeroError, MessageError, MessageTypeError, OperandTypeError, TableError

_LARGEST_FACTOR = 2**31
"""Products of this and a message are far outside every space, and inside of 64 bits."""
_WORD: Final = 64
"""Bits of a word of integers in the clear."""
_MORE_BITS = "choose parameters of more bits"


def booleans(operation: str, values: Any) -> NDArray[np.bool_]:
    """Check an array of booleans, and return it."""
    array = array_of(operation, values, "booleans", may_be_empty=True)
    if array.size == 0 and not hasattr(values, "dtype"):
        return array.astype(np.bool_)
    if array.dtype.kind != "b":
        raise MessageTypeError(
            f"{operation}: the values have dtype {array.dtype}, and bits are booleans; "
            f"pass booleans, such as numpy.asarray(values) != 0",
            dtype=str(array.dtype),
        )
    return array


def integers(
    operation: str, values: Any, low: int = -_LARGEST_FACTOR, high: int = _LARGEST_FACTOR, advice: str = _MORE_BITS
) -> NDArray[np.int64]:
    """Check an array of integers, by default that 64-bit arithmetic with messages can't overflow, and return it."""
    array = integer_array(operation, values, "integers", "int", may_be_empty=True)
    return in_range(operation, array, low, high, advice).astype(np.int64)


def integer(operation: str, values: Any, low: int = -_LARGEST_FACTOR) -> int:
    """Check a single integer as `integers` does, and return it."""
    array = integers(operation, values, low)
    if array.ndim != 0:
        raise MessageError(
            f"{operation}: a factor or constant has shape {array.shape}, and a single integer is needed; "
            f"for arrays in the clear use * and +",
            length=array.size,
        )
    return int(array)


def range_of(width: int, *, signed: bool) -> tuple[int, int]:
    """Return the least and the largest integer of a width."""
    return (-(2 ** (width - 1)), 2 ** (width - 1) - 1) if signed else (0, 2**width - 1)


def words(operation: str, values: Any, width: int, *, signed: bool) -> tuple[NDArray[np.uint64], Shape]:
    """Check an array of integers of a width, and return their words, least significant first, and the shape."""
    name = f"numpy.{'int' if signed else 'uint'}{width}" if width <= _WORD else "object"
    array = integer_array(operation, values, f"integers of {width} bits", name, may_be_empty=True)
    array = in_range(operation, array, *range_of(width, signed=signed), "choose a larger width")
    if width <= _WORD:
        found = array.astype(np.int64).view(np.uint64) if signed else array.astype(np.uint64)
        return flat(found & np.uint64(2**width - 1), np.uint64), array.shape
    parts = [int(value) >> place & 2**_WORD - 1 for value in array.flat for place in range(0, width, _WORD)]
    return np.array(parts, dtype=np.uint64), array.shape


def integers_of_words(found: NDArray[np.uint64], width: int, *, signed: bool) -> NDArray[Any]:
    """Return the integers that words are of: Python's, from 128 bits on."""
    if width <= _WORD:
        return found.astype(f"{'int' if signed else 'uint'}{width}")
    integers = np.zeros(found.size * _WORD // width, dtype=object)
    for index, parts in enumerate(found.reshape(-1, width // _WORD).tolist()):
        value = sum(part << (_WORD * place) for place, part in enumerate(parts))
        integers[index] = value - 2**width if signed and value >> (width - 1) else value
    return integers


_FLAGGED: Final = "leave it out, or use checked_floor_divide or checked_remainder, which tell where that is"


def divisor(operation: str, values: Any, advice: str = _FLAGGED) -> None:
    """Refuse zeros, of what is in the clear and an array of integers; other checks are left to those of operands."""
    array = integer_array(operation, values, "integers", "numpy.uint32", may_be_empty=True)
    if (array == 0).any():
        place = place_of(array.shape, array == 0)
        where = "" if place == () else f" at index {place}"
        raise DivisionByZeroError(
            f"{operation}: the divisor{where} is 0; {advice}",
            index=place,
        )


def flat(array: NDArray[Any], dtype: Any) -> NDArray[Any]:
    """Return the elements in order, contiguous."""
    return np.ascontiguousarray(array, dtype=dtype).reshape(-1)


def broadcast_shape(operation: str, *shapes: Shape) -> Shape:
    """Return the shape that NumPy's rules give."""
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        found = " and ".join(str(shape) for shape in shapes)
        raise MessageError(
            f"{operation}: arrays of shapes {found} don't go together; reshape one, as for NumPy's operators"
        ) from None


def places(shape: Shape) -> NDArray[np.intp]:
    """Return the places of an array's elements in the flat order, in its shape."""
    return np.arange(int(np.prod(shape, dtype=np.intp))).reshape(shape)


def rows(operation: str, shape: Shape, axis: Any, keepdims: Any = False) -> tuple[NDArray[np.intp], Shape]:
    """Return the places of an array's elements with some axes as one at the front, and the shape without these.

    Without an axis, all are meant. Those that are kept have one element in the shape.
    """
    axes, keeps = meant(axis, len(shape)), checks.flag(operation, "keepdims", keepdims)
    if axes is None:
        raise MessageError(
            f"{operation}: axis {axis!r} isn't one of an array of shape {shape}; "
            f"choose one, a tuple of them, or None for all"
        )
    elements = np.moveaxis(places(shape), axes, range(len(axes)))
    rest, count = elements.shape[len(axes) :], int(np.prod(elements.shape[: len(axes)], dtype=np.intp))
    kept = tuple(1 if place in axes else size for place, size in enumerate(shape)) if keeps else rest
    return elements.reshape(count, *rest), kept


def table(operation: str, lut: Any, sizes: Sequence[int], max_value: int, dtype: Any = np.int64) -> NDArray[Any]:
    """Turn a function of one or two messages, or an array of its values, into a table of that shape.

    Parameters
    ----------
    operation : str
        Name for error messages.
    lut : callable or array_like
        The function, which is called with every combination; or the table.
    sizes : sequence of int
        Number of values of each argument.
    max_value : int
        Largest entry that there may be.
    dtype : dtype, default int64
        That of the table.
    """
    shape = tuple(sizes)
    entries = _evaluate(operation, lut, shape) if callable(lut) else _entries(operation, lut, shape)
    bad = (entries < 0) | (entries > max_value)
    if bad.any():
        index = tuple(int(i) for i in np.unravel_index(int(np.argmax(bad)), shape))
        arguments = ", ".join(map(str, index))
        raise TableError(
            f"{operation}: the table gives {entries[index]} for ({arguments}), and 0 to {max_value} fit; "
            f"reduce its values, or choose parameters of more bits",
            index=index[0] if len(index) == 1 else index,
            found=int(entries[index]),
            needed=max_value,
        )
    return np.asarray(entries, dtype=dtype)


def _entries(operation: str, lut: Any, shape: Shape) -> NDArray[Any]:
    unmasked(operation, lut)
    try:
        array = np.asarray(lut)
    except OperandTypeError:
        raise
    except (ValueError, TypeError):
        # Rows of different lengths, among others.
        array = np.array(None, dtype=object)
    whole = array.dtype == object and array.size > 0 and all(type(entry) is int for entry in array.flat)
    if array.dtype.kind not in "biu" and not whole:
        raise OperandTypeError(
            f"{operation}: lut is an array of dtype {array.dtype}, and a function or an array of integers is needed; "
            f"convert it with numpy.asarray(lut, dtype=int)",
            argument="lut",
            expected="callable or array of integers",
            actual=str(array.dtype),
        )
    if array.shape != shape:
        raise TableError(
            f"{operation}: the table has shape {array.shape}, and {shape} is needed; give one entry for each value",
            found=array.shape,
            needed=shape,
        )
    return array.astype(object)


def _evaluate(operation: str, function: Callable[..., Any], shape: Shape) -> NDArray[Any]:
    entries = np.zeros(shape, dtype=object)
    for arguments in np.ndindex(*shape):
        value = function(*arguments)
        try:
            entries[arguments] = int(value) if isinstance(value, (bool, np.bool_)) else operator.index(value)
        except TypeError:
            raise OperandTypeError(
                f"{operation}: lut gives {value!r} of type {type(value).__name__} for "
                f"({', '.join(map(str, arguments))}), and an integer is needed; convert it with int()",
                argument="lut",
                expected="int",
                actual=type(value).__name__,
            ) from None
    return entries


def shown_failure(probability: float) -> str:
    """Return a failure probability as reprs have it."""
    return "p_fail unknown" if probability >= 1 else f"p_fail 2^{log2(max(probability, 2.0**-1000)):.0f}"
