"""Worker processes of this machine, by concurrent.futures.

Each worker is an executor of one process, so that one that is killed takes no other's tasks with it. Processes are
spawned: a fork would have the driver's memory, secrets included.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any, ClassVar

from ..errors import ClusterConnectionError
from . import _worker
from ._backend import Crew, infos
from ._spool import Cargo, Spool
from ._worker import Failure, Outcome, Plan, WorkerInfo

_GRACE_SECONDS = 5.0
"""What tasks have to stop in when the pool is closed."""


class Process:
    """A worker's executor, and what it says of itself."""

    def __init__(self, plan: Plan) -> None:
        self.executor = ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn"))
        self.info: Future[WorkerInfo | Failure] = self.executor.submit(_begin, plan, os.getpid())


class Processes(Crew[Process]):
    """A number of processes."""

    name: ClassVar[str] = "processes"

    def __init__(self, count: int) -> None:
        super().__init__()
        self.slots = count
        self.spool = Spool.new()

    def start(self, plan: Plan) -> list[WorkerInfo]:
        assert self.spool is not None
        self._plan = plan.with_spool(self.spool)
        self._hire_all()
        return self.workers()

    def workers(self) -> list[WorkerInfo]:
        self._replace_lost()
        try:
            return infos(member.handle.info.result() for member in list(self._members))
        except BrokenProcessPool as error:
            raise ClusterConnectionError(
                "connect: a worker process ended while it began; in a script, keep what runs below "
                "if __name__ == '__main__':, since workers import the script, and look at what they print"
            ) from error

    def _hire(self) -> Process:
        return Process(self._plan)

    def _send(self, handle: Process, common: Any, cargo: Cargo, job: str) -> Future[Outcome]:
        return handle.executor.submit(_worker.execute, self._plan, 1, common, cargo, job)

    def _why_lost(self, error: BaseException) -> str | None:
        return (
            "its process ended: it was killed, or ran out of memory" if isinstance(error, BrokenProcessPool) else None
        )

    def _node(self, handle: Process) -> str | None:
        info = _peek(handle.info)
        return info.node if isinstance(info, WorkerInfo) else None

    def cancel(self, job: str) -> None:
        assert self.spool is not None
        self.spool.flag(job)

    def close(self) -> None:
        with self._lock:
            self._is_closed = True
        handles = [member.handle for member in self._members]
        pids = [info.pid for handle in handles if isinstance(info := _peek(handle.info), WorkerInfo)]
        for handle in handles:
            handle.executor.shutdown(wait=False, cancel_futures=True)
        deadline = time.monotonic() + _GRACE_SECONDS
        while any(_runs(pid) for pid in pids) and time.monotonic() < deadline:
            time.sleep(0.01)
        for pid in filter(_runs, pids):
            os.kill(pid, signal.SIGKILL)
        if self.spool is not None:
            self.spool.close()


def _peek(future: Future[Any]) -> Any:
    return future.result() if future.done() and not future.cancelled() and not future.exception() else None


def _runs(pid: int) -> bool:
    try:
        done, _ = os.waitpid(pid, os.WNOHANG)
    except ChildProcessError:
        try:
            os.kill(pid, 0)
        except OSError:
            return False
        return True
    return done == 0


def _begin(plan: Plan, driver: int) -> WorkerInfo | Failure:
    """Run in the worker first: Ctrl-C is the driver's, and a worker ends with its driver."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with, args=(driver,), daemon=True).start()
    return _worker.start(plan)


def _end_with(driver: int) -> None:
    while os.getppid() == driver:
        time.sleep(1)
    os._exit(1)
