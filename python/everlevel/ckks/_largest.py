"""Sums, means, and largest and smallest values of arrays along axes, and their places: NumPy's functions of them."""

from __future__ import annotations

import math
from typing import Any, cast

import numpy as np

from .._common import checks, slot_shapes
from .._common.slot_shapes import SLOTS
from . import _choices
from ._bootstrap_keys import require_bootstrap
from ._elementary import real
from ._layouts import one_unit
from ._numpy import NUMPY
from ._reductions import blocks, kept
from ._shaping import known, masked, moved, of_shape, repeated
from ._sorting import MARGIN
from .ciphertext import Ciphertext


@NUMPY.implements(np.sum)
def total(a: Any, axis: Any = None, *, keepdims: Any = False) -> Ciphertext:
    """Add up values, as `Ciphertext.sum` does."""
    return keeping("sum", a, axis, keepdims, a._engine.sum(a, axis=axis))


@NUMPY.implements(np.mean)
def mean(a: Any, axis: Any = None, *, keepdims: Any = False) -> Ciphertext:
    """Return the mean, as `Ciphertext.mean` does."""
    return keeping("mean", a, axis, keepdims, a._engine.mean(a, axis=axis))


@NUMPY.implements(np.max)
def largest(a: Any, axis: Any = None, *, keepdims: Any = False) -> Ciphertext:
    """Return the largest values, as `Ciphertext.max` does."""
    return keeping("max", a, axis, keepdims, _extremum("max", a, axis))


@NUMPY.implements(np.min)
def smallest(a: Any, axis: Any = None, *, keepdims: Any = False) -> Ciphertext:
    """Return the smallest values, as `Ciphertext.min` does."""
    return keeping("min", a, axis, keepdims, _extremum("min", a, axis))


@NUMPY.implements(np.argmax)
def place_of_largest(a: Any, axis: Any = None, *, keepdims: Any = False) -> Ciphertext:
    """Return the places of the largest values, as `Ciphertext.argmax` does."""
    return keeping("argmax", a, axis, keepdims, _place("argmax", a, axis))


@NUMPY.implements(np.argmin)
def place_of_smallest(a: Any, axis: Any = None, *, keepdims: Any = False) -> Ciphertext:
    """Return the places of the smallest values, as `Ciphertext.argmin` does."""
    return keeping("argmin", a, axis, keepdims, _place("argmin", a, axis))


def keeping(operation: str, x: Ciphertext, axis: Any, keepdims: Any, result: Ciphertext) -> Ciphertext:
    """Let a result keep the axes that it was reduced along, if it is to."""
    if not checks.flag(operation, "keepdims", keepdims):
        return result
    if x._layout == SLOTS and x.unit_count > 1:
        needed = f"what was reduced of {x.unit_count} units keeps no axes; leave it out"
        raise checks.refusal(operation, "keepdims", keepdims, needed, False)
    return kept(result, x.shape, slot_shapes.axes(operation, axis, x.ndim))


def _extremum(operation: str, value: Any, axis: Any) -> Ciphertext:
    """Find the largest or the smallest values: of windows that grow from one maximum to the next, and may overlap."""
    x = real(operation, value)
    require_bootstrap(cast(Any, x._engine)._context, operation)
    choose = _choices.maximum if operation == "max" else _choices.minimum
    shape, axes = x.shape, slot_shapes.axes(operation, axis, x.ndim)
    slots = one_unit(operation, x)
    bound, steps = x.bound, [(math.prod(shape[each + 1 :]), shape[each]) for each in axes]
    if len(axes) == len(shape):
        steps = [(1, x.size)] if shape else []
    result = slots
    for stride, count in steps:
        width = 1
        while width < count:
            step = min(width, count - width)
            result = known(choose(result, result.rotate(-step * stride)), bound * MARGIN)
            width += step
    if result is slots or x._layout == SLOTS:
        return x if result is slots else result
    remaining = tuple(size for each, size in enumerate(shape) if each not in axes)
    if not remaining:
        single = repeated(moved(result, [(0, 0, 1)]), 1, x.slot_count)
        return of_shape(single, ())
    places = blocks(shape, axes)
    if len(places) > 1:
        return of_shape(moved(result, places), remaining)
    return of_shape(result, remaining, is_clean=False)


def _place(operation: str, value: Any, axis: Any) -> Ciphertext:
    x = real(operation, value)
    if axis is not None:
        (along,) = slot_shapes.axes(operation, checks.integer(operation, "axis", axis), x.ndim)
        if x.ndim > 1:
            return _places_along(operation, x, along)
    engine, bound = cast(Any, x._engine), 2 * x.bound or 1.0
    find = engine.argmax_of_slots if operation == "argmax" else engine.argmin_of_slots
    count, slots = x.size, one_unit(operation, masked(x))
    index: Ciphertext = find(slots, count=count, gap=engine.gap * bound, bound=bound)
    return index if x._layout == SLOTS else of_shape(index, ())


def _places_along(operation: str, x: Ciphertext, axis: int) -> Ciphertext:
    """Find the places of extrema along one axis of several: what is within half of a gap of its extremum is there.

    An extremum of what differs by a gap is between the largest value and what it was compared with, which a sign
    outside of its gap leaves at the largest: so that comparisons with it are 1/8 of a gap from theirs.
    """
    which = operation.removeprefix("arg")
    engine, bound, count = cast(Any, x._engine), 2 * x.bound or 1.0, x.shape[axis]
    gap = engine.gap * bound
    extreme = kept(_extremum(which, x, axis), x.shape, (axis,))
    threshold = extreme - gap / 2 if which == "max" else extreme + gap / 2
    pair = (x, threshold) if which == "max" else (threshold, x)
    found = engine.compare(*pair, gap=gap * 3 / 8, bound=bound + gap)
    # 3h² − 2h³ keeps 0 and 1, and squares what they are off.
    found = engine.evaluate_polynomial(found, [0, 0, 3, -2])
    places = np.arange(count).reshape([count if each == axis else 1 for each in range(x.ndim)])
    return cast(Ciphertext, (found * np.broadcast_to(places, x.shape)).sum(axis))
