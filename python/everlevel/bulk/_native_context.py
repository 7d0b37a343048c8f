"""The native context of CKKS as engines of named sets know theirs."""

from __future__ import annotations

from typing import Any

from .. import _native
from .._common.headers import BULK
from ..errors import UnsupportedKindError
from ._sets import LEVEL, ParameterSet


class BulkContext:
    """The context, the space of its set, and its files."""

    def __init__(self, parameters: ParameterSet, thread_count: int, insecure_log_n: int | None) -> None:
        self.set = parameters
        self.ckks = _native.Context.for_tables(
            parameters.space, LEVEL, (thread_count, None, False, None), insecure_log_n
        )

    @property
    def thread_count(self) -> int:
        """Threads that long calls use."""
        return self.ckks.thread_count

    @property
    def fingerprints(self) -> tuple[int | str, ...]:
        """The chain's, and the set: several may have one chain."""
        return *self.ckks.fingerprints, self.set.name

    def _noted(self, notes: dict[str, str]) -> dict[str, str]:
        return {**notes, BULK: self.set.name}

    def save(self, native: Any, path: str, notes: dict[str, str]) -> None:
        """Write an object's file."""
        _native.save(self.ckks, native, path, self._noted(notes), False)

    def serialize(self, native: Any, notes: dict[str, str]) -> bytes:
        """Return the bytes of an object's file."""
        return _native.serialize(self.ckks, native, self._noted(notes), False)

    def load(self, path: str, _limit: int | None) -> tuple[Any, dict[str, str]]:
        """Read an object and its notes from a file."""
        return self._own(*_native.load(self.ckks, path, None, None, False, None))

    def deserialize(self, data: Any, _limit: int | None) -> tuple[Any, dict[str, str]]:
        """Read an object and its notes from bytes."""
        return self._own(*_native.deserialize(self.ckks, data, None, False, None))

    def _own(self, native: Any, notes: dict[str, str]) -> tuple[Any, dict[str, str]]:
        """Refuse objects of CKKS, and of other sets."""
        found = notes.get(BULK)
        if found != self.set.name:
            of = "of CKKS" if found is None else f"of the set {found}"
            raise UnsupportedKindError(
                f"load: the file is {of}, and this engine reads those of the set {self.set.name}",
                found=found,
                expected=self.set.name,
            )
        return native, notes
