"""How many threads an engine has."""

from __future__ import annotations

import os
from typing import Any, Final

from . import checks

_MOST_THREADS: Final = 256
"""A machine may have more."""

_share: int = _MOST_THREADS


def take_share(count: int | None) -> None:
    """Give engines that are made in this process from here on no more threads than `count`, unless they ask.

    `None` gives them all of the machine again.
    """
    global _share
    _share = _MOST_THREADS if count is None else count


def cores() -> int:
    """Count the cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def threads(value: Any) -> int:
    """Check a number of threads, and find it where it is left out."""
    available = min(cores(), _share, _MOST_THREADS)
    if value is None:
        return available
    next_step = f"leave it out for the {available} of this machine"
    return checks.integer_between("Engine", "thread_count", value, 1, _MOST_THREADS, next_step)
