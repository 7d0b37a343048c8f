"""Encryption and decryption of vectors."""

from __future__ import annotations

import numpy as np
from numpy import int64
from numpy.typing import ArrayLike, NDArray

from .._common import block_arrays, checks, slot_shapes
from .._common.slot_shapes import SLOTS
from .._common.storable import own
from . import _operands
from ._core import Core
from .ciphertext import Ciphertext
from .encrypted_array import EncryptedArray
from .keys import PublicKey, SecretKey


def encrypt(self: Core, values: ArrayLike, key: PublicKey | SecretKey, *, slots: bool = False) -> Ciphertext:
    """Encrypt integers, one for each slot, and remember their shape, which is public.

    Parameters
    ----------
    values : array_like of int
        At least one value, and of any shape for up to `slot_count` values: `Ciphertext.shape`. A single number goes to
        every slot. More than `slot_count` values are a vector, and fill several *units*, on which every operation acts
        at once. Each is between -(`plain_modulus` - 1) and `plain_modulus` - 1, and stands for its remainder.
    key : PublicKey or SecretKey
        Who decrypts. With the secret key itself, ciphertexts have less noise.
    slots : bool, default False
        Let all slots count, those after the last value with zeros, as version 0.1 did: the shape is that of the slots.

    Raises
    ------
    MessageTypeError
        If the dtype isn't one of integers.
    MessageError
        If there are no values, or more than a unit has slots in several dimensions, or one is out of range; with its
        index.
    OutOfMemoryError
        If there is too little memory.
    EngineMismatchError
        If the key is one of other parameters.

    Examples
    --------
    >>> engine, secret_key = bfv_engine, bfv_secret_key
    >>> engine.decrypt(engine.encrypt([5, -7], secret_key), secret_key)
    array([ 5, -7])
    >>> engine.encrypt([[5, -7], [1, 2]], secret_key).shape
    (2, 2)
    """
    operation = "encrypt"
    native = _operands.encryption_key(self, operation, key)
    message = _operands.message(self, operation, values)
    filled = np.full(self.slot_count, message) if message.ndim == 0 else np.ascontiguousarray(message.ravel())
    layout = slot_shapes.of_message(operation, message.shape, self.slot_count, slots)
    return Ciphertext(self, self._context.encrypt(filled, native), layout)


def encrypt_many(self: Core, values: ArrayLike, key: PublicKey | SecretKey) -> EncryptedArray:
    """Encrypt an array of any size, in blocks of as many rows as the slots hold.

    Parameters
    ----------
    values : array_like of int
        Of at least one dimension. A row of what has several has up to `slot_count` values.
    key
        As in `encrypt`.

    Returns
    -------
    EncryptedArray
        Of the same shape, which `decrypt` gives back.

    Raises
    ------
    MessageError
        If there is no row, or a row has too many values.
    MessageTypeError, OutOfMemoryError, EngineMismatchError
        As in `encrypt`.

    Examples
    --------
    >>> x = bfv_engine.encrypt_many(np.ones((600, 4), int), bfv_secret_key)
    >>> [block.shape for block in x.blocks]
    [(256, 4), (256, 4), (88, 4)]
    >>> bfv_engine.decrypt(x.sum(axis=0), bfv_secret_key)
    array([600, 600, 600, 600])
    """
    operation = "encrypt_many"
    parts = block_arrays.rows(operation, _operands.integers(self, operation, values), self.slot_count)
    return EncryptedArray([encrypt(self, part, key) for part in parts])


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
    >>> engine.decrypt(x, secret_key)
    array([ 5, -7])
    """
    operation = "rerandomize"
    x = _operands.ciphertext(self, operation, "ciphertext", ciphertext)
    key = own(self, operation, "public_key", public_key, PublicKey)
    zeros = np.zeros(x.unit_count * self.slot_count, dtype=np.int64)
    return Ciphertext(self, self._context.add(x._native, self._context.encrypt(zeros, key._native)), x._layout)


def decrypt(
    self: Core, ciphertext: Ciphertext | EncryptedArray, secret_key: SecretKey, *, slots: bool = False
) -> NDArray[int64]:
    """Decrypt to an array of the ciphertext's shape.

    Parameters
    ----------
    ciphertext : Ciphertext or EncryptedArray
    secret_key : SecretKey
    slots : bool, default False
        Return all slots, whatever the shape: those after the values hold zeros, or nothing that means anything.

    Returns
    -------
    ndarray of int64
        Of `Ciphertext.shape`; of ``(unit_count * slot_count,)`` for several units, one after the other. The integers of
        that remainder that are nearest to zero.

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
    >>> x = engine.encrypt([3, -4], secret_key)
    >>> engine.decrypt(x, secret_key), engine.decrypt(x, secret_key, slots=True).shape
    (array([ 3, -4]), (1024,))
    """
    operation = "decrypt"
    if isinstance(ciphertext, EncryptedArray):
        return np.concatenate([decrypt(self, block, secret_key, slots=slots) for block in ciphertext.blocks])
    x = _operands.ciphertext(self, operation, "ciphertext", ciphertext)
    secret = _operands.secret_key(self, operation, secret_key)
    layout = SLOTS if checks.truth(operation, "slots", slots) else x._layout
    return layout.values(self._context.decrypt(x._native, secret._native))
