"""The front pages' picture: every pair of times as bars, in units of the other library's time."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt

from .pages import Comparison

plt.rcParams["font.size"] = 12


def draw(comparisons: Sequence[Comparison], processor: str, path: Path) -> None:
    """Draw the comparisons that have both times."""
    rows = [(one, one.best, one.ratio) for one in comparisons]
    pairs = [(one, best, ratio) for one, best, ratio in rows if best is not None and ratio is not None]
    figure, axes = plt.subplots(figsize=(8, 0.75 + 0.54 * max(len(pairs), 1)), layout="constrained")
    widest = max((max(1.0, 1 / ratio) for _, _, ratio in pairs), default=1.0)
    for place, (one, best, ratio) in enumerate(pairs):
        axes.barh(place - 0.2, 1 / ratio, 0.37, color="tab:green")
        axes.text(1 / ratio + 0.01, place - 0.2, f"{one.ours} {one.unit}  Everlevel", va="center", weight="bold")
        axes.barh(place + 0.2, 1, 0.37, color="0.8")
        axes.text(0.98, place + 0.2, best.library, va="center", ha="right")
        axes.text(1.01, place + 0.2, f"{best} {one.unit}", va="center")
    axes.set_yticks(range(len(pairs)), ["\n".join(one.task) for one, _, _ in pairs])
    axes.invert_yaxis()
    axes.set_xlim(0, widest * 1.18)
    axes.set_xticks([])
    axes.tick_params(left=False)
    axes.spines[["top", "right", "bottom"]].set_visible(False)
    if not pairs:
        axes.text(0.5, 0.5, "not measured", transform=axes.transAxes, ha="center", va="center")
    figure.suptitle(f"Time on one thread, {processor}: shorter is better", fontsize="medium", x=0.02, ha="left")
    figure.savefig(path, dpi=150)
    plt.close(figure)
