"""Public functions, classes, methods and properties have an example in their docstrings, which pytest runs."""

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


def documented() -> Iterator[tuple[str, Any]]:
    """Yield the public functions and classes of modules, and methods and properties of classes, each once, by name."""
    seen = set()
    for module in MODULES:
        for name in module.__all__:
            found = getattr(module, name)
            if isinstance(found, ModuleType) or (inspect.isclass(found) and issubclass(found, Exception)):
                continue
            members = {"": found}
            if inspect.isclass(found):
                members |= {f".{n}": inspect.getattr_static(found, n) for n in dir(found) if not n.startswith("_")}
            for member, value in members.items():
                shown = getattr(value, "fget", getattr(value, "__func__", value))
                if (inspect.isroutine(shown) or inspect.isclass(shown)) and shown not in seen:
                    seen.add(shown)
                    yield f"{module.__name__}.{name}{member}", shown


@pytest.mark.parametrize(("name", "shown"), [pytest.param(*each, id=each[0]) for each in documented()])
def test_a_docstring_has_an_example(name: str, shown: Any) -> None:
    if not any(fnmatchcase(name, pattern) for pattern in EXCUSED):
        assert ">>> " in (shown.__doc__ or ""), f"{name}: its docstring has no example"
