"""Checks of arguments, which operations do first."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _native
from .._common import limb_engine, slot_moves
from .._common.arrays import in_range, integer_array
from .._common.slot_shapes import Layout
from .._common.storable import own
from ..errors import MessageError
from ._core import Core
from .ciphertext import Ciphertext
from .keys import PublicKey, SecretKey


def ciphertext(engine: Core, operation: str, name: str, value: Any) -> Ciphertext:
    """Check that an argument is a ciphertext of an engine's parameters."""
    return own(engine, operation, name, value, Ciphertext)


def secret_key(engine: Core, operation: str, value: Any) -> SecretKey:
    """Check that an argument is a secret key of an engine's parameters."""
    return own(engine, operation, "secret_key", value, SecretKey)


def encryption_key(engine: Core, operation: str, value: Any) -> _native.LimbsPublicKey | _native.LimbsSecretKey:
    """Check that an argument is a key to encrypt with, of an engine's parameters, and return the native one."""
    return limb_engine.encryption_key(engine, operation, value, PublicKey, SecretKey)


def operands(
    engine: Core, operation: str, left: Any, right: Any, *, is_product: bool = False
) -> tuple[Ciphertext, Any, Layout]:
    """Bring two operands to one shape, of which one at least is a ciphertext.

    Returns
    -------
    x : Ciphertext
        The first one of them.
    other : Ciphertext or ndarray of int64, shape (n,)
        The other one; of a single integer, one for each slot.
    layout : Layout
        That of the result.
    """
    x, other = limb_engine.operands(engine, operation, left, right, Ciphertext)
    values = None if isinstance(other, Ciphertext) else integers(engine, operation, other)
    x, other, layout = slot_moves.combined(operation, x, other, values, is_product=is_product)
    if isinstance(other, Ciphertext):
        return x, other, layout
    fills = x.unit_count * engine.slot_count
    return x, np.full(fills, other) if other.ndim == 0 else np.ascontiguousarray(other), layout


def integers(engine: Core, operation: str, values: Any) -> NDArray[np.int64]:
    """Check integers in the clear, in an array of any shape."""
    array, largest = integer_array(operation, values, "integers", "int"), engine.plain_modulus - 1
    return in_range(operation, array, -largest, largest, f"take values modulo {engine.plain_modulus}").astype(np.int64)


def message(engine: Core, operation: str, values: Any) -> NDArray[np.int64]:
    """Check a message: a vector, or an array of any shape that fits into a unit."""
    array, count = integers(engine, operation, values), engine.slot_count
    if array.ndim != 1 and array.size > count:
        raise MessageError(
            f"{operation}: the message has {array.size} values, of shape {array.shape}, and a unit has {count} slots; "
            f"pass parts of it, or numpy.ravel(message) for several units",
            length=array.size,
            slot_count=count,
        )
    return array
