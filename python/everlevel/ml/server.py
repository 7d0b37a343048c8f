"""The side that computes: evaluation keys."""

from __future__ import annotations

from typing import Any, final

from .._common.sizes import format_bytes
from .._common.storable import PathLike
from ..ckks import Engine, EvaluationKey, Plaintext
from . import _files

__all__ = ["Server"]


@final
class Server:
    """Evaluation keys of one client, for one model: made by `Model.keys`, and public, as they decrypt nothing.

    Attributes
    ----------
    evaluation_key : EvaluationKey or None
        Exactly the keys that the model's plan takes; None where it takes none.
    model_hash : str
        Of the model.
    """

    __slots__ = ("_engine", "evaluation_key", "model_hash")

    def __init__(self, engine: Engine, evaluation_key: EvaluationKey | None, model_hash: str) -> None:
        self._engine = engine
        self.evaluation_key = evaluation_key
        self.model_hash = model_hash

    @property
    def nbytes(self) -> int:
        """Bytes that the keys take in memory."""
        return 0 if self.evaluation_key is None else self.evaluation_key.nbytes

    def save(self, path: PathLike) -> None:
        """Write the keys to a file, which `everlevel.ml.load` reads.

        Raises
        ------
        StorageError
            If the file can't be written; nothing is changed then.
        """
        native: Any
        if self.evaluation_key is None:
            native = _files.stamp(self._engine, self.model_hash)._native
        else:
            native = [key._native for key in self.evaluation_key.keys]
        _files.write(self._engine, native, path, "server", {"hash": self.model_hash})

    def __repr__(self) -> str:
        return f"Server(model {self.model_hash:.8}, {format_bytes(self.nbytes)} of keys)"


def read(engine: Engine, found: Any, notes: _files.Notes) -> Server:
    """Make the server's keys of a file."""

    def hash_of(notes: _files.Notes) -> str:
        model_hash = str(notes["hash"])
        if len(bytes.fromhex(model_hash)) != 32:
            raise ValueError("a hash")
        return model_hash

    model_hash = _files.understood(notes, hash_of)
    if isinstance(found, Plaintext):
        _files.check_stamp(engine, found, model_hash)
        return Server(engine, None, model_hash)
    if not isinstance(found, EvaluationKey):
        raise _files.malformed(type(found).__name__)
    return Server(engine, found, model_hash)
