"""Pools of workers measured: scaling, a task's overhead, memory, workers that are killed, many small tasks.

    python benches/cluster.py --engines processes ray dask [--insecure-log-n 12] [--only scaling …]

At full size it makes a key of 3.7 GB (``--keys FOLDER`` keeps it for the next time) and takes half an hour. Figures are
medians where there are several; they go to ``out/cluster.json`` as well. Daemons that it starts listen on the loopback
address, and end with it.
"""

from __future__ import annotations

import argparse
import functools
import json
import os
import signal
import statistics
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from everlevel import Engine, cluster, tfhe

MEGABYTE = 1e6
PARTS = ("scaling", "overhead", "memory", "kills", "small")


def identity(x: Any) -> Any:
    """Compute nothing: what remains is a task's overhead."""
    return x


class TellsOfItsDeath:
    """A task that ends its worker when it is begun, and says how long it took to begin it again."""

    def __init__(self, folder: Path) -> None:
        self.folder = str(folder)

    def __call__(self, number: int) -> float:
        """Write down when, or read it."""
        mark = Path(self.folder) / f"{number}.died"
        if mark.exists():
            return time.time() - float(mark.read_text(encoding="ascii"))
        mark.write_text(repr(time.time()), encoding="ascii")
        os.kill(os.getpid(), signal.SIGKILL)
        return 0.0


def restarts(setup: Setup, address: Any, count: int) -> list[float]:
    """Measure what a start is: from a worker's end until another one, with the key opened, computes."""
    with (
        tempfile.TemporaryDirectory() as folder,
        cluster.connect(address, keys=setup.path, engine=setup.engine, workers=1) as pool,
    ):
        return [float(next(pool.map(TellsOfItsDeath(Path(folder)), [turn]))) for turn in range(count)]


def and_of(x: Any) -> Any:
    """Compute a gate for each element."""
    return x & x


def gates(count: int, x: Any) -> Iterator[Any]:
    """Yield one array again and again."""
    for _ in range(count):
        yield x


class Setup:
    """An engine, its key's file, and ciphertexts."""

    def __init__(self, folder: Path, log_n: int | None) -> None:
        self.engine = Engine(use_bootstrap=True, insecure_log_n=log_n)
        self.path, secret = folder / f"eval-{log_n}.key", folder / f"secret-{log_n}.key"
        if not self.path.exists():
            made = self.engine.create_secret_key()
            made.save(secret)
            self.engine.create_evaluation_key(made, stage_count=3).save(self.path, expanded=True)
            self.engine.forget_keys()
        self.secret_key: Any = self.engine.load(secret)

    def exhausted(self, count: int) -> list[Any]:
        """Encrypt messages at level 0."""
        return [self.engine.encrypt([k / count, 0.5], self.secret_key, level=0, bound=1) for k in range(count)]

    def worst(self, results: list[Any]) -> float:
        """Return the largest error of the first slots."""
        found = [abs(self.engine.decrypt(x, self.secret_key)[0] - k / len(results)) for k, x in enumerate(results)]
        return float(max(found))


def proportional(pids: list[int]) -> float:
    """Return the bytes that processes answer for, where each page counts once among all that share it."""
    total = 0
    for pid in pids:
        try:
            lines = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines()
        except OSError:
            continue
        total += sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
    return 1024.0 * total


class Peak:
    """The largest value of a function, looked at meanwhile."""

    def __init__(self, value: Callable[[], float]) -> None:
        self.largest = 0.0
        self._value = value
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._look)

    def __enter__(self) -> Peak:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._done.wait(0.2):
            self.largest = max(self.largest, self._value())


def cpu_seconds(pid: int) -> float:
    """Return the processor time of a process so far, whatever else the machine does."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def timed(call: Callable[[], Any]) -> tuple[float, Any]:
    """Return what a call takes, and its result."""
    start = time.perf_counter()
    result = call()
    return time.perf_counter() - start, result


def scaling(setup: Setup, address: Any, options: argparse.Namespace) -> dict[str, Any]:
    """Compare two workers of one core with one, in turns, on the same bootstraps."""
    inputs = setup.exhausted(options.bootstraps)
    seconds: dict[int, list[float]] = {1: [], 2: []}
    error, peak = 0.0, 0.0
    for _ in range(options.turns):
        for workers in (1, 2):
            with cluster.connect(address, keys=setup.path, engine=setup.engine, workers=workers) as pool:
                pool.bootstrap_many(inputs[:workers], group=1)  # the key's pages, and each worker's buffers
                taken, results = timed(lambda pool=pool: pool.bootstrap_many(inputs, group=options.group))
                seconds[workers].append(taken)
                error = max(error, setup.worst(results))
                # Not meanwhile: to count a mapped key's million pages takes a share of a core.
                pids = [worker.pid for worker in pool.workers]
                with Peak(lambda pids=pids: proportional(pids)) as memory:
                    pool.bootstrap_many(inputs[: 2 * workers], group=options.group)
                peak = max(peak, memory.largest)
    one, two = (statistics.median(seconds[workers]) for workers in (1, 2))
    return {
        "bootstraps": len(inputs),
        "group": options.group,
        "one_worker_seconds": one,
        "two_workers_seconds": two,
        "ratio": one / two,
        "worst_error": error,
        "two_workers_pss_bytes": peak,
        "key_bytes": setup.path.stat().st_size,
    }


def overhead(setup: Setup, address: Any, options: argparse.Namespace) -> dict[str, Any]:
    """Measure tasks that compute nothing: one at a time, and many in a row."""
    fresh = setup.engine.encrypt([0.5], setup.secret_key, bound=1)
    x = [fresh, setup.engine.level_down(fresh, min(fresh.level, 2))]  # 11.5 MB and 3.1 MB at full size
    with cluster.connect(address, keys=setup.path, engine=setup.engine, workers=1) as pool:
        list(pool.map(identity, [x] * 4))

        def one_at_a_time() -> Iterator[Any]:
            for _ in range(options.tasks):
                yield x

        pids = [os.getpid(), *(worker.pid for worker in pool.workers)]
        before = [cpu_seconds(pid) for pid in pids]
        job = pool.map(identity, one_at_a_time())
        came = [time.perf_counter() for _ in job]
        # A worker sends its results in bursts: ten of them are looked at together.
        pipelined = statistics.median((last - first) / 10 for first, last in zip(came, came[10:], strict=False))
        driver, worker = (cpu_seconds(pid) - old for pid, old in zip(pids, before, strict=True))
        single = []
        for _ in range(options.tasks):
            taken, _ = timed(lambda: next(pool.map(identity, [x])))
            single.append(taken)
    packed = sum(len(one._to_transit()) for one in x)
    here = statistics.median(
        timed(lambda: [setup.engine._from_transit(one._to_transit()) for one in x])[0] for _ in range(9)
    )
    return {
        "bytes_each_way": packed,
        "pipelined_milliseconds": 1e3 * pipelined,
        "driver_cpu_milliseconds": 1e3 * driver / options.tasks,
        "worker_cpu_milliseconds": 1e3 * worker / options.tasks,
        "one_at_a_time_milliseconds": 1e3 * statistics.median(single),
        "one_at_a_time_least_milliseconds": 1e3 * min(single),
        "to_bytes_and_back_here_milliseconds": 1e3 * here,
    }


def memory(setup: Setup, address: Any, options: argparse.Namespace) -> dict[str, Any]:
    """Measure the memory that two workers answer for, once the key's pages are all in it."""
    found = scaling(setup, address, argparse.Namespace(**{**vars(options), "turns": 1, "bootstraps": 4}))
    return {name: found[name] for name in ("two_workers_pss_bytes", "key_bytes", "group")}


def kills(setup: Setup, address: Any, options: argparse.Namespace) -> dict[str, Any]:
    """Kill a worker in the middle of a list of bootstraps, again and again."""
    inputs = setup.exhausted(options.kill_tasks)
    lost, complete = [], 0
    start = restarts(setup, address, 3)
    with cluster.connect(address, keys=setup.path, engine=setup.engine, workers=2, retries=3) as pool:
        pool.bootstrap_many(inputs[:2], group=1)
        undisturbed = statistics.median(timed(lambda: pool.bootstrap_many(inputs, group=1))[0] for _ in range(3))
        status = setup.path.stat()
        for turn in range(options.kills):
            workers = pool.workers
            victim = workers[turn % len(workers)].pid
            timer = threading.Timer(undisturbed / 2, os.kill, (victim, signal.SIGKILL))
            timer.start()
            taken, results = timed(lambda: pool.bootstrap_many(inputs, group=1))
            timer.join()
            lost.append(taken - undisturbed)
            complete += len(results) == len(inputs) and setup.worst(results) < 0.01
            while len(pool.workers) < 2:  # Dask's come back by themselves
                time.sleep(0.1)
        unchanged = setup.path.stat() == status
    start += restarts(setup, address, 3)
    return {
        "kills": options.kills,
        "right_and_complete": complete,
        "undisturbed_seconds": undisturbed,
        "task_seconds": 2 * undisturbed / len(inputs),
        "median_lost_seconds": statistics.median(lost),
        "worst_lost_seconds": max(lost),
        "lost_seconds": lost,
        "start_seconds": statistics.median(start),
        "worst_start_seconds": max(start),
        "key_file_unchanged": unchanged,
    }


def small(_: Any, address: Any, options: argparse.Namespace) -> dict[str, Any]:
    """Run many small tasks of TFHE from a generator, and look at the driver's memory."""
    engine = tfhe.Engine("gate-64", insecure_log_n=options.small_log_n or None)
    secret_key = engine.create_secret_key()
    with tempfile.TemporaryDirectory() as folder:
        engine.create_evaluation_key(secret_key).save(Path(folder) / "gates.key")
        engine.forget_keys()
        x = engine.encrypt([True, False] * 32, secret_key)
        before = proportional([os.getpid()])
        with (
            cluster.connect(address, keys=Path(folder) / "gates.key", engine=engine, workers=2) as pool,
            Peak(lambda: proportional([os.getpid()])) as peak,
        ):

            def run() -> int:
                return sum(
                    bool((engine.decrypt(result, secret_key) == [True, False] * 32).all())
                    for result in pool.map(and_of, gates(options.small_tasks, x))
                )

            taken, right = timed(run)
    return {
        "tasks": options.small_tasks,
        "right": right,
        "seconds": taken,
        "milliseconds_a_task": 1e3 * taken / options.small_tasks,
        "driver_bytes_before": before,
        "driver_peak_bytes": peak.largest,
        "array_bytes": x.nbytes,
    }


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--engines", nargs="+", default=["processes", "ray", "dask"])
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--insecure-log-n", type=int)
    parser.add_argument("--keys", type=Path, help="a folder for keys; a temporary one, if left out")
    parser.add_argument("--bootstraps", type=int, default=16)
    parser.add_argument("--group", type=int, default=1)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--tasks", type=int, default=100)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--kill-tasks", type=int, default=12)
    parser.add_argument("--small-tasks", type=int, default=10_000)
    parser.add_argument("--small-log-n", type=int, default=0, help="of a ring that isn't secure; the real one, if 0")
    parser.add_argument("--out", type=Path, default=Path("out") / "cluster.json")
    options = parser.parse_args()
    measured: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keys or Path(temporary)
        folder.mkdir(exist_ok=True)
        setup = Setup(folder, options.insecure_log_n) if set(options.only) != {"small"} else None
        for engine in options.engines:
            address = None if engine == "processes" else engine
            for part in options.only:
                function: Callable[..., dict[str, Any]] = functools.partial(globals()[part], setup, address)
                found = measured[f"{engine} {part}"] = function(options)
                load = " ".join(f"{value:.1f}" for value in os.getloadavg())
                print(f"{engine} {part} (load {load}):", json.dumps(found, indent=2), flush=True)
                options.out.parent.mkdir(exist_ok=True)
                options.out.write_text(json.dumps(measured, indent=2), encoding="utf-8")


if __name__ == "__main__":
    main()
