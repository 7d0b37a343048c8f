"""`benches/turns.py` tells a slower program from one that is as fast, and runs both in turns."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

TURNS = Path(__file__).resolve().parents[2] / "benches" / "turns.py"

# Times that vary by 1 % from run to run, the same at every run of the test, times a factor that the program is given.
PROGRAM = """
import pathlib, random, sys
log = pathlib.Path(r"{log}")
random.seed("{name} " + (log.read_text() if log.exists() else ""))
noise = lambda: random.uniform(0.99, 1.01)
print(f"kernel one\\t{{1e-6 * {factor} * noise():.12f}}\\ntwo\\t{{{factor} * noise():.6f}}")
with log.open("a") as file:
    print("{name}", sys.argv[1], file=file)
"""


def run(tmp_path: Path, factor: float, *options: str) -> subprocess.CompletedProcess[str]:
    for name, own_factor in (("base", 1.0), ("change", factor)):
        text = PROGRAM.format(factor=own_factor, log=tmp_path / "log", name=name)
        (tmp_path / f"{name}.py").write_text(text)
    programs = [f"--{name}={sys.executable} {tmp_path / name}.py" for name in ("base", "change")]
    call = [sys.executable, str(TURNS), *programs, f"--json={tmp_path / 'turns.json'}", *options, "--", "all"]
    return subprocess.run(call, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(("factor", "slower"), [(0.9, []), (1.0, []), (1.04, ["two"]), (1.2, ["kernel one", "two"])])
def test_what_is_slower_is_told(tmp_path: Path, factor: float, slower: list[str]) -> None:
    done = run(tmp_path, factor)
    assert [line[:32].strip() for line in done.stdout.splitlines() if "SLOWER" in line] == slower
    assert done.returncode == bool(slower), done.stderr
    found = json.loads((tmp_path / "turns.json").read_text())
    assert len(found["turns"]) == 10
    for one in found["comparison"]:
        assert one["low"] < one["ratio"] < one["high"]
        assert one["low"] - 0.02 < factor < one["high"] + 0.02
    first = ["base all", "change all", "change all", "base all"]
    assert (tmp_path / "log").read_text().splitlines()[:4] == first


def test_few_turns_are_refused(tmp_path: Path) -> None:
    done = run(tmp_path, 1.0, "--turns=9")
    assert done.returncode == 2
    assert "9 are too few for an interval; give 10 or more" in done.stderr
