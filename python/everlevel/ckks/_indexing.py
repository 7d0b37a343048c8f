"""Values of encrypted arrays in other places: parts, shapes, rotations along axes, and arrays that are joined.

NumPy's own function says where each value comes from: it is called with the places of all values. Values that all move
by one amount are rotated, and whatever follows them is left; else masks bring them together.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike

from .._common import slot_shapes
from .._common.numpy_calls import MOVES
from .._common.slot_shapes import SLOTS, Places
from ..errors import OperandTypeError
from . import _checks, _operands
from ._layouts import of_one_unit
from ._numpy import NUMPY
from ._shaping import known, lying, masked, moved, of_shape, repeated, scattered, settled
from .ciphertext import Ciphertext

__all__ = ["concatenate"]


@NUMPY.implements(operator.getitem)
def item(x: Ciphertext, index: Any) -> Ciphertext:
    """Return the values of an index, as NumPy has it."""
    return cast(Ciphertext, _placed("index", x, lambda places: places[index]))


@NUMPY.implements(np.roll)
def roll(a: Ciphertext, shift: Any, axis: Any = None) -> Ciphertext:
    """Move values along axes, and the last to the first places, as `Ciphertext.roll` does."""
    x = of_one_unit("roll", a)
    size = x.size
    if slot_shapes.is_one_amount(shift, axis, x.ndim):
        amount = int(shift) % size
        if x._layout == SLOTS:
            return x.rotate(int(shift))
        if x._layout.is_clean and amount and 2 * size <= x.slot_count:
            slots = x._with(SLOTS)
            both = known(slots.rotate(amount) + slots.rotate(amount - size), x.bound)
            return of_shape(both, x.shape, is_clean=False)._lying(x.interval)
    return cast(Ciphertext, _placed("roll", x, lambda places: np.roll(places, shift, axis)))


@NUMPY.implements(np.concatenate)
def concatenate(arrays: Sequence[Ciphertext | ArrayLike], axis: int | None = 0) -> Ciphertext:
    """Join arrays along an axis, as ``numpy.concatenate`` does, which calls it.

    Parameters
    ----------
    arrays : sequence of Ciphertext or array_like
        Of which at least one is encrypted, with equal lengths along other axes; together at most `slot_count` values.
    axis : int, optional
        The axis; None joins what all hold in NumPy's order.

    Returns
    -------
    Ciphertext
        At the lowest of their levels. Levels consumed: 0; 1 of an array after whose values there may be other things
        than zeros, or whose values don't stay together, as along all axes but the first.

    Raises
    ------
    OperandTypeError
        If nothing is encrypted, or shapes don't fit.
    MessageError
        If the result has more values than a unit has slots: `Engine.vstack` puts vectors into units.
    MissingKeyError
        If the engine knows no rotation key.

    Examples
    --------
    >>> import everlevel
    >>> x = engine.encrypt([1.0, 2.0], secret_key, bound=2)
    >>> engine.decrypt(everlevel.concatenate([x, [7.0], x * x]), secret_key).round(3)
    array([1., 2., 7., 1., 4.])
    """
    operation = "concatenate"
    given = _operands.several(operation, arrays, "arrays")
    parts = [value if isinstance(value, Ciphertext) else _checks.numbers(operation, value) for value in given]
    encrypted = [of_one_unit(operation, part) for part in parts if isinstance(part, Ciphertext)]
    if not encrypted:
        raise OperandTypeError(
            f"{operation}: nothing is encrypted, and a Ciphertext is needed; call numpy.concatenate",
            argument="arrays",
            expected="Ciphertext",
            actual=", ".join(sorted({type(value).__name__ for value in given})),
        )
    owners = slot_shapes.called(
        operation, lambda: np.concatenate([np.full(part.shape, i) for i, part in enumerate(parts)], axis)
    )
    sources = np.concatenate([np.arange(part.size).reshape(part.shape) for part in parts], axis)
    slot_shapes.require_room(operation, owners.shape, encrypted[0].slot_count)
    clear = np.zeros(owners.shape, dtype=np.result_type(float, *(p for p in parts if not isinstance(p, Ciphertext))))
    total: Any = None
    for i, part in enumerate(parts):
        at = np.flatnonzero(owners.ravel() == i)
        if isinstance(part, Ciphertext):
            moved_part = _at(part, at, sources.ravel()[at])
            total = moved_part if total is None else total + moved_part
        else:
            clear.ravel()[at] = part.ravel()[sources.ravel()[at]]
    joined = of_shape(known(total, max(part.bound for part in encrypted)), owners.shape)
    return joined + clear if len(encrypted) < len(parts) else joined


@NUMPY.implements(np.stack)
def _stack(arrays: Any, axis: int = 0) -> Ciphertext:
    given = _operands.several("stack", arrays, "arrays")
    return concatenate([np.expand_dims(cast(Any, value), axis) for value in given], axis)


def _at(part: Ciphertext, targets: Places, sources: Places) -> Ciphertext:
    """Bring values to slots, and zeros to all others."""
    deltas = np.unique(targets - sources)
    if len(deltas) == 1 and not part._layout.is_single:
        slots = masked(part)._with(SLOTS)
        return slots.rotate(int(deltas[0])) if deltas[0] else slots
    return scattered(part._with(SLOTS), targets, sources)


def _placed(operation: str, value: Any, function: Callable[[Places], Any]) -> Ciphertext | list[Ciphertext]:
    """Do with values what a function of NumPy does with their places."""
    x = of_one_unit(operation, value)
    return slot_shapes.placed(operation, x, function, lambda places: _arranged(operation, x, places))


def _arranged(operation: str, x: Ciphertext, places: Places) -> Ciphertext:
    slot_shapes.require_room(operation, places.shape, x.slot_count)
    if x._layout.is_single:
        return of_shape(x, places.shape, is_clean=False)
    sources, targets, slots = places.ravel(), np.arange(places.size), x._with(SLOTS)
    if not places.shape:
        single = repeated(moved(slots, [(int(sources[0]), 0, 1)]), 1, x.slot_count)
        return lying(of_shape(single, ()), x.interval, 1.0)
    delta = int(targets[0] - sources[0])
    if np.any(targets - sources != delta):
        return settled(scattered(slots, targets, sources), places.shape, x.interval)
    is_clean = x._layout.is_clean and delta == 0 and places.size == x.size
    turned = slots.rotate(delta) if delta else slots
    return of_shape(turned, places.shape, is_clean=is_clean)._lying(x.interval)


NUMPY.moves(MOVES, _placed)
