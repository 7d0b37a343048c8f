"""Sums along axes of arrays that are shorter than the slots: docs/notes/shapes.md.

Sums end in the first slots of what was added up. Where several of them are left, apart from each other, a mask brings
them together.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from .._common import slot_shapes
from .._common.shaped import Shape
from ._shaping import added_up, known, lying, moved, multiple, of_shape, settled
from .ciphertext import Ciphertext


def total(
    x: Ciphertext, axes: tuple[int, ...], of_slots: Callable[[Ciphertext], Ciphertext], factor: float = 1.0
) -> Ciphertext:
    """Add up values along axes, times a factor, with the engine's rotation keys; all slots by a function.

    Levels consumed: 1 if there is a factor, if sums have to be brought together, or if what comes after all values
    isn't known to be zero; else 0.
    """
    shape, slots = x.shape, x.slot_count
    kept = tuple(size for axis, size in enumerate(shape) if axis not in axes)
    terms = math.prod(shape[axis] for axis in axes)
    bound = x.bound * terms * abs(factor)
    if terms == 1 and (kept or not shape):
        return of_shape(x, kept, is_clean=x._layout.is_clean)._lying(x.interval)
    if not kept:
        ends, share = x.interval, terms * factor
        if not x._layout.is_clean:
            x, factor = x * np.full(shape, factor), 1.0
        # All slots together are as large as the values: each is said to be their mean size, which sums alone may be.
        shared = known(x, x.bound * terms / slots)
        summed = known(of_slots(shared._with(slot_shapes.SLOTS)), x.bound * terms)
        result = summed * factor if factor != 1 else summed
        return lying(known(result._with(slot_shapes.layout((), slots)), bound), ends, share)
    places, values, share = blocks(shape, axes), x.interval, terms * factor
    # Sums of some terms are in other slots, and zeros.
    low, high = x._native.interval
    ends = min(0.0, low), max(0.0, high)
    if len(places) == 1 and factor != 1:
        x, factor = x * np.full(shape, factor), 1.0
    summed = x._with(slot_shapes.SLOTS)
    for axis in axes:
        summed = added_up(summed, -math.prod(shape[axis + 1 :]), shape[axis])
    if len(places) > 1:
        return settled(lying(known(moved(summed, places, factor), bound), ends, share), kept, values, share)
    result = of_shape(lying(known(summed, bound), ends, share), kept, is_clean=False)
    return result if values is None else result._lying(multiple(values, share))


def kept(x: Ciphertext, shape: Shape, axes: tuple[int, ...]) -> Ciphertext:
    """Let what was reduced along axes of a shape keep these, with a length of 1."""
    sizes = tuple(1 if axis in axes else size for axis, size in enumerate(shape))
    # Of all values, the result is in every slot.
    is_clean = x._layout.is_clean and x._layout.shape not in (None, ())
    return x._with(slot_shapes.layout(sizes, x.slot_count, is_clean=is_clean))._lying(x.interval)


def blocks(shape: Shape, axes: tuple[int, ...]) -> list[tuple[int, int, int]]:
    """Return where the first values along axes are, where they go without these axes, and how many at once."""
    last = max(axes)
    run = math.prod(shape[last + 1 :])
    starts = np.arange(math.prod(shape)).reshape(shape)
    starts = starts[tuple(slice(0, 1) if axis in axes else slice(None) for axis in range(len(shape)))]
    return [(int(start), i * run, run) for i, start in enumerate(starts.reshape(-1, run)[:, 0])]
