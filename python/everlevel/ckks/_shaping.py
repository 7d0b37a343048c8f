"""Shapes of results, and what becomes of the padding after them: docs/notes/shapes.md.

An operation of the engine computes on slots. The decorators here bring its operands to one shape before, and give its
results theirs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from typing import Any, Final, Literal, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from .._common import slot_shapes
from .._common.shaped import Shape
from .._common.slot_shapes import SLOTS, Layout
from ..errors import OperandTypeError
from . import _checks
from .ciphertext import Ciphertext
from .plaintext import LightPlaintext, Plaintext

FunctionT = TypeVar("FunctionT", bound=Callable[..., Any])

Padding = Literal["sum", "product", "same", "any"]
"""Padding of a result, where zeros are after both operands: of a sum, zeros; of a product, zeros after one are enough;
"same" takes zeros and gives them back; "any" takes what isn't larger than the values, and gives back anything."""

_FEW: Final = 16
"""Rotations that are masked one by one."""

_ENCODED = (Ciphertext, Plaintext, LightPlaintext)


def slotwise(*, keeps_zeros: bool = True, needs_zeros: bool = False) -> Callable[[FunctionT], FunctionT]:
    """Let an operation that treats slots alike give its results the shapes of its operands.

    Of one operand, all results have its shape; of several, each has that of the operand in its place.

    Parameters
    ----------
    keeps_zeros : bool
        Whether the results of zeros are zeros.
    needs_zeros : bool
        Whether operands have to have zeros behind their values; or, where they aren't kept, nothing larger than these.
    """
    prepared = _cleaned if keeps_zeros else _bounded

    def decorate(function: FunctionT) -> FunctionT:
        @wraps(function)
        def call(self: Any, /, *args: Any, **kwargs: Any) -> Any:
            if needs_zeros:
                args = tuple(prepared(value) for value in args)
                kwargs = {name: prepared(value) for name, value in kwargs.items()}
            layouts = _layouts([*args, *kwargs.values()])
            result = function(self, *args, **kwargs)
            return _given(result, layouts if keeps_zeros else [_dirtied(layout, self.slot_count) for layout in layouts])

        return cast(FunctionT, call)

    return decorate


def on_slots(function: FunctionT) -> FunctionT:
    """Let an operation on all slots have its operands in the slots' shape, with zeros after what is in them."""

    @wraps(function)
    def call(self: Any, /, *args: Any, **kwargs: Any) -> Any:
        return function(self, *(_as_slots(value) for value in args), **{k: _as_slots(v) for k, v in kwargs.items()})

    return cast(FunctionT, call)


def combining(padding: Padding) -> Callable[[FunctionT], FunctionT]:
    """Let an operation on two operands, slot by slot, have them in one shape, which its result has as well."""

    def decorate(function: FunctionT) -> FunctionT:
        @wraps(function)
        def call(self: Any, /, left: Any, right: Any, *args: Any, **kwargs: Any) -> Any:
            layouts = _layouts((left, right))
            if layouts in ([], [SLOTS], [SLOTS, SLOTS]) and not (self._has_shapes and _are_arrays(left, right)):
                if self._has_shapes:
                    _warn_of_one(function.__name__, left, right, self.slot_count)
                return function(self, left, right, *args, **kwargs)
            if len(layouts) == 2 and layouts[0] == layouts[1] and padding in ("sum", "product"):
                return _given(function(self, left, right, *args, **kwargs), layouts[:1])
            if padding in ("same", "any"):
                left, right = (_bounded(each) if padding == "any" else _cleaned(each) for each in (left, right))
            first, second, layout = _combined(function.__name__, left, right, padding, self.slot_count)
            return _given(function(self, first, second, *args, **kwargs), [layout])

        return cast(FunctionT, call)

    return decorate


def as_slots(x: Ciphertext) -> Ciphertext:
    """Return a ciphertext whose slots all count, with zeros after what was in them. Levels consumed: up to 1."""
    return masked(x)._with(SLOTS)


def has_axes(x: Any) -> bool:
    """Whether a value is an encrypted array of several dimensions, which units are none of."""
    return isinstance(x, Ciphertext) and len(x._layout.shape or ()) > 1


def require_vector(operation: str, x: Ciphertext) -> None:
    """Refuse arrays of several dimensions, for which NumPy has rules of its own."""
    if has_axes(x):
        raise OperandTypeError(
            f"{operation}: the ciphertext is of shape {x.shape}, and a vector is needed; encrypt each row by "
            f"itself, or add up products along an axis: (x * y).sum(axis=-1)",
            argument="ciphertext",
            expected="a vector",
            actual=str(x.shape),
        )


def in_slots(values: NDArray[Any], slot_count: int) -> NDArray[Any]:
    """Return a vector in the clear with zeros after it."""
    return np.pad(values, (0, slot_count - len(values)))


def of_shape(x: Ciphertext, shape: Shape, *, is_clean: bool = True) -> Ciphertext:
    """Return a ciphertext whose first slots are the values of a shape; of (), whose every slot is."""
    return x._with(slot_shapes.layout(shape, x.slot_count, is_clean=is_clean))


def masked(x: Ciphertext) -> Ciphertext:
    """Return a ciphertext with zeros after its values. Levels consumed: 1 if other things are there, and else 0."""
    return x if x._layout.is_clean else lying(x * np.ones(x.shape), x.interval, 1.0)


def expanded(x: Ciphertext, shape: Shape) -> Ciphertext:
    """Repeat values to a shape that they broadcast to. Levels consumed: 1 for each axis that others come before."""
    if x._layout.shape in ((), shape):
        return x._with(
            slot_shapes.layout(shape, x.slot_count, is_clean=x._layout.shape == shape and x._layout.is_clean)
        )
    ends, x = x.interval, masked(x)
    sizes = [1] * (len(shape) - x.ndim) + list(x.shape)
    slots = x._with(SLOTS)
    for axis in reversed(range(len(shape))):
        if sizes[axis] == shape[axis]:
            continue
        block, before, copies = math.prod(sizes[axis + 1 :]), math.prod(sizes[:axis]), shape[axis]
        if before > 1:
            slots = moved(slots, [(i * block, i * copies * block, block) for i in range(before)])
        slots = repeated(slots, block, copies)
        sizes[axis] = copies
    return settled(slots, shape, ends)


def repeated(block: Ciphertext, stride: int, copies: int) -> Ciphertext:
    """Add up copies of a block, each a stride further on, where no two of them have the same slots."""
    return known(added_up(block, stride, copies), block.bound)


def added_up(x: Ciphertext, stride: int, copies: int) -> Ciphertext:
    """Add up copies, each a stride further on."""
    total, count = x, 1
    for digit in f"{copies:b}"[1:]:
        total, count = total + total.rotate(count * stride), 2 * count
        if digit == "1":
            total, count = total.rotate(stride) + x, count + 1
    return total


def moved(x: Ciphertext, blocks: Iterable[tuple[int, int, int]], factor: float = 1.0) -> Ciphertext:
    """Bring blocks of slots to other places: each is where it begins, where it goes, and its length.

    All others are 0. Levels consumed: 1.
    """
    masks: dict[int, NDArray[np.float64]] = {}
    for source, target, length in blocks:
        masks.setdefault((target - source) % x.slot_count, np.zeros(x.slot_count))[target : target + length] = factor
    return gathered(x, masks)


def scattered(x: Ciphertext, targets: NDArray[np.intp], sources: NDArray[np.intp]) -> Ciphertext:
    """Bring slots to other places, each from its source. All others are 0. Levels consumed: 1."""
    masks: dict[int, NDArray[np.float64]] = {}
    deltas = (targets - sources) % x.slot_count
    for delta in np.unique(deltas):
        mask = np.zeros(x.slot_count)
        mask[targets[deltas == delta]] = 1.0
        masks[int(delta)] = mask
    return gathered(x, masks)


def gathered(x: Ciphertext, masks: Mapping[int, NDArray[np.float64]]) -> Ciphertext:
    """Add up rotations, each times a mask, where no two of them have the same slots. Levels consumed: 1."""
    engine, total = cast(Any, x._engine), cast(Any, 0)
    if len(masks) > _FEW:
        # A product with a matrix takes a square root of the rotations.
        total = engine.multiply_matrix({-delta: mask for delta, mask in masks.items()}, x)
    else:
        turned = engine.rotate_batch(x, deltas=list(masks))
        total = sum((each * mask for each, mask in zip(turned, masks.values(), strict=True)), start=0)
    least, largest = min(mask.min() for mask in masks.values()), max(mask.max() for mask in masks.values())
    result = known(total, x.bound * float(max(-least, largest)))
    if not x.is_real or least < 0:
        return result
    # Every slot is one of x's times a factor of 0 or more.
    low, high = x._native.interval
    return lying(result, (min(0.0, low), max(0.0, high)), float(largest))


def settled(x: Ciphertext, shape: Shape, ends: tuple[float, float] | None, factor: float = 1.0) -> Ciphertext:
    """Return a ciphertext whose first slots are the values of a shape, which lie in a positive multiple of an interval.

    All slots after them hold zeros.
    """
    result = of_shape(x, shape)
    if ends is None or not x.is_real or result._layout.shape in (None, ()):
        return result
    engine = cast(Any, x._engine)
    native = engine._context.zero_from(x._native, result.size)
    return lying(engine._wrap(native, is_real=True, layout=result._layout), ends, factor)


def known(x: Ciphertext, size: float) -> Ciphertext:
    """State a smaller bound of all slots, which follows from that of what they were computed from."""
    engine = cast(Any, x._engine)
    native = engine._context.within(x._native, size)
    result: Ciphertext = engine._wrap(native, is_real=x.is_real, layout=x._layout)
    return result._lying(x._ends)


def lying(x: Ciphertext, ends: tuple[float, float] | None, factor: float) -> Ciphertext:
    """State that all slots lie in a positive multiple of an interval, which follows from what they were computed from.

    Slots of which it is known that they hold no value are left out.
    """
    if ends is None or not x.is_real:
        return x
    engine = cast(Any, x._engine)
    native = engine._context.between(x._native, *multiple(ends, factor))
    result: Ciphertext = engine._wrap(native, is_real=True, layout=x._layout)
    return result._lying(x._ends)


def multiple(ends: tuple[float, float], factor: float) -> tuple[float, float]:
    """Return a positive multiple of an interval, widened by more than the products are rounded."""
    low, high = (end * factor for end in ends)
    rounding = 2.0**-50 * max(abs(low), abs(high))
    return low - rounding, high + rounding


def _layouts(values: Iterable[Any]) -> list[Layout]:
    """Return the layouts of ciphertexts and plaintexts, in lists too."""
    found: list[Layout] = []
    for value in values:
        if isinstance(value, _ENCODED):
            found.append(value._layout)
        elif isinstance(value, (list, tuple)):
            found += _layouts(value)
    return found


def _dirtied(layout: Layout, slot_count: int) -> Layout:
    """Return a layout of which nothing is known beyond the values."""
    return layout if layout.shape is None else slot_shapes.layout(layout.shape, slot_count, is_clean=False)


def _given(result: Any, layouts: list[Layout]) -> Any:
    """Give results their layouts: one to all, or each its own."""
    if isinstance(result, Ciphertext):
        return result._with(layouts[0])
    if not isinstance(result, (list, tuple)):
        return result
    each = layouts * len(result) if len(layouts) == 1 else layouts
    return type(result)([one._with(layout) for one, layout in zip(result, each, strict=True)])


def unpadded(layout: Layout, result: Ciphertext, value: complex) -> Ciphertext:
    """Take off what a function makes of the zeros after values: a public number. Levels consumed: 0."""
    if value == 0 or layout.shape is None or layout.is_single or layout.size == result.slot_count:
        return result
    rest = np.zeros(result.slot_count, dtype=np.complex128 if np.imag(value) else np.float64)
    rest[layout.size :] = -value if np.imag(value) else -np.real(value)
    # Values stay what they are, and the others become zeros.
    engine, total = cast(Any, result._engine), result._with(SLOTS) + rest
    native = engine._context.valued_up_to(total._native, layout.size, result._native)
    cleaned: Ciphertext = engine._wrap(native, is_real=total.is_real)
    # Where it isn't known which slots are padding, every one is a value or 0.
    low, high = result._native.interval
    return lying(cleaned, (min(0.0, low), max(0.0, high)), 1.0)


def _cleaned(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return type(value)(_cleaned(each) for each in value)
    return masked(value) if isinstance(value, Ciphertext) else value


def _bounded(value: Any) -> Any:
    """Return a ciphertext with nothing behind its values that may be larger than these."""
    is_bounded = isinstance(value, Ciphertext) and value._native.bound <= value._native.bound_of_values
    return value if is_bounded else _cleaned(value)


def _as_slots(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return type(value)(_as_slots(each) for each in value)
    return as_slots(value) if isinstance(value, Ciphertext) else value


def _combined(operation: str, left: Any, right: Any, padding: Padding, slot_count: int) -> tuple[Any, Any, Layout]:
    """Bring two operands to one shape. One at least is encrypted or encoded, and one hasn't the slots' shape."""
    if isinstance(left, _ENCODED) and isinstance(right, _ENCODED) and not _belong(left, right):
        # The operation itself says why.
        return left, right, SLOTS
    shapes = [_shape_of(operation, value) for value in (left, right)]
    if None in shapes:
        x, number, is_left = (left, right, True) if shapes[1] is None else (right, left, False)
        number, layout = _number_beside(operation, x, number, padding)
        return (x, number, layout) if is_left else (number, x, layout)
    first, second = cast(list[Shape], shapes)
    fills = [_fills(value, shape, slot_count) for value, shape in zip((left, right), (first, second), strict=True)]
    has_units = any(isinstance(value, _ENCODED) and value.unit_count > 1 for value in (left, right))
    has_units = has_units or any(len(shape) == 1 and shape[0] > slot_count for shape in (first, second))
    if has_units or (any(fills) and all(map(_is_for_slots, (left, right), (first, second), fills))):
        return _as_slots(left), _as_slots(right), SLOTS
    shape = slot_shapes.broadcast(operation, first, second, slot_count)
    if len(first) == len(second) == 1 and any(_is_of_other_length(value, shape) for value in (left, right)):
        shape = None
    if shape is None:
        slot_shapes.warn_of_lengths(operation, first, second)
        return _as_slots(left), _as_slots(right), SLOTS
    operands = [
        expanded(value, shape) if isinstance(value, Ciphertext) else _plain(operation, value, shape)
        for value in (left, right)
    ]
    clean = [
        not isinstance(value, _ENCODED) or (value._layout.is_clean and value._layout.is_single == (shape == ()))
        for value in operands
    ]
    is_clean = any(clean) if padding == "product" else padding != "any" and all(clean)
    return operands[0], operands[1], slot_shapes.layout(shape, slot_count, is_clean=is_clean)


def _belong(*operands: Ciphertext | Plaintext | LightPlaintext) -> bool:
    """Whether ciphertexts and plaintexts are of the same parameters, and ciphertexts of one secret."""
    contexts = {value._stored()[0] for value in operands}
    secrets = {value._native.secret_id for value in operands if isinstance(value, Ciphertext)}
    return len({(context.params, context.slot_count) for context in contexts}) == len(secrets) == 1


def _fills(value: Any, shape: Shape, slot_count: int) -> bool:
    """Whether an operand has a value for every slot."""
    if isinstance(value, _ENCODED):
        return value._layout.shape is None
    return len(shape) == 1 and shape[0] >= slot_count


def _is_for_slots(value: Any, shape: Shape, fills: bool) -> bool:
    """Whether an operand is filled up with zeros beside one that fills the slots: a vector is, and one value isn't."""
    return fills or (len(shape) == 1 and not (isinstance(value, Ciphertext) and shape == (1,))) or shape == ()


def _are_arrays(*operands: Any) -> bool:
    """Whether an operand in the clear is an array of several dimensions."""
    return any(isinstance(value, np.ndarray) and value.ndim > 1 for value in operands)


def _warn_of_one(operation: str, left: Any, right: Any, slot_count: int) -> None:
    """Warn of an array of one value beside slots, which is in the first alone, where NumPy repeats it."""
    for value in (left, right):
        is_one = value.shape == (1,) if isinstance(value, np.ndarray) else isinstance(value, (list, tuple))
        if is_one and len(value) == 1 and _checks.is_scalar(value[0]):
            slot_shapes.warn_of_lengths(operation, (slot_count,), (1,))


def _is_of_other_length(value: Any, shape: Shape | None) -> bool:
    """Whether an operand is a plaintext, which isn't repeated."""
    return isinstance(value, (Plaintext, LightPlaintext)) and value.shape != shape


def _shape_of(operation: str, value: Any) -> Shape | None:
    """Return the shape of an operand; None for a number."""
    if isinstance(value, _ENCODED):
        return value.shape
    return None if _checks.is_scalar(value) else _checks.numbers(operation, value).shape


def _number_beside(operation: str, x: Any, value: Any, padding: Padding) -> tuple[Any, Layout]:
    """Return a number beside a ciphertext as one, or as an array that leaves zeros after it; and the layout after."""
    layout: Layout = x._layout
    number = _checks.scalar(operation, value)
    is_whole = number.real.is_integer() and number.imag.is_integer()
    if layout.is_single or (not layout.is_clean if padding != "product" else layout.is_clean or is_whole):
        return value, layout
    filled = np.full(layout.size, number if number.imag else number.real)
    return filled, slot_shapes.layout(x.shape, x.slot_count, is_clean=padding != "any")


def _plain(operation: str, value: Any, shape: Shape) -> Any:
    """Return an operand in the clear as a vector of a shape's values."""
    if isinstance(value, (Plaintext, LightPlaintext)):
        if value.shape in ((), shape):
            return value
        raise slot_shapes.fixed(operation, value.shape, shape)
    return slot_shapes.flat(_checks.numbers(operation, value), shape)
