"""Run the Python tests with each planted fault, and list what survives: ``make test-mutants``.

A file whose tests decrypt is expected to fail under every fault that is planted in it: a survivor is a file where no
test does. What is found is written to out/mutants.txt, which begins with the processor, the date and the commit.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from test_slow import heading, run

from .faults import FAULTS

ROOT = Path(__file__).resolve().parents[2]
TESTS = ROOT / "tests" / "python"
OUT = ROOT / "out" / "mutants.txt"
RUST = ("everlevel-ring", "everlevel-rlwe")
RUST_SECONDS = 3600

# Of which files some faults are.
EXACT_FILES = re.compile(r"test_(bfv|ntru|tfhe)")
EXACT_WORDS = re.compile(r"\b(bfv|ntru|tfhe|programs)\b")
DECRYPTING_WORDS = re.compile(r"decrypt|assert_claims|programs")

ALLOWED: dict[tuple[str, str], str] = {
    ("test_cli.py", "scale"): "`everlevel demo` prints its error after a bootstrap, of which 12 bits are asked",
}
"""Files and faults that may survive, and why."""


def main() -> int:
    """Run it, and return 1 if a file that isn't excused survives a fault."""
    parser = argparse.ArgumentParser(prog="python -m mutants", description=__doc__)
    parser.add_argument("files", nargs="*", type=Path, help="test files (all that may decrypt)")
    parser.add_argument("--fault", choices=list(FAULTS), action="append", help="one of the faults, again for more")
    parser.add_argument("--rust", action="store_true", help="mutate Rust's crates of rings and RLWE, too, for an hour")
    options = parser.parse_args()
    files = options.files or sorted(TESTS.glob("test_*.py"))
    lines, survivors = [heading(), ""], 0
    for fault in options.fault or FAULTS:
        began = time.monotonic()
        tests = met_by(fault, [path for path in files if _may_meet(fault, path)])
        lines.append(f"{fault}: {FAULTS[fault]().__doc__}")
        survivors += _listed(fault, tests, lines)
        print(f"{fault}: {sum(tests.values())} of {len(tests)} tests failed in {time.monotonic() - began:.0f} s")
    OUT.parent.mkdir(exist_ok=True)
    OUT.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print("\n".join(lines), f"{OUT.relative_to(ROOT)} written", sep="\n")
    return max(int(survivors > 0), _rust() if options.rust else 0)


def _may_meet(fault: str, path: Path) -> bool:
    text = path.read_text(encoding="utf-8")
    if not DECRYPTING_WORDS.search(text):
        return False
    if fault == "value":
        return EXACT_WORDS.search(text) is not None
    return fault == "key" or not EXACT_FILES.match(path.name)


def met_by(fault: str, files: list[Path]) -> dict[str, bool]:
    """Run the files with a fault, and tell of each test that met it whether it failed."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report"
        places = [str(ROOT / "scripts"), str(TESTS), *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, places))}
        command = [sys.executable, "-m", "pytest", "-p", "mutants.plugin", "--fault", fault]
        command += ["--fault-report", str(report), "-q", "--tb=no", "-p", "no:cacheprovider", "--no-header", "-rN"]
        command += ["-m", "not slow and not full_size", *map(str, files)]
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
        if done.returncode not in (0, 1):
            sys.exit(f"pytest ended with {done.returncode}:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
        lines = report.read_text(encoding="utf-8").splitlines() if report.exists() else []
    return {entry["test"]: entry["killed"] for entry in map(json.loads, lines)}


def _listed(fault: str, tests: dict[str, bool], lines: list[str]) -> int:
    """Add a line for each file and each test that survived; return how many files did that aren't excused."""
    met, killed = (
        Counter(Path(name.partition("::")[0]).name for name in some)
        for some in (tests, [name for name, is_killed in tests.items() if is_killed])
    )
    survivors = 0
    for file in sorted(met):
        reason = ALLOWED.get((file, fault))
        verdict = "" if killed[file] else f"  excused: {reason}" if reason else "  SURVIVED"
        survivors += verdict == "  SURVIVED"
        lines.append(f"  {file:<30} {killed[file]:>4} of {met[file]:>4} tests failed{verdict}")
    lines += [f"    passed: {name.rpartition('/')[2]}" for name, is_killed in tests.items() if not is_killed]
    lines.append("")
    return survivors


def _rust() -> int:
    """Mutate Rust's sources, as long as there is time, and return the exit status of `cargo mutants`."""
    if shutil.which("cargo-mutants") is None:
        print("cargo-mutants is not installed; cargo install cargo-mutants", file=sys.stderr)
        return 1
    packages = [word for name in RUST for word in ("--package", name)]
    command = ["cargo", "mutants", *packages, "--output", str(OUT.parent)]
    with OUT.open("a", encoding="utf-8") as out:
        return run(["timeout", "--signal=INT", str(RUST_SECONDS), *command], out)


if __name__ == "__main__":
    sys.exit(main())
