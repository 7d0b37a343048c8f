"""Bootstraps made ready: what they share, before a first one asks for it."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from ..errors import OperandTypeError, OutOfMemoryError
from ._bootstrap_keys import check_stage_count, of_stages, require_bootstrap
from ._core import Core
from .evaluation_key import EvaluationKey
from .keys import BootstrapKey, SmallBootstrapKey


def prepare_bootstrap(
    self: Core,
    key: BootstrapKey | SmallBootstrapKey | EvaluationKey,
    *,
    stage_count: int | None = None,
    progress: bool | None = None,
) -> None:
    """Make what bootstraps with a key share, so that the first one takes as long as those after it.

    That are the plaintexts of the transforms, 0.8 GB at full slots for a key that is neither small nor seeded, which
    the keys of an engine share and hold, and the memory of a bootstrap's intermediate results. Keys that the engine
    makes, or reads with ``mapped=False``, are ready, unless memory was short; a mapped key is after this call, or after
    a first bootstrap.

    Parameters
    ----------
    key : BootstrapKey, SmallBootstrapKey or EvaluationKey
        Key of the bootstraps, lossy or not, or an evaluation key that has one.
    stage_count : int, optional
        Of bootstraps with a small bootstrap key, as in `bootstrap`.
    progress : bool, optional
        Whether a bar is shown; as the engine says, if left out.

    Raises
    ------
    OperandTypeError
        If it is another object.
    MissingKeyError
        If an evaluation key has no bootstrap key.
    EngineMismatchError
        If the key is one of other parameters.
    ParameterError
        If the engine was made without ``use_bootstrap=True``, or the stage count doesn't go with the slots or with
        the key.
    OutOfMemoryError
        If there is no room.

    Examples
    --------
    >>> deep = Engine(use_bootstrap=True, insecure_log_n=10)
    >>> deep.prepare_bootstrap(deep.create_bootstrap_key(deep.create_secret_key()))
    """
    operation = "prepare_bootstrap"
    require_bootstrap(self._context, operation)
    if isinstance(key, EvaluationKey):
        small = key.has_small_bootstrap
        key = key.part(operation, SmallBootstrapKey) if small else key.part(operation, BootstrapKey)
    if not isinstance(key, (BootstrapKey, SmallBootstrapKey)):
        raise OperandTypeError(
            f"{operation}: a {type(key).__name__} was given, and a bootstrap key is needed; "
            f"make one with engine.create_bootstrap_key(secret_key)",
            argument="key",
            expected="BootstrapKey, SmallBootstrapKey or EvaluationKey",
            actual=type(key).__name__,
        )
    _prepare(self, operation, key, stage_count, progress)


def prepare_new(self: Core, key: object, progress: bool | None = None) -> None:
    """Make what bootstraps with a new key share, if it is a key of bootstraps and there is memory.

    Without memory it is bootstraps that are refused, and not keys, which may be for another machine.
    """
    if isinstance(key, EvaluationKey):
        key = key.bootstrap_key or key.small_bootstrap_key
    if isinstance(key, (BootstrapKey, SmallBootstrapKey)):
        with suppress(OutOfMemoryError):
            _prepare(self, "prepare_bootstrap", key, None, progress)


def _prepare(
    self: Core, operation: str, key: BootstrapKey | SmallBootstrapKey, stage_count: Any, progress: bool | None
) -> None:
    native = (
        of_stages(operation, key, stage_count)._native
        if isinstance(key, BootstrapKey)
        else (key._native, check_stage_count(self._context, operation, stage_count))
    )
    with self._reporting("bootstrap tables", progress) as report:
        self._context.prepare_bootstrap(native, report)
