"""BFV's keys. All are immutable, and safe to share between threads."""

from __future__ import annotations

from .. import _native
from .._common import limb_engine, set_keys

__all__ = ["EvaluationKey", "SecretKey"]


class SecretKey(set_keys.SecretKey):
    """The key that encrypts and decrypts. Its memory is overwritten when the last reference goes.

    It is never pickled, copied or printed: a secret that travels, travels on purpose, by `save`.
    """

    __slots__ = ()

    _native: _native.LimbsSecretKey


class EvaluationKey(limb_engine.EvaluationKey):
    """What computes: a key for products, and one for each rotation that was asked for. It tells nothing of the secret.

    Files hold seeds and bodies, which are smaller than the key in memory and made ready when they are read.
    """

    __slots__ = ()

    _inversion = "swap of rows"

    @property
    def has_swap_rows(self) -> bool:
        """Whether rows can be swapped, and so all slots be added up."""
        return self._native.has_inversion
