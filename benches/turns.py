"""Compare the times of two builds, measured in turns: this tree's, and another checkout's of the same program.

    python benches/turns.py --base PATH/TO/figures --change target/release/examples/figures -- kernels tfhe ckks

Both programs print lines of ``name<TAB>seconds`` (`crates/everlevel-bench/examples/figures.rs`). They run one after
the other, the first of each turn alternating, so that a machine that slows down slows both. For each figure the mean
ratio of change to base is printed with its 95 % interval (Student's, over the turns' logarithms). A figure whose
interval lies wholly above +3 % (+5 % for a name that begins with ``kernel``) is slower, and the status is 1.
"""

from __future__ import annotations

import argparse
import json
import math
import shlex
import statistics
import subprocess
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

LEAST_TURNS = 10
MAY_BE_SLOWER, KERNEL_MAY_BE_SLOWER = 1.03, 1.05

Figures = dict[str, float]


@dataclass(frozen=True)
class Comparison:
    """One figure of both programs: median seconds, and the interval of the ratio of change to base."""

    name: str
    base_seconds: float
    change_seconds: float
    ratio: float
    low: float
    high: float

    @property
    def is_slower(self) -> bool:
        """Whether all of the interval is above what the figure may be."""
        return self.low > (KERNEL_MAY_BE_SLOWER if self.name.startswith("kernel") else MAY_BE_SLOWER)

    def __str__(self) -> str:
        return (
            f"{self.name:<32} {1e3 * self.base_seconds:>12.4f} {1e3 * self.change_seconds:>12.4f} ms"
            f"  {100 * (self.ratio - 1):>+6.2f} % [{100 * (self.low - 1):>+6.2f}, {100 * (self.high - 1):>+6.2f}]"
            f"{'  SLOWER' if self.is_slower else ''}"
        )


def student_95(degrees: int) -> float:
    """Return the two-sided 95 % quantile of Student's distribution by its expansion, to 0.2 % from 9 degrees on."""
    z = statistics.NormalDist().inv_cdf(0.975)
    first = (z**3 + z) / 4
    second = (5 * z**5 + 16 * z**3 + 3 * z) / 96
    third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
    return z + first / degrees + second / degrees**2 + third / degrees**3


def compare(turns: Sequence[tuple[Figures, Figures]]) -> list[Comparison]:
    """Compare the figures of (base, change), turn by turn; every turn has the same names."""
    names = turns[0][0].keys()
    if any(figures.keys() != names for turn in turns for figures in turn):
        raise SystemExit("turns: the two programs print different names; build both from the same source")
    return [_compare_one(name, [(base[name], change[name]) for base, change in turns]) for name in names]


def _compare_one(name: str, pairs: Sequence[tuple[float, float]]) -> Comparison:
    logs = [math.log(change / base) for base, change in pairs]
    mean = statistics.fmean(logs)
    half = student_95(len(logs) - 1) * statistics.stdev(logs) / math.sqrt(len(logs))
    return Comparison(
        name,
        statistics.median(base for base, _ in pairs),
        statistics.median(change for _, change in pairs),
        math.exp(mean),
        math.exp(mean - half),
        math.exp(mean + half),
    )


def run(program: str, options: Sequence[str]) -> Figures:
    """Run one program, and read its figures."""
    call = [*shlex.split(program), *options]
    lines = subprocess.run(call, stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()
    return {name: float(seconds) for name, seconds in (line.split("\t") for line in lines)}


def main() -> int:
    """Measure, print, and return the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--base", required=True, metavar="COMMAND", help="what prints the figures before the change")
    parser.add_argument("--change", required=True, metavar="COMMAND", help="what prints them after it")
    parser.add_argument("--turns", type=int, default=LEAST_TURNS, metavar="T", help=f"{LEAST_TURNS} or more")
    parser.add_argument("--json", type=Path, metavar="FILE", help="where every turn and the comparison are written")
    parser.add_argument("options", nargs="*", help="arguments of both commands, after --")
    arguments = parser.parse_args()
    if arguments.turns < LEAST_TURNS:
        parser.error(f"--turns: {arguments.turns} are too few for an interval; give {LEAST_TURNS} or more")
    turns: list[tuple[Figures, Figures]] = []
    for turn in range(arguments.turns):
        if turn % 2:
            change, base = (run(program, arguments.options) for program in (arguments.change, arguments.base))
        else:
            base, change = (run(program, arguments.options) for program in (arguments.base, arguments.change))
        turns.append((base, change))
        print(f"turn {turn + 1} of {arguments.turns}", flush=True)
    compared = compare(turns)
    print(f"{'':<32} {'base':>12} {'change':>12}     change over base, 95 % interval")
    print("\n".join(map(str, compared)))
    if arguments.json is not None:
        rows = {"comparison": [asdict(one) for one in compared], "turns": turns}
        arguments.json.write_text(json.dumps(rows, indent=2) + "\n", encoding="utf-8")
    return int(any(one.is_slower for one in compared))


if __name__ == "__main__":
    raise SystemExit(main())
