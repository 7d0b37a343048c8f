"""Bootstraps of the engine's own accord.

An operation that lacks levels raises `LevelError` before any work is done, with the level that it needs. `deepened`
catches it: it bootstraps the operands that are too low, and calls the operation again. There is nothing else to know
of an operation, so that each that consumes levels has this by one line above it.

What is bootstrapped is remembered beside the original, until the original becomes something else as an ``out``: an
operand that is used again is not bootstrapped again. Sums and rotations, which need no levels, are `deepened` for that
reason alone.

Which operands are bootstrapped, and which of them together, is decided in the crate everlevel-ckks,
circuits/refresh.rs.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from functools import wraps
from time import perf_counter
from typing import Any, Concatenate, Final, ParamSpec, Protocol, TypeVar, cast
from weakref import finalize

from .. import _native
from .._common.locks import Lock
from ..errors import LevelError, MissingKeyError
from ._options import default_stage_count
from ._registry import KeyRegistry
from .ciphertext import Ciphertext, Operations
from .evaluation_key import EvaluationKey
from .keys import BootstrapKey, RelinearizationKey, SmallBootstrapKey

logger: Final = logging.getLogger("everlevel")

P = ParamSpec("P")
R = TypeVar("R")
SelfT = TypeVar("SelfT")


class Engine(Operations, Protocol):
    """What bootstraps take of the engine."""

    _refresher: Refresher | None

    @property
    def bootstrap_count(self) -> int: ...
    def relinearize(self, ciphertext: Ciphertext, relinearization_key: Any) -> Ciphertext: ...
    def merge_bootstrap(
        self, ciphertext1: Ciphertext, ciphertext2: Ciphertext, relinearization_key: Any
    ) -> tuple[Ciphertext, Ciphertext]: ...


class Counters:
    """Bootstraps done, safe to count from many threads."""

    def __init__(self) -> None:
        self.bootstraps = 0
        self._lock = Lock()

    def add(self, count: int = 1) -> None:
        """Count some more."""
        with self._lock:
            self.bootstraps += count


class Refresher:
    """Bootstraps operands for one engine, and remembers the results for as long as the originals live."""

    def __init__(self) -> None:
        self._fresh: dict[int, Ciphertext] = {}
        """By the originals' ids, as long as they live: a weak dictionary's keys are compared by ==."""
        self._lock = Lock()

    def best(self, value: Any) -> Any:
        """Return what an operand was bootstrapped to, or itself; in lists and tuples as well."""
        if isinstance(value, Ciphertext):
            fresh = self._fresh.get(id(value))
            return value if fresh is None or fresh.level <= value.level else fresh
        if isinstance(value, (list, tuple)) and any(isinstance(item, Ciphertext) for item in value):
            return [self.best(item) for item in value]
        return value

    def forget(self, ciphertext: Ciphertext) -> None:
        """Drop what a ciphertext was bootstrapped to, since it will be another one."""
        with self._lock:
            self._fresh.pop(id(ciphertext), None)

    def refresh(self, engine: Engine, operation: str, operands: Iterable[Ciphertext], needed: int) -> None:
        """Bootstrap the operands that are below a level, and those of the others that gain by it."""
        operands = list(dict.fromkeys(operands))
        low = [operand for operand in operands if operand.level < needed]
        level_out = self._level_out(engine, operation, low[0], needed)
        with self._lock:
            began, count = perf_counter(), engine.bootstrap_count
            levels = [operand.level for operand in low if id(operand) not in self._fresh]
            known = [(operand._native, operand.is_real, id(operand) in self._fresh) for operand in operands]
            groups = _native.due_bootstraps(known, needed, level_out)
            for group in groups:
                self._bootstrap(engine, operation, [operands[place] for place in group])
        if groups:
            logger.info(
                "%s: needs level %d, operands at %s: %d bootstrap(s) to level %d in %.2f s; %d so far",
                operation,
                needed,
                " and ".join(map(str, levels)),
                engine.bootstrap_count - count,
                level_out,
                perf_counter() - began,
                engine.bootstrap_count,
            )

    def _level_out(self, engine: Engine, operation: str, operand: Ciphertext, needed: int) -> int:
        """Return the level that a bootstrap leads to, or say why there is none, or that it is too low."""
        level_out = level_after(engine._registry, engine.max_level, operation, operand, needed)
        if needed > level_out:
            raise LevelError(
                f"{operation}: needs level ≥ {needed}, and a bootstrap of stage_count {engine.max_level - level_out} "
                f"ends at level {level_out}; split the operation into steps of at most {level_out} levels each",
                level=operand.level,
                needed=needed,
                max_level=level_out,
            )
        return level_out

    def _bootstrap(self, engine: Engine, operation: str, operands: list[Ciphertext]) -> None:
        ready = [_relinearized(engine, operation, operand) for operand in operands]
        pair = len(ready) == 2
        fresh = engine.merge_bootstrap(ready[0], ready[1], None) if pair else (engine.bootstrap(ready[0], None),)
        for operand, result in zip(operands, fresh, strict=True):
            if id(operand) not in self._fresh:
                finalize(operand, self._fresh.pop, id(operand), None).atexit = False
            self._fresh[id(operand)] = result


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


def deepened(function: Callable[Concatenate[SelfT, P], R]) -> Callable[Concatenate[SelfT, P], R]:
    """Let a method of the engine bootstrap its operands where they lack levels, if the engine is to."""

    @wraps(function)
    def call(self: SelfT, /, *args: P.args, **kwargs: P.kwargs) -> R:
        engine = cast(Engine, self)
        refresher = engine._refresher
        if refresher is None:
            return function(self, *args, **kwargs)

        def attempt() -> R:
            positional = [refresher.best(value) for value in args]
            return function(self, *positional, **{name: refresher.best(value) for name, value in kwargs.items()})

        try:
            return attempt()
        except LevelError as error:
            needed, operands = error.needed, _ciphertexts([*args, *kwargs.values()])
            if needed is None or all(operand.level >= needed for operand in operands):
                raise
            refresher.refresh(engine, function.__name__, operands, needed)
        return attempt()

    return call


def _ciphertexts(values: Iterable[Any]) -> list[Ciphertext]:
    found: list[Ciphertext] = []
    for value in values:
        if isinstance(value, Ciphertext):
            found.append(value)
        elif isinstance(value, (list, tuple)):
            found += _ciphertexts(value)
    return found


def _relinearized(engine: Engine, operation: str, ciphertext: Ciphertext) -> Ciphertext:
    if ciphertext.polynomial_count == 2:
        return ciphertext
    key = engine._registry.find(operation, RelinearizationKey, ciphertext._native.secret_id)
    return engine.relinearize(ciphertext, key)
