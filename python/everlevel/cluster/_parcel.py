"""Parcel between the driver and its workers: a pickle, and the large parts of it as buffers beside it.

Every engine carries parcels alone, so that all that is sent goes through one pickler, which refuses secret keys at any
depth. Objects of the pool's parameters travel as bytes, and belong to the engine of the process that they
come to; its keys travel as their names.
"""

from __future__ import annotations

import io
import pickle
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final, NoReturn

from .._common.storable import Storable
from ..errors import SecretExposureError, TaskPickleError
from ._bound import ENGINES, Bound, is_evaluation_key, is_secret, parameters_of, secret_id

try:
    from cloudpickle import Pickler as _Base
except ImportError:  # functions of modules travel without it
    _Base = pickle.Pickler

BY_VALUE: Final = _Base is not pickle.Pickler
"""Whether functions without a module of their own travel: lambdas, closures, those of a notebook."""

_SECRET_FILES: Final = re.compile(rb'"kind":"(\w+_)?secret_key"')
"""Mark in the header of a secret key's file."""

_PROTOCOL: Final = 5

_here: ContextVar[Bound] = ContextVar("here")


class Parcel:
    """A pickle and its buffers."""

    __slots__ = ("buffers", "head")

    def __init__(self, head: bytes, buffers: Sequence[Any] = ()) -> None:
        self.head = head
        self.buffers = list(buffers)

    @property
    def nbytes(self) -> int:
        """Bytes of all of it."""
        return len(self.head) + sum(memoryview(buffer).nbytes for buffer in self.buffers)

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        # An engine's own pickler leaves the buffers where they are, if it can.
        wrap: Callable[[Any], Any] = pickle.PickleBuffer if int(protocol) >= _PROTOCOL else bytes
        return Parcel, (self.head, [wrap(buffer) for buffer in self.buffers])


def pack(value: Any, bound: Bound, what: str = "map", *, is_result: bool = False) -> Parcel:
    """Pickle a value: a function, its arguments, or what it returned.

    Raises
    ------
    SecretExposureError
        If there is a secret key in it, at any depth: in containers, closures, globals of functions, or as the bytes of
        its file.
    TaskPickleError
        If a part of it can't be pickled.
    """
    head = io.BytesIO()
    buffers: list[pickle.PickleBuffer] = []
    pickler = _Pickler(head, bound, buffers.append, what if is_result else None)
    try:
        pickler.dump(value)
    except (SecretExposureError, MemoryError):
        raise
    except Exception as error:  # whatever a class's own way to pickle raises
        raise TaskPickleError(f"{what}: {_advice(error)}", function=what) from error
    data = head.getvalue()
    own = pickler.own
    for raw in (data, *(buffer.raw() for buffer in buffers if id(buffer) not in own)):
        refuse_secret_files(raw, what if is_result else None)
    return Parcel(data, [buffer.raw() for buffer in buffers])


def unpack(parcel: Parcel, bound: Bound) -> Any:
    """Return what was packed. Its objects belong to an engine of this process."""
    with _unpacking(bound):
        return pickle.loads(parcel.head, buffers=parcel.buffers)


def refuse_secret_files(data: Any, returning: str | None = None) -> None:
    """Refuse bytes that hold the file of a secret key; `returning` is the function whose result they are in."""
    text = data if isinstance(data, bytes) else bytes(data)
    if _SECRET_FILES.search(text):
        _refuse_secret("the bytes of a secret key's file", "are among what is sent", returning)


def _refuse_secret(found: str, place: str, returning: str | None) -> NoReturn:
    if returning is None:
        raise SecretExposureError(
            f"cluster: {found} {place}, and no worker ever gets one; send ciphertexts and evaluation keys, and decrypt "
            f"here"
        )
    raise SecretExposureError(
        f"{returning}: it returned {found}, and no secret travels; return ciphertexts, and make secret keys on the "
        f"driver"
    )


def _advice(error: BaseException) -> str:
    text = str(error) or type(error).__name__
    if isinstance(error, RecursionError):
        return "the function or an argument is nested too deeply to be pickled; pass simpler data"
    if BY_VALUE:
        advice = "pass data, and make what can't travel (files, locks, connections) on the worker"
    else:
        advice = "define the function at the top of a module, or install cloudpickle, which sends functions by value"
    return f"the function or an argument can't be pickled ({text}); {advice}"


class _Pickler(_Base):  # type: ignore[misc]
    def __init__(
        self, file: io.BytesIO, bound: Bound, keep: Callable[[pickle.PickleBuffer], Any], returning: str | None
    ) -> None:
        super().__init__(file, protocol=_PROTOCOL, buffer_callback=lambda buffer: keep(buffer))
        self._bound = bound
        self._returning = returning
        self.own: dict[int, pickle.PickleBuffer] = {}

    def reducer_override(self, value: Any) -> Any:
        if is_secret(value):
            place = "is among what is sent (an argument, or a function's closure or global)"
            _refuse_secret("a SecretKey", place, self._returning)
        if isinstance(value, ENGINES) and parameters_of(value) == parameters_of(self._bound.engine):
            return _engine, ()
        if is_evaluation_key(value):
            return self._key(value)
        if isinstance(value, Storable) and self._bound.owns(value):
            if self._returning is not None:
                value = self._bound.leaving(value)
            buffer = pickle.PickleBuffer(value._to_transit())
            self.own[id(buffer)] = buffer
            return _restore, (buffer,)
        return super().reducer_override(value) if BY_VALUE else NotImplemented

    def _key(self, key: Any) -> Any:
        if self._bound.owns(key) and secret_id(key) in self._bound.secret_ids:
            return _evaluation_key, ()
        raise TaskPickleError(
            f"cluster: a {type(key).__name__} is among what is sent, and keys travel as files; save it, pass its "
            f"path to connect(…, keys=…), and take it by a parameter called keys",
        )


@contextmanager
def _unpacking(bound: Bound) -> Iterator[None]:
    token = _here.set(bound)
    try:
        yield
    finally:
        _here.reset(token)


def _restore(data: Any) -> Any:
    return _here.get().unpack(data)


def _engine() -> Any:
    return _here.get().engine


def _evaluation_key() -> Any:
    return _here.get().keys.evaluation_key
