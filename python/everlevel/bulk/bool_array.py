"""Arrays of encrypted truth values, and their operators."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ._digit_array import DigitArray

__all__ = ["BoolArray"]


class Operations(Protocol):
    """Interface of the engine behind the operators of an array of truth values."""

    def _bool_gate(self, name: str, a: Any, b: Any) -> BoolArray: ...
    def _bool_invert(self, x: BoolArray) -> BoolArray: ...


class BoolArray(DigitArray):
    """An array of encrypted truth values, of any shape: what comparisons of a `UintArray` give.

    `Engine.select` chooses by them. ``a & b``, ``a | b`` and ``a ^ b`` take one bootstrap for all elements, ``~a``
    none; one operand may be in the clear.

    Examples
    --------
    >>> engine, secret_key = bulk_engine, bulk_secret_key
    >>> age = engine.encrypt_uint(np.array([17, 30, 70], dtype=np.uint8), secret_key)
    >>> adult = (age >= 18) & (age < 65)
    >>> adult
    BoolArray(shape (3,), p_fail 2^-...)
    >>> engine.decrypt(adult, secret_key)
    array([False,  True, False])
    """

    __slots__ = ()

    _engine: Operations  # type: ignore[assignment]

    kind = "array of encrypted truth values"

    # Equality is another array.
    __hash__ = None  # type: ignore[assignment]

    @property
    def dtype(self) -> np.dtype[np.bool_]:
        """Type of the decrypted array.

        Examples
        --------
        >>> x = bulk_engine.encrypt_uint([1, 2], bulk_secret_key, width=16)
        >>> (x > 1).dtype
        dtype('bool')
        """
        return np.dtype(np.bool_)

    def _decrypted(self, digits: list[NDArray[Any]]) -> NDArray[np.bool_]:
        return digits[0].astype(np.bool_)

    def __repr__(self) -> str:
        return f"BoolArray(shape {self.shape}, {self._shown_failure()})"

    def __invert__(self) -> BoolArray:
        return self._engine._bool_invert(self)

    def _bitwise(self, name: str, other: Any) -> BoolArray:
        return self._engine._bool_gate(name, self, other)

    def __eq__(self, other: Any) -> BoolArray:  # type: ignore[override]
        return ~self._bitwise("xor", self._comparable("equal", other))

    def __ne__(self, other: Any) -> BoolArray:  # type: ignore[override]
        return self._bitwise("xor", self._comparable("not_equal", other))
