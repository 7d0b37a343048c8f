"""Encryption and decryption of vectors."""

from __future__ import annotations

import numpy as np
from numpy import int64
from numpy.typing import ArrayLike, NDArray

from .._common.storable import own
from . import _operands
from ._core import Core
from .ciphertext import Ciphertext
from .keys import PublicKey, SecretKey


def encrypt(self: Core, values: ArrayLike, key: PublicKey | SecretKey) -> Ciphertext:
    """Encrypt a vector of integers, one for each slot.

    Parameters
    ----------
    values : array_like of int, shape (n,)
        At least one value; zeros follow the last. More than `slot_count` fill several *units*, on which every operation
        acts at once. Each is between -(`plain_modulus` - 1) and `plain_modulus` - 1, and stands for its remainder.
    key : PublicKey or SecretKey
        Who decrypts. With the secret key itself, ciphertexts have less noise.

    Raises
    ------
    MessageTypeError
        If the dtype isn't one of integers.
    MessageError
        If the vector is empty or of other dimensions, or a value is out of range; with its index.
    OutOfMemoryError
        If there is too little memory.
    EngineMismatchError
        If the key is one of other parameters.

    Examples
    --------
    >>> engine, secret_key = bfv_engine, bfv_secret_key
    >>> engine.decrypt(engine.encrypt([5, -7], secret_key), secret_key)[:3]
    array([ 5, -7,  0])
    """
    operation = "encrypt"
    native = _operands.encryption_key(self, operation, key)
    return Ciphertext(self, self._context.encrypt(_operands.vector(self, operation, values), native))


def rerandomize(self: Core, ciphertext: Ciphertext, public_key: PublicKey) -> Ciphertext:
    """Make another ciphertext of the same vector, by adding a public key's encryption of zeros.

    Parameters
    ----------
    ciphertext : Ciphertext
        Any one of the key's secret.
    public_key : PublicKey
        Of the owner.

    Raises
    ------
    KeyMismatchError
        If they belong to different secrets.
    NoiseError
        If the budget is used up.
    EngineMismatchError
        If one is of other parameters.

    Notes
    -----
    Nobody without the secret can tell what a result was copied from. The noise isn't hidden: the owner of the secret
    learns of its size.

    Examples
    --------
    >>> engine, secret_key = bfv_engine, bfv_secret_key
    >>> x = engine.rerandomize(engine.encrypt([5, -7], secret_key), engine.create_public_key(secret_key))
    >>> engine.decrypt(x, secret_key)[:3]
    array([ 5, -7,  0])
    """
    operation = "rerandomize"
    x = _operands.ciphertext(self, operation, "ciphertext", ciphertext)
    key = own(self, operation, "public_key", public_key, PublicKey)
    zeros = np.zeros(len(x) * self.slot_count, dtype=np.int64)
    return Ciphertext(self, self._context.add(x._native, self._context.encrypt(zeros, key._native)))


def decrypt(self: Core, ciphertext: Ciphertext, secret_key: SecretKey) -> NDArray[int64]:
    """Decrypt a vector.

    Returns
    -------
    ndarray of int64, shape (units * slot_count,)
        The integers of that remainder that are nearest to zero.

    Raises
    ------
    KeyMismatchError
        If the ciphertext belongs to another secret.
    EngineMismatchError
        If one of the two is of other parameters.

    Notes
    -----
    A wrong value has a probability below 2^-128 for each slot. Answers that are shown to others tell a little about the
    noise if they are wrong, and nothing here hides that.

    Examples
    --------
    >>> engine, secret_key = bfv_engine, bfv_secret_key
    >>> engine.decrypt(engine.encrypt([3, -4], secret_key), secret_key)[:3]
    array([ 3, -4,  0])
    """
    operation = "decrypt"
    x = _operands.ciphertext(self, operation, "ciphertext", ciphertext)
    secret = _operands.secret_key(self, operation, secret_key)
    return self._context.decrypt(x._native, secret._native)
