"""What may be asked of an engine, and what 1.x scripts ask that this version doesn't offer."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, cast

from .._common import checks as _checks
from ..errors import OperandTypeError, ParameterError, UnsupportedError

Mode = Literal["cpu", "parallel"]

_LARGEST_OPTION: Final = 2**31 - 1
_MOST_THREADS: Final = 256
"""Of which a machine may have more."""

DEFAULT_STAGE_COUNT: Final = 3
BOOTSTRAP_SIZES: Final = ("medium", "large")

_UNSUPPORTED_OPTIONS: Final[Mapping[str, str]] = {
    "use_multiparty": "keys shared between parties",
    "compact": "compact ciphertexts",
    "cuda_ntt_thread_count": "GPUs",
    "cuda_random_thread_count": "GPUs",
    "cuda_grid_size_multiplier": "GPUs",
    "device_id": "GPUs",
}

_UNSUPPORTED_FUNCTIONS: Final[Mapping[str, str]] = {
    "mod_raise": "use bootstrap, which does it first",
    "create_individual_": "keys shared between parties are not offered",
    "create_multiparty_": "keys shared between parties are not offered",
    "create_public_key_": "keys shared between parties are not offered",
    "individual_": "keys shared between parties are not offered",
    "multiparty_": "keys shared between parties are not offered",
    "serialize_": "there is no such kind of object yet",
    "deserialize_": "there is no such kind of object yet",
    "write_": "there is no such kind of object yet; use the save method of those there are",
    "read_": "there is no such kind of object yet; use load for those there are",
}


@dataclass(frozen=True, slots=True)
class EngineOptions:
    """The options of an engine, checked as far as they can be without its parameters."""

    mode: Mode
    max_level: int | None
    slot_count: int | None
    bootstrap_to: tuple[int, bool] | None
    """Level at which regular bootstraps of three stages end, and whether precision is high; none without bootstraps."""
    thread_count: int
    seeded_keys: bool
    insecure_log_n: int | None


def parse(
    positional: tuple[Any, ...],
    *,
    mode: Any,
    max_level: Any,
    slot_count: Any,
    use_bootstrap: bool,
    use_bootstrap_to_14_levels: bool,
    use_bootstrap_to_17_levels: bool,
    precision: Any = "standard",
    thread_count: Any,
    seeded_keys: bool,
    insecure_log_n: Any,
    others: Mapping[str, Any],
) -> EngineOptions:
    """Read ``Engine(mode)``, ``Engine(max_level, mode)`` and their keyword forms."""
    _refuse_others(others)
    mode, max_level = _positional(positional, mode, max_level)
    if not (isinstance(mode, str) and mode in ("cpu", "parallel")):
        hint = "GPUs are not offered yet" if str(mode) in ("gpu", "cuda") else "check its spelling"
        raise ParameterError(
            f"Engine: mode is {mode!r}, and 'cpu' (one thread) and 'parallel' are offered; {hint}",
            option="mode",
            value=mode,
            allowed=("cpu", "parallel"),
        )
    high_precision = is_high("Engine", precision)
    if high_precision and (use_bootstrap_to_14_levels or use_bootstrap_to_17_levels):
        raise ParameterError(
            "Engine: precision is 'high' and more levels are asked for, and there is room for one of the two; leave "
            "the other out",
            option="precision",
            value="high",
            allowed="standard",
        )
    level = _bootstrap_to(use_bootstrap or high_precision, use_bootstrap_to_14_levels, use_bootstrap_to_17_levels)
    return EngineOptions(
        mode=cast(Mode, mode),
        max_level=_non_negative("max_level", max_level),
        slot_count=_slot_count(slot_count),
        bootstrap_to=None if level is None else (level, high_precision),
        thread_count=threads(mode, thread_count),
        seeded_keys=bool(seeded_keys),
        insecure_log_n=_non_negative("insecure_log_n", insecure_log_n),
    )


def is_high(operation: str, precision: Any) -> bool:
    """Read a precision, ``"standard"`` or ``"high"``."""
    if not (isinstance(precision, str) and precision in ("standard", "high")):
        raise ParameterError(
            f"{operation}: precision is {precision!r}, and 'standard' and 'high' are offered; check its spelling",
            option="precision",
            value=precision,
            allowed=("standard", "high"),
        )
    return bool(precision == "high")


def unsupported_function(name: str) -> UnsupportedError:
    """Say that ``Engine.name`` doesn't exist, and what to use instead where 1.x has it."""
    for beginning, advice in _UNSUPPORTED_FUNCTIONS.items():
        if name.startswith(beginning):
            return UnsupportedError(f"Engine.{name}: not offered in this version; {advice}", function=name)
    if "pytorch" in name:
        return UnsupportedError(f"Engine.{name}: not offered; pass tensor.numpy() to the function without it")
    return UnsupportedError(f"Engine.{name}: there is no such attribute; see dir(Engine)", function=name)


def _refuse_others(others: Mapping[str, Any]) -> None:
    for name, value in others.items():
        if name not in _UNSUPPORTED_OPTIONS:
            raise OperandTypeError(
                f"Engine: there is no option {name!r}; see help(Engine) for the options", argument=name
            )
        if value:
            raise ParameterError(
                f"Engine: {name}={value!r} asks for {_UNSUPPORTED_OPTIONS[name]}, which this version doesn't offer; "
                f"leave the option out",
                option=name,
                value=value,
                allowed=None,
            )


def _bootstrap_to(any_level: bool, to_14: bool, to_17: bool) -> int | None:
    if to_14 and to_17:
        raise ParameterError(
            "Engine: use_bootstrap_to_14_levels and use_bootstrap_to_17_levels are both True, and one of them can be; "
            "leave the other out",
            option="use_bootstrap_to_14_levels",
            value=True,
            allowed=False,
        )
    return 17 if to_17 else 14 if to_14 else 10 if any_level else None


def _positional(positional: tuple[Any, ...], mode: Any, max_level: Any) -> tuple[Any, Any]:
    rest = list(positional)
    if rest and not isinstance(rest[0], str):
        if max_level is not None:
            raise OperandTypeError("Engine: max_level was given twice; give it once", argument="max_level")
        max_level = rest.pop(0)
    if rest and isinstance(rest[0], str):
        if mode is not None:
            raise OperandTypeError("Engine: mode was given twice; give it once", argument="mode")
        mode = rest.pop(0)
    if rest:
        raise ParameterError(
            f"Engine: {positional!r} was given, and Engine(mode) or Engine(max_level, mode) is taken; "
            f"ring sizes and special primes aren't chosen by hand: give max_level and slot_count",
            option="positional arguments",
            value=positional,
        )
    return ("cpu" if mode is None else mode), max_level


def _non_negative(name: str, value: Any) -> int | None:
    if value is None:
        return None
    number = _checks.integer("Engine", name, value)
    if not 0 <= number <= _LARGEST_OPTION:
        raise ParameterError(
            f"Engine: {name} is {number}, and 0 to {_LARGEST_OPTION} is taken; leave it out for the usual one",
            option=name,
            value=number,
            allowed=(0, _LARGEST_OPTION),
        )
    return number


def _slot_count(value: Any) -> int | None:
    count = _non_negative("slot_count", value)
    if count is not None and (count == 0 or count & (count - 1)):
        raise ParameterError(
            f"Engine: slot_count is {count}, and a power of two is needed; the next one is {1 << count.bit_length()}",
            option="slot_count",
            value=count,
            allowed="powers of two",
        )
    return count


def threads(mode: str, value: Any) -> int:
    """Check a number of threads against a mode, and find it where it is left out."""
    available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    available = min(available, _MOST_THREADS)
    if value is None:
        return available if mode == "parallel" else 1
    count = _checks.integer("Engine", "thread_count", value)
    if not 1 <= count <= _MOST_THREADS:
        raise ParameterError(
            f"Engine: thread_count is {count}, and 1 to {_MOST_THREADS} is taken; "
            f"leave it out for the {available} of this machine",
            option="thread_count",
            value=count,
            allowed=(1, _MOST_THREADS),
        )
    if mode == "cpu" and count > 1:
        raise ParameterError(
            f"Engine: thread_count is {count} and mode 'cpu' has one thread; pass mode='parallel'",
            option="thread_count",
            value=count,
            allowed=1,
        )
    return count
