"""The base of all errors, which `everlevel.errors` shows."""

from __future__ import annotations

from typing import Any


class EverlevelError(Exception):
    """Base of all errors of this package.

    Parameters
    ----------
    message : str
        The whole sentence.
    **fields
        The values that the sentence speaks of; each becomes an attribute.
    """

    def __init__(self, message: str = "", **fields: Any) -> None:
        super().__init__(message)
        for name, value in fields.items():
            setattr(self, name, value)

    def __reduce__(self) -> tuple[Any, ...]:
        # Said in full: tblib, which Dask loads, can't remake an error of two built-in bases by their own way.
        return type(self), self.args, self.__dict__

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""
