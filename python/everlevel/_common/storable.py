"""What goes to files, and through `pickle`."""

from __future__ import annotations

import os
from abc import abstractmethod
from pickle import PickleBuffer
from typing import Any, ClassVar, NoReturn, TypeVar

from ..errors import SecretExposureError
from . import checks

PathLike = str | os.PathLike[str]


def pickled(data: bytes, protocol: Any) -> PickleBuffer | bytes:
    """Return what a pickle holds of an object's bytes: from protocol 5 on they may travel beside it, uncopied."""
    return PickleBuffer(data) if int(protocol) >= 5 else data


SelfT = TypeVar("SelfT", bound="Storable")


class Storable:
    """Base of plaintexts, ciphertexts and keys: immutable, so that a copy is the object itself."""

    __slots__ = ()

    kind: ClassVar[str]

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
        self._write(checks.path("save", path))

    @abstractmethod
    def _write(self, path: str) -> None:
        """Write the object's file."""

    @abstractmethod
    def _serialize(self) -> bytes:
        """Return the object's file as bytes."""

    def __copy__(self: SelfT) -> SelfT:
        return self

    def __deepcopy__(self: SelfT, memo: object) -> SelfT:
        return self


class Secret(Storable):
    """Base of secret keys, which travel on purpose alone."""

    __slots__ = ()

    kind = "secret key"

    _to_send_instead: ClassVar[str]

    def save(self, path: PathLike) -> None:
        """Write the secret to a file that only its owner may read.

        **Whoever has the file decrypts everything.** It isn't encrypted: keep it where secrets are kept.

        Parameters
        ----------
        path : str or path-like
            Where to. A file that is there is replaced.

        Raises
        ------
        StorageError
            If the file can't be written; nothing is changed then.
        """
        super().save(path)

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise SecretExposureError(
            "pickle: a SecretKey is neither pickled nor copied, since pickles end up in logs, caches and other "
            f"machines; make {self._to_send_instead}, or write it on purpose with secret_key.save(path)"
        )

    def __copy__(self) -> NoReturn:
        self.__reduce_ex__(4)

    def __deepcopy__(self, memo: object) -> NoReturn:
        self.__reduce_ex__(4)
