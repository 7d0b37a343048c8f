"""BFV's keys. All are immutable, and safe to share between threads."""

from __future__ import annotations

from .. import _native
from .._common.sizes import format_bytes
from .._common.storable import Secret
from ._core import Core
from ._storable import Storable

__all__ = ["EvaluationKey", "SecretKey"]


class SecretKey(Secret, Storable):
    """The key that encrypts and decrypts. Its memory is overwritten when the last reference goes.

    It is never pickled, copied or printed: a secret that travels, travels on purpose, by `save`.
    """

    __slots__ = ("_native",)

    kind = "secret key"

    _to_send_instead = "an evaluation key from it and send that"

    def __init__(self, engine: Core, native: _native.BfvSecretKey) -> None:
        super().__init__(engine)
        self._native = native

    def _stored(self) -> tuple[_native.BfvSecretKey, dict[str, str]]:
        return self._native, {}

    @property
    def nbytes(self) -> int:
        """Bytes that the key takes in memory."""
        return self._native.nbytes

    def __repr__(self) -> str:
        return "SecretKey(hidden)"


class EvaluationKey(Storable):
    """What computes: a key for products, and one for each rotation that was asked for. It tells nothing of the secret.

    Files hold seeds and bodies, which are smaller than the key in memory and made ready when they are read.
    """

    __slots__ = ("_native",)

    kind = "evaluation key"

    def __init__(self, engine: Core, native: _native.BfvEvaluationKey) -> None:
        super().__init__(engine)
        self._native = native

    def _stored(self) -> tuple[_native.BfvEvaluationKey, dict[str, str]]:
        return self._native, {}

    @property
    def nbytes(self) -> int:
        """Bytes that the key takes in memory, all together."""
        return self._native.nbytes

    @property
    def rotations(self) -> tuple[int, ...]:
        """Amounts of rotations that have a key of their own. Others are made of powers of two among them."""
        return tuple(sorted(-amount for amount in self._native.rotations))

    @property
    def has_swap_rows(self) -> bool:
        """Whether rows can be swapped, and so all slots be added up."""
        return self._native.has_swap_rows

    def __repr__(self) -> str:
        count = len(self.rotations)
        rotations = f", {count} rotation{'s' if count > 1 else ''}" if count else ""
        swap = ", swap of rows" if self.has_swap_rows else ""
        return f"EvaluationKey({self._engine.parameters}, products{rotations}{swap}; {format_bytes(self.nbytes)})"
