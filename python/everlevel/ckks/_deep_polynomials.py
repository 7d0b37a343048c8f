"""Polynomials that are deeper than a bootstrap's levels: the front of the crate everlevel-ckks, circuits/deep.

They are evaluated in pieces, which are bootstrapped and put together. That folder has the mathematics.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from .. import _native
from . import _auto, _bootstraps
from ._bootstrap_keys import chosen_of
from ._core import Core
from .ciphertext import Ciphertext
from .evaluation_key import EvaluationKey
from .keys import RelinearizationKey

Array = NDArray[np.float64]


@dataclass(frozen=True)
class DeepEvaluation:
    """Evaluator of polynomials in pieces: an engine's operation, and its keys.

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
        split = _native.split_polynomial(depth, x.level, self.level_out, imaginary == "noise")
        keys = self.key._native, chosen_of(engine, self.operation, x, self.evaluation_key)
        series = self.is_chebyshev, [p.tolist() for p in polynomials]
        with engine._reporting("polynomial", None) as report:
            natives, count = _native.deep_polynomials(engine._context, (x._native, imaginary), series, keys, report)
        engine._counters.add(count)
        inner, outer = split or (0, 0)
        if outer:
            _auto.logger.info(
                "%s: %d levels, of which a bootstrap gives %d: pieces of degree below %d, %d bootstrap(s) in %.2f s; "
                "%d so far",
                self.operation,
                depth,
                self.level_out,
                2**inner,
                count,
                perf_counter() - began,
                engine.bootstrap_count,
            )
        return engine._wrap_all(natives, is_real=x.is_real)


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
