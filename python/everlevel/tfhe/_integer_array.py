"""Operators of arrays of encrypted integers, unsigned and signed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import DTypeLike

from .. import _native
from . import _checks
from ._array import EncryptedArray, comparable, is_operand
from .bool_array import BoolArray

if TYPE_CHECKING:
    from .uint_array import UintArray


IntegerT = TypeVar("IntegerT", bound="IntegerArray")


class Operations(Protocol):
    """Interface of the engine behind the operators of an array of integers."""

    def _uint_binary(self, name: str, a: Any, b: Any) -> Any: ...
    def _uint_divide(self, name: str, a: Any, b: Any) -> Any: ...
    def _uint_divmod(self, a: Any, b: Any) -> tuple[Any, Any]: ...
    def _uint_power(self, x: Any, exponent: Any) -> Any: ...
    def _uint_compare(self, name: str, a: Any, b: Any) -> BoolArray: ...
    def _uint_unary(self, name: str, x: IntegerT) -> IntegerT: ...
    def _uint_shift(self, name: str, a: Any, amount: Any) -> Any: ...
    def _uint_reduce(self, name: str, x: IntegerT, axis: int | None) -> IntegerT: ...
    def _uint_place_of(self, name: str, x: Any, axis: int | None) -> UintArray: ...
    def _uint_astype(self, x: Any, dtype: DTypeLike | str) -> Any: ...


class IntegerArray(EncryptedArray[_native.TfheUintArray]):
    """An array of encrypted integers, of any shape: base of `UintArray` and `IntArray`."""

    __slots__ = ()

    _engine: Operations
    _signed: ClassVar[bool]

    kind = "array of encrypted integers"

    # Equality is another array.
    __hash__ = None  # type: ignore[assignment]

    @property
    def width(self) -> int:
        """Bits of an integer."""
        return self._native.width

    @property
    def _integer_type(self) -> str:
        return f"{'int' if self._signed else 'uint'}{self.width}"

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the decrypted array: that of objects, which are Python's integers, from 128 bits on."""
        return np.dtype(self._integer_type if self.width <= 64 else object)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(shape {self._shape}, {self._integer_type}, {self._shown_failure()})"

    # Arithmetic.

    def __add__(self, other: Any) -> Self:
        return self._engine._uint_binary("add", self, other) if is_operand(other) else NotImplemented

    __radd__ = __add__

    def __sub__(self, other: Any) -> Self:
        return self._engine._uint_binary("subtract", self, other) if is_operand(other) else NotImplemented

    def __rsub__(self, other: Any) -> Self:
        return self._engine._uint_binary("subtract", other, self) if is_operand(other) else NotImplemented

    def __mul__(self, other: Any) -> Self:
        return self._engine._uint_binary("multiply", self, other) if is_operand(other) else NotImplemented

    __rmul__ = __mul__

    def __floordiv__(self, other: Any) -> Self:
        return self._engine._uint_divide("floor_divide", self, other) if is_operand(other) else NotImplemented

    def __rfloordiv__(self, other: Any) -> Self:
        return self._engine._uint_divide("floor_divide", other, self) if is_operand(other) else NotImplemented

    def __mod__(self, other: Any) -> Self:
        return self._engine._uint_divide("remainder", self, other) if is_operand(other) else NotImplemented

    def __rmod__(self, other: Any) -> Self:
        return self._engine._uint_divide("remainder", other, self) if is_operand(other) else NotImplemented

    def __divmod__(self, other: Any) -> tuple[Self, Self]:
        return self._engine._uint_divmod(self, other) if is_operand(other) else NotImplemented

    def __rdivmod__(self, other: Any) -> tuple[Self, Self]:
        return self._engine._uint_divmod(other, self) if is_operand(other) else NotImplemented

    def __pow__(self, exponent: Any) -> Self:
        return self._engine._uint_power(self, exponent) if is_operand(exponent) else NotImplemented

    def __neg__(self) -> Self:
        return self._engine._uint_unary("negate", self)

    def __abs__(self) -> Self:
        if self._signed:
            return self._engine._uint_unary("absolute", self)
        return self._take(_checks.places(self._shape))

    # Bits.

    def __invert__(self) -> Self:
        return self._engine._uint_unary("invert", self)

    def _bitwise(self, name: str, other: Any) -> Self:
        result: Self = self._engine._uint_binary(name, self, other)
        return result

    def __lshift__(self, amount: Any) -> Self:
        return self._engine._uint_shift("left_shift", self, amount) if is_operand(amount) else NotImplemented

    def __rshift__(self, amount: Any) -> Self:
        return self._engine._uint_shift("right_shift", self, amount) if is_operand(amount) else NotImplemented

    def __rlshift__(self, other: Any) -> Self:
        return self._engine._uint_shift("left_shift", other, self) if is_operand(other) else NotImplemented

    def __rrshift__(self, other: Any) -> Self:
        return self._engine._uint_shift("right_shift", other, self) if is_operand(other) else NotImplemented

    # Comparisons.

    def __eq__(self, other: Any) -> BoolArray:  # type: ignore[override]
        return self._engine._uint_compare("equal", self, comparable("equal", other))

    def __ne__(self, other: Any) -> BoolArray:  # type: ignore[override]
        return self._engine._uint_compare("not_equal", self, comparable("not_equal", other))

    def __lt__(self, other: Any) -> BoolArray:
        return self._engine._uint_compare("less", self, other) if is_operand(other) else NotImplemented

    def __le__(self, other: Any) -> BoolArray:
        return self._engine._uint_compare("less_equal", self, other) if is_operand(other) else NotImplemented

    def __gt__(self, other: Any) -> BoolArray:
        return self._engine._uint_compare("greater", self, other) if is_operand(other) else NotImplemented

    def __ge__(self, other: Any) -> BoolArray:
        return self._engine._uint_compare("greater_equal", self, other) if is_operand(other) else NotImplemented

    # One of many.

    def sum(self, axis: int | None = None) -> Self:
        """Add the integers along an axis, or all of them, modulo ``2**width``: take a wider `astype` before for more.

        Digits are added up in columns and carries propagated once, which is much less than a chain of additions.

        Raises
        ------
        MessageError
            If there is no such axis.
        """
        return self._engine._uint_reduce("sum", self, axis)

    def min(self, axis: int | None = None) -> Self:
        """Return the smallest integers along an axis, or the smallest of all, by a tournament.

        Raises
        ------
        MessageError
            If there is no such axis.
        """
        return self._engine._uint_reduce("min", self, axis)

    def max(self, axis: int | None = None) -> Self:
        """Return the largest integers along an axis, or the largest of all, by a tournament.

        Raises
        ------
        MessageError
            If there is no such axis.
        """
        return self._engine._uint_reduce("max", self, axis)

    def argmin(self, axis: int | None = None) -> UintArray:
        """Return where the smallest integers are along an axis, or in the flat array: the first of equal ones.

        The places have 8 bits, or as many as the axis needs.

        Raises
        ------
        MessageError
            If there is no such axis.
        """
        return self._engine._uint_place_of("argmin", self, axis)

    def argmax(self, axis: int | None = None) -> UintArray:
        """Return where the largest integers are along an axis, or in the flat array: the first of equal ones.

        The places have 8 bits, or as many as the axis needs.

        Raises
        ------
        MessageError
            If there is no such axis.
        """
        return self._engine._uint_place_of("argmax", self, axis)

    def astype(self, dtype: DTypeLike | str) -> Any:
        """Return the same integers with another type; a smaller width cuts off the bits above.

        A larger width takes no bootstrap for unsigned integers, and one each for signed ones, whose sign is copied.
        Truth values take a comparison with zero.

        Parameters
        ----------
        dtype : dtype or str
            ``uint8`` to ``uint64``, ``int8`` to ``int64``, ``"uint128"``, ``"uint256"``, ``"int128"``, ``"int256"``, or
            ``bool``.

        Returns
        -------
        UintArray, IntArray or BoolArray
            Of the same shape.

        Raises
        ------
        OperandTypeError
            If it is another one.
        """
        return self._engine._uint_astype(self, dtype)
