"""CKKS bootstraps in turns with Lattigo's: ``make bench BENCH_ARGS="--peer lattigo"``.

Each turn is a process of either library, the first of a turn alternating: it makes keys and bootstraps all slots,
uniform in the complex unit square, on one thread. Of a process the least time counts, after a first bootstrap that
doesn't; of all turns the median of the ratios. Lattigo's set is the published one of its fastest bootstrap
(N16QP1546H192H32, from level 0 to 9 levels of 40 bits).
"""

from __future__ import annotations

import json
import statistics
import sys
from typing import Any

import apart
import numpy as np
from tables import peers

from everlevel import Engine
from everlevel._bench import Row
from everlevel._bench.ckks import bits, messages_of
from everlevel._bench.rows import timed

ROWS: dict[str, dict[str, Any]] = {
    "level 3 to 13": {"level_in": 3},
    "level 0 to 10": {"level_in": 0},
    "level 3 to 10": {"level_in": 3, "level": 10},
    "level 3 to 4": {"level_in": 3, "level": 4},
    "level 3 to 13, real": {"level_in": 3, "is_real": True},
}
"""Bootstraps that take turns with Lattigo's, with large keys of three stages."""


def measure(repetitions: int, insecure_log_n: int | None) -> Row:
    """Measure our rows in this process."""
    engine = Engine(use_bootstrap=True, thread_count=1, insecure_log_n=insecure_log_n)
    secret_key = engine.create_secret_key()
    engine.create_relinearization_key(secret_key)
    engine.create_conjugation_key(secret_key)
    key = engine.create_bootstrap_key(secret_key, stage_count=3, size="large")
    rows: Row = {}
    for name, options in ROWS.items():
        message = messages_of(engine.slot_count)["uniform"]
        message = message.real if options.get("is_real") else message
        ciphertext = engine.encrypt(message, secret_key, options["level_in"], bound=1.5)
        runs = [timed(engine.bootstrap, ciphertext, key, level=options.get("level")) for _ in range(repetitions + 1)]
        errors = np.abs(engine.decrypt(runs[-1][0], secret_key) - message)
        rows[name] = {
            "seconds": min(seconds for _, seconds in runs[1:]),
            "level": runs[-1][0].level,
            "mean_bits": bits(errors.mean()),
            "worst_bits": bits(errors.max()),
        }
    return rows


def ours(repetitions: int, insecure_log_n: int | None) -> Row:
    """Measure our rows in a process of their own."""
    done = apart.python(__file__, json.dumps({"repetitions": repetitions, "insecure_log_n": insecure_log_n}))
    done.check_returncode()
    return dict(json.loads(done.stdout))


def compare(turns: int, repetitions: int, insecure_log_n: int | None) -> list[Row]:
    """Take turns, and print a line for each of our rows."""
    small = () if insecure_log_n is None else ("--insecure-log-n", str(insecure_log_n))
    found: list[tuple[Row, Row]] = []
    for turn in range(turns):
        print(f"turn {turn + 1} of {turns} …", file=sys.stderr, flush=True)
        mine = ours(repetitions, insecure_log_n) if turn % 2 == 0 else None
        theirs = peers.lattigo("--repetitions", str(repetitions + 1), *small)
        found.append((mine or ours(repetitions, insecure_log_n), theirs))
    lattigo = [theirs["least_seconds"] for _, theirs in found]
    last = found[-1][1]
    print(
        f"Lattigo {peers.lattigo_version()} {last['set']}: {statistics.median(lattigo):.2f} s"
        f" ({min(lattigo):.2f} to {max(lattigo):.2f}), level {last['level_out']},"
        f" {last['mean_bits']:.1f} and {last['worst_bits']:.1f} bits"
    )
    lines = []
    for name in ROWS:
        of_turns = [mine[name] for mine, _ in found]
        ratios = [row["seconds"] / theirs for row, theirs in zip(of_turns, lattigo, strict=True)]
        seconds = [row["seconds"] for row in of_turns]
        lines.append({"name": name, "seconds": statistics.median(seconds), "ratio": statistics.median(ratios)})
        print(
            f"{name:<22} {statistics.median(seconds):.2f} s ({min(seconds):.2f} to {max(seconds):.2f}),"
            f" {statistics.median(ratios):.3f} of Lattigo's ({min(ratios):.3f} to {max(ratios):.3f}),"
            f" {of_turns[-1]['mean_bits']:.1f} and {of_turns[-1]['worst_bits']:.1f} bits"
        )
    return lines


if __name__ == "__main__":
    json.dump(measure(**json.loads(sys.argv[1])), sys.stdout)
