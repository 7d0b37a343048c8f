"""Shifts and comparisons of arrays of encrypted integers."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Generic, Self, TypeVar

TruthT = TypeVar("TruthT")


class IntegerOperators(Generic[TruthT]):
    """Operators that arrays of integers of every scheme have; comparisons give the scheme's array of truth values."""

    __slots__ = ()

    _engine: Any

    # Equality is another array.
    __hash__ = None  # type: ignore[assignment]

    @staticmethod
    @abstractmethod
    def _is_operand(value: Any) -> bool:
        """Whether the engine judges a value; what other libraries define is left to them."""

    @staticmethod
    @abstractmethod
    def _comparable(operation: str, value: Any) -> Any:
        """Refuse what an encrypted array isn't compared with."""

    def __lshift__(self, amount: Any) -> Self:
        return self._engine._uint_shift("left_shift", self, amount) if self._is_operand(amount) else NotImplemented

    def __rshift__(self, amount: Any) -> Self:
        return self._engine._uint_shift("right_shift", self, amount) if self._is_operand(amount) else NotImplemented

    def __rlshift__(self, other: Any) -> Self:
        return self._engine._uint_shift("left_shift", other, self) if self._is_operand(other) else NotImplemented

    def __rrshift__(self, other: Any) -> Self:
        return self._engine._uint_shift("right_shift", other, self) if self._is_operand(other) else NotImplemented

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
