"""What all parts of an engine share: the native context, its keys, and the wrapping of results."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from .. import _native
from .._common import progress as _progress
from .._common.checks import instance
from .._common.locks import Lock
from ..errors import EngineMismatchError, KeyMismatchError, MissingKeyError, OperandTypeError, SpaceError
from . import _checks
from ._array import EncryptedArray
from ._checks import Shape
from .ciphertext import Ciphertext
from .keys import EvaluationKey, SecretKey

if TYPE_CHECKING:
    from .engine import Engine


class EngineCore:
    """Base of the engine's parts. `Engine` alone fills its fields."""

    _parameters: str
    _insecure_log_n: int | None
    _context: _native.TfheContext
    _shows_progress: bool | None
    # Native keys, which don't refer to the engine: its memory goes with it.
    _keys: dict[int, _native.TfheEvaluationKey]
    _lock: Lock

    @property
    def message_bits(self) -> int | None:
        """Bits of an integer; None where the parameters are for gates on single bits."""
        return self._context.message_bits

    @property
    def max_value(self) -> int:
        """Largest message."""
        return 1 if self.message_bits is None else 2**self.message_bits - 1

    def _wrap(self, native: _native.TfheCiphertext, shape: Shape) -> Ciphertext:
        return Ciphertext(cast("Engine", self), native, shape)

    def _reporting(self, description: str) -> AbstractContextManager[_progress.Report | None]:
        return _progress.reporting(description, self._shows_progress)

    def _require_bits(self, operation: str) -> None:
        if self.message_bits is not None:
            raise SpaceError(
                f"{operation}: the parameters {self._parameters} hold integers of {self.message_bits} bits, and gates "
                f"need bits; use bootstrap with a look-up table, or choose parameters of gates",
                found=f"integers of {self.message_bits} bits",
                needed="bits",
            )

    def _require_integers(self, operation: str) -> int:
        if self.message_bits is None:
            raise SpaceError(
                f"{operation}: the parameters {self._parameters} hold bits, and this needs integers; "
                f"use gates, or choose parameters of integers",
                found="bits",
                needed="integers",
            )
        return self.max_value

    def _ciphertext(self, operation: str, name: str, value: Any) -> Ciphertext:
        """Check that an argument is a ciphertext of these parameters."""
        ciphertext = instance(operation, name, value, Ciphertext)
        self._same_parameters(operation, name, ciphertext)
        return ciphertext

    def _same_parameters(
        self, operation: str, name: str, value: EncryptedArray[Any] | SecretKey | EvaluationKey
    ) -> None:
        other = value._engine
        if other._context.fingerprint != self._context.fingerprint:
            raise EngineMismatchError(
                f"{operation}: {name} was made by {other!r} and this is {self!r}; "
                f"use objects made with the same parameters",
                argument=name,
            )

    def _secret_key(self, operation: str, value: Any) -> SecretKey:
        secret_key = instance(operation, "secret_key", value, SecretKey)
        self._same_parameters(operation, "secret_key", secret_key)
        return secret_key

    def _key(self, operation: str, *operands: EncryptedArray[Any]) -> _native.TfheEvaluationKey:
        """Return the evaluation key of the operands' secret, which must be one."""
        secret_id = self._same_secret(operation, *operands)
        key = self._keys.get(secret_id)
        if key is None:
            raise MissingKeyError(
                f"{operation}: the engine knows no evaluation key for this ciphertext's secret; "
                f"make one with engine.create_evaluation_key(secret_key), or pass one to engine.use",
                key="evaluation key",
            )
        return key

    def _same_secret(self, operation: str, *operands: EncryptedArray[Any]) -> int:
        """Return the id of the operands' secret, which must be one."""
        ids: list[int] = [operand._native.secret_id for operand in operands]
        if any(other != ids[0] for other in ids):
            other = next(other for other in ids if other != ids[0])
            raise KeyMismatchError(
                f"{operation}: the operands belong to keys {ids[0]:#018x} and {other:#018x}; "
                f"use ciphertexts made with one secret key",
                key="ciphertext",
                expected=ids[0],
                actual=other,
            )
        return ids[0]

    def _operands(self, operation: str, names: str, *values: Any) -> tuple[Shape, list[Ciphertext]]:
        """Check and broadcast operands, of which one at least is a ciphertext; others are in the clear."""
        first = next((value for value in values if isinstance(value, Ciphertext)), None)
        if first is None:
            raise OperandTypeError(
                f"{operation}: none of the operands ({names}) is a ciphertext, and one must be; "
                f"use NumPy for what is in the clear",
                argument=names,
                expected="Ciphertext",
                actual=type(values[0]).__name__,
            )
        secret_id = first._native.secret_id
        operands = []
        for name, value in zip(names.split(", "), values, strict=True):
            if isinstance(value, EncryptedArray):
                operands.append(self._ciphertext(operation, name, value))
            else:
                operands.append(self._constant(operation, value, secret_id))
        shape = _checks.broadcast_shape(operation, *(operand.shape for operand in operands))
        return shape, [operand._broadcast(shape) for operand in operands]

    def _constant(self, operation: str, values: Any, secret_id: int) -> Ciphertext:
        """Make an operand of values in the clear."""
        if self.message_bits is None:
            array: Any = _checks.booleans(operation, values)
        else:
            array = _checks.integers(operation, values, 0, self.max_value)
        return self._wrap(self._context.constant(_checks.flat(array, np.uint64), secret_id), array.shape)
