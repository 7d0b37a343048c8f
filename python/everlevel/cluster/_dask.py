"""Workers of a Dask cluster: a plugin opens the keys in each, also in those that come later.

Where all workers are on the driver's machine, parcels are files in shared memory, and Dask carries their names alone.
Elsewhere large arguments are scattered to workers, and results gathered from them.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import secrets
import signal
import threading
import time
from concurrent.futures import CancelledError, Future
from typing import Any, ClassVar, Final

import dask
import distributed
from distributed import Client, LocalCluster, WorkerPlugin
from distributed.scheduler import KilledWorker

from ..errors import ClusterConnectionError, EverlevelError
from . import _copy, _worker
from ._backend import BY_VALUE_BYTES, Backend, GoneError, LostError, infos
from ._parcel import Parcel
from ._spool import Cargo, Spool
from ._worker import Outcome, Plan, WorkerInfo

_TIMEOUT: Final = "30s"
_DESERTED_SECONDS: Final = 60.0
"""A cluster without workers may start some, as a nanny does where one has ended."""


class KeyPlugin(WorkerPlugin):  # type: ignore[misc]
    """Opens a pool's keys in a worker, and lets go of them when the pool is closed."""

    def __init__(self, plan: Plan, is_own: bool) -> None:
        self.name = f"everlevel-{plan.pool}"
        self._plan = plan
        self._is_own = is_own

    def setup(self, worker: Any) -> None:
        """Begin, beside the worker's own loop."""
        if self._is_own:
            _leave_interrupts_to_the_driver()
        arguments = self._plan, _slots(worker, self._plan)
        threading.Thread(target=_worker.start, args=arguments, daemon=True).start()

    def teardown(self, worker: Any) -> None:
        """Let go of the keys."""
        _worker.detach(self._plan.pool)


class Scattered:
    """A large function that workers have, and what to send if they end."""

    def __init__(self, parcel: Parcel, future: Any) -> None:
        self.parcel = parcel
        self.future = future


class Dask(Backend):
    """A cluster that runs already, or one that is started here, on this machine's loopback address."""

    name: ClassVar[str] = "dask"

    def __init__(self, address: Any, count: int | None, thread_count: int, retries: int) -> None:
        self._cluster: Any = None
        self._is_own = not isinstance(address, Client)
        self._deserted_since: float | None = None
        try:
            if isinstance(address, Client):
                self._client = address
            elif address == "dask":
                with dask.config.set({"distributed.scheduler.allowed-failures": retries}):
                    self._cluster = LocalCluster(
                        n_workers=count,
                        threads_per_worker=thread_count,
                        host="127.0.0.1",
                        dashboard_address=None,
                        # A mapped key counts as the memory of each worker, though all share it.
                        memory_limit=0,
                        silence_logs=logging.CRITICAL,
                    )
                self._client = Client(self._cluster, set_as_default=False)
            else:
                self._client = Client(address, timeout=_TIMEOUT, set_as_default=False)
        except BaseException as error:
            if self._cluster is not None:
                self._cluster.close(timeout=10)
            if not isinstance(error, Exception):
                raise
            raise ClusterConnectionError(
                f"connect: no Dask scheduler at {address!r} ({type(error).__name__}: {error}); check the address, that "
                f"the scheduler runs, and that it has this version of Dask ({distributed.__version__}) and of Python"
            ) from error

    def start(self, plan: Plan) -> list[WorkerInfo]:
        spool = Spool.new()
        self._plan = plan = plan.with_spool(spool)
        try:
            if not self._client.scheduler_info(n_workers=-1)["workers"]:
                raise ClusterConnectionError(
                    "connect: the Dask cluster has no workers; start some, with `dask worker` and the scheduler's "
                    "address"
                )
            if plan.key_folder is not None:
                self._copy_keys(plan)
            answers = self._client.run(_start, plan, self._cluster is not None)
            found = infos(answer for _, answer in answers.values())
            self.slots = sum(slots for slots, _ in answers.values())
            self._client.register_plugin(KeyPlugin(plan, self._cluster is not None))
        except BaseException as error:
            spool.close()
            if isinstance(error, EverlevelError) or not isinstance(error, Exception):
                raise
            raise ClusterConnectionError(
                f"connect: a worker can't begin ({type(error).__name__}: {error}); look at its log, and that Everlevel "
                f"is installed on every node"
            ) from error
        if all(info.shares_memory for info in found):
            self.spool = spool
        else:
            spool.close()
        return found

    def _copy_keys(self, plan: Plan) -> None:
        nodes: dict[str, tuple[str, list[_copy.Wanted]]] = {}
        for address, (machine, lacks) in self._client.run(_lacks, plan).items():
            nodes.setdefault(machine, (address, lacks))

        def at(address: str, function: Any) -> Any:
            def call(*arguments: Any) -> Any:
                return self._client.submit(function, *arguments, workers=[address], pure=False).result()

            return call

        receivers = [
            _copy.Receiver(machine, lacks, at(address, _copy.write), at(address, _copy.finish))
            for machine, (address, lacks) in nodes.items()
        ]
        _copy.send(plan, receivers, lambda chunk: self._client.scatter(chunk, hash=False))

    def submit(self, common: Any, cargo: Cargo, job: str) -> Future[Outcome]:
        try:
            sent = self._sent(cargo)
            if isinstance(common, Scattered):
                if common.future.status != "finished":  # lost with the workers that had it
                    common.future = self._scattered(common.parcel)
                common = common.future
            inner = self._client.submit(
                _execute, self._plan, common, sent, job, pure=False, key=f"everlevel-{job}-{secrets.token_hex(6)}"
            )
        except Exception as error:
            raise GoneError(str(error) or type(error).__name__) from error

        outer: Future[Outcome] = Future()
        outer.set_running_or_notify_cancel()

        # Dask's own callbacks share one thread among all clients of a process, which a client that closes under one of
        # them blocks for good. So each client's results are taken on its own loop, which ends with it.
        async def take() -> None:
            try:
                [outcome] = await self._client.gather([inner], asynchronous=True)
            except BaseException as error:
                outer.set_exception(self._explained(error))
            else:
                self._deserted_since = None
                outer.set_result(outcome)

        self._client.loop.add_callback(take)
        return outer

    def _explained(self, error: BaseException) -> Exception:
        if isinstance(error, KilledWorker):
            last = getattr(error.last_worker, "address", None)
            return LostError("Dask gave it up: its worker ended each time, or ran out of memory", last, is_final=True)
        if isinstance(error, CancelledError) and self._is_alive():
            return LostError("its data were lost with a worker")
        return GoneError(str(error) or type(error).__name__)

    def _sent(self, parcel: Cargo) -> Any:
        if isinstance(parcel, Parcel) and parcel.nbytes > BY_VALUE_BYTES:
            return self._client.scatter(parcel, hash=False)
        return parcel

    def _held(self, parcel: Parcel) -> Any:
        return Scattered(parcel, self._scattered(parcel))

    def _scattered(self, parcel: Parcel) -> Any:
        try:
            return self._client.scatter(parcel, hash=False, broadcast=True)
        except Exception as error:
            raise GoneError(str(error) or type(error).__name__) from error

    def workers(self) -> list[WorkerInfo]:
        try:
            answers = self._client.run(_start, self._plan, self._cluster is not None)
        except Exception as error:
            raise ClusterConnectionError(
                f"workers: the Dask cluster doesn't answer ({type(error).__name__}: {error}); connect again"
            ) from error
        return infos(answer for _, answer in answers.values())

    def cancel(self, job: str) -> None:
        if self.spool is not None:
            self.spool.flag(job)
            return
        with contextlib.suppress(Exception):
            self._client.run(_worker.cancel, self._plan.pool, job, wait=False)

    def trouble(self) -> str | None:
        if not self._is_alive():
            return "its scheduler doesn't answer"
        with contextlib.suppress(Exception):
            if self._client.scheduler_info(n_workers=-1)["workers"]:
                self._deserted_since = None
            elif self._deserted_since is None:
                self._deserted_since = time.monotonic()
            elif time.monotonic() - self._deserted_since > _DESERTED_SECONDS:
                return f"it has had no workers for {_DESERTED_SECONDS:.0f} s"
        return None

    def _is_alive(self) -> bool:
        return bool(self._client.status == "running")

    def close(self) -> None:
        if not self._is_own or self._cluster is None:
            # What runs there goes on: without the keys, also where the plugin didn't come to be, or not go.
            with contextlib.suppress(Exception):
                if self._is_alive():
                    self._client.unregister_worker_plugin(f"everlevel-{self._plan.pool}")
            with contextlib.suppress(Exception):
                if self._is_alive():
                    self._client.run(_worker.detach, self._plan.pool)
        if self._is_own:
            with contextlib.suppress(Exception):
                self._client.close(timeout=5)
        if self._cluster is not None:
            with contextlib.suppress(Exception):
                self._cluster.close(timeout=10)
        if self.spool is not None:
            self.spool.close()


def _slots(worker: Any, plan: Plan) -> int:
    """Return how many tasks a worker computes at once: those that its threads are enough for."""
    return max(int(worker.state.nthreads) // plan.thread_count, 1)


def _leave_interrupts_to_the_driver() -> None:
    """Ignore Ctrl-C, which a terminal sends to all that the driver started."""
    with contextlib.suppress(ValueError):  # of workers in threads
        signal.signal(signal.SIGINT, signal.SIG_IGN)


async def _start(plan: Plan, is_own: bool, dask_worker: Any) -> Any:
    if is_own:
        _leave_interrupts_to_the_driver()
    slots = _slots(dask_worker, plan)
    return slots, await asyncio.to_thread(_worker.start, plan, slots)


def _lacks(plan: Plan) -> Any:
    return _copy.here(), _copy.wanted(plan)


def _execute(plan: Plan, common: Cargo, cargo: Cargo, job: str) -> Outcome:
    return _worker.execute(plan, _slots(distributed.get_worker(), plan), common, cargo, job)
