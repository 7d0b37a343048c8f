"""Programs on ciphertexts: affine maps and polynomials, with all values brought to sizes up to about one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar, Final, NamedTuple

import numpy as np
from numpy.polynomial import chebyshev

from .. import _native
from ._network import Task, gathered
from ._ranges import InputRange
from ._weights import Array, Weights, changed, row_sums, split

WEIGHT_STEP: Final = 2.0**-20
"""Grid of weights that are multiplied as integers, where a ciphertext has one feature of many rows."""

SQUARE: Final = (0.5, 0.0, 0.5)
"""Chebyshev series of x²."""

MOST_GRID_INPUTS: Final = 1024
"""Inputs of a map that leave the rounding of its weights, 2^-21 each at most, below half of 2^-10: results of maps are
within 1/(1 + 2^-10) of inputs in range, and within ±1 with what they are off by."""


@dataclass(frozen=True, eq=False)
class Map:
    """The affine map ``weights @ x + bias``, of one level, whose results are within ±1 for inputs in range."""

    weights: Weights
    bias: Array
    input_bound: float
    """Largest size of an input."""
    place: str
    shape: tuple[int, ...] = ()
    """Shape of the results, channels first, where they are an image: for the choice of a layout, and in no file."""
    sources: tuple[int, ...] = ()
    """Numbers of the results that the weights' columns are for, one after the other: 0 is the input, and k what the
    k-th polynomial gives; the last one's, where it is left out."""

    levels: ClassVar[int] = 1

    @property
    def sum_bound(self) -> float:
        """Largest sum of sizes in a row: no partial sum is larger."""
        return float(row_sums(changed(self.weights, np.abs)).max()) * self.input_bound

    def __call__(self, x: Array) -> Array:
        return np.asarray(x @ self.weights.T + self.bias)


class Counts(NamedTuple):
    """Steps of a polynomial on operands at one level.

    Attributes
    ----------
    switches : int
        Relinearizations, each with a rescaling.
    products : int
        Products of ciphertexts, which may share a relinearization.
    multiples : int
        Products with numbers.
    rescalings : int
        Of sums of such products alone.
    """

    switches: int
    products: int
    multiples: int
    rescalings: int


@dataclass(frozen=True, eq=False)
class Polynomial:
    """A Chebyshev series of each number, for numbers within ±1.

    Attributes
    ----------
    coefficients : ndarray, shape (degree + 1,)
    bound : float
        Of its values.
    name : str
        Of the function that it stands for.
    interval : tuple of two floats
        Of the function's argument, which ±1 stand for; of units that are scaled each, the widest.
    max_error : float
        Of the function on the interval, in its own units.
    is_proven : bool
        Whether every input in range leads to arguments within the interval.
    """

    coefficients: Array
    bound: float
    name: str
    interval: tuple[float, float]
    max_error: float
    is_proven: bool
    place: str

    @property
    def degree(self) -> int:
        """Degree."""
        nonzero = np.flatnonzero(self.coefficients)
        return int(nonzero[-1]) if len(nonzero) else 0

    @property
    def is_square(self) -> bool:
        """Whether it is x², which is one product."""
        return tuple(self.coefficients) == SQUARE

    @cached_property
    def counts(self) -> list[Counts]:
        """Steps on operands at the argument's level, and at each level below it."""
        return [Counts(*counts) for counts in _native.polynomial_steps(self.coefficients.tolist())]

    @property
    def product_count(self) -> int:
        """Products of ciphertexts."""
        return sum(counts.products for counts in self.counts)

    @property
    def levels(self) -> int:
        """Levels consumed: 1 by x², and ceil(log2(degree + 1)) by others."""
        return 1 if self.is_square else self.degree.bit_length()

    def __call__(self, x: Array) -> Array:
        return np.asarray(chebyshev.chebval(x, self.coefficients), dtype=np.float64)


Step = Map | Polynomial


@dataclass(frozen=True, eq=False)
class Program:
    """A compiled model: what the client scales, the steps, and what results stand for.

    Attributes
    ----------
    input : InputRange
    steps : tuple of steps
    scale : float
        Scores are results times this.
    gives_probabilities : bool
        Whether scores are probabilities of the second class.
    task : Task
    name : str
        Of the model that it was compiled from.
    shape : tuple of int
        Of a row, channels first, where it is an image: for the choice of a layout, and in no file.
    """

    input: InputRange
    steps: tuple[Step, ...]
    scale: float
    gives_probabilities: bool
    task: Task
    name: str
    shape: tuple[int, ...] = ()

    @property
    def depths(self) -> list[tuple[int, int]]:
        """Levels that are consumed before and after each step, from the input on."""
        results, depth, found = [0], 0, []
        for step in self.steps:
            if isinstance(step, Map):
                depth = max(results[number] for number in step.sources or (-1,))
            found.append((depth, depth + step.levels))
            depth += step.levels
            if isinstance(step, Polynomial):
                results.append(depth)
        return found

    @property
    def levels(self) -> int:
        """Levels that a row consumes."""
        return max(after for _, after in self.depths)

    @property
    def maps(self) -> list[Map]:
        """The affine maps."""
        return [step for step in self.steps if isinstance(step, Map)]

    @property
    def polynomials(self) -> list[Polynomial]:
        """The polynomials."""
        return [step for step in self.steps if isinstance(step, Polynomial)]

    @property
    def feature_count(self) -> int:
        """Numbers in a row."""
        return len(self.input.center)

    @property
    def output_count(self) -> int:
        """Scores of a row."""
        return len(self.maps[-1].bias)

    @property
    def result_bound(self) -> float:
        """Largest size of a result."""
        last = self.steps[-1]
        return last.bound if isinstance(last, Polynomial) else 1.0

    @property
    def threshold(self) -> float:
        """Score above which a row is of the second of two classes."""
        return 0.5 if self.gives_probabilities else 0.0

    def numbers(self, step: Map) -> tuple[int, ...]:
        """Return the numbers of the results that a map takes."""
        if step.sources:
            return step.sources
        return (sum(isinstance(other, Polynomial) for other in self.steps[: self.steps.index(step)]),)

    def parts(self, step: Map) -> list[tuple[int, Weights]]:
        """Return the number of each result that a map takes, and its part of the weights, which is cut off once."""
        if step not in self._parts:
            numbers = self.numbers(step)
            sizes = [self.feature_count, *(len(other.bias) for other in self.maps)]
            weights = split(step.weights, [sizes[number] for number in numbers])
            self._parts[step] = list(zip(numbers, weights, strict=True))
        return self._parts[step]

    @cached_property
    def _parts(self) -> dict[Map, list[tuple[int, Weights]]]:
        return {}

    def values(
        self, scaled: Array, changed: Callable[[Array], Array] = np.asarray
    ) -> Iterator[tuple[Step, Array, Array]]:
        """Yield each step with its argument and its results, for scaled rows; results may be changed on the way."""
        results, x = [scaled], scaled
        for step in self.steps:
            argument = gathered(results, step.sources) if isinstance(step, Map) else x
            x = changed(step(argument))
            yield step, argument, x
            if isinstance(step, Polynomial):
                results.append(x)

    def scores(self, scaled: Array) -> Array:
        """Return the scores of scaled rows, of shape (rows, outputs), without noise."""
        *_, (_, _, results) = self.values(scaled)
        return results * self.scale

    def on_grid(self) -> Program:
        """Return the program with all weights on the grid of integers' products."""

        def rounded(step: Step) -> Step:
            if isinstance(step, Polynomial):
                return step
            return replace(step, weights=changed(step.weights, lambda w: np.rint(w / WEIGHT_STEP) * WEIGHT_STEP))

        return replace(self, steps=tuple(map(rounded, self.steps)))
