"""Operators of encrypted vectors over limbs, which call their engine's methods."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import Any, Final, NoReturn, Self

import numpy as np

from . import powers, slot_moves
from .numpy_calls import MOVES, NumpyCalls
from .opaque import Encrypted, is_clear, unchanging
from .slot_shapes import InSlots, Layout
from .storable import OfEngine

Axis = int | tuple[int, ...] | None
"""An axis, several, or all."""

NUMPY: Final = NumpyCalls(
    advice="use its operators and methods, those of its engine, or decrypt it first",
    methods={np.sum: "sum", np.mean: "mean", np.roll: "roll"},
    attributes={np.shape: "shape", np.ndim: "ndim", np.size: "size"},
    of_ufuncs={(np.add, "reduce"): "sum"},
    next_steps={
        **dict.fromkeys(("dot", "inner", "vdot", "einsum", "tensordot"), "write it as (x * y).sum(axis=-1)"),
        **dict.fromkeys(("concatenate", "stack", "hstack"), "encrypt the parts in one array, or add up padded ones"),
        "vstack": "call engine.vstack([x, y]), which makes one ciphertext of the units of both",
        **dict.fromkeys(("true_divide", "divide"), "multiply by inverses, or divide what is decrypted"),
    },
)


class Vector(InSlots, Encrypted, OfEngine):
    """Base of ciphertexts whose engine has `add`, `subtract`, `multiply`, `negate`, `rotate` and `sum`.

    They remember the shape of what was encrypted: docs/notes/shapes.md.
    """

    __slots__ = ("_layout", "_native")

    kind = "ciphertext"

    _native: Any

    _instead_of_numpy = "use its operators and the engine's methods, or decrypt it first"

    def __init__(self, engine: Any, native: Any, layout: Layout) -> None:
        super().__init__(engine)
        self._native = native
        self._layout = layout

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        return NUMPY.operator(Vector, ufunc, method, inputs, kwargs)

    def __array_function__(self, function: Any, types: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        return NUMPY.function(function, args, kwargs)

    @abstractmethod
    def _with(self, layout: Layout) -> Self:
        """Return the same ciphertext with another layout."""

    def _at_most(self, times: float, _other: Self) -> Self:
        """Return the vector, of which all slots are at most so many times another one's: its bound, if it has one."""
        return self

    @property
    def slot_count(self) -> int:
        """Slots of a unit.

        Examples
        --------
        >>> bfv_engine.encrypt([3, 4], bfv_secret_key).slot_count
        1024
        """
        count: int = self._engine.slot_count
        return count

    @property
    def nbytes(self) -> int:
        """Bytes in memory.

        Examples
        --------
        >>> x = bfv_engine.encrypt([3, 4], bfv_secret_key)
        >>> x.nbytes == bfv_engine.estimate_memory("encrypt").held
        True
        """
        size: int = self._native.nbytes
        return size

    def __add__(self, other: Any) -> Self:
        return self._engine.add(self, other) if _is_operand(other) else NotImplemented

    __radd__ = __add__

    def __sub__(self, other: Any) -> Self:
        return self._engine.subtract(self, other) if _is_operand(other) else NotImplemented

    def __rsub__(self, other: Any) -> Self:
        return self._engine.subtract(other, self) if _is_operand(other) else NotImplemented

    def __mul__(self, other: Any) -> Self:
        return self._engine.multiply(self, other) if _is_operand(other) else NotImplemented

    __rmul__ = __mul__

    def __neg__(self) -> Self:
        return self._engine.negate(self)  # type: ignore[no-any-return]

    def __pos__(self) -> Self:
        return self

    def __pow__(self, exponent: Any) -> Self:
        checked = powers.exponent(exponent, "decrypt for others")
        return powers.power(self, checked, self._engine.multiply)

    def rotate(self, delta: int) -> Self:
        """Rotate slots by an amount: see `Engine.rotate`.

        Examples
        --------
        >>> engine, secret_key = bfv_engine, bfv_secret_key
        >>> x = engine.encrypt([3, 4], secret_key)
        >>> engine.decrypt(x.rotate(1), secret_key)[:3]
        array([0, 3, 4])
        """
        return self._engine.rotate(self, delta)  # type: ignore[no-any-return]

    def sum(self, axis: Axis = None, *, keepdims: bool = False) -> Self:
        """Add up values along axes: see `Engine.sum`.

        Examples
        --------
        >>> engine, secret_key = limbs_engine, limbs_secret_key
        >>> x = engine.encrypt([[0.5, 0.25], [1.0, 1.0]], secret_key)
        >>> engine.decrypt(x.sum(axis=1), secret_key).round(3)
        array([0.75, 2.  ])
        """
        return self._engine.sum(self, axis=axis, keepdims=keepdims)  # type: ignore[no-any-return]

    def roll(self, shift: int | tuple[int, ...], axis: Axis = None) -> Self:
        """Move values along axes, and the last ones to the first places, as ``numpy.roll`` does.

        `rotate` does it with all slots. A vector of up to half of a row of slots, with zeros behind it, takes two
        rotations; others take a product with masks as well.

        Raises
        ------
        MessageError
            If there are no such axes.
        UnitCountError
            If there are several units.
        MissingKeyError
            If the engine knows no evaluation key for the ciphertext's secret, or that wasn't made with
            ``rotations=True``.
        NoiseError
            If the budget is used up.

        Examples
        --------
        >>> engine, secret_key = bfv_engine, bfv_secret_key
        >>> x = engine.encrypt([1, 2, 3], secret_key)
        >>> engine.decrypt(x.roll(1), secret_key)
        array([3, 1, 2])
        """
        return slot_moves.rolled(self, shift, axis)

    def reshape(self, *shape: Any) -> Self:
        """Return the same values in another shape, at no cost. One length may be -1.

        Examples
        --------
        >>> x = bfv_engine.encrypt([1, 2, 3, 4], bfv_secret_key)
        >>> x.reshape(2, -1).shape, x.reshape((4, 1)).shape
        ((2, 2), (4, 1))
        """
        sizes = shape[0] if len(shape) == 1 else shape
        return slot_moves.placed("reshape", self, lambda places: places.reshape(sizes))  # type: ignore[no-any-return]

    def __getitem__(self, index: Any) -> Self:
        """Return the values of an index, as NumPy has it: integers, slices, arrays in the clear.

        Values that move by one amount, such as ``x[3:7]``, take a rotation, and ``x[:7]`` takes nothing. Others, such
        as ``x[::2]``, take a product with masks.

        Examples
        --------
        >>> engine, secret_key = bfv_engine, bfv_secret_key
        >>> x = engine.encrypt([[1, 2, 3], [4, 5, 6]], secret_key)
        >>> engine.decrypt(x[1], secret_key), engine.decrypt(x[0, 2], secret_key)
        (array([4, 5, 6]), array(3))
        """
        return slot_moves.placed("index", self, lambda places: places[index])  # type: ignore[no-any-return]

    def __setitem__(self, index: Any, value: Any) -> NoReturn:
        raise unchanging("add an array in the clear that is 0 elsewhere")

    @property
    def T(self) -> Self:  # noqa: N802 (NumPy's name)
        """The transpose, whose values masks bring to their places.

        Examples
        --------
        >>> engine, secret_key = bfv_engine, bfv_secret_key
        >>> x = engine.encrypt([[1, 2, 3], [4, 5, 6]], secret_key)
        >>> engine.decrypt(x.T, secret_key)
        array([[1, 4],
               [2, 5],
               [3, 6]])
        """
        return slot_moves.placed("transpose", self, np.transpose)  # type: ignore[no-any-return]

    def __iter__(self) -> Iterator[Self]:
        return (self[place] for place in range(len(self)))


NUMPY.moves(MOVES, slot_moves.placed)


@NUMPY.implements(np.square)
def _square(x: Vector) -> Vector:
    return x * x


def _is_operand(value: Any) -> bool:
    """Whether the engine judges a value; what other libraries define is left to them."""
    return isinstance(value, (Vector, str, bytes)) or is_clear(value)
