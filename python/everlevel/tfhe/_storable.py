"""What TFHE's objects have in common as files and pickles, and that they belong to an engine."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from .. import _native
from .._common import storable
from .._common.engines import Engines
from ..errors import EngineMismatchError
from ._core import Core

engines: Engines[Any] = Engines()


def restore(parameters: str, insecure_log_n: int | None, parallel: bool, data: Any) -> Any:
    """Return the object that a pickle brings."""
    return engines.at(parameters, insecure_log_n, parallel)._deserialize(data)


class Storable(storable.Storable):
    """Base of ciphertexts and keys.

    Its engine is one of `Core`; each class says by a protocol which operations its operators call.
    """

    __slots__ = ("__weakref__", "_engine")

    _engine: Any

    def __init__(self, engine: Any) -> None:
        self._engine = engine

    @abstractmethod
    def _stored(self) -> tuple[_native._TfheObject, dict[str, str]]:
        """Return the native object, and what the file is to say beside it."""

    def _write(self, path: str) -> None:
        native, notes = self._stored()
        self._engine._context.save(native, path, notes)

    def _serialize(self) -> bytes:
        native, notes = self._stored()
        data: bytes = self._engine._context.serialize(native, notes)
        return data

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        return restore, (*self._engine._address, storable.pickled(self._serialize(), protocol))


def same_parameters(engine: Core, operation: str, name: str, value: Storable) -> None:
    """Check that an object is one of an engine's parameters."""
    other: Core = value._engine
    if other._context.fingerprint != engine._context.fingerprint:
        raise EngineMismatchError(
            f"{operation}: {name} was made by {other!r} and this is {engine!r}; "
            f"use objects made with the same parameters",
            argument=name,
        )
