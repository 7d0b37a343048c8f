"""An engine as its operations see it: the native context, the keys that it knows, and the wrapping of results."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, cast
from weakref import finalize

from .. import _native
from .._common import core
from .._common.locks import Lock
from .._common.slot_shapes import SLOTS, Layout
from ._registry import KeyRegistry
from .ciphertext import Ciphertext


class Counters:
    """Bootstraps done, safe to count from many threads."""

    def __init__(self) -> None:
        self.bootstraps = 0
        self._lock = Lock()

    def add(self, count: int = 1) -> None:
        """Count some more."""
        with self._lock:
            self.bootstraps += count


class Refreshed:
    """Results of automatic bootstraps, for as long as the originals live."""

    def __init__(self) -> None:
        self._fresh: dict[int, Ciphertext] = {}
        """By the originals' ids, as long as they live: a weak dictionary's keys are compared by ==."""
        self.lock = Lock()
        """Held while operands are bootstrapped, so that threads that need the same one wait for it."""

    def best(self, value: Any) -> Any:
        """Return what an operand was bootstrapped to, or itself; in lists and tuples as well."""
        if isinstance(value, Ciphertext):
            fresh = self._fresh.get(id(value))
            return value if fresh is None or fresh.level <= value.level else fresh
        if isinstance(value, (list, tuple)) and any(isinstance(item, Ciphertext) for item in value):
            return [self.best(item) for item in value]
        return value

    def has(self, ciphertext: Ciphertext) -> bool:
        """Whether a ciphertext was bootstrapped."""
        return id(ciphertext) in self._fresh

    def keep(self, ciphertext: Ciphertext, fresh: Ciphertext) -> None:
        """Remember what a ciphertext was bootstrapped to."""
        if id(ciphertext) not in self._fresh:
            finalize(ciphertext, self._fresh.pop, id(ciphertext), None).atexit = False
        self._fresh[id(ciphertext)] = fresh

    def forget(self, ciphertext: Ciphertext) -> None:
        """Drop what a ciphertext was bootstrapped to, since it will be another one."""
        with self.lock:
            self._fresh.pop(id(ciphertext), None)


class Core(core.Core):
    """Base of `Engine`, which fills its fields, and the first argument of every operation that the engine lists."""

    _context: _native.Context
    _registry: KeyRegistry
    _counters: Counters
    _refreshed: Refreshed | None
    _bound: float | tuple[float, float] | None
    _gap: float
    _program: Any

    _observe: Callable[[_native.Ciphertext], None] | None = None
    """A rehearsal's look at results."""

    _has_one_order: bool = False
    """Whether `bootstrap` has one order and one level after it, as 1.x has, with keys for no other."""

    _has_shapes: bool = True
    """Whether ciphertexts remember shapes, as 1.x's don't."""

    @property
    def slot_count(self) -> int:
        """Values in a ciphertext.

        Examples
        --------
        >>> engine.slot_count
        512
        """
        return self._context.slot_count

    @property
    def max_level(self) -> int:
        """Highest level of a ciphertext.

        Examples
        --------
        >>> engine.max_level == engine.encrypt([0.5], secret_key, bound=1).level
        True
        """
        return self._context.max_level

    @property
    def auto_bootstrap(self) -> bool:
        """Whether an operation that lacks levels bootstraps its operands first.

        Examples
        --------
        >>> engine.auto_bootstrap, Engine(use_bootstrap=True, auto_bootstrap=True, insecure_log_n=10).auto_bootstrap
        (False, True)
        """
        return self._refreshed is not None

    @property
    def gap(self) -> float:
        """Gap of comparisons by operators, as a share of the bound of what is compared.

        ``x > y`` is 1 or 0 where x and y differ by this share of the bound of their difference or more.

        Examples
        --------
        >>> engine.gap, Engine(use_bootstrap=True, gap=2**-4, insecure_log_n=10).gap
        (0.015625, 0.0625)
        """
        return self._gap

    @property
    def bootstrap_count(self) -> int:
        """Bootstraps done so far, on request or not; one of two merged ciphertexts counts once.

        Examples
        --------
        >>> deep = Engine(use_bootstrap=True, insecure_log_n=10)
        >>> secret = deep.create_secret_key()
        >>> key = deep.create_evaluation_key(secret, bootstrap=True)
        >>> x = deep.bootstrap(deep.encrypt([0.5], secret, 0, bound=1))
        >>> deep.bootstrap_count
        1
        """
        return self._counters.bootstraps

    def _wrap(self, native: _native.Ciphertext, *, is_real: bool, layout: Layout = SLOTS) -> Ciphertext:
        if self._observe is not None:
            self._observe(native)
        return Ciphertext(cast(Any, self), native, is_real=is_real, layout=layout)

    def _wrap_all(self, natives: Iterable[_native.Ciphertext], *, is_real: bool) -> list[Ciphertext]:
        return [self._wrap(native, is_real=is_real) for native in natives]
