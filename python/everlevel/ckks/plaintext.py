"""An encoded, unencrypted message."""

from __future__ import annotations

from .. import _native
from .._common.storable import Storable

__all__ = ["LightPlaintext", "Plaintext"]


class Plaintext(Storable):
    """A message, encoded at a level: what a ciphertext can be combined with many times at no cost of encoding.

    Made by `Engine.encode` and `Engine.decrypt_to_plaintext`. Immutable.
    """

    __slots__ = ("__weakref__", "_context", "_is_real", "_native")

    kind = "plaintext"

    def __init__(self, context: _native.Context, native: _native.Plaintext, *, is_real: bool) -> None:
        self._context = context
        self._native = native
        self._is_real = is_real

    def _stored(self) -> tuple[_native.Context, _native.Plaintext, dict[str, str]]:
        return self._context, self._native, {"is_real": str(self._is_real).lower()}

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
        """Slots of a unit."""
        return self._context.slot_count

    def __len__(self) -> int:
        """Return the number of units: 1 for up to `slot_count` values."""
        return self._native.unit_count

    def __bool__(self) -> bool:
        return True

    @property
    def nbytes(self) -> int:
        """Bytes in memory."""
        return self._native.nbytes

    @property
    def is_real(self) -> bool:
        """Whether decoding gives float64 (else complex128)."""
        return self._is_real

    def __repr__(self) -> str:
        slots = f"{len(self)}×{self.slot_count}" if len(self) > 1 else f"{self.slot_count}"
        return f"Plaintext(level {self.level}, scale 2^{self._native.log2_scale:.2f}, slots {slots})"


class LightPlaintext(Storable):
    """A message, encoded up to its scale and primes: eight bytes for each coefficient, whatever the level.

    Made by `Engine.encode_to_light_plaintext`, and used where a `Plaintext` is: each use scales, rounds and transforms
    it for the level, with the same result, bit for bit. Choose it where many messages are kept and memory is short: a
    `Plaintext` takes eight bytes for each coefficient and each prime of its level.
    """

    __slots__ = ("__weakref__", "_context", "_is_real", "_native")

    kind = "light plaintext"

    def __init__(self, context: _native.Context, native: _native.LightPlaintext, *, is_real: bool) -> None:
        self._context = context
        self._native = native
        self._is_real = is_real

    def _stored(self) -> tuple[_native.Context, _native.LightPlaintext, dict[str, str]]:
        return self._context, self._native, {"is_real": str(self._is_real).lower()}

    @property
    def level(self) -> int:
        """Highest level of a ciphertext that it can be combined with: see `Engine.change_level`."""
        return self._native.level

    @property
    def slot_count(self) -> int:
        """Slots of a unit."""
        return self._context.slot_count

    def __len__(self) -> int:
        """Return the number of units: 1 for up to `slot_count` values."""
        return self._native.unit_count

    def __bool__(self) -> bool:
        return True

    @property
    def nbytes(self) -> int:
        """Bytes in memory."""
        return self._native.nbytes

    @property
    def is_real(self) -> bool:
        """Whether the message is real."""
        return self._is_real

    def __repr__(self) -> str:
        slots = f"{len(self)}×{self.slot_count}" if len(self) > 1 else f"{self.slot_count}"
        return f"LightPlaintext(level {self.level}, slots {slots})"
