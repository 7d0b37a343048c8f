"""The error classes: their bases, attributes, texts and pickles."""

from __future__ import annotations

import pickle

import pytest

from everlevel import errors

WARNINGS = {"LevelWarning", "PrecisionWarning", "RangeWarning"}

BASES = {
    errors.ParameterError: ValueError,
    errors.DeviceError: RuntimeError,
    errors.DeviceMismatchError: ValueError,
    errors.OutOfMemoryError: MemoryError,
    errors.MessageError: ValueError,
    errors.MessageTypeError: TypeError,
    errors.FitError: ValueError,
    errors.OperandTypeError: TypeError,
    errors.LevelError: ValueError,
    errors.RangeError: ValueError,
    errors.ReleaseError: ValueError,
    errors.ScaleError: ValueError,
    errors.CiphertextFormError: ValueError,
    errors.SpaceError: ValueError,
    errors.TableError: ValueError,
    errors.WidthError: ValueError,
    errors.DivisionByZeroError: ZeroDivisionError,
    errors.NoiseError: ValueError,
    errors.UnitCountError: ValueError,
    errors.MissingKeyError: KeyError,
    errors.ModelError: ValueError,
    errors.KeyMismatchError: ValueError,
    errors.EngineMismatchError: ValueError,
    errors.FormatError: ValueError,
    errors.TruncatedFileError: ValueError,
    errors.ChecksumError: ValueError,
    errors.ForeignFileError: ValueError,
    errors.NewerFormatError: ValueError,
    errors.HeaderError: ValueError,
    errors.LayoutError: ValueError,
    errors.FileKindError: ValueError,
    errors.UnsupportedKindError: ValueError,
    errors.FileParametersError: ValueError,
    errors.ResidueError: ValueError,
    errors.FileSizeError: ValueError,
    errors.FileChangedError: ValueError,
    errors.StorageError: OSError,
    errors.StorageNotFoundError: FileNotFoundError,
    errors.SecretExposureError: TypeError,
    errors.UnsupportedError: AttributeError,
    errors.InternalError: RuntimeError,
    errors.ClusterError: RuntimeError,
    errors.ClusterEngineError: ImportError,
    errors.ClusterConnectionError: ConnectionError,
    errors.WorkerVersionError: RuntimeError,
    errors.WorkerKeyError: OSError,
    errors.WorkerLostError: RuntimeError,
    errors.TaskError: RuntimeError,
    errors.TaskPickleError: TypeError,
}


@pytest.mark.parametrize(("kind", "base"), BASES.items())
def test_every_error_is_also_the_builtin_that_one_expects(kind: type, base: type) -> None:
    assert issubclass(kind, errors.EverlevelError)
    assert issubclass(kind, base)


def test_the_table_is_complete() -> None:
    assert {kind.__name__ for kind in BASES} | WARNINGS | {"EverlevelError"} == set(errors.__all__)


def test_fields_are_attributes_and_default_to_none() -> None:
    error = errors.LevelError("multiply: no level is left", level=0, needed=1)
    assert (error.level, error.needed, error.max_level) == (0, 1, None)
    assert str(error) == "multiply: no level is left"


def test_a_missing_key_reads_as_a_sentence() -> None:
    # A plain KeyError shows its message's repr, with quotes.
    assert str(errors.MissingKeyError("multiply: there's no key")) == "multiply: there's no key"


def test_errors_survive_pickling() -> None:
    error = pickle.loads(pickle.dumps(errors.MessageError("too long", length=9, slot_count=8)))
    assert (str(error), error.length, error.slot_count) == ("too long", 9, 8)


@pytest.mark.parametrize("kind", BASES)
def test_errors_survive_tblibs_pickling(kind: type) -> None:
    # What Dask makes of all exceptions, once it is loaded, in whatever process.
    support = pytest.importorskip("tblib.pickling_support")
    remake, arguments, *state = support.pickle_exception(kind("too long", node="n1"))
    error = remake(*arguments)
    for one in state:
        error.__dict__.update(one)
    assert type(error) is kind
    assert (str(error), error.node) == ("too long", "n1")


def test_a_warning_is_no_error() -> None:
    warning = pickle.loads(pickle.dumps(errors.LevelWarning("lower", level=0, level_out=10)))
    assert isinstance(warning, UserWarning)
    assert not isinstance(warning, errors.EverlevelError)
    assert (str(warning), warning.level, warning.level_out) == ("lower", 0, 10)
