"""Checks of ciphertexts and keys, which most operations do first."""

from __future__ import annotations

from typing import Any

from .._common import checks
from ..errors import CiphertextFormError, LevelError
from ._registry import KeyRegistry
from .ciphertext import Ciphertext
from .keys import RelinearizationKey, SecretKey


def ciphertext(operation: str, value: Any) -> Ciphertext:
    """Check that an operand is a ciphertext."""
    return checks.instance(operation, "ciphertext", value, Ciphertext)


def relinearized(operation: str, value: Any) -> Ciphertext:
    """Check that an operand is a ciphertext of two polynomials."""
    operand = ciphertext(operation, value)
    if operand.polynomial_count != 2:
        raise CiphertextFormError(
            f"{operation}: the ciphertext has {operand.polynomial_count} polynomials and 2 are needed; "
            f"call engine.relinearize(ciphertext, relinearization_key) first",
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


def require_levels(operation: str, operand: Ciphertext, needed: int, max_level: int) -> None:
    """Check that an operand is at a level or above."""
    if operand.level < needed:
        raise LevelError(
            f"{operation}: needs level ≥ {needed}, ciphertext is at level {operand.level} of {max_level}; "
            f"bootstrap it first",
            level=operand.level,
            needed=needed,
            max_level=max_level,
        )
