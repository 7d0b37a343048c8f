"""Rehearsals: programs that run on examples in a small ring without security, to tell what they take.

The operations are those of the library itself, on a ring of the same levels, scales and bounds as the one that a
program would run on: so levels, bounds and bootstraps are the program's own. Keys are made as they are asked for, and
so it is known which there have to be.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._common import callers, checks
from .._common.sizes import at_least, at_most, format_bytes
from ..errors import EverlevelError, LevelError, MessageError, OperandTypeError, ParameterError, RangeError
from . import _checks, _key_generation, _messages
from ._core import Core
from ._options import USUAL_GAP
from ._registry import KeyRegistry
from .ciphertext import Ciphertext
from .encrypted_array import EncryptedArray
from .keys import (
    BootstrapKey,
    ConjugationKey,
    FixedRotationKey,
    MatrixMultiplicationKey,
    RelinearizationKey,
    RotationKey,
    SecretKey,
)

__all__ = ["DryRun", "Step"]

_FEW_LEVELS: Final = 10
_MOST_LEVELS: Final = 28
"""Levels of the first rehearsals: programs that take more are for bootstraps."""
_LEAST_LOG_N: Final = 10
_MOST_SLOTS: Final = 2**16
_MOST_LOG_N: Final = 17
_MOST_DEEP_LOG_N: Final = 14
"""Largest rings that are tried for results, without bootstraps and with them, of which keys are large."""
_TIMED_LOG_N: Final = {False: 14, True: 12}
"""Rings that programs are timed on, without bootstraps and with them, or the real one, if it is smaller."""
_TIMES: Final = 3
_ENOUGH: Final = 2.0
"""Seconds of a run after which there is no other."""
_CACHED_LOG_N: Final = 15
_UNCACHED: Final = 1.1
"""Factor of times on rings that are larger than a core's cache."""

_MAKERS: Final[Mapping[type, Callable[..., Any]]] = {
    RelinearizationKey: _key_generation.create_relinearization_key,
    ConjugationKey: _key_generation.create_conjugation_key,
    RotationKey: _key_generation.create_rotation_key,
    BootstrapKey: _key_generation.create_bootstrap_key,
}


@dataclass(frozen=True)
class Step:
    """Results of the operations of one line of a program.

    Attributes
    ----------
    line : str
        File and line, outside of the library.
    level : int
        Lowest level of a result.
    bound : float
        Largest bound of a result.
    """

    line: str
    level: int
    bound: float


@dataclass(frozen=True)
class DryRun:
    """Resources of a program, and its results on examples: see `Engine.dry_run`.

    Attributes
    ----------
    max_level : int
        Levels to choose: as many as the program consumes, or those of an engine with bootstraps.
    options : mapping
        Those of the engine that the program needs: ``Engine(**options)``.
    bootstraps : int
        Bootstraps of the whole program.
    bounds : tuple
        What the examples were declared with, one for each: the ends to declare, where nothing was said.
    results : tuple of ndarray
        Decrypted results, with the noise of a small ring.
    intervals : tuple
        Where the results lie, by their bounds; None for complex ones.
    precision_floor : float
        Least `Ciphertext.precision_floor` of the results.
    steps : tuple of Step
        Levels and bounds by the program's lines.
    refusal : str or None
        Words of the `RangeError` that ends the program with these bounds. All else is then that of a run without
        declared ones.
    relinearizes, conjugates : bool
        Whether it takes these keys.
    rotations : bool or tuple of int
        Amounts of rotations that it takes; True if it takes others, such as those of sums, and False for none.
    matrices : bool or int
        Level of the products with matrices; False for none.
    seconds : float
        Estimate on this machine: the least of three runs on the real ring, if it is of 2^14 or less, or on a smaller
        one, 2^12 with bootstraps, times what operations take longer. Within a factor of 1.5 on an idle machine.
    memory : int
        Bytes of the engine, its keys, and a bootstrap at work.

    Examples
    --------
    >>> run = engine.dry_run(lambda x: (x - x.mean()) ** 2, [1.0, 2.0, 6.0])
    >>> run.max_level, run.bootstraps, run.bounds
    (2, 0, ((1.0, 6.0),))
    """

    max_level: int
    options: Mapping[str, Any]
    bootstraps: int
    bounds: tuple[Any, ...]
    results: tuple[NDArray[Any], ...]
    intervals: tuple[tuple[float, float] | None, ...]
    precision_floor: float
    steps: tuple[Step, ...]
    refusal: str | None
    relinearizes: bool
    conjugates: bool
    rotations: bool | tuple[int, ...]
    matrices: bool | int
    seconds: float
    memory: int

    def __str__(self) -> str:
        made = ", ".join(f"{name}={value!r}" for name, value in self.options.items())
        lines = [
            f"Engine({made}): {self.bootstraps} bootstraps, about {self.seconds:.2g} s, {format_bytes(self.memory)}",
            *(f"bound={_shown(bound)}" for bound in self.bounds),
            *(f"{step.line}: level {step.level}, bound {step.bound:.4g}" for step in self.steps),
            f"results to {self.precision_floor:.1f} bits: {', '.join(map(_shown, self.intervals))}",
        ]
        if self.refusal is not None:
            lines.append(f"refused: {self.refusal}")
        return "\n".join(lines)


class RehearsalKeys(KeyRegistry):
    """Keys of one secret that are made when they are asked for, and known to be needed from then on."""

    def __init__(self, engine: Any, *, is_timed: bool = False) -> None:
        super().__init__()
        self._engine, self._is_timed = engine, is_timed
        self.secret_key: SecretKey = _key_generation.create_secret_key(engine)
        self.needed: set[type | int] = set()
        self.matrix_level = 0
        engine._registry = self
        if engine._context.can_bootstrap:
            for make in _MAKERS.values():
                self.use(make(engine, self.secret_key))

    def get(self, kind: Any, secret_id: int) -> Any:
        """Return a key of a kind, which is made if it isn't there."""
        if secret_id == self.secret_key._native.secret_id and (kind is not BootstrapKey or self._may_bootstrap()):
            self.needed.add(kind)
            if super().get(kind, secret_id) is None and kind in _MAKERS:
                self.use(_MAKERS[kind](self._engine, self.secret_key))
        return super().get(kind, secret_id)

    def _may_bootstrap(self) -> bool:
        return bool(self._engine._context.can_bootstrap)

    def rotations(self, secret_id: int) -> tuple[RotationKey | None, list[FixedRotationKey]]:
        """Return the key of all rotations."""
        return self.get(RotationKey, secret_id), []

    def find_rotation(self, operation: str, secret_id: int, delta: int, level: int) -> FixedRotationKey | RotationKey:
        """Return a key of this very amount."""
        key = self.of_secret(secret_id).get(delta)
        if key is None:
            key = _key_generation.create_fixed_rotation_key(self._engine, self.secret_key, delta)
        self.needed.add(delta)
        return key

    def find_matrix_key(
        self, operation: str, secret_id: int, level: int
    ) -> RotationKey | MatrixMultiplicationKey | list[FixedRotationKey]:
        """Return a key for matrices."""
        self.matrix_level = max(self.matrix_level, level)
        if not self._is_timed:
            # It does the same, and is smaller by far at all levels of a first rehearsal.
            rotation = super().get(RotationKey, secret_id)
            return rotation or _key_generation.create_rotation_key(self._engine, self.secret_key)
        key = self.of_secret(secret_id).get(MatrixMultiplicationKey)
        return key or _key_generation.create_matrix_multiplication_key(self._engine, self.secret_key)


def rehearse(
    make: Callable[..., Any], options: Mapping[str, Any], function: Any, examples: tuple[Any, ...], bounds: Any
) -> DryRun:
    """Run a program on examples, without bootstraps if it has levels enough, and else with them.

    Parameters
    ----------
    make : callable
        Makes an engine of options.
    options : mapping
        Those that the program's engine has, but for its levels.
    """
    operation = "dry_run"
    if not callable(function):
        raise OperandTypeError(
            f"{operation}: the program is of type {type(function).__name__}, and a function is needed, which takes as "
            f"many ciphertexts as there are examples; pass it first",
            argument="function",
            expected="callable",
            actual=type(function).__name__,
        )
    arrays = [_example(operation, example) for example in examples]
    if not arrays:
        raise ParameterError(f"{operation}: there are no examples; pass an array for each argument", option="examples")
    declared = _bounds(operation, arrays, bounds, options.get("bound"))
    run = _Run(make, dict(options), function, arrays)
    refusal: str | None = None
    try:
        done = run(declared)
    except RangeError as error:
        refusal = str(error)
        done = run([None] * len(arrays))
    return done.told(run, declared, refusal)


class _Run:
    """Rehearsals of one program."""

    def __init__(
        self, make: Callable[..., Any], options: dict[str, Any], function: Callable[..., Any], arrays: list[Any]
    ) -> None:
        self.make, self.options, self.function, self.arrays = make, options, function, arrays
        largest = max(array.size for array in arrays)
        log_slots = max(_LEAST_LOG_N - 1, (2 * largest - 1).bit_length())
        self._least_log_n, self._largest = min(log_slots + 1, _MOST_LOG_N), largest
        self.log_n = self._least_log_n

    @property
    def slots(self) -> int:
        """Slots that the program takes: those of the examples, or more for larger results. A power of two."""
        if self.log_n > self._least_log_n:
            return int(2 ** (self.log_n - 1))
        return 1 << (int(self._largest) - 1).bit_length()

    def __call__(self, bounds: list[Any]) -> _Rehearsed:
        try:
            if _deep(self.options):
                return self._once({}, bounds)
            return self._once({"max_level": self._levels(bounds)}, bounds)
        except (LevelError, ParameterError) as error:
            if not (isinstance(error, LevelError) or _asks_for_bootstraps(error)):
                raise
        return self._once({"auto_bootstrap": True}, bounds)

    def _levels(self, bounds: list[Any]) -> int:
        """Return how many levels a program consumes, which are few in most."""
        try:
            return _FEW_LEVELS - self._once({"max_level": _FEW_LEVELS}, bounds).lowest
        except (LevelError, RangeError):
            return _MOST_LEVELS - self._once({"max_level": _MOST_LEVELS}, bounds).lowest

    def _once(self, levels: dict[str, Any], bounds: list[Any]) -> _Rehearsed:
        while True:
            try:
                found = self._made({**self.options, **levels}, self.log_n)
                found.results = _ciphertexts(found.run(self, bounds))
            except MessageError:
                # Arrays that don't fit into these slots may fit into those of the real ring.
                if self.log_n >= (_MOST_DEEP_LOG_N if _deep({**self.options, **levels}) else _MOST_LOG_N):
                    raise
                self.log_n += 1
            else:
                return found

    def _made(self, options: dict[str, Any], log_n: int, *, is_timed: bool = False) -> _Rehearsed:
        engine = self.make(**{**options, "insecure_log_n": log_n, "bound": None, "slot_count": None})
        return _Rehearsed(engine, RehearsalKeys(engine, is_timed=is_timed), options)

    def timed(self, found: _Rehearsed, bounds: list[Any], log_n: int) -> float:
        """Return the seconds of a program on a ring of 2^log_n, from those on one that is at most as large."""
        most = _TIMED_LOG_N[found.engine._context.can_bootstrap]
        here = min(log_n, max(most, self.log_n))
        if here != found.engine.log_n or found.keys.matrix_level:
            # The first run makes keys, those of matrices among them.
            found = self._made(found.options, here, is_timed=True)
            found.run(self, bounds)
        seconds = []
        for _ in range(_TIMES):
            found.run(self, bounds)
            seconds.append(found.seconds)
            if found.seconds > _ENOUGH:
                break
        return min(seconds) * _ratio(log_n, here)


class _Rehearsed:
    """Observations of one rehearsal."""

    def __init__(self, engine: Any, keys: RehearsalKeys, options: dict[str, Any]) -> None:
        self.engine, self.keys, self.options = engine, keys, options
        self.steps: dict[str, Step] = {}
        self.lowest: int = engine.max_level
        self.seconds = 0.0
        self.results: list[Ciphertext] = []
        self.bootstraps = 0

    def run(self, program: _Run, bounds: list[Any]) -> Any:
        """Run a program on its examples, encrypted anew, and observe it."""
        engine = self.engine
        engine._observe = self.observe
        with warnings.catch_warnings(record=True):
            warnings.simplefilter("always")
            inputs = [
                _messages.encrypt(engine, array, self.keys.secret_key, bound=bound)
                for array, bound in zip(program.arrays, bounds, strict=True)
            ]
            self.steps.clear()
            self.lowest = engine.max_level
            before, began = engine.bootstrap_count, perf_counter()
            returned = program.function(*inputs)
            self.seconds = perf_counter() - began
            self.bootstraps = engine.bootstrap_count - before
        return returned

    def observe(self, native: Any) -> None:
        """Note the level and the bound of a result."""
        line, level, bound = callers.place(), native.level, native.bound_of_values
        known = self.steps.get(line)
        if known is not None:
            level, bound = min(level, known.level), max(bound, known.bound)
        self.steps[line] = Step(line, level, bound)
        self.lowest = min(self.lowest, level)

    def _real(self, run: _Run) -> Any:
        """Make the engine that the program is for, with as many slots as its arrays take."""
        options = {name: value for name, value in self.options.items() if name != "bound"}
        real = run.make(**options)
        if real.slot_count >= run.slots:
            return real
        self.options = {**self.options, "slot_count": run.slots}
        return run.make(**{**options, "slot_count": run.slots})

    def told(self, run: _Run, bounds: list[Any], refusal: str | None) -> DryRun:
        """Tell what the program takes."""
        keys, needed = self.keys, self.keys.needed
        real = self._real(run)
        deltas = tuple(sorted(delta for delta in needed if isinstance(delta, int)))
        bootstraps = self.bootstraps
        with warnings.catch_warnings(record=True):
            warnings.simplefilter("always")
            results = [_messages.decrypt(self.engine, result, keys.secret_key) for result in self.results]
        run_of = DryRun(
            max_level=real.max_level,
            options=self.options,
            bootstraps=bootstraps,
            bounds=tuple(bounds),
            results=tuple(results),
            intervals=tuple(result.interval for result in self.results),
            precision_floor=min((result.precision_floor for result in self.results), default=float("nan")),
            steps=tuple(self.steps.values()),
            refusal=refusal,
            relinearizes=RelinearizationKey in needed or bootstraps > 0,
            conjugates=ConjugationKey in needed or bootstraps > 0,
            rotations=True if RotationKey in needed else deltas or False,
            matrices=keys.matrix_level or False,
            seconds=run.timed(self, [None] * len(bounds) if refusal else list(bounds), real.log_n),
            memory=0,
        )
        return replace(run_of, memory=_memory(real, run_of))


def _ratio(log_n: int, rehearsed: int) -> float:
    """Return by how much operations take longer on a ring than on another."""
    ratio = 2.0 ** (log_n - rehearsed) * log_n / rehearsed
    return ratio * (_UNCACHED if log_n >= _CACHED_LOG_N else 1.0)


def _memory(engine: Any, run: DryRun) -> int:
    """Return the bytes that an engine, its keys and its bootstraps take."""
    held = engine.estimate_memory("Engine").peak
    count = len(run.rotations) if isinstance(run.rotations, tuple) else 0
    kinds = [
        *["create_relinearization_key"] * run.relinearizes,
        *["create_conjugation_key"] * run.conjugates,
        *["create_rotation_key"] * (run.rotations is True),
        *["create_fixed_rotation_key"] * count,
        *["create_bootstrap_key"] * (run.bootstraps > 0),
    ]
    held += sum(engine.estimate_memory(kind).held for kind in kinds)
    if run.matrices:
        held += engine.estimate_memory("create_matrix_multiplication_key", level=run.matrices).held
    work = engine.estimate_memory("bootstrap").peak if run.bootstraps else engine.estimate_memory("encrypt").peak
    return int(held + work)


def _deep(options: Mapping[str, Any]) -> bool:
    """Whether options are those of an engine that bootstraps."""
    return bool(options.get("auto_bootstrap") or options.get("use_bootstrap") or options.get("precision") == "high")


def _asks_for_bootstraps(error: EverlevelError) -> bool:
    return getattr(error, "option", None) == "use_bootstrap"


def _bounds(operation: str, arrays: list[NDArray[Any]], bounds: Any, default: Any) -> list[Any]:
    """Return what each example is declared with: its own ends, rounded outwards, where nothing is said."""
    if bounds is None:
        return [_ends(array) if default is None else default for array in arrays]
    listed = list(bounds) if isinstance(bounds, list) else [bounds] * len(arrays)
    if len(listed) != len(arrays):
        needed = f"there are {len(arrays)} examples; give a list of as many, or one bound for all"
        raise checks.refusal(operation, "bounds", bounds, needed, len(arrays))
    return [_checks.declared(operation, bound) for bound in listed]


def _example(operation: str, example: Any) -> NDArray[Any]:
    """Check an argument in the clear."""
    values, is_real, shape = _checks.array(operation, example, _MOST_SLOTS)
    return (values.real if is_real else values).reshape(shape)


def _ends(array: NDArray[Any]) -> Any:
    if array.dtype.kind == "c":
        return float(at_least(float(np.abs(array).max())))
    return float(at_most(float(array.min()))), float(at_least(float(array.max())))


def _ciphertexts(returned: Any) -> list[Ciphertext]:
    """Return the ciphertexts of a program's result, in lists, tuples and mappings as well."""
    if isinstance(returned, Ciphertext):
        return [returned]
    if isinstance(returned, EncryptedArray):
        return list(returned.blocks)
    if isinstance(returned, Mapping):
        returned = list(returned.values())
    if isinstance(returned, (list, tuple)):
        return [found for each in returned for found in _ciphertexts(each)]
    return []


def _shown(bound: Any) -> str:
    return f"({bound[0]:.4g}, {bound[1]:.4g})" if isinstance(bound, tuple) else str(bound)


def dry_run(self: Core, function: Callable[..., Any], *examples: ArrayLike, bounds: Any = None) -> DryRun:
    """Run a program on examples, and tell what it takes: levels, bootstraps, keys, time, memory, and its bounds.

    It is run on a small ring without security, with the operations, levels and bounds of the real one. Examples are
    the caller's, and nothing that is encrypted elsewhere is looked at.

    Parameters
    ----------
    function : callable
        Takes a ciphertext for each example, and returns ciphertexts, in lists, tuples and mappings as well. It computes
        by operators, methods of ciphertexts and functions of `everlevel`, since ciphertexts of other engines don't mix
        with these.
    *examples : array_like
        Typical arguments, of the shapes of the real ones. All slots are fewer here: 512, twice as many as values, or
        more, if results don't fit into these.
    bounds : float, pair of floats, or list of them, optional
        What is declared of the arguments, as in `encrypt`: one for all, or a list with one for each. If left out, the
        engine's bound, or else the ends of each example, rounded outwards.

    Returns
    -------
    DryRun
        Printed, it is a table.

    Raises
    ------
    ParameterError, OperandTypeError, MessageTypeError
        If there are no examples or too few bounds, `function` is none, or an example holds no numbers.

    Examples
    --------
    >>> run = engine.dry_run(lambda x, y: (x * y).mean(), [0.5, 1.0, 1.5], [1.0, 2.0, 3.0])
    >>> run.max_level, run.bootstraps, run.bounds
    (2, 0, ((0.5, 1.5), (1.0, 3.0)))
    >>> [float(result.round(3)) for result in run.results]
    [2.333]
    """
    context = self._context
    kept = {"precision": context.precision} if context.precision != "standard" else {}
    deep = {"use_bootstrap": True, "max_level": self.max_level} if context.can_bootstrap else {}
    options = {**kept, **deep, **({"auto_bootstrap": True} if self.auto_bootstrap else {})}
    options |= {"gap": self.gap} if self.gap != USUAL_GAP else {}
    options |= {"bound": self._bound} if self._bound is not None else {}
    return rehearse(type(self), options, function, examples, bounds)
