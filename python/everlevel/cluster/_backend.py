"""Interface of an engine that carries tasks to workers."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Iterable
from concurrent.futures import Future
from typing import Any, ClassVar, Final, Generic, NoReturn, TypeVar

from ..errors import ClusterConnectionError, EverlevelError, WorkerKeyError
from ._parcel import Parcel
from ._spool import Cargo, Spool
from ._worker import Failure, Outcome, Plan, WorkerInfo

HandleT = TypeVar("HandleT")

BY_VALUE_BYTES: Final = 1 << 16
"""The most that goes along with a task's message rather than through an engine's store."""


class LostError(Exception):
    """A task's worker ended before the task did."""

    def __init__(self, reason: str, node: str | None = None, *, is_begun: bool = True, is_final: bool = False) -> None:
        super().__init__(reason)
        self.node = node
        self.is_begun = is_begun
        """Whether the worker had begun the task; others waited for it there."""
        self.is_final = is_final
        """Whether the engine has tried often enough already."""


class GoneError(Exception):
    """The cluster can't be reached any more."""


class Backend(ABC):
    """An engine: processes, Ray or Dask.

    Futures give an `Outcome`, or raise `LostError` or `GoneError`. The pool submits a few more tasks than there are
    slots, and tries a lost task again; the engine starts workers again.
    """

    name: ClassVar[str]
    slots: int = 1
    """Tasks that are computed at the same time."""

    spool: Spool | None = None

    @abstractmethod
    def start(self, plan: Plan) -> list[WorkerInfo]:
        """Let every worker open the keys, and return what they say of themselves."""

    @abstractmethod
    def submit(self, common: Any, cargo: Cargo, job: str) -> Future[Outcome]:
        """Send a task to a worker."""

    @abstractmethod
    def workers(self) -> list[WorkerInfo]:
        """Return the workers that there are."""

    @abstractmethod
    def cancel(self, job: str) -> None:
        """Let a job's tasks stop."""

    @abstractmethod
    def close(self) -> None:
        """Let go of the workers, and stop what was started for the pool."""

    def share(self, parcel: Parcel, job: str) -> Any:
        """Send a job's function to where every task finds it: a small one goes along with each task."""
        if self.spool is None and parcel.nbytes > BY_VALUE_BYTES:
            return self._held(parcel)
        return self.put(parcel, job)

    def _held(self, parcel: Parcel) -> Any:
        """Let the engine keep a function that is too large to go along."""
        return parcel

    def put(self, parcel: Parcel, job: str) -> Cargo:
        """Send a task's arguments by name, where all workers share this machine's memory."""
        return parcel if self.spool is None else self.spool.put(parcel, job)

    def sweep(self, job: str) -> None:
        """Take away what a job left in shared memory."""
        if self.spool is not None:
            self.spool.sweep(job)

    def trouble(self) -> str | None:
        """Return why tasks can't go on, if they can't. Asked where nothing has come for a while."""
        return None


def peek(future: Future[Any]) -> Any:
    """Return a future's result if it has one by now."""
    return future.result() if future.done() and not future.cancelled() and not future.exception() else None


def infos(answers: Iterable[WorkerInfo | Failure]) -> list[WorkerInfo]:
    """Return what workers say of themselves, or raise what the first that can't begin says."""
    found = []
    for answer in answers:
        if isinstance(answer, Failure):
            raise_failure(answer)
        found.append(answer)
    return found


def raise_failure(failure: Failure) -> NoReturn:
    """Raise what a worker couldn't begin for."""
    error = failure.error()
    if isinstance(error, WorkerKeyError) or (failure.is_own and isinstance(error, EverlevelError)):
        raise error
    raise ClusterConnectionError(
        f"connect: a worker can't begin ({failure.text}); look at its log, and that Everlevel runs there:\n"
        f"{failure.trace}"
    )


class Member(Generic[HandleT]):
    """A worker of a crew, and the tasks that it was given, of which the first is being computed."""

    def __init__(self, handle: HandleT) -> None:
        self.handle = handle
        self.tasks: list[Future[Outcome]] = []
        self.is_lost = False
        self.computed: object = None
        """The task that was being computed when the worker ended."""


class Crew(Backend, Generic[HandleT]):
    """A fixed number of workers that get their tasks one by one. One that ends is replaced.

    Engines tell of ends by their own threads, which may have locks that `_send` and `_hire` wait for. So what these
    threads call takes `_books` alone, and nothing that waits for an engine is done under it.
    """

    def __init__(self) -> None:
        self._members: list[Member[HandleT]] = []
        self._former: list[Member[HandleT]] = []
        """Those that ended, and have tasks that the engine hasn't told about."""
        self._sending = threading.RLock()
        self._books = threading.Lock()
        self._is_closed = False

    @abstractmethod
    def _hire(self) -> HandleT:
        """Start a worker."""

    @abstractmethod
    def _send(self, handle: HandleT, common: Any, cargo: Cargo, job: str) -> Any:
        """Give a worker a task, and return the engine's future of it."""

    @abstractmethod
    def _why_lost(self, error: BaseException) -> str | None:
        """Return why a worker ended, if an error says that it did."""

    @abstractmethod
    def _node(self, handle: HandleT) -> str | None:
        """Return what a worker is known as."""

    def _hire_all(self) -> None:
        self._members = [Member(self._hire()) for _ in range(self.slots)]

    def submit(self, common: Any, cargo: Cargo, job: str) -> Future[Outcome]:
        task: Future[Outcome] = Future()
        task.set_running_or_notify_cancel()
        with self._sending:
            if self._is_closed:
                raise GoneError("the pool is closed")
            while True:
                self._replace_lost()
                member = min(self._members, key=lambda one: len(one.tasks))
                try:
                    inner = self._send(member.handle, common, cargo, job)
                    break
                except Exception as error:
                    if self._why_lost(error) is None:
                        raise GoneError(str(error) or type(error).__name__) from error
                    member.is_lost = True
            with self._books:
                member.tasks.append(task)
        inner.add_done_callback(lambda finished: self._take(member, task, finished))
        return task

    def _take(self, member: Member[HandleT], task: Future[Outcome], finished: Any) -> None:
        try:
            outcome = finished.result()
        except BaseException as error:
            self._fail(member, task, error)
        else:
            if self._is_first(member, task):
                task.set_result(outcome)

    def _fail(self, member: Member[HandleT], task: Future[Outcome], error: BaseException) -> None:
        reason = self._why_lost(error)
        if reason is None:
            explained: Exception = GoneError(str(error) or type(error).__name__)
        else:
            with self._books:
                if member.computed is None:
                    member.is_lost, member.computed = True, next(iter(member.tasks), task)
                explained = LostError(reason, self._node(member.handle), is_begun=member.computed is task)
        explained.__cause__ = error
        if self._is_first(member, task):
            task.set_exception(explained)

    def _give_back(self, member: Member[HandleT], task: Future[Outcome], why: str) -> None:
        """Let the pool begin a task elsewhere, which its worker hasn't begun."""
        if self._is_first(member, task):
            task.set_exception(LostError(why, self._node(member.handle), is_begun=False))

    def _is_first(self, member: Member[HandleT], task: Future[Outcome]) -> bool:
        """Strike a task off its worker's list, and return whether it was there."""
        with self._books:
            if task not in member.tasks:
                return False
            member.tasks.remove(task)
            return True

    def _replace_lost(self) -> None:
        """Start workers in the place of those that ended. Engines' own threads notice that, and can't start any."""
        with self._sending:
            lost = [one for one in self._members if one.is_lost]
            self._members = [Member(self._hire()) if one.is_lost else one for one in self._members]
            self._former = [one for one in self._former + lost if one.tasks]
