"""Measure bootstraps on this machine: time, precision, levels, key sizes and memory.

Every row is measured in a process of its own, with keys of its own, and takes gigabytes. The median time of several
bootstraps counts; the errors are those of random complex messages, and of ±1 in all slots.
"""

from __future__ import annotations

import argparse
import json
import os
from itertools import product
from pathlib import Path

from ..errors import EverlevelError


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument("--sizes", nargs="+", default=["medium"], metavar="SIZE", help="of keys (default: medium)")
    parser.add_argument("--stage-counts", nargs="+", type=int, default=[3], metavar="S", help="(default: 3)")
    parser.add_argument(
        "--threads", nargs="+", type=int, default=[os.cpu_count() or 1], metavar="T", help="all, if left out"
    )
    parser.add_argument("--seeded", action="store_true", help="measure seeded keys, too")
    parser.add_argument("--repetitions", type=int, default=3, metavar="R", help="(default: 3)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the rows to a file")
    parser.add_argument("--insecure-log-n", type=int, metavar="LOG_N", help="a ring of 2^LOG_N without any security")


def run(options: argparse.Namespace) -> int:
    """Measure, and print the table."""
    from .. import _bench  # what measures memory isn't on every system

    about = _bench.machine()
    print(", ".join(f"{name} {value}" for name, value in about.items()))
    ring = "2^16, 32768 slots" if options.insecure_log_n is None else f"2^{options.insecure_log_n}, INSECURE"
    print(f"N = {ring}, from level 0\n")
    kinds = [False, True] if options.seeded else [False]
    calls = product(
        ["everlevel"], kinds, options.sizes, options.stage_counts, options.threads, [options.repetitions],
        [options.insecure_log_n],
    )  # fmt: skip
    rows = _bench.measure_all(calls)
    if options.json is not None:
        try:
            options.json.write_text(json.dumps({"machine": about, "rows": rows}, indent=2) + "\n", encoding="utf-8")
        except OSError as error:
            raise EverlevelError(f"bench: {options.json} can't be written ({error.strerror})") from error
    return int(any("failure" in row for row in rows))
