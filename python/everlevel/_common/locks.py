"""Locks that a forked process finds open."""

from __future__ import annotations

import os
import threading
from typing import Final
from weakref import WeakSet


class Lock:
    """A lock of one process. In a child there is no thread of its parent's that could give it back."""

    __slots__ = ("__weakref__", "_lock")

    def __init__(self) -> None:
        self._lock = threading.Lock()
        _all.add(self)

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()


_all: Final[WeakSet[Lock]] = WeakSet()


def _open_all() -> None:
    for lock in _all:
        lock._lock = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_open_all)
