"""Arrays of encrypted truth values, and their operators."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import DTypeLike

from .. import _native
from ._array import EncryptedArray, comparable

__all__ = ["BoolArray"]


class Operations(Protocol):
    """Interface of the engine behind the operators of an array of truth values."""

    def _bool_invert(self, x: BoolArray) -> BoolArray: ...
    def _bool_gate(self, name: str, a: Any, b: Any) -> BoolArray: ...
    def _bool_any(self, name: str, x: BoolArray, axis: int | None) -> BoolArray: ...
    def _bool_astype(self, x: BoolArray, dtype: DTypeLike | str) -> Any: ...


class BoolArray(EncryptedArray[_native.TfheBoolArray]):
    """An array of encrypted truth values, of any shape: what comparisons of a `UintArray` give.

    `Engine.select` chooses by them. ``a & b``, ``a | b``, ``a ^ b``, ``a == b`` and ``a != b`` cost one bootstrap an
    element, ``~a`` none; one operand may be in the clear. Made by `Engine.encrypt_bool`, too. Gates on bits of a
    parameter set of their own are faster: see `Ciphertext`.

    Examples
    --------
    >>> engine, secret_key = tfhe_engine, tfhe_secret_key
    >>> age = engine.encrypt_uint(np.array([17, 30, 70], dtype=np.uint8), secret_key)
    >>> adult = (age >= 18) & (age < 65)
    >>> adult
    BoolArray(shape (3,), p_fail 2^-...)
    >>> engine.decrypt(adult, secret_key)
    array([False,  True, False])
    >>> int(engine.decrypt(adult.astype(np.uint8).sum(), secret_key))
    1
    """

    __slots__ = ()

    _engine: Operations

    kind = "array of encrypted truth values"

    # Equality is another array.
    __hash__ = None  # type: ignore[assignment]

    @property
    def dtype(self) -> np.dtype[np.bool_]:
        """Type of the decrypted array."""
        return np.dtype(np.bool_)

    def __repr__(self) -> str:
        return f"BoolArray(shape {self._shape}, {self._shown_failure()})"

    def __invert__(self) -> BoolArray:
        return self._engine._bool_invert(self)

    def _bitwise(self, name: str, other: Any) -> BoolArray:
        return self._engine._bool_gate(name, self, other)

    def __eq__(self, other: Any) -> BoolArray:  # type: ignore[override]
        return ~self._bitwise("xor", comparable("equal", other))

    def __ne__(self, other: Any) -> BoolArray:  # type: ignore[override]
        return self._bitwise("xor", comparable("not_equal", other))

    def astype(self, dtype: DTypeLike | str) -> Any:
        """Turn truth values into integers, 0 or 1, without a bootstrap.

        Parameters
        ----------
        dtype : dtype or str
            That of a `UintArray` or an `IntArray`, as their `astype` takes it.

        Raises
        ------
        OperandTypeError
            If it is another one.
        """
        return self._engine._bool_astype(self, dtype)

    def any(self, axis: int | None = None) -> BoolArray:
        """Tell whether any element along an axis is true, or any of all.

        Raises
        ------
        MessageError
            If there is no such axis.
        """
        return self._engine._bool_any("any", self, axis)

    def all(self, axis: int | None = None) -> BoolArray:
        """Tell whether all elements along an axis are true, or all there are.

        Raises
        ------
        MessageError
            If there is no such axis.
        """
        return ~self._engine._bool_any("all", ~self, axis)
