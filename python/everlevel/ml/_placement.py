"""Choice of placements: the least time of all maps, by dynamic programming over candidates.

*Candidates.* Features one after the other, of any layer. Numbers of an image are on the grid of the largest image, in
rows of a power of two: pixel (y, x) of an image that is 1/g as high and wide is at ``(g·y + a, g·x + b)``, where (a, b)
tells q² channels apart (multiplexed), or all places of a pixel have the same number; further channels are in further
grids. Where fewer than g² channels share a grid, the other places of each pixel repeat them, or are left out.

*Copies.* Where slots are more than the input's features, copies side by side that each are turned further than the last
one are candidates for the input of a full layer.

*Lanes.* Results that leave room may have as many times the lanes as there is room for, up to the rows that are wanted:
units are then merged. Images' further lanes take the places of b, beside the lanes before, so that the grid is as many
times narrower, and offsets to the larger image's pixels are still the same for all pixels.

*Costs.* A map's costs depend on the placements at its ends alone, and turning its results turns all offsets by as much:
so the best placements are a shortest path through the choices for those results that later maps take, found exactly,
and each map's results are turned to where its rotations are fewest. Results of more lanes take fewer units through the
next polynomial and bootstraps.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from ._costs import Costs
from ._layout import Layout, Placement, of_rows, plain, power
from ._moves import Turns, turns
from ._program import Map, Polynomial, Program
from ._schedule import Schedule, held_before
from ._weights import Terms, pattern, terms

_MOST_TURNS: Final = 4
"""Turnings that are tried: those that begin after the longest gaps between offsets."""


@dataclass(frozen=True)
class Grid:
    """Grid of the largest image: powers of two of rows and columns."""

    height: int
    width: int

    @classmethod
    def of(cls, shapes: Sequence[tuple[int, ...]]) -> Grid:
        """Return the grid that the images among shapes fit on."""
        images = [_image(shape) for shape in shapes if 2 <= len(shape) <= 3]
        return cls(
            power(max((height for _, height, _ in images), default=1)),
            power(max((width for _, _, width in images), default=1)),
        )

    def placements(self, shape: tuple[int, ...], most: int, lanes: int = 1, merged: int = 1) -> Iterator[Placement]:
        """Yield the placements of a shape on the grid, of a period up to a largest one, for units that were merged."""
        if not 2 <= len(shape) <= 3:
            return
        channels, height, width = _image(shape)
        is_flat = self.height == 1
        gap = 1
        while (is_flat or 2 * gap * height <= self.height) and 2 * gap * width <= self.width:
            gap *= 2
        own = Grid(self.height, self.width // merged)
        for step in sorted({gap, max(gap // 2, 1)}):
            if step < merged:
                continue
            for share in (1 << k for k in range(step.bit_length())):
                rows, columns = (1, 1) if is_flat else (step, share), (step // merged, min(share, step // merged))
                if power(-(-channels // (rows[1] * columns[1]))) * own.height * own.width > most:
                    continue
                kinds = (True, False) if rows[1] < rows[0] or columns[1] < columns[0] else (True,)
                for repeated in kinds:
                    found = own._multiplexed((channels, height, width), rows, columns, repeated=repeated)
                    yield replace(found, lanes=lanes)

    def _multiplexed(
        self,
        image: tuple[int, int, int],
        rows: tuple[int, int],
        columns: tuple[int, int],
        *,
        repeated: bool,
    ) -> Placement:
        """Return the placement of an image by gap and channels of a pixel, in rows and columns."""
        channels, height, width = image
        blocks = power(-(-channels // (rows[1] * columns[1])))
        block, y, x = np.indices((blocks, self.height, self.width))
        (row, a), (column, b) = divmod(y, rows[0]), divmod(x, columns[0])
        channel = (block * rows[1] + a % rows[1]) * columns[1] + b % columns[1]
        is_held = (channel < channels) & (row < height) & (column < width)
        if not repeated:
            is_held &= (a < rows[1]) & (b < columns[1])
        features = np.where(is_held, (channel * height + row) * width + column, -1)
        return Placement(features.ravel(), channels * height * width)


def _image(shape: tuple[int, ...]) -> tuple[int, int, int]:
    """Return channels, height and width; a series has one row."""
    return (shape[0], *shape[1:]) if len(shape) == 3 else (shape[0], 1, shape[1])


Path = tuple[tuple[int, int], ...]
"""The candidate of each of the first results, and how far it is turned."""


class Routes:
    """Rotations of a program's maps between placements.

    Layers of one pattern, as those of a network's blocks, have the same between the same placements: they are found
    once.
    """

    def __init__(self, program: Program) -> None:
        self._parts = [[weights for _, weights in program.parts(step)] for step in program.maps]
        self._patterns = [[pattern(weights) for weights in parts] for parts in self._parts]
        self._found: dict[tuple[bytes, bytes, bytes, int], Turns] = {}
        self._terms: tuple[bytes, Terms] | None = None

    def turns(self, index: int, part: int, before: Placement, after: Placement) -> Turns:
        """Return the rotations of a part of a map, by their numbers, from one placement to another."""
        mark = self._patterns[index][part]
        merged = after.lanes // before.lanes
        key = (mark, before.digest, after.digest, merged)
        if key not in self._found:
            if self._terms is None or self._terms[0] != mark:
                self._terms = mark, terms(self._parts[index][part])
            self._found[key] = turns(self._terms[1], before, after)
        return replace(self._found[key], lanes=before.lanes)


def room(program: Program, slot_count: int, lanes: int, most_lanes: int) -> list[int]:
    """Return the lanes that the input and each map's results have room for: no later ones have fewer."""
    sizes = [program.feature_count, *(len(step.bias) for step in program.maps)]
    found = [max(min(most_lanes, slot_count // power(size)), lanes) for size in sizes]
    return [lanes, *(min(found[number:]) for number in range(1, len(found)))]


class Placer:
    """Placements of a program from an input of so many lanes on, in rings of up to so many slots."""

    def __init__(
        self,
        program: Program,
        schedule: Schedule,
        costs: Costs,
        slot_count: int,
        routes: Routes | None = None,
        *,
        lanes: int = 1,
        most_lanes: int = 1,
        parts: int = 1,
        stage_count: int = 0,
    ) -> None:
        self._costs = costs
        self._schedule = schedule
        self._program = program
        self._parts = parts
        self._rows = max(lanes, most_lanes)
        levels = zip(program.steps, schedule.levels(program), strict=True)
        self._levels = [level for step, (level, _) in levels if isinstance(step, Map)]
        self._others = self._between(stage_count)
        shapes = [program.shape, *(step.shape for step in program.maps)]
        sizes = [program.feature_count, *(len(step.bias) for step in program.maps)]
        grid, found = Grid.of(shapes), {}
        keys = list(zip(sizes, shapes, room(program, slot_count, lanes, most_lanes), strict=True))
        for size, shape, most in keys:
            if (size, shape, most) not in found:
                some = []
                for own in sorted({lanes, most}):
                    some.append(plain(size, own))
                    some += grid.placements(shape, slot_count // own, own, own // lanes)
                # Plain placements of few lanes may exceed the slots.
                fitting = [one for one in some if one is some[0] or one.period * one.lanes <= slot_count]
                found[size, shape, most] = _different(fitting)
        self._candidates = [found[key] for key in keys]
        # Offsets of convolutions are few as they are.
        if len(shapes[1]) < 2:
            first = self._candidates[0]
            self._candidates[0] = [*first, *_skewed(first[0], slot_count // lanes, power(sizes[1]))]
        self._routes = Routes(program) if routes is None else routes
        self._seconds: dict[tuple[object, ...], float] = {}

    def _between(self, stage_count: int) -> list[float]:
        """Return the seconds of a unit of the input and of each map's results: of polynomials and of bootstraps."""
        found, at = [0.0] * (len(self._levels) + 1), 0
        to, held, arriving = dict(self._schedule.bootstraps), held_before(self._program), self._schedule.level
        levels = self._schedule.levels(self._program)
        for index, (step, (level, left)) in enumerate(zip(self._program.steps, levels, strict=True)):
            if index in to:
                found[held[index] or 0] += self._costs.bootstrap(arriving, to[index], stage_count, self._parts)
            if isinstance(step, Polynomial):
                at += 1
                found[at] += self._costs.polynomial(level, step, self._parts)
            arriving = left
        return found

    def best(self, *, is_chained: bool) -> Layout:
        """Return the layout of the least time for each row."""
        # The least seconds up to each choice of placements of the results that later maps take.
        reached: dict[tuple[int, ...], tuple[float, Path]] = {
            (k,): (0.0, ((k, 0),)) for k in range(len(self._candidates[0]))
        }
        for index, some in enumerate(self._candidates[1:]):
            later = {number for step in self._program.maps[index + 1 :] for number in self._program.numbers(step)}
            needed = sorted({index + 1} | {number for number in later if number <= index})
            found: dict[tuple[int, ...], tuple[float, Path]] = {}
            for seconds, path in reached.values():
                for after, placement in enumerate(some):
                    if not self._is_wide_enough(index, path, placement):
                        continue
                    cost, turn = self._turned(index, path, after, is_chained=is_chained)
                    whole = (*path, (after, turn))
                    key = tuple(whole[number][0] for number in needed)
                    cost += seconds + self._others[index + 1] * (self._rows // placement.lanes)
                    found[key] = min(found.get(key, (np.inf, ())), (cost, whole))
            reached = found
        _, path = min(reached.values())
        placements = (
            some[chosen].turned(turn % some[chosen].period)
            for some, (chosen, turn) in zip(self._candidates, path, strict=True)
        )
        layout = of_rows(tuple(placements), is_chained=is_chained, parts=self._parts)
        return replace(layout, schedule=self._schedule)

    def _is_wide_enough(self, index: int, path: Path, after: Placement) -> bool:
        """Whether no result that a map takes has more lanes than the map's results."""
        numbers = self._program.numbers(self._program.maps[index])
        return all(self._candidates[number][path[number][0]].lanes <= after.lanes for number in numbers)

    def _turned(self, index: int, path: Path, after: int, *, is_chained: bool) -> tuple[float, int]:
        """Return a map's seconds after a path, and how far its results are turned for it."""
        second = self._candidates[index + 1][after]
        parts = []
        for part, number in enumerate(self._program.numbers(self._program.maps[index])):
            before, turn = path[number]
            first = self._candidates[number][before]
            own = self._routes.turns(index, part, first, second)
            modulus, layout = (
                min(first.period, second.period * own.merged),
                of_rows((first, second), is_chained=is_chained),
            )
            parts.append((own, np.array(own.places) + turn, modulus, layout))
        # The last part, of the latest result, has its longest gap before its first offset.
        own, offsets, modulus, _ = parts[-1]
        offsets = np.sort(offsets % modulus)
        gaps = offsets - np.roll(offsets, 1)
        gaps[0] += modulus
        starts = offsets[np.argsort(-gaps, kind="stable")[:_MOST_TURNS]] // own.merged
        options = []
        for start in starts:
            seconds = 0.0
            for own, offsets, modulus, layout in parts:
                places = np.sort((offsets - start * own.merged) % modulus)
                turned = replace(own, places=tuple(places.tolist()))
                seconds += self._cost(self._levels[index], turned, layout)
            options.append((seconds, int(start)))
        return min(options)

    def _cost(self, level: int, turned: Turns, layout: Layout) -> float:
        """Return a map's seconds, which are found once for all layers that take the same rotations."""
        key = (level, turned, layout.slot_count, layout.is_chained)
        if key not in self._seconds:
            self._seconds[key] = self._costs.rows(level, turned, layout, units=self._rows // turned.lanes)
        return self._seconds[key]


def _skewed(first: Placement, most: int, period: int) -> Iterator[Placement]:
    """Yield placements of copies side by side, each turned by a share of the results' period further than the last.

    A rotation then has as many offsets as there are copies, which are added up in the end: 128 diagonals become 16 of
    eight copies. Who encrypts may turn copies for nothing.
    """
    count = 2
    while count * first.period <= most and count <= period:
        copies = [first.turned(copy * period // count).features for copy in range(count)]
        yield replace(first, features=np.concatenate(copies))
        count *= 2


def _different(placements: list[Placement]) -> list[Placement]:
    """Return placements without those that are equal to one before."""
    found = {(placement.features.tobytes(), placement.lanes): placement for placement in reversed(placements)}
    return list(reversed(found.values()))
