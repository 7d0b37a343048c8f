"""The bootstrap table: key size x stage count x threads, and beside every time its precision, levels, keys and memory.

Each row is measured in a process of its own, so that its peak memory is its own and nothing is warm from the row
before. Of several repetitions the median time counts. Messages:

* *uniform*: all slots uniform in the complex unit square; the table shows -log2 of the mean and of the largest error;
* *±1*: alternating in all slots, the hardest message for the modular reduction; the table shows the mean error.

``--module NAME`` measures another module with the same interface, row by row beside Everlevel, on the same machine at
the same time; ``--seeded`` measures Everlevel with seeded keys, too. Results go to ``out/bench.json``; ``--readme``
puts the table into README.md.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import json
import os
import platform
import resource
import statistics
import subprocess
import sys
import time
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
BEGIN, END = "<!-- bench-table begin", "<!-- bench-table end -->"

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


def measure(module: str, seeded: bool, size: str, stage_count: int, threads: int, repetitions: int) -> Row:
    """Measure one row in this process."""
    # Both modules have this interface; neither's types are known here.
    options = {"seeded_keys": True} if seeded else {}
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


def measure_apart(module: str, seeded: bool, size: str, stage_count: int, threads: int, repetitions: int) -> Row:
    """Measure one row in a process of its own; a failure is a row that says so."""
    call = json.dumps([module, seeded, size, stage_count, threads, repetitions])
    environment = os.environ | {"EVERLEVEL_PROGRESS": "0"}
    done = subprocess.run(
        [sys.executable, __file__, "--row", call], capture_output=True, text=True, check=False, env=environment
    )
    if done.returncode == 0:
        return dict(json.loads(done.stdout))
    reason = (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1]
    options = {"size": size, "stage_count": stage_count, "threads": threads}
    return {"module": module, "keys_held": held(seeded), **options, "failure": reason}


def cells(row: Row) -> list[str]:
    """Write a row's values."""
    return [format(row[name], form) if name in row else "-" for name, (_, form) in COLUMNS.items()]


def markdown(rows: list[Row], machine: dict[str, str]) -> str:
    """Write the table for the README."""
    titles = [title for title, _ in COLUMNS.values()]
    lines = ["| " + " | ".join(titles) + " |", "|" + "---|" * len(titles)]
    lines += ["| " + " | ".join(cells(row)) + " |" for row in rows]
    about = ", ".join(f"{name} {value}" for name, value in machine.items())
    return "\n".join([*lines, "", f"N = 2^16, 32768 slots, from level 0. {about}.", ""])


def machine() -> dict[str, str]:
    """Say where and of what the measurement is."""
    commit = subprocess.run(
        ["git", "describe", "--always", "--dirty"], capture_output=True, text=True, check=False, cwd=ROOT
    )
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text(encoding="utf-8").splitlines() if cpuinfo.exists() else []
    names = [line.split(":")[1].strip() for line in lines if line.startswith("model name")]
    return {
        "Everlevel": importlib.import_module("everlevel").__version__,
        "commit": commit.stdout.strip() or "unknown",
        "CPU": f"{names[0] if names else platform.processor()} ({os.cpu_count()} cores)",
        "date": time.strftime("%Y-%m-%d"),
    }


def write_readme(table: str) -> None:
    """Replace what stands between the README's marks."""
    path = ROOT / "README.md"
    text = path.read_text(encoding="utf-8")
    head, rest = text.split(BEGIN, 1)
    mark, rest = rest.split("\n", 1)
    path.write_text(f"{head}{BEGIN}{mark}\n{table}{END}{rest.split(END, 1)[1]}", encoding="utf-8")


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--module", action="append", default=[], help="measure this module too; may be repeated")
    parser.add_argument("--only-module", action="store_true", help="leave Everlevel itself out")
    parser.add_argument("--sizes", nargs="+", default=["medium", "large"])
    parser.add_argument("--stage-counts", nargs="+", type=int, default=[3, 4, 5])
    parser.add_argument("--threads", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--seeded", action="store_true", help="measure Everlevel with seeded keys, too")
    parser.add_argument("--repetitions", type=int, default=2, help="bootstraps of uniform messages in a row")
    parser.add_argument("--json", type=Path, default=ROOT / "out" / "bench.json")
    parser.add_argument("--readme", action="store_true", help="put the table into README.md")
    parser.add_argument("--row", help=argparse.SUPPRESS)
    return parser.parse_args()


def main() -> None:
    """Measure and print."""
    options = arguments()
    if options.row:
        print(json.dumps(measure(*json.loads(options.row))))
        return
    modules = ([] if options.only_module else ["everlevel"]) + options.module
    for module in modules:
        if importlib.util.find_spec(module) is None:
            sys.exit(f"bench: there is no module {module!r} in {sys.executable}; install it there, or leave it out")
    about = machine()
    print(", ".join(f"{name} {value}" for name, value in about.items()), end="\n\n")
    widths = [max(len(title), 9) for title, _ in COLUMNS.values()]
    print("  ".join(title.rjust(width) for (title, _), width in zip(COLUMNS.values(), widths, strict=True)))
    rows = []
    kinds = [
        (module, seeded)
        for module, seeded in product(modules, [False, True] if options.seeded else [False])
        if module == "everlevel" or not seeded
    ]
    for size, stage_count, threads, kind in product(options.sizes, options.stage_counts, options.threads, kinds):
        row = measure_apart(*kind, size, stage_count, threads, options.repetitions)
        rows.append(row)
        line = "  ".join(cell.rjust(width) for cell, width in zip(cells(row), widths, strict=True))
        print(line, *(["  ", row["failure"]] if "failure" in row else []), flush=True)
    options.json.parent.mkdir(parents=True, exist_ok=True)
    options.json.write_text(json.dumps({"machine": about, "rows": rows}, indent=2) + "\n", encoding="utf-8")
    print(f"\n{options.json} written")
    if options.readme:
        write_readme(markdown(rows, about))
        print("README.md written")


if __name__ == "__main__":
    main()
