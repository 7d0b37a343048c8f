"""Speed of this machine, beside that of the one that estimates are for."""

from __future__ import annotations

import itertools
import time
from dataclasses import replace
from functools import cache
from typing import Final

import numpy as np

from ..ckks import Engine
from ._costs import LARGE_LOG_N
from ._layout import of_rows, plain
from ._network import Task
from ._plan import plan_of
from ._program import Map, Polynomial, Program
from ._ranges import InputRange
from ._run import Runner
from ._schedule import Schedule

_SIZES: Final = (64, 32, 16)
_COEFFICIENTS: Final = 1 / np.arange(2.0, 18.0) / 4
"""Of a polynomial of degree 15 none of whose parts vanish, with values within ±1."""
_ENGINE_LEVELS: Final = {False: 6, True: 18}
"""Levels of the ring of 2^14, whose ciphertexts a core's cache holds, and of that of 2^16, whose it doesn't."""
_TIMES: Final = 3


def factor(log_n: int) -> float:
    """Return how many times as long as estimated steps take here, on rings like that of 2^log_n."""
    return _factor(log_n >= LARGE_LOG_N)


@cache
def _factor(is_large: bool) -> float:
    """Time a perceptron of random weights, whose keys and weights are read as larger models' are."""
    rng = np.random.default_rng(0)
    steps: list[Map | Polynomial] = []
    for inputs, outputs in itertools.pairwise(_SIZES):
        steps.append(Map(rng.uniform(-1, 1, (outputs, inputs)) / inputs, np.zeros(outputs), 1.0, ""))
        steps.append(Polynomial(_COEFFICIENTS, 1.0, "", (-1.0, 1.0), 0.0, True, ""))
    ends = np.zeros(_SIZES[0]), np.ones(_SIZES[0])
    program = Program(
        InputRange(*ends, ends[1], ends[0], 1.0), tuple(steps[:-1]), 1.0, False, Task(None, None, True), ""
    )
    layout = of_rows(tuple(map(plain, _SIZES)), is_chained=False)
    layout = replace(layout, schedule=Schedule(program.levels))
    engine = Engine(max_level=_ENGINE_LEVELS[is_large], slot_count=layout.slot_count, thread_count=1)
    plan, runner = plan_of(program, layout, engine), Runner(engine, program, layout)
    secret_key = engine.create_secret_key()
    key = plan.keys.made(engine, secret_key, progress=False)
    x = engine.encrypt(np.zeros(layout.slot_count), secret_key, level=program.levels, bound=1)
    runner(x, key, lambda _: None)  # encodes the weights
    seconds = []
    for _ in range(_TIMES):
        start = time.process_time()
        runner(x, key, lambda _: None)
        seconds.append(time.process_time() - start)
    engine.forget_keys()
    return min(seconds) / plan.seconds
