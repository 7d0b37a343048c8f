"""Public functions and methods have an example in their docstrings, which pytest runs as doctests."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from fnmatch import fnmatchcase
from types import ModuleType
from typing import Any

import pytest

import everlevel
from everlevel import bfv, bulk, cluster, ml, ntru, tfhe
from everlevel.ckks import limbs

MODULES = [everlevel, tfhe, ntru, bfv, bulk, limbs, ml, cluster]
EXCUSED = {
    "everlevel.cluster.*": "takes a pool of workers; `docs/cluster.md` and `test_cluster` have them",
    "everlevel.ml.*": "takes a trained model; the example of `everlevel.ml.compile` and `docs/models.md` have them",
}
"""Names, or patterns of them, whose examples are elsewhere, with the reason."""


def callables() -> Iterator[tuple[str, Any]]:
    """Yield the public functions of modules and methods of classes, each function once, with its name."""
    seen = set()
    for module in MODULES:
        for name in module.__all__:
            found = getattr(module, name)
            if isinstance(found, ModuleType) or (inspect.isclass(found) and issubclass(found, Exception)):
                continue
            members = {"": found}
            if inspect.isclass(found):
                members = {f".{n}": inspect.getattr_static(found, n) for n in dir(found) if not n.startswith("_")}
            for member, value in members.items():
                function = getattr(value, "__func__", value)
                if inspect.isroutine(function) and function not in seen:
                    seen.add(function)
                    yield f"{module.__name__}.{name}{member}", function


@pytest.mark.parametrize(("name", "function"), [pytest.param(*each, id=each[0]) for each in callables()])
def test_a_docstring_has_an_example(name: str, function: Any) -> None:
    if not any(fnmatchcase(name, pattern) for pattern in EXCUSED):
        assert ">>> " in (function.__doc__ or ""), f"{name}: its docstring has no example"
