"""NumPy's functions on encrypted arrays: those that are an array's operators and methods, and a refusal of others."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from ..errors import OperandTypeError

_OPERATORS: Final[dict[Any, tuple[str, str]]] = {
    np.add: ("__add__", "__radd__"),
    np.subtract: ("__sub__", "__rsub__"),
    np.multiply: ("__mul__", "__rmul__"),
    np.floor_divide: ("__floordiv__", "__rfloordiv__"),
    np.remainder: ("__mod__", "__rmod__"),
    np.divmod: ("__divmod__", "__rdivmod__"),
    np.power: ("__pow__", "__rpow__"),
    np.negative: ("__neg__", ""),
    np.invert: ("__invert__", ""),
    np.bitwise_and: ("__and__", "__rand__"),
    np.bitwise_or: ("__or__", "__ror__"),
    np.bitwise_xor: ("__xor__", "__rxor__"),
    np.left_shift: ("__lshift__", "__rlshift__"),
    np.right_shift: ("__rshift__", "__rrshift__"),
    np.equal: ("__eq__", "__eq__"),
    np.not_equal: ("__ne__", "__ne__"),
    np.less: ("__lt__", "__gt__"),
    np.less_equal: ("__le__", "__ge__"),
    np.greater: ("__gt__", "__lt__"),
    np.greater_equal: ("__ge__", "__le__"),
}
"""The operator of a ufunc, and the one that is asked if only the second operand is encrypted."""

_METHODS: Final[dict[Any, str]] = {
    np.sum: "sum",
    np.min: "min",
    np.max: "max",
    np.argmin: "argmin",
    np.argmax: "argmax",
    np.any: "any",
    np.all: "all",
    np.reshape: "reshape",
}
_ATTRIBUTES: Final[dict[Any, str]] = {np.shape: "shape", np.ndim: "ndim", np.size: "size"}


def operator(kind: type, ufunc: Any, method: str, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Do what an operator of arrays of a kind does, which NumPy calls by the name of its function."""
    name, kinds = f"numpy.{ufunc.__name__}", " and ".join(type(value).__name__ for value in inputs)
    if method != "__call__" or kwargs:
        option = method if method != "__call__" else ", ".join(kwargs)
        raise refusal(name, f"{option} isn't for what is encrypted", kinds)
    own, reflected = _OPERATORS.get(ufunc, ("", ""))
    calls = [(own, inputs[0], inputs[1:]), *((reflected, other, inputs[:1]) for other in inputs[1:])]
    for attribute, subject, others in calls:
        if isinstance(subject, kind) and hasattr(subject, attribute):
            result = getattr(subject, attribute)(*others)
            if result is not NotImplemented:
                return result
    raise refusal(name, f"there is no such operation of {kinds}", kinds)


def function(called: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Do what a method of an encrypted array does, or say what an attribute says."""
    subject = args[0] if args else None
    if called in _ATTRIBUTES and not args[1:] and not kwargs:
        return getattr(subject, _ATTRIBUTES[called])
    method, actual = getattr(subject, _METHODS.get(called, ""), None), type(subject).__name__
    if method is None or not kwargs.keys() <= {"axis"}:
        raise refusal(f"numpy.{called.__name__}", "there is no such operation of what is encrypted", actual)
    return method(*args[1:], **kwargs)


def refusal(operation: str, why: str, actual: str) -> OperandTypeError:
    """Say that NumPy doesn't do this to what is encrypted."""
    return OperandTypeError(
        f"{operation}: {why}; use the array's operators and methods, those of the engine, tfhe.stack and "
        f"tfhe.concatenate, or decrypt it first",
        argument="ciphertext",
        expected="array in the clear",
        actual=actual,
    )
