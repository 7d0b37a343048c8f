"""Where numbers are: rows and features in units and slots.

*Rows.* A unit has `lanes` rows, of which feature i of row b is in slot ``i·lanes + b``; features are filled up to a
power of two and repeated until the unit is full, so that every slot has a value and rotations come round. A map of
weights W of m × n, both filled up to powers of two, has up to d = min(m, n) diagonals that aren't zero,

    y[r] = Σ_(k < d) W[r mod m, (r + k) mod n]·x[r + k],

and where n > m, the n/m parts of each sum are added up by rotations by m, 2m, …, n/2: halves are folded onto each
other until one is left. The result is repeated as the input was.

*Features.* A unit has one feature of as many rows as there are slots, and a map is a sum of units times numbers:
nothing is rotated.

Method: Halevi, Shoup, "Algorithms in HElib", eprint 2014/106; Juvekar, Vaikuntanathan, Chandrakasan, "GAZELLE",
USENIX Security 2018, section 4 (hybrid products).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from ._network import Array
from ._program import Program

MOST_MATRIX_SLOTS: Final = 4096
"""Slots of units of several rows: their matrices are made as arrays of so many rows and columns."""


def power(count: int) -> int:
    """Return the power of two from a number on."""
    return 1 << max(count - 1, 0).bit_length()


@dataclass(frozen=True)
class Layout:
    """Places of inputs and results.

    Attributes
    ----------
    kind : {"rows", "features"}
    slot_count : int
        Slots of a unit.
    lanes : int
        Rows of a unit of rows; 1 of features.
    feature_count, output_count : int
        Numbers of a row at the input, and at the output.
    """

    kind: Literal["rows", "features"]
    slot_count: int
    lanes: int
    feature_count: int
    output_count: int

    @property
    def capacity(self) -> int:
        """Rows that are computed together, in one group of units."""
        return self.lanes if self.kind == "rows" else self.slot_count

    @property
    def units_in(self) -> int:
        """Units of a group's input."""
        return 1 if self.kind == "rows" else self.feature_count

    @property
    def units_out(self) -> int:
        """Units of a group's results."""
        return 1 if self.kind == "rows" else self.output_count

    def groups(self, row_count: int) -> int:
        """Return the groups that so many rows take."""
        return -(-row_count // self.capacity)

    def slots(self, scaled: Array, filler: Array) -> Array:
        """Return the slots of scaled rows, one unit after the other; rows that are missing are the filler."""
        groups = self.groups(len(scaled))
        rows = np.tile(filler, (groups * self.capacity, 1))
        rows[: len(scaled)] = scaled
        grouped = rows.reshape(groups, self.capacity, self.feature_count)
        if self.kind == "features":
            return grouped.transpose(0, 2, 1).ravel()
        padded = np.zeros((groups, self.capacity, power(self.feature_count)))
        padded[:, :, : self.feature_count] = grouped
        period = self.slot_count // self.lanes
        return np.tile(padded, (1, 1, period // padded.shape[2])).transpose(0, 2, 1).ravel()

    def rows(self, slots: Array, row_count: int) -> Array:
        """Return the results in slots, of shape (rows, outputs)."""
        groups = self.groups(row_count)
        if self.kind == "features":
            grouped = slots.reshape(groups, self.output_count, self.slot_count)
        else:
            grouped = slots.reshape(groups, self.slot_count // self.lanes, self.lanes)[:, : self.output_count]
        return grouped.transpose(0, 2, 1).reshape(-1, self.output_count)[:row_count]


def of_rows(program: Program, lanes: int) -> Layout:
    """Return the layout that has so many rows in a unit."""
    sizes = [size for step in program.maps for size in step.weights.shape]
    period = max(map(power, sizes))
    return Layout("rows", period * lanes, lanes, program.feature_count, program.output_count)


def of_features(program: Program, slot_count: int) -> Layout:
    """Return the layout that has one feature of so many rows in a unit."""
    return Layout("features", slot_count, 1, program.feature_count, program.output_count)


@dataclass(frozen=True)
class Turns:
    """Rotations of a map of rows, in steps of features.

    Attributes
    ----------
    places : tuple of int
        Amounts to the left by which the input is rotated, in order: one for each diagonal that isn't zero.
    folds : tuple of int
        Amounts to the left by which sums are added up afterwards.
    """

    places: tuple[int, ...]
    folds: tuple[int, ...]

    @property
    def is_slotwise(self) -> bool:
        """Whether the only diagonal is the first one, so that a product with a vector is enough."""
        return self.places == (0,)


def turns(weights: Array) -> Turns:
    """Return the rotations of a map."""
    outputs, inputs = map(power, weights.shape)
    folds = tuple(outputs << k for k in range((inputs // outputs).bit_length() - 1)) if inputs > outputs else ()
    # The smaller size divides the larger one: an entry's diagonal is its column less its row, modulo the smaller size.
    row, column = np.nonzero(weights)
    places = np.unique((column - row) % min(outputs, inputs))
    return Turns(tuple(map(int, places)) or (0,), folds)


def diagonals(weights: Array, layout: Layout) -> Array:
    """Return the diagonals of a map of rows that aren't zero, of shape (diagonals, slots)."""
    outputs, inputs = map(power, weights.shape)
    padded = np.zeros((outputs, inputs))
    padded[: weights.shape[0], : weights.shape[1]] = weights
    row = np.arange(layout.slot_count // layout.lanes)
    each = [padded[row % outputs, (row + k) % inputs] for k in turns(weights).places]
    return np.repeat(np.stack(each), layout.lanes, axis=1)


def matrix(weights: Array, layout: Layout) -> tuple[Array, list[int]]:
    """Return the matrix of a map of rows, and its diagonals' places."""
    values = diagonals(weights, layout)
    size, slot = layout.slot_count, np.arange(layout.slot_count)
    entries = np.zeros((size, size))
    places = [k * layout.lanes for k in turns(weights).places]
    for place, diagonal in zip(places, values, strict=True):
        entries[slot, (slot + place) % size] = diagonal
    return entries, places


def repeated(bias: Array, layout: Layout) -> Array:
    """Return what is added to each row's results, in the slots of a unit."""
    padded = np.zeros(power(len(bias)))
    padded[: len(bias)] = bias
    return np.repeat(np.tile(padded, layout.slot_count // layout.lanes // len(padded)), layout.lanes)
