"""What `everlevel bench` and benches/bench.py measure: one row of the bootstrap table in a process of its own.

``python -m everlevel._bench ROW`` is that process; a row's columns are in `COLUMNS`.
"""

from __future__ import annotations

import importlib
import json
import os
import platform
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

Row = dict[str, Any]

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


def timed(call: Any, *arguments: Any) -> tuple[Any, float]:
    """Call, and return the result and the seconds that it took."""
    start = time.perf_counter()
    result = call(*arguments)
    return result, time.perf_counter() - start


def measure(
    module: str,
    seeded: bool,
    size: str,
    stage_count: int,
    threads: int,
    repetitions: int,
    insecure_log_n: int | None = None,
) -> Row:
    """Measure one row in this process."""
    # All modules have this interface; their types aren't known here.
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
        ciphertext = engine.encrypt(message, public_key, level=0)
        refreshed, elapsed = timed(engine.bootstrap, ciphertext, *keys)
        seconds.append(elapsed)
        errors[name] = np.abs(engine.decrypt(refreshed, secret_key) - message)
    return {
        "module": module,
        "keys_held": held(seeded),
        "size": size,
        "stage_count": stage_count,
        "threads": threads,
        "bootstrap_seconds": statistics.median(seconds),
        "all_bootstrap_seconds": seconds,
        "mean_bits": float(-np.log2(errors["uniform"].mean())),
        "worst_bits": float(-np.log2(errors["uniform"].max())),
        "plus_minus_one_error": float(errors["signs"].mean()),
        "level_out": refreshed.level,
        **key_gigabytes(keys[2], seeded),
        "key_seconds": key_seconds,
        "peak_gigabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9,
    }


def held(seeded: bool) -> str:
    """Name the form in which keys are held in memory."""
    return "seeded" if seeded else "expanded"


def key_gigabytes(bootstrap_key: Any, seeded: bool) -> Row:
    """Size of the bootstrap key in both forms, whichever is held; as far as its module tells."""
    # A seeded key in memory is the bodies; the masks that it leaves out are as large.
    sizes = {"expanded_gigabytes": bootstrap_key.nbytes * (2 if seeded else 1) / 1e9}
    if hasattr(bootstrap_key, "serialized_nbytes"):
        sizes["seeded_gigabytes"] = bootstrap_key.serialized_nbytes / 1e9
    return sizes


def measure_apart(*call: Any) -> Row:
    """Call `measure` in a process of its own; a failure is a row that says so."""
    environment = os.environ | {"EVERLEVEL_PROGRESS": "0"}
    command = [sys.executable, "-m", "everlevel._bench", json.dumps(call)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    if done.returncode == 0:
        return dict(json.loads(done.stdout))
    module, seeded, size, stage_count, threads, *_ = call
    options = {"size": size, "stage_count": stage_count, "threads": threads}
    reason = (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1]
    return {"module": module, "keys_held": held(seeded), **options, "failure": reason}


def measure_all(calls: Iterable[tuple[Any, ...]]) -> list[Row]:
    """Measure rows one after the other, and print each when it is done."""
    widths = [max(len(title), 9) for title, _ in COLUMNS.values()]

    def line(texts: Iterable[str]) -> str:
        return "  ".join(text.rjust(width) for text, width in zip(texts, widths, strict=True))

    print(line(title for title, _ in COLUMNS.values()), flush=True)
    rows = []
    for call in calls:
        row = measure_apart(*call)
        rows.append(row)
        print(line(cells(row)), *(["  ", row["failure"]] if "failure" in row else []), flush=True)
    return rows


def cells(row: Row) -> list[str]:
    """Write a row's values."""
    return [format(row[name], form) if name in row else "-" for name, (_, form) in COLUMNS.items()]


def machine() -> dict[str, str]:
    """Say where and of what the measurement is."""
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text(encoding="utf-8").splitlines() if cpuinfo.exists() else []
    names = [line.split(":")[1].strip() for line in lines if line.startswith("model name")]
    return {
        "Everlevel": importlib.import_module("everlevel").__version__,
        "CPU": f"{names[0] if names else platform.processor()} ({os.cpu_count()} cores)",
        "date": time.strftime("%Y-%m-%d"),
    }


if __name__ == "__main__":
    print(json.dumps(measure(*json.loads(sys.argv[1]))))
