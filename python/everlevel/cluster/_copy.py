"""Copies of keys' files to nodes that have none: once a node, in checked chunks, resumed where a copy broke off.

The driver reads a chunk once and gives it to the engine's object store; every node that lacks it takes it from there.
A node writes chunks into ``NAME.part``, and their numbers into ``NAME.done``, and renames the file once all are there.
Before a key is used its file is checked as a whole (`everlevel.cluster._keys`).
"""

from __future__ import annotations

import errno
import hashlib
import os
import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from ..errors import WorkerKeyError
from ._keys import KeyFile, check_here
from ._worker import Failure, Plan, node

CHUNK_BYTES: Final = 32 << 20


@dataclass(frozen=True)
class Chunk:
    """A part of a file, and what it should be."""

    data: Any
    digest: bytes

    @classmethod
    def of(cls, data: bytes) -> Chunk:
        """Take a digest of the driver's bytes."""
        return cls(data, hashlib.blake2b(data, digest_size=16).digest())


@dataclass(frozen=True)
class Wanted:
    """A file that a node lacks, and the chunks of it that aren't there."""

    file: KeyFile
    path: str
    chunks: tuple[int, ...]


@dataclass(frozen=True)
class Receiver:
    """A node that lacks files: how to give it a chunk, and how to end a file."""

    machine: str
    wanted: Sequence[Wanted]
    write: Callable[[Wanted, int, Any], Any]
    finish: Callable[[Wanted], Any]


def here() -> str:
    """Name what files this process sees: a machine, and its mounts."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        return f"{socket.gethostname()}|{boot}|{os.readlink('/proc/self/ns/mnt')}"
    except OSError:
        return socket.gethostname()


def chunk_count(file: KeyFile) -> int:
    """Count a file's chunks."""
    return -(-file.nbytes // CHUNK_BYTES)


def wanted(plan: Plan) -> list[Wanted]:
    """Return which files this node lacks, and which chunks of them."""
    lacking = []
    for file in plan.files:
        path = Path(plan.path(file))
        if not path.exists():
            there = _done(path)
            lacking.append(Wanted(file, str(path), tuple(i for i in range(chunk_count(file)) if i not in there)))
    return lacking


def send(plan: Plan, receivers: Sequence[Receiver], store: Callable[[Chunk], Any]) -> None:
    """Give every node what it lacks.

    Raises
    ------
    WorkerKeyError
        If a node can't write, or a chunk arrives changed. What arrived before stays for the next attempt.
    """
    for file in plan.files:
        lacks = [(to, want) for to in receivers for want in to.wanted if want.file == file]
        missing = sorted({index for _, want in lacks for index in want.chunks})
        with open(file.path, "rb") as source:
            for index in missing:
                source.seek(index * CHUNK_BYTES)
                chunk = store(Chunk.of(source.read(CHUNK_BYTES)))
                for to, want in lacks:
                    if index in want.chunks:
                        _raise(to.write(want, index, chunk))
        for to, want in lacks:
            _raise(to.finish(want))


def write(want: Wanted, index: int, chunk: Chunk) -> Failure | None:
    """Check a chunk, and write it to where it belongs."""
    try:
        data = memoryview(chunk.data)
        if hashlib.blake2b(data, digest_size=16).digest() != chunk.digest:
            raise _refused(want, f"chunk {index} arrived changed; connect again, which sends it once more")
        path = Path(want.path)
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        file = os.open(_part(path), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            if os.fstat(file).st_size < want.file.nbytes:
                os.posix_fallocate(file, 0, want.file.nbytes)
            start = index * CHUNK_BYTES
            while data:
                count = os.pwrite(file, data, start)
                data, start = data[count:], start + count
            os.fsync(file)
        finally:
            os.close(file)
        with open(_list(path), "a", encoding="ascii") as done:
            done.write(f"{index}\n")
    except WorkerKeyError as error:
        return Failure.of(error)
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        room = (
            f"there is no room for its {want.file.nbytes} bytes; free some"
            if full
            else f"it can't be written ({error})"
        )
        return Failure.of(_refused(want, f"{room}, or pass another key_folder, and connect again: the copy goes on"))
    return None


def finish(want: Wanted) -> Failure | None:
    """Give a file of which all chunks are there its name, once its checksums hold."""
    path = Path(want.path)
    try:
        if not path.exists():
            try:
                check_here(want.file, str(_part(path)), node())
            except WorkerKeyError:
                # What is there of it is worth nothing: the next attempt begins anew.
                _part(path).unlink(missing_ok=True)
                _list(path).unlink(missing_ok=True)
                raise
            os.replace(_part(path), path)
        _part(path).unlink(missing_ok=True)  # of another pool, that copied the same
        _list(path).unlink(missing_ok=True)
    except WorkerKeyError as error:
        return Failure.of(error)
    except OSError as error:
        return Failure.of(_refused(want, f"the copy can't get its name ({error}); look at the folder"))
    return None


def _done(path: Path) -> set[int]:
    """Return the chunks that are there of a copy that broke off."""
    try:
        lines = _list(path).read_text(encoding="ascii").split()
    except OSError:
        return set()
    return {int(line) for line in lines if line.isdecimal()} if _part(path).exists() else set()


def _part(path: Path) -> Path:
    return path.with_name(path.name + ".part")


def _list(path: Path) -> Path:
    return path.with_name(path.name + ".done")


def _refused(want: Wanted, what: str) -> WorkerKeyError:
    return WorkerKeyError(f"connect: node {node()}: {want.path}: {what}", node=node(), path=want.path)


def _raise(failure: Failure | None) -> None:
    if failure is not None:
        error = failure.error()
        raise error if isinstance(error, WorkerKeyError) else WorkerKeyError(f"connect: a copy failed: {failure.text}")
