"""Seconds of bulk's calls on one thread, beside TFHE's sets of the same names: what `estimate_time` stands on.

    python benches/bulk_times.py [SET …]

Each is the least of three, of the CPU's time; keys of a set take up to 2.5 GB.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np

from everlevel import bulk, tfhe
from everlevel._bench.machine import processor

OF_TFHE = 64


def seconds(call: Callable[[], object], runs: int = 3) -> float:
    """Return the least time of some calls."""
    found = []
    for _ in range(runs):
        start = time.process_time()
        call()
        found.append(time.process_time() - start)
    return min(found)


def measured(name: str) -> dict[str, float]:
    """Return the seconds of a set's calls, and of TFHE's for each value."""
    rng = np.random.default_rng(0)
    engine = bulk.Engine(name, thread_count=1, progress=False)
    secret_key = engine.create_secret_key()
    engine.create_evaluation_key(secret_key, rotations=True)
    is_bits, top = engine.message_bits is None, engine.max_value

    def values(count: int, most: int) -> np.ndarray:
        found = rng.integers(0, most + 1, count)
        return found.astype(bool) if is_bits else found

    x, half = (engine.encrypt(values(count, top), secret_key) for count in (65536, 32768))
    selector = engine.encrypt(values(65536, 1), secret_key, max_value=None if is_bits else 1)
    choose = engine.mux if is_bits else engine.select
    engine.bootstrap(half)  # makes what look-ups share
    found = {"65,536": seconds(lambda: engine.bootstrap(x)), "32,768": seconds(lambda: engine.bootstrap(half))}
    if not is_bits:
        tables = [rng.integers(0, top + 1, top + 1) for _ in range(3)]
        found["a further table"] = (seconds(lambda: engine.bootstrap_many(x, tables)) - found["65,536"]) / 2
    found["select"] = seconds(lambda: choose(selector, x, x))
    found["roll"] = seconds(lambda: half.reshape(2, -1).roll(1, axis=1))
    blocks = np.arange(32768).reshape(-1, 128)
    shuffled = np.stack([block[rng.permutation(128)] for block in blocks]).ravel()
    found["permute 255"] = seconds(lambda: half.permute(shuffled), 1)
    of_tfhe = tfhe.Engine(name, thread_count=1, progress=False)
    other = of_tfhe.create_secret_key()
    of_tfhe.create_evaluation_key(other)
    few = of_tfhe.encrypt(values(OF_TFHE, top), other)
    found["TFHE, ms a value"] = seconds(lambda: few ^ few if is_bits else of_tfhe.bootstrap(few)) / OF_TFHE * 1000
    return found


def main() -> None:
    """Print a row for each set."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("sets", nargs="*", default=[one.name for one in bulk.parameter_sets()])
    print(processor())
    for name in parser.parse_args().sets:
        print(name, ", ".join(f"{call}: {value:.3g}" for call, value in measured(name).items()), flush=True)


if __name__ == "__main__":
    main()
