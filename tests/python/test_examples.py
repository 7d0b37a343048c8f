"""Every example runs, on a ring without security, and what it prints holds. Full size is for whoever runs them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def run(name: str, *arguments: str) -> str:
    """Run an example in a process of its own, and return what it prints."""
    command = [sys.executable, str(EXAMPLES / name), *arguments]
    environment = os.environ | {"EVERLEVEL_PROGRESS": "0"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "RangeWarning" not in done.stderr, done.stderr
    return done.stdout


def test_first_bootstrap() -> None:
    out = run("01_first_bootstrap.py", "--insecure-log-n", "10", "--steps", "8")
    assert out.count("\nbootstrap ") == 2
    errors = [float(bits) for bits in re.findall(r"2\^(-\d+\.\d+)$", out, re.MULTILINE)]
    assert len(errors) == 8 + 2
    assert max(errors) < -18


def test_logistic_regression(tmp_path: Path) -> None:
    options = ["--insecure-log-n", "13", "--train", "128", "--iterations", "5", "--out", str(tmp_path)]
    out = run("02_logistic_regression.py", *options)
    assert "2 bootstraps of two ciphertexts" in out
    rows = [line.split() for line in out.splitlines() if re.match(r" +\d+ +\d+ +0\.", line)]
    assert len(rows) == 5
    for _, _, _, plain, encrypted, _ in rows:
        assert abs(float(plain) - float(encrypted)) < 1e-4
    losses = [float(row[4]) for row in rows]
    assert losses == sorted(losses, reverse=True)
    accuracies = [float(share) for share in re.findall(r"([\d.]+)%", out)]
    assert min(accuracies) > 90
    assert (tmp_path / "logistic_regression.png").stat().st_size > 10_000


@pytest.mark.parametrize("form", [(), ("--expanded",)], ids=["seeded", "expanded"])
def test_keys_in_two_processes(form: tuple[str, ...], tmp_path: Path) -> None:
    out = run("03_keys_in_two_processes.py", "--insecure-log-n", "10", "--folder", str(tmp_path / "new"), *form)
    rows = [line.split() for line in out.splitlines() if re.match(r" +[01] ", line)]
    assert [row[0] for row in rows] == ["0", "1"]
    assert {path.name for path in (tmp_path / "new").iterdir()} >= {"evaluation.key", "result_0", "result_1"}
    if sys.platform == "linux":
        for row in rows:
            resident, proportional = float(row[3]), float(row[4])
            assert proportional < resident  # some of it is shared


def test_minimum_and_nearest_neighbours(tmp_path: Path) -> None:
    options = ["--insecure-log-n", "10", "--known", "16", "--queries", "8", "--k", "3", "--out", str(tmp_path)]
    out = run("04_minimum_and_nearest_neighbours.py", *options)
    assert re.search(r"shortest petal of 16: ([\d.]+) cm, plain \1 cm; error 2\^-", out)
    assert "the same answer for 100.0%" in out
    assert "0.0% are off by over 1/2" in out
    assert "16 bootstraps" in out  # four for each two queries
    assert (tmp_path / "nearest_neighbours.png").stat().st_size > 10_000


def test_trained_models(tmp_path: Path) -> None:
    pytest.importorskip("sklearn")
    out = run("05_trained_models.py", "--insecure-log-n", "10", "--rows", "24", "--out", str(tmp_path))
    same = re.findall(r"^(\w+): encrypted as trained for (\d+) of 24 rows$", out, re.MULTILINE)
    assert [name for name, _ in same] == ["tumours", "digits"]
    assert min(int(count) for _, count in same) >= 23
    accuracies = [float(share) for share in re.findall(r"([\d.]+)% (?:encrypted|in the clear)", out)]
    assert len(accuracies) == 4
    assert min(accuracies) > 80
    assert (tmp_path / "trained_models.png").stat().st_size > 10_000


def test_convolutional_network(tmp_path: Path) -> None:
    pytest.importorskip("onnx")
    pytest.importorskip("sklearn")
    options = ["--insecure-log-n", "11", "--rows", "24", "--epochs", "4", "--batch", "2", "--out", str(tmp_path)]
    out = run("06_convolutional_network.py", *options)
    assert "convolutional network: encrypted as simulated for 24 of 24, as trained for 24" in out
    assert "perceptron: encrypted as simulated for 24 of 24" in out
    accuracies = [float(share) for share in re.findall(r"([\d.]+)% (?:encrypted|in the clear)", out)]
    assert len(accuracies) == 4
    assert min(accuracies) > 80
    assert (tmp_path / "convolutional_network.png").stat().st_size > 10_000


def test_residual_network(tmp_path: Path) -> None:
    pytest.importorskip("onnx")
    pytest.importorskip("sklearn")
    small = ["--channels", "4", "8", "--blocks", "1", "--size", "8", "--train", "200", "--rows", "4"]
    out = run("07_residual_network.py", *small, "--insecure-log-n", "10", "--out", str(tmp_path))
    assert "encrypted as simulated for 4 of 4 images" in out
    simulated, own = map(float, re.findall(r"([\d.]+)% (?:simulated|of the network itself)", out))
    assert abs(simulated - own) < 3
    assert (tmp_path / "residual_network.png").stat().st_size > 10_000


@pytest.mark.slow
def test_resnet_20_at_full_size(tmp_path: Path) -> None:
    """At 128-bit security: 14 GB of memory, and minutes."""
    options = ["--rows", "1", "--train", "200", "--epochs", "1", "--threads", "1", "--out", str(tmp_path)]
    out = run("07_residual_network.py", *options)
    assert "slots 32768, levels 0..13, bootstrap" in out
    assert "INSECURE" not in out
    assert "encrypted as simulated for 1 of 1 images" in out
    keys, resident = re.search(r"keys of ([\d.]+) GB", out), re.search(r"^([\d.]+) GB at most$", out, re.MULTILINE)
    assert keys is not None
    assert resident is not None
    assert float(keys[1]) < 7
    assert float(resident[1]) < 16


def test_bootstrap_precision(tmp_path: Path) -> None:
    out = run("bootstrap_precision.py", "--repeat", "1", "--out", str(tmp_path))
    worst = {line[:18].strip(): float(line.split()[-1]) for line in out.splitlines() if " → " in line}
    assert worst["regular"] > 20
    assert worst["lossy"] > 15
    assert worst["sign"] > 24
    assert worst["regular, small key"] > 20
    assert worst["regular, precise"] > 30
    assert (tmp_path / "bootstraps.png").stat().st_size > 10_000


def test_encrypted_adder() -> None:
    out = run("10_encrypted_adder.py", "--insecure-log-n", "9", "--pairs", "3")
    sums = re.findall(r"^ *(\d+) \+ +(\d+) = +(\d+)$", out, re.MULTILINE)
    assert len(sums) == 3
    for left, right, result in sums:
        assert (int(left) + int(right)) % 2**32 == int(result)
    assert "465 gates" in out


def test_price_bands() -> None:
    out = run("11_price_bands.py", "--insecure-log-n", "12", "--customers", "5")
    prices = {"infant": "0", "child": "9", "youth": "18", "adult": "36", "senior": "27"}
    rows = re.findall(r"^ *(\d+)  (\w+) +(\d+)  (yes|no)$", out, re.MULTILINE)
    assert len(rows) == 5
    for age, band, price, free in rows:
        assert prices[band] == price
        assert (band == "senior") == (int(age) >= 60)
        assert (band == "infant") == (free == "yes") == (int(age) < 4)


def test_game_of_life(tmp_path: Path) -> None:
    options = ["--insecure-log-n", "10", "--size", "8", "--generations", "3", "--out", str(tmp_path)]
    out = run("12_game_of_life.py", *options)
    assert "3 generations, 192 bootstraps" in out
    assert "the same ones as in the clear" in out
    assert (tmp_path / "game_of_life.png").stat().st_size > 3_000


def test_encrypted_maximum(tmp_path: Path) -> None:
    options = ["--insecure-log-n", "10", "--houses", "3", "--hours", "7", "--out", str(tmp_path)]
    out = run("13_encrypted_maximum.py", *options)
    # Six comparisons and selections of 16 bits for each house.
    assert "largest reading of each house: 450 bootstraps" in out
    rows = re.findall(r"^house (\d): +(\d+) W in hour (\d)$", out, re.MULTILINE)
    assert [row[0] for row in rows] == ["0", "1", "2"]
    street = re.search(r"^the street: (\d+) W; all as NumPy says$", out, re.MULTILINE)
    assert street is not None
    assert max(int(row[1]) for row in rows) <= int(street[1]) <= sum(int(row[1]) for row in rows)
    assert (tmp_path / "encrypted_maximum.png").stat().st_size > 3_000


def test_tone_curves(tmp_path: Path) -> None:
    out = run("14_tone_curves.py", "--insecure-log-n", "10", "--side", "40", "--out", str(tmp_path))
    assert "4 curves of 1600 pixels" in out
    assert (tmp_path / "tone_curves.png").stat().st_size > 5_000


def test_counts_by_age(tmp_path: Path) -> None:
    small = ("--insecure-log-n", "9", "--people", "8", "--districts", "16")
    out = run("15_counts_by_age.py", *small, "--out", str(tmp_path))
    assert "128 people in 128 counts" in out
    assert (tmp_path / "counts_by_age.png").stat().st_size > 5_000


def test_every_example_is_run() -> None:
    tested = Path(__file__).read_text(encoding="utf-8")
    # The demo is too large for this page; `make demo` runs it.
    names = {path.name for path in EXAMPLES.glob("*.py")} - {"demo.py"}
    assert names == {name for name in names if f'"{name}"' in tested}


def test_statistics_of_a_table() -> None:
    pytest.importorskip("pyarrow")
    pytest.importorskip("pandas")
    out = run("20_statistics_of_a_table.py", "--partitions", "3", "--rows", "700", "--insecure-log-n", "10")
    assert "2100 rows in 3 partitions" in out
    assert [float(text) < 1e-4 for text in re.findall(r"largest difference .*: (\S+)", out)] == [True, True]
