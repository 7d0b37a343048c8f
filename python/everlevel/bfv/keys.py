"""BFV's keys. All are immutable, and safe to share between threads."""

from __future__ import annotations

from .. import _native
from .._common import set_keys
from .._common.sizes import format_bytes
from ._storable import Storable

__all__ = ["EvaluationKey", "SecretKey"]


class SecretKey(set_keys.SecretKey, Storable):
    """The key that encrypts and decrypts. Its memory is overwritten when the last reference goes.

    It is never pickled, copied or printed: a secret that travels, travels on purpose, by `save`.
    """

    __slots__ = ()

    _native: _native.LimbsSecretKey


class EvaluationKey(set_keys.Key, Storable):
    """What computes: a key for products, and one for each rotation that was asked for. It tells nothing of the secret.

    Files hold seeds and bodies, which are smaller than the key in memory and made ready when they are read.
    """

    __slots__ = ()

    kind = "evaluation key"

    _native: _native.LimbsEvaluationKey

    @property
    def rotations(self) -> tuple[int, ...]:
        """Amounts of rotations that have a key of their own. Others are made of powers of two among them."""
        return tuple(sorted(-amount for amount in self._native.rotations))

    @property
    def has_swap_rows(self) -> bool:
        """Whether rows can be swapped, and so all slots be added up."""
        return self._native.has_inversion

    def __repr__(self) -> str:
        count = len(self.rotations)
        rotations = f", {count} rotation{'s' if count > 1 else ''}" if count else ""
        swap = ", swap of rows" if self.has_swap_rows else ""
        return f"EvaluationKey({self._engine.parameters}, products{rotations}{swap}; {format_bytes(self.nbytes)})"
