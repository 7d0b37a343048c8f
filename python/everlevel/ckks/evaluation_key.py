"""All keys that an evaluator needs, as one object."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, Final, TypeVar, get_args

from .. import _native
from .._common import checks
from .._common.sizes import format_bytes
from .._common.storable import PathLike
from ..errors import KeyMismatchError, MissingKeyError, OperandTypeError, ParameterError
from . import _checks, _device
from ._registry import AnyKey
from ._storable import Storable
from .keys import (
    BootstrapKey,
    ConjugationKey,
    FixedRotationKey,
    LossyBootstrapKey,
    MatrixMultiplicationKey,
    RelinearizationKey,
    RotationKey,
    SmallBootstrapKey,
)

__all__ = ["EvaluationKey"]

KeyT = TypeVar("KeyT")

_KINDS: Final[tuple[Any, ...]] = get_args(AnyKey)

_HOW_TO_MAKE: Final = {
    RelinearizationKey: "engine.create_relinearization_key(secret_key)",
    ConjugationKey: "engine.create_conjugation_key(secret_key)",
    RotationKey: "engine.create_evaluation_key(secret_key, rotations=True)",
    MatrixMultiplicationKey: "engine.create_evaluation_key(secret_key, matrices=True)",
    BootstrapKey: "engine.create_evaluation_key(secret_key, bootstrap=True)",
    LossyBootstrapKey: "engine.create_evaluation_key(secret_key, bootstrap='lossy')",
    SmallBootstrapKey: "engine.create_evaluation_key(secret_key, bootstrap='small')",
}


class EvaluationKey(checks.KeyBundle, Storable):
    """The evaluation keys of one secret, accepted wherever one of them is.

    Made by `Engine.create_evaluation_key`, or of keys that there are: ``EvaluationKey([relinearization_key, …])``. It
    holds no more than those keys, which are shared and not copied, and like them is public: it computes, and decrypts
    nothing. One file has all of it (`save`, `Engine.load`), which is mapped like any key's.

    Parameters
    ----------
    keys : iterable of keys
        At most one of each kind, and one fixed rotation key for each amount; all of one secret.

    Raises
    ------
    ParameterError
        If there are no keys, or two of a kind.
    KeyMismatchError
        If the keys are of different secrets.
    OperandTypeError
        If something else is among them.

    Examples
    --------
    >>> evaluation_key = engine.create_evaluation_key(secret_key, rotations=[1, -1])
    >>> evaluation_key
    EvaluationKey(relinearization, conjugation, rotations -1 +1; ... MB)
    >>> x = engine.encrypt([1.0, 2.0], public_key, bound=2)
    >>> y = engine.rotate(engine.multiply(x, x, evaluation_key), evaluation_key, 1)
    >>> engine.decrypt(y, secret_key)[1:3].round(3)
    array([1., 4.])
    """

    __slots__ = ("__weakref__", "_context", "_fixed", "_keys", "_single")

    kind = "evaluation key"

    def __init__(self, keys: Iterable[AnyKey]) -> None:
        self._single: dict[type, Any] = {}
        fixed: dict[int, FixedRotationKey] = {}
        for key in checks.sequence("EvaluationKey", "keys", keys):
            if not isinstance(key, _KINDS):
                raise OperandTypeError(
                    f"EvaluationKey: a {type(key).__name__} is among the keys, and evaluation keys are needed; "
                    f"keep it apart",
                    argument="keys",
                    expected=" or ".join(kind.__name__ for kind in _KINDS),
                    actual=type(key).__name__,
                )
            if isinstance(key, FixedRotationKey):
                _add(fixed, key.delta, key)
            else:
                _add(self._single, _family(type(key)), key)
        self._fixed: Mapping[int, FixedRotationKey] = MappingProxyType(dict(sorted(fixed.items())))
        self._keys: tuple[Any, ...] = (
            *(self._single[kind] for kind in _KINDS if kind in self._single),
            *fixed.values(),
        )
        if not self._keys:
            raise ParameterError("EvaluationKey: there are no keys; give at least one", option="keys", value=())
        self._context: _native.Context = self._keys[0]._context
        _require_one_secret(self._keys)

    def _stored(self) -> tuple[_native.Context, Any, dict[str, str]]:
        return self._context, self._natives(), {}

    @property
    def keys(self) -> tuple[AnyKey, ...]:
        """The keys in it.

        Examples
        --------
        >>> [type(key).__name__ for key in evaluation_key.keys]
        ['RelinearizationKey', 'ConjugationKey', 'RotationKey']
        """
        return self._keys

    @property
    def relinearization_key(self) -> RelinearizationKey | None:
        """The relinearization key, or None.

        Examples
        --------
        >>> evaluation_key.relinearization_key
        RelinearizationKey(level 5, ... kB)
        """
        return self._single.get(RelinearizationKey)

    @property
    def conjugation_key(self) -> ConjugationKey | None:
        """The conjugation key, or None.

        Examples
        --------
        >>> evaluation_key.conjugation_key
        ConjugationKey(level 5, ... kB)
        """
        return self._single.get(ConjugationKey)

    @property
    def rotation_key(self) -> RotationKey | None:
        """The key that rotates by any amount, or None.

        Examples
        --------
        >>> evaluation_key.rotation_key
        RotationKey(level 5, ... MB)
        """
        return self._single.get(RotationKey)

    @property
    def fixed_rotation_keys(self) -> Mapping[int, FixedRotationKey]:
        """The keys that rotate by one amount, by that amount.

        Examples
        --------
        >>> key = engine.create_evaluation_key(secret_key, rotations=[1, -3])
        >>> list(key.fixed_rotation_keys)
        [-3, 1]
        """
        return self._fixed

    @property
    def matrix_multiplication_key(self) -> MatrixMultiplicationKey | None:
        """The key of fast products with matrices, or None.

        Examples
        --------
        >>> evaluation_key.matrix_multiplication_key is None
        True
        >>> engine.create_evaluation_key(secret_key, matrices=True).matrix_multiplication_key
        MatrixMultiplicationKey(level 5, ... MB)
        """
        return self._single.get(MatrixMultiplicationKey)

    @property
    def bootstrap_key(self) -> BootstrapKey | None:
        """The bootstrap key, lossy or not, or None.

        Examples
        --------
        >>> evaluation_key.bootstrap_key is None, deep_evaluation_key.bootstrap_key
        (True, LossyBootstrapKey(stage_count 3, medium, ... MB))
        """
        return self._single.get(BootstrapKey)

    @property
    def small_bootstrap_key(self) -> SmallBootstrapKey | None:
        """The small bootstrap key, or None.

        Examples
        --------
        >>> evaluation_key.small_bootstrap_key is None
        True
        """
        return self._single.get(SmallBootstrapKey)

    @property
    def has_small_bootstrap(self) -> bool:
        """Whether bootstraps take the small key and the rotation key, as there is no full one.

        Examples
        --------
        >>> deep_evaluation_key.has_small_bootstrap
        False
        """
        return self.bootstrap_key is None and self.small_bootstrap_key is not None

    @property
    def nbytes(self) -> int:
        """Bytes that the keys take in memory.

        Examples
        --------
        >>> evaluation_key.nbytes == sum(key.nbytes for key in evaluation_key.keys)
        True
        """
        return sum(key.nbytes for key in self._keys)

    @property
    def serialized_nbytes(self) -> int:
        """Bytes of the keys with seeds instead of their uniform halves: about what `save` writes.

        Examples
        --------
        >>> evaluation_key.serialized_nbytes < evaluation_key.nbytes
        True
        """
        return sum(key.serialized_nbytes for key in self._keys)

    @property
    def device(self) -> str:
        """The GPU that has copies of all of the keys, ``"gpu:0"``, or ``"cpu"``.

        Examples
        --------
        >>> evaluation_key.device
        'cpu'
        """
        return _device.place_of_keys(self._context, self._natives())

    def to(self, device: str) -> EvaluationKey:
        """Copy the keys to the engine's GPU, or free the GPU of the copies, and return the evaluation key itself.

        Parameters
        ----------
        device : {"cpu", "gpu"}
            As in `Ciphertext.to`, which says what is raised as well.

        Examples
        --------
        >>> engine.create_evaluation_key(secret_key, rotations=False).to("cpu").device
        'cpu'
        """
        _device.move_keys(self._context, self._natives(), device)
        return self

    def at_level(self, level: int) -> EvaluationKey:
        """Return the keys for ciphertexts of a level and below, each cut as its own `at_level` says.

        Keys for lower levels stay as they are. A bootstrap takes keys for every level, so that an evaluation key with
        one isn't cut.

        Parameters
        ----------
        level : int
            Highest level of the ciphertexts, from 0 to the highest that a key in it serves, for which the evaluation
            key itself is returned.

        Raises
        ------
        LevelError
            If no key serves the level, or there is a bootstrap key.
        OutOfMemoryError
            If there is no memory for it.

        Examples
        --------
        >>> evaluation_key = engine.create_evaluation_key(secret_key, rotations=[1, -1])
        >>> evaluation_key.at_level(2)
        EvaluationKey(relinearization up to level 2, conjugation up to level 2, rotations -1 +1 up to level 2; ... kB)
        """
        most = max(key.level for key in self._keys)
        number = _checks.level_of_key("at_level", level, "evaluation key", most)
        if number == most:
            return self
        for key in (self.bootstrap_key, self.small_bootstrap_key):
            if key is not None:
                key.at_level(number)
        return EvaluationKey(key if key.level <= number else key.at_level(number) for key in self._keys)

    def _natives(self) -> list[Any]:
        return [key._native for key in self._keys]

    @property
    def is_seeded(self) -> bool:
        """Whether all of the keys hold seeds instead of their uniform halves.

        Examples
        --------
        >>> evaluation_key.is_seeded
        False
        """
        return all(key.is_seeded for key in self._keys)

    @property
    def _secret_id(self) -> int:
        secret_id: int = self._keys[0]._native.secret_id
        return secret_id

    def save(self, path: PathLike, *, expanded: bool = False) -> None:
        """Write all of the keys to one file: see `Engine.load`.

        Parameters
        ----------
        path : str or path-like
            Where to. A file that is there is replaced, at once: whoever has it mapped keeps the old one.
        expanded : bool, default False
            Write uniform halves as well as their seeds: twice the size, for processes that map the file.

        Raises
        ------
        StorageError
            If the file can't be written; nothing is changed then.

        Examples
        --------
        >>> from tempfile import TemporaryDirectory
        >>> key = engine.create_evaluation_key(secret_key, rotations=False)
        >>> with TemporaryDirectory() as folder:
        ...     key.save(f"{folder}/keys")
        ...     loaded = engine.load(f"{folder}/keys")
        >>> loaded
        EvaluationKey(relinearization, conjugation; ... kB)
        """
        self._write(checks.path("save", path), expanded=checks.flag("save", "expanded", expanded))

    def part(self, operation: str, kind: type[KeyT]) -> KeyT:
        """Return the key of a kind.

        Raises
        ------
        MissingKeyError
            If it isn't there; the message says what is, and how to make it.

        Examples
        --------
        >>> from everlevel import RelinearizationKey
        >>> key = engine.create_evaluation_key(secret_key, rotations=False)
        >>> key.part("multiply", RelinearizationKey).level
        5
        """
        key = self._single.get(_family(kind))
        if isinstance(key, kind):
            return key
        name = getattr(kind, "kind", kind.__name__)
        raise self._missing(operation, name, _HOW_TO_MAKE.get(kind, "engine.create_evaluation_key(secret_key)"))

    def rotation(self, operation: str, delta: int) -> FixedRotationKey | RotationKey:
        """Return the key for a rotation by an amount, its own if there is one.

        Examples
        --------
        >>> key = engine.create_evaluation_key(secret_key, rotations=[1])
        >>> key.rotation("rotate", 1).delta
        1
        """
        key = self._fixed.get(delta) or self.rotation_key
        if key is None:
            how = f"engine.create_evaluation_key(secret_key, rotations=[{delta}]), or rotations=True for any amount"
            raise self._missing(operation, f"key for a rotation by {delta}", how)
        return key

    def for_matrices(
        self, operation: str, level: int
    ) -> RotationKey | MatrixMultiplicationKey | list[FixedRotationKey]:
        """Return the fastest key for products with matrices at a level; all fixed ones, where there is no other.

        Examples
        --------
        >>> key = engine.create_evaluation_key(secret_key, rotations=False, matrices=2)
        >>> key.for_matrices("multiply_matrix", 2).level
        2
        """
        key = self.matrix_multiplication_key
        if self.rotation_key is not None and (key is None or key.level < level):
            return self.rotation_key
        if key is None and self._fixed:
            return list(self._fixed.values())
        # One that serves lower levels only is refused with the level that it serves.
        return self.part(operation, MatrixMultiplicationKey)

    def _missing(self, operation: str, name: str, how: str) -> MissingKeyError:
        return MissingKeyError(
            f"{operation}: the evaluation key has no {name}; it has {', '.join(self._contents())}; make one with {how}",
            key=name,
        )

    def _contents(self) -> list[str]:
        most = self._context.max_level

        def up_to(*keys: AnyKey) -> str:
            least, highest = min(key.level for key in keys), max(key.level for key in keys)
            if least == most:
                return ""
            return f" up to level {highest}" if least == highest else f" up to levels {least} to {highest}"

        general = [self._single[kind] for kind in (RelinearizationKey, ConjugationKey) if kind in self._single]
        parts = [key.kind.removesuffix(" key") + up_to(key) for key in general]
        if self._fixed:
            shown = [f"{delta:+d}" for delta in list(self._fixed)[:8]]
            more = f" and {len(self._fixed) - len(shown)} more" if len(self._fixed) > len(shown) else ""
            parts.append(f"rotations {' '.join(shown)}{more}{up_to(*self._fixed.values())}")
        if self.rotation_key is not None:
            parts.append(f"rotations by any amount{up_to(self.rotation_key)}")
        if self.matrix_multiplication_key is not None:
            parts.append(f"matrices up to level {self.matrix_multiplication_key.level}")
        if self.bootstrap_key is not None:
            key = self.bootstrap_key
            parts.append(f"{key.kind.removesuffix(' key')} of stage_count {key.stage_count}")
        if self.small_bootstrap_key is not None:
            parts.append(SmallBootstrapKey.kind.removesuffix(" key"))
        return parts

    def __repr__(self) -> str:
        seeded = ", seeded" if self.is_seeded else ""
        return f"EvaluationKey({', '.join(self._contents())}; {format_bytes(self.nbytes)}{seeded})"


def _family(kind: type) -> type:
    """Return the class that a key is filed under: a lossy bootstrap key is a bootstrap key."""
    return next((base for base in _KINDS if issubclass(kind, base)), kind)


def _add(keys: dict[Any, Any], place: Any, key: AnyKey) -> None:
    if place in keys:
        which = f"{key.kind}s for {place:+d}" if isinstance(place, int) else f"{key.kind}s"
        raise ParameterError(
            f"EvaluationKey: there are two {which}, and one is taken; leave one of them out",
            option="keys",
            value=key.kind,
            allowed=1,
        )
    keys[place] = key


def _require_one_secret(keys: tuple[Any, ...]) -> None:
    secrets = {key._native.secret_id: key for key in keys}
    if len(secrets) > 1:
        kinds = [key.kind for key in secrets.values()]
        raise KeyMismatchError(
            f"EvaluationKey: the {kinds[0]} and the {kinds[1]} are of different secrets, and one is needed; "
            f"make all of them from one secret key",
            key=kinds[1],
        )
