"""Pools where something goes wrong: nothing hangs, nothing is left behind, and no result is lost unsaid."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cluster_tasks as tasks
from claims import assert_claims
from everlevel import Engine, SecretKey, cluster, errors
from everlevel._common.threads import cores, threads
from everlevel.cluster import _copy, _dispatch, _keys, _parcel, _processes, _worker
from everlevel.cluster._backend import Crew, LostError
from everlevel.cluster._bound import Bound, EngineLike
from everlevel.cluster._spool import Spool, Spooled
from everlevel.cluster._worker import Outcome, Plan, WorkerInfo, versions
from parties import INSECURE_LOG_N

cloudpickle = pytest.importorskip("cloudpickle")
cloudpickle.register_pickle_by_value(tasks)

PATIENCE = 60.0


class Setup:
    """An engine with a bootstrap, and its evaluation key's file."""

    def __init__(self, folder: Path) -> None:
        self.engine = Engine(use_bootstrap=True, insecure_log_n=INSECURE_LOG_N)
        self.secret_key: SecretKey = self.engine.create_secret_key()
        self.path = folder / "eval.key"
        self.engine.create_evaluation_key(self.secret_key).save(self.path)
        self.x = self.engine.encrypt([0.5], self.secret_key, level=0, bound=1)
        self.file = _keys.describe("connect", self.path)

    def plan(self, pool: str, **options: Any) -> Plan:
        return Plan(pool, EngineLike.of(self.engine), (self.file,), None, 1, versions(), **options)


@pytest.fixture(scope="module")
def setup(tmp_path_factory: pytest.TempPathFactory) -> Setup:
    return Setup(tmp_path_factory.mktemp("faults"))


@pytest.fixture(scope="module")
def pool(setup: Setup) -> Iterator[cluster.Pool]:
    with cluster.connect(keys=setup.path, engine=setup.engine, workers=2, retries=1) as opened:
        yield opened


def wait_for(what: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not what():
        assert time.monotonic() < deadline
        time.sleep(0.01)


# Engines' threads.


class Engaged(Crew[int]):
    """A worker of an engine that tells of its end under a lock that sending a task takes, as Python 3.12's does."""

    name = "engaged"

    def __init__(self) -> None:
        super().__init__()
        self.engine = threading.Lock()
        self.is_sending = threading.Event()
        self.inner: list[Future[Outcome]] = []
        self._hire_all()

    def _hire(self) -> int:
        return len(self.inner)

    def _send(self, handle: int, common: Any, cargo: Any, job: str) -> Future[Outcome]:
        self.is_sending.set()
        with self.engine:
            self.inner.append(Future())
            return self.inner[-1]

    def _why_lost(self, error: BaseException) -> str | None:
        return "it ended"

    def _node(self, handle: int) -> str | None:
        return f"worker {handle}"

    def start(self, plan: Plan) -> list[WorkerInfo]:
        return []

    workers = start  # type: ignore[assignment]

    def cancel(self, job: str) -> None:
        pass

    def close(self) -> None:
        pass


def test_a_worker_that_ends_while_a_task_is_sent() -> None:
    crew, cargo = Engaged(), _parcel.Parcel(b"")
    first = [crew.submit(None, cargo, "job") for _ in range(2)]
    crew.is_sending.clear()
    third: list[Any] = []
    sends = threading.Thread(target=lambda: third.append(crew.submit(None, cargo, "job")), daemon=True)

    def ends() -> None:
        with crew.engine:
            sends.start()
            crew.is_sending.wait(PATIENCE)
            for inner in crew.inner[:2]:
                inner.set_exception(RuntimeError())

    tells = threading.Thread(target=ends, daemon=True)
    tells.start()
    tells.join(PATIENCE)
    sends.join(PATIENCE)
    assert not tells.is_alive()
    assert third
    lost = [task.exception(0) for task in first]
    assert [isinstance(error, LostError) and error.is_begun for error in lost] == [True, False]
    again = crew.submit(None, cargo, "job")
    crew.inner[-1].set_result(Outcome("node"))
    assert again.result(0).node == "node"


def test_a_task_that_the_executor_forgets(pool: cluster.Pool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_dispatch, "_LOOK_SECONDS", 0.05)
    send, forgotten = _processes.Processes._send, []

    def forget(self: Any, handle: Any, *arguments: Any) -> Any:
        if forgotten:
            return send(self, handle, *arguments)
        os.kill(handle.info.result().pid, signal.SIGKILL)
        forgotten.append(Future())
        return forgotten[0]

    monkeypatch.setattr(_processes.Processes, "_send", forget)
    assert list(pool.map(tasks.identity, range(6))) == list(range(6))
    assert forgotten


def test_interrupts_are_the_drivers(setup: Setup) -> None:
    process = _processes.Process(setup.plan("interrupted"))
    try:
        (pid,) = process.executor._processes  # while it imports
        os.kill(pid, signal.SIGINT)
        assert isinstance(process.info.result(PATIENCE), WorkerInfo)
        os.kill(pid, signal.SIGINT)
        assert process.executor.submit(os.getpid).result(PATIENCE) == pid
    finally:
        process.executor.shutdown()


# Jobs.


def test_a_cancelled_job_is_not_a_short_one(pool: cluster.Pool) -> None:
    results = pool.map(tasks.identity, count())
    assert next(results) == 0
    time.sleep(0.3)  # nothing is under way any more
    pool.cancel()
    with pytest.raises(errors.ClusterConnectionError, match="cancelled") as caught:
        list(results)
    assert caught.value.completed
    assert set(caught.value.completed.items()) <= {(k, k) for k in range(1, 20)}


def test_a_cancelled_job_does_not_wait_for_functions(pool: cluster.Pool) -> None:
    results = pool.map(time.sleep, [5.0])
    threading.Timer(0.2, pool.cancel).start()
    start = time.monotonic()
    with pytest.raises(errors.ClusterConnectionError, match="cancelled"):
        next(results)
    assert time.monotonic() - start < 4.9


def files_of_jobs(pool: cluster.Pool) -> list[str]:
    assert pool._backend.spool is not None
    return [path.name for path in pool._backend.spool.folder.iterdir() if "-" in path.name]


def test_results_that_nobody_takes_leave_nothing(pool: cluster.Pool) -> None:
    results = pool.map(tasks.slow_array, range(8))
    assert next(results)[0] == 0
    results.close()
    assert list(pool.map(tasks.slow_array, range(2)))[1][0] == 1  # after those of the other job
    wait_for(lambda: not files_of_jobs(pool))


def test_what_a_job_left_is_swept(tmp_path: Path) -> None:
    spool = Spool(tmp_path, "token")
    parcel = _parcel.Parcel(b"", [bytes(1 << 20)])
    kept, left = spool.put(parcel, "one"), spool.put(parcel, "other")
    assert isinstance(kept, Spooled)
    assert isinstance(left, Spooled)
    spool.sweep("other")
    assert [str(path) for path in tmp_path.iterdir()] == [kept.path]


def test_errors_of_groups(pool: cluster.Pool, setup: Setup) -> None:
    with pytest.raises(errors.OperandTypeError) as caught:
        pool.bootstrap_many([setup.x, setup.x, setup.x, "nothing"], group=2)
    error: Any = caught.value
    assert error.input_index == 2
    assert set(error.completed) <= {0, 1}
    assert "the group that begins with input 2" in error.__notes__[0]


@pytest.mark.parametrize("on_error", ["raise", "return"])
def test_what_can_not_be_read(pool: cluster.Pool, on_error: Any) -> None:
    job = pool.map(tasks.unreadable, [1], on_error=on_error)
    if on_error == "return":
        assert isinstance(next(job), errors.TaskError)
        return
    with pytest.raises(errors.TaskError, match="unreadable: what the function returned can't be read here") as caught:
        next(job)
    assert caught.value.input_index == 0
    assert caught.value.node


def test_exceptions_of_every_kind(pool: cluster.Pool) -> None:
    with pytest.raises(errors.TaskError, match="raised KeyboardInterrupt: of the function's own"):
        list(pool.map(tasks.interrupted, [1]))
    with pytest.raises(errors.TaskPickleError, match=r"can't be pickled .not this one"):
        list(pool.map(tasks.identity, [tasks.Unwritable()]))


# Workers.


def test_a_closed_pool_opens_no_key_again(setup: Setup) -> None:
    plan, cargo = setup.plan("closed"), _parcel.pack((), Bound(setup.engine))
    function = _parcel.pack(functions := [1], Bound(setup.engine))
    worker = _worker.attach(plan)
    assert threads(None) == plan.thread_count
    assert _worker.execute(plan, 1, function, cargo, "job").failure is not None  # a list isn't called
    _worker.detach("closed")
    assert threads(None) == min(cores(), 256)
    assert worker.run(function, cargo, "job").is_cancelled
    assert _worker.execute(plan, 1, function, cargo, "job").is_cancelled
    assert "closed" not in _worker._workers
    assert functions


def test_large_functions_are_not_kept(setup: Setup, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_worker, "_JOBS_BYTES", 1 << 20)
    worker, bound = _worker.Worker(setup.plan("large"), 1), Bound(setup.engine)
    for job in range(3):
        large = np.zeros(1 << 17)
        function = _parcel.pack(lambda large=large: large.size, bound)
        outcome = worker.run(function, _parcel.pack((), bound), str(job))
        assert outcome.result is not None
        assert _parcel.unpack(outcome.result, bound) == 1 << 17  # type: ignore[arg-type]
    assert list(worker._functions) == ["2"]


def test_a_worker_that_sees_no_shared_memory(setup: Setup, tmp_path: Path) -> None:
    plan = setup.plan("elsewhere", spool_folder=str(tmp_path / "none"), spool_token="token")
    bound = Bound(setup.engine)
    sent = Spool(tmp_path, "token").put(_parcel.pack((np.zeros(1 << 17),), bound), "job")
    outcome = _worker.execute(plan, 1, _parcel.pack(len, bound), sent, "job")
    _worker.detach("elsewhere")
    assert outcome.failure is not None
    error = outcome.failure.error()
    assert isinstance(error, errors.ClusterConnectionError)
    assert _worker.node() in str(error)
    assert "connect again" in str(error)


# Files.


def test_a_copy_of_the_driver_leaves_its_folder() -> None:
    script = (
        "import os, sys\n"
        "from everlevel.cluster._spool import Spool\n"
        "spool = Spool.new()\n"
        "child = os.fork()\n"
        "if child:\n"
        "    os.waitpid(child, 0)\n"
        "    assert spool.folder.exists()\n"
        "    print(spool.folder)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert not Path(done.stdout.strip()).exists()


def test_no_room(setup: Setup, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any, **__: Any) -> Any:
        raise OSError(errno.ENOSPC, "no room")

    with monkeypatch.context() as patch:
        patch.setattr(_keys, "_stamps", full)
        _keys.check_here(setup.file, str(setup.path), "node 1")
    with monkeypatch.context() as patch:
        patch.setattr(tempfile, "mkdtemp", full)
        with pytest.raises(errors.ClusterConnectionError, match="no folder for ciphertexts can be made"):
            cluster.connect(keys=setup.path, engine=setup.engine, workers=1)


def test_two_pools_that_copy_the_same_key(setup: Setup, tmp_path: Path) -> None:
    plan = Plan("pool", EngineLike.of(setup.engine), (setup.file,), str(tmp_path / "keys"), 1, versions())
    slow = _copy.Receiver("node", _copy.wanted(plan), _copy.write, _copy.finish)
    _copy.send(plan, [_copy.Receiver("node", _copy.wanted(plan), _copy.write, _copy.finish)], lambda chunk: chunk)
    _copy.send(plan, [slow], lambda chunk: chunk)
    assert [path.name for path in (tmp_path / "keys").iterdir()] == [setup.file.name]


# Ray.


def test_ray_that_is_shut_down(setup: Setup, running_ray: None, monkeypatch: pytest.MonkeyPatch) -> None:
    import ray

    def starts(*_: Any, **__: Any) -> Any:
        raise AssertionError("Ray would start anew, for everybody to reach")

    with cluster.connect("ray", keys=setup.path, engine=setup.engine, workers=1) as pool:
        results = pool.map(tasks.identity, count())
        assert next(results) == 0
        with monkeypatch.context() as patch:
            patch.setattr(ray, "is_initialized", lambda: False)
            patch.setattr(ray, "init", starts)
            with pytest.raises(errors.ClusterConnectionError, match="Ray was shut down here"):
                list(results)
            with pytest.raises(errors.ClusterConnectionError, match="Ray was shut down here"):
                pool.map(tasks.identity, [1])
            pool.close()
            del results


@pytest.mark.slow
def test_ray_without_a_place_for_a_worker(
    setup: Setup, running_ray: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import ray

    from everlevel.cluster import _ray

    with cluster.connect("ray", keys=setup.path, engine=setup.engine, workers=2, retries=1) as pool:

        class Other:
            """Takes a core."""

        others = [ray.remote(num_cpus=1)(Other).remote() for _ in range(7)]  # the seventh waits for one
        monkeypatch.setattr(_ray, "_START_SECONDS", 1.0)
        monkeypatch.setattr(_dispatch, "_LOOK_SECONDS", 0.2)
        died = list(pool.map(lambda k: tasks.die_once(k, str(tmp_path)), range(8)))
        assert died == [k * k for k in range(8)]
        assert len(pool.workers) == 1
        for one in others:
            ray.kill(one)


# Dask.


@pytest.fixture(scope="module")
def running_dask() -> Iterator[Any]:
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, host="127.0.0.1", dashboard_address=None, memory_limit=0
    ) as running:
        yield running


def test_dask_lets_go_of_keys(setup: Setup, running_dask: Any, tmp_path: Path) -> None:
    import distributed

    with distributed.Client(running_dask, set_as_default=False) as client:
        with cluster.connect(client, keys=setup.path, engine=setup.engine) as pool:
            assert sum(map(len, client.run(tasks.pools_here, None).values())) == 1
            results = pool.map(
                lambda x, engine, keys: tasks.bootstrap_for_ever(x, str(tmp_path), engine=engine, keys=keys),
                [setup.x] * 8,
            )
            wait_for(lambda: any(tmp_path.iterdir()))
        wait_for(lambda: not any(client.processing().values()))
        assert not any(client.run(tasks.pools_here, None).values())
        del results


def test_dask_workers_on_other_machines(
    setup: Setup, running_dask: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Workers that see nothing of the driver's memory: parcels go over the network."""
    from everlevel.cluster import _dask

    def elsewhere() -> Spool:
        found = Spool.new()
        found.token = "another"
        return found

    monkeypatch.setattr(_dask, "Spool", type("Elsewhere", (), {"new": staticmethod(elsewhere)}))
    with cluster.connect(running_dask.scheduler_address, keys=setup.path, engine=setup.engine) as pool:
        assert not pool.workers[0].shares_memory
        large = np.arange(1 << 17)
        function = lambda k: int(large[k]) if tasks.die_once(k, str(tmp_path)) >= 0 else None  # noqa: E731
        assert list(pool.map(function, range(6))) == list(range(6))  # the only worker ended meanwhile
        refreshed = pool.bootstrap_many([setup.x] * 2)
        for x in refreshed:
            assert_claims(x, [0.5], setup.secret_key)
        assert len(refreshed) == 2
        results = pool.map(
            lambda x, engine, keys: tasks.bootstrap_for_ever(x, str(tmp_path), engine=engine, keys=keys), [setup.x]
        )
        wait_for(lambda: any(path.name.startswith("began") for path in tmp_path.iterdir()))
        pool.cancel()
        with pytest.raises(errors.ClusterConnectionError, match="cancelled"):
            next(results)


def test_dask_workers_that_can_not_begin(setup: Setup, running_dask: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from everlevel.cluster import _dask

    def missing(*_: Any, **__: Any) -> None:
        raise ModuleNotFoundError("No module named 'everlevel'")

    monkeypatch.setattr(_dask, "_start", missing)
    with pytest.raises(errors.ClusterConnectionError, match=r"ModuleNotFoundError.*that Everlevel is installed"):
        cluster.connect(running_dask.scheduler_address, keys=setup.path, engine=setup.engine)


def test_dask_without_workers(setup: Setup, running_dask: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from everlevel.cluster import _dask

    monkeypatch.setattr(_dask, "_DESERTED_SECONDS", 0.5)
    monkeypatch.setattr(_dispatch, "_LOOK_SECONDS", 0.2)
    with cluster.connect(running_dask.scheduler_address, keys=setup.path, engine=setup.engine) as pool:
        results = pool.map(tasks.identity, count())
        assert next(results) == 0
        running_dask.scale(0)
        with pytest.raises(errors.ClusterConnectionError, match="it has had no workers"):
            list(results)
