"""Encrypted arrays of more values than a ciphertext has slots: blocks of rows, each a ciphertext."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

import numpy as np

from .._common import checks, slot_shapes
from .._common.opaque import Encrypted
from .._common.shaped import Shaped
from ..errors import MessageError, OperandTypeError, ParameterError
from . import _checks
from ._numpy import NUMPY
from ._shaping import of_shape
from .ciphertext import Ciphertext

__all__ = ["EncryptedArray"]

Axis = int | tuple[int, ...] | None

_REDUCTIONS: Final[Mapping[str, Callable[..., Any]]] = {"sum": operator.add, "max": np.maximum, "min": np.minimum}
"""Functions that bring two blocks' results together."""


class EncryptedArray(Shaped, Encrypted):
    """An encrypted array of any size: blocks of rows along its first axis, each a `Ciphertext`.

    Made by `Engine.encrypt_many`, and by operations on such arrays. Operators, NumPy's functions of one or two operands
    and `map` act on each block, and cost as much as that many ciphertexts; sums, means and extrema go along axes;
    `Engine.decrypt` gives the whole array.

    Parameters
    ----------
    blocks : iterable of Ciphertext
        In their order, with the same shapes but for the first axis. Files have them one by one: `Ciphertext.save`.

    Raises
    ------
    OperandTypeError
        If something else is among them.
    ParameterError
        If there are none, or their shapes don't go together.

    Examples
    --------
    >>> values = np.linspace(0, 1, 3 * engine.slot_count // 2)
    >>> x = engine.encrypt_many(values, secret_key, bound=(0, 1))
    >>> x.shape, len(x.blocks)
    ((768,), 2)
    >>> y = 2 * x * x - 1
    >>> bool(np.abs(engine.decrypt(y, secret_key) - (2 * values**2 - 1)).max() < 1e-5)
    True
    >>> round(float(engine.decrypt(x.mean(), secret_key)), 3)
    0.5
    """

    __slots__ = ("_blocks", "_shape")

    _instead_of_numpy = "use its operators and methods, or decrypt it first"

    def __init__(self, blocks: Iterable[Ciphertext]) -> None:
        operation = "EncryptedArray"
        found = tuple(checks.sequence(operation, "blocks", blocks))
        parts = [checks.instance(operation, "blocks", block, Ciphertext) for block in found]
        if not parts or len({block.shape[1:] for block in parts}) > 1 or not all(block.ndim for block in parts):
            raise ParameterError(
                f"{operation}: the blocks have shapes {[block.shape for block in parts]}, and at least one is needed, "
                f"with rows of one shape in all; pass blocks that belong together",
                option="blocks",
                value=len(parts),
            )
        self._blocks = tuple(parts)
        self._shape = (sum(len(block) for block in parts), *parts[0].shape[1:])

    @property
    def blocks(self) -> tuple[Ciphertext, ...]:
        """The ciphertexts.

        Examples
        --------
        >>> x = engine.encrypt_many(np.ones(3 * engine.slot_count), secret_key, bound=1)
        >>> [block.shape for block in x.blocks]
        [(512,), (512,), (512,)]
        """
        return self._blocks

    @property
    def level(self) -> int:
        """Multiplications left in every block.

        Examples
        --------
        >>> x = engine.encrypt_many([1.0, 2.0], secret_key, bound=2)
        >>> x.level, (x * x).level
        (5, 4)
        """
        return min(block.level for block in self._blocks)

    @property
    def bound(self) -> float:
        """Largest size that a value may have: see `Ciphertext.bound`.

        Examples
        --------
        >>> engine.encrypt_many([1.0, 2.0], secret_key, bound=2).bound
        2.0
        """
        return max(block.bound for block in self._blocks)

    @property
    def interval(self) -> tuple[float, float] | None:
        """Ends of where real values lie: see `Ciphertext.interval`.

        Examples
        --------
        >>> engine.encrypt_many([1.0, 2.0], secret_key, bound=(1, 2)).interval
        (1.0, 2.0)
        """
        found = [block.interval for block in self._blocks]
        known = [interval for interval in found if interval is not None]
        if len(known) < len(found):
            return None
        return min(low for low, _ in known), max(high for _, high in known)

    @property
    def nbytes(self) -> int:
        """Bytes in memory.

        Examples
        --------
        >>> x = engine.encrypt_many(np.ones(3 * engine.slot_count), secret_key, bound=1)
        >>> x.nbytes == sum(block.nbytes for block in x.blocks)
        True
        """
        return sum(block.nbytes for block in self._blocks)

    def __repr__(self) -> str:
        return f"EncryptedArray(shape {self._shape}, {len(self._blocks)} blocks of {self._blocks[0]!r})"

    def map(self, function: Callable[..., Ciphertext], *operands: Any) -> EncryptedArray:
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

    def bootstrap(self, *keys: Any, stage_count: int | None = None, level: int | None = None) -> EncryptedArray:
        """Raise the level of each block, four at a time: see `Engine.bootstrap_many`.

        Examples
        --------
        >>> deep = Engine(use_bootstrap=True, insecure_log_n=10)
        >>> secret = deep.create_secret_key()
        >>> key = deep.create_evaluation_key(secret, bootstrap="lossy")
        >>> x = deep.encrypt_many(np.ones(600), secret, level=0, bound=1)
        >>> x.bootstrap().level
        10
        """
        engine: Any = self._blocks[0]._engine
        return EncryptedArray(engine.bootstrap_many(list(self._blocks), *keys, stage_count=stage_count, level=level))

    def within(self, low: float, high: float | None = None) -> EncryptedArray:
        """Claim where the values lie: see `Ciphertext.within`.

        Examples
        --------
        >>> engine.encrypt_many(np.linspace(0, 1, 600), secret_key, bound=1).within(0, 1).interval
        (0.0, 1.0)
        """
        return EncryptedArray([block.within(low, high) for block in self._blocks])

    def sum(self, axis: Axis = None) -> Ciphertext | EncryptedArray:
        """Add up values along axes: to a ciphertext, if the first is among them, and else to blocks of as many rows.

        Examples
        --------
        >>> x = engine.encrypt_many(np.ones((engine.slot_count, 2)), secret_key, bound=1)
        >>> engine.decrypt(x.sum(axis=0), secret_key).round(2)
        array([512., 512.])
        >>> x.sum(axis=1).shape
        (512,)
        """
        return self._reduced("sum", axis)

    def mean(self, axis: Axis = None) -> Ciphertext | EncryptedArray:
        """Return the mean along axes. Levels consumed: as of `Ciphertext.mean`, and 1 for means of all rows.

        Examples
        --------
        >>> x = engine.encrypt_many(np.linspace(0, 1, 600), secret_key, bound=(0, 1))
        >>> float(engine.decrypt(x.mean(), secret_key).round(3))
        0.5
        """
        axes = slot_shapes.axes("mean", axis, self.ndim)
        if 0 not in axes:
            return EncryptedArray([block.mean(axes) for block in self._blocks])
        return self.sum(axes) * (1 / math.prod(self._shape[each] for each in axes))

    def max(self, axis: Axis = None) -> Ciphertext | EncryptedArray:
        """Return the largest values along axes: see `Ciphertext.max`.

        Examples
        --------
        >>> deep = Engine(use_bootstrap=True, insecure_log_n=10)
        >>> secret = deep.create_secret_key()
        >>> key = deep.create_evaluation_key(secret, bootstrap="lossy")
        >>> x = deep.encrypt_many(np.linspace(-1, 0.5, 600), secret, bound=1)
        >>> float(deep.decrypt(x.max(), secret).round(1))
        0.5
        """
        return self._reduced("max", axis)

    def min(self, axis: Axis = None) -> Ciphertext | EncryptedArray:
        """Return the smallest values along axes: see `Ciphertext.min`.

        Examples
        --------
        >>> deep = Engine(use_bootstrap=True, insecure_log_n=10)
        >>> secret = deep.create_secret_key()
        >>> key = deep.create_evaluation_key(secret, bootstrap="lossy")
        >>> x = deep.encrypt_many(np.linspace(-1, 0.5, 600), secret, bound=1)
        >>> float(deep.decrypt(x.min(), secret).round(1))
        -1.0
        """
        return self._reduced("min", axis)

    def _reduced(self, operation: str, axis: Axis) -> Ciphertext | EncryptedArray:
        axes = slot_shapes.axes(operation, axis, self.ndim)
        if len(axes) == self.ndim:
            # What fills the slots has the slots' shape, where each of them holds the result.
            parts = [of_shape(getattr(block, operation)(), ()) for block in self._blocks]
        else:
            parts = [getattr(block, operation)(axes) for block in self._blocks]
        if 0 not in axes:
            return EncryptedArray(parts)
        total = parts[0]
        for part in parts[1:]:
            total = _REDUCTIONS[operation](total, part)
        return total

    def __getitem__(self, index: Any) -> Ciphertext | EncryptedArray:
        """Return a row, or rows of a slice without steps; an index of several axes takes rows first.

        Examples
        --------
        >>> x = engine.encrypt_many(np.arange(engine.slot_count * 2.0), secret_key, bound=1024)
        >>> engine.decrypt(x[510:514], secret_key).round(2)
        array([510., 511., 512., 513.])
        >>> float(engine.decrypt(x[600], secret_key).round(2))
        600.0
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
            return EncryptedArray(rows)
        if not checks.is_integer(first) or not -len(self) <= first < len(self):
            needed = f"there are {len(self)} rows; write x[i], or x[a:b]"
            raise checks.refusal("getitem", "index", index, needed, (-len(self), len(self) - 1))
        place = int(first) % len(self)
        begin, block = [each for each in self._begun() if each[0] <= place][-1]
        return block[(place - begin, *rest)]

    def __iter__(self) -> Iterator[Ciphertext]:
        return (row for block in self._blocks for row in block)

    def _begun(self) -> list[tuple[int, Ciphertext]]:
        """Return the blocks, each with its first row's place."""
        begins = np.cumsum([0, *(len(block) for block in self._blocks)])
        return list(zip(map(int, begins), self._blocks, strict=False))

    def _each(self, operation: str, function: Callable[..., Any], *operands: Any) -> EncryptedArray:
        parted = [self._parts(operation, operand) for operand in operands]
        return EncryptedArray([function(*parts) for parts in zip(*parted, strict=True)])

    def _parts(self, operation: str, operand: Any) -> list[Any]:
        """Return what of an operand belongs to each block."""
        if isinstance(operand, EncryptedArray):
            if [len(block) for block in operand._blocks] != [len(block) for block in self._blocks]:
                raise MessageError(
                    f"{operation}: the arrays are of shapes {self.shape} and {operand.shape}, in blocks of other "
                    f"numbers of rows; encrypt both in one shape"
                )
            return list(operand._blocks)
        if isinstance(operand, (list, tuple, np.ndarray)):
            values = _checks.numbers(operation, operand)
            if values.ndim == self.ndim and len(values) == len(self):
                return [values[begin : begin + len(block)] for begin, block in self._begun()]
            if values.ndim > self.ndim or (values.ndim == self.ndim and len(values) != 1):
                raise MessageError(
                    f"{operation}: the shapes are {self.shape} and {values.shape}, which don't broadcast; pass as many "
                    f"rows"
                )
            return [values] * len(self._blocks)
        return [operand] * len(self._blocks)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        def call(*parts: Any) -> Any:
            return NUMPY.operator(Ciphertext, ufunc, method, parts, kwargs)

        return self._each(f"numpy.{ufunc.__name__}", call, *inputs)

    def __array_function__(self, function: Any, types: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        name = function.__name__
        method = {"sum": self.sum, "mean": self.mean, "max": self.max, "min": self.min}.get(name.removeprefix("a"))
        if method is None or not kwargs.keys() <= {"axis"} or args[:1] != (self,) or len(args) > 2:
            raise OperandTypeError(
                f"numpy.{name}: there is no such operation of an EncryptedArray; {self._instead_of_numpy}",
                argument="array",
                expected="array in the clear",
                actual=type(self).__name__,
            )
        return method(*args[1:], **kwargs)

    def __neg__(self) -> EncryptedArray:
        return self._each("negate", operator.neg, self)

    def __pos__(self) -> EncryptedArray:
        return self

    def __abs__(self) -> EncryptedArray:
        return self._each("abs", operator.abs, self)

    def __add__(self, other: Any) -> EncryptedArray:
        return self._each("add", operator.add, self, other)

    __radd__ = __add__

    def __sub__(self, other: Any) -> EncryptedArray:
        return self._each("subtract", operator.sub, self, other)

    def __rsub__(self, other: Any) -> EncryptedArray:
        return self._each("subtract", operator.sub, other, self)

    def __mul__(self, other: Any) -> EncryptedArray:
        return self._each("multiply", operator.mul, self, other)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> EncryptedArray:
        return self._each("divide", operator.truediv, self, other)

    def __rtruediv__(self, other: Any) -> EncryptedArray:
        return self._each("divide", operator.truediv, other, self)

    def __pow__(self, exponent: Any) -> EncryptedArray:
        return self._each("power", operator.pow, self, exponent)

    def __gt__(self, other: Any) -> EncryptedArray:
        return self._each("greater", operator.gt, self, other)

    def __lt__(self, other: Any) -> EncryptedArray:
        return self._each("less", operator.lt, self, other)

    # Values nearer than the gap are neither the one nor the other.
    __ge__ = __gt__
    __le__ = __lt__
