"""Encrypted people of many districts, filtered, binned by age and counted, exactly, by one bootstrap.

Each of 32,768 people has an age and a job, or none. One look-up for all of them tells who has a job and is of which
age, by a table for each of eight ranges, and sums along slots count these in each of 256 districts. What is decrypted
is a count for each district and range, as NumPy has it of people in the clear. Writes ``out/counts_by_age.png``.

The people are drawn at random.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from everlevel import bulk

EDGES = [0, 20, 30, 40, 50, 60, 70, 80, 128]
"""Ages where ranges begin and end."""


def people(count: int, districts: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Draw the ages of people, of each district in a column, and whether they have a job."""
    rng = np.random.default_rng(7)
    middle = 40 + 15 * np.sin(np.arange(districts) / districts * 2 * np.pi)
    ages = np.clip(rng.normal(middle, 20, (count, districts)), 0, 110).astype(np.int64)
    share = np.interp(ages, [15, 25, 55, 70], [0.0, 0.8, 0.8, 0.0])
    return ages, (rng.random(ages.shape) < share).astype(np.int64)


def is_counted(low: int, high: int) -> Callable[[int], bool]:
    """Return the table of a range: whether a person, 2·age + job, has a job and is of that age."""
    return lambda person: person % 2 == 1 and low <= person // 2 < high


def draw(counts: NDArray[Any], path: Path) -> None:
    """Draw counts by district and range, and those of all districts."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    names = [f"{low}-{high - 1}" for low, high in pairwise(EDGES)]
    names[-1] = f"{EDGES[-2]}+"
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.2), layout="constrained", width_ratios=[2, 1])
    shown = left.imshow(counts, aspect="auto", origin="lower", cmap="viridis")
    left.set_yticks(range(len(names)), names)
    left.set(xlabel="district", ylabel="age", title="people with a job, counted in ciphertexts")
    figure.colorbar(shown, ax=left)
    right.barh(names, counts.sum(axis=1))
    right.set_title("all districts")
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=120)
    plt.close(figure)


def main() -> None:
    """Count, and compare."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--people", type=int, default=128, help="people of a district (default 128)")
    parser.add_argument("--districts", type=int, default=256, help="districts (default 256)")
    parser.add_argument("--threads", type=int, help="all, if left out")
    parser.add_argument("--insecure-log-n", type=int, help="a ring of 2^LOG_N without any security")
    parser.add_argument("--out", type=Path, default=Path("out"), help="folder of the picture (default out)")
    options = parser.parse_args()

    engine = bulk.Engine("integer-8-128", thread_count=options.threads, insecure_log_n=options.insecure_log_n)
    print(engine)
    secret_key = engine.create_secret_key()
    print(engine.create_evaluation_key(secret_key, rotations=True))

    ages, jobs = people(options.people, options.districts)
    x = engine.encrypt(ages, secret_key, max_value=127)
    y = engine.encrypt(jobs, secret_key, max_value=1)
    start = time.perf_counter()
    tables = [is_counted(low, high) for low, high in pairwise(EDGES)]
    found = [bits.sum(axis=0) for bits in engine.bootstrap_many(2 * x + y, tables)]
    seconds = time.perf_counter() - start
    print(found[0])

    counts = np.array([engine.decrypt(count, secret_key) for count in found])
    for row, (low, high) in zip(counts, pairwise(EDGES), strict=True):
        assert (row == ((ages >= low) & (ages < high) & (jobs == 1)).sum(axis=0)).all(), "a count is wrong"
    print(f"{ages.size} people in {counts.size} counts, by {len(tables)} tables: {seconds:.1f} s, 0 wrong")
    path = options.out / "counts_by_age.png"
    draw(counts, path)
    print(path)


if __name__ == "__main__":
    main()
