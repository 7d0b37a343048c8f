"""Commands that measure rows, each kept as soon as it is there, and then write pages from them."""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from everlevel._bench import Row

from .place import ROOT, Place, RefusedError, Store

NOT_YET: Row = {"missing": "not measured yet"}


@dataclass(frozen=True)
class Job:
    """One row: how it is called, how long it takes about, and how it is measured."""

    key: str
    seconds: float
    measure: Callable[[], Row]

    @property
    def table(self) -> str:
        """The table that it is asked for with: ``--only``."""
        return self.key.partition("/")[0]


def parser(prog: str, about: str, names: Sequence[str]) -> argparse.ArgumentParser:
    """Make the parser of the options that all such commands have; `names` are those of tables."""
    made = argparse.ArgumentParser(prog=prog, description=about)
    made.add_argument("--only", nargs="+", default=[], metavar="ROW", help=f"{', '.join(names)}, or keys of rows")
    made.add_argument("--again", nargs="+", default=[], metavar="ROW", help="measure these rows again; the same names")
    made.add_argument("--fresh", action="store_true", help="forget the rows that there are")
    made.add_argument("--estimate", action="store_true", help="list what would be measured, and how long that takes")
    made.add_argument("--write", action="store_true", help="write the pages from the rows there are; measure nothing")
    rows = ROOT / "out" / f"{prog.rpartition(' ')[2]}.json"
    made.add_argument("--rows", type=Path, default=rows, metavar="FILE", help="where rows are")
    return made


def run(
    options: argparse.Namespace, all_jobs: Sequence[Job], where: Callable[[], Place], write: Callable[[Store], None]
) -> int:
    """Measure the rows that are asked for and missing, write the pages, and return the exit status."""
    jobs = [job for job in all_jobs if not options.only or named(job, options.only)]
    if not jobs:
        raise RefusedError(f"tables: no row is named {' or '.join(options.only)}; --estimate lists them")
    if options.estimate:
        print("\n".join(f"{job.seconds:>5.0f} s  {job.key}" for job in jobs))
        print(f"{len(jobs)} rows, about {minutes(jobs)} minutes, and what builds take")
        return 0
    place = where()
    if options.fresh:
        options.rows.unlink(missing_ok=True)
    store = Store.open(options.rows, place)
    wanted = [job for job in jobs if not store.has(job.key) or named(job, options.again)]
    print(
        f"{place}: {len(wanted)} of {len(jobs)} rows to measure, about {minutes(wanted)} minutes, and what builds take"
    )
    if not options.write:
        if os.getloadavg()[0] > 1:
            print("others compute on this machine: times of the clock on the wall will be theirs, too", flush=True)
        measure(wanted, store, where)
    write(store)
    missing = [job.key for job in jobs if not store.has(job.key)]
    for key in missing:
        print(f"missing: {key}: {store.rows.get(key, NOT_YET)['missing']}")
    return int(bool(missing))


def named(job: Job, names: list[str]) -> bool:
    """Whether a row is one of those that are named: by its key, or by how its key begins."""
    return any(job.key == name or job.key.startswith(f"{name}/") for name in names)


def minutes(jobs: Sequence[Job]) -> int:
    """Estimate how long rows take."""
    return round(sum(job.seconds for job in jobs) / 60)


def measure(jobs: Sequence[Job], store: Store, where: Callable[[], Place]) -> None:
    """Measure rows, and keep each at once, as long as the sources stay those of the first."""
    for number, job in enumerate(jobs, 1):
        now = where()
        if now != store.place:
            raise RefusedError(f"tables: rows before {job.key} are of {store.place}, this is {now} by now; begin anew")
        print(f"{number}/{len(jobs)} {job.key} …", flush=True)
        start = time.monotonic()
        store.put(job.key, job.measure())
        told = store.rows[job.key].get("missing", "measured")
        print(f"    {told}, {time.monotonic() - start:.0f} s; about {minutes(jobs[number:])} minutes to go", flush=True)
