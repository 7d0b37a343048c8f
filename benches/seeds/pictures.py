"""The picture of docs/seeds.md: each bootstrap's time on one thread beside the published ones."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from tables.place import Store

from .page import kinds
from .published import Published, bootstraps

COLOURS = {"published, i7-10700K": "0.7", "published, RTX 5090": "tab:purple", "here": "tab:green"}


def draw(store: Store, path: Path) -> None:
    """Draw a panel for each table."""
    tables = [[one for one in bootstraps() if one.kind == kind] for kind in kinds()]
    heights = [len(rows) + 2 for rows in tables]
    figure, panels = plt.subplots(
        len(tables), 1, figsize=(9, 0.28 * sum(heights)), sharex=True, height_ratios=heights, layout="constrained"
    )
    for panel, rows in zip(panels, tables, strict=True):
        draw_table(panel, rows, store)
    panels[-1].set_xlabel("seconds, one thread (logarithmic)")
    marks = [plt.Line2D([], [], marker="o", linestyle="", color=colour) for colour in COLOURS.values()]
    figure.legend(marks, list(COLOURS), loc="outside upper center", ncols=3, frameon=False)
    figure.savefig(path, dpi=120)
    plt.close(figure)
    print(f"{path} written")


def draw_table(axes: Axes, rows: list[Published], store: Store) -> None:
    """Draw a table's rows, those of the published CPU and GPU beside ours."""
    published, gpu, ours = COLOURS.values()
    for place, one in enumerate(rows):
        cpu = one.seconds(0)
        seconds = store.rows.get(one.key, {}).get("seconds", {}).get("1")
        if cpu and seconds:
            axes.plot([seconds, min(cpu)], [place, place], color="0.85", zorder=1)
            axes.annotate(
                f"{min(cpu) / seconds:.0f} ×", (max(cpu), place), (6, -3), textcoords="offset points", fontsize=8
            )
        axes.scatter(cpu, [place] * len(cpu), color=published, zorder=2)
        axes.scatter(one.seconds(3), [place] * len(cpu), color=gpu, zorder=2, s=14)
        axes.scatter([seconds] if seconds else [], [place] if seconds else [], color=ours, zorder=3)
    names = [" ".join(filter(None, [str(one.slot_count or ""), one.size, str(one.stage_count)])) for one in rows]
    axes.set_yticks(range(len(rows)), names, fontsize=8)
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.set_xscale("log")
    axes.set_title(rows[0].kind, loc="left", fontsize=10)
    axes.grid(axis="x", color="0.93")
    axes.spines[["top", "right"]].set_visible(False)
