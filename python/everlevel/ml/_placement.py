"""Choice of placements: the least time of all maps, by dynamic programming over candidates.

*Candidates.* Features one after the other, of any layer. Numbers of an image are on the grid of the largest image, in
rows of a power of two: pixel (y, x) of an image that is 1/g as high and wide is at ``(g·y + a, g·x + b)``, where (a, b)
tells q² channels apart (multiplexed), or all places of a pixel have the same number; further channels are in further
grids. Where fewer than g² channels share a grid, the other places of each pixel repeat them, or are left out.

*Costs.* A map's costs depend on the placements at its ends alone, and turning its results turns all offsets by as much:
so the best placements are a shortest path through the choices for those results that later maps take, found exactly,
and each map's results are turned to where its rotations are fewest.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from ._costs import Costs
from ._layout import Layout, Placement, of_rows, plain, power
from ._moves import Turns, turns
from ._program import Map, Program
from ._schedule import Schedule
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

    def placements(self, shape: tuple[int, ...], most: int) -> Iterator[Placement]:
        """Yield the placements of a shape on the grid, of a period up to a largest one."""
        if not 2 <= len(shape) <= 3:
            return
        channels, height, width = _image(shape)
        is_flat = self.height == 1
        gap = 1
        while (is_flat or 2 * gap * height <= self.height) and 2 * gap * width <= self.width:
            gap *= 2
        for step in sorted({gap, max(gap // 2, 1)}):
            for share in (1 << k for k in range(step.bit_length())):
                rows = (1, 1) if is_flat else (step, share)
                if power(-(-channels // (rows[1] * share))) * self.height * self.width > most:
                    continue
                yield self._multiplexed((channels, height, width), rows, (step, share), repeated=True)
                if share < step:
                    yield self._multiplexed((channels, height, width), rows, (step, share), repeated=False)

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
        self._found: dict[tuple[bytes, bytes, bytes], Turns] = {}
        self._terms: tuple[bytes, Terms] | None = None

    def turns(self, index: int, part: int, before: Placement, after: Placement) -> Turns:
        """Return the rotations of a part of a map, by their numbers, from one placement to another."""
        mark = self._patterns[index][part]
        key = (mark, before.digest, after.digest)
        if key not in self._found:
            if self._terms is None or self._terms[0] != mark:
                self._terms = mark, terms(self._parts[index][part])
            self._found[key] = turns(self._terms[1], before, after)
        return self._found[key]


class Placer:
    """Placements of a program: offsets between candidates are found once, for any number of lanes."""

    def __init__(
        self, program: Program, schedule: Schedule, costs: Costs, most_places: int, routes: Routes | None = None
    ) -> None:
        self._costs = costs
        self._schedule = schedule
        self._program = program
        levels = zip(program.steps, schedule.levels(program), strict=True)
        self._levels = [level for step, (level, _) in levels if isinstance(step, Map)]
        shapes = [program.shape, *(step.shape for step in program.maps)]
        sizes = [program.feature_count, *(len(step.bias) for step in program.maps)]
        grid, found = Grid.of(shapes), {}
        for size, shape in zip(sizes, shapes, strict=True):
            if (size, shape) not in found:
                found[size, shape] = _different([plain(size), *grid.placements(shape, most_places)])
        self._candidates = [found[key] for key in zip(sizes, shapes, strict=True)]
        self._routes = Routes(program) if routes is None else routes
        self._seconds: dict[tuple[object, ...], float] = {}

    @property
    def least_places(self) -> int:
        """Places of a row that is placed plainly."""
        return max(some[0].period for some in self._candidates)

    def best(self, lanes: int, most_places: int, *, is_chained: bool) -> Layout:
        """Return the layout of the least time for so many lanes; plain placements may exceed the places."""
        fitting = [
            [k for k, placement in enumerate(some) if k == 0 or placement.period <= most_places]
            for some in self._candidates
        ]
        # The least seconds up to each choice of placements of the results that later maps take.
        reached: dict[tuple[int, ...], tuple[float, Path]] = {(k,): (0.0, ((k, 0),)) for k in fitting[0]}
        for index, some in enumerate(fitting[1:]):
            later = {number for step in self._program.maps[index + 1 :] for number in self._program.numbers(step)}
            needed = sorted({index + 1} | {number for number in later if number <= index})
            found: dict[tuple[int, ...], tuple[float, Path]] = {}
            for seconds, path in reached.values():
                for after in some:
                    cost, turn = self._turned(index, path, after, lanes, is_chained=is_chained)
                    whole = (*path, (after, turn))
                    key = tuple(whole[number][0] for number in needed)
                    found[key] = min(found.get(key, (np.inf, ())), (seconds + cost, whole))
            reached = found
        _, path = min(reached.values())
        placements = (
            some[chosen].turned(turn % some[chosen].period)
            for some, (chosen, turn) in zip(self._candidates, path, strict=True)
        )
        layout = of_rows(lanes, tuple(placements), is_chained=is_chained)
        return replace(layout, schedule=self._schedule)

    def _turned(self, index: int, path: Path, after: int, lanes: int, *, is_chained: bool) -> tuple[float, int]:
        """Return a map's seconds after a path, and how far its results are turned for it."""
        second = self._candidates[index + 1][after]
        parts = []
        for part, number in enumerate(self._program.numbers(self._program.maps[index])):
            before, turn = path[number]
            first = self._candidates[number][before]
            own = self._routes.turns(index, part, first, second)
            modulus, layout = min(first.period, second.period), of_rows(lanes, (first, second), is_chained=is_chained)
            parts.append((np.array(own.places) + turn, own.folds, modulus, layout))
        # The last part, of the latest result, has its longest gap before its first offset.
        offsets, _, modulus, _ = parts[-1]
        offsets = np.sort(offsets % modulus)
        gaps = offsets - np.roll(offsets, 1)
        gaps[0] += modulus
        options = []
        for start in offsets[np.argsort(-gaps, kind="stable")[:_MOST_TURNS]]:
            seconds = 0.0
            for offsets, folds, modulus, layout in parts:
                turned = Turns(tuple(np.sort((offsets - start) % modulus).tolist()), folds)
                seconds += self._cost(self._levels[index], turned, layout)
            options.append((seconds, int(start)))
        return min(options)

    def _cost(self, level: int, turned: Turns, layout: Layout) -> float:
        """Return a map's seconds, which are found once for all layers that take the same rotations."""
        key = (level, turned, layout.slot_count, layout.lanes, layout.is_chained)
        if key not in self._seconds:
            self._seconds[key] = self._costs.rows(level, turned, layout)
        return self._seconds[key]


def _different(placements: list[Placement]) -> list[Placement]:
    """Return placements without those that are equal to one before."""
    found = {placement.features.tobytes(): placement for placement in reversed(placements)}
    return list(reversed(found.values()))
