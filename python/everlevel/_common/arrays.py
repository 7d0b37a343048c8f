"""Arrays of integers that a user passes in."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import MessageError, MessageTypeError, OperandTypeError
from .checks import unmasked


def array_of(operation: str, values: Any, needed: str, *, may_be_empty: bool = False) -> NDArray[Any]:
    """Check that the values form an array, which isn't empty unless it may be, and return it."""
    unmasked(operation, values)
    try:
        array = np.asarray(values)
    except OperandTypeError:
        # What is encrypted says so itself.
        raise
    except (ValueError, TypeError) as error:
        raise MessageTypeError(
            f"{operation}: the values don't form an array ({error}); pass {needed}", dtype=type(values).__name__
        ) from None
    if array.size == 0 and array.dtype.kind in "biuf" and not may_be_empty:
        raise MessageError(
            f"{operation}: the array is empty, of shape {array.shape}; pass at least one value", length=0
        )
    return array


def integer_width(values: Any, *, signed: bool) -> int | None:
    """Return the width of a NumPy array or scalar of signed or of unsigned integers, or of what is alike."""
    dtype = getattr(values, "dtype", None)
    if dtype is not None and not isinstance(dtype, np.dtype):
        dtype = np.asarray(values).dtype
    is_such = isinstance(dtype, np.dtype) and dtype.kind == ("i" if signed else "u")
    return 8 * dtype.itemsize if is_such and dtype is not None else None


def integer_array(operation: str, values: Any, needed: str, dtype: str, *, may_be_empty: bool = False) -> NDArray[Any]:
    """Check the dtype; Python's integers may be larger than any that NumPy has, and are left as objects then."""
    array = array_of(operation, values, needed, may_be_empty=may_be_empty)
    if array.dtype.kind in "iu":
        return array
    if array.size == 0 and may_be_empty and (array.dtype == object or not hasattr(values, "dtype")):
        # An empty list has no type.
        return array.astype(np.int64)
    if array.dtype == object or not hasattr(values, "dtype"):
        exact = np.asarray(values, dtype=object)
        if exact.size > 0 and all(type(value) is int for value in exact.flat):
            return exact
    raise MessageTypeError(
        f"{operation}: the values have dtype {array.dtype}, and {needed} are needed; "
        f"convert them with numpy.asarray(values, dtype={dtype})",
        dtype=str(array.dtype),
    )


def place_of(shape: tuple[int, ...], found: NDArray[np.bool_]) -> Any:
    """Return the index of the first element found: an integer in one dimension."""
    index = tuple(int(i) for i in np.unravel_index(int(np.argmax(found)), shape))
    return index[0] if len(index) == 1 else index


def in_range(operation: str, array: NDArray[Any], low: int, high: int, advice: str) -> NDArray[Any]:
    """Refuse an integer outside of a range, and say where the first one stands."""
    bad = (array < low) | (array > high)
    if bad.any():
        place = place_of(array.shape, bad)
        value = int(array[place])
        where = "" if place == () else f" at index {place}"
        raise MessageError(
            f"{operation}: the value{where} is {value}, and {low} to {high} are taken; reduce it, or {advice}",
            index=place,
            value=value,
        )
    return array
