"""Operators of arrays of encrypted integers and truth values, in every scheme that has such."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Generic, Self, TypeVar

TruthT = TypeVar("TruthT")


class BitOperators:
    """Operators bit by bit. Each kind of array has its own operation of these names."""

    __slots__ = ()

    @staticmethod
    @abstractmethod
    def _is_operand(value: Any) -> bool:
        """Whether the engine judges a value; what other libraries define is left to them."""

    @staticmethod
    @abstractmethod
    def _comparable(operation: str, value: Any) -> Any:
        """Refuse what an encrypted array isn't compared with."""

    def _bitwise(self, name: str, other: Any) -> Any:
        """Compute ``"and"``, ``"or"`` or ``"xor"``."""
        raise NotImplementedError

    def __and__(self, other: Any) -> Self:
        return self._bitwise("and", other) if self._is_operand(other) else NotImplemented

    __rand__ = __and__

    def __or__(self, other: Any) -> Self:
        return self._bitwise("or", other) if self._is_operand(other) else NotImplemented

    __ror__ = __or__

    def __xor__(self, other: Any) -> Self:
        return self._bitwise("xor", other) if self._is_operand(other) else NotImplemented

    __rxor__ = __xor__


class IntegerOperators(BitOperators, Generic[TruthT]):
    """Operators that arrays of integers of every scheme have; comparisons give the scheme's array of truth values."""

    __slots__ = ()

    _engine: Any

    # Equality is another array.
    __hash__ = None  # type: ignore[assignment]

    # Arithmetic.

    def __add__(self, other: Any) -> Self:
        return self._engine._uint_binary("add", self, other) if self._is_operand(other) else NotImplemented

    __radd__ = __add__

    def __sub__(self, other: Any) -> Self:
        return self._engine._uint_binary("subtract", self, other) if self._is_operand(other) else NotImplemented

    def __rsub__(self, other: Any) -> Self:
        return self._engine._uint_binary("subtract", other, self) if self._is_operand(other) else NotImplemented

    def __mul__(self, other: Any) -> Any:
        return self._engine._uint_binary("multiply", self, other) if self._is_operand(other) else NotImplemented

    def __rmul__(self, other: Any) -> Any:
        return self.__mul__(other)

    def __floordiv__(self, other: Any) -> Self:
        return self._engine._uint_divide("floor_divide", self, other) if self._is_operand(other) else NotImplemented

    def __rfloordiv__(self, other: Any) -> Self:
        return self._engine._uint_divide("floor_divide", other, self) if self._is_operand(other) else NotImplemented

    def __mod__(self, other: Any) -> Self:
        return self._engine._uint_divide("remainder", self, other) if self._is_operand(other) else NotImplemented

    def __rmod__(self, other: Any) -> Self:
        return self._engine._uint_divide("remainder", other, self) if self._is_operand(other) else NotImplemented

    def __divmod__(self, other: Any) -> tuple[Self, Self]:
        return self._engine._uint_divmod(self, other) if self._is_operand(other) else NotImplemented

    def __rdivmod__(self, other: Any) -> tuple[Self, Self]:
        return self._engine._uint_divmod(other, self) if self._is_operand(other) else NotImplemented

    def __neg__(self) -> Self:
        found: Self = self._engine._uint_unary("negate", self)
        return found

    # Bits.

    def _bitwise(self, name: str, other: Any) -> Self:
        found: Self = self._engine._uint_binary(name, self, other)
        return found

    def __invert__(self) -> Self:
        found: Self = self._engine._uint_unary("invert", self)
        return found

    def __lshift__(self, amount: Any) -> Self:
        return self._engine._uint_shift("left_shift", self, amount) if self._is_operand(amount) else NotImplemented

    def __rshift__(self, amount: Any) -> Self:
        return self._engine._uint_shift("right_shift", self, amount) if self._is_operand(amount) else NotImplemented

    def __rlshift__(self, other: Any) -> Self:
        return self._engine._uint_shift("left_shift", other, self) if self._is_operand(other) else NotImplemented

    def __rrshift__(self, other: Any) -> Self:
        return self._engine._uint_shift("right_shift", other, self) if self._is_operand(other) else NotImplemented

    # Comparisons.

    def __eq__(self, other: Any) -> TruthT:  # type: ignore[override]
        found: TruthT = self._engine._uint_compare("equal", self, self._comparable("equal", other))
        return found

    def __ne__(self, other: Any) -> TruthT:  # type: ignore[override]
        found: TruthT = self._engine._uint_compare("not_equal", self, self._comparable("not_equal", other))
        return found

    def __lt__(self, other: Any) -> TruthT:
        return self._engine._uint_compare("less", self, other) if self._is_operand(other) else NotImplemented

    def __le__(self, other: Any) -> TruthT:
        return self._engine._uint_compare("less_equal", self, other) if self._is_operand(other) else NotImplemented

    def __gt__(self, other: Any) -> TruthT:
        return self._engine._uint_compare("greater", self, other) if self._is_operand(other) else NotImplemented

    def __ge__(self, other: Any) -> TruthT:
        return self._engine._uint_compare("greater_equal", self, other) if self._is_operand(other) else NotImplemented
