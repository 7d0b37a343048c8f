"""Elements at encrypted places: every element takes part, and nobody learns which one it is."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._common.storable import own
from ..errors import MessageError, OperandTypeError
from . import _uint_operations
from ._array import ArrayT, EncryptedArray, concatenate
from ._core import Core
from ._integer_array import IntegerArray
from ._uint_operations import WIDTHS
from .bool_array import BoolArray
from .ciphertext import Ciphertext
from .uint_array import UintArray


def bit(self: Core, x: IntegerArray, place: int) -> BoolArray:
    """Return a bit of integers, by two bootstraps or three."""
    # Of signed integers, the last bit is below zero.
    value = 2**place - (2**x.width if x._signed and place == x.width - 1 else 0)
    return _uint_operations.compare(self, "not_equal", _uint_operations.binary(self, "and", x, value), 0)


def taken_at(self: Any, x: ArrayT, index: EncryptedArray[Any]) -> ArrayT:
    """Return the elements of the first dimension at encrypted places, and zeros where there is none.

    A tree of choices by the places' bits.
    """
    places = _checked(self, "index", x, index)
    count = len(x)
    rows: Any = x.reshape((count, *(1,) * places.ndim, *x.shape[1:]))
    rows = rows._broadcast((count, *places.shape, *x.shape[1:]))
    ones = (1,) * (x.ndim - 1)
    for place in range((count - 1).bit_length()):
        is_odd = bit(self, places, place).reshape(places.shape + ones)
        chosen = self.select(is_odd, rows[1::2], rows[: len(rows) & -2 : 2])
        rows = concatenate([chosen, rows[-1:]]) if len(rows) % 2 else chosen
    found: Any = rows[0]
    if count < 2**places.width:
        inside = _uint_operations.compare(self, "less", places, count)
        found = inside.reshape(places.shape + ones) * found
    return found  # type: ignore[no-any-return]


def assigned_at(self: Any, x: ArrayT, index: EncryptedArray[Any], value: Any) -> ArrayT:
    """Return what an array is after an assignment to its element at an encrypted place; the same, if there is none."""
    places = _checked(self, "setitem", x, index)
    rest, new = x.shape[1:], self._operand_like("setitem", "value", value, x)
    try:
        fits = not places.ndim and np.broadcast_shapes(new.shape, rest) == rest
    except ValueError:
        fits = False
    if not fits:
        raise MessageError(
            f"setitem: the index has shape {places.shape}, the value {new.shape} and the array {x.shape}; "
            f"take one encrypted place, and a value for an element of the first dimension",
            length=new.size,
        )
    is_there = _uint_operations.compare(self, "equal", places, np.arange(len(x), dtype=np.uint64))
    return self.select(is_there.reshape((len(x), *(1,) * len(rest))), new, x)  # type: ignore[no-any-return]


def _checked(self: Core, operation: str, x: EncryptedArray[Any], index: EncryptedArray[Any]) -> UintArray:
    """Check an index, and return places from the array's start, of a width that holds its length."""
    if not isinstance(index, IntegerArray) or isinstance(x, Ciphertext):
        raise OperandTypeError(
            f"{operation}: the index is an encrypted {type(index).__name__} of a {type(x).__name__}; "
            f"a UintArray or an IntArray is the index of arrays of integers of 8 to 256 bits and of truth values; "
            f"or take places in the clear",
            argument="index",
            expected="index",
            actual=type(index).__name__,
        )
    own(self, operation, "index", index, IntegerArray)
    if not x.ndim or not len(x):
        raise MessageError(
            f"{operation}: an array of shape {x.shape} has no elements in its first dimension; reshape it", length=0
        )
    count = len(x)
    width = max(index.width, next(width for width in WIDTHS if count < 2 ** (width - 1)))
    places: Any = _uint_operations.resized(self, index, width, type(index))
    if index._signed:
        # As in NumPy, places below zero are counted from the end.
        below = _uint_operations.compare(self, "less", places, 0)
        length = _uint_operations.filled(self, operation, places, count, places.shape)
        from_end = _uint_operations.binary(self, "multiply", below, length)
        places = _uint_operations.binary(self, "add", places, from_end)
        places = _uint_operations.resized(self, places, width, UintArray)
    return places  # type: ignore[no-any-return]
