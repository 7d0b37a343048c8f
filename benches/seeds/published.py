"""The published rows of CKKS bootstraps, from published.toml."""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

THREADS = (1, 4, 16)
"""Of the first three times of a row; the fourth is a GPU's."""


@dataclass(frozen=True)
class Published:
    """A row of a table of CKKS bootstraps.

    Attributes
    ----------
    kind : str
        The table: ``regular``, ``sparse``, ``14 levels``, ``lossy``, ``lossy real``, ``sign`` or ``sign real``.
    slot_count : int
        0 for all slots.
    editions : sequence of sequences
        Seconds of the English and of the Korean edition, on 1, 4 and 16 threads and on a GPU; empty where an edition
        has none.
    """

    kind: str
    slot_count: int
    size: str
    stage_count: int
    editions: tuple[Sequence[float], Sequence[float]]

    @property
    def key(self) -> str:
        """The row's name: ``sparse/32/small/1``, ``lossy-real/medium/3``."""
        slots = [str(self.slot_count)] if self.slot_count else []
        return "/".join([self.kind.replace(" ", "-"), *slots, self.size, str(self.stage_count)])

    def seconds(self, column: int) -> list[float]:
        """List the editions' times of a column."""
        return [times[column] for times in self.editions if times]


@functools.cache
def document() -> dict[str, Any]:
    """Read the file."""
    return tomllib.loads((Path(__file__).parent / "published.toml").read_text(encoding="utf-8"))


@functools.cache
def bootstraps() -> tuple[Published, ...]:
    """List all rows, table after table."""
    tables = document()["bootstraps"]
    return tuple(
        Published(kind, slots, size, stages, (english, korean))
        for kind, rows in tables.items()
        for slots, size, stages, english, korean in rows
    )
