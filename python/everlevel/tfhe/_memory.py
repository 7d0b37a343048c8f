"""Memory that calls take, told beforehand."""

from __future__ import annotations

from typing import Final

from .._common.memory import MemoryEstimate, check_number, check_operation
from ._core import Core

_KNOWN: Final = (
    "create_public_key",
    "create_evaluation_key",
    "create_lookup_key",
    "create_compression_key",
    "encrypt",
    "rerandomize",
    "decompress",
)


def estimate_memory(self: Core, operation: str, *, count: int = 1) -> MemoryEstimate:
    """Tell the memory that a call would take, before it is made.

    The call itself looks before it begins whether that, a tenth more, and 256 MB are there, and raises
    `OutOfMemoryError` if they aren't.

    Parameters
    ----------
    operation : str
        ``"create_public_key"``, ``"create_evaluation_key"``, ``"create_lookup_key"``, ``"create_compression_key"``,
        ``"encrypt"``, ``"rerandomize"`` or ``"decompress"``.
    count : int, default 1
        Ciphertexts that are made: one for each bit, or integer of a few bits.

    Returns
    -------
    MemoryEstimate
        `held` by the result, and `work` besides until it is done, in bytes.

    Raises
    ------
    ParameterError
        If there is no such operation, or the parameters have none.

    Examples
    --------
    >>> from everlevel import tfhe
    >>> engine = tfhe.Engine(insecure_log_n=9)
    >>> evaluation_key = engine.create_evaluation_key(engine.create_secret_key())
    >>> engine.estimate_memory("create_evaluation_key").held == evaluation_key.nbytes
    True
    """
    name = check_operation(operation, _KNOWN)
    number = check_number("count", count)
    if name in ("encrypt", "rerandomize", "decompress"):
        return MemoryEstimate(self._context.ciphertexts_nbytes(number), 0)
    if name == "create_public_key":
        return MemoryEstimate(self._context.public_key_nbytes(), 0)
    if name == "create_compression_key":
        return MemoryEstimate(self._context.compression_key_nbytes(), 0)
    if name == "create_lookup_key":
        return MemoryEstimate(self._context.lookup_key_nbytes(), 0)
    return MemoryEstimate(self._context.evaluation_key_nbytes(), 0)
