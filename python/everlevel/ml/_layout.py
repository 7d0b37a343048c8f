"""Where numbers are: rows and features in units and slots.

*Rows.* A unit has `lanes` rows. Feature i of row b is in slot ``p·lanes + b`` of each place p that a `Placement` gives
it; places repeat with the placement's period until the unit is full, so that rotations come round. A map's products
and rotations are a `Move` from one placement to another. With two `parts`, slots are complex numbers whose imaginary
parts have as many rows again: maps have real weights, and act on both alike.

*Features.* A unit has one feature of as many rows as there are slots, and a map is a sum of units times numbers:
nothing is rotated.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from ._program import Program
from ._schedule import Schedule
from ._weights import Array

Places = NDArray[np.int64]

KINDS: Final = ("packed", "light", "anew")
"""Forms of a map's diagonals: ready for products; without primes; or none, and each is encoded at each use."""


def power(count: int) -> int:
    """Return the power of two from a number on."""
    return 1 << max(count - 1, 0).bit_length()


@dataclass(frozen=True, eq=False)
class Placement:
    """Places of a row's features.

    Attributes
    ----------
    features : ndarray of int64, shape (period,)
        Index of the feature in each place; -1 in a place of none, whose value is 0 or a polynomial's at 0. A feature
        may have several places. The period is a power of two.
    count : int
        Features, each of which has a place.
    """

    features: Places
    count: int

    @property
    def period(self) -> int:
        """Places after which they repeat."""
        return len(self.features)

    @cached_property
    def digest(self) -> bytes:
        """Digest of the places: equal ones are the same placement."""
        return hashlib.blake2b(self.features.tobytes(), digest_size=16).digest()

    @property
    def first(self) -> Places:
        """First place of each feature."""
        found = np.full(self.count + 1, -1)
        found[self.features[::-1]] = np.arange(self.period)[::-1]
        return found[: self.count]

    def turned(self, places: int) -> Placement:
        """Return the placement with everything so many places further on."""
        return Placement(np.roll(self.features, places), self.count)

    def spread(self, values: Array, filler: float = 0.0) -> Array:
        """Return the numbers in all places, of shape (…, period), for features in the last axis."""
        padded = np.concatenate([values, np.full((*values.shape[:-1], 1), filler)], axis=-1)
        return np.asarray(padded[..., self.features])


def plain(count: int) -> Placement:
    """Return the placement of features one after the other."""
    features = np.full(power(count), -1)
    features[:count] = np.arange(count)
    return Placement(features, count)


@dataclass(frozen=True, eq=False)
class Layout:
    """Places of inputs and results.

    Attributes
    ----------
    kind : {"rows", "features"}
    slot_count : int
        Slots of a unit.
    lanes : int
        Rows side by side in a unit of rows; 1 of features.
    feature_count, output_count : int
        Numbers of a row at the input, and at the output.
    placements : tuple of Placement
        Of the input and of each map's results, in a layout of rows; a client knows the first and the last one.
    is_chained : bool
        Whether baby steps are added up from keys of powers of two, where they have a key each else.
    schedule : Schedule
        Levels of inputs and of bootstrapped ciphertexts; a client knows the first.
    kinds : tuple of str
        How each map's diagonals are held, one of `KINDS`; a client knows none.
    parts : int
        Parts of slots that have rows: the real one, or both, each with `lanes` rows.
    """

    kind: Literal["rows", "features"]
    slot_count: int
    lanes: int
    feature_count: int
    output_count: int
    placements: tuple[Placement, ...] = ()
    is_chained: bool = False
    schedule: Schedule = field(default_factory=lambda: Schedule(0))
    kinds: tuple[str, ...] = ()
    parts: int = 1

    @property
    def capacity(self) -> int:
        """Rows that are computed together, in one group of units."""
        return self.lanes * self.parts if self.kind == "rows" else self.slot_count

    @property
    def units_in(self) -> int:
        """Units of a group's input."""
        return 1 if self.kind == "rows" else self.feature_count

    @property
    def units_out(self) -> int:
        """Units of a group's results."""
        return 1 if self.kind == "rows" else self.output_count

    @property
    def ends(self) -> Layout:
        """The layout of inputs and results alone."""
        ends = (self.placements[0], self.placements[-1]) if self.placements else ()
        return replace(self, placements=ends, schedule=Schedule(self.schedule.level), kinds=())

    def groups(self, row_count: int) -> int:
        """Return the groups that so many rows take."""
        return -(-row_count // self.capacity)

    def slots(self, scaled: Array, filler: Array) -> Array | NDArray[np.complex128]:
        """Return the slots of scaled rows, one unit after the other; rows that are missing are the filler."""
        groups = self.groups(len(scaled))
        rows = np.tile(filler, (groups * self.capacity, 1))
        rows[: len(scaled)] = scaled
        grouped = rows.reshape(groups, self.capacity, self.feature_count)
        if self.kind == "features":
            return grouped.transpose(0, 2, 1).ravel()
        placed = self.placements[0].spread(grouped)
        lanes = np.tile(placed, (1, 1, self._repeats(self.placements[0]))).transpose(0, 2, 1)
        if self.parts == 1:
            return lanes.ravel()
        return (lanes[..., : self.lanes] + 1j * lanes[..., self.lanes :]).ravel()

    def rows(self, slots: NDArray[np.complex128], row_count: int) -> Array:
        """Return the results in slots, of shape (rows, outputs)."""
        groups = self.groups(row_count)
        parts = (slots.real, slots.imag)[: self.parts]
        if self.kind == "features":
            grouped = slots.real.reshape(groups, self.output_count, self.slot_count)
        else:
            shape, places = (groups, self.slot_count // self.lanes, self.lanes), self.placements[-1].first
            grouped = np.concatenate([part.reshape(shape)[:, places] for part in parts], axis=2)
        return grouped.transpose(0, 2, 1).reshape(-1, self.output_count)[:row_count]

    def repeated(self, values: Array, placement: Placement) -> Array:
        """Return numbers of features, of shape (features,), in the slots of a unit of rows."""
        return self.filled(placement.spread(values))

    def filled(self, places: Array) -> Array:
        """Return numbers of places, whose count divides that of a unit's, in the slots of a unit of rows."""
        return np.repeat(np.tile(places, self.slot_count // self.lanes // len(places)), self.lanes)

    def _repeats(self, placement: Placement) -> int:
        return self.slot_count // self.lanes // placement.period


def of_rows(lanes: int, placements: tuple[Placement, ...], *, is_chained: bool) -> Layout:
    """Return the layout that has so many rows in a unit, in these places."""
    period = max(placement.period for placement in placements)
    ends = placements[0].count, placements[-1].count
    kinds = KINDS[:1] * (len(placements) - 1)
    return Layout("rows", period * lanes, lanes, *ends, placements, is_chained, kinds=kinds)


def of_features(program: Program, slot_count: int) -> Layout:
    """Return the layout that has one feature of so many rows in a unit."""
    ends = program.feature_count, program.output_count
    return Layout("features", slot_count, 1, *ends, schedule=Schedule(program.levels))
