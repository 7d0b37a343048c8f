"""Count the source files that a public call enters, by Valgrind's callgrind: with AVX2, one thread and a small ring.

The calls are everlevel-testkit's example `ways`: a bootstrap of CKKS, a gate of TFHE, a product of BFV. A file counts
where an instruction that the call runs was written in it, whether it was inlined or not; what the compiler made, such
as drops, has line 0, and was written nowhere.

    python scripts/ways.py                    figures of all calls
    python scripts/ways.py --files tfhe-gate  the files of one, with their instructions and lines
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

import check_secrets

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = ROOT / os.environ.get("CARGO_TARGET_DIR", "target") / "debug" / "examples" / "ways"
_OURS = re.compile(r"crates/everlevel-(\w+)/src/.*\.rs$")
_FILE = re.compile(r"^(fl|fi|fe)=\((\d+)\)(?: (.*))?$")
_NAMED = re.compile(r"^cf[il]=\((\d+)\) (.*)$")
# A line and a cost; a call's own line comes after `calls=`.
_COST = re.compile(r"^(\d+) (\d+)$")


def build() -> None:
    """Build the calls, with the profile of tests."""
    command = [os.environ.get("CARGO", "cargo"), "build", "--quiet", "--package", "everlevel-testkit"]
    subprocess.run([*command, "--example", "ways"], cwd=ROOT, check=True)


def instructions(profile: str) -> Counter[str]:
    """Count instructions by source file in what callgrind wrote."""
    names: dict[str, str] = {}
    counted: Counter[str] = Counter()
    lines = iter(profile.splitlines())
    file = ""
    for line in lines:
        if match := _FILE.match(line):
            names.setdefault(match[2], match[3] or "")
            file = names[match[2]]
        elif match := _NAMED.match(line):
            names.setdefault(match[1], match[2])
        elif line.startswith("calls="):
            next(lines)
        elif match := _COST.match(line):
            counted[file] += int(match[2]) if match[1] != "0" else 0
    return counted


def entered(call: str) -> Counter[str]:
    """Run a call, and count the instructions of our own files."""
    with tempfile.TemporaryDirectory() as folder:
        profile = Path(folder) / "callgrind.out"
        command = ["valgrind", "--quiet", "--tool=callgrind", "--instr-atstart=no", "--compress-pos=no"]
        command.append(f"--callgrind-out-file={profile}")
        environment = {**os.environ, "EVERLEVEL_SIMD": "avx2", "RAYON_NUM_THREADS": "1"}
        subprocess.run([*command, str(PROGRAM), call], env=environment, check=True)
        counted = instructions(profile.read_text(encoding="utf-8"))
    ours: Counter[str] = Counter()
    for file, cost in counted.items():
        if (match := _OURS.search(file)) and cost:
            ours[match[0]] += cost
    if not ours:
        sys.exit(f"ways: callgrind saw no file of ours in {call}; is the program built with line tables?")
    return ours


def main(arguments: list[str]) -> int:
    """Print the figures of the calls, and return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("calls", nargs="*", help="some of the calls; all, if left out")
    parser.add_argument("--files", action="store_true", help="print each file too")
    options = parser.parse_args(arguments)
    if (reason := check_secrets.why_not()) is not None:
        print(f"ways: SKIPPED, {reason}")
        return 0
    build()
    known = subprocess.run([str(PROGRAM)], capture_output=True, text=True, check=True).stdout.split()
    if unknown := set(options.calls) - set(known):
        parser.error(f"{', '.join(sorted(unknown))}: no call; {', '.join(known)} are")
    print(f"{'call':16} {'files':>7} {'outside of math':>16} {'longest, lines':>16}")
    for call in options.calls or known:
        files = entered(call)
        outside = [file for file in files if "/everlevel-math/" not in file]
        lengths = {file: (ROOT / file).read_bytes().count(b"\n") for file in files}
        longest = max(lengths, key=lambda file: lengths[file])
        print(f"{call:16} {len(files):7} {len(outside):16} {lengths[longest]:16}  {longest}", flush=True)
        if options.files:
            for file in sorted(files):
                print(f"    {file:64} {files[file]:14,} instructions {lengths[file]:5} lines")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
