"""Fuzz every target of crates/everlevel-fuzz for a time, and write what was seen to out/fuzz.txt.

The time is that of all targets together. A corpus in out/fuzz/TARGET begins with the kept seeds and the beginnings of
the stored files, and grows; an input that finds a fault is left in out/fuzz/TARGET-crashes, and fails the run.
"""

from __future__ import annotations

import argparse
import datetime
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

CRATE = Path("crates/everlevel-fuzz")
OUT = Path("out")
# Objects are told by their headers; the data that a file lacks are taken to be zeros.
LONGEST_SEED = 16 << 10
_STATUS = re.compile(r"^#(\d+)\s.*\bcov: (\d+) ft: (\d+)")


@dataclass
class Seen:
    """What a run of one target came to."""

    target: str
    executions: int
    edges: int
    features: int
    seconds: float
    crashes: int

    def __str__(self) -> str:
        return (
            f"{self.target:<14} {self.executions:>10} executions {self.edges:>6} edges {self.features:>6} features "
            f"{self.seconds:>6.0f} s {self.crashes:>3} crashes"
        )


def targets() -> list[str]:
    """List the targets, as the crate's manifest does."""
    manifest = tomllib.loads((CRATE / "Cargo.toml").read_text(encoding="utf-8"))
    return [binary["name"] for binary in manifest["bin"]]


def seeds(target: str) -> Iterator[tuple[str, bytes]]:
    """Give the names and bytes of inputs to begin with."""
    for path in sorted((CRATE / "seeds" / target).glob("*")):
        yield path.name, path.read_bytes()
    if not target.endswith("circuits"):
        for path in sorted(Path("crates").glob("*/tests/files/*/*.everlevel")):
            yield path.name, path.read_bytes()[:LONGEST_SEED]


def _cargo_fuzz(verb: str) -> list[str]:
    return ["cargo", "+nightly", "fuzz", verb, "--dev", "--fuzz-dir", str(CRATE), "--features", "libfuzzer"]


def fuzz(target: str, seconds: int) -> Seen:
    """Run one target."""
    corpus, crashes = OUT / "fuzz" / target, OUT / "fuzz" / f"{target}-crashes"
    for folder in (corpus, crashes):
        folder.mkdir(parents=True, exist_ok=True)
    for name, data in seeds(target):
        (corpus / name).write_bytes(data)
    command = _cargo_fuzz("run")
    options = [f"-max_total_time={seconds}", f"-max_len={LONGEST_SEED}", "-timeout=60", "-rss_limit_mb=4096"]
    options += [f"-artifact_prefix={crashes.resolve()}/", "-print_final_stats=1"]
    begin = datetime.datetime.now(datetime.UTC)
    log = OUT / "fuzz" / f"{target}.log"
    with log.open("w", encoding="utf-8") as out:
        arguments = [*command, target, str(corpus.resolve()), "--", *options]
        subprocess.run(arguments, stdout=out, stderr=subprocess.STDOUT, check=False)
    elapsed = (datetime.datetime.now(datetime.UTC) - begin).total_seconds()
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    statuses = [match for match in map(_STATUS.match, lines) if match]
    if not statuses:
        sys.exit(f"fuzz: {target} did not run; {log} says why")
    executions, edges, features = (int(text) for text in statuses[-1].groups())
    return Seen(target, executions, edges, features, elapsed, len(list(crashes.iterdir())))


def main() -> int:
    """Run all targets, or those that are named, and return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=int, default=3600, help="for all targets together")
    parser.add_argument("targets", nargs="*", metavar="TARGET")
    arguments = parser.parse_args()
    chosen = arguments.targets or targets()
    if unknown := set(chosen) - set(targets()):
        parser.error(f"no target {', '.join(sorted(unknown))}; there are {', '.join(targets())}")
    if subprocess.run(["cargo", "+nightly", "fuzz", "--version"], capture_output=True, check=False).returncode:
        print("fuzz: needs Rust's nightly and cargo-fuzz: rustup toolchain install nightly; cargo install cargo-fuzz")
        return 1
    os.environ["EVERLEVEL_PROGRESS"] = "0"
    # What building takes is no part of the time.
    if status := subprocess.run(_cargo_fuzz("build"), check=False).returncode:
        return status
    OUT.mkdir(exist_ok=True)
    found = 0
    with (OUT / "fuzz.txt").open("w", encoding="utf-8") as out:
        for target in chosen:
            seen = fuzz(target, arguments.seconds // len(chosen))
            found += seen.crashes
            for file in (sys.stdout, out):
                print(seen, file=file, flush=True)
    return min(found, 1)


if __name__ == "__main__":
    sys.exit(main())
