"""Functions as polynomials: Chebyshev fits, with what they cost and how far off they are."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, Final, Literal, overload

import numpy as np
from numpy.polynomial import chebyshev
from numpy.typing import ArrayLike, NDArray

from .._common import checks
from ..errors import FitError, OperandTypeError, ParameterError
from .ciphertext import Ciphertext
from .evaluation_key import EvaluationKey
from .keys import RelinearizationKey

Array = NDArray[Any]

_LARGEST_DEGREE: Final = 2**12 - 1
_SAMPLES_PER_DEGREE: Final = 16
_FEWEST_SAMPLES: Final = 2048
_ZOOM: Final = 16
_ZOOMS: Final = 4
_PARITY_TOLERANCE: Final = 1e-13
"""Coefficients of the other parity that are this small beside the largest are rounding errors of the fit."""


class ChebyshevFit:
    """A polynomial in place of a function on an interval: made by `everlevel.fit`.

    `Engine.evaluate_chebyshev_polynomial` and `Engine.evaluate_polynomial` take it for their coefficients and bring the
    interval to [-1, 1] by themselves. Called with a ciphertext it does the same with the engine's keys; called with
    numbers it gives the polynomial's plain values.

    Attributes
    ----------
    coefficients : ndarray of float64 or complex128, shape (degree + 1,)
        Of T_0, …, T_degree, in t = (2x - a - b)/(b - a).
    interval : tuple of two floats
        a and b.
    max_error : float
        Largest distance between function and polynomial, on the interval: of at least 2048 points, at least 16 for each
        degree. An encrypted evaluation adds its noise.
    parity : {"even", "odd", None}
        Of the polynomial in t. An even or odd one is cheaper; its other coefficients are zeros. So are those of a sum
        of an even one and a multiple of t, or of an odd one and a constant, which has no parity of its own.

    Examples
    --------
    >>> import everlevel
    >>> exponential = everlevel.fit(np.exp, 7, (-1, 1))
    >>> exponential.max_error < 1e-6, exponential.parity, everlevel.fit(np.sin, 7).parity
    (True, None, 'odd')
    >>> x = engine.encrypt([0.5], secret_key, bound=1)
    >>> engine.decrypt(exponential(x), secret_key).round(4), exponential(np.array([0.5])).round(4)
    (array([1.6487]), array([1.6487]))
    """

    __slots__ = ("coefficients", "interval", "max_error", "parity")

    def __init__(self, coefficients: Array, interval: tuple[float, float], max_error: float) -> None:
        self.parity: Literal["even", "odd"] | None = None
        tolerance = _PARITY_TOLERANCE * np.abs(coefficients).max()
        parities: tuple[tuple[Literal["even", "odd"], Array], ...] = (
            ("even", coefficients[1::2]),
            ("odd", coefficients[0::2]),
        )
        for name, other in parities:
            # A linear term, or a constant, may be all that there is of the other parity.
            for part in (other[1:], other):
                if tolerance > 0 and len(part) and np.all(np.abs(part) <= tolerance) and len(coefficients) > 1:
                    part[:] = 0
                    self.parity = name if part is other else self.parity
        self.coefficients = coefficients
        self.coefficients.setflags(write=False)
        self.interval = interval
        self.max_error = max_error

    @property
    def degree(self) -> int:
        """Degree of the polynomial.

        Examples
        --------
        >>> import everlevel
        >>> everlevel.fit(np.exp, max_error=1e-4).degree
        7
        """
        nonzero = np.flatnonzero(self.coefficients)
        return int(nonzero[-1]) if len(nonzero) else 0

    @property
    def levels(self) -> int:
        """Levels that an encrypted evaluation consumes.

        ceil(log2(degree + 1)), and one more where 2/(b - a) is no integer.

        Examples
        --------
        >>> import everlevel
        >>> everlevel.fit(np.exp, 7).levels, everlevel.fit(np.exp, 8).levels
        (3, 4)
        """
        return self.degree.bit_length() + (not self._factor.is_integer() and self.degree > 0)

    @property
    def _factor(self) -> float:
        a, b = self.interval
        return 2 / (b - a)

    def _mapped(self, x: Any) -> Any:
        """Bring the interval to [-1, 1]: numbers, arrays and ciphertexts."""
        a, b = self.interval
        if (a, b) == (-1, 1):
            return x
        shift = (a + b) / (b - a)
        return x * self._factor - shift if shift else x * self._factor

    def _map_rounding(self, largest: float) -> float:
        """Bound of what the map's two constants, which are doubles, add to numbers up to a size."""
        a, b = (Fraction(end) for end in self.interval)
        factor, shift = 2 / (b - a), (a + b) / (b - a)
        low, high = self.interval
        if (low, high) == (-1, 1):
            return 0.0
        of_shift = abs(shift - Fraction((low + high) / (high - low)))
        return float(abs(factor - Fraction(self._factor)) * Fraction(largest) + of_shift)

    @overload
    def __call__(self, x: Ciphertext, key: RelinearizationKey | EvaluationKey | None = None) -> Ciphertext: ...
    @overload
    def __call__(self, x: ArrayLike) -> Any: ...
    def __call__(self, x: Any, key: RelinearizationKey | EvaluationKey | None = None) -> Any:
        """Evaluate on a ciphertext, or on numbers.

        Parameters
        ----------
        x : Ciphertext or array_like
            In the interval.
        key : RelinearizationKey or EvaluationKey, optional
            For a ciphertext; the engine's, if left out.
        """
        if isinstance(x, Ciphertext):
            return x._engine.evaluate_chebyshev_polynomial(x, self, key)
        numbers = np.asarray(x)
        numbers = numbers.astype(np.complex128 if numbers.dtype.kind == "c" else np.float64)
        return chebyshev.chebval(self._mapped(numbers), self.coefficients)

    def __repr__(self) -> str:
        parity = f", {self.parity}" if self.parity else ""
        bits = f" (2^{np.log2(self.max_error):.1f})" if self.max_error > 0 else ""
        return (
            f"ChebyshevFit(degree {self.degree}{parity}, interval [{self.interval[0]:g}, {self.interval[1]:g}], "
            f"max error {self.max_error:.2g}{bits}, {self.levels} level{'' if self.levels == 1 else 's'})"
        )


def fit(
    f: Callable[[Any], Any],
    degree: int | None = None,
    interval: tuple[float, float] = (-1.0, 1.0),
    *,
    max_error: float | None = None,
) -> ChebyshevFit:
    """Fit a polynomial to a function on an interval, by interpolation at Chebyshev points.

    For smooth functions its error is within a small factor of the smallest that the degree allows. Levels are used best
    by degrees 2^k - 1.

    Parameters
    ----------
    f : callable
        Of an array of floats, or of one float at a time; real or complex values.
    degree : int, optional
        1 to 4095.
    interval : tuple of two floats, default (-1, 1)
        Where the values of x lie: outside of it the polynomial is far from the function.
    max_error : float, optional
        In the place of a degree: the least of 1, 3, 7, …, 4095 is taken whose error is as small as that.

    Returns
    -------
    ChebyshevFit

    Raises
    ------
    FitError
        If the function isn't finite on the interval, or grows without end near a point of it; if it gives no numbers,
        can't be fitted to `max_error`, or is further from its fit than from zero.
    ParameterError
        If the interval is empty or infinite, or not one of degree and error is given.

    References
    ----------
    Trefethen, "Approximation Theory and Approximation Practice", chapters 3 and 4.

    Examples
    --------
    >>> import everlevel
    >>> sigmoid = everlevel.fit(lambda x: 1 / (1 + np.exp(-x)), 15, (-8, 8))
    >>> sigmoid
    ChebyshevFit(degree 15, interval [-8, 8], max error 0.0014 (2^-9.5), 5 levels)
    >>> x = engine.encrypt([-2.0, 0.0, 2.0], public_key, bound=2)
    >>> engine.decrypt(engine.evaluate_chebyshev_polynomial(x, sigmoid, relinearization_key), secret_key)[:3].round(2)
    array([0.12, 0.5 , 0.88])
    """
    if not callable(f):
        raise OperandTypeError(
            f"fit: f is {f!r} of type {type(f).__name__}, and a function is needed; pass one such as numpy.exp",
            argument="f",
            expected="callable",
            actual=type(f).__name__,
        )
    ends = checked_interval("fit", interval)
    if (degree is None) == (max_error is None):
        raise ParameterError(
            f"fit: degree is {degree} and max_error is {max_error}, and one of the two is needed; give the other alone",
            option="degree",
            value=degree,
        )
    if degree is not None:
        fitted, size = _interpolate(f, _degree(degree), ends)
        if fitted.max_error > size:
            raise FitError(
                f"fit: degree {degree} has an error of {fitted.max_error:.2g} and the function a size of {size:.2g}, "
                f"so that zero is closer; take a higher degree, or a smaller interval"
            )
        return fitted
    error = checks.number(max_error)
    if not error >= 0:
        raise checks.refusal("fit", "max_error", max_error, "a number from 0 up is needed; choose one such as 1e-6")
    found = None
    for power in range(1, _LARGEST_DEGREE.bit_length() + 1):
        found, _ = _interpolate(f, 2**power - 1, ends)
        if found.max_error <= error:
            return found
    raise FitError(
        f"fit: degree {_LARGEST_DEGREE} has an error of {found.max_error if found else 0:.2g}, and {error:.2g} was "
        f"asked for; fit where the function is smooth, or take a larger error"
    )


def checked_interval(operation: str, interval: Any) -> tuple[float, float]:
    """Check that an interval is one: two finite numbers, the smaller first."""
    try:
        a, b = (float(end) for end in interval)
    except (TypeError, ValueError, OverflowError):
        a, b = float("nan"), float("nan")
    if not (np.isfinite(a) and np.isfinite(b) and a < b):
        needed = "two finite numbers are needed, the smaller first; give the range of the values, such as (-1, 1)"
        raise checks.refusal(operation, "interval", interval, needed, "(a, b) with a < b")
    return a, b


def _degree(value: Any) -> int:
    return checks.integer_between("fit", "degree", value, 1, _LARGEST_DEGREE, "a level more doubles the degree")


def _interpolate(f: Callable[[Any], Any], degree: int, interval: tuple[float, float]) -> tuple[ChebyshevFit, float]:
    """Fit a polynomial, and find the largest size of the function."""
    a, b = interval
    middle, half = (a + b) / 2, (b - a) / 2
    count = degree + 1
    angles = np.pi * (np.arange(count) + 0.5) / count
    values = _values(f, middle + half * np.cos(angles))
    # Discrete orthogonality of the cosines at Chebyshev points, by blocks that stay small.
    coefficients = np.array([values @ np.cos(k * angles) for k in range(count)]) * (2 / count)
    coefficients[0] /= 2
    sample_count = max(_FEWEST_SAMPLES, _SAMPLES_PER_DEGREE * count)
    samples = np.cos(np.pi * np.arange(sample_count + 1) / sample_count)
    fitted = ChebyshevFit(coefficients, interval, 0.0)
    points = middle + half * samples
    exact = _values(f, points)
    errors = np.abs(exact - _at_samples(fitted.coefficients, sample_count))
    fitted.max_error, size = float(errors.max()), float(np.abs(exact).max())
    if fitted.max_error > size / 4:
        _refuse_pole(f, points, int(np.abs(exact).argmax()), interval)
    return fitted, size


def _refuse_pole(
    f: Callable[[Any], Any], points: NDArray[np.float64], largest: int, interval: tuple[float, float]
) -> None:
    """Refuse a function that grows without end near one of the points, where it is largest of all.

    From there its maximum is looked for in ever smaller neighbourhoods; the function is refused if it then grows with
    every step towards that maximum, where a finite peak flattens.
    """
    neighbours = points[max(largest - 1, 0)], points[min(largest + 1, len(points) - 1)]
    reach = abs(neighbours[1] - neighbours[0])
    steps = reach * float(_ZOOM) ** -np.arange(_ZOOMS + 1)
    at = float(points[largest])
    for step in steps:
        around = np.clip(at + step * np.linspace(-1, 1, 4 * _ZOOM + 1), *interval)
        at = float(around[np.abs(_values(f, around)).argmax()])
    for side in (-1, 1):
        towards = at + side * steps
        if towards.min() < interval[0] or towards.max() > interval[1]:
            continue
        sizes = np.abs(_values(f, towards))
        if np.all(sizes[1:] >= 2 * sizes[:-1]) and sizes[0] > 0:
            raise FitError(
                f"fit: the function grows without end near x = {at:g}: it is {sizes[-1]:.2g} at a distance of "
                f"{steps[-1]:.1g}; choose an interval on which it is bounded",
                x=at,
                value=float(sizes[-1]),
            )


def _at_samples(coefficients: Array, count: int) -> Array:
    """Evaluate Σ c_k cos(πkj/count), for j = 0, …, count, by a Fourier transform."""
    transform = np.fft.fft(coefficients, 2 * count)
    values = (transform[: count + 1] + transform[-np.arange(count + 1)]) / 2
    return values if np.iscomplexobj(coefficients) else values.real


def _values(f: Callable[[Any], Any], points: NDArray[np.float64]) -> Array:
    """Evaluate a function at points: at once if it can, else one by one."""
    with np.errstate(all="ignore"):
        try:
            values = np.asarray(f(points))
        except (TypeError, ValueError):
            values = np.empty(0)
        if values.shape != points.shape:
            values = np.asarray([f(float(point)) for point in points])
    if values.shape != points.shape or values.dtype.kind not in "biufc":
        raise FitError(
            f"fit: the function gives {values.dtype} values of shape {values.shape[1:]}, and a number for each x is "
            f"needed; check what it returns"
        )
    values = values.astype(np.complex128 if values.dtype.kind == "c" else np.float64)
    finite = np.isfinite(values)
    if not finite.all():
        index = int(np.argmin(finite))
        raise FitError(
            f"fit: the function is {values[index]} at x = {points[index]:g}, and finite values are needed; "
            f"choose an interval on which it is finite",
            x=float(points[index]),
            value=values[index].item(),
        )
    return values
