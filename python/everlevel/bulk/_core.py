"""An engine as its operations see it: the context, the keys that it knows, and how progress is shown."""

from __future__ import annotations

from .._common.set_engine import SetCore
from ._native_context import BulkContext
from .keys import Keys


class Core(SetCore):
    """Base of `Engine`, which fills its fields, and the first argument of every operation that the engine lists."""

    _context: BulkContext
    _keys: dict[int, Keys]
    _digit_errors: tuple[float, float] | None
    """Errors of digits of integers of many bits, once they are asked for."""

    @property
    def _digit_bits(self) -> int:
        """Bits of a digit of integers of many bits: a power of two, so that two digits fit the space."""
        return int(2 ** (((self.message_bits or 0) // 2).bit_length() - 1))

    @property
    def message_bits(self) -> int | None:
        """Bits of an integer; None where the parameters are for gates on single bits.

        Examples
        --------
        >>> bulk_engine.message_bits, bulk_gates.message_bits
        (4, None)
        """
        return self._context.set.message_bits

    @property
    def max_value(self) -> int:
        """Largest message.

        Examples
        --------
        >>> bulk_engine.max_value, bulk_gates.max_value
        (15, 1)
        """
        return 1 if self.message_bits is None else 2**self.message_bits - 1

    @property
    def bootstrap_size(self) -> int:
        """Values that one bootstrap looks up; up to half of them take half of its last step.

        Examples
        --------
        >>> bulk_engine.bootstrap_size
        1024
        """
        return 2 * self._context.ckks.slot_count

    @property
    def max_log2_p_fail(self) -> float:
        """Base-2 logarithm of the largest probability that a look-up or a decryption has of a wrong value.

        Examples
        --------
        >>> bulk_engine.max_log2_p_fail
        -128
        """
        return self._context.set.log2_p_fail
