"""CKKS bootstraps: key size x stage count x threads, and beside every time its precision, levels, keys and memory.

Of several repetitions the median time counts. Messages:

* *uniform*: all slots uniform in the complex unit square; the table shows -log2 of the mean and of the largest error;
* *±1*: alternating in all slots, the hardest message for the modular reduction; the table shows the mean error.
"""

from __future__ import annotations

import argparse
import importlib
import statistics
from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np

from .rows import Row, Table, peak_gigabytes, timed

COLUMNS: dict[str, tuple[str, str]] = {
    "module": ("module", "s"),
    "size": ("key size", "s"),
    "stage_count": ("stages", "d"),
    "threads": ("threads", "d"),
    "keys_held": ("keys held", "s"),
    "bootstrap_seconds": ("bootstrap, s", ".2f"),
    "mean_bits": ("mean, bits", ".1f"),
    "worst_bits": ("worst, bits", ".1f"),
    "plus_minus_one_error": ("±1 error", ".1e"),
    "level_out": ("level out", "d"),
    "expanded_gigabytes": ("expanded, GB", ".2f"),
    "seeded_gigabytes": ("seeded, GB", ".2f"),
    "key_seconds": ("keys, s", ".1f"),
    "peak_gigabytes": ("peak, GB", ".2f"),
}


def choices(options: argparse.Namespace) -> Iterator[Row]:
    """Yield the rows that a command line asks for."""
    held = ["expanded", "seeded"] if options.seeded else ["expanded"]
    for size, stage_count, threads, module, keys_held in product(
        options.sizes, options.stage_counts, options.threads, options.modules, held
    ):
        if module == "everlevel" or keys_held == "expanded":
            yield {
                "module": module,
                "size": size,
                "stage_count": stage_count,
                "threads": threads,
                "keys_held": keys_held,
                "repetitions": options.repetitions,
                "insecure_log_n": options.insecure_log_n,
            }


def measure(
    *,
    module: str,
    size: str,
    stage_count: int,
    threads: int,
    keys_held: str,
    repetitions: int,
    insecure_log_n: int | None,
) -> Row:
    """Measure one row in this process."""
    # All modules have this interface; their types aren't known here.
    seeded = keys_held == "seeded"
    options: dict[str, Any] = {"seeded_keys": True} if seeded else {}
    if insecure_log_n is not None:
        options["insecure_log_n"] = insecure_log_n
    engine: Any = importlib.import_module(module).Engine(
        "parallel", thread_count=threads, use_bootstrap=True, **options
    )
    secret_key = engine.create_secret_key()
    public_key = engine.create_public_key(secret_key)

    def make_keys() -> tuple[Any, Any, Any]:
        return (
            engine.create_relinearization_key(secret_key),
            engine.create_conjugation_key(secret_key),
            engine.create_bootstrap_key(secret_key, stage_count=stage_count, size=size),
        )

    keys, key_seconds = timed(make_keys)
    rng = np.random.default_rng(1)
    uniform = rng.uniform(-1, 1, engine.slot_count) + 1j * rng.uniform(-1, 1, engine.slot_count)
    signs = np.tile([1.0, -1.0], engine.slot_count // 2)
    seconds, errors = [], {}
    for name, message in [("uniform", uniform)] * repetitions + [("signs", signs)]:
        # Engines of other modules know no bounds to declare.
        declared = {"bound": float(np.abs(message).max())} if module == "everlevel" else {}
        ciphertext = engine.encrypt(message, public_key, level=0, **declared)
        refreshed, elapsed = timed(engine.bootstrap, ciphertext, *keys)
        seconds.append(elapsed)
        errors[name] = np.abs(engine.decrypt(refreshed, secret_key) - message)
    return {
        "bootstrap_seconds": statistics.median(seconds),
        "all_bootstrap_seconds": seconds,
        "mean_bits": float(-np.log2(errors["uniform"].mean())),
        "worst_bits": float(-np.log2(errors["uniform"].max())),
        "plus_minus_one_error": float(errors["signs"].mean()),
        "level_out": refreshed.level,
        **key_gigabytes(keys[2], seeded),
        "key_seconds": key_seconds,
        "peak_gigabytes": peak_gigabytes(),
    }


def key_gigabytes(bootstrap_key: Any, seeded: bool) -> Row:
    """Size of the bootstrap key in both forms, whichever is held; as far as its module tells."""
    # A seeded key in memory is the bodies; the masks that it leaves out are as large.
    sizes = {"expanded_gigabytes": bootstrap_key.nbytes * (2 if seeded else 1) / 1e9}
    if hasattr(bootstrap_key, "serialized_nbytes"):
        sizes["seeded_gigabytes"] = bootstrap_key.serialized_nbytes / 1e9
    return sizes


def note(insecure_log_n: int | None) -> str:
    """Say what all rows have in common."""
    ring = "2^16, 32768 slots" if insecure_log_n is None else f"2^{insecure_log_n}, INSECURE"
    return f"CKKS bootstraps, N = {ring}, from level 0."


TABLE = Table("ckks", COLUMNS, choices, measure, note)
