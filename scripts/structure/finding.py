"""One departure from the repository's structure: where it is, what it is, and what to do next."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, order=True)
class Finding:
    """A file (and the line in it, or 0), what is wrong there, and the next step."""

    path: Path
    line: int
    wrong: str
    next_step: str

    def __str__(self) -> str:
        place = f"{self.path}:{self.line}" if self.line else str(self.path)
        return f"{place}: {self.wrong}; {self.next_step}"
