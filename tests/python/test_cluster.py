"""Pools of workers, by each engine that is installed: two workers, at N = 2^10."""

from __future__ import annotations

import functools
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cluster_tasks as tasks
from claims import assert_claims
from everlevel import Ciphertext, Engine, EvaluationKey, SecretKey, cluster, errors, tfhe
from parties import INSECURE_LOG_N

cloudpickle = pytest.importorskip("cloudpickle")
cloudpickle.register_pickle_by_value(tasks)

FOREVER = 300.0


def bits(ciphertext: Ciphertext) -> bytes:
    """Return a ciphertext's polynomials. Estimates of errors are drawn anew by whoever reads a ciphertext."""
    data = ciphertext.to_bytes()
    return data[8 + int.from_bytes(data[:8], "little") :]


class Setup:
    """An engine with a bootstrap, its keys, and the evaluation key's file."""

    def __init__(self, folder: Path) -> None:
        self.engine = Engine(use_bootstrap=True, insecure_log_n=INSECURE_LOG_N)
        self.secret_key: SecretKey = self.engine.create_secret_key()
        self.key: EvaluationKey = self.engine.create_evaluation_key(self.secret_key)
        self.path = folder / "eval.key"
        self.key.save(self.path)
        self.ciphertexts = [self.engine.encrypt([k / 16, -k / 16], self.secret_key, level=0, bound=1) for k in range(6)]

    def check(self, results: Any, *expected: list[float]) -> None:
        for x, values in zip(results, expected, strict=True):
            assert_claims(x, values, self.secret_key)


@pytest.fixture(scope="module")
def setup(tmp_path_factory: pytest.TempPathFactory) -> Setup:
    return Setup(tmp_path_factory.mktemp("cluster"))


@pytest.fixture(scope="module", params=[None, "ray", "dask"], ids=["processes", "ray", "dask"])
def pool(request: pytest.FixtureRequest, setup: Setup) -> Iterator[cluster.Pool]:
    address = request.param
    if address == "ray":
        request.getfixturevalue("running_ray")
    elif address == "dask":
        pytest.importorskip("distributed")
    with cluster.connect(address, keys=setup.path, engine=setup.engine, workers=2, retries=1) as opened:
        yield opened


def test_workers_tell_of_themselves(pool: cluster.Pool) -> None:
    found = pool.workers
    assert len(found) == 2
    assert len({worker.pid for worker in found} | {os.getpid()}) == 3
    assert {worker.thread_count for worker in found} == {1}
    assert set(pool.map(tasks.thread_count, range(4))) == {1}


def test_bootstraps_have_the_bits_of_one_machine(pool: cluster.Pool, setup: Setup) -> None:
    refreshed = pool.bootstrap_many(setup.ciphertexts)
    here = setup.engine.bootstrap_many(setup.ciphertexts, setup.key)
    assert [bits(x) for x in refreshed] == [bits(x) for x in here]
    assert all(x._engine is setup.engine for x in refreshed)
    one_by_one = pool.bootstrap(setup.ciphertexts[:2])
    assert [bits(x) for x in one_by_one] == [bits(x) for x in here[:2]]
    lazily = pool.bootstrap_many(iter(setup.ciphertexts[:3]), group=2)
    assert [bits(x) for x in lazily] == [bits(x) for x in here[:3]]


def test_methods_and_functions(pool: cluster.Pool, setup: Setup) -> None:
    fresh = [setup.engine.encrypt([k, 2 * k], setup.secret_key, bound=8) for k in range(3)]
    setup.check(pool.multiply(fresh, fresh), [0], [1, 4], [4, 16])
    setup.check(pool.rotate(fresh, delta=1), [0], [0, 1, 2], [0, 2, 4])
    setup.check(pool.add(fresh, 1), [1, 1], [2, 3], [3, 5])
    setup.check(pool.map(tasks.square, fresh), [0], [1, 4], [4, 16])
    key = setup.engine.create_relinearization_key(setup.secret_key)  # stays here: the worker's own takes its place
    engine = setup.engine
    setup.check(pool.map(lambda x, y: engine.multiply(x, y, key), fresh, fresh), [0], [1, 4], [4, 16])
    with pytest.raises(AttributeError, match="create_secret_key"):
        pool.create_secret_key()


def test_results_in_order_or_as_they_come(pool: cluster.Pool, tmp_path: Path) -> None:
    waits = functools.partial(tasks.wait_for_another, folder=str(tmp_path))
    assert list(pool.map(waits, range(9))) == list(range(9))
    (tmp_path / "ended").unlink()
    pairs = list(pool.map_unordered(waits, range(9)))
    assert sorted(pairs) == [(k, k) for k in range(9)]
    assert pairs[0] != (0, 0)


def test_inputs_are_read_as_results_are_taken(pool: cluster.Pool) -> None:
    read = 0

    def inputs() -> Iterator[int]:
        nonlocal read
        while True:
            read += 1
            yield read

    results = pool.map(tasks.identity, inputs())
    assert [next(results) for _ in range(50)] == list(range(1, 51))
    assert read <= 50 + 4 * pool.slots + 1
    results.close()


def test_reduce(pool: cluster.Pool, setup: Setup) -> None:
    fresh = [setup.engine.encrypt([k], setup.secret_key, bound=8) for k in range(7)]
    total = pool.reduce(tasks.add, iter(fresh), group=3)
    setup.check([total], [21])
    by_hand = (fresh[0] + fresh[1] + fresh[2]) + (fresh[3] + fresh[4] + fresh[5]) + fresh[6]
    assert bits(total) == bits(by_hand)
    assert pool.reduce(tasks.add, range(100), each=lambda k: k * k) == sum(k * k for k in range(100))
    assert pool.reduce(tasks.add, [5]) == 5
    with pytest.raises(errors.ParameterError, match="no items"):
        pool.reduce(tasks.add, [])


def test_a_lost_workers_task_is_tried_again(pool: cluster.Pool, setup: Setup, tmp_path: Path) -> None:
    before = {worker.pid for worker in pool.workers}
    status = setup.path.stat()
    assert list(pool.map(functools.partial(tasks.die_once, folder=str(tmp_path)), range(8))) == [
        k * k for k in range(8)
    ]
    deadline = time.monotonic() + FOREVER
    while len(after := {worker.pid for worker in pool.workers}) < 2:
        assert time.monotonic() < deadline
    assert len(before & after) == 1
    setup.check(pool.bootstrap_many(setup.ciphertexts[:2]), [0], [1 / 16, -1 / 16])
    assert setup.path.stat() == status  # no key was made or written again


def test_a_task_that_kills_its_workers(pool: cluster.Pool) -> None:
    with pytest.raises(errors.WorkerLostError, match=r"lost its worker each time.*look at the memory") as caught:
        list(pool.map(tasks.die, range(2)))
    assert caught.value.input_index == 1
    assert caught.value.attempts is not None


def test_errors_of_tasks(pool: cluster.Pool, setup: Setup) -> None:
    with pytest.raises(errors.TaskError, match=r"fail_at_three: the function raised ValueError: three; ") as caught:
        list(pool.map(tasks.fail_at_three, range(8)))
    error = caught.value
    assert error.input_index == 3
    assert isinstance(error.__cause__, ValueError)
    assert error.node
    assert error.completed is not None
    assert any("in fail_at_three" in note for note in error.__notes__)

    x = setup.ciphertexts[0]
    with pytest.raises(errors.LevelError) as level:
        list(pool.map(functools.partial(tasks.level_error, x=x), range(3)))
    assert level.value.input_index == 2  # type: ignore[attr-defined]
    assert level.value.level == 99

    results = list(pool.map(tasks.fail_at_three, range(5), on_error="return"))
    assert isinstance(results[3], errors.TaskError)
    assert [results[k] for k in (0, 1, 2, 4)] == [0, 1, 2, 4]

    with pytest.raises(errors.TaskError, match="nonsense: what it returned, of type generator, can't travel"):
        list(pool.map(tasks.nonsense, range(1)))
    with pytest.raises(errors.TaskPickleError, match="can't be pickled") as unpicklable:
        list(pool.map(tasks.identity, [1, threading.Lock()]))
    assert unpicklable.value.input_index == 1
    lock = threading.Lock()
    with pytest.raises(errors.TaskPickleError):
        pool.map(lambda value: (lock, value), [1])
    with pytest.raises(errors.TaskPickleError, match="a Pool is among what is sent"):
        pool.map(lambda value: (pool, value), [1])
    assert list(pool.map(tasks.identity, range(3))) == [0, 1, 2]


def test_warnings_come_to_the_driver(pool: cluster.Pool) -> None:
    with pytest.warns(UserWarning, match="beyond"):
        assert list(pool.map(tasks.warns, [7])) == [7]


def test_secret_keys_stay(pool: cluster.Pool, setup: Setup, tmp_path: Path) -> None:
    secret = setup.secret_key
    for function, value in [
        (tasks.identity, {"deep": [(secret,)]}),
        (lambda x: (x, secret), 1),
        (functools.partial(lambda x, y: x, y=secret), 1),
        (tasks.identity, secret._native),
    ]:
        with pytest.raises(errors.SecretExposureError, match="SecretKey is among what is sent"):
            list(pool.map(function, [value]))
    # Nor does one come back.
    with pytest.raises(errors.SecretExposureError, match=r"^<lambda>: it returned a SecretKey, .*; return ciphertexts"):
        list(pool.map(lambda _, engine: engine.create_secret_key(), [1]))


def test_closing_and_cancelling(pool: cluster.Pool, setup: Setup, tmp_path: Path) -> None:
    began = functools.partial(tasks.bootstrap_for_ever, folder=str(tmp_path))

    def cancel() -> None:
        while not list(tmp_path.iterdir()):
            time.sleep(0.01)
        pool.cancel()

    thread = threading.Thread(target=cancel)
    thread.start()
    with pytest.raises(errors.ClusterConnectionError, match="cancelled"):
        list(pool.map(began, setup.ciphertexts))
    thread.join()
    assert list(pool.map(tasks.identity, range(4))) == [0, 1, 2, 3]  # the workers are free again


def test_ctrl_c(setup: Setup, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    # A shell's background jobs know no Ctrl-C, and tests may be one.
    usual = signal.signal(signal.SIGINT, signal.default_int_handler)
    request.addfinalizer(lambda: signal.signal(signal.SIGINT, usual))
    began = functools.partial(tasks.bootstrap_for_ever, folder=str(tmp_path))

    def interrupt() -> None:
        while not list(tmp_path.iterdir()):
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)

    with cluster.connect(keys=setup.path, engine=setup.engine, workers=2) as pool:
        thread = threading.Thread(target=interrupt)
        thread.start()
        with pytest.raises(KeyboardInterrupt):
            list(pool.map(began, setup.ciphertexts))
        thread.join()
        assert list(pool.map(tasks.identity, range(4))) == [0, 1, 2, 3]


def test_a_terminals_ctrl_c_ends_no_worker(pool: cluster.Pool) -> None:
    before = {worker.pid for worker in pool.workers}
    for pid in before:
        os.kill(pid, signal.SIGINT)
    time.sleep(0.2)
    assert set(pool.map(tasks.pid, range(8))) <= before


@pytest.mark.parametrize("scheme", ["tfhe", "ntru"])
def test_arrays_are_split(scheme: str, tmp_path: Path, rng: np.random.Generator) -> None:
    from everlevel import ntru

    engine = tfhe.Engine("gate-64", insecure_log_n=9) if scheme == "tfhe" else ntru.Engine("gate-64", insecure_log_n=9)
    secret_key = engine.create_secret_key()
    engine.create_evaluation_key(secret_key).save(tmp_path / "eval.key")
    a, b = rng.integers(0, 2, (2, 5, 7)).astype(bool)
    x, y = engine.encrypt(a, secret_key), engine.encrypt(b, secret_key)
    with cluster.connect(keys=tmp_path / "eval.key", engine=engine, workers=2) as pool:
        assert (engine.decrypt(pool.and_(x, y, block_size=8), secret_key) == (a & b)).all()
        assert (engine.decrypt(pool.mux(x, y, False), secret_key) == (a & b)).all()
        both = pool.map_blocks(lambda u, v: (u ^ v, ~u), x, y[:1])
        assert (engine.decrypt(both[0], secret_key) == (a ^ b[:1])).all()
        assert (engine.decrypt(both[1], secret_key) == ~a).all()
        with pytest.raises(errors.TaskError, match=r"block 0 has .* and the function returned"):
            pool.map_blocks(lambda u: u[:1], x)
        rows = pool.map(lambda row: row[0] & row[1], x)  # its rows, as NumPy goes through an array
        assert [bool(engine.decrypt(row, secret_key)) for row in rows] == [bool(r[0] & r[1]) for r in a]


def test_integers_are_split(tmp_path: Path) -> None:
    engine = tfhe.Engine("integer-4-64", insecure_log_n=10)
    secret_key = engine.create_secret_key()
    engine.create_evaluation_key(secret_key).save(tmp_path / "eval.key")
    values = np.arange(12, dtype=np.uint8)
    x = engine.encrypt(values % 8, secret_key, max_value=7)
    with cluster.connect(keys=tmp_path / "eval.key", engine=engine, workers=2) as pool:
        looked_up = pool.bootstrap(x, lut=lambda m: m // 2)
        assert (engine.decrypt(looked_up, secret_key) == values % 8 // 2).all()
        halves, odd = pool.bootstrap_many(x, luts=[lambda m: m // 2, lambda m: m % 2])
        assert (engine.decrypt(halves, secret_key) == values % 8 // 2).all()
        assert (engine.decrypt(odd, secret_key) == values % 2).all()
        u = engine.encrypt_uint(values[:3], secret_key)
        assert (engine.decrypt(pool.map_blocks(tasks.add, u, u), secret_key) == 2 * values[:3]).all()


@pytest.mark.parametrize("scheme", ["tfhe", "ntru"])
def test_results_leave_rerandomised(scheme: str, tmp_path: Path) -> None:
    from everlevel import ntru

    module: Any = tfhe if scheme == "tfhe" else ntru
    engine = module.Engine("integer-4-64", insecure_log_n=10)
    secret_key = engine.create_secret_key()
    files = [tmp_path / name for name in ("evaluation", "compression", "public")]
    keys = engine.create_evaluation_key(secret_key), engine.create_compression_key(secret_key)
    for key, file in zip((*keys, engine.create_public_key(secret_key)), files, strict=True):
        key.save(file)
    values = np.arange(6, dtype=np.uint8)
    x = engine.encrypt(values, secret_key, max_value=15)
    with cluster.connect(keys=files, engine=engine, workers=1) as pool:
        twice = [next(iter(pool.map(tasks.nested, [x]))) for _ in range(2)]
        listed = next(iter(pool.map(tasks.listed, [x])))
    with cluster.connect(keys=files[:2], engine=engine, workers=1) as pool:
        bare = next(iter(pool.map(tasks.nested, [x])))
    assert bare["x"][0].to_bytes() == x.to_bytes()
    assert len({result["x"][0].to_bytes() for result in (*twice, bare)}) == 3
    for result in (*twice, bare):
        assert_claims(result["x"][0], values, secret_key)
        assert result["n"] == 6
    assert (engine.decrypt(listed, secret_key) == values).all()


def test_a_script_without_a_guard_is_told(setup: Setup, tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(f"from everlevel import cluster\ncluster.connect(keys={str(setup.path)!r}, workers=1)\n")
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=False)
    assert done.returncode
    assert "if __name__ == '__main__'" in done.stderr


def test_an_engine_is_made_of_the_keys_file(setup: Setup) -> None:
    with cluster.connect(keys=setup.path, workers=1) as pool:
        assert isinstance(pool.engine, Engine)
        found: list[Ciphertext] = pool.bootstrap(setup.ciphertexts[:1])
        assert found[0].level == setup.engine.max_level - 3
    with pytest.raises(errors.ClusterConnectionError, match="closed"):
        pool.map(tasks.identity, [1])
