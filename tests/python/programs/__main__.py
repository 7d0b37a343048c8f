"""Run many programs, and say which claims were false: ``python -m programs --programs 10000``, from tests/python.

Prints a table of what was run and a minimal program for every kind of false claim, and exits with 1 if there is one.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter

from . import surface, worlds
from .checking import Criteria, Finding, Report, run
from .many import reports
from .shrinking import shrunk
from .worlds import WORLDS


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m programs", description=__doc__)
    parser.add_argument("--programs", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="index of the first program")
    fronts = sorted({w.front for w in WORLDS} | {w.name for w in WORLDS})
    parser.add_argument("--only", choices=fronts, help="programs of one front, or of one world")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--no-shrinking", action="store_true")
    parser.add_argument("--show", action="store_true", help="print the programs instead of running them")
    parser.add_argument("--typical", type=float, default=2.0, help="factor of 2^-precision_bits for plain values")
    parser.add_argument("--structured", type=float, default=float("inf"), help="the same for structured values")
    options = parser.parse_args(arguments)
    criteria = Criteria(typical_factor=options.typical, structured_factor=options.structured)
    if options.show:
        for index in range(options.first, options.first + options.programs):
            print(worlds.program(options.seed, index, options.only).source())
        return 0
    began, done, total, found = time.monotonic(), 0, Report(), []
    for count, report, some in reports(
        options.seed, options.first, options.programs, options.only, criteria, options.jobs
    ):
        done += count
        total.add(report)
        found += some
        if sys.stderr.isatty():
            width = 40 * done // options.programs
            print(f"\r[{'#' * width:40}] {done} programs, {len(found)} false claims", end="", file=sys.stderr)
    print(file=sys.stderr)
    print(f"{done} programs under seed {options.seed} in {time.monotonic() - began:.0f} s")
    print_table(total, found)
    if not options.no_shrinking:
        print_minimal(options.seed, options.only, criteria, found)
    return 1 if found else 0


def print_table(total: Report, found: list[tuple[int, Finding]]) -> None:
    """Print counts by operation and by kind of false claim."""
    covered = surface.covered_names()
    print(f"\n{sum(total.operations.values())} operations of {len(covered)} names; by name:")
    rows = sorted((total.operations[name], name) for name in covered)
    print("  " + ", ".join(f"{name} {count}" for count, name in reversed(rows)))
    print("refused: " + (", ".join(f"{name} {count}" for name, count in total.refused.most_common()) or "none"))
    print("counted: " + ", ".join(f"{name} {count}" for name, count in total.counts.most_common()))
    print("tightest, in bits: " + ", ".join(f"{name} {bits:.2f}" for name, bits in sorted(total.tightest.items())))
    print(f"\n{len(found)} false claims in {len({index for index, _ in found})} programs")
    kinds = Counter((f.kind, f.operation) for _, f in found)
    first = {(f.kind, f.operation): (i, f) for i, f in sorted(found, key=lambda pair: -pair[0])}
    for (kind, operation), count in kinds.most_common():
        index, finding = first[kind, operation]
        print(f"  {kind:18} {operation:42} {count:5}, first in {index}: {finding.what}")


def print_minimal(seed: int, only: str | None, criteria: Criteria, found: list[tuple[int, Finding]]) -> None:
    """Print a minimal program for each kind of false claim."""
    shown: set[str] = set()
    for index, finding in sorted(found, key=lambda pair: pair[0]):
        if finding.kind in shown:
            continue
        shown.add(finding.kind)
        program = shrunk(worlds.program(seed, index, only), finding, criteria)
        again = run(program, criteria).findings
        print(f"\n# {again[0] if again else finding}")
        print(program.source())


if __name__ == "__main__":
    sys.exit(main())
