"""The engine: parameters, and every operation on messages, keys and ciphertexts."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any, Final, Literal, NoReturn, overload
from weakref import WeakValueDictionary

from .. import _native
from .._auto import Counters, Refresher
from .._common.locks import Lock
from .._common.storable import Storable
from ..compat import accept_names_of_1x
from . import _options
from ._arguments import ArgumentsMixin
from ._evaluation import EvaluationMixin
from ._files import FilesMixin
from ._many import ManyMixin
from ._options import Mode
from ._range import RangeMixin
from ._registry import KeyRegistry

__all__ = ["Engine"]


class Engine(RangeMixin, ArgumentsMixin, ManyMixin, EvaluationMixin, FilesMixin):
    """CKKS: arithmetic on encrypted vectors of real or complex numbers.

    An engine holds parameters and no secrets. It is safe to use from many threads at once: long calls release the
    interpreter's lock.

    Parameters
    ----------
    max_level : int, optional
        Multiplications in a row that a fresh ciphertext stands. It chooses the ring: more levels need a larger one.
    mode : {"cpu", "parallel"}, default "cpu"
        One thread, or `thread_count` of them.
    slot_count : int, optional
        Values in a ciphertext, a power of two; as many as the ring has room for, if left out. More than the ring of
        `max_level` has room for choose a larger ring.
    use_bootstrap : bool, default False
        Choose parameters that have room for a bootstrap: 13 levels, of which a regular one leaves 10, 9 or 8.
    use_bootstrap_to_14_levels, use_bootstrap_to_17_levels : bool, default False
        Choose parameters of 17 or 20 levels, of which regular bootstraps of three stages leave 14 or 17 (at full slots
        the only stage count). Deeper computations between bootstraps, for slower ones with larger keys; 17 levels are
        best used with small bootstrap keys.
    precision : {"standard", "high"}, default "standard"
        ``"high"`` chooses parameters for bootstraps of 32 bits and more: 11 levels, of which a precise one
        (``bootstrap(…, precision="high")``) leaves 7, 6 or 5, and scales of 2^46; it implies `use_bootstrap`.
    auto_bootstrap : bool, default False
        Bootstrap the operands of an operation that lacks levels, so that a program of any depth runs; it implies
        `use_bootstrap`. The keys are those of `create_evaluation_key`, or those that `use` was given. Values must be of
        size up to about 1 whenever that happens: see `check_range`. What is bootstrapped is remembered as long
        as the original lives; `bootstrap_count` counts, and the logger ``everlevel`` tells at level INFO.
    thread_count : int, optional
        Threads of mode ``"parallel"``; all that the process may use, if left out.
    seeded_keys : bool, default False
        Let relinearization, conjugation, rotation and bootstrap keys hold the seeds of their uniform halves instead of
        the halves. They take half the memory, and each use expands them: a bootstrap takes 1.3 to 2
        times as long.
    progress : bool, optional
        Whether long calls show a bar on stderr: None shows it in terminals and notebooks. The environment variable
        ``EVERLEVEL_PROGRESS=0`` hides all bars.
    insecure_log_n : int, optional
        Ring dimension 2**insecure_log_n, **without any security**: for tests, and for looking at how things work.

    Raises
    ------
    ParameterError
        If the options don't exist, don't go together, or would fall short of 128-bit security.

    Notes
    -----
    Every other parameter set has at least 128-bit classical security. Options of the 1.x interface that this version
    doesn't offer (GPUs, several parties) raise `ParameterError` and say so.

    Examples
    --------
    The examples of all methods share these lines:

    >>> import numpy as np
    >>> from everlevel import Engine
    >>> engine = Engine(max_level=5, insecure_log_n=10)
    >>> secret_key = engine.create_secret_key()
    >>> public_key = engine.create_public_key(secret_key)
    >>> relinearization_key = engine.create_relinearization_key(secret_key)
    >>> conjugation_key = engine.create_conjugation_key(secret_key)
    >>> rotation_key = engine.create_rotation_key(secret_key)

    >>> x = engine.encrypt([0.5, 1.0, 1.5], public_key)
    >>> engine.decrypt(x * x + 1, secret_key)[:3].round(3)
    array([1.25, 2.  , 3.25])
    """

    @overload
    def __init__(
        self,
        mode: Mode = "cpu",
        *,
        max_level: int | None = None,
        slot_count: int | None = None,
        use_bootstrap: bool = False,
        use_bootstrap_to_14_levels: bool = False,
        use_bootstrap_to_17_levels: bool = False,
        precision: Literal["standard", "high"] = "standard",
        auto_bootstrap: bool = False,
        thread_count: int | None = None,
        seeded_keys: bool = False,
        progress: bool | None = None,
        insecure_log_n: int | None = None,
        **unsupported: Any,
    ) -> None: ...
    @overload
    def __init__(
        self,
        max_level: int,
        mode: Mode = "cpu",
        *,
        slot_count: int | None = None,
        use_bootstrap: bool = False,
        use_bootstrap_to_14_levels: bool = False,
        use_bootstrap_to_17_levels: bool = False,
        precision: Literal["standard", "high"] = "standard",
        auto_bootstrap: bool = False,
        thread_count: int | None = None,
        seeded_keys: bool = False,
        progress: bool | None = None,
        insecure_log_n: int | None = None,
        **unsupported: Any,
    ) -> None: ...
    def __init__(
        self,
        *positional: Any,
        mode: Any = None,
        max_level: int | None = None,
        slot_count: int | None = None,
        use_bootstrap: bool = False,
        use_bootstrap_to_14_levels: bool = False,
        use_bootstrap_to_17_levels: bool = False,
        precision: Literal["standard", "high"] = "standard",
        auto_bootstrap: bool = False,
        thread_count: int | None = None,
        seeded_keys: bool = False,
        progress: bool | None = None,
        insecure_log_n: int | None = None,
        **unsupported: Any,
    ) -> None:
        options = _options.parse(
            positional,
            mode=mode,
            max_level=max_level,
            slot_count=slot_count,
            use_bootstrap=use_bootstrap or auto_bootstrap,
            use_bootstrap_to_14_levels=use_bootstrap_to_14_levels,
            use_bootstrap_to_17_levels=use_bootstrap_to_17_levels,
            precision=precision,
            thread_count=thread_count,
            seeded_keys=seeded_keys,
            insecure_log_n=insecure_log_n,
            others=unsupported,
        )
        context = _native.Context(
            max_level=options.max_level,
            slot_count=options.slot_count,
            bootstrap_to=options.bootstrap_to,
            thread_count=options.thread_count,
            seeded_keys=options.seeded_keys,
            insecure_log_n=options.insecure_log_n,
        )
        self._fill(context, options.mode, progress, bool(auto_bootstrap))

    def _fill(self, context: _native.Context, mode: Mode, progress: bool | None, auto_bootstrap: bool) -> None:
        self._context = context
        self._mode = mode
        self._shows_progress = progress
        self._registry = KeyRegistry()
        self._counters = Counters()
        self._refresher = Refresher() if auto_bootstrap else None
        _announce(self)

    def __reduce__(self) -> tuple[Any, ...]:
        return _engine_like, (*_address(self._context), self.auto_bootstrap)

    @property
    def mode(self) -> Mode:
        """``"cpu"`` or ``"parallel"``."""
        return self._mode

    @property
    def thread_count(self) -> int:
        """Threads that long calls use."""
        return self._context.thread_count

    @property
    def log_n(self) -> int:
        """Base-2 logarithm of the ring dimension."""
        return self._context.log_n

    @property
    def seeded_keys(self) -> bool:
        """Whether the keys that the engine makes are seeded: half the memory, slower use."""
        return self._context.seeded_keys

    @property
    def build_hash(self) -> str:
        """The package's version, under 1.x's name."""
        return version("everlevel")

    @property
    def security_bits(self) -> int:
        """Classical security of the parameters: 128, or 0 for an insecure ring."""
        return 0 if self._context.insecure else 128

    def __repr__(self) -> str:
        parts = [f"N 2^{self.log_n}", f"slots {self.slot_count}", f"levels 0..{self.max_level}"]
        if self._context.can_bootstrap:
            kind = "bootstrap" if self._refresher is None else "automatic bootstrap"
            usual = self._context.has_high_precision or self.max_level == 13
            parts.append(kind if usual else f"{kind} to level {self.max_level - 3}")
        if self._context.has_high_precision:
            parts.append("high precision")
        if self.seeded_keys:
            parts.append("seeded keys")
        parts.append(f"{self.thread_count} thread{'s' if self.thread_count > 1 else ''}")
        parts.append(f"{self.security_bits}-bit security" if self.security_bits else "INSECURE")
        return f"Engine({', '.join(parts)})"

    def __getattr__(self, name: str) -> NoReturn:
        # Called only for what isn't there; names of 1.x get an answer that helps.
        raise _options.unsupported_function(name)


accept_names_of_1x(Engine)

_Address = tuple[str, int, bool, bool]
"""What tells engines apart: (parameters, slots, whether threads are many, whether keys are seeded)."""

_announced: Final[WeakValueDictionary[_Address, Engine]] = WeakValueDictionary()
_unpickled: Final[dict[_Address, Engine]] = {}
_lock: Final = Lock()


def _address(context: _native.Context) -> _Address:
    return context.params, context.slot_count, context.thread_count > 1, context.seeded_keys


def _announce(engine: Engine) -> None:
    with _lock:
        _announced.setdefault(_address(engine._context), engine)


def _engine_at(params: str, slot_count: int, parallel: bool, seeded_keys: bool) -> Engine:
    """Return this process's engine for what a pickle brings, made once and kept if there is none."""
    address = params, slot_count, parallel, seeded_keys
    with _lock:
        engine = _announced.get(address)
    if engine is not None:
        return engine
    engine = _new_engine(*address, auto_bootstrap=False)
    with _lock:
        return _unpickled.setdefault(address, engine)


def _engine_like(params: str, slot_count: int, parallel: bool, seeded_keys: bool, auto_bootstrap: bool) -> Engine:
    """Return an engine for one that a pickle brings."""
    engine = _engine_at(params, slot_count, parallel, seeded_keys)
    if engine.auto_bootstrap == auto_bootstrap:
        return engine
    return _new_engine(params, slot_count, parallel, seeded_keys, auto_bootstrap=auto_bootstrap)


def _new_engine(params: str, slot_count: int, parallel: bool, seeded_keys: bool, *, auto_bootstrap: bool) -> Engine:
    mode: Mode = "parallel" if parallel else "cpu"
    context = _native.Context.from_params(params, slot_count, _options.threads(mode, None), seeded_keys)
    engine = Engine.__new__(Engine)
    engine._fill(context, mode, None, auto_bootstrap)
    return engine


def _restore(params: str, slot_count: int, parallel: bool, seeded_keys: bool, data: bytes) -> Storable:
    """Return the object that a pickle brings."""
    return _engine_at(params, slot_count, parallel, seeded_keys)._deserialize(data, kind=None)
