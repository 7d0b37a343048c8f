"""Running many programs, in one process or several."""

from __future__ import annotations

from collections.abc import Iterator
from multiprocessing import get_context

from . import worlds
from .checking import Criteria, Finding, Report, run

_CHUNK = 20


def _chunk(task: tuple[int, int, int, str | None, Criteria]) -> tuple[int, Report, list[tuple[int, Finding]]]:
    seed, first, count, only, criteria = task
    total, found = Report(), []
    for index in range(first, first + count):
        report = run(worlds.program(seed, index, only), criteria)
        found += [(index, finding) for finding in report.findings]
        total.add(report)
    return count, total, found


def reports(
    seed: int, first: int, count: int, only: str | None, criteria: Criteria, jobs: int
) -> Iterator[tuple[int, Report, list[tuple[int, Finding]]]]:
    """Run programs, in chunks, and give what each chunk came to."""
    tasks = [
        (seed, start, min(_CHUNK, first + count - start), only, criteria)
        for start in range(first, first + count, _CHUNK)
    ]
    if jobs == 1:
        yield from map(_chunk, tasks)
        return
    with get_context("spawn").Pool(jobs) as pool:
        yield from pool.imap_unordered(_chunk, tasks)
