"""Every error that Everlevel raises on purpose.

All derive from `EverlevelError`, and each also from the built-in exception that a reader would expect (``ValueError``,
``TypeError``, ``KeyError``). A message says *operation: what is wrong, both values with units; what to do next*, and
the values are attributes of the exception, so that a program needn't parse the sentence. An error is raised before any
work is done: the arguments are as they were.
"""

from __future__ import annotations

from typing import Any

from ._cluster_errors import (
    ClusterConnectionError,
    ClusterEngineError,
    ClusterError,
    TaskError,
    TaskPickleError,
    WorkerKeyError,
    WorkerLostError,
    WorkerVersionError,
)
from ._error import EverlevelError
from ._file_errors import (
    ChecksumError,
    FileChangedError,
    FileKindError,
    FileParametersError,
    FileSizeError,
    ForeignFileError,
    FormatError,
    HeaderError,
    LayoutError,
    NewerFormatError,
    ResidueError,
    StorageError,
    StorageNotFoundError,
    TruncatedFileError,
    UnsupportedKindError,
)
from ._warnings import LevelWarning, PrecisionWarning, RangeWarning

__all__ = [
    "ChecksumError",
    "CiphertextFormError",
    "ClusterConnectionError",
    "ClusterEngineError",
    "ClusterError",
    "DeviceError",
    "DeviceMismatchError",
    "DivisionByZeroError",
    "EngineMismatchError",
    "EverlevelError",
    "FileChangedError",
    "FileKindError",
    "FileParametersError",
    "FileSizeError",
    "FitError",
    "ForeignFileError",
    "FormatError",
    "HeaderError",
    "InternalError",
    "KeyMismatchError",
    "LayoutError",
    "LevelError",
    "LevelWarning",
    "MessageError",
    "MessageTypeError",
    "MissingKeyError",
    "ModelError",
    "NewerFormatError",
    "NoiseError",
    "OperandTypeError",
    "OutOfMemoryError",
    "ParameterError",
    "PrecisionWarning",
    "RangeError",
    "RangeWarning",
    "ReleaseError",
    "ResidueError",
    "ScaleError",
    "SecretExposureError",
    "SpaceError",
    "StorageError",
    "StorageNotFoundError",
    "TableError",
    "TaskError",
    "TaskPickleError",
    "TruncatedFileError",
    "UnitCountError",
    "UnsupportedError",
    "UnsupportedKindError",
    "WidthError",
    "WorkerKeyError",
    "WorkerLostError",
    "WorkerVersionError",
]


class ParameterError(EverlevelError, ValueError):
    """An engine, or a key, was asked for with options that don't exist, or don't go together.

    Attributes
    ----------
    option : str or None
        The option at fault.
    value : object
        What was given.
    allowed : object
        What may be given.
    """

    option: str | None = None
    value: Any = None
    allowed: Any = None


class DeviceError(EverlevelError, RuntimeError):
    """A device failed in the midst of a call: its message says what to do. What was there before is unchanged."""


class DeviceMismatchError(EverlevelError, ValueError):
    """Operands lie in different places, or something is to go to another device than the engine's.

    Attributes
    ----------
    left, right : str or None
        The two places, ``"cpu"`` or a GPU's, such as ``"gpu:0"``.
    """

    left: str | None = None
    right: str | None = None


class OutOfMemoryError(EverlevelError, MemoryError):
    """A call would take more memory than there is: `needed` bytes, of which a `limit` leaves `available`."""

    needed: int | None = None
    available: int | None = None
    limit: str | None = None


class MessageError(EverlevelError, ValueError):
    """A message can't be encoded: empty, of two dimensions, NaN or infinite.

    Attributes
    ----------
    length : int or None
        Values given.
    slot_count : int or None
        Values that fill a unit.
    index : int or None
        Where the first bad value stands.
    value : object
        The first bad value.
    """

    length: int | None = None
    slot_count: int | None = None
    index: int | None = None
    value: Any = None


class MessageTypeError(MessageError, TypeError):
    """A message isn't made of numbers.

    Attributes
    ----------
    dtype : str or None
        The NumPy dtype that was given.
    """

    dtype: str | None = None


class FitError(EverlevelError, ValueError):
    """A function can't be fitted: it isn't finite on the interval, gives no numbers, or is too far from any polynomial.

    Attributes
    ----------
    x : float or None
        Where it isn't finite.
    value : object
        What it is there.
    """

    x: float | None = None
    value: Any = None


class ModelError(EverlevelError, ValueError):
    """A trained model can't be compiled: a part of it is not supported or not fitted, or no polynomial is near enough.

    Attributes
    ----------
    place : str or None
        Where the model has it, in words: a pipeline's step, a layer.
    found : object
        What is there: a kind of model, an option's value, an error.
    supported : object
        What may be there.
    """

    place: str | None = None
    found: Any = None
    supported: Any = None


class OperandTypeError(EverlevelError, TypeError):
    """An argument is of another type than the operation takes.

    Attributes
    ----------
    argument : str or None
        The argument's name.
    expected : str or None
        The types that it may have.
    actual : str or None
        The type that it has.
    """

    argument: str | None = None
    expected: str | None = None
    actual: str | None = None


class LevelError(EverlevelError, ValueError):
    """A level is out of range, or none is left for the operation.

    Attributes
    ----------
    level : int or None
        The level asked for, or the ciphertext's level.
    needed : int or None
        The least level that the operation takes.
    max_level : int or None
        The engine's highest level.
    served : int or None
        The highest level that the key serves.
    """

    level: int | None = None
    needed: int | None = None
    max_level: int | None = None
    served: int | None = None


class ScaleError(EverlevelError, ValueError):
    """A scale, or a value times its scale, doesn't fit the modulus; or two scales differ.

    Attributes
    ----------
    log2_left, log2_right : float or None
        The two quantities compared, as powers of two.
    """

    log2_left: float | None = None
    log2_right: float | None = None


class RangeError(EverlevelError, ValueError):
    """Values are, or may be, larger than their declared bound, or than what the modulus holds.

    Attributes
    ----------
    bound : float or None
        The bound of the values.
    room : float or None
        The size that values stay below, if the modulus is to hold them.
    level : int or None
        The result's level.
    size : float or None
        Of a value beyond its declared bound.
    index : int or None
        The value's index; of rows of a model, the feature's, or the row's where there is no feature.
    row : int or None
        Of rows of a model, the row's index.
    """

    bound: float | None = None
    room: float | None = None
    level: int | None = None
    size: float | None = None
    index: int | None = None
    row: int | None = None


class UnitCountError(EverlevelError, ValueError):
    """Two operands fill different numbers of ciphertexts: vectors longer than the slots have several units.

    Attributes
    ----------
    left, right : int or None
        Units of the two operands; of a matrix, those that its columns fill.
    """

    left: int | None = None
    right: int | None = None


class CiphertextFormError(EverlevelError, ValueError):
    """A ciphertext has three polynomials where two are needed: it is to be relinearised first.

    Attributes
    ----------
    polynomial_count : int or None
        Polynomials in the ciphertext.
    """

    polynomial_count: int | None = None


class SpaceError(EverlevelError, ValueError):
    """Bits were given where integers are needed, or the other way round; or a result may leave the message space.

    Attributes
    ----------
    found : object
        What the parameters hold; or the largest value that the result may have.
    needed : object
        What the operation needs; or the largest value that the space holds.
    """

    found: Any = None
    needed: Any = None


class TableError(EverlevelError, ValueError):
    """A look-up table has another length than the operation needs, or an entry that the message space doesn't hold.

    Attributes
    ----------
    index : int or None
        Where the first bad entry stands.
    found, needed : object
        The entry and the largest one that may be; or the table's shape and the one that it should have.
    """

    index: int | None = None
    found: Any = None
    needed: Any = None


class WidthError(EverlevelError, ValueError):
    """Two arrays of encrypted integers have different numbers of bits.

    Attributes
    ----------
    left, right : int or None
        Bits of the two.
    """

    left: int | None = None
    right: int | None = None


class DivisionByZeroError(EverlevelError, ZeroDivisionError):
    """Division of encrypted values by a zero in the clear.

    Attributes
    ----------
    index : int or tuple of int or None
        Where the first zero stands in the divisor.
    """

    index: Any = None


class NoiseError(EverlevelError, ValueError):
    """Noise is too large, a ciphertext's or a key's own: operations would fail more often than parameters allow.

    Attributes
    ----------
    log2_p_fail, max_log2_p_fail : float or None
        Base-2 logarithms of the probability of failure, and of the largest that is allowed.
    budget_bits, operand_bits : float or None
        Of schemes over limbs, the budget in bits that would be left, and the operands' smallest.
    """

    log2_p_fail: float | None = None
    max_log2_p_fail: float | None = None
    budget_bits: float | None = None
    operand_bits: float | None = None


class MissingKeyError(EverlevelError, KeyError):
    """An operation needs a key that the engine hasn't got.

    Attributes
    ----------
    key : str or None
        The kind of key, such as ``"relinearization key"``.
    """

    key: str | None = None


class KeyMismatchError(EverlevelError, ValueError):
    """A key belongs to another secret, or is not made for this operation.

    Attributes
    ----------
    key : str or None
        The kind of key.
    expected, actual : object
        What the operation needs, and what the key has.
    """

    key: str | None = None
    expected: Any = None
    actual: Any = None


class EngineMismatchError(EverlevelError, ValueError):
    """Two operands, or an operand and a key, were made by engines with different parameters."""


class ReleaseError(EverlevelError, ValueError):
    """A decryption can't be given away as asked: it would tell about the secret, or nothing of the values.

    Attributes
    ----------
    found : float or None
        What was asked for: a grid's step, statistical bits, or releases so far.
    needed : float or None
        What would do.
    """

    found: float | None = None
    needed: float | None = None


class SecretExposureError(EverlevelError, TypeError):
    """A secret key was about to be copied or written as a side effect (``pickle``, ``copy``)."""


class UnsupportedError(EverlevelError, AttributeError):
    """A function of the 1.x interface that this version doesn't offer yet.

    Attributes
    ----------
    function : str or None
        Its name.
    """

    function: str | None = None


class InternalError(EverlevelError, RuntimeError):
    """A fault in Everlevel itself; please report it with the message."""


# Their one public name is the one here.
for _name in __all__:
    globals()[_name].__module__ = __name__
