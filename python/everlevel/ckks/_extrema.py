"""Minima, maxima, and other products with a sign.

They are right everywhere: where a sign is uncertain, the factor that it is multiplied with is small.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from .. import _native
from .._common import checks
from ..errors import OperandTypeError, ParameterError
from . import _arithmetic, _comparison, _slots
from ._arithmetic import Operand
from ._bootstrap_keys import chosen_of
from ._core import Core
from .ciphertext import Ciphertext
from .evaluation_key import EvaluationKey

_GAP_POINTS: Final = 1025
"""Points within the gap, at which a product with an uncertain sign is evaluated."""


def maximum(
    self: Core,
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

    Where the values differ by `gap` or more it is at most `bound`·`error`/2, beside that of bootstraps. The result's
    `precision_floor` counts what is lost within the gap, and its `precision_bits` how rare that is among differences
    that are spread over the bound. Arguments are those of `compare`. Levels consumed: 1, and none of what is above
    the highest but one. Operands whose levels would need a further round are bootstrapped first, both at once if they
    can be.
    """
    return _extremum(self, "maximum", left, right, evaluation_key, (gap, error, bound), progress)


def minimum(
    self: Core,
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
    return _extremum(self, "minimum", left, right, evaluation_key, (gap, error, bound), progress)


def relu(
    self: Core,
    x: Ciphertext,
    evaluation_key: EvaluationKey | None = None,
    *,
    gap: float = 2**-6,
    error: float = 2**-20,
    bound: float = 1.0,
    progress: bool | None = None,
) -> Ciphertext:
    """Compute max(x, 0), with an error of at most `gap`/2. Arguments are those of `sign`; levels consumed: 1."""
    (x,) = raised(self, "relu", (x,), evaluation_key, (gap, error, bound), progress)
    positive = _comparison.indicator(self, "relu", x, evaluation_key, (gap, error, bound), progress)
    result = times(self, "relu", x, positive, evaluation_key)
    return _within_the_gap(self, "relu", result, 0.5, x, evaluation_key, (gap, error, bound))


def abs(  # noqa: A001 (NumPy's name)
    self: Core,
    x: Ciphertext,
    evaluation_key: EvaluationKey | None = None,
    *,
    gap: float = 2**-6,
    error: float = 2**-20,
    bound: float = 1.0,
    progress: bool | None = None,
) -> Ciphertext:
    """Compute the absolute value, with an error of at most `gap`. All else is as in `relu`."""
    (x,) = raised(self, "abs", (x,), evaluation_key, (gap, error, bound), progress)
    sign = _comparison.compute_sign(self, "abs", x, evaluation_key, (gap, error, bound), progress)
    result = times(self, "abs", x, sign, evaluation_key)
    return _within_the_gap(self, "abs", result, 1.0, x, evaluation_key, (gap, error, bound))


def max_of_slots(
    self: Core,
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
    return extremum_of_slots(self, "max_of_slots", x, evaluation_key, count, (gap, error, bound), progress)


def min_of_slots(
    self: Core,
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
    return extremum_of_slots(self, "min_of_slots", x, evaluation_key, count, (gap, error, bound), progress)


def _extremum(
    self: Core, operation: str, left: Any, right: Any, key: Any, precision: Any, progress: bool | None
) -> Ciphertext:
    left, right = raised(self, operation, (left, right), key, precision, progress)
    difference, both = _comparison.difference_of(self, left, right, precision[2])
    positive = _comparison.indicator(self, operation, difference, key, precision, progress)
    part = times(self, operation, difference, positive, key)
    result = (
        _arithmetic.add(self, right, part) if operation.startswith("max") else _arithmetic.subtract(self, left, part)
    )
    # The larger of both operands' bounds, which those of the terms don't know.
    bound = (left if isinstance(left, Ciphertext) else right).bound
    result = self._wrap(self._context.within(result._native, max(bound, both - bound)), is_real=True)
    return _within_the_gap(self, operation, result, 0.5, difference, key, precision)


def extremum_of_slots(
    self: Core, operation: str, value: Any, key: Any, count: Any, precision: Any, progress: bool | None
) -> Ciphertext:
    width, x = check_width(self.slot_count, operation, count), _comparison.real(operation, value)
    rotate: Callable[[Ciphertext, int], Ciphertext] = (
        (lambda y, delta: y.rotate(delta)) if key is None else (lambda y, delta: _slots.rotate(self, y, key, delta))
    )
    covered = 1
    while covered < width:
        # Values may be counted twice.
        step = min(covered, width - covered)
        (x,) = raised(self, operation, (x,), key, precision, progress)
        x = _extremum(self, operation, x, rotate(x, -step), key, precision, progress)
        covered += step
    return x


def check_width(slot_count: int, operation: str, count: Any) -> int:
    """Check how many slots count."""
    width = slot_count if count is None else checks.integer(operation, "count", count)
    if not 1 <= width <= slot_count:
        raise ParameterError(
            f"{operation}: count is {width}, and 1 to {slot_count} slots are there; leave it out for all",
            option="count",
            value=width,
            allowed=(1, slot_count),
        )
    return width


def raised(
    self: Core, operation: str, operands: tuple[Any, ...], key: Any, precision: Any, progress: bool | None
) -> tuple[Any, ...]:
    """Bootstrap ciphertexts whose levels would need more rounds than the highest level does."""
    ciphertexts = [_comparison.real(operation, operand) for operand in operands if isinstance(operand, Ciphertext)]
    if not ciphertexts:
        raise OperandTypeError(
            f"{operation}: no operand is a Ciphertext, and one is needed; encrypt one with engine.encrypt",
            argument="left, right",
            expected="Ciphertext",
        )
    _comparison.sign_stages(self, operation, ciphertexts[0], key)
    checked = _comparison.check_precision(operation, *precision)
    keys = chosen_of(self, operation, ciphertexts[0], key)
    # Of two operands that are one, one is bootstrapped.
    distinct = list(dict.fromkeys(ciphertexts))
    with self._reporting("bootstrap", progress) as report:
        natives = _native.raised_for_sign(self._context, [c._native for c in distinct], keys, checked, report)
    if natives is None:
        return operands
    self._counters.add()
    fresh = dict(zip(distinct, self._wrap_all(natives, is_real=True), strict=True))
    return tuple(fresh[operand] if isinstance(operand, Ciphertext) else operand for operand in operands)


def _within_the_gap(
    self: Core, operation: str, result: Ciphertext, share: float, x: Ciphertext, key: Any, precision: Any
) -> Ciphertext:
    """Count what a product of x with its sign, or a share of that, loses within the gap: up to x·(1 - sign(x))."""
    gap, _, bound = checked = _comparison.check_precision(operation, *precision)
    plan = _comparison.make_plan(self, operation, checked, x.level, _comparison.sign_stages(self, operation, x, key))
    sizes = np.linspace(0, gap, _GAP_POINTS)
    lost = share * sizes * (1 - plan(sizes))
    # Between two points the product changes by less than their distance.
    worst = float(lost.max()) + share * gap / _GAP_POINTS
    typical = float(np.sqrt(np.mean(lost**2) * gap / bound))
    return self._wrap(self._context.deviating(result._native, worst, typical), is_real=True)


def times(self: Core, operation: str, left: Ciphertext, right: Ciphertext, key: Any) -> Ciphertext:
    return left * right if key is None else _arithmetic.multiply(self, left, right, key)
