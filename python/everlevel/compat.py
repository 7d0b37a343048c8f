"""Names of arguments that 1.x has and we don't, so that calls by keyword run too.

A function of 1.x has a form for each type of its operands, with a name for each; ours has one form. Here is what each
name stands for: the first of these parameters that a call leaves free.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Mapping
from functools import wraps
from importlib import import_module
from typing import Any, Final

Aliases = Mapping[str, tuple[str, ...]]

_PAIR: Final[Aliases] = {
    "ciphertext1": ("left",),
    "ciphertext2": ("right",),
    "ciphertext": ("left", "right"),
    **dict.fromkeys(("plaintext", "light_plaintext", "constant", "array"), ("right", "left")),
}
_PLAIN: Final[Aliases] = {"plaintext": ("ciphertext",)}
_BOOTSTRAP_KEYS: Final = ("bootstrap_key", "lossy_bootstrap_key", "merge_bootstrap_key")
_ROTATION_KEYS: Final = ("fixed_rotation_key", "rotation_key", *_BOOTSTRAP_KEYS)

ALIASES: Final[Mapping[str, Aliases]] = {
    **dict.fromkeys(("add", "subtract", "multiply", "multiply_imaginary_integer"), _PAIR),
    **dict.fromkeys(("clone", "conjugate", "intt", "ntt", "rescale"), _PLAIN),
    "change_level": {"light_plain_matrix": ("light_plaintext",)},
    "encrypt": {"plaintext": ("array",)},
    "level_down": {**_PLAIN, "plain_matrix": ("ciphertext",)},
    "merge_bootstrap": {"merge_bootstrap_key": ("bootstrap_key",)},
    "multiply_matrix": dict.fromkeys(("plain_matrix", "light_plain_matrix"), ("matrix",)),
    "roll": {**_PLAIN, **dict.fromkeys(_BOOTSTRAP_KEYS, ("rotation_key",))},
    "rotate": {**_PLAIN, **dict.fromkeys(_ROTATION_KEYS, ("key",))},
    "rotate_batch": {"fixed_rotation_keys": ("keys",), "rotation_key": ("keys",)},
}
"""For each function, what its other names stand for."""


def accept_names_of_1x(engine: type) -> None:
    """Let the functions of an engine take their arguments under 1.x's names as well."""
    for name, aliases in ALIASES.items():
        setattr(engine, name, accepting(getattr(engine, name), aliases))


MODULES: Final[Mapping[str, str]] = {
    **{name: f"ckks.{name}" for name in ("ciphertext", "engine", "evaluation_key", "keys", "matrix", "plaintext")},
    "_fit": "ckks._fit",
}
"""Modules of version 0.1, which its pickles name, and where their classes and functions are."""


def keep_module_paths() -> None:
    """Let modules be imported under their former paths."""
    package = __name__.rpartition(".")[0]
    for path, place in MODULES.items():
        sys.modules[f"{package}.{path}"] = import_module(f"{package}.{place}")


def file_aliases(name: str) -> Aliases:
    """Return the names that the functions for files of a kind of object take."""
    return {name: ("obj",), "file_path": ("path",)}


def accepting(function: Callable[..., Any], aliases: Aliases) -> Callable[..., Any]:
    """Let a function take its arguments under other names as well."""
    parameters = list(inspect.signature(function).parameters)

    @wraps(function)
    def call(*positional: Any, **named: Any) -> Any:
        known = [name for name in named if name in aliases]
        if known:
            free = [p for p in parameters[len(positional) :] if p not in named]
            for name in known:
                target = next((p for p in aliases[name] if p in free), None)
                if target is not None:
                    free.remove(target)
                    named[target] = named.pop(name)
        return function(*positional, **named)

    return call
