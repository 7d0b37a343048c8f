"""Look for faults of memory, by Miri and by AddressSanitizer.

Miri runs `unsafe` code without vector instructions; AddressSanitizer runs Rust's tests and, where its runtime can be
loaded before everything else, Python's.

Needs Rust's nightly with `miri` and `rust-src`. Everything is built in build/memory, and what is printed is kept in
out/memory.txt, which begins with the processor, the date and the commit.
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import subprocess
import sys
import time
from pathlib import Path

from test_slow import heading, run

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "build" / "memory"
OUT = Path("out") / "memory.txt"
HOST = f"{platform.machine()}-unknown-linux-gnu"

# Tests that an interpreter gets through in minutes: small sizes, on the portable backend.
MIRI = {
    "everlevel-rand": ["--lib", "--", "stream::"],
    "everlevel-ring": ["--test", "suite", "--", "a_limb", "sums_take", "rotations_and"],
    "everlevel-io": ["--test", "container", "--", "tensors_lie", "headers_of_another", "what_cannot", "foreign_files"],
    "everlevel-math": ["--lib", "--", "monomial", "galois", "lwe_rows", "modulus"],
}
# What is written in Python but computes in Rust: a few files that reach every kernel, since each takes a few times as
# long as otherwise.
PYTHON = [
    "test_arithmetic.py",
    "test_bad_input.py",
    "test_files.py",
    "test_matrices.py",
    "test_ntru.py",
    "test_objects.py",
    "test_tfhe_gates.py",
    "test_tfhe_integers.py",
    "test_variants.py",
]


def why_not() -> str | None:
    """Say why the checks can't run on this machine, if they can't."""
    if platform.system() != "Linux":
        return "the runtimes are looked for as Linux has them"
    if subprocess.run(["cargo", "+nightly", "miri", "--version"], capture_output=True, check=False).returncode:
        return "Rust's nightly with miri isn't installed: rustup toolchain install nightly -c miri -c rust-src"
    return None


def miri() -> list[tuple[list[str], dict[str, str]]]:
    """Return the commands of the interpreter's part."""
    # Rayon's queues break the rules of stacked borrows; those of trees, which replace them, they keep.
    flags = "-Zmiri-disable-isolation -Zmiri-permissive-provenance -Zmiri-tree-borrows"
    settings = {"MIRIFLAGS": flags, "EVERLEVEL_SIMD": "scalar", "PROPTEST_CASES": "2"}
    return [
        (["cargo", "+nightly", "miri", "test", "--package", package, *what], settings) for package, what in MIRI.items()
    ]


def sanitized() -> dict[str, str]:
    """Return the settings of a build with AddressSanitizer."""
    return {"RUSTFLAGS": "-Zsanitizer=address", "CARGO_INCREMENTAL": "0", "ASAN_OPTIONS": "detect_leaks=0"}


def rust() -> list[tuple[list[str], dict[str, str]]]:
    """Return the command that runs Rust's tests under AddressSanitizer. A target keeps build scripts out of it.

    What Python loads has no tests of its own, and doesn't link as a program.
    """
    packages = ["--workspace", "--exclude", "everlevel-py", "--target", HOST]
    return [(["cargo", "+nightly", "test", *packages, "--lib", "--test", "suite", "--no-fail-fast"], sanitized())]


def python() -> list[tuple[list[str], dict[str, str]]]:
    """Return the commands that run Python's tests with a sanitized library and the C compiler's runtime before it."""
    compiler = shutil.which("cc") or "cc"
    found = subprocess.run([compiler, "-print-file-name=libasan.so"], capture_output=True, text=True, check=True)
    library = TARGET / HOST / "debug" / "libeverlevel_native.so"
    package = TARGET / "python"
    build = ["cargo", "+nightly", "build", "--package", "everlevel-py", "--target", HOST]
    tests = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *(f"tests/python/{name}" for name in PYTHON)]
    preload = {"LD_PRELOAD": found.stdout.strip(), "PYTHONPATH": str(package), "PYTHONMALLOC": "malloc"}
    copy = [
        "sh",
        "-c",
        f"rm -rf '{package}' && mkdir -p '{package}' && cp -r python/everlevel '{package}/' && "
        f"cp '{library}' '{package}/everlevel/_native.abi3.so'",
    ]
    return [(build, sanitized()), (copy, {}), (tests, {**sanitized(), **preload})]


PARTS = {"miri": miri, "rust": rust, "python": python}


def main() -> int:
    """Run the parts that were asked for, and return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", choices=[[], *PARTS], help="which of them; all without a name")
    parts = parser.parse_args().parts or list(PARTS)
    if (reason := why_not()) is not None:
        print(f"memory: SKIPPED, {reason}")
        return 0
    os.chdir(ROOT)
    OUT.parent.mkdir(exist_ok=True)
    status = 0
    with OUT.open("w", encoding="utf-8") as out:
        print(heading(), file=out)
        for part in parts:
            for command, settings in PARTS[part]():
                start = time.monotonic()
                failed = run(command, out, {"CARGO_TARGET_DIR": str(TARGET), **settings})
                status = max(status, failed)
                print(f"# {part}: status {failed}, {time.monotonic() - start:.0f} s", file=out)
    print(f"{OUT} written")
    return status


if __name__ == "__main__":
    sys.exit(main())
