"""A pool in a worker's process: the engine, the opened keys, and how a task runs there.

Nothing in this module knows which engine carries the tasks. `execute` is what all of them call; a process that has
nothing of the pool yet, as one that was started again has, opens the keys first.
"""

from __future__ import annotations

import inspect
import os
import pickle
import platform
import socket
import threading
import time
import traceback
import warnings
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

import everlevel

from .._common import threads as _threads
from .._common.locks import Lock
from .._common.progress import watching
from ..errors import ClusterConnectionError, EverlevelError, TaskError, WorkerVersionError
from ._bound import Bound, EngineLike, use_keys
from ._keys import KeyFile, open_here
from ._memory import keep_freed
from ._parcel import pack, unpack
from ._spool import Cargo, Spool, Spooled, opened

_JOBS: Final = 8
"""Functions that a worker keeps, one of each job."""

_JOBS_BYTES: Final = 1 << 28
"""The most that they take together, but for the last one."""


@dataclass(frozen=True)
class Plan:
    """Message to workers at their start: small, and without keys."""

    pool: str
    engine: EngineLike
    files: tuple[KeyFile, ...]
    key_folder: str | None
    thread_count: int
    version: str
    spool_folder: str | None = None
    spool_token: str = ""

    def with_spool(self, spool: Spool) -> Plan:
        """Tell of the driver's folder in shared memory."""
        return replace(self, spool_folder=str(spool.folder), spool_token=spool.token)

    def path(self, file: KeyFile) -> str:
        """Return where a node has a key's file."""
        return file.path if self.key_folder is None else str(Path(self.key_folder) / file.name)


@dataclass(frozen=True)
class WorkerInfo:
    """A worker of a pool.

    Attributes
    ----------
    node : str
        The machine's name and the process's id.
    host : str
        The machine.
    pid : int
        The process.
    thread_count : int
        Threads of its engine.
    shares_memory : bool
        Whether ciphertexts come to it through shared memory of the driver's machine.
    opened_seconds : float
        What it took to open the keys, the check of the files included.
    """

    node: str
    host: str
    pid: int
    thread_count: int
    shares_memory: bool
    opened_seconds: float


@dataclass
class Failure:
    """An exception on its way: pickled if it can be, and as text."""

    pickled: bytes | None
    text: str
    trace: str
    is_own: bool

    @classmethod
    def of(cls, error: BaseException) -> Failure:
        """Take an exception down."""
        trace = "".join(traceback.format_exception(error))
        error.__traceback__ = None
        try:
            data = pickle.dumps(error)
            pickle.loads(data)
        except Exception:
            data = None
        return cls(data, f"{type(error).__name__}: {error}", trace, isinstance(error, EverlevelError))

    def error(self) -> BaseException | None:
        """Return the exception, if this process can make it."""
        try:
            found = pickle.loads(self.pickled) if self.pickled is not None else None
        except Exception:
            return None
        return found if isinstance(found, BaseException) else None


@dataclass
class Outcome:
    """Result of a task."""

    node: str
    result: Cargo | None = None
    failure: Failure | None = None
    is_cancelled: bool = False
    seconds: float = 0.0
    warned: list[bytes] = field(default_factory=list)


class Cancelled(BaseException):
    """A task that was told to stop. It isn't an `Exception`, so that no function's own handling keeps it."""


class EndedError(Exception):
    """The pool was closed."""


class Worker:
    """A pool's part of this process."""

    def __init__(self, plan: Plan, slots: int) -> None:
        self._plan = plan
        self._slots = threading.BoundedSemaphore(slots)
        self._spool = Spool.here(plan.spool_folder, plan.spool_token)
        self._cancelled: set[str] = set()
        self._is_closed = False
        self._functions: OrderedDict[str, tuple[Any, frozenset[str], int]] = OrderedDict()
        self._lock = Lock()
        start = time.perf_counter()
        require_version(plan)
        keep_freed()
        engine = plan.engine.make(plan.thread_count)
        keys = use_keys(engine, [open_here(engine, file, plan.path(file), node()) for file in plan.files])
        self._bound = Bound(engine, keys, frozenset(file.secret_id for file in plan.files))
        self.info = WorkerInfo(
            node=node(),
            host=socket.gethostname(),
            pid=os.getpid(),
            thread_count=engine.thread_count,
            shares_memory=self._spool is not None,
            opened_seconds=time.perf_counter() - start,
        )

    def cancel(self, job: str) -> None:
        """Let a job's tasks stop at their next step."""
        self._cancelled.add(job)

    def close(self) -> None:
        """Let all tasks stop at their next step."""
        self._is_closed = True

    def run(self, common: Cargo, cargo: Cargo, job: str) -> Outcome:
        """Call a job's function with a task's arguments."""
        with self._slots:
            start = time.perf_counter()
            if self._is_cancelled(job):
                return Outcome(node(), is_cancelled=True)
            outcome = Outcome(node())
            with _collected_warnings(outcome.warned):
                try:
                    outcome.result = self._call(common, cargo, job)
                except Cancelled:
                    outcome.is_cancelled = True
                except BaseException as error:  # a function's own kinds too, as test tools have
                    outcome.failure = Failure.of(error)
            outcome.seconds = time.perf_counter() - start
            return outcome

    def _call(self, common: Cargo, cargo: Cargo, job: str) -> Cargo:
        if self._spool is None and isinstance(cargo if isinstance(cargo, Spooled) else common, Spooled):
            raise ClusterConnectionError(
                f"cluster: node {node()} came later, and isn't on the driver's machine as the others are, so that it "
                f"can't see what they share; connect again, which lets ciphertexts go over the network"
            )
        function, handed_in = self._function(common, job)
        args = unpack(opened(cargo), self._bound)
        given = {"engine": self._bound.engine, "keys": self._bound.keys}
        with watching(lambda *_: self._look(job)):
            value = function(*args, **{name: given[name] for name in handed_in})
        name = getattr(function, "__name__", type(function).__name__)
        try:
            parcel = pack(value, self._bound, name, is_result=True)
        except EverlevelError as error:
            if isinstance(error, TypeError) and type(error).__name__ == "TaskPickleError":
                raise TaskError(
                    f"{name}: what it returned, of type {type(value).__name__}, can't travel "
                    f"({error.__cause__ or error}); return ciphertexts, arrays or plain data",
                    function=name,
                ) from None
            raise
        return parcel if self._spool is None else self._spool.put(parcel, job)

    def _function(self, common: Cargo, job: str) -> tuple[Callable[..., Any], frozenset[str]]:
        with self._lock:
            held = self._functions.get(job)
        if held is None:
            function = unpack(opened(common), self._bound)
            held = function, handed_in(function), common.nbytes
            with self._lock:
                self._functions[job] = held
                while len(self._functions) > 1 and (
                    len(self._functions) > _JOBS or sum(size for *_, size in self._functions.values()) > _JOBS_BYTES
                ):
                    self._functions.popitem(last=False)
        return held[:2]

    def _look(self, job: str) -> None:
        if self._is_cancelled(job):
            raise Cancelled

    def _is_cancelled(self, job: str) -> bool:
        return self._is_closed or job in self._cancelled or (self._spool is not None and self._spool.has_flag(job))


def handed_in(function: Any) -> frozenset[str]:
    """Return which of the engine and the keys a function has a parameter for."""
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return frozenset()
    kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return frozenset(n for n in ("engine", "keys") if n in parameters and parameters[n].kind in kinds)


def node() -> str:
    """Name this process among those of a cluster."""
    return f"{socket.gethostname()} (pid {os.getpid()})"


def python_version() -> str:
    """Return what pickled functions depend on."""
    return ".".join(platform.python_version_tuple()[:2])


def versions() -> str:
    """Return the versions that the driver and its workers must agree on."""
    return f"Everlevel {everlevel.__version__} on Python {python_version()}"


def require_version(plan: Plan) -> None:
    """Check that this process has the driver's versions."""
    if versions() != plan.version:
        raise WorkerVersionError(
            f"connect: node {node()} has {versions()}, and the driver has {plan.version}; install the same on both",
            node=node(),
            found=versions(),
            needed=plan.version,
        )


_workers: dict[str, Worker] = {}
_ended: set[str] = set()
"""Pools that were closed, for whose last tasks no key is opened again."""

_making = threading.Lock()
"""Held while keys are opened, which takes seconds: `detach` and `cancel` don't wait for it, since an engine's own loop
calls them."""


def attach(plan: Plan, slots: int = 1) -> Worker:
    """Return this process's part of a pool, made at the first call."""
    with _making:
        worker = _workers.get(plan.pool)
        if worker is None and plan.pool not in _ended:
            worker = _workers[plan.pool] = Worker(plan, slots)
            _threads.take_share(plan.thread_count)
        # The pool may have been closed meanwhile.
        if worker is None or plan.pool in _ended:
            _drop(plan.pool)
            raise EndedError
        return worker


def _drop(pool: str) -> Worker | None:
    """Forget a pool's part of this process, which has all its threads again after the last."""
    worker = _workers.pop(pool, None)
    if not _workers:
        _threads.take_share(None)
    return worker


def detach(pool: str) -> None:
    """Let go of a pool's engine and keys, and stop what runs."""
    _ended.add(pool)
    worker = _drop(pool)
    if worker is not None:
        worker.close()


def start(plan: Plan, slots: int = 1) -> WorkerInfo | Failure:
    """Open the keys, and tell about this process, or why it can't be."""
    try:
        return attach(plan, slots).info
    except (Exception, SystemExit) as error:
        return Failure.of(error)


def execute(plan: Plan, slots: int, common: Cargo, cargo: Cargo, job: str) -> Outcome:
    """Run one task."""
    try:
        worker = attach(plan, slots)
    except EndedError:
        return Outcome(node(), is_cancelled=True)
    except (Exception, SystemExit) as error:
        return Outcome(node(), failure=Failure.of(error))
    return worker.run(common, cargo, job)


def cancel(pool: str, job: str) -> None:
    """Let a job's tasks in this process stop at their next step."""
    worker = _workers.get(pool)
    if worker is not None:
        worker.cancel(job)


# Warnings belong to the driver's user, and not to a worker's log.

_collecting = threading.local()
_shown = warnings.showwarning


def _collect(message: Any, *args: Any, **kwargs: Any) -> None:
    kept: list[bytes] | None = getattr(_collecting, "kept", None)
    if kept is None:
        _shown(message, *args, **kwargs)
        return
    try:
        kept.append(pickle.dumps(message))
    except Exception:
        _shown(message, *args, **kwargs)


class _collected_warnings:  # noqa: N801
    """Keep the warnings of this thread."""

    def __init__(self, kept: list[bytes]) -> None:
        self._kept = kept

    def __enter__(self) -> None:
        if warnings.showwarning is not _collect:
            warnings.showwarning = _collect
        _collecting.kept = self._kept

    def __exit__(self, *_: object) -> None:
        _collecting.kept = None
