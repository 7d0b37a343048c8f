"""Encrypted vectors of integers."""

from __future__ import annotations

from typing import Any

from .. import _native
from .._common.operators import Vector

__all__ = ["Ciphertext"]


class Ciphertext(Vector):
    """An encrypted vector of integers modulo `Engine.plain_modulus`, one for each slot.

    Made by `Engine.encrypt`, and by every operation on ciphertexts. A vector longer than the slots has several units,
    as an array of shape (units, slot_count), on which operations act at once; two operands have equally many. A
    ciphertext is immutable: an operation gives a new one, and any number of threads may share it. One operand of an
    operator may be in the clear: an integer, which stands for one in every slot, or a vector. Products use the
    evaluation key that the engine has made, or was given, for the ciphertext's secret.

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

    def __init__(self, engine: Any, native: _native.BfvCiphertext) -> None:
        super().__init__(engine)
        self._native = native

    def _stored(self) -> tuple[_native.BfvCiphertext, dict[str, str]]:
        return self._native, {}

    def __len__(self) -> int:
        """Return the number of units: 1 for a vector of up to `Engine.slot_count` integers."""
        return self._native.unit_count

    def units(self) -> list[Ciphertext]:
        """Return each unit as a ciphertext of its own.

        Examples
        --------
        >>> x = bfv_engine.encrypt(np.ones(2 * bfv_engine.slot_count, int), bfv_secret_key)
        >>> len(x), [len(unit) for unit in x.units()]
        (2, [1, 1])
        """
        return [Ciphertext(self._engine, unit) for unit in self._native.units()]

    def sum(self, axis: int | None = None) -> Ciphertext:
        """Add up slots, units, or both: see `Engine.sum`.

        Examples
        --------
        >>> engine, secret_key = bfv_engine, bfv_secret_key
        >>> x = engine.encrypt([3, 4], secret_key)
        >>> engine.decrypt(x.sum(), secret_key)[:2]
        array([7, 7])
        """
        return self._engine.sum(self, axis=axis)  # type: ignore[no-any-return]

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
        units = f"{len(self)}×" if len(self) > 1 else ""
        slots = f"{units}{self._engine.slot_count} slots modulo {self._engine.plain_modulus}"
        return f"Ciphertext({slots}, budget {self.budget_bits:.1f} bits)"
