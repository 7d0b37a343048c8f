"""The tables of the README: CKKS bootstraps, and TFHE gates and tables (`everlevel._bench` has what is measured).

``--only ckks`` or ``--only tfhe`` measures one of them. ``--module NAME`` measures another module with the CKKS
engine's interface, row by row beside Everlevel, on the same machine at the same time; ``--seeded`` measures Everlevel
with seeded keys, too. Results go to ``out/bench.json``; ``--readme`` puts the tables into README.md.
"""

from __future__ import annotations

import argparse
import importlib.util
import subprocess
import sys
from pathlib import Path

from marks import replace_marked

from everlevel import _bench

ROOT = Path(__file__).resolve().parents[1]
SETS = [
    "insecure-tfhe-lib", "insecure-tfhe-lib-full", "gate-64", "gate-128",
    "integer-2-64", "integer-4-64", "integer-4-128", "integer-6-64",
    "ntru-gate-64", "ntru-gate-128", "ntru-gate-64-conservative", "ntru-integer-4-64",
]  # fmt: skip


def commit() -> str:
    """Name the commit that is measured."""
    call = ["git", "describe", "--always", "--dirty"]
    return subprocess.run(call, capture_output=True, text=True, check=False, cwd=ROOT).stdout.strip() or "unknown"


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    _bench.add_options(
        parser,
        threads=[1, 2],
        repetitions=2,
        gates=31,
        sizes=["medium", "large"],
        stage_counts=[3, 4, 5],
        sets=SETS,
        json=ROOT / "out" / "bench.json",
    )
    parser.add_argument("--module", action="append", default=[], help="measure this module too; may be repeated")
    parser.add_argument("--only-module", action="store_true", help="leave Everlevel itself out")
    parser.add_argument("--readme", action="store_true", help="put the tables into README.md")
    return parser.parse_args()


def main() -> None:
    """Measure and print."""
    options = arguments()
    modules = ([] if options.only_module else ["everlevel"]) + options.module
    for module in modules:
        if importlib.util.find_spec(module) is None:
            sys.exit(f"bench: there is no module {module!r} in {sys.executable}; install it there, or leave it out")
    about = _bench.machine() | {"commit": commit()}
    tables = _bench.measure(options, about, modules)
    if options.readme:
        where = ", ".join(f"{name} {value}" for name, value in about.items())
        for name, rows in tables.items():
            table = _bench.TABLES[name]
            text = f"{table.markdown(rows)}\n\n{table.note(options.insecure_log_n)} {where}."
            replace_marked(ROOT / "README.md", f"{name} table", text)


if __name__ == "__main__":
    main()
