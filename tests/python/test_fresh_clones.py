"""What is tried in fresh clones, and that nothing there needs what only another command builds."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import fresh_clones

ROOT = Path(__file__).resolve().parents[2]


def test_every_documented_target_is_tried_and_there() -> None:
    targets = fresh_clones.documented()
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    there = set(re.findall(r"^([\w-]+):", makefile, re.MULTILINE))
    assert {"demo", "test", "rtl-test", "test-simd", "lint"} <= set(targets) <= there
    assert len(targets) == len(set(targets))
    assert set(fresh_clones.ARGUMENTS) <= set(targets)
    assert fresh_clones.OWN in there - set(targets)


def test_what_make_prints_as_help_is_what_is_tried() -> None:
    done = subprocess.run(["make", "--silent", "help"], cwd=ROOT, capture_output=True, text=True, check=True)
    printed = re.findall(r"^make ([\w-]+)", done.stdout, re.MULTILINE)
    assert set(printed) <= {*fresh_clones.documented(), fresh_clones.OWN}
    assert {"demo", "structure", fresh_clones.OWN} <= set(printed)


def test_a_target_that_isnt_documented_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        fresh_clones.main(["clean"])
    assert "clean: not documented; demo, test" in capsys.readouterr().err


def test_simulations_dont_load_the_package(tmp_path: Path) -> None:
    """Cocotb's pytest reads its settings from where a simulation runs: a fresh clone has no package to import there."""
    (tmp_path / "everlevel.py").write_text("raise ImportError('a fresh clone has no package')\n")
    code = (
        "import os, simulation\n"
        "from _pytest.config import Config\n"
        "folder = simulation.folder_of_tests() / 'units'\n"
        "folder.mkdir(exist_ok=True)\n"
        "os.chdir(folder)\n"
        # The same call as cocotb's, before it imports the tests.
        "Config.fromdictargs({}, ['--capture=no', '-o', 'python_files=*.py'])\n"
    )
    path = f"{tmp_path}:{ROOT / 'rtl' / 'tests'}"
    done = subprocess.run(
        [sys.executable, "-c", code], env={"PYTHONPATH": path}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
