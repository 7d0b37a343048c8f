"""Integers of 8 to 64 bits, with parameters of integers of 4 to 6 bits: what has no operator.

All operations raise the same errors, before any work:

* `SpaceError` if the parameters hold bits, or integers of fewer than 4 bits, or more than 6;
* `EngineMismatchError`, `KeyMismatchError` if an operand belongs to other parameters or another secret;
* `MissingKeyError` if the engine knows no evaluation key for the secret;
* `WidthError` if operands have different widths;
* `MessageError` if shapes differ, or a value in the clear isn't one that the width holds; `MessageTypeError` if it is
  no integer of the width;
* `OperandTypeError` if an operand is of another kind.
"""

from __future__ import annotations

from typing import Any

from .._common import checks
from .._common.arrays import integer_width
from ..errors import MessageTypeError
from ..tfhe import _checks
from . import _operands, _uint_operations
from ._core import Core
from ._digit_array import DigitArray
from ._digit_types import WIDTHS, require_digits
from ._integer_array import IntegerT
from ._integers import selected
from ._messages import encrypted_array, require_values
from .int_array import IntArray
from .keys import PublicKey, SecretKey
from .uint_array import UintArray


def encrypt_uint(self: Core, values: Any, key: PublicKey | SecretKey, *, width: int | None = None) -> UintArray:
    """Encrypt an array of unsigned integers, of any shape.

    Parameters
    ----------
    values : array_like of int
        Integers from 0 to ``2**width - 1``; at least one.
    key : PublicKey or SecretKey
        Who decrypts. With the secret key itself, ciphertexts have less noise.
    width : int, optional
        Bits of an integer: 8, 16, 32 or 64. The dtype's, if left out, which must be unsigned then.

    Raises
    ------
    SpaceError
        If the parameters hold bits, or integers of fewer than 4 bits, or more than 6.
    MessageTypeError
        If the dtype is no integer's, or a signed one and there is no `width`.
    MessageError
        If there are no values, or one is one that the width doesn't hold; with its index.
    ParameterError
        If there is no such width.
    EngineMismatchError
        If the key is one of other parameters.

    Examples
    --------
    >>> engine, secret_key = bulk_engine, bulk_secret_key
    >>> x = engine.encrypt_uint([[1, 2], [3, 40_000]], secret_key, width=16)
    >>> x
    UintArray(shape (2, 2), uint16, p_fail 2^-123)
    >>> engine.decrypt(x * 2, secret_key)
    array([[    2,     4],
           [    6, 14464]], dtype=uint16)
    """
    return _encrypted(self, "encrypt_uint", values, key, width, UintArray)


def encrypt_int(self: Core, values: Any, key: PublicKey | SecretKey, *, width: int | None = None) -> IntArray:
    """Encrypt an array of signed integers, of any shape: see `encrypt_uint`.

    Parameters
    ----------
    values : array_like of int
        Integers from ``-2**(width - 1)`` to ``2**(width - 1) - 1``; at least one.
    key : PublicKey or SecretKey
        Who decrypts.
    width : int, optional
        Bits of an integer: 8, 16, 32 or 64. The dtype's, if left out, which must be signed then.

    Examples
    --------
    >>> engine, secret_key = bulk_engine, bulk_secret_key
    >>> x = engine.encrypt_int([-3, 100], secret_key, width=8)
    >>> x
    IntArray(shape (2,), int8, p_fail 2^-125)
    >>> engine.decrypt(x * 2, secret_key)
    array([ -6, -56], dtype=int8)
    """
    return _encrypted(self, "encrypt_int", values, key, width, IntArray)


def _encrypted(
    self: Core, operation: str, values: Any, key: PublicKey | SecretKey, width: int | None, kind: type[IntegerT]
) -> IntegerT:
    native_key = _operands.encryption_key(self, operation, key)
    require_digits(self, operation)
    width = integer_width(values, signed=kind._signed) if width is None else width
    if width is None:
        named = str(getattr(values, "dtype", type(values).__name__))
        sign, example = ("signed", "int32") if kind._signed else ("unsigned", "uint32")
        raise MessageTypeError(
            f"{operation}: the values have dtype {named}, which says no width of {sign} integers; "
            f"pass width=8, 16, 32 or 64, or an array of numpy.{example} or its like",
            dtype=named,
        )
    if checks.integer(operation, "width", width) not in WIDTHS:
        raise checks.refusal(operation, "width", width, "8, 16, 32 and 64 are taken; choose the next above", WIDTHS)
    words, shape = _checks.words(operation, values, width, signed=kind._signed)
    array = words.reshape(shape)
    require_values(operation, array)
    digits = _uint_operations.digits_of(self, array, width)
    found = tuple(encrypted_array(self, digit, native_key, 2**self._digit_bits - 1) for digit in digits)
    return kind(self, found, len(found))


def minimum(self: Core, a: Any, b: Any) -> Any:
    """Return the smaller of two integers, element by element; one operand may be in the clear.

    Examples
    --------
    >>> engine, secret_key = bulk_engine, bulk_secret_key
    >>> x = engine.encrypt_uint(np.array([200, 5], dtype=np.uint8), secret_key)
    >>> engine.decrypt(engine.minimum(x, 100), secret_key)
    array([100,   5], dtype=uint8)
    """
    return _uint_operations.binary(self, "minimum", a, b)


def maximum(self: Core, a: Any, b: Any) -> Any:
    """Return the larger of two integers, element by element; one operand may be in the clear.

    Examples
    --------
    >>> engine, secret_key = bulk_engine, bulk_secret_key
    >>> x = engine.encrypt_uint(np.array([200, 5], dtype=np.uint8), secret_key)
    >>> engine.decrypt(engine.maximum(x, 100), secret_key)
    array([200, 100], dtype=uint8)
    """
    return _uint_operations.binary(self, "maximum", a, b)


def rotate_left(self: Core, a: Any, amount: Any) -> Any:
    """Rotate bits to the left by an amount modulo the width, in the clear or encrypted.

    Examples
    --------
    >>> engine, secret_key = bulk_engine, bulk_secret_key
    >>> x = engine.encrypt_uint(np.array([200, 5], dtype=np.uint8), secret_key)
    >>> engine.decrypt(engine.rotate_left(x, 1), secret_key)
    array([145,  10], dtype=uint8)
    """
    return _uint_operations.shift(self, "rotate_left", a, amount)


def rotate_right(self: Core, a: Any, amount: Any) -> Any:
    """Rotate bits to the right by an amount modulo the width, in the clear or encrypted.

    Examples
    --------
    >>> engine, secret_key = bulk_engine, bulk_secret_key
    >>> x = engine.encrypt_uint(np.array([200, 5], dtype=np.uint8), secret_key)
    >>> engine.decrypt(engine.rotate_right(x, 1), secret_key)
    array([100, 130], dtype=uint8)
    """
    return _uint_operations.shift(self, "rotate_right", a, amount)


def select(self: Core, selector: Any, a: Any, b: Any) -> Any:
    """Choose `a` where `selector` is 1 and `b` where it is 0, as ``numpy.where`` does, without a bootstrap.

    It is a product. What a selection has made is looked up once before it is selected again, or selects.

    Parameters
    ----------
    selector : Ciphertext or BoolArray
        Bits; or integers with a `max_value` of 1; or what a comparison gave, between integers of many bits.
    a, b : Ciphertext, UintArray, IntArray or array_like
        Of the selector's shape.

    Returns
    -------
    Ciphertext, UintArray or IntArray
        Of this shape.

    Raises
    ------
    SpaceError
        If the selector may have other values than 0 and 1.
    NoiseError
        If the errors of the operands are too large.
    MessageError
        If shapes differ, or values in the clear are out of range.
    OperandTypeError, EngineMismatchError, KeyMismatchError, MissingKeyError
        As for `bootstrap`.

    Examples
    --------
    >>> engine, secret_key = bulk_engine, bulk_secret_key
    >>> x = engine.encrypt([3, 9, 12, 6], secret_key)
    >>> is_large = engine.bootstrap(x, lut=lambda m: m > 8)
    >>> engine.decrypt(engine.select(is_large, 8, x), secret_key)
    array([3, 8, 8, 6], dtype=uint8)
    """
    if any(isinstance(value, DigitArray) for value in (selector, a, b)):
        return _uint_operations.select_integers(self, selector, a, b)
    return selected(self, "select", selector, a, b)
