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
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import Any, ClassVar

from ..errors import ClusterConnectionError
from . import _worker
from ._backend import Crew, infos, peek
from ._spool import Cargo, Spool
from ._worker import Failure, Outcome, Plan, WorkerInfo

_GRACE_SECONDS = 5.0
"""Time that tasks have to stop in when the pool is closed."""


class Process:
    """A worker's executor, and what it says of itself."""

    def __init__(self, plan: Plan) -> None:
        self.executor = ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn"))
        with _interrupts_blocked():
            self.info: Future[WorkerInfo | Failure] = self.executor.submit(_begin, plan, os.getpid())
        self.is_gone = False
        """Whether its process was seen to have ended, with tasks that nobody has told about."""


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
        info = peek(handle.info)
        return info.node if isinstance(info, WorkerInfo) else None

    def trouble(self) -> str | None:
        # An executor whose process ends while a task is handed in may forget that task.
        for member in self._former + self._members:
            info = peek(member.handle.info)
            if not member.tasks or not isinstance(info, WorkerInfo) or _runs(info.pid):
                continue
            if member.handle.is_gone:
                for task in list(member.tasks):
                    self._fail(member, task, BrokenProcessPool())
            member.handle.is_gone = True
        return None

    def cancel(self, job: str) -> None:
        assert self.spool is not None
        self.spool.flag(job)

    def close(self) -> None:
        with self._sending:
            self._is_closed = True
        handles = [member.handle for member in self._members]
        pids = [info.pid for handle in handles if isinstance(info := peek(handle.info), WorkerInfo)]
        for handle in handles:
            handle.executor.shutdown(wait=False, cancel_futures=True)
        deadline = time.monotonic() + _GRACE_SECONDS
        # One that has ended is never looked at again: another process may get its number.
        while (pids := [pid for pid in pids if _runs(pid)]) and time.monotonic() < deadline:
            time.sleep(0.01)
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
        if self.spool is not None:
            self.spool.close()


def _runs(pid: int) -> bool:
    """Whether a process runs. Who started it takes its status, and not this function."""
    try:
        if hasattr(os, "waitid"):
            return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None
        os.kill(pid, 0)
    except OSError:
        return False
    return True


@contextmanager
def _interrupts_blocked() -> Iterator[None]:
    """Let a process that is started meanwhile know no Ctrl-C, from its first instruction on."""
    usual = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, usual)


def _begin(plan: Plan, driver: int) -> WorkerInfo | Failure:
    """Run in the worker first: Ctrl-C is the driver's, and a worker ends with its driver."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with, args=(driver,), daemon=True).start()
    return _worker.start(plan)


def _end_with(driver: int) -> None:
    while os.getppid() == driver:
        time.sleep(1)
    os._exit(1)
