"""Run every documented `make` target in a fresh clone of its own, and print how each ended.

A target that was only ever called after others may lean on what these left behind: a build, an environment, a package
that is installed. The targets are those of the Makefile's first lines and of CONTRIBUTING.md's table. Each clone is of
the last commit, with nothing in the environment that leads to another build.

    python scripts/fresh_clones.py                    all of them: hours, and a clone's build for each
    python scripts/fresh_clones.py lint rtl-test      these
    python scripts/fresh_clones.py --dry-run          `make -n` of each
"""

from __future__ import annotations

import argparse
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# What would let a clone find what another one has built, or installed.
OTHERS = {"CARGO_TARGET_DIR", "PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "MAKEFLAGS", "MFLAGS", "MAKELEVEL"}
# Shorter forms of what takes an hour or more: the build and a look at each part are what is tried here.
ARGUMENTS = {
    "fuzz": ["FUZZ_ARGS=--seconds 60"],
    "rtl-test": ["RTL_ARGS=--quick"],
    "tables": ["TABLES_ARGS=--estimate"],
    "test-mutants": ["MUTANTS_ARGS=--fault slot tests/python/test_slots.py"],
}
# This script itself would run without end.
OWN = "test-clones"


def documented() -> list[str]:
    """List the targets that the Makefile's first lines and CONTRIBUTING.md name, each once."""
    header = (ROOT / "Makefile").read_text(encoding="utf-8").partition("\n\n")[0]
    table = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    found = re.findall(r"^#   make ([\w-]+)", header, re.MULTILINE)
    found += re.findall(r"^\| `(?:\w+=\w+ )?make ([\w-]+)", table, re.MULTILINE)
    return [target for target in dict.fromkeys(found) if target != OWN]


def tried(target: str, folder: Path, *, seconds: float, dry: bool) -> tuple[str, float, str]:
    """Clone into the folder, make the target there, and return its end, its seconds and its last line."""
    subprocess.run(["git", "clone", "--quiet", "--no-hardlinks", str(ROOT), str(folder)], check=True)
    environment = {name: value for name, value in os.environ.items() if name not in OTHERS}
    command = ["make", *(["-n"] if dry else []), target, *ARGUMENTS.get(target, [])]
    log = folder.with_suffix(".log")
    start = time.monotonic()
    with log.open("w") as out:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            ended = "passed" if process.wait(timeout=seconds) == 0 else f"FAILED ({process.returncode})"
        except subprocess.TimeoutExpired:
            # Its children are in its session, and no others are.
            os.killpg(process.pid, signal.SIGTERM)
            process.wait()
            ended = "ran too long"
    lines = log.read_text(errors="replace").strip().splitlines()
    if ended.startswith("FAILED"):
        print(*lines[-30:], sep="\n", flush=True)
    return ended, time.monotonic() - start, lines[-1] if lines else ""


def main(arguments: list[str]) -> int:
    """Try the targets that are asked for, and return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("targets", nargs="*", help="some of the documented ones; all, if left out")
    parser.add_argument(
        "--minutes", type=float, default=120, help="for each; what takes longer is stopped (%(default)s)"
    )
    parser.add_argument("--dry-run", action="store_true", help="say what would be made")
    options = parser.parse_args(arguments)
    if unknown := set(options.targets) - set(documented()):
        parser.error(f"{', '.join(sorted(unknown))}: not documented; {', '.join(documented())} are")
    rows = []
    for target in options.targets or documented():
        with tempfile.TemporaryDirectory(prefix="everlevel-") as folder:
            ended = tried(target, Path(folder) / target, seconds=60 * options.minutes, dry=options.dry_run)
        rows.append((target, ended[0]))
        print(f"{target:14} {ended[0]:14} {ended[1]:8.0f} s  {ended[2][:100]}", flush=True)
    return int(any(end != "passed" for _, end in rows))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
