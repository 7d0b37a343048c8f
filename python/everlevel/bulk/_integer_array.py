"""Operators of arrays of encrypted integers of 8 to 64 bits, unsigned and signed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import DTypeLike, NDArray

from .._common.integer_operators import IntegerOperators
from ._digit_array import DigitArray
from .bool_array import BoolArray

IntegerT = TypeVar("IntegerT", bound="IntegerArray")

Axis = int | tuple[int, ...] | None
"""Axes of a reduction; None for all."""


class Operations(Protocol):
    """Interface of the engine behind the operators of an array of integers."""

    @property
    def _digit_bits(self) -> int: ...
    def _uint_binary(self, name: str, a: Any, b: Any) -> Any: ...
    def _uint_divide(self, name: str, a: Any, b: Any) -> Any: ...
    def _uint_divmod(self, a: Any, b: Any) -> tuple[Any, Any]: ...
    def _uint_compare(self, name: str, a: Any, b: Any) -> BoolArray: ...
    def _uint_unary(self, name: str, x: IntegerT) -> IntegerT: ...
    def _uint_shift(self, name: str, a: Any, amount: Any) -> Any: ...
    def _uint_astype(self, x: Any, dtype: Any) -> Any: ...
    def _uint_reduce(self, name: str, x: IntegerT, axis: Axis, keepdims: bool) -> IntegerT: ...


class IntegerArray(IntegerOperators[BoolArray], DigitArray):  # type: ignore[misc]  # values of one digit refuse ==
    """An array of encrypted integers, of any shape: base of `UintArray` and `IntArray`."""

    __slots__ = ()

    _engine: Operations  # type: ignore[assignment]
    _signed: ClassVar[bool]

    kind = "array of encrypted integers"

    _next_steps: ClassVar[Mapping[str, str]] = {
        "divide": "use // for quotients that are rounded down",
        "power": "multiply: x * x",
    }

    @property
    def width(self) -> int:
        """Bits of an integer.

        Examples
        --------
        >>> bulk_engine.encrypt_uint(np.array([7], np.uint8), bulk_secret_key).width
        8
        """
        return len(self._digits) * self._engine._digit_bits

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the decrypted array.

        Examples
        --------
        >>> bulk_engine.encrypt_int(np.array([-7], np.int16), bulk_secret_key).dtype
        dtype('int16')
        """
        return np.dtype(f"{'int' if self._signed else 'uint'}{self.width}")

    def _decrypted(self, digits: list[NDArray[Any]]) -> NDArray[Any]:
        found = np.zeros(self.shape, np.uint64)
        for digit in reversed(digits):
            found = found << np.uint64(self._engine._digit_bits) | digit
        return found.astype(f"uint{self.width}").view(self.dtype)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(shape {self.shape}, {self.dtype}, {self._shown_failure()})"

    def __abs__(self) -> Self:
        return self._engine._uint_unary("absolute", self) if self._signed else self

    def astype(self, dtype: DTypeLike) -> Any:
        """Return the same integers with another type; a smaller width cuts off the bits above.

        That takes no bootstrap, but one where the sign of signed integers is copied to a larger width.

        Parameters
        ----------
        dtype : dtype
            ``uint8`` to ``uint64``, or ``int8`` to ``int64``.

        Returns
        -------
        UintArray or IntArray
            Of the same shape.

        Raises
        ------
        OperandTypeError
            If it is another one.

        Examples
        --------
        >>> engine, secret_key = bulk_engine, bulk_secret_key
        >>> x = engine.encrypt_int([-7, 5], secret_key, width=8)
        >>> engine.decrypt(x.astype(np.int16), secret_key), engine.decrypt(x.astype(np.uint8), secret_key)
        (array([-7,  5], dtype=int16), array([249,   5], dtype=uint8))
        """
        return self._engine._uint_astype(self, dtype)

    # One of many.

    def sum(self, axis: Axis = None, dtype: DTypeLike | None = None, *, keepdims: bool = False) -> Any:
        """Add the integers along axes, or all of them, modulo ``2**width``, by a tree of rotations and additions.

        Parameters
        ----------
        axis : int or tuple of int, optional
            The axes; all, if left out.
        dtype : dtype, optional
            That of the sums, as `astype` takes it: a wider one makes room. The array's own, if left out.
        keepdims : bool, default False
            Whether these axes stay, with one element.

        Raises
        ------
        MessageError
            If there is no such axis.
        MissingKeyError
            If the engine's evaluation key for the secret wasn't made with ``rotations=True``.

        Examples
        --------
        >>> engine, secret_key = bulk_engine, bulk_secret_key
        >>> x = engine.encrypt_int(np.array([[3, -7], [5, 4]], dtype=np.int8), secret_key)
        >>> engine.decrypt(x.sum(axis=0), secret_key)
        array([ 8, -3], dtype=int8)
        """
        return self._engine._uint_reduce("sum", self if dtype is None else self.astype(dtype), axis, keepdims)

    def min(self, axis: Axis = None, *, keepdims: bool = False) -> Self:
        """Return the smallest integers along axes, or the smallest of all, by a tournament: see `sum`.

        Examples
        --------
        >>> engine, secret_key = bulk_engine, bulk_secret_key
        >>> x = engine.encrypt_int(np.array([[3, -7], [5, 4]], dtype=np.int8), secret_key)
        >>> engine.decrypt(x.min(axis=0), secret_key)
        array([ 3, -7], dtype=int8)
        """
        return self._engine._uint_reduce("min", self, axis, keepdims)

    def max(self, axis: Axis = None, *, keepdims: bool = False) -> Self:
        """Return the largest integers along axes, or the largest of all, by a tournament: see `sum`.

        Examples
        --------
        >>> engine, secret_key = bulk_engine, bulk_secret_key
        >>> x = engine.encrypt_int(np.array([[3, -7], [5, 4]], dtype=np.int8), secret_key)
        >>> engine.decrypt(x.max(axis=0), secret_key)
        array([5, 4], dtype=int8)
        """
        return self._engine._uint_reduce("max", self, axis, keepdims)
