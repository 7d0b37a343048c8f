"""Base of every scheme's engine: its native context, its threads, how progress is shown, and bytes that it reads."""

from __future__ import annotations

from abc import abstractmethod
from contextlib import AbstractContextManager
from typing import Any

from .. import _native
from . import checks, headers, limits, progress


class Core:
    """Base of each scheme's `Core`, whose engine fills its fields."""

    _context: Any
    _shows_progress: bool | None

    @property
    def thread_count(self) -> int:
        """Threads that long calls use.

        Examples
        --------
        >>> Engine(max_level=2, insecure_log_n=10, thread_count=1).thread_count
        1
        """
        count: int = self._context.thread_count
        return count

    def load_bytes(self, data: Any, *, max_bytes: int | None = None) -> Any:
        """Read a key or a message from the bytes that its `to_bytes` made. All else is as in `load`.

        Parameters
        ----------
        data : bytes-like
            Of a file, or from elsewhere: every byte is checked, and bytes that are no object's are refused.
        max_bytes : int, optional
            As for `load`.

        Examples
        --------
        >>> x = engine.encrypt([0.5], secret_key, bound=1)
        >>> engine.decrypt(engine.load_bytes(x.to_bytes()), secret_key).round(3)
        array([0.5])
        """
        read = checks.data("load_bytes", data)
        with headers.explained(self, "load_bytes", read):
            limits.limit_of("load_bytes", max_bytes, len(read), lambda: _native.inspect_bytes(read, False)[1])
        return self._deserialize(read)

    @abstractmethod
    def _deserialize(self, data: Any) -> Any:
        """Read an object from its bytes."""

    def _reporting(
        self, description: str, shows_progress: bool | None = None
    ) -> AbstractContextManager[progress.Report | None]:
        return progress.reporting(description, self._shows_progress if shows_progress is None else shows_progress)
