"""Encrypted rows, on their way to a model and back."""

from __future__ import annotations

from typing import Any, Final, final

from .. import _native
from .._common.sizes import format_bytes
from .._common.storable import PathLike
from ..ckks import Ciphertext, Engine
from ..errors import KeyMismatchError, MessageTypeError, UnitCountError
from . import _files
from ._layout import Layout

__all__ = ["EncryptedRows"]

ROLES: Final = ("input", "scores")


@final
class EncryptedRows:
    """Encrypted rows of features, or their encrypted scores: made by `Client.encrypt`, and by calling a `Model`.

    Attributes
    ----------
    ciphertext : Ciphertext
        The slots of all rows.
    content : {"input", "scores"}
    model_hash : str
        Of the model that they are for.
    """

    __slots__ = ("_count", "_engine", "ciphertext", "content", "model_hash")

    def __init__(self, engine: Engine, ciphertext: Ciphertext, count: int, content: str, model_hash: str) -> None:
        self._engine = engine
        self._count = count
        self.ciphertext = ciphertext
        self.content = content
        self.model_hash = model_hash

    def __len__(self) -> int:
        return self._count

    @property
    def nbytes(self) -> int:
        """Bytes in memory."""
        return self.ciphertext.nbytes

    def save(self, path: PathLike) -> None:
        """Write the rows to a file, which `everlevel.ml.load` reads.

        Raises
        ------
        StorageError
            If the file can't be written; nothing is changed then.
        """
        notes = {"hash": self.model_hash, "count": self._count, "content": self.content}
        x = self.ciphertext
        _files.write(self._engine, x._native, path, "rows", notes, is_real=x.is_real)

    def __repr__(self) -> str:
        what = "rows" if self.content == "input" else "rows of scores"
        return f"EncryptedRows({len(self)} {what}, model {self.model_hash:.8}, {format_bytes(self.nbytes)})"


def expected(operation: str, value: Any, content: str, model_hash: str, layout: Layout) -> EncryptedRows:
    """Check that an argument is encrypted rows of one content, for one model.

    Raises
    ------
    MessageTypeError, KeyMismatchError, UnitCountError
    """
    needed = "what client.encrypt returned" if content == "input" else "what the model returned"
    if not isinstance(value, EncryptedRows) or value.content != content:
        found = f"rows of {value.content}" if isinstance(value, EncryptedRows) else type(value).__name__
        raise MessageTypeError(
            f"{operation}: {found} were given, and encrypted rows of {content} are needed; pass {needed}",
            dtype=found,
        )
    require_model(operation, "the rows", value.model_hash, model_hash)
    each = layout.units_in if content == "input" else layout.units_out
    units = layout.groups(len(value)) * each
    if value.ciphertext.unit_count != units:
        raise UnitCountError(
            f"{operation}: the rows have {value.ciphertext.unit_count} units, and {len(value)} rows of this model have "
            f"{units}; encrypt them with client.encrypt",
            left=value.ciphertext.unit_count,
            right=units,
        )
    return value


def require_model(operation: str, what: str, found: str, needed: str) -> None:
    """Refuse what belongs to another model."""
    if found != needed:
        raise KeyMismatchError(
            f"{operation}: {what} belong to the model {found:.8}, and this is for the model {needed:.8}; use what one "
            f"call of model.keys() made, with that model",
            key=what,
            expected=needed,
            actual=found,
        )


def read(engine: Engine, native: Any, notes: _files.Notes) -> EncryptedRows:
    """Make the rows of a file."""

    def fields(notes: _files.Notes) -> tuple[int, str, str]:
        count, content, model_hash = notes["count"], notes["content"], notes["hash"]
        if not isinstance(count, int) or count < 1 or content not in ROLES or len(bytes.fromhex(model_hash)) != 32:
            raise ValueError("rows")
        return count, content, model_hash

    if not isinstance(native, Ciphertext) or not isinstance(native._native, _native.Ciphertext):
        raise _files.malformed(type(native).__name__)
    return EncryptedRows(engine, native, *_files.understood(notes, fields))
