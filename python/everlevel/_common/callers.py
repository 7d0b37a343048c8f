"""Who called this package: where a warning belongs."""

from __future__ import annotations

import os
import sys
import warnings
from types import FrameType

_warned: set[tuple[object, ...]] = set()
_filters: tuple[object, int] = (None, 0)
"""The list of filters that these were warned under, and its length. It is held, so that no other takes its place."""


def depth() -> int:
    """Count the frames from who asks up to the first outside of this package: `stacklevel` of `warnings.warn`."""
    return _caller(sys._getframe(1))[0]


def place() -> str:
    """Return the file's name and the line of the first frame outside of this package."""
    frame = _caller(sys._getframe(1))[1]
    return f"{os.path.basename(frame.f_code.co_filename)}:{frame.f_lineno}"


def warn_once(kind: str, warning: Warning) -> None:
    """Warn once of a kind at each line outside of this package, whatever the values that the warning tells.

    Filters that were set since make it new again.
    """
    global _filters
    count, frame = _caller(sys._getframe(1))
    if _filters[0] is not warnings.filters or _filters[1] != len(warnings.filters):
        _filters = (warnings.filters, len(warnings.filters))
        _warned.clear()
    key = (kind, frame.f_code.co_filename, frame.f_lineno)
    if key not in _warned:
        _warned.add(key)
        warnings.warn(warning, stacklevel=count + 1)


def _caller(frame: FrameType) -> tuple[int, FrameType]:
    """Return the first frame outside of this package, and how many there are up to it."""
    count = 1
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "everlevel":
        count, frame = count + 1, frame.f_back
    return count, frame
