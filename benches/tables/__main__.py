"""The command: measure what is missing, and write the pages."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

from marks import replace_marked

from . import check, pages, peers
from .jobs import TABLE_NAMES, Job, all_jobs
from .pages import NOT_YET
from .place import ROOT, Place, RefusedError, Store, here


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m tables", description="All tables of the pages, from one command.")
    parser.add_argument(
        "--only", nargs="+", default=[], metavar="ROW", help=f"{', '.join(TABLE_NAMES)}, or keys of rows"
    )
    parser.add_argument(
        "--again", nargs="+", default=[], metavar="ROW", help="measure these rows again; the same names"
    )
    parser.add_argument("--fresh", action="store_true", help="forget the rows that there are")
    parser.add_argument("--estimate", action="store_true", help="list what would be measured, and how long that takes")
    parser.add_argument("--build", action="store_true", help="build the other libraries, and measure nothing")
    parser.add_argument("--write", action="store_true", help="write the pages from the rows there are; measure nothing")
    parser.add_argument("--check", action="store_true", help="say whether the pages' tables are today's")
    parser.add_argument(
        "--rows", type=Path, default=ROOT / "out" / "tables.json", metavar="FILE", help="where rows are"
    )
    return parser.parse_args()


def named(job: Job, names: list[str]) -> bool:
    """Whether a row is one of those that are named: by its key, or by how its key begins."""
    return any(job.key == name or job.key.startswith(f"{name}/") for name in names)


def main() -> int:
    """Measure, write, and return the exit status."""
    options = arguments()
    if options.check:
        return check.main()
    if options.build:
        reasons = peers.build_all()
        print("\n".join(reasons.values()) or "all built")
        return int(bool(reasons))
    jobs = [job for job in all_jobs() if not options.only or named(job, options.only)]
    if not jobs:
        raise RefusedError(f"tables: no row is named {' or '.join(options.only)}; --estimate lists them")
    if options.estimate:
        print("\n".join(f"{job.seconds:>5.0f} s  {job.key}" for job in jobs))
        print(f"{len(jobs)} rows, about {minutes(jobs)} minutes, and what builds take")
        return 0
    place = here(pages.WRITTEN)
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
        measure(wanted, store, lambda: here(pages.WRITTEN))
    write(store)
    missing = [job.key for job in jobs if not store.has(job.key)]
    for key in missing:
        print(f"missing: {key}: {store.rows.get(key, NOT_YET)['missing']}")
    return int(bool(missing))


def minutes(jobs: list[Job]) -> int:
    """Estimate how long rows take."""
    return round(sum(job.seconds for job in jobs) / 60)


def measure(jobs: list[Job], store: Store, where: Callable[[], Place]) -> None:
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


def write(store: Store) -> None:
    """Write the pages and the picture."""
    texts = pages.texts(store)
    for page, marks in pages.MARKED.items():
        for mark in marks:
            replace_marked(ROOT / page, mark, texts[mark])
    from .picture import draw  # matplotlib isn't needed for the rest

    draw(pages.comparisons(store), store.place.processor, ROOT / pages.PICTURE)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except RefusedError as error:
        sys.exit(str(error))
