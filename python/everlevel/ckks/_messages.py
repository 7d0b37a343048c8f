"""Encoding, encryption, and their inverses."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._common import checks
from ..errors import LevelError
from . import _checks, _operands
from ._core import Core
from .ciphertext import Ciphertext
from .keys import PublicKey, SecretKey
from .plaintext import Plaintext

Values = NDArray[np.float64] | NDArray[np.complex128]


def encode(self: Core, array: ArrayLike, level: int | None = None, *, bound: float | None = None) -> Plaintext:
    """Encode a message without encrypting it.

    Parameters
    ----------
    array : array_like of real or complex numbers, shape (n,)
        At least one value. More than `slot_count` fill several units; zeros follow the last.
    level : int, optional
        Level to encode at; the engine's highest, if left out.
    bound : float, optional
        Bound that its encryptions have, as in `encrypt`.

    Raises
    ------
    RangeError
        If a value exceeds `bound`, or `bound` the level's room.
    MessageError
        If it is empty, of two dimensions, or holds NaN or infinity.
    MessageTypeError
        If it doesn't hold numbers.
    LevelError
        If `level` isn't one of the engine's.

    Examples
    --------
    >>> plaintext = engine.encode([0.25, 0.5])
    >>> engine.decode(plaintext)[:2].round(6)
    array([0.25, 0.5 ])
    """
    return _encode(self, "encode", array, level, _checks.bound("encode", bound, self._bound))


def decode(self: Core, plaintext: Plaintext) -> Values:
    """Decode a plaintext.

    Returns
    -------
    ndarray of float64 or complex128, shape (units * slot_count,)
        Real if the message was. A message of up to `slot_count` values has one unit.
    """
    plaintext = checks.instance("decode", "plaintext", plaintext, Plaintext)
    slots = self._context.decode(plaintext._native)
    return np.ascontiguousarray(slots.real) if plaintext.is_real else slots


def encrypt(
    self: Core,
    array: ArrayLike | Plaintext,
    key: PublicKey | SecretKey,
    level: int | None = None,
    *,
    bound: float | None = None,
) -> Ciphertext:
    """Encrypt a message.

    Parameters
    ----------
    array : array_like of real or complex numbers, shape (n,), or Plaintext
        At least one value. More than `slot_count` fill several units, ``len(ciphertext)`` of them; zeros follow
        the last value.
    key : PublicKey or SecretKey
        Whom it is for. A secret key adds less noise.
    level : int, optional
        Level of the ciphertext: the multiplications that it has left. The engine's highest (or the plaintext's),
        if left out. Lower ones make smaller, faster ciphertexts.
    bound : float, optional
        Declared bound of the values' sizes; the engine's, if left out. It is public: choose it by what the values can
        be, and not by what they are. Operations carry it on, and refuse results that the modulus may not hold. Where
        nothing is declared, 1 is assumed, and such results are warned of.

    Raises
    ------
    RangeError
        If a value exceeds the declared bound, or the bound the level's room.
    MessageError, MessageTypeError, LevelError
        As in `encode`.
    OperandTypeError
        If the key is of another kind.

    Warns
    -----
    RangeWarning
        If no bound is declared, and a value is larger than 1.

    Examples
    --------
    >>> ciphertext = engine.encrypt([1 + 2j, 3 - 4j], public_key, level=2, bound=5)
    >>> ciphertext.level, ciphertext.bound
    (2, 5.0)
    >>> engine.decrypt(ciphertext, secret_key)[:2].round(3)
    array([1.+2.j, 3.-4.j])
    """
    if not isinstance(key, (PublicKey, SecretKey)):
        needed = ("PublicKey", "SecretKey")
        raise _operands.wrong_key("encrypt", "key", key, needed, "create_public_key")
    if not isinstance(array, Plaintext):
        declared = _checks.bound("encrypt", bound, self._bound)
        return _encrypt(self, _encode(self, "encrypt", array, level, declared), key)
    if bound is not None:
        native = self._context.declare(array._native, _checks.declared_bound("encrypt", bound))
        array = Plaintext(self._context, native, is_real=array.is_real)
    target = array.level if level is None else _checks.level("encrypt", level, self.max_level)
    if target == array.level:
        return _encrypt(self, array, key)
    if target > array.level:
        raise LevelError(
            f"encrypt: level {target} was asked for and the plaintext is at level {array.level}; "
            f"encode it at level {target} or above",
            level=target,
            max_level=array.level,
        )
    fresh = _encrypt(self, array, key)
    return self._wrap(self._context.level_down(fresh._native, target), is_real=array.is_real)


def decrypt(self: Core, ciphertext: Ciphertext, secret_key: SecretKey) -> Values:
    """Decrypt to an array.

    The values carry the ciphertext's noise. Whoever sees decryptions of ciphertexts that they had a hand in may
    learn about the secret from it: see SECURITY.md before giving them away.

    Returns
    -------
    ndarray of float64 or complex128, shape (units * slot_count,)
        Real if the message was, and all that it was combined with. A message of up to `slot_count` values has one
        unit.

    Raises
    ------
    KeyMismatchError
        If the ciphertext is one of another secret.

    Warns
    -----
    RangeWarning
        If a value exceeds the ciphertext's bound by more than noise: a value on the way was larger than its bound.
    """
    return decode(self, decrypt_to_plaintext(self, ciphertext, secret_key))


def decrypt_to_plaintext(self: Core, ciphertext: Ciphertext, secret_key: SecretKey) -> Plaintext:
    """Decrypt without decoding, at the ciphertext's level."""
    ciphertext = _operands.ciphertext("decrypt", ciphertext)
    secret = _operands.secret_key("decrypt", secret_key)
    native = self._context.decrypt(ciphertext._native, secret._native)
    return Plaintext(self._context, native, is_real=ciphertext.is_real)


def assume_bound(self: Core, ciphertext: Ciphertext, bound: float) -> Ciphertext:
    """Claim a bound for a ciphertext's values, in place of the one that operations carried.

    A bound of sums of products holds for the worst values, and grows beyond use where real ones stay small. The claim
    is the caller's: nothing checks it but `decrypt`, which warns of values beyond it.

    Parameters
    ----------
    ciphertext : Ciphertext
    bound : float
        Largest size that a value can have. It is public: choose it by what the values can be.

    Returns
    -------
    Ciphertext
        The same values at the same level, with a declared bound.

    Raises
    ------
    RangeError
        If the bound exceeds the level's room.

    Examples
    --------
    >>> x = engine.encrypt([0.5, 1.0], public_key)
    >>> sum(x for _ in range(5)).bound
    5.0
    >>> engine.assume_bound(sum(x for _ in range(5)), 4).bound
    4.0
    """
    ciphertext = _operands.ciphertext("assume_bound", ciphertext)
    declared = _checks.declared_bound("assume_bound", bound)
    native = self._context.assume_bound(ciphertext._native, declared)
    return self._wrap(native, is_real=ciphertext.is_real)


def _encrypt(self: Core, plaintext: Plaintext, key: PublicKey | SecretKey) -> Ciphertext:
    if isinstance(key, PublicKey):
        native = self._context.encrypt_public(plaintext._native, key._native)
    else:
        native = self._context.encrypt_secret(plaintext._native, key._native)
    return self._wrap(native, is_real=plaintext.is_real)


def _encode(self: Core, operation: str, array: Any, level: Any, bound: float | None) -> Plaintext:
    slots, is_real = _checks.message(operation, array, self.slot_count)
    native = self._context.encode(slots, _checks.level(operation, level, self.max_level), bound, is_real)
    return Plaintext(self._context, native, is_real=is_real)
