"""An engine as its operations see it: the native context, the keys that it knows, and how progress is shown."""

from __future__ import annotations

from .. import _native
from .._common.limb_engine import LimbCore


class Core(LimbCore):
    """Base of `Engine`, which fills its fields, and the first argument of every operation that the engine lists."""

    _context: _native.BfvContext

    @property
    def slot_count(self) -> int:
        """Integers in a ciphertext: two rows of half as many."""
        return self._context.slot_count

    @property
    def plain_modulus(self) -> int:
        """The prime that all arithmetic is modulo."""
        return self._context.plain_modulus

    @property
    def _row_length(self) -> int:
        return self.slot_count // 2
