"""Checks of arguments, which operations do first."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _native
from .._common import checks
from .._common.shaped import Shape
from .._common.storable import own
from ..errors import KeyMismatchError, MessageError
from ..tfhe import _checks
from ._core import Core
from ._sets import LEVEL
from .ciphertext import Ciphertext
from .keys import PublicKey, SecretKey

Operand = Ciphertext | NDArray[np.int64]
"""Encrypted, or in the clear."""


def ciphertext(engine: Core, operation: str, name: str, value: Any) -> Ciphertext:
    """Check that an argument is a ciphertext of an engine's parameters."""
    return own(engine, operation, name, value, Ciphertext)


def secret_key(engine: Core, operation: str, value: Any) -> SecretKey:
    """Check that an argument is a secret key of an engine's parameters."""
    return own(engine, operation, "secret_key", value, SecretKey)


def encryption_key(engine: Core, operation: str, value: Any) -> _native.PublicKey | _native.SecretKey:
    """Check that an argument is a key to encrypt with, of an engine's parameters, and return the native one."""
    if isinstance(value, PublicKey):
        return own(engine, operation, "key", value, PublicKey)._native
    return own(engine, operation, "key", value, SecretKey)._native


def leaving(operation: str, x: Ciphertext) -> tuple[Any, Any, Any, tuple[int, int, int, float, float]]:
    """Return what another scheme takes of an array: context, native ciphertext, keys, and claims.

    The claims are the bits of the space, the level of fresh ciphertexts, the largest value, the bound of errors, and
    the probability that an element is wrong.
    """
    engine: Any = x._engine
    keys = engine._key(operation, x._native.secret_id)
    bits = engine._context.set.space.bit_length() - 1
    claims = bits, LEVEL, x.max_value, x._error, x.failure_probability
    return engine._context.ckks, x._native, keys.all, claims


def operands(engine: Core, operation: str, names: str, *values: Any) -> tuple[Shape, list[Operand]]:
    """Check operands of one shape and one secret, of which one at least is a ciphertext; others are in the clear."""
    first = next((value for value in values if isinstance(value, Ciphertext)), None)
    if first is None:
        raise checks.none_encrypted(operation, names, *values)
    checked = [_operand(engine, operation, name, value) for name, value in zip(names.split(", "), values, strict=True)]
    shape = first.shape
    for part in checked:
        if isinstance(part, Ciphertext):
            require_alike(operation, first, part)
        elif _checks.broadcast_shape(operation, shape, part.shape) != shape:
            raise MessageError(
                f"{operation}: an array of shape {part.shape} doesn't go into one of shape {shape}, whose elements lie "
                f"in slots; reshape it",
                length=part.size,
            )
    return shape, checked


def _operand(engine: Core, operation: str, name: str, value: Any) -> Operand:
    if isinstance(value, Ciphertext):
        return ciphertext(engine, operation, name, value)
    if engine.message_bits is None:
        return _checks.booleans(operation, value).astype(np.int64)
    return _checks.integers(operation, value, 0, engine.max_value)


def require_alike(operation: str, first: Ciphertext, other: Ciphertext) -> None:
    if other.shape != first.shape:
        raise MessageError(
            f"{operation}: ciphertexts have shapes {first.shape} and {other.shape}, and elements stay in their slots; "
            f"encrypt them in one shape, or reshape one",
            length=other.size,
        )
    expected, actual = first._native.secret_id, other._native.secret_id
    if actual != expected:
        raise KeyMismatchError(
            f"{operation}: the operands belong to keys {expected:#018x} and {actual:#018x}; "
            f"use ciphertexts made with one secret key",
            key="ciphertext",
            expected=expected,
            actual=actual,
        )
