"""Names of 1.x: functions and arguments that are other ones here, so that its scripts run with the import changed.

A function of 1.x has a form for each type of its operands, with a name for each; ours has one form. `ALIASES` says what
each name stands for: the first of these parameters that a call leaves free.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from importlib import import_module
from importlib.metadata import version
from typing import Any, Final, TypeVar, overload

from ._common import checks
from ._common.methods import lists_methods
from ._common.storable import PathLike
from .ckks import _arithmetic, _files, _slots, keys
from .ckks._core import Core
from .ckks._key_generation import make_bootstrap_key
from .ckks._storable import Storable
from .ckks.ciphertext import Ciphertext
from .ckks.evaluation_key import EvaluationKey
from .ckks.keys import BootstrapKey, FixedRotationKey, RotationKey, SecretKey
from .ckks.matrix import LightPlainMatrix, PlainMatrix
from .ckks.plaintext import LightPlaintext, Plaintext
from .errors import FileKindError, UnsupportedError

T = TypeVar("T", bound=Storable)
CiphertextT = TypeVar("CiphertextT", Ciphertext, Plaintext)
EngineT = TypeVar("EngineT", bound=Core)

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


_UNSUPPORTED_FUNCTIONS: Final[Mapping[str, str]] = {
    "mod_raise": "use bootstrap, which does it first",
    "create_individual_": "keys shared between parties are not offered",
    "create_multiparty_": "keys shared between parties are not offered",
    "create_public_key_": "keys shared between parties are not offered",
    "individual_": "keys shared between parties are not offered",
    "multiparty_": "keys shared between parties are not offered",
    "serialize_": "there is no such kind of object yet",
    "deserialize_": "there is no such kind of object yet",
    "write_": "there is no such kind of object yet; use the save method of those there are",
    "read_": "there is no such kind of object yet; use load for those there are",
}
"""Beginnings of names that there are no functions for, and what to do."""

MODULES: Final[Mapping[str, str]] = {
    **{
        name: f"ckks.{name}"
        for name in ("_fit", "_sign_plan", "ciphertext", "engine", "evaluation_key", "keys", "matrix", "plaintext")
    },
}
"""Modules of version 0.1, which its pickles name, and where their classes and functions are."""


def keep_module_paths() -> None:
    """Let modules be imported under their former paths."""
    package = __name__.rpartition(".")[0]
    for path, place in MODULES.items():
        sys.modules[f"{package}.{path}"] = import_module(f"{package}.{place}")


def accept_names_of_1x(engine: type[EngineT]) -> type[EngineT]:
    """Let the functions of an engine take their arguments under 1.x's names as well."""
    for name, aliases in ALIASES.items():
        setattr(engine, name, accepting(getattr(engine, name), aliases))
    return engine


def unsupported_function(name: str) -> UnsupportedError:
    """Say that ``Engine.name`` doesn't exist, and what to use instead where 1.x has it."""
    for beginning, advice in _UNSUPPORTED_FUNCTIONS.items():
        if name.startswith(beginning):
            return UnsupportedError(f"Engine.{name}: not offered in this version; {advice}", function=name)
    if "pytorch" in name:
        return UnsupportedError(f"Engine.{name}: not offered; pass tensor.numpy() to the function without it")
    return UnsupportedError(f"Engine.{name}: there is no such attribute; see dir(Engine)", function=name)


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


_FunctionsOf1x = tuple[
    Callable[[Any, T, PathLike], None],
    Callable[[Any, PathLike], T],
    Callable[[Any, T], bytes],
    Callable[[Any, bytes], T],
]


def _functions(kind: type[T], name: str | None = None) -> _FunctionsOf1x[T]:
    """Make the four functions of 1.x for a kind of object."""
    name = name or kind.kind.replace(" ", "_")
    # What bootstrap keys are for is said inside of their files.
    file_kind = "bootstrap_key" if issubclass(kind, BootstrapKey) else name

    def write(self: Core, obj: T, path: PathLike) -> None:
        checks.instance(f"write_{name}", name, obj, kind).save(path)

    def read(self: Core, path: PathLike) -> T:
        return _of_kind(kind, _files.read(self, checks.path(f"read_{name}", path), file_kind))

    def serialize(self: Core, obj: T) -> bytes:
        return checks.instance(f"serialize_{name}", name, obj, kind)._serialize()

    def deserialize(self: Core, data: bytes) -> T:
        return _of_kind(kind, _files.deserialize(self, checks.data(f"deserialize_{name}", data), file_kind))

    a, what = ("an" if name[0] in "aeiou" else "a"), kind.__name__
    for function, docstring in (
        (write, f"Write {a} `{what}` to a file, as its `save` does."),
        (read, f"Read {a} `{what}` from a file, as `Engine.load` does. Any other kind is refused."),
        (serialize, f"Return the file of {a} `{what}` as bytes."),
        (deserialize, f"Return the `{what}` that ``serialize_{name}`` made bytes of."),
    ):
        function.__name__ = f"{function.__name__}_{name}"
        function.__doc__ = docstring
    aliases = file_aliases(name)
    return tuple(accepting(function, aliases) for function in (write, read, serialize, deserialize))  # type: ignore[return-value]


def _of_kind(kind: type[T], obj: Storable) -> T:
    """Refuse a regular bootstrap key where a lossy one is needed."""
    if isinstance(obj, kind):
        return obj
    raise FileKindError(
        f"read: the file holds a {obj.kind}, and a {kind.kind} was asked for; check the path, or load it as what it is",
        found=obj.kind,
        expected=kind.kind,
    )


@lists_methods
class NamesOf1x(Core):
    """Functions of 1.x that are other ones here, or are for one kind of object: what `Engine` has for its scripts."""

    @property
    def build_hash(self) -> str:
        """The package's version, under 1.x's name."""
        return version("everlevel")

    @overload
    def roll(self, ciphertext: Plaintext, rotation_key: int) -> Plaintext: ...
    @overload
    def roll(self, ciphertext: Plaintext, *, shift: int) -> Plaintext: ...
    @overload
    def roll(
        self, ciphertext: Ciphertext, rotation_key: RotationKey | FixedRotationKey | EvaluationKey, shift: int
    ) -> Ciphertext: ...
    def roll(self, ciphertext: Any, rotation_key: Any = None, shift: int | None = None) -> Any:
        """Rotate: the same as `rotate`, under NumPy's name."""
        return _slots.rotate(self, ciphertext, rotation_key, shift)

    def roll_many(
        self, ciphertext: Ciphertext, rotation_key: RotationKey | EvaluationKey, shifts: Sequence[int]
    ) -> list[Ciphertext]:
        """Rotate by many amounts: the same as `rotate_batch`, under 1.x's other name."""
        return _slots.rotate_batch(self, ciphertext, rotation_key, shifts)

    def ntt(self, ciphertext: CiphertextT) -> CiphertextT:
        """Return a clone. The representation of polynomials is the library's own affair: 1.x scripts may ask for it."""
        return _arithmetic.clone(self, ciphertext)

    def intt(self, ciphertext: CiphertextT) -> CiphertextT:
        """Return a clone, as `ntt` does."""
        return _arithmetic.clone(self, ciphertext)

    def create_merge_bootstrap_key(
        self,
        secret_key: SecretKey,
        stage_count: int | None = None,
        size: str = "medium",
        *,
        progress: bool | None = None,
    ) -> BootstrapKey:
        """Make a bootstrap key, by a name of 1.x: `Engine.merge_bootstrap` needs nothing that `bootstrap` doesn't.

        All is as in `create_bootstrap_key`.
        """
        operation = "create_merge_bootstrap_key"
        return make_bootstrap_key(self, operation, BootstrapKey, secret_key, stage_count, size, progress)

    # fmt: off
    write_ciphertext, read_ciphertext, serialize_ciphertext, deserialize_ciphertext = _functions(Ciphertext)
    write_plaintext, read_plaintext, serialize_plaintext, deserialize_plaintext = _functions(Plaintext)
    write_secret_key, read_secret_key, serialize_secret_key, deserialize_secret_key = _functions(SecretKey)
    write_public_key, read_public_key, serialize_public_key, deserialize_public_key = _functions(keys.PublicKey)
    write_relinearization_key, read_relinearization_key, serialize_relinearization_key, \
        deserialize_relinearization_key = _functions(keys.RelinearizationKey)
    write_conjugation_key, read_conjugation_key, serialize_conjugation_key, \
        deserialize_conjugation_key = _functions(keys.ConjugationKey)
    write_rotation_key, read_rotation_key, serialize_rotation_key, \
        deserialize_rotation_key = _functions(RotationKey)
    write_fixed_rotation_key, read_fixed_rotation_key, serialize_fixed_rotation_key, \
        deserialize_fixed_rotation_key = _functions(FixedRotationKey)
    write_bootstrap_key, read_bootstrap_key, serialize_bootstrap_key, \
        deserialize_bootstrap_key = _functions(BootstrapKey)
    write_lossy_bootstrap_key, read_lossy_bootstrap_key, serialize_lossy_bootstrap_key, \
        deserialize_lossy_bootstrap_key = _functions(keys.LossyBootstrapKey)
    write_light_plaintext, read_light_plaintext, serialize_light_plaintext, \
        deserialize_light_plaintext = _functions(LightPlaintext)
    write_plain_matrix, read_plain_matrix, serialize_plain_matrix, deserialize_plain_matrix = _functions(PlainMatrix)
    write_light_plain_matrix, read_light_plain_matrix, serialize_light_plain_matrix, \
        deserialize_light_plain_matrix = _functions(LightPlainMatrix)
    write_matrix_multiplication_key, read_matrix_multiplication_key, serialize_matrix_multiplication_key, \
        deserialize_matrix_multiplication_key = _functions(keys.MatrixMultiplicationKey)
    write_merge_bootstrap_key, read_merge_bootstrap_key, serialize_merge_bootstrap_key, \
        deserialize_merge_bootstrap_key = _functions(BootstrapKey, "merge_bootstrap_key")
    write_small_bootstrap_key, read_small_bootstrap_key, serialize_small_bootstrap_key, \
        deserialize_small_bootstrap_key = _functions(keys.SmallBootstrapKey)
    write_evaluation_key, read_evaluation_key, serialize_evaluation_key, \
        deserialize_evaluation_key = _functions(EvaluationKey)
    # fmt: on
