"""Programs, layouts and tasks as notes of files, and back."""

from __future__ import annotations

import re
from typing import Any, Final

import numpy as np

from ._files import Notes, packed, packed_integers, packed_weights, unpacked, unpacked_integers, unpacked_weights
from ._layout import KINDS, MOST_UNITS, Layout, Placement, power
from ._network import Task
from ._program import Map, Polynomial, Program, Step
from ._ranges import InputRange
from ._schedule import Schedule

_LABEL_TYPE: Final = re.compile(r"[<|=][biuf][1248]|<U\d{1,3}")
_LINKS: Final = ("identity", "logistic", "softmax", "one-versus-rest", "one-versus-one", None)


def of_range(region: InputRange) -> Notes:
    """Return the notes of a range of inputs."""
    arrays = {"center": region.center, "half": region.half, "sizes": region.sizes, "mean": region.mean}
    return {**{name: packed(array) for name, array in arrays.items()}, "radius": region.radius}


def to_range(notes: Notes) -> InputRange:
    """Read a range of inputs."""
    center, half, sizes, mean = (unpacked(notes[name], 1) for name in ("center", "half", "sizes", "mean"))
    radius = _positive(notes["radius"])
    if (
        not len(center) == len(half) == len(sizes) == len(mean)
        or not (half > 0).all()
        or not np.isin(sizes, (0, 1)).all()
    ):
        raise ValueError("a range of inputs")
    return InputRange(center, half, sizes, mean, radius)


def of_task(task: Task) -> Notes:
    """Return the notes of a task."""
    classes = None if task.classes is None else {"type": task.classes.dtype.str, "labels": task.classes.tolist()}
    return {"classes": classes, "link": task.link, "is_flat": task.is_flat}


def to_task(notes: Notes) -> Task:
    """Read a task."""
    classes, link, is_flat = notes["classes"], notes["link"], notes["is_flat"]
    labels = None
    if classes is not None:
        if not _LABEL_TYPE.fullmatch(classes["type"]):
            raise ValueError(f"labels of type {classes['type']}")
        labels = np.array(classes["labels"], dtype=classes["type"])
        if labels.ndim != 1 or len(labels) < 2:
            raise ValueError("labels")
    if link not in _LINKS or not isinstance(is_flat, bool):
        raise ValueError("a link")
    return Task(labels, link, is_flat)


def of_layout(layout: Layout) -> Notes:
    """Return the notes of a layout."""
    return {
        "kind": layout.kind,
        "slot_count": layout.slot_count,
        "feature_count": layout.feature_count,
        "output_count": layout.output_count,
        "placements": [packed_integers(placement.features) for placement in layout.placements],
        "lanes": [placement.lanes for placement in layout.placements],
        "is_chained": layout.is_chained,
        "level": layout.schedule.level,
        "bootstraps": [list(pair) for pair in layout.schedule.bootstraps],
        "kinds": list(layout.kinds),
        "parts": layout.parts,
    }


def to_layout(notes: Notes) -> Layout:
    """Read a layout."""
    names = ("slot_count", "feature_count", "output_count")
    slot_count, feature_count, output_count = (_count(notes[name]) for name in names)
    kind = notes["kind"]
    if kind not in ("rows", "features") or slot_count != power(slot_count):
        raise ValueError("a layout")
    entries = notes["placements"]
    if not isinstance(entries, list) or (len(entries) < 2 if kind == "rows" else entries):
        raise ValueError("placements")
    pairs = zip(entries, notes["lanes"], strict=True)
    placements = tuple(_to_placement(entry, _count(lanes), slot_count) for entry, lanes in pairs)
    if placements:
        first, last = placements[0], placements[-1]
        if (first.count, last.count) != (feature_count, output_count):
            raise ValueError("placements")
        if not first.lanes <= last.lanes <= first.lanes * MOST_UNITS:
            raise ValueError("lanes")
    if not isinstance(notes["is_chained"], bool):
        raise ValueError("is_chained")
    kinds = tuple(notes["kinds"])
    if kinds and (len(kinds) != len(placements) - 1 or not set(kinds) <= set(KINDS)):
        raise ValueError("kinds")
    schedule = Schedule(_count(notes["level"]), tuple((_count(at), _count(level)) for at, level in notes["bootstraps"]))
    parts = _count(notes["parts"])
    if parts > (2 if kind == "rows" else 1):
        raise ValueError("parts")
    ends = feature_count, output_count
    return Layout(kind, slot_count, *ends, placements, notes["is_chained"], schedule, kinds, parts)


def _to_placement(entry: Any, lanes: int, slot_count: int) -> Placement:
    """Read a placement of which every feature has a place."""
    features = unpacked_integers(entry)
    period = len(features)
    if not period or period != power(period) or lanes != power(lanes) or period * lanes > slot_count:
        raise ValueError(f"a placement of {period} places and {lanes} lanes")
    count = int(features.max()) + 1
    if not np.array_equal(np.unique(features[features >= 0]), np.arange(count)) or features.min() < -1 or count < 1:
        raise ValueError("a placement")
    return Placement(features, count, lanes)


def of_program(program: Program) -> Notes:
    """Return the notes of a program."""
    return {
        "input": of_range(program.input),
        "steps": [_of_step(step) for step in program.steps],
        "scale": program.scale,
        "gives_probabilities": program.gives_probabilities,
        "task": of_task(program.task),
        "name": program.name,
    }


def to_program(notes: Notes) -> Program:
    """Read a program whose steps follow each other."""
    steps = tuple(_to_step(step) for step in notes["steps"])
    is_probability = notes["gives_probabilities"]
    if not isinstance(is_probability, bool):
        raise ValueError("gives_probabilities")
    region = to_range(notes["input"])
    program = Program(
        region, steps, _positive(notes["scale"]), is_probability, to_task(notes["task"]), str(notes["name"])
    )
    # Maps and polynomials take turns, and a map takes results that are there.
    sizes, count = [len(region.center)], 0
    for index, step in enumerate(steps):
        if isinstance(step, Map) == index % 2:
            raise ValueError("steps")
        if isinstance(step, Map):
            if max(step.sources, default=0) >= len(sizes):
                raise ValueError("sources")
            inputs, count = sum(sizes[number] for number in step.sources or (-1,)), len(step.bias)
            if step.weights.shape != (count, inputs):
                raise ValueError("weights")
        else:
            sizes.append(count)
    if not steps:
        raise ValueError("steps")
    return program


def _of_step(step: Step) -> Notes:
    if isinstance(step, Map):
        return {
            "map": packed_weights(step.weights),
            "bias": packed(step.bias),
            "sources": list(step.sources),
            "input_bound": step.input_bound,
            "place": step.place,
        }
    return {
        "polynomial": packed(step.coefficients),
        "bound": step.bound,
        "name": step.name,
        "interval": list(step.interval),
        "max_error": step.max_error,
        "is_proven": step.is_proven,
        "place": step.place,
    }


def _to_step(notes: Notes) -> Step:
    place = str(notes["place"])
    if "map" in notes:
        sources = tuple(notes["sources"])
        if not all(isinstance(number, int) and number >= 0 for number in sources) or len(set(sources)) < len(sources):
            raise ValueError("sources")
        weights, bias = unpacked_weights(notes["map"]), unpacked(notes["bias"], 1)
        return Map(weights, bias, _positive(notes["input_bound"]), place, sources=sources)
    low, high = (_finite(end) for end in notes["interval"])
    coefficients, bound, error = (
        unpacked(notes["polynomial"], 1),
        _positive(notes["bound"]),
        _finite(notes["max_error"]),
    )
    return Polynomial(coefficients, bound, str(notes["name"]), (low, high), error, bool(notes["is_proven"]), place)


def _finite(value: Any) -> float:
    number = float(value)
    if not np.isfinite(number):
        raise ValueError(f"{number}")
    return number


def _positive(value: Any) -> float:
    number = _finite(value)
    if number <= 0:
        raise ValueError(f"{number}")
    return number


def _count(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= 2**20:
        raise ValueError(f"{value}")
    return value
