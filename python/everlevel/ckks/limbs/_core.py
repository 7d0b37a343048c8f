"""What operations have of their engine: the native context, the keys that it knows, and how progress is shown."""

from __future__ import annotations

from ... import _native
from ..._common.limb_engine import LimbCore


class Core(LimbCore):
    """Base of `Engine`, which fills its fields, and the first argument of every operation that the engine lists."""

    _precision: int | None
    _context: _native.LimbsContext

    @property
    def slot_count(self) -> int:
        """Complex numbers in a ciphertext."""
        return self._context.slot_count

    @property
    def precision_bits(self) -> int:
        """Bits of values below the point that are kept, and that a product spends."""
        return self._context.precision_bits

    @property
    def _address(self) -> tuple[str, int | None, int | None, bool]:
        """What tells engines apart: (parameters, precision, insecure ring, whether threads are many)."""
        return self._parameters, self._precision, self._insecure_log_n, self._context.thread_count > 1
