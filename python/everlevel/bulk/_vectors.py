"""Vectors of digits, of which integers of many bits are made, and what their circuits do with such."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from .._common.shaped import Shape
from ._core import Core
from ._integers import combined, looked_up_each, ready, selected
from ._measured import TIMES
from ._operands import Operand
from ._sets import LEVEL
from .ciphertext import Ciphertext

Vector = int | Operand
"""A digit of every element: encrypted, or in the clear, and an integer where it is the same everywhere."""

Known = tuple[Vector, int, float]
"""A vector, the largest value that it is known to have, and its error."""


class Vectors:
    """Vectors of an operation: native circuits see the attributes of this object, and call its methods.

    Parameters
    ----------
    engine : Engine
    operation : str
        Name of the operation, in refusals.
    like : Ciphertext
        One of the operands' digits.
    """

    def __init__(self, engine: Core, operation: str, like: Ciphertext) -> None:
        self._engine = engine
        self._operation = operation
        self._like = like
        times = TIMES[engine._parameters]
        self.space_bits: int = engine.message_bits or 0
        self.unit_count = like._native.unit_count
        self.times = times.pair, times.single
        self.fresh_error, self.max_error = digit_errors(engine)
        self._bit: tuple[Vector, Ciphertext] | None = None
        """A bit that products choose by, and what it is at the level of fresh ones."""
        self.error_count = 0
        """Errors of what was computed so far."""

    @property
    def _shape(self) -> Shape:
        return self._like.shape

    def linear(self, terms: Sequence[tuple[int, Vector, int]], constant: int) -> Known:
        """Compute ``constant + factor₁·x₁ + …``, for vectors up to a value."""
        if any(isinstance(x, Ciphertext) for _, x, _ in terms):
            self.error_count += 1
            parts = [(factor, bounded(x, most)) for factor, x, most in terms]
            return known(combined(self._engine, self._operation, self._shape, parts, constant))
        return known(sum((factor * x for factor, x, _ in terms if not isinstance(x, Ciphertext)), constant))

    def look_up(self, jobs: Sequence[tuple[Vector, int, Sequence[Sequence[int]]]]) -> list[Known]:
        """Look vectors up in tables, whose outcomes follow one another, with an entry for each value there may be."""
        found: list[list[Known | None]] = []
        left: list[tuple[int, Ciphertext, list[int]]] = []
        for x, most, tables in jobs:
            if isinstance(x, Ciphertext):
                places = [place for place, table in enumerate(tables) if min(table) < max(table)]
                found.append([None if place in places else known(table[0]) for place, table in enumerate(tables)])
                if places:
                    left.append((len(found) - 1, _at_most(x, most), places))
            else:
                found.append([known(_entries(table, x)) for table in tables])
        # Two units share a bootstrap: those of one vector, or of two.
        step = 1 + self.unit_count % 2
        for first in range(0, len(left), step):
            part = left[first : first + step]
            tables_of = [[np.array(jobs[at][2][place], np.int64) for place in places] for at, _, places in part]
            inputs = [(x, tables) for (_, x, _), tables in zip(part, tables_of, strict=True)]
            for (at, _, places), results in zip(
                part, looked_up_each(self._engine, self._operation, inputs), strict=True
            ):
                self.error_count += len(places)
                for place, result in zip(places, results, strict=True):
                    found[at][place] = known(result)
        return [outcome for outcomes in found for outcome in outcomes if outcome is not None]

    def encrypted(self, x: Vector, most: int, _error: float) -> Ciphertext:
        """Return what circuits have found as a ciphertext."""
        return _at_most(encrypted(self._engine, x, self._like), most)

    def choose(self, bit: tuple[Vector, int], a: tuple[Vector, int], b: tuple[Vector, int]) -> Known:
        """Choose `a` where a bit is set and `b` elsewhere, of vectors up to a value, by a product."""
        # The product's, and those of look-ups before it.
        self.error_count += 4
        s, (x, y) = bounded(*bit), (bounded(*a), bounded(*b))
        if isinstance(s, Ciphertext):
            # One bit chooses between many digits, and is looked up once for all of them where it needs to be.
            if self._bit is None or self._bit[0] is not bit[0]:
                self._bit = bit[0], ready(self._engine, self._operation, s, s)
            s = self._bit[1]
        if isinstance(s, Ciphertext):
            return known(selected(self._engine, self._operation, s, x, y))
        if isinstance(s, int):
            return known(x if s else y)
        if isinstance(x, Ciphertext) or isinstance(y, Ciphertext):
            return known(selected(self._engine, self._operation, encrypted(self._engine, s, self._like), x, y))
        return known(np.where(s == 1, x, y))


def encrypted(engine: Core, x: Vector, like: Ciphertext) -> Ciphertext:
    """Return a vector as a ciphertext like another one, without an error where it is in the clear."""
    if isinstance(x, Ciphertext):
        return x
    found = combined(engine, "encrypt", like.shape, [(0, like), (1, np.asarray(x, np.int64))], 0)
    return Ciphertext(engine, found._native, like.shape, max_value=found.max_value, error=0.0, bootstrap_count=0)


def known(x: Vector) -> Known:
    """Return a vector as circuits see it."""
    if isinstance(x, Ciphertext):
        return x, x.max_value, x._error
    if not isinstance(x, int) and x.size and bool((x == x.flat[0]).all()):
        x = int(x.flat[0])
    return x, int(np.max(x)), 0.0


def bounded(x: Vector, most: int) -> Operand:
    """Return a vector which is known not to be larger."""
    return _at_most(x, most) if isinstance(x, Ciphertext) else np.asarray(x, np.int64)


def _at_most(x: Ciphertext, most: int) -> Ciphertext:
    if x.max_value <= most:
        return x
    return Ciphertext(x._engine, x._native, x.shape, max_value=most, error=x._error, bootstrap_count=x._bootstrap_count)


def _entries(table: Sequence[int], x: int | NDArray[np.int64]) -> Vector:
    return table[x] if isinstance(x, int) else np.asarray(table, np.int64)[x]


_WORSE: Final = 2.0
"""Factor by which an input's error may enlarge a digit's."""


def digit_errors(engine: Core) -> tuple[float, float]:
    """Return the error of a fresh digit, and that of inputs after which digits are little worse."""
    found = engine._digit_errors
    if found is None:
        context, space = engine._context.ckks, engine._context.set.space
        # The worst table of digits.
        table = [(2**engine._digit_bits - 1) * (m % 2) for m in range(space)]
        encrypted, _ = context.integer_errors(space, LEVEL, True)
        # Inputs of half the space's values may be beside them.
        fresh = context.error_after(space, LEVEL, table, (encrypted, 2 * encrypted))
        low, high = 0.0, context.integer_errors(space, LEVEL, False)[1]
        for _ in range(20):
            middle = (low + high) / 2
            is_good = context.error_after(space, LEVEL, table, (middle, 2 * middle)) <= _WORSE * fresh
            low, high = (middle, high) if is_good else (low, middle)
        found = engine._digit_errors = fresh, low
    return found
