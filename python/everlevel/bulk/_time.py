"""Times of calls, before they are made."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Any, Final, NamedTuple

from .._common import checks
from ..errors import MessageError
from ._core import Core
from ._moves import grid

__all__ = ["TimeEstimate"]


class _Times(NamedTuple):
    """Times on one core of an AMD EPYC (Zen 4) at N = 2^16, the least of three."""

    pair: float
    """Seconds of a look-up of two units."""
    single: float
    """Seconds of a look-up of one unit."""
    of_tfhe: float
    """Seconds of a value by TFHE's set of the same name, each of 64."""


TIMES: Final = {
    "gate-128": _Times(1.45, 1.11, 1.85e-3),
    "integer-1-128": _Times(1.24, 0.94, 1.84e-3),
    "integer-2-128": _Times(1.45, 1.07, 2.82e-3),
    "integer-3-128": _Times(1.61, 1.23, 3.20e-3),
    "integer-4-128": _Times(1.85, 1.34, 4.10e-3),
    "integer-5-128": _Times(2.35, 1.53, 12.1e-3),
    "integer-6-128": _Times(2.76, 1.86, 23.5e-3),
    "integer-7-128": _Times(4.20, 2.99, 61.7e-3),
    "integer-8-128": _Times(5.34, 3.59, 125e-3),
}
_PRODUCT: Final = 0.012
"""Seconds of a selection of a unit."""
_DIAGONAL: Final = 0.008
"""Seconds of a diagonal of a matrix, of which a roll has two in each unit."""
_LOG_N: Final = 16
_MOST: Final = 2**48
_OPERATIONS: Final = ("bootstrap", "select", "roll", "permute")


@dataclass(frozen=True)
class TimeEstimate:
    """The time that a call takes, on one core of this machine.

    Attributes
    ----------
    seconds : float
    tfhe_seconds : float or None
        Those of the same look-ups by `everlevel.tfhe`, with parameters of the same name, where there are look-ups.
    advice : str
        Which of both is faster.

    Examples
    --------
    >>> estimate = bulk_engine.estimate_time("bootstrap", (200, 300))
    >>> estimate.seconds < estimate.tfhe_seconds
    True
    """

    seconds: float
    tfhe_seconds: float | None
    advice: str

    def __str__(self) -> str:
        return f"{self.seconds:.2g} s{'; ' if self.advice else ''}{self.advice}"


def estimate_time(self: Core, operation: str, shape: Any) -> TimeEstimate:
    """Tell the time that a call would take, before it is made, on one core of this machine.

    Parameters
    ----------
    operation : str
        ``"bootstrap"``, which is a gate as well, ``"select"``, ``"roll"``, or ``"permute"`` by any order.
    shape : int or tuple of int
        Of the array.

    Returns
    -------
    TimeEstimate
        Seconds, beside those of `everlevel.tfhe`, which is faster for a few hundred values. A small model is timed once
        in each process, which takes up to two seconds.

    Raises
    ------
    ParameterError
        If there is no such operation.
    MessageError, OperandTypeError
        If the shape is none, or has no elements, or too many.

    Examples
    --------
    >>> f"a look-up takes {bulk_engine.estimate_time('bootstrap', (200, 300))}"
    'a look-up takes ... s'
    """
    # A model's plan is what tells the machine's speed, and few users of tables have one.
    from ..ml._machine import factor

    name = "estimate_time"
    checks.one_of(name, "operation", operation, _OPERATIONS, "name one of them")
    size, context, times = _size(name, shape), self._context.ckks, TIMES[self._parameters]
    units, slots = -(-size // context.slot_count), context.slot_count
    look_up = units // 2 * times.pair + units % 2 * times.single
    steps = 2.0 ** (context.log_n - _LOG_N)
    whole = {
        "bootstrap": look_up * steps,
        "select": units * _PRODUCT * steps,
        "roll": 2 * units * _DIAGONAL * steps,
        "permute": (2 * look_up + grid(units, slots)[1] * _DIAGONAL) * steps,
    }
    speed = factor(context.log_n)
    seconds = whole[operation] * speed
    if operation != "bootstrap":
        return TimeEstimate(seconds, None, "")
    of_tfhe = size * times.of_tfhe * speed
    advice = f"use everlevel.tfhe for so few values, which takes {of_tfhe:.2g} s" if of_tfhe < seconds else ""
    return TimeEstimate(seconds, of_tfhe, advice)


def _size(operation: str, shape: Any) -> int:
    """Return the number of elements of a shape."""
    sizes = (shape,) if checks.is_integer(shape) else tuple(checks.sequence(operation, "shape", shape))
    size = prod(checks.integer(operation, "shape", each) for each in sizes)
    if min(sizes, default=1) < 1 or size > _MOST:
        raise MessageError(
            f"{operation}: the shape is {shape}, and 1 to 2^48 elements are needed; choose other sizes", length=size
        )
    return size
