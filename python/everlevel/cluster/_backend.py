"""What the pool asks of an engine that carries tasks to workers."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from typing import Any, ClassVar, Generic, NoReturn, TypeVar

from ..errors import ClusterConnectionError, EverlevelError, WorkerKeyError
from ._parcel import Parcel
from ._spool import Cargo, Spool
from ._worker import Failure, Outcome, Plan, WorkerInfo

HandleT = TypeVar("HandleT")


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

    def share(self, parcel: Parcel) -> Any:
        """Send a job's function to where every task finds it."""
        return self.put(parcel)

    def put(self, parcel: Parcel) -> Cargo:
        """Send a task's arguments by name, where all workers share this machine's memory."""
        return parcel if self.spool is None else self.spool.put(parcel)

    def is_alive(self) -> bool:
        """Whether the cluster can be reached."""
        return True


def converted(inner: Any, take: Callable[[Any], Outcome]) -> Future[Outcome]:
    """Return a future of what is taken of an engine's future once it is done."""
    outer: Future[Outcome] = Future()
    outer.set_running_or_notify_cancel()

    def done(finished: Any) -> None:
        try:
            outer.set_result(take(finished))
        except BaseException as error:
            outer.set_exception(error)

    inner.add_done_callback(done)
    return outer


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
        self.tasks: list[object] = []
        self.is_lost = False
        self.computed: object = None
        """The task that was being computed when the worker ended."""


class Crew(Backend, Generic[HandleT]):
    """A fixed number of workers that get their tasks one by one. One that ends is replaced."""

    def __init__(self) -> None:
        self._members: list[Member[HandleT]] = []
        self._lock = threading.RLock()
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
        task = object()
        with self._lock:
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
            member.tasks.append(task)

        def take(finished: Any) -> Outcome:
            try:
                outcome: Outcome = finished.result()
                return outcome
            except BaseException as error:
                raise self._explained(member, task, error) from error
            finally:
                with self._lock:
                    member.tasks.remove(task)

        return converted(inner, take)

    def _explained(self, member: Member[HandleT], task: object, error: BaseException) -> Exception:
        reason = self._why_lost(error)
        if reason is None:
            return GoneError(str(error) or type(error).__name__)
        node = self._node(member.handle)
        with self._lock:
            if member.computed is None:
                member.is_lost, member.computed = True, member.tasks[0]
            return LostError(reason, node, is_begun=member.computed is task)

    def _replace_lost(self) -> None:
        """Start workers in the place of those that ended. Engines' own threads notice that, and can't start any."""
        with self._lock:
            self._members = [Member(self._hire()) if one.is_lost else one for one in self._members]
