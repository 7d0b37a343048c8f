"""A program on ciphertexts, group by group, by the engine's public operations."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from .._common.locks import Lock
from ..ckks import Ciphertext, Engine, EvaluationKey, LightPlainMatrix, PlainMatrix, Plaintext
from ..ckks._slots import twice_parts
from ..errors import MissingKeyError
from ._layout import MOST_UNITS, Layout, Placement
from ._moves import diagonals, folds, merges
from ._program import WEIGHT_STEP, Map, Polynomial, Program
from ._weights import Array, Weights, dense, terms

Report = Callable[[int], None]
"""Told of every step."""


class Encoded(NamedTuple):
    """Encoded part of a map's weights, for the results of a number, and rotations of its sums to the right, in slots.

    Each merge makes one unit of two, and then each fold adds a rotated unit to itself.
    """

    number: int
    weights: PlainMatrix | LightPlainMatrix | Plaintext | dict[int, Array]
    merges: tuple[int, ...]
    folds: tuple[int, ...]


class Runner:
    """A program's encoded weights, which are made at the first use and kept, and the steps of its groups."""

    def __init__(self, engine: Engine, program: Program, layout: Layout) -> None:
        self._engine = engine
        self._program = program
        self._layout = layout
        self._lock = Lock()
        self._maps: dict[Map, tuple[list[Encoded], Plaintext]] = {}
        # The last step that takes the results of a number.
        self._last = {
            number: at
            for at, step in enumerate(program.steps)
            if isinstance(step, Map)
            for number in program.numbers(step)
        }

    def __call__(self, x: Ciphertext, keys: EvaluationKey | None, report: Report) -> Ciphertext:
        """Return the results of a ciphertext of whole groups of units."""
        is_of_rows = self._layout.kind == "rows"
        units, size = x.units(), self._layout.units_in
        if is_of_rows:
            size *= max(MOST_UNITS // size, 1)
        results: list[Ciphertext] = []
        for start in range(0, len(units), size):
            some = units[start : start + size]
            if is_of_rows:
                results.append(self._of_rows(self._engine.vstack(some), keys, report))
            else:
                results += self._of_features(some, keys, report)
        return self._engine.vstack(results)

    @property
    def step_count(self) -> int:
        """Steps that each group reports."""
        return len(self._program.steps)

    @property
    def _size(self) -> float:
        """Largest size of a slot whose parts are within ±1."""
        return math.sqrt(self._layout.parts)

    def _of_rows(self, x: Ciphertext, keys: EvaluationKey | None, report: Report) -> Ciphertext:
        """Return the results of some groups' units, for which keys are read, and light diagonals are made, once."""
        results, count, levels = {0: x}, 0, dict(self._layout.schedule.bootstraps)
        groups = x.unit_count // self._layout.units_in
        for at, step in enumerate(self._program.steps):
            if at in levels:
                # It is the one ciphertext that is held.
                if isinstance(step, Map):
                    ((number, x),) = results.items()
                    x = results[number] = self._bootstrap(x, levels[at], keys)
                else:
                    x = self._bootstrap(x, levels[at], keys)
            if isinstance(step, Map):
                x = self._map(step, results, keys)
                results = {number: result for number, result in results.items() if self._last.get(number, 0) > at}
            else:
                count, x = count + 1, self._polynomial(step, x, keys)
                results[count] = x
            report(groups)
        return x

    def _bootstrap(self, x: Ciphertext, level: int, keys: EvaluationKey | None) -> Ciphertext:
        y = self._engine.bootstrap(x, _needed(keys), level=level, progress=False)
        return self._engine.assume_bound(y, x.bound)

    def _map(self, step: Map, results: dict[int, Ciphertext], keys: EvaluationKey | None) -> Ciphertext:
        engine, bound = self._engine, step.sum_bound * self._size
        parts, bias = self._encoded(step)
        level = bias.level + 1
        total: Ciphertext | None = None
        for number, weights, to_merge, to_fold in parts:
            if isinstance(weights, Plaintext):
                y = self._each(engine.multiply, results[number], weights)
            else:
                x = results[number]
                if isinstance(weights, dict) and x.level > level:
                    x = engine.level_down(x, level)
                y = engine.multiply_matrix(weights, x, _needed(keys))
            for merge in to_merge:
                units = y.units()
                turned = engine.rotate(engine.vstack(units[1::2]), _needed(keys), merge)
                # One of both is 0 in each slot.
                y = engine.assume_bound(engine.vstack(units[::2]) + turned, bound)
            for fold in to_fold:
                # No partial sum of a row's products is larger than the sum of their sizes.
                y = engine.assume_bound(y + engine.rotate(y, _needed(keys), -fold), bound)
            total = y if total is None else engine.assume_bound(total + y, bound)
        assert total is not None
        return engine.assume_bound(self._each(engine.add, total, bias), self._size)

    def _each(self, operation: Callable[..., Ciphertext], x: Ciphertext, plain: Plaintext) -> Ciphertext:
        """Return an operation of each group's unit with a plaintext."""
        return self._engine.vstack([operation(unit, plain) for unit in x.units()])

    def _encoded(self, step: Map) -> tuple[list[Encoded], Plaintext]:
        engine, layout, program = self._engine, self._layout, self._program
        with self._lock:
            if step not in self._maps:
                level, _ = layout.schedule.levels(program)[program.steps.index(step)]
                index = program.maps.index(step)
                after, kind = layout.placements[1 + index], layout.kinds[index]
                factor = self._factor(step)
                parts = [self._part(number, part, factor, after, level, kind) for number, part in program.parts(step)]
                added = factor * layout.repeated(step.bias, after) * (1 + 1j if layout.parts == 2 else 1)
                bias = engine.encode(added, level - 1, bound=float(np.abs(added).max()))
                if kind == "anew":
                    return parts, bias
                self._maps[step] = parts, bias
            return self._maps[step]

    def _factor(self, step: Map) -> float:
        """Return what weights are multiplied by: twice the parts of a polynomial's argument are what it is given."""
        return 0.5 if self._layout.parts == 2 and step is not self._program.steps[-1] else 1.0

    def _part(self, number: int, part: Weights, factor: float, after: Placement, level: int, kind: str) -> Encoded:
        engine, layout = self._engine, self._layout
        before = layout.placements[number]
        lanes, found = before.lanes, diagonals(terms(part), before, after)
        entries = {place * lanes: layout.filled(factor * term, lanes) for place, term in found.items()}
        weights: PlainMatrix | LightPlainMatrix | Plaintext | dict[int, Array] = entries
        if entries.keys() == {0}:
            weights = engine.encode(entries[0], level, bound=float(np.abs(entries[0]).max()))
        elif kind == "packed":
            weights = engine.encode_to_plain_matrix(entries, level)
        elif kind == "light":
            weights = engine.encode_to_light_plain_matrix(entries, level)
        own = (tuple(lanes * amount for amount in amounts(before, after)) for amounts in (merges, folds))
        return Encoded(number, weights, *own)

    def _of_features(self, units: list[Ciphertext], keys: EvaluationKey | None, report: Report) -> list[Ciphertext]:
        results = [units]
        for step in self._program.steps:
            if isinstance(step, Map):
                integers = np.rint(dense(step.weights) / WEIGHT_STEP)
                taken = [unit for number in step.sources or (-1,) for unit in results[number]]
                units = [self._sum(taken, row, offset, step) for row, offset in zip(integers, step.bias, strict=True)]
            else:
                units = self._polynomial(step, self._engine.vstack(units), keys).units()
                results.append(units)
            report(1)
        return units

    def _sum(self, units: list[Ciphertext], integers: Array, offset: float, step: Map) -> Ciphertext:
        """Return a weighted sum of units: weights are integers, which take no level, times one number."""
        engine = self._engine
        total = engine.multiply(units[0], int(integers[0]))
        for unit, weight in zip(units[1:], integers[1:], strict=True):
            if weight:
                total = engine.add(total, engine.multiply(unit, int(weight)))
        return engine.assume_bound(engine.add(engine.multiply(total, WEIGHT_STEP), float(offset)), 1.0)

    def _polynomial(self, step: Polynomial, x: Ciphertext, keys: EvaluationKey | None) -> Ciphertext:
        """Return a polynomial of each number; of both parts of slots apart, which come twice as large as in slots."""
        engine = self._engine
        if self._layout.parts == 1:
            return self._real_polynomial(step, x, keys)
        parts = [engine.assume_bound(part, 1.0) for part in twice_parts(engine, x, _needed(keys))]
        units = self._real_polynomial(step, engine.vstack(parts), keys).units()
        real, imaginary = (engine.vstack(part) for part in (units[: len(units) // 2], units[len(units) // 2 :]))
        return engine.assume_bound(engine.add(real, engine.multiply(imaginary, 1j)), step.bound * self._size)

    def _real_polynomial(self, step: Polynomial, x: Ciphertext, keys: EvaluationKey | None) -> Ciphertext:
        engine = self._engine
        if step.is_square:
            y = engine.square(x, _needed(keys))
        else:
            y = engine.evaluate_chebyshev_polynomial(x, step.coefficients, _needed(keys))
        return engine.assume_bound(y, step.bound)


def _needed(keys: EvaluationKey | None) -> EvaluationKey:
    if keys is None:
        raise MissingKeyError(
            "model: the server has no evaluation key, and the model's plan takes one; use what model.keys() made",
            key="evaluation key",
        )
    return keys
