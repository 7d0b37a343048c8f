"""The error of every bootstrap, measured and drawn.

Prints a table: levels in and out, seconds, and precision on random data, uniform in [-1, 1] (real and imaginary parts,
where a bootstrap takes both), or ±1 for sign bootstraps. Writes ``out/bootstraps.png`` with three panels:

1. the histogram of each bootstrap's errors, in a row of its own;
2. the error of a lossy bootstrap against the value, beside what the sine's cubic term predicts;
3. the error of a sign bootstrap against the distance of its input from ±1, beside its square.

The ring is small and **insecure** unless ``--full`` asks for N = 2^16.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Literal

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from everlevel import Ciphertext, ConjugationKey, Engine, LossyBootstrapKey, RelinearizationKey, SecretKey

INSECURE_LOG_N = 12
Q0_OVER_S0 = 2.0**10
"""The message ratio: a value of size one is this part of the base modulus."""
EXPECTED: dict[str, Any] = {"color": "lightgrey", "linewidth": 5, "zorder": 1}
"""How what is expected is drawn, below what is measured."""

HEADER = f"{'bootstrap':<18} {'levels':>10} {'seconds':>8} {'mean, bits':>11} {'worst, bits':>12}"

ORDERS = ("regular", "merge", "lossy", "sign")
"""The rows of the histograms, from the top, by the first word of their names."""

Values = NDArray[Any]
Bootstrap = Callable[..., Any]


@dataclass
class Bench:
    """An engine, its keys, and random data."""

    engine: Engine
    secret_key: SecretKey
    keys: tuple[RelinearizationKey, ConjugationKey, LossyBootstrapKey]
    rng: np.random.Generator
    repeat: int

    def encrypt(self, values: Values, level: int) -> Ciphertext:
        """Encrypt at a level, with the bound that these values have."""
        return self.engine.encrypt(values, self.secret_key, level=level, bound=float(np.abs(values).max()))

    def uniform(self) -> Values:
        """Draw real values in [-1, 1]."""
        return self.rng.uniform(-1, 1, self.engine.slot_count)

    def complex_uniform(self) -> Values:
        """Draw values in the complex square."""
        return self.uniform() + 1j * self.uniform()

    def signs(self) -> Values:
        """Draw ±1."""
        return np.sign(self.uniform())

    def measure(
        self, name: str, bootstrap: Bootstrap, messages: list[Values], level: int, keys: Iterable[Any] | None = None
    ) -> Values:
        """Bootstrap messages, print the row, and return the absolute errors of all slots."""
        ciphertexts = [self.encrypt(message, level) for message in messages]
        seconds = np.inf
        for _ in range(self.repeat):
            start = time.perf_counter()
            result = bootstrap(*ciphertexts, *(self.keys if keys is None else keys))
            seconds = min(seconds, time.perf_counter() - start)
        results = result if isinstance(result, tuple) else (result,)
        pairs = zip(results, messages, strict=True)
        errors = np.concatenate([np.abs(self.engine.decrypt(out, self.secret_key) - message) for out, message in pairs])
        mean, worst = -np.log2(errors.mean()), -np.log2(errors.max())
        print(f"{name:<18} {level:>4} → {results[0].level:<3} {seconds:>8.2f} {mean:>11.1f} {worst:>12.1f}", flush=True)
        return errors

    def measure_all(self) -> dict[str, Values]:
        """Measure every bootstrap; errors by name."""
        engine, stages = self.engine, self.keys[2].stage_count
        cases: list[tuple[str, Bootstrap, list[Values], int]] = [
            ("regular", engine.bootstrap, [self.complex_uniform()], 0),
            ("merge", engine.merge_bootstrap, [self.uniform(), self.uniform()], 0),
            ("lossy", engine.lossy_bootstrap, [self.complex_uniform()], stages),
            ("lossy, real", engine.lossy_bootstrap, [self.uniform()], stages),
            ("lossy merge", partial(engine.merge_bootstrap, method="lossy"), [self.uniform(), self.uniform()], stages),
            ("sign", engine.sign_bootstrap, [self.signs() + 1j * self.signs()], stages),
            ("sign, real", engine.sign_bootstrap, [self.signs()], stages),
            ("sign merge", partial(engine.merge_bootstrap, method="sign"), [self.signs(), self.signs()], stages),
        ]
        print(HEADER)
        errors = {name: self.measure(name, call, messages, level) for name, call, messages, level in cases}
        for name, call, messages, level in cases:
            if name in ("regular", "lossy, real"):
                title, of_stages = f"{name.split(',')[0]}, small key", partial(call, stage_count=stages)
                errors[title] = self.measure(title, of_stages, messages, level, self._small_keys)
        return errors

    def measure_precise(self) -> dict[str, Values]:
        """Measure the bootstrap of high precision, which needs an engine made for it."""
        name, bootstrap = "regular, precise", partial(self.engine.bootstrap, precision="high")
        print(HEADER)
        return {name: self.measure(name, bootstrap, [self.complex_uniform()], 0)}

    @cached_property
    def _small_keys(self) -> tuple[Any, ...]:
        rotation_key = self.engine.create_rotation_key(self.secret_key)
        small_bootstrap_key = self.engine.create_small_bootstrap_key(self.secret_key)
        return *self.keys[:2], rotation_key, small_bootstrap_key


def make_bench(arguments: argparse.Namespace, precision: Literal["standard", "high"]) -> Bench:
    """Make the engine and the keys. One lossy key serves every bootstrap."""
    engine = Engine(
        use_bootstrap=True,
        precision=precision,
        thread_count=arguments.threads,
        insecure_log_n=None if arguments.full else INSECURE_LOG_N,
    )
    print(engine)
    secret_key = engine.create_secret_key()
    lossy_key = engine.create_lossy_bootstrap_key(secret_key, arguments.stage_count)
    print(f"{lossy_key}\n")
    keys = engine.create_relinearization_key(secret_key), engine.create_conjugation_key(secret_key), lossy_key
    return Bench(engine, secret_key, keys, np.random.default_rng(arguments.seed), arguments.repeat)


def draw_histograms(axis: Axes, errors: dict[str, Values]) -> None:
    """Draw the errors of each bootstrap in a row of its own, those of one order in one colour."""
    names = sorted(errors, key=lambda name: ORDERS.index(name.split(",")[0].split()[0]))
    logs = {name: np.log2(np.maximum(errors[name], 2.0**-45)) for name in names}
    bins = np.arange(-46.0, -11.5, 0.5)
    shares = {name: np.histogram(log, bins)[0] / log.size for name, log in logs.items()}
    tallest = max(share.max() for share in shares.values())
    beside = axis.get_yaxis_transform()  # rows of data, columns of the panel
    axis.text(1.02, -0.85, "bits, mean / worst", transform=beside, verticalalignment="center")
    for row, name in enumerate(names):
        regular = "tab:purple" if "precise" in name else "tab:blue"
        colour = "tab:orange" if "lossy" in name else "tab:green" if name.startswith("sign") else regular
        mean, worst = np.log2(errors[name].mean()), logs[name].max()
        axis.stairs(row - 0.9 * shares[name] / tallest, bins, baseline=row, fill=True, color=colour, alpha=0.6)
        axis.plot([mean, mean], [row, row - 0.9], color="black", linewidth=1)
        axis.axhline(row, color="lightgrey", linewidth=0.5, zorder=0)
        axis.text(1.02, row - 0.3, f"{-mean:.1f} / {-worst:.1f}", transform=beside, verticalalignment="center")
    axis.set(
        title="errors on uniform data; of sign: on ±1",
        xlabel="log2 of a slot's absolute error; lines: means",
        yticks=[row - 0.3 for row in range(len(names))],
        yticklabels=names,
        xlim=(-42, -15),
        ylim=(len(names) - 0.8, -1.1),
    )
    axis.tick_params(axis="y", length=0)


def draw_lossy(axis: Axes, bench: Bench) -> None:
    """Draw a lossy bootstrap's error against the value."""
    values = np.linspace(-1.25, 1.25, bench.engine.slot_count)
    refreshed = bench.engine.lossy_bootstrap(bench.encrypt(values, bench.keys[2].stage_count), *bench.keys)
    error = np.abs(bench.engine.decrypt(refreshed, bench.secret_key) - values)
    shown = slice(None, None, max(1, values.size // 2048))
    axis.semilogy(values[shown], error[shown], ".", markersize=2, color="tab:orange", label="measured")
    cubic = (2 * np.pi / Q0_OVER_S0) ** 2 / 6 * np.abs(values) ** 3
    axis.semilogy(values, np.maximum(cubic, 1e-12), **EXPECTED, label="the sine: 6.3e-6·|m|³")
    axis.set(title="lossy: error against the value", xlabel="value m", ylabel="absolute error", ylim=(1e-11, 1e-4))
    axis.legend(loc="lower left")


def draw_sign(axis: Axes, bench: Bench) -> None:
    """Draw a sign bootstrap's error against its input's."""
    distance = np.logspace(-6, np.log10(0.25), bench.engine.slot_count)
    signs = bench.signs()
    noisy = signs * (1 + distance * bench.signs())
    refreshed = bench.engine.sign_bootstrap(bench.encrypt(noisy, bench.keys[2].stage_count), *bench.keys)
    error = np.abs(bench.engine.decrypt(refreshed, bench.secret_key) - signs)
    shown = slice(None, None, max(1, signs.size // 2048))
    axis.loglog(distance[shown], error[shown], ".", markersize=2, color="tab:green", label="measured")
    axis.loglog(distance, np.pi**2 / 8 * distance**2, **EXPECTED, label="1.24·δ²")
    axis.loglog(distance, distance, "--", color="grey", linewidth=1, label="as it came in")
    axis.set(
        title="sign: error against the input's distance from ±1",
        xlabel="distance δ from ±1",
        ylabel="absolute error",
        ylim=(1e-13, 1),
    )
    axis.legend(loc="upper left")


def main() -> None:
    """Measure and draw."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--full", action="store_true", help="N = 2^16: gigabytes, and minutes")
    parser.add_argument("--stage-count", type=int, default=3, help="3, 4 or 5")
    parser.add_argument("--threads", type=int, help="all cores, if left out")
    parser.add_argument("--repeat", type=int, default=3, help="runs of each, of which the fastest counts")
    parser.add_argument("--seed", type=int, default=1, help="of the data; keys are random")
    parser.add_argument("--out", type=Path, default=Path("out"), help="folder of the picture")
    arguments = parser.parse_args()
    figure, axes = plt.subplots(1, 3, figsize=(18, 5.5), layout="constrained", width_ratios=(1.3, 1, 1))
    bench = make_bench(arguments, "standard")
    errors = bench.measure_all()
    draw_lossy(axes[1], bench)
    draw_sign(axes[2], bench)
    ring = "" if bench.engine.security_bits else ", insecure"
    figure.suptitle(f"Bootstraps at N = 2^{bench.engine.log_n}{ring}, stage count {arguments.stage_count}")
    del bench  # and its keys, before the others' take as much memory
    print()
    errors |= make_bench(arguments, "high").measure_precise()
    draw_histograms(axes[0], errors)
    path = arguments.out / "bootstraps.png"
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110)
    plt.close(figure)
    print(f"\n{path} written")


if __name__ == "__main__":
    main()
