"""Files of keys: what the driver says of them, and how a worker opens them.

A worker never gets a key by value. It opens the file that the plan names, on its own node; the header's checksum, which
covers the checksums of all data, tells that it is the driver's file. The data are read and checked once on a node: a
stamp beside the system's temporary files remembers the file's size, time of change and inode.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import stat
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from .. import _native
from .._common import checks
from .._common.headers import Header
from .._common.storable import PathLike
from ..errors import (
    EngineMismatchError,
    FormatError,
    HeaderError,
    KeyMismatchError,
    ParameterError,
    SecretExposureError,
    StorageError,
    UnsupportedKindError,
    WorkerKeyError,
)
from ._bound import AnyEngine, EngineLike, parameters_of

_LONGEST_HEADER: Final = 32 << 20
_SCHEMES: Final = ("ckks", "tfhe", "ntru")
"""Those whose engines pools have."""


@dataclass(frozen=True)
class KeyFile:
    """A key's file, as its header has it."""

    path: str
    kind: str
    checksum: str
    nbytes: int
    secret_id: int
    fingerprint: str
    in_words: str
    parameters: tuple[Any, ...] | None
    """As engines have them; None where no name says how to make an engine."""

    @property
    def name(self) -> str:
        """The name of a copy: that of its content."""
        return f"{self.checksum}.key"


def describe(operation: str, path: PathLike) -> KeyFile:
    """Read a file's header.

    Raises
    ------
    StorageError, FormatError
        If it can't be opened, or isn't Everlevel's.
    SecretExposureError
        If it is a secret key's.
    """
    text = os.path.abspath(checks.path(operation, path))
    _, metadata = _native.inspect_file(text)
    kind = metadata.get("kind", "")
    if kind.endswith("secret_key"):
        raise SecretExposureError(
            f"{operation}: {text} is a secret key's file, and no worker ever gets one; save an evaluation key, and "
            f"pass the path of that"
        )
    scheme = Header({"kind": kind} | metadata).scheme
    if scheme not in _SCHEMES:
        raise UnsupportedKindError(
            f"{operation}: {text} is a {kind.replace('_', ' ')}, and pools compute with the engines of everlevel, tfhe "
            f"and ntru; pass the file of a key of theirs",
            found=kind,
            expected="everlevel, tfhe, ntru",
        )
    try:
        return KeyFile(
            path=text,
            kind=kind,
            checksum=_header_checksum(text),
            nbytes=os.stat(text).st_size,
            secret_id=int(metadata["secret_id"], 16),
            fingerprint=metadata["fingerprint"],
            in_words=Header(metadata).in_words,
            parameters=_parameters(metadata),
        )
    except (KeyError, ValueError) as error:
        raise HeaderError(
            f"{operation}: the header of {text} lacks a part ({error}); pass the file of a key that Everlevel saved",
            part=str(error),
        ) from error


def _header_checksum(path: str) -> str:
    """Return the checksum of a header, which covers those of all tensors."""
    with open(path, "rb") as file:
        head = file.read(min(int.from_bytes(file.read(8), "little"), _LONGEST_HEADER))
    checksum: str = json.loads(head)["__metadata__"]["checksum"]
    return checksum


def _parameters(metadata: dict[str, str]) -> tuple[Any, ...] | None:
    if metadata["kind"].startswith("tfhe_"):
        name = metadata.get("parameters", "unnamed")
        return None if name == "unnamed" else ("tfhe", name, None)
    return "ckks", metadata["params"], Header(metadata).slot_count


def engine_for(operation: str, files: Sequence[KeyFile], engine: AnyEngine | None) -> EngineLike:
    """Describe the engine of the workers: the one that is given, or one of the files' parameters.

    Raises
    ------
    EngineMismatchError
        If a file is of other parameters.
    KeyMismatchError
        If files are of different secrets.
    ParameterError
        If neither an engine nor a file tells the parameters.
    """
    for file in files[1:]:
        if file.fingerprint != files[0].fingerprint:
            raise EngineMismatchError(
                f"{operation}: {files[0].path} is of {files[0].in_words}, and {file.path} of {file.in_words}, and a "
                f"pool has one engine; connect once for each"
            )
        if file.secret_id != files[0].secret_id:
            raise KeyMismatchError(
                f"{operation}: {files[0].path} is of secret {files[0].secret_id:#018x} and {file.path} of "
                f"{file.secret_id:#018x}; save keys of one secret",
                key="keys",
                expected=files[0].secret_id,
                actual=file.secret_id,
            )
    found = next((file for file in files if file.parameters is not None), None)
    if engine is not None:
        _require_same(operation, engine, files)
        return EngineLike.of(engine)
    like = None if found is None or found.parameters is None else EngineLike(found.parameters)
    if like is None or not _is_same(like.make(1), files[0]):
        raise ParameterError(
            f"{operation}: no key's file says how to make its engine, and the workers need one; pass engine=",
            option="engine",
        )
    return like


def _require_same(operation: str, engine: AnyEngine, files: Sequence[KeyFile]) -> None:
    for file in files:
        if not _is_same(engine, file):
            raise EngineMismatchError(
                f"{operation}: {file.path} is of {file.in_words}, and the engine is {engine!r}; pass the engine that "
                f"made the key, or leave it out"
            )


def _is_same(engine: AnyEngine, file: KeyFile) -> bool:
    parameters = parameters_of(engine)
    if parameters[0] == "tfhe":
        return int(file.fingerprint, 16) in engine._context.fingerprints
    return file.parameters is not None and file.parameters[:2] == parameters[:2]


def open_here(engine: AnyEngine, file: KeyFile, path: str, node: str) -> Any:
    """Open a key's file on a worker: mapped, where keys can be, after it was checked once on this node.

    Raises
    ------
    WorkerKeyError
        If it is missing, another one than the driver's, or damaged.
    """
    check_here(file, path, node)
    try:
        if parameters_of(engine)[0] == "ckks":
            return engine.load(path, mapped=True)  # type: ignore[call-arg]
        return engine.load(path)
    except (FormatError, StorageError) as error:
        raise _wrong(node, path, f"the key can't be opened: {error}", str(error), file.kind) from error


def check_here(file: KeyFile, path: str, node: str) -> None:
    """Check that a node's file is the driver's, and once on the node that none of its bytes has changed."""
    try:
        found = _header_checksum(path)
        size = os.stat(path).st_size
    except FileNotFoundError as error:
        raise _wrong(
            node, path, "there is no such file; copy it there, or pass key_folder= to let the pool do so", None, path
        ) from error
    except (OSError, ValueError, KeyError) as error:
        raise _wrong(
            node, path, f"it can't be read ({error}); copy the driver's file there", str(error), path
        ) from error
    if found != file.checksum:
        what = f"its header's checksum is {found}, and the driver's file has {file.checksum}; it is another key"
        raise _wrong(node, path, f"{what}: copy the driver's file there", found, file.checksum)
    if size != file.nbytes:
        what = f"it has {size} bytes, and the driver's file has {file.nbytes}"
        raise _wrong(node, path, f"{what}: copy the driver's file there", size, file.nbytes)
    _verify_once(file, path, node)


def _verify_once(file: KeyFile, path: str, node: str) -> None:
    state = _state(path, file)
    try:
        held = open(_stamps() / hashlib.sha256(state.encode()).hexdigest(), "a+b", buffering=0)  # noqa: SIM115
    except OSError:  # no room for stamps: each worker checks
        return _verify(file, path, node)
    with held:
        # Workers of one node wait for the one that checks.
        fcntl.flock(held, fcntl.LOCK_EX)
        held.seek(0)
        if held.read() == b"checked":
            return None
        _verify(file, path, node)
        with contextlib.suppress(OSError):
            held.write(b"checked")
    return None


def _verify(file: KeyFile, path: str, node: str) -> None:
    try:
        _native.verify_file(path)
    except (FormatError, StorageError) as error:
        raise _wrong(
            node, path, f"the file is damaged ({error}); copy the driver's file there", str(error), file.checksum
        ) from error


def _state(path: str, file: KeyFile) -> str:
    status = os.stat(path)
    return f"{status.st_dev}|{status.st_ino}|{status.st_size}|{status.st_mtime_ns}|{file.checksum}"


def _stamps() -> Path:
    """Return this user's own folder of stamps: nobody else may write there."""
    folder = Path(tempfile.gettempdir()) / f"everlevel-{os.getuid()}" / "checked"
    for part in (folder.parent, folder):
        part.mkdir(mode=0o700, exist_ok=True)
        status = part.lstat()
        if (
            status.st_uid != os.getuid()
            or status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
            or not stat.S_ISDIR(status.st_mode)
        ):
            return Path(tempfile.mkdtemp(prefix="everlevel-"))
    return folder


def _wrong(node: str, path: str, what: str, found: Any, needed: Any) -> WorkerKeyError:
    return WorkerKeyError(f"connect: node {node}: {path}: {what}", node=node, path=path, found=found, needed=needed)
