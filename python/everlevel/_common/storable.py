"""Objects that go to files, and through `pickle`."""

from __future__ import annotations

import os
from abc import abstractmethod
from pickle import PickleBuffer
from typing import Any, ClassVar, NoReturn, TypeVar

from ..errors import EngineMismatchError, SecretExposureError
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

        Examples
        --------
        >>> from tempfile import TemporaryDirectory
        >>> x = engine.encrypt([0.5], secret_key, bound=1)
        >>> with TemporaryDirectory() as folder:
        ...     x.save(f"{folder}/x")
        ...     y = engine.load(f"{folder}/x")
        >>> engine.decrypt(y, secret_key).round(3)
        array([0.5])
        """
        self._write(checks.path("save", path))

    @abstractmethod
    def _write(self, path: str) -> None:
        """Write the object's file."""

    @abstractmethod
    def to_bytes(self) -> bytes:
        """Return the bytes of the object's file: see `Engine.load_bytes`."""

    def _to_transit(self) -> bytes:
        """Return bytes that another process reads at once, by its engine's `_from_transit`."""
        return self.to_bytes()

    def __copy__(self: SelfT) -> SelfT:
        return self

    def __deepcopy__(self: SelfT, memo: object) -> SelfT:
        return self


class OfEngine(Storable):
    """Base of ciphertexts and keys that know their engine, whose native context writes them.

    Each class says which operations its operators call.
    """

    __slots__ = ("__weakref__", "_engine")

    _engine: Any

    def __init__(self, engine: Any) -> None:
        self._engine = engine

    @abstractmethod
    def _stored(self) -> tuple[Any, dict[str, str]]:
        """Return the native object, and what the file is to say beside it."""

    def _write(self, path: str) -> None:
        native, notes = self._stored()
        self._engine._context.save(native, path, notes)

    def to_bytes(self) -> bytes:
        """Return the bytes of the object's file: see `Engine.load_bytes`.

        Examples
        --------
        >>> engine, secret_key = bfv_engine, bfv_secret_key
        >>> len(engine.encrypt([3, 4], secret_key).to_bytes()) > 1000
        True
        """
        native, notes = self._stored()
        data: bytes = self._engine._context.serialize(native, notes)
        return data

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        return restore, (type(self._engine), *self._engine._address, pickled(self.to_bytes(), protocol))


def engine_at(kind: Any, *address: Any) -> Any:
    """Return this process's engine of a class for what a pickle brings."""
    return kind._engines.at(*address)


def restore(kind: Any, *address_and_data: Any) -> Any:
    """Return the object that a pickle brings."""
    *address, data = address_and_data
    return engine_at(kind, *address)._deserialize(data)


def same_parameters(engine: Any, operation: str, name: str, value: OfEngine) -> None:
    """Check that an object is one of an engine's parameters."""
    other = value._engine
    if other._context.fingerprints != engine._context.fingerprints:
        raise EngineMismatchError(
            f"{operation}: {name} was made by {other!r} and this is {engine!r}; "
            f"use objects made with the same parameters",
            argument=name,
        )


OfEngineT = TypeVar("OfEngineT", bound=OfEngine)


def own(engine: Any, operation: str, name: str, value: Any, kind: type[OfEngineT]) -> OfEngineT:
    """Check that an argument is an object of a kind and of an engine's parameters, and return it."""
    checked = checks.instance(operation, name, value, kind)
    same_parameters(engine, operation, name, checked)
    return checked


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

        Examples
        --------
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     secret_key.save(f"{folder}/secret.key")
        ...     loaded = engine.load(f"{folder}/secret.key")
        >>> loaded
        SecretKey(hidden)
        """
        super().save(path)

    def to_bytes(self) -> bytes:
        """Return the bytes of the secret's file. **Whoever has them decrypts everything.** They aren't encrypted.

        Examples
        --------
        >>> len(secret_key.to_bytes()) > 100
        True
        """
        return super().to_bytes()  # type: ignore[safe-super]

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise SecretExposureError(
            "pickle: a SecretKey is neither pickled nor copied, since pickles end up in logs, caches and other "
            f"machines; make {self._to_send_instead}, or write it on purpose with secret_key.save(path)"
        )

    def __copy__(self) -> NoReturn:
        self.__reduce_ex__(4)

    def __deepcopy__(self, memo: object) -> NoReturn:
        self.__reduce_ex__(4)
