"""Tables whose rows are measured one by one, each in a process of its own."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

Row = dict[str, Any]


@dataclass(frozen=True)
class Table:
    """A table: what its rows are, and how one is measured."""

    name: str
    columns: dict[str, tuple[str, str]]
    """Title and format of a row's values."""
    choices: Callable[[argparse.Namespace], Iterable[Row]]
    """Rows of a command line: the arguments of `measure` for each row."""
    measure: Callable[..., Row]
    """Measures one row in this process."""
    fingerprint: Callable[[str], str | None]
    """Tells parameters from all others: those that a row names, today; None if there are none of that name."""
    note: Callable[[int | None], str]
    """Note on all rows, on a ring without security if one is given."""

    def cells(self, row: Row) -> list[str]:
        """Write a row's values."""
        return [format(row[name], form) if name in row else "-" for name, (_, form) in self.columns.items()]

    def titles(self) -> list[str]:
        """Return the columns' titles."""
        return [title for title, _ in self.columns.values()]

    def markdown(self, rows: Iterable[Row]) -> str:
        """Write the table for a page."""
        lines = ["| " + " | ".join(self.titles()) + " |", "|" + "---|" * len(self.columns)]
        return "\n".join([*lines, *("| " + " | ".join(self.cells(row)) + " |" for row in rows)])


def timed(call: Any, *arguments: Any, **options: Any) -> tuple[Any, float]:
    """Call, and return the result and the seconds that it took."""
    start = time.perf_counter()
    result = call(*arguments, **options)
    return result, time.perf_counter() - start


def peak_gigabytes() -> float:
    """Return this process's peak memory."""
    import resource  # not on every system

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9


def measure_apart(table: Table, options: Row) -> Row:
    """Measure a row in a process of its own; a failure is a row that says so."""
    environment = os.environ | {"EVERLEVEL_PROGRESS": "0"}
    command = [sys.executable, "-m", "everlevel._bench", table.name, json.dumps(options)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    if done.returncode == 0:
        return options | dict(json.loads(done.stdout))
    reason = (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1]
    return options | {"failure": reason}


def measure_all(table: Table, choices: Iterable[Row]) -> list[Row]:
    """Measure rows one after the other, and print each when it is done."""
    widths = [max(len(title), 9) for title in table.titles()]

    def line(texts: Iterable[str]) -> str:
        return "  ".join(text.rjust(width) for text, width in zip(texts, widths, strict=True))

    print(line(table.titles()), flush=True)
    rows = []
    for options in choices:
        row = measure_apart(table, options)
        rows.append(row)
        print(line(table.cells(row)), *(["  ", row["failure"]] if "failure" in row else []), flush=True)
    return rows
