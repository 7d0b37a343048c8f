"""Memory that calls take, told beforehand."""

from __future__ import annotations

from typing import Any, Final

from .._common import checks
from .._common.memory import MemoryEstimate, arguments, check_number, check_operation
from . import _checks
from ._bootstrap_keys import check_stage_count
from ._core import Core
from ._options import BOOTSTRAP_SIZES

KEYS: Final = (
    "create_secret_key",
    "create_public_key",
    "create_relinearization_key",
    "create_conjugation_key",
    "create_rotation_key",
    "create_fixed_rotation_key",
    "create_matrix_multiplication_key",
)
BOOTSTRAP_KEYS: Final = ("create_bootstrap_key", "create_lossy_bootstrap_key", "create_small_bootstrap_key")
BOOTSTRAPS: Final = ("bootstrap", "lossy_bootstrap", "sign_bootstrap")
_MATRICES: Final = ("encode_to_plain_matrix", "encode_to_light_plain_matrix", "multiply_matrix")
OPERATIONS: Final = ("Engine", *KEYS, *BOOTSTRAP_KEYS, "encode", "encrypt", *BOOTSTRAPS, *_MATRICES)


def estimate_memory(
    self: Core,
    operation: str,
    *,
    level: int | None = None,
    count: int = 1,
    stage_count: int | None = None,
    size: str = "medium",
    shape: tuple[int, int] | None = None,
    is_real: bool = True,
) -> MemoryEstimate:
    """Tell the memory that a call would take, before it is made.

    The call itself looks before it begins whether that, a tenth more, and 256 MB are there, and raises
    `OutOfMemoryError` if they aren't.

    Parameters
    ----------
    operation : str
        The call: ``"Engine"`` for the engine itself, ``"create_bootstrap_key"`` and the other functions that make
        keys, ``"encode"``, ``"encrypt"``, ``"bootstrap"``, ``"lossy_bootstrap"``, ``"sign_bootstrap"``,
        ``"encode_to_plain_matrix"``, ``"encode_to_light_plain_matrix"`` or ``"multiply_matrix"``.
    level : int, optional
        Level of what is encrypted or encoded, or the highest that the key is for; the engine's, if left out.
    count : int, default 1
        Ciphertexts that are made, in units of `slot_count` values, or bootstrapped.
    stage_count : int, optional
        Of a bootstrap, or its key: 3, or the nearest that the slots allow, if left out.
    size : {"medium", "large", "small"}, default "medium"
        Of a bootstrap's key.
    shape : tuple of int, optional
        Rows and columns of a matrix without zeros; as many as there are slots, if left out. Fewer diagonals take less.
    is_real : bool, default True
        Whether the matrix's entries are real numbers: a matrix of complex ones takes twice the memory.

    Returns
    -------
    MemoryEstimate
        `held` by the result, and `work` besides until it is done, in bytes.

    Raises
    ------
    ParameterError
        If there is no such operation, or no such option of it.

    Examples
    --------
    >>> engine.estimate_memory("create_relinearization_key").held == relinearization_key.nbytes
    True
    >>> deep = Engine(use_bootstrap=True, insecure_log_n=10)
    >>> small = deep.estimate_memory("create_small_bootstrap_key").held
    >>> small < deep.estimate_memory("create_bootstrap_key", stage_count=4).held
    True
    """
    name = "estimate_memory"
    check_operation(operation, OPERATIONS)
    checks.one_of(name, "size", size, (*BOOTSTRAP_SIZES, "small"))
    rows, columns = (self.slot_count, self.slot_count) if shape is None else _rows_and_columns(name, shape)
    call = arguments(
        level=_checks.level(name, level, self.max_level),
        stage_count=_stage_count(self, operation, stage_count),
        large=size == "large",
        small=size == "small",
        count=check_number("count", count),
        shape=(check_number("shape", rows), check_number("shape", columns)),
        is_real=checks.flag(name, "is_real", is_real),
    )
    held, work = self._context.footprint(operation, call)
    return MemoryEstimate(held, work)


def _rows_and_columns(operation: str, shape: Any) -> tuple[Any, Any]:
    sizes = checks.sequence(operation, "shape", shape)
    if len(sizes) != 2:
        raise checks.refusal(
            operation, "shape", shape, "two numbers are needed; give a matrix's rows and columns", "(rows, columns)"
        )
    return sizes[0], sizes[1]


def _stage_count(self: Core, operation: str, asked: Any) -> int:
    """Return the number of stages that is asked for, or a usual one."""
    if operation not in (*BOOTSTRAP_KEYS, *BOOTSTRAPS):
        return 0
    return check_stage_count(self._context, "estimate_memory", asked)
