"""A pool of workers that have an engine and its keys."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain, islice
from typing import Any, Literal, NoReturn, Self
from weakref import WeakSet

from .._common import checks
from ..ckks.ciphertext import Ciphertext
from ..ckks.engine import Engine
from ..errors import ClusterConnectionError, OperandTypeError, ParameterError, TaskPickleError
from ..tfhe._array import EncryptedArray
from ._backend import Backend
from ._blocks import Blocks
from ._bound import AnyEngine, Bound
from ._calls import Fold, Method, is_offered
from ._dispatch import Job, Settings
from ._worker import WorkerInfo

__all__ = ["Pool"]

OnError = Literal["raise", "return"]

_GROUP = 4
"""Bootstraps that share the reading of the keys."""

_GROUP_BYTES = 3 << 28
"""Memory of a worker that groups are chosen for."""


class Pool:
    """Workers of a cluster, each with an engine and its keys. Made by `connect`, and closed at the end of ``with``.

    Beside the methods below it has those of the engine that take keys, for lists of ciphertexts instead of one, and for
    arrays of TFHE and NTRU in blocks: ``pool.bootstrap(ciphertexts)``, ``pool.rotate(ciphertexts, delta=1)``,
    ``pool.multiply(xs, ys)``, ``pool.and_(x, y)``. Their key is the pool's. A list gives a list, and an iterator an
    iterator, whose inputs are read as results are taken.

    Functions run on workers: those of modules by their names, others by value if ``cloudpickle`` is installed. One
    that has parameters called ``engine`` and ``keys`` is given the worker's engine and its `Keys`. What it refers to
    travels with it, once for each call of a pool's method.

    An error stops what runs, at its next bootstrap step, and so does Ctrl-C. It is the one that a task raised, if it is
    one of Everlevel's, or a `TaskError`, and it has ``input_index``, ``node``, and in ``completed`` the results that
    were there and hadn't been handed out.
    """

    def __init__(self, backend: Backend, bound: Bound, settings: Settings) -> None:
        self._backend = backend
        self._bound = bound
        self._settings = settings
        self._jobs: WeakSet[Job] = WeakSet()
        self._is_open = True

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop what runs, and let go of the workers. A cluster that ran before goes on without the keys."""
        if self._is_open:
            self._is_open = False
            self.cancel()
            self._backend.close()

    def cancel(self) -> None:
        """Stop all that runs, at its next bootstrap step. Whoever waits for results gets an error."""
        for job in list(self._jobs):
            job.cancel()

    def __reduce__(self) -> NoReturn:
        raise TaskPickleError(
            "cluster: a Pool is among what is sent, and belongs to the driver; take the worker's engine by a parameter "
            "called engine"
        )

    @property
    def engine(self) -> AnyEngine:
        """The driver's engine of the workers' parameters."""
        return self._bound.engine

    @property
    def engine_name(self) -> str:
        """Carrier of the tasks: ``"processes"``, ``"ray"`` or ``"dask"``."""
        return self._backend.name

    @property
    def slots(self) -> int:
        """Tasks that are computed at the same time."""
        return self._backend.slots

    @property
    def workers(self) -> list[WorkerInfo]:
        """The workers that there are, as they say of themselves."""
        self._require_open("workers")
        return self._backend.workers()

    def __repr__(self) -> str:
        state = f"{self.slots} tasks at a time" if self._is_open else "closed"
        return f"Pool({self.engine_name}, {state}, {self.engine!r})"

    def map(self, function: Callable[..., Any], *inputs: Iterable[Any], on_error: OnError = "raise") -> Iterator[Any]:
        """Call a function with each input, on the workers, and give the results in the order of the inputs.

        Parameters
        ----------
        function : callable
            Of as many arguments as there are inputs.
        *inputs : iterable
            Gone through together, as ``zip`` does; those that have a length must have one. They are read as results are
            taken, a few ahead.
        on_error : {"raise", "return"}, default "raise"
            Whether a task's error is raised, and ends the others, or stands in the place of its result.

        Returns
        -------
        iterator

        Raises
        ------
        SecretExposureError
            If a secret key is among what is sent, at any depth.
        TaskPickleError
            If the function or an input can't be pickled.
        TaskError
            If the function raises something other than an error of Everlevel's, or returns what can't travel.
        WorkerLostError
            If a task lost its worker more often than the pool tries again.
        ClusterConnectionError
            If the cluster is gone.
        """
        job = self._job("map", function, inputs, on_error, is_ordered=True)
        return (value for _, value in job)

    def map_unordered(
        self, function: Callable[..., Any], *inputs: Iterable[Any], on_error: OnError = "raise"
    ) -> Iterator[tuple[int, Any]]:
        """Call a function with each input, and give pairs of an input's place and its result as they are computed.

        Otherwise as `map`.
        """
        return self._job("map_unordered", function, inputs, on_error, is_ordered=False)

    def reduce(
        self,
        function: Callable[[Any, Any], Any],
        items: Iterable[Any],
        *,
        each: Callable[[Any], Any] | None = None,
        group: int = 8,
    ) -> Any:
        """Fold items into one value, on the workers: neighbours first, then neighbours of those.

        The grouping depends on the items' places alone, so that a result has the same bits whatever the cluster does.
        Few items are in the driver's memory at any time, however many there are.

        Parameters
        ----------
        function : callable
            Of two values; it should be associative, as sums are.
        items : iterable
            Ciphertexts; or what `each` makes values of, such as the paths of a table's partitions.
        each : callable, optional
            What is done to each item first, in the same task.
        group : int, default 8
            Items that one task folds.

        Raises
        ------
        ParameterError
            If there are no items, or groups of fewer than two.
        Exception
            As `map`.
        """
        if checks.integer("reduce", "group", group) < 2:
            raise checks.refusal("reduce", "group", group, "at least 2 is needed; leave it out")
        level: Iterator[Any] = self.map(Fold(function, each), _chunks(iter(items), group))
        while True:
            head = list(islice(level, 2))
            if not head:
                raise ParameterError("reduce: there are no items; give at least one", option="items")
            if len(head) == 1:
                return head[0]
            level = self.map(Fold(function, None), _chunks(chain(head, level), group))

    def map_blocks(self, function: Callable[..., Any], *arrays: Any, block_size: int | None = None) -> Any:
        """Call a function on arrays of TFHE or NTRU, block by block, and join the results.

        Parameters
        ----------
        function : callable
            Of as many blocks as there are arrays, which have one dimension. It returns an array of as many elements, or
            a tuple or list of such arrays.
        *arrays : Ciphertext, UintArray, BoolArray or array_like
            Broadcast as NumPy's arrays are. One at least is encrypted.
        block_size : int, optional
            Elements of a block; a few blocks for each worker, if left out.

        Raises
        ------
        TaskError
            If a result isn't an array of the block's length; otherwise as `map`.
        """
        if block_size is not None and checks.integer("map_blocks", "block_size", block_size) < 1:
            raise checks.refusal("map_blocks", "block_size", block_size, "at least 1 is needed; leave it out")
        blocks = Blocks("map_blocks", arrays, block_size, self.slots)
        job = self._begin(_name(function, "map_blocks"), function, iter(blocks), len(blocks), "raise", is_ordered=True)
        return blocks.join([value for _, value in job])

    def bootstrap_many(self, ciphertexts: Iterable[Ciphertext], *, group: int | None = None, **options: Any) -> Any:
        """Bootstrap ciphertexts on the workers, as `Engine.bootstrap_many` does.

        Parameters
        ----------
        ciphertexts : iterable of Ciphertext
            Any number. For an array of TFHE's it is `tfhe.Engine.bootstrap_many`, in blocks.
        group : int, optional
            Ciphertexts of a task, which share the reading of the keys: up to 4, each with its own memory. If left out,
            as many as leave no worker without work, and take no more than 0.8 GB: one at N = 2^16.
        **options
            Those of `Engine.bootstrap_many`, but its keys, which are the pool's.

        Returns
        -------
        list or iterator
            A list of a list, and an iterator of an iterator.
        """
        name = "bootstrap_many"
        if isinstance(ciphertexts, EncryptedArray):
            return self._on_arrays(name, (ciphertexts,), options)
        if isinstance(ciphertexts, Ciphertext) or not isinstance(ciphertexts, Iterable):
            needed = "an iterable of ciphertexts is needed; pass [ciphertext]"
            raise checks.wrong_type(name, "ciphertexts", ciphertexts, "iterable of Ciphertext", needed)
        total = _length(ciphertexts)
        size = self._group(total) if group is None else checks.integer(name, "group", group)
        if size < 1:
            raise checks.refusal(name, "group", size, "at least 1 is needed")
        groups = ((part,) for part in _chunks(iter(ciphertexts), size))
        count = None if total is None else -(-total // size)
        job = self._begin(name, Method(name, options), groups, count, "raise", is_ordered=True, group=size)
        results = chain.from_iterable(value for _, value in job)
        return list(results) if isinstance(ciphertexts, Sequence) else results

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("_") or not is_offered(self._bound.engine, name):
            raise AttributeError(
                f"Pool has no {name!r}, and neither has its engine among the methods that workers compute"
            )
        return partial(self._method, name)

    def _method(self, name: str, operand: Any, *others: Any, on_error: OnError = "raise", **options: Any) -> Any:
        if any(isinstance(value, EncryptedArray) for value in (operand, *others)):
            return self._on_arrays(name, (operand, *others), options)
        if isinstance(operand, Ciphertext) or not isinstance(operand, Iterable):
            raise OperandTypeError(
                f"{name}: a pool's method takes an iterable of ciphertexts, and was given a {type(operand).__name__}; "
                f"pass [ciphertext], or use the engine's own method",
                argument="ciphertexts",
                expected="iterable of Ciphertext",
                actual=type(operand).__name__,
            )
        total = _length(operand)
        columns = [operand, *(other if _is_list(other) else _Constant(other) for other in others)]
        job = self._job(name, Method(name, options), columns, on_error, is_ordered=True, total=total)
        results = (value for _, value in job)
        return list(results) if isinstance(operand, Sequence) else results

    def _on_arrays(self, name: str, arrays: tuple[Any, ...], options: dict[str, Any]) -> Any:
        blocks = Blocks(name, arrays, options.pop("block_size", None), self.slots)
        job = self._begin(name, Method(name, options), iter(blocks), len(blocks), "raise", is_ordered=True)
        return blocks.join([value for _, value in job])

    def _group(self, total: int | None) -> int:
        """Return how many bootstraps a task does: no more than leave work for every worker, and than memory allows."""
        size = _GROUP if total is None else max(min(_GROUP, total // self.slots), 1)
        engine = self._bound.engine
        if not isinstance(engine, Engine):
            return size
        work = engine.estimate_memory("bootstrap").work
        return min(size, max(_GROUP_BYTES // max(work, 1), 1))

    def _job(
        self,
        name: str,
        function: Callable[..., Any],
        inputs: Sequence[Any],
        on_error: OnError,
        *,
        is_ordered: bool,
        total: int | None = None,
    ) -> Job:
        if not callable(function):
            raise checks.wrong_type(name, "function", function, "callable", "a callable is needed; pass one")
        if not inputs:
            raise ParameterError(f"{name}: there are no inputs; pass an iterable", option="inputs")
        lengths = {found for column in inputs if (found := _length(column)) is not None}
        if len(lengths) > 1:
            raise ParameterError(
                f"{name}: the inputs have lengths {sorted(lengths)}, and one is needed; cut them, or give a constant "
                f"to the function by functools.partial",
                option="inputs",
                value=sorted(lengths),
            )
        total = total if total is not None else min(lengths, default=None)
        tasks = zip(*inputs, strict=False)
        return self._begin(_name(function, name), function, tasks, total, on_error, is_ordered=is_ordered)

    def _begin(
        self,
        name: str,
        function: Callable[..., Any],
        tasks: Iterator[tuple[Any, ...]],
        total: int | None,
        on_error: OnError,
        *,
        is_ordered: bool,
        group: int | None = None,
    ) -> Job:
        self._require_open(name)
        if on_error not in ("raise", "return"):
            raise checks.refusal(
                name, "on_error", on_error, "'raise' and 'return' are offered; check its spelling", ("raise", "return")
            )
        job = Job(
            self._backend,
            self._bound,
            self._settings,
            function,
            tasks,
            name=name,
            total=total,
            is_ordered=is_ordered,
            on_error=on_error,
            group=group,
        )
        self._jobs.add(job)
        job.begin()
        return job

    def _require_open(self, operation: str) -> None:
        if not self._is_open:
            raise ClusterConnectionError(f"{operation}: the pool is closed; connect again")


class _Constant:
    """One value for every input."""

    def __init__(self, value: Any) -> None:
        self._value = value

    def __iter__(self) -> Iterator[Any]:
        while True:
            yield self._value


def _is_list(value: Any) -> bool:
    """Whether a further operand is a list that goes with the first."""
    return (
        isinstance(value, (list, tuple))
        and bool(value)
        and all(isinstance(x, (Ciphertext, EncryptedArray)) for x in value)
    )


def _length(values: Any) -> int | None:
    try:
        return len(values)
    except TypeError:
        return None


def _name(function: Any, otherwise: str) -> str:
    return str(getattr(function, "__name__", otherwise))


def _chunks(values: Iterator[Any], size: int) -> Iterator[list[Any]]:
    while part := list(islice(values, size)):
        yield part
