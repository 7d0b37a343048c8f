"""Arrays of encrypted integers of 8 to 64 bits, and their operators."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import DTypeLike

from .. import _native
from ._array import EncryptedArray, comparable, is_operand
from .bool_array import BoolArray

__all__ = ["UintArray"]


class Operations(Protocol):
    """Interface of the engine behind the operators of an array of integers."""

    def _uint_binary(self, name: str, a: Any, b: Any) -> UintArray: ...
    def _uint_divide(self, name: str, a: Any, b: Any) -> UintArray: ...
    def _uint_divmod(self, a: Any, b: Any) -> tuple[UintArray, UintArray]: ...
    def _uint_power(self, x: UintArray, exponent: Any) -> UintArray: ...
    def _uint_compare(self, name: str, a: Any, b: Any) -> BoolArray: ...
    def _uint_unary(self, name: str, x: UintArray) -> UintArray: ...
    def _uint_shift(self, name: str, a: Any, amount: Any) -> UintArray: ...
    def _uint_reduce(self, name: str, x: UintArray, axis: int | None) -> UintArray: ...
    def _uint_astype(self, x: UintArray, dtype: DTypeLike) -> UintArray: ...


class UintArray(EncryptedArray[_native.TfheUintArray]):
    """An array of encrypted unsigned integers of 8, 16, 32 or 64 bits, of any shape.

    Made by `Engine.encrypt_uint`. It is immutable, and any number of threads may share it. Operators work element by
    element and **wrap around** as those of NumPy's unsigned integers do; `Engine.checked_add` and its like also tell
    where that happened. Operands are broadcast as NumPy's are. Encrypted ones have one width. One may be in the clear,
    and then the result has the width that NumPy's promotion gives: Python's integers take the encrypted one's, wider
    unsigned dtypes widen it. There is no encrypted form of what NumPy makes of signed dtypes, which lists have as well:
    where the value depends on the width (``+``, ``-``, ``*``, ``**``, ``<<``), they raise `MessageTypeError`;
    elsewhere they are taken, and the result has the encrypted width. All elements' bootstraps that don't wait for
    each other share the reading of the key, so that arrays take less time an element than single integers.

    ==========================================  ===============================================  ====================
    expression                                  means                                            bootstraps, 32 bits
    ==========================================  ===============================================  ====================
    ``a + b``, ``a - b``, ``-a``                sums, modulo ``2**width``                        16
    ``a * b``                                   products, modulo ``2**width``                    406, fewer in the clear
    ``a // b``, ``a % b``, ``divmod(a, b)``     quotients and remainders                         608, 624, 640
    ``a // 10``, ``a % 10``                     the same by divisors in the clear                46, 50; to about 160
    ``a == b``, ``a != b``                      a `BoolArray`                                    19
    ``a < b``, ``a <= b``, ``a > b``, ``>=``    a `BoolArray`                                    25
    ``a & b``, ``a | b``, ``a ^ b``             bit by bit                                       16
    ``~a``                                      bit by bit                                       0
    ``a << 3``, ``a >> 3``                      shifts by amounts in the clear, below the width  0 to 16
    ``a << b``, ``a >> b``                      shifts by encrypted amounts: 0 from the width on 87
    ``a**3``                                    powers by exponents in the clear, by products    as its products
    ``a[...]``, `reshape`, `astype`             elements, as NumPy indexes them                  0
    ==========================================  ===============================================  ====================

    **Division by zero**: a zero among values in the clear is refused with `DivisionByZeroError`. Where an element of a
    `UintArray` is zero, the quotient is ``2**width - 1`` and the remainder the dividend, where NumPy gives 0 for both;
    `Engine.checked_floor_divide` and `Engine.checked_remainder` tell where that happened.

    `sum`, `min`, `max`, `argmin` and `argmax` go along an axis, and sums wrap around at the array's own width.
    `Engine.minimum`, `Engine.maximum` and `Engine.select` are NumPy's ``minimum``, ``maximum`` and ``where``.
    NumPy's own functions are taken where an operator or a method of the array has their name, such as ``numpy.add``
    and ``numpy.max``; and ``minimum``, ``maximum``, ``where``, ``clip``, ``square``, ``stack``, ``concatenate``,
    ``ravel`` and ``transpose``. All others are refused.

    Examples
    --------
    >>> engine, secret_key = tfhe_engine, tfhe_secret_key
    >>> x = engine.encrypt_uint(np.array([200, 5, 100], dtype=np.uint8), secret_key)
    >>> x
    UintArray(shape (3,), uint8, p_fail 2^-...)
    >>> engine.decrypt(x + 100, secret_key)
    array([ 44, 105, 200], dtype=uint8)
    >>> engine.decrypt(x // 30, secret_key), engine.decrypt(1000 % x.astype(np.uint16), secret_key)
    (array([6, 0, 3], dtype=uint8), array([0, 0, 0], dtype=uint16))
    >>> engine.decrypt(x > 99, secret_key)
    array([ True, False,  True])
    >>> int(engine.decrypt(x.max(), secret_key))
    200
    """

    __slots__ = ()

    _engine: Operations

    kind = "array of encrypted integers"

    # Equality is another array.
    __hash__ = None  # type: ignore[assignment]

    @property
    def width(self) -> int:
        """Bits of an integer."""
        return self._native.width

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the decrypted array."""
        return np.dtype(f"uint{self.width}")

    def __repr__(self) -> str:
        return f"UintArray(shape {self._shape}, {self.dtype}, {self._shown_failure()})"

    # Arithmetic.

    def __add__(self, other: Any) -> UintArray:
        return self._engine._uint_binary("add", self, other) if is_operand(other) else NotImplemented

    __radd__ = __add__

    def __sub__(self, other: Any) -> UintArray:
        return self._engine._uint_binary("subtract", self, other) if is_operand(other) else NotImplemented

    def __rsub__(self, other: Any) -> UintArray:
        return self._engine._uint_binary("subtract", other, self) if is_operand(other) else NotImplemented

    def __mul__(self, other: Any) -> UintArray:
        return self._engine._uint_binary("multiply", self, other) if is_operand(other) else NotImplemented

    __rmul__ = __mul__

    def __floordiv__(self, other: Any) -> UintArray:
        return self._engine._uint_divide("floor_divide", self, other) if is_operand(other) else NotImplemented

    def __rfloordiv__(self, other: Any) -> UintArray:
        return self._engine._uint_divide("floor_divide", other, self) if is_operand(other) else NotImplemented

    def __mod__(self, other: Any) -> UintArray:
        return self._engine._uint_divide("remainder", self, other) if is_operand(other) else NotImplemented

    def __rmod__(self, other: Any) -> UintArray:
        return self._engine._uint_divide("remainder", other, self) if is_operand(other) else NotImplemented

    def __divmod__(self, other: Any) -> tuple[UintArray, UintArray]:
        return self._engine._uint_divmod(self, other) if is_operand(other) else NotImplemented

    def __rdivmod__(self, other: Any) -> tuple[UintArray, UintArray]:
        return self._engine._uint_divmod(other, self) if is_operand(other) else NotImplemented

    def __pow__(self, exponent: Any) -> UintArray:
        return self._engine._uint_power(self, exponent) if is_operand(exponent) else NotImplemented

    def __neg__(self) -> UintArray:
        return self._engine._uint_unary("negate", self)

    # Bits.

    def __invert__(self) -> UintArray:
        return self._engine._uint_unary("invert", self)

    def _bitwise(self, name: str, other: Any) -> UintArray:
        return self._engine._uint_binary(name, self, other)

    def __lshift__(self, amount: Any) -> UintArray:
        return self._engine._uint_shift("left_shift", self, amount) if is_operand(amount) else NotImplemented

    def __rshift__(self, amount: Any) -> UintArray:
        return self._engine._uint_shift("right_shift", self, amount) if is_operand(amount) else NotImplemented

    def __rlshift__(self, other: Any) -> UintArray:
        return self._engine._uint_shift("left_shift", other, self) if is_operand(other) else NotImplemented

    def __rrshift__(self, other: Any) -> UintArray:
        return self._engine._uint_shift("right_shift", other, self) if is_operand(other) else NotImplemented

    # Comparisons.

    def __eq__(self, other: Any) -> BoolArray:  # type: ignore[override]
        return self._engine._uint_compare("equal", self, comparable("equal", other))

    def __ne__(self, other: Any) -> BoolArray:  # type: ignore[override]
        return self._engine._uint_compare("not_equal", self, comparable("not_equal", other))

    def __lt__(self, other: Any) -> BoolArray:
        return self._engine._uint_compare("less", self, other) if is_operand(other) else NotImplemented

    def __le__(self, other: Any) -> BoolArray:
        return self._engine._uint_compare("less_equal", self, other) if is_operand(other) else NotImplemented

    def __gt__(self, other: Any) -> BoolArray:
        return self._engine._uint_compare("greater", self, other) if is_operand(other) else NotImplemented

    def __ge__(self, other: Any) -> BoolArray:
        return self._engine._uint_compare("greater_equal", self, other) if is_operand(other) else NotImplemented

    # One of many.

    def sum(self, axis: int | None = None) -> UintArray:
        """Add the integers along an axis, or all of them, modulo ``2**width``: take a wider `astype` before for more.

        Digits are added up in columns and carries propagated once, which is much less than a chain of additions.

        Raises
        ------
        MessageError
            If there is no such axis.
        """
        return self._engine._uint_reduce("sum", self, axis)

    def min(self, axis: int | None = None) -> UintArray:
        """Return the smallest integers along an axis, or the smallest of all, by a tournament.

        Raises
        ------
        MessageError
            If there is no such axis.
        """
        return self._engine._uint_reduce("min", self, axis)

    def max(self, axis: int | None = None) -> UintArray:
        """Return the largest integers along an axis, or the largest of all, by a tournament.

        Raises
        ------
        MessageError
            If there is no such axis.
        """
        return self._engine._uint_reduce("max", self, axis)

    def argmin(self, axis: int | None = None) -> UintArray:
        """Return where the smallest integers are along an axis, or in the flat array: the first of equal ones.

        The places have 8 bits, or as many as the axis needs.

        Raises
        ------
        MessageError
            If there is no such axis.
        """
        return self._engine._uint_reduce("argmin", self, axis)

    def argmax(self, axis: int | None = None) -> UintArray:
        """Return where the largest integers are along an axis, or in the flat array: the first of equal ones.

        The places have 8 bits, or as many as the axis needs.

        Raises
        ------
        MessageError
            If there is no such axis.
        """
        return self._engine._uint_reduce("argmax", self, axis)

    def astype(self, dtype: DTypeLike) -> UintArray:
        """Return the same integers with another width, without a bootstrap; a smaller one cuts off the bits above.

        Parameters
        ----------
        dtype : dtype
            ``uint8``, ``uint16``, ``uint32`` or ``uint64``.

        Raises
        ------
        OperandTypeError
            If it is another one.
        """
        return self._engine._uint_astype(self, dtype)
