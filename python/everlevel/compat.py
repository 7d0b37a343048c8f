"""Engine with the names of 1.x, whose scripts run with their import line alone changed.

>>> from everlevel.compat import Engine
>>> engine = Engine("cpu", max_level=2)

A function of 1.x has a form for each type of its operands, with a name for each; ours has one form. `ALIASES` says what
each name stands for: the first of these parameters that a call leaves free. `FILES` has the kinds of objects for which
1.x has functions of their own that write and read them.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from importlib import import_module
from importlib.metadata import version
from typing import Any, Final, Literal, cast, get_args

from ._common import checks
from ._common.storable import PathLike
from .ckks import (
    BootstrapKey,
    Ciphertext,
    ConjugationKey,
    FixedRotationKey,
    LightPlainMatrix,
    LightPlaintext,
    LossyBootstrapKey,
    MatrixMultiplicationKey,
    PlainMatrix,
    Plaintext,
    PublicKey,
    RelinearizationKey,
    RotationKey,
    SecretKey,
    SmallBootstrapKey,
    _arithmetic,
    _bootstraps,
    _checks,
    _files,
    _slots,
)
from .ckks import engine as ckks
from .ckks._storable import Storable
from .errors import FileKindError, OperandTypeError, ParameterError, UnsupportedError

MergeBootstrapKey = BootstrapKey
"""1.x's name for the key of merged bootstraps, which a bootstrap key does."""

Mode = Literal["cpu", "parallel", "gpu"]
_MODES: Final = get_args(Mode)

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
    "encrypt": {"plaintext": ("array",), **dict.fromkeys(("public_key", "secret_key"), ("key",))},
    "level_down": {**_PLAIN, "plain_matrix": ("ciphertext",)},
    "multiply_matrix": {
        **dict.fromkeys(("plain_matrix", "light_plain_matrix"), ("matrix",)),
        **dict.fromkeys(("rotation_key", "matrix_multiplication_key"), ("key",)),
    },
    "roll": {**_PLAIN, **dict.fromkeys(_BOOTSTRAP_KEYS, ("rotation_key",))},
    "rotate": {**_PLAIN, **dict.fromkeys(_ROTATION_KEYS, ("key",))},
    "rotate_batch": {"fixed_rotation_keys": ("keys",), "rotation_key": ("keys",)},
}
"""For each function, what its other names stand for."""

_KINDS: Final = ("", "lossy_", "sign_", "merge_", "lossy_merge_", "sign_merge_")
BOOTSTRAPS: Final = tuple(f"{kind}bootstrap" for kind in _KINDS)
_OPERANDS: Final = ("ciphertext", "ciphertext1", "ciphertext2")
KEYS: Final = ("relinearization_key", "conjugation_key", "rotation_key", "small_bootstrap_key", *_BOOTSTRAP_KEYS)
"""The names of a bootstrap's keys, which `everlevel.Engine` knows by their classes."""

OF_DIAGONALS: Final = "encode_to_plain_matrix", "encode_to_light_plain_matrix"
"""Functions that take a level and diagonals, or diagonals alone."""

FILES: Final[Mapping[str, type[Storable]]] = {
    kind.kind.replace(" ", "_"): kind
    for kind in (
        *(Ciphertext, Plaintext, LightPlaintext, PlainMatrix, LightPlainMatrix, SecretKey, PublicKey),
        *(RelinearizationKey, ConjugationKey, RotationKey, FixedRotationKey, MatrixMultiplicationKey),
        *(BootstrapKey, LossyBootstrapKey, SmallBootstrapKey),
    )
} | {"merge_bootstrap_key": BootstrapKey}
"""The kinds of objects that 1.x has files of, by their names in its functions."""

_PARTIES: Final = "create_individual_", "create_multiparty_", "create_public_key_", "individual_", "multiparty_"
_UNSUPPORTED_FUNCTIONS: Final[Mapping[tuple[str, ...], str]] = {
    ("mod_raise",): "use bootstrap, which does it first",
    _PARTIES: "keys shared between parties are not offered",
    ("serialize_", "deserialize_"): "there is no such kind of object yet",
    ("write_", "read_"): "there is no such kind of object yet; use save, and load, of those there are",
}
"""Beginnings of names that there are no functions for, and what to do."""

_UNSUPPORTED_OPTIONS: Final[Mapping[str, str]] = {
    "use_multiparty": "keys shared between parties",
    "compact": "compact ciphertexts",
    "cuda_ntt_thread_count": "GPUs",
    "cuda_random_thread_count": "GPUs",
    "cuda_grid_size_multiplier": "GPUs",
}

MODULES: Final[Mapping[str, str]] = {
    name: f"ckks.{name}"
    for name in ("_fit", "_sign_plan", "ciphertext", "engine", "evaluation_key", "keys", "matrix", "plaintext")
}
"""Modules of version 0.1, which its pickles name, and where their classes and functions are."""


def keep_module_paths() -> None:
    """Let modules be imported under their former paths."""
    package = __name__.rpartition(".")[0]
    for path, place in MODULES.items():
        sys.modules[f"{package}.{path}"] = import_module(f"{package}.{place}")


class Engine(ckks.Engine):
    """`everlevel.Engine` with the names of 1.x: its functions, and its names and forms of arguments.

    Programs that are written today have no use for it: each of these calls has one of `everlevel.Engine` behind it.

    Parameters
    ----------
    max_level : int, optional
        In the first place or by name, as for `everlevel.Engine`.
    mode : {"cpu", "parallel", "gpu"}, default "cpu"
        One thread, or `thread_count` of them: all, if that is left out; or a GPU, whose number is `device_id`.
    **options
        Those of `everlevel.Engine`. Options of 1.x that aren't offered raise `ParameterError`, unless they are off.

    Examples
    --------
    >>> from everlevel.compat import Engine
    >>> engine = Engine("cpu", max_level=2, insecure_log_n=10)
    >>> secret_key = engine.create_secret_key()
    >>> ciphertext = engine.encrypt([1.0, 2.0], secret_key, bound=2)
    >>> data = engine.serialize_ciphertext(engine.add(ciphertext1=ciphertext, ciphertext2=ciphertext))
    >>> engine.decrypt(engine.deserialize_ciphertext(data), secret_key)[:2].round(3)
    array([2., 4.])
    """

    def __init__(
        self,
        *positional: int | Mode,
        mode: Mode | None = None,
        max_level: int | None = None,
        thread_count: int | None = None,
        **options: Any,
    ) -> None:
        chosen, levels = _mode_and_level(positional, mode, max_level)
        if chosen == "cpu" and thread_count not in (None, 1):
            raise ParameterError(
                f"Engine: thread_count is {thread_count} and mode 'cpu' has one thread; pass mode='parallel'",
                option="thread_count",
                value=thread_count,
                allowed=1,
            )
        options = {"mode": "gpu" if chosen == "gpu" else "cpu", **_offered(options)}
        super().__init__(levels, thread_count=1 if chosen == "cpu" else thread_count, **options)

    _has_one_order = True
    _has_shapes = False

    def __getattr__(self, name: str) -> Any:
        raise unsupported_function(name)

    @property
    def build_hash(self) -> str:
        """The package's version, under 1.x's name."""
        return version("everlevel")

    def add(self, left: Any, right: Any, out: Ciphertext | None = None) -> Ciphertext:
        """Add, as `everlevel.Engine.add` does; `out` takes the result's place, and is returned."""
        return self._put("add", super().add(left, right), out)

    def subtract(self, left: Any, right: Any, out: Ciphertext | None = None) -> Ciphertext:
        """Subtract, as `everlevel.Engine.subtract` does; `out` takes the result's place, and is returned."""
        return self._put("subtract", super().subtract(left, right), out)

    def multiply(
        self, left: Any, right: Any, relinearization_key: Any = None, *, relinearize: bool | None = None
    ) -> Ciphertext:
        """Multiply, as `everlevel.Engine.multiply` does; without a key, products have three polynomials."""
        wanted = relinearization_key is not None if relinearize is None else relinearize
        return super().multiply(left, right, relinearization_key, relinearize=wanted)

    def square(
        self, ciphertext: Ciphertext, relinearization_key: Any = None, *, relinearize: bool | None = None
    ) -> Ciphertext:
        """Square, as `everlevel.Engine.square` does; without a key, to three polynomials."""
        wanted = relinearization_key is not None if relinearize is None else relinearize
        return super().square(ciphertext, relinearization_key, relinearize=wanted)

    def _put(self, operation: str, result: Ciphertext, out: Any) -> Ciphertext:
        if out is None:
            return result
        target = checks.instance(operation, "out", out, Ciphertext)
        if self._refreshed is not None:
            self._refreshed.forget(target)
        target._native, target._is_real, target._layout = result._native, result._is_real, result._layout
        return target

    def multiply_imaginary_integer(self, left: Any, right: Any) -> Ciphertext:
        """Multiply by an integer times i: ``multiply(x, 3j)``."""
        x, factor = (left, right) if isinstance(left, Ciphertext) else (right, left)
        integer = checks.integer("multiply_imaginary_integer", "factor", factor)
        return self.multiply(x, complex(0, checks.number(integer)))

    def roll(self, ciphertext: Any, rotation_key: Any = None, shift: int | None = None) -> Any:
        """Rotate: the same as `rotate`, under NumPy's name."""
        return _slots.rotate(self, ciphertext, rotation_key, shift)

    def roll_many(self, ciphertext: Ciphertext, rotation_key: Any, shifts: Sequence[int]) -> list[Ciphertext]:
        """Rotate by many amounts: the same as `rotate_batch`, under 1.x's other name."""
        return _slots.rotate_batch(self, ciphertext, rotation_key, shifts)

    rescale = _arithmetic.rescale
    clone = _arithmetic.clone
    lossy_merge_bootstrap = _bootstraps.lossy_merge_bootstrap
    sign_merge_bootstrap = _bootstraps.sign_merge_bootstrap

    def ntt(self, ciphertext: Any) -> Any:
        """Return a clone. The representation of polynomials is the library's own affair: 1.x scripts may ask for it."""
        return self.clone(ciphertext)

    def intt(self, ciphertext: Any) -> Any:
        """Return a clone, as `ntt` does."""
        return self.clone(ciphertext)

    def create_secret_key(self, secret: Any = None, level: Any = None, **options: Any) -> SecretKey:
        """Draw a new secret: `everlevel.Engine.create_secret_key`. A level is checked, and a given secret refused."""
        operation = "create_secret_key"
        if _checks.is_scalar(secret):
            secret, level = None, secret
        if secret is not None:
            raise ParameterError(
                f"{operation}: a secret was given, and secrets are drawn here; leave it out, or read a key that was "
                f"saved with engine.load(path)",
                option="secret",
                allowed=None,
            )
        _checks.level(operation, level, self.max_level)
        return super().create_secret_key(**options)

    def create_public_key(self, secret_key: SecretKey, level: Any = None) -> PublicKey:
        """Make a key that encrypts at every level: `everlevel.Engine.create_public_key`. A level is checked."""
        _checks.level("create_public_key", level, self.max_level)
        return super().create_public_key(secret_key)

    def create_merge_bootstrap_key(
        self, secret_key: SecretKey, stage_count: int | None = None, size: str = "medium", **options: Any
    ) -> BootstrapKey:
        """Make a bootstrap key: `merge_bootstrap` needs nothing that `bootstrap` doesn't."""
        return self.create_bootstrap_key(secret_key, stage_count, size, **options)


def accepting(function: Callable[..., Any], aliases: Aliases) -> Callable[..., Any]:
    """Let a function take its arguments under other names as well."""
    parameters = list(inspect.signature(function).parameters)

    @wraps(function)
    def call(*positional: Any, **named: Any) -> Any:
        free = [p for p in parameters[len(positional) :] if p not in named]
        for name in [name for name in named if name in aliases]:
            target = next((p for p in aliases[name] if p in free), None)
            if target is not None:
                free.remove(target)
                named[target] = named.pop(name)
        return function(*positional, **named)

    return call


def _naming_keys(function: Callable[..., Any]) -> Callable[..., Any]:
    """Let a bootstrap take its keys by name, and its stage count after them."""

    @wraps(function)
    def call(self: Engine, *positional: Any, **named: Any) -> Any:
        operands = [named.pop(name) for name in _OPERANDS if name in named]
        keys = [named.pop(name) for name in KEYS if name in named]
        if positional and checks.is_integer(positional[-1]):
            positional, named["stage_count"] = positional[:-1], positional[-1]
        return function(self, *operands, *positional, *keys, **named)

    return call


def _taking_diagonals(function: Callable[..., Any]) -> Callable[..., Any]:
    """Let a function that encodes a matrix take diagonals in the place of the level."""

    @wraps(function)
    def call(self: Engine, matrix: Any, level: Any = None, diagonal_indices: Any = None) -> Any:
        if diagonal_indices is None and level is not None and not _checks.is_scalar(level):
            level, diagonal_indices = None, level
        return function(self, matrix, level, diagonal_indices)

    return call


def _file_functions(name: str, kind: type[Storable]) -> list[Callable[..., Any]]:
    """Make the four functions of 1.x for a kind of object."""
    # What bootstrap keys are for is said inside of their files.
    file_kind = "bootstrap_key" if issubclass(kind, BootstrapKey) else name

    def write(self: Engine, obj: Storable, path: PathLike) -> None:
        checks.instance(f"write_{name}", name, obj, kind).save(path)

    def read(self: Engine, path: PathLike) -> Storable:
        return _of_kind(kind, _files.read(self, checks.path(f"read_{name}", path), file_kind))

    def serialize(self: Engine, obj: Storable) -> bytes:
        return checks.instance(f"serialize_{name}", name, obj, kind).to_bytes()

    def deserialize(self: Engine, data: bytes) -> Storable:
        return _of_kind(kind, _files.deserialize(self, checks.data(f"deserialize_{name}", data), file_kind))

    a, what = ("an" if name[0] in "aeiou" else "a"), kind.__name__
    docstrings: dict[Callable[..., Any], str] = {
        write: f"Write {a} `{what}` to a file, as its `save` does.",
        read: f"Read {a} `{what}` from a file, as `Engine.load` does. Any other kind is refused.",
        serialize: f"Return the file of {a} `{what}` as bytes.",
        deserialize: f"Return the `{what}` that ``serialize_{name}`` made bytes of.",
    }
    for function, docstring in docstrings.items():
        function.__name__, function.__doc__ = f"{function.__name__}_{name}", docstring
    return [accepting(function, file_aliases(name)) for function in docstrings]


def file_aliases(name: str) -> Aliases:
    """Return the names that the functions for files of a kind of object take."""
    return {name: ("obj",), "file_path": ("path",)}


def _of_kind(kind: type[Storable], obj: Storable) -> Storable:
    """Refuse a regular bootstrap key where a lossy one is needed."""
    if isinstance(obj, kind):
        return obj
    raise FileKindError(
        f"read: the file holds a {obj.kind}, and a {kind.kind} was asked for; check the path, or load it as what it is",
        found=obj.kind,
        expected=kind.kind,
    )


for _name, _aliases in ALIASES.items():
    setattr(Engine, _name, accepting(getattr(Engine, _name), _aliases))
for _name in BOOTSTRAPS:
    setattr(Engine, _name, _naming_keys(getattr(Engine, _name)))
for _name in OF_DIAGONALS:
    setattr(Engine, _name, _taking_diagonals(getattr(Engine, _name)))
for _name, _kind in FILES.items():
    for _function in _file_functions(_name, _kind):
        setattr(Engine, _function.__name__, _function)


def unsupported_function(name: str) -> UnsupportedError:
    """Say that ``Engine.name`` doesn't exist, and what to use instead where 1.x has it."""
    for beginnings, advice in _UNSUPPORTED_FUNCTIONS.items():
        if name.startswith(beginnings):
            return UnsupportedError(f"Engine.{name}: not offered in this version; {advice}", function=name)
    if "pytorch" in name:
        return UnsupportedError(f"Engine.{name}: not offered; pass tensor.numpy() to the function without it")
    return UnsupportedError(f"Engine.{name}: there is no such attribute; see dir(Engine)", function=name)


def _offered(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that `everlevel.Engine` has; others are refused that aren't off."""
    for name, asked_for in _UNSUPPORTED_OPTIONS.items():
        value = options.get(name)
        if checks.truth("Engine", name, value):
            raise ParameterError(
                f"Engine: {name}={value!r} asks for {asked_for}, which this version doesn't offer; "
                f"leave the option out",
                option=name,
                value=value,
                allowed=None,
            )
    return {name: value for name, value in options.items() if name not in _UNSUPPORTED_OPTIONS}


def _mode_and_level(positional: tuple[Any, ...], mode: Any, max_level: Any) -> tuple[Mode, Any]:
    """Read ``Engine(mode)``, ``Engine(max_level, mode)`` and their keyword forms; the level is checked later."""
    rest = list(positional)
    if rest and not isinstance(rest[0], str):
        if max_level is not None:
            raise OperandTypeError("Engine: max_level was given twice; give it once", argument="max_level")
        max_level = rest.pop(0)
    if rest and isinstance(rest[0], str):
        if mode is not None:
            raise OperandTypeError("Engine: mode was given twice; give it once", argument="mode")
        mode = rest.pop(0)
    if rest:
        raise ParameterError(
            f"Engine: {positional!r} was given, and Engine(mode) or Engine(max_level, mode) is taken; "
            f"ring sizes and special primes aren't chosen by hand: give max_level and slot_count",
            option="positional arguments",
            value=positional,
        )
    mode = "cpu" if mode is None else mode
    if not (isinstance(mode, str) and mode in _MODES):
        raise checks.refusal(
            "Engine", "mode", mode, "'cpu' (one thread), 'parallel' and 'gpu' are offered; check its spelling", _MODES
        )
    return cast(Mode, mode), max_level
