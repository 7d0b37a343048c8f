"""The maximum of encrypted arrays: when a street's houses draw the most power, and how much.

A meter reads watts every hour, and a day of readings tells when somebody is at home. Here each house encrypts its day
as 16-bit integers, and the grid's operator computes on what it can't read: for each house the largest reading and its
hour, by tournaments of comparisons, and the largest sum of all houses. Only those are decrypted.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from everlevel import tfhe

Readings = NDArray[np.uint16]


def days(houses: int, hours: int) -> Readings:
    """Return watts for each house and hour: some always drawn, more in the morning and in the evening, and a cooker."""
    rng = np.random.default_rng(13)
    hour = np.arange(hours) * 24 / hours
    base = rng.uniform(80, 300, (houses, 1))
    usual = [
        rng.uniform(300, 1200, (houses, 1)) * np.exp(-(((hour - at - rng.normal(0, 1, (houses, 1))) / 1.8) ** 2))
        for at in (7.5, 19)
    ]
    watts = (base + sum(usual)) * rng.uniform(0.8, 1.25, (houses, hours))
    watts[np.arange(houses), rng.integers(hours // 2, hours, houses)] += rng.uniform(800, 2400, houses)
    return watts.astype(np.uint16)


def draw(watts: Readings, peaks: Readings, at: NDArray[np.uint8], path: Path) -> None:
    """Draw what the houses know, and on it what the operator learns."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    figure, axis = plt.subplots(figsize=(8, 4.2), layout="constrained")
    for house, (day, peak, hour) in enumerate(zip(watts, peaks, at, strict=True)):
        color = f"C{house}"
        axis.step(np.arange(day.size), day, where="mid", color=color, alpha=0.35, linewidth=1)
        axis.plot([hour], [peak], "o", color=color, label=f"house {house}: {peak} W")
    axis.set_xlabel("hour")
    axis.set_ylabel("watts")
    axis.set_title("encrypted readings (lines), and decrypted maxima (dots)")
    axis.legend(frameon=False, fontsize=8, loc="upper left")
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=120)
    plt.close(figure)


def main() -> None:
    """Find the maxima, and compare."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--houses", type=int, default=6, help="default 6")
    parser.add_argument("--hours", type=int, default=24, help="readings of a house (default 24)")
    parser.add_argument("--threads", type=int, help="all, if left out")
    parser.add_argument("--insecure-log-n", type=int, help="a ring of 2^LOG_N without any security")
    parser.add_argument("--out", type=Path, default=Path("out"), help="folder of the picture (default out)")
    options = parser.parse_args()

    engine = tfhe.Engine("integer-4-128", thread_count=options.threads, insecure_log_n=options.insecure_log_n)
    print(engine)
    secret_key = engine.create_secret_key()
    evaluation_key = engine.create_evaluation_key(secret_key)
    print(evaluation_key)

    watts = days(options.houses, options.hours)
    encrypted = engine.encrypt_uint(watts, secret_key)
    print(encrypted)

    found = []
    for what, compute in [
        ("largest reading of each house", lambda: encrypted.max(axis=1)),
        ("its hour", lambda: encrypted.argmax(axis=1)),
        ("largest sum of all houses", lambda: encrypted.sum(axis=0).max()),
    ]:
        count, start = evaluation_key.bootstrap_count, time.perf_counter()
        found.append(compute())
        seconds, count = time.perf_counter() - start, evaluation_key.bootstrap_count - count
        print(f"{what}: {count} bootstraps in {seconds:.1f} s, {1e3 * seconds / count:.1f} ms each")

    peaks, at, street = (engine.decrypt(array, secret_key) for array in found)
    assert (peaks == watts.max(axis=1)).all(), "an encrypted maximum is wrong"
    assert (at == watts.argmax(axis=1)).all(), "an encrypted hour is wrong"
    assert street == watts.sum(axis=0, dtype=np.uint16).max(), "the encrypted sum is wrong"
    for house, (peak, hour) in enumerate(zip(peaks, at, strict=True)):
        print(f"house {house}: {peak:>5} W in hour {hour}")
    print(f"the street: {street} W; all as NumPy says")
    path = options.out / "encrypted_maximum.png"
    draw(watts, peaks, at, path)
    print(path)


if __name__ == "__main__":
    main()
