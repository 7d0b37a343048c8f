"""Base of engines of named parameter sets."""

from __future__ import annotations

import os
from abc import abstractmethod
from typing import Any, ClassVar, Generic, Self, TypeVar

from .. import _native
from ..errors import FileParametersError, OperandTypeError
from . import checks, headers, limits
from .core import Core
from .engines import Engines
from .locks import Lock
from .set_keys import Key
from .storable import OfEngine, PathLike, engine_at, own
from .threads import threads

EvaluationKeyT = TypeVar("EvaluationKeyT", bound=Key)


class SetCore(Core):
    """Base of the `Core` of engines of named sets, with the keys that it knows."""

    _parameters: str
    _insecure_log_n: int | None
    _options: tuple[tuple[str, Any], ...] = ()
    """Options beside the set's name, by name."""
    # Native keys, which don't refer to the engine: its memory goes with it.
    _keys: dict[int, Any]
    _lock: Lock

    def _key(self, operation: str, secret_id: int) -> Any:
        """Return the evaluation key of a secret."""
        key = self._keys.get(secret_id)
        if key is None:
            raise checks.missing_key(operation, "evaluation key")
        return key

    @abstractmethod
    def _wrap_stored(self, native: Any, notes: dict[str, str]) -> OfEngine:
        """Return the object of what a file holds, native and noted."""


class SetEngine(SetCore, Generic[EvaluationKeyT]):
    """Base of the engines of TFHE, NTRU and BFV: a named set, and one evaluation key for each secret."""

    _scheme: ClassVar[str]
    _evaluation_key: ClassVar[type[Any]]
    _log_ns: ClassVar[tuple[int, int]]
    """The least and the largest of insecure rings."""
    _prefix: ClassVar[str] = ""
    """Prefix of the names of the scheme's sets in files, where two schemes' stand."""
    _engines: ClassVar[Engines[Any]]

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        cls._engines = Engines()
        cls._engines.make = cls._make

    @classmethod
    def _make(
        cls, parameters: str, options: tuple[tuple[str, Any], ...], insecure_log_n: int | None, parallel: bool
    ) -> Self:
        """Make the engine at an address."""
        make: Any = cls
        made: Self = make(
            parameters, **dict(options), thread_count=None if parallel else 1, insecure_log_n=insecure_log_n
        )
        return made

    @property
    def _address(self) -> tuple[str, tuple[tuple[str, Any], ...], int | None, bool]:
        """Address of an engine in its class: (parameters, options, insecure ring, whether threads are many)."""
        return self._parameters, self._options, self._insecure_log_n, self.thread_count > 1

    def __reduce__(self) -> tuple[Any, ...]:
        return engine_at, (type(self), *self._address)

    def _fill(
        self, parameters: Any, example: str, thread_count: Any, shows_progress: bool | None, insecure_log_n: Any
    ) -> int:
        """Check what engines are made of, fill all fields but the context, and return how many threads it has."""
        if not isinstance(parameters, str):
            raise OperandTypeError(
                f"Engine: parameters is {parameters!r} of type {type(parameters).__name__}, and the name of a set is "
                f"needed, such as {example!r}; {self._scheme}.parameter_sets() lists them",
                argument="parameters",
                expected="str",
                actual=type(parameters).__name__,
            )
        count = threads(thread_count)
        self._parameters = parameters
        self._insecure_log_n = None if insecure_log_n is None else self._checked_log_n(insecure_log_n)
        self._shows_progress = shows_progress
        self._keys = {}
        self._lock = Lock()
        return count

    @classmethod
    def _checked_log_n(cls, value: Any) -> int:
        return checks.integer_between("Engine", "insecure_log_n", value, *cls._log_ns, "leave it out for security")

    @classmethod
    def from_file(cls, path: PathLike, *, thread_count: int | None = None, progress: bool | None = None) -> Self:
        """Make the engine that a file is for: of the parameters of the key, or of the ciphertext, in it.

        It reads the file's header alone, and `load` the object: `everlevel.open` does both, for files of any scheme.

        Parameters
        ----------
        path : str or path-like
            A file that `save` wrote.
        thread_count, progress
            As for the engine itself.

        Raises
        ------
        StorageError, FormatError
            If the file can't be opened, or isn't Everlevel's.
        UnsupportedKindError
            If it is another scheme's; the message says whose.
        FileParametersError
            If this version has no such parameters.

        Examples
        --------
        >>> import tempfile, pathlib
        >>> from everlevel import bfv
        >>> secret_key = bfv.Engine("n13").create_secret_key()
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = pathlib.Path(folder) / "secret.key"
        ...     secret_key.save(path)
        ...     engine = bfv.Engine.from_file(path, thread_count=1)
        >>> engine
        bfv.Engine(n13, 8192 slots modulo 786433, depth 4, 1 thread, 128-bit security)
        """
        operation = "from_file"
        header = headers.read_of(operation, checks.path(operation, path), cls._scheme)
        make: Any = cls
        engine: Self | None = None
        if header.set_name is not None:
            engine = make(header.set_name, thread_count=thread_count, progress=progress, **header.options)
        if engine is None or header.fingerprint not in engine._context.fingerprints:
            raise FileParametersError(
                f"{operation}: the file holds a {header.kind} of {header.in_words}, and this version has no such "
                f"set; open it with the version that wrote it, {header.metadata.get('library', 'which is unknown')}",
                found=header.fingerprint,
                expected=None if engine is None else engine._context.fingerprints[0],
            )
        return engine

    @property
    def parameters(self) -> str:
        """Name of the parameters.

        Examples
        --------
        >>> tfhe_engine.parameters, bfv_engine.parameters
        ('integer-4-64', 'n13')
        """
        return self._parameters

    def use(self, *keys: EvaluationKeyT) -> None:
        """Use keys for the ciphertexts of their secrets from now on.

        Raises
        ------
        EngineMismatchError
            If one is of other parameters.

        Examples
        --------
        >>> bfv_engine.use(bfv_engine.create_evaluation_key(bfv_secret_key, rotations=True))
        """
        natives = [own(self, "use", "evaluation_key", key, self._evaluation_key)._native for key in keys]
        with self._lock:
            self._keys |= {native.secret_id: native for native in natives}

    def forget_keys(self) -> None:
        """Drop all evaluation keys, and with them the engine's hold on their memory.

        Examples
        --------
        >>> from everlevel import bfv
        >>> other = bfv.Engine("n13", insecure_log_n=10)
        >>> key = other.create_evaluation_key(other.create_secret_key())
        >>> other.forget_keys()
        """
        with self._lock:
            self._keys.clear()

    def _remembered(self, native: Any) -> EvaluationKeyT:
        """Return the evaluation key, which the engine remembers if it is the first one of its secret."""
        with self._lock:
            self._keys.setdefault(native.secret_id, native)
        key: EvaluationKeyT = self._evaluation_key(self, native)
        return key

    def load(self, path: PathLike, *, max_bytes: int | None = None) -> OfEngine:
        """Read a key or a ciphertext from a file, whichever it holds. Every byte is checked.

        The engine remembers an evaluation key for the operators, as if it had made it.

        Parameters
        ----------
        path : str or path-like
            A file that `save` wrote, under the same parameters.
        max_bytes : int, optional
            Largest size of the file, and of an array of TFHE's or NTRU's in memory, which may be a hundred times as
            large. If left out, 2**30 for ciphertexts and public keys, which strangers send; other keys have the sizes
            of their parameters.

        Raises
        ------
        StorageError
            If the file can't be opened.
        FormatError
            If it isn't what it should be: `ForeignFileError`, `ChecksumError`, `FileParametersError`,
            `UnsupportedKindError`, `FileSizeError` and others each say in which way.

        Examples
        --------
        >>> import tempfile, pathlib
        >>> from everlevel import bfv
        >>> engine = bfv.Engine("n13")
        >>> secret_key = engine.create_secret_key()
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = pathlib.Path(folder) / "message"
        ...     engine.encrypt([1, 2, 3], secret_key).save(path)
        ...     engine.decrypt(engine.load(path, max_bytes=1_000_000), secret_key)[:3]
        array([1, 2, 3])
        """
        text = checks.path("load", path)
        with headers.explained(self, "load", text):
            # The system's errors are those of the reading.
            size = os.path.getsize(text) if os.path.isfile(text) else 0
            limit = limits.limit_of("load", max_bytes, size, lambda: _native.inspect_file(text)[1])
            return self._wrap_stored(*self._context.load(text, limit))

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
        >>> engine, secret_key = bfv_engine, bfv_secret_key
        >>> x = engine.encrypt([3, 4], secret_key)
        >>> engine.decrypt(engine.load_bytes(x.to_bytes()), secret_key)[:2]
        array([3, 4])
        """
        read = checks.data("load_bytes", data)
        with headers.explained(self, "load_bytes", read):
            limit = limits.limit_of("load_bytes", max_bytes, len(read), lambda: _native.inspect_bytes(read, False)[1])
            return self._wrap_stored(*self._context.deserialize(read, limit))

    def _deserialize(self, data: Any) -> OfEngine:
        with headers.explained(self, "deserialize", data):
            return self._wrap_stored(*self._context.deserialize(data, None))

    _from_transit = _deserialize
