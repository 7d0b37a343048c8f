"""Half products beside full ones: transforms, time and noise of some TFHE sets, measured by a Rust example and drawn.

Runs the example ``products`` of everlevel-bench, which takes some minutes: 10,000 blind rotations of every form of
every set. Writes ``out/half_products.json`` and ``out/half_products.png``; ``--docs`` puts the picture and the table
into the documentation. ``--from FILE`` draws what was measured before.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from marks import replace_marked
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from everlevel import _bench

ROOT = Path(__file__).resolve().parents[1]
COLOURS = {"full": "0.62", "half": "tab:green"}

Row = dict[str, Any]


def measure(path: Path, samples: int, sets: list[str]) -> None:
    """Run the example, which prints its rows."""
    example = ["cargo", "run", "--release", "--quiet", "-p", "everlevel-bench", "--example", "products", "--"]
    options = ["--samples", str(samples), "--json", str(path.resolve()), *sets]
    subprocess.run([*example, *options], check=True, cwd=ROOT)


def digits(gadget: dict[str, int]) -> str:
    """Write a gadget."""
    return f"{gadget['digits']} × {gadget['base_log2']}"


def markdown(rows: list[Row]) -> str:
    """Write the table for the page."""
    titles = [
        "set", "products", "digits of mask, body", "bits a step", "transforms", "multiplications", "key, MB", "one, ms",
        "each of 64, ms", "noise", "formula", "variance by formula", "p_fail",
    ]  # fmt: skip
    lines = ["| " + " | ".join(titles) + " |", "|" + "---|" * len(titles)]
    for row in rows:
        cells = [
            f"`{row['set']}`", row["products"], f"{digits(row['mask'])}, {digits(row['body'])}",
            str(row["bits_per_step"]), str(row["transforms"]), str(row["multiplications"]),
            f"{row['key_megabytes']:.1f}",
            f"{row['least_milliseconds']:.2f} ({row['median_milliseconds']:.2f})", f"{row['batch_milliseconds']:.2f}",
            f"{row['log2_deviation']:.2f}", f"{row['log2_deviation_formula']:.2f}", f"{row['variance_ratio']:.2f}",
            f"2^{row['log2_p_fail']:.0f}",
        ]  # fmt: skip
        lines.append("| " + " | ".join(cells) + " |")
    about = ", ".join(f"{name} {value}" for name, value in _bench.machine().items())
    return "\n".join([*lines, "", f"{rows[0]['samples']} rotations a row. {about}."])


def places(rows: list[Row]) -> list[float]:
    """Return where rows stand, those of a set together."""
    sets = list(dict.fromkeys(row["set"] for row in rows))
    return [-i - 0.7 * sets.index(row["set"]) for i, row in enumerate(rows)]


def beside_full(rows: list[Row], name: str) -> list[float]:
    """Return what belongs to the full products of each row's set, which come first."""
    full = {row["set"]: row[name] for row in reversed(rows)}
    return [full[row["set"]] for row in rows]


def draw_bars(axis: Axes, rows: list[Row], values: list[float], texts: list[str]) -> None:
    """Draw a bar for each row, with a text at its end."""
    bars = axis.barh(places(rows), values, color=[COLOURS[row["products"]] for row in rows], height=0.8)
    axis.bar_label(bars, texts, padding=3)
    axis.set_xlim(0, 1.2 * max(values))


def draw_noise(axis: Axes, rows: list[Row]) -> None:
    """Draw what is measured over what the formula says, from the formula's value for full products."""
    formula, measured = ([row[name] for row in rows] for name in ("log2_deviation_formula", "log2_deviation"))
    full = beside_full(rows, "log2_deviation_formula")
    for values, style in (
        (formula, {"marker": "|", "s": 260, "linewidths": 4, "color": "gold"}),
        (measured, {"s": 32, "color": [COLOURS[row["products"]] for row in rows], "edgecolors": "black"}),
    ):
        axis.scatter(np.subtract(values, full), places(rows), **style)
    right = np.subtract(np.maximum(measured, formula), full)
    for value, x, y in zip(measured, right, places(rows), strict=True):
        axis.annotate(f"$2^{{{value:.2f}}}$", (x, y), (12, 0), textcoords="offset points", va="center", fontsize=11)
    axis.axvline(0, color="0.7", linewidth=1, zorder=0)
    axis.set_xscale("symlog", linthresh=1, linscale=2)
    axis.set_xticks([-0.5, 0, 0.5, 1, 2, 4], ["-0.5", "0", "0.5", "1", "2", "4"])
    axis.set_xlim(-0.6, 12)


def draw(rows: list[Row], path: Path) -> None:
    """Draw transforms, times and noise, row by row."""
    figure, axes = plt.subplots(1, 3, figsize=(14, 0.4 * len(rows) + 2.2), sharey=True, layout="constrained")
    labels = [f"{row['set']}   {digits(row['mask'])} | {digits(row['body'])}" for row in rows]
    axes[0].set_yticks(places(rows), labels, fontfamily="monospace")
    axes[0].text(-0.02, 1.02, "set   digits × bits of a mask | of the body", ha="right", transform=axes[0].transAxes)
    transforms = [row["transforms"] for row in rows]
    draw_bars(axes[0], rows, transforms, [str(count) for count in transforms])
    times = [row["least_milliseconds"] for row in rows]
    ratios = list(np.divide(times, beside_full(rows, "least_milliseconds")))
    draw_bars(axes[1], rows, ratios, [f"{time:.2f} ms" for time in times])
    draw_noise(axes[2], rows)
    axes[0].set(title="transforms in one step of a rotation", xlabel="forward and inverse")
    axes[1].set(title="time of a blind rotation", xlabel="part of the time with full products")
    axes[2].set(title="noise of a blind rotation", xlabel="bits above full products' formula")
    bars = [plt.Rectangle((0, 0), 1, 1, color=colour) for colour in COLOURS.values()]
    dots = [
        Line2D([], [], linestyle="", marker="o", markersize=6, color="white", markeredgecolor="black"),
        Line2D([], [], linestyle="", marker="|", markersize=16, markeredgewidth=4, color="gold"),
    ]
    names = ["full products", "half products", "standard deviation, measured", "by the formula"]
    figure.legend([*bars, *dots], names, loc="outside lower center", ncols=4, frameon=False)
    for axis in axes:
        axis.spines[["top", "right"]].set_visible(False)
        axis.grid(axis="x", color="0.92")
        axis.set_axisbelow(True)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110)
    plt.close(figure)
    print(f"{path} written")


def main() -> None:
    """Measure and draw."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("sets", nargs="*", help="names of sets; the example's own, if left out")
    parser.add_argument("--samples", type=int, default=10_000, help="rotations a form (default 10000)")
    parser.add_argument("--from", dest="source", type=Path, metavar="FILE", help="draw these rows instead")
    parser.add_argument("--out", type=Path, default=ROOT / "out", help="folder of what is written (default out)")
    parser.add_argument("--docs", action="store_true", help="put the picture and the table into the documentation")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    source = options.source or options.out / "half_products.json"
    if options.source is None:
        measure(source, options.samples, options.sets)
    rows = json.loads(source.read_text(encoding="utf-8"))
    picture = options.out / "half_products.png"
    draw(rows, picture)
    if options.docs:
        shutil.copy(picture, ROOT / "docs" / "images" / picture.name)
        replace_marked(ROOT / "docs" / "half-products.md", "half products", markdown(rows))


if __name__ == "__main__":
    main()
