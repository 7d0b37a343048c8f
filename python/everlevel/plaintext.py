"""An encoded, unencrypted message."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from . import _native

__all__ = ["Plaintext"]


class Plaintext:
    """A message, encoded at a level: what a ciphertext can be combined with many times at no cost of encoding.

    Made by `Engine.encode` and `Engine.decrypt_to_plaintext`. Immutable.
    """

    __slots__ = ("__weakref__", "_is_real", "_native", "_slot_count")

    def __init__(self, native: _native.Plaintext, slot_count: int, *, is_real: bool) -> None:
        self._native = native
        self._slot_count = slot_count
        self._is_real = is_real

    @property
    def level(self) -> int:
        """Highest level of a ciphertext that it can be combined with."""
        return self._native.level

    @property
    def scale(self) -> float:
        """Factor between a slot's value and what is stored for it."""
        return float(2.0**self._native.log2_scale)

    @property
    def slot_count(self) -> int:
        """Number of slots."""
        return self._slot_count

    @property
    def nbytes(self) -> int:
        """Bytes in memory."""
        return self._native.nbytes

    @property
    def is_real(self) -> bool:
        """Whether decoding gives float64 (else complex128)."""
        return self._is_real

    def __repr__(self) -> str:
        return f"Plaintext(level {self.level}, scale 2^{self._native.log2_scale:.2f}, slots {self.slot_count})"
