"""Encrypted vectors of integers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from .._common.operators import Vector
from .._common.slot_shapes import SLOTS, Layout
from .._native import BfvCiphertext as NativeCiphertext

__all__ = ["Ciphertext"]


class Ciphertext(Vector):
    """An encrypted vector of integers modulo `Engine.plain_modulus`, one for each slot.

    Made by `Engine.encrypt`, and by every operation on ciphertexts. A ciphertext is immutable: an operation gives a new
    one, and any number of threads may share it. One operand of an operator may be in the clear: an integer, or an
    array. Products use the evaluation key that the engine has made, or was given, for the ciphertext's secret.

    It remembers the `shape` of what was encrypted, up to `slot_count` values, as NumPy's arrays do: `len` and sums are
    those of the values that are there, and shapes broadcast. Rotations and vectors of `slot_count` values work on all
    slots, and give the slots' shape, with zeros after the values. A vector longer than the slots has several units, as
    an array of shape (units, slot_count), on which operations act at once; two operands have equally many.

    ============================  =======================================
    expression                    budget that it takes
    ============================  =======================================
    ``a + b``, ``a - b``          1 bit at most
    ``-a``, ``a + 3``, ``7 - a``  next to none
    ``a * [1, 2, 3]``             log2 of the modulus and the slots' half
    ``a * b``                     most: see `Engine.depth`
    ``a.roll(1)``, ``a[1:3]``     1 bit at most, or that of ``a * [1, 2, 3]``
    ============================  =======================================

    Examples
    --------
    >>> engine, secret_key = bfv_engine, bfv_secret_key
    >>> x = engine.encrypt([1, 2, 3], secret_key)
    >>> x
    Ciphertext(1024 slots modulo 786433, shape (3,), budget ... bits)
    >>> y = x * x + 1
    >>> engine.decrypt(y, secret_key), engine.decrypt(y.sum(), secret_key)
    (array([ 2,  5, 10]), array(17))
    """

    __slots__ = ()

    _next_steps: ClassVar[Mapping[str, str]] = {
        "divide": "multiply by an inverse modulo engine.plain_modulus, or divide what is decrypted",
        "matmul": "write it as (x * y).sum(axis=-1)",
        **dict.fromkeys(
            ("floor_divide", "remainder", "divmod", "less", "less_equal", "absolute", "left_shift", "right_shift"),
            "integers of everlevel.tfhe have it, or decrypt it first",
        ),
    }

    _native: NativeCiphertext

    def __init__(self, engine: Any, native: NativeCiphertext, layout: Layout = SLOTS) -> None:
        super().__init__(engine, native, layout)

    def _with(self, layout: Layout) -> Ciphertext:
        return self if layout is self._layout else Ciphertext(self._engine, self._native, layout)

    def _stored(self) -> tuple[NativeCiphertext, dict[str, str]]:
        return self._native, self._layout.notes()

    def units(self) -> list[Ciphertext]:
        """Return each unit as a ciphertext of its own.

        Examples
        --------
        >>> x = bfv_engine.encrypt(np.ones(2 * bfv_engine.slot_count, int), bfv_secret_key)
        >>> x.unit_count, [unit.unit_count for unit in x.units()]
        (2, [1, 1])
        """
        if self.unit_count == 1:
            return [self]
        return [Ciphertext(self._engine, unit) for unit in self._native.units()]

    @property
    def budget_bits(self) -> float:
        """Bits by which the noise may still grow before a decryption is wrong with a probability above 2^-128.

        Examples
        --------
        >>> x = bfv_engine.encrypt([3], bfv_secret_key)
        >>> x.budget_bits > (x * x).budget_bits > 0
        True
        """
        return self._native.budget_bits

    @property
    def log2_noise(self) -> float:
        """Base-2 logarithm of the noise's standard deviation, as a part of the whole modulus, by the noise formulas.

        Examples
        --------
        >>> x = bfv_engine.encrypt([3], bfv_secret_key)
        >>> x.log2_noise < (x * x).log2_noise
        True
        """
        return self._native.log2_noise

    def __repr__(self) -> str:
        units = f"{self.unit_count}×" if self.unit_count > 1 else ""
        slots = f"{units}{self._engine.slot_count} slots modulo {self._engine.plain_modulus}"
        shape = "" if self._layout.shape is None else f"shape {self.shape}, "
        return f"Ciphertext({slots}, {shape}budget {self.budget_bits:.1f} bits)"
