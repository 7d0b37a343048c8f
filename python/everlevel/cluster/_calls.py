"""Functions that workers call: a method of the engine, a group of bootstraps, a fold of a few values."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ._bound import ENGINES, Keys
from ._worker import handed_in


@dataclass(frozen=True)
class Method:
    """A method of the workers' engine, with all of its arguments but the operands and the keys."""

    name: str
    options: dict[str, Any]

    @property
    def __name__(self) -> str:
        return self.name

    def __call__(self, *operands: Any, engine: Any, keys: Keys) -> Any:
        """Call it. The evaluation key stands for the first key that isn't given."""
        method = getattr(engine, self.name)
        options = dict(self.options)
        if keys.evaluation_key is not None:
            signature = inspect.signature(method)
            given = signature.bind_partial(*operands, **options).arguments
            key = next((n for n in signature.parameters if (n == "key" or n.endswith("_key")) and n not in given), None)
            if key is not None and not any(n == "key" or n.endswith("_key") for n in given):
                options[key] = keys.evaluation_key
        return method(*operands, **options)


@dataclass(frozen=True)
class Fold:
    """A function of two values, on a sequence of them from left to right, after another function on each."""

    function: Callable[..., Any]
    each: Callable[..., Any] | None

    @property
    def __name__(self) -> str:
        return getattr(self.function, "__name__", type(self.function).__name__)

    def __call__(self, group: Sequence[Any], *, engine: Any, keys: Keys) -> Any:
        """Fold."""
        given = {"engine": engine, "keys": keys}
        to_each = {name: given[name] for name in handed_in(self.each)} if self.each is not None else {}
        to_both = {name: given[name] for name in handed_in(self.function)}
        folded: Any = None
        for index, value in enumerate(group):
            item = value if self.each is None else self.each(value, **to_each)
            folded = item if index == 0 else self.function(folded, item, **to_both)
        return folded


_KEPT_HERE = (
    "create_",
    "encrypt",
    "decrypt",
    "load",
    "use",
    "forget_keys",
    "estimate_memory",
    "plan_sign",
    "release",
    "read_",
)
"""Methods that make keys, need secrets, or belong to one process."""


def is_offered(engine: Any, name: str) -> bool:
    """Whether a pool offers a method of its engine."""
    kind = next(one for one in ENGINES if isinstance(engine, one))
    return not name.startswith(("_", *_KEPT_HERE)) and callable(getattr(kind, name, None))
