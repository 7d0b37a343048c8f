"""Encrypted values to integers: a comparison for each binary digit of the integers that values may come to.

A digit is the comparison of what is left, u in [0, 1], with 1/2, and leaves ``2u - (u > 1/2)``. That is in [0, 1] again
if the comparison comes to between 0 and 1/2 for smaller u, and between 1/2 and 1 for larger ones, as it does within its
gap. So values that are nearer than the gap to an integer come out between the integer and the one before.
"""

from __future__ import annotations

import math
from typing import Any, Final, cast

import numpy as np

from .._common import checks
from ..errors import ParameterError
from ._bootstrap_keys import require_bootstrap
from ._elementary import real
from ._numpy import NUMPY
from ._shaping import known, masked
from .ciphertext import Ciphertext

__all__ = ["ceil", "floor", "round"]

_MARGIN: Final = 1 + 2.0**-10
"""By how much noise and the errors of signs may put values beyond where they lie."""
_LARGEST_RATIO: Final = 2.0**12
"""Share of the gap in the size of a value whose sign is computed."""
_MOST_DECIMALS: Final = 9


@NUMPY.implements(np.floor)
def floor(x: Ciphertext) -> Ciphertext:
    """Compute the largest integer that isn't above a value, as ``numpy.floor`` does.

    Values that are nearer to an integer than `Engine.gap` come out between it and the one before: for them the result
    is unspecified. Integers are such values; `round` is for what is an integer but for its errors.

    Parameters
    ----------
    x : Ciphertext
        Real, of two polynomials. Its bound says how many digits there are: claim a smaller one with
        `Ciphertext.within` where it is known.

    Returns
    -------
    Ciphertext
        One level below the highest, with an error of at most 2^-20 of the bound, beside the noise of bootstraps. Cost:
        an `Engine.compare` for each binary digit of the number of results, 1 for a bound of 1 and 4 for one of 8. It
        begins with a multiplication.

    Raises
    ------
    ParameterError
        If the engine has no bootstraps, or results are more than `Engine.gap` tells apart: 64 with the usual one.
    LevelError
        At level 0.
    OperandTypeError, CiphertextFormError, MissingKeyError, KeyMismatchError
        If x is no real ciphertext of two polynomials, or as in `Engine.sign`.

    Examples
    --------
    >>> import everlevel
    >>> deep = Engine(use_bootstrap=True, insecure_log_n=10)
    >>> secret = deep.create_secret_key()
    >>> key = deep.create_evaluation_key(secret, bootstrap="lossy")
    >>> x = deep.encrypt([2.75, -0.5, 1.25], secret, bound=3)
    >>> deep.decrypt(everlevel.floor(x), secret)[:3].round(3)
    array([ 2., -1.,  1.])
    """
    return _floor("floor", real("floor", x), 0.0)


@NUMPY.implements(np.ceil)
def ceil(x: Ciphertext) -> Ciphertext:
    """Compute the smallest integer that isn't below a value: ``-floor(-x)``. All else is as in `floor`.

    Examples
    --------
    >>> import everlevel
    >>> deep = Engine(use_bootstrap=True, insecure_log_n=10)
    >>> secret = deep.create_secret_key()
    >>> key = deep.create_evaluation_key(secret, bootstrap="lossy")
    >>> x = deep.encrypt([2.25, -0.75], secret, bound=3)
    >>> deep.decrypt(everlevel.ceil(x), secret).round(3) + 0
    array([3., 0.])
    """
    return -_floor("ceil", -real("ceil", x), 0.0)


def round(x: Ciphertext, decimals: int = 0) -> Ciphertext:  # noqa: A001 (NumPy's)
    """Round to the nearest integer, or to decimals, as ``numpy.round`` does; also ``round(x)`` of Python.

    Values that are nearer to the middle of two integers than `Engine.gap` come out between the two.

    Parameters
    ----------
    x
        As in `floor`.
    decimals : int, default 0
        0 to 9: x · 10^decimals is rounded, and divided again.

    Returns
    -------
    Ciphertext
        As in `floor`; decimals cost a level.

    Raises
    ------
    ParameterError, OperandTypeError, CiphertextFormError, MissingKeyError, KeyMismatchError
        As in `floor`.

    Examples
    --------
    >>> import everlevel
    >>> deep = Engine(use_bootstrap=True, insecure_log_n=10)
    >>> secret = deep.create_secret_key()
    >>> key = deep.create_evaluation_key(secret, bootstrap="lossy")
    >>> x = deep.encrypt([2.75, -0.25, 1.001], secret, bound=3)
    >>> deep.decrypt(everlevel.round(x), secret)[:3].round(3) + 0
    array([3., 0., 1.])
    """
    operation, advice = "round", "scale by what is needed, 100 * everlevel.round(x / 100)"
    digits = checks.integer_between(operation, "decimals", decimals, 0, _MOST_DECIMALS, advice)
    scale = 10**digits
    value = real(operation, x)
    rounded = _floor(operation, value * scale if digits else value, 0.5)
    return rounded * (1 / scale) if digits else rounded


@NUMPY.implements(np.rint)
def _rint(x: Ciphertext) -> Ciphertext:
    return round(x)


@NUMPY.implements(np.round)
def _numpy_round(a: Any, decimals: Any = 0) -> Ciphertext:
    return round(a, decimals)


def _floor(operation: str, x: Ciphertext, shift: float) -> Ciphertext:
    """Compute the floor of x + shift."""
    engine = cast(Any, x._engine)
    require_bootstrap(engine._context, operation)
    bound = x.bound
    low, high = math.floor(shift - bound), math.ceil(bound + shift)
    digits = (max(high - low, 1) - 1).bit_length()
    if 2 ** (digits - 1) * _MARGIN > engine.gap * _LARGEST_RATIO:
        most = 2 ** math.floor(math.log2(engine.gap * _LARGEST_RATIO / _MARGIN))
        raise ParameterError(
            f"{operation}: values may be as large as {bound:g}, and with a gap of {engine.gap:g} integers up to "
            f"{most} are told apart; claim where they lie, x.within({most - 1}), or make the engine with a larger gap",
            option="gap",
            value=bound,
            allowed=most,
        )
    if not digits:
        return x * 0 + low
    # In [0, 1], where bootstraps before a sign err least; the same at every digit.
    left = (x + (shift - low)) * 0.5**digits
    result: Any = 0
    size = _MARGIN / 2
    for place in reversed(range(digits)):
        # Zeros behind the values, since digits there are no integers and don't stay below the size.
        digit = engine.compare(known(masked(left - 0.5), size), 0, gap=engine.gap / 2 ** (place + 1), bound=size)
        left, result = 2 * left - digit, 2 * result + digit
    return known(low + result, max(abs(low), abs(high)) * _MARGIN)
