"""Checks of what engines of small messages, bits or integers of a space, are given."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol

from ..errors import MessageError, OperandTypeError, ParameterError, SpaceError
from . import checks


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
