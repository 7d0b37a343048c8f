"""Numbers of bytes, and other sizes, as text."""

from __future__ import annotations

import math


def format_bytes(count: int) -> str:
    """Write a number of bytes in the largest decimal unit that keeps it above one."""
    if count < 1000:
        return f"{count} B"
    for unit, size in (("kB", 1e3), ("MB", 1e6)):
        if count < 999.95 * size:
            return f"{count / size:.1f} {unit}"
    return f"{count / 1e9:.1f} GB"


def at_least(number: float) -> str:
    """Write a number of three digits that is no smaller."""
    digit = 10.0 ** (math.floor(math.log10(abs(number))) - 2) if number else 1.0
    return f"{math.ceil(number / digit - 1e-10) * digit:g}"


def at_most(number: float) -> str:
    """Write a number of three digits that is no larger."""
    return f"{-float(at_least(-number)) + 0.0:g}"
