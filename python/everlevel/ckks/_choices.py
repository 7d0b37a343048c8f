"""Comparisons and what chooses by them, to the engine's gap: `>`, signs, absolute values, clips, choices.

The gap is a share of the bound of what is compared, `Engine.gap` of it. The engine's own methods (`Engine.compare` and
its kin) take a gap, an error and a bound for each call.
"""

from __future__ import annotations

from typing import Any, Final, cast

import numpy as np
from numpy.typing import ArrayLike

from .._common import checks
from .._common.opaque import Opaque
from ..errors import MessageError, OperandTypeError, ParameterError
from . import _checks
from ._arithmetic import Operand
from ._elementary import claimed, real
from ._numpy import NUMPY
from .ciphertext import Ciphertext

__all__ = ["absolute", "clip", "maximum", "minimum", "sign", "where"]

_SIGN_ERROR: Final = 2.0**-19
"""More than what a sign outside of its gap, or a bootstrap, is off."""


@NUMPY.implements(np.greater, np.greater_equal)
def greater(left: Operand, right: Operand) -> Ciphertext:
    """Compute 1 where `left` > `right` and 0 where it is less, as the operator ``>`` does.

    Where they differ by less than the engine's gap, a share of the bound of the difference, anything from 0 to 1 comes
    out: 1/2 where they are equal.
    """
    engine, precision = _of_difference("greater", left, right)
    return cast(Ciphertext, engine.compare(left, right, **precision))


@NUMPY.implements(np.less, np.less_equal)
def less(left: Operand, right: Operand) -> Ciphertext:
    """Compute 1 where `left` < `right` and 0 where it is greater. All else is as in `greater`."""
    return greater(right, left)


@NUMPY.implements(np.maximum)
def maximum(left: Operand, right: Operand) -> Ciphertext:
    """Compute the larger value, slot by slot, to half of the engine's gap.

    Parameters
    ----------
    left, right : Ciphertext, Plaintext, array_like or number
        Real; at least one of them a ciphertext.

    Returns
    -------
    Ciphertext
        As `Engine.maximum` gives it, with the gap in the proportion of `Engine.gap` to the bound of the difference.
        Levels consumed: 1, and none of what is above the highest but one.

    Examples
    --------
    >>> import everlevel
    >>> deep = Engine(use_bootstrap=True, insecure_log_n=10)
    >>> secret = deep.create_secret_key()
    >>> key = deep.create_evaluation_key(secret, bootstrap="lossy")
    >>> x = deep.encrypt([0.5, -0.75], secret, bound=1)
    >>> deep.decrypt(everlevel.maximum(x, -0.25), secret)[:2].round(2)
    array([ 0.5 , -0.25])
    """
    engine, precision = _of_difference("maximum", left, right)
    return cast(Ciphertext, engine.maximum(left, right, **precision))


@NUMPY.implements(np.minimum)
def minimum(left: Operand, right: Operand) -> Ciphertext:
    """Compute the smaller value, slot by slot. All else is as in `maximum`.

    Examples
    --------
    >>> import everlevel
    >>> deep = Engine(use_bootstrap=True, insecure_log_n=10)
    >>> secret = deep.create_secret_key()
    >>> key = deep.create_evaluation_key(secret, bootstrap="lossy")
    >>> x = deep.encrypt([0.5, -0.75], secret, bound=1)
    >>> deep.decrypt(everlevel.minimum(x, 0.25), secret).round(2)
    array([ 0.25, -0.75])
    """
    engine, precision = _of_difference("minimum", left, right)
    return cast(Ciphertext, engine.minimum(left, right, **precision))


@NUMPY.implements(np.sign)
def sign(x: Ciphertext) -> Ciphertext:
    """Compute the sign: ±1 up to 2^-20 for values of at least the engine's gap; anything between for smaller ones.

    Parameters
    ----------
    x : Ciphertext
        Real, of two polynomials.

    Returns
    -------
    Ciphertext
        At the highest level, as `Engine.sign` gives it, with the gap in the proportion of `Engine.gap` to the bound.

    Raises
    ------
    ParameterError
        If the engine has no bootstraps.
    OperandTypeError, MissingKeyError, KeyMismatchError
        As in `Engine.sign`.

    Examples
    --------
    >>> import everlevel
    >>> deep = Engine(use_bootstrap=True, insecure_log_n=10)
    >>> secret = deep.create_secret_key()
    >>> key = deep.create_evaluation_key(secret, bootstrap="lossy")
    >>> deep.decrypt(everlevel.sign(deep.encrypt([3.0, -5.0], secret, bound=10)), secret)[:2].round(3)
    array([ 1., -1.])
    """
    engine, precision = _of_value("sign", x)
    return cast(Ciphertext, engine.sign(x, **precision))


@NUMPY.implements(np.absolute, np.fabs)
def absolute(x: Ciphertext) -> Ciphertext:
    """Compute the absolute value, as ``abs(x)`` does, with an error of at most the engine's gap.

    Parameters
    ----------
    x : Ciphertext
        Real, of two polynomials.

    Returns
    -------
    Ciphertext
        As `Engine.abs` gives it, with the gap in the proportion of `Engine.gap` to the bound. Levels consumed: 1, and
        none of what is above the highest but one.

    Examples
    --------
    >>> import everlevel
    >>> deep = Engine(use_bootstrap=True, insecure_log_n=10)
    >>> secret = deep.create_secret_key()
    >>> key = deep.create_evaluation_key(secret, bootstrap="lossy")
    >>> deep.decrypt(abs(deep.encrypt([3.0, -5.0], secret, bound=10)), secret)[:2].round(2)
    array([3., 5.])
    """
    engine, precision = _of_value("abs", x)
    return cast(Ciphertext, engine.abs(x, **precision))


def clip(x: Ciphertext, low: float | None = None, high: float | None = None) -> Ciphertext:
    """Limit values to an interval, as ``numpy.clip`` does, with an error of at most half of the engine's gap.

    Each end that values may be beyond, by their bound, costs one sign.

    Parameters
    ----------
    x : Ciphertext
        Real, of two polynomials.
    low, high : float, optional
        The ends; None for no limit on that side.

    Returns
    -------
    Ciphertext
        low + relu(x - low) - relu(x - high). Levels consumed: as in `Engine.relu`.

    Raises
    ------
    ParameterError
        If an end is no finite number, or they are in the wrong order; or if the engine has no bootstraps.
    OperandTypeError, MissingKeyError, KeyMismatchError
        As in `Engine.relu`.

    Examples
    --------
    >>> import everlevel
    >>> deep = Engine(use_bootstrap=True, insecure_log_n=10)
    >>> secret = deep.create_secret_key()
    >>> key = deep.create_evaluation_key(secret, bootstrap="lossy")
    >>> x = deep.encrypt([-1.5, 0.25, 1.5], secret, bound=2)
    >>> deep.decrypt(everlevel.clip(x, 0, 1), secret)[:3].round(2) + 0
    array([0.  , 0.25, 1.  ])
    """
    operation = "clip"
    value = real(operation, x)
    least, most = _end(operation, "low", low, -np.inf), _end(operation, "high", high, np.inf)
    if least > most:
        raise ParameterError(
            f"{operation}: low is {least:g} and high is {most:g}, and the smaller comes first; exchange them",
            option="low",
            value=least,
            allowed=(-np.inf, most),
        )
    bound = value.bound
    lost, result = 0.0, value
    if least > -bound:
        result = least + _relu(value - least)
        lost = _lost(value, bound + abs(least))
    if most < bound:
        result = result - _relu(value - most)
        lost = max(lost, _lost(value, bound + abs(most)))
    return claimed(result, max(abs(max(least, -bound)), abs(min(most, bound))) + lost)


def where(condition: Ciphertext | ArrayLike, x: Operand, y: Operand) -> Ciphertext:
    """Choose, slot by slot, as ``numpy.where`` does: x where the condition is 1, and y where it is 0.

    Parameters
    ----------
    condition : Ciphertext or array_like of bool
        Encrypted zeros and ones, such as `x > y`, or truth values in the clear. What is between 0 and 1 gives what is
        between y and x, which is what comparisons within their gap come to; that nothing is beyond is the caller's
        claim.
    x, y : Ciphertext, array_like or number
        What to choose from.

    Returns
    -------
    Ciphertext
        y + condition * (x - y). Its bound is the larger of both. Levels consumed: 1.

    Raises
    ------
    OperandTypeError
        If nothing is encrypted, or the condition is complex.

    Examples
    --------
    >>> import everlevel
    >>> x = engine.encrypt([1.0, 2.0, 3.0], secret_key, bound=3)
    >>> engine.decrypt(everlevel.where([True, False, True], x, [9.0, 9.0, 9.0]), secret_key)[:3].round(3)
    array([1., 9., 3.])
    """
    operation = "where"
    encrypted = [value for value in (condition, x, y) if isinstance(value, Ciphertext)]
    if not encrypted:
        raise OperandTypeError(
            f"{operation}: nothing is encrypted, and a Ciphertext is needed; call numpy.where",
            argument="condition, x, y",
            expected="Ciphertext",
            actual=", ".join(type(value).__name__ for value in (condition, x, y)),
        )
    chooser, first, second = (_chosen_from(operation, value, encrypted[0]) for value in (condition, x, y))
    lengths = sorted(
        {len(value) for value in (chooser, first, second) if isinstance(value, np.ndarray) and value.ndim == 1}
    )
    if len(lengths) > 1:
        raise MessageError(
            f"{operation}: arrays have {lengths[0]} values and {lengths[-1]}, and a choice needs one for each slot; "
            f"give as many in each",
            length=lengths[0],
        )
    if not isinstance(chooser, Ciphertext):
        mask = (chooser != 0) * 1.0
        return cast(Ciphertext, first * mask + second * (1 - mask))
    chosen: Ciphertext = second + real(operation, chooser) * (first - second)
    if chooser.bound > 1 + _SIGN_ERROR:
        return chosen
    return claimed(chosen, max(_size(operation, value, chosen) for value in (first, second)))


@NUMPY.implements(np.where)
def _numpy_where(condition: Any, x: Any, y: Any) -> Ciphertext:
    return where(condition, x, y)


@NUMPY.implements(np.clip)
def _numpy_clip(a: Any, a_min: Any = None, a_max: Any = None, *, min: Any = None, max: Any = None) -> Ciphertext:  # noqa: A002
    return clip(a, a_min if min is None else min, a_max if max is None else max)


def _relu(difference: Ciphertext) -> Ciphertext:
    engine, precision = _of_value("relu", difference)
    return cast(Ciphertext, engine.relu(difference, **precision))


def _lost(x: Ciphertext, bound: float) -> float:
    """Bound of what one rectified difference is off: half of its gap, and what its sign is off elsewhere."""
    gap: float = cast(Any, x._engine).gap
    return bound * (gap / 2 + _SIGN_ERROR)


def _end(operation: str, name: str, value: Any, default: float) -> float:
    """Check an end of an interval; None stands for no end."""
    if value is None:
        return default
    found = checks.number(value)
    if not np.isfinite(found):
        raise checks.refusal(operation, name, value, "a finite number is needed; leave it out for no limit there")
    return found


def _chosen_from(operation: str, value: Any, x: Ciphertext) -> Any:
    """Return an operand of a choice beside a ciphertext: one, a number or an array of numbers."""
    if isinstance(value, Opaque):
        return checks.instance(operation, "operand", value, Ciphertext)
    if _checks.is_scalar(value):
        number = _checks.scalar(operation, value)
        return number if number.imag else number.real
    values, is_real, shape = _checks.array(operation, value, x.slot_count)
    return (values.real if is_real else values).reshape(shape)


def _of_value(operation: str, value: Any) -> tuple[Any, dict[str, float]]:
    """Return the engine of a value whose sign is asked for, with gap and bound."""
    x = real(operation, value)
    return x._engine, _precision(x, x.bound)


def _of_difference(operation: str, left: Any, right: Any) -> tuple[Any, dict[str, float]]:
    """Return the engine of two operands that are compared, with gap and bound of their difference."""
    x = left if isinstance(left, Ciphertext) else right
    if not isinstance(x, Ciphertext):
        raise checks.none_encrypted(operation, "left, right", left, right)
    # A little more than the core's own sum of the two.
    return x._engine, _precision(x, (_size(operation, left, x) + _size(operation, right, x)) * (1 + 2.0**-40))


def _size(operation: str, operand: Any, x: Ciphertext) -> float:
    """Bound of the sizes of an operand's values, beside a ciphertext."""
    if isinstance(operand, Ciphertext):
        return operand.bound
    if isinstance(operand, Opaque):
        return cast(Any, x._engine).subtract(x, operand).bound - x.bound  # type: ignore[no-any-return]
    if _checks.is_scalar(operand):
        return abs(_checks.scalar(operation, operand))
    return float(np.abs(_checks.array(operation, operand, x.slot_count)[0]).max())


def _precision(x: Ciphertext, bound: float) -> dict[str, float]:
    """Gap and bound of a sign: the gap is the engine's share of the bound."""
    bound = bound or 1.0
    gap: float = cast(Any, x._engine).gap
    return {"gap": gap * bound, "bound": bound}
