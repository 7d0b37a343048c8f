"""Sets of inputs, and intervals that they lead to: what the client refuses, and what is proven of everything else.

A client encrypts rows of two properties, which it checks in the clear: each feature is in an interval, and the scaled
row is in a ball. The ball is what makes intervals of sums short: of n features that each may be anywhere, the largest
sum grows as n, and rows as those of the examples have sums that grow as √n.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Protocol

import numpy as np

from .._common import checks
from ..errors import MessageError, MessageTypeError, RangeError
from ._weights import Array, Weights, changed, norms, row_sums, split

_ROUNDING: Final = 1e-9
"""Excess that a row may have over its ranges: less than noise."""


class Region(Protocol):
    """A set of vectors."""

    @property
    def sizes(self) -> Array:
        """Largest size of each number."""

    def reach(self, weights: Weights, bias: Array) -> tuple[Array, Array]:
        """Return the least and the largest value of each of ``weights @ x + bias``, or beyond."""


@dataclass(frozen=True, eq=False)
class Box:
    """Vectors of so many numbers, each in one interval."""

    low: float
    high: float
    count: int

    @property
    def sizes(self) -> Array:
        """Largest size of each number."""
        return np.full(self.count, max(-self.low, self.high))

    def reach(self, weights: Weights, bias: Array) -> tuple[Array, Array]:
        """Interval arithmetic."""
        middle = bias + row_sums(weights) * ((self.low + self.high) / 2)
        spread = row_sums(changed(weights, np.abs)) * ((self.high - self.low) / 2)
        return middle - spread, middle + spread


@dataclass(frozen=True, eq=False)
class Joined:
    """Vectors side by side, each of a region of its own."""

    regions: tuple[Region, ...]

    @property
    def sizes(self) -> Array:
        """Largest size of each number."""
        return np.concatenate([region.sizes for region in self.regions])

    def reach(self, weights: Weights, bias: Array) -> tuple[Array, Array]:
        """Return the sums of the ends that each part of the weights leads to."""
        low, high = bias, bias
        parts = split(weights, [len(region.sizes) for region in self.regions])
        for region, part in zip(self.regions, parts, strict=True):
            least, largest = region.reach(part, np.zeros_like(bias))
            low, high = low + least, high + largest
        return low, high


@dataclass(frozen=True, eq=False)
class InputRange:
    """Rows that a client encrypts, and how it scales them: ``t = (x - center)/half``.

    Attributes
    ----------
    center, half : ndarray, shape (features,)
        Of each feature's interval; `half` is 1 for a feature of one value.
    sizes : ndarray, shape (features,)
        Largest size of each scaled feature: 1, and 0 for a feature of one value.
    mean : ndarray, shape (features,)
        Center of the ball of scaled rows: the examples' mean.
    radius : float
        Of the ball.
    """

    center: Array
    half: Array
    sizes: Array
    mean: Array
    radius: float

    @classmethod
    def of(cls, examples: Array, margin: float, limits: tuple[Array, Array] | None) -> InputRange:
        """Return the range of examples, widened by a share of it; or of given limits, with the examples' ball."""
        low, high = examples.min(0), examples.max(0)
        if limits is None:
            room = margin * (high - low)
            low, high = low - room, high + room
        else:
            low, high = (np.broadcast_to(limit, low.shape).astype(np.float64) for limit in limits)
        sizes = (high > low).astype(np.float64)
        half = np.where(sizes > 0, (high - low) / 2, 1.0)
        center = (low + high) / 2
        scaled = (examples - center) / half
        mean = scaled.mean(0)
        radius = float(np.linalg.norm(scaled - mean, axis=1).max()) * (1 + margin)
        return cls(center, half, sizes, mean, max(radius, _ROUNDING))

    @property
    def low(self) -> Array:
        """Least value of each feature."""
        return self.center - self.half * self.sizes

    @property
    def high(self) -> Array:
        """Largest value of each feature."""
        return self.center + self.half * self.sizes

    def reach(self, weights: Weights, bias: Array) -> tuple[Array, Array]:
        """Return the intervals of sums: the shorter ends of the box's and of the ball's."""
        spread = changed(weights, np.abs) @ self.sizes
        middle = bias + weights @ self.mean
        turned = norms(weights) * self.radius
        return np.maximum(bias - spread, middle - turned), np.minimum(bias + spread, middle + turned)

    def scaled(self, operation: str, x: Array) -> Array:
        """Scale rows, all of which are in the range.

        Raises
        ------
        RangeError
            If a feature is out of its interval, or a row out of the ball.
        """
        t = (x - self.center) / self.half
        beyond = np.abs(t) - self.sizes
        if beyond.max(initial=-1.0) > _ROUNDING:
            row, feature = (int(place) for place in np.unravel_index(int(beyond.argmax()), beyond.shape))
            low, high, value = float(self.low[feature]), float(self.high[feature]), float(x[row, feature])
            raise RangeError(
                f"{operation}: feature {feature} of row {row} is {value:.6g}, and the model was compiled for "
                f"{low:.6g} to {high:.6g}; leave the row out, or compile with examples that have such values, a "
                f"larger margin, or input_range=(low, high)",
                bound=high if value > high else low,
                size=value,
                index=feature,
                row=row,
            )
        distances = np.linalg.norm(t - self.mean, axis=1)
        if distances.max(initial=0.0) > self.radius * (1 + _ROUNDING):
            row = int(distances.argmax())
            raise RangeError(
                f"{operation}: row {row} is {distances[row]:.6g} from the examples' mean, in units of the features' "
                f"ranges, and the model was compiled for {self.radius:.6g}; leave the row out, or compile with "
                f"examples like it or with a larger margin",
                bound=self.radius,
                size=float(distances[row]),
                row=row,
            )
        clipped: Array = np.clip(t, -self.sizes, self.sizes)
        return clipped

    def shares(self, x: Array) -> tuple[float, float]:
        """Return how much of the intervals, and of the ball, rows take: 1 is the edge."""
        t = (x - self.center) / self.half
        box = np.where(self.sizes > 0, np.abs(t), np.where(np.abs(t) > _ROUNDING, np.inf, 0.0))
        return float(box.max(initial=0.0)), float(np.linalg.norm(t - self.mean, axis=1).max(initial=0.0) / self.radius)


def rows(operation: str, name: str, values: Any, feature_count: int | None = None) -> Array:
    """Check rows of features, and return them as doubles."""
    try:
        array = np.asarray(values)
    except (ValueError, TypeError) as error:
        raise MessageTypeError(
            f"{operation}: {name} doesn't form an array ({error}); pass an array of shape (rows, features)",
            dtype=type(values).__name__,
        ) from None
    if array.dtype.kind not in "biuf":
        raise MessageTypeError(
            f"{operation}: {name} has dtype {array.dtype}, and real numbers are needed; convert it with "
            f"numpy.asarray({name}, dtype=float)",
            dtype=str(array.dtype),
        )
    if array.ndim != 2 or not array.size or feature_count not in (None, array.shape[1]):
        features = "features" if feature_count is None else feature_count
        raise MessageError(
            f"{operation}: {name} has shape {array.shape}, and (rows, {features}) is needed, of at least one row; "
            f"one row x goes as x.reshape(1, -1)",
            length=array.shape[-1] if array.ndim else 0,
        )
    array = array.astype(np.float64)
    if not np.isfinite(array).all():
        row, feature = (int(place) for place in np.unravel_index(int(np.isfinite(array).argmin()), array.shape))
        raise MessageError(
            f"{operation}: feature {feature} of row {row} is {array[row, feature]}, and finite numbers are needed; "
            f"fill it in, or leave the row out",
            index=feature,
            value=float(array[row, feature]),
        )
    return array


def limits(operation: str, value: Any) -> tuple[Array, Array] | None:
    """Check the option `input_range`."""
    if value is None:
        return None
    try:
        low, high = (np.asarray(end, dtype=np.float64) for end in value)
    except (TypeError, ValueError):
        low = high = np.full(1, np.nan)
    if not (
        np.isfinite(low).all() and np.isfinite(high).all() and (low <= high).all() and max(low.ndim, high.ndim) < 2
    ):
        needed = (
            "a pair (low, high) is needed, of finite numbers or of one for each feature; pass (0, 255), for instance, "
            "or leave it out"
        )
        raise checks.refusal(operation, "input_range", value, needed, "(low, high)")
    return low, high
