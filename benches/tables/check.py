"""Whether the tables on the pages are today's: their columns, their sets and rows, and one place for all of them.

A table whose sets have other parameters by now is refused: its figures are of sets that are gone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from everlevel._bench import TABLES

from . import pages
from .jobs import DEFAULTS
from .place import ROOT

NEXT = "run `make tables`"


def main(root: Path = ROOT) -> int:
    """Print what is wrong, and return the exit status."""
    found = list(findings({page: (root / page).read_text(encoding="utf-8") for page in pages.MARKED}))
    for finding in found:
        print(f"tables: {finding}; {NEXT}")
    return int(bool(found))


def findings(texts: dict[str, str]) -> Iterator[str]:
    """Yield what is wrong with the pages' tables."""
    places = set()
    for page, marks in pages.MARKED.items():
        for mark in marks:
            written = between(texts[page], mark)
            if written is None:
                yield f"{page} has no {mark!r} between marks"
                continue
            place = re.search(r"\*(Everlevel .*), (?:not )?measured .*\.\*", " ".join(written.split()))
            places.add(place[1] if place else f"no place under {mark!r} of {page}")
            yield from (f"{page}, {mark}: {wrong}" for wrong in table_findings(mark, written))
    if len(places) > 1:
        yield f"the tables are of different places: {'; '.join(sorted(places))}"


def between(text: str, mark: str) -> str | None:
    """Return what stands between a page's marks."""
    found = re.search(rf"<!-- {mark} begin[^\n]*\n(.*?)<!-- {mark} end -->", text, re.DOTALL)
    return found[1] if found else None


def table_findings(mark: str, written: str) -> Iterator[str]:
    """Yield what is wrong with one table."""
    lines = [line for line in written.splitlines() if line.startswith("|")]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    titles = list(titles_of(mark))
    if cells[:1] != [titles]:
        yield f"its columns are {cells[0] if cells else 'none'}, the bench's are {titles}"
        return
    if mark in (pages.FRONT, pages.PEERS):
        tasks = [" ".join(task) for task in (pages.FRONT_TASKS if mark == pages.FRONT else pages.TASKS)]
        if [row[0] for row in cells[2:]] != tasks:
            yield f"its rows are {[row[0] for row in cells[2:]]}, today's are {tasks}"
    if mark == "tfhe table":
        named = {row[0] for row in cells[2:]}
        extra = sorted(named - set(DEFAULTS["sets"]))
        if extra:
            yield f"its sets {', '.join(extra)} aren't measured any more"
    if mark in ("tfhe table", "ckks table"):
        yield from stale_parameters(mark, written)


def titles_of(mark: str) -> tuple[str, ...]:
    """Return the columns that a table has today."""
    if mark.endswith(" table") and mark.removesuffix(" table") in TABLES:
        return tuple(TABLES[mark.removesuffix(" table")].titles())
    others: dict[str, tuple[str, ...]] = {
        pages.FRONT: pages.FRONT_TITLES,
        pages.PEERS: pages.PEERS_TITLES,
        "bootstraps beside peers": pages.BOOTSTRAP_TITLES,
        "gates beside peers": pages.CALLS_TITLES,
        "published figures": pages.PUBLISHED_TITLES,
    }
    return others[mark]


def stale_parameters(mark: str, written: str) -> Iterator[str]:
    """Yield the sets whose parameters aren't those that were measured."""
    table = TABLES[mark.removesuffix(" table")]
    listed = re.search(r"<!-- measured parameters: (.*) -->", written)
    if listed is None:
        yield "it doesn't say which parameters were measured"
        return
    for pair in filter(lambda pair: pair != "none", listed[1].split(", ")):
        name, _, fingerprint = pair.partition(" ")
        today = table.fingerprint(name)
        if today != fingerprint:
            yield f"{name} was measured with the parameters {fingerprint}, today's are {today or 'gone'}"
