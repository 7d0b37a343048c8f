"""What the operators of integers of 8 to 64 bits and of truth values call."""

from __future__ import annotations

from typing import Any, Final, cast

import numpy as np
from numpy.typing import DTypeLike

from .. import _native
from .._common.checks import instance
from ..errors import MessageTypeError, OperandTypeError, SpaceError, WidthError
from . import _checks
from ._array import ArrayT, EncryptedArray, concatenate
from ._checks import Shape
from ._core import EngineCore
from .bool_array import BoolArray
from .uint_array import UintArray

WIDTHS: Final = (8, 16, 32, 64)

_Key = _native.TfheEvaluationKey


def width_of(values: Any) -> int | None:
    """Return the width that a UintArray has, or a NumPy array or scalar of unsigned integers."""
    dtype = getattr(values, "dtype", None)
    return 8 * dtype.itemsize if isinstance(dtype, np.dtype) and dtype.kind == "u" else None


class UintOperationsMixin(EngineCore):
    """Checks, broadcasts, and calls the native module."""

    def _wrap_uints(self, native: _native.TfheUintArray, shape: Shape) -> UintArray:
        return UintArray(cast(Any, self), native, shape)

    def _wrap_bools(self, native: _native.TfheBoolArray, shape: Shape) -> BoolArray:
        return BoolArray(cast(Any, self), native, shape)

    def _require_digits(self, operation: str) -> None:
        bits = self.message_bits
        if bits is None or bits < 4:
            found = "bits" if bits is None else f"integers of {bits} bits"
            raise SpaceError(
                f"{operation}: the parameters {self._parameters} hold {found}, and integers of 8 to 64 bits are made "
                f"of integers of 4 bits or more; choose a set such as 'integer-4-128'",
                found=found,
                needed="integers of 4 bits or more",
            )

    # Operands.

    def _uint_operand(self, operation: str, name: str, value: Any, key: _Key, width: int) -> UintArray:
        """Check an operand, or make one of values in the clear."""
        if isinstance(value, EncryptedArray):
            array = instance(operation, name, value, UintArray)
            self._same_parameters(operation, name, array)
            return array
        values = _checks.uints(operation, value, width)
        native = _native.TfheUintArray.constant(key, _checks.flat(values, np.uint64), width)
        return self._wrap_uints(native, values.shape)

    def _bool_operand(self, operation: str, name: str, value: Any, key: _Key) -> BoolArray:
        if isinstance(value, EncryptedArray):
            array = instance(operation, name, value, BoolArray)
            self._same_parameters(operation, name, array)
            return array
        values = _checks.booleans(operation, value)
        return self._wrap_bools(_native.TfheBoolArray.constant(key, _checks.flat(values, np.bool_)), values.shape)

    def _encrypted(self, operation: str, kind: type[ArrayT], *values: Any) -> list[ArrayT]:
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
            self._same_parameters(operation, "operand", value)
        return found

    def _same_width(self, operation: str, a: UintArray, b: UintArray) -> None:
        if a.width != b.width:
            raise WidthError(
                f"{operation}: the operands have {a.width} and {b.width} bits; "
                f"convert one without a bootstrap: x.astype(numpy.uint{max(a.width, b.width)})",
                left=a.width,
                right=b.width,
            )

    def _uint_pair(self, operation: str, a: Any, b: Any) -> tuple[_Key, Shape, UintArray, UintArray]:
        self._require_digits(operation)
        encrypted = self._encrypted(operation, UintArray, a, b)
        key = self._key(operation, *encrypted)
        x = self._uint_operand(operation, "a", a, key, encrypted[0].width)
        y = self._uint_operand(operation, "b", b, key, encrypted[0].width)
        self._same_width(operation, x, y)
        shape = _checks.broadcast_shape(operation, x.shape, y.shape)
        return key, shape, x._broadcast(shape), y._broadcast(shape)

    # Integers.

    def _uint_binary(self, name: str, a: Any, b: Any) -> UintArray:
        key, shape, x, y = self._uint_pair(name, a, b)
        with self._reporting(name) as report:
            return self._wrap_uints(x._native.binary(self._context, name, key, y._native, report), shape)

    def _uint_checked(self, name: str, a: Any, b: Any) -> tuple[UintArray, BoolArray]:
        operation = f"checked_{name}"
        key, shape, x, y = self._uint_pair(operation, a, b)
        with self._reporting(operation) as report:
            result, overflow = x._native.checked(self._context, name, key, y._native, report)
        return self._wrap_uints(result, shape), self._wrap_bools(overflow, shape)

    def _uint_divide(self, name: str, a: Any, b: Any) -> UintArray:
        self._require_divisor(name, b)
        return self._uint_binary(name, a, b)

    def _uint_divmod(self, a: Any, b: Any) -> tuple[UintArray, UintArray]:
        self._require_divisor("divmod", b)
        key, shape, x, y = self._uint_pair("divmod", a, b)
        with self._reporting("divmod") as report:
            quotient, remainder = x._native.divmod(self._context, key, y._native, report)
        return self._wrap_uints(quotient, shape), self._wrap_uints(remainder, shape)

    def _require_divisor(self, operation: str, b: Any) -> None:
        """Refuse zeros in the clear; encrypted ones can't be seen."""
        if not isinstance(b, EncryptedArray):
            _checks.divisor(operation, b)

    def _uint_compare(self, name: str, a: Any, b: Any) -> BoolArray:
        key, shape, x, y = self._uint_pair(name, a, b)
        with self._reporting(name) as report:
            return self._wrap_bools(x._native.compare(self._context, name, key, y._native, report), shape)

    def _uint_unary(self, name: str, x: UintArray) -> UintArray:
        return self._uint_move(name, x, 0)

    def _uint_move(self, name: str, x: UintArray, amount: int) -> UintArray:
        key = self._key(name, x)
        with self._reporting(name) as report:
            return self._wrap_uints(x._native.shift(self._context, name, key, amount, report), x.shape)

    def _uint_shift(self, name: str, a: Any, amount: Any) -> UintArray:
        self._require_digits(name)
        if isinstance(amount, EncryptedArray):
            return self._uint_shift_by(name, a, instance(name, "amount", amount, UintArray))
        x = instance(name, "a", a, UintArray)
        self._same_parameters(name, "a", x)
        if name.startswith("rotate"):
            amounts = _checks.integers(name, amount) % x.width
        else:
            amounts = _checks.integers(name, amount, 0, x.width - 1, "rotate")
        shape = _checks.broadcast_shape(name, x.shape, amounts.shape)
        x, flat = x._broadcast(shape).reshape(-1), np.broadcast_to(amounts, shape).reshape(-1)
        # Elements with one amount together, and then each in its place again.
        places = [np.flatnonzero(flat == amount) for amount in np.unique(flat)]
        parts = [self._uint_move(name, x[at], int(flat[at[0]])) for at in places]
        moved = parts[0] if len(parts) == 1 else concatenate(parts)[np.argsort(np.concatenate(places))]
        return moved.reshape(shape)

    def _uint_shift_by(self, name: str, a: Any, amount: UintArray) -> UintArray:
        self._same_parameters(name, "amount", amount)
        if isinstance(a, EncryptedArray):
            self._same_parameters(name, "a", instance(name, "a", a, UintArray))
        operands = [x for x in (a, amount) if isinstance(x, UintArray)]
        key = self._key(name, *operands)
        width = width_of(a)
        if width is None:
            raise MessageTypeError(
                f"{name}: what is shifted is in the clear and its dtype says no width; "
                f"pass an array of numpy.uint32 or its like",
                dtype=type(a).__name__,
            )
        x = self._uint_operand(name, "a", a, key, width)
        shape = _checks.broadcast_shape(name, x.shape, amount.shape)
        x, by = x._broadcast(shape), amount._broadcast(shape)
        with self._reporting(name) as report:
            return self._wrap_uints(x._native.binary(self._context, name, key, by._native, report), shape)

    def _uint_reduce(self, name: str, x: UintArray, axis: int | None) -> UintArray:
        rows, shape, x = self._rows(name, x, axis)
        key = self._key(name, x)
        with self._reporting(name) as report:
            return self._wrap_uints(x._native.reduce(self._context, name, key, rows, report), shape)

    def _uint_astype(self, x: UintArray, dtype: DTypeLike) -> UintArray:
        width = self._width("astype", dtype)
        return self._wrap_uints(x._native.with_width(self._key("astype", x), width), x.shape)

    def _rows(self, name: str, x: ArrayT, axis: int | None) -> tuple[int, Shape, ArrayT]:
        """Bring an axis to the front: the number of rows, the shape of one, and the array."""
        places = _checks.rows(name, x.shape, axis)
        return places.shape[0], tuple(places.shape[1:]), x._take(places)

    def _width(self, operation: str, dtype: DTypeLike) -> int:
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

    # Truth values.

    def _bool_not(self, x: BoolArray) -> BoolArray:
        return self._wrap_bools(x._native.invert(self._key("not", x)), x.shape)

    def _bool_gate(self, name: str, a: Any, b: Any) -> BoolArray:
        key = self._key(name, *self._encrypted(name, BoolArray, a, b))
        x, y = self._bool_operand(name, "a", a, key), self._bool_operand(name, "b", b, key)
        shape = _checks.broadcast_shape(name, x.shape, y.shape)
        x, y = x._broadcast(shape), y._broadcast(shape)
        with self._reporting(name) as report:
            return self._wrap_bools(x._native.combine(self._context, name, key, y._native, report), shape)

    def _uints_of_bools(self, x: BoolArray, dtype: DTypeLike) -> UintArray:
        width = self._width("astype", dtype)
        return self._wrap_uints(x._native.to_uints(self._key("astype", x), width), x.shape)

    def _any(self, name: str, x: BoolArray, axis: int | None) -> BoolArray:
        rows, shape, x = self._rows(name, x, axis)
        key = self._key(name, x)
        with self._reporting(name) as report:
            return self._wrap_bools(x._native.any(self._context, key, rows, report), shape)
