"""Checks of an engine's options."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from .. import _native
from .._common import checks
from ..errors import OperandTypeError, ParameterError

_LARGEST_OPTION: Final = 2**31 - 1
_LIMITS: Final[Mapping[str, tuple[int, int]]] = {
    "max_level": (0, 77),
    "slot_count": (1, 65536),
    "insecure_log_n": (9, 17),
}
"""Limits of the core, for numbers that it can't be asked about."""

_USUAL_STAGE_COUNT: Final = 3
USUAL_GAP: Final = 2.0**-6
LEAST_GAP: Final = 2.0**-12
BOOTSTRAP_SIZES: Final = ("medium", "large")
BOOTSTRAP_PRECISIONS: Final = ("standard", "high")


def default_stage_count(context: _native.Context) -> int:
    """Return 3, or what the slots allow that is nearest to it."""
    return min(context.stage_counts, key=lambda count: abs(count - _USUAL_STAGE_COUNT))


def is_high(operation: str, value: Any) -> bool:
    """Read a bootstrap's precision, ``"standard"`` or ``"high"``."""
    return checks.one_of(operation, "precision", value, BOOTSTRAP_PRECISIONS) == "high"


def precision(value: Any) -> str:
    """Read an engine's precision."""
    return checks.one_of("Engine", "precision", value, (*BOOTSTRAP_PRECISIONS, "double"))


def bootstrap_to(any_level: bool, to_14: bool, to_17: bool, precision: str) -> int | None:
    """Return where regular bootstraps of three stages end; None without bootstraps."""
    high = precision == "high"
    if precision == "double" and (any_level or to_14 or to_17):
        raise ParameterError(
            "Engine: precision is 'double' and a bootstrap is asked for, and only 'standard' and 'high' have one; "
            "leave one of the two out",
            option="precision",
            value="double",
            allowed=BOOTSTRAP_PRECISIONS,
        )
    if high and (to_14 or to_17):
        raise ParameterError(
            "Engine: precision is 'high' and more levels are asked for, and there is room for one of the two; leave "
            "the other out",
            option="precision",
            value="high",
            allowed="standard",
        )
    if to_14 and to_17:
        raise ParameterError(
            "Engine: use_bootstrap_to_14_levels and use_bootstrap_to_17_levels are both True, and one of them can be; "
            "leave the other out",
            option="use_bootstrap_to_14_levels",
            value=True,
            allowed=False,
        )
    if not (any_level or high or to_14 or to_17):
        return None
    return 17 if to_17 else 14 if to_14 else 10


def seeding(operation: str, value: Any) -> str | None:
    """Return the cipher of seeded keys' masks, as the core names it; None where keys aren't seeded."""
    if isinstance(value, str):
        if value == "aes":
            return "aes128"
        raise checks.refusal(
            operation, "seeded_keys", value, "True, False and 'aes' are taken; check its spelling", (True, False, "aes")
        )
    return cipher_of(checks.truth(operation, "seeded_keys", value))


def cipher_of(seeded_keys: bool | str | None) -> str | None:
    """Return the cipher of seeded keys' masks from what objects of any version say of their engine."""
    return "chacha20" if seeded_keys is True else seeded_keys or None


def max_level(value: Any) -> int | None:
    """Check a number of levels, which is the one option that goes without its name."""
    if isinstance(value, str):
        raise OperandTypeError(
            f"Engine: max_level is {value!r}, and an integer is needed; choose threads by thread_count (all, if left "
            f"out), and run scripts for 1.x with everlevel.compat.Engine",
            argument="max_level",
            expected="int",
            actual="str",
        )
    return non_negative("max_level", value)


def non_negative(name: str, value: Any) -> int | None:
    """Check an integer from 0 up; whether it is too large is mostly left to the core."""
    if value is None:
        return None
    number = checks.integer("Engine", name, value)
    if not 0 <= number <= _LARGEST_OPTION:
        least, most = _LIMITS[name]
        raise checks.refusal(
            "Engine", name, number, f"{least} to {most} is taken; leave it out for the usual one", (least, most)
        )
    return number


def slots(value: Any) -> int | None:
    """Check a number of slots."""
    count = non_negative("slot_count", value)
    if count is not None and (count == 0 or count & (count - 1)):
        needed = f"a power of two is needed; the next one is {1 << count.bit_length()}"
        raise checks.refusal("Engine", "slot_count", count, needed, "powers of two")
    return count


def gap(operation: str, value: Any) -> float:
    """Check a gap of comparisons, as a share of the bound."""
    share = checks.number(value)
    if not LEAST_GAP <= share < 1:
        needed = "a share of the bound from 2^-12 to less than 1 is taken; leave it out for 2^-6"
        raise checks.refusal(operation, "gap", value, needed, (LEAST_GAP, 1))
    return share


def refuses_assumed(range_: Any) -> bool:
    """Whether results beyond their room are refused where their bound is assumed."""
    return checks.one_of("Engine", "range", range_, ("warn", "error")) == "error"
