"""Polynomials that are deeper than a bootstrap's levels: the front of the crate everlevel-ckks, circuits/deep.

They are evaluated in pieces, which are bootstrapped and put together. That folder has the mathematics.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Literal, cast

import numpy as np
from numpy.typing import NDArray

from .. import _native
from ..errors import LevelError
from . import _auto, _bootstraps
from ._bootstrap_keys import chosen_of
from ._core import Core
from .ciphertext import Ciphertext
from .evaluation_key import EvaluationKey
from .keys import RelinearizationKey

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Split:
    """How a polynomial of `inner` + `outer` levels is taken apart."""

    inner: int
    outer: int
    first: Literal["nothing", "conjugation", "bootstrap"]

    @property
    def bootstrapped(self) -> int:
        """Ciphertexts bootstrapped, for a polynomial without zeros: the pieces, B_m, and x if it is too low."""
        return ((1 << self.outer) + 1 if self.outer else 0) + (self.first == "bootstrap")


def plan(depth: int, level: int, level_out: int, *, makes_real: bool) -> Split | None:
    """Choose the split of the fewest bootstraps, or None if the levels don't suffice for any.

    Parameters
    ----------
    depth : int
        Levels of the polynomial.
    level : int
        Of x.
    level_out : int
        To which a bootstrap leads.
    makes_real : bool
        Whether x may have an imaginary part that is to go.
    """
    found = _native.split_polynomial(depth, level, level_out, makes_real)
    if found is None:
        return None
    inner, outer, first = found
    return Split(inner, outer, cast(Literal["nothing", "conjugation", "bootstrap"], first))


def pieces(coefficients: Array, split: Split, *, is_chebyshev: bool) -> list[Array]:
    """Take a polynomial apart: 2^outer pieces of 2^inner coefficients, neighbours together."""
    parts = _native.polynomial_pieces(coefficients.tolist(), split.inner, split.outer, is_chebyshev)
    return [np.array(part) for part in parts]


def size_bound(piece: Array, *, is_chebyshev: bool) -> float:
    """Bound a polynomial's values: in [-1, 1] for a Chebyshev series, within the unit circle for powers."""
    return _native.polynomial_size(piece.tolist(), is_chebyshev)


@dataclass(frozen=True)
class DeepEvaluation:
    """What evaluates polynomials in pieces: an engine's operation, and its keys.

    Attributes
    ----------
    operation : str
        For errors and the log.
    level_out : int
        To which a bootstrap leads.
    evaluation_key : EvaluationKey or None
        With the keys of bootstraps; those that the engine uses, if there is none.
    """

    engine: Core
    operation: str
    level_out: int
    is_chebyshev: bool
    key: RelinearizationKey
    evaluation_key: EvaluationKey | None

    def __call__(self, x: Ciphertext, polynomials: Sequence[Array], *, is_exactly_real: bool) -> list[Ciphertext]:
        """Evaluate real polynomials of x, of which one at least is deeper than `level_out`.

        Parameters
        ----------
        is_exactly_real : bool
            Whether x, if it is real, is free of noise in its imaginary part.

        Raises
        ------
        LevelError
            If even pieces of all levels are too many for the levels of a bootstrap.
        """
        engine, began = self.engine, perf_counter()
        depth = max(degree_of(p).bit_length() for p in polynomials)
        imaginary = "message" if not x.is_real else "zero" if is_exactly_real else "noise"
        split = plan(depth, x.level, self.level_out, makes_real=imaginary == "noise")
        if split is None:
            raise self._too_deep(depth, x.level)
        keys = self.key._native, chosen_of(engine, self.operation, x, self.evaluation_key)
        series = self.is_chebyshev, [p.tolist() for p in polynomials]
        with engine._reporting("polynomial", None) as report:
            natives, count = _native.deep_polynomials(engine._context, (x._native, imaginary), series, keys, report)
        engine._counters.add(count)
        if split.outer:
            _auto.logger.info(
                "%s: %d levels, of which a bootstrap gives %d: pieces of degree below %d, %d bootstrap(s) in %.2f s; "
                "%d so far",
                self.operation,
                depth,
                self.level_out,
                2**split.inner,
                count,
                perf_counter() - began,
                engine.bootstrap_count,
            )
        return engine._wrap_all(natives, is_real=x.is_real)

    def _too_deep(self, depth: int, level: int) -> LevelError:
        most = self.level_out + max(level, self.level_out)
        # Without the level that it needs: no bootstrap leads there.
        return LevelError(
            f"{self.operation}: the polynomial takes {depth} levels, and in pieces {most} are there, as a bootstrap "
            f"ends at level {self.level_out}; take a degree below 2^{most}, or an engine of more levels",
            level=level,
            max_level=most,
        )


def evaluate_all(
    engine: Core, x: Ciphertext, polynomials: Sequence[Array], chebyshev: bool, key: RelinearizationKey
) -> list[Ciphertext]:
    """Evaluate polynomials of one ciphertext, which share its powers."""
    lists = [p.tolist() for p in polynomials]
    natives = engine._context.evaluate_polynomials(x._native, chebyshev, lists, key._native)
    return engine._wrap_all(natives, is_real=x.is_real)


def refreshed(engine: Core, x: Ciphertext, evaluation_key: EvaluationKey | None) -> Ciphertext:
    """Bootstrap x; a real one to what has no imaginary part."""
    if x.is_real:
        return _bootstraps.merge_bootstrap(engine, x, x, evaluation_key)[0]
    return _bootstraps.bootstrap(engine, x, evaluation_key)


def degree_of(coefficients: Array) -> int:
    """Return the place of the last coefficient that isn't zero, or 0."""
    nonzero = np.flatnonzero(coefficients)
    return int(nonzero[-1]) if len(nonzero) else 0


def power_of_two_above(size: float) -> int:
    """Return the least power of two, from 1 up, that a size divided by is at most 1."""
    return int(_native.power_of_two_above(size))
