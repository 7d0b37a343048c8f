"""Classes whose methods are functions of other modules."""

from __future__ import annotations

from types import FunctionType
from typing import Any, TypeVar

ClassT = TypeVar("ClassT", bound=type)


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
