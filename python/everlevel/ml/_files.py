"""Files of compiled models: the library's containers, whose headers have a model's data as JSON.

A file holds an object of CKKS, and beside it one note. What the client keeps is its secret key's file, what the server
takes is that of the evaluation key, encrypted rows are a ciphertext's. A model is the file of a plaintext of its hash,
whose note has the weights. Nothing is pickled, and nothing that is read is run.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import zlib
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from .. import _native
from .._common import checks, headers
from .._common.storable import PathLike
from ..ckks import Engine, Plaintext
from ..errors import ChecksumError, FileKindError, HeaderError, ModelError, NewerFormatError
from ._weights import Weights, csr, is_sparse

FORMAT: Final = 5
"""Version of the notes, and of what programs mean: part of every model's hash."""

NOTE: Final = "ml"
_MOST_BYTES: Final = 24 << 20
"""Largest note: readers take headers of 32 MiB."""

_MOST_WEIGHTS: Final = 2**26
"""Largest number of weights of a map."""

T = TypeVar("T")
Notes = dict[str, Any]


def packed(array: NDArray[np.float64]) -> Notes:
    """Return an array of doubles for JSON."""
    data = np.ascontiguousarray(array, dtype="<f8").tobytes()
    return {"shape": list(array.shape), "float64": base64.b64encode(data).decode("ascii")}


def unpacked(entry: Mapping[str, Any], dimensions: int) -> NDArray[np.float64]:
    """Return the array of doubles that `packed` made; `ValueError` for anything else."""
    shape = tuple(entry["shape"])
    if len(shape) != dimensions or not all(isinstance(size, int) and size > 0 for size in shape):
        raise ValueError(f"an array of shape {shape}")
    array = np.frombuffer(base64.b64decode(entry["float64"], validate=True), dtype="<f8").reshape(shape)
    if not np.isfinite(array).all():
        raise ValueError("a number that is not finite")
    return array.astype(np.float64)


def packed_integers(array: NDArray[np.int64]) -> str:
    """Return a vector of integers of 32 bits for JSON."""
    return base64.b64encode(np.ascontiguousarray(array, dtype="<i4").tobytes()).decode("ascii")


def unpacked_integers(entry: str) -> NDArray[np.int64]:
    """Return the vector that `packed_integers` made; `ValueError` for anything else."""
    return np.frombuffer(base64.b64decode(entry, validate=True), dtype="<i4").astype(np.int64)


def packed_weights(weights: Weights) -> Notes:
    """Return weights for JSON. Sparse ones repeat a kernel in every window, so that they are short once compressed."""
    if not is_sparse(weights):
        return packed(weights)
    distinct, chosen = np.unique(weights.data, return_inverse=True)
    return {
        "shape": list(weights.shape),
        "values": packed(distinct),
        "counts": _deflated(np.diff(weights.indptr)),
        "steps": _deflated(np.diff(weights.indices, prepend=0)),
        "chosen": _deflated(chosen),
    }


def unpacked_weights(entry: Mapping[str, Any]) -> Weights:
    """Return the weights that `packed_weights` made; `ValueError` for anything else."""
    if "steps" not in entry:
        return unpacked(entry, 2)
    rows, columns = entry["shape"]
    if not all(isinstance(size, int) and 0 < size <= _MOST_WEIGHTS for size in (rows, columns)):
        raise ValueError("a shape of weights")
    counts, values = _inflated(entry["counts"], rows), unpacked(entry["values"], 1)
    count = int(counts.sum())
    if counts.min() < 0 or not 0 < count <= _MOST_WEIGHTS:
        raise ValueError("a count of weights")
    indices, chosen = np.cumsum(_inflated(entry["steps"], count)), _inflated(entry["chosen"], count)
    starts = np.concatenate([[0], np.cumsum(counts)])
    is_first = np.zeros(count + 1, dtype=bool)
    is_first[starts] = True
    is_ascending = bool((is_first[1:-1] | (np.diff(indices) > 0)).all())
    ends = min(indices.min(), chosen.min()), indices.max() - columns, chosen.max() - len(values)
    if not is_ascending or ends[0] < 0 or ends[1] >= 0 or ends[2] >= 0:
        raise ValueError("places of weights")
    return csr(values[chosen], indices.astype(np.int32), starts, (rows, columns))


def _deflated(array: NDArray[Any]) -> str:
    """Return integers of 32 bits, compressed, for JSON."""
    data = zlib.compress(np.ascontiguousarray(array, dtype="<i4").tobytes(), 1)
    return base64.b64encode(data).decode("ascii")


def _inflated(entry: str, count: int) -> NDArray[np.int64]:
    """Return so many integers that `_deflated` made, and expand no more than these."""
    reader = zlib.decompressobj()
    data = reader.decompress(base64.b64decode(entry, validate=True), 4 * count)
    if len(data) != 4 * count or reader.unconsumed_tail:
        raise ValueError(f"{count} integers")
    return np.frombuffer(data, dtype="<i4").astype(np.int64)


def text(notes: Notes) -> str:
    """Return the one text that stands for notes."""
    return json.dumps(notes, sort_keys=True, separators=(",", ":"), allow_nan=False)


def digest(*parts: str) -> str:
    """Return the hash of texts."""
    hasher = hashlib.sha256()
    for part in parts:
        data = part.encode()
        hasher.update(len(data).to_bytes(8, "little") + data)
    return hasher.hexdigest()


def write(engine: Engine, native: Any, path: PathLike, role: str, notes: Notes, *, is_real: bool | None = None) -> None:
    """Write an object with its notes; of ciphertexts, also whether they are real.

    Raises
    ------
    StorageError
        If the file can't be written.
    ModelError
        If the notes are too long for a header.
    """
    note = text({"format": FORMAT, "role": role, **notes})
    if len(note) > _MOST_BYTES:
        raise ModelError(
            f"save: the weights take {len(note)} bytes, and a file holds {_MOST_BYTES}; save the trained model, and "
            f"compile it where it is used",
            found=len(note),
            supported=_MOST_BYTES,
        )
    described = {NOTE: note}
    if is_real is not None:
        described["is_real"] = str(is_real).lower()
    _native.save(engine._context, native, checks.path("save", path), described, False)


def read(path: str) -> Notes:
    """Return the notes of a file.

    Raises
    ------
    StorageError, FormatError
        If the file can't be opened, or isn't one of a compiled model.
    """
    metadata = headers.read(path).metadata
    if f"note.{NOTE}" not in metadata:
        raise FileKindError(
            f"load: the file holds a {metadata['kind'].replace('_', ' ')}, and a file of a compiled model is needed; "
            f"open it with everlevel.open({path!r})",
            found=metadata["kind"],
            expected="a file of a compiled model",
        )
    try:
        notes: Notes = json.loads(metadata[f"note.{NOTE}"])
        version, role = notes["format"], notes["role"]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise malformed(error) from error
    if version != FORMAT:
        raise NewerFormatError(
            f"load: the file's model has format {version!r}, and this version reads {FORMAT}; compile the model anew, "
            f"or use the version of Everlevel that wrote it",
            found=version,
            supported=FORMAT,
        )
    if not isinstance(role, str):
        raise malformed(role)
    return notes


def understood(notes: Notes, read_notes: Callable[[Notes], T]) -> T:
    """Read notes, and say of those that no writer wrote that they are malformed."""
    try:
        return read_notes(notes)
    except (KeyError, ValueError, TypeError, AttributeError, OverflowError, binascii.Error, zlib.error) as error:
        raise malformed(error) from error


def malformed(found: object) -> HeaderError:
    """Say that a note is none that this library writes."""
    return HeaderError(
        f"load: the file's note of a compiled model is malformed ({type(found).__name__}: {found!s:.80}), and should "
        f"be one that save wrote; ask for the file again",
        part=f"note.{NOTE}",
        found=str(found)[:80],
        expected="what save wrote",
    )


def stamp(engine: Engine, model_hash: str) -> Plaintext:
    """Return the plaintext of a hash: what a file holds that has nothing else to hold."""
    return engine.encode(np.frombuffer(bytes.fromhex(model_hash), np.uint8) / 256, level=0, bound=1)


def check_stamp(engine: Engine, found: Plaintext, model_hash: str) -> None:
    """Compare the plaintext of a hash.

    Raises
    ------
    ChecksumError
        If it is that of another one.
    """
    values = np.rint(engine.decode(found).real[: len(model_hash) // 2] * 256)
    is_whole = bool(((values >= 0) & (values < 256)).all())
    written = bytes(values.astype(np.uint8)).hex() if is_whole else "no hash"
    require_hash("its plaintext", written, model_hash)


def require_hash(part: str, expected: str, found: str) -> None:
    """Compare the hash that was written with that of what was read."""
    if expected != found:
        raise ChecksumError(
            f"load: {part} was written with the hash {expected:.16}…, and what was read has {found:.16}…; the file was "
            f"changed: ask for it again",
            part=part,
            expected=expected,
            found=found,
        )
