"""Encryption and decryption of arrays."""

from __future__ import annotations

from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from .._common import spaces
from .._common.storable import own, same_parameters
from . import _checks, _decimal_numbers, _operands
from ._array import EncryptedArray
from ._core import Core
from ._integer_array import IntegerArray
from .bool_array import BoolArray
from .ciphertext import Ciphertext
from .compressed_list import CompressedList
from .decimal_array import DecimalArray
from .keys import PublicKey, SecretKey


def encrypt(self: Core, values: Any, key: PublicKey | SecretKey, *, max_value: int | None = None) -> Ciphertext:
    """Encrypt an array of booleans or of small integers, of any shape, one ciphertext for each element.

    Parameters
    ----------
    values : array_like of bool or int
        Booleans with parameters of gates, else integers from 0 to `max_value`.
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
        If a value is below zero or above `max_value`; with its index.
    ParameterError
        If `max_value` isn't in the space.
    EngineMismatchError
        If the key is one of other parameters.

    Examples
    --------
    >>> engine, secret_key = tfhe_engine, tfhe_secret_key
    >>> engine.encrypt(np.arange(6).reshape(2, 3), secret_key, max_value=7)
    Ciphertext(shape (2, 3), integers 0..7 of 4 bits, p_fail 2^-...)
    """
    operation = "encrypt"
    native_key = _operands.encryption_key(self, operation, key)
    top, advice = spaces.largest_value(self, operation, max_value)
    if self.message_bits is None:
        bits = _checks.booleans(operation, values)
        return Ciphertext(self, self._context.encrypt_bits(_checks.flat(bits, np.bool_), native_key), bits.shape)
    array = _checks.integers(operation, values, 0, top, advice)
    native = self._context.encrypt_integers(_checks.flat(array, np.uint64), top, native_key)
    return Ciphertext(self, native, array.shape)


ArrayT = TypeVar("ArrayT", bound=EncryptedArray[Any])


def rerandomize(self: Core, ciphertext: ArrayT, public_key: PublicKey) -> ArrayT:
    """Make other ciphertexts of the same values, which can't be told to be of the old ones.

    Each has a fresh encryption of zero added: no bootstrap, and the noise of one more public encryption, which is
    counted, and far below a bootstrap's. Values in the clear become encrypted ones.

    Parameters
    ----------
    ciphertext : Ciphertext, UintArray, IntArray, DecimalArray or BoolArray
        Of any shape.
    public_key : PublicKey
        Of the secret of the ciphertext.

    Returns
    -------
    Ciphertext, UintArray, IntArray, DecimalArray or BoolArray
        Of the same shape, and with the same `max_value` or width.

    Raises
    ------
    KeyMismatchError
        If the two belong to different secrets.
    NoiseError
        If the noise makes a wrong decryption too likely, with both probabilities.
    EngineMismatchError
        If one of the two is of other parameters.

    Notes
    -----
    Inputs that strangers send are re-randomised before they are computed with, so that they can't have been made for
    bootstraps to fail (ePrint 2024/1718); results, before somebody else has them. The noise isn't hidden: the owner of
    the secret learns of its size.

    Examples
    --------
    >>> engine, secret_key = tfhe_engine, tfhe_secret_key
    >>> public_key = engine.create_public_key(secret_key)
    >>> x = engine.encrypt([3, 9], public_key)
    >>> y = engine.rerandomize(x, public_key)
    >>> engine.decrypt(y, secret_key)
    array([3, 9], dtype=uint8)
    """
    operation = "rerandomize"
    x = own(self, operation, "ciphertext", ciphertext, EncryptedArray)
    key = own(self, operation, "public_key", public_key, PublicKey)
    return cast(ArrayT, x._like(x._native.rerandomize(key._native), x.shape))


def decrypt(
    self: Core, ciphertext: Ciphertext | IntegerArray | BoolArray | DecimalArray | CompressedList, secret_key: SecretKey
) -> NDArray[Any]:
    """Decrypt an array, or a compressed list of one.

    Returns
    -------
    ndarray of bool, of unsigned or signed integers, or of objects
        Of the ciphertext's shape: small integers as ``uint8``, those of 8 to 64 bits with their width, and those of 128
        and 256 bits as Python's; decimals as `decimal.Decimal`.

    Raises
    ------
    KeyMismatchError
        If the ciphertext belongs to another secret.
    NoiseError
        If the noise makes a wrong answer too likely, with both probabilities.
    EngineMismatchError
        If one of the two is of other parameters.

    Notes
    -----
    Answers that are shown to others tell a little about the noise, and nothing here hides that.

    Examples
    --------
    >>> engine, secret_key = tfhe_engine, tfhe_secret_key
    >>> engine.decrypt(engine.encrypt([3, 9], secret_key), secret_key)
    array([3, 9], dtype=uint8)
    """
    operation = "decrypt"
    if isinstance(ciphertext, CompressedList):
        same_parameters(self, operation, "ciphertext", ciphertext)
        return ciphertext._values(_operands.secret_key(self, operation, secret_key)._native)
    if isinstance(ciphertext, DecimalArray):
        return _decimal_numbers.decimals_of(decrypt(self, ciphertext.units, secret_key), ciphertext.places)
    if isinstance(ciphertext, (IntegerArray, BoolArray)):
        same_parameters(self, operation, "ciphertext", ciphertext)
        secret = _operands.secret_key(self, operation, secret_key)
        if isinstance(ciphertext, BoolArray):
            return ciphertext._native.decrypt(secret._native).reshape(ciphertext.shape)
        words, signed = ciphertext._native.decrypt(secret._native), ciphertext._signed
        return _checks.integers_of_words(words, ciphertext.width, signed=signed).reshape(ciphertext.shape)
    x, secret = (
        _operands.ciphertext(self, operation, "ciphertext", ciphertext),
        _operands.secret_key(self, operation, secret_key),
    )
    if self.message_bits is None:
        return x._native.decrypt_bits(secret._native).reshape(x.shape)
    return x._native.decrypt_integers(secret._native).astype(np.uint8).reshape(x.shape)
