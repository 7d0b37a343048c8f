"""Warnings, which `everlevel.errors` shows."""

from __future__ import annotations


class _Warning(UserWarning):
    """A warning with the values that it speaks of."""

    def __init__(self, message: str, **fields: float) -> None:
        super().__init__(message)
        for name, value in fields.items():
            setattr(self, name, value)


class LevelWarning(_Warning):
    """An operation goes on, and ends at a lower level than its name promises. It is a warning, and no `EverlevelError`.

    Attributes
    ----------
    level : int
        The ciphertext's level.
    needed : int
        The least level at which the operation does what its name says.
    level_out : int
        The level of the result.
    usual_level_out : int
        The level that the result would have otherwise.
    """

    level: int
    needed: int
    level_out: int
    usual_level_out: int


class PrecisionWarning(_Warning):
    """Results are less precise than was asked for. It is a warning, and no `EverlevelError`.

    Attributes
    ----------
    error : float
        Of the results.
    max_error : float
        That was asked for.
    """

    error: float
    max_error: float


class RangeWarning(_Warning):
    """Values are, or may be, larger than what is assumed of them. It is a warning, and no `EverlevelError`.

    Attributes
    ----------
    bound : float or None
        The bound that is assumed, or that was declared.
    room : float or None
        The size that values stay below, if the result is to be right.
    level : int or None
        The result's level.
    size : float or None
        The largest size of a value, where it is known: of a message, or of a decryption.
    """

    bound: float | None = None
    room: float | None = None
    level: int | None = None
    size: float | None = None
