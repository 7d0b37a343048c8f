"""An engine as its operations see it: the native context, the keys that it knows, and how progress is shown."""

from __future__ import annotations

from .. import _native
from .._common.limb_engine import LimbCore


class Core(LimbCore):
    """Base of `Engine`, which fills its fields, and the first argument of every operation that the engine lists."""

    _context: _native.BfvContext

    @property
    def slot_count(self) -> int:
        """Integers in a ciphertext: two rows of half as many.

        Examples
        --------
        >>> bfv_engine.slot_count
        1024
        """
        return self._context.slot_count

    @property
    def plain_modulus(self) -> int:
        """The prime that all arithmetic is modulo.

        Examples
        --------
        >>> x = bfv_engine.encrypt([bfv_engine.plain_modulus // 2], bfv_secret_key)
        >>> bfv_engine.plain_modulus, bfv_engine.decrypt(x + 1, bfv_secret_key)
        (786433, array([-393216]))
        """
        return self._context.plain_modulus

    @property
    def _row_length(self) -> int:
        return self.slot_count // 2
