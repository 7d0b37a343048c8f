"""A folder in shared memory, where parcels between processes of one machine are files: sent by name, read by mapping.

The driver makes the folder, which nobody else may enter, and takes it away. A process that can read the folder's token
is on the driver's machine. A parcel for which there is no room travels by value.
"""

from __future__ import annotations

import contextlib
import fcntl
import mmap
import os
import secrets
import shutil
import tempfile
import weakref
from pathlib import Path
from typing import IO, Any, Final

from ..errors import ClusterConnectionError
from ._parcel import Parcel

_SMALLEST: Final = 1 << 16
"""Parcels with buffers below so many bytes travel by value."""

_PREFIX: Final = "everlevel-pool-"

_TOKEN: Final = "token"


class Spooled:
    """A parcel whose buffers are one file."""

    __slots__ = ("head", "path", "sizes")

    def __init__(self, head: bytes, path: str, sizes: tuple[int, ...]) -> None:
        self.head = head
        self.path = path
        self.sizes = sizes

    def __reduce__(self) -> tuple[Any, ...]:
        return Spooled, (self.head, self.path, self.sizes)

    @property
    def nbytes(self) -> int:
        """Bytes of all of it."""
        return len(self.head) + sum(self.sizes)

    def open(self) -> Parcel:
        """Map the file, whose pages stay while the parcel's buffers are in use."""
        with open(self.path, "rb") as file:
            mapped = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
        parts, start = [], 0
        for size in self.sizes:
            parts.append(mapped[start : start + size])
            start += size
        return Parcel(self.head, parts)

    def drop(self) -> None:
        """Take the file away. Maps of it stay whole."""
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self.path)


Cargo = Parcel | Spooled
"""A parcel, by value or by name."""


class Spool:
    """The folder, in the driver or in a worker."""

    def __init__(self, folder: Path, token: str) -> None:
        self.folder = folder
        self.token = token
        self._held: IO[bytes] | None = None

    @classmethod
    def new(cls) -> Spool:
        """Make the folder: in shared memory, or else among the temporary files."""
        parents = [Path("/dev/shm"), Path(tempfile.gettempdir())]
        for parent in parents:
            try:
                return cls._new(parent)
            except OSError as error:
                last = error
        raise ClusterConnectionError(
            f"connect: no folder for ciphertexts can be made in {' or '.join(map(str, parents))} ({last}); free some "
            f"room there"
        ) from last

    @classmethod
    def _new(cls, parent: Path) -> Spool:
        _take_away_those_left(parent)
        token, new = secrets.token_hex(16), Path(tempfile.mkdtemp(prefix="everlevel-new-", dir=parent))
        (new / _TOKEN).write_text(token, encoding="ascii")
        # A driver that is killed leaves its folder, but not its lock.
        held = open(new / _TOKEN, "rb")  # noqa: SIM115
        fcntl.flock(held, fcntl.LOCK_EX)
        spool = cls(new.rename(parent / f"{_PREFIX}{secrets.token_hex(8)}"), token)
        spool._held = held
        weakref.finalize(spool, _remove, spool.folder, os.getpid())
        return spool

    @classmethod
    def here(cls, folder: str | None, token: str) -> Spool | None:
        """Return the driver's folder if this process has it, too."""
        if folder is None:
            return None
        try:
            found = (Path(folder) / _TOKEN).read_text(encoding="ascii")
        except OSError:
            return None
        return cls(Path(folder), token) if found == token else None

    def put(self, parcel: Parcel, job: str) -> Cargo:
        """Write a parcel's buffers, if they are large and there is room."""
        sizes = tuple(memoryview(buffer).nbytes for buffer in parcel.buffers)
        if sum(sizes) < _SMALLEST:
            return parcel
        path = self.folder / f"{job}-{secrets.token_hex(12)}"
        try:
            with open(path, "xb", buffering=0) as file:
                for buffer in parcel.buffers:
                    rest = memoryview(buffer).cast("B")
                    while rest:
                        rest = rest[file.write(rest) :]
        except OSError:
            path.unlink(missing_ok=True)
            return parcel
        return Spooled(parcel.head, str(path), sizes)

    def sweep(self, job: str) -> None:
        """Take away what is left of a job: of tasks that were cut short, and of workers that ended."""
        for path in self.folder.glob(f"{job}-*"):
            path.unlink(missing_ok=True)

    def flag(self, name: str) -> None:
        """Raise a flag that every process of this machine sees."""
        with contextlib.suppress(OSError):
            (self.folder / f"{name}.flag").touch()

    def has_flag(self, name: str) -> bool:
        """Whether a flag is raised."""
        return os.path.exists(self.folder / f"{name}.flag")

    def close(self) -> None:
        """Take the folder away."""
        shutil.rmtree(self.folder, ignore_errors=True)
        if self._held is not None:
            self._held.close()


def _remove(folder: Path, owner: int) -> None:
    """Take a folder away, unless this process is only a copy of the one that made it."""
    if os.getpid() == owner:
        shutil.rmtree(folder, ignore_errors=True)


def _take_away_those_left(parent: Path) -> None:
    """Take away folders of this user whose drivers have ended without doing so."""
    for folder in parent.glob(f"{_PREFIX}*"):
        try:
            with open(folder / _TOKEN, "rb") as token:
                fcntl.flock(token, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if folder.stat().st_uid == os.getuid():
                    shutil.rmtree(folder, ignore_errors=True)
        except OSError:
            continue


def opened(cargo: Cargo) -> Parcel:
    """Return a parcel that came by value or by name."""
    return cargo.open() if isinstance(cargo, Spooled) else cargo


def drop(cargo: Any) -> None:
    """Take away what a parcel left in the folder."""
    if isinstance(cargo, Spooled):
        cargo.drop()
