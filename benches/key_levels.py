"""Time products by relinearization keys for all levels, cut to a level, and made for it, in turns.

    python benches/key_levels.py 7 13

For each number of levels there is an engine with one thread, and for each of its levels a line: the least processor
time of a product in milliseconds by each key, and of a rotation by a fixed key of that level, and the keys' memory and
files in MB. Products by cut keys have the bits of those by whole ones.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from functools import partial

import numpy as np

from everlevel import Engine

TURNS, CALLS = 3, 9


def least(call: Callable[[], object]) -> float:
    """Return the least processor time of some calls, in milliseconds."""
    times = []
    for _ in range(CALLS):
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    return 1000 * min(times)


def main() -> None:
    """Print the table of each engine."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("max_levels", nargs="+", type=int, help="highest levels of engines")
    for max_level in parser.parse_args().max_levels:
        engine = Engine(max_level=max_level, thread_count=1)
        secret_key = engine.create_secret_key()
        whole = engine.create_relinearization_key(secret_key)
        print(f"N = 2^{engine.log_n}, {max_level} levels")
        print("level  all ms  cut ms  made ms  rotation ms  all MB  cut MB  made MB  cut file  made file")
        for level in range(1, max_level + 1):
            cut, made = whole.at_level(level), engine.create_relinearization_key(secret_key, level)
            turn = engine.create_fixed_rotation_key(secret_key, 1, level)
            x = engine.encrypt(np.linspace(-1, 1, engine.slot_count), secret_key, level=level)
            if engine.square(x, cut).to_bytes() != engine.square(x, whole).to_bytes():
                raise SystemExit(f"level {level}: the cut key gives other bits")
            calls: list[Callable[[], object]] = [partial(engine.multiply, x, x, key) for key in (whole, cut, made)]
            calls.append(partial(engine.rotate, x, turn))
            times = np.min([[least(call) for call in calls] for _ in range(TURNS)], axis=0)
            sizes = [key.nbytes / 1e6 for key in (whole, cut, made)]
            sizes += [len(key.to_bytes()) / 1e6 for key in (cut, made)]
            print(f"{level:5}", *(f"{found:7.2f}" for found in (*times, *sizes)))


if __name__ == "__main__":
    main()
