"""Check that no branch and no address of the compiled program depends on a secret, by Valgrind's memcheck.

The program is everlevel-testkit's example `secrets`, built with optimisation as releases are. It runs once with each
set of instructions that Valgrind knows, and once for each planted dependence, which must be found.
"""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

import avx512_scan

TARGET = Path("target") / "memcheck"
PROGRAM = TARGET / "release" / "examples" / "secrets"
# Valgrind has no AVX-512: avx512_scan looks at that code.
BACKENDS = ("scalar", "avx2")
FOUND = 99
VALGRIND = ("valgrind", "--quiet", f"--error-exitcode={FOUND}", "--num-callers=25", "--leak-check=no")


def why_not() -> str | None:
    """Say why the check can't run on this machine, if it can't."""
    if platform.system() != "Linux" or platform.machine() != "x86_64":
        return "memcheck's marks are written for Linux on x86-64"
    if shutil.which("valgrind") is None:
        return "valgrind is not installed (Debian: apt install valgrind)"
    return None


def build() -> None:
    """Build the program with its marks, in a folder of its own, and by the profile of releases as it is written."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("CARGO_PROFILE_RELEASE_")}
    flags = f"{os.environ.get('RUSTFLAGS', '')} --cfg everlevel_memcheck"
    command = [os.environ.get("CARGO", "cargo"), "build", "--release", "--quiet", "--package", "everlevel-testkit"]
    command += ["--example", "secrets", "--target-dir", str(TARGET)]
    subprocess.run(command, check=True, env={**kept, "RUSTFLAGS": flags})


def run(backend: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the program under Valgrind."""
    environment = {**os.environ, "EVERLEVEL_SIMD": backend}
    command = [*VALGRIND, str(PROGRAM), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment)


def main() -> int:
    """Check the program and its plants, and return the exit status."""
    if (reason := why_not()) is not None:
        print(f"secrets: SKIPPED, {reason}")
        return 0
    build()
    failed = 0
    for backend in BACKENDS:
        done = run(backend)
        if done.returncode != 0:
            failed += 1
            print(f"secrets: {backend}: exit status {done.returncode}\n{done.stderr}")
            continue
        plants = run(backend, "--plants").stdout.splitlines()
        missed = [plant for plant in plants if run(backend, plant).returncode != FOUND]
        if missed or not plants:
            failed += 1
            print(f"secrets: {backend}: memcheck misses what is planted: {', '.join(missed) or 'nothing is'}")
        else:
            print(f"secrets: {backend}: no branch and no address depends on them; {len(plants)} plants found")
    failed += avx512_scan.main(str(PROGRAM))
    return min(failed, 1)


if __name__ == "__main__":
    sys.exit(main())
