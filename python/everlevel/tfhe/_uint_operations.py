"""Operations behind the operators of integers of 8 to 64 bits and of truth values."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import DTypeLike

from .. import _native
from .._common.storable import own, same_parameters
from ..errors import MessageTypeError, OperandTypeError, SpaceError, WidthError
from . import _checks
from ._array import ArrayT, EncryptedArray, concatenate, key_of
from ._checks import Shape
from ._core import Core
from .bool_array import BoolArray
from .uint_array import UintArray

WIDTHS: Final = (8, 16, 32, 64)

_WRAPPING: Final = frozenset({"add", "subtract", "multiply", "power", "left_shift"})
"""Operations whose value depends on the width of the result."""

_Key = _native.TfheEvaluationKey


def width_of(values: Any) -> int | None:
    """Return the width that a UintArray has, or a NumPy array or scalar of unsigned integers."""
    dtype = getattr(values, "dtype", None)
    return 8 * dtype.itemsize if isinstance(dtype, np.dtype) and dtype.kind == "u" else None


def _result_width(width: int, value: Any, *, holds: bool = False) -> int:
    """Return the width of what encrypted integers and values in the clear give together, by NumPy's promotion.

    Unsigned dtypes widen, unless the width only has to hold the values, since the result isn't an integer (`holds`).
    Python's integers take the encrypted ones' width, as they take an array's in NumPy.
    """
    wide = width_of(value)
    if wide is None or wide <= width or (holds and bool((np.asarray(value) < 2**width).all())):
        return width
    return wide


def _require_unsigned(operation: str, width: int, value: Any) -> None:
    """Refuse values in the clear of a signed dtype, lists among them, where the result depends on its width.

    What NumPy makes of them is wider than the encrypted integers, and has no encrypted form.
    """
    if operation not in _WRAPPING or isinstance(value, (int, EncryptedArray)) or width_of(value) is not None:
        return
    dtype = np.asarray(value).dtype
    raise MessageTypeError(
        f"{operation}: the values in the clear have dtype {dtype}, as NumPy's result would, and encrypted ones have "
        f"{width} bits and wrap around; convert them with numpy.asarray(values, dtype=numpy.uint{width}), or to a "
        f"wider unsigned dtype, which the result then has",
        dtype=str(dtype),
    )


def _widened(self: Core, x: UintArray, width: int) -> UintArray:
    return x if x.width >= width else astype(self, x, f"uint{width}")


def require_digits(self: Core, operation: str) -> None:
    """Refuse parameters whose messages are no digits of integers."""
    bits = self.message_bits
    if bits is None or bits < 4:
        found = "bits" if bits is None else f"integers of {bits} bits"
        raise SpaceError(
            f"{operation}: the parameters {self._parameters} hold {found}, and integers of 8 to 64 bits are made "
            f"of integers of 4 bits or more; choose a set such as 'integer-4-128'",
            found=found,
            needed="integers of 4 bits or more",
        )


def uint_operand(self: Core, operation: str, name: str, value: Any, key: _Key, width: int) -> UintArray:
    """Check an operand, or make one of values in the clear."""
    if isinstance(value, EncryptedArray):
        return own(self, operation, name, value, UintArray)
    values = _checks.uints(operation, value, width)
    native = _native.TfheUintArray.constant(key, _checks.flat(values, np.uint64), width)
    return UintArray(self, native, values.shape)


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


def same_width(operation: str, a: UintArray, b: UintArray) -> None:
    if a.width != b.width:
        raise WidthError(
            f"{operation}: the operands have {a.width} and {b.width} bits; "
            f"convert one without a bootstrap: x.astype(numpy.uint{max(a.width, b.width)})",
            left=a.width,
            right=b.width,
        )


def common_operands(
    self: Core, operation: str, key: _Key, width: int, a: Any, b: Any, *, holds: bool = False
) -> tuple[UintArray, UintArray]:
    """Return two operands, one of which may be in the clear, in the width that both are computed in."""
    clear = [value for value in (a, b) if not isinstance(value, EncryptedArray)]
    wide = max((_result_width(width, value, holds=holds) for value in clear), default=width)
    x, y = (uint_operand(self, operation, name, value, key, wide) for name, value in (("a", a), ("b", b)))
    if isinstance(a, UintArray) and isinstance(b, UintArray):
        same_width(operation, x, y)
    return _widened(self, x, wide), _widened(self, y, wide)


def _pair(
    self: Core, operation: str, a: Any, b: Any, *, holds: bool = False
) -> tuple[_Key, Shape, UintArray, UintArray]:
    require_digits(self, operation)
    encrypted = _encrypted(self, operation, UintArray, a, b)
    key = key_of(self, operation, *encrypted)
    x, y = common_operands(self, operation, key, encrypted[0].width, a, b, holds=holds)
    shape = _checks.broadcast_shape(operation, x.shape, y.shape)
    for value in (a, b):
        _require_unsigned(operation, x.width, value)
    return key, shape, x._broadcast(shape), y._broadcast(shape)


def binary(self: Core, name: str, a: Any, b: Any) -> UintArray:
    key, shape, x, y = _pair(self, name, a, b)
    with self._reporting(name) as report:
        return UintArray(self, x._native.binary(name, y._native, (self._context, key, report)), shape)


def checked(self: Core, name: str, a: Any, b: Any) -> tuple[UintArray, BoolArray]:
    operation = f"checked_{name}"
    key, shape, x, y = _pair(self, operation, a, b)
    with self._reporting(operation) as report:
        result, overflow = x._native.checked(name, y._native, (self._context, key, report))
    return UintArray(self, result, shape), BoolArray(self, overflow, shape)


def divide(self: Core, name: str, a: Any, b: Any) -> UintArray:
    _require_divisor(name, b)
    return binary(self, name, a, b)


def divide_with_remainder(self: Core, a: Any, b: Any) -> tuple[UintArray, UintArray]:
    _require_divisor("divmod", b)
    key, shape, x, y = _pair(self, "divmod", a, b)
    with self._reporting("divmod") as report:
        quotient, remainder = x._native.divmod(y._native, (self._context, key, report))
    return UintArray(self, quotient, shape), UintArray(self, remainder, shape)


def _require_divisor(operation: str, b: Any) -> None:
    """Refuse zeros in the clear; encrypted ones can't be seen."""
    if not isinstance(b, EncryptedArray):
        _checks.divisor(operation, b)


def power(self: Core, x: UintArray, exponent: Any) -> UintArray:
    """Multiply by squares and products, modulo ``2**width``."""
    if isinstance(exponent, EncryptedArray):
        raise OperandTypeError(
            "power: the exponent is encrypted, and one in the clear is needed; choose among powers with engine.select",
            argument="exponent",
            expected="int",
            actual=type(exponent).__name__,
        )
    left = _checks.integer("power", exponent, low=0)
    _require_unsigned("power", x.width, exponent)
    x = _widened(self, x, _result_width(x.width, exponent))
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


def compare(self: Core, name: str, a: Any, b: Any) -> BoolArray:
    key, shape, x, y = _pair(self, name, a, b, holds=True)
    with self._reporting(name) as report:
        return BoolArray(self, x._native.compare(name, y._native, (self._context, key, report)), shape)


def unary(self: Core, name: str, x: UintArray) -> UintArray:
    return _move(self, name, x, 0)


def _move(self: Core, name: str, x: UintArray, amount: int) -> UintArray:
    key = key_of(self, name, x)
    with self._reporting(name) as report:
        return UintArray(self, x._native.shift(name, amount, (self._context, key, report)), x.shape)


def shift(self: Core, name: str, a: Any, amount: Any) -> UintArray:
    require_digits(self, name)
    if isinstance(amount, EncryptedArray):
        return _shift_by(self, name, a, own(self, name, "amount", amount, UintArray))
    x = own(self, name, "a", a, UintArray)
    if name.startswith("rotate"):
        amounts = _checks.integers(name, amount) % x.width
    else:
        width = _result_width(x.width, amount)
        amounts = _checks.integers(name, amount, 0, width - 1, "rotate")
        x = _widened(self, x, width)
    shape = _checks.broadcast_shape(name, x.shape, amounts.shape)
    _require_unsigned(name, x.width, amount)
    x, flat = x._broadcast(shape).reshape(-1), np.broadcast_to(amounts, shape).reshape(-1)
    # Elements with one amount together, and then each in its place again.
    places = [np.flatnonzero(flat == amount) for amount in np.unique(flat)]
    parts = [_move(self, name, x[at], int(flat[at[0]])) for at in places]
    moved = parts[0] if len(parts) == 1 else concatenate(parts)[np.argsort(np.concatenate(places))]
    return moved.reshape(shape)


def _shift_by(self: Core, name: str, a: Any, amount: UintArray) -> UintArray:
    if isinstance(a, EncryptedArray):
        own(self, name, "a", a, UintArray)
    operands = [x for x in (a, amount) if isinstance(x, UintArray)]
    key = key_of(self, name, *operands)
    width = width_of(a)
    if width is None:
        raise MessageTypeError(
            f"{name}: what is shifted is in the clear and its dtype says no width; "
            f"pass an array of numpy.uint32 or its like",
            dtype=type(a).__name__,
        )
    x = uint_operand(self, name, "a", a, key, width)
    if not name.startswith("rotate"):
        x = _widened(self, x, amount.width)
    shape = _checks.broadcast_shape(name, x.shape, amount.shape)
    x, by = x._broadcast(shape), amount._broadcast(shape)
    with self._reporting(name) as report:
        return UintArray(self, x._native.binary(name, by._native, (self._context, key, report)), shape)


def reduce(self: Core, name: str, x: UintArray, axis: int | None) -> UintArray:
    rows, shape, x = _rows(name, x, axis)
    key = key_of(self, name, x)
    with self._reporting(name) as report:
        return UintArray(self, x._native.reduce(name, rows, (self._context, key, report)), shape)


def astype(self: Core, x: UintArray, dtype: DTypeLike) -> UintArray:
    width = _width("astype", dtype)
    return UintArray(self, x._native.with_width(key_of(self, "astype", x), width), x.shape)


def _rows(name: str, x: ArrayT, axis: int | None) -> tuple[int, Shape, ArrayT]:
    """Bring an axis to the front: the number of rows, the shape of one, and the array."""
    places = _checks.rows(name, x.shape, axis)
    return places.shape[0], tuple(places.shape[1:]), x._take(places)


def _width(operation: str, dtype: DTypeLike) -> int:
    try:
        found: Any = np.dtype(dtype)
    except TypeError:
        found = dtype
    if not isinstance(found, np.dtype) or found.kind != "u":
        raise OperandTypeError(
            f"{operation}: the dtype is {found}, and uint8, uint16, uint32 and uint64 are taken; choose one",
            argument="dtype",
            expected="uint8, uint16, uint32 or uint64",
            actual=str(found),
        )
    return 8 * found.itemsize


def invert(self: Core, x: BoolArray) -> BoolArray:
    return BoolArray(self, x._native.invert(key_of(self, "not", x)), x.shape)


def bool_gate(self: Core, name: str, a: Any, b: Any) -> BoolArray:
    key = key_of(self, name, *_encrypted(self, name, BoolArray, a, b))
    x, y = bool_operand(self, name, "a", a, key), bool_operand(self, name, "b", b, key)
    shape = _checks.broadcast_shape(name, x.shape, y.shape)
    x, y = x._broadcast(shape), y._broadcast(shape)
    with self._reporting(name) as report:
        return BoolArray(self, x._native.combine(name, y._native, (self._context, key, report)), shape)


def uints_of_bools(self: Core, x: BoolArray, dtype: DTypeLike) -> UintArray:
    width = _width("astype", dtype)
    return UintArray(self, x._native.to_uints(key_of(self, "astype", x), width), x.shape)


def any_of(self: Core, name: str, x: BoolArray, axis: int | None) -> BoolArray:
    rows, shape, x = _rows(name, x, axis)
    key = key_of(self, name, x)
    with self._reporting(name) as report:
        return BoolArray(self, x._native.any(rows, (self._context, key, report)), shape)
