"""CKKS's objects as files and pickles."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Generic, Protocol, TypeVar

from .. import _native
from .._common import storable
from .._common.engines import Engines
from .._common.opaque import Opaque
from . import _device
from ._options import cipher_of

engines: Engines[Any] = Engines()


def address(context: _native.Context) -> tuple[str, int, bool, str | None]:
    """Return what tells engines apart: parameters, slots, whether threads are many, the cipher of seeded keys."""
    return context.params, context.slot_count, context.thread_count > 1, context.seeded_keys


def restore(params: str, slot_count: int, parallel: bool, seeded_keys: bool | str | None, data: Any) -> Any:
    """Return the object that a pickle brings."""
    return engines.at(params, slot_count, parallel, cipher_of(seeded_keys))._deserialize(data)


class Storable(storable.Storable):
    """Base of plaintexts, ciphertexts and keys."""

    __slots__ = ()

    @abstractmethod
    def _stored(self) -> tuple[_native.Context, Any, dict[str, str]]:
        """Return the context, the native object, and what the file is to say beside it."""

    @property
    def device(self) -> str:
        """Where the object lies: ``"cpu"``, or a GPU, ``"gpu:0"``. Keys on a GPU are on the CPU as well.

        Examples
        --------
        >>> engine.encode([0.5]).device
        'cpu'
        """
        return _device.CPU

    @property
    def is_cuda(self) -> bool:
        """Whether the object is in a GPU's memory.

        Examples
        --------
        >>> engine.encrypt([0.5], secret_key, bound=1).is_cuda
        False
        """
        return self.device != _device.CPU

    @property
    def serialized_nbytes(self) -> int:
        """Bytes of the object's file.

        Examples
        --------
        >>> x = engine.encrypt([0.5], secret_key, bound=1)
        >>> x.serialized_nbytes == len(x.to_bytes())
        True
        """
        return len(self.to_bytes())

    def _write(self, path: str, *, expanded: bool = False) -> None:
        context, native, notes = self._stored()
        _native.save(context, native, path, notes, expanded)

    def to_bytes(self) -> bytes:
        """Return the bytes of the object's file: see `Engine.load_bytes`.

        Examples
        --------
        >>> len(relinearization_key.to_bytes()) < relinearization_key.nbytes + 10_000
        True
        """
        context, native, notes = self._stored()
        return _native.serialize(context, native, notes, False)

    def _to_transit(self) -> bytes:
        context, native, notes = self._stored()
        return _native.to_transit(context, native, notes)

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        context, _, _ = self._stored()
        return restore, (*address(context), storable.pickled(self.to_bytes(), protocol))


class _Native(Protocol):
    @property
    def nbytes(self) -> int: ...


NativeT = TypeVar("NativeT", bound=_Native)


class Encoded(Opaque, Storable, Generic[NativeT]):
    """Base of messages and matrices that are encoded, and not encrypted."""

    __slots__ = ("__weakref__", "_context", "_is_real", "_native")

    _form = "encoded"

    _instead_of_numpy = "use the engine's methods, or what it was encoded from"

    def __init__(self, context: _native.Context, native: NativeT, *, is_real: bool) -> None:
        self._context = context
        self._native = native
        self._is_real = is_real

    def _stored(self) -> tuple[_native.Context, NativeT, dict[str, str]]:
        return self._context, self._native, {"is_real": str(self._is_real).lower()}

    @property
    def nbytes(self) -> int:
        """Bytes in memory.

        Examples
        --------
        >>> engine.encode([0.5], level=1).nbytes < engine.encode([0.5], level=5).nbytes
        True
        """
        return self._native.nbytes
