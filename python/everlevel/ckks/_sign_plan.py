"""Sign functions composed of minimax polynomials and sign bootstraps: which ones, and how good they are.

An odd polynomial P that is as near to 1 as its degree allows on [g, 1], say within τ, brings a gap g to (1 - τ)/(1 + τ)
when divided by 1 + τ. Composed, such polynomials close a gap exponentially fast (Lee, Lee, Lee, No, eprint 2020/834;
Cheon, Kim, Kim, eprint 2019/1234). A sign bootstrap is one more of them, sin(πx/2), which costs no level: it widens
small values by up to π/2, and leaves (π²/8)·τ² of the distance τ to ±1.

A plan is a list of rounds. Each is composed of polynomials as far as the levels go, and ends with a sign bootstrap.
Where P is a minimax polynomial on [g, 1] it increases on [0, g]: within the gap a result has the right sign and is no
larger than at its end.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.polynomial import chebyshev
from numpy.typing import NDArray

from ..errors import ParameterError

Array = NDArray[np.float64]

DEPTHS: Final = (2, 3, 4, 5)
"""Levels of the polynomials that are composed: degrees 3, 7, 15 and 31."""
_POWER_DEPTH: Final = 3
"""Up to this depth a change of the argument's size is part of the coefficients in the power basis, without a level."""
LARGEST_SINE_ARGUMENT: Final = 1.25
"""Where a sign bootstrap's approximation of the sine still holds whatever the noise: see docs/notes/bootstrap.md."""
NOISE: Final = 2.0**-15
"""Room for the polynomials' own noise beside their distance to ±1."""
MARGIN: Final = 2.0**-17
"""By this much each polynomial but the last stays below 1, beyond which the next one falls steeply."""
_MOST_ROUNDS: Final = 8


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
    factor : int
        What values are multiplied by first, which costs nothing, where their bound is 1/2 or less.
    gap : float
        Least size of values whose sign is computed to `error`.
    bound : float
        Largest size of values.
    error : float
        Bound of the distance to ±1 outside of the gap, noise of the polynomials included, that of the last bootstrap
        (about 2^-27) not.
    """

    rounds: tuple[tuple[Step, ...], ...]
    factor: int
    gap: float
    bound: float
    error: float

    @property
    def levels(self) -> tuple[int, ...]:
        """Levels that the polynomials of each round consume; the result is at the highest level."""
        return tuple(sum(step.levels for step in steps) for steps in self.rounds)

    @property
    def bootstrap_count(self) -> int:
        """Sign bootstraps, one for each round."""
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


@lru_cache(maxsize=256)
def minimax(gap: float, depth: int) -> tuple[tuple[float, ...], float]:
    """Find the odd polynomial of degree 2^depth - 1 that is nearest to 1 on [gap, 1], by Remez' exchange.

    Returns
    -------
    coefficients : tuple of float
        In the Chebyshev basis, even ones included as zeros.
    distance : float
        Largest |P - 1| on [gap, 1].
    """
    count = 2 ** (depth - 1)
    # Denser towards both ends, where the extrema are.
    grid = gap + (1 - gap) * (1 - np.cos(np.linspace(0, np.pi, 1000 * count))) / 2
    odd = 2 * np.arange(count) + 1
    basis = np.cos(np.outer(np.arccos(np.clip(grid, -1, 1)), odd))
    reference = np.round(np.linspace(0, len(grid) - 1, count + 1)).astype(int)
    signs = (-1.0) ** np.arange(count + 1)
    solution = np.zeros(count + 1)
    for _ in range(60):
        solution = np.linalg.solve(np.column_stack([basis[reference], signs]), np.ones(count + 1))
        error = basis @ solution[:-1] - 1
        extrema = _alternating_extrema(error, count + 1)
        if np.abs(error).max() <= abs(solution[-1]) * (1 + 1e-9) + 1e-13:
            break
        reference = extrema
    coefficients = np.zeros(2 * count)
    coefficients[1::2] = solution[:-1]
    return tuple(coefficients), float(np.abs(basis @ solution[:-1] - 1).max())


def _alternating_extrema(error: Array, count: int) -> NDArray[np.intp]:
    """Return the places of the largest errors between sign changes, as many as there are unknowns."""
    changes = np.flatnonzero(np.signbit(error[1:]) != np.signbit(error[:-1])) + 1
    places = np.array([part[0] + np.abs(error[part]).argmax() for part in np.split(np.arange(len(error)), changes)])
    while len(places) > count:  # leave out the end with the smaller error
        places = places[1:] if abs(error[places[0]]) < abs(error[places[-1]]) else places[:-1]
    if len(places) < count:
        raise ArithmeticError("Remez: the error changes its sign too seldom")
    return places


@dataclass(frozen=True)
class _Composite:
    """Depths composed so far, and the gap that they leave."""

    depths: tuple[int, ...]
    gap: float


@lru_cache(maxsize=256)
def plan(gap: float, bound: float, error: float, levels: int, next_levels: int) -> SignPlan:
    """Compose a sign to a precision, in as few rounds as possible and with as few levels as that takes.

    Parameters
    ----------
    gap, bound : float
        Least and largest size of values.
    error : float
        Largest distance to ±1 that is allowed outside of the gap.
    levels, next_levels : int
        Levels for polynomials in the first round and in each later one.
    """
    rounds: list[tuple[Step, ...]] = []
    factor = max(1, int(1 / bound))
    high = max(1.0, bound)
    low, available = gap * factor / high, levels
    for _ in range(_MOST_ROUNDS):
        choice = _round(low, high, error, available)
        rounds.append(_steps(low, choice, high))
        last = _distance(low, choice)
        low, high, available = _after(last), 1.0, next_levels
        if 1 - low <= error:
            return SignPlan(tuple(rounds), factor, gap, bound, 1 - low)
    raise ParameterError(
        f"sign: gap {gap:.2g} and error {error:.2g} would take more than {_MOST_ROUNDS} sign bootstraps; take a larger "
        f"gap, or a key of fewer stages",
        option="gap",
        value=gap,
    )


def _round(low: float, high: float, error: float, available: int) -> tuple[int, ...]:
    """Choose a round's depths: the fewest levels that reach the error, or the best that the levels allow."""
    best = {0: _Composite((), low)}
    choice: tuple[int, ...] | None = None
    for total in range(min(DEPTHS), available + 1):
        options = []
        for depth in DEPTHS:
            before = best.get(total - depth)
            if before is None or (
                not before.depths and high > 1 and not (1 / high).is_integer() and depth > _POWER_DEPTH
            ):
                continue
            options.append(_Composite((*before.depths, depth), _narrowed(minimax(before.gap, depth)[1])))
        if not options:
            continue
        best[total] = max(options, key=lambda option: option.gap)
        choice = best[total].depths
        if 1 - _after(_distance(low, choice)) <= error:
            break
    if choice is None:
        raise ParameterError(
            f"sign: {available} levels are left for polynomials, and {min(DEPTHS)} are needed", option="level"
        )
    return choice


def _distance(low: float, depths: tuple[int, ...]) -> float:
    """Return the last polynomial's distance to 1."""
    distance = 0.0
    for depth in depths:
        distance = minimax(low, depth)[1]
        low = _narrowed(distance)
    return distance


def _narrowed(distance: float) -> float:
    """Return the gap that a polynomial leaves when its values are brought to [-1, 1]."""
    return (1 - distance - MARGIN) / (1 + distance + MARGIN)


def _last_factor(distance: float) -> float:
    return min(1.0, LARGEST_SINE_ARGUMENT / (1 + distance))


def _after(distance: float) -> float:
    """Return the gap after a sign bootstrap of values within a distance of ±1, or of their noise."""
    factor, far = _last_factor(distance), distance + NOISE
    return float(min(np.sin(np.pi / 2 * factor * (1 - far)), np.sin(np.pi / 2 * factor * (1 + far))))


def _steps(low: float, depths: tuple[int, ...], bound: float) -> tuple[Step, ...]:
    """Make a round's polynomials: each brings its values to [-1, 1], the last as near to ±1 as it can."""
    steps = []
    for index, depth in enumerate(depths):
        coefficients, distance = minimax(low, depth)
        factor = _last_factor(distance) if index == len(depths) - 1 else 1 / (1 + distance + MARGIN)
        steps.append(_step(np.array(coefficients) * factor, bound if index == 0 else 1.0))
        low = _narrowed(distance)
    return tuple(steps)


def _step(coefficients: Array, bound: float) -> Step:
    if bound == 1:
        return Step(coefficients, chebyshev=True)
    powers = chebyshev.cheb2poly(coefficients)
    return Step(powers * bound ** -np.arange(len(powers), dtype=float), chebyshev=False)
