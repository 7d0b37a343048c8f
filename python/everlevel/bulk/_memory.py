"""Memory of calls, before they are made."""

from __future__ import annotations

from typing import Final

from .._common.memory import MemoryEstimate, arguments, check_number, check_operation
from ._core import Core
from ._sets import LEVEL, STAGE_COUNT

_CALLS: Final = {
    "create_evaluation_key": ("create_table_bootstrap_key", "create_relinearization_key", "create_conjugation_key"),
    "encrypt": ("encrypt",),
    "bootstrap": ("table_bootstrap",),
}
"""CKKS's calls that an operation makes, one after another."""


def estimate_memory(self: Core, operation: str, *, count: int = 1) -> MemoryEstimate:
    """Tell the memory that a call would take, before it is made.

    The creation of keys itself looks before it begins whether that, a tenth more, and 256 MB are there, and raises
    `OutOfMemoryError` if they aren't.

    Parameters
    ----------
    operation : str
        ``"create_evaluation_key"``, ``"encrypt"`` or ``"bootstrap"``.
    count : int, default 1
        Values of the array.

    Returns
    -------
    MemoryEstimate
        `held` by the result, and `work` besides until it is done, in bytes.

    Raises
    ------
    ParameterError
        If there is no such operation.

    Examples
    --------
    >>> bulk_engine.estimate_memory("encrypt", count=512).held
    81920
    """
    calls = _CALLS[check_operation(operation, tuple(_CALLS))]
    context = self._context.ckks
    units = -(-check_number("count", count) // context.slot_count)
    call = arguments(
        # Keys are for all levels.
        level=context.max_level if operation == "create_evaluation_key" else LEVEL,
        stage_count=STAGE_COUNT,
        count=-(-units // 2) if operation == "bootstrap" else units,
    )
    found = [context.footprint(name, call) for name in calls]
    return MemoryEstimate(sum(held for held, _ in found), max(work for _, work in found))
