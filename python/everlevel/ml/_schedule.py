"""Levels of a program's steps, and bootstraps on the way.

A ciphertext is bootstrapped where it is the only one that is held: between the layers of a chain, and between the
blocks of a residual network. From one such place to the next the levels are those of the program, so that the choice of
places is a shortest path, found exactly.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from ..errors import ParameterError
from ._program import Map, Polynomial, Program

FAST: Final = {1: 0.65, 2: 0.82}
"""Time of a bootstrap from levels that SlotsToCoeffs takes first, beside one from below them, by the parts of slots."""


@dataclass(frozen=True)
class Schedule:
    """Levels of inputs and of bootstrapped ciphertexts.

    Attributes
    ----------
    level : int
        Of encrypted inputs.
    bootstraps : tuple of (int, int)
        Steps before which the one ciphertext that is held is bootstrapped, in order, and the level of the result.
    """

    level: int
    bootstraps: tuple[tuple[int, int], ...] = ()

    def levels(self, program: Program) -> list[tuple[int, int]]:
        """Return the level before and after each step; `ValueError` for bootstraps or levels that can't be."""
        results, level, found = [self.level], self.level, []
        to, held = dict(self.bootstraps), held_before(program)
        if any(not 0 < at < len(held) or held[at] is None for at in to):
            raise ValueError("bootstraps")
        for at, step in enumerate(program.steps):
            if at in to:
                level = to[at]
                number = held[at]
                if isinstance(step, Map) and number is not None:
                    results[number] = level
            if isinstance(step, Map):
                level = min(results[number] for number in step.sources or (-1,))
            found.append((level, level - step.levels))
            level -= step.levels
            if level < 0:
                raise ValueError("levels")
            if isinstance(step, Polynomial):
                results.append(level)
        return found

    def product_level(self, program: Program, max_level: int) -> int | None:
        """Return the highest level of products of ciphertexts, bootstraps' as well; None for none."""
        if self.bootstraps:
            return max_level
        steps = zip(program.steps, self.levels(program), strict=True)
        return max((level for step, (level, _) in steps if isinstance(step, Polynomial)), default=None)


def held_before(program: Program) -> list[int | None]:
    """Return, for each step, the number of the one result that it and later steps take; None where they are several.

    A polynomial's argument has the number that its results will have.
    """
    count, found = 0, []
    for at, step in enumerate(program.steps):
        later = {number for other in program.steps[at:] if isinstance(other, Map) for number in program.numbers(other)}
        held = {number for number in later if number <= count}
        if isinstance(step, Polynomial):
            count += 1
            held.add(count)
        found.append(held.pop() if len(held) == 1 else None)
    return found


def bootstrapped(
    program: Program,
    max_level: int,
    stage_count: int,
    share: Callable[[int, int], float] = lambda at, level: 0.0,
    units: Callable[[int], int] = lambda number: 1,
    parts: int = 1,
) -> Schedule:
    """Return the bootstraps of the least time.

    Parameters
    ----------
    program : Program
    max_level : int
        Level that bootstraps end at from `stage_count` or above, and `stage_count` more than from below.
    stage_count : int
    share : function of a step's index and level, optional
        Time that it takes there, beside that of a bootstrap from below; steps count nothing, if it is left out.
    units : function of a result's number, optional
        Units that are bootstrapped; one, if it is left out.
    parts : int
        Parts of slots that have rows.

    Raises
    ------
    ParameterError
        If there is a part without such a place that takes more levels than a bootstrap leaves.
    """
    held = held_before(program)
    places = [0, *(at for at, number in enumerate(held) if at and number is not None)]
    times = [units(held[at] or 0) for at in places]
    starts = [depth for depth, _ in program.depths]
    depths = [starts[at] for at in places]

    def steps(before: int, after: int, end: int) -> float:
        """Return the time of the steps between two places, the last of which ends at a level."""
        stop = places[after] if after < len(places) else len(starts)
        final = depths[after] if after < len(places) else program.levels
        return sum(share(at, end + final - starts[at]) for at in range(places[before], stop))

    # The least time up to a bootstrap at a place, whether it is a fast one, and those before it.
    reached: dict[tuple[int, bool], tuple[float, tuple[tuple[int, int], ...]]] = {(0, True): (0.0, ())}
    for index in range(1, len(places)):
        for is_fast in (True, False):
            options = []
            for (before, was_fast), (time, levels) in reached.items():
                level = depths[index] - depths[before] + stage_count * is_fast
                if before < index and level <= max_level - stage_count * (not was_fast):
                    own = times[index] * (FAST[parts] if is_fast else 1.0)
                    own += steps(before, index, stage_count * is_fast)
                    options.append((time + own, (*levels, (places[before], level))))
            if options:
                reached[index, is_fast] = min(options)
    ends = []
    for (before, was_fast), (time, levels) in reached.items():
        level = program.levels - depths[before]
        if level <= max_level - stage_count * (not was_fast):
            ends.append((time + steps(before, len(places), 0), (*levels, (places[before], level))))
    if not ends:
        longest = max(after - before for before, after in zip(depths, [*depths[1:], program.levels], strict=True))
        raise ParameterError(
            f"compile: layers that several results are held for, or an activation, take {longest} levels, and "
            f"bootstraps leave {max_level - stage_count} to {max_level}; allow a larger max_error, name a lower "
            f"degree, or take a network of shorter residual connections",
            option="degree",
            value=longest,
            allowed=(0, max_level),
        )
    _, ((_, level), *bootstraps) = min(ends)
    return Schedule(level, tuple(bootstraps))
