"""Encryption and decryption of vectors."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..._common import block_arrays, checks, slot_shapes
from ..._common.slot_shapes import SLOTS
from .. import _checks
from . import _operands
from ._core import Core
from .ciphertext import Ciphertext
from .encrypted_array import EncryptedArray
from .keys import PublicKey, SecretKey

Values = NDArray[np.float64] | NDArray[np.complex128]


def encrypt(
    self: Core, array: ArrayLike, key: PublicKey | SecretKey, *, bound: float = 1.0, slots: bool = False
) -> Ciphertext:
    """Encrypt real or complex numbers, one for each slot, and remember their shape, which is public.

    Parameters
    ----------
    array : array_like of real or complex numbers
        At least one value, and at most `slot_count`, of any shape: `Ciphertext.shape`. A single number goes to every
        slot.
    key : PublicKey or SecretKey
        Who decrypts. With the secret key itself, ciphertexts have less noise.
    bound : float, default 1
        Bound of the values' sizes. It is public: choose it by what the values can be, and not by what they are.
        Operations carry it on, and refuse results that the budget has no room for.
    slots : bool, default False
        Let all slots count, those after the last value with zeros, as version 0.1 did: the shape is that of the slots.

    Returns
    -------
    Ciphertext
        With the engine's `max_budget_bits`.

    Raises
    ------
    RangeError
        If a value exceeds `bound`.
    MessageTypeError
        If it doesn't hold numbers.
    MessageError
        If the array is empty or too large, or holds NaN or infinity.
    NoiseError
        If the budget has no room for values of this bound.
    EngineMismatchError
        If the key is one of other parameters.

    Examples
    --------
    >>> engine, secret_key = limbs_engine, limbs_secret_key
    >>> x = engine.encrypt([1 + 2j, 3 - 4j], secret_key, bound=5)
    >>> engine.decrypt(x, secret_key).round(6)
    array([1.+2.j, 3.-4.j])
    """
    operation = "encrypt"
    native = _operands.encryption_key(self, operation, key)
    message, is_real = _operands.message(self, operation, array)
    size = _checks.declared_bound(operation, bound)
    filled = np.full(self.slot_count, message) if message.ndim == 0 else message.ravel()
    layout = slot_shapes.of_message(operation, message.shape, self.slot_count, slots)
    return Ciphertext(self, self._context.encrypt(filled, size, native), is_real=is_real, layout=layout)


def encrypt_many(self: Core, array: ArrayLike, key: PublicKey | SecretKey, *, bound: float = 1.0) -> EncryptedArray:
    """Encrypt an array of any size, in blocks of as many rows as the slots hold.

    Parameters
    ----------
    array : array_like of real or complex numbers
        Of at least one dimension. A row of what has several has up to `slot_count` values.
    key, bound
        As in `encrypt`.

    Returns
    -------
    EncryptedArray
        Of the same shape, which `decrypt` gives back.

    Raises
    ------
    MessageError
        If there is no row, or a row has too many values.
    RangeError, NoiseError, MessageTypeError, EngineMismatchError
        As in `encrypt`.

    Examples
    --------
    >>> x = limbs_engine.encrypt_many(np.linspace(0, 1, 1000), limbs_secret_key)
    >>> [block.shape for block in x.blocks]
    [(512,), (488,)]
    >>> float(limbs_engine.decrypt(x.mean(), limbs_secret_key).round(3))
    0.5
    """
    operation = "encrypt_many"
    parts = block_arrays.rows(operation, _checks.numbers(operation, array), self.slot_count)
    return EncryptedArray([encrypt(self, part, key, bound=bound) for part in parts])


def decrypt(
    self: Core, ciphertext: Ciphertext | EncryptedArray, secret_key: SecretKey, *, slots: bool = False
) -> Values:
    """Decrypt to an array of the ciphertext's shape.

    Parameters
    ----------
    ciphertext : Ciphertext or EncryptedArray
    secret_key : SecretKey
    slots : bool, default False
        Return all slots, whatever the shape: those after the values hold zeros, or nothing that means anything.

    Returns
    -------
    ndarray of float64 or complex128
        Of `Ciphertext.shape`. Real if everything that it was made of was. Errors have about the size that
        `Ciphertext.precision_bits` says.

    Raises
    ------
    KeyMismatchError
        If the ciphertext belongs to another secret.
    EngineMismatchError
        If one of the two is of other parameters.

    Notes
    -----
    The errors of a decrypted vector tell about the secret: who publishes results must hide them first, and nothing here
    does so.

    Examples
    --------
    >>> engine, secret_key = limbs_engine, limbs_secret_key
    >>> engine.decrypt(engine.encrypt([0.5, 0.25], secret_key), secret_key).round(3)
    array([0.5 , 0.25])
    """
    operation = "decrypt"
    if isinstance(ciphertext, EncryptedArray):
        return np.concatenate([decrypt(self, block, secret_key, slots=slots) for block in ciphertext.blocks])
    x = _operands.ciphertext(self, operation, "ciphertext", ciphertext)
    secret = _operands.secret_key(self, operation, secret_key)
    layout = SLOTS if checks.truth(operation, "slots", slots) else x._layout
    found = self._context.decrypt(x._native, secret._native)
    return layout.values(np.ascontiguousarray(found.real) if x.is_real else found)
