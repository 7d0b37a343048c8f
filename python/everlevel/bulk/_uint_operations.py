"""Operations behind the operators of integers of 8 to 64 bits, unsigned and signed, and of truth values."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _native
from .._common.arrays import array_of, integer_width
from .._common.shaped import Shape
from .._common.storable import own
from ..errors import MessageError, MessageTypeError, OperandTypeError, WidthError
from ..tfhe import _checks
from . import _moves, _operands
from ._core import Core
from ._digit_array import DigitArray
from ._digit_types import integer_type, require_digits
from ._integer_array import IntegerArray, IntegerT
from ._vectors import Known, Vectors, known
from .bool_array import BoolArray
from .ciphertext import Ciphertext
from .int_array import IntArray
from .uint_array import UintArray

Kind = tuple[type[IntegerArray], int]
"""A kind of integers, and their width."""


def binary(self: Core, name: str, a: Any, b: Any) -> Any:
    vectors, kind, operands = _pair(self, name, a, b)
    found = _native.bulk_integers(vectors, ("binary", name, kind._signed), operands, 0)
    return kind(self, *_result(vectors, found[0], a, b))


def compare(self: Core, name: str, a: Any, b: Any) -> BoolArray:
    vectors, kind, operands = _pair(self, name, a, b)
    found = _native.bulk_integers(vectors, ("compare", name, kind._signed), operands, 0)
    return BoolArray(self, *_result(vectors, found[0], a, b))


def divide(self: Core, name: str, a: Any, b: Any) -> Any:
    _require_divisor(name, b)
    return binary(self, name, a, b)


def divide_with_remainder(self: Core, a: Any, b: Any) -> tuple[Any, Any]:
    _require_divisor("divmod", b)
    vectors, kind, operands = _pair(self, "divmod", a, b)
    found = _native.bulk_integers(vectors, ("divide", "divmod", kind._signed), operands, 0)
    quotient, remainder = (kind(self, *_result(vectors, each, a, b)) for each in found)
    return quotient, remainder


def _require_divisor(operation: str, b: Any) -> None:
    """Refuse zeros in the clear; encrypted ones can't be seen."""
    if not isinstance(b, (DigitArray, Ciphertext)):
        _checks.divisor(operation, b, "leave it out, or put another number in its place")


def unary(self: Core, name: str, x: IntegerT) -> IntegerT:
    return _moved(self, name, x, 0)


def shift(self: Core, name: str, a: Any, amount: Any) -> Any:
    if isinstance(amount, (DigitArray, Ciphertext)) or array_of(name, amount, "integers").ndim:
        if isinstance(a, IntegerArray) and isinstance(amount, IntegerArray):
            return _shifted_by(self, name, a, amount)
        return binary(self, name, a, amount)
    x: IntegerArray = own(self, name, "a", a, IntegerArray)
    if name.startswith("rotate"):
        return _moved(self, name, x, _checks.integer(name, amount) % x.width)
    return _moved(self, name, x, int(_checks.integers(name, amount, 0, x.width - 1, "rotate")))


def _shifted_by(self: Core, name: str, a: IntegerArray, amount: IntegerArray) -> IntegerArray:
    x, by = (own(self, name, "operand", each, IntegerArray) for each in (a, amount))
    _operands.require_alike(name, x._digits[0], by._digits[0])
    if not name.startswith("rotate"):
        # An unsigned amount of 64 bits has no signed integers that hold it.
        larger = by.width * (2 if x._signed and not by._signed and by.width < 64 else 1)
        x = astype(self, x, _dtype(type(x), max(x.width, larger)))
    vectors = Vectors(self, name, x._digits[0])
    found = _native.bulk_integers(vectors, ("binary", name, x._signed), [_known(x), _known(by)], 0)
    return type(x)(self, *_result(vectors, found[0], x, by))


def astype(self: Core, x: IntegerArray, dtype: Any) -> Any:
    found = integer_type("astype", dtype)
    kind, width = (IntArray if found.kind == "i" else UintArray), 8 * found.itemsize
    if x._signed or width > x.width:
        x = _moved(self, "widen", x, width)
    return kind(self, x._digits[: width // self._digit_bits], x._error_count)


def reduce(self: Core, name: str, x: IntegerT, axis: Any, keepdims: Any = False) -> IntegerT:
    """Combine halves of the rows that axes make, which rotations bring to one another, until one is left."""
    rows, shape = _checks.rows(name, x.shape, axis, keepdims)
    rows = rows.reshape(len(rows), -1)
    x = _taken(self, name, x, rows)
    rows = np.arange(rows.size).reshape(rows.shape)
    singles: list[IntegerT] = []
    while len(rows) > 1:
        half = len(rows) // 2
        if len(rows) % 2:
            singles.append(_taken(self, name, x, rows[-1:]))
        x = _combined(self, name, [_taken(self, name, x, rows[:half]), _taken(self, name, x, rows[half : 2 * half])])
        rows = np.arange(half * rows.shape[1]).reshape(half, -1)
    found = _combined(self, name, [x, *singles]) if singles else x
    return found.reshape(shape)


def _combined(self: Core, name: str, rows: list[IntegerT]) -> IntegerT:
    vectors = Vectors(self, name, rows[0]._digits[0])
    operands = [_known(row) for row in rows]
    found = _native.bulk_integers(vectors, ("reduce", name, rows[0]._signed), operands, 0)
    digits = tuple(vectors.encrypted(*digit) for digit in found[0])
    return type(rows[0])(self, digits, sum(row._error_count for row in rows) + vectors.error_count)


def _taken(self: Core, name: str, x: IntegerT, rows: NDArray[np.intp]) -> IntegerT:
    """Bring elements to the front, in the flat order of their places."""
    places = rows.reshape(1, -1)
    if np.array_equal(places[0], np.arange(places.size)):
        digits = tuple(_moves.first(digit, places.size) for digit in x._digits)
    else:
        digits = tuple(_moves.gathered(self, name, digit, places, (places.size,)) for digit in x._digits)
    # What moves have added to each digit's errors.
    more = sum(new._bootstrap_count - old._bootstrap_count for new, old in zip(digits, x._digits, strict=True))
    return type(x)(self, digits, x._error_count + more)


def gate(self: Core, name: str, a: Any, b: Any) -> BoolArray:
    like = _first(self, name, BoolArray, a, b)._digits[0]
    vectors = Vectors(self, name, like)
    x, y = (_bool_operand(self, name, which, value, like) for which, value in (("a", a), ("b", b)))
    return BoolArray(self, *_result(vectors, _native.bulk_gate(vectors, name, x, y), a, b))


def invert(self: Core, x: BoolArray) -> BoolArray:
    vectors = Vectors(self, "invert", x._digits[0])
    return BoolArray(self, *_result(vectors, _native.bulk_invert(vectors, known(x._digits[0])), x))


def select_integers(self: Core, condition: Any, a: Any, b: Any) -> Any:
    operation = "select"
    like = _first(self, operation, DigitArray, condition, a, b)._digits[0]
    kinds = [(type(value), value.width) for value in (a, b) if isinstance(value, IntegerArray)]
    for value in (a, b):
        if not isinstance(value, (DigitArray, Ciphertext)):
            widths = (UintArray, integer_width(value, signed=False)), (IntArray, integer_width(value, signed=True))
            kinds += [(kind, width) for kind, width in widths if width is not None]
    if not kinds:
        raise MessageTypeError(
            f"{operation}: a and b are in the clear and their dtypes say no width; "
            f"pass an array of numpy.uint32 or its like",
        )
    c = _bool_operand(self, operation, "condition", condition, like)
    x, y = (_integer_operand(self, operation, name, value, like, kinds[0]) for name, value in (("a", a), ("b", b)))
    vectors = Vectors(self, operation, like)
    return kinds[0][0](self, *_result(vectors, _native.bulk_select(vectors, c, x, y), condition, a, b))


def _moved(self: Core, name: str, x: IntegerT, amount: int) -> IntegerT:
    vectors = Vectors(self, name, x._digits[0])
    found = _native.bulk_integers(vectors, ("shift", name, x._signed), [_known(x)], amount)
    return type(x)(self, *_result(vectors, found[0], x))


def _known(x: DigitArray) -> list[Known]:
    return [known(digit) for digit in x._digits]


def _pair(self: Core, operation: str, a: Any, b: Any) -> tuple[Vectors, type[IntegerArray], list[list[Known]]]:
    """Check two operands of integers, one of which may be in the clear, and return their kind and digits."""
    first = _first(self, operation, IntegerArray, a, b)
    like, kind = first._digits[0], (type(first), first.width)
    operands = [_integer_operand(self, operation, name, value, like, kind) for name, value in (("a", a), ("b", b))]
    return Vectors(self, operation, like), type(first), operands


def _first(self: Core, operation: str, kind: type[Any], *values: Any) -> Any:
    """Check that there is an encrypted operand, and return the first one."""
    require_digits(self, operation)
    for value in values:
        if isinstance(value, kind):
            return own(self, operation, "operand", value, DigitArray)
    name = "UintArray or IntArray" if kind is IntegerArray else kind.__name__
    raise OperandTypeError(
        f"{operation}: none of the operands is a {name}, and one must be; use NumPy for what is in the clear",
        expected=name,
        actual=", ".join(type(value).__name__ for value in values),
    )


def _dtype(kind: type[IntegerArray], width: int) -> str:
    return f"{'int' if kind._signed else 'uint'}{width}"


def _integer_operand(self: Core, operation: str, name: str, value: Any, like: Ciphertext, of: Kind) -> list[Known]:
    """Check an operand of integers, and return its digits."""
    kind, width = of
    if isinstance(value, (DigitArray, Ciphertext)):
        x = own(self, operation, name, value, kind)
        if x.width != width:
            raise WidthError(
                f"{operation}: the operands have {width} and {x.width} bits; "
                f"convert one: x.astype(numpy.{_dtype(kind, max(width, x.width))})",
                left=width,
                right=x.width,
            )
        _operands.require_alike(operation, like, x._digits[0])
        return _known(x)
    _require_dtype(operation, value, of)
    words, shape = _checks.words(operation, value, width, signed=kind._signed)
    _require_fit(operation, like.shape, shape)
    return [known(digit) for digit in digits_of(self, words.reshape(shape), width)]


def _require_dtype(operation: str, value: Any, of: Kind) -> None:
    """Refuse values in the clear of which NumPy makes integers of another dtype beside encrypted ones."""
    if isinstance(value, int):
        return
    dtype, name = array_of(operation, value, "integers").dtype, _dtype(*of)
    if dtype.kind in "iu" and np.result_type(dtype, np.dtype(name)) != np.dtype(name):
        raise MessageTypeError(
            f"{operation}: the values in the clear have dtype {dtype}, of which NumPy makes other integers beside "
            f"{name}, and encrypted ones are {name} and wrap around; "
            f"convert them with numpy.asarray(values, dtype=numpy.{name})",
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


def digits_of(self: Core, values: NDArray[np.uint64], width: int) -> list[NDArray[np.int64]]:
    """Return the digits of integers, least significant first."""
    bits = self._digit_bits
    places = np.arange(0, width, bits, dtype=np.uint64)
    return [(values >> place & np.uint64(2**bits - 1)).astype(np.int64) for place in places]


def _result(vectors: Vectors, found: list[Known], *operands: Any) -> tuple[tuple[Ciphertext, ...], int]:
    """Return the digits of a result, and the number of errors that led to them."""
    counts = {id(x): x._error_count for x in operands if isinstance(x, DigitArray)}
    more = sum(x._bootstrap_count + 1 for x in operands if isinstance(x, Ciphertext))
    return tuple(vectors.encrypted(*digit) for digit in found), sum(counts.values()) + more + vectors.error_count
