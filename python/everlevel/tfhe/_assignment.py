"""Assignment to elements of encrypted arrays, and operands that are made to be like an array."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._common.storable import own
from ..errors import MessageError
from . import _indexing, _operands, _uint_operations
from ._array import ArrayT, EncryptedArray, key_of, same_secret
from ._core import Core
from ._integer_array import IntegerArray
from .bool_array import BoolArray
from .ciphertext import Ciphertext
from .decimal_array import DecimalArray
from .int_array import IntArray


def operand_like(self: Core, operation: str, name: str, value: Any, like: ArrayT) -> ArrayT:
    """Return an operand as an array of the same kind, secret and width as another; values in the clear become one."""
    if isinstance(value, EncryptedArray):
        same_secret(operation, like, value)
    if isinstance(value, type(like)) and not isinstance(like, DecimalArray):
        checked = own(self, operation, name, value, type(like))
        if isinstance(checked, IntegerArray) and isinstance(like, IntegerArray):
            _uint_operations.same_width(operation, like, checked)
        return checked
    if isinstance(like, Ciphertext):
        found: Any = (
            _operands.ciphertext(self, operation, name, value)
            if isinstance(value, EncryptedArray)
            else _operands.constant(self, operation, value, like._native.secret_id)
        )
        return found  # type: ignore[no-any-return]
    key = key_of(self, operation, like)
    if isinstance(like, DecimalArray):
        units = like._units_of(operation, value)
        return like._of(_uint_operations.integer_operand(self, operation, name, units, key, (IntArray, like.width)))
    if isinstance(like, IntegerArray):
        found = _uint_operations.integer_operand(self, operation, name, value, key, (type(like), like.width))
    else:
        found = _uint_operations.bool_operand(self, operation, name, value, key)
    return found  # type: ignore[no-any-return]


def assigned_where(self: Any, x: EncryptedArray[Any], condition: EncryptedArray[Any], value: Any) -> Any:
    """Return what an array is after an assignment to its elements where an encrypted condition holds, or at a place."""
    operation = "setitem"
    if not isinstance(condition, BoolArray) or isinstance(x, Ciphertext):
        return _indexing.assigned_at(self, x, condition, value)
    new = self._operand_like(operation, "value", value, x)
    rest = x.shape[condition.ndim :]
    try:
        fits = condition.shape == x.shape[: condition.ndim] and np.broadcast_shapes(new.shape, rest) == rest
    except ValueError:
        fits = False
    if not fits:
        raise MessageError(
            f"{operation}: the condition has shape {condition.shape}, the value {new.shape} and the array {x.shape}; "
            f"take a condition of the array's first dimensions, and one value for all elements that it chooses",
            length=new.size,
        )
    return self.select(condition.reshape(condition.shape + (1,) * len(rest)), new, x)
