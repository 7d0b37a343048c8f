"""Vectors of real numbers beyond doubles: as unevaluated sums of two doubles, and as decimals.

Both have the few operations that the models need. Sums and products of the first are right to about 2^-104 of their
operands' size (Dekker 1971, Knuth 4.2.2); decimals have 60 digits, are slow, and check the first.
"""

from __future__ import annotations

import decimal
from decimal import Decimal
from typing import Any

import numpy as np

_SPLITTER = 2.0**27 + 1
DIGITS = decimal.Context(prec=60)


def _two_sum(a: Any, b: Any) -> tuple[Any, Any]:
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)


def _halves(a: Any) -> tuple[Any, Any]:
    big = _SPLITTER * a
    high = big - (big - a)
    return high, a - high


def _two_product(a: Any, b: Any) -> tuple[Any, Any]:
    product = a * b
    (a1, a0), (b1, b0) = _halves(a), _halves(b)
    return product, ((a1 * b1 - product) + a1 * b0 + a0 * b1) + a0 * b0


class DoubleDouble:
    """Real numbers ``high + low``."""

    __slots__ = ("high", "low")

    def __init__(self, high: Any, low: Any = 0.0) -> None:
        self.high, self.low = _two_sum(np.asarray(high, dtype=float), np.asarray(low, dtype=float))

    @classmethod
    def of(cls, values: Any) -> DoubleDouble:
        return cls(values)

    def __add__(self, other: DoubleDouble) -> DoubleDouble:
        high, error = _two_sum(self.high, other.high)
        low, rest = _two_sum(self.low, other.low)
        high, error = _two_sum(high, error + low)
        return DoubleDouble(high, error + rest)

    def __neg__(self) -> DoubleDouble:
        return DoubleDouble(-self.high, -self.low)

    def __sub__(self, other: DoubleDouble) -> DoubleDouble:
        return self + (-other)

    def __mul__(self, other: DoubleDouble) -> DoubleDouble:
        high, error = _two_product(self.high, other.high)
        return DoubleDouble(high, error + (self.high * other.low + self.low * other.high))

    def inverse(self) -> DoubleDouble:
        guess = DoubleDouble(1 / self.high)
        # Newton's step: g + g(1 - xg).
        return guess + guess * (DoubleDouble(1.0) - self * guess)

    def __getitem__(self, index: Any) -> DoubleDouble:
        return DoubleDouble(self.high[index], self.low[index])

    def less(self, doubles: Any) -> Any:
        """Return the difference from doubles, as doubles."""
        return (self - DoubleDouble(doubles)).high

    @staticmethod
    def join(parts: list[DoubleDouble]) -> DoubleDouble:
        return DoubleDouble(np.concatenate([p.high for p in parts]), np.concatenate([p.low for p in parts]))


class Decimals:
    """The same numbers to 60 digits, one by one."""

    __slots__ = ("values",)

    def __init__(self, values: Any) -> None:
        self.values = values

    @classmethod
    def of(cls, values: Any) -> Decimals:
        array = np.asarray(values, dtype=float)
        return cls(np.array([Decimal(float(x)) for x in array.ravel()], dtype=object).reshape(array.shape))

    def __add__(self, other: Decimals) -> Decimals:
        with decimal.localcontext(DIGITS):
            return Decimals(np.asarray(self.values + other.values, dtype=object))

    def __neg__(self) -> Decimals:
        # The sign is turned by an operation that rounds, too.
        with decimal.localcontext(DIGITS):
            return Decimals(np.asarray(-self.values, dtype=object))

    def __sub__(self, other: Decimals) -> Decimals:
        return self + (-other)

    def __mul__(self, other: Decimals) -> Decimals:
        with decimal.localcontext(DIGITS):
            return Decimals(np.asarray(self.values * other.values, dtype=object))

    def inverse(self) -> Decimals:
        with decimal.localcontext(DIGITS):
            return Decimals(np.asarray(Decimal(1) / self.values, dtype=object))

    def __getitem__(self, index: Any) -> Decimals:
        return Decimals(np.asarray(self.values[index], dtype=object))

    @property
    def high(self) -> Any:
        return self.values.astype(float)

    def less(self, doubles: Any) -> Any:
        return (self - Decimals.of(doubles)).high

    @staticmethod
    def join(parts: list[Decimals]) -> Decimals:
        return Decimals(np.concatenate([p.values for p in parts]))
