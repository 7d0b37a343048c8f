"""Encoded, unencrypted messages."""

from __future__ import annotations

from typing import TypeVar, final

from .. import _native
from .._common.slot_shapes import SLOTS, InSlots, Layout
from ._storable import Encoded

__all__ = ["LightPlaintext", "Plaintext"]

NativeT = TypeVar("NativeT", bound=_native.Plaintext | _native.LightPlaintext)


class _Message(InSlots, Encoded[NativeT]):
    """Base of both kinds of plaintext."""

    __slots__ = ("_layout",)

    def __init__(self, context: _native.Context, native: NativeT, *, is_real: bool, layout: Layout = SLOTS) -> None:
        super().__init__(context, native, is_real=is_real)
        self._layout = layout

    def _stored(self) -> tuple[_native.Context, NativeT, dict[str, str]]:
        context, native, notes = super()._stored()
        return context, native, {**notes, **self._layout.notes()}

    @property
    def slot_count(self) -> int:
        """Slots of a unit."""
        return self._context.slot_count

    def __bool__(self) -> bool:
        return True

    def _slots(self) -> str:
        return f"slots {self.unit_count}×{self.slot_count}" if self.unit_count > 1 else f"slots {self.slot_count}"


@final
class Plaintext(_Message[_native.Plaintext]):
    """A message, encoded at a level: what a ciphertext can be combined with many times at no cost of encoding.

    Made by `Engine.encode` and `Engine.decrypt_to_plaintext`. Immutable.
    """

    __slots__ = ()

    kind = "plaintext"

    @property
    def level(self) -> int:
        """Highest level of a ciphertext that it can be combined with."""
        return self._native.level

    @property
    def scale(self) -> float:
        """Factor between a slot's value and what is stored for it."""
        return float(2.0**self._native.log2_scale)

    @property
    def is_real(self) -> bool:
        """Whether decoding gives float64 (else complex128)."""
        return self._is_real

    def __repr__(self) -> str:
        return f"Plaintext(level {self.level}, scale 2^{self._native.log2_scale:.2f}, {self._slots()})"


@final
class LightPlaintext(_Message[_native.LightPlaintext]):
    """A message, encoded up to its scale and primes: eight bytes for each coefficient, whatever the level.

    Made by `Engine.encode_to_light_plaintext`, and used where a `Plaintext` is: each use scales, rounds and transforms
    it for the level, with the same result, bit for bit. Choose it where many messages are kept and memory is short: a
    `Plaintext` takes eight bytes for each coefficient and each prime of its level.
    """

    __slots__ = ()

    kind = "light plaintext"

    @property
    def level(self) -> int:
        """Highest level of a ciphertext that it can be combined with: see `Engine.change_level`."""
        return self._native.level

    @property
    def is_real(self) -> bool:
        """Whether the message is real."""
        return self._is_real

    def __repr__(self) -> str:
        return f"LightPlaintext(level {self.level}, {self._slots()})"
