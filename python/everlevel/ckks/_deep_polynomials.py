"""Polynomials that are deeper than a bootstrap's levels: evaluated in pieces, which are bootstrapped and put together.

A polynomial of degree below 2^(inner + outer) is 2^outer pieces of degree below m = 2^inner. Halving it from the top,
p = q·B_k + r with k = 2^j for B_k = x^k or T_k(x), gives pieces in an order in which neighbours belong together. So
with all pieces and B_m bootstrapped, outer levels put them together: c_i ← c_2i + c_(2i+1)·B_m, then the same with
B_2m = B_m² or 2·B_m² - 1, and so on. (It is the division that a polynomial of fewer levels goes by, see Paterson,
Stockmeyer, "On the number of nonscalar multiplications necessary to evaluate polynomials", SIAM J. Comput. 2, 1973.)

What is bootstrapped is of size up to 1: B_m by itself, where x is, and the pieces since they are divided by a power of
two, which the result is multiplied with again. So are the errors.

Two real ciphertexts are bootstrapped as one, whose imaginary parts go into each other. What noise a real x has there
comes out of B_m amplified m times and more, and so a real x is made real first: by the merged bootstrap that it needs
anyway, or as (x + conjugate(x))/2, for a level. What noise comes in after that is taken away from the pieces, which are
halves for that purpose. Its real noise does no harm: all pieces are of one x, right or not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any, Final, Literal, cast

import numpy as np
from numpy.polynomial import chebyshev
from numpy.typing import NDArray

from ..errors import LevelError
from . import _arithmetic, _auto, _bootstraps, _slots
from ._core import Core
from .ciphertext import Ciphertext
from .evaluation_key import EvaluationKey
from .keys import RelinearizationKey

Array = NDArray[np.float64]

_OVERSAMPLING: Final = 4
"""Chebyshev points for each coefficient, where a polynomial's size is looked for."""
_BETWEEN_POINTS: Final = 1 / np.cos(np.pi / (2 * _OVERSAMPLING))
"""By at most this it is larger between them (Ehlich, Zeller, Math. Z. 86, 1964)."""


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
    choices: tuple[tuple[int, Literal["nothing", "conjugation", "bootstrap"]], ...] = (
        (level - 1, "conjugation") if makes_real else (level, "nothing"),
        (level_out, "bootstrap"),
    )
    splits = [
        Split(min(levels, depth), max(0, depth - levels), first)
        for levels, first in choices
        if levels >= 1 and depth - levels <= level_out
    ]
    return min(splits, key=lambda split: split.bootstrapped, default=None)


def pieces(coefficients: Array, split: Split, *, is_chebyshev: bool) -> list[Array]:
    """Take a polynomial apart: 2^outer pieces of 2^inner coefficients, neighbours together."""
    parts = [np.pad(coefficients, (0, 2 ** (split.inner + split.outer) - len(coefficients)))]
    for _ in range(split.outer):
        parts = [half for part in parts for half in _halves(part, is_chebyshev)]
    return parts


def _halves(p: Array, is_chebyshev: bool) -> tuple[Array, Array]:
    """Return r and q of p = q·B_k + r, for a polynomial of 2k coefficients."""
    k = len(p) // 2
    remainder, quotient = p[:k].copy(), p[k:].copy()
    if is_chebyshev:
        # T_j = 2·T_k·T_(j-k) - T_(2k-j) for k < j < 2k.
        quotient[1:] *= 2
        remainder[1:] -= p[:k:-1]
    return remainder, quotient


def size_bound(piece: Array, *, is_chebyshev: bool) -> float:
    """Bound a polynomial's values: in [-1, 1] for a Chebyshev series, within the unit circle for powers."""
    total = float(np.abs(piece).sum())
    if not is_chebyshev or total <= 1:
        return total
    count = _OVERSAMPLING * len(piece)
    points = np.cos(np.pi * (np.arange(count) + 0.5) / count)
    return min(total, float(_BETWEEN_POINTS * np.abs(chebyshev.chebval(points, piece)).max()))


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
        began, before = perf_counter(), self.engine.bootstrap_count
        depth = max(degree_of(p).bit_length() for p in polynomials)
        split = plan(depth, x.level, self.level_out, makes_real=x.is_real and not is_exactly_real)
        if split is None:
            raise self._too_deep(depth, x.level)
        if split.first == "bootstrap":
            x = refreshed(self.engine, x, self.evaluation_key)
        elif split.first == "conjugation":
            x = self._with_conjugate(0.5 * x)
        if split.outer == 0:
            return evaluate_all(self.engine, x, polynomials, self.is_chebyshev, self.key)
        parts = [pieces(p, split, is_chebyshev=self.is_chebyshev) for p in polynomials]
        factors = [
            power_of_two_above(max(size_bound(c, is_chebyshev=self.is_chebyshev) for c in part)) for part in parts
        ]
        scaled = [c / factor for part, factor in zip(parts, factors, strict=True) for c in part]
        terms, giant = self._put_together(split, *self._fresh(x, scaled, split.inner))
        engine = self.engine
        _auto.logger.info(
            "%s: %d levels, of which a bootstrap gives %d: pieces of degree below %d, %d bootstrap(s) in %.2f s; "
            "%d so far",
            self.operation,
            depth,
            self.level_out,
            2**split.inner,
            engine.bootstrap_count - before,
            perf_counter() - began,
            engine.bootstrap_count,
        )
        return [
            factor * (term if isinstance(term, Ciphertext) else giant * 0 + term)
            for term, factor in zip(terms, factors, strict=True)
        ]

    def _too_deep(self, depth: int, level: int) -> LevelError:
        most = self.level_out + max(level, self.level_out)
        # Without the level that it needs: no bootstrap leads there.
        return LevelError(
            f"{self.operation}: the polynomial takes {depth} levels, and in pieces {most} are there, as a bootstrap "
            f"ends at level {self.level_out}; take a degree below 2^{most}, or an engine of more levels",
            level=level,
            max_level=most,
        )

    def _fresh(self, x: Ciphertext, scaled: list[Array], inner: int) -> tuple[list[Ciphertext | float], Ciphertext]:
        """Evaluate and bootstrap the pieces, but for constants, and B_m."""
        half = 0.5 if x.is_real else 1.0
        varied = [c * half for c in scaled if degree_of(c)]
        low = evaluate_all(self.engine, x, varied, self.is_chebyshev, self.key)
        native = self.engine._context.basis_element(x._native, self.is_chebyshev, 1 << (inner - 1), self.key._native)
        giant = self.engine._wrap(native, is_real=x.is_real)
        if x.is_real:
            low = [self._with_conjugate(piece) for piece in low]
        if x.is_real and self.is_chebyshev:
            giant = self._with_conjugate(_arithmetic.square(self.engine, giant, self.key) - 0.5)
        else:
            giant = self._doubled(giant)
        giant, *fresh = _auto.bootstrapped(cast(Any, self.engine), [giant, *low], self.evaluation_key)
        remaining = iter(fresh)
        return [next(remaining) if degree_of(c) else float(c[0]) for c in scaled], giant

    def _put_together(
        self, split: Split, terms: list[Ciphertext | float], giant: Ciphertext
    ) -> tuple[list[Ciphertext | float], Ciphertext]:
        for step in range(split.outer):
            if step:
                giant = self._doubled(giant)
            neighbours = zip(terms[::2], terms[1::2], strict=True)
            terms = [self._combined(remainder, quotient, giant) for remainder, quotient in neighbours]
        return terms, giant

    def _combined(
        self, remainder: Ciphertext | float, quotient: Ciphertext | float, giant: Ciphertext
    ) -> Ciphertext | float:
        """q·B + r."""
        if isinstance(quotient, Ciphertext):
            return _arithmetic.multiply(self.engine, quotient, giant, self.key) + remainder
        return quotient * giant + remainder if quotient else remainder

    def _doubled(self, b: Ciphertext) -> Ciphertext:
        """B_2k of B_k."""
        square = _arithmetic.square(self.engine, b, self.key)
        return 2 * square - 1 if self.is_chebyshev else square

    def _with_conjugate(self, half: Ciphertext) -> Ciphertext:
        """Double the real part, and take the imaginary part away."""
        key = self.evaluation_key
        return half + (half.conjugate() if key is None else _slots.conjugate(self.engine, half, key))


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
    return int(2 ** max(0, int(np.ceil(np.log2(max(size, 1.0))))))
