"""Minima, maxima, and what else is a product with a sign."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import _sign_plan
from ._common import checks as _checks
from ._engine_comparison import ComparisonMixin
from .ckks._arithmetic import Operand
from .ckks.ciphertext import Ciphertext
from .ckks.evaluation_key import EvaluationKey
from .errors import OperandTypeError, ParameterError


class ExtremaMixin(ComparisonMixin):
    """Functions that are right everywhere: where a sign is uncertain, what it is multiplied with is small."""

    def maximum(
        self,
        left: Operand,
        right: Operand,
        evaluation_key: EvaluationKey | None = None,
        *,
        gap: float = 2**-6,
        error: float = 2**-20,
        bound: float = 2.0,
        progress: bool | None = None,
    ) -> Ciphertext:
        """Compute the larger value, slot by slot, with an error of at most `gap`/2.

        Where the values differ by `gap` or more it is at most `bound`·`error`/2, beside that of bootstraps. Arguments
        are those of `compare`. Levels consumed: 1, and none of what is above the highest but one. Operands whose
        levels would need a further round are bootstrapped first, both at once if they can be.
        """
        return self._extremum("maximum", left, right, evaluation_key, (gap, error, bound), progress)

    def minimum(
        self,
        left: Operand,
        right: Operand,
        evaluation_key: EvaluationKey | None = None,
        *,
        gap: float = 2**-6,
        error: float = 2**-20,
        bound: float = 2.0,
        progress: bool | None = None,
    ) -> Ciphertext:
        """Compute the smaller value, slot by slot. All else is as in `maximum`."""
        return self._extremum("minimum", left, right, evaluation_key, (gap, error, bound), progress)

    def relu(
        self,
        x: Ciphertext,
        evaluation_key: EvaluationKey | None = None,
        *,
        gap: float = 2**-6,
        error: float = 2**-20,
        bound: float = 1.0,
        progress: bool | None = None,
    ) -> Ciphertext:
        """Compute max(x, 0), with an error of at most `gap`/2. Arguments are those of `sign`; levels consumed: 1."""
        (x,) = self._raised("relu", (x,), evaluation_key, (gap, error, bound), progress)
        positive = self._indicator("relu", x, evaluation_key, (gap, error, bound), progress)
        return self._times("relu", x, positive, evaluation_key)

    def abs(
        self,
        x: Ciphertext,
        evaluation_key: EvaluationKey | None = None,
        *,
        gap: float = 2**-6,
        error: float = 2**-20,
        bound: float = 1.0,
        progress: bool | None = None,
    ) -> Ciphertext:
        """Compute the absolute value, with an error of at most `gap`. All else is as in `relu`."""
        (x,) = self._raised("abs", (x,), evaluation_key, (gap, error, bound), progress)
        sign = self._sign("abs", x, evaluation_key, (gap, error, bound), progress)
        return self._times("abs", x, sign, evaluation_key)

    def max_of_slots(
        self,
        x: Ciphertext,
        evaluation_key: EvaluationKey | None = None,
        *,
        count: int | None = None,
        gap: float = 2**-6,
        error: float = 2**-20,
        bound: float = 2.0,
        progress: bool | None = None,
    ) -> Ciphertext:
        """Put the largest of the first `count` values into slot 0, by a tree of ceil(log2(count)) maxima.

        If `count` is left out, all values count, and every slot gets the result; else the other slots hold maxima of
        other values. The error is at most that of `maximum` for each row of the tree. Levels consumed: 1 for
        each row, and bootstraps in between as in `maximum`.

        Parameters
        ----------
        x, evaluation_key, gap, error, bound, progress
            As in `maximum`; the key has rotations by powers of two (`rotations=True`) or by those that `count` needs.
        count : int, optional
            1 to `slot_count`. The values beyond are compared, too: their differences must be within `bound` as well.
        """
        return self._extremum_of_slots("max_of_slots", x, evaluation_key, count, (gap, error, bound), progress)

    def min_of_slots(
        self,
        x: Ciphertext,
        evaluation_key: EvaluationKey | None = None,
        *,
        count: int | None = None,
        gap: float = 2**-6,
        error: float = 2**-20,
        bound: float = 2.0,
        progress: bool | None = None,
    ) -> Ciphertext:
        """Put the smallest of the first `count` values into slot 0. All else is as in `max_of_slots`."""
        return self._extremum_of_slots("min_of_slots", x, evaluation_key, count, (gap, error, bound), progress)

    def _extremum(
        self, operation: str, left: Any, right: Any, key: Any, precision: Any, progress: bool | None
    ) -> Ciphertext:
        left, right = self._raised(operation, (left, right), key, precision, progress)
        difference = self.subtract(left, right)
        positive = self._indicator(operation, difference, key, precision, progress)
        part = self._times(operation, difference, positive, key)
        return self.add(right, part) if operation.startswith("max") else self.subtract(left, part)

    def _extremum_of_slots(
        self, operation: str, value: Any, key: Any, count: Any, precision: Any, progress: bool | None
    ) -> Ciphertext:
        width, x = self._width(operation, count), self._real(operation, value)
        rotate: Callable[[Ciphertext, int], Ciphertext] = (
            (lambda y, delta: y.rotate(delta)) if key is None else (lambda y, delta: self.rotate(y, key, delta))
        )
        covered = 1
        while covered < width:
            # Values may be counted twice.
            step = min(covered, width - covered)
            (x,) = self._raised(operation, (x,), key, precision, progress)
            x = self._extremum(operation, x, rotate(x, -step), key, precision, progress)
            covered += step
        return x

    def _width(self, operation: str, count: Any) -> int:
        """Check how many slots count."""
        width = self.slot_count if count is None else _checks.integer(operation, "count", count)
        if not 1 <= width <= self.slot_count:
            raise ParameterError(
                f"{operation}: count is {width}, and 1 to {self.slot_count} slots are there; leave it out for all",
                option="count",
                value=width,
                allowed=(1, self.slot_count),
            )
        return width

    def _raised(
        self, operation: str, operands: tuple[Any, ...], key: Any, precision: Any, progress: bool | None
    ) -> tuple[Any, ...]:
        """Bootstrap ciphertexts whose levels would need more rounds than the highest level does."""
        ciphertexts = [self._real(operation, operand) for operand in operands if isinstance(operand, Ciphertext)]
        if not ciphertexts:
            raise OperandTypeError(
                f"{operation}: no operand is a Ciphertext, and one is needed; encrypt one with engine.encrypt",
                argument="left, right",
                expected="Ciphertext",
            )
        stages, level = self._sign_stages(operation, ciphertexts[0], key), min(c.level for c in ciphertexts)
        if level >= stages + min(_sign_plan.DEPTHS):
            rounds = [
                self._plan(operation, precision, start, stages).bootstrap_count for start in (level, self.max_level)
            ]
            if rounds[0] == rounds[1]:
                return operands
        if len(ciphertexts) == 2 and ciphertexts[0] is not ciphertexts[1]:
            merged = self.lossy_merge_bootstrap if level >= stages else self.merge_bootstrap
            return merged(ciphertexts[0], ciphertexts[1], key, progress=progress)
        single = self.lossy_bootstrap if level >= stages else self.bootstrap
        fresh = single(ciphertexts[0], key, progress=progress)
        return tuple(fresh if isinstance(operand, Ciphertext) else operand for operand in operands)

    def _times(self, operation: str, left: Ciphertext, right: Ciphertext, key: Any) -> Ciphertext:
        return left * right if key is None else self.multiply(left, right, key)
