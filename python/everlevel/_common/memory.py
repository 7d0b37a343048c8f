"""Memory that calls take."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from . import checks
from .sizes import format_bytes

__all__ = ["MemoryEstimate"]

_MOST: Final = 2**24


@dataclass(frozen=True)
class MemoryEstimate:
    """The memory that a call takes, in bytes.

    Attributes
    ----------
    held : int
        Held by the result, as long as it lives.
    work : int
        Taken besides at most, until the call is done. Engines keep this memory for their next calls.

    Examples
    --------
    >>> estimate = bfv_engine.estimate_memory("create_evaluation_key")
    >>> estimate.held > estimate.work
    True
    >>> print(bfv_engine.estimate_memory("encrypt"))
    49.2 kB, and 0 B until it is done
    """

    held: int
    work: int

    @property
    def peak(self) -> int:
        """Both: what has to be there for the call.

        Examples
        --------
        >>> estimate = bfv_engine.estimate_memory("create_evaluation_key")
        >>> estimate.peak == estimate.held + estimate.work
        True
        """
        return self.held + self.work

    def __str__(self) -> str:
        return f"{format_bytes(self.held)}, and {format_bytes(self.work)} until it is done"


def arguments(**given: Any) -> dict[str, Any]:
    """Return the arguments that the memory of a call of CKKS depends on: those that are given, beside usual ones."""
    usual = {"stage_count": 0, "large": False, "small": False, "count": 1, "shape": (1, 1), "is_real": True}
    return {**usual, **given}


def check_operation(operation: Any, known: Sequence[str]) -> str:
    """Check that the memory of an operation is known."""
    if not (isinstance(operation, str) and operation in known):
        needed = f"estimates are known of {', '.join(known)}; name one of them"
        raise checks.refusal("estimate_memory", "operation", operation, needed, tuple(known))
    return operation


def check_number(name: str, value: Any) -> int:
    """Check a number of things."""
    return checks.integer_between("estimate_memory", name, value, 1, _MOST, "choose one of these")
