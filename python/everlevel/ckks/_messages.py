"""Encoding, encryption, and their inverses."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._common import block_arrays, callers, checks, slot_shapes
from .._common.slot_shapes import SLOTS, Layout
from ..errors import LevelError, RangeWarning
from . import _checks, _device, _operands
from ._checks import Declared
from ._core import Core
from ._shaping import slotwise
from .ciphertext import Ciphertext
from .encrypted_array import EncryptedArray
from .keys import PublicKey, SecretKey
from .plaintext import Plaintext

Values = NDArray[np.float64] | NDArray[np.complex128]


def encode(
    self: Core, array: ArrayLike, level: int | None = None, *, bound: Declared | None = None, slots: bool = False
) -> Plaintext:
    """Encode a message without encrypting it.

    Parameters
    ----------
    array : array_like of real or complex numbers
        At least one value, and of any shape for up to `slot_count` values: `Plaintext.shape`. More of them are a
        vector, and fill several units. Zeros follow the last.
    level : int, optional
        Level to encode at; the engine's highest, if left out.
    bound : float or pair of floats, optional
        Bound that its encryptions have, as in `encrypt`.
    slots : bool, default False
        As in `encrypt`.

    Raises
    ------
    RangeError
        If a value exceeds `bound`, or `bound` the level's room.
    MessageError
        If it is empty, of two dimensions and more than `slot_count` values, or holds NaN or infinity.
    MessageTypeError
        If it doesn't hold numbers.
    LevelError
        If `level` isn't one of the engine's.

    Examples
    --------
    >>> plaintext = engine.encode([0.25, 0.5])
    >>> engine.decode(plaintext).round(6)
    array([0.25, 0.5 ])
    """
    return _encode(self, "encode", array, level, _checks.bound("encode", bound, self._bound), slots)


def decode(self: Core, plaintext: Plaintext) -> Values:
    """Decode a plaintext.

    Returns
    -------
    ndarray of float64 or complex128
        Of the shape of the message, or of all slots, one unit after the other, where they count. Real if the message
        was.

    Examples
    --------
    >>> engine.decode(engine.encode([0.25, 0.5])).round(6)
    array([0.25, 0.5 ])
    """
    plaintext = checks.instance("decode", "plaintext", plaintext, Plaintext)
    slots = self._context.decode(plaintext._native)
    return plaintext._layout.values(np.ascontiguousarray(slots.real) if plaintext.is_real else slots)


def encrypt(
    self: Core,
    array: ArrayLike | Plaintext,
    key: PublicKey | SecretKey,
    level: int | None = None,
    *,
    bound: Declared | None = None,
    slots: bool = False,
) -> Ciphertext:
    """Encrypt a message, and remember its shape, which is public.

    Parameters
    ----------
    array : array_like of real or complex numbers, or Plaintext
        At least one value, and of any shape for up to `slot_count` values: `Ciphertext.shape`. A single number goes to
        every slot. More than `slot_count` values are a vector, and fill several units: `Ciphertext.unit_count`.
    key : PublicKey or SecretKey
        Whom it is for. A secret key adds less noise.
    level : int, optional
        Level of the ciphertext: the multiplications that it has left. The engine's highest (or the plaintext's),
        if left out. Lower ones make smaller, faster ciphertexts.
    bound : float or pair of floats, optional
        Declared bound of the values' sizes, or ``(low, high)``, where real values lie; the engine's, if left out. It is
        public: choose it by what the values can be, and not by what they are. Operations carry it on, and refuse
        results that the modulus may not hold; functions such as `everlevel.log` are fitted on the interval. Where
        nothing is declared, 1 is assumed, and such results are warned of.
    slots : bool, default False
        Let all slots count, those after the last value with zeros, as version 0.1 did: the shape is that of the slots.

    Raises
    ------
    RangeError
        If a value exceeds the declared bound or lies outside of the interval, or the bound exceeds the level's room.
    MessageError, MessageTypeError, LevelError
        As in `encode`; an interval of a complex message.
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
    >>> engine.decrypt(ciphertext, secret_key).round(3)
    array([1.+2.j, 3.-4.j])
    >>> table = engine.encrypt([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], public_key, bound=6)
    >>> table.shape, table.sum().shape
    ((2, 3), ())
    >>> ages = engine.encrypt([34, 71, 5], public_key, bound=(0, 130))
    >>> ages.interval, (130 - ages).interval
    ((0.0, 130.0), (0.0, 130.0))
    """
    if not isinstance(key, (PublicKey, SecretKey)):
        needed = ("PublicKey", "SecretKey")
        raise _operands.wrong_key("encrypt", "key", key, needed, "create_public_key")
    if not isinstance(array, Plaintext):
        declared = _checks.bound("encrypt", bound, self._bound)
        return _encrypt(self, _encode(self, "encrypt", array, level, declared, slots), key)
    if checks.truth("encrypt", "slots", slots):
        array = Plaintext(self._context, array._native, is_real=array.is_real)
    if bound is not None:
        said = _checks.declared("encrypt", bound)
        _checks.require_real("encrypt", said, array.is_real)
        native = self._context.declare(array._native, said)
        array = Plaintext(self._context, native, is_real=array.is_real, layout=array._layout)
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
    lowered = self._context.level_down(fresh._native, target)
    return self._wrap(lowered, is_real=array.is_real, layout=array._layout)


def decrypt(
    self: Core, ciphertext: Ciphertext | EncryptedArray, secret_key: SecretKey, *, slots: bool = False
) -> Values:
    """Decrypt to an array of the ciphertext's shape.

    The values carry the ciphertext's noise. Whoever sees decryptions of ciphertexts that they had a hand in may
    learn about the secret from it: see SECURITY.md before giving them away.

    Parameters
    ----------
    ciphertext : Ciphertext or EncryptedArray
    secret_key : SecretKey
    slots : bool, default False
        Return all slots, whatever the shape: those after the values hold zeros, or nothing that means anything.

    Returns
    -------
    ndarray of float64 or complex128
        Of `Ciphertext.shape`; of ``(unit_count * slot_count,)`` for several units, one after the other. Real if the
        message was, and all that it was combined with.

    Raises
    ------
    KeyMismatchError
        If the ciphertext is one of another secret.

    Warns
    -----
    RangeWarning
        If a value exceeds the ciphertext's bound by more than noise, or lies outside of its interval: a value on the
        way was larger than its bound, or a claim was wrong.

    Examples
    --------
    >>> x = engine.encrypt([[1.0, 2.0], [3.0, 4.0]], public_key, bound=4)
    >>> engine.decrypt(x, secret_key).round(3)
    array([[1., 2.],
           [3., 4.]])
    >>> engine.decrypt(x, secret_key, slots=True).shape
    (512,)
    """
    if isinstance(ciphertext, EncryptedArray):
        secret = _operands.secret_key("decrypt", secret_key)
        return np.concatenate([decrypt(self, block, secret, slots=slots) for block in ciphertext.blocks])
    plaintext = decrypt_to_plaintext(self, ciphertext, secret_key)
    if checks.truth("decrypt", "slots", slots):
        plaintext = Plaintext(self._context, plaintext._native, is_real=plaintext.is_real)
    values = decode(self, plaintext)
    _warn_outside(ciphertext, np.ravel(values)[: ciphertext.size])
    return values


def _warn_outside(x: Ciphertext, values: NDArray[Any]) -> None:
    """Warn of values outside of an interval by more than noise, where none is larger than the bound."""
    if x.interval is None or not len(values) or np.isnan(x.precision_floor):
        return
    (low, high), room = x.interval, 2.0**-x.precision_floor + 1e-9 * x.bound
    value = float(values[np.maximum(low - values, values - high).argmax()])
    if max(low - value, value - high) > room and abs(value) <= x.bound + room:
        warning = RangeWarning(
            f"decrypt: a value is {value:.6g}, and the ciphertext's values lie from {low:.6g} to {high:.6g}, by bounds "
            f"and claims: one of them was wrong on the way; claim what is so, x.within(a, b)",
            bound=x.bound,
            size=abs(value),
        )
        callers.warn_once("interval", warning)


def encrypt_many(
    self: Core,
    array: ArrayLike,
    key: PublicKey | SecretKey,
    level: int | None = None,
    *,
    bound: Declared | None = None,
) -> EncryptedArray:
    """Encrypt an array of any size, in blocks of as many rows as the slots hold.

    Parameters
    ----------
    array : array_like of real or complex numbers
        Of at least one dimension. A row of what has several has up to `slot_count` values.
    key, level, bound
        As in `encrypt`.

    Returns
    -------
    EncryptedArray
        Of the same shape, which `decrypt` gives back.

    Raises
    ------
    MessageError
        If there is no row, or a row has too many values.
    RangeError, MessageTypeError, LevelError, OperandTypeError
        As in `encrypt`.

    Examples
    --------
    >>> table = np.linspace([0, 0, 0], [0.25, 0.5, 1], 1000)
    >>> x = engine.encrypt_many(table, secret_key, bound=(0, 1))
    >>> [block.shape for block in x.blocks]
    [(170, 3), (170, 3), (170, 3), (170, 3), (170, 3), (150, 3)]
    >>> engine.decrypt(x.mean(axis=0), secret_key).round(3)
    array([0.125, 0.25 , 0.5  ])
    """
    operation = "encrypt_many"
    parts = block_arrays.rows(operation, _checks.numbers(operation, array), self.slot_count)
    return EncryptedArray([encrypt(self, part, key, level, bound=bound) for part in parts])


def decrypt_to_plaintext(self: Core, ciphertext: Ciphertext, secret_key: SecretKey) -> Plaintext:
    """Decrypt without decoding, at the ciphertext's level.

    Examples
    --------
    >>> x = engine.encrypt([1.0, 2.0], public_key, bound=2)
    >>> engine.decode(engine.decrypt_to_plaintext(x, secret_key)).round(3)
    array([1., 2.])
    """
    ciphertext = _operands.ciphertext("decrypt", ciphertext)
    secret = _operands.secret_key("decrypt", secret_key)
    native = self._context.decrypt(ciphertext._native, secret._native)
    return Plaintext(self._context, native, is_real=ciphertext.is_real, layout=ciphertext._layout)


@slotwise(needs_zeros=True)
def assume_bound(self: Core, ciphertext: Ciphertext, bound: float | tuple[float, float]) -> Ciphertext:
    """Claim a bound for a ciphertext's values, in place of the one that operations carried.

    A bound of sums of products holds for the worst values, and grows beyond use where real ones stay small. The claim
    is the caller's: nothing checks it but `decrypt`, which warns of values beyond it.

    Parameters
    ----------
    ciphertext : Ciphertext
    bound : float or pair of floats
        Largest size that a value can have, or the ends of where real values lie. It is public: choose it by what the
        values can be.

    Returns
    -------
    Ciphertext
        The same values at the same level, with a claimed bound.

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
    if isinstance(bound, tuple) and len(bound) == 2:
        low, high = _checks.ends("assume_bound", *bound)
        if ciphertext.is_real:
            native = self._context.assume_between(ciphertext._native, low, high)
            return self._wrap(native, is_real=True)
        bound = max(abs(low), abs(high))
    native = self._context.assume_bound(ciphertext._native, _checks.declared_bound("assume_bound", bound))
    return self._wrap(native, is_real=ciphertext.is_real)


def _encrypt(self: Core, plaintext: Plaintext, key: PublicKey | SecretKey) -> Ciphertext:
    if isinstance(key, PublicKey):
        native = self._context.encrypt_public(plaintext._native, key._native)
    else:
        native = self._context.encrypt_secret(plaintext._native, key._native)
    return self._wrap(_device.placed(self._context, native), is_real=plaintext.is_real, layout=plaintext._layout)


def _encode(self: Core, operation: str, array: Any, level: Any, bound: Declared | None, slots: Any) -> Plaintext:
    values, is_real, layout = message(self, operation, array, slots)
    _checks.require_real(operation, bound, is_real)
    native = self._context.encode(values, _checks.level(operation, level, self.max_level), bound, is_real)
    return Plaintext(self._context, native, is_real=is_real, layout=layout)


def message(self: Core, operation: str, array: Any, slots: Any) -> tuple[_checks.ComplexArray, bool, Layout]:
    """Turn a message into what slots hold, and say whether it is real, and which slots hold it."""
    if checks.truth(operation, "slots", slots) or not self._has_shapes:
        return *_checks.message(operation, array, self.slot_count), SLOTS
    values, is_real, shape = _checks.array(operation, array, self.slot_count)
    layout = SLOTS if len(values) > self.slot_count else slot_shapes.layout(shape, self.slot_count)
    return np.resize(values, self.slot_count) if layout.is_single else values, is_real, layout
