"""Circuits of integers of many digits without their look-ups, which are counted instead."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .. import _native
from ._core import Core
from ._vectors import digit_errors

KINDS = {
    **dict.fromkeys(
        (
            *("add", "subtract", "multiply", "floor_divide", "remainder", "and", "or", "xor", "minimum", "maximum"),
            *("left_shift", "right_shift"),
        ),
        "binary",
    ),
    **dict.fromkeys(("equal", "not_equal", "less", "less_equal", "greater", "greater_equal"), "compare"),
    "divmod": "divide",
}
"""Kinds of operations on two arrays of integers, by their names."""


@dataclass(frozen=True)
class _Digit:
    """A digit that an operation would have: its error, and whether a product needs a look-up of it before."""

    error: float
    is_low: bool


_Vector = int | _Digit
_Known = tuple[_Vector, int, float]


class Counts:
    """Look-ups and products of an operation: native circuits see the attributes of this object, and call its methods.

    Parameters
    ----------
    engine : Engine
    unit_count : int
        Ciphertexts of a digit.
    times : tuple of float
        Seconds of a look-up of two ciphertexts, and of one.
    """

    def __init__(self, engine: Core, unit_count: int, times: tuple[float, float]) -> None:
        self.space_bits: int = engine.message_bits or 0
        self.unit_count = unit_count
        self.times = times
        self.fresh_error, self.max_error = digit_errors(engine)
        self._bit: _Vector | None = None
        self.look_ups = self.pairs = self.singles = self.further = self.products = 0
        """Look-ups of digits; bootstraps of two ciphertexts, and of one; further tables, and products, of one."""

    def linear(self, terms: Sequence[tuple[int, _Vector, int]], constant: int) -> _Known:
        """Tell what a sum may be."""
        most = constant + sum(factor * (most if factor > 0 else 0) for factor, _, most in terms)
        digits = [(factor, x) for factor, x, _ in terms if isinstance(x, _Digit)]
        if not digits:
            return _known(constant + sum(factor * x for factor, x, _ in terms if isinstance(x, int)), most)
        error = sum(abs(factor) * x.error for factor, x in digits)
        return _known(_Digit(error, any(x.is_low for _, x in digits)), most)

    def look_up(self, jobs: Sequence[tuple[_Vector, int, Sequence[Sequence[int]]]]) -> list[_Known]:
        """Count look-ups, and tell what tables may give."""
        found: list[_Known] = []
        inputs = 0
        for x, _, tables in jobs:
            if isinstance(x, int):
                found += [_known(table[x], table[x]) for table in tables]
                continue
            varied = [table for table in tables if min(table) < max(table)]
            inputs += bool(varied)
            self.further += self.unit_count * max(0, len(varied) - 1)
            for table in tables:
                is_varied = min(table) < max(table)
                found.append(_known(_Digit(self.fresh_error, False) if is_varied else table[0], max(table)))
        self._bootstrapped(inputs)
        return found

    def choose(self, bit: tuple[_Vector, int], a: tuple[_Vector, int], b: tuple[_Vector, int]) -> _Known:
        """Count a product, and look-ups of what another product has made."""
        if isinstance(bit[0], int):
            x, most = a if bit[0] else b
            return _known(x, most)
        low = [x for x, _ in (bit, a, b) if isinstance(x, _Digit) and x.is_low and x is not self._bit]
        for _ in low:
            self._bootstrapped(1)
        self._bit = bit[0]
        self.products += self.unit_count
        error = max((x.error for x, _ in (a, b) if isinstance(x, _Digit)), default=0.0)
        return _known(_Digit(error + 4 * bit[0].error, True), max(a[1], b[1]))

    def _bootstrapped(self, inputs: int) -> None:
        self.look_ups += inputs
        units = inputs * self.unit_count
        # Two vectors of one unit share a bootstrap, and of an odd number of vectors the last is by itself.
        self.pairs += units // 2
        self.singles += units % 2


def _known(x: _Vector, most: int) -> _Known:
    return x, most, x.error if isinstance(x, _Digit) else 0.0


def counted(engine: Core, operation: str, of: tuple[int, bool], unit_count: int, times: tuple[float, float]) -> Counts:
    """Count what an operation on two arrays of integers, of a width and signed or not, would do."""
    counts = Counts(engine, unit_count, times)
    width, is_signed = of

    def fresh() -> list[_Known]:
        digits = (_Digit(counts.fresh_error, False) for _ in range(width // engine._digit_bits))
        return [_known(digit, 2**engine._digit_bits - 1) for digit in digits]

    operands = [fresh(), fresh()]
    _native.bulk_integers(counts, (KINDS[operation], operation, is_signed), operands, 0)
    return counts
