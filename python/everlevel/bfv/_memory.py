"""Memory that calls take, told beforehand."""

from __future__ import annotations

from .._common.memory import MemoryEstimate, check_number, check_operation
from ._core import Core


def estimate_memory(self: Core, operation: str, *, count: int = 1) -> MemoryEstimate:
    """Tell the memory that a call would take, before it is made.

    The creation of keys itself looks before it begins whether that, a tenth more, and 256 MB are there, and raises
    `OutOfMemoryError` if they aren't.

    Parameters
    ----------
    operation : str
        ``"create_evaluation_key"`` or ``"encrypt"``.
    count : int, default 1
        Keys that are made, that of products among them; or ciphertexts.

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
    >>> print(bfv_engine.estimate_memory("encrypt"))
    49.2 kB, and 0 B until it is done
    """
    name = check_operation(operation, ("create_evaluation_key", "encrypt"))
    number = check_number("count", count)
    if name == "encrypt":
        return MemoryEstimate(self._context.ciphertexts_nbytes(number), 0)
    return MemoryEstimate(*self._context.keys_nbytes(number))
