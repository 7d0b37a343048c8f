"""Sliding windows over images of any number of dimensions: convolutions and means."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ._network import Array


@dataclass(frozen=True)
class Windows:
    """Places of sliding windows, by an operator's attributes in each dimension.

    Attributes
    ----------
    sizes : tuple of int
        Sizes of the image.
    kernel, strides, dilations : tuple of int
    pads : tuple of (int, int)
        Counts of zeros before and after the image.
    """

    sizes: tuple[int, ...]
    kernel: tuple[int, ...]
    strides: tuple[int, ...]
    dilations: tuple[int, ...]
    pads: tuple[tuple[int, int], ...]

    @property
    def padded(self) -> tuple[int, ...]:
        """Sizes of the padded image."""
        return tuple(size + sum(pads) for size, pads in zip(self.sizes, self.pads, strict=True))

    @property
    def spans(self) -> tuple[int, ...]:
        """Sizes of the windows, gaps of the dilation included."""
        return tuple((k - 1) * step + 1 for k, step in zip(self.kernel, self.dilations, strict=True))

    @property
    def rests(self) -> tuple[int, ...]:
        """Sizes of the padded image beyond the first window, which the strides divide into further windows."""
        return tuple(size - span for size, span in zip(self.padded, self.spans, strict=True))

    @property
    def counts(self) -> tuple[int, ...]:
        """Counts of windows."""
        return tuple(rest // stride + 1 for rest, stride in zip(self.rests, self.strides, strict=True))

    def pieces(self, x: Array) -> Iterator[tuple[tuple[int, ...], Array]]:
        """Yield each tap of the kernel, with the numbers of the image that it meets in all windows.

        Parameters
        ----------
        x : ndarray, shape (rows, channels, *sizes)
        """
        image = np.pad(x, ((0, 0), (0, 0), *self.pads))
        for tap in np.ndindex(*self.kernel):
            first = [k * step for k, step in zip(tap, self.dilations, strict=True)]
            cuts = [
                slice(start, start + (count - 1) * stride + 1, stride)
                for start, count, stride in zip(first, self.counts, self.strides, strict=True)
            ]
            yield tap, image[(slice(None), slice(None), *cuts)]


def convolution(x: Array, weights: Array, windows: Windows, groups: int) -> Array:
    """Return the convolution of images, of shape (rows, channels, *sizes).

    Parameters
    ----------
    weights : ndarray, shape (outputs, channels / groups, *kernel)
    """
    rows, outputs = len(x), len(weights)
    result = np.zeros((rows, groups, outputs // groups, math.prod(windows.counts)))
    for tap, piece in windows.pieces(x):
        chosen: Any = (..., *tap)
        taps = weights[chosen].reshape(groups, outputs // groups, -1)
        result += taps @ piece.reshape(rows, groups, taps.shape[2], -1)
    return result.reshape(rows, outputs, *windows.counts)


def mean(x: Array, windows: Windows, *, counts_pads: bool) -> Array:
    """Return the mean of each window: of its numbers inside the image, or of padded zeros as well."""
    total = sum(piece for _, piece in windows.pieces(x))
    if counts_pads:
        return np.asarray(total / math.prod(windows.kernel))
    ones = np.ones((1, 1, *windows.sizes))
    return np.asarray(total / sum(piece for _, piece in windows.pieces(ones)))
