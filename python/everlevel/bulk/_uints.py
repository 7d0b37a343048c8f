"""Integers of 8 to 64 bits, with parameters of integers of 4 to 6 bits: what has no operator.

All operations raise the same errors, before any work:

* `SpaceError` if the parameters hold bits, or integers of fewer than 4 bits, or more than 6;
* `EngineMismatchError`, `KeyMismatchError` if an operand belongs to other parameters or another secret;
* `MissingKeyError` if the engine knows no evaluation key for the secret;
* `WidthError` if operands have different widths;
* `MessageError` if shapes differ, or a value in the clear isn't one that the width holds; `MessageTypeError` if it is
  no unsigned integer of the width;
* `OperandTypeError` if an operand is of another kind.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from .. import _native
from .._common import checks
from .._common.arrays import array_of
from .._common.shaped import Shape
from .._common.storable import own
from ..errors import MessageError, MessageTypeError, OperandTypeError, SpaceError, WidthError
from ..tfhe import _checks
from . import _operands
from ._core import Core
from ._digit_array import DigitArray
from ._integers import selected
from ._messages import encrypted_array, require_values
from ._vectors import Known, Vectors, encrypted, known
from .bool_array import BoolArray
from .ciphertext import Ciphertext
from .keys import PublicKey, SecretKey
from .uint_array import UintArray

WIDTHS: Final = (8, 16, 32, 64)
BITS: Final = range(4, 7)
"""Bits of the integers of spaces that have room for two digits of 2 bits; more room is no use to these."""


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
    operation = "encrypt_uint"
    native_key = _operands.encryption_key(self, operation, key)
    _require_digits(self, operation)
    if width is None:
        dtype = getattr(values, "dtype", None)
        if not isinstance(dtype, np.dtype) or dtype.kind != "u":
            named = str(dtype or type(values).__name__)
            raise MessageTypeError(
                f"{operation}: the values have dtype {named}, which says no width of unsigned integers; "
                f"pass width=8, 16, 32 or 64, or an array of numpy.uint32 or its like",
                dtype=named,
            )
        width = 8 * dtype.itemsize
    if checks.integer(operation, "width", width) not in WIDTHS:
        raise checks.refusal(operation, "width", width, "8, 16, 32 and 64 are taken; choose the next above", WIDTHS)
    words, shape = _checks.words(operation, values, width, signed=False)
    array = words.reshape(shape)
    require_values(operation, array)
    top = 2**self._digit_bits - 1
    digits = _digits(self, array, width)
    found = tuple(encrypted_array(self, digit, native_key, top) for digit in digits)
    return UintArray(self, found, len(found))


def minimum(self: Core, a: Any, b: Any) -> UintArray:
    """Return the smaller of two integers, element by element; one operand may be in the clear.

    Examples
    --------
    >>> engine, secret_key = bulk_engine, bulk_secret_key
    >>> x = engine.encrypt_uint(np.array([200, 5], dtype=np.uint8), secret_key)
    >>> engine.decrypt(engine.minimum(x, 100), secret_key)
    array([100,   5], dtype=uint8)
    """
    return binary(self, "minimum", a, b)


def maximum(self: Core, a: Any, b: Any) -> UintArray:
    """Return the larger of two integers, element by element; one operand may be in the clear.

    Examples
    --------
    >>> engine, secret_key = bulk_engine, bulk_secret_key
    >>> x = engine.encrypt_uint(np.array([200, 5], dtype=np.uint8), secret_key)
    >>> engine.decrypt(engine.maximum(x, 100), secret_key)
    array([200, 100], dtype=uint8)
    """
    return binary(self, "maximum", a, b)


def rotate_left(self: Core, a: Any, amount: Any) -> UintArray:
    """Rotate bits to the left by an amount modulo the width, in the clear or encrypted.

    Examples
    --------
    >>> engine, secret_key = bulk_engine, bulk_secret_key
    >>> x = engine.encrypt_uint(np.array([200, 5], dtype=np.uint8), secret_key)
    >>> engine.decrypt(engine.rotate_left(x, 1), secret_key)
    array([145,  10], dtype=uint8)
    """
    return shift(self, "rotate_left", a, amount)


def rotate_right(self: Core, a: Any, amount: Any) -> UintArray:
    """Rotate bits to the right by an amount modulo the width, in the clear or encrypted.

    Examples
    --------
    >>> engine, secret_key = bulk_engine, bulk_secret_key
    >>> x = engine.encrypt_uint(np.array([200, 5], dtype=np.uint8), secret_key)
    >>> engine.decrypt(engine.rotate_right(x, 1), secret_key)
    array([100, 130], dtype=uint8)
    """
    return shift(self, "rotate_right", a, amount)


def select(self: Core, selector: Any, a: Any, b: Any) -> Any:
    """Choose `a` where `selector` is 1 and `b` where it is 0, as ``numpy.where`` does, without a bootstrap.

    It is a product. What a selection has made is looked up once before it is selected again, or selects.

    Parameters
    ----------
    selector : Ciphertext or BoolArray
        Bits; or integers with a `max_value` of 1; or what a comparison gave, between integers of many bits.
    a, b : Ciphertext, UintArray or array_like
        Of the selector's shape.

    Returns
    -------
    Ciphertext or UintArray
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
        return _select_integers(self, selector, a, b)
    return selected(self, "select", selector, a, b)


# Behind the operators.


def binary(self: Core, name: str, a: Any, b: Any) -> UintArray:
    vectors, x, y = _pair(self, name, a, b)
    return UintArray(self, *_result(vectors, _native.bulk_binary(vectors, name, x, y), a, b))


def compare(self: Core, name: str, a: Any, b: Any) -> BoolArray:
    vectors, x, y = _pair(self, name, a, b)
    return BoolArray(self, *_result(vectors, _native.bulk_compare(vectors, name, x, y), a, b))


def unary(self: Core, name: str, x: UintArray) -> UintArray:
    return _moved(self, name, x, 0)


def shift(self: Core, name: str, a: Any, amount: Any) -> UintArray:
    if isinstance(amount, (DigitArray, Ciphertext)) or array_of(name, amount, "integers").ndim:
        if isinstance(a, UintArray) and isinstance(amount, UintArray):
            width = max(a.width, amount.width)
            a, amount = (own(self, name, "operand", each, UintArray).astype(f"uint{width}") for each in (a, amount))
        return binary(self, name, a, amount)
    x = own(self, name, "a", a, UintArray)
    if name.startswith("rotate"):
        return _moved(self, name, x, _checks.integer(name, amount) % x.width)
    return _moved(self, name, x, int(_checks.integers(name, amount, 0, x.width - 1, "rotate")))


def astype(self: Core, x: UintArray, dtype: Any) -> UintArray:
    operation = "astype"
    try:
        found = np.dtype(dtype)
    except TypeError:
        found = np.dtype(object)
    if found.kind != "u":
        raise OperandTypeError(
            f"{operation}: the dtype is {dtype}, and uint8, uint16, uint32 and uint64 are taken; choose one",
            argument="dtype",
            expected="uint8, uint16, uint32 or uint64",
            actual=str(dtype),
        )
    count = 8 * found.itemsize // self._digit_bits
    digits = x._digits[:count]
    zero = encrypted(self, 0, digits[0])
    return x._with((*digits, *[zero] * (count - len(digits))))


def gate(self: Core, name: str, a: Any, b: Any) -> BoolArray:
    like = _first(self, name, BoolArray, a, b)
    vectors = Vectors(self, name, like)
    x, y = (_bool_operand(self, name, which, value, like) for which, value in (("a", a), ("b", b)))
    return BoolArray(self, *_result(vectors, _native.bulk_gate(vectors, name, x, y), a, b))


def invert(self: Core, x: BoolArray) -> BoolArray:
    vectors = Vectors(self, "invert", x._digits[0])
    return BoolArray(self, *_result(vectors, _native.bulk_invert(vectors, known(x._digits[0])), x))


def _select_integers(self: Core, condition: Any, a: Any, b: Any) -> UintArray:
    operation = "select"
    like = _first(self, operation, DigitArray, condition, a, b)
    widths = [value.width for value in (a, b) if isinstance(value, UintArray)]
    widths += [8 * value.dtype.itemsize for value in (a, b) if isinstance(value, (np.ndarray, np.generic))]
    if not widths:
        raise MessageTypeError(
            f"{operation}: a and b are in the clear and their dtypes say no width; "
            f"pass an array of numpy.uint32 or its like",
        )
    c = _bool_operand(self, operation, "condition", condition, like)
    x, y = (_integer_operand(self, operation, name, value, like, widths[0]) for name, value in (("a", a), ("b", b)))
    vectors = Vectors(self, operation, like)
    return UintArray(self, *_result(vectors, _native.bulk_select(vectors, c, x, y), condition, a, b))


def _moved(self: Core, name: str, x: UintArray, amount: int) -> UintArray:
    vectors = Vectors(self, name, x._digits[0])
    found = _native.bulk_move(vectors, name, [known(digit) for digit in x._digits], amount)
    return UintArray(self, *_result(vectors, found, x))


def _pair(self: Core, operation: str, a: Any, b: Any) -> tuple[Vectors, list[Known], list[Known]]:
    """Check two operands of integers, one of which may be in the clear, and return their digits."""
    like = _first(self, operation, UintArray, a, b)
    widths = [value.width for value in (a, b) if isinstance(value, UintArray)]
    x, y = (_integer_operand(self, operation, name, value, like, widths[0]) for name, value in (("a", a), ("b", b)))
    return Vectors(self, operation, like), x, y


def _first(self: Core, operation: str, kind: type[DigitArray], *values: Any) -> Ciphertext:
    """Check that there is an encrypted operand, and return the first one's first digit."""
    _require_digits(self, operation)
    for value in values:
        if isinstance(value, kind):
            return own(self, operation, "operand", value, DigitArray)._digits[0]
    raise OperandTypeError(
        f"{operation}: none of the operands is a {kind.__name__}, and one must be; use NumPy for what is in the clear",
        expected=kind.__name__,
        actual=", ".join(type(value).__name__ for value in values),
    )


def _integer_operand(self: Core, operation: str, name: str, value: Any, like: Ciphertext, width: int) -> list[Known]:
    """Check an operand of integers, and return its digits."""
    if isinstance(value, (DigitArray, Ciphertext)):
        x = own(self, operation, name, value, UintArray)
        if x.width != width:
            raise WidthError(
                f"{operation}: the operands have {width} and {x.width} bits; "
                f"convert one: x.astype(numpy.uint{max(width, x.width)})",
                left=width,
                right=x.width,
            )
        _operands.require_alike(operation, like, x._digits[0])
        return [known(digit) for digit in x._digits]
    _require_unsigned(operation, value, width)
    words, shape = _checks.words(operation, value, width, signed=False)
    _require_fit(operation, like.shape, shape)
    return [known(digit) for digit in _digits(self, words.reshape(shape), width)]


def _require_unsigned(operation: str, value: Any, width: int) -> None:
    """Refuse values in the clear of which NumPy makes integers of another dtype beside encrypted ones."""
    if isinstance(value, int):
        return
    dtype = array_of(operation, value, "integers").dtype
    if dtype.kind == "i" or (dtype.kind == "u" and 8 * dtype.itemsize > width):
        raise MessageTypeError(
            f"{operation}: the values in the clear have dtype {dtype}, as NumPy's result would, and encrypted ones "
            f"have {width} bits and wrap around; convert them with numpy.asarray(values, dtype=numpy.uint{width})",
            dtype=str(dtype),
        )


def _require_fit(operation: str, shape: Shape, found: Shape) -> None:
    if _checks.broadcast_shape(operation, shape, found) != shape:
        raise MessageError(
            f"{operation}: an array of shape {found} doesn't go into one of shape {shape}, whose elements lie in "
            f"slots; reshape it",
        )


def _bool_operand(self: Core, operation: str, name: str, value: Any, like: Ciphertext) -> Known:
    """Check an operand of truth values, and return its digit."""
    if isinstance(value, (DigitArray, Ciphertext)):
        if isinstance(value, Ciphertext) and value.max_value <= 1:
            digit = _operands.ciphertext(self, operation, name, value)
        else:
            digit = own(self, operation, name, value, BoolArray)._digits[0]
        _operands.require_alike(operation, like, digit)
        return known(digit)
    values = _checks.booleans(operation, value)
    _require_fit(operation, like.shape, values.shape)
    return known(values.astype(np.int64))


def _digits(self: Core, values: NDArray[np.uint64], width: int) -> list[NDArray[np.int64]]:
    """Return the digits of integers, least significant first."""
    bits = self._digit_bits
    places = np.arange(0, width, bits, dtype=np.uint64)
    return [(values >> place & np.uint64(2**bits - 1)).astype(np.int64) for place in places]


def _result(vectors: Vectors, found: list[Known], *operands: Any) -> tuple[tuple[Ciphertext, ...], int]:
    """Return the digits of a result, and the number of errors that led to them."""
    counts = {id(x): x._error_count for x in operands if isinstance(x, DigitArray)}
    more = sum(x._bootstrap_count + 1 for x in operands if isinstance(x, Ciphertext))
    return tuple(vectors.encrypted(*digit) for digit in found), sum(counts.values()) + more + vectors.error_count


def _require_digits(self: Core, operation: str) -> None:
    """Refuse parameters whose messages are no digits of integers."""
    bits = self.message_bits
    if bits not in BITS:
        found = "bits" if bits is None else f"integers of {bits} bits"
        raise SpaceError(
            f"{operation}: the parameters {self._parameters} hold {found}, and integers of 8 to 64 bits are made "
            f"of integers of 4 to 6 bits; choose 'integer-4-128'",
            found=found,
            needed="integers of 4 to 6 bits",
        )
