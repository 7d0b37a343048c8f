"""What goes to files, and through `pickle`."""

from __future__ import annotations

import os
from abc import abstractmethod
from typing import Any, ClassVar, TypeVar

from .. import _native
from . import checks as _checks

PathLike = str | os.PathLike[str]

SelfT = TypeVar("SelfT", bound="Storable")


class Storable:
    """Base of plaintexts, ciphertexts and keys: immutable, so that a copy is the object itself."""

    __slots__ = ()

    kind: ClassVar[str]

    @abstractmethod
    def _stored(self) -> tuple[_native.Context, Any, dict[str, str]]:
        """Return the context, the native object, and what the file is to say beside it."""

    @property
    def is_cuda(self) -> bool:
        """Whether the object is in a GPU's memory: never, here."""
        return False

    @property
    def serialized_nbytes(self) -> int:
        """Bytes of the object's file."""
        return len(self._serialize())

    def save(self, path: PathLike) -> None:
        """Write the object to a file: see `Engine.load`.

        Parameters
        ----------
        path : str or path-like
            Where to. A file that is there is replaced, at once.

        Raises
        ------
        StorageError
            If the file can't be written; nothing is changed then.
        """
        self._write(path, expanded=False)

    def _write(self, path: PathLike, *, expanded: bool) -> None:
        context, native, notes = self._stored()
        _native.save(context, native, _checks.path("save", path), notes, expanded)

    def _serialize(self) -> bytes:
        context, native, notes = self._stored()
        return _native.serialize(context, native, notes, False)

    def __reduce_ex__(self, protocol: object) -> tuple[Any, ...]:
        from ..ckks.engine import _address, _restore

        context, _, _ = self._stored()
        return _restore, (*_address(context), self._serialize())

    def __copy__(self: SelfT) -> SelfT:
        return self

    def __deepcopy__(self: SelfT, memo: object) -> SelfT:
        return self
