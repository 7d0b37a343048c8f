"""Operators of arrays of encrypted integers, unsigned and signed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import DTypeLike

from .. import _native
from .._common.integer_operators import IntegerOperators
from ._array import Axis, EncryptedArray, is_operand
from .bool_array import BoolArray

if TYPE_CHECKING:
    from .uint_array import UintArray


IntegerT = TypeVar("IntegerT", bound="IntegerArray")


class Operations(Protocol):
    """Interface of the engine behind the operators of an array of integers."""

    def _uint_binary(self, name: str, a: Any, b: Any) -> Any: ...
    def _uint_divide(self, name: str, a: Any, b: Any) -> Any: ...
    def _uint_divmod(self, a: Any, b: Any) -> tuple[Any, Any]: ...
    def _uint_power(self, x: Any, exponent: Any) -> Any: ...
    def _uint_compare(self, name: str, a: Any, b: Any) -> BoolArray: ...
    def _uint_unary(self, name: str, x: IntegerT) -> IntegerT: ...
    def _uint_shift(self, name: str, a: Any, amount: Any) -> Any: ...
    def _uint_reduce(self, name: str, x: IntegerT, axis: Axis, keepdims: bool) -> IntegerT: ...
    def _uint_place_of(self, name: str, x: Any, axis: int | None, keepdims: bool) -> UintArray: ...
    def _uint_product(self, x: IntegerT, axis: Axis, keepdims: bool) -> IntegerT: ...
    def _uint_cumulative_sum(self, x: IntegerT, axis: int | None) -> IntegerT: ...
    def _uint_mean(self, x: IntegerT, axis: Axis, keepdims: bool) -> IntegerT: ...
    def _uint_matrix_product(self, a: Any, b: Any) -> Any: ...
    def _uint_dot(self, a: Any, b: Any) -> Any: ...
    def _uint_sort(self, x: IntegerT, axis: int | None) -> IntegerT: ...
    def _uint_astype(self, x: Any, dtype: DTypeLike | str) -> Any: ...


class IntegerArray(IntegerOperators[BoolArray], EncryptedArray[_native.TfheUintArray]):
    """An array of encrypted integers, of any shape: base of `UintArray` and `IntArray`."""

    __slots__ = ()

    _engine: Operations
    _signed: ClassVar[bool]

    kind = "array of encrypted integers"

    @property
    def width(self) -> int:
        """Bits of an integer.

        Examples
        --------
        >>> tfhe_engine.encrypt_uint(np.array([7], np.uint8), tfhe_secret_key).width
        8
        """
        return self._native.width

    @property
    def _integer_type(self) -> str:
        return f"{'int' if self._signed else 'uint'}{self.width}"

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the decrypted array: that of objects, which are Python's integers, from 128 bits on.

        Examples
        --------
        >>> tfhe_engine.encrypt_int(np.array([-7], np.int16), tfhe_secret_key).dtype
        dtype('int16')
        """
        return np.dtype(self._integer_type if self.width <= 64 else object)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(shape {self._shape}, {self._integer_type}, {self._shown_failure()})"

    # Arithmetic.

    def __mul__(self, other: Any) -> Any:
        # Decimals answer for their products.
        if hasattr(other, "_units_of"):
            return NotImplemented
        return super().__mul__(other)

    def __pow__(self, exponent: Any) -> Self:
        return self._engine._uint_power(self, exponent) if is_operand(exponent) else NotImplemented

    def __rpow__(self, base: Any) -> Any:
        return self._engine._uint_power(base, self) if is_operand(base) else NotImplemented

    def __matmul__(self, other: Any) -> Self:
        return self._engine._uint_matrix_product(self, other) if is_operand(other) else NotImplemented

    def __rmatmul__(self, other: Any) -> Self:
        return self._engine._uint_matrix_product(other, self) if is_operand(other) else NotImplemented

    def __abs__(self) -> Self:
        if self._signed:
            return self._engine._uint_unary("absolute", self)
        return self.copy()

    # One of many.

    def sum(self, axis: Axis = None, dtype: DTypeLike | str | None = None, *, keepdims: bool = False) -> Any:
        """Add the integers along axes, or all of them, modulo ``2**width``.

        Digits are added up in columns and carries propagated once, which is much less than a chain of additions.

        Parameters
        ----------
        axis : int or tuple of int, optional
            The axes; all, if left out.
        dtype : dtype or str, optional
            That of the sums, as `astype` takes it: a wider one makes room. The array's own, if left out.
        keepdims : bool, default False
            Whether these axes stay, with one element.

        Raises
        ------
        MessageError
            If there is no such axis.

        Examples
        --------
        >>> engine, secret_key = tfhe_engine, tfhe_secret_key
        >>> x = engine.encrypt_int(np.array([3, -7, 5], dtype=np.int8), secret_key)
        >>> engine.decrypt(x.sum(), secret_key)
        array(1, dtype=int8)
        """
        return self._engine._uint_reduce("sum", self._as(dtype), axis, keepdims)

    def prod(self, axis: Axis = None, dtype: DTypeLike | str | None = None, *, keepdims: bool = False) -> Any:
        """Multiply the integers along axes, or all of them, modulo ``2**width``, by a tree: see `sum`.

        Examples
        --------
        >>> engine, secret_key = tfhe_engine, tfhe_secret_key
        >>> x = engine.encrypt_int(np.array([3, -7, 5], dtype=np.int8), secret_key)
        >>> engine.decrypt(x.prod(), secret_key)
        array(-105, dtype=int8)
        """
        return self._engine._uint_product(self._as(dtype), axis, keepdims)

    def cumsum(self, axis: int | None = None, dtype: DTypeLike | str | None = None) -> Any:
        """Return the sums of all integers up to each, along an axis or in the flat order, modulo ``2**width``.

        Twice as many additions as elements, at most, in a few rounds of many: see `sum` for the arguments.

        Examples
        --------
        >>> engine, secret_key = tfhe_engine, tfhe_secret_key
        >>> x = engine.encrypt_int(np.array([3, -7, 5], dtype=np.int8), secret_key)
        >>> engine.decrypt(x.cumsum(), secret_key)
        array([ 3, -4,  1], dtype=int8)
        """
        return self._engine._uint_cumulative_sum(self._as(dtype), axis)

    def mean(self, axis: Axis = None, *, keepdims: bool = False) -> Self:
        """Return means along axes, or that of all, rounded down to integers: see `sum` for the arguments.

        The sum is exact. NumPy gives floating-point numbers, which are rounded down here.

        Raises
        ------
        MessageError
            If there is no such axis.
        WidthError
            If the sum may have more than 256 bits.

        Examples
        --------
        >>> engine, secret_key = tfhe_engine, tfhe_secret_key
        >>> x = engine.encrypt_int(np.array([3, -7, 5], dtype=np.int8), secret_key)
        >>> engine.decrypt(x.mean(), secret_key)
        array(0, dtype=int8)
        """
        return self._engine._uint_mean(self, axis, keepdims)

    def dot(self, other: Any) -> Any:
        """Sum products over the last axis, and the last but one of `other`, as ``numpy.dot`` does; ``a @ b`` is alike.

        Raises
        ------
        MessageError
            If the shapes don't go together.

        Examples
        --------
        >>> engine, secret_key = tfhe_engine, tfhe_secret_key
        >>> x = engine.encrypt_int(np.array([3, -7, 5], dtype=np.int8), secret_key)
        >>> engine.decrypt(x.dot([1, 2, 3]), secret_key)
        array(4)
        """
        return self._engine._uint_dot(self, other)

    def sort(self, axis: int | None = -1) -> None:
        """Sort along an axis, in place, as an array of NumPy does; ``numpy.sort`` returns another array.

        Pairs are compared and exchanged in a network, half of ``n * log2(n)**2`` of them, which no value has a say in.

        Raises
        ------
        MessageError
            If there is no such axis.

        Examples
        --------
        >>> engine, secret_key = tfhe_engine, tfhe_secret_key
        >>> x = engine.encrypt_int(np.array([3, -7, 5], dtype=np.int8), secret_key)
        >>> x.sort()
        >>> engine.decrypt(x, secret_key)
        array([-7,  3,  5], dtype=int8)
        """
        self[...] = self._engine._uint_sort(self, axis).reshape(self._shape)

    def min(self, axis: Axis = None, *, keepdims: bool = False) -> Self:
        """Return the smallest integers along axes, or the smallest of all, by a tournament: see `sum`.

        Examples
        --------
        >>> engine, secret_key = tfhe_engine, tfhe_secret_key
        >>> x = engine.encrypt_int(np.array([3, -7, 5], dtype=np.int8), secret_key)
        >>> engine.decrypt(x.min(), secret_key)
        array(-7, dtype=int8)
        """
        return self._engine._uint_reduce("min", self, axis, keepdims)

    def max(self, axis: Axis = None, *, keepdims: bool = False) -> Self:
        """Return the largest integers along axes, or the largest of all, by a tournament: see `sum`.

        Examples
        --------
        >>> engine, secret_key = tfhe_engine, tfhe_secret_key
        >>> x = engine.encrypt_int(np.array([3, -7, 5], dtype=np.int8), secret_key)
        >>> engine.decrypt(x.max(), secret_key)
        array(5, dtype=int8)
        """
        return self._engine._uint_reduce("max", self, axis, keepdims)

    def argmin(self, axis: int | None = None, *, keepdims: bool = False) -> UintArray:
        """Return where the smallest integers are along an axis, or in the flat array: the first of equal ones.

        The places have 8 bits, or as many as the axis needs.

        Raises
        ------
        MessageError
            If there is no such axis.

        Examples
        --------
        >>> engine, secret_key = tfhe_engine, tfhe_secret_key
        >>> x = engine.encrypt_int(np.array([3, -7, 5], dtype=np.int8), secret_key)
        >>> engine.decrypt(x.argmin(), secret_key)
        array(1, dtype=uint8)
        """
        return self._engine._uint_place_of("argmin", self, axis, keepdims)

    def argmax(self, axis: int | None = None, *, keepdims: bool = False) -> UintArray:
        """Return where the largest integers are along an axis, or in the flat array: see `argmin`.

        Examples
        --------
        >>> engine, secret_key = tfhe_engine, tfhe_secret_key
        >>> x = engine.encrypt_int(np.array([3, -7, 5], dtype=np.int8), secret_key)
        >>> engine.decrypt(x.argmax(), secret_key)
        array(2, dtype=uint8)
        """
        return self._engine._uint_place_of("argmax", self, axis, keepdims)

    def _as(self, dtype: DTypeLike | str | None) -> Any:
        return self if dtype is None else self.astype(dtype)

    def astype(self, dtype: DTypeLike | str) -> Any:
        """Return the same integers with another type; a smaller width cuts off the bits above.

        A larger width takes no bootstrap for unsigned integers, and one each for signed ones, whose sign is copied.
        Truth values take a comparison with zero.

        Parameters
        ----------
        dtype : dtype or str
            ``uint8`` to ``uint64``, ``int8`` to ``int64``, ``"uint128"``, ``"uint256"``, ``"int128"``, ``"int256"``, or
            ``bool``.

        Returns
        -------
        UintArray, IntArray or BoolArray
            Of the same shape.

        Raises
        ------
        OperandTypeError
            If it is another one.

        Examples
        --------
        >>> engine, secret_key = tfhe_engine, tfhe_secret_key
        >>> x = engine.encrypt_int(np.array([3, -7, 5], dtype=np.int8), secret_key)
        >>> engine.decrypt(x.astype(np.int16), secret_key)
        array([ 3, -7,  5], dtype=int16)
        """
        return self._engine._uint_astype(self, dtype)
