"""Operations behind the operators of integers of 8 to 256 bits, unsigned and signed, and of truth values."""

from __future__ import annotations

import re
from typing import Any, Final

import numpy as np
from numpy.typing import DTypeLike

from .. import _native
from .._common import checks
from .._common.arrays import array_of, integer_width
from .._common.shaped import Shape
from .._common.storable import own, same_parameters
from ..errors import MessageTypeError, OperandTypeError, SpaceError, WidthError
from . import _checks
from ._array import ArrayT, EncryptedArray, concatenate, key_of
from ._core import Core
from ._integer_array import IntegerArray, IntegerT
from .bool_array import BoolArray
from .int_array import IntArray
from .uint_array import UintArray

WIDTHS: Final = (8, 16, 32, 64, 128, 256)

_WRAPPING: Final = frozenset({"add", "subtract", "multiply", "power", "left_shift"})
"""Operations whose value depends on the width of the result."""

_TYPES: Final = (
    "uint8, uint16, uint32, uint64, 'uint128', 'uint256', int8, int16, int32, int64, 'int128', 'int256' and bool"
)

_Key = _native.TfheEvaluationKey


def width_of(values: Any, kind: type[IntegerArray] = UintArray) -> int | None:
    """Return the width that an encrypted array of a kind has, or a NumPy array or scalar of such integers."""
    if isinstance(values, IntegerArray):
        return values.width if isinstance(values, kind) else None
    return None if isinstance(values, EncryptedArray) else integer_width(values, signed=kind._signed)


def _result_width(operation: str, like: tuple[type[IntegerArray], int], value: Any, *, holds: bool = False) -> int:
    """Return the width of what encrypted integers and values in the clear give together, by NumPy's promotion.

    Dtypes that are wider widen, unless the width only has to hold the values, since the result isn't an integer
    (`holds`). Python's integers take the encrypted ones' width, as they take an array's in NumPy.
    """
    kind, width = like
    wide = _signed_width(operation, width, value) if kind._signed else width_of(value)
    if wide is None or wide <= width:
        return width
    low, high = _checks.range_of(width, signed=kind._signed)
    array = np.asarray(value)
    return width if holds and bool(((array >= low) & (array <= high)).all()) else wide


def _signed_width(operation: str, width: int, value: Any) -> int | None:
    """Return the width of signed integers that NumPy makes of a value in the clear; None leaves the choice."""
    if isinstance(value, (int, EncryptedArray)) or width > 64:
        return None
    dtype = array_of(operation, value, "integers").dtype
    if dtype.kind not in "iu":
        return None  # Refused where the values are read.
    found = np.result_type(dtype, np.dtype(f"int{width}"))
    if found.kind != "i":
        raise MessageTypeError(
            f"{operation}: the values in the clear have dtype {dtype}, of which NumPy makes {found} beside int{width}; "
            f"convert them with numpy.asarray(values, dtype=numpy.int64)",
            dtype=str(dtype),
        )
    return 8 * found.itemsize


def _require_unsigned(operation: str, x: IntegerArray, value: Any) -> None:
    """Refuse values in the clear of a signed dtype, lists among them, where an unsigned result depends on its width.

    NumPy makes signed integers of them.
    """
    if x._signed or operation not in _WRAPPING or isinstance(value, (int, EncryptedArray)) or width_of(value):
        return
    dtype = np.asarray(value).dtype
    if dtype.kind == "O":
        return  # Python's integers.
    raise MessageTypeError(
        f"{operation}: the values in the clear have dtype {dtype}, as NumPy's result would, and encrypted ones have "
        f"{x.width} bits and wrap around; convert them with numpy.asarray(values, dtype=numpy.uint{min(x.width, 64)}), "
        f"or to a wider unsigned dtype, which the result then has",
        dtype=str(dtype),
    )


def _widened(self: Core, x: IntegerT, width: int) -> IntegerT:
    return x if x.width >= width else resized(self, x, width, type(x))


def require_digits(self: Core, operation: str) -> None:
    """Refuse parameters whose messages are no digits of integers."""
    bits = self.message_bits
    if bits is None or bits < 4:
        found = "bits" if bits is None else f"integers of {bits} bits"
        raise SpaceError(
            f"{operation}: the parameters {self._parameters} hold {found}, and integers of 8 to 256 bits are made "
            f"of integers of 4 bits or more; choose a set such as 'integer-4-128'",
            found=found,
            needed="integers of 4 bits or more",
        )


def require_width(operation: str, width: Any) -> int:
    """Check a number of bits that an integer may have."""
    found = checks.integer(operation, "width", width)
    if found not in WIDTHS:
        raise checks.refusal(
            operation, "width", found, f"{', '.join(map(str, WIDTHS))} are taken; choose the next above", WIDTHS
        )
    return found


def integer_operand(
    self: Core, operation: str, name: str, value: Any, key: _Key, like: tuple[type[IntegerT], int]
) -> IntegerT:
    """Check an operand of a kind, or make one of values in the clear and of a width."""
    kind, width = like
    if isinstance(value, IntegerArray) and not isinstance(value, kind):
        same_parameters(self, operation, name, value)
        raise OperandTypeError(
            f"{operation}: {name} is of type {type(value).__name__} beside {kind.__name__}, and encrypted operands are "
            f"both signed or both unsigned; convert one with astype",
            argument=name,
            expected=kind.__name__,
            actual=type(value).__name__,
        )
    if isinstance(value, BoolArray):
        # 0 and 1, as in NumPy.
        same_parameters(self, operation, name, value)
        return kind(self, value._native.to_uints(key, width), value.shape)
    if isinstance(value, EncryptedArray):
        return own(self, operation, name, value, kind)
    words, shape = _checks.words(operation, value, width, signed=kind._signed)
    return kind(self, _native.TfheUintArray.constant(key, words, width), shape)


def filled(self: Core, operation: str, x: IntegerT, value: int, shape: Shape) -> IntegerT:
    """Return an array of one number in the clear, of an array's kind, width and secret."""
    values = np.full(shape, value, dtype=object)
    return integer_operand(self, operation, "x", values, key_of(self, operation, x), (type(x), x.width))


def bool_operand(self: Core, operation: str, name: str, value: Any, key: _Key) -> BoolArray:
    """Check an operand, or make one of truth values in the clear."""
    if isinstance(value, EncryptedArray):
        return own(self, operation, name, value, BoolArray)
    values = _checks.booleans(operation, value)
    return BoolArray(self, _native.TfheBoolArray.constant(key, _checks.flat(values, np.bool_)), values.shape)


def _encrypted(self: Core, operation: str, kind: type[ArrayT], *values: Any) -> list[ArrayT]:
    """Return those operands that are encrypted, of which there must be one."""
    found = [value for value in values if isinstance(value, kind)]
    if not found:
        raise OperandTypeError(
            f"{operation}: none of the operands is a {kind.__name__}, and one must be; "
            f"use NumPy for what is in the clear",
            expected=kind.__name__,
            actual=", ".join(type(value).__name__ for value in values),
        )
    for value in found:
        same_parameters(self, operation, "operand", value)
    return found


def same_width(operation: str, a: IntegerArray, b: IntegerArray) -> None:
    if a.width != b.width:
        raise WidthError(
            f"{operation}: the operands have {a.width} and {b.width} bits; "
            f"convert one: x.astype({named_type(type(a), max(a.width, b.width))})",
            left=a.width,
            right=b.width,
        )


def named_type(kind: type[IntegerArray], width: int) -> str:
    """Return what `astype` takes, as it is written."""
    name = f"{'int' if kind._signed else 'uint'}{width}"
    return f"numpy.{name}" if width <= 64 else repr(name)


def common_operands(
    self: Core, operation: str, key: _Key, first: tuple[type[IntegerT], int], a: Any, b: Any, *, holds: bool = False
) -> tuple[IntegerT, IntegerT]:
    """Return two operands, one of which may be in the clear, in the width that both are computed in."""
    kind, width = first
    clear = [value for value in (a, b) if not isinstance(value, EncryptedArray)]
    wide = max((_result_width(operation, first, value, holds=holds) for value in clear), default=width)
    x, y = (integer_operand(self, operation, name, value, key, (kind, wide)) for name, value in (("a", a), ("b", b)))
    if isinstance(a, IntegerArray) and isinstance(b, IntegerArray):
        same_width(operation, x, y)
    return _widened(self, x, wide), _widened(self, y, wide)


def _pair(
    self: Core, operation: str, a: Any, b: Any, *, holds: bool = False
) -> tuple[_Key, Shape, IntegerArray, IntegerArray]:
    require_digits(self, operation)
    encrypted = _encrypted(self, operation, IntegerArray, a, b)
    key = key_of(self, operation, *(value for value in (a, b) if isinstance(value, EncryptedArray)))
    x, y = common_operands(self, operation, key, (type(encrypted[0]), encrypted[0].width), a, b, holds=holds)
    shape = _checks.broadcast_shape(operation, x.shape, y.shape)
    for value in (a, b):
        _require_unsigned(operation, x, value)
    return key, shape, x._broadcast(shape), y._broadcast(shape)


def binary(self: Any, name: str, a: Any, b: Any) -> IntegerArray:
    if name == "multiply" and (isinstance(a, BoolArray) or isinstance(b, BoolArray)):
        found: IntegerArray = self._bool_multiply(*((a, b) if isinstance(a, BoolArray) else (b, a)))
        return found
    key, shape, x, y = _pair(self, name, a, b)
    with self._reporting(name) as report:
        native = x._native.binary(name, x._signed, y._native, (self._context, key, report))
    return type(x)(self, native, shape)


def checked(self: Core, name: str, a: Any, b: Any) -> tuple[IntegerArray, BoolArray]:
    operation = f"checked_{name}"
    key, shape, x, y = _pair(self, operation, a, b)
    with self._reporting(operation) as report:
        result, overflow = x._native.checked(name, x._signed, y._native, (self._context, key, report))
    return type(x)(self, result, shape), BoolArray(self, overflow, shape)


def divide(self: Core, name: str, a: Any, b: Any) -> IntegerArray:
    _require_divisor(name, b)
    return binary(self, name, a, b)


def divide_with_remainder(self: Core, a: Any, b: Any) -> tuple[IntegerArray, IntegerArray]:
    _require_divisor("divmod", b)
    key, shape, x, y = _pair(self, "divmod", a, b)
    with self._reporting("divmod") as report:
        quotient, remainder = x._native.divmod(x._signed, y._native, (self._context, key, report))
    return type(x)(self, quotient, shape), type(x)(self, remainder, shape)


def _require_divisor(operation: str, b: Any) -> None:
    """Refuse zeros in the clear; encrypted ones can't be seen."""
    if not isinstance(b, EncryptedArray):
        _checks.divisor(operation, b)


def power(self: Core, x: IntegerArray, exponent: Any) -> IntegerArray:
    """Multiply by squares and products, modulo ``2**width``."""
    if isinstance(exponent, EncryptedArray):
        return _power_of_encrypted(self, x, exponent)
    left = _checks.integer("power", exponent, low=0)
    _require_unsigned("power", x, exponent)
    x = _widened(self, x, _result_width("power", (type(x), x.width), exponent))
    if left == 0:
        return binary(self, "add", binary(self, "multiply", x, 0), 1)
    square, product = x, None
    while True:
        if left & 1:
            product = square if product is None else binary(self, "multiply", product, square)
        left >>= 1
        if left == 0:
            assert product is not None
            return product
        square = binary(self, "multiply", square, square)


def _power_of_encrypted(self: Any, base: Any, exponent: EncryptedArray[Any]) -> IntegerArray:
    """Multiply by the squares whose bits are set in the exponents, which are below ``2**width``."""
    by: UintArray = own(self, "power", "exponent", exponent, UintArray)
    operands = [value for value in (base, by) if isinstance(value, IntegerArray)]
    key = key_of(self, "power", *operands)
    kind: type[IntegerArray] = type(base) if isinstance(base, IntegerArray) else UintArray
    if width_of(base, IntArray) is not None:
        kind = IntArray
    width = width_of(base, kind)
    if width is None:
        raise MessageTypeError(
            f"power: the base is in the clear and its dtype says no width; "
            f"pass an array of {named_type(kind, 32)} or its like",
            dtype=type(base).__name__,
        )
    square: Any = _widened(self, integer_operand(self, "power", "base", base, key, (kind, width)), by.width)
    product: Any = None
    for place in range(by.width):
        is_set = compare(self, "not_equal", binary(self, "and", by, 2**place), 0)
        one = filled(self, "power", square, 1, ())
        factor = self.select(is_set, square, one)
        product = factor if product is None else binary(self, "multiply", product, factor)
        if place + 1 < by.width:
            square = binary(self, "multiply", square, square)
    return product  # type: ignore[no-any-return]


def compare(self: Core, name: str, a: Any, b: Any) -> BoolArray:
    key, shape, x, y = _pair(self, name, a, b, holds=True)
    with self._reporting(name) as report:
        return BoolArray(self, x._native.compare(name, x._signed, y._native, (self._context, key, report)), shape)


def unary(self: Core, name: str, x: IntegerT) -> IntegerT:
    return _move(self, name, x, 0)


def _move(self: Core, name: str, x: IntegerT, amount: int) -> IntegerT:
    key = key_of(self, name, x)
    with self._reporting(name) as report:
        return type(x)(self, x._native.shift(name, x._signed, amount, (self._context, key, report)), x.shape)


def shift(self: Core, name: str, a: Any, amount: Any) -> IntegerArray:
    require_digits(self, name)
    if isinstance(amount, EncryptedArray):
        return _shift_by(self, name, a, own(self, name, "amount", amount, IntegerArray))
    x: IntegerArray = own(self, name, "a", a, IntegerArray)
    if name.startswith("rotate"):
        amounts = _checks.integers(name, amount) % x.width
    else:
        width = _result_width(name, (type(x), x.width), amount)
        amounts = _checks.integers(name, amount, 0, width - 1, "rotate")
        x = _widened(self, x, width)
    shape = _checks.broadcast_shape(name, x.shape, amounts.shape)
    _require_unsigned(name, x, amount)
    if 0 in shape:
        return x._broadcast(shape)
    x, flat = x._broadcast(shape).reshape(-1), np.broadcast_to(amounts, shape).reshape(-1)
    # Elements with one amount together, and then each in its place again.
    places = [np.flatnonzero(flat == amount) for amount in np.unique(flat)]
    parts = [_move(self, name, x[at], int(flat[at[0]])) for at in places]
    moved = parts[0] if len(parts) == 1 else concatenate(parts)[np.argsort(np.concatenate(places))]
    return moved.reshape(shape)


def _shift_by(self: Core, name: str, a: Any, amount: IntegerArray) -> IntegerArray:
    kind = type(a) if isinstance(a, IntegerArray) else type(amount)
    if isinstance(a, EncryptedArray):
        own(self, name, "a", a, IntegerArray)
    operands = [x for x in (a, amount) if isinstance(x, IntegerArray)]
    key = key_of(self, name, *operands)
    width = width_of(a, kind)
    if width is None:
        raise MessageTypeError(
            f"{name}: what is shifted is in the clear and its dtype says no width; "
            f"pass an array of {named_type(kind, 32)} or its like",
            dtype=type(a).__name__,
        )
    x = integer_operand(self, name, "a", a, key, (kind, width))
    if not name.startswith("rotate"):
        # An unsigned amount of 64 bits has no signed integers that hold it.
        larger = amount.width * (2 if kind._signed and not amount._signed and amount.width < 64 else 1)
        x = _widened(self, x, larger)
    shape = _checks.broadcast_shape(name, x.shape, amount.shape)
    x, by = x._broadcast(shape), amount._broadcast(shape)
    with self._reporting(name) as report:
        return kind(self, x._native.binary(name, kind._signed, by._native, (self._context, key, report)), shape)


def astype(self: Core, x: IntegerArray, dtype: DTypeLike | str) -> IntegerArray | BoolArray:
    found = _type(dtype, with_bool=True)
    return compare(self, "not_equal", x, 0) if found is None else resized(self, x, found[1], found[0])


def resized(self: Core, x: IntegerArray, width: int, kind: type[IntegerT]) -> IntegerT:
    """Return integers of another width and kind. The sign of signed ones is copied by a bootstrap."""
    key = key_of(self, "astype", x)
    if not x._signed or width <= x.width:
        return kind(self, x._native.with_width(key, width), x.shape)
    with self._reporting("astype") as report:
        return kind(self, x._native.sign_extended(width, (self._context, key, report)), x.shape)


def bitwise_count(self: Core, x: IntegerArray) -> UintArray:
    magnitude = unary(self, "absolute", x) if x._signed else x
    return UintArray(self, _move(self, "bitwise_count", magnitude, 0)._native, x.shape)


def zeros(self: Core, name: str, x: IntegerArray) -> UintArray:
    return UintArray(self, _move(self, name, x, 0)._native, x.shape)


def _type(dtype: DTypeLike | str, *, with_bool: bool) -> tuple[type[IntegerArray], int] | None:
    """Return kind and width of a type; None for truth values, where these are taken."""
    wide = re.fullmatch("(u?)int(128|256)", dtype) if isinstance(dtype, str) else None
    if wide:
        return (UintArray if wide[1] else IntArray), int(wide[2])
    try:
        found: Any = np.dtype(dtype)
    except TypeError:
        found = dtype
    if isinstance(found, np.dtype) and found.kind in "ui":
        return (UintArray if found.kind == "u" else IntArray), 8 * found.itemsize
    if with_bool and isinstance(found, np.dtype) and found.kind == "b":
        return None
    types = _TYPES if with_bool else _TYPES.removesuffix(" and bool")
    raise OperandTypeError(
        f"astype: the dtype is {found}, and {types} are taken; choose one",
        argument="dtype",
        expected=types,
        actual=str(found),
    )


def invert(self: Core, x: BoolArray) -> BoolArray:
    return BoolArray(self, x._native.invert(key_of(self, "not", x)), x.shape)


def bool_gate(self: Core, name: str, a: Any, b: Any) -> BoolArray:
    key = key_of(self, name, *_encrypted(self, name, BoolArray, a, b))
    x, y = bool_operand(self, name, "a", a, key), bool_operand(self, name, "b", b, key)
    shape = _checks.broadcast_shape(name, x.shape, y.shape)
    x, y = x._broadcast(shape), y._broadcast(shape)
    with self._reporting(name) as report:
        return BoolArray(self, x._native.combine(name, y._native, (self._context, key, report)), shape)


def integers_of_bools(self: Core, x: BoolArray, dtype: DTypeLike | str) -> IntegerArray:
    kind, width = _type(dtype, with_bool=False) or (UintArray, 8)
    return kind(self, x._native.to_uints(key_of(self, "astype", x), width), x.shape)


def select_bools(self: Core, condition: Any, a: Any, b: Any) -> BoolArray:
    key = key_of(self, "select", *_encrypted(self, "select", BoolArray, condition, a, b))
    names = zip(("condition", "a", "b"), (condition, a, b), strict=True)
    parts = [bool_operand(self, "select", name, value, key) for name, value in names]
    shape = _checks.broadcast_shape("select", *(part.shape for part in parts))
    c, x, y = (part._broadcast(shape) for part in parts)
    with self._reporting("select") as report:
        return BoolArray(self, x._native.select(c._native, y._native, (self._context, key, report)), shape)
