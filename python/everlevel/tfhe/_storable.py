"""What goes to files, and through `pickle`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from .. import _native
from .._common import checks as _checks
from .._common.storable import PathLike

if TYPE_CHECKING:
    from .engine import Engine

SelfT = TypeVar("SelfT", bound="Storable")


class Storable:
    """Base of ciphertexts and keys: immutable, so that a copy is the object itself."""

    __slots__ = ("__weakref__", "_engine")

    kind: ClassVar[str]

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def _stored(self) -> tuple[_native._TfheObject, dict[str, str]]:
        """Return the native object, and what the file is to say beside it."""
        raise NotImplementedError

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
        native, notes = self._stored()
        self._engine._context.save(native, _checks.path("save", path), notes)

    def __reduce_ex__(self, protocol: object) -> tuple[Any, ...]:
        from .engine import _restore

        native, notes = self._stored()
        return _restore, (*self._engine._address, self._engine._context.serialize(native, notes))

    def __copy__(self: SelfT) -> SelfT:
        return self

    def __deepcopy__(self: SelfT, memo: object) -> SelfT:
        return self
