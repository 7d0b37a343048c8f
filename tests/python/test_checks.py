"""What may be passed in, and what is said about the rest. No cryptography."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from everlevel import errors
from everlevel._common import checks
from everlevel.ckks import _checks

SLOTS = 8


@given(hnp.arrays(np.float64, st.integers(1, SLOTS), elements=st.floats(-1e300, 1e300)))
def test_real_messages_are_complex_numbers(values: np.ndarray) -> None:
    slots, is_real = _checks.message("encode", values, SLOTS)
    assert is_real
    assert slots.dtype == np.complex128
    assert slots.flags.c_contiguous
    np.testing.assert_array_equal(slots, values)


@pytest.mark.parametrize(
    "values",
    [[1, 2], (1, 2), [True, False], range(3), np.arange(3, dtype=np.uint8), np.ones(3, np.float16), np.ones(9)[::3]],
)
def test_numbers_of_any_real_kind_are_real(values: object) -> None:
    assert _checks.message("encode", values, SLOTS)[1]


@pytest.mark.parametrize("values", [[1j], np.ones(3, np.complex64), [1, 2.5, 1j]])
def test_complex_numbers_are_complex(values: object) -> None:
    assert not _checks.message("encode", values, SLOTS)[1]


def test_the_message_is_copied() -> None:
    values = np.ones(SLOTS, dtype=np.complex128)
    slots, _ = _checks.message("encode", values, SLOTS)
    slots[0] = 7
    assert values[0] == 1


@pytest.mark.parametrize("length", [1, 8, 9, 16, 17])
def test_messages_are_as_long_as_they_are_given(length: int) -> None:
    slots, _ = _checks.message("encrypt", np.arange(1, length + 1), SLOTS)
    np.testing.assert_array_equal(slots, range(1, length + 1))


@pytest.mark.parametrize("values", [[], np.array([]), ()])
def test_empty_is_refused(values: object) -> None:
    with pytest.raises(errors.MessageError, match="empty") as caught:
        _checks.message("encrypt", values, SLOTS)
    assert caught.value.length == 0


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, complex(0, np.nan), complex(np.inf, 0)])
def test_what_is_not_finite_is_refused_by_its_index(bad: complex) -> None:
    with pytest.raises(errors.MessageError, match="index 2 is") as caught:
        _checks.message("encrypt", [1, 2, bad], SLOTS)
    assert caught.value.index == 2
    assert not np.isfinite(caught.value.value)


def test_long_doubles_beyond_float64_are_refused() -> None:
    if np.finfo(np.longdouble).max == np.finfo(np.float64).max:
        pytest.skip("long doubles are doubles here")
    with pytest.raises(errors.MessageError, match="finite"):
        _checks.message("encrypt", np.array([np.longdouble("1e400")]), SLOTS)


@pytest.mark.parametrize(
    "values",
    ["abc", ["a"], [b"a"], [None], [object()], [Decimal(1)], [Fraction(1, 2)], {"a": 1}, {1, 2}, [[1], [1, 2]]],
)
def test_what_is_not_a_number_is_a_type_error(values: object) -> None:
    with pytest.raises(errors.MessageTypeError) as caught:
        _checks.message("encrypt", values, SLOTS)
    assert isinstance(caught.value, TypeError)
    assert isinstance(caught.value, errors.MessageError)


@pytest.mark.parametrize("values", [np.datetime64("2026-01-01"), np.array(["2026"], dtype="M8[Y]")])
def test_dates_are_no_numbers(values: object) -> None:
    with pytest.raises(errors.MessageTypeError, match="dtype datetime64"):
        _checks.message("encrypt", values, SLOTS)


@pytest.mark.parametrize("values", [1.0, np.float64(1), np.ones((2, 2))])
def test_other_dimensions_are_refused(values: object) -> None:
    with pytest.raises(errors.MessageError, match="dimensions"):
        _checks.message("encrypt", values, SLOTS)


@pytest.mark.parametrize("value", [3, np.int8(-3), True, 1.5, 2j, np.complex64(1 + 2j)])
def test_scalars_become_complex(value: complex) -> None:
    assert _checks.scalar("multiply", value) == complex(value)


@pytest.mark.parametrize("value", [np.nan, np.inf, complex(0, np.inf), 10**400], ids=["nan", "inf", "inf j", "10**400"])
def test_scalars_are_finite(value: complex) -> None:
    with pytest.raises(errors.MessageError, match="finite"):
        _checks.scalar("multiply", value)


@pytest.mark.parametrize("value", [1.0, "1", None, True, [1]])
def test_levels_are_integers(value: object) -> None:
    with pytest.raises(errors.OperandTypeError, match="level is"):
        checks.integer("encrypt", "level", value)


@pytest.mark.parametrize("level", [-1, 6, 10**30])
def test_levels_are_in_range(level: int) -> None:
    with pytest.raises(errors.LevelError, match="levels 0 to 5") as caught:
        _checks.level("encrypt", level, 5)
    assert (caught.value.level, caught.value.max_level) == (level, 5)


def test_the_default_level_is_the_highest() -> None:
    assert _checks.level("encrypt", None, 5) == 5
