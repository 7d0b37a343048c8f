"""TFHE's sets with usual, shared and block-binary secrets: the picture of docs/new-keys.md, from that page's tables.

Measures nothing: `cargo run --release -p everlevel-bench --example gates` prints times, and `tests/claims.rs` keys.
Draws docs/images/new_keys.png.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs/new-keys.md"
PICTURE = ROOT / "docs/images/new_keys.png"
SECRETS = {"usual": "#8c8c8c", "shared": "#e0a030", "blocks": "#1f6f8b"}
BITS = range(1, 9)


@dataclass
class Sets:
    """Of one kind of secrets and one probability of failure, by bits of messages."""

    alone_ms: dict[int, float]
    each_ms: dict[int, float]
    key_mb: dict[int, float]


def rows(page: str) -> dict[str, list[str]]:
    """Read all rows that begin with a set's name: the cells after it, by name and number of cells."""
    found = {}
    for line in page.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if line.startswith("| `integer-"):
            found[f"{cells[0].strip('`')}/{len(cells)}"] = cells[1:]
    return found


def numbers(cell: str) -> list[float]:
    """Read the numbers of a cell."""
    return [float(text) for text in re.findall(r"\d+(?:\.\d+)?", cell)]


def sets(page: str, failure: int) -> dict[str, Sets]:
    """Read times and keys of all kinds of secrets: keys of experimental sets have those of usual ones behind them."""
    table, all_sets = rows(page), {secrets: Sets({}, {}, {}) for secrets in SECRETS}
    for bits in BITS:
        name = f"integer-{bits}-{failure}"
        for (secrets, of), cell in zip(all_sets.items(), table[f"{name}/5"], strict=False):
            of.alone_ms[bits], of.each_ms[bits] = numbers(cell)
            if secrets != "usual":
                kind = "" if secrets == "shared" else "blocks-"
                of.key_mb[bits], all_sets["usual"].key_mb[bits] = numbers(table[f"{name}-{kind}experimental/7"][4])
    return all_sets


def draw(by_failure: dict[int, dict[str, Sets]], path: Path) -> None:
    """Draw time and key over bits, a row of panels for each probability of failure."""
    plt.rcParams["font.size"] = 11
    figure, axes = plt.subplots(len(by_failure), 2, figsize=(11, 7.5), sharex=True, sharey="col")
    for (failure, all_sets), (times, keys) in zip(by_failure.items(), axes, strict=True):
        for secrets, of in all_sets.items():
            style = {"color": SECRETS[secrets], "label": secrets, "linewidth": 1.8}
            times.plot(BITS, [of.each_ms[bits] for bits in BITS], "o-", **style)
            times.plot(BITS, [of.alone_ms[bits] for bits in BITS], "x", color=SECRETS[secrets])
            keys.plot(BITS, [of.key_mb[bits] for bits in BITS], "o-", **style)
        times.set_yscale("log")
        times.set_yticks([1, 2, 5, 10, 20, 50, 100], ["1", "2", "5", "10", "20", "50", "100"])
        times.minorticks_off()
        times.set_title(f"ms a table at $2^{{-{failure}}}$: in a batch (line), alone (cross)", loc="left", fontsize=11)
        keys.set_title(f"evaluation key, MB, at $2^{{-{failure}}}$", loc="left", fontsize=11)
        for axis in (times, keys):
            axis.spines[["top", "right"]].set_visible(False)
            axis.grid(axis="y", color="#e4e4e4")
            axis.set_axisbelow(True)
    for axis in axes[-1]:
        axis.set_xlabel("bits of a message")
        axis.set_xticks(BITS)
    largest = max(mb for all_sets in by_failure.values() for of in all_sets.values() for mb in of.key_mb.values())
    axes[0][1].set_ylim(0, 1.06 * largest)
    axes[0][0].legend(title="secrets", frameon=False)
    figure.tight_layout()
    figure.savefig(path, dpi=110)
    plt.close(figure)


def main() -> None:
    """Draw the picture."""
    page = PAGE.read_text(encoding="utf-8")
    draw({failure: sets(page, failure) for failure in (64, 128)}, PICTURE)


if __name__ == "__main__":
    main()
