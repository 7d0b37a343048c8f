"""Arrays of TFHE and NTRU in blocks: split for workers, joined from their results."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np

from ..errors import OperandTypeError, TaskError
from ..tfhe import _checks
from ..tfhe._array import EncryptedArray, concatenate

_FEWEST: Final = 16
_MOST: Final = 1024
"""Elements of a block: so many share the reading of a key well, and more of them only make waiting longer."""

_PER_SLOT: Final = 4

Array = EncryptedArray[Any]


class Blocks:
    """Operands that are broadcast to one shape, flat, in blocks of `size` elements."""

    def __init__(self, operation: str, operands: Sequence[Any], size: int | None, slots: int) -> None:
        if not any(isinstance(operand, EncryptedArray) for operand in operands):
            raise OperandTypeError(
                f"{operation}: none of the operands is an array of ciphertexts, and one must be; use map for lists",
                argument="arrays",
                expected="Ciphertext, UintArray or BoolArray",
                actual=type(operands[0]).__name__ if operands else "nothing",
            )
        self._operation = operation
        plain = [o if isinstance(o, EncryptedArray) else np.asarray(o) for o in operands]
        self.shape = _checks.broadcast_shape(operation, *(operand.shape for operand in plain))
        self._operands = [
            one._broadcast(self.shape) if isinstance(one, EncryptedArray) else np.broadcast_to(one, self.shape)
            for one in plain
        ]
        self._count = int(np.prod(self.shape, dtype=np.int64))
        even = -(-self._count // (_PER_SLOT * slots))
        self.size = size if size is not None else min(max(even, _FEWEST), _MOST)

    def __len__(self) -> int:
        return max(-(-self._count // self.size), 1)

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        flat = [operand.reshape(-1) for operand in self._operands]
        # No elements have one block.
        for start in range(0, max(self._count, 1), self.size):
            yield tuple(operand[start : start + self.size] for operand in flat)

    def join(self, results: Sequence[Any]) -> Any:
        """Join the blocks' results, each an array, or a tuple or list of arrays, of the block's length."""
        first = results[0]
        if isinstance(first, (tuple, list)):
            parts = [self._joined([result[place] for result in results]) for place in range(len(first))]
            return type(first)(parts)
        return self._joined(list(results))

    def _joined(self, parts: list[Any]) -> Any:
        for index, part in enumerate(parts):
            needed = min(self.size, self._count - index * self.size)
            found = part.shape if isinstance(part, EncryptedArray) else type(part).__name__
            if found != (needed,):
                raise TaskError(
                    f"{self._operation}: block {index} has {needed} elements, and the function returned {found}; "
                    f"return ciphertexts of the block's length, or use map for other results",
                    function=self._operation,
                    input_index=index,
                )
        return concatenate(parts).reshape(self.shape)
