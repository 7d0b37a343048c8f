"""Every error of the core has an exception, in Python's words."""

from __future__ import annotations

import inspect
import re
from typing import Any

import pytest

from everlevel import _native, errors
from everlevel._common import wording

VALUES = {
    "op": "mul",
    "known": ["a", "b"],
    "allowed": [13, 17, 20],
    "supported": [3, 4],
    "available": [1, -1],
    "higher": [4, 5],
}


def values_for(code: str) -> dict[str, Any]:
    """Give values under the names that a code's exception asks for."""
    worded = wording._WORDED.get(code) or wording._AS_IT_IS.get(code) or wording._WARNINGS[code]
    names = [name for name in inspect.signature(worded).parameters if name not in {"text", "values", "_"}]
    values = {name: VALUES.get(name, 3) for name in names}
    if code == "ckks.BootstrapKind":
        values |= {"found": "regular", "needed": "lossy"}
    if code.endswith(".OutOfMemory") and "available" in values:
        values["available"] = 1
    if code.endswith(".Parameter"):
        values |= {"found": "5", "needed": "7"}
    return values


def test_every_code_is_worded() -> None:
    assert set(_native.error_codes()) == wording.CODES
    assert len(_native.error_codes()) == len(wording.CODES)


@pytest.mark.parametrize("code", sorted(wording._WARNINGS))
def test_a_notice_is_a_warning_of_its_caller(code: str) -> None:
    with pytest.warns(errors.RangeWarning, match=r"^multiply: .+, .+") as caught:
        wording.warn(code, values_for(code))
    assert caught[0].filename == __file__


@pytest.mark.parametrize("code", sorted(wording.CODES - wording.INTERNAL - set(wording._WARNINGS)))
def test_a_code_has_a_class_and_a_sentence(code: str) -> None:
    error = wording.error(code, "read: it is; go on", values_for(code))
    assert isinstance(error, errors.EverlevelError)
    assert not isinstance(error, errors.InternalError)
    assert re.fullmatch(r"\S.*(: | = ).+", str(error))
    assert not re.search(r"context|mul:", str(error))


@pytest.mark.parametrize("code", sorted(wording.INTERNAL))
def test_what_reaches_nobody_is_an_internal_error(code: str) -> None:
    error = wording.error(code, "mul: no", {"op": "mul"})
    assert type(error) is errors.InternalError


def test_operations_have_the_names_of_this_package() -> None:
    error = wording.error("tfhe.WidthMismatch", "", {"op": "mul", "left": 8, "right": 16})
    assert str(error).startswith("multiply: the operands have 8 and 16 bits")
    assert "numpy.uint16" in str(error)


def test_values_out_of_range_belong_to_tables_or_to_messages() -> None:
    fields = {"index": 1, "value": 9, "max": 7}
    assert type(wording.error("tfhe.ValueOutOfSpace", "", {"op": "lut"} | fields)) is errors.TableError
    assert type(wording.error("tfhe.ValueOutOfSpace", "", {"op": "encrypt_integers"} | fields)) is errors.MessageError


def test_a_missing_file_is_found_by_its_number() -> None:
    fields = {"op": "read", "path": "x", "advice": "check the path", "source": 2}
    assert type(wording.error("io.Io", "", dict(fields))) is errors.StorageNotFoundError
    assert type(wording.error("io.Io", "", fields | {"source": 13})) is errors.StorageError
