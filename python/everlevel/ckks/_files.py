"""Reading of files and bytes."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, Final, cast

from .. import _native
from .._common import checks, headers, limits, slot_shapes
from .._common.slot_shapes import SLOTS
from .._common.storable import PathLike
from ..errors import UnsupportedKindError
from . import _device, keys
from ._core import Core
from ._prepare import prepare_new
from ._registry import AnyKey
from ._storable import Storable
from .evaluation_key import EvaluationKey
from .matrix import LightPlainMatrix, PlainMatrix
from .plaintext import LightPlaintext, Plaintext

_ENCODED: Final[dict[type, Callable[..., Storable]]] = {
    getattr(_native, kind.__name__): kind for kind in (PlainMatrix, LightPlainMatrix)
}
_LEVEL_KEYS: Final[dict[type, Callable[..., AnyKey]]] = {
    getattr(_native, kind.__name__): kind
    for kind in (
        keys.RelinearizationKey,
        keys.ConjugationKey,
        keys.RotationKey,
        keys.FixedRotationKey,
        keys.MatrixMultiplicationKey,
    )
}
_KEYS: Final[dict[type, Callable[..., Storable]]] = {
    getattr(_native, kind.__name__): kind
    for kind in (keys.SecretKey, keys.PublicKey, keys.BootstrapKey, keys.SmallBootstrapKey)
}
"""The class of a native one, which has its name: those of keys that the engine remembers, and of others."""

_EVALUATION_KEYS: Final = frozenset({*_LEVEL_KEYS, _native.BootstrapKey, _native.SmallBootstrapKey})


def load(
    self: Core,
    path: PathLike,
    *,
    mapped: bool | None = None,
    verify: bool = False,
    expanded: bool | None = None,
    max_bytes: int | None = None,
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
        truncated or written into while it is in use.** Each use compares its size and its time of change, and raises
        `FileChangedError` if it isn't the file that was opened; a process that reads a part which is cut off in just
        that instant is ended by the system (``SIGBUS``). ``mapped=False`` reads a copy, which nothing can change.
        Replacing the file, as `save` does, is safe. A bootstrap key of which a copy is read is made ready as well
        (`Engine.prepare_bootstrap`).
    verify : bool, default False
        Check every byte of a mapped key as well. Whatever is read into memory is checked always.
    expanded : bool, optional
        Expand the uniform halves of a seeded key now: more memory, faster use. If left out, keys in memory are
        held as the engine holds its own, and mapped ones as they are in the file.
    max_bytes : int, optional
        Largest size of the file; what is seeded in it has up to twice the size in memory. If left out, 2**30 for
        ciphertexts and public keys, which strangers send; all else has the size of its parameters.

    Raises
    ------
    StorageError
        If the file can't be opened.
    OutOfMemoryError
        If there is no memory for a copy of it.
    FormatError
        If it isn't what it should be: `ForeignFileError`, `NewerFormatError`, `TruncatedFileError`,
        `ChecksumError`, `FileParametersError`, `FileSizeError` and others each say in which way.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = pathlib.Path(folder.name) / "message.ciphertext"
    >>> engine.encrypt([1.0, 2.0], public_key, bound=2).save(path)
    >>> engine.decrypt(engine.load(path), secret_key)[:2].round(3)
    array([1., 2.])
    >>> folder.cleanup()
    """
    operation = "load"
    maps = None if mapped is None else checks.flag(operation, "mapped", mapped)
    expands = None if expanded is None else checks.flag(operation, "expanded", expanded)
    text, verifies = checks.path(operation, path), checks.flag(operation, "verify", verify)
    with headers.explained(self, operation, text):
        # The system's errors are those of the reading.
        size = os.path.getsize(text) if os.path.isfile(text) else 0
        limits.limit_of(operation, max_bytes, size, lambda: _native.inspect_file(text)[1])
        loaded = wrap(self, *_native.load(self._context, text, None, maps, verifies, expands))
    if maps is False:
        prepare_new(self, loaded)
    return loaded


def read(self: Core, path: str, kind: str) -> Storable:
    """Read an object of a kind from a file; any other is refused."""
    with headers.explained(self, "read", path):
        return wrap(self, *_native.load(self._context, path, kind, None, False, None))


def deserialize(self: Core, data: Any, kind: str | None = None) -> Storable:
    """Read an object from bytes."""
    with headers.explained(self, "deserialize", data):
        return wrap(self, *_native.deserialize(self._context, data, kind, False, None))


def from_transit(self: Core, data: Any) -> Storable:
    """Read an object that another process sent."""
    return wrap(self, *_native.from_transit(self._context, data))


def wrap(self: Core, native: Any, notes: dict[str, str]) -> Storable:
    """Return the object that was read, and remember a key for the operators."""
    if headers.BULK in notes:
        # Integers are decrypted as such, and not as the numbers that hold them.
        raise UnsupportedKindError(
            f"load: the file is of bulk's set {notes[headers.BULK]}; open it with bulk.Engine",
            found=headers.BULK,
            expected="ckks",
        )
    context, level, kind = self._context, self.max_level, type(native)
    if kind is list:
        evaluation_key = EvaluationKey([cast(Any, wrap(self, key, {})) for key in native])
        for part in evaluation_key.keys:
            self._registry.use(part)
        return evaluation_key
    is_real = notes.get("is_real") == "true"
    if kind in (_native.Ciphertext, _native.Plaintext, _native.LightPlaintext):
        native = native.on_reals(is_real)
        layout = slot_shapes.of_notes(notes, self.slot_count, native.unit_count) if self._has_shapes else SLOTS
        if kind is _native.Ciphertext:
            return self._wrap(_device.placed(context, native), is_real=is_real, layout=layout)
        return (Plaintext if kind is _native.Plaintext else LightPlaintext)(
            context, native, is_real=is_real, layout=layout
        )
    if kind in _ENCODED:
        return _ENCODED[kind](context, native, is_real=is_real)
    if kind is _native.BootstrapKey and native.kind == "lossy":
        return keys.LossyBootstrapKey(context, native, level)
    if kind in _EVALUATION_KEYS:
        _device.hold(context, native)
    if kind in _LEVEL_KEYS:
        key = _LEVEL_KEYS[kind](context, native)
        self._registry.remember(key)
        return key
    return _KEYS[kind](context, native, level)
