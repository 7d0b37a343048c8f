"""An engine as its operations see it: the native context, the keys that it knows, and how progress is shown."""

from __future__ import annotations

from collections.abc import Iterable

from .. import _native
from .._common import checks
from .._common.set_engine import SetCore


class Core(SetCore):
    """Base of `Engine`, which fills its fields, and the first argument of every operation that the engine lists."""

    _context: _native.TfheContext
    _keys: dict[int, _native.TfheEvaluationKey]
    _lookup_keys: dict[int, _native.TfheLookupKey]
    _compression_keys: dict[int, _native.TfheCompressionKey]
    _ring_switch_keys: dict[int, _native.TfheRingSwitchKey]
    """By the secret of bulk."""
    _packing_keys: dict[tuple[int, int], _native.TfhePackingKey]
    """By the secrets of this engine and of bulk."""

    def _packing_key(self, operation: str, secret_id: int, targets: Iterable[int]) -> _native.TfhePackingKey:
        """Return the first key from a secret to one of some others."""
        keys = (self._packing_keys.get((secret_id, target)) for target in targets)
        key = next((key for key in keys if key is not None), None)
        if key is None:
            raise checks.missing_key(operation, "packing key", "secret_key, to_secret_key")
        return key

    @property
    def message_bits(self) -> int | None:
        """Bits of an integer; None where the parameters are for gates on single bits.

        Examples
        --------
        >>> tfhe_engine.message_bits, tfhe_gates.message_bits
        (4, None)
        """
        return self._context.message_bits

    @property
    def max_value(self) -> int:
        """Largest message.

        Examples
        --------
        >>> tfhe_engine.max_value, tfhe_gates.max_value
        (15, 1)
        """
        return 1 if self.message_bits is None else 2**self.message_bits - 1
