"""Checks of ciphertexts and keys, which operations do first."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _native
from .._common import checks
from .._common.shaped import Shape
from .._common.storable import own
from . import _checks
from ._array import EncryptedArray
from ._core import Core
from .ciphertext import Ciphertext
from .keys import PublicKey, SecretKey


def ciphertext(engine: Core, operation: str, name: str, value: Any) -> Ciphertext:
    """Check that an argument is a ciphertext of an engine's parameters."""
    return own(engine, operation, name, value, Ciphertext)


def secret_key(engine: Core, operation: str, value: Any) -> SecretKey:
    """Check that an argument is a secret key of an engine's parameters."""
    return own(engine, operation, "secret_key", value, SecretKey)


def encryption_key(engine: Core, operation: str, value: Any) -> _native.TfhePublicKey | _native.TfheSecretKey:
    """Check that an argument is a key to encrypt with, of an engine's parameters, and return the native one."""
    if isinstance(value, PublicKey):
        return own(engine, operation, "key", value, PublicKey)._native
    return own(engine, operation, "key", value, SecretKey)._native


def operands(engine: Core, operation: str, names: str, *values: Any) -> tuple[Shape, list[Ciphertext]]:
    """Check and broadcast operands, of which one at least is a ciphertext; others are in the clear."""
    first = next((value for value in values if isinstance(value, Ciphertext)), None)
    if first is None:
        raise checks.none_encrypted(operation, names, *values)
    secret_id = first._native.secret_id
    checked = [
        ciphertext(engine, operation, name, value)
        if isinstance(value, EncryptedArray)
        else constant(engine, operation, value, secret_id)
        for name, value in zip(names.split(", "), values, strict=True)
    ]
    shape = _checks.broadcast_shape(operation, *(operand.shape for operand in checked))
    return shape, [operand._broadcast(shape) for operand in checked]


def constant(engine: Core, operation: str, values: Any, secret_id: int) -> Ciphertext:
    """Make an operand of values in the clear."""
    if engine.message_bits is None:
        array: Any = _checks.booleans(operation, values)
    else:
        array = _checks.integers(operation, values, 0, engine.max_value)
    return Ciphertext(engine, engine._context.constant(_checks.flat(array, np.uint64), secret_id), array.shape)
