"""Vectors as NumPy arrays, and their words as signals' values."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import numpy.typing as npt

BITS = 20
Words = npt.NDArray[np.unsignedinteger]


def vectors(name: str) -> Words:
    """The words of one file of the folder of vectors."""
    path = Path(os.environ["RTL_VECTORS"]) / name
    return np.fromfile(path, dtype=np.uint64 if path.suffix == ".u64" else np.uint32)


def packed(fields: Words, bits: int = BITS) -> int:
    """Fields side by side, the first one lowest."""
    columns = (fields.astype(np.uint64)[:, None] >> np.arange(bits, dtype=np.uint64)) & 1
    return int.from_bytes(np.packbits(columns.astype(np.uint8).ravel(), bitorder="little").tobytes(), "little")


def unpacked(value: int, count: int, bits: int = BITS) -> Words:
    """The fields of a signal's value."""
    data = np.frombuffer(value.to_bytes((count * bits + 7) // 8, "little"), dtype=np.uint8)
    columns = np.unpackbits(data, bitorder="little")[: count * bits].reshape(count, bits).astype(np.uint64)
    return (columns << np.arange(bits, dtype=np.uint64)).sum(axis=1, dtype=np.uint64)
