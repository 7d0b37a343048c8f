"""Times of calls, before they are made."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Any, Final

from numpy.typing import DTypeLike

from .._common import checks
from ..errors import MessageError
from . import _dry
from ._core import Core
from ._digit_types import integer_type, require_digits
from ._measured import TIMES
from ._moves import grid

__all__ = ["TimeEstimate"]


_PRODUCT: Final = 0.012
"""Seconds of a selection of a unit."""
_DIAGONAL: Final = 0.008
"""Seconds of a diagonal of a matrix, of which a roll has two in each unit."""
_LOG_N: Final = 16
_MOST: Final = 2**48
_OPERATIONS: Final = ("bootstrap", "select", "roll", "permute")
_INTEGERS: Final = tuple(_dry.KINDS)


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


def estimate_time(self: Core, operation: str, shape: Any, dtype: DTypeLike | None = None) -> TimeEstimate:
    """Tell the time that a call would take, before it is made, on one core of this machine.

    Parameters
    ----------
    operation : str
        ``"bootstrap"``, which is a gate as well, ``"select"``, ``"roll"``, or ``"permute"`` by any order. With a dtype
        one of ``"add"``, ``"subtract"``, ``"multiply"``, ``"floor_divide"``, ``"remainder"``, ``"divmod"``, ``"and"``,
        ``"or"``, ``"xor"``, ``"minimum"``, ``"maximum"``, ``"left_shift"`` and ``"right_shift"`` by encrypted amounts,
        ``"equal"``, ``"less"`` and the other comparisons.
    shape : int or tuple of int
        Of the array.
    dtype : dtype, optional
        Of integers of many bits, ``uint8`` to ``uint64`` or ``int8`` to ``int64``: two encrypted arrays of such.

    Returns
    -------
    TimeEstimate
        Seconds, beside those of `everlevel.tfhe`, which is faster for a few hundred values. A small model is timed once
        in each process, which takes up to two seconds.

    Raises
    ------
    ParameterError
        If there is no such operation.
    SpaceError
        If there is a dtype, and the parameters have no integers of many bits.
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
    checks.one_of(name, "operation", operation, _OPERATIONS if dtype is None else _INTEGERS, "name one of them")
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
    if dtype is not None:
        return _of_integers(self, operation, size, dtype, speed * steps)
    seconds = whole[operation] * speed
    if operation != "bootstrap":
        return TimeEstimate(seconds, None, "")
    return _beside_tfhe(seconds, size * times.of_tfhe * speed)


def _beside_tfhe(seconds: float, of_tfhe: float) -> TimeEstimate:
    advice = f"use everlevel.tfhe for so few values, which takes {of_tfhe:.2g} s" if of_tfhe < seconds else ""
    return TimeEstimate(seconds, of_tfhe, advice)


def _of_integers(self: Core, operation: str, size: int, dtype: Any, speed: float) -> TimeEstimate:
    """Estimate an operation on integers of many bits, by the look-ups that its circuit has."""
    name = "estimate_time"
    require_digits(self, name)
    found = integer_type(name, dtype)
    times, slots = TIMES[self._parameters], self._context.ckks.slot_count
    of = 8 * found.itemsize, found.kind == "i"
    counts = _dry.counted(self, operation, of, -(-size // slots), (times.pair, times.single))
    seconds = counts.pairs * times.pair + counts.singles * times.single
    seconds += counts.further * times.further / 2 + counts.products * _PRODUCT
    # As many tables by TFHE, whose circuits are the same.
    return _beside_tfhe(seconds * speed, counts.look_ups * size * times.of_tfhe * speed)


def _size(operation: str, shape: Any) -> int:
    """Return the number of elements of a shape."""
    sizes = (shape,) if checks.is_integer(shape) else tuple(checks.sequence(operation, "shape", shape))
    size = prod(checks.integer(operation, "shape", each) for each in sizes)
    if min(sizes, default=1) < 1 or size > _MOST:
        raise MessageError(
            f"{operation}: the shape is {shape}, and 1 to 2^48 elements are needed; choose other sizes", length=size
        )
    return size
