"""Values of vectors over limbs in other slots: moves, sums along axes, and operands in one shape.

docs/notes/shapes.md has the rules. An engine's slots are rows of `_row_length`, which its `rotate` rotates alike, and
`swap_rows` exchanges where there are two.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from . import checks, slot_shapes, units
from .shaped import Shape
from .slot_shapes import SLOTS, Layout

if TYPE_CHECKING:
    from .operators import Vector

VectorT = TypeVar("VectorT", bound="Vector")
Places = NDArray[np.intp]


def masked(x: VectorT) -> VectorT:
    """Return a vector with zeros after its values: itself, or its product with a mask."""
    if x._layout.is_clean:
        return x
    mask = (np.arange(x.slot_count) < x.size).astype(np.int64)
    product: VectorT = x._engine.multiply(x._with(SLOTS), mask)
    return product._with(slot_shapes.layout(x.shape, x.slot_count))


def as_slots(x: VectorT) -> VectorT:
    """Return a vector whose slots all count, with zeros after what was in them."""
    return masked(x)._with(SLOTS)


def gathered(x: VectorT, targets: Places, sources: Places) -> VectorT:
    """Add up slots: each target has the sum of its sources, and all other slots have 0. It takes a product with masks.

    Rotations: one for each amount between targets and sources; and as many again for those in the other row.
    """
    engine, row = x._engine, x._engine._row_length
    swaps, deltas = targets // row != sources // row, (targets - sources) % row
    slots = x._with(SLOTS)
    rows = {False: slots, True: engine.swap_rows(slots) if swaps.any() else slots}
    total: Any = None
    for swap, delta in sorted({(bool(swap), int(delta)) for swap, delta in zip(swaps, deltas, strict=True)}):
        mask = np.zeros(x.slot_count, dtype=np.int64)
        mask[targets[(swaps == swap) & (deltas == delta)]] = 1
        part = engine.multiply(_rotated(rows[swap], delta), mask)
        total = part if total is None else engine.add(total, part)
    # Masks of one target's sources are of other slots than all the rest.
    result: VectorT = total._at_most(int(np.bincount(targets).max()), x)
    return result


def expanded(x: VectorT, shape: Shape) -> VectorT:
    """Repeat values to a shape that they broadcast to."""
    if x._layout.is_single or math.prod(shape) == x.size:
        # Other slots than those of the shape have a single value, too.
        is_clean = x._layout.is_clean and not (x._layout.is_single and shape != ())
        return x._with(slot_shapes.layout(shape, x.slot_count, is_clean=is_clean))
    layout = slot_shapes.layout(shape, x.slot_count)
    sizes = (1,) * (len(shape) - x.ndim) + x.shape
    repeats = [axis for axis, size in enumerate(sizes) if size != shape[axis]]
    if math.prod(sizes[: repeats[-1]]) == 1 and math.prod(shape) <= x._engine._row_length:
        block, copies = math.prod(sizes), math.prod(shape) // math.prod(sizes)
        return _added_up(as_slots(x), block, copies)._at_most(1, x)._with(layout)
    sources = np.broadcast_to(np.arange(x.size).reshape(x.shape), shape).ravel()
    return gathered(x, np.arange(len(sources)), sources)._with(layout)


def along(
    operation: str, x: VectorT, axis: Any, keepdims: Any, of_slots: Callable[[VectorT, int | None], VectorT]
) -> VectorT:
    """Add up values along axes; where all slots count, units or slots, by a function of the axis."""
    keeps = checks.truth(operation, "keepdims", keepdims)
    if x._layout.shape is None:
        if keeps:
            needed = "all slots count in the result, so that axes of a shape alone are kept; leave it out"
            raise checks.refusal(operation, "keepdims", keepdims, needed, (False,))
        return of_slots(x, units.axis(operation, axis))
    axes = slot_shapes.axes(operation, axis, x.ndim)
    result = total(x, axes, lambda values: of_slots(values, None))
    return kept(result, x.shape, axes) if keeps else result


def total(x: VectorT, axes: tuple[int, ...], of_slots: Callable[[VectorT], VectorT]) -> VectorT:
    """Add up the values of an array along axes; all slots by a function."""
    shape, slots = x.shape, x.slot_count
    left = tuple(size for axis, size in enumerate(shape) if axis not in axes)
    if math.prod(left) == x.size and (left or not shape):
        return x._with(slot_shapes.layout(left, slots, is_clean=x._layout.is_clean))
    if not left:
        return of_slots(as_slots(x))._at_most(x.size, x)._with(slot_shapes.layout((), slots))
    places = np.arange(x.size).reshape(shape)
    targets = np.expand_dims(np.arange(math.prod(left)).reshape(left), axes)
    if x.size > x._engine._row_length:
        targets, sources = np.broadcast_to(targets, shape).ravel(), places.ravel()
        return gathered(x, targets, sources)._with(slot_shapes.layout(left, slots))
    summed = x._with(SLOTS)
    for axis in axes:
        summed = _added_up(summed, -math.prod(shape[axis + 1 :]), shape[axis])
    firsts = places[tuple(slice(0, 1) if axis in axes else slice(None) for axis in range(len(shape)))]
    if np.array_equal(firsts, targets):
        return summed._with(slot_shapes.layout(left, slots, is_clean=False))
    return gathered(summed, targets.ravel(), firsts.ravel())._with(slot_shapes.layout(left, slots))


def kept(x: VectorT, shape: Shape, axes: tuple[int, ...]) -> VectorT:
    """Let what was added up along axes of a shape keep these, with a length of 1."""
    return expanded(x, tuple(1 if axis in axes else size for axis, size in enumerate(shape)))


def placed(operation: str, x: VectorT, function: Callable[[Places], Any]) -> Any:
    """Do with values what a function of NumPy does with their places."""
    return slot_shapes.placed(operation, x, function, lambda places: _arranged(operation, x, places))


def rolled(x: VectorT, shift: Any, axis: Any) -> VectorT:
    """Move values along axes, and the last ones to the first places."""
    slot_shapes.require_one_unit("roll", x)
    row, size = x._engine._row_length, x.size
    if slot_shapes.is_one_amount(shift, axis, x.ndim):
        amount = int(shift) % size
        if x._layout == SLOTS and row == size:
            return _rotated(x, int(shift))
        if x._layout.is_clean and amount and 2 * size <= row:
            slots = x._with(SLOTS)
            both: VectorT = x._engine.add(_rotated(slots, amount), _rotated(slots, amount - size))
            return both._at_most(1, x)._with(slot_shapes.layout(x.shape, x.slot_count, is_clean=False))
    moved: VectorT = placed("roll", x, lambda places: np.roll(places, shift, axis))
    return moved


def combined(
    operation: str, x: VectorT, other: Any, values: NDArray[Any] | None, *, is_product: bool
) -> tuple[VectorT, Any, Layout]:
    """Bring a vector and another one, or values in the clear, to one shape; return both, and the result's layout.

    Values in the clear come back as an array of no dimensions, for every slot, or of one, for the first slots.
    """
    if values is None:
        return _two(operation, x, other, is_product=is_product)
    layout, slots = x._layout, x.slot_count
    if values.ndim == 0:
        if is_product or layout.shape is None or layout.is_single or not layout.is_clean:
            return x, values, layout
        return x, np.full(layout.size, values), layout
    if values.ndim == 1 and (layout.shape is None or len(values) >= slots):
        if values.shape == (1,) and x.unit_count == 1:
            slot_shapes.warn_of_lengths(operation, x.shape, values.shape)
        return as_slots(x), values, SLOTS
    shape = slot_shapes.broadcast(operation, x.shape, values.shape, slots)
    if shape is None:
        slot_shapes.warn_of_lengths(operation, x.shape, values.shape)
        return as_slots(x), values, SLOTS
    x = expanded(x, shape)
    is_clean = is_product or x._layout.is_clean
    return x, slot_shapes.flat(values, shape), slot_shapes.layout(shape, slots, is_clean=is_clean)


def _two(operation: str, x: VectorT, y: Any, *, is_product: bool) -> tuple[VectorT, Any, Layout]:
    """Bring two vectors to one shape."""
    if x._native.secret_id != y._native.secret_id:
        # The operation itself says so.
        return x, y, SLOTS
    if x._layout.shape is None and y._layout.shape is None:
        return x, y, SLOTS
    if x.unit_count > 1 or y.unit_count > 1:
        count = max(x.unit_count, y.unit_count)
        return _in_units(x, count), _in_units(y, count), SLOTS
    if x._layout.shape != y._layout.shape:
        is_for_slots = any(each._layout.shape is None for each in (x, y)) and all(
            each.ndim < 2 and each._layout.shape != (1,) for each in (x, y)
        )
        shape = None if is_for_slots else slot_shapes.broadcast(operation, x.shape, y.shape, x.slot_count)
        if shape is None:
            if not is_for_slots:
                slot_shapes.warn_of_lengths(operation, x.shape, y.shape)
            return as_slots(x), as_slots(y), SLOTS
        x, y = expanded(x, shape), expanded(y, shape)
    both = x._layout.is_clean, y._layout.is_clean
    return x, y, slot_shapes.layout(x.shape, x.slot_count, is_clean=any(both) if is_product else all(both))


def _in_units(x: VectorT, count: int) -> VectorT:
    """Return all slots of a vector; a single value in as many units."""
    slots = as_slots(x)
    return x._engine.vstack([slots] * count) if x._layout.is_single else slots


def _arranged(operation: str, x: VectorT, places: Places) -> VectorT:
    """Return the values at places of an array, in the shape of these."""
    slot_shapes.require_room(operation, places.shape, x.slot_count)
    if x._layout.is_single:
        return x._with(slot_shapes.layout(places.shape, x.slot_count, is_clean=False))
    engine, row = x._engine, x._engine._row_length
    sources, targets, slots = places.ravel(), np.arange(places.size), x._with(SLOTS)
    if not places.shape:
        first = np.zeros(x.slot_count, dtype=np.int64)
        first[sources[0]] = 1
        single: VectorT = engine.sum(engine.multiply(slots, first))
        return single._at_most(1, x)._with(slot_shapes.layout((), x.slot_count))
    delta = int(targets[0] - sources[0]) % row
    swaps = targets // row != sources // row
    if np.any((targets - sources) % row != delta) or swaps.any() != swaps.all():
        return gathered(slots, targets, sources)._with(slot_shapes.layout(places.shape, x.slot_count))
    is_clean = x._layout.is_clean and not delta and not swaps.any() and places.size == x.size
    turned = _rotated(engine.swap_rows(slots) if swaps.any() else slots, delta)
    return turned._with(slot_shapes.layout(places.shape, x.slot_count, is_clean=is_clean))


def _added_up(x: VectorT, stride: int, copies: int) -> VectorT:
    """Add up copies, each a stride further on."""
    engine, whole, count = x._engine, x, 1
    for digit in f"{copies:b}"[1:]:
        whole, count = engine.add(whole, _rotated(whole, count * stride)), 2 * count
        if digit == "1":
            whole, count = engine.add(_rotated(whole, stride), x), count + 1
    return whole


def _rotated(x: VectorT, delta: int) -> VectorT:
    """Rotate slots, without a key where none moves."""
    return x._engine.rotate(x, delta) if delta % x._engine._row_length else x
