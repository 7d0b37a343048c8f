"""Integers of 8 to 64 bits, with parameters of integers of 4 bits or more: what has no operator.

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
from ..errors import MessageTypeError, OperandTypeError, ParameterError
from . import _checks, _operands, _uint_operations
from ._array import EncryptedArray, key_of
from ._core import Core
from ._uint_operations import WIDTHS, width_of
from .bool_array import BoolArray
from .keys import PublicKey, SecretKey
from .uint_array import UintArray


def encrypt_uint(self: Core, values: Any, key: PublicKey | SecretKey, *, width: int | None = None) -> UintArray:
    """Encrypt an array of unsigned integers, of any shape.

    Parameters
    ----------
    values : array_like of int
        Integers from 0 to ``2**width - 1``.
    key : PublicKey or SecretKey
        Who decrypts. With the secret key itself, ciphertexts have less noise.
    width : int, optional
        Bits of an integer: 8, 16, 32 or 64. The dtype's, if left out, which must be unsigned then.

    Raises
    ------
    SpaceError
        If the parameters hold bits, or integers of fewer than 4 bits.
    MessageTypeError
        If the dtype is no integer's, or a signed one and there is no `width`.
    MessageError
        If the array is empty, or a value is one that the width doesn't hold; with its index.
    ParameterError
        If there is no such width.
    EngineMismatchError
        If the key is one of other parameters.

    Examples
    --------
    >>> engine, secret_key = tfhe_engine, tfhe_secret_key
    >>> engine.encrypt_uint([[1, 2], [3, 40_000]], secret_key, width=16)
    UintArray(shape (2, 2), uint16, p_fail 2^-...)
    """
    operation = "encrypt_uint"
    native_key = _operands.encryption_key(self, operation, key)
    _uint_operations.require_digits(self, operation)
    if width is None:
        width = width_of(values)
        if width is None:
            dtype = getattr(values, "dtype", type(values).__name__)
            raise MessageTypeError(
                f"{operation}: the values have dtype {dtype}, which says no width; "
                f"pass width=8, 16, 32 or 64, or an array of numpy.uint32 or its like",
                dtype=str(dtype),
            )
    else:
        width = checks.integer(operation, "width", width)
        if width not in WIDTHS:
            raise ParameterError(
                f"{operation}: width is {width}, and {', '.join(map(str, WIDTHS))} are taken; choose the next above",
                option="width",
                value=width,
                allowed=WIDTHS,
            )
    array = _checks.uints(operation, values, width)
    native = _native.TfheUintArray.encrypt(_checks.flat(array, np.uint64), width, native_key)
    return UintArray(self, native, array.shape)


def encrypt_bool(self: Core, values: Any, key: PublicKey | SecretKey) -> BoolArray:
    """Encrypt an array of truth values, of any shape, to choose between encrypted integers by.

    Raises
    ------
    SpaceError
        If the parameters hold bits, whose `encrypt` takes booleans, or integers of fewer than 4 bits.
    MessageTypeError, MessageError
        If the dtype isn't boolean, or the array is empty.
    EngineMismatchError
        If the key is one of other parameters.
    """
    operation = "encrypt_bool"
    native_key = _operands.encryption_key(self, operation, key)
    _uint_operations.require_digits(self, operation)
    array = _checks.booleans(operation, values)
    native = _native.TfheBoolArray.encrypt(_checks.flat(array, np.bool_), native_key)
    return BoolArray(self, native, array.shape)


def minimum(self: Core, a: Any, b: Any) -> UintArray:
    """Return the smaller of two integers, element by element; one operand may be in the clear."""
    return _uint_operations.binary(self, "minimum", a, b)


def maximum(self: Core, a: Any, b: Any) -> UintArray:
    """Return the larger of two integers, element by element; one operand may be in the clear."""
    return _uint_operations.binary(self, "maximum", a, b)


def checked_add(self: Core, a: Any, b: Any) -> tuple[UintArray, BoolArray]:
    """Compute ``a + b``, and where the sum is ``2**width`` or more.

    Returns
    -------
    result : UintArray
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


def checked_subtract(self: Core, a: Any, b: Any) -> tuple[UintArray, BoolArray]:
    """Compute ``a - b``, and where `b` is larger than `a`: see `checked_add`."""
    return _uint_operations.checked(self, "subtract", a, b)


def checked_multiply(self: Core, a: Any, b: Any) -> tuple[UintArray, BoolArray]:
    """Compute ``a * b``, and where the product is ``2**width`` or more: see `checked_add`."""
    return _uint_operations.checked(self, "multiply", a, b)


def checked_floor_divide(self: Core, a: Any, b: Any) -> tuple[UintArray, BoolArray]:
    """Compute ``a // b``, and where `b` is zero; zeros in the clear are taken, too.

    Returns
    -------
    quotient : UintArray
        Where `b` is zero, ``2**width - 1``.
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


def checked_remainder(self: Core, a: Any, b: Any) -> tuple[UintArray, BoolArray]:
    """Compute ``a % b``, and where `b` is zero, and the remainder `a`: see `checked_floor_divide`."""
    return _uint_operations.checked(self, "remainder", a, b)


def rotate_left(self: Core, a: Any, amount: Any) -> UintArray:
    """Rotate bits to the left by an amount modulo the width, in the clear or encrypted."""
    return _uint_operations.shift(self, "rotate_left", a, amount)


def rotate_right(self: Core, a: Any, amount: Any) -> UintArray:
    """Rotate bits to the right by an amount modulo the width, in the clear or encrypted."""
    return _uint_operations.shift(self, "rotate_right", a, amount)


def select(self: Core, condition: Any, a: Any, b: Any) -> UintArray:
    """Choose `a` where a condition holds and `b` elsewhere, as ``numpy.where`` does.

    Parameters
    ----------
    condition : BoolArray or array_like of bool
        What a comparison gave.
    a, b : UintArray or array_like of int
        Of one width. With two in the clear, one must be an array of ``numpy.uint32`` or its like, whose width the
        result has.

    Returns
    -------
    UintArray
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
    for name, value, kind in (("condition", condition, BoolArray), ("a", a, UintArray), ("b", b, UintArray)):
        if isinstance(value, EncryptedArray):
            checks.instance(operation, name, value, kind)
    encrypted = [x for x in (condition, a, b) if isinstance(x, (UintArray, BoolArray))]
    if not encrypted:
        raise OperandTypeError(
            f"{operation}: none of condition, a, b is encrypted, and one must be; use numpy.where",
            argument="condition, a, b",
            expected="UintArray or BoolArray",
            actual=type(a).__name__,
        )
    # An encrypted one's first, in which those in the clear are widened.
    by_kind = sorted((a, b), key=lambda x: not isinstance(x, UintArray))
    width = next(filter(None, map(width_of, by_kind)), None)
    if width is None:
        raise MessageTypeError(
            f"{operation}: a and b are in the clear and their dtypes say no width; "
            f"pass an array of numpy.uint32 or its like"
        )
    key = key_of(self, operation, *encrypted)
    c = _uint_operations.bool_operand(self, operation, "condition", condition, key)
    x, y = _uint_operations.common_operands(self, operation, key, width, a, b)
    shape = _checks.broadcast_shape(operation, c.shape, x.shape, y.shape)
    c, x, y = c._broadcast(shape), x._broadcast(shape), y._broadcast(shape)
    with self._reporting(operation) as report:
        native = x._native.select(c._native, y._native, (self._context, key, report))
    return UintArray(self, native, shape)
