"""Files of any scheme, opened by one call."""

from __future__ import annotations

from importlib import import_module
from typing import Any, NamedTuple

from ._common import checks, headers
from ._common.storable import PathLike
from .errors import UnsupportedKindError

__all__ = ["Opened", "open"]


class Opened(NamedTuple):
    """Objects that `everlevel.open` returns."""

    engine: Any
    """The engine of the file's scheme and parameters."""
    object: Any
    """The key, the plaintext or the ciphertext."""


def open(path: PathLike, *, max_bytes: int | None = None, **options: Any) -> Opened:  # noqa: A001 (called as everlevel.open)
    """Open a file of any scheme: make the engine that it is for, and read the object.

    Parameters
    ----------
    path : str or path-like
        A file that `save` wrote.
    max_bytes : int, optional
        Largest size of what is read, as of the engine's `load`.
    **options
        Of the scheme's ``Engine.from_file``: `thread_count`, for instance.

    Returns
    -------
    engine, object
        A new engine, and what the file holds. The engine remembers an evaluation key. What was made by another engine
        of the same parameters goes with both: open one file, and `Engine.load` the others with its engine.

    Raises
    ------
    StorageError, FormatError
        If the file can't be opened, or isn't what it should be.

    Examples
    --------
    >>> import everlevel, tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "message"
    ...     bfv_engine.encrypt([1, 2, 3], bfv_secret_key).save(path)
    ...     engine, x = everlevel.open(path)
    >>> engine.decrypt(x + 1, bfv_secret_key)[:3]
    array([2, 3, 4])
    """
    operation = "open"
    text = checks.path(operation, path)
    header = headers.read(text)
    if header.scheme is None:
        raise UnsupportedKindError(
            f"{operation}: the file holds a {header.kind}, and this version has no such kind; update Everlevel",
            found=header.metadata["kind"],
        )
    scheme = import_module(f"{__package__}.{header.scheme}")
    engine = scheme.Engine.from_file(text, **options)
    return Opened(engine, engine.load(text, max_bytes=max_bytes))
