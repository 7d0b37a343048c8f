"""Encryption and decryption of arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _native
from .._common import spaces
from .._common.storable import own
from ..errors import MessageError
from ..tfhe import _checks
from . import _operands
from ._core import Core
from ._digit_array import DigitArray
from ._sets import LEVEL
from .ciphertext import Ciphertext
from .keys import PublicKey, SecretKey


def encrypt(self: Core, values: Any, key: PublicKey | SecretKey, *, max_value: int | None = None) -> Ciphertext:
    """Encrypt an array of booleans or of small integers, of any shape, in one ciphertext.

    Parameters
    ----------
    values : array_like of bool or int
        Booleans with parameters of gates, else integers from 0 to `max_value`; at least one. Every
        `bootstrap_size` of them are a bootstrap of their own.
    key : PublicKey or SecretKey
        Who decrypts. With the secret key itself, ciphertexts have less noise.
    max_value : int, optional
        Largest value that an element is taken to have, which leaves the rest of the space to sums and products.
        The space's largest, if left out. It is public.

    Raises
    ------
    MessageTypeError
        If the dtype isn't boolean, or integer.
    MessageError
        If there are no values, or one is below zero or above `max_value`; with its index.
    ParameterError
        If `max_value` isn't in the space.
    EngineMismatchError
        If the key is one of other parameters.

    Examples
    --------
    >>> engine, secret_key = bulk_engine, bulk_secret_key
    >>> engine.encrypt(np.arange(6).reshape(2, 3), secret_key, max_value=7)
    Ciphertext(shape (2, 3), integers 0..7 of 4 bits, p_fail 2^-125)
    """
    operation = "encrypt"
    native_key = _operands.encryption_key(self, operation, key)
    top, advice = spaces.largest_value(self, operation, max_value)
    is_bits = self.message_bits is None
    array: NDArray[Any] = (
        _checks.booleans(operation, values) if is_bits else _checks.integers(operation, values, 0, top, advice)
    )
    require_values(operation, array)
    return encrypted_array(self, array, native_key, top)


def encrypted_array(
    self: Core, array: NDArray[Any], native_key: _native.PublicKey | _native.SecretKey, top: int
) -> Ciphertext:
    context, space = self._context.ckks, self._context.set.space
    plain = context.encode_integers(_checks.flat(array, np.uint64), space, LEVEL)
    is_public = isinstance(native_key, _native.PublicKey)
    if isinstance(native_key, _native.PublicKey):
        native = context.encrypt_public(plain, native_key)
    else:
        native = context.encrypt_secret(plain, native_key)
    error, _ = context.integer_errors(space, LEVEL, is_public)
    return Ciphertext(self, native, array.shape, max_value=top, error=error, bootstrap_count=0)


def require_values(operation: str, array: NDArray[Any]) -> None:
    """Refuse empty arrays."""
    if array.size == 0:
        raise MessageError(
            f"{operation}: the array is empty, of shape {array.shape}; pass at least one value", length=0
        )


def decrypt(self: Core, ciphertext: Ciphertext | DigitArray, secret_key: SecretKey) -> NDArray[Any]:
    """Decrypt an array.

    Returns
    -------
    ndarray of bool, or of uint8 to uint64
        Of the ciphertext's shape, and of uint8 where it is a `Ciphertext` of integers. Values are rounded to integers
        of the space, and nothing of what is rounded away is told, nor does it make decryptions fail.

    Raises
    ------
    KeyMismatchError
        If the ciphertext belongs to another secret.
    EngineMismatchError
        If one of the two is of other parameters.

    Examples
    --------
    >>> engine, secret_key = bulk_engine, bulk_secret_key
    >>> engine.decrypt(engine.encrypt([3, 9], secret_key), secret_key)
    array([3, 9], dtype=uint8)
    """
    operation = "decrypt"
    secret = _operands.secret_key(self, operation, secret_key)
    if isinstance(ciphertext, DigitArray):
        whole = own(self, operation, "ciphertext", ciphertext, DigitArray)
        return whole._decrypted([_decrypted(self, digit, secret) for digit in whole._digits])
    x = _operands.ciphertext(self, operation, "ciphertext", ciphertext)
    return _decrypted(self, x, secret).astype(np.bool_ if self.message_bits is None else np.uint8)


def _decrypted(self: Core, x: Ciphertext, secret: SecretKey) -> NDArray[np.uint64]:
    found = self._context.ckks.decrypt_integers(x._native, secret._native, self._context.set.space)
    return np.minimum(found[: x.size], x.max_value).reshape(x.shape)
