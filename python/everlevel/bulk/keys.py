"""Bulk's keys. All are immutable, and safe to share between threads."""

from __future__ import annotations

from typing import Any

from .. import _native
from .._common import set_keys
from .._common.sizes import format_bytes

__all__ = ["EvaluationKey", "PublicKey", "SecretKey"]


class SecretKey(set_keys.SecretKey):
    """The key that encrypts and decrypts. Its memory is overwritten when the last reference goes.

    It is never pickled, copied or printed: a secret that travels, travels on purpose, by `save`.

    Examples
    --------
    >>> key = bulk_engine.create_secret_key()
    >>> bulk_engine.decrypt(bulk_engine.encrypt([3, 9], key), key)
    array([3, 9], dtype=uint8)
    """

    __slots__ = ()

    _native: _native.SecretKey


class PublicKey(set_keys.Key):
    """Encrypts, and can't decrypt: for whoever sends values to the owner of a secret. It may be given to anybody.

    Examples
    --------
    >>> key = bulk_engine.create_public_key(bulk_secret_key)
    >>> bulk_engine.decrypt(bulk_engine.encrypt([3, 9], key), bulk_secret_key)
    array([3, 9], dtype=uint8)
    """

    __slots__ = ()

    kind = "public key"

    _native: _native.PublicKey

    def __repr__(self) -> str:
        return f"PublicKey({self._engine.parameters}; {format_bytes(self.nbytes)})"


class Keys:
    """The native keys of a look-up, of one secret; and of rotations, if there are such."""

    def __init__(
        self,
        relinearization: _native.RelinearizationKey,
        conjugation: _native.ConjugationKey,
        bootstrap: _native.BootstrapKey,
        rotation: _native.RotationKey | None = None,
    ) -> None:
        self.all = relinearization, conjugation, bootstrap
        self.rotation = rotation
        self.secret_id = relinearization.secret_id
        self.nbytes = sum(key.nbytes for key in self.stored)

    @property
    def stored(self) -> list[Any]:
        """All keys that there are."""
        return [*self.all, *([] if self.rotation is None else [self.rotation])]


class EvaluationKey(set_keys.Key):
    """Keys to compute with, of one secret: those of CKKS's products, conjugation and bootstraps, and rotations.

    It tells nothing about the secret.

    Examples
    --------
    >>> bulk_engine.create_evaluation_key(bulk_secret_key)
    EvaluationKey(integer-4-128; ... MB)
    """

    __slots__ = ()

    kind = "evaluation key"

    _native: Keys

    def _stored(self) -> tuple[Any, dict[str, str]]:
        return self._native.stored, {}

    def __repr__(self) -> str:
        rotations = "" if self._native.rotation is None else ", rotations"
        return f"EvaluationKey({self._engine.parameters}{rotations}; {format_bytes(self.nbytes)})"
