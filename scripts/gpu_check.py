"""Check a GPU: kernels and whole bootstraps beside the CPU's, bit for bit, memory errors, and times.

Five steps, some five minutes together: machine code for every architecture (scripts/gpu_kernels.py); the check's build;
bootstraps of every method at N = 2^12, and a regular and a lossy one at N = 2^16 with times, by kernel as well;
Python's tests of GPUs, on the GPU; the bootstraps again under NVIDIA's compute-sanitizer, where its toolkit is. All
that they print goes to out/gpu-check.txt as well. The driver is all of CUDA that has to be there.

`--device host` runs all of it with the kernels on the CPU, in smaller rings: that is a check of this script.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "out" / "gpu-check.txt"
SANITIZERS = ("compute-sanitizer", "/usr/local/cuda/bin/compute-sanitizer")
# Seconds: a GPU takes a part of them, and a program that hangs is to be told.
LIMIT_S = 300


def steps(device: str) -> dict[str, list[str]]:
    """List the commands by what they check."""
    cargo = os.environ.get("CARGO", "cargo")
    feature, number = ("host", "host") if device == "host" else ("cuda", "0")
    program = str(Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release" / "examples" / "gpu_check")
    build = [cargo, "build", "--release", "--quiet", "-p", "everlevel-gpu", "--features", feature]
    found = {
        "machine code": [sys.executable, "scripts/gpu_kernels.py", "--quiet"],
        "building": [*build, "--example", "gpu_check"],
        "bootstraps": [program, feature, "11" if device == "host" else "16"],
        "Python": [sys.executable, "-m", "pytest", "-q", "tests/python/test_gpu.py"],
    }
    os.environ["EVERLEVEL_TEST_DEVICE"] = number
    sanitizer = next(filter(None, map(shutil.which, SANITIZERS)), None)
    if device != "host" and sanitizer is not None:
        # A kernel's parameters are counted by asking for one that isn't there: no error.
        options = ["--tool", "memcheck", "--report-api-errors", "no", "--error-exitcode", "1"]
        found["memory"] = [sanitizer, *options, program, feature, "12"]
    return found


def main() -> int:
    """Run the steps, and return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", choices=("cuda", "host"), default="cuda")
    device = parser.parse_args().device
    OUT.parent.mkdir(exist_ok=True)
    failed = []
    with OUT.open("w", encoding="utf-8") as out:
        for name, command in steps(device).items():
            print(f"gpu_check: {name}: {' '.join(command)}", flush=True)
            limit = None if name == "building" else LIMIT_S
            try:
                done = subprocess.run(
                    command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=limit, check=False
                )
                said, status = done.stdout, done.returncode
            except subprocess.TimeoutExpired as late:
                said, status = late.stdout or b"", "none in time"
            text = said.decode(errors="replace")
            print(text, end="", flush=True)
            out.write(f"{name}: {' '.join(command)}\n{text}status {status}\n\n")
            if status:
                failed.append(name)
                if name == "building":
                    break
    print(f"gpu_check: {'failed: ' + ', '.join(failed) if failed else 'all is as it should be'}; in {OUT}")
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
