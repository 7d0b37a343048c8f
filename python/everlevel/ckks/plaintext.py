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
        """Slots of a unit.

        Examples
        --------
        >>> engine.encode([0.5]).slot_count
        512
        """
        return self._context.slot_count

    def __bool__(self) -> bool:
        return True

    def _slots(self) -> str:
        return f"slots {self.unit_count}×{self.slot_count}" if self.unit_count > 1 else f"slots {self.slot_count}"


@final
class Plaintext(_Message[_native.Plaintext]):
    """A message, encoded at a level: what a ciphertext can be combined with many times at no cost of encoding.

    Made by `Engine.encode` and `Engine.decrypt_to_plaintext`. Immutable.

    Examples
    --------
    >>> plaintext = engine.encode([2.0, 3.0])
    >>> x = engine.encrypt([1.0, 2.0], secret_key, bound=2)
    >>> engine.decrypt(x * plaintext, secret_key).round(3), engine.decode(plaintext).round(3)
    (array([2., 6.]), array([2., 3.]))
    """

    __slots__ = ()

    kind = "plaintext"

    @property
    def level(self) -> int:
        """Highest level of a ciphertext that it can be combined with.

        Examples
        --------
        >>> engine.encode([0.5], level=3).level
        3
        """
        return self._native.level

    @property
    def scale(self) -> float:
        """Factor between a slot's value and what is stored for it.

        Examples
        --------
        >>> engine.encode([0.5]).scale == engine.encrypt([0.5], secret_key, bound=1).scale
        True
        """
        return float(2.0**self._native.log2_scale)

    @property
    def is_real(self) -> bool:
        """Whether decoding gives float64 (else complex128).

        Examples
        --------
        >>> engine.encode([0.5]).is_real, engine.encode([0.5j]).is_real
        (True, False)
        """
        return self._is_real

    def __repr__(self) -> str:
        return f"Plaintext(level {self.level}, scale 2^{self._native.log2_scale:.2f}, {self._slots()})"


@final
class LightPlaintext(_Message[_native.LightPlaintext]):
    """A message, encoded up to its scale and primes: eight bytes for each coefficient, whatever the level.

    Made by `Engine.encode_to_light_plaintext`, and used where a `Plaintext` is: each use scales, rounds and transforms
    it for the level, with the same result, bit for bit. Choose it where many messages are kept and memory is short: a
    `Plaintext` takes eight bytes for each coefficient and each prime of its level.

    Examples
    --------
    >>> light = engine.encode_to_light_plaintext([2.0, 3.0])
    >>> x = engine.encrypt([1.0, 2.0], secret_key, bound=2)
    >>> engine.decrypt(x * light, secret_key).round(3)
    array([2., 6.])
    """

    __slots__ = ()

    kind = "light plaintext"

    @property
    def level(self) -> int:
        """Highest level of a ciphertext that it can be combined with: see `Engine.change_level`.

        Examples
        --------
        >>> engine.encode_to_light_plaintext([1.0], 3).level
        3
        """
        return self._native.level

    @property
    def is_real(self) -> bool:
        """Whether the message is real.

        Examples
        --------
        >>> engine.encode_to_light_plaintext([1.0]).is_real
        True
        """
        return self._is_real

    def __repr__(self) -> str:
        return f"LightPlaintext(level {self.level}, {self._slots()})"
