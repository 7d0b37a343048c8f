"""Keys of the schemes whose engines are of named sets. All are immutable, and safe to share between threads."""

from __future__ import annotations

from typing import Any

from .storable import OfEngine, Secret


class Key(OfEngine):
    """Base of keys, of which a file is to say nothing beside what the native key says."""

    __slots__ = ("_native",)

    _native: Any

    def __init__(self, engine: Any, native: Any) -> None:
        super().__init__(engine)
        self._native = native

    def _stored(self) -> tuple[Any, dict[str, str]]:
        return self._native, {}

    @property
    def nbytes(self) -> int:
        """Bytes that the key takes in memory, all together.

        Examples
        --------
        >>> bfv_evaluation_key.nbytes > bfv_engine.create_evaluation_key(bfv_secret_key).nbytes
        True
        """
        nbytes: int = self._native.nbytes
        return nbytes


class SecretKey(Secret, Key):
    """Base of each scheme's secret key."""

    __slots__ = ()

    _to_send_instead = "an evaluation key from it and send that"

    def __repr__(self) -> str:
        return "SecretKey(hidden)"
