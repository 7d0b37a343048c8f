"""Powers, polynomials and weighted sums."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, cast

import numpy as np
from numpy.typing import ArrayLike

from .._common import callers, checks
from ..errors import MessageError, RangeError, RangeWarning
from . import _auto, _checks, _operands
from ._arithmetic import order
from ._auto import deepened
from ._core import Core
from ._deep_polynomials import DeepEvaluation, degree_of, evaluate_all, refreshed
from ._fit import ChebyshevFit
from ._numpy import NUMPY
from ._shaping import slotwise, unpadded
from .ciphertext import Ciphertext
from .evaluation_key import EvaluationKey
from .keys import RelinearizationKey
from .plaintext import LightPlaintext, Plaintext

_LARGEST_POWER: Final = 2**16
_ENCODED: Final = (Plaintext, LightPlaintext)


@slotwise()
@deepened
def make_power_basis(
    self: Core,
    ciphertext: Ciphertext,
    max_power: int,
    relinearization_key: RelinearizationKey | EvaluationKey | None = None,
) -> list[Ciphertext]:
    """Compute x, x², …, x^max_power, with the engine's relinearization key, if none is given.

    Returns
    -------
    list of Ciphertext
        Of length `max_power`; the power k is at index k-1. Levels consumed by it: ceil(log2(k)).

    Examples
    --------
    >>> x = engine.encrypt([0.5, 2.0], public_key, bound=2)
    >>> cube = engine.make_power_basis(x, 3, relinearization_key)[2]
    >>> engine.decrypt(cube, secret_key)[:2].round(3)
    array([0.125, 8.   ])
    """
    x, power, key = _basis(self, "make_power_basis", ciphertext, max_power, relinearization_key)
    return self._wrap_all(self._context.basis(x._native, False, power, key._native), is_real=x.is_real)


@slotwise(keeps_zeros=False)
@deepened
def make_chebyshev_basis(
    self: Core,
    ciphertext: Ciphertext,
    max_power: int,
    relinearization_key: RelinearizationKey | EvaluationKey | None = None,
) -> list[Ciphertext]:
    """Compute the Chebyshev polynomials T_1(x), …, T_max_power(x), for x in [-1, 1]. Keys are as in `make_power_basis`.

    Returns
    -------
    list of Ciphertext
        Of length `max_power`; T_k is at index k-1. Levels consumed by it: ceil(log2(k)).

    Examples
    --------
    >>> x = engine.encrypt([0.5, -1.0], public_key, bound=1)
    >>> second = engine.make_chebyshev_basis(x, 2)[1]  # 2x² - 1
    >>> engine.decrypt(second, secret_key).round(3)
    array([-0.5,  1. ])
    """
    x, power, key = _basis(self, "make_chebyshev_basis", ciphertext, max_power, relinearization_key)
    return self._wrap_all(self._context.basis(x._native, True, power, key._native), is_real=x.is_real)


@slotwise(needs_zeros=True)
@deepened
def evaluate_polynomial(
    self: Core,
    ciphertext: Ciphertext,
    coefficients: ArrayLike | ChebyshevFit,
    relinearization_key: RelinearizationKey | EvaluationKey | None = None,
    *,
    bootstrap_key: EvaluationKey | None = None,
) -> Ciphertext:
    """Evaluate Σ c_k x^k.

    Beyond a degree of about 10 the powers' sizes differ so much that precision suffers: use
    `evaluate_chebyshev_polynomial`.

    Parameters
    ----------
    ciphertext : Ciphertext
        x.
    coefficients : array_like of real or complex numbers, shape (degree + 1,), or ChebyshevFit
        c_0, c_1, …: the constant term first. What `everlevel.fit` made is evaluated as it was fitted.
    relinearization_key : RelinearizationKey or EvaluationKey, optional
        For the products; the one that the engine uses, if left out.
    bootstrap_key : EvaluationKey, optional
        Bootstrap x where it has too few levels. A polynomial deeper than a bootstrap's levels is evaluated in
        pieces, which are bootstrapped too; then |x| must be at most 1. An engine with `auto_bootstrap` does so by
        itself.

    Returns
    -------
    Ciphertext
        Levels consumed: ceil(log2(degree + 1)), and none for a constant. Of a polynomial in pieces, the result is
        at the level after a bootstrap less one for each halving of the polynomial.

    Raises
    ------
    LevelError
        If the ciphertext has too few levels left; if the polynomial takes more than two bootstraps' levels.

    Examples
    --------
    >>> x = engine.encrypt([0.5, 2.0], public_key, bound=2)
    >>> engine.decrypt(engine.evaluate_polynomial(x, [1.0, 0.0, 3.0], relinearization_key), secret_key)[:2].round(3)
    array([ 1.75, 13.  ])
    """
    return _evaluate(self, "evaluate_polynomial", False, ciphertext, coefficients, relinearization_key, bootstrap_key)


@NUMPY.implements(np.polyval)
def _polyval(p: Any, x: Any) -> Ciphertext:
    """Evaluate a polynomial in the clear, whose constant term is the last."""
    if not isinstance(x, Ciphertext):
        needed = "a ciphertext is needed, and coefficients in the clear before it; swap them"
        raise checks.wrong_type("polyval", "x", x, "Ciphertext", needed)
    coefficients = _checks.numbers("polyval", p)
    return cast(Any, x._engine).evaluate_polynomial(x, coefficients[::-1])  # type: ignore[no-any-return]


@slotwise(needs_zeros=True)
@deepened
def evaluate_chebyshev_polynomial(
    self: Core,
    ciphertext: Ciphertext,
    coefficients: ArrayLike | ChebyshevFit,
    relinearization_key: RelinearizationKey | EvaluationKey | None = None,
    *,
    bootstrap_key: EvaluationKey | None = None,
) -> Ciphertext:
    """Evaluate Σ c_k T_k(x), for x in [-1, 1].

    `everlevel.fit` gives the coefficients of a function, on any interval.

    Parameters
    ----------
    ciphertext, coefficients, relinearization_key, bootstrap_key
        As in `evaluate_polynomial`.

    Returns
    -------
    Ciphertext
        As in `evaluate_polynomial`.

    Examples
    --------
    >>> x = engine.encrypt([0.5, -1.0], public_key)
    >>> series = np.polynomial.chebyshev.chebinterpolate(np.exp, 7)
    >>> y = engine.evaluate_chebyshev_polynomial(x, series, relinearization_key)
    >>> bool(np.allclose(engine.decrypt(y, secret_key)[:2], np.exp([0.5, -1.0]), atol=1e-3))
    True
    """
    operation = "evaluate_chebyshev_polynomial"
    return _evaluate(self, operation, True, ciphertext, coefficients, relinearization_key, bootstrap_key)


@deepened
def weighted_sum(
    self: Core, ciphertexts: Sequence[Ciphertext], weights: ArrayLike | Sequence[complex | Plaintext | LightPlaintext]
) -> Ciphertext:
    """Compute Σ w_k a_k. Levels consumed: 0 by terms whose weights are integers, else 1.

    Products that take a level are added up before they are rescaled: a term takes a part of a product's time, and all
    of them have one rounding. Where shapes differ, terms are multiplied and added up one by one, by ``*`` and ``+``.

    Parameters
    ----------
    ciphertexts : sequence of Ciphertext
        At least one.
    weights : array_like of numbers, or sequence of numbers, Plaintext and LightPlaintext
        As many: a number for all slots, or a plaintext with a number for each.

    Raises
    ------
    MessageError
        If there are more of one than of the other.
    LevelError
        If a level is needed and none is left: bootstrap first.
    EngineMismatchError, KeyMismatchError, UnitCountError
        If operands don't belong together.

    Examples
    --------
    >>> a, b = engine.encrypt([1.0], public_key), engine.encrypt([2.0], public_key, bound=2)
    >>> engine.decrypt(engine.weighted_sum([a, b], [10, 1]), secret_key)[:1].round(3)
    array([12.])
    >>> engine.decrypt(engine.weighted_sum([a, b], [0.5, engine.encode([0.25])]), secret_key)[:1].round(3)
    array([1.])
    """
    operation = "weighted_sum"
    terms = [_operands.ciphertext(operation, one) for one in _operands.several(operation, ciphertexts)]
    factors: list[Any]
    if isinstance(weights, (list, tuple)) and any(isinstance(weight, _ENCODED) for weight in weights):
        factors = [w if isinstance(w, _ENCODED) else _checks.scalar(operation, w) for w in weights]
    else:
        factors = list(_checks.coefficients(operation, weights)[0])
    if len(factors) != len(terms):
        raise MessageError(
            f"{operation}: there are {len(terms)} ciphertexts and {len(factors)} weights; "
            f"give as many of one as of the other",
            length=len(factors),
        )
    pairs = list(zip(terms, factors, strict=True))
    rounded = [(term, factor) for term, factor in pairs if not _is_integer(factor)]
    layout = terms[0]._layout
    if any(one._layout != layout for one in (*terms, *factors) if isinstance(one, (Ciphertext, *_ENCODED))):
        rounded = []
    products = [term * factor for term, factor in pairs if not rounded or _is_integer(factor)]
    if rounded:
        products.append(_rounded_sum(self, operation, rounded)._with(layout))
    return cast(Ciphertext, sum(products[1:], start=products[0]))


def _is_integer(factor: Any) -> bool:
    """Whether a weight is a number of integer parts, which takes no level."""
    return not isinstance(factor, _ENCODED) and factor.real.is_integer() and factor.imag.is_integer()


def _rounded_sum(self: Core, operation: str, pairs: list[tuple[Ciphertext, Any]]) -> Ciphertext:
    """Return a weighted sum of terms that are rescaled together."""
    lowest, is_real, natives = min((term for term, _ in pairs), key=lambda term: term.level), True, []
    for term, factor in pairs:
        _, weight = order(self, operation, lowest, factor)
        is_plain = isinstance(weight, Plaintext)
        is_real &= term.is_real and (weight.is_real if is_plain else weight.imag == 0)
        natives.append(weight._native if is_plain else weight)
    return self._wrap(self._context.weighted_sum([term._native for term, _ in pairs], natives), is_real=is_real)


def _basis(
    self: Core, operation: str, ciphertext: Any, max_power: Any, key: Any
) -> tuple[Ciphertext, int, RelinearizationKey]:
    next_step = "choose one that the levels suffice for"
    power = checks.integer_between(operation, "max_power", max_power, 1, _LARGEST_POWER, next_step)
    x = _operands.relinearized(operation, ciphertext)
    if key is None:
        key = self._registry.find(operation, RelinearizationKey, x._native.secret_id)
    return x, power, _operands.relinearization_key(self._registry, operation, key)


def of_fit(self: Core, operation: str, x: Ciphertext, fit: ChebyshevFit, *, is_claimed: bool) -> Ciphertext:
    """Evaluate a fit under the name of what was called, on an interval that is claimed, or that the bound says."""
    return _evaluate(self, operation, True, x, fit, None, None, is_claimed=is_claimed)


def _evaluate(
    self: Core,
    operation: str,
    chebyshev: bool,
    ciphertext: Any,
    coefficients: Any,
    key: Any,
    bootstrap_key: Any,
    *,
    is_claimed: bool = True,
) -> Ciphertext:
    x = _operands.relinearized(operation, ciphertext)
    layout = x._layout
    if key is None:
        key = bootstrap_key
    if key is None:
        key = self._registry.find(operation, RelinearizationKey, x._native.secret_id)
    key = _operands.relinearization_key(self._registry, operation, key)
    fit = coefficients if isinstance(coefficients, ChebyshevFit) else None
    series, is_real = _checks.coefficients(operation, coefficients if fit is None else fit.coefficients)
    # p + iq, each with real coefficients: the products by i are free.
    polynomials = [series.real] if is_real else [series.real, series.imag]
    # The map of a fit leaves zeros after short vectors as they are: in the middle of the interval.
    at_zero = complex(np.polynomial.chebyshev.chebval(0.0, series) if chebyshev or fit is not None else series[0])
    depth = max(degree_of(p).bit_length() for p in polynomials)
    needed, chebyshev = depth if fit is None else fit.levels, chebyshev or fit is not None
    if needed > x.level and (bootstrap_key is not None or self._refreshed is not None):
        bootstraps = None
        if bootstrap_key is not None:
            bootstraps = checks.instance(operation, "bootstrap_key", bootstrap_key, EvaluationKey)
        level_out = _auto.level_after(self._registry, self.max_level, operation, x, needed, bootstraps)
        # What is deep goes in pieces; else a bootstrap of x is enough, which the engine does by itself if it is to.
        is_deep = needed > level_out
        is_refreshed = x.level < needed - depth or (not is_deep and bootstraps is not None)
        if is_refreshed:
            x = refreshed(self, x, bootstraps)._with(layout)
        if is_deep:
            x = x if fit is None else _mapped(self, operation, x, fit, is_claimed)
            deep = DeepEvaluation(self, operation, level_out, chebyshev, key, bootstraps)
            values = deep(x, polynomials, is_exactly_real=is_refreshed)
            return unpadded(layout, values[0] if is_real else values[0] + 1j * values[1], at_zero)
    if fit is not None:
        _checks.require_level(operation, x.level, needed, self.max_level)
        x = _mapped(self, operation, x, fit, is_claimed)
    values = evaluate_all(self, x, polynomials, chebyshev, key)
    return unpadded(layout, values[0] if is_real else values[0] + 1j * values[1], at_zero)


def _mapped(self: Core, operation: str, x: Ciphertext, fit: ChebyshevFit, is_claimed: bool) -> Ciphertext:
    """Bring a fit's interval to [-1, 1], with a bound of 1: the caller claims that values are in the interval.

    Where the interval is that of the bound, the claim is the bound's, and as good as that. Where declared values may be
    beyond it, a warning says so.
    """
    low, high = fit.interval
    largest = max(-low, high)
    bound, (least, most) = x._native.bound_of_values, x._native.interval_of_values
    next_step = f"fit it on the values' interval, or claim where they lie: x.within({low:g}, {high:g})"
    if x.is_bound_declared and (most < low or high < least):
        raise RangeError(
            f"{operation}: values lie from {least:.6g} to {most:.6g}, and the fit's interval {list(fit.interval)} has "
            f"none of them; {next_step}",
            bound=bound,
            level=x.level,
        )
    if x.is_bound_declared and bound > largest * (1 + 1e-9):
        beyond = f"{operation}: values may be as large as {bound:.6g}, and the fit's interval is {list(fit.interval)}"
        details = {"bound": bound, "room": largest, "level": x.level}
        if self._context.refuses_assumed:
            raise RangeError(f"{beyond}; {next_step}", **details)
        taken = f"{beyond}, which is taken as a claim: the result is wrong of values outside; {next_step}"
        callers.warn_once("fit", RangeWarning(taken, **details))
    rounding = fit._map_rounding(min(bound, largest))
    mapped = self._context.deviating(fit._mapped(x)._native, rounding, rounding)
    is_known = (x.is_bound_declared or not is_claimed) and x.is_real and low <= least and most <= high
    within = self._context.within if is_known else self._context.claim_within
    return self._wrap(within(mapped, 1.0), is_real=x.is_real)
