"""Elementary functions of encrypted values: each a Chebyshev fit on the interval that the values lie in.

The interval is public: the ciphertext's bound, or what the caller says. The degree is the least of 1, 3, 7, …, 4095
whose error is at most 2^-16 of the function's range there, so that half of 2^-15 is left to the noise of encrypted
values.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._common import checks
from ..errors import FitError, OperandTypeError, ParameterError
from . import _operands, _polynomials
from ._auto import deepened
from ._core import Core
from ._fit import ChebyshevFit, checked_interval, fit
from ._numpy import NUMPY
from ._shaping import slotwise
from .ciphertext import Ciphertext
from .plaintext import Plaintext

__all__ = ["cos", "divide", "exp", "log", "power", "reciprocal", "rsqrt", "sigmoid", "sin", "sqrt", "tanh"]

Array = NDArray[np.float64]
Interval = tuple[float, float]

_SHARE: Final = 2.0**-16
"""Largest error of a fit, in the function's range on its interval."""
_RESOLUTION: Final = 2.0**-44
"""Errors below this share of the function's largest size are left to noise."""
_POINTS: Final = 2049
_ERRORS: Final = 64
"""Largest errors of a value that an interval is wider than, where nobody says which."""


@dataclass(frozen=True)
class _Function:
    """A function, and where it is defined."""

    f: Callable[[Array], Array]
    allows: Callable[[float, float], bool] = lambda low, high: True
    domain: str = ""
    example: str = "(-1, 1)"


_POSITIVE: Final[Mapping[str, Any]] = {
    "allows": lambda low, high: low > 0,
    "domain": "values above 0",
    "example": "(0.1, 1)",
}
_NOT_ZERO: Final[Mapping[str, Any]] = {
    "allows": lambda low, high: low > 0 or high < 0,
    "domain": "intervals without 0",
    "example": "(0.1, 1)",
}


def _inverse(x: Array) -> Array:
    return 1 / x


_OF_NUMPY: Final[Mapping[str, _Function]] = {
    **{name: _Function(getattr(np, name)) for name in ("arctan", "arcsinh", "cosh", "exp2", "expm1", "sinc", "sinh")},
    **{name: _Function(getattr(np, name), **_POSITIVE) for name in ("log2", "log10")},
    "log1p": _Function(np.log1p, lambda low, high: low > -1, "values above -1", "(0, 1)"),
    "cbrt": _Function(np.cbrt, **_NOT_ZERO),
    "tan": _Function(np.tan, lambda low, high: -np.pi / 2 < low <= high < np.pi / 2, "angles below pi/2", "(-1, 1)"),
}
"""Functions under NumPy's names alone, on the interval that values are known to lie in."""

_FUNCTIONS: Final[Mapping[str, _Function]] = {
    **_OF_NUMPY,
    "exp": _Function(np.exp),
    "log": _Function(np.log, **_POSITIVE),
    "sqrt": _Function(np.sqrt, **_POSITIVE),
    "rsqrt": _Function(lambda x: 1 / np.sqrt(x), **_POSITIVE),
    "reciprocal": _Function(_inverse, **_NOT_ZERO),
    "divide": _Function(_inverse, **_NOT_ZERO),
    "softmax": _Function(_inverse, **_POSITIVE),
    "std": _Function(np.sqrt, **_POSITIVE),
    "norm": _Function(np.sqrt, **_POSITIVE),
    "sigmoid": _Function(lambda x: 0.5 + 0.5 * np.tanh(x / 2)),
    "tanh": _Function(np.tanh),
    "sin": _Function(np.sin),
    "cos": _Function(np.cos),
}
"""Functions by the names of the operations that evaluate them; `power` has one for each exponent."""


def _function(name: str, exponent: float | None = None) -> _Function:
    """Return a function by its name."""
    if exponent is None:
        return _FUNCTIONS[name]
    if not exponent.is_integer():
        return _Function(lambda x: x**exponent, **_POSITIVE)
    return _Function(lambda x: x**exponent, **(_NOT_ZERO if exponent < 0 else {}))


@NUMPY.implements(np.exp)
def exp(x: Ciphertext, *, interval: Interval | None = None) -> Ciphertext:
    """Compute e^x.

    Parameters
    ----------
    x : Ciphertext
        Real, of two polynomials.
    interval : tuple of two floats, optional
        Where the values lie: a claim of the caller's, in the place of `Ciphertext.interval`, which it is if left out.
        It is public: choose it by what the values can be. Beyond it, anything comes out.

    Returns
    -------
    Ciphertext
        With an error of at most 2^-16 of the function's range on the interval, beside the noise. Levels consumed:
        those of the fit (`ChebyshevFit.levels`), 3 on (-1, 1) and 5 on (-8, 8); the page *Ready functions* has a
        table. An engine with `auto_bootstrap` bootstraps where they are lacking.

    Raises
    ------
    ParameterError
        If the interval is none, or not in the function's domain.
    FitError
        If no polynomial of degree up to 4095 is as near.
    OperandTypeError, CiphertextFormError, LevelError, MissingKeyError
        If x is no real ciphertext of two polynomials, has too few levels, or the engine knows no relinearization key.
    RangeError
        If values within the bound can't be in the interval.

    Examples
    --------
    >>> import everlevel
    >>> x = engine.encrypt([0.0, 0.5, -1.0], secret_key, bound=1)
    >>> engine.decrypt(everlevel.exp(x), secret_key)[:3].round(3)
    array([1.   , 1.649, 0.368])
    """
    return evaluate("exp", x, interval)


@NUMPY.implements(np.log)
def log(x: Ciphertext, *, interval: Interval | None = None) -> Ciphertext:
    """Compute the natural logarithm, of values above 0. All else is as in `exp`.

    The interval has to be above 0: that of what was encrypted with one, or one that is said. Levels consumed: 3 on (1,
    2), 5 on (0.1, 1).

    Examples
    --------
    >>> import everlevel
    >>> x = engine.encrypt([1.0, 1.5, 2.0], secret_key, bound=(1, 2))
    >>> engine.decrypt(everlevel.log(x), secret_key).round(3) + 0
    array([0.   , 0.405, 0.693])
    """
    return evaluate("log", x, interval)


@NUMPY.implements(np.sqrt)
def sqrt(x: Ciphertext, *, interval: Interval | None = None) -> Ciphertext:
    """Compute the square root, of values above 0. The interval is as in `log`; all else is as in `exp`.

    Its slope has no bound at 0, so that levels grow as the interval nears it: 3 on (1, 2), 5 on (0.1, 1), 7 on (0.01,
    1).

    Examples
    --------
    >>> import everlevel
    >>> x = engine.encrypt(np.linspace(1, 2, engine.slot_count), secret_key, bound=2)
    >>> engine.decrypt(everlevel.sqrt(x, interval=(1, 2)), secret_key)[[0, -1]].round(3)
    array([1.   , 1.414])
    """
    return evaluate("sqrt", x, interval)


def rsqrt(x: Ciphertext, *, interval: Interval | None = None) -> Ciphertext:
    """Compute 1/sqrt(x), of values above 0. The interval is as in `log`; all else is as in `exp`.

    Examples
    --------
    >>> import everlevel
    >>> x = engine.encrypt(np.linspace(1, 2, engine.slot_count), secret_key, bound=2)
    >>> engine.decrypt(everlevel.rsqrt(x, interval=(1, 2)), secret_key)[[0, -1]].round(3)
    array([1.   , 0.707])
    """
    return evaluate("rsqrt", x, interval)


@NUMPY.implements(np.reciprocal)
def reciprocal(x: Ciphertext, *, interval: Interval | None = None) -> Ciphertext:
    """Compute 1/x, of values of one sign, as is the interval: see `log`. All else is as in `exp`.

    Levels grow with the ratio of the interval's ends: 3 for a ratio of 2, 6 of 10, 7 of 100.

    Examples
    --------
    >>> import everlevel
    >>> x = engine.encrypt(np.linspace(1, 2, engine.slot_count), secret_key, bound=2)
    >>> engine.decrypt(everlevel.reciprocal(x, interval=(1, 2)), secret_key)[[0, -1]].round(3)
    array([1. , 0.5])
    """
    return evaluate("reciprocal", x, interval)


def divide(
    dividend: Ciphertext | Plaintext | ArrayLike | complex, divisor: Ciphertext, *, interval: Interval | None = None
) -> Ciphertext:
    """Divide, slot by slot: the dividend times the `reciprocal` of an encrypted divisor.

    Parameters
    ----------
    dividend : Ciphertext, Plaintext, array_like or number
        What is divided.
    divisor : Ciphertext
        Real values of one sign. By numbers and arrays in the clear, the operator ``/`` divides.
    interval : tuple of two floats, optional
        Where the divisor's values lie, as in `reciprocal`.

    Returns
    -------
    Ciphertext
        Levels consumed: those of `reciprocal`, and 1. Errors of the reciprocal are multiplied by the dividend.

    Examples
    --------
    >>> import everlevel
    >>> deep = Engine(max_level=7, insecure_log_n=10)
    >>> secret = deep.create_secret_key()
    >>> key = deep.create_evaluation_key(secret)
    >>> x = deep.encrypt(np.full(deep.slot_count, 3.0), secret, bound=3)
    >>> y = deep.encrypt(np.linspace(1, 2, deep.slot_count), secret, bound=2)
    >>> deep.decrypt(everlevel.divide(x, y, interval=(1, 2)), secret)[[0, -1]].round(3)
    array([3. , 1.5])
    """
    return product("divide", evaluate("divide", divisor, interval), dividend)


@NUMPY.implements(operator.truediv)
def _quotient(divisor: Ciphertext, dividend: Any) -> Ciphertext:
    return divide(dividend, divisor)


@NUMPY.implements(np.float_power)
def power(x: Ciphertext, exponent: float, *, interval: Interval | None = None) -> Ciphertext:
    """Compute x^exponent, for any real exponent but 0.

    Parameters
    ----------
    x : Ciphertext
        Of values above 0; for an integer exponent below 0, of one sign; for one above 0, of any.
    exponent : float
        An integer above 0 makes products, as ``x ** exponent`` does. Any other is a fit.
    interval : tuple of two floats, optional
        Where the values lie, as in `exp`. With it, integers above 0 are fits, too.

    Returns
    -------
    Ciphertext
        Levels consumed: ceil(log2(exponent)) for products, and those of the fit otherwise: with an exponent of 1.5, 3
        on (1, 2) and 4 on (0.1, 1).

    Raises
    ------
    ParameterError
        If the exponent is 0 or no finite number; otherwise as in `exp`.
    FitError, OperandTypeError, CiphertextFormError, LevelError, MissingKeyError, RangeError
        As in `exp`.

    Examples
    --------
    >>> import everlevel
    >>> x = engine.encrypt(np.linspace(1, 2, engine.slot_count), secret_key, bound=2)
    >>> engine.decrypt(everlevel.power(x, -0.5, interval=(1, 2)), secret_key)[[0, -1]].round(3)
    array([1.   , 0.707])
    """
    operation, number = "power", checks.number(exponent)
    if not np.isfinite(number) or number == 0:
        raise ParameterError(
            f"{operation}: the exponent is {exponent!r}, and a finite number other than 0 is needed; compute "
            f"everlevel.exp(exponent * logarithm) where the exponent is encrypted",
            option="exponent",
            value=exponent,
        )
    if interval is None and number > 0 and number.is_integer():
        return checks.instance(operation, "x", x, Ciphertext) ** int(number)
    return evaluate(operation, x, interval, exponent=number)


def sigmoid(x: Ciphertext, *, interval: Interval | None = None) -> Ciphertext:
    """Compute 1/(1 + e^-x). All else is as in `exp`; levels consumed: 3 on (-1, 1), 6 on (-8, 8).

    Examples
    --------
    >>> import everlevel
    >>> x = engine.encrypt([0.0, 1.0, -1.0], secret_key, bound=1)
    >>> engine.decrypt(everlevel.sigmoid(x), secret_key)[:3].round(3)
    array([0.5  , 0.731, 0.269])
    """
    return evaluate("sigmoid", x, interval)


@NUMPY.implements(np.tanh)
def tanh(x: Ciphertext, *, interval: Interval | None = None) -> Ciphertext:
    """Compute the hyperbolic tangent. All else is as in `exp`; levels consumed: 4 on (-1, 1), 7 on (-8, 8).

    Examples
    --------
    >>> import everlevel
    >>> x = engine.encrypt([0.0, 1.0, -1.0], secret_key, bound=1)
    >>> engine.decrypt(everlevel.tanh(x), secret_key)[:3].round(3) + 0
    array([ 0.   ,  0.762, -0.762])
    """
    return evaluate("tanh", x, interval)


@NUMPY.implements(np.sin)
def sin(x: Ciphertext, *, interval: Interval | None = None) -> Ciphertext:
    """Compute the sine of angles in radians. All else is as in `exp`; levels consumed: 3 on (-1, 1), 5 on (-4, 4).

    Examples
    --------
    >>> import everlevel
    >>> x = engine.encrypt([0.5, 1.0, -1.0], secret_key, bound=1)
    >>> engine.decrypt(everlevel.sin(x), secret_key)[:3].round(3)
    array([ 0.479,  0.841, -0.841])
    """
    return evaluate("sin", x, interval)


@NUMPY.implements(np.cos)
def cos(x: Ciphertext, *, interval: Interval | None = None) -> Ciphertext:
    """Compute the cosine of angles in radians. All else is as in `exp`; levels consumed: 3 on (-1, 1), 5 on (-4, 4).

    Examples
    --------
    >>> import everlevel
    >>> x = engine.encrypt([0.0, 1.0], secret_key, bound=1)
    >>> engine.decrypt(everlevel.cos(x), secret_key)[:2].round(3)
    array([1.  , 0.54])
    """
    return evaluate("cos", x, interval)


def evaluate(
    name: str, value: Any, interval: Any, *, error: float | None = None, exponent: float | None = None
) -> Ciphertext:
    """Evaluate a function on an interval, with the least degree that its error needs.

    Parameters
    ----------
    name : str
        The operation that the user called.
    error : float, optional
        Largest error of the fit; a share of the function's range, if left out.
    exponent : float, optional
        Of a power.
    """
    x = real(name, value)
    low, high = _ends(name, x, interval, _function(name, exponent))
    fitted = fit_on(name, low, high, error, exponent)
    return _EVALUATORS[name](cast(Any, x._engine), claimed(x, max(-low, high)), fitted, interval is not None)


@lru_cache(maxsize=256)
def fit_on(
    name: str, low: float, high: float, error: float | None = None, exponent: float | None = None
) -> ChebyshevFit:
    """Fit one of the functions on an interval."""
    f = _function(name, exponent).f
    if error is None:
        with np.errstate(all="ignore"):
            values = f(np.linspace(low, high, _POINTS))
        error = max(_SHARE * float(np.ptp(values)), _RESOLUTION * float(np.abs(values).max()))
    try:
        return fit(f, interval=(low, high), max_error=error)
    except FitError as problem:
        why = str(problem).removeprefix("fit: ").partition(";")[0]
        raise FitError(
            f"{name}: on [{low:g}, {high:g}], {why}; take an interval that is shorter, or further from where the "
            f"function isn't smooth",
            x=problem.x,
            value=problem.value,
        ) from None


def real(operation: str, value: Any) -> Ciphertext:
    """Check that an operand is a real ciphertext of two polynomials."""
    x = _operands.relinearized(operation, value)
    if not x.is_real:
        raise OperandTypeError(
            f"{operation}: the ciphertext is complex, and {operation} is for real values; take its real part, "
            f"0.5 * (x + x.conjugate()), or encrypt a real message",
            argument="x",
            expected="real",
            actual="complex",
        )
    return x


def product(operation: str, x: Ciphertext, other: Any) -> Ciphertext:
    """Multiply by an operand of any kind."""
    result = x.__mul__(other)
    if result is NotImplemented:
        raise OperandTypeError(
            f"{operation}: an operand is of type {type(other).__name__}, and a ciphertext, a plaintext, an array or a "
            f"number is needed; check the order of the arguments",
            argument="operand",
            expected="Ciphertext, Plaintext, array or number",
            actual=type(other).__name__,
        )
    return result


def claimed(x: Ciphertext, size: float) -> Ciphertext:
    """Claim a smaller bound, in the place of one that operations carried. An assumed one stays what it is."""
    if x.is_bound_declared and size < x.bound:
        return x.within(size)
    return x


def spread(x: Ciphertext) -> Interval:
    """Return a real ciphertext's interval, at least so wide that its errors are a small share of it."""
    low, high = cast(Interval, x.interval)
    error = 2.0**-x.precision_floor
    least = _ERRORS * error if np.isfinite(error) else 0.0
    if low == high:
        least = max(least, abs(low) or 2.0)
    beside = max(0.0, least - (high - low)) / 2
    return low - beside, high + beside


def _ends(name: str, x: Ciphertext, interval: Any, function: _Function) -> Interval:
    """Return the interval that is given, or that the ciphertext has, if the function is defined there."""
    if interval is not None:
        low, high = checked_interval(name, interval)
        said = f"interval is [{low:g}, {high:g}]"
    else:
        low, high = spread(x)
        if x.interval is not None and not function.allows(low, high) and function.allows(*x.interval):
            # By the claimed errors values might lie beyond; where they are said to lie is what counts.
            low, high = x.interval
        said = f"values may lie anywhere in [{low:g}, {high:g}] by their bound"
    if not function.allows(low, high):
        call = f"everlevel.{name}(…, interval={function.example})"
        if name in _OF_NUMPY:
            call = f"numpy.{name}(x.within{function.example})"
        raise ParameterError(
            f"{name}: {said}, and {name} is for {function.domain}; say where the values lie, such as {call}",
            option="interval",
            value=(low, high),
            allowed=function.domain,
        )
    return low, high


def _evaluator(name: str) -> Callable[[Core, Ciphertext, ChebyshevFit, bool], Ciphertext]:
    """Make the operation of an engine that evaluates a function under its own name."""

    def call(self: Core, x: Ciphertext, fitted: ChebyshevFit, is_claimed: bool) -> Ciphertext:
        return _polynomials.of_fit(self, name, x, fitted, is_claimed=is_claimed)

    call.__name__ = name
    return slotwise(needs_zeros=True)(deepened(call))


_EVALUATORS: Final = {name: _evaluator(name) for name in (*_FUNCTIONS, "power")}


def _of_numpy(name: str) -> Callable[[Ciphertext], Ciphertext]:
    """Make a function that stands for one of NumPy's."""

    def call(x: Ciphertext) -> Ciphertext:
        return evaluate(name, x, None)

    return call


NUMPY.functions.update((getattr(np, name), _of_numpy(name)) for name in _OF_NUMPY)
