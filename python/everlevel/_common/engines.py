"""The engines of a process, which pickled ciphertexts and keys come back to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar
from weakref import WeakValueDictionary

from .locks import Lock

EngineT = TypeVar("EngineT")

Address = tuple[Any, ...]
"""Address of an engine: its parameters, whether they have many threads, and the like."""


class Engines(Generic[EngineT]):
    """One engine for each address: the first that was made, or one that an unpickled object needed.

    Attributes
    ----------
    make : callable
        What makes an engine for an address. The module of the engine's class gives it, since objects know their engine,
        and their modules come first.
    """

    make: Callable[..., EngineT]

    def __init__(self) -> None:
        self._announced: WeakValueDictionary[Address, EngineT] = WeakValueDictionary()
        self._unpickled: dict[Address, EngineT] = {}
        self._lock = Lock()

    def announce(self, address: Address, engine: EngineT) -> None:
        """Tell of an engine that was made, unless there is one at its address."""
        with self._lock:
            self._announced.setdefault(address, engine)

    def at(self, *address: Any) -> EngineT:
        """Return the engine at an address, made once and kept if there is none."""
        with self._lock:
            engine = self._announced.get(address)
        if engine is not None:
            return engine
        engine = self.make(*address)
        with self._lock:
            return self._unpickled.setdefault(address, engine)
