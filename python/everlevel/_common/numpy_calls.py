"""NumPy's functions on what is encrypted: those that are operators and methods of it, and a refusal of others."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

import numpy as np

from ..errors import OperandTypeError

FunctionT = TypeVar("FunctionT", bound=Callable[..., Any])

OPERATORS: Final[Mapping[Any, tuple[str, str]]] = {
    np.add: ("__add__", "__radd__"),
    np.subtract: ("__sub__", "__rsub__"),
    np.multiply: ("__mul__", "__rmul__"),
    np.true_divide: ("__truediv__", "__rtruediv__"),
    np.floor_divide: ("__floordiv__", "__rfloordiv__"),
    np.remainder: ("__mod__", "__rmod__"),
    np.divmod: ("__divmod__", "__rdivmod__"),
    np.matmul: ("__matmul__", "__rmatmul__"),
    np.power: ("__pow__", "__rpow__"),
    np.negative: ("__neg__", ""),
    np.positive: ("__pos__", ""),
    np.absolute: ("__abs__", ""),
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


@dataclass(frozen=True)
class NumpyCalls:
    """A scheme's answers to NumPy's functions.

    Attributes
    ----------
    advice : str
        Next step of a refusal that has none of its own.
    methods, attributes : mapping
        The method or the attribute behind a function of NumPy, by name.
    next_steps : mapping
        Next steps of refusals, by the functions' names.
    functions : dict
        Functions in the place of NumPy's, which take NumPy's arguments: see `implements`.
    """

    advice: str
    methods: Mapping[Any, str] = field(default_factory=dict)
    attributes: Mapping[Any, str] = field(default_factory=dict)
    next_steps: Mapping[str, str] = field(default_factory=dict)
    functions: dict[Any, Callable[..., Any]] = field(default_factory=dict)

    def implements(self, *called: Any) -> Callable[[FunctionT], FunctionT]:
        """Let a function stand for some of NumPy's."""

        def register(function: FunctionT) -> FunctionT:
            self.functions.update(dict.fromkeys(called, function))
            return function

        return register

    def operator(self, kind: type, ufunc: Any, method: str, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Do what an operator of objects of a kind does, or a function, which NumPy calls by the name of its own."""
        name, kinds = f"numpy.{ufunc.__name__}", " and ".join(type(value).__name__ for value in inputs)
        if method != "__call__" or kwargs:
            option = method if method != "__call__" else ", ".join(kwargs)
            raise self.refusal(name, f"{option} isn't for what is encrypted", kinds)
        if ufunc in self.functions:
            return self._call(ufunc, inputs, {})
        own, reflected = OPERATORS.get(ufunc, ("", ""))
        calls = [(own, inputs[0], inputs[1:]), *((reflected, other, inputs[:1]) for other in inputs[1:])]
        for attribute, subject, others in calls:
            if isinstance(subject, kind) and hasattr(subject, attribute):
                result = getattr(subject, attribute)(*others)
                if result is not NotImplemented:
                    return result
        raise self.refusal(name, f"there is no such operation of {kinds}", kinds)

    def function(self, called: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Do what a method of something encrypted does, or a function, or say what an attribute says."""
        if called in self.functions:
            return self._call(called, args, kwargs)
        subject = args[0] if args else None
        if called in self.attributes and not args[1:] and not kwargs:
            return getattr(subject, self.attributes[called])
        method, actual = getattr(subject, self.methods.get(called, ""), None), type(subject).__name__
        if method is None or not kwargs.keys() <= {"axis"}:
            raise self.refusal(f"numpy.{called.__name__}", "there is no such operation of what is encrypted", actual)
        return method(*args[1:], **kwargs)

    def refusal(self, operation: str, why: str, actual: str) -> OperandTypeError:
        """Say that NumPy doesn't do this to what is encrypted."""
        next_step = self.next_steps.get(operation.removeprefix("numpy."), self.advice)
        return OperandTypeError(
            f"{operation}: {why}; {next_step}",
            argument="ciphertext",
            expected="array in the clear",
            actual=actual,
        )

    def _call(self, called: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Call the function that stands for one of NumPy's, if it takes such arguments."""
        function = self.functions[called]
        try:
            bound = inspect.signature(function).bind(*args, **kwargs)
        except TypeError as error:
            actual = ", ".join(type(value).__name__ for value in args)
            raise self.refusal(f"numpy.{called.__name__}", f"{error}, where values are encrypted", actual) from None
        return function(*bound.args, **bound.kwargs)
