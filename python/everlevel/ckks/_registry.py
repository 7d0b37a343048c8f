"""The evaluation keys that an engine knows of, so that operators needn't be told."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from .._common.locks import Lock
from ..errors import MissingKeyError
from .keys import (
    BootstrapKey,
    ConjugationKey,
    FixedRotationKey,
    MatrixMultiplicationKey,
    RelinearizationKey,
    RotationKey,
    SmallBootstrapKey,
)

KeyT = TypeVar("KeyT", RelinearizationKey, ConjugationKey, RotationKey, BootstrapKey, SmallBootstrapKey)

AnyKey = (
    RelinearizationKey
    | ConjugationKey
    | RotationKey
    | FixedRotationKey
    | MatrixMultiplicationKey
    | BootstrapKey
    | SmallBootstrapKey
)
"""Parts of an evaluation key."""


class KeyRegistry:
    """Remembers a key of each kind for every secret: the first that an engine made or was given, or one to use."""

    def __init__(self) -> None:
        # By secret, then by class, or by the amount of a fixed rotation.
        self._keys: dict[int, dict[type | int, Any]] = {}
        self._lock = Lock()

    def remember(self, *keys: AnyKey) -> None:
        """Keep keys, unless one of a kind is there already that serves as high levels."""
        for key in keys:
            slot, secret_id = _slot(key), key._native.secret_id
            if self.of_secret(secret_id).get(slot) is key:
                continue
            with self._lock:
                of_secret = self._keys.setdefault(secret_id, {})
                if of_secret.setdefault(slot, key).level < key.level:
                    of_secret[slot] = key

    def use(self, key: AnyKey) -> None:
        """Keep a key, in the place of one of its kind that is there already."""
        with self._lock:
            self._keys.setdefault(key._native.secret_id, {})[_slot(key)] = key

    def forget(self) -> None:
        """Drop all keys, and with them the engine's hold on their memory."""
        with self._lock:
            self._keys.clear()

    @property
    def secrets(self) -> list[int]:
        """Secrets that there are keys of, the first one first."""
        return list(self._keys)

    def of_secret(self, secret_id: int) -> Mapping[type | int, Any]:
        """Return the keys of a secret by class, and those of fixed rotations by amount."""
        return self._keys.get(secret_id, {})

    def get(self, kind: type[KeyT], secret_id: int) -> KeyT | None:
        """Return the key of a kind for a secret, if there is one."""
        key: KeyT | None = self.of_secret(secret_id).get(kind)
        return key

    def find(self, operation: str, kind: type[KeyT], secret_id: int) -> KeyT:
        """Return the key of a kind for a secret, or say how to make it."""
        key = self.get(kind, secret_id)
        if key is None:
            raise missing(operation, kind)
        return key

    def rotations(self, secret_id: int) -> tuple[RotationKey | None, list[FixedRotationKey]]:
        """Return the keys for rotations by any amount, and by one."""
        of_secret = self.of_secret(secret_id)
        return of_secret.get(RotationKey), [key for slot, key in list(of_secret.items()) if isinstance(slot, int)]

    def find_matrix_key(
        self, operation: str, secret_id: int, level: int
    ) -> RotationKey | MatrixMultiplicationKey | list[FixedRotationKey]:
        """Return the fastest key for products with matrices at a level, or all fixed ones, or say how to make one."""
        key: MatrixMultiplicationKey | None = self.of_secret(secret_id).get(MatrixMultiplicationKey)
        if key is not None and key.level >= level:
            return key
        rotation, fixed = self.rotations(secret_id)
        if rotation is None and key is None and fixed:
            return fixed
        return self.find(operation, RotationKey, secret_id)

    def find_rotation(self, operation: str, secret_id: int, delta: int, level: int) -> FixedRotationKey | RotationKey:
        """Return the fastest key for a rotation at a level, or say how to make one."""
        key: FixedRotationKey | None = self.of_secret(secret_id).get(delta)
        return key if key is not None and key.level >= level else self.find(operation, RotationKey, secret_id)


def missing(operation: str, kind: type[AnyKey]) -> MissingKeyError:
    """Say that the engine knows no key of a kind, and how to make it."""
    maker = "evaluation_key" if kind is BootstrapKey else kind.kind.replace(" ", "_")
    return MissingKeyError(
        f"{operation}: the engine knows no {kind.kind} for this ciphertext's secret; "
        f"make one with engine.create_{maker}(secret_key), or pass one to the engine's method",
        key=kind.kind,
    )


def _slot(key: AnyKey) -> type | int:
    if isinstance(key, FixedRotationKey):
        return key.delta
    return BootstrapKey if isinstance(key, BootstrapKey) else type(key)
