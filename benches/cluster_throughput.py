"""A model of pools: what a cluster of so many workers takes for so many tasks, checked by runs, and then scaled up.

    python benches/cluster_throughput.py check       predict runs of 1 to 4 workers here: delay, little bandwidth, kills
    python benches/cluster_throughput.py simulate    1 to 1,000 nodes, by the same simulation

A driver packs a task, its link carries the arguments, a worker computes, the link carries the result, and the driver
unpacks it. Each of these does one thing at a time; a worker has `DEPTH` tasks, of which it computes one. One that ends
loses them, and another one begins in its place after a start. With processes and Ray the lost tasks wait for it, or for
whoever has fewer; Dask gives them to the first worker that is free. That is all of the model; `simulate` is it, event
by event. ``check`` fits its times to runs of one worker without any injection, measures starts by tasks that end their
worker and tell when they begin again, and predicts runs of another number of workers, tasks and conditions. The
injection is a link in the driver that holds messages back. Arithmetic is a pause by default, so that four workers fit
two cores, or a bootstrap (``--real``).
"""

from __future__ import annotations

import argparse
import heapq
import itertools
import json
import math
import os
import queue
import random
import secrets
import signal
import statistics
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from cluster import Setup, restarts

from everlevel import cluster
from everlevel.cluster._bound import Bound, EngineLike
from everlevel.cluster._dispatch import Settings
from everlevel.cluster._keys import describe
from everlevel.cluster._processes import Processes
from everlevel.cluster._worker import Outcome, Plan, versions
from everlevel.cluster.pool import Pool

DEPTH = 2
"""Tasks that a worker has at a time (`everlevel.cluster._dispatch`)."""


@dataclass(frozen=True)
class Cluster:
    """What the model knows: seconds, bytes, bytes a second."""

    workers: int
    task: float
    """Arithmetic of a task, and what the worker does for it beside."""
    pack: float = 0.0
    """The driver's work for a task's arguments."""
    unpack: float = 0.0
    """The driver's work for its result."""
    bytes_in: float = 0.0
    bytes_out: float = 0.0
    bandwidth: float = math.inf
    """Of the driver's link, each way."""
    latency: float = 0.0
    begin: float = 0.0
    """From a worker's end until the one in its place, with the key opened, computes a task that was lost."""
    shares: bool = False
    """Whether tasks that were lost go to whoever is free first, as Dask's do, and not to one worker each."""
    kills: tuple[float, ...] = ()
    """When a worker ends."""
    mean_life: float = math.inf
    """Of a worker, in seconds: ends at random."""
    spread: float = 0.0
    """Standard deviation of the logarithm of a task's time."""


def simulate(cluster: Cluster, tasks: int, seed: int = 1) -> float:
    """Return the seconds from the first task's packing to the last result's unpacking."""
    rng = random.Random(seed)
    events: list[tuple[float, int, Callable[[], None]]] = []
    order = itertools.count()
    now = 0.0

    def at(when: float, what: Callable[[], None]) -> None:
        heapq.heappush(events, (when, next(order), what))

    free = {"driver": 0.0, "up": 0.0, "down": 0.0}

    def serve(resource: str, seconds: float, then: Callable[[], None], delay: float = 0.0) -> None:
        free[resource] = max(free[resource], now) + seconds
        at(free[resource] + delay, then)

    queues: list[deque[int]] = [deque() for _ in range(cluster.workers)]
    returned: deque[int] = deque()
    assigned = [0] * cluster.workers
    least = [(0, worker) for worker in range(cluster.workers)]
    """A heap of workers by their tasks, in which numbers may be old."""

    def assign(worker: int, change: int) -> None:
        assigned[worker] += change
        heapq.heappush(least, (assigned[worker], worker))

    def least_loaded() -> int:
        while least[0][0] != assigned[least[0][1]]:
            heapq.heappop(least)
        return least[0][1]

    epochs = [0] * cluster.workers
    ready_at = [0.0] * cluster.workers
    computing = [False] * cluster.workers
    waiting: deque[int] = deque(range(tasks))
    state = {"done": 0, "under_way": 0, "end": 0.0}

    def fill() -> None:
        while waiting and state["under_way"] < DEPTH * cluster.workers:
            state["under_way"] += 1
            send(waiting.popleft())

    def send(task: int) -> None:
        worker = least_loaded()
        assign(worker, 1)
        serve("driver", cluster.pack, lambda: carry(worker, task))

    def carry(worker: int, task: int) -> None:
        serve("up", cluster.bytes_in / cluster.bandwidth, lambda: arrive(worker, task), cluster.latency)

    def arrive(worker: int, task: int) -> None:
        queues[worker].append(task)
        compute(worker)

    def compute(worker: int) -> None:
        if computing[worker] or not (queues[worker] or returned):
            return
        if now < ready_at[worker]:
            at(ready_at[worker], lambda: compute(worker))
            return
        if returned:  # it was sent before those that wait
            queues[worker].appendleft(returned.popleft())
            assign(worker, 1)
        computing[worker] = True
        epoch, seconds = epochs[worker], cluster.task
        if cluster.spread:
            seconds *= math.exp(rng.gauss(-(cluster.spread**2) / 2, cluster.spread))
        at(now + seconds, lambda: computed(worker, epoch))

    def computed(worker: int, epoch: int) -> None:
        if epoch != epochs[worker]:
            return
        queues[worker].popleft()
        computing[worker] = False
        compute(worker)
        serve("down", cluster.bytes_out / cluster.bandwidth, lambda: come_back(worker), cluster.latency)

    def come_back(worker: int) -> None:
        serve("driver", cluster.unpack, lambda: finish(worker))

    def finish(worker: int) -> None:
        assign(worker, -1)
        state["under_way"] -= 1
        state["done"] += 1
        state["end"] = now
        fill()

    def end(worker: int) -> None:
        if state["done"] == tasks:
            return
        epochs[worker] += 1
        computing[worker] = False
        ready_at[worker] = now + cluster.begin
        lost = list(queues[worker])
        queues[worker].clear()
        assign(worker, -len(lost))
        if cluster.shares:
            returned.extend(lost)
            for one in range(cluster.workers):
                compute(one)
        else:
            for task in lost:
                send(task)
        if math.isfinite(cluster.mean_life):
            at(now + rng.expovariate(1 / cluster.mean_life), lambda: end(worker))

    for place, when in enumerate(cluster.kills):
        at(when, lambda worker=place % cluster.workers: end(worker))
    if math.isfinite(cluster.mean_life):
        for worker in range(cluster.workers):
            at(rng.expovariate(1 / cluster.mean_life), lambda worker=worker: end(worker))
    fill()
    while state["done"] < tasks:
        now, _, what = heapq.heappop(events)
        what()
    return state["end"]


class Link:
    """One direction of a link: a message after the other, each held back for its bytes, and then for a delay."""

    def __init__(self, bandwidth: float, latency: float) -> None:
        self._bandwidth, self._latency = bandwidth, latency
        self._messages: queue.SimpleQueue[tuple[float, Callable[[], None]]] = queue.SimpleQueue()
        threading.Thread(target=self._carry, daemon=True).start()

    def send(self, nbytes: float, then: Callable[[], None]) -> None:
        """Carry a message."""
        self._messages.put((nbytes, then))

    def _carry(self) -> None:
        while True:
            nbytes, then = self._messages.get()
            time.sleep(nbytes / self._bandwidth)
            if self._latency:
                threading.Timer(self._latency, then).start()
            else:
                then()


class SlowProcesses(Processes):
    """Worker processes behind a slow link."""

    def __init__(self, count: int, bandwidth: float, latency: float) -> None:
        super().__init__(count)
        self._up, self._down = Link(bandwidth, latency), Link(bandwidth, latency)

    def submit(self, common: Any, cargo: Any, job: str) -> Future[Outcome]:
        """Send a task, and take its result, over the link."""
        outer: Future[Outcome] = Future()
        outer.set_running_or_notify_cancel()

        def answer(inner: Future[Outcome]) -> None:
            error = inner.exception()
            if error is not None:
                outer.set_exception(error)
            else:
                outcome = inner.result()
                nbytes = outcome.result.nbytes if outcome.result is not None else 0
                self._down.send(nbytes, lambda: outer.set_result(outcome))

        def forward() -> None:
            super(SlowProcesses, self).submit(common, cargo, job).add_done_callback(answer)

        self._up.send(cargo.nbytes, forward)
        return outer


@dataclass(frozen=True)
class Pause:
    """A function of a task's arithmetic."""

    seconds: float

    def __call__(self, x: Any) -> Any:
        """Wait, and return what came."""
        time.sleep(self.seconds)
        return x


class Bootstrap:
    """A function that bootstraps."""

    def __call__(self, x: Any, *, engine: Any, keys: Any) -> Any:
        """Bootstrap."""
        return engine.bootstrap(x, keys.evaluation_key)


def connect(setup: Setup, address: Any, model: Cluster) -> Pool:
    """Connect to workers: processes behind a slow link, or those of an engine."""
    if address is not None:
        return cluster.connect(address, keys=setup.path, engine=setup.engine, workers=model.workers, retries=3)
    file = describe("connect", setup.path)
    plan = Plan(secrets.token_hex(8), EngineLike.of(setup.engine), (file,), None, 1, versions())
    backend = SlowProcesses(model.workers, model.bandwidth, model.latency)
    backend.start(plan)
    bound = Bound(setup.engine, secret_ids=frozenset({file.secret_id}))
    return Pool(backend, bound, Settings(retries=3, max_bytes=1 << 30, shows_progress=False))


def run(pool: Pool, function: Any, inputs: list[Any], kills: tuple[float, ...] = ()) -> float:
    """Return the seconds that tasks take; kill workers meanwhile."""
    while len(pool.workers) < pool.slots:
        time.sleep(0.1)
    list(pool.map(Pause(0.0), inputs[:1] * pool.slots))
    pids = [worker.pid for worker in pool.workers]
    timers = [threading.Timer(when, os.kill, (pids[k % len(pids)], signal.SIGKILL)) for k, when in enumerate(kills)]
    start = time.perf_counter()
    for timer in timers:
        timer.start()
    count = sum(1 for _ in pool.map_unordered(function, inputs))
    taken = time.perf_counter() - start
    assert count == len(inputs)
    for timer in timers:
        timer.join()
    return taken


def fit(setup: Setup, address: Any, function: Any, x: Any, tasks: int) -> Cluster:
    """Find the model's times by undisturbed runs of one worker."""
    engine = setup.engine
    with connect(setup, address, Cluster(1, 0.0)) as pool:
        run(pool, function, [x])
        whole = statistics.median(run(pool, function, [x] * tasks) for _ in range(3)) / tasks
    packing = statistics.median(_timed(lambda: x.to_bytes()) for _ in range(9))
    y = engine.load_bytes(x.to_bytes())
    result = next(iter([function(y)])) if isinstance(function, Pause) else engine.bootstrap(x)
    data = result.to_bytes()
    reading = statistics.median(_timed(lambda: engine.load_bytes(data)) for _ in range(9))
    return Cluster(
        workers=1,
        task=whole,
        pack=packing,
        unpack=reading,
        bytes_in=len(x.to_bytes()),
        bytes_out=len(data),
        shares=address == "dask",
    )


def _timed(call: Callable[[], Any]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def check(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Fit, predict runs that weren't fitted, run them, and compare."""
    rows = []
    address = None if options.engine == "processes" else options.engine
    with tempfile.TemporaryDirectory() as temporary:
        setup = Setup(options.keys or Path(temporary), options.insecure_log_n)
        x = setup.engine.encrypt([0.5], setup.secret_key, level=0 if options.real else None, bound=1)
        function: Any = Bootstrap() if options.real else Pause(options.pause)
        fitted = fit(setup, address, function, x, options.tasks)
        print("fitted:", json.dumps(asdict(fitted), default=str), flush=True)
        size = fitted.bytes_in + fitted.bytes_out
        slow = size / (1.5 * fitted.task)
        """A link on which a task's bytes, both ways, take three quarters of its arithmetic each."""
        injected: dict[str, dict[str, Any]] = {
            "none": {},
            "delay": {"latency": 2 * fitted.task},
            "bandwidth": {"bandwidth": slow},
            "both": {"bandwidth": 2 * slow, "latency": fitted.task},
            "kill": {"kills": (4.3 * fitted.task,)},
        }
        offered = options.inject if address is None else [name for name in options.inject if name in ("none", "kill")]
        conditions: list[dict[str, Any]] = [
            {"workers": workers, **injected[name]} for workers in options.workers for name in offered
        ]
        for condition in conditions:
            model = replace(fitted, **condition)
            count = options.tasks * condition["workers"] + 3
            # Starts take what the machine leaves them: they are measured beside the run, and not in it.
            starts = restarts(setup, address, 2) if model.kills else []
            with connect(setup, address, model) as pool:
                measured = statistics.median(
                    run(pool, function, [x] * count, model.kills) for _ in range(options.turns)
                )
            starts += restarts(setup, address, 2) if model.kills else []
            predicted = simulate(replace(model, begin=statistics.mean(starts) if starts else 0.0), count)
            row = {"engine": options.engine, **condition, "tasks": count, "predicted": predicted, "measured": measured}
            row["error_percent"] = 100 * (predicted / measured - 1)
            if starts:
                row["starts"] = starts
            rows.append(row)
            print(json.dumps(row), flush=True)
    errors = [abs(row["error_percent"]) for row in rows]
    print(f"{len(rows)} runs: median error {statistics.median(errors):.1f} %, largest {max(errors):.1f} %")
    return rows


def grow(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Scale the model up: nodes of 16 workers, and one thing after the other made better."""
    node = 16
    base = Cluster(
        workers=node,
        task=options.bootstrap_seconds,
        pack=options.pack_seconds,
        unpack=options.unpack_seconds,
        bytes_in=0.8e6,
        bytes_out=8.7e6,
        bandwidth=1.25e9,
        latency=0.5e-3,
        begin=10.0,
        mean_life=30 * 86400.0,
        spread=0.05,
    )
    variants = {
        "one driver, 10 Gbit/s": (base, 1),
        "one driver, 100 Gbit/s": (replace(base, bandwidth=12.5e9), 1),
        "four bootstraps a task": (replace(base, task=4 * base.task), 4),
        "sixteen drivers": (base, 1),
    }
    rows = []
    for nodes in options.nodes:
        for name, (one, in_a_task) in variants.items():
            drivers = 16 if name == "sixteen drivers" else 1
            if nodes * node < drivers:
                continue
            share = replace(one, workers=nodes * node // drivers)
            tasks = 8 * share.workers
            seconds = simulate(share, tasks)
            rate = drivers * in_a_task * tasks / seconds
            rows.append({
                "nodes": nodes, "variant": name, "bootstraps_a_second": rate,
                "of_ideal": rate * base.task / (nodes * node),
            })  # fmt: skip
            print(json.dumps(rows[-1]), flush=True)
    for nodes in options.nodes:
        size, chunk, bandwidth = 3.7e9, 32 * 2**20, 1.25e9
        rounds = math.ceil(math.log2(nodes + 1))
        row = {
            "nodes": nodes,
            "key_from_the_driver_seconds": nodes * size / bandwidth,
            "key_through_nodes_seconds": size / bandwidth * 2 + rounds * chunk / bandwidth,
        }
        rows.append(row)
        print(json.dumps(row), flush=True)
    return rows


def main() -> None:
    """Check the model, or scale it up."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("what", choices=["check", "simulate"])
    parser.add_argument("--engine", choices=["processes", "ray", "dask"], default="processes")
    parser.add_argument("--keys", type=Path, help="a folder for keys; a temporary one, if left out")
    parser.add_argument("--insecure-log-n", type=int, default=12)
    parser.add_argument("--real", action="store_true", help="bootstraps, for as many workers as there are cores")
    parser.add_argument("--pause", type=float, default=0.4)
    parser.add_argument("--tasks", type=int, default=8, help="for each worker")
    parser.add_argument("--turns", type=int, default=1)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 3, 4])
    parser.add_argument("--inject", nargs="+", default=["none", "delay", "bandwidth", "both", "kill"])
    parser.add_argument("--nodes", type=int, nargs="+", default=[1, 4, 16, 64, 250, 1000])
    parser.add_argument("--bootstrap-seconds", type=float, default=3.0)
    parser.add_argument("--pack-seconds", type=float, default=0.002)
    parser.add_argument("--unpack-seconds", type=float, default=0.006)
    parser.add_argument("--out", type=Path, default=Path("out") / "cluster_throughput.json")
    options = parser.parse_args()
    rows = check(options) if options.what == "check" else grow(options)
    options.out.parent.mkdir(exist_ok=True)
    options.out.write_text(json.dumps(rows, indent=2, default=str), encoding="utf-8")


if __name__ == "__main__":
    main()
