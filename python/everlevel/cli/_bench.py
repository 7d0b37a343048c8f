"""Measure on this machine: CKKS bootstraps, and TFHE gates and tables.

Every row is measured in a process of its own, with keys of its own; those of CKKS take gigabytes. Of bootstraps the
median time of several counts, and the errors are those of random complex messages, and of ±1 in all slots. Gates and
tables are timed one by one, and in arrays of 64; all answers are compared.
"""

from __future__ import annotations

import argparse
import os

from .. import _bench
from ._options import require_from


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    _bench.add_options(
        parser,
        threads=[os.cpu_count() or 1],
        repetitions=3,
        gates=31,
        sizes=["medium"],
        stage_counts=[3],
        sets=["gate-64", "integer-4-64"],
    )


def run(options: argparse.Namespace) -> int:
    """Measure, and print the tables."""
    require_from("bench", options, 1, "repetitions", "gates")
    tables = _bench.measure(options, _bench.machine())
    return int(any("failure" in row for rows in tables.values() for row in rows))
