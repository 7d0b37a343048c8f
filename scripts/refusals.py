"""Avoidable refusals of random programs with declared bounds: how many of 60 programs have one.

A program encrypts two vectors of a declared bound and does so many random steps, each of them a sum, a difference, a
product, a square, 0.37x, the mean of all slots, 3x, a rotation, 0.5x - 0.25x³ or a bootstrap, of operands that the
program has made. An engine of a small ring runs it, and bootstraps by itself where levels lack. A refusal ends it. It
is *avoidable* if none of 10,000 inputs within the bounds (constants, vectors of period two, corners, random ones) has
there a value beyond the room that the refusal names.

`python scripts/refusals.py --seeds 600` takes some minutes.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from everlevel import Engine
from everlevel.errors import RangeError

STEPS = ("add", "subtract", "product", "square", "0.37x", "mean", "3x", "rotate", "polynomial", "bootstrap")
INPUTS = 10_000
VECTORS = 2
RECENT = 0.5
"""How often an operand is the last result: programs of independent steps hardly ever come to anything large."""
SLOTS = 16
"""Slots of the inputs that a refusal is judged by: sums over more of them have no other ends."""

Step = tuple[str, int, int, int]


def program(seed: int, depth: int) -> list[Step]:
    """Draw steps: a name, the places of two operands, and an amount."""
    rng = np.random.default_rng(seed)

    def place(count: int) -> int:
        return count - 1 if rng.random() < RECENT else int(rng.integers(count))

    return [
        (STEPS[rng.integers(len(STEPS))], place(VECTORS + at), place(VECTORS + at), int(rng.integers(1, SLOTS)))
        for at in range(depth)
    ]


def result(step: Step, x: Any, y: Any, others: dict[str, Callable[[], Any]]) -> Any:
    """Do a step that is the same on ciphertexts and in the clear, or one of the others."""
    alike: dict[str, Callable[[], Any]] = {
        "add": lambda: x + y,
        "subtract": lambda: x - y,
        "product": lambda: x * y,
        "square": lambda: x * x,
        "0.37x": lambda: 0.37 * x,
        "3x": lambda: 3 * x,
    }
    return (alike | others)[step[0]]()


def encrypted(step: Step, x: Any, y: Any) -> Any:
    """Do a step on ciphertexts."""
    others: dict[str, Callable[[], Any]] = {
        "mean": lambda: x.mean(),
        "rotate": lambda: x.rotate(step[3]),
        "polynomial": lambda: x._engine.evaluate_polynomial(x, [0, 0.5, 0, -0.25]),
        "bootstrap": lambda: x.bootstrap(),
    }
    return result(step, x, y, others)


def clear(step: Step, x: Any, y: Any) -> Any:
    """Do a step on vectors of inputs in the clear."""
    others: dict[str, Callable[[], Any]] = {
        "mean": lambda: np.broadcast_to(x.mean(axis=1, keepdims=True), x.shape),
        "rotate": lambda: np.roll(x, step[3], axis=1),
        "polynomial": lambda: 0.5 * x - 0.25 * x**3,
        "bootstrap": lambda: x,
    }
    return result(step, x, y, others)


def inputs(bound: float, rng: np.random.Generator) -> list[Any]:
    """Draw vectors within the bound: constants, period two, corners, random; of every kind as many."""
    each = INPUTS // 4
    ends = np.array([-bound, bound])

    def mixed(period: int) -> Any:
        shape = each, VECTORS, period
        some = np.where(rng.random(shape) < 0.5, rng.choice(ends, shape), rng.uniform(-bound, bound, shape))
        return np.tile(some, SLOTS // period)

    corners = rng.choice(ends, (each, VECTORS, SLOTS))
    values = np.concatenate([mixed(1), mixed(2), corners, rng.uniform(-bound, bound, corners.shape)])
    return [values[:, at] for at in range(VECTORS)]


def is_avoidable(steps: list[Step], bound: float, refusal: RangeError, slot_count: int) -> bool:
    """Whether no input has a value beyond the refusal's room, where the last step was refused."""
    values, room = inputs(bound, np.random.default_rng(len(steps))), refusal.room or 0.0
    with np.errstate(all="ignore"):
        for step in steps:
            values.append(clear(step, values[step[1]], values[step[2]]))
        name, first, second, _ = steps[-1]
        if str(refusal).startswith("bootstrap:"):
            # One that the engine does by itself is of an operand.
            judged = [values[first]] if name not in ("add", "subtract", "product") else [values[first], values[second]]
        elif name == "mean" and not str(refusal).startswith("multiply:"):
            judged = [values[-1] * slot_count]
        else:
            judged = [values[-1]]
        return all(float(np.nan_to_num(np.abs(each), nan=np.inf).max()) < room for each in judged)


def run(engine: Engine, key: Any, steps: list[Step], bound: float) -> bool | None:
    """Run a program. Whether its refusal is avoidable, or None where there is none."""
    zeros = np.zeros(engine.slot_count)
    values = [engine.encrypt(zeros, key, bound=bound) for _ in range(VECTORS)]
    for at, step in enumerate(steps):
        try:
            values.append(encrypted(step, values[step[1]], values[step[2]]))
        except RangeError as refusal:
            return is_avoidable(steps[: at + 1], bound, refusal, engine.slot_count)
    return None


def main() -> None:
    """Print how many of 60 programs are refused, and how many of them avoidably."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=600)
    seeds: int = parser.parse_args().seeds
    engine = Engine(auto_bootstrap=True, insecure_log_n=10, progress=False)
    key = engine.create_secret_key()
    engine.create_evaluation_key(key)
    for depth in (20, 40):
        for bound in (1.0, 100.0):
            began = time.perf_counter()
            # Bootstraps of values beyond the accurate range are warned of, and refusals alone count here.
            with warnings.catch_warnings(record=True):
                found = [run(engine, key, program(seed, depth), bound) for seed in range(seeds)]
            avoidable, refused = (60 / seeds * count for count in (found.count(True), seeds - found.count(None)))
            print(
                f"depth {depth}, bound {bound:g}: {avoidable:.1f} of 60 avoidably refused, {refused:.1f} in all, "
                f"{time.perf_counter() - began:.0f} s",
                flush=True,
            )


if __name__ == "__main__":
    main()
