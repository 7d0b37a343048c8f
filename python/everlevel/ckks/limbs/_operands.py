"""Checks of arguments, which operations do first."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import _native
from ..._common import checks, limb_engine, slot_moves
from ..._common.slot_shapes import Layout
from ..._common.storable import own
from ...errors import MessageError
from .. import _checks
from .._checks import ComplexArray
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
) -> tuple[Ciphertext, Any, bool, Layout]:
    """Bring two operands to one shape, of which one at least is a ciphertext.

    Returns
    -------
    x : Ciphertext
        The first one of them.
    other : Ciphertext, complex, or ndarray of complex128, shape (n,)
        The other one; a number is for every slot.
    is_real : bool
        Whether the other one is.
    layout : Layout
        That of the result.
    """
    x, other = limb_engine.operands(engine, operation, left, right, Ciphertext)
    if isinstance(other, Ciphertext):
        x, other, layout = slot_moves.combined(operation, x, other, None, is_product=is_product)
        return x, other, other.is_real, layout
    if _checks.is_scalar(other):
        values, is_real = np.asarray(_checks.scalar(operation, other)), complex(other).imag == 0
    else:
        values, is_real = message(engine, operation, other)
    x, values, layout = slot_moves.combined(operation, x, other, values, is_product=is_product)
    return x, complex(values) if values.ndim == 0 else np.ascontiguousarray(values), is_real, layout


def message(engine: Core, operation: str, values: Any) -> tuple[ComplexArray, bool]:
    """Check numbers in the clear, at most one for each slot, and say whether they are real."""
    slots, is_real, shape = _checks.array(operation, values, engine.slot_count)
    if slots.size > engine.slot_count:
        raise MessageError(
            f"{operation}: {slots.size} values were given, and a ciphertext has {engine.slot_count} slots; "
            f"cut the vector into several",
            length=slots.size,
            slot_count=engine.slot_count,
        )
    return slots.reshape(shape), is_real


def largest(slots: ComplexArray) -> float:
    """Return the largest size of values that everybody may know."""
    return float(np.abs(slots).max())


def bits(engine: Core, operation: str, value: Any) -> int:
    """Check a number of bits that a product is to spend, and return the engine's where none is given."""
    if value is None:
        return engine.precision_bits
    return checks.integer_between(operation, "precision_bits", value, 1, engine.precision_bits, "choose one of these")
