"""Readers of ONNX's operators that move numbers, and change none."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Final

import numpy as np

from ._onnx_node import Node, Reader, Value, mismatch
from ._tensors import Tensor, joined, refusal, require_room
from ._weights import Array, scipy_sparse


def _flatten(node: Node) -> Value:
    tensor = node.tensor(0)
    axis = int(node.take("axis", 1))
    rank = len(tensor.shape) + 1
    node.require("axis", axis % rank if -rank <= axis < rank else axis, (1,), "flatten each row")
    return tensor.reshaped((tensor.size,), node.place)


def _reshape(node: Node) -> Value:
    value, allows_zero = node.value(0), bool(node.take("allowzero", 0))
    wanted = _integers(node, node.constant(1))
    if not isinstance(value, Tensor):
        old = value.shape
        return value.reshape(_filled(node, old, wanted, value.size, allows_zero=allows_zero))
    rest = wanted[1:]
    keeps_rows = bool(wanted) and (
        (wanted[0] == 0 and not allows_zero)
        or (wanted[0] == 1 and node.has_one_row)
        or (wanted[0] == -1 and -1 not in rest)
    )
    shape = _filled(node, value.shape, rest, value.size, allows_zero=allows_zero) if keeps_rows else ()
    if not keeps_rows or math.prod(shape) != value.size:
        raise refusal(
            node.place,
            f"brings rows of shape {value.shape} to {tuple(wanted)}",
            "the first dimension, of the rows, has to stay",
            "reshape to (0, …), or to (1, …) where the network has one row",
            found=tuple(wanted),
            supported=value.shape,
        )
    return value.reshaped(shape, node.place)


def _filled(
    node: Node, old: tuple[int, ...], wanted: tuple[int, ...], size: int, *, allows_zero: bool
) -> tuple[int, ...]:
    """Return the shape that a Reshape asks for, with its 0 and −1 filled in."""
    new = [
        old[index] if length == 0 and not allows_zero and index < len(old) else length
        for index, length in enumerate(wanted)
    ]
    known = math.prod(length for length in new if length != -1)
    if min(new, default=1) < -1 or new.count(-1) > 1 or known < 1 or size % known:
        raise mismatch(node, old, wanted)
    return tuple(size // known if length == -1 else length for length in new)


def _transpose(node: Node) -> Value:
    value = node.value(0)
    rank = len(value.shape) + isinstance(value, Tensor)
    order = tuple(int(axis) for axis in node.take("perm", range(rank)[::-1]))
    if sorted(order) != list(range(rank)):
        raise mismatch(node, value.shape, order)
    if not isinstance(value, Tensor):
        return value.transpose(order)
    node.require("perm", order[0], (0,), "keep the first dimension, of the rows, where it is")
    return value.taken(value.numbers.transpose([axis - 1 for axis in order[1:]]), node.place)


def _squeeze(node: Node) -> Value:
    tensor = node.tensor(0)
    axes = node.axes(node.constant(1), tensor.rank, "name axes of one number")
    if any(tensor.shape[axis - 1] != 1 for axis in axes):
        raise mismatch(node, tensor.shape, axes)
    left = tuple(size for axis, size in enumerate(tensor.shape, 1) if axis not in axes)
    return tensor.reshaped(left, node.place)


def _unsqueeze(node: Node) -> Value:
    tensor, values = node.tensor(0), node.constant(1)
    axes = node.axes(values, tensor.rank + values.size, "keep the rows first")
    return tensor.reshaped(np.expand_dims(tensor.numbers[None], axes).shape[1:], node.place)


def _concat(node: Node) -> Value:
    tensors = joined(*(node.tensor(index) for index in range(len(node.inputs))))
    first = tensors[0]
    axis, rank = int(node.take("axis", 0)), len(first.shape) + 1
    if not -rank <= axis < rank or axis % rank == 0:
        raise refusal(
            node.place,
            f"joins along axis {axis}",
            "axes after the first, of the rows, are supported",
            "join features or channels",
            found=axis,
        )
    return _stacked(tensors, axis % rank - 1, node.place)


def _stacked(tensors: list[Tensor], axis: int, place: str) -> Tensor:
    """Join tensors of the same sources along an axis of their rows."""
    require_room(place, sum(tensor.weights.nnz for tensor in tensors))
    ends = np.cumsum([tensor.size for tensor in tensors])
    numbers = [tensor.numbers + end - tensor.size for tensor, end in zip(tensors, ends, strict=True)]
    order = np.concatenate(numbers, axis)
    weights = scipy_sparse(place).vstack([tensor.weights for tensor in tensors], format="csr")
    bias = np.concatenate([tensor.bias for tensor in tensors])
    return Tensor(tensors[0].sources, weights, bias, (int(ends[-1]),), place).taken(order, place)


def _identity(node: Node) -> Value:
    return node.value(0)


def _dropout(node: Node) -> Value:
    node.take("ratio", 0.5)
    node.take("seed", 0)
    mode = node.optional_constant(2)
    is_training = mode is not None and bool(mode.any())
    node.require("training_mode", int(is_training), (0,), "export the network after its eval()")
    return node.value(0)


def _integers(node: Node, values: Array) -> tuple[int, ...]:
    if values.ndim != 1 or not (values == np.rint(values)).all() or np.abs(values).max(initial=0) > 2**40:
        raise refusal(
            node.place, f"has a shape {values}", "integers are needed", "export the network again", found=values
        )
    return tuple(int(value) for value in values)


OPERATORS: Final[Mapping[str, Reader]] = {
    "Concat": _concat,
    "Dropout": _dropout,
    "Flatten": _flatten,
    "Identity": _identity,
    "Reshape": _reshape,
    "Squeeze": _squeeze,
    "Transpose": _transpose,
    "Unsqueeze": _unsqueeze,
}

ON_CONSTANTS: Final = ("Identity", "Reshape", "Transpose")
"""Operators whose only input may be a constant."""
