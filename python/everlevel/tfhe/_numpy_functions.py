"""NumPy functions of encrypted arrays for which these have no operator or method, with NumPy's arguments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..errors import MessageError
from . import _checks
from ._array import EncryptedArray, concatenate, stack
from ._numpy import NUMPY


def _engine(*values: Any) -> Any:
    """Return the engine of the first encrypted operand. NumPy calls these functions with at least one."""
    return next(value for value in values if isinstance(value, EncryptedArray))._engine


@NUMPY.implements(np.minimum)
def _minimum(x1: Any, x2: Any) -> Any:
    return _engine(x1, x2).minimum(x1, x2)


@NUMPY.implements(np.maximum)
def _maximum(x1: Any, x2: Any) -> Any:
    return _engine(x1, x2).maximum(x1, x2)


@NUMPY.implements(np.where)
def _where(condition: Any, x: Any, y: Any) -> Any:
    return _engine(condition, x, y).select(condition, x, y)


@NUMPY.implements(np.clip)
def _clip(a: Any, a_min: Any, a_max: Any) -> Any:
    """Clip below and then above: where the bounds cross, the upper one holds, as in NumPy."""
    low = a if a_min is None else _maximum(a, a_min)
    return low if a_max is None else _minimum(low, a_max)


@NUMPY.implements(np.square)
def _square(x: Any) -> Any:
    return x * x


def _bitwise_count(x: Any) -> Any:
    return _engine(x).bitwise_count(x)


# NumPy has it from 2.0 on.
if hasattr(np, "bitwise_count"):
    NUMPY.implements(np.bitwise_count)(_bitwise_count)


@NUMPY.implements(np.stack)
def _stack(arrays: Sequence[Any], axis: int = 0) -> Any:
    return stack(arrays, axis)


@NUMPY.implements(np.concatenate)
def _concatenate(arrays: Sequence[Any], axis: int = 0) -> Any:
    return concatenate(arrays, axis)


@NUMPY.implements(np.ravel)
def _ravel(a: EncryptedArray[Any]) -> Any:
    return a.reshape(-1)


@NUMPY.implements(np.transpose)
def _transpose(a: EncryptedArray[Any], axes: Any = None) -> Any:
    try:
        return a._take(_checks.places(a.shape).transpose(axes))
    except (ValueError, TypeError):
        raise MessageError(
            f"transpose: axes {axes!r} aren't those of an array of shape {a.shape}; "
            f"name each of its {a.ndim} dimensions once, or leave them out"
        ) from None
