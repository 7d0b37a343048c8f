"""The command: measure the rows that are missing, and write docs/seeds.md and its picture."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Iterator

from marks import replace_marked
from tables import driver
from tables.driver import Job
from tables.place import ROOT, Place, RefusedError, Store, here

from everlevel import __version__
from everlevel._bench import processor

from . import bootstraps, page
from .examples import EXAMPLES, TURNS
from .published import THREADS
from .published import bootstraps as published

_QUICK_LOG_N = 11
_SECONDS = {"small": 75.0, "medium": 60.0, "large": 70.0}


def jobs(*, quick: bool) -> Iterator[Job]:
    """Yield every row; where `quick` is set, those of small rings, which say nothing of times and tfhe-rs lacks."""
    cores = os.cpu_count() or 1
    threads = [count for count in sorted({*THREADS, 2}) if count <= cores]
    for one in published():
        options = {
            "kind": one.kind,
            "slot_count": one.slot_count,
            "size": one.size,
            "stage_count": one.stage_count,
            "threads": threads,
            "repetitions": 1 if quick else 3,
            "insecure_log_n": _QUICK_LOG_N if quick else None,
        }
        yield Job(one.key, 2.0 if quick else _SECONDS[one.size], functools.partial(bootstraps.measure_apart, options))
    for example in EXAMPLES:
        yield Job(example.key, 10.0 if quick else example.seconds, functools.partial(example.measure, quick=quick))
    if not quick:
        yield from (Job(turns.key, turns.seconds, turns.measure) for turns in TURNS)


def main() -> int:
    """Measure, write, and return the exit status."""
    names = list(dict.fromkeys(job.table for job in jobs(quick=False)))
    parser = driver.parser("python -m seeds", "Every row of the published tables, from one command.", names)
    parser.add_argument("--quick", action="store_true", help="small rings without security; no page is written")
    options = parser.parse_args()
    if options.quick and options.rows == parser.get_default("rows"):
        options.rows = ROOT / "out" / "seeds-quick.json"
    all_jobs = list(jobs(quick=options.quick))
    if options.quick:
        # Whether rows run is asked of any sources, those of no commit, too.
        place = Place(processor(), "none", __version__)
        return driver.run(options, all_jobs, lambda: place, check)
    return driver.run(options, all_jobs, lambda: here(page.WRITTEN), write_page)


def check(store: Store) -> None:
    """Write every table, and keep none."""
    print(f"{len(page.texts(store))} tables, {sum('missing' not in row for row in store.rows.values())} rows")


def write_page(store: Store) -> None:
    """Write the tables that have rows, and the picture."""
    for mark, text in page.known(store).items():
        replace_marked(ROOT / page.PAGE, mark, text)
    from .pictures import draw  # matplotlib isn't needed for the rest

    if any(store.has(one.key) for one in published()):
        draw(store, ROOT / page.PICTURE)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except RefusedError as error:
        sys.exit(str(error))
