"""An engine as its operations see it: the native context, the keys that it knows, and how progress is shown."""

from __future__ import annotations

from ... import _native
from ..._common.limb_engine import LimbCore


class Core(LimbCore):
    """Base of `Engine`, which fills its fields, and the first argument of every operation that the engine lists."""

    _context: _native.LimbsContext

    @property
    def slot_count(self) -> int:
        """Complex numbers in a ciphertext."""
        return self._context.slot_count

    @property
    def precision_bits(self) -> int:
        """Bits of values below the point that are kept, and that a product spends."""
        return self._context.precision_bits
