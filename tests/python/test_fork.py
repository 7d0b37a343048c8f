"""Engines in forked processes, which have none of their parent's threads. Each test is a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from concurrency import FOREVER

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")


def run(program: str, *arguments: str, **environment: str) -> list[str]:
    """Run a program, and return the lines that it prints."""
    command = [sys.executable, "-c", program, *arguments]
    path = os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")])
    environment = os.environ | {"EVERLEVEL_PROGRESS": "0", "PYTHONPATH": path} | environment
    done = subprocess.run(command, capture_output=True, text=True, timeout=FOREVER, check=False, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    return sorted(done.stdout.splitlines())


CKKS = """
import sys
import numpy as np
from claims import assert_claims
from everlevel import Engine
threads, folder = int(sys.argv[1]), sys.argv[2]
engine = Engine(thread_count=threads, use_bootstrap=True, insecure_log_n=10)
secret_key = engine.create_secret_key()
engine.create_evaluation_key(secret_key, rotations=False)
values = np.linspace(-1, 1, engine.slot_count)
a = engine.encrypt(values, secret_key)

def work(name):
    # What the parent made, what this process makes, keys and files; and a bootstrap.
    b = engine.encrypt(values, secret_key)
    assert_claims(a * b + 1, values**2 + 1, secret_key)
    low = engine.level_down(a, 0).bootstrap()
    assert_claims(low, values, secret_key)
    engine.create_rotation_key(secret_key).save(f"{folder}/{name}")
    key = engine.load(f"{folder}/{name}", mapped=True, verify=True)
    assert_claims(engine.rotate(a, key, 3), np.roll(values, 3), secret_key)
    again = engine.load_bytes(a.to_bytes())
    assert engine.thread_count == threads
    return float(engine.decrypt(again, secret_key)[0])
"""

TFHE = """
import pickle, sys
import numpy as np
from everlevel import tfhe
threads, folder = int(sys.argv[1]), sys.argv[2]
engine = tfhe.Engine("integer-4-64", thread_count=threads, insecure_log_n=10)
secret_key = engine.create_secret_key()
engine.create_evaluation_key(secret_key)
values = np.arange(6, dtype=np.uint8)
a = engine.encrypt_uint(values, secret_key)
small = engine.encrypt(values, secret_key)

def work(name):
    other = engine.create_secret_key()
    engine.create_evaluation_key(other).save(f"{folder}/{name}")
    engine.load(f"{folder}/{name}")
    np.testing.assert_array_equal(engine.decrypt(a * a, secret_key), values * values)
    np.testing.assert_array_equal(engine.decrypt(engine.encrypt_uint(values, other) + 1, other), values + 1)
    np.testing.assert_array_equal(engine.decrypt(engine.bootstrap(small), secret_key), values)
    again = pickle.loads(pickle.dumps(a))
    assert engine.thread_count == threads
    return float(engine.decrypt(again, secret_key)[0])
"""

FORK = """
import os
work("before")
child = os.fork()
if child == 0:
    work("child")
    grandchild = os.fork()
    work("grandchild" if grandchild == 0 else "child")
    if grandchild:
        assert os.waitpid(grandchild, 0)[1] == 0
    print("grandchild" if grandchild == 0 else "child")
else:
    work("parent")
    assert os.waitpid(child, 0)[1] == 0
    print("parent")
"""

POOL = """
from multiprocessing import get_context
if __name__ == "__main__":
    work("before")
    with get_context("fork").Pool(2) as pool:
        results = pool.map(work, ["one", "two", "three", "four"], chunksize=1)
    assert results == [work("after")] * 4
    print("done")
"""


@pytest.mark.parametrize("threads", ["1", "2"])
@pytest.mark.parametrize("scheme", [CKKS, TFHE], ids=["ckks", "tfhe"])
def test_a_fork_computes(scheme: str, threads: str, tmp_path: Path) -> None:
    assert run(scheme + FORK, threads, str(tmp_path)) == ["child", "grandchild", "parent"]


@pytest.mark.parametrize("scheme", [CKKS, TFHE], ids=["ckks", "tfhe"])
def test_multiprocessing_by_forks(scheme: str, tmp_path: Path) -> None:
    assert run(scheme + POOL, "2", str(tmp_path)) == ["done"]


LOCKS = """
import os, threading
from everlevel._common.locks import Lock
lock, held, done = Lock(), threading.Event(), threading.Event()

def hold():
    with lock:
        held.set()
        done.wait()

thread = threading.Thread(target=hold)
thread.start()
held.wait()
child = os.fork()
if child == 0:
    with lock:
        print("open", flush=True)
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
assert not lock._lock.acquire(blocking=False)
done.set()
thread.join()
with lock:
    print("returned")
"""


def test_locks_are_open_in_a_child() -> None:
    assert run(LOCKS) == ["open", "returned"]


THREADS = """
import os
before = len(os.listdir("/proc/self/task"))
work("file")
print(len(os.listdir("/proc/self/task")) - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="threads are counted as Linux shows them")
@pytest.mark.parametrize("scheme", [CKKS, TFHE], ids=["ckks", "tfhe"])
def test_no_threads_but_the_engine_s(scheme: str, tmp_path: Path) -> None:
    """Work outside its pool would start as many threads as the machine has, which a child couldn't use."""
    (started,) = run(scheme + THREADS, "2", str(tmp_path), RAYON_NUM_THREADS="50")
    # A thread that has just ended may still be counted.
    assert int(started) < 10
