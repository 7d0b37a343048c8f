"""Integers of 8 to 256 bits, with parameters of integers of 4 bits or more: what has no operator.

All operations raise the same errors, before any work:

* `SpaceError` if the parameters hold bits, or integers of fewer than 4 bits;
* `EngineMismatchError`, `KeyMismatchError` if an operand belongs to other parameters or another secret;
* `MissingKeyError` if the engine knows no evaluation key for the secret;
* `WidthError` if operands have different widths;
* `MessageError` if shapes don't go together, or a value in the clear isn't one that the width holds;
  `MessageTypeError` if it is no integer;
* `OperandTypeError` if an operand is of another kind;
* `DivisionByZeroError` if a divisor in the clear is zero, unless the form is checked.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _native
from .._common import checks
from .._common.arrays import array_of
from .._common.storable import own
from ..errors import MessageTypeError, OperandTypeError
from . import _checks, _operands, _uint_operations
from ._array import EncryptedArray, key_of
from ._core import Core
from ._integer_array import IntegerArray, IntegerT
from ._uint_operations import named_type, width_of
from .bool_array import BoolArray
from .decimal_array import DecimalArray, on_units
from .int_array import IntArray
from .keys import PublicKey, SecretKey
from .uint_array import UintArray


def encrypt_uint(self: Core, values: Any, key: PublicKey | SecretKey, *, width: int | None = None) -> UintArray:
    """Encrypt an array of unsigned integers, of any shape.

    Parameters
    ----------
    values : array_like of int
        Integers from 0 to ``2**width - 1``; from 128 bits on Python's, in lists or in arrays of objects.
    key : PublicKey or SecretKey
        Who decrypts. With the secret key itself, ciphertexts have less noise.
    width : int, optional
        Bits of an integer: 8, 16, 32, 64, 128 or 256. The dtype's, if left out, which must be unsigned then.

    Raises
    ------
    SpaceError
        If the parameters hold bits, or integers of fewer than 4 bits.
    MessageTypeError
        If the dtype is no integer's, or a signed one and there is no `width`.
    MessageError
        If a value is one that the width doesn't hold; with its index.
    ParameterError
        If there is no such width.
    EngineMismatchError
        If the key is one of other parameters.

    Examples
    --------
    >>> engine, secret_key = tfhe_engine, tfhe_secret_key
    >>> engine.encrypt_uint([[1, 2], [3, 40_000]], secret_key, width=16)
    UintArray(shape (2, 2), uint16, p_fail 2^-...)
    >>> int(engine.decrypt(engine.encrypt_uint(2**100, secret_key, width=128) + 1, secret_key)) - 2**100
    1
    """
    return encrypt_integers(self, "encrypt_uint", UintArray, values, key, width)


def encrypt_int(self: Core, values: Any, key: PublicKey | SecretKey, *, width: int | None = None) -> IntArray:
    """Encrypt an array of signed integers, of any shape: see `encrypt_uint`.

    Parameters
    ----------
    values : array_like of int
        Integers from ``-2**(width - 1)`` to ``2**(width - 1) - 1``.
    key : PublicKey or SecretKey
        Who decrypts.
    width : int, optional
        Bits of an integer: 8, 16, 32, 64, 128 or 256. The dtype's, if left out, which must be signed then. A list of
        Python's integers has none.

    Raises
    ------
    SpaceError, MessageTypeError, MessageError, ParameterError, EngineMismatchError
        As for `encrypt_uint`.

    Examples
    --------
    >>> engine, secret_key = tfhe_engine, tfhe_secret_key
    >>> x = engine.encrypt_int(np.array([-3, 100], dtype=np.int16), secret_key)
    >>> engine.decrypt(x * x, secret_key)
    array([    9, 10000], dtype=int16)
    """
    return encrypt_integers(self, "encrypt_int", IntArray, values, key, width)


def encrypt_integers(
    self: Core, operation: str, kind: type[IntegerT], values: Any, key: PublicKey | SecretKey, width: int | None
) -> IntegerT:
    native_key = _operands.encryption_key(self, operation, key)
    _uint_operations.require_digits(self, operation)
    if width is None:
        width = width_of(values, kind)
        if width is None:
            dtype = getattr(values, "dtype", type(values).__name__)
            raise MessageTypeError(
                f"{operation}: the values have dtype {dtype}, which says no width of {kind.__name__}s; "
                f"pass width=8, 16, 32, 64, 128 or 256, or an array of {named_type(kind, 32)} or its like",
                dtype=str(dtype),
            )
    else:
        width = _uint_operations.require_width(operation, width)
    words, shape = _checks.words(operation, values, width, signed=kind._signed)
    return kind(self, _native.TfheUintArray.encrypt(words, width, native_key), shape)


def encrypt_bool(self: Core, values: Any, key: PublicKey | SecretKey) -> BoolArray:
    """Encrypt an array of truth values, of any shape, to choose between encrypted integers by.

    Raises
    ------
    SpaceError
        If the parameters hold bits, whose `encrypt` takes booleans, or integers of fewer than 4 bits.
    MessageTypeError
        If the dtype isn't boolean.
    EngineMismatchError
        If the key is one of other parameters.

    Examples
    --------
    >>> engine, secret_key = tfhe_engine, tfhe_secret_key
    >>> engine.decrypt(~engine.encrypt_bool([True, False], secret_key), secret_key)
    array([False,  True])
    """
    operation = "encrypt_bool"
    native_key = _operands.encryption_key(self, operation, key)
    _uint_operations.require_digits(self, operation)
    array = _checks.booleans(operation, values)
    native = _native.TfheBoolArray.encrypt(_checks.flat(array, np.bool_), native_key)
    return BoolArray(self, native, array.shape)


def minimum(self: Any, a: Any, b: Any) -> Any:
    """Return the smaller of two integers or decimals, element by element; one operand may be in the clear.

    Examples
    --------
    >>> engine, secret_key = tfhe_engine, tfhe_secret_key
    >>> x = engine.encrypt_uint(np.array([200, 5], dtype=np.uint8), secret_key)
    >>> engine.decrypt(engine.minimum(x, 100), secret_key)
    array([100,   5], dtype=uint8)
    """
    if isinstance(a, DecimalArray) or isinstance(b, DecimalArray):
        return on_units("minimum", self.minimum, a, b)
    return _uint_operations.binary(self, "minimum", a, b)


def maximum(self: Any, a: Any, b: Any) -> Any:
    """Return the larger of two integers or decimals, element by element; one operand may be in the clear.

    Examples
    --------
    >>> engine, secret_key = tfhe_engine, tfhe_secret_key
    >>> x = engine.encrypt_uint(np.array([200, 5], dtype=np.uint8), secret_key)
    >>> engine.decrypt(engine.maximum(x, 100), secret_key)
    array([200, 100], dtype=uint8)
    """
    if isinstance(a, DecimalArray) or isinstance(b, DecimalArray):
        return on_units("maximum", self.maximum, a, b)
    return _uint_operations.binary(self, "maximum", a, b)


def checked_add(self: Core, a: Any, b: Any) -> tuple[Any, BoolArray]:
    """Compute ``a + b``, and where the sum is none of the width.

    Returns
    -------
    result : UintArray or IntArray
        The sum modulo ``2**width``.
    overflow : BoolArray
        Of the same shape.

    Examples
    --------
    >>> engine, secret_key = tfhe_engine, tfhe_secret_key
    >>> x = engine.encrypt_uint(np.array([200, 5], dtype=np.uint8), secret_key)
    >>> total, overflow = engine.checked_add(x, 100)
    >>> engine.decrypt(total, secret_key), engine.decrypt(overflow, secret_key)
    (array([ 44, 105], dtype=uint8), array([ True, False]))
    """
    return _uint_operations.checked(self, "add", a, b)


def checked_subtract(self: Core, a: Any, b: Any) -> tuple[Any, BoolArray]:
    """Compute ``a - b``, and where the difference is none of the width: see `checked_add`.

    Examples
    --------
    >>> engine, secret_key = tfhe_engine, tfhe_secret_key
    >>> x = engine.encrypt_uint(np.array([200, 5], dtype=np.uint8), secret_key)
    >>> value, overflow = engine.checked_subtract(x, 6)
    >>> engine.decrypt(value, secret_key), engine.decrypt(overflow, secret_key)
    (array([194, 255], dtype=uint8), array([False,  True]))
    """
    return _uint_operations.checked(self, "subtract", a, b)


def checked_multiply(self: Core, a: Any, b: Any) -> tuple[Any, BoolArray]:
    """Compute ``a * b``, and where the product is none of the width: see `checked_add`.

    Examples
    --------
    >>> engine, secret_key = tfhe_engine, tfhe_secret_key
    >>> x = engine.encrypt_uint(np.array([200, 5], dtype=np.uint8), secret_key)
    >>> value, overflow = engine.checked_multiply(x, 2)
    >>> engine.decrypt(value, secret_key), engine.decrypt(overflow, secret_key)
    (array([144,  10], dtype=uint8), array([ True, False]))
    """
    return _uint_operations.checked(self, "multiply", a, b)


def saturating_add(self: Core, a: Any, b: Any) -> Any:
    """Compute ``a + b``, or the nearest integer of the width where the sum is none.

    Examples
    --------
    >>> engine, secret_key = tfhe_engine, tfhe_secret_key
    >>> x = engine.encrypt_int(np.array([100, -100, 5], dtype=np.int8), secret_key)
    >>> engine.decrypt(engine.saturating_add(x, x), secret_key)
    array([ 127, -128,   10], dtype=int8)
    """
    return _uint_operations.binary(self, "saturating_add", a, b)


def saturating_subtract(self: Core, a: Any, b: Any) -> Any:
    """Compute ``a - b``, or the nearest integer of the width where the difference is none: see `saturating_add`.

    Examples
    --------
    >>> engine, secret_key = tfhe_engine, tfhe_secret_key
    >>> x = engine.encrypt_uint(np.array([200, 5], dtype=np.uint8), secret_key)
    >>> engine.decrypt(engine.saturating_subtract(x, 6), secret_key)
    array([194,   0], dtype=uint8)
    """
    return _uint_operations.binary(self, "saturating_subtract", a, b)


def saturating_multiply(self: Core, a: Any, b: Any) -> Any:
    """Compute ``a * b``, or the nearest integer of the width where the product is none: see `saturating_add`.

    Examples
    --------
    >>> engine, secret_key = tfhe_engine, tfhe_secret_key
    >>> x = engine.encrypt_uint(np.array([200, 5], dtype=np.uint8), secret_key)
    >>> engine.decrypt(engine.saturating_multiply(x, 2), secret_key)
    array([255,  10], dtype=uint8)
    """
    return _uint_operations.binary(self, "saturating_multiply", a, b)


def checked_floor_divide(self: Core, a: Any, b: Any) -> tuple[Any, BoolArray]:
    """Compute ``a // b``, and where `b` is zero; zeros in the clear are taken, too.

    Returns
    -------
    quotient : UintArray or IntArray
        Where `b` is zero, ``2**width - 1``; of signed integers -1, or 0 where `a` is below zero.
    by_zero : BoolArray
        Of the same shape.

    Examples
    --------
    >>> engine, secret_key = tfhe_engine, tfhe_secret_key
    >>> x = engine.encrypt_uint(np.array([200, 5], dtype=np.uint8), secret_key)
    >>> quotient, by_zero = engine.checked_floor_divide(100, x - 5)
    >>> engine.decrypt(quotient, secret_key), engine.decrypt(by_zero, secret_key)
    (array([  0, 255], dtype=uint8), array([False,  True]))
    """
    return _uint_operations.checked(self, "floor_divide", a, b)


def checked_remainder(self: Core, a: Any, b: Any) -> tuple[Any, BoolArray]:
    """Compute ``a % b``, and where `b` is zero, and the remainder `a`: see `checked_floor_divide`.

    Examples
    --------
    >>> engine, secret_key = tfhe_engine, tfhe_secret_key
    >>> x = engine.encrypt_uint(np.array([200, 5], dtype=np.uint8), secret_key)
    >>> remainder, by_zero = engine.checked_remainder(100, x - 5)
    >>> engine.decrypt(remainder, secret_key), engine.decrypt(by_zero, secret_key)
    (array([100, 100], dtype=uint8), array([False,  True]))
    """
    return _uint_operations.checked(self, "remainder", a, b)


def rotate_left(self: Core, a: Any, amount: Any) -> Any:
    """Rotate bits to the left by an amount modulo the width, in the clear or encrypted.

    Examples
    --------
    >>> engine, secret_key = tfhe_engine, tfhe_secret_key
    >>> x = engine.encrypt_uint(np.array([200, 5], dtype=np.uint8), secret_key)
    >>> engine.decrypt(engine.rotate_left(x, 1), secret_key)
    array([145,  10], dtype=uint8)
    """
    return _uint_operations.shift(self, "rotate_left", a, amount)


def rotate_right(self: Core, a: Any, amount: Any) -> Any:
    """Rotate bits to the right by an amount modulo the width, in the clear or encrypted.

    Examples
    --------
    >>> engine, secret_key = tfhe_engine, tfhe_secret_key
    >>> x = engine.encrypt_uint(np.array([200, 5], dtype=np.uint8), secret_key)
    >>> engine.decrypt(engine.rotate_right(x, 1), secret_key)
    array([100, 130], dtype=uint8)
    """
    return _uint_operations.shift(self, "rotate_right", a, amount)


def bitwise_count(self: Core, a: Any) -> UintArray:
    """Count the bits that are set in each integer, in its magnitude if it is signed, as ``numpy.bitwise_count`` does.

    Returns
    -------
    UintArray
        Of 8 bits, or of 16 for integers of 256 bits.

    Examples
    --------
    >>> engine, secret_key = tfhe_engine, tfhe_secret_key
    >>> x = engine.encrypt_uint(np.array([0, 6, 255], dtype=np.uint8), secret_key)
    >>> engine.decrypt(engine.bitwise_count(x), secret_key)
    array([0, 2, 8], dtype=uint8)
    >>> engine.decrypt(engine.leading_zeros(x), secret_key), engine.decrypt(engine.trailing_zeros(x), secret_key)
    (array([8, 5, 0], dtype=uint8), array([8, 1, 0], dtype=uint8))
    """
    return _uint_operations.bitwise_count(self, own(self, "bitwise_count", "a", a, IntegerArray))


def leading_zeros(self: Core, a: Any) -> UintArray:
    """Count the zeros above the first bit that is set; the width where none is: see `bitwise_count`.

    Of a negative integer, that are none.

    Examples
    --------
    >>> engine, secret_key = tfhe_engine, tfhe_secret_key
    >>> x = engine.encrypt_uint(np.array([200, 5], dtype=np.uint8), secret_key)
    >>> engine.decrypt(engine.leading_zeros(x), secret_key)
    array([0, 5], dtype=uint8)
    """
    return _uint_operations.zeros(self, "leading_zeros", own(self, "leading_zeros", "a", a, IntegerArray))


def trailing_zeros(self: Core, a: Any) -> UintArray:
    """Count the zeros below the last bit that is set; the width where none is: see `bitwise_count`.

    Examples
    --------
    >>> engine, secret_key = tfhe_engine, tfhe_secret_key
    >>> x = engine.encrypt_uint(np.array([200, 5], dtype=np.uint8), secret_key)
    >>> engine.decrypt(engine.trailing_zeros(x), secret_key)
    array([3, 0], dtype=uint8)
    """
    return _uint_operations.zeros(self, "trailing_zeros", own(self, "trailing_zeros", "a", a, IntegerArray))


def select(self: Core, condition: Any, a: Any, b: Any) -> Any:
    """Choose `a` where a condition holds and `b` elsewhere, as ``numpy.where`` does.

    Parameters
    ----------
    condition : BoolArray or array_like of bool
        What a comparison gave.
    a, b : UintArray, IntArray, DecimalArray, BoolArray, or array_like of int, decimal or bool
        Integers of one kind and width, or truth values. With two in the clear, one must be an array of
        ``numpy.uint32`` or its like, whose width the result has; or of booleans. Decimals have as many places.

    Returns
    -------
    UintArray, IntArray, DecimalArray or BoolArray
        Of the shape that the operands are broadcast to.

    Examples
    --------
    >>> engine, secret_key = tfhe_engine, tfhe_secret_key
    >>> price = engine.encrypt_uint(np.array([30, 120], dtype=np.uint8), secret_key)
    >>> engine.decrypt(engine.select(price > 100, price - 20, price), secret_key)
    array([ 30, 100], dtype=uint8)
    """
    operation = "select"
    _uint_operations.require_digits(self, operation)
    if isinstance(a, DecimalArray) or isinstance(b, DecimalArray):
        return on_units(operation, lambda x, y: select(self, condition, x, y), a, b)
    if isinstance(condition, EncryptedArray):
        checks.instance(operation, "condition", condition, BoolArray)
    of_integers = any(isinstance(x, IntegerArray) for x in (a, b))
    if not of_integers and any(isinstance(x, BoolArray) or _is_boolean(operation, x) for x in (a, b)):
        return _uint_operations.select_bools(self, condition, a, b)
    for name, value in (("a", a), ("b", b)):
        if isinstance(value, EncryptedArray):
            checks.instance(operation, name, value, IntegerArray)
    encrypted = [x for x in (condition, a, b) if isinstance(x, EncryptedArray)]
    if not encrypted:
        raise OperandTypeError(
            f"{operation}: none of condition, a, b is encrypted, and one must be; use numpy.where",
            argument="condition, a, b",
            expected="UintArray, IntArray or BoolArray",
            actual=type(a).__name__,
        )
    # An encrypted one's first, in which those in the clear are widened.
    by_kind = sorted((a, b), key=lambda x: not isinstance(x, IntegerArray))
    kinds = [(kind, width) for x in by_kind for kind in (UintArray, IntArray) if (width := width_of(x, kind))]
    if not kinds:
        raise MessageTypeError(
            f"{operation}: a and b are in the clear and their dtypes say no width; "
            f"pass an array of numpy.uint32 or its like"
        )
    key = key_of(self, operation, *encrypted)
    c = _uint_operations.bool_operand(self, operation, "condition", condition, key)
    first: Any = kinds[0]
    x, y = _uint_operations.common_operands(self, operation, key, first, a, b)
    shape = _checks.broadcast_shape(operation, c.shape, x.shape, y.shape)
    c, x, y = c._broadcast(shape), x._broadcast(shape), y._broadcast(shape)
    with self._reporting(operation) as report:
        native = x._native.select(c._native, y._native, (self._context, key, report))
    return type(x)(self, native, shape)


def _is_boolean(operation: str, value: Any) -> bool:
    if isinstance(value, EncryptedArray):
        return False
    return bool(array_of(operation, value, "integers or booleans").dtype.kind == "b")
