"""Arrays of encrypted bits and small integers, held in slots, and their operators."""

from __future__ import annotations

from collections.abc import Callable
from math import log2
from typing import Any, Final, NoReturn, Protocol

import numpy as np

from .. import _native
from .._common import slot_shapes, spaces
from .._common.numpy_calls import NumpyCalls
from .._common.opaque import Encrypted
from .._common.shaped import Shape, Shaped
from .._common.storable import OfEngine
from ..errors import MessageError, OperandTypeError

__all__ = ["Ciphertext"]

NUMPY: Final = NumpyCalls(
    advice="use its operators and the engine's methods, or decrypt it first",
    methods={np.sum: "sum", np.roll: "roll", np.reshape: "reshape"},
    attributes={np.shape: "shape", np.ndim: "ndim", np.size: "size"},
    of_ufuncs={(np.add, "reduce"): "sum"},
    next_steps={
        "where": "call engine.select(bits, x, y)",
        **dict.fromkeys(("take", "repeat", "tile"), "call x.permute(order), with each element once"),
        **dict.fromkeys(("concatenate", "stack", "split"), "encrypt the parts in one array"),
        **dict.fromkeys(("mean", "average"), "sum up, and divide what is decrypted"),
    },
)


class Operations(Protocol):
    """Interface of the engine behind the operators of a ciphertext."""

    @property
    def message_bits(self) -> int | None: ...
    @property
    def max_log2_p_fail(self) -> float: ...
    def and_(self, a: Any, b: Any) -> Ciphertext: ...
    def or_(self, a: Any, b: Any) -> Ciphertext: ...
    def xor(self, a: Any, b: Any) -> Ciphertext: ...
    def not_(self, a: Ciphertext) -> Ciphertext: ...
    def add(self, a: Any, b: Any) -> Ciphertext: ...
    def subtract(self, a: Any, b: Any) -> Ciphertext: ...
    def multiply(self, a: Any, b: Any) -> Ciphertext: ...
    def sum(self, ciphertext: Ciphertext, *, axis: Any, keepdims: bool) -> Ciphertext: ...
    def roll(self, ciphertext: Ciphertext, shift: Any, axis: Any) -> Ciphertext: ...
    def permute(self, ciphertext: Ciphertext, order: Any, axis: Any) -> Ciphertext: ...


class Ciphertext(Shaped, Encrypted, OfEngine):
    """An array of encrypted bits or small integers, of any shape, whose elements are computed on all at once.

    Made by `Engine.encrypt`, and by every operation on ciphertexts. It is immutable: an operation gives a new one, and
    any number of threads may share it. Operands have one shape, and one of them may be in the clear. Operators use the
    evaluation key that the engine has made, or was given, for the ciphertext's secret.

    ===============================  ==========================================  ==========
    expression                       means                                       bootstraps
    ===============================  ==========================================  ==========
    ``a & b``, ``a | b``, ``a ^ b``  gates, on bits                              1
    ``~a``                           negation, of bits                           0
    ``a + b``, ``a + 3``, ``3 * a``  arithmetic on integers, while the result    0
                                     stays in the space
    ``15 - a``                       the same                                    0
    ``a ** 2``                       powers in the clear, of integers            1
    ``a.sum(axis)``                  sums, while they stay in the space          0
    ``a.roll(1)``, ``a.permute(…)``  elements in other places                    0
    ===============================  ==========================================  ==========

    A bootstrap is one for up to `Engine.bootstrap_size` elements.

    Examples
    --------
    >>> engine, secret_key = bulk_engine, bulk_secret_key
    >>> x = engine.encrypt([[0, 1], [2, 3]], secret_key, max_value=3)
    >>> y = 2 * x + 1
    >>> y
    Ciphertext(shape (2, 2), integers 0..7 of 4 bits, p_fail 2^-126)
    >>> engine.decrypt(y, secret_key)
    array([[1, 3],
           [5, 7]], dtype=uint8)
    """

    __slots__ = ("_bootstrap_count", "_error", "_max_value", "_native", "_shape")

    kind = "ciphertext"

    _instead_of_numpy = "use its operators and the engine's methods, or decrypt it first"
    _how_to_compare = "use xor for bits or bootstrap for integers, decrypt both"

    _next_steps = spaces.TABLES_INSTEAD

    _engine: Operations

    def __init__(
        self,
        engine: Any,
        native: _native.Ciphertext,
        shape: Shape,
        *,
        max_value: int,
        error: float,
        bootstrap_count: int,
    ) -> None:
        super().__init__(engine)
        self._native = native
        self._shape = shape
        self._max_value = max_value
        self._error = error
        self._bootstrap_count = bootstrap_count

    def _stored(self) -> tuple[_native.Ciphertext, dict[str, str]]:
        return self._native, {
            "shape": ",".join(map(str, self._shape)),
            "max_value": str(self._max_value),
            "error": self._error.hex(),
            "bootstrap_count": str(self._bootstrap_count),
        }

    @property
    def nbytes(self) -> int:
        """Bytes in memory.

        Examples
        --------
        >>> x = bulk_engine.encrypt([1, 2], bulk_secret_key)
        >>> x.nbytes == bulk_engine.estimate_memory("encrypt", count=2).held
        True
        """
        return self._native.nbytes

    @property
    def max_value(self) -> int:
        """Largest value that an element may have, as far as is known without the key: 1 for bits.

        Examples
        --------
        >>> x = bulk_engine.encrypt([1, 2], bulk_secret_key, max_value=3)
        >>> x.max_value, (x + x).max_value, bulk_engine.bootstrap(x, lut=lambda m: m > 1).max_value
        (3, 6, 1)
        """
        return self._max_value

    @property
    def failure_probability(self) -> float:
        """Upper bound of the probability that any element decrypts to a wrong value.

        That is the sum over elements, and over the bootstraps, moves and terms of sums that led to each, of the
        probability that one fails, and of that of the decryption. Elements share a secret, so that it is the whole
        array's failure that counts.

        Examples
        --------
        >>> x = bulk_engine.encrypt([3, 9], bulk_secret_key)
        >>> y = bulk_engine.bootstrap(x)
        >>> x.failure_probability == 2 * 2.0**-128, y.failure_probability == 4 * 2.0**-128
        (True, True)
        """
        return float(self.size * (self._bootstrap_count + 1) * 2.0**self._engine.max_log2_p_fail)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        return NUMPY.operator(Ciphertext, ufunc, method, inputs, kwargs)

    def __array_function__(self, function: Any, types: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        return NUMPY.function(function, args, kwargs)

    def __repr__(self) -> str:
        bits = self._engine.message_bits
        what = "bits" if bits is None else f"integers 0..{self._max_value} of {bits} bits"
        return f"Ciphertext(shape {self._shape}, {what}, p_fail 2^{log2(self.failure_probability):.0f})"

    def __getitem__(self, index: Any) -> NoReturn:
        raise OperandTypeError(
            f"index: the elements of an array of bulk lie in slots, and {index!r} doesn't take them out; move them by "
            f"x.roll(shift) or x.permute(order), compute on all and index what is decrypted, or encrypt parts",
            argument="index",
        )

    def reshape(self, *shape: Any) -> Ciphertext:
        """Return the same elements in another shape, as ``numpy.reshape`` does.

        Examples
        --------
        >>> engine, secret_key = bulk_engine, bulk_secret_key
        >>> engine.encrypt(np.arange(6), secret_key).reshape(2, 3).shape
        (2, 3)
        """
        try:
            found = np.broadcast_to(np.int8(0), self._shape).reshape(*shape).shape
        except (ValueError, TypeError):
            raise MessageError(
                f"reshape: {self.size} elements of shape {self._shape} can't take the shape {shape}; "
                f"choose one of as many elements",
                length=self.size,
            ) from None
        return Ciphertext(
            self._engine,
            self._native,
            found,
            max_value=self._max_value,
            error=self._error,
            bootstrap_count=self._bootstrap_count,
        )

    def roll(self, shift: int | tuple[int, ...], axis: int | tuple[int, ...] | None = None) -> Ciphertext:
        """Move elements along axes, and the last ones to the first places, as ``numpy.roll`` does: see `Engine.roll`.

        Examples
        --------
        >>> engine, secret_key = bulk_engine, bulk_secret_key
        >>> engine.decrypt(engine.encrypt([3, 9, 12], secret_key).roll(-1), secret_key)
        array([ 9, 12,  3], dtype=uint8)
        """
        return self._engine.roll(self, shift, axis)

    def permute(self, order: Any, axis: int | None = None) -> Ciphertext:
        """Put elements in another order, as ``numpy.take`` does with each of them once: see `Engine.permute`.

        Examples
        --------
        >>> engine, secret_key = bulk_engine, bulk_secret_key
        >>> engine.decrypt(engine.encrypt([3, 9, 12], secret_key).permute([2, 1, 0]), secret_key)
        array([12,  9,  3], dtype=uint8)
        """
        return self._engine.permute(self, order, axis)

    @property
    def T(self) -> Ciphertext:  # noqa: N802 (NumPy's name)
        """The transpose, by a permutation.

        Examples
        --------
        >>> engine, secret_key = bulk_engine, bulk_secret_key
        >>> engine.decrypt(engine.encrypt([[3, 9, 12]], secret_key).T, secret_key)
        array([[ 3],
               [ 9],
               [12]], dtype=uint8)
        """
        return _arranged("transpose", self, np.transpose)

    def sum(self, axis: int | tuple[int, ...] | None = None, *, keepdims: bool = False) -> Ciphertext:
        """Add up integers along axes, while the sums stay in the space: see `Engine.sum`.

        Examples
        --------
        >>> engine, secret_key = bulk_engine, bulk_secret_key
        >>> x = engine.encrypt([[1, 2], [3, 0]], secret_key, max_value=3)
        >>> engine.decrypt(x.sum(axis=0), secret_key), engine.decrypt(x.sum(), secret_key)
        (array([4, 2], dtype=uint8), array(6, dtype=uint8))
        """
        return self._engine.sum(self, axis=axis, keepdims=keepdims)

    # Gates.

    def __invert__(self) -> Ciphertext:
        return self._engine.not_(self)

    def __and__(self, other: Any) -> Ciphertext:
        return self._engine.and_(self, other) if _is_operand(other) else NotImplemented

    __rand__ = __and__

    def __or__(self, other: Any) -> Ciphertext:
        return self._engine.or_(self, other) if _is_operand(other) else NotImplemented

    __ror__ = __or__

    def __xor__(self, other: Any) -> Ciphertext:
        return self._engine.xor(self, other) if _is_operand(other) else NotImplemented

    __rxor__ = __xor__

    # Integers.

    def __add__(self, other: Any) -> Ciphertext:
        return self._engine.add(self, other) if _is_operand(other) else NotImplemented

    __radd__ = __add__

    def __sub__(self, other: Any) -> Ciphertext:
        return self._engine.subtract(self, other) if _is_operand(other) else NotImplemented

    def __rsub__(self, other: Any) -> Ciphertext:
        return self._engine.subtract(other, self) if _is_operand(other) else NotImplemented

    def __mul__(self, other: Any) -> Ciphertext:
        return self._engine.multiply(self, other) if _is_operand(other) else NotImplemented

    __rmul__ = __mul__

    def __pow__(self, exponent: Any) -> Ciphertext:
        if not _is_operand(exponent):
            return NotImplemented
        result: Ciphertext = spaces.power(self._engine, self, exponent)
        return result


def _arranged(operation: str, x: Ciphertext, function: Callable[[Any], Any]) -> Ciphertext:
    """Put elements where a function of NumPy brings their places, each to one."""
    places = slot_shapes.called(operation, lambda: function(np.arange(x.size).reshape(x.shape)))
    in_order = np.array_equal(np.ravel(places), np.arange(x.size))
    return x.reshape(np.shape(places)) if in_order else x.permute(places)


NUMPY.moves(
    (np.transpose, np.swapaxes, np.moveaxis, np.flip, np.rot90, np.ravel, np.squeeze, np.expand_dims), _arranged
)


def _is_operand(value: Any) -> bool:
    """Whether the engine judges a value; what other libraries define is left to them."""
    return isinstance(value, (Ciphertext, bool, int, float, complex, list, tuple, np.generic, np.ndarray))
