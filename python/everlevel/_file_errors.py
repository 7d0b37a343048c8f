"""Errors of files, which `everlevel.errors` shows."""

from __future__ import annotations

from typing import Any

from ._error import EverlevelError


class FormatError(EverlevelError, ValueError):
    """Bytes aren't what they should be; each way of that is a class of its own."""


class TruncatedFileError(FormatError):
    """The end of a file is missing.

    Attributes
    ----------
    needed, found : int or None
        Bytes that there should be, and that there are.
    """

    needed: int | None = None
    found: int | None = None


class ChecksumError(FormatError):
    """Bytes have changed since they were written.

    Attributes
    ----------
    part : str or None
        The tensor, or the header.
    expected, found : str or None
        The checksums as written and as computed.
    """

    part: str | None = None
    expected: str | None = None
    found: str | None = None


class ForeignFileError(FormatError):
    """A file isn't one of Everlevel's.

    Attributes
    ----------
    found : str or None
        Its first bytes, as text.
    """

    found: str | None = None


class NewerFormatError(FormatError):
    """A file was written by a later version of Everlevel.

    Attributes
    ----------
    found, supported : int or None
        The file's format, and the newest that is read.
    """

    found: int | None = None
    supported: int | None = None


class HeaderError(FormatError):
    """A file's header says what no writer of Everlevel's says.

    Attributes
    ----------
    part : str or None
        The entry.
    found, expected : object
        What it is, and what it should be.
    """

    part: str | None = None
    found: Any = None
    expected: Any = None


class LayoutError(FormatError):
    """Tensors overlap, leave holes, or leave the file.

    Attributes
    ----------
    part : str or None
        The tensor.
    begin, end : int or None
        Its bytes, from the start of the data.
    """

    part: str | None = None
    begin: int | None = None
    end: int | None = None


class FileKindError(FormatError):
    """A file holds another kind of object than was asked for.

    Attributes
    ----------
    found, expected : str or None
        The two kinds.
    """

    found: str | None = None
    expected: str | None = None


class UnsupportedKindError(FormatError):
    """A file holds a kind of object that this version has no support for.

    Attributes
    ----------
    found : str or None
        The kind.
    expected : str or None
        The kinds that there are.
    """

    found: str | None = None
    expected: str | None = None


class FileParametersError(FormatError):
    """A file's object belongs to other parameters than the engine's.

    Attributes
    ----------
    found, expected : int or None
        Fingerprints of the file's parameters and of the engine's.
    """

    found: int | None = None
    expected: int | None = None


class ResidueError(FormatError):
    """A residue isn't below its modulus.

    Attributes
    ----------
    part : str or None
        The tensor.
    index, value, modulus : int or None
        Its place, what it is, and what it should be below.
    """

    part: str | None = None
    index: int | None = None
    value: int | None = None
    modulus: int | None = None


class FileSizeError(FormatError):
    """A file, or the object in it, is larger than the caller takes.

    Attributes
    ----------
    found, expected : int or None
        Bytes that it takes, and that it may take at most.
    """

    found: int | None = None
    expected: int | None = None


class FileChangedError(FormatError):
    """A file changed while it was mapped.

    Attributes
    ----------
    path : str or None
        The file.
    """

    path: str | None = None


class StorageError(EverlevelError, OSError):
    """The system refused to read or write a file: no room, no permission, no such folder.

    Attributes
    ----------
    path : str or None
        The file.
    needed : int or None
        Its size in bytes, where there was no room.
    errno : int or None
        The system's number for the reason.
    """

    path: str | None = None
    needed: int | None = None


class StorageNotFoundError(StorageError, FileNotFoundError):
    """A file, or the folder it is to be written to, isn't there."""
