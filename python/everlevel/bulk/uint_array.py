"""Arrays of encrypted unsigned integers of 8 to 64 bits, and their operators."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import DTypeLike, NDArray

from .._common.integer_operators import IntegerOperators
from ._digit_array import DigitArray, comparable, is_operand
from .bool_array import BoolArray

__all__ = ["UintArray"]


class Operations(Protocol):
    """Interface of the engine behind the operators of an array of integers."""

    @property
    def _digit_bits(self) -> int: ...
    def _uint_binary(self, name: str, a: Any, b: Any) -> UintArray: ...
    def _uint_compare(self, name: str, a: Any, b: Any) -> BoolArray: ...
    def _uint_unary(self, name: str, x: UintArray) -> UintArray: ...
    def _uint_shift(self, name: str, a: Any, amount: Any) -> UintArray: ...
    def _uint_astype(self, x: UintArray, dtype: Any) -> Any: ...


class UintArray(IntegerOperators[BoolArray], DigitArray):  # type: ignore[misc]  # values of one digit refuse ==
    """An array of encrypted unsigned integers of 8, 16, 32 or 64 bits, of any shape, computed on all at once.

    Made by `Engine.encrypt_uint`. It is immutable. Operators work element by element and **wrap around** as those of
    NumPy's unsigned integers do. Operands have one shape and one width; one of them may be in the clear: a Python
    integer, or an array of unsigned integers that goes into the shape.

    An integer is held in digits of 2 bits with parameters of 4 to 6 bits, each of which is a vector of its own. Where
    the elements are at most half of `Engine.bootstrap_size`, look-ups of two digits are one bootstrap.

    ==========================================  ===============================================  ===================
    expression                                  means                                            look-ups, of 32 bits
    ==========================================  ===============================================  ===================
    ``a + b``, ``a - b``, ``-a``                sums, modulo ``2**width``                        16
    ``a * b``                                   products, modulo ``2**width``                    some 400
    ``a == b``, ``a != b``                      a `BoolArray`                                    18
    ``a < b``, ``a <= b``, ``a > b``, ``>=``    a `BoolArray`                                    17
    ``a & b``, ``a | b``, ``a ^ b``             bit by bit                                       16
    ``~a``                                      bit by bit                                       0
    ``a << 3``, ``a >> 3``                      shifts by one amount in the clear, below the     0 to 16
                                                width
    ``a << b``, ``a >> b``                      shifts by encrypted amounts, or an array of      some 90
                                                them: 0 from the width on
    ==========================================  ===============================================  ===================

    `Engine.minimum`, `Engine.maximum` and `Engine.select` are NumPy's ``minimum``, ``maximum`` and ``where``; a
    selection is a product, and takes no look-up. Quotients by powers of two are shifts, and others `everlevel.tfhe`'s.

    Examples
    --------
    >>> engine, secret_key = bulk_engine, bulk_secret_key
    >>> x = engine.encrypt_uint(np.array([200, 5, 100], dtype=np.uint8), secret_key)
    >>> x
    UintArray(shape (3,), uint8, p_fail 2^-124)
    >>> engine.decrypt(x + 100, secret_key)
    array([ 44, 105, 200], dtype=uint8)
    >>> engine.decrypt(x > 99, secret_key)
    array([ True, False,  True])
    >>> engine.decrypt(engine.select(x > 99, 99, x), secret_key)
    array([99,  5, 99], dtype=uint8)
    """

    __slots__ = ()

    _engine: Operations  # type: ignore[assignment]

    kind = "array of encrypted integers"

    _next_steps: ClassVar[Mapping[str, str]] = {
        **dict.fromkeys(
            ("floor_divide", "remainder", "divmod", "divide"),
            "divide by powers of two with x >> bits and x & (2**bits - 1), or use everlevel.tfhe for quotients",
        ),
        "power": "multiply: x * x",
    }

    _is_operand, _comparable = staticmethod(is_operand), staticmethod(comparable)

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
        >>> bulk_engine.encrypt_uint(np.array([7], np.uint16), bulk_secret_key).dtype
        dtype('uint16')
        """
        return np.dtype(f"uint{self.width}")

    def _decrypted(self, digits: list[NDArray[Any]]) -> NDArray[Any]:
        found = np.zeros(self.shape, np.uint64)
        for digit in reversed(digits):
            found = found << np.uint64(self._engine._digit_bits) | digit
        return found.astype(self.dtype)

    def __repr__(self) -> str:
        return f"UintArray(shape {self.shape}, {self.dtype}, {self._shown_failure()})"

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

        Examples
        --------
        >>> engine, secret_key = bulk_engine, bulk_secret_key
        >>> x = engine.encrypt_uint([200, 5], secret_key, width=8)
        >>> engine.decrypt(x.astype(np.uint16), secret_key)
        array([200,   5], dtype=uint16)
        """
        found: UintArray = self._engine._uint_astype(self, dtype)
        return found

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

    def __neg__(self) -> UintArray:
        return self._engine._uint_unary("negate", self)

    # Bits.

    def __invert__(self) -> UintArray:
        return self._engine._uint_unary("invert", self)

    def __and__(self, other: Any) -> UintArray:
        return self._engine._uint_binary("and", self, other) if is_operand(other) else NotImplemented

    __rand__ = __and__

    def __or__(self, other: Any) -> UintArray:
        return self._engine._uint_binary("or", self, other) if is_operand(other) else NotImplemented

    __ror__ = __or__

    def __xor__(self, other: Any) -> UintArray:
        return self._engine._uint_binary("xor", self, other) if is_operand(other) else NotImplemented

    __rxor__ = __xor__
