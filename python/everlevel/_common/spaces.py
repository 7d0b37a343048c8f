"""Checks of what engines of small messages, bits or integers of a space, are given."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, Protocol

from ..errors import MessageError, OperandTypeError, ParameterError, SpaceError
from . import checks

TABLES_INSTEAD: Final[Mapping[str, str]] = dict.fromkeys(
    ("divide", "floor_divide", "remainder", "divmod", "less", "less_equal", "power", "absolute"),
    "look it up: engine.bootstrap(x, lut=function), or engine.bootstrap(x, y, lut=function) of two",
)
"""Next steps of operators that integers of a space have no name for."""


class Space(Protocol):
    """The messages that an engine's parameters hold."""

    _parameters: str

    @property
    def message_bits(self) -> int | None: ...
    @property
    def max_value(self) -> int: ...


def require_bits(engine: Space, operation: str) -> None:
    """Refuse parameters of integers."""
    if engine.message_bits is not None:
        raise SpaceError(
            f"{operation}: the parameters {engine._parameters} hold integers of {engine.message_bits} bits, and gates "
            f"need bits; use bootstrap with a look-up table, or choose parameters of gates",
            found=f"integers of {engine.message_bits} bits",
            needed="bits",
        )


def require_integers(engine: Space, operation: str) -> None:
    """Refuse parameters of bits."""
    if engine.message_bits is None:
        raise SpaceError(
            f"{operation}: the parameters {engine._parameters} hold bits, and this needs integers; "
            f"use gates, or choose parameters of integers",
            found="bits",
            needed="integers",
        )


def largest_value(engine: Space, operation: str, max_value: Any) -> tuple[int, str]:
    """Check the largest value of an array to encrypt, and return it with what to do about a larger one."""
    if engine.message_bits is None:
        if max_value is not None:
            raise ParameterError(
                f"{operation}: max_value is {max_value!r} and the parameters hold bits; leave it out",
                option="max_value",
                value=max_value,
            )
        return 1, ""
    top = engine.max_value
    if max_value is not None:
        advice = "choose a set of more bits"
        top = checks.integer_between(operation, "max_value", max_value, 0, engine.max_value, advice)
    return top, "choose parameters of more bits" if top == engine.max_value else "give a larger max_value"


def power(engine: Any, x: Any, exponent: Any) -> Any:
    """Raise integers of a space to a power in the clear: by a look-up, or without one where the table is a factor."""
    operation = "power"
    require_integers(engine, operation)
    advice = "look others up: engine.bootstrap(x, lut=f), or engine.bootstrap(x, y, lut=pow) for encrypted ones"
    number = checks.integer_between(operation, "exponent", exponent, 0, 2**62, advice)
    if number == 0:
        return engine.add(engine.multiply(x, 0), 1)
    if number == 1 or x.max_value <= 1:
        return engine.multiply(x, 1)
    # Larger exponents leave every space.
    largest = x.max_value ** min(number, 64)
    if largest > engine.max_value:
        raise SpaceError(
            f"{operation}: elements up to {x.max_value} have powers of {number} up to {largest}"
            f"{' and more' if number > 64 else ''}, and the space ends at {engine.max_value}; give a smaller max_value "
            f"when encrypting, or choose parameters of more bits",
            found=largest,
            needed=engine.max_value,
        )
    return engine.bootstrap(x, lut=lambda value: value**number)


def terms_of(operation: str, terms: Iterable[Any]) -> list[tuple[Any, Any]]:
    """Check the terms of a linear combination, and return their factors and ciphertexts."""
    try:
        pairs = [(factor, x) for factor, x in terms]
    except (TypeError, ValueError) as error:
        raise OperandTypeError(
            f"{operation}: terms aren't pairs ({error}), and pairs of a factor and a ciphertext are needed; "
            f"pass [(1, x), (-2, y)] or the like",
            argument="terms",
            expected="sequence of (int, Ciphertext)",
            actual=type(terms).__name__,
        ) from None
    if not pairs:
        raise MessageError(f"{operation}: there are no terms, and one at least is needed; pass some", length=0)
    return pairs
