"""NumPy's functions on what is encrypted: those that are operators and methods of it, and a refusal of others."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

import numpy as np

from ..errors import OperandTypeError
from .opaque import is_done

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

MOVES: Final = (
    *(np.reshape, np.ravel, np.squeeze, np.expand_dims, np.broadcast_to, np.atleast_1d, np.atleast_2d),
    *(np.transpose, np.swapaxes, np.moveaxis, np.flip, np.tile, np.repeat, np.take, np.diagonal),
    *(np.split, np.array_split),
)
"""Functions of NumPy that bring values to places without computing on them."""

_OF_SEVERAL: Final = (np.atleast_1d, np.atleast_2d, np.atleast_3d)
"""Functions of NumPy whose further arguments are arrays, which give as many results."""


@dataclass(frozen=True)
class NumpyCalls:
    """A scheme's answers to NumPy's functions.

    Attributes
    ----------
    advice : str
        Next step of a refusal that has none of its own.
    methods, attributes : mapping
        The method or the attribute behind a function of NumPy, by name.
    of_ufuncs : mapping
        The method behind a ufunc's own method, such as ``reduce``, by the ufunc and the name of that.
    next_steps : mapping
        Next steps of refusals, by the functions' names.
    functions : dict
        Functions in the place of NumPy's, which take NumPy's arguments: see `implements`.
    """

    advice: str
    methods: Mapping[Any, str] = field(default_factory=dict)
    attributes: Mapping[Any, str] = field(default_factory=dict)
    of_ufuncs: Mapping[tuple[Any, str], str] = field(default_factory=dict)
    next_steps: Mapping[str, str] = field(default_factory=dict)
    functions: dict[Any, Callable[..., Any]] = field(default_factory=dict)

    def implements(self, *called: Any) -> Callable[[FunctionT], FunctionT]:
        """Let a function stand for some of NumPy's."""

        def register(function: FunctionT) -> FunctionT:
            self.functions.update(dict.fromkeys(called, function))
            return function

        return register

    def moves(self, functions: Iterable[Any], placed: Callable[[str, Any, Callable[[Any], Any]], Any]) -> None:
        """Let values go to where functions of NumPy bring their places.

        Parameters
        ----------
        functions : iterable
            NumPy's, whose first argument is the array.
        placed : callable
            Called with the function's name, the array, and a function of the array's places.
        """

        def moving(function: Any) -> Callable[..., Any]:
            def call(a: Any, *args: Any, **kwargs: Any) -> Any:
                if args and function in _OF_SEVERAL:
                    why = "several arrays are given, and one is taken where values are encrypted"
                    raise self.refusal(f"numpy.{function.__name__}", why, type(a).__name__)
                for value in (*args, *kwargs.values()):
                    if hasattr(value, "__array_ufunc__") and not isinstance(value, (np.ndarray, np.generic)):
                        why = f"one argument is a {type(value).__name__}, and the first alone may be encrypted"
                        raise self.refusal(f"numpy.{function.__name__}", why, type(value).__name__)
                return placed(function.__name__, a, lambda places: function(places, *args, **kwargs))

            return call

        self.functions.update((function, moving(function)) for function in functions)

    def operator(self, kind: type, ufunc: Any, method: str, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Do what an operator of objects of a kind does, or a function, which NumPy calls by the name of its own."""
        name, kinds = f"numpy.{ufunc.__name__}", " and ".join(type(value).__name__ for value in inputs)
        *outs, kwargs = _outs(kwargs, kind)
        if outs:
            return _written(outs, self.operator(kind, ufunc, method, inputs, kwargs))
        own_method = self.of_ufuncs.get((ufunc, method))
        if own_method is not None and isinstance(inputs[0], kind) and hasattr(inputs[0], own_method):
            # NumPy's default is the first axis.
            return self._called(
                getattr(inputs[0], own_method), f"{name}.{method}", (), {"axis": 0, **kwargs}, inputs[0]
            )
        if method == "outer" and len(inputs) == 2 and not kwargs:
            left, right = inputs
            across = np.reshape(left, np.shape(left) + (1,) * np.ndim(right))
            return self.operator(kind, ufunc, "__call__", (across, right), {})
        if method != "__call__" or kwargs:
            option = method if method != "__call__" else ", ".join(kwargs)
            raise self.refusal(name, f"{option} isn't for what is encrypted", kinds)
        if ufunc in self.functions:
            return self._call(ufunc, inputs, {})
        own, reflected = OPERATORS.get(ufunc, ("", ""))
        calls = [(own, inputs[0], inputs[1:]), *((reflected, other, inputs[:1]) for other in inputs[1:])]
        for attribute, subject, others in calls:
            if isinstance(subject, kind) and is_done(getattr(subject, attribute, None)):
                result = getattr(subject, attribute)(*others)
                if result is not NotImplemented:
                    return result
        raise self.refusal(name, f"there is no such operation of {kinds}", kinds)

    def function(self, called: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Do what a method of something encrypted does, or a function, or say what an attribute says."""
        subject = args[0] if args else None
        *outs, kwargs = _outs(kwargs, type(subject))
        if outs:
            return _written(outs, self.function(called, args, kwargs))
        if called in self.functions:
            return self._call(called, args, kwargs)
        if called in self.attributes and not args[1:] and not kwargs:
            return getattr(subject, self.attributes[called])
        method, actual = getattr(subject, self.methods.get(called, ""), None), type(subject).__name__
        if method is None:
            raise self.refusal(f"numpy.{called.__name__}", "there is no such operation of what is encrypted", actual)
        return self._called(method, f"numpy.{called.__name__}", args[1:], kwargs, *args)

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
        return self._called(self.functions[called], f"numpy.{called.__name__}", args, kwargs, *args)

    def _called(self, function: Any, name: str, args: tuple[Any, ...], kwargs: dict[str, Any], *of: Any) -> Any:
        try:
            bound = inspect.signature(function).bind(*args, **kwargs)
        except TypeError as error:
            actual = ", ".join(type(value).__name__ for value in of)
            raise self.refusal(name, f"{error}, where values are encrypted", actual) from None
        return function(*bound.args, **bound.kwargs)


def _outs(kwargs: dict[str, Any], kind: type) -> tuple[Any, ...]:
    """Return the encrypted arrays that results are assigned to, if there are such, and the other options last."""
    out = kwargs.get("out")
    outs = out if isinstance(out, tuple) else (out,)
    if out is None or not all(isinstance(each, kind) and hasattr(each, "__setitem__") for each in outs):
        return ({name: value for name, value in kwargs.items() if name != "out" or value is not None},)
    return *outs, {name: value for name, value in kwargs.items() if name != "out"}


def _written(outs: Sequence[Any], results: Any) -> Any:
    """Assign results to the arrays that are given for them, and return these."""
    for out, result in zip(outs, results if isinstance(results, tuple) else (results,), strict=True):
        out[...] = result
    return tuple(outs) if isinstance(results, tuple) else outs[0]
