"""Where a run of the tables is: processor, commit and release; and the rows that it has measured so far."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from everlevel import __version__
from everlevel._bench import Row, processor

ROOT = Path(__file__).resolve().parents[2]


class RefusedError(Exception):
    """Rows that mustn't stand in one table."""


@dataclass(frozen=True)
class Place:
    """What all rows of a table have in common."""

    processor: str
    commit: str
    release: str

    def __str__(self) -> str:
        return f"Everlevel {self.release}, commit {self.commit}, {self.processor}"


def _git(*arguments: str) -> str:
    call = ["git", *arguments]
    try:
        return subprocess.run(call, capture_output=True, text=True, check=True, cwd=ROOT).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        raise RefusedError("tables: rows name the commit that they are of, and git knows of none here") from error


def here(written: Iterable[str]) -> Place:
    """Return this machine and commit; refuse sources that no commit has, but for the pages that are written."""
    dirty = changed(_git("status", "--porcelain"), written)
    if dirty:
        more = f" and {len(dirty) - 4} more" if len(dirty) > 4 else ""
        raise RefusedError(
            f"tables: {', '.join(dirty[:4])}{more} differ from the commit, and rows would name a commit that doesn't "
            "have them; commit or stash them"
        )
    return Place(processor(), _git("rev-parse", "--short=9", "HEAD").strip(), __version__)


MEASURED = ("benches/", "crates/", "python/")
"""Where a file that git doesn't know may change what is measured."""


def changed(status: str, written: Iterable[str]) -> list[str]:
    """List the files that differ from the commit, from git's short status, without those that this command writes."""
    lines = [(line[:2], line[3:].strip('"').split(" -> ")[-1]) for line in status.splitlines() if line]
    files = {file for state, file in lines if state != "??" or file.startswith(MEASURED)}
    return sorted(files - set(written))


@dataclass
class Store:
    """The rows of one place, in a file."""

    path: Path
    place: Place
    rows: dict[str, Row] = field(default_factory=dict)
    """What was measured, by the row's key: with its day, or with why it is missing."""

    @classmethod
    def open(cls, path: Path, place: Place) -> Store:
        """Read what the file has; rows of another place are refused."""
        store = cls(path, place)
        if path.exists():
            found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
            before = Place(**found["place"])
            if before != place:
                raise RefusedError(
                    f"tables: {path} has rows of {before}; this is {place}. One table is of one machine and one "
                    "commit: finish it there, or begin anew with --fresh"
                )
            store.rows = found["rows"]
        return store

    def has(self, key: str) -> bool:
        """Whether a row has figures."""
        return key in self.rows and "missing" not in self.rows[key]

    def put(self, key: str, row: Row) -> None:
        """Keep a row, and write the file at once: a run may be ended at any time."""
        self.rows[key] = row | {"day": time.strftime("%Y-%m-%d")}
        self.path.parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps({"place": asdict(self.place), "rows": self.rows}, indent=2)
        part = self.path.with_suffix(".part")
        part.write_text(text + "\n", encoding="utf-8")
        part.replace(self.path)

    def days(self) -> str:
        """Say when the rows were measured: a day, or the first and the last."""
        days = sorted({row["day"] for row in self.rows.values()})
        if not days:
            return "not measured yet"
        return f"measured {days[0]}" + (f" to {days[-1]}" if len(days) > 1 else "")
