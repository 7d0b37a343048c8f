"""What all parts of an engine share: the native context, its keys, and the wrapping of results."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, cast

from .. import _native
from .._auto import Counters, Refresher
from .._common import checks as _checks
from .._common import progress as _progress
from ..errors import CiphertextFormError
from ._registry import KeyRegistry
from .ciphertext import Ciphertext
from .keys import SecretKey
from .plaintext import Plaintext

if TYPE_CHECKING:
    from .engine import Engine


class EngineCore:
    """Base of the engine's parts. `Engine` alone fills its fields."""

    _context: _native.Context
    _shows_progress: bool | None
    _registry: KeyRegistry
    _counters: Counters
    _refresher: Refresher | None

    @property
    def slot_count(self) -> int:
        """Values in a ciphertext."""
        return self._context.slot_count

    @property
    def max_level(self) -> int:
        """Highest level of a ciphertext."""
        return self._context.max_level

    def _wrap(self, native: _native.Ciphertext, *, is_real: bool) -> Ciphertext:
        return Ciphertext(cast("Engine", self), native, is_real=is_real)

    def _wrap_all(self, natives: Iterable[_native.Ciphertext], *, is_real: bool) -> list[Ciphertext]:
        return [self._wrap(native, is_real=is_real) for native in natives]

    def _reporting(self, description: str, progress: bool | None) -> AbstractContextManager[_progress.Report | None]:
        return _progress.reporting(description, self._shows_progress if progress is None else progress)

    def _level(self, operation: str, level: Any) -> int:
        return _checks.level(operation, level, self.max_level)

    def _ciphertext(self, operation: str, value: Any) -> Ciphertext:
        return _checks.instance(operation, "ciphertext", value, Ciphertext)

    def _relinearized(self, operation: str, value: Any) -> Ciphertext:
        ciphertext = self._ciphertext(operation, value)
        if ciphertext.polynomial_count != 2:
            raise CiphertextFormError(
                f"{operation}: the ciphertext has {ciphertext.polynomial_count} polynomials and 2 are needed; "
                f"call engine.relinearize(ciphertext, relinearization_key) first",
                polynomial_count=ciphertext.polynomial_count,
            )
        return ciphertext

    def _put(self, result: Ciphertext, out: Ciphertext | None) -> Ciphertext:
        """Return a result, as the ciphertext that it is to replace where there is one."""
        if out is None:
            return result
        if self._refresher is not None:
            self._refresher.forget(out)
        return out._become(result)

    def _secret_key(self, operation: str, value: Any) -> SecretKey:
        return _checks.instance(operation, "secret_key", value, SecretKey)

    def _plaintext(self, operation: str, value: Any) -> Plaintext:
        return _checks.instance(operation, "plaintext", value, Plaintext)

    def _amount(self, operation: str, delta: Any) -> int:
        """Reduce a rotation to the shortest way round: (-slot_count/2, slot_count/2]."""
        amount = _checks.integer(operation, "delta", delta) % self.slot_count
        return amount - self.slot_count if amount > self.slot_count // 2 else amount
