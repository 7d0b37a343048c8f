"""Arrays of encrypted bits and small integers, and their operators."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _native
from .._checks import instance
from ..errors import MessageError, OperandTypeError
from . import _checks
from ._checks import Shape
from ._storable import Storable

if TYPE_CHECKING:
    from .engine import Engine

__all__ = ["Ciphertext", "concatenate", "stack"]


class Ciphertext(Storable):
    """An array of encrypted bits or small integers, of any shape.

    Made by `Engine.encrypt`, and by every operation on ciphertexts. It is immutable: an operation gives a new one, and
    any number of threads may share it. Operands are broadcast as NumPy's are, and one of them may be in the clear.
    Operators use the evaluation key that the engine has made, or was given, for the ciphertext's secret.

    ===============================  ==========================================  =========================
    expression                       means                                       bootstraps for an element
    ===============================  ==========================================  =========================
    ``a & b``, ``a | b``, ``a ^ b``  gates, on bits                              1
    ``~a``                           negation, of bits                           0
    ``a + b``, ``a + 3``, ``3 * a``  arithmetic on integers, while the result    0
                                     stays in the space
    ``15 - a``                       the same                                    0
    ``a[...]``, `reshape`            elements, as NumPy indexes them             0
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

    __slots__ = ("_native", "_shape")

    kind = "ciphertext"

    # NumPy then leaves `array & ciphertext` to this class, instead of trying it element by element.
    __array_ufunc__ = None

    def __init__(self, engine: Engine, native: _native.TfheCiphertext, shape: Shape) -> None:
        super().__init__(engine)
        self._native = native
        self._shape = shape

    def _stored(self) -> tuple[_native.TfheCiphertext, dict[str, str]]:
        return self._native, {"shape": ",".join(map(str, self._shape))}

    @property
    def shape(self) -> Shape:
        """Sizes of the array's dimensions."""
        return self._shape

    @property
    def ndim(self) -> int:
        """Number of dimensions."""
        return len(self._shape)

    @property
    def size(self) -> int:
        """Number of elements."""
        return len(self._native)

    @property
    def nbytes(self) -> int:
        """Bytes in memory."""
        return self._native.nbytes

    @property
    def max_value(self) -> int:
        """Largest value that an element may have, as far as is known without the key: 1 for bits."""
        return self._native.max_value

    @property
    def log2_p_fail(self) -> float:
        """Base-2 logarithm of the probability that a bootstrap of the noisiest element fails, by the noise formulas.

        Operations that would be above `Engine.max_log2_p_fail` raise `NoiseError`.
        """
        return self._engine._context.log2_p_fail(self._native.variance_torus)

    def __repr__(self) -> str:
        bits = self._engine.message_bits
        what = "bits" if bits is None else f"integers 0..{self.max_value} of {bits} bits"
        return f"Ciphertext(shape {self._shape}, {what}, p_fail 2^{self.log2_p_fail:.0f})"

    # An element's value isn't known here, so the equality of two can't be told, and neither can its truth.
    def __bool__(self) -> bool:
        raise OperandTypeError(
            "bool: a ciphertext is neither true nor false, since its value isn't known here; "
            "use mux to choose between encrypted values, or decrypt it first",
            argument="ciphertext",
            expected="bool",
            actual="Ciphertext",
        )

    # Elements.

    def __len__(self) -> int:
        if not self._shape:
            raise OperandTypeError(
                "len: the ciphertext is a single element and has no length; use its size, or reshape it to (1,)",
                argument="ciphertext",
            )
        return self._shape[0]

    def __iter__(self) -> Iterator[Ciphertext]:
        return (self[i] for i in range(len(self)))

    def __getitem__(self, index: Any) -> Ciphertext:
        return self._take(_checks.places(self._shape)[index])

    def reshape(self, *shape: Any) -> Ciphertext:
        """Return the same elements in another shape, as ``numpy.reshape`` does."""
        try:
            return self._take(_checks.places(self._shape).reshape(*shape))
        except ValueError:
            raise MessageError(
                f"reshape: {self.size} elements of shape {self._shape} can't take the shape {shape}; "
                f"choose one of as many elements",
                length=self.size,
            ) from None

    @property
    def T(self) -> Ciphertext:  # noqa: N802 (NumPy's name)
        """The array with its dimensions reversed."""
        return self._take(_checks.places(self._shape).T)

    def _take(self, places: Any) -> Ciphertext:
        places = np.asarray(places)
        if places.size == 0:
            raise MessageError(
                f"index: no element of the array of shape {self._shape} is chosen, and ciphertexts have one at least; "
                f"check the index",
                length=0,
            )
        flat = places.reshape(-1)
        in_order = flat.size == self.size and bool((flat == np.arange(self.size)).all())
        native = self._native if in_order else self._native.take(flat.tolist())
        return Ciphertext(self._engine, native, tuple(places.shape))

    def _broadcast(self, shape: Shape) -> Ciphertext:
        return self if shape == self._shape else self._take(np.broadcast_to(_checks.places(self._shape), shape))

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

    def sum(self, axis: int | None = None) -> Ciphertext:
        """Add integers along an axis, or all of them, without a bootstrap: see `Engine.linear`.

        Raises
        ------
        SpaceError
            If a sum may leave the space.
        """
        places = _checks.places(self._shape)
        places = places.reshape(-1) if axis is None else np.moveaxis(places, axis, 0)
        if places.ndim == 0:
            return self
        return self._engine.linear([(1, self._take(part)) for part in places])


def stack(ciphertexts: Sequence[Ciphertext], axis: int = 0) -> Ciphertext:
    """Join arrays of one shape along a new axis, as ``numpy.stack`` does.

    Parameters
    ----------
    ciphertexts : sequence of Ciphertext
        Of one secret.
    axis : int, default 0
        Place of the new axis.

    Raises
    ------
    MessageError
        If there are none, or shapes differ.
    KeyMismatchError
        If they belong to different secrets.
    """
    return _join("stack", ciphertexts, axis)


def concatenate(ciphertexts: Sequence[Ciphertext], axis: int = 0) -> Ciphertext:
    """Join arrays along an axis that they have, as ``numpy.concatenate`` does.

    Parameters
    ----------
    ciphertexts : sequence of Ciphertext
        Of one secret.
    axis : int, default 0
        The axis.

    Raises
    ------
    MessageError
        If there are none, or shapes don't go together.
    KeyMismatchError
        If they belong to different secrets.
    """
    return _join("concatenate", ciphertexts, axis)


def _join(operation: str, ciphertexts: Sequence[Ciphertext], axis: int) -> Ciphertext:
    parts = [instance(operation, "ciphertexts", part, Ciphertext) for part in ciphertexts]
    if not parts:
        raise MessageError(f"{operation}: there are no ciphertexts, and one at least is needed; pass some", length=0)
    engine = parts[0]._engine
    for part in parts:
        engine._ciphertext(operation, "ciphertexts", part)
    engine._same_secret(operation, *parts)
    starts = np.cumsum([0] + [part.size for part in parts])
    places = [_checks.places(part.shape) + start for part, start in zip(parts, starts[:-1], strict=True)]
    try:
        joined = np.stack(places, axis) if operation == "stack" else np.concatenate(places, axis)
    except ValueError:
        shapes = ", ".join(str(part.shape) for part in parts)
        raise MessageError(
            f"{operation}: arrays of shapes {shapes} don't go together along axis {axis}; reshape them first"
        ) from None
    native = _native.TfheCiphertext.join([part._native for part in parts])
    return Ciphertext(engine, native, (len(native),))._take(joined)


def _is_operand(value: Any) -> bool:
    """Whether the engine judges a value; what other libraries define is left to them."""
    return isinstance(value, (Ciphertext, bool, int, float, complex, list, tuple, np.generic, np.ndarray))
