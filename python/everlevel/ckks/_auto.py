"""Automatic bootstrapping.

An operation that lacks levels raises `LevelError` before any work is done, with the level that it needs. `deepened`
catches it: it bootstraps the operands that are too low, and calls the operation again. There is nothing else to know
of an operation, so that each that consumes levels has this by one line above it.

A bootstrap takes the least time at the level where SlotsToCoeffs can still come first. So an operation whose result
would be below that level, of operands that aren't, is done again with these bootstrapped.

What is bootstrapped is remembered beside the original, until the original becomes something else as an ``out``: an
operand that is used again is not bootstrapped again. Sums and rotations, which need no levels, are `deepened` for that
reason alone.

Which operands are bootstrapped, and which of them together, is decided and done in the crate everlevel-ckks,
circuits/refresh.rs.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from functools import wraps
from time import perf_counter
from typing import Any, Concatenate, Final, ParamSpec, TypeVar

from .. import _native
from ..errors import LevelError, MissingKeyError
from ._bootstrap_keys import chosen_of
from ._core import Core, Refreshed
from ._options import default_stage_count
from ._registry import KeyRegistry
from .ciphertext import Ciphertext
from .evaluation_key import EvaluationKey
from .keys import BootstrapKey, SmallBootstrapKey

logger: Final = logging.getLogger("everlevel")

_ACCURATE: Final = 12
"""The largest size of values that bootstraps of either order are accurate for: see docs/bootstraps.md."""

P = ParamSpec("P")
R = TypeVar("R")
CoreT = TypeVar("CoreT", bound=Core)


def refresh(core: Core, refreshed: Refreshed, operation: str, operands: Iterable[Ciphertext], needed: int) -> None:
    """Bootstrap the operands that are below a level, and those of the others that gain by it."""
    operands = list(dict.fromkeys(operands))
    low = [operand for operand in operands if operand.level < needed]
    level_after(core._registry, core.max_level, operation, low[0], needed)
    keys = chosen_of(core, operation, low[0], None)
    with refreshed.lock:
        began = perf_counter()
        levels = [operand.level for operand in low if not refreshed.has(operand)]
        known = [(operand._native, operand.is_real, refreshed.has(operand)) for operand in operands]
        with core._reporting("bootstrap", None) as report:
            fresh, count = _native.refresh(core._context, operation, known, needed, keys, report)
        core._counters.add(count)
        for place, native in fresh:
            original = operands[place]
            refreshed.keep(original, core._wrap(native, is_real=original.is_real, layout=original._layout))
    if fresh:
        logger.info(
            "%s: needs level %d, operands at %s: %d bootstrap(s) to level %d in %.2f s; %d so far",
            operation,
            needed,
            " and ".join(map(str, levels)),
            count,
            fresh[0][1].level,
            perf_counter() - began,
            core.bootstrap_count,
        )


def level_after(
    registry: KeyRegistry,
    max_level: int,
    operation: str,
    operand: Ciphertext,
    needed: int,
    evaluation_key: EvaluationKey | None = None,
) -> int:
    """Return the level that a regular bootstrap leads to, with the engine's key if none is given."""
    if evaluation_key is not None:
        if evaluation_key.has_small_bootstrap:
            return max_level - default_stage_count(operand._engine._context)
        return max_level - evaluation_key.part(operation, BootstrapKey).stage_count
    secret_id = operand._native.secret_id
    key = registry.get(BootstrapKey, secret_id)
    if key is None and registry.get(SmallBootstrapKey, secret_id) is None:
        raise MissingKeyError(
            f"{operation}: needs level ≥ {needed}, the ciphertext is at level {operand.level}, and the engine has "
            f"no key to bootstrap it; call engine.create_evaluation_key(secret_key), or engine.use(evaluation_key)",
            key=BootstrapKey.kind,
        )
    return max_level - (default_stage_count(operand._engine._context) if key is None else key.stage_count)


def deepened(function: Callable[Concatenate[CoreT, P], R]) -> Callable[Concatenate[CoreT, P], R]:
    """Let a method of the engine bootstrap its operands where they lack levels, if the engine is to."""

    @wraps(function)
    def call(self: CoreT, /, *args: P.args, **kwargs: P.kwargs) -> R:
        refreshed = self._refreshed
        if refreshed is None:
            return function(self, *args, **kwargs)

        def attempt() -> R:
            positional = [refreshed.best(value) for value in args]
            return function(self, *positional, **{name: refreshed.best(value) for name, value in kwargs.items()})

        operation, operands = function.__name__, list(_ciphertexts([*args, *kwargs.values()]))
        try:
            result = attempt()
        except LevelError as error:
            needed = error.needed
            if needed is None or all(operand.level >= needed for operand in operands):
                raise
        else:
            level = _due(self, refreshed, operation, result, operands)
            if level is None:
                return result
            needed = level + 1
        refresh(self, refreshed, operation, operands, needed)
        return attempt()

    return call


def _due(core: Core, refreshed: Refreshed, operation: str, result: Any, operands: list[Ciphertext]) -> int | None:
    """Return the level of operands that are bootstrapped now rather than later; None where there are none.

    An operand of which a bootstrap can still begin with SlotsToCoeffs, where the result's can't, is at the level where
    a bootstrap takes the least time. What the operation computed costs little there, and is computed again. Operands
    that have half of the levels left stay, and so do those with values that a bootstrap may not be for.
    """
    results = [r.level for r in _ciphertexts([result])]
    low = [x for x in operands if results and x.level > min(results) and 2 * x.level < core.max_level]
    if not low or any(refreshed.has(x) or x.bound > (_ACCURATE if x.is_bound_declared else 1) for x in low):
        return None
    lowest = min(low, key=lambda x: x.level)
    try:
        keys = chosen_of(core, operation, lowest, None)
    except MissingKeyError:
        return None
    first = core._context.first_level(keys, all(x.is_real for x in operands))
    return lowest.level if first is not None and min(results) < first <= lowest.level else None


def _ciphertexts(values: Iterable[Any]) -> list[Ciphertext]:
    found: list[Ciphertext] = []
    for value in values:
        if isinstance(value, Ciphertext):
            found.append(value)
        elif isinstance(value, (list, tuple)):
            found += _ciphertexts(value)
    return found
