"""Run the tests that take minutes and gigabytes, and write all that they print to out/test-slow.txt.

These are Rust's ignored tests, Python's that are marked `full_size` or `slow`, both languages' property tests with new
cases, ten times as many as `make test` has, and every row of `make seeds` in small rings. The file begins with the
processor, the date and the commit, so that its figures can be quoted.
"""

from __future__ import annotations

import datetime
import os
import platform
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TextIO

OUT = Path("out") / "test-slow.txt"


def processor() -> str:
    """Name the processor, as Linux does."""
    lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines() if Path("/proc/cpuinfo").exists() else []
    return next((line.partition(": ")[2] for line in lines if line.startswith("model name")), platform.machine())


def heading() -> str:
    """Say on what and when figures are measured."""
    commit = subprocess.run(["git", "describe", "--always", "--dirty"], capture_output=True, text=True, check=False)
    day = datetime.datetime.now(datetime.UTC).date()
    return f"{processor()}, {os.cpu_count()} cores, {day}, commit {commit.stdout.strip()}"


def run(command: list[str], out: TextIO, settings: Mapping[str, str] | None = None) -> int:
    """Run the command, and copy what it prints to the terminal and to the file."""
    print("$", *command, file=out)
    environment = {**os.environ, **(settings or {})}
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=subprocess.STDOUT, text=True, env=environment) as process:
        for line in process.stdout or ():
            print(line, end="", flush=True)
            out.write(line)
    return process.returncode


def main() -> int:
    """Run all of them, and return the exit status."""
    cargo = os.environ.get("CARGO", "cargo")
    properties = ["properties::", "gadget::", "conformance::", "uint::"]
    commands = [
        [cargo, "test", "--workspace", "--tests", "--", "--ignored", "--nocapture", "--test-threads", "1"],
        [sys.executable, "-m", "pytest", "-m", "full_size or slow", "-s", "--durations=0"],
        [cargo, "test", "--workspace", "--test", "suite", "--", *properties],
        [cargo, "test", "--package", "everlevel-io", "--test", "container"],
        [sys.executable, "-m", "pytest", "-m", "hypothesis", "--hypothesis-profile=new"],
        [sys.executable, "-m", "seeds", "--quick", "--fresh"],
    ]
    OUT.parent.mkdir(exist_ok=True)
    with OUT.open("w", encoding="utf-8") as out:
        print(heading(), file=out)
        status = max(run(command, out, {"PROPTEST_CASES": "2560", "PYTHONPATH": "benches"}) for command in commands)
    print(f"{OUT} written")
    return status


if __name__ == "__main__":
    sys.exit(main())
