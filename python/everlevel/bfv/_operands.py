"""Checks of arguments, which operations do first."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _native
from .._common import limb_engine
from .._common.arrays import in_range, integer_array
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


def operands(engine: Core, operation: str, left: Any, right: Any) -> tuple[Ciphertext, Any]:
    """Check two operands, of which one at least is a ciphertext, and return that one first."""
    x, other = limb_engine.operands(engine, operation, left, right, Ciphertext)
    return x, other if isinstance(other, Ciphertext) else vector(engine, operation, other, len(x) * engine.slot_count)


def vector(engine: Core, operation: str, values: Any, fills: int = 0) -> NDArray[np.int64]:
    """Check integers in the clear, of which a single one may stand for as many as it fills."""
    array = integer_array(operation, values, "integers", "int")
    largest, count = engine.plain_modulus - 1, engine.slot_count
    if array.ndim != 1 and not (fills and array.ndim == 0):
        raise MessageError(
            f"{operation}: the values have shape {array.shape}, and a vector is needed; "
            f"pass one such as numpy.ravel(values)",
            length=array.size,
            slot_count=count,
        )
    checked = in_range(operation, array, -largest, largest, f"take values modulo {engine.plain_modulus}")
    return np.full(fills, checked, dtype=np.int64) if array.ndim == 0 else np.ascontiguousarray(checked, np.int64)
