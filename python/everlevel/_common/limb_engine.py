"""Base of engines over limbs in base 2^K: keys that are found, rotations that are named, memory."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar, TypeVar

from .. import _native
from . import checks, set_keys
from .memory import MemoryEstimate, check_number, check_operation
from .set_engine import SetCore
from .sizes import format_bytes
from .storable import OfEngine, own

OfEngineT = TypeVar("OfEngineT", bound=OfEngine)


class LimbCore(SetCore):
    """Base of the `Core` of schemes over limbs."""

    _keys: dict[int, _native.LimbsEvaluationKey]

    _estimated: ClassVar[tuple[str, ...]] = ("create_evaluation_key", "encrypt")
    """Operations whose memory is told."""

    def _nbytes(self, operation: str, count: int) -> tuple[int, int]:
        """Return the bytes that an operation's result holds, and that it takes besides."""
        if operation == "encrypt":
            return self._context.ciphertexts_nbytes(count), 0
        held, work = self._context.keys_nbytes(count)
        return held, work

    @property
    def slot_count(self) -> int:
        """Values in a ciphertext."""
        count: int = self._context.slot_count
        return count

    @property
    def _row_length(self) -> int:
        """Slots that `rotate` moves in a circle."""
        return self.slot_count

    @property
    def seeded_keys(self) -> bool:
        """Whether evaluation keys are held as seeds and bodies: less memory, slower use.

        Examples
        --------
        >>> bfv_engine.seeded_keys
        False
        """
        seeded: bool = self._context.seeded_keys
        return seeded

    @property
    def security_bits(self) -> int:
        """Security of the parameters, by the caps of the library; 0 for an insecure ring.

        Examples
        --------
        >>> from everlevel import bfv
        >>> bfv.Engine("n13").security_bits, bfv_engine.security_bits
        (128, 0)
        """
        return 0 if self._context.is_insecure else 128

    def _described(self, sizes: str) -> str:
        """Return what an engine's representation says beside its parameters: these sizes first."""
        security = f"{self.security_bits}-bit security" if self.security_bits else "INSECURE"
        threads = f"{self.thread_count} thread{'s' if self.thread_count > 1 else ''}"
        keys = "seeded keys, " if self.seeded_keys else ""
        return f"{sizes}, depth {self._context.depth}, {keys}{threads}, {security}"

    @staticmethod
    def _seeding(seeded_keys: Any) -> tuple[tuple[str, Any], ...]:
        """Return the option of seeded keys as an engine's address has it: if it isn't the default."""
        return (("seeded_keys", True),) if checks.flag("Engine", "seeded_keys", seeded_keys) else ()


class SecretKey(set_keys.SecretKey):
    """Base of secret keys over limbs."""

    __slots__ = ()

    _native: _native.LimbsSecretKey


class PublicKey(set_keys.Key):
    """Base of public keys over limbs."""

    __slots__ = ()

    kind = "public key"

    _native: _native.LimbsPublicKey

    def __repr__(self) -> str:
        return f"PublicKey({self._engine.parameters}; {format_bytes(self.nbytes)})"


class EvaluationKey(set_keys.Key):
    """Base of evaluation keys over limbs: one for products, and one for each rotation that was asked for."""

    __slots__ = ()

    kind = "evaluation key"

    _native: _native.LimbsEvaluationKey

    _inversion: str
    """Name of the map of slots that X ↦ X⁻¹ is."""

    @property
    def is_seeded(self) -> bool:
        """Whether the key holds the seeds of its uniform halves, and makes both ready at each use.

        Examples
        --------
        >>> bfv_evaluation_key.is_seeded
        False
        """
        return self._native.is_seeded

    @property
    def rotations(self) -> tuple[int, ...]:
        """Amounts of rotations that have a key of their own. Others are made of powers of two among them.

        Examples
        --------
        >>> bfv_engine.create_evaluation_key(bfv_secret_key, rotations=[3, -1]).rotations
        (-1, 3)
        """
        return tuple(sorted(-amount for amount in self._native.rotations))

    def __repr__(self) -> str:
        count = len(self.rotations)
        rotations = f", {count} rotation{'s' if count > 1 else ''}" if count else ""
        inversion = f", {self._inversion}" if self._native.has_inversion else ""
        size = f"{format_bytes(self.nbytes)}{', seeded' if self.is_seeded else ''}"
        return f"EvaluationKey({self._engine.parameters}, products{rotations}{inversion}; {size})"


def nearest(amount: int, count: int) -> int:
    """Return the amount of the same rotation that is nearest to zero."""
    remainder = amount % count
    return remainder if 2 * remainder <= count else remainder - count


def key_amounts(operation: str, rotations: bool | Iterable[int], count: int) -> list[int]:
    """Return the core's amounts, to the left, of rotations that keys are asked for; True stands for powers of two."""
    if isinstance(rotations, bool):
        deltas = [1 << i for i in range(count.bit_length() - 1)] if rotations else []
    else:
        listed = checks.sequence(operation, "rotations", rotations)
        deltas = [checks.integer(operation, "rotations", delta) for delta in listed]
    return [nearest(-delta, count) for delta in deltas]


def operands(engine: LimbCore, operation: str, left: Any, right: Any, kind: type[OfEngineT]) -> tuple[OfEngineT, Any]:
    """Check two operands, of which one at least is a ciphertext, and return that one first."""
    if not isinstance(left, kind) and not isinstance(right, kind):
        raise checks.none_encrypted(operation, "left, right", left, right)
    name, first, second = ("left", left, right) if isinstance(left, kind) else ("right", right, left)
    checked = own(engine, operation, name, first, kind)
    return checked, own(engine, operation, "right", second, kind) if isinstance(second, kind) else second


def encryption_key(
    engine: LimbCore, operation: str, value: Any, public: type[PublicKey], secret: type[SecretKey]
) -> _native.LimbsPublicKey | _native.LimbsSecretKey:
    """Check that an argument is a key to encrypt with, and return the native one."""
    return own(engine, operation, "key", value, public if isinstance(value, PublicKey) else secret)._native


def estimate_memory(self: LimbCore, operation: str, *, count: int = 1) -> MemoryEstimate:
    """Tell the memory that a call would take, before it is made.

    The creation of keys itself looks before it begins whether that, a tenth more, and 256 MB are there, and raises
    `OutOfMemoryError` if they aren't.

    Parameters
    ----------
    operation : str
        ``"create_evaluation_key"`` or ``"encrypt"``; and ``"create_bootstrap_key"`` or ``"bootstrap"`` for CKKS, with
        parameters that have one.
    count : int, default 1
        Keys that are made, that of products among them; or ciphertexts.

    Returns
    -------
    MemoryEstimate
        `held` by the result, and `work` besides until it is done, in bytes.

    Raises
    ------
    ParameterError
        If there is no such operation, or the parameters have none.

    Examples
    --------
    >>> print(bfv_engine.estimate_memory("encrypt"))
    49.2 kB, and 0 B until it is done
    """
    name = check_operation(operation, self._estimated)
    return MemoryEstimate(*self._nbytes(name, check_number("count", count)))
