"""Sliding windows over images of any number of dimensions: convolutions and means, as sparse matrices."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._weights import Array, of_terms, row_sums, scaled


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

    def taps(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Return the tap of the kernel, the window and the pixel of each pixel in a window, all as flat indices."""
        tap, window, pixel = (np.zeros(1, dtype=np.int64) for _ in range(3))
        for size, kernel, stride, step, (before, _), count in zip(
            self.sizes, self.kernel, self.strides, self.dilations, self.pads, self.counts, strict=True
        ):
            k, n = (index.ravel() for index in np.indices((kernel, count)))
            at = n * stride + k * step - before
            kept = (at >= 0) & (at < size)
            tap = np.add.outer(tap * kernel, k[kept]).ravel()
            window = np.add.outer(window * count, n[kept]).ravel()
            pixel = np.add.outer(pixel * size, at[kept]).ravel()
        return tap, window, pixel


def convolution(weights: Array, windows: Windows, groups: int) -> Any:
    """Return the matrix of a convolution of images, of shape (channels, *sizes).

    Parameters
    ----------
    weights : ndarray, shape (outputs, channels / groups, *kernel)
    """
    outputs, channels = weights.shape[:2]
    tap, window, pixel = windows.taps()
    pixels, count = math.prod(windows.sizes), math.prod(windows.counts)
    output, channel = (index.ravel() for index in np.indices((outputs, channels)))
    values = weights.reshape(outputs * channels, -1)[:, tap]
    row = np.add.outer(output * count, window)
    first = output // (outputs // groups) * channels + channel
    column = np.add.outer(first * pixels, pixel)
    shape = outputs * count, groups * channels * pixels
    return of_terms(row.ravel(), column.ravel(), values.ravel(), shape)


def mean(channels: int, windows: Windows, *, counts_pads: bool) -> Any:
    """Return the matrix of each window's mean: of its numbers inside the image, or of padded zeros as well."""
    sums = convolution(np.ones((channels, 1, *windows.kernel)), windows, channels)
    return scaled(sums, 1 / (math.prod(windows.kernel) if counts_pads else row_sums(sums)))
