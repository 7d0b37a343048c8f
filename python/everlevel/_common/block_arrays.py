"""Encrypted arrays of more values than a ciphertext has slots: blocks of rows, each a ciphertext, of any scheme."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, ClassVar, Final, Self

import numpy as np
from numpy.typing import NDArray

from ..errors import MessageError, OperandTypeError, ParameterError
from . import checks, slot_shapes
from .opaque import Encrypted
from .shaped import Shaped

Axis = int | tuple[int, ...] | None

_JOINS: Final[Mapping[str, Callable[..., Any]]] = {"sum": operator.add, "max": np.maximum, "min": np.minimum}
"""Functions that bring two blocks' results together."""


class BlockArray(Shaped, Encrypted):
    """Base of each scheme's `EncryptedArray`.

    Operators, NumPy's functions of one or two operands and `map` act on each block, and cost as much as that many
    ciphertexts; sums go along axes.
    """

    __slots__ = ("_blocks", "_shape")

    _block: ClassVar[type[Any]]
    """Class of the blocks."""

    _instead_of_numpy = "use its operators and methods, or decrypt it first"

    def __init__(self, blocks: Iterable[Any]) -> None:
        operation = "EncryptedArray"
        found = tuple(checks.sequence(operation, "blocks", blocks))
        parts = [checks.instance(operation, "blocks", block, self._block) for block in found]
        if not parts or len({block.shape[1:] for block in parts}) > 1 or not all(block.ndim for block in parts):
            raise ParameterError(
                f"{operation}: the blocks have shapes {[block.shape for block in parts]}, and at least one is needed, "
                f"with rows of one shape in all; pass blocks that belong together",
                option="blocks",
                value=len(parts),
            )
        self._blocks = tuple(parts)
        self._shape = (sum(len(block) for block in parts), *parts[0].shape[1:])

    @staticmethod
    def _numbers(operation: str, values: Any) -> NDArray[Any]:
        """Check an operand in the clear, and return it as an array."""
        raise NotImplementedError

    @property
    def blocks(self) -> tuple[Any, ...]:
        """The ciphertexts.

        Examples
        --------
        >>> x = bfv_engine.encrypt_many(np.ones((3000, 1), int), bfv_secret_key)
        >>> [block.shape for block in x.blocks]
        [(1024, 1), (1024, 1), (952, 1)]
        """
        return self._blocks

    @property
    def nbytes(self) -> int:
        """Bytes in memory.

        Examples
        --------
        >>> x = limbs_engine.encrypt_many(np.ones(2 * limbs_engine.slot_count), limbs_secret_key)
        >>> x.nbytes == sum(block.nbytes for block in x.blocks)
        True
        """
        return sum(block.nbytes for block in self._blocks)

    def __repr__(self) -> str:
        return f"EncryptedArray(shape {self._shape}, {len(self._blocks)} blocks of {self._blocks[0]!r})"

    def map(self, function: Callable[..., Any], *operands: Any) -> Self:
        """Apply a function to each block, and to the rows of other operands that belong to it.

        Parameters
        ----------
        function : callable
            Of a ciphertext, and as many operands as there are; its results have as many rows. Functions that look at
            values of other rows, such as sums, do so inside of a block.
        *operands : EncryptedArray, Ciphertext, array_like or number
            Those of the array's number of rows are taken apart; all others go to each block as they are.

        Examples
        --------
        >>> import everlevel
        >>> x = engine.encrypt_many(np.ones(2 * engine.slot_count), secret_key, bound=1)
        >>> engine.decrypt(x.map(everlevel.exp), secret_key)[[0, -1]].round(3)
        array([2.718, 2.718])
        """
        return self._each("map", function, self, *operands)

    def sum(self, axis: Axis = None) -> Any:
        """Add up values along axes: to a ciphertext, if the first is among them, and else to blocks of as many rows.

        Examples
        --------
        >>> x = bfv_engine.encrypt_many(np.ones((1000, 2), int), bfv_secret_key)
        >>> bfv_engine.decrypt(x.sum(axis=0), bfv_secret_key), x.sum(axis=1).shape
        (array([1000, 1000]), (1000,))
        """
        return self._reduced("sum", axis)

    def _reduced(self, operation: str, axis: Axis) -> Any:
        axes = slot_shapes.axes(operation, axis, self.ndim)
        if len(axes) == self.ndim:
            # What fills the slots has the slots' shape, where each of them holds the result.
            single = slot_shapes.layout((), self._blocks[0].slot_count)
            parts = [getattr(block, operation)()._with(single) for block in self._blocks]
        else:
            parts = [getattr(block, operation)(axes) for block in self._blocks]
        if 0 not in axes:
            return type(self)(parts)
        total = parts[0]
        for part in parts[1:]:
            total = _JOINS[operation](total, part)
        return total

    def __getitem__(self, index: Any) -> Any:
        """Return a row, or rows of a slice without steps; an index of several axes takes rows first.

        Examples
        --------
        >>> x = bfv_engine.encrypt_many(np.arange(3000).reshape(1500, 2), bfv_secret_key)
        >>> bfv_engine.decrypt(x[511:513], bfv_secret_key)
        array([[1022, 1023],
               [1024, 1025]])
        >>> bfv_engine.decrypt(x[600], bfv_secret_key)
        array([1200, 1201])
        """
        first, rest = (index[0], index[1:]) if isinstance(index, tuple) and index else (index, ())
        if isinstance(first, slice):
            start, stop, step = first.indices(len(self))
            if step != 1 or stop <= start:
                raise checks.refusal("getitem", "index", index, "rows that follow each other are taken; write x[a:b]")
            rows = [
                block[(slice(max(start - begin, 0), min(stop - begin, len(block))), *rest)]
                for begin, block in self._begun()
                if start < begin + len(block) and begin < stop
            ]
            return type(self)(rows)
        if not checks.is_integer(first) or not -len(self) <= first < len(self):
            needed = f"there are {len(self)} rows; write x[i], or x[a:b]"
            raise checks.refusal("getitem", "index", index, needed, (-len(self), len(self) - 1))
        place = int(first) % len(self)
        begin, block = [each for each in self._begun() if each[0] <= place][-1]
        return block[(place - begin, *rest)]

    def __iter__(self) -> Iterator[Any]:
        return (row for block in self._blocks for row in block)

    def _begun(self) -> list[tuple[int, Any]]:
        """Return the blocks, each with its first row's place."""
        begins = np.cumsum([0, *(len(block) for block in self._blocks)])
        return list(zip(map(int, begins), self._blocks, strict=False))

    def _each(self, operation: str, function: Callable[..., Any], *operands: Any) -> Self:
        parted = [self._parts(operation, operand) for operand in operands]
        return type(self)([function(*parts) for parts in zip(*parted, strict=True)])

    def _parts(self, operation: str, operand: Any) -> list[Any]:
        """Return what of an operand belongs to each block."""
        if isinstance(operand, BlockArray):
            if [len(block) for block in operand._blocks] != [len(block) for block in self._blocks]:
                raise MessageError(
                    f"{operation}: the arrays are of shapes {self.shape} and {operand.shape}, in blocks of other "
                    f"numbers of rows; encrypt both in one shape"
                )
            return list(operand._blocks)
        above = max(getattr(operand, "ndim", 0) - self.ndim + 1, 0)
        if isinstance(operand, slot_shapes.InSlots) and operand.shape[:above] not in ((), (1,)):
            # A block that fills its slots would take a vector of any length.
            raise MessageError(
                f"{operation}: the shapes are {self.shape} and {operand.shape}, which don't broadcast to the first; "
                f"encrypt both by encrypt_many"
            )
        if isinstance(operand, (list, tuple, np.ndarray)):
            values = self._numbers(operation, operand)
            if values.ndim == self.ndim and len(values) == len(self):
                return [values[begin : begin + len(block)] for begin, block in self._begun()]
            if values.ndim > self.ndim or (values.ndim == self.ndim and len(values) != 1):
                raise MessageError(
                    f"{operation}: the shapes are {self.shape} and {values.shape}, which don't broadcast; pass as many "
                    f"rows"
                )
            # One row is every block's, whatever vectors of one value are beside all slots.
            return [values[0] if values.ndim == self.ndim else values] * len(self._blocks)
        return [operand] * len(self._blocks)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        return self._each(f"numpy.{ufunc.__name__}", lambda *parts: getattr(ufunc, method)(*parts, **kwargs), *inputs)

    def __array_function__(self, function: Any, types: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        name = function.__name__
        method = getattr(self, name.removeprefix("a"), None) if name.removeprefix("a") in _METHODS else None
        if method is None or not kwargs.keys() <= {"axis"} or args[:1] != (self,) or len(args) > 2:
            raise OperandTypeError(
                f"numpy.{name}: there is no such operation of an EncryptedArray; {self._instead_of_numpy}",
                argument="array",
                expected="array in the clear",
                actual=type(self).__name__,
            )
        return method(*args[1:], **kwargs)

    def __neg__(self) -> Self:
        return self._each("negate", operator.neg, self)

    def __pos__(self) -> Self:
        return self

    def __add__(self, other: Any) -> Self:
        return self._each("add", operator.add, self, other)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Self:
        return self._each("subtract", operator.sub, self, other)

    def __rsub__(self, other: Any) -> Self:
        return self._each("subtract", operator.sub, other, self)

    def __mul__(self, other: Any) -> Self:
        return self._each("multiply", operator.mul, self, other)

    __rmul__ = __mul__

    def __pow__(self, exponent: Any) -> Self:
        return self._each("power", operator.pow, self, exponent)


class NumberArray(BlockArray):
    """Base of arrays of real or complex numbers, which have bounds and means."""

    __slots__ = ()

    @property
    def bound(self) -> float:
        """Largest size that a value may have: see `Ciphertext.bound`.

        Examples
        --------
        >>> engine.encrypt_many([1.0, 2.0], secret_key, bound=2).bound
        2.0
        """
        bounds: list[float] = [block.bound for block in self._blocks]
        return max(bounds)

    def within(self, low: float, high: float | None = None) -> Self:
        """Claim where the values lie: see `Ciphertext.within`.

        Examples
        --------
        >>> x = limbs_engine.encrypt_many(np.linspace(0, 1, 600), limbs_secret_key)
        >>> (x + x).within(0, 1.5).bound
        1.5
        """
        return type(self)([block.within(low, high) for block in self._blocks])

    def mean(self, axis: Axis = None) -> Any:
        """Return the mean along axes, as `Ciphertext.mean` does; means of all rows take a product with a number more.

        Examples
        --------
        >>> x = engine.encrypt_many(np.linspace(0, 1, 600), secret_key, bound=(0, 1))
        >>> float(engine.decrypt(x.mean(), secret_key).round(3))
        0.5
        """
        axes = slot_shapes.axes("mean", axis, self.ndim)
        if 0 not in axes:
            return type(self)([block.mean(axes) for block in self._blocks])
        return self.sum(axes) * (1 / math.prod(self._shape[each] for each in axes))

    def __truediv__(self, other: Any) -> Self:
        return self._each("divide", operator.truediv, self, other)


_METHODS: Final = ("sum", "mean", "max", "min")
"""Functions of NumPy that are methods, where an array has them."""


def rows(operation: str, values: NDArray[Any], slot_count: int) -> list[NDArray[Any]]:
    """Cut an array into blocks of as many rows as the slots hold."""
    width = math.prod(values.shape[1:])
    if not values.ndim or not 0 < width <= slot_count or not len(values):
        raise MessageError(
            f"{operation}: the message is of shape {values.shape}, and rows of 1 to {slot_count} values are "
            f"needed; reshape it, or pass it to encrypt",
            slot_count=slot_count,
        )
    count = slot_count // width
    return [values[begin : begin + count] for begin in range(0, len(values), count)]
