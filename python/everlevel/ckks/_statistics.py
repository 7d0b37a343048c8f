"""Sums of products, moments and normalised values, over the slots of encrypted vectors. They use the engine's keys."""

from __future__ import annotations

import math
from typing import Any, Final, cast

import numpy as np
from numpy.typing import ArrayLike

from .._common import checks, slot_shapes, units
from .._common.opaque import Opaque
from .._common.slot_shapes import SLOTS
from ..errors import ParameterError
from . import _checks, _slots
from ._elementary import Interval, claimed, evaluate, product, real, spread
from ._fit import checked_interval
from ._largest import keeping
from ._layouts import counted
from ._numpy import NUMPY
from ._reductions import kept
from ._shaping import has_axes, in_slots, of_shape, require_vector
from .ciphertext import Ciphertext
from .plaintext import Plaintext

__all__ = ["cumsum", "dot", "norm", "softmax", "std", "var"]

_RADIX: Final = 8
"""Terms that a level of a prefix sum adds up."""
_MARGIN: Final = 1 + 2.0**-10
"""By how much fits and noise may put values beyond the ends of an interval."""


@NUMPY.implements(np.dot)
def dot(x: Ciphertext | Plaintext | ArrayLike, y: Ciphertext | Plaintext | ArrayLike) -> Ciphertext:
    """Compute the sum of the products of two vectors' slots, as ``numpy.dot`` does, or a product with a matrix.

    Parameters
    ----------
    x, y : Ciphertext, Plaintext or array_like
        Vectors of which at least one is encrypted; an array of two dimensions is a matrix, on either side. An encrypted
        matrix is multiplied as by `everlevel.matmul`.

    Returns
    -------
    Ciphertext
        ``(x * y).sum()``, of shape (); beside a single value, ``x * y``. Levels consumed: 1.

    Raises
    ------
    MissingKeyError
        If the engine knows no rotation key, or no relinearization key where both are encrypted.
    OperandTypeError
        If neither is encrypted.

    Examples
    --------
    >>> import everlevel
    >>> x = engine.encrypt([1.0, 2.0, 3.0], secret_key, bound=3)
    >>> float(engine.decrypt(everlevel.dot([0.5, 0.25, 1.0], x), secret_key).round(3))
    4.0
    """
    operation = "dot"
    if not any(isinstance(value, Ciphertext) for value in (x, y)):
        raise checks.none_encrypted(operation, "x, y", x, y)
    vector, other = (x, y) if isinstance(x, Ciphertext) else (cast(Ciphertext, y), x)
    if (
        _checks.is_scalar(other)
        or vector._layout.is_single
        or (isinstance(other, Ciphertext) and other._layout.is_single)
    ):
        return product(operation, vector, other)
    if has_axes(x) or has_axes(y):
        return cast(Ciphertext, NUMPY.functions[np.matmul](x, y))
    if isinstance(other, Opaque):
        return product(operation, vector, other).sum()
    entries = _checks.numbers(operation, other)
    if entries.ndim == 2:
        return vector.__rmatmul__(entries.T if vector is x else entries)
    values, _ = _checks.message(operation, entries, vector.slot_count)
    # A sum of |weights| times the bound, where the sum's own is the largest weight's times the number of slots.
    total: Ciphertext = (vector * entries).sum()
    return claimed(total, float(np.abs(values).sum()) * vector.bound * (1 + 2.0**-40))


@NUMPY.implements(np.vdot)
def _vdot(a: Any, b: Any) -> Ciphertext:
    """Compute the sum of products of all values, of which the first ones are conjugated."""
    first, second = np.ravel(np.conjugate(a) if not getattr(a, "is_real", False) else a), np.ravel(b)
    return dot(first, second)


@NUMPY.implements(np.inner)
def _inner(a: Any, b: Any) -> Ciphertext:
    """Compute the sum of products along the last axes of both."""
    if (has_axes(a) or has_axes(b)) and np.ndim(a) <= 2 and np.ndim(b) <= 2:
        return cast(Ciphertext, NUMPY.functions[np.matmul](a, np.transpose(b)))
    for each in (a, b):
        if isinstance(each, Ciphertext):
            require_vector("inner", each)
    matrix, vector = (a, b) if isinstance(b, Ciphertext) else (b, a)
    return dot(matrix, vector)


def cumsum(x: Ciphertext, *, count: int | None = None) -> Ciphertext:
    """Compute sums up to every slot, as ``numpy.cumsum`` does: ``y[i] = x[0] + … + x[i]``.

    Parameters
    ----------
    x : Ciphertext
        Of one unit, and two polynomials.
    count : int, optional
        The slots that are to be right, from the first on: those of all values, if left out.

    Returns
    -------
    Ciphertext
        As many sums as count; all slots of x, if they count. Levels consumed: ceil(log8(count)), 5 for 32768 slots.
        Noise: that of as many rotations as slots are added.

    Raises
    ------
    UnitCountError
        If the ciphertext has several units.
    ParameterError
        If `count` isn't 1 to `slot_count`.
    MissingKeyError
        If the engine knows no rotation key.

    Examples
    --------
    >>> import everlevel
    >>> x = engine.encrypt([1.0, 2.0, 3.0], secret_key, bound=3)
    >>> engine.decrypt(everlevel.cumsum(x), secret_key).round(3)
    array([1., 3., 6.])
    """
    operation = "cumsum"
    total, width = counted(operation, x, count)
    slots = total.slot_count
    stride, places, engine = 1, np.arange(slots), cast(Any, total._engine)
    while stride < width:
        deltas = [k * stride for k in range(1, _RADIX) if k * stride < width]
        # What a rotation brings round from the end isn't part of the sum.
        terms = zip(deltas, engine.rotate_batch(total, deltas=deltas), strict=True)
        total = sum((moved * (places >= delta) for delta, moved in terms), total)
        stride *= _RADIX
    return total if x._layout == SLOTS else of_shape(total, (width,), is_clean=False)


@NUMPY.implements(np.var)
def var(
    x: Ciphertext, axis: int | tuple[int, ...] | None = None, *, ddof: int = 0, keepdims: bool = False
) -> Ciphertext:
    """Compute the variance along axes, as ``numpy.var`` does.

    Parameters
    ----------
    x : Ciphertext
        Real, of two polynomials.
    axis : int or tuple of int, optional
        As in `Engine.sum`.
    ddof : int, default 0
        The sum of squares is divided by the number of its terms less this.
    keepdims : bool, default False
        Keep the axes, with a length of 1.

    Returns
    -------
    Ciphertext
        Of the shape of the mean. Its bound is the square of that of x, which variances don't exceed, with the share of
        `ddof`. Levels consumed: 3; up to 5 along an axis that others come before.

    Examples
    --------
    >>> import everlevel
    >>> x = engine.encrypt([1.0, 3.0, 5.0], secret_key, bound=5)
    >>> float(engine.decrypt(everlevel.var(x, ddof=1), secret_key).round(3))
    4.0
    """
    return keeping("var", x, axis, keepdims, _variance("var", x, axis, ddof))


@NUMPY.implements(np.std)
def std(
    x: Ciphertext,
    axis: int | tuple[int, ...] | None = None,
    *,
    ddof: int = 0,
    interval: Interval | None = None,
    keepdims: bool = False,
) -> Ciphertext:
    """Compute the standard deviation: the square root of `var`, whose arguments it takes.

    Parameters
    ----------
    x, axis, ddof, keepdims
        As in `var`.
    interval : tuple of two floats
        Where the standard deviation lies, above 0: a claim of the caller's. It is public.

    Returns
    -------
    Ciphertext
        Levels consumed: those of `var`, and those of `sqrt` between the squares of the interval's ends.

    Raises
    ------
    ParameterError
        If the interval isn't given, or begins below 0.

    Examples
    --------
    >>> import everlevel
    >>> deep = Engine(max_level=9, insecure_log_n=10)
    >>> secret = deep.create_secret_key()
    >>> key = deep.create_evaluation_key(secret)
    >>> x = deep.encrypt(np.resize([1.0, 3.0], deep.slot_count), secret, bound=3)
    >>> deep.decrypt(everlevel.std(x, interval=(0.5, 1.5)), secret)[:1].round(3)
    array([1.])
    """
    ends = _squared("std", interval)
    deviation = evaluate("std", _variance("std", x, axis, ddof), ends)
    return keeping("std", x, axis, keepdims, deviation)


@NUMPY.implements(np.linalg.norm)
def norm(
    x: Ciphertext,
    axis: int | tuple[int, ...] | None = None,
    *,
    interval: Interval | None = None,
    keepdims: bool = False,
) -> Ciphertext:
    """Compute the Euclidean norm of values along axes, as ``numpy.linalg.norm`` does of a vector.

    Parameters
    ----------
    x : Ciphertext
        Real, of two polynomials.
    axis : int or tuple of int, optional
        As in `Engine.sum`.
    keepdims : bool, default False
        Keep the axes, with a length of 1.
    interval : tuple of two floats
        Where the norm lies, above 0: a claim of the caller's. It is public.

    Returns
    -------
    Ciphertext
        Levels consumed: those of the sum of squares, and those of `sqrt` between the squares of the interval's ends.

    Raises
    ------
    ParameterError
        If the interval isn't given, or begins below 0.

    Examples
    --------
    >>> import everlevel
    >>> deep = Engine(max_level=7, insecure_log_n=10)
    >>> secret = deep.create_secret_key()
    >>> key = deep.create_evaluation_key(secret)
    >>> x = deep.encrypt([0.3, 0.4], secret, bound=1)
    >>> float(deep.decrypt(everlevel.norm(x, interval=(0.25, 0.75)), secret).round(3))
    0.5
    """
    ends = _squared("norm", interval)
    value = real("norm", x)
    return keeping("norm", x, axis, keepdims, evaluate("norm", (value * value).sum(axis), ends))


def softmax(
    x: Ciphertext,
    axis: int | tuple[int, ...] | None = None,
    *,
    count: int | None = None,
    interval: Interval | None = None,
) -> Ciphertext:
    """Compute e^x over the sum of all e^x, or of those along axes: positive values whose sum is 1.

    Parameters
    ----------
    x : Ciphertext
        Real, of one unit and two polynomials.
    axis : int or tuple of int, optional
        Axes along which sums are 1; all, if left out.
    count : int, optional
        The slots that count, from the first on: those of all values, if left out.
    interval : tuple of two floats, optional
        Where the values lie, as in `exp`. Levels grow with its length.

    Returns
    -------
    Ciphertext
        With an error of at most 2^-15, beside the noise. Levels consumed: those of `exp`, those of `reciprocal`
        between e^a and e^b for an interval (a, b), and 2: 11 on (-1, 1); up to 3 more for axes that others come before.

    Raises
    ------
    UnitCountError
        If the ciphertext has several units.
    ParameterError
        If there is no such axis, or `axis` and `count` are both given.
    ParameterError, FitError, OperandTypeError, LevelError, MissingKeyError
        As in `exp`; or if the engine knows no rotation key.

    Examples
    --------
    >>> import everlevel
    >>> deep = Engine(max_level=12, insecure_log_n=10)
    >>> secret = deep.create_secret_key()
    >>> key = deep.create_evaluation_key(secret)
    >>> x = deep.encrypt([0.5, -0.5, 0.0], secret, bound=1)
    >>> deep.decrypt(everlevel.softmax(x), secret).round(3)
    array([0.506, 0.186, 0.307])
    """
    operation = "softmax"
    slots, width = counted(operation, x, count)
    axes = None
    if axis is not None:
        if count is not None:
            raise checks.refusal(operation, "count", count, "axis says which values count; leave one of them out")
        axes = slot_shapes.axes(operation, axis, x.ndim)
        width = math.prod(x.shape[each] for each in axes)
    # A vector of all of these values has nothing behind it that an interval could leave out.
    value = real(operation, x if width == x.size or axes is not None else slots)
    low, high = spread(value) if interval is None else checked_interval(operation, interval)
    with np.errstate(over="ignore"):
        least, most = float(np.exp(low)), float(np.exp(high))
    if not (least > 0 and np.isfinite(most)):
        raise ParameterError(
            f"{operation}: values may lie anywhere in [{low:g}, {high:g}], and e^x is to be more than 0 and finite; "
            f"say where they lie, such as everlevel.softmax(x, interval=(-1, 1))",
            option="interval",
            value=(low, high),
        )
    # The mean of e^x is as large as they are, and its reciprocal multiplies what is as small as e^x may be.
    powers = evaluate("exp", value, (low, high), error=2.0**-18 * least)
    if value._layout != SLOTS:
        shares = powers * np.full(value.shape, 1 / width)
    else:
        shares = powers * in_slots(np.full(width, 1 / width), value.slot_count)
    total = shares.sum() if axes is None or width == x.size else kept(shares.sum(axes), x.shape, axes)
    mean = claimed(total, most * _MARGIN)
    inverse = evaluate(operation, mean, (least / _MARGIN, most * _MARGIN), error=2.0**-17 / most)
    result = claimed(shares * inverse, _MARGIN)
    return result if x._layout == SLOTS else of_shape(result, x.shape if count is None else (width,))


def _variance(operation: str, value: Any, axis: Any, ddof: Any) -> Ciphertext:
    x = real(operation, value)
    if x._layout.shape is not None:
        axes = slot_shapes.axes(operation, axis, x.ndim)
        terms = math.prod(x.shape[each] for each in axes)
        lost = _lost(operation, ddof, terms)
        centred = x - kept(x.mean(axes), x.shape, axes)
        variance = _slots.along(cast(Any, x._engine), operation, centred * centred, None, axes, ddof=lost)
    else:
        over = units.axis(operation, axis)
        terms = (x.unit_count if over in units.OVER_UNITS else 1) * (x.slot_count if over in units.OVER_SLOTS else 1)
        lost = _lost(operation, ddof, terms)
        mean = x.mean(over)
        if mean.unit_count < x.unit_count:
            mean = cast(Any, x._engine).vstack([mean] * x.unit_count)
        centred = x - mean
        variance = (centred * centred).sum(over) * (1 / (terms - lost))
    # The mean of squares about the mean is at most that about the middle.
    low, high = cast("tuple[float, float]", x.interval)
    largest = ((high - low) / 2) ** 2 * terms / (terms - lost)
    is_known = variance.is_bound_declared and largest < variance.bound
    return variance.within(0, largest) if is_known else variance


def _lost(operation: str, ddof: Any, terms: int) -> int:
    """Check by how many terms fewer a sum is divided."""
    lost = checks.integer(operation, "ddof", ddof)
    if not 0 <= lost < terms:
        raise ParameterError(
            f"{operation}: ddof is {lost} and there are {terms} terms, and 0 to {terms - 1} can be taken off; leave "
            f"it out for 0",
            option="ddof",
            value=lost,
            allowed=(0, terms - 1),
        )
    return lost


def _squared(operation: str, interval: Any) -> Interval:
    """Return where the squares of values lie, whose interval has to be said."""
    if interval is None:
        needed = (
            "square roots are fitted on intervals above 0; say where the result lies, such as "
            f"everlevel.{operation}(x, interval=(0.1, 1))"
        )
        raise checks.refusal(operation, "interval", None, needed, "(a, b) with 0 < a < b")
    low, high = checked_interval(operation, interval)
    if low <= 0:
        raise ParameterError(
            f"{operation}: interval is [{low:g}, {high:g}], and {operation} is for values above 0; say where the "
            f"result lies, such as everlevel.{operation}(x, interval=(0.1, 1))",
            option="interval",
            value=(low, high),
            allowed="(a, b) with 0 < a < b",
        )
    return low * low, high * high
