"""Memory: estimates, and what happens where there is less."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from claims import assert_claims
from everlevel import Engine, errors, tfhe
from everlevel.cli import main

linux = pytest.mark.skipif(sys.platform != "linux", reason="limits are Linux's")
LIMITED = Path(__file__).parent / "limited.py"

MEASURED = """
import sys
import numpy as np
from everlevel import Engine
log_n, what = int(sys.argv[1]), sys.argv[2]
engine = Engine(use_bootstrap=True, insecure_log_n=log_n) if log_n < 16 else Engine(use_bootstrap=True)
secret_key = engine.create_secret_key()
def status(name):
    return next(1024 * int(line.split()[1]) for line in open("/proc/self/status") if line.startswith(name))
def measure(estimate, make):
    open("/proc/self/clear_refs", "w").write("5")  # the peak begins anew
    before = status("VmRSS:")
    result = make()
    print(estimate.peak, status("VmHWM:") - before)
if what == "encrypt":
    values = np.zeros(20 * engine.slot_count)
    public_key = engine.create_public_key(secret_key)
    measure(engine.estimate_memory("encrypt", count=20), lambda: engine.encrypt(values, public_key))
else:
    measure(engine.estimate_memory(what), lambda: getattr(engine, what)(secret_key))
"""
CALLS = ("create_bootstrap_key", "create_small_bootstrap_key", "create_rotation_key", "encrypt")


def run_limited(address_space: int, options: dict[str, Any], tfhe_options: dict[str, Any]) -> dict[str, str]:
    """Return what each call printed in a process of so much address space, which must come to its end."""
    command = [sys.executable, str(LIMITED), str(address_space), json.dumps(options), json.dumps(tfhe_options)]
    # NumPy's linear algebra takes memory for each thread when it is imported.
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1", "EVERLEVEL_PROGRESS": "0"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=1200, check=False)
    assert done.returncode == 0, (address_space, done.returncode, done.stdout, done.stderr[-2000:])
    lines = done.stdout.splitlines()
    assert lines[-1] == "end", done.stdout
    return dict(line.split(": ", 1) for line in lines[:-1])


def check_limited(results: dict[str, str]) -> tuple[int, int]:
    """Check that calls went well or were refused with our error, and count both."""
    refused = {name: text for name, text in results.items() if not text.startswith(("ok", "without"))}
    for text in refused.values():
        assert text.startswith("OutOfMemoryError"), refused
        assert " are needed, and " in text, text
        assert "RLIMIT_AS" in text, text
    return sum(text == "ok" for text in results.values()), len(refused)


@linux
def test_no_address_space_ends_a_process() -> None:
    options, tfhe_options = {"use_bootstrap": True, "insecure_log_n": 11}, {"insecure_log_n": 9}
    counts = []
    for megabytes in (400, 600, 800, 1600):
        counts.append(check_limited(run_limited(megabytes << 20, options, tfhe_options)))
    done = [done for done, _ in counts]
    assert done == sorted(done), counts
    assert counts[0][1] > 0, counts
    assert done[-1] >= 15, counts


@linux
@pytest.mark.full_size
@pytest.mark.slow
def test_no_address_space_ends_a_process_at_full_size() -> None:
    rows = []
    for step in range(20):
        megabytes = 400 + step * 3600 // 19
        results = run_limited(megabytes << 20, {"use_bootstrap": True}, {})
        done, refused = check_limited(results)
        print(f"ulimit -v {megabytes} MB: {done} calls done, {refused} refused, {len(results) - done - refused} left")
        rows.append((done, refused))
    assert rows[-1][0] > rows[0][0]


@linux
def test_two_threads_that_want_the_same_memory_get_it_or_an_error() -> None:
    program = """
import resource, threading
from everlevel import Engine
engine = Engine(use_bootstrap=True, insecure_log_n=12)
secret_key = engine.create_secret_key()
need = engine.estimate_memory("create_bootstrap_key").peak
size = int(open("/proc/self/statm").read().split()[0]) * 4096
limit = size + need + need // 5 + (300 << 20)
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
said, kept = [], []
def make():
    try:
        kept.append(engine.create_bootstrap_key(secret_key))
        said.append("ok")
    except MemoryError as error:
        said.append(type(error).__name__)
threads = [threading.Thread(target=make) for _ in range(6)]
[t.start() for t in threads]
[t.join() for t in threads]
print(sorted(said))
"""
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    assert "OutOfMemoryError" in done.stdout, done.stdout
    assert set(json.loads(done.stdout.replace("'", '"'))) <= {"ok", "OutOfMemoryError"}


def measured(log_n: int, what: str) -> tuple[int, int]:
    """Return what was told of a call, and the memory that a new process took for it."""
    command = [sys.executable, "-c", MEASURED, str(log_n), what]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    estimate, peak = done.stdout.split()
    return int(estimate), int(peak)


@linux
@pytest.mark.parametrize("what", CALLS)
def test_estimates_are_what_a_process_takes(what: str) -> None:
    estimate, peak = measured(13, what)
    assert 0.9 < estimate / peak < 1.1, (estimate, peak)


@linux
@pytest.mark.full_size
@pytest.mark.slow
@pytest.mark.parametrize("what", CALLS)
def test_estimates_are_what_a_process_takes_at_full_size(what: str) -> None:
    estimate, peak = measured(16, what)
    print(f"{what}: {estimate / 1e6:.0f} MB told, {peak / 1e6:.0f} MB measured")
    assert 0.9 < estimate / peak < 1.1, (estimate, peak)


def test_estimates_of_keys_are_their_sizes() -> None:
    engine = Engine(use_bootstrap=True, insecure_log_n=10)
    secret_key = engine.create_secret_key()
    for name in ("public", "relinearization", "conjugation", "rotation", "small_bootstrap"):
        key = getattr(engine, f"create_{name}_key")(secret_key)
        assert engine.estimate_memory(f"create_{name}_key").held == key.nbytes, name
    for size in ("medium", "large"):
        key = engine.create_lossy_bootstrap_key(secret_key, 4, size)
        assert engine.estimate_memory("create_lossy_bootstrap_key", stage_count=4, size=size).held == key.nbytes
    assert (
        engine.estimate_memory("encrypt", count=3, level=2).held
        == engine.encrypt(np.zeros(3 * engine.slot_count), secret_key, level=2).nbytes
    )


def test_estimates_of_tfhe() -> None:
    engine = tfhe.Engine(insecure_log_n=9)
    secret_key = engine.create_secret_key()
    estimate = engine.estimate_memory("create_evaluation_key")
    assert estimate.held == engine.create_evaluation_key(secret_key).nbytes
    held = engine.estimate_memory("encrypt", count=100).held
    assert 1 <= held / engine.encrypt(np.ones(100, bool), secret_key).nbytes < 1.5
    public_key = engine.create_public_key(secret_key)
    assert engine.estimate_memory("create_public_key").held == public_key.nbytes
    assert engine.estimate_memory("rerandomize", count=100).held == held
    with pytest.raises(errors.ParameterError, match="estimate_memory: the parameters have ciphertexts under the small"):
        tfhe.Engine("insecure-tfhe-lib").estimate_memory("create_public_key")


def test_estimates_refuse_what_they_do_not_know() -> None:
    engine = Engine(max_level=2, insecure_log_n=10)
    with pytest.raises(errors.ParameterError, match="operation is 'rotate'"):
        engine.estimate_memory("rotate")
    with pytest.raises(errors.ParameterError, match="use_bootstrap is False"):
        engine.estimate_memory("create_small_bootstrap_key")
    with pytest.raises(errors.ParameterError, match="size is 'huge'"):
        engine.estimate_memory("bootstrap", size="huge")
    with pytest.raises(errors.ParameterError, match="count is 0"):
        engine.estimate_memory("encrypt", count=0)
    with pytest.raises(errors.LevelError):
        engine.estimate_memory("encrypt", level=3)
    with pytest.raises(errors.ParameterError, match="operation is 'gate'"):
        tfhe.Engine(insecure_log_n=9).estimate_memory("gate")
    assert "until it is done" in str(engine.estimate_memory("encode_to_plain_matrix", shape=(100, 100)))


def test_too_much_is_refused_before_it_begins() -> None:
    engine = Engine(max_level=2, insecure_log_n=10)
    light = engine.estimate_memory("multiply_matrix", shape=(engine.slot_count, engine.slot_count))
    assert light.peak > 0
    error = errors.OutOfMemoryError("create: 2 B are needed", needed=2, available=1, limit="machine")
    assert isinstance(error, MemoryError)
    assert isinstance(error, errors.EverlevelError)
    assert (error.needed, error.available, error.limit) == (2, 1, "machine")


def test_info_prints_a_plan(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["info", "--plan", "--bootstrap", "--insecure-log-n", "10", "--seeded-keys"]) == 0
    text = capsys.readouterr().out
    assert "create_small_bootstrap_key" in text
    assert "bootstrap, stage_count 5, small key" in text
    assert main(["info", "--plan", "--json", "--max-level", "3", "--insecure-log-n", "10"]) == 0
    memory = json.loads(capsys.readouterr().out)["memory"]
    engine = Engine(max_level=3, insecure_log_n=10)
    assert memory["create_rotation_key"]["held"] == engine.create_rotation_key(engine.create_secret_key()).nbytes


@pytest.mark.parametrize("cut", [False, True])
def test_a_mapped_key_whose_file_changes_is_refused(tmp_path: Path, cut: bool) -> None:
    engine = Engine(max_level=2, insecure_log_n=10)
    secret_key = engine.create_secret_key()
    path = tmp_path / "relinearization.key"
    engine.create_relinearization_key(secret_key).save(path, expanded=True)
    engine.forget_keys()
    key = engine.load(path, mapped=True)
    x = engine.encrypt([0.5], secret_key)
    assert_claims(engine.multiply(x, x, key), [0.25], secret_key)
    with path.open("r+b") as file:
        if cut:
            file.truncate(path.stat().st_size // 2)
        else:
            file.seek(-1, os.SEEK_END)
            file.write(b"\\0")
            os.utime(path)
    with pytest.raises(errors.FileChangedError, match="changed while it was mapped") as caught:
        engine.multiply(x, x, key)
    assert caught.value.path == str(path)


def test_a_file_that_is_replaced_leaves_the_mapped_key(tmp_path: Path) -> None:
    engine = Engine(max_level=2, insecure_log_n=10)
    secret_key = engine.create_secret_key()
    path = tmp_path / "relinearization.key"
    made = engine.create_relinearization_key(secret_key)
    made.save(path)
    key = engine.load(path, mapped=True)
    made.save(path)
    x = engine.encrypt([0.5], secret_key)
    assert_claims(engine.multiply(x, x, key), [0.25], secret_key)


def test_a_file_for_other_slots_says_so(tmp_path: Path) -> None:
    engine, other = (Engine(max_level=2, slot_count=count, insecure_log_n=10) for count in (64, 128))
    path = tmp_path / "x"
    engine.encrypt([1.0], engine.create_secret_key()).save(path)
    with pytest.raises(errors.FileParametersError, match="for slot_count 64, this engine has 128"):
        other.load(path)


@pytest.mark.skipif(not hasattr(os, "symlink"), reason="links")
def test_saving_to_a_link_replaces_what_it_points_to(tmp_path: Path) -> None:
    engine = Engine(max_level=1, insecure_log_n=10)
    secret_key = engine.create_secret_key()
    (tmp_path / "folder").mkdir()
    target, link = tmp_path / "folder" / "file", tmp_path / "link"
    link.symlink_to(Path("folder") / "file")
    for value in (1.0, 0.5):
        engine.encrypt([value], secret_key).save(link)
        assert link.is_symlink()
        assert_claims(engine.load(target), [value], secret_key)
    circle = tmp_path / "circle"
    circle.symlink_to(circle)
    with pytest.raises(errors.StorageError, match="circle"):
        engine.encrypt([1.0], secret_key).save(circle)


@linux
def test_a_save_that_was_killed_leaves_nothing_for_ever(tmp_path: Path) -> None:
    program = """
import sys
from everlevel import Engine
engine = Engine(max_level=2, insecure_log_n=13)
key = engine.create_rotation_key(engine.create_secret_key())
print("ready", flush=True)
while True:
    key.save(sys.argv[1], expanded=True)
"""
    path = tmp_path / "rotation.key"
    left: list[Path] = []
    for _ in range(20):
        with subprocess.Popen([sys.executable, "-c", program, str(path)], stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            process.stdout.readline()
            threading.Event().wait(0.05)
            process.send_signal(signal.SIGKILL)
        left = [file for file in tmp_path.iterdir() if file.name.startswith(".")]
        if left:
            break
    assert left, "a kill during a save"
    engine = Engine(max_level=1, insecure_log_n=10)
    engine.encrypt([1.0], engine.create_secret_key()).save(tmp_path / "another")
    assert not [file for file in tmp_path.iterdir() if file.name.startswith(".")]
