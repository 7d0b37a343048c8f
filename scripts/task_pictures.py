"""Pictures of the pages in docs/tasks: each page's program runs on a small ring, and what it decrypts is drawn.

python scripts/task_pictures.py [NAME ...]
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np

matplotlib.use("Agg")

import matplotlib.pyplot as plt

PAGES = Path(__file__).resolve().parents[1] / "docs" / "tasks"
PICTURES = PAGES.parent / "images" / "tasks"
BLOCK = re.compile(r"```python\n(.*?)```", re.DOTALL)
LOG_N = 10
INK, LIGHT, RED = "#1f4e79", "#9dbcd9", "#c8102e"


def draw_ab_test(axes: Any, names: dict[str, Any]) -> None:
    """Draw the statistic."""
    t = np.linspace(-4, 5, 400)
    axes.plot(t, np.exp(-t * t / 2) / np.sqrt(2 * np.pi), color=INK)
    axes.axvline(names["z"], color=RED, label=f"statistic {names['z']:.2f}")
    axes.set_xlabel("difference of shares, in deviations")
    axes.legend()


def draw_genotype_scores(axes: Any, names: dict[str, Any]) -> None:
    """Draw scores and who is high."""
    scores, high = names["genotypes"] @ names["weights"], names["is_high"]
    axes.bar(range(len(scores)), scores, color=np.where(high, RED, LIGHT))
    axes.axhline(names["threshold"], color=INK, linestyle="--")
    axes.set_xlabel("person")
    axes.set_ylabel("score (red: told to be high)")


def draw_histogram(axes: Any, names: dict[str, Any]) -> None:
    """Draw counts."""
    axes.bar(np.arange(len(names["counts"])) * 10 + 5, names["counts"], width=9, color=INK)
    axes.set_xlabel("age")
    axes.set_ylabel("people")


def draw_image_filter(axes: Any, names: dict[str, Any]) -> None:
    """Draw both images."""
    axes.imshow(np.hstack([names["image"], np.ones((16, 1)), np.pad(names["edges"], 1)]), cmap="gray")
    axes.set_axis_off()


def draw_k_means(axes: Any, names: dict[str, Any]) -> None:
    """Draw incomes and centres."""
    axes.hist(names["incomes"], bins=30, color=LIGHT)
    for centre in names["centres"]:
        axes.axvline(centre, color=RED)
    axes.set_xlabel("income, thousands")


def draw_logistic_regression(axes: Any, names: dict[str, Any]) -> None:
    """Draw points and the line between them."""
    features, labels, (a, b) = names["features"], names["labels"], names["trained"]
    axes.scatter(*features.T, c=np.where(labels > 0, RED, LIGHT), s=12)
    t = np.array([-1.0, 1.0])
    axes.plot(t, -a / b * t, color=INK)
    axes.set_ylim(-1, 1)


def draw_moving_statistics(axes: Any, names: dict[str, Any]) -> None:
    """Draw the series and its band."""
    hours, means, deviations = names["hours"], names["means"], names["deviations"]
    axes.plot(hours, names["power"], color=LIGHT)
    at = hours[: len(means)] + 5.5
    axes.fill_between(at, means - 2 * deviations, means + 2 * deviations, color=RED, alpha=0.15)
    axes.plot(at, means, color=INK)
    axes.set_xlabel("hour")
    axes.set_ylabel("kW")


def draw_nearest_neighbour(axes: Any, names: dict[str, Any]) -> None:
    """Draw the map."""
    places, here, nearest = names["restaurants"], names["here"], names["nearest"]
    axes.scatter(*places.T, color=LIGHT)
    axes.plot(*np.array([here, places[nearest]]).T, color=RED)
    axes.scatter(*here, color=INK, marker="*", s=120)
    axes.set_aspect("equal")


def draw_pca(axes: Any, names: dict[str, Any]) -> None:
    """Draw points and their direction."""
    table, (a, b) = names["table"], names["found"]
    axes.scatter(*table.T, color=LIGHT, s=12)
    axes.plot([-0.5 * a, 0.5 * a], [-0.5 * b, 0.5 * b], color=RED)
    axes.set_aspect("equal")


def draw_risk_score(axes: Any, names: dict[str, Any]) -> None:
    """Draw risks beside those in the clear."""
    axes.plot([0, 1], [0, 1], color=LIGHT)
    axes.scatter(1 / (1 + np.exp(-names["plain"])), names["risk"], color=INK, s=12)
    axes.set_xlabel("risk in the clear")
    axes.set_ylabel("decrypted risk")


def draw_sensor_fusion(axes: Any, names: dict[str, Any]) -> None:
    """Draw sensors and what they come to."""
    axes.plot(names["first"], ".", color=LIGHT, label="sensors")
    axes.plot(names["second"], ".", color=LIGHT)
    axes.plot(names["truth"], color=INK, label="truth")
    axes.plot(names["fused"], color=RED, linewidth=1, label="fused")
    axes.set_ylabel("°C")
    axes.legend()


def draw_z_scores(axes: Any, names: dict[str, Any]) -> None:
    """Draw standard scores."""
    axes.scatter(*names["scores"].T, color=INK, s=12)
    axes.set_xlabel("height, in deviations")
    axes.set_ylabel("weight, in deviations")


DRAWN: dict[str, Callable[[Any, dict[str, Any]], None]] = {
    name.removeprefix("draw_").replace("_", "-"): value for name, value in globals().items() if name.startswith("draw_")
}


def picture(name: str) -> None:
    """Run a page, and draw what it decrypts."""
    names: dict[str, Any] = {}
    for code in BLOCK.findall((PAGES / f"{name}.md").read_text(encoding="utf-8")):
        exec(re.sub(r"\bEngine\(", f"Engine(insecure_log_n={LOG_N}, ", code), names)
    figure, axes = plt.subplots(figsize=(5, 3.2), layout="constrained")
    DRAWN[name](axes, names)
    PICTURES.mkdir(parents=True, exist_ok=True)
    figure.savefig(PICTURES / f"{name}.png", dpi=90, metadata={"Software": None})
    plt.close(figure)


def main() -> None:
    """Draw pictures of some pages, or of all."""
    for name in sys.argv[1:] or sorted(DRAWN):
        picture(name)


if __name__ == "__main__":
    main()
