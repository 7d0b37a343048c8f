"""Arrays of encrypted truth values, and their operators."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import DTypeLike

from .. import _native
from ._array import Axis, EncryptedArray, comparable, is_operand

__all__ = ["BoolArray"]


class Operations(Protocol):
    """Interface of the engine behind the operators of an array of truth values."""

    def _bool_invert(self, x: BoolArray) -> BoolArray: ...
    def _bool_gate(self, name: str, a: Any, b: Any) -> BoolArray: ...
    def _bool_any(self, name: str, x: BoolArray, axis: Axis, keepdims: bool) -> BoolArray: ...
    def _bool_count(self, x: BoolArray, axis: Axis, keepdims: bool, dtype: DTypeLike | str | None) -> Any: ...
    def _bool_multiply(self, condition: BoolArray, value: Any) -> Any: ...
    def _bool_astype(self, x: BoolArray, dtype: DTypeLike | str) -> Any: ...


class BoolArray(EncryptedArray[_native.TfheBoolArray]):
    """An array of encrypted truth values, of any shape: what comparisons of a `UintArray` give.

    `Engine.select` chooses by them. ``a & b``, ``a | b``, ``a ^ b``, ``a == b`` and ``a != b`` cost one bootstrap an
    element, ``~a`` none; one operand may be in the clear. Beside integers they are 0 and 1, and ``a * x`` is `x` where
    `a` holds. Made by `Engine.encrypt_bool`, too. Gates on bits of a
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
    >>> int(engine.decrypt(adult.sum(), secret_key))
    1
    >>> engine.decrypt(adult * age, secret_key)
    array([ 0, 30,  0], dtype=uint8)
    """

    __slots__ = ()

    _engine: Operations

    kind = "array of encrypted truth values"

    # Equality is another array.
    __hash__ = None  # type: ignore[assignment]

    @property
    def dtype(self) -> np.dtype[np.bool_]:
        """Type of the decrypted array.

        Examples
        --------
        >>> tfhe_engine.encrypt_bool([True], tfhe_secret_key).dtype
        dtype('bool')
        """
        return np.dtype(np.bool_)

    def __repr__(self) -> str:
        return f"BoolArray(shape {self._shape}, {self._shown_failure()})"

    def __invert__(self) -> BoolArray:
        return self._engine._bool_invert(self)

    def _bitwise(self, name: str, other: Any) -> Any:
        # Integers take truth values as 0 and 1, and answer.
        return NotImplemented if _is_other(other) else self._engine._bool_gate(name, self, other)

    def __eq__(self, other: Any) -> Any:
        return other == self if _is_other(other) else ~self._bitwise("xor", comparable("equal", other))

    def __ne__(self, other: Any) -> Any:
        return other != self if _is_other(other) else self._bitwise("xor", comparable("not_equal", other))

    def __mul__(self, other: Any) -> Any:
        return self._engine._bool_multiply(self, other) if is_operand(other) else NotImplemented

    __rmul__ = __mul__

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

        Examples
        --------
        >>> engine, secret_key = tfhe_engine, tfhe_secret_key
        >>> flags = engine.encrypt_bool([True, False, True], secret_key)
        >>> engine.decrypt(flags.astype(np.uint8), secret_key)
        array([1, 0, 1], dtype=uint8)
        """
        return self._engine._bool_astype(self, dtype)

    def sum(self, axis: Axis = None, dtype: DTypeLike | str | None = None, *, keepdims: bool = False) -> Any:
        """Count the elements that are true along axes, or of all.

        Parameters
        ----------
        axis : int or tuple of int, optional
            The axes; all, if left out.
        dtype : dtype or str, optional
            That of the counts, which wrap around: the least unsigned one that holds them, if left out.
        keepdims : bool, default False
            Whether these axes stay, with one element.

        Returns
        -------
        UintArray or IntArray

        Raises
        ------
        MessageError
            If there is no such axis.

        Examples
        --------
        >>> engine, secret_key = tfhe_engine, tfhe_secret_key
        >>> flags = engine.encrypt_bool([True, False, True], secret_key)
        >>> engine.decrypt(flags.sum(), secret_key)
        array(2, dtype=uint8)
        """
        return self._engine._bool_count(self, axis, keepdims, dtype)

    def any(self, axis: Axis = None, *, keepdims: bool = False) -> BoolArray:
        """Tell whether any element along axes is true, or any of all: see `sum` for the arguments.

        Examples
        --------
        >>> engine, secret_key = tfhe_engine, tfhe_secret_key
        >>> flags = engine.encrypt_bool([True, False, True], secret_key)
        >>> engine.decrypt(flags.any(), secret_key)
        array(True)
        """
        return self._engine._bool_any("any", self, axis, keepdims)

    def all(self, axis: Axis = None, *, keepdims: bool = False) -> BoolArray:
        """Tell whether all elements along axes are true, or all there are: see `sum` for the arguments.

        Examples
        --------
        >>> engine, secret_key = tfhe_engine, tfhe_secret_key
        >>> flags = engine.encrypt_bool([True, False, True], secret_key)
        >>> engine.decrypt(flags.all(), secret_key)
        array(False)
        """
        return ~self._engine._bool_any("all", ~self, axis, keepdims)


def _is_other(value: Any) -> bool:
    return isinstance(value, EncryptedArray) and not isinstance(value, BoolArray)
