"""Arrays of encrypted bits and small integers, and their operators."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from .. import _native
from .._common import spaces
from . import _checks
from ._array import Axis, EncryptedArray, comparable, is_operand

__all__ = ["Ciphertext"]


class Operations(Protocol):
    """Interface of the engine behind the operators of a ciphertext."""

    @property
    def message_bits(self) -> int | None: ...
    def not_(self, a: Ciphertext) -> Ciphertext: ...
    def xor(self, a: Any, b: Any) -> Ciphertext: ...
    def xnor(self, a: Any, b: Any) -> Ciphertext: ...
    def add(self, a: Any, b: Any) -> Ciphertext: ...
    def subtract(self, a: Any, b: Any) -> Ciphertext: ...
    def multiply(self, a: Any, b: Any) -> Ciphertext: ...
    def linear(self, terms: Sequence[tuple[int, Ciphertext]]) -> Ciphertext: ...
    def _gate(self, name: str, a: Any, b: Any) -> Ciphertext: ...


class Ciphertext(EncryptedArray[_native.TfheCiphertext]):
    """An array of encrypted bits or small integers, of any shape.

    Made by `Engine.encrypt`, and by every operation on ciphertexts. ``x[i] = y`` alone changes one; while nobody
    assigns to it, any number of threads may share it. Operands are broadcast as NumPy's are, and one of them may be in
    the clear. Operators use the evaluation key that the engine has made, or was given, for the ciphertext's secret.

    ===============================  ==========================================  =========================
    expression                       means                                       bootstraps for an element
    ===============================  ==========================================  =========================
    ``a & b``, ``a | b``, ``a ^ b``  gates, on bits                              1
    ``a == b``, ``a != b``           XNOR and XOR, on bits                       1
    ``~a``                           negation, of bits                           0
    ``a + b``, ``a + 3``, ``3 * a``  arithmetic on integers, while the result    0
                                     stays in the space
    ``15 - a``                       the same                                    0
    ``a ** 2``                       powers in the clear, of integers            1
    ``a[...]``, `reshape`            elements, as NumPy indexes them             0
    ``a[...] = b``                   assignment to elements                      0
    ===============================  ==========================================  =========================

    Examples
    --------
    >>> engine, secret_key = tfhe_engine, tfhe_secret_key
    >>> x = engine.encrypt(np.array([[0, 1], [2, 3]]), secret_key, max_value=3)
    >>> y = 2 * x + 1
    >>> y.shape, y.max_value
    ((2, 2), 7)
    >>> engine.decrypt(y[1], secret_key)
    array([5, 7], dtype=uint8)
    """

    __slots__ = ()

    _next_steps = spaces.TABLES_INSTEAD

    _engine: Operations

    kind = "ciphertext"

    # Equality is another array.
    __hash__ = None  # type: ignore[assignment]

    @property
    def max_value(self) -> int:
        """Largest value that an element may have, as far as is known without the key: 1 for bits.

        Examples
        --------
        >>> x = tfhe_engine.encrypt([1, 2], tfhe_secret_key, max_value=3)
        >>> x.max_value, (x + x).max_value, (4 * x + 1).max_value
        (3, 6, 13)
        """
        return self._native.max_value

    def __repr__(self) -> str:
        bits = self._engine.message_bits
        what = "bits" if bits is None else f"integers 0..{self.max_value} of {bits} bits"
        return f"Ciphertext(shape {self._shape}, {what}, {self._shown_failure()})"

    # Gates.

    def __invert__(self) -> Ciphertext:
        return self._engine.not_(self)

    def _bitwise(self, name: str, other: Any) -> Ciphertext:
        return self._engine._gate(name, self, other)

    # Of integers these raise `SpaceError`, rather than say that two objects are two.
    def __eq__(self, other: Any) -> Ciphertext:  # type: ignore[override]
        return self._engine.xnor(self, comparable("equal", other))

    def __ne__(self, other: Any) -> Ciphertext:  # type: ignore[override]
        return self._engine.xor(self, comparable("not_equal", other))

    # Integers.

    def __add__(self, other: Any) -> Ciphertext:
        return self._engine.add(self, other) if is_operand(other) else NotImplemented

    __radd__ = __add__

    def __sub__(self, other: Any) -> Ciphertext:
        return self._engine.subtract(self, other) if is_operand(other) else NotImplemented

    def __rsub__(self, other: Any) -> Ciphertext:
        return self._engine.subtract(other, self) if is_operand(other) else NotImplemented

    def __mul__(self, other: Any) -> Ciphertext:
        return self._engine.multiply(self, other) if is_operand(other) else NotImplemented

    __rmul__ = __mul__

    def __pow__(self, exponent: Any) -> Ciphertext:
        if not is_operand(exponent):
            return NotImplemented
        result: Ciphertext = spaces.power(self._engine, self, exponent)
        return result

    def sum(self, axis: Axis = None, *, keepdims: bool = False) -> Ciphertext:
        """Add integers along axes, or all of them, without a bootstrap: see `Engine.linear`.

        Parameters
        ----------
        axis : int or tuple of int, optional
            The axes; all, if left out.
        keepdims : bool, default False
            Whether these axes stay, with one element.

        Raises
        ------
        SpaceError
            If a sum may leave the space.
        MessageError
            If there is no such axis.

        Examples
        --------
        >>> engine, secret_key = tfhe_engine, tfhe_secret_key
        >>> x = engine.encrypt([[1, 2], [3, 0]], secret_key, max_value=3)
        >>> engine.decrypt(x.sum(axis=0), secret_key)
        array([4, 2], dtype=uint8)
        """
        rows, shape = _checks.rows("sum", self._shape, axis, keepdims)
        return self._engine.linear([(1, self._take(part)) for part in rows]).reshape(shape)
