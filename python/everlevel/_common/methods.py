"""Classes whose methods are functions of other modules, and functions that name options which they haven't got."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable
from functools import wraps
from types import FunctionType
from typing import Any, ParamSpec, TypeVar

from ..errors import OperandTypeError

ClassT = TypeVar("ClassT", bound=type)
P = ParamSpec("P")
R = TypeVar("R")


def lists_methods(listing: ClassT) -> ClassT:
    """Let the functions that a class lists in its body have the names and signatures of methods, as `help` shows them.

    The first parameter of each is called ``self``.
    """
    for name, attribute in vars(listing).items():
        function: Any = attribute
        while isinstance(function, FunctionType):
            function.__qualname__ = f"{listing.__qualname__}.{name}"
            function.__annotations__.pop("self", None)
            function = getattr(function, "__wrapped__", None)
    return listing


def knows_options(make: Callable[P, R]) -> Callable[P, R]:
    """Let an engine's `__init__` refuse options that there aren't, with the nearest one that there is.

    Raises
    ------
    OperandTypeError
        If an option has another name than those of the parameters.
    """
    names = list(inspect.signature(make).parameters)[1:]

    @wraps(make)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        for name in kwargs:
            if name not in names:
                nearest = difflib.get_close_matches(name, names, n=1, cutoff=0.5)
                next_step = f"write {nearest[0]}=…" if nearest else f"see help(Engine); there are {', '.join(names)}"
                raise OperandTypeError(
                    f"Engine: unexpected keyword argument {name!r}, which is no option; {next_step}",
                    argument=name,
                    expected=nearest[0] if nearest else ", ".join(names),
                    actual=name,
                )
        return make(*args, **kwargs)

    return call
