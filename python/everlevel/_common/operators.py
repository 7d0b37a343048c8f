"""Operators of encrypted vectors, which call their engine's methods."""

from __future__ import annotations

from typing import Any, TypeVar

from . import powers
from .opaque import Encrypted, is_clear
from .storable import OfEngine

VectorT = TypeVar("VectorT", bound="Vector")


class Vector(Encrypted, OfEngine):
    """Base of ciphertexts whose engine has `add`, `subtract`, `multiply`, `negate`, `rotate` and `sum`."""

    __slots__ = ()

    kind = "ciphertext"

    _instead_of_numpy = "use its operators and the engine's methods, or decrypt it first"

    def __add__(self: VectorT, other: Any) -> VectorT:
        return self._engine.add(self, other) if _is_operand(other) else NotImplemented

    __radd__ = __add__

    def __sub__(self: VectorT, other: Any) -> VectorT:
        return self._engine.subtract(self, other) if _is_operand(other) else NotImplemented

    def __rsub__(self: VectorT, other: Any) -> VectorT:
        return self._engine.subtract(other, self) if _is_operand(other) else NotImplemented

    def __mul__(self: VectorT, other: Any) -> VectorT:
        return self._engine.multiply(self, other) if _is_operand(other) else NotImplemented

    __rmul__ = __mul__

    def __neg__(self: VectorT) -> VectorT:
        return self._engine.negate(self)  # type: ignore[no-any-return]

    def __pow__(self: VectorT, exponent: Any) -> VectorT:
        checked = powers.exponent(exponent, "decrypt for others")
        return powers.power(self, checked, self._engine.multiply)

    def rotate(self: VectorT, delta: int) -> VectorT:
        """Rotate slots by an amount: see `Engine.rotate`.

        Examples
        --------
        >>> engine, secret_key = bfv_engine, bfv_secret_key
        >>> x = engine.encrypt([3, 4], secret_key)
        >>> engine.decrypt(x.rotate(1), secret_key)[:3]
        array([0, 3, 4])
        """
        return self._engine.rotate(self, delta)  # type: ignore[no-any-return]

    def sum(self: VectorT) -> VectorT:
        """Add up all slots: see `Engine.sum`.

        Examples
        --------
        >>> engine, secret_key = limbs_engine, limbs_secret_key
        >>> x = engine.encrypt([0.5, 0.25], secret_key)
        >>> engine.decrypt(x.sum(), secret_key)[:2].round(3)
        array([0.75, 0.75])
        """
        return self._engine.sum(self)  # type: ignore[no-any-return]


def _is_operand(value: Any) -> bool:
    """Whether the engine judges a value; what other libraries define is left to them."""
    return isinstance(value, Vector) or is_clear(value)
