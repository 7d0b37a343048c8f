"""Axes of arrays, as NumPy names them."""

from __future__ import annotations

from typing import Any

from .checks import is_integer


def meant(axis: Any, ndim: int) -> tuple[int, ...] | None:
    """Return the axes that are meant, in rising order: all, one, or several; None where there are no such ones."""
    if axis is None:
        return tuple(range(ndim))
    given = axis if isinstance(axis, tuple) else (axis,)
    if not all(is_integer(each) and -ndim <= each < ndim for each in given):
        return None
    found = sorted({int(each) % ndim for each in given})
    return tuple(found) if len(found) == len(given) else None
