"""Numbers of bytes as text."""

from __future__ import annotations


def format_bytes(count: int) -> str:
    """Write a number of bytes in the largest decimal unit that keeps it above one."""
    if count < 1000:
        return f"{count} B"
    for unit, size in (("kB", 1e3), ("MB", 1e6)):
        if count < 999.95 * size:
            return f"{count / size:.1f} {unit}"
    return f"{count / 1e9:.1f} GB"
