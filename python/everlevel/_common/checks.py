"""Checks of arguments that both schemes have. All run before any work is done, and change nothing."""

from __future__ import annotations

import operator
import os
from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np

from ..errors import MessageError, MissingKeyError, OperandTypeError, ParameterError, StorageError

T = TypeVar("T")


def refusal(operation: str, option: str, value: Any, needed: str, allowed: Any = None) -> ParameterError:
    """Return the error of an option's value: what is needed in its place, and what to do."""
    return ParameterError(
        f"{operation}: {option} is {value!r}, and {needed}", option=option, value=value, allowed=allowed
    )


def wrong_type(operation: str, name: str, value: Any, expected: str, needed: str) -> OperandTypeError:
    """Return the error of an argument of another type than `expected`: what is needed, and what to do."""
    actual = type(value).__name__
    return OperandTypeError(
        f"{operation}: {name} is of type {actual}, and {needed}", argument=name, expected=expected, actual=actual
    )


def none_encrypted(operation: str, names: str, *operands: Any) -> OperandTypeError:
    """Return the error of operands that are all in the clear."""
    return OperandTypeError(
        f"{operation}: none of the operands ({names}) is a ciphertext, and one must be; "
        f"use NumPy for what is in the clear",
        argument=names,
        expected="Ciphertext",
        actual=", ".join(type(operand).__name__ for operand in operands),
    )


def unmasked(operation: str, values: Any) -> None:
    """Refuse a masked array of which something is masked: NumPy would put what is under the mask in its place."""
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        index = int(np.argmax(np.ma.getmaskarray(values)))
        raise MessageError(
            f"{operation}: the value at index {index} is masked, and nothing can stand for it; "
            f"fill it first, for instance with values.filled(0)",
            index=index,
        )


def sequence(operation: str, name: str, values: Any) -> list[Any]:
    """Check that an argument can be gone through, and return what is in it."""
    try:
        return list(values)
    except TypeError:
        raise wrong_type(operation, name, values, "list", "a list is needed; put it in one") from None


def integer(operation: str, name: str, value: Any) -> int:
    """Check an integer argument, refusing floats and strings."""
    try:
        if isinstance(value, (bool, np.bool_)):
            raise TypeError
        return operator.index(value)
    except TypeError:
        raise OperandTypeError(
            f"{operation}: {name} is {value!r} of type {type(value).__name__}, and an integer is needed; "
            f"convert it with int()",
            argument=name,
            expected="int",
            actual=type(value).__name__,
        ) from None


def integer_between(operation: str, name: str, value: Any, least: int, most: int, next_step: str) -> int:
    """Check an integer argument's range, both ends in it."""
    found = integer(operation, name, value)
    if not least <= found <= most:
        raise refusal(operation, name, found, f"{least} to {most} is taken; {next_step}", (least, most))
    return found


def number(value: Any) -> float:
    """Return a single real number as a float, and NaN, which is in no range, for everything else."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    if not isinstance(value, (int, float, complex, np.number, np.bool_)):
        return float("nan")
    try:
        found = complex(value)
    except OverflowError:
        # A Python integer, of 1024 bits and more.
        return float("inf") if int(value.real) > 0 else float("-inf")
    return found.real if found.imag == 0 else float("nan")


def is_integer(value: Any) -> bool:
    """Whether a value is an integer, of Python's or NumPy's, and no truth value."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def flag(operation: str, name: str, value: Any) -> bool:
    """Check an argument that is True or False."""
    if not isinstance(value, (bool, np.bool_)):
        raise OperandTypeError(
            f"{operation}: {name} is {value!r} of type {type(value).__name__}, and True or False is needed; "
            f"convert it with bool()",
            argument=name,
            expected="bool",
            actual=type(value).__name__,
        )
    return bool(value)


def truth(operation: str, name: str, value: Any) -> bool:
    """Return whether an argument counts as true, which of an array isn't known."""
    try:
        return bool(value)
    except (TypeError, ValueError):
        return flag(operation, name, value)


def one_of(operation: str, option: str, value: Any, allowed: Sequence[str], hint: str = "check its spelling") -> str:
    """Check the name of a choice."""
    if not (isinstance(value, str) and value in allowed):
        *others, last = map(repr, allowed)
        raise refusal(operation, option, value, f"{', '.join(others)} and {last} are offered; {hint}", tuple(allowed))
    return value


class KeyBundle:
    """Base of what stands for each of the keys in it: `EvaluationKey`."""

    __slots__ = ()

    @abstractmethod
    def part(self, operation: str, kind: type[T]) -> T:
        """Return the key of a kind, or raise `MissingKeyError`."""


def instance(operation: str, name: str, value: Any, kind: type[T]) -> T:
    """Check an argument's type, and return it; of a bundle of keys, the key of that type."""
    if isinstance(value, KeyBundle) and not issubclass(kind, KeyBundle):
        return value.part(operation, kind)
    if not isinstance(value, kind):
        found, needed = type(value).__name__, kind.__name__
        advice = "check the order of the arguments"
        if found == needed:
            found, needed = _public_name(type(value)), _public_name(kind)
            advice = "use objects of one scheme"
        article = "an" if needed[0] in "AEIOe" else "a"
        raise OperandTypeError(
            f"{operation}: {name} is of type {found}, and {article} {needed} is needed; {advice}",
            argument=name,
            expected=needed,
            actual=found,
        )
    return value


def _public_name(of: type[Any]) -> str:
    """Name a class as users do: schemes have classes of one name, and CKKS's go without its own, but over limbs."""
    name = f"{of.__module__}.{of.__name__}"
    return name if ".limbs." in name else name.replace(".ckks.", ".")


def path(operation: str, value: Any) -> str:
    """Check a path, and return it as text."""
    try:
        text = os.fsdecode(value)
        os.fsencode(text)
        return text
    except UnicodeEncodeError:
        raise StorageError(
            f"{operation}: the path {value!r} has characters that no path of this system has; check the path",
            path=ascii(value),
        ) from None
    except TypeError:
        needed = "a str or pathlib.Path is needed; check the order of the arguments"
        raise wrong_type(operation, "path", value, "str or os.PathLike", needed) from None


def data(operation: str, value: Any) -> bytes:
    """Check an object's bytes, of any type that has a buffer."""
    try:
        return bytes(memoryview(value))
    except (TypeError, ValueError):
        raise wrong_type(
            operation, "data", value, "bytes", "bytes are needed; pass what to_bytes returned, or use load for a path"
        ) from None


def unfit(operation: str, error: Exception) -> OperandTypeError:
    """Return the error of arguments that NumPy's function of the operation's name refused."""
    return OperandTypeError(
        f"{operation}: the arguments don't fit ({error}); choose them as NumPy's function takes them",
        argument=operation,
        expected="arguments of NumPy's",
        actual=str(error),
    )


def missing_key(operation: str, kind: str, secrets: str = "secret_key") -> MissingKeyError:
    """Return the error of an engine that knows no key of a kind for the secret of its operands."""
    method = f"create_{kind.replace('-', '').replace(' ', '_')}"
    return MissingKeyError(
        f"{operation}: the engine knows no {kind} for this ciphertext's secret; "
        f"make one with engine.{method}({secrets}), or pass one to engine.use",
        key=kind,
    )
