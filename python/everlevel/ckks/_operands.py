"""Checks of ciphertexts and keys, which most operations do first."""

from __future__ import annotations

from typing import Any

from .._common import checks
from ..errors import CiphertextFormError, OperandTypeError
from ._registry import KeyRegistry
from .ciphertext import Ciphertext
from .keys import RelinearizationKey, SecretKey


def ciphertext(operation: str, value: Any) -> Ciphertext:
    """Check that an operand is a ciphertext."""
    return checks.instance(operation, "ciphertext", value, Ciphertext)


def several(operation: str, values: Any, name: str = "ciphertexts", instead: str = "") -> list[Any]:
    """Check that an operand is a sequence, and none of the parts of one ciphertext."""
    if isinstance(values, Ciphertext):
        raise OperandTypeError(
            f"{operation}: {name} is one Ciphertext, and a sequence of them is needed; pass [ciphertext]{instead}",
            argument=name,
            expected="sequence of Ciphertext",
            actual="Ciphertext",
        )
    return checks.sequence(operation, name, values)


def relinearized(operation: str, value: Any) -> Ciphertext:
    """Check that an operand is a ciphertext of two polynomials."""
    operand = ciphertext(operation, value)
    if operand.polynomial_count != 2:
        raise CiphertextFormError(
            f"{operation}: the ciphertext has {operand.polynomial_count} polynomials and 2 are needed; "
            f"call engine.relinearize(ciphertext) first",
            polynomial_count=operand.polynomial_count,
        )
    return operand


def secret_key(operation: str, value: Any) -> SecretKey:
    """Check that an argument is a secret key."""
    return checks.instance(operation, "secret_key", value, SecretKey)


def relinearization_key(registry: KeyRegistry, operation: str, value: Any) -> RelinearizationKey:
    """Check that an argument is a relinearization key, or has one, and remember it."""
    key = checks.instance(operation, "relinearization_key", value, RelinearizationKey)
    registry.remember(key)
    return key


def wrong_key(operation: str, argument: str, value: Any, needed: tuple[str, str], maker: str) -> OperandTypeError:
    """Say that a key is of neither of two kinds."""
    return OperandTypeError(
        f"{operation}: the key is of type {type(value).__name__}, and a {' or a '.join(needed)} is needed; make one "
        f"with engine.{maker}(secret_key)",
        argument=argument,
        expected=" or ".join(needed),
        actual=type(value).__name__,
    )
