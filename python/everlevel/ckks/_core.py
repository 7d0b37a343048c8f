"""What operations have of their engine: the native context, the keys that it knows, and the wrapping of results."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, cast

from .. import _native
from .._common import core
from ._auto import Counters, Refresher
from ._registry import KeyRegistry
from .ciphertext import Ciphertext


class Core(core.Core):
    """Base of `Engine`, which fills its fields, and the first argument of every operation that the engine lists."""

    _context: _native.Context
    _registry: KeyRegistry
    _counters: Counters
    _refresher: Refresher | None
    _bound: float | None

    @property
    def slot_count(self) -> int:
        """Values in a ciphertext."""
        return self._context.slot_count

    @property
    def max_level(self) -> int:
        """Highest level of a ciphertext."""
        return self._context.max_level

    @property
    def auto_bootstrap(self) -> bool:
        """Whether an operation that lacks levels bootstraps its operands first."""
        return self._refresher is not None

    @property
    def bootstrap_count(self) -> int:
        """Bootstraps done so far, on request or not; one of two merged ciphertexts counts once."""
        return self._counters.bootstraps

    def _wrap(self, native: _native.Ciphertext, *, is_real: bool) -> Ciphertext:
        return Ciphertext(cast(Any, self), native, is_real=is_real)

    def _wrap_all(self, natives: Iterable[_native.Ciphertext], *, is_real: bool) -> list[Ciphertext]:
        return [self._wrap(native, is_real=is_real) for native in natives]
