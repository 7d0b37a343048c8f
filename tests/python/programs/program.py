"""Programs: lines of Python, on the names of a world, which are evaluated by the library and by a model."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import everlevel
from everlevel.errors import FitError

from .clear import CheckedFit, Fit, Refused, UnfitError

_NAME = re.compile(r"\bx\d+\b")

IMPORTS = """\
import copy, functools, pickle, tempfile
from pathlib import Path

import numpy as np

import everlevel
from everlevel import bfv, ntru, tfhe
from everlevel.ckks import limbs
"""

HELPERS = {
    "fit": "fit = everlevel.fit\n",
    "checked_fit": "checked_fit = everlevel.fit\n",
    "PATH": 'FOLDER = tempfile.TemporaryDirectory()\nPATH = Path(FOLDER.name) / "x.everlevel"\n',
    "saved": """
def saved(x):
    x.save(PATH)
    return PATH
""",
    "pickled": """
def pickled(x):
    return pickle.loads(pickle.dumps(x))
""",
    "assigned": """
def assigned(x, index, value):
    changed = x.copy()
    changed[index] = value
    return changed
""",
    "in_order": """
def in_order(x, axis):
    ordered = x.copy()
    ordered.sort(axis)
    return ordered if axis is not None else ordered.ravel()
""",
    "refused": """
def refused(call):
    return call()
""",
    "room": """
@functools.cache
def room(level):
    # What the modulus of a level holds, as a refusal says it.
    try:
        engine.encode([0.0], level, bound=1e300)
    except everlevel.errors.RangeError as error:
        return error.room
""",
}
"""What lines call besides the library, as source text."""


@dataclass(frozen=True)
class Line:
    """``name = expression``, and the public names that it is drawn for."""

    name: str
    expression: str
    covers: tuple[str, ...]

    def uses(self) -> set[str]:
        return set(_NAME.findall(self.expression))

    def replaced(self, old: str, new: str) -> Line:
        return Line(self.name, re.sub(rf"\b{old}\b(\[\d+\])?", new, self.expression), self.covers)


@dataclass(frozen=True)
class World:
    """An engine with its keys, as source text, and the model of it.

    Attributes
    ----------
    setup : str
        Source that makes the names ``engine``, ``secret_key`` and the keys that lines use.
    model : callable
        Gives the model's names, from those of the library, of which it takes public numbers alone.
    rules : callable
        Gives the rules that draw lines, with their weights.
    share : float
        Part of all programs, in proportion to other worlds'.
    length : (int, int)
        Fewest and most lines.
    """

    name: str
    front: str
    setup: str
    model: Callable[[Mapping[str, Any]], dict[str, Any]]
    rules: Callable[[], list[Any]]
    share: float
    length: tuple[int, int] = (3, 9)


def _model_fit(function: Any, *rest: Any) -> Fit:
    try:
        return Fit(everlevel.fit(function, *rest), function)
    except FitError as error:
        raise UnfitError(str(error)) from None


def _model_checked_fit(function: Any, degree: int, interval: tuple[float, float]) -> CheckedFit:
    return CheckedFit(function, degree, interval)


_made: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {}


def names_of(world: World) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the library's names and the model's. They are made once in a process, since keys take a while."""
    if world.name not in _made:
        library: dict[str, Any] = {}
        exec(IMPORTS + "".join(HELPERS.values()) + world.setup, library)
        model = {
            **dict.fromkeys(name for name in library if name != "__builtins__"),
            "np": library["np"],
            "copy": library["copy"],
            "saved": lambda x: x,
            "pickled": lambda x: x,
            # These call methods, which the model has as well.
            "assigned": library["assigned"],
            "in_order": library["in_order"],
            "refused": lambda call: Refused("it must raise a typed error"),
            "fit": _model_fit,
            "checked_fit": _model_checked_fit,
            **world.model(library),
        }
        _made[world.name] = library, model
    return _made[world.name]


@dataclass(frozen=True)
class Program:
    """Lines in a world; number `index` under `seed`.

    Attributes
    ----------
    expected : mapping
        What the model gives for each line, where it has been evaluated already.
    """

    world: World
    lines: tuple[Line, ...]
    seed: int = 0
    index: int = -1
    expected: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False)

    def source(self) -> str:
        """Return the program as a file that runs."""
        header = f"# Program {self.index} under seed {self.seed}, in the world {self.world.name!r}.\n"
        used = [text for name, text in HELPERS.items() if f"{name}(" in self.body()]
        if any("PATH" in text for text in used):
            used.insert(0, HELPERS["PATH"])
        return header + IMPORTS + "".join(["\n", *used, "\n"]) + self.world.setup.strip() + "\n\n" + self.body()

    def body(self) -> str:
        """Return the lines alone."""
        return "".join(f"{line.name} = {line.expression}\n" for line in self.lines)
