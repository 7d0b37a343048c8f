"""An engine as its operations see it: the native context, the keys that it knows, and how progress is shown."""

from __future__ import annotations

from ... import _native
from ..._common import checks
from ..._common.limb_engine import LimbCore


class Core(LimbCore):
    """Base of `Engine`, which fills its fields, and the first argument of every operation that the engine lists."""

    _context: _native.LimbsContext
    _bootstrap_keys: dict[int, _native.LimbsBootstrapKey]

    _estimated = (*LimbCore._estimated, "create_bootstrap_key", "bootstrap")

    @property
    def slot_count(self) -> int:
        """Complex numbers in a ciphertext.

        Examples
        --------
        >>> limbs_engine.slot_count
        512
        """
        return self._context.slot_count

    @property
    def precision_bits(self) -> int:
        """Bits of values below the point that are kept, and that a product spends.

        Examples
        --------
        >>> limbs_engine.precision_bits
        40
        """
        return self._context.precision_bits

    def _bootstrap_key(self, operation: str, secret_id: int) -> _native.LimbsBootstrapKey:
        """Return the bootstrap key of a secret."""
        key = self._bootstrap_keys.get(secret_id)
        if key is None:
            raise checks.missing_key(operation, "bootstrap key")
        return key

    def _nbytes(self, operation: str, count: int) -> tuple[int, int]:
        match operation:
            case "create_bootstrap_key":
                return self._context.bootstrap_key_nbytes()
            case "bootstrap":
                return self._context.bootstrap_nbytes()
            case _:
                return super()._nbytes(operation, count)
