"""The rows of `everlevel bench`, benches/bench.py and benches/tables: CKKS bootstraps, and gates and tables.

Every row is measured in a process of its own (``python -m everlevel._bench TABLE OPTIONS``), so that nothing is warm
from the row before, and its peak memory is its own.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from ..errors import EverlevelError
from . import ckks, tfhe
from .machine import machine, processor
from .rows import Row, Table, measure_all, measure_apart

__all__ = ["TABLES", "Row", "Table", "add_options", "machine", "measure", "measure_apart", "processor"]

TABLES: dict[str, Table] = {table.name: table for table in (ckks.TABLE, tfhe.TABLE)}


def add_options(parser: argparse.ArgumentParser, **defaults: Any) -> None:
    """Add the options of both tables, with these defaults."""

    def add(group: argparse._ActionsContainer, name: str, metavar: str, about: str = "", **options: Any) -> None:
        default = defaults[name.removeprefix("--").replace("-", "_")]
        text = " ".join(map(str, default)) if isinstance(default, list) else default
        group.add_argument(name, default=default, metavar=metavar, help=f"{about}(default: {text})", **options)

    parser.add_argument("--only", choices=list(TABLES), help="one table; both, if left out")
    add(parser, "--threads", "T", nargs="+", type=int)
    parser.add_argument(
        "--json", type=Path, metavar="FILE", default=defaults.get("json"), help="where rows are written"
    )
    parser.add_argument("--insecure-log-n", type=int, metavar="LOG_N", help="a ring of 2^LOG_N without any security")
    bootstraps = parser.add_argument_group("CKKS bootstraps")
    add(bootstraps, "--sizes", "SIZE", "of keys ", nargs="+")
    add(bootstraps, "--stage-counts", "S", nargs="+", type=int)
    bootstraps.add_argument("--seeded", action="store_true", help="measure seeded keys, too")
    add(bootstraps, "--repetitions", "R", "of each row ", type=int)
    gates = parser.add_argument_group("TFHE gates and tables")
    add(gates, "--sets", "SET", "of parameters ", nargs="+")
    add(gates, "--gates", "R", "of each row, one by one ", type=int)


def measure(options: argparse.Namespace, about: dict[str, str]) -> dict[str, list[Row]]:
    """Measure the tables that are asked for, print them, and write them to the options' file.

    Returns
    -------
    dict
        Rows by the table's name.
    """
    print(", ".join(f"{name} {value}" for name, value in about.items()))
    rows = {}
    for table in TABLES.values():
        if options.only in (None, table.name):
            print(f"\n{table.note(options.insecure_log_n)}\n")
            rows[table.name] = measure_all(table, table.choices(options))
    if options.json is not None:
        try:
            options.json.parent.mkdir(parents=True, exist_ok=True)
            options.json.write_text(json.dumps({"machine": about, **rows}, indent=2) + "\n", encoding="utf-8")
        except OSError as error:
            raise EverlevelError(f"bench: {options.json} can't be written ({error.strerror})") from error
        print(f"\n{options.json} written")
    return rows
