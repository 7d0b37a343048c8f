"""Encrypted vectors of integers, and their operators."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from .. import _native
from .._common.opaque import Opaque
from ._storable import Storable

__all__ = ["Ciphertext"]


class Operations(Protocol):
    """What the operators of a ciphertext ask of its engine."""

    @property
    def slot_count(self) -> int: ...
    @property
    def plain_modulus(self) -> int: ...
    def add(self, a: Any, b: Any) -> Ciphertext: ...
    def subtract(self, a: Any, b: Any) -> Ciphertext: ...
    def multiply(self, a: Any, b: Any) -> Ciphertext: ...
    def negate(self, a: Ciphertext) -> Ciphertext: ...


class Ciphertext(Opaque, Storable):
    """An encrypted vector of integers modulo `Engine.plain_modulus`, one for each slot.

    Made by `Engine.encrypt`, and by every operation on ciphertexts. It is immutable: an operation gives a new one, and
    any number of threads may share it. One operand of an operator may be in the clear: an integer, which stands for one
    in every slot, or a vector. Products use the evaluation key that the engine has made, or was given, for the
    ciphertext's secret.

    ============================  =======================================
    expression                    budget that it takes
    ============================  =======================================
    ``a + b``, ``a - b``          1 bit at most
    ``-a``, ``a + 3``, ``7 - a``  next to none
    ``a * [1, 2, 3]``             log2 of the modulus and the slots' half
    ``a * b``                     most: see `Engine.depth`
    ============================  =======================================

    Examples
    --------
    >>> engine, secret_key = bfv_engine, bfv_secret_key
    >>> x = engine.encrypt([1, 2, 3], secret_key)
    >>> x
    Ciphertext(1024 slots modulo 786433, budget ... bits)
    >>> engine.decrypt(x * x + 1, secret_key)[:4]
    array([ 2,  5, 10,  1])
    """

    __slots__ = ("_native",)

    _engine: Operations

    kind = "ciphertext"

    _instead_of_numpy = "use its operators and the engine's methods, or decrypt it first"

    # Equality of values can't be told here, and that of objects is `is`.
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, engine: Any, native: _native.BfvCiphertext) -> None:
        super().__init__(engine)
        self._native = native

    def _stored(self) -> tuple[_native.BfvCiphertext, dict[str, str]]:
        return self._native, {}

    @property
    def budget_bits(self) -> float:
        """Bits by which the noise may still grow before a decryption is wrong with a probability above 2^-128."""
        return self._native.budget_bits

    @property
    def log2_noise(self) -> float:
        """Base-2 logarithm of the noise's standard deviation, as a part of the whole modulus, by the noise formulas."""
        return self._native.log2_noise

    @property
    def nbytes(self) -> int:
        """Bytes in memory."""
        return self._native.nbytes

    def __repr__(self) -> str:
        slots = f"{self._engine.slot_count} slots modulo {self._engine.plain_modulus}"
        return f"Ciphertext({slots}, budget {self.budget_bits:.1f} bits)"

    def __add__(self, other: Any) -> Ciphertext:
        return self._engine.add(self, other) if _is_operand(other) else NotImplemented

    __radd__ = __add__

    def __sub__(self, other: Any) -> Ciphertext:
        return self._engine.subtract(self, other) if _is_operand(other) else NotImplemented

    def __rsub__(self, other: Any) -> Ciphertext:
        return self._engine.subtract(other, self) if _is_operand(other) else NotImplemented

    def __mul__(self, other: Any) -> Ciphertext:
        return self._engine.multiply(self, other) if _is_operand(other) else NotImplemented

    __rmul__ = __mul__

    def __neg__(self) -> Ciphertext:
        return self._engine.negate(self)


def _is_operand(value: Any) -> bool:
    """Whether the engine judges a value; what other libraries define is left to them."""
    return isinstance(value, (Ciphertext, bool, int, float, complex, list, tuple, np.generic, np.ndarray))
