"""Encryption and decryption of vectors."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _checks
from . import _operands
from ._core import Core
from .ciphertext import Ciphertext
from .keys import PublicKey, SecretKey

Values = NDArray[np.float64] | NDArray[np.complex128]


def encrypt(self: Core, array: ArrayLike, key: PublicKey | SecretKey, *, bound: float = 1.0) -> Ciphertext:
    """Encrypt a vector of real or complex numbers, one for each slot.

    Parameters
    ----------
    array : array_like of real or complex numbers, shape (n,)
        At least one value, and at most `slot_count`; zeros follow the last.
    key : PublicKey or SecretKey
        Who decrypts. With the secret key itself, ciphertexts have less noise.
    bound : float, default 1
        Bound of the values' sizes. It is public: choose it by what the values can be, and not by what they are.
        Operations carry it on, and refuse results that the budget has no room for.

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
        If the vector is empty, too long or of other dimensions, or holds NaN or infinity.
    NoiseError
        If the budget has no room for values of this bound.
    EngineMismatchError
        If the key is one of other parameters.

    Examples
    --------
    >>> engine, secret_key = limbs_engine, limbs_secret_key
    >>> x = engine.encrypt([1 + 2j, 3 - 4j], secret_key, bound=5)
    >>> engine.decrypt(x, secret_key)[:2].round(6)
    array([1.+2.j, 3.-4.j])
    """
    operation = "encrypt"
    native = _operands.encryption_key(self, operation, key)
    slots, is_real = _operands.vector(self, operation, array)
    size = _checks.declared_bound(operation, bound)
    return Ciphertext(self, self._context.encrypt(slots, size, native), is_real=is_real)


def decrypt(self: Core, ciphertext: Ciphertext, secret_key: SecretKey) -> Values:
    """Decrypt a vector.

    Returns
    -------
    ndarray of float64 or complex128, shape (slot_count,)
        Real if everything that it was made of was. Errors have about the size that `Ciphertext.precision_bits` says.

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
    >>> engine.decrypt(engine.encrypt([0.5, 0.25], secret_key), secret_key)[:2].round(3)
    array([0.5 , 0.25])
    """
    operation = "decrypt"
    x = _operands.ciphertext(self, operation, "ciphertext", ciphertext)
    secret = _operands.secret_key(self, operation, secret_key)
    slots = self._context.decrypt(x._native, secret._native)
    return np.ascontiguousarray(slots.real) if x.is_real else slots
