"""Drawing a program's lines in a world, by rules.

Draws depend on the random numbers and on the model alone, and never on what the library answers.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from .clear import UnfitError
from .program import Line, Program, World, names_of

_TRIES = 40


@dataclass(frozen=True)
class Rule:
    """What draws a line.

    Attributes
    ----------
    covers : tuple of str
        Public names, as `surface` writes them.
    draw : callable
        Of a `Draw`: returns the line's expression, and which of `covers` it is drawn for (all, if it returns a text
        alone).
    weight : float
        How often, beside others.
    """

    covers: tuple[str, ...]
    draw: Callable[[Draw], Any]
    weight: float = 1.0


class Rules(list[Rule]):
    """Rules, which a decorator collects."""

    def rule(self, *covers: str, weight: float = 1.0) -> Callable[[Callable[[Draw], Any]], Callable[[Draw], Any]]:
        def add(function: Callable[[Draw], Any]) -> Callable[[Draw], Any]:
            self.append(Rule(covers, function, weight))
            return function

        return add


class Draw:
    """A program that is being drawn, and random choices for its next line."""

    def __init__(self, world: World, rng: np.random.Generator) -> None:
        self.world, self.rng = world, rng
        library, model = names_of(world)
        self.library, self.model = library, dict(model)
        self.lines: list[Line] = []
        self.expected: dict[str, Any] = {}
        self.operands: list[tuple[str, Any]] = []

    # Choices.

    def chance(self, probability: float) -> bool:
        return bool(self.rng.random() < probability)

    def one(self, *choices: Any) -> Any:
        return choices[int(self.rng.integers(len(choices)))]

    def integer(self, low: int, high: int) -> int:
        """Return an integer from low to high, both included."""
        return int(self.rng.integers(low, high + 1))

    def log(self, low: float, high: float) -> float:
        """Return a number whose logarithm is evenly spread, with few digits."""
        number = math.exp(self.rng.uniform(math.log(low), math.log(high)))
        return float(f"{number:.4g}")

    def seed(self) -> int:
        return int(self.rng.integers(10**6))

    def operand(self, accepts: Callable[[Any], bool] = lambda value: True) -> tuple[str, Any]:
        """Choose an earlier result, later ones more often."""
        fitting = [pair for pair in self.operands if accepts(pair[1])]
        if not fitting:
            raise UnfitError("no operand")
        weights = np.arange(1, len(fitting) + 1) ** 1.5
        return fitting[int(self.rng.choice(len(fitting), p=weights / weights.sum()))]

    # Lines.

    def add(self, expression: str, covers: tuple[str, ...]) -> bool:
        """Add a line if the model has an answer to it."""
        name = f"x{len(self.lines)}"
        with np.errstate(all="ignore"):
            try:
                value = eval(expression, self.model)
            except OverflowError as error:
                raise UnfitError(str(error)) from None
            except UnfitError:
                raise
            except Exception as error:
                raise RuntimeError(f"the model has no answer to {expression}") from error
        if not self._sensible(value):
            return False
        self.lines.append(Line(name, expression, covers))
        self.model[name] = self.expected[name] = value
        self.operands += parts_of(name, value)
        return True

    def _sensible(self, value: Any) -> bool:
        """Whether results are within the room of their levels, but for a few that are to be refused."""
        for _, part in parts_of("", value):
            if not np.isfinite(part.size()) or part.size() > 1e60:
                return False
            if not part.holds() and not self.chance(0.04):
                return False
        return True


def parts_of(name: str, value: Any) -> list[tuple[str, Any]]:
    """Return the operands that a result has, with their expressions."""
    if getattr(value, "is_operand", False):
        return [(name, value)]
    if isinstance(value, (list, tuple)):
        return [pair for i, part in enumerate(value) for pair in parts_of(f"{name}[{i}]", part)]
    return []


def in_world(world: World, rng: np.random.Generator, seed: int = 0, index: int = -1) -> Program:
    """Draw a program in a world."""
    draw, rules = Draw(world, rng), world.rules()
    weights = np.array([rule.weight for rule in rules], dtype=float)
    weights /= weights.sum()
    wanted = draw.integer(*world.length)
    for _ in range(_TRIES):
        if len(draw.lines) >= wanted:
            break
        # A first line has nothing to go on but rules that make messages.
        rule = rules[0] if len(draw.operands) < 1 else rules[int(rng.choice(len(rules), p=weights))]
        try:
            drawn = rule.draw(draw)
            expression, covers = (drawn, rule.covers) if isinstance(drawn, str) else (drawn[0], drawn[1:])
            draw.add(expression, covers)
        except UnfitError:
            continue
    return Program(world, tuple(draw.lines), seed, index, draw.expected)
