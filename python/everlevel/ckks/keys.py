"""Keys, as an engine makes them. All are immutable, and safe to share between threads.

A `SecretKey` decrypts. Every other key is public: it lets its holder encrypt or compute, and tells nothing about the
secret it was made from. An evaluation key remembers which secret that was, so that a wrong one is refused by name.
"""

from __future__ import annotations

from typing import Any, ClassVar, Generic, Protocol, TypeVar

from .. import _native
from .._common import checks
from .._common.sizes import format_bytes
from .._common.storable import PathLike, Secret
from ..errors import LevelError
from . import _checks, _device
from ._storable import Storable

__all__ = [
    "BootstrapKey",
    "ConjugationKey",
    "FixedRotationKey",
    "LossyBootstrapKey",
    "MatrixMultiplicationKey",
    "PublicKey",
    "RelinearizationKey",
    "RotationKey",
    "SecretKey",
    "SmallBootstrapKey",
]


class _NativeKey(Protocol):
    @property
    def nbytes(self) -> int: ...
    @property
    def secret_id(self) -> int: ...


class _NativeEvaluationKey(_NativeKey, Protocol):
    @property
    def is_seeded(self) -> bool: ...
    @property
    def seeded_nbytes(self) -> int: ...


class _NativeLevelKey(_NativeEvaluationKey, Protocol):
    def level(self, context: _native.Context) -> int: ...
    def at_level(self: LevelT, context: _native.Context, level: int) -> LevelT | None: ...


NativeT = TypeVar("NativeT", bound=_NativeKey)
EvaluationT = TypeVar("EvaluationT", bound=_NativeEvaluationKey)
LevelT = TypeVar("LevelT", bound=_NativeLevelKey)
SelfT = TypeVar("SelfT", bound="_EvaluationKey[Any]")
LevelSelfT = TypeVar("LevelSelfT", bound="_LevelKey[Any]")


class _Key(Storable, Generic[NativeT]):
    """Base of all keys: their native object, the levels that they serve, and their size."""

    __slots__ = ("__weakref__", "_context", "_level", "_native")

    kind: ClassVar[str] = "key"

    def __init__(self, context: _native.Context, native: NativeT, level: int) -> None:
        self._context = context
        self._native = native
        self._level = level

    def _stored(self) -> tuple[_native.Context, Any, dict[str, str]]:
        return self._context, self._native, {}

    @property
    def level(self) -> int:
        """Highest level of the ciphertexts that the key works on.

        Examples
        --------
        >>> relinearization_key.level == engine.max_level
        True
        """
        return self._level

    @property
    def nbytes(self) -> int:
        """Bytes that the key takes in memory.

        Examples
        --------
        >>> rotation_key.nbytes > relinearization_key.nbytes
        True
        """
        return self._native.nbytes

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._details()})"

    def _details(self) -> str:
        return f"level {self.level}, {self._size()}"

    def _size(self) -> str:
        return format_bytes(self.nbytes)


class SecretKey(Secret, _Key[_native.SecretKey]):
    """The key that decrypts. Its memory is overwritten when the last reference goes.

    It is never pickled, copied or printed: a secret that travels, travels on purpose, by `save` and
    `to_bytes`.

    Examples
    --------
    >>> key = engine.create_secret_key()
    >>> engine.decrypt(engine.encrypt([0.5], key), key).round(3)
    array([0.5])
    """

    __slots__ = ()

    kind = "secret key"

    _to_send_instead = "evaluation keys from it and send those"

    @property
    def serialized_nbytes(self) -> int:
        """Bytes of the secret in a file: two bits for each coefficient.

        Examples
        --------
        >>> secret_key.serialized_nbytes
        256
        """
        return int(2 ** (self._context.log_n - 2))

    def _details(self) -> str:
        return "hidden"


class PublicKey(_Key[_native.PublicKey]):
    """Encrypts, and can't decrypt.

    Examples
    --------
    >>> key = engine.create_public_key(secret_key)
    >>> engine.decrypt(engine.encrypt([0.5], key), secret_key).round(3)
    array([0.5])
    """

    __slots__ = ()

    kind = "public key"


class _EvaluationKey(_Key[EvaluationT]):
    """Base of keys that compute: they are held expanded or, with ``seeded_keys=True``, seeded."""

    __slots__ = ()

    @property
    def is_seeded(self) -> bool:
        """Whether the key holds the seeds of its uniform halves, and expands them at each use.

        Examples
        --------
        >>> rotation_key.is_seeded
        False
        """
        return self._native.is_seeded

    @property
    def device(self) -> str:
        """The GPU that has a copy of the key, ``"gpu:0"``, or ``"cpu"``.

        Examples
        --------
        >>> engine.create_relinearization_key(secret_key).device
        'cpu'
        """
        return _device.place_of_keys(self._context, [self._native])

    def to(self: SelfT, device: str) -> SelfT:
        """Copy the key to the engine's GPU, or free the GPU of its copy, and return the key itself.

        The key stays on the CPU as well. Keys that an engine with ``mode="gpu"`` makes or loads are copied by it, and
        others at their first use there.

        Parameters
        ----------
        device : {"cpu", "gpu"}
            As in `Ciphertext.to`, which says what is raised as well.

        Examples
        --------
        >>> deep = Engine(use_bootstrap=True, insecure_log_n=10)
        >>> deep.create_bootstrap_key(deep.create_secret_key()).to("cpu").device
        'cpu'
        """
        _device.move_keys(self._context, [self._native], device)
        return self

    @property
    def serialized_nbytes(self) -> int:
        """Bytes of the key with the seeds of its uniform halves instead of the halves: half of an expanded key.

        Examples
        --------
        >>> relinearization_key.serialized_nbytes < relinearization_key.nbytes
        True
        """
        return self._native.seeded_nbytes

    def save(self, path: PathLike, *, expanded: bool = False) -> None:
        """Write the key to a file: see `Engine.load`.

        Parameters
        ----------
        path : str or path-like
            Where to. A file that is there is replaced, at once: whoever has it mapped keeps the old one.
        expanded : bool, default False
            Write the uniform halves as well as their seed. The file takes twice the room, and a process that maps it
            needn't expand them at each use.

        Raises
        ------
        StorageError
            If the file can't be written; nothing is changed then.

        Examples
        --------
        >>> from tempfile import TemporaryDirectory
        >>> deep = Engine(use_bootstrap=True, insecure_log_n=10)
        >>> key = deep.create_bootstrap_key(deep.create_secret_key())
        >>> with TemporaryDirectory() as folder:
        ...     key.save(f"{folder}/bootstrap.key")
        ...     loaded = deep.load(f"{folder}/bootstrap.key")
        >>> loaded.stage_count
        3
        """
        self._write(checks.path("save", path), expanded=checks.flag("save", "expanded", expanded))

    def _size(self) -> str:
        return f"{format_bytes(self.nbytes)}, seeded" if self.is_seeded else super()._size()


class _LevelKey(_EvaluationKey[LevelT]):
    """Base of keys for message levels, which are made for some of them, or cut to them."""

    __slots__ = ()

    def __init__(self, context: _native.Context, native: LevelT) -> None:
        super().__init__(context, native, native.level(context))

    def at_level(self: LevelSelfT, level: int) -> LevelSelfT:
        """Return the key for ciphertexts of a level and below: less memory and a smaller file, and the same results.

        What is left is a copy of what those ciphertexts need of this key, and bits of results are those that this key
        gives. It takes no secret: so whoever is given a key cuts it to what is used. Who has the secret makes a key for
        the level instead (`Engine.create_relinearization_key` and its like): that one has digits of its own, and is
        faster. A key that is cut, or made for a lower level than the engine's highest, serves no bootstrap.

        Parameters
        ----------
        level : int
            Highest level of the ciphertexts, from 0 to the key's own, for which the key itself is returned.

        Raises
        ------
        LevelError
            If the key serves no such level.
        OutOfMemoryError
            If there is no memory for it.

        Examples
        --------
        >>> low = relinearization_key.at_level(1)
        >>> low
        RelinearizationKey(level 1, ... kB)
        >>> x = engine.encrypt([0.5, -0.5], public_key, level=1)
        >>> bool(engine.decrypt(engine.square(x, low), secret_key)[0].round(3) == 0.25)
        True
        """
        number = _checks.level_of_key("at_level", level, self.kind, self.level)
        native = self._native.at_level(self._context, number)
        return self if native is None else type(self)(self._context, native)


class RelinearizationKey(_LevelKey[_native.RelinearizationKey]):
    """Brings a product of two ciphertexts from three polynomials back to two.

    Examples
    --------
    >>> x = engine.encrypt([0.5], secret_key, bound=1)
    >>> product = engine.multiply(x, x, engine.create_relinearization_key(secret_key))
    >>> engine.decrypt(product, secret_key).round(3)
    array([0.25])
    """

    __slots__ = ()

    kind = "relinearization key"


class ConjugationKey(_LevelKey[_native.ConjugationKey]):
    """Conjugates the slots.

    Examples
    --------
    >>> x = engine.encrypt([1 + 2j], secret_key, bound=3)
    >>> engine.decrypt(engine.conjugate(x, engine.create_conjugation_key(secret_key)), secret_key).round(3)
    array([1.-2.j])
    """

    __slots__ = ()

    kind = "conjugation key"


class RotationKey(_LevelKey[_native.RotationKey]):
    """Rotates by any amount, composed of powers of two.

    Examples
    --------
    >>> x = engine.encrypt([1.0, 2.0], secret_key, bound=2)
    >>> engine.decrypt(engine.rotate(x, engine.create_rotation_key(secret_key), 1), secret_key)[1:3].round(3)
    array([1., 2.])
    """

    __slots__ = ()

    kind = "rotation key"


class FixedRotationKey(_LevelKey[_native.FixedRotationKey]):
    """Rotates by one amount, in one key switch.

    Examples
    --------
    >>> key = engine.create_fixed_rotation_key(secret_key, 1)
    >>> x = engine.encrypt([1.0, 2.0], secret_key, bound=2)
    >>> engine.decrypt(engine.rotate(x, key), secret_key)[1:3].round(3)
    array([1., 2.])
    """

    __slots__ = ()

    kind = "fixed rotation key"

    @property
    def delta(self) -> int:
        """The amount, in slots, with the sign of ``numpy.roll``.

        Examples
        --------
        >>> engine.create_fixed_rotation_key(secret_key, -2).delta
        -2
        """
        return self._native.delta

    def _details(self) -> str:
        return f"delta {self.delta:+d}, {super()._details()}"


class MatrixMultiplicationKey(_LevelKey[_native.MatrixMultiplicationKey]):
    """Rotates for products with matrices: by every baby step, and by powers of two.

    Examples
    --------
    >>> key = engine.create_matrix_multiplication_key(secret_key)
    >>> x = engine.encrypt([1.0, 10.0], secret_key, bound=10)
    >>> engine.decrypt(engine.multiply_matrix([[1.0, 2.0], [3.0, 4.0]], x, key), secret_key)[:2].round(3)
    array([21., 43.])
    """

    __slots__ = ()

    kind = "matrix multiplication key"


class _WholeKey(_EvaluationKey[EvaluationT]):
    """Base of keys that bootstraps take as a whole."""

    __slots__ = ()

    def at_level(self: SelfT, level: int) -> SelfT:
        """Return the key itself for its own level; lower ones are refused, as bootstraps take the whole key.

        Most of a bootstrap is above the levels of messages, whatever level it ends at: ``bootstrap(x, level=k)`` reads
        less of the same key.

        Parameters
        ----------
        level : int
            The key's own level.

        Raises
        ------
        LevelError
            For any other level.

        Examples
        --------
        >>> deep = Engine(use_bootstrap=True, insecure_log_n=10)
        >>> key = deep.create_bootstrap_key(deep.create_secret_key())
        >>> key.at_level(deep.max_level) is key
        True
        """
        operation = "at_level"
        if (number := checks.integer(operation, "level", level)) != self.level:
            raise LevelError(
                f"{operation}: level {number} was asked for, and a {self.kind} serves bootstraps to every level up to "
                f"{self.level}, which take all of it; leave it as it is, and cut an EvaluationKey of the other keys",
                level=number,
                served=self.level,
            )
        return self


class BootstrapKey(_WholeKey[_native.BootstrapKey]):
    """Raises a ciphertext's level: all rotation keys of a bootstrap, and the keys of its sparse secret.

    Examples
    --------
    >>> deep_engine.create_bootstrap_key(deep_secret_key)
    BootstrapKey(stage_count 3, medium, ... MB)
    """

    __slots__ = ()

    kind = "bootstrap key"

    @property
    def stage_count(self) -> int:
        """Stages of each of the two linear transforms: each more costs a level; four and five are faster than three.

        Examples
        --------
        >>> deep_evaluation_key.bootstrap_key.stage_count
        3
        """
        return self._native.stage_count

    @property
    def size(self) -> str:
        """``"medium"`` or ``"large"``: a large key has more keys of rotations, for fewer transforms.

        Examples
        --------
        >>> deep_evaluation_key.bootstrap_key.size
        'medium'
        """
        return self._native.size

    def _details(self) -> str:
        return f"stage_count {self.stage_count}, {self.size}, {self._size()}"


class LossyBootstrapKey(BootstrapKey):
    """A bootstrap key of lossy bootstraps, which serves every bootstrap, as a `BootstrapKey` does.

    Examples
    --------
    >>> deep_evaluation_key.bootstrap_key
    LossyBootstrapKey(stage_count 3, medium, ... MB)
    """

    __slots__ = ()

    kind = "lossy bootstrap key"


class SmallBootstrapKey(_WholeKey[_native.SmallBootstrapKey]):
    """Raises a ciphertext's level together with a `RotationKey`, in every order and with any stage count.

    It holds two rotations for each stage of the first transform, and the keys of the sparse secret; the rotation key
    serves the other transform. Both take a third of a `BootstrapKey`'s memory.

    Examples
    --------
    >>> deep_engine.create_small_bootstrap_key(deep_secret_key)
    SmallBootstrapKey(any stage_count, ... MB)
    """

    __slots__ = ()

    kind = "small bootstrap key"

    def _details(self) -> str:
        return f"any stage_count, {self._size()}"
