"""Plans of signs, as Python shows them: the search is in the crate everlevel-ckks, circuits/sign.

docs/notes/comparison.md has the mathematics.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.polynomial import chebyshev
from numpy.typing import NDArray

from .. import _native

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Step:
    """An odd polynomial of degree 2^depth - 1: a Chebyshev series or, for an argument beyond [-1, 1], in powers."""

    coefficients: Array
    chebyshev: bool

    @property
    def levels(self) -> int:
        """Levels consumed."""
        return (len(self.coefficients) - 1).bit_length()

    def __call__(self, x: Array) -> Array:
        """Evaluate on plain numbers."""
        value = chebyshev.chebval if self.chebyshev else np.polynomial.polynomial.polyval
        return np.asarray(value(x, self.coefficients))


@dataclass(frozen=True)
class SignPlan:
    """How a sign is computed: made by `Engine.plan_sign`.

    Attributes
    ----------
    rounds : tuple of tuples of Step
        The polynomials of each round; a sign bootstrap follows each.
    factor : float
        What values are multiplied by first: an integer, which costs nothing, where their bound is 1/2 or less; the
        bound's inverse, which costs a level, where it is too large for the first polynomial's coefficients.
    gap : float
        Least size of values whose sign is computed to `error`.
    bound : float
        Largest size of values.
    error : float
        Bound of the distance to ±1 outside of the gap, noise of the polynomials included, that of the last bootstrap
        (about 2^-27) not.

    Examples
    --------
    >>> plan = deep_engine.plan_sign(bound=1, gap=2**-4)
    >>> plan.bootstrap_count, plan.levels, plan.error < 2**-10
    (1, (8,), True)
    """

    rounds: tuple[tuple[Step, ...], ...]
    factor: float
    gap: float
    bound: float
    error: float

    @property
    def levels(self) -> tuple[int, ...]:
        """Levels that the polynomials of each round consume; the result is at the highest level.

        Examples
        --------
        >>> deep_engine.plan_sign(gap=2**-4).levels
        (8,)
        """
        levels = [sum(step.levels for step in steps) for steps in self.rounds]
        return (levels[0] + (not float(self.factor).is_integer()), *levels[1:])

    @property
    def bootstrap_count(self) -> int:
        """Sign bootstraps, one for each round.

        Examples
        --------
        >>> deep_engine.plan_sign(gap=2**-4).bootstrap_count
        1
        """
        return len(self.rounds)

    def __call__(self, x: Array) -> Array:
        """Evaluate on plain numbers, as a noiseless engine would."""
        x = self.factor * np.asarray(x, dtype=float)
        for steps in self.rounds:
            for step in steps:
                x = step(x)
            x = np.sin(np.pi / 2 * x)
        return x

    def __repr__(self) -> str:
        degrees = " | ".join(" ".join(str(len(step.coefficients) - 1) for step in steps) for steps in self.rounds)
        return (
            f"SignPlan({self.gap:.2g} ≤ |x| ≤ {self.bound:g}: error {self.error:.1g} (2^{np.log2(self.error):.1f}); "
            f"degrees {degrees}; {self.bootstrap_count} sign bootstraps; levels {', '.join(map(str, self.levels))})"
        )


def plan(precision: tuple[float, float, float], levels: int, next_levels: int) -> SignPlan:
    """Compose a sign to a precision, in as few rounds as possible and with as few levels as that takes.

    Parameters
    ----------
    precision : tuple of float
        The least size of values, the largest distance to ±1 that is allowed from there on, and the largest size.
    levels, next_levels : int
        Levels for polynomials in the first round and in each later one.
    """
    rounds, factor, reached = _native.plan_sign(precision, max(0, levels), max(0, next_levels))
    steps = tuple(tuple(Step(np.array(c), is_chebyshev) for c, is_chebyshev in each) for each in rounds)
    return SignPlan(steps, factor, precision[0], precision[2], reached)
