"""NTRU's methods beside TFHE: the picture of docs/ntru.md, from the table of that page.

Measures nothing: `cargo run --release -p everlevel-bench --example ntru` prints the table. Draws
docs/images/ntru_methods.png.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs/ntru.md"
PICTURE = ROOT / "docs/images/ntru_methods.png"
HEAD = "| | transforms |"
TFHE, NTRU, OTHER = "#8c8c8c", "#1f6f8b", "#9ccddc"


@dataclass(frozen=True)
class Method:
    """A row of the table."""

    name: str
    transforms: float
    key_mb: float
    alone_ms: float
    each_ms: float


def number(cell: str) -> float:
    """Read the first number of a cell."""
    found = re.search(r"\d+(?:\.\d+)?", cell)
    if found is None:
        raise SystemExit(f"{cell!r} has no number")
    return float(found[0])


def methods(page: str) -> list[Method]:
    """Read the table's rows: name, transforms, key, failure, security, alone, each of 64."""
    lines = page.splitlines()
    (start,) = [i for i, line in enumerate(lines) if line.startswith(HEAD)]
    titles = [cell.strip() for cell in lines[start].strip("|").split("|")]
    columns = [titles.index(title) for title in ("transforms", "key, MB", "alone, ms", "each of 64, ms")]
    rows = []
    for line in lines[start + 2 :]:
        if not line.startswith("|"):
            break
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        rows.append(Method(cells[0].replace("`", ""), *(number(cells[column]) for column in columns)))
    return rows


def draw(rows: list[Method], path: Path) -> None:
    """Draw a bar of each method for transforms, key and time."""
    plt.rcParams["font.size"] = 11
    figure, axes = plt.subplots(1, 3, figsize=(14, 0.42 * len(rows) + 1.4), sharey=True)
    places = range(len(rows))
    colours = [TFHE if r.name.startswith("TFHE") else NTRU if r.name.startswith("NTRU") else OTHER for r in rows]
    panels = [
        ("transforms of a gate", [r.transforms for r in rows], "{:.0f}"),
        ("bootstrapping key, MB", [r.key_mb for r in rows], "{:.1f}"),
        ("ms a gate: alone (bar), each of 64 (mark)", [r.alone_ms for r in rows], "{:.2f}"),
    ]
    for axis, (title, values, form) in zip(axes, panels, strict=True):
        axis.barh(places, values, color=colours, height=0.7)
        ends = [max(r.alone_ms, r.each_ms) for r in rows] if axis is axes[2] else values
        for place, value, end in zip(places, values, ends, strict=True):
            label, behind = form.format(value), {"xytext": (5, 0), "textcoords": "offset points"}
            axis.annotate(label, (end, place), **behind, va="center", fontsize=10)
        axis.set_title(title, loc="left", fontsize=11)
        axis.set_xlim(0, 1.18 * max(values))
        axis.spines[["top", "right"]].set_visible(False)
        axis.tick_params(axis="y", length=0)
    axes[2].plot([r.each_ms for r in rows], places, "|", color="black", markersize=11, markeredgewidth=2)
    axes[0].set_yticks(places, [r.name for r in rows])
    axes[0].invert_yaxis()
    figure.tight_layout()
    figure.savefig(path, dpi=110)
    plt.close(figure)


def main() -> None:
    """Draw the picture."""
    draw(methods(PAGE.read_text(encoding="utf-8")), PICTURE)


if __name__ == "__main__":
    main()
