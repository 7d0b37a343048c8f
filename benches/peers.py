"""Everlevel beside its peers: the front pages' table and picture, from what docs/notes/performance.md has measured.

Measures nothing. Writes the table between its marks in README.md and docs/index.md, and draws docs/images/peers.png.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
from marks import replace_marked

ROOT = Path(__file__).resolve().parents[1]
plt.rcParams["font.size"] = 12
NUMBER = re.compile(r"\d+(?:\.\d+)?")


@dataclass(frozen=True)
class Comparison:
    """A task that both libraries were timed at, and where the notes have the times."""

    task: tuple[str, str]
    peer: str
    unit: str
    row: str
    """How the row of the notes begins."""
    columns: tuple[int, int]
    """The row's cells with Everlevel's time and with the peer's."""


@dataclass(frozen=True)
class Row:
    """A comparison with its two times, as they are written in the notes."""

    what: Comparison
    ours: str
    theirs: str

    @property
    def ratio(self) -> float:
        """How many times as long the peer takes."""
        return float(self.theirs) / float(self.ours)


COMPARISONS = [
    Comparison(("CKKS bootstrap", "of 32768 numbers"), "desilofhe 1.17.0", "s", "| time of a bootstrap, s |", (1, 2)),
    Comparison(("TFHE gate", "that fails less than 2^-64"), "tfhe-rs 1.8.2", "ms", "| gate, 2^-64 |", (1, 2)),
    Comparison(
        ("TFHE table of 4 bits", "that fails less than 2^-128"),
        "tfhe-rs 1.8.2",
        "ms",
        "| table of 4 bits, 2^-128 |",
        (1, 2),
    ),
    Comparison(("number theoretic transform", "of degree 2^16"), "tfhe-ntt 0.7.1", "µs", "| 2^16 | forward |", (2, 5)),
]


def measured(notes: str) -> list[Row]:
    """Read every comparison out of the notes: the first number of a cell is its least time."""
    rows = []
    for what in COMPARISONS:
        (line,) = [line for line in notes.splitlines() if line.startswith(what.row)]
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        ours, theirs = (NUMBER.match(cells[column]) for column in what.columns)
        if not (ours and theirs):
            raise SystemExit(f"{what.row!r} has no times in its cells {what.columns}: {cells}")
        rows.append(Row(what, ours[0], theirs[0]))
    return rows


def markdown(rows: list[Row]) -> str:
    """Write the table for the front pages."""
    lines = ["| one thread | Everlevel | peer | times as fast |", "|---|---|---|---|"]
    for row in rows:
        what = row.what
        ours, theirs = f"**{row.ours} {what.unit}**", f"{row.theirs} {what.unit}, {what.peer}"
        lines.append(f"| {' '.join(what.task)} | {ours} | {theirs} | {row.ratio:.2g} |")
    return "\n".join(lines)


def draw(rows: list[Row], path: Path) -> None:
    """Draw every pair of times as bars, in units of the peer's time."""
    figure, axes = plt.subplots(figsize=(8, 2.9), layout="constrained")
    for place, row in enumerate(rows):
        unit = row.what.unit
        axes.barh(place - 0.2, 1 / row.ratio, 0.37, color="tab:green")
        axes.text(1 / row.ratio + 0.01, place - 0.2, f"{row.ours} {unit}  Everlevel", va="center", weight="bold")
        axes.barh(place + 0.2, 1, 0.37, color="0.8")
        axes.text(0.98, place + 0.2, row.what.peer, va="center", ha="right")
        axes.text(1.01, place + 0.2, f"{row.theirs} {unit}", va="center")
    axes.set_yticks(range(len(rows)), ["\n".join(row.what.task) for row in rows])
    axes.invert_yaxis()
    axes.set_xlim(0, 1.18)
    axes.set_xticks([])
    axes.tick_params(left=False)
    axes.spines[["top", "right", "bottom"]].set_visible(False)
    figure.suptitle(
        "Time on one thread of an AMD EPYC (Zen 5): shorter is better", fontsize="medium", x=0.02, ha="left"
    )
    figure.savefig(path, dpi=150)
    print(f"{path} written")


def main() -> None:
    """Write the table and the picture."""
    rows = measured((ROOT / "docs/notes/performance.md").read_text(encoding="utf-8"))
    for page in ("README.md", "docs/index.md"):
        replace_marked(ROOT / page, "peers table", markdown(rows))
    draw(rows, ROOT / "docs/images/peers.png")


if __name__ == "__main__":
    main()
