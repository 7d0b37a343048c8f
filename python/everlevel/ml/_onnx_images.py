"""Readers of ONNX's operators on images: convolutions, means and normalisations."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Final

import numpy as np

from ._onnx_node import Node, Reader, Value, mismatch
from ._tensors import Tensor, refusal, require_room
from ._weights import Array
from ._windows import Windows, convolution, mean


def _conv(node: Node) -> Value:
    tensor, weights = node.tensor(0), node.constant(1)
    groups = int(node.take("group", 1))
    channels = tensor.shape[0] if tensor.shape else 0
    if (
        weights.ndim < 3
        or weights.ndim != len(tensor.shape) + 1
        or groups < 1
        or channels != groups * weights.shape[1]
        or len(weights) % groups
    ):
        raise mismatch(node, tensor.shape, weights.shape)
    kernel = tuple(int(size) for size in node.take("kernel_shape", weights.shape[2:]))
    if kernel != weights.shape[2:]:
        raise mismatch(node, kernel, weights.shape[2:])
    windows = _windows(node, tensor, kernel)
    require_room(node.place, math.prod((channels, *windows.padded)))
    require_room(node.place, weights.size * math.prod(windows.counts))
    shape = len(weights), *windows.counts
    result = tensor.mapped(convolution(weights, windows, groups), shape, node.place)
    bias = node.optional_constant(2)
    if bias is None:
        return result
    if bias.shape != (len(weights),):
        raise mismatch(node, bias.shape, weights.shape)
    return result.plus(_of_channels(bias, tensor), node.place)


def _average_pool(node: Node) -> Value:
    tensor = node.tensor(0)
    windows = _windows(node, tensor, tuple(int(size) for size in node.take("kernel_shape", ())))
    counts_pads = bool(node.take("count_include_pad", 0))
    if node.take("ceil_mode", 0) and any(
        rest % stride for rest, stride in zip(windows.rests, windows.strides, strict=True)
    ):
        raise refusal(
            node.place,
            f"has ceil_mode=1 and windows beyond its image of {windows.padded}",
            "windows inside it are supported",
            "pad the image until kernel and strides go into it",
            found="ceil_mode=1",
            supported="ceil_mode=0",
        )
    beyond = any(max(pads) >= span for pads, span in zip(windows.pads, windows.spans, strict=True))
    if beyond and not counts_pads:
        raise refusal(
            node.place,
            f"has pads {windows.pads}, as large as its windows of {windows.spans}",
            "each window needs a number of the image",
            "take smaller pads",
            found=windows.pads,
            supported=windows.spans,
        )
    channels = tensor.shape[0]
    require_room(node.place, channels * math.prod(windows.padded))
    require_room(node.place, channels * math.prod(windows.kernel) * math.prod(windows.counts))
    matrix = mean(channels, windows, counts_pads=counts_pads)
    return tensor.mapped(matrix, (channels, *windows.counts), node.place)


def _global_average_pool(node: Node) -> Value:
    tensor = node.tensor(0)
    if len(tensor.shape) < 2:
        raise mismatch(node, tensor.shape, ("channels", "sizes"))
    axes = range(1, len(tensor.shape))
    return tensor.means(axes, (tensor.shape[0], *(1 for _ in axes)), node.place)


def _reduce_mean(node: Node) -> Value:
    tensor = node.tensor(0)
    # An input from version 18 on, and an attribute before.
    given = node.optional_constant(1)
    values = node.take("axes", ()) if given is None else given
    node.take("noop_with_empty_axes", 0)
    axes = [axis - 1 for axis in node.axes(values, tensor.rank, "name those of the image")]
    left = 1 if node.take("keepdims", 1) else 0
    shape = [size for axis, each in enumerate(tensor.shape) for size in ([1] * left if axis in axes else [each])]
    return tensor.means(axes, tuple(shape), node.place)


def _batch_normalization(node: Node) -> Value:
    tensor = node.tensor(0)
    advice = "export the network after its eval()"
    node.require("training_mode", node.take("training_mode", 0), (0,), advice)
    node.take("momentum", 0.9)
    epsilon = float(node.take("epsilon", 1e-5))
    scale, shift, center, variance = (node.constant(index) for index in range(1, 5))
    channels = tensor.shape[:1]
    if not scale.shape == shift.shape == center.shape == variance.shape == channels:
        raise mismatch(node, tensor.shape, scale.shape)
    if not (variance + epsilon > 0).all():
        least = float(variance.min())
        raise refusal(
            node.place,
            f"has a variance of {least:g} and epsilon {epsilon:g}",
            "their sum has to be above 0",
            "train the network again",
            found=least,
        )
    factor = scale / np.sqrt(variance + epsilon)
    scaled = tensor.times(_of_channels(factor, tensor), node.place)
    return scaled.plus(_of_channels(shift - center * factor, tensor), node.place)


def _of_channels(values: Array, tensor: Tensor) -> Array:
    """Return numbers, one for each channel, in the shape that broadcasts to an image."""
    return values.reshape(-1, *(1,) * (len(tensor.shape) - 1))


def _windows(node: Node, tensor: Tensor, kernel: tuple[int, ...]) -> Windows:
    """Return the windows of a node: its kernel, strides, dilations and pads, on the image."""
    sizes, rank = tensor.shape[1:], len(kernel)
    if not rank or len(sizes) != rank:
        raise mismatch(node, tensor.shape, kernel)
    strides = tuple(int(step) for step in node.take("strides", (1,) * rank))
    dilations = tuple(int(step) for step in node.take("dilations", (1,) * rank))
    pads = tuple(int(count) for count in node.take("pads", (0,) * (2 * rank)))
    auto = node.text("auto_pad", "NOTSET")
    node.require("auto_pad", auto, ("NOTSET", "", "VALID", "SAME_UPPER", "SAME_LOWER"), "give pads")
    if (
        not len(strides) == len(dilations) == rank == len(pads) / 2
        or min((*kernel, *strides, *dilations)) < 1
        or min(pads) < 0
    ):
        raise refusal(
            node.place,
            f"has kernel {kernel}, strides {strides}, dilations {dilations}, pads {pads}",
            f"{rank} positive numbers are needed of each, and {2 * rank} pads from 0 up",
            "export the network again",
            found=(strides, dilations, pads),
        )
    if auto in ("NOTSET", ""):
        ends = tuple(zip(pads[:rank], pads[rank:], strict=True))
    elif auto == "VALID":
        ends = ((0, 0),) * rank
    else:
        totals = [
            max((-(-size // stride) - 1) * stride + (k - 1) * step + 1 - size, 0)
            for size, stride, k, step in zip(sizes, strides, kernel, dilations, strict=True)
        ]
        ends = tuple(
            (total // 2, total - total // 2) if auto == "SAME_UPPER" else (total - total // 2, total // 2)
            for total in totals
        )
    windows = Windows(sizes, kernel, strides, dilations, ends)
    if min(windows.rests) < 0:
        raise refusal(
            node.place,
            f"has windows of {windows.spans} on a padded image of {windows.padded}",
            "an image has to be as large as a window",
            "take larger images, or fewer layers that halve them",
            found=windows.padded,
            supported=windows.spans,
        )
    return windows


OPERATORS: Final[Mapping[str, Reader]] = {
    "AveragePool": _average_pool,
    "BatchNormalization": _batch_normalization,
    "Conv": _conv,
    "GlobalAveragePool": _global_average_pool,
    "ReduceMean": _reduce_mean,
}
