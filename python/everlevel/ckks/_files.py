"""Files, bytes, and the functions that 1.x has for them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from .. import _native
from .._common import checks as _checks
from .._common.storable import PathLike, Storable
from ..compat import accepting, file_aliases
from ..errors import FileKindError
from ._core import EngineCore
from .ciphertext import Ciphertext
from .evaluation_key import EvaluationKey
from .keys import (
    BootstrapKey,
    ConjugationKey,
    FixedRotationKey,
    LossyBootstrapKey,
    MatrixMultiplicationKey,
    PublicKey,
    RelinearizationKey,
    RotationKey,
    SecretKey,
    SmallBootstrapKey,
)
from .matrix import LightPlainMatrix, PlainMatrix
from .plaintext import LightPlaintext, Plaintext

T = TypeVar("T", bound=Storable)

_FunctionsOf1x = tuple[
    Callable[[Any, T, PathLike], None],
    Callable[[Any, PathLike], T],
    Callable[[Any, T], bytes],
    Callable[[Any, bytes], T],
]


def _functions(kind: type[T], name: str | None = None) -> _FunctionsOf1x[T]:
    """Make the four functions of 1.x for a kind of object."""
    name = name or kind.kind.replace(" ", "_")
    # What bootstrap keys are for is said inside of their files.
    file_kind = "bootstrap_key" if issubclass(kind, BootstrapKey) else name

    def write(self: FilesMixin, obj: T, path: PathLike) -> None:
        _checks.instance(f"write_{name}", name, obj, kind).save(path)

    def read(self: FilesMixin, path: PathLike) -> T:
        operation = f"read_{name}"
        path = _checks.path(operation, path)
        return _of_kind(kind, self._read(path, kind=file_kind, mapped=None, verify=False, expanded=None))

    def serialize(self: FilesMixin, obj: T) -> bytes:
        return _checks.instance(f"serialize_{name}", name, obj, kind)._serialize()

    def deserialize(self: FilesMixin, data: bytes) -> T:
        data = _checks.data(f"deserialize_{name}", data)
        return _of_kind(kind, self._deserialize(data, kind=file_kind))

    a, what = ("an" if name[0] in "aeiou" else "a"), kind.__name__
    for function, docstring in (
        (write, f"Write {a} `{what}` to a file, as its `save` does."),
        (read, f"Read {a} `{what}` from a file, as `Engine.load` does. Any other kind is refused."),
        (serialize, f"Return the file of {a} `{what}` as bytes."),
        (deserialize, f"Return the `{what}` that ``serialize_{name}`` made bytes of."),
    ):
        function.__name__ = f"{function.__name__}_{name}"
        function.__qualname__ = f"Engine.{function.__name__}"
        function.__doc__ = docstring
    aliases = file_aliases(name)
    return tuple(accepting(function, aliases) for function in (write, read, serialize, deserialize))  # type: ignore[return-value]


def _of_kind(kind: type[T], obj: Storable) -> T:
    """Refuse a regular bootstrap key where a lossy one is needed."""
    if isinstance(obj, kind):
        return obj
    raise FileKindError(
        f"read: the file holds a {obj.kind}, and a {kind.kind} was asked for; check the path, or load it as what it is",
        found=obj.kind,
        expected=kind.kind,
    )


class FilesMixin(EngineCore):
    """Reading and writing."""

    # fmt: off
    write_ciphertext, read_ciphertext, serialize_ciphertext, deserialize_ciphertext = _functions(Ciphertext)
    write_plaintext, read_plaintext, serialize_plaintext, deserialize_plaintext = _functions(Plaintext)
    write_secret_key, read_secret_key, serialize_secret_key, deserialize_secret_key = _functions(SecretKey)
    write_public_key, read_public_key, serialize_public_key, deserialize_public_key = _functions(PublicKey)
    write_relinearization_key, read_relinearization_key, serialize_relinearization_key, \
        deserialize_relinearization_key = _functions(RelinearizationKey)
    write_conjugation_key, read_conjugation_key, serialize_conjugation_key, \
        deserialize_conjugation_key = _functions(ConjugationKey)
    write_rotation_key, read_rotation_key, serialize_rotation_key, \
        deserialize_rotation_key = _functions(RotationKey)
    write_fixed_rotation_key, read_fixed_rotation_key, serialize_fixed_rotation_key, \
        deserialize_fixed_rotation_key = _functions(FixedRotationKey)
    write_bootstrap_key, read_bootstrap_key, serialize_bootstrap_key, \
        deserialize_bootstrap_key = _functions(BootstrapKey)
    write_lossy_bootstrap_key, read_lossy_bootstrap_key, serialize_lossy_bootstrap_key, \
        deserialize_lossy_bootstrap_key = _functions(LossyBootstrapKey)
    write_light_plaintext, read_light_plaintext, serialize_light_plaintext, \
        deserialize_light_plaintext = _functions(LightPlaintext)
    write_plain_matrix, read_plain_matrix, serialize_plain_matrix, deserialize_plain_matrix = _functions(PlainMatrix)
    write_light_plain_matrix, read_light_plain_matrix, serialize_light_plain_matrix, \
        deserialize_light_plain_matrix = _functions(LightPlainMatrix)
    write_matrix_multiplication_key, read_matrix_multiplication_key, serialize_matrix_multiplication_key, \
        deserialize_matrix_multiplication_key = _functions(MatrixMultiplicationKey)
    write_merge_bootstrap_key, read_merge_bootstrap_key, serialize_merge_bootstrap_key, \
        deserialize_merge_bootstrap_key = _functions(BootstrapKey, "merge_bootstrap_key")
    write_small_bootstrap_key, read_small_bootstrap_key, serialize_small_bootstrap_key, \
        deserialize_small_bootstrap_key = _functions(SmallBootstrapKey)
    write_evaluation_key, read_evaluation_key, serialize_evaluation_key, \
        deserialize_evaluation_key = _functions(EvaluationKey)
    # fmt: on

    def load(
        self, path: PathLike, *, mapped: bool | None = None, verify: bool = False, expanded: bool | None = None
    ) -> Storable:
        """Read a plaintext, a ciphertext or a key from a file, whichever it holds.

        The engine remembers a key for the operators, as if it had made it, and uses an `EvaluationKey` as `use` says.

        Parameters
        ----------
        path : str or path-like
            A file that `save` wrote, under the same parameters.
        mapped : bool, optional
            Compute from the mapped file instead of a copy in memory; files from 64 MiB on are mapped, if left out. A
            mapped key opens in milliseconds, and processes that map one file share its memory. **The file must not be
            truncated or written into while it is in use**, which would end the process (``SIGBUS``); replacing it, as
            `save` does, is safe.
        verify : bool, default False
            Check every byte of a mapped key as well. Whatever is read into memory is checked always.
        expanded : bool, optional
            Expand the uniform halves of a seeded key now: more memory, faster use. If left out, keys in memory are
            held as the engine holds its own, and mapped ones as they are in the file.

        Raises
        ------
        StorageError
            If the file can't be opened.
        FormatError
            If it isn't what it should be: `ForeignFileError`, `NewerFormatError`, `TruncatedFileError`,
            `ChecksumError`, `FileParametersError` and others each say in which way.

        Examples
        --------
        >>> import tempfile, pathlib
        >>> folder = tempfile.TemporaryDirectory()
        >>> path = pathlib.Path(folder.name) / "message.ciphertext"
        >>> engine.encrypt([1.0, 2.0], public_key).save(path)
        >>> engine.decrypt(engine.load(path), secret_key)[:2].round(3)
        array([1., 2.])
        >>> folder.cleanup()
        """
        return self._read(_checks.path("load", path), kind=None, mapped=mapped, verify=verify, expanded=expanded)

    def _read(
        self, path: str, *, kind: str | None, mapped: bool | None, verify: bool, expanded: bool | None
    ) -> Storable:
        return self._wrap_stored(*_native.load(self._context, path, kind, mapped, verify, expanded))

    def _deserialize(self, data: bytes, *, kind: str | None) -> Storable:
        return self._wrap_stored(*_native.deserialize(self._context, data, kind, False, None))

    def _wrap_stored(self, native: Any, notes: dict[str, str]) -> Storable:
        context, level, is_real = self._context, self.max_level, notes.get("is_real") == "true"
        if isinstance(native, list):
            evaluation_key = EvaluationKey([cast(Any, self._wrap_stored(key, {})) for key in native])
            for part in evaluation_key.keys:
                self._registry.use(part)
            return evaluation_key
        match native:
            case _native.Ciphertext():
                return self._wrap(native, is_real=is_real)
            case _native.Plaintext():
                return Plaintext(context, native, is_real=is_real)
            case _native.LightPlaintext():
                return LightPlaintext(context, native, is_real=is_real)
            case _native.PlainMatrix():
                return PlainMatrix(context, native, is_real=is_real)
            case _native.LightPlainMatrix():
                return LightPlainMatrix(context, native, is_real=is_real)
            case _native.SecretKey():
                return SecretKey(context, native, level)
            case _native.PublicKey():
                return PublicKey(context, native, level)
            case _native.BootstrapKey():
                lossy = native.kind == "lossy"
                return (LossyBootstrapKey if lossy else BootstrapKey)(context, native, level)
            case _native.SmallBootstrapKey():
                return SmallBootstrapKey(context, native, level)
            case _native.FixedRotationKey():
                key: Any = FixedRotationKey(context, native, context.fixed_rotation_level(native))
            case _native.MatrixMultiplicationKey():
                key = MatrixMultiplicationKey(context, native, _native.matrix_multiplication_level(context, native))
            case _native.RelinearizationKey():
                key = RelinearizationKey(context, native, level)
            case _native.ConjugationKey():
                key = ConjugationKey(context, native, level)
            case _:
                key = RotationKey(context, native, level)
        self._registry.remember(key)
        return cast(Storable, key)
