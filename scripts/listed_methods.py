"""A griffe extension: functions that a class lists (`add = _arithmetic.add`) are documented as its methods."""

from __future__ import annotations

import copy
from typing import Any

import griffe


class ListedMethods(griffe.Extension):
    """Puts functions in the place of the attributes that name them."""

    def on_package(self, *, pkg: griffe.Module, loader: griffe.GriffeLoader, **_: Any) -> None:
        """Visit a package once all of it is read."""
        _visit(pkg, loader)


def _visit(scope: griffe.Module | griffe.Class, loader: griffe.GriffeLoader) -> None:
    for name, member in list(scope.members.items()):
        if isinstance(member, (griffe.Module, griffe.Class)):
            _visit(member, loader)
        elif isinstance(scope, griffe.Class) and isinstance(member, griffe.Attribute):
            function = _function(member.value, loader)
            if function is not None:
                method = scope.members[name] = _adopted(function, scope)
                method.overloads = [_adopted(overload, scope) for overload in function.overloads or []]


def _adopted(function: griffe.Function, scope: griffe.Class) -> griffe.Function:
    method = copy.copy(function)
    method.parent = scope
    return method


def _function(value: str | griffe.Expr | None, loader: griffe.GriffeLoader) -> griffe.Function | None:
    """Return the function that an expression names, if it names one of the package."""
    if not isinstance(value, griffe.ExprAttribute):
        return None
    try:
        found = loader.modules_collection[value.canonical_path]
    except KeyError:
        return None
    return found if isinstance(found, griffe.Function) else None
