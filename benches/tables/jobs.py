"""The rows of all tables, in the order in which they are measured: ours first, then other libraries'."""

from __future__ import annotations

import argparse
import functools
from collections.abc import Iterator
from typing import Any

from everlevel._bench import TABLES, Row, measure_apart

from . import peers
from .driver import Job

SETS = [
    "insecure-tfhe-lib", "insecure-tfhe-lib-full", "gate-64", "gate-128",
    "integer-2-64", "integer-4-64", "integer-4-128", "integer-6-64",
    "ntru-gate-64", "ntru-gate-128", "ntru-gate-64-conservative", "ntru-integer-4-64",
]  # fmt: skip
DEFAULTS: dict[str, Any] = {
    "threads": [1, 2],
    "repetitions": 2,
    "gates": 31,
    "sizes": ["medium", "large"],
    "stage_counts": [3, 4, 5],
    "sets": SETS,
}
"""The options of `everlevel bench` that the pages' tables are measured with."""

_SECONDS = {"ckks": 25.0, "tfhe": 3.0}


def all_jobs() -> list[Job]:
    """List every row."""
    return [*own_jobs(), *(Job(f"peers/{key}", seconds, measure) for key, seconds, measure in peers.measurements())]


def own_jobs() -> Iterator[Job]:
    """Yield the rows that `everlevel bench` would print, each in a process of its own."""
    options = argparse.Namespace(**DEFAULTS, seeded=False, insecure_log_n=None)
    for name, table in TABLES.items():
        for choice in table.choices(options):
            yield Job(own_key(name, choice), _SECONDS[name], functools.partial(own, name, choice))


def own_key(table: str, choice: Row) -> str:
    """Name a row of ours by what tells it from the others of its table."""
    told = ("size", "stage_count") if table == "ckks" else ("parameters",)
    return "/".join([table, *(str(choice[name]) for name in told), str(choice["threads"])])


def own(table: str, choice: Row) -> Row:
    """Measure a row of ours; a failure is a missing row."""
    row = measure_apart(TABLES[table], choice)
    return row | {"missing": row["failure"]} if "failure" in row else row


TABLE_NAMES = (*TABLES, "peers")
