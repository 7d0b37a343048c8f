"""Where numbers are: rows and features in units and slots.

*Rows.* A unit has some rows side by side, its lanes. Feature i of row b is in slot ``p·lanes + b`` of each place p that
a `Placement` gives it; places repeat with the placement's period until the unit is full, so that rotations come round.
A map's products and rotations (`Turns`) go from one placement to another. Where results have fewer features, units have
room for more rows: a map's results of several units are merged into one, of as many times the lanes. With two `parts`,
slots are complex numbers whose imaginary parts have as many rows again: maps have real weights, and act on both alike.

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

MOST_UNITS: Final = 4
"""Units that are computed together: they share bootstraps' reading of keys, and may be merged on the way."""


def power(count: int) -> int:
    """Return the power of two from a number on."""
    return 1 << max(count - 1, 0).bit_length()


@dataclass(frozen=True, eq=False)
class Placement:
    """Places of a row's features, and rows side by side in each.

    Attributes
    ----------
    features : ndarray of int64, shape (period,)
        Index of the feature in each place; -1 in a place of none, whose value is 0 or a polynomial's at 0. A feature
        may have several places. The period is a power of two.
    count : int
        Features, each of which has a place.
    lanes : int
        Rows of a unit: a place has as many slots. A power of two.
    """

    features: Places
    count: int
    lanes: int = 1

    @property
    def period(self) -> int:
        """Places after which they repeat."""
        return len(self.features)

    @cached_property
    def digest(self) -> bytes:
        """Digest of the places, whatever the lanes."""
        return hashlib.blake2b(self.features.tobytes(), digest_size=16).digest()

    @property
    def first(self) -> Places:
        """First place of each feature."""
        found = np.full(self.count + 1, -1)
        found[self.features[::-1]] = np.arange(self.period)[::-1]
        return found[: self.count]

    def turned(self, places: int) -> Placement:
        """Return the placement with everything so many places further on."""
        return replace(self, features=np.roll(self.features, places))

    def apart(self, lanes: int) -> Placement:
        """Return the placement as that of fewer lanes: those of the first rows, and none in the other rows' places."""
        ratio = self.lanes // lanes
        if ratio == 1:
            return self
        features = np.full(self.period * ratio, -1)
        features[::ratio] = self.features
        return Placement(features, self.count, lanes)

    def spread(self, values: Array, filler: float = 0.0) -> Array:
        """Return the numbers in all places, of shape (…, period), for features in the last axis."""
        padded = np.concatenate([values, np.full((*values.shape[:-1], 1), filler)], axis=-1)
        return np.asarray(padded[..., self.features])


def plain(count: int, lanes: int = 1) -> Placement:
    """Return the placement of features one after the other."""
    features = np.full(power(count), -1)
    features[:count] = np.arange(count)
    return Placement(features, count, lanes)


@dataclass(frozen=True, eq=False)
class Layout:
    """Places of inputs and results.

    Attributes
    ----------
    kind : {"rows", "features"}
    slot_count : int
        Slots of a unit.
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
        Parts of slots that have rows: the real one, or both, each with as many.
    """

    kind: Literal["rows", "features"]
    slot_count: int
    feature_count: int
    output_count: int
    placements: tuple[Placement, ...] = ()
    is_chained: bool = False
    schedule: Schedule = field(default_factory=lambda: Schedule(0))
    kinds: tuple[str, ...] = ()
    parts: int = 1

    @property
    def lanes(self) -> int:
        """Rows side by side in a unit of the input; 1 of features."""
        return self.placements[0].lanes if self.placements else 1

    @property
    def capacity(self) -> int:
        """Rows that are computed together, in one group of units."""
        return self.lanes * self.units_in * self.parts if self.kind == "rows" else self.slot_count

    @property
    def units_in(self) -> int:
        """Units of a group's input."""
        return self.units(0) if self.kind == "rows" else self.feature_count

    @property
    def units_out(self) -> int:
        """Units of a group's results."""
        return 1 if self.kind == "rows" else self.output_count

    def units(self, number: int) -> int:
        """Return the units of rows that a group's results of a map have, by its number from 1 on; 0 is the input."""
        return self.placements[-1].lanes // self.placements[number].lanes

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
        if self.kind == "features":
            grouped = rows.reshape(groups, self.capacity, self.feature_count)
            return grouped.transpose(0, 2, 1).ravel()
        first = self.placements[0]
        placed = first.spread(rows.reshape(-1, self.parts, self.lanes, self.feature_count))
        repeats = self.slot_count // self.lanes // first.period
        parts = np.tile(placed, (1, 1, 1, repeats)).transpose(1, 0, 3, 2)
        return np.ravel(parts[0] if self.parts == 1 else parts[0] + 1j * parts[1])

    def rows(self, slots: NDArray[np.complex128], row_count: int) -> Array:
        """Return the results in slots, of shape (rows, outputs)."""
        groups = self.groups(row_count)
        parts = (slots.real, slots.imag)[: self.parts]
        if self.kind == "features":
            grouped = slots.real.reshape(groups, self.output_count, self.slot_count)
            return grouped.transpose(0, 2, 1).reshape(-1, self.output_count)[:row_count]
        # Lanes of the results are those of the input's units, one unit after the other.
        last, units = self.placements[-1], self.units_in
        shape = groups, self.slot_count // last.lanes, units, self.lanes
        some = np.stack([part.reshape(shape)[:, last.first] for part in parts])
        return some.transpose(1, 3, 0, 4, 2).reshape(-1, self.output_count)[:row_count]

    def repeated(self, values: Array, placement: Placement) -> Array:
        """Return numbers of features, of shape (features,), in the slots of a unit of rows."""
        return self.filled(placement.spread(values), placement.lanes)

    def filled(self, places: Array, lanes: int) -> Array:
        """Return numbers of places of so many lanes, whose count divides a unit's, in the slots of a unit of rows."""
        return np.repeat(np.tile(places, self.slot_count // lanes // len(places)), lanes)


def of_rows(placements: tuple[Placement, ...], *, is_chained: bool, parts: int = 1) -> Layout:
    """Return the layout that has rows in these places."""
    slot_count = max(placement.period * placement.lanes for placement in placements)
    ends = placements[0].count, placements[-1].count
    kinds = KINDS[:1] * (len(placements) - 1)
    return Layout("rows", slot_count, *ends, placements, is_chained, kinds=kinds, parts=parts)


def of_features(program: Program, slot_count: int) -> Layout:
    """Return the layout that has one feature of so many rows in a unit."""
    ends = program.feature_count, program.output_count
    return Layout("features", slot_count, *ends, schedule=Schedule(program.levels))
