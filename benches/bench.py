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
import importlib.util
import json
import subprocess
import sys
from itertools import product
from pathlib import Path

from everlevel._bench import COLUMNS, Row, cells, machine, measure_all

ROOT = Path(__file__).resolve().parents[1]
BEGIN, END = "<!-- bench-table begin", "<!-- bench-table end -->"


def markdown(rows: list[Row], machine: dict[str, str]) -> str:
    """Write the table for the README."""
    titles = [title for title, _ in COLUMNS.values()]
    lines = ["| " + " | ".join(titles) + " |", "|" + "---|" * len(titles)]
    lines += ["| " + " | ".join(cells(row)) + " |" for row in rows]
    about = ", ".join(f"{name} {value}" for name, value in machine.items())
    return "\n".join([*lines, "", f"N = 2^16, 32768 slots, from level 0. {about}.", ""])


def commit() -> str:
    """Name the commit that is measured."""
    call = ["git", "describe", "--always", "--dirty"]
    return subprocess.run(call, capture_output=True, text=True, check=False, cwd=ROOT).stdout.strip() or "unknown"


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
    return parser.parse_args()


def main() -> None:
    """Measure and print."""
    options = arguments()
    modules = ([] if options.only_module else ["everlevel"]) + options.module
    for module in modules:
        if importlib.util.find_spec(module) is None:
            sys.exit(f"bench: there is no module {module!r} in {sys.executable}; install it there, or leave it out")
    about = machine() | {"commit": commit()}
    print(", ".join(f"{name} {value}" for name, value in about.items()), end="\n\n")
    kinds = [
        (module, seeded)
        for module, seeded in product(modules, [False, True] if options.seeded else [False])
        if module == "everlevel" or not seeded
    ]
    choices = product(options.sizes, options.stage_counts, options.threads, kinds)
    rows = measure_all(
        (*kind, size, stage_count, threads, options.repetitions) for size, stage_count, threads, kind in choices
    )
    options.json.parent.mkdir(parents=True, exist_ok=True)
    options.json.write_text(json.dumps({"machine": about, "rows": rows}, indent=2) + "\n", encoding="utf-8")
    print(f"\n{options.json} written")
    if options.readme:
        write_readme(markdown(rows, about))
        print("README.md written")


if __name__ == "__main__":
    main()
