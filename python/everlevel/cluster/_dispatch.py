"""A job: tasks of one function, a bounded number of them under way, their results in order or as they come."""

from __future__ import annotations

import contextlib
import pickle
import queue
import secrets
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any, Final, Literal

from .._common import callers, progress
from ..errors import ClusterConnectionError, ClusterError, EverlevelError, TaskError, WorkerLostError
from ._backend import Backend, GoneError, LostError
from ._bound import Bound
from ._parcel import pack, unpack
from ._spool import Cargo, drop, opened
from ._worker import Failure, Outcome

_PER_SLOT: Final = 2
"""Tasks under way for each that is computed: the next one's arguments travel meanwhile."""

_LOOK_SECONDS: Final = 2.0

_CANCELLED: Final = "the pool was closed, or its tasks were cancelled"


@dataclass(frozen=True)
class Settings:
    """State that all jobs of a pool share."""

    retries: int
    max_bytes: int
    shows_progress: bool | None


@dataclass
class _Task:
    cargo: Cargo
    attempts: int = 0


class _Arrivals:
    """Tasks that have ended, on their way from engines' threads. Once nobody takes them, they leave nothing behind."""

    def __init__(self) -> None:
        self._ended: queue.SimpleQueue[tuple[int, Future[Outcome]]] = queue.SimpleQueue()
        self._is_open = True

    def put(self, index: int, future: Future[Outcome]) -> None:
        self._ended.put((index, future))
        if not self._is_open:
            self.close()

    def get(self, timeout: float) -> tuple[int, Future[Outcome]] | None:
        try:
            return self._ended.get(timeout=timeout)
        except queue.Empty:
            return None

    def all(self) -> Iterator[tuple[int, Future[Outcome]]]:
        """Take those that there are."""
        while not self._ended.empty():
            try:
                yield self._ended.get_nowait()
            except queue.Empty:
                return

    def close(self) -> None:
        self._is_open = False
        for _, future in self.all():
            if future.exception() is None:
                drop(future.result().result)


class Job(Iterator[tuple[int, Any]]):
    """Results with the places of their inputs.

    A task begins when there is room: a few inputs for each slot are under way, or wait as results for their turn, and
    they take at most `max_bytes`. So whoever takes results slowly slows the tasks down, and an endless generator of
    inputs is read no further than that.
    """

    _is_open = False

    def __init__(
        self,
        backend: Backend,
        bound: Bound,
        settings: Settings,
        function: Callable[..., Any],
        inputs: Iterator[tuple[Any, ...]],
        *,
        name: str,
        total: int | None,
        is_ordered: bool,
        on_error: Literal["raise", "return"],
        group: int | None = None,
    ) -> None:
        self.name = name
        self._backend = backend
        self._bound = bound
        self._settings = settings
        self._inputs = inputs
        self._is_ordered = is_ordered
        self._on_error = on_error
        self._group = group
        """Inputs of the caller's in each of the job's, if these are lists of them."""
        self._id = secrets.token_hex(8)
        self._window = _PER_SLOT * backend.slots + (2 * backend.slots if is_ordered else 0) + 1
        self._most_under_way = _PER_SLOT * backend.slots
        self._tasks: dict[int, _Task] = {}
        self._ready: dict[int, tuple[Any, int]] = {}
        self._arrivals = _Arrivals()
        self._is_cancelled = False
        self._begun = 0
        self._next = 0
        self._done = 0
        self._total = total
        self._has_more = True
        try:
            self._common = backend.share(pack(function, bound, name), self._id)
        except GoneError as gone:
            raise self._gone(gone) from gone
        self._is_open = True
        self._stack = ExitStack()
        self._report = self._stack.enter_context(progress.reporting(name, settings.shows_progress))

    def begin(self) -> None:
        """Send the first tasks."""
        try:
            self._fill()
        except BaseException:
            self.close()
            raise

    def __iter__(self) -> Iterator[tuple[int, Any]]:
        return self

    def __next__(self) -> tuple[int, Any]:
        if not self._is_open:
            raise StopIteration
        try:
            return self._take()
        except BaseException:
            self.close()
            raise

    def cancel(self) -> None:
        """Stop what is under way, at its next step. Whoever waits for results gets an error."""
        if self._is_open:
            self._is_cancelled = True
            self._backend.cancel(self._id)

    def close(self) -> None:
        """Stop what is under way, at its next step, and take no more results."""
        if not self._is_open:
            return
        self._is_open = False
        self._stack.close()
        if self._tasks:
            self._backend.cancel(self._id)
        self._tasks.clear()
        self._arrivals.close()
        self._backend.sweep(self._id)

    def __del__(self) -> None:
        self.close()

    def _take(self) -> tuple[int, Any]:
        while True:
            if self._is_cancelled:
                raise self._gone(GoneError(_CANCELLED))
            self._fill()
            if self._is_ordered and self._next in self._ready:
                index = self._next
            elif not self._is_ordered and self._ready:
                index = next(iter(self._ready))
            elif self._tasks:
                self._wait()
                continue
            else:
                raise StopIteration
            self._next += 1
            return index, self._ready.pop(index)[0]

    def _fill(self) -> None:
        while self._has_more and self._has_room():
            try:
                arguments = next(self._inputs)
            except StopIteration:
                self._has_more = False
                self._total = self._begun
                return
            index, self._begun = self._begun, self._begun + 1
            try:
                cargo = self._backend.put(pack(arguments, self._bound, self.name), self._id)
            except EverlevelError as error:
                raise self._with_what_is_done(self._at(error, index, None)) from error.__cause__
            self._tasks[index] = _Task(cargo)
            self._submit(index)

    def _has_room(self) -> bool:
        if not self._tasks and not self._ready:
            return True
        if len(self._tasks) >= self._most_under_way or len(self._tasks) + len(self._ready) >= self._window:
            return False
        held = sum(task.cargo.nbytes for task in self._tasks.values()) + sum(size for _, size in self._ready.values())
        return held < self._settings.max_bytes

    def _submit(self, index: int) -> None:
        task = self._tasks[index]
        try:
            future = self._backend.submit(self._common, task.cargo, self._id)
        except GoneError as gone:
            raise self._gone(gone) from gone
        arrivals = self._arrivals
        future.add_done_callback(lambda done: arrivals.put(index, done))

    def _wait(self) -> None:
        """Take the next task that ends, or look whether one still can."""
        arrived = self._arrivals.get(_LOOK_SECONDS)
        if arrived is not None:
            self._settle(*arrived)
        elif (trouble := self._backend.trouble()) is not None:
            raise self._gone(GoneError(trouble))

    def _settle(self, index: int, future: Future[Outcome]) -> None:
        task = self._tasks[index]
        try:
            outcome = future.result()
        except LostError as lost:
            task.attempts += lost.is_begun
            if task.attempts <= self._settings.retries and not lost.is_final:
                self._submit(index)
                return
            del self._tasks[index]
            drop(task.cargo)
            self._fail(index, lost.node, self._lost(lost, task.attempts))
            return
        except GoneError as gone:
            raise self._gone(gone) from gone
        del self._tasks[index]
        drop(task.cargo)
        if outcome.is_cancelled:
            raise self._gone(GoneError(_CANCELLED))
        for warned in outcome.warned:
            _warn(warned)
        if outcome.failure is not None:
            self._fail(index, outcome.node, self._raised(outcome.failure))
            return
        try:
            self._read(index, outcome)
        except EverlevelError as error:
            self._fail(index, outcome.node, error)
            return
        self._count()

    def _read(self, index: int, outcome: Outcome) -> None:
        assert outcome.result is not None
        size = outcome.result.nbytes
        try:
            value = unpack(opened(outcome.result), self._bound)
        except EverlevelError:
            raise
        except Exception as error:
            raise TaskError(
                f"{self.name}: what the function returned can't be read here ({type(error).__name__}: {error}); return "
                f"ciphertexts, arrays or plain data, or objects of modules that the driver has too",
                function=self.name,
            ) from error
        finally:
            drop(outcome.result)
        self._ready[index] = value, size

    def _fail(self, index: int, node: str | None, error: EverlevelError) -> None:
        found = self._at(error, index, node)
        if self._on_error == "raise":
            raise self._with_what_is_done(found)
        self._ready[index] = found, 0
        self._count()

    def _with_what_is_done(self, error: Any) -> Any:
        """Let an error carry the results that nobody has yet, also those that came meanwhile."""
        for index, future in self._arrivals.all():
            if future.exception() is None and future.result().result is not None:
                with contextlib.suppress(Exception):
                    self._read(index, future.result())
        size = self._group
        error.completed = {
            place: result
            for index, (value, _) in self._ready.items()
            for place, result in ([(index, value)] if size is None else enumerate(value, index * size))
        }
        return error

    def _count(self) -> None:
        self._done += 1
        if self._report is not None:
            self._report(self._done, self._total or self._begun)

    def _at(self, error: EverlevelError, index: int, node: str | None) -> EverlevelError:
        """Tell an error which input it is about."""
        found: Any = error
        found.input_index = first = index if self._group is None else index * self._group
        found.node = node or getattr(error, "node", None)
        what = f"input {first}" if self._group in (None, 1) else f"the group that begins with input {first}"
        error.add_note(f"{self.name}: this is about {what}" + (f", on node {node}" if node else ""))
        return error

    def _raised(self, failure: Failure) -> EverlevelError:
        error = failure.error()
        if failure.is_own and isinstance(error, EverlevelError):
            return error
        wrapped = TaskError(
            f"{self.name}: the function raised {failure.text}; correct it, or pass on_error='return' to go on with "
            f"the other inputs",
            function=self.name,
        )
        wrapped.__cause__ = error
        wrapped.add_note(f"On the worker:\n{failure.trace}")
        return wrapped

    def _lost(self, lost: LostError, attempts: int) -> WorkerLostError:
        return WorkerLostError(
            f"{self.name}: a task was begun {attempts} times and lost its worker each time ({lost}); look at the "
            f"memory and the log of node {lost.node or 'unknown'}, take fewer workers or a smaller group, or pass more "
            f"retries",
            attempts=attempts,
        )

    def _gone(self, gone: GoneError) -> ClusterError:
        found: ClusterError = self._with_what_is_done(
            ClusterConnectionError(
                f"{self.name}: the cluster is gone ({gone}); connect again, and go on with the inputs whose results "
                f"are neither handed out nor in this error's `completed`"
            )
        )
        return found


def _warn(data: bytes) -> None:
    warnings.warn(pickle.loads(data), stacklevel=callers.depth())
