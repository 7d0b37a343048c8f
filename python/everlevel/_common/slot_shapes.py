"""Shapes of encrypted vectors: which slots hold values, in which order, and what is known of those after them.

docs/notes/shapes.md has the rules. Nothing here computes on what is encrypted.
"""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from ..errors import EverlevelError, HeaderError, MessageError, UnitCountError
from . import callers, checks
from .axes import meant
from .shaped import Shape, Shaped

Places = NDArray[np.intp]
ResultT = TypeVar("ResultT")

_MOST_DIMENSIONS: Final = 32


@dataclass(frozen=True)
class Layout:
    """Where values lie among the slots.

    Attributes
    ----------
    shape : tuple of int, optional
        None for the slots' shape: every slot of every unit counts. A single value, of shape (), is in every slot; any
        other array is in the first slots of one unit, in NumPy's order.
    is_clean : bool
        Whether the slots after the array hold zeros, up to the claimed error, and not just anything within the bound.
    """

    shape: Shape | None = None
    is_clean: bool = True

    @property
    def is_single(self) -> bool:
        """Whether there is one value, in every slot."""
        return self.shape == ()

    @property
    def size(self) -> int:
        """Number of values of an array; 1 for a single one."""
        return math.prod(self.shape or ())

    def values(self, slots: NDArray[Any]) -> NDArray[Any]:
        """Return the values among all slots."""
        return slots if self.shape is None else slots[: self.size].reshape(self.shape)

    def notes(self) -> dict[str, str]:
        """Return what a file's header says of it."""
        if self.shape is None:
            return {}
        padding = {} if self.is_clean else {"padding": "any"}
        return {"shape": ",".join(map(str, self.shape)), **padding}


SLOTS: Final = Layout()
"""The slots' shape."""


class InSlots(Shaped):
    """Base of what has a layout: vectors, and plaintexts."""

    __slots__ = ()

    _layout: Layout

    if TYPE_CHECKING:

        @property
        def slot_count(self) -> int: ...

    @property
    def unit_count(self) -> int:
        """Number of units: 1 for up to `slot_count` values.

        Examples
        --------
        >>> engine.encrypt(np.ones(engine.slot_count + 1), secret_key, bound=1).unit_count
        2
        """
        return cast(Any, self)._native.unit_count  # type: ignore[no-any-return]

    @property
    def shape(self) -> Shape:
        """Shape of the values, which decryption gives back. It is public, as the bound is.

        Where all slots count, it is ``(slot_count,)``, or ``(unit_count, slot_count)`` for several units, which are
        decrypted one after the other. A single value has the shape ``()``.

        Examples
        --------
        >>> engine.encrypt([[1.0, 2.0, 3.0]], secret_key, bound=3).shape
        (1, 3)
        >>> engine.encrypt([1.0, 2.0], secret_key, bound=2, slots=True).shape
        (512,)
        """
        if self._layout.shape is not None:
            return self._layout.shape
        return (self.slot_count,) if self.unit_count == 1 else (self.unit_count, self.slot_count)


def layout(shape: Shape, slot_count: int, *, is_clean: bool = True) -> Layout:
    """Return the layout of an array that fits into a unit."""
    if shape == (slot_count,):
        return SLOTS
    # There is nothing after a single value, nor after an array that fills the unit.
    return Layout(shape, is_clean or shape == () or math.prod(shape) == slot_count)


def of_product(matrix: Any, vector: Layout, slot_count: int) -> Layout | None:
    """Return the layout of a matrix's product with a vector: a value for each row; None where all slots count."""
    rows, *columns = (slot_count,) if isinstance(matrix, Mapping) else np.shape(matrix)
    if tuple(columns) != vector.shape or rows > slot_count:
        return None
    # Slots behind the rows hold zeros.
    return layout((rows,), slot_count)


def of_message(operation: str, shape: Shape, slot_count: int, slots: Any) -> Layout:
    """Return the layout of a message: that of the slots where these are asked for, or where it fills several units."""
    if checks.truth(operation, "slots", slots) or math.prod(shape) > slot_count:
        return SLOTS
    return layout(shape, slot_count)


def of_notes(notes: Mapping[str, str], slot_count: int, unit_count: int) -> Layout:
    """Return the layout that a file's header says; files of version 0.1 say none.

    Raises
    ------
    HeaderError
        If it isn't that of an array in the file's one unit.
    """
    text, padding = notes.get("shape"), notes.get("padding", "zeros")
    if text is None:
        return SLOTS
    sizes = text.split(",") if text else []
    is_shape = len(sizes) <= _MOST_DIMENSIONS and all(re.fullmatch("[0-9]{1,8}", size) for size in sizes)
    shape = tuple(map(int, sizes)) if is_shape else ()
    if not is_shape or not 0 < math.prod(shape) <= slot_count or unit_count != 1 or padding not in ("zeros", "any"):
        raise HeaderError(
            f"read: the header's shape is ({text}), with {padding} after it, and an array of 1 to {slot_count} values "
            f"in one unit is needed, with zeros or any; pass a file that Everlevel saved",
            part="shape",
        )
    return layout(shape, slot_count, is_clean=padding == "zeros")


def axes(operation: str, axis: Any, ndim: int) -> tuple[int, ...]:
    """Return the axes that are meant, in rising order: all, one, or several."""
    found = meant(axis, ndim)
    if found is not None:
        return found
    needed = f"there are {ndim} axes; choose from {-ndim} to {ndim - 1}, a tuple of them, or None for all"
    raise checks.refusal(operation, "axis", axis, needed, (-ndim, ndim - 1))


def is_one_amount(shift: Any, axis: Any, ndim: int) -> bool:
    """Whether a roll moves all values of an array by one amount, in their order."""
    return checks.is_integer(shift) and (axis is None or (ndim == 1 and checks.is_integer(axis) and axis in (0, -1)))


def broadcast(operation: str, left: Shape, right: Shape, slot_count: int) -> Shape | None:
    """Return the shape that two arrays combine to; None where they don't, and 0.1 filled both up with zeros.

    Raises
    ------
    MessageError
        If they don't, and one of them isn't a vector; or if the result is larger than a unit.
    """
    try:
        shape = np.broadcast_shapes(left, right)
    except ValueError:
        if len(left) == len(right) == 1 and 0 < min(*left, *right) <= max(*left, *right) <= slot_count:
            return None
        raise MessageError(
            f"{operation}: the shapes are {left} and {right}, which don't broadcast; reshape one, such as by x.reshape",
            slot_count=slot_count,
        ) from None
    if math.prod(shape) > slot_count:
        raise MessageError(
            f"{operation}: the shapes are {left} and {right}, which make {math.prod(shape)} values, and a unit has "
            f"{slot_count} slots; take parts",
            slot_count=slot_count,
        )
    return shape


def warn_of_lengths(operation: str, left: Shape, right: Shape) -> None:
    """Warn that operands of two lengths were filled up with zeros."""
    warnings.warn(
        f"{operation}: the shapes are {left} and {right}, and zeros follow both, as in version 0.1; the next version "
        f"refuses them, or repeats a single value. Fill one up with zeros, or pass a number",
        DeprecationWarning,
        stacklevel=callers.depth(),
    )


def flat(values: NDArray[Any], shape: Shape) -> NDArray[Any]:
    """Return an array in the clear as one of a shape, in NumPy's order."""
    return np.broadcast_to(values, shape).ravel()


def require_one_unit(operation: str, x: InSlots) -> None:
    """Refuse vectors of several units."""
    if x.unit_count > 1:
        raise UnitCountError(
            f"{operation}: the ciphertext has {x.unit_count} units, and 1 is needed; take them apart with x.units()",
            left=x.unit_count,
            right=1,
        )


def require_room(operation: str, shape: Shape, slot_count: int) -> None:
    """Refuse results without values, or of more than a unit has slots."""
    size = math.prod(shape)
    if not 1 <= size <= slot_count:
        raise MessageError(
            f"{operation}: the result is of shape {shape}, and 1 to {slot_count} values fit into a unit; take parts",
            length=size,
            slot_count=slot_count,
        )


def placed(
    operation: str, x: InSlots, function: Callable[[Places], Any], arranged: Callable[[Places], ResultT]
) -> ResultT | list[ResultT]:
    """Do with values what a function of NumPy does with their places, by one that arranges values so."""
    require_one_unit(operation, x)
    places = called(operation, lambda: function(np.arange(x.size).reshape(x.shape)))
    if isinstance(places, (list, tuple)):
        return [arranged(np.asarray(each)) for each in places]
    return arranged(np.asarray(places))


def called(operation: str, function: Callable[[], Any]) -> Any:
    """Call a function of NumPy, and refuse its arguments as it does."""
    try:
        return function()
    except EverlevelError:
        raise
    except IndexError as error:
        # Python's protocol of sequences stops by it.
        if operation == "index":
            raise
        raise checks.unfit(operation, error) from None
    except (ValueError, TypeError, OverflowError) as error:
        raise checks.unfit(operation, error) from None


def fixed(operation: str, encoded: Shape, shape: Shape) -> MessageError:
    """Say that a plaintext isn't repeated."""
    return MessageError(
        f"{operation}: the plaintext is of shape {encoded}, and the result of {shape}; encode it in this shape, or "
        f"pass the array itself"
    )
