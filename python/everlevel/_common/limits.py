"""Limits of what is read, of every scheme."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from ..errors import FileSizeError
from . import checks

MAX_BYTES: Final = 2**30
"""Largest ciphertexts and public keys that are read, unless the caller says otherwise."""

_OF_STRANGERS: Final = ("ciphertext", "array", "list", "public_key")
"""Ends of the kinds that these have."""


def limit_of(operation: str, max_bytes: Any, size: int, metadata: Callable[[], Mapping[str, str]]) -> int:
    """Check the size of what is to be read, and return how large it may be in memory."""
    if max_bytes is None:
        limit = MAX_BYTES
        is_limited = size > limit and metadata().get("kind", "").endswith(_OF_STRANGERS)
    else:
        limit = checks.integer_between(operation, "max_bytes", max_bytes, 0, 2**63 - 1, "give a number of bytes")
        is_limited = True
    if is_limited and size > limit:
        raise FileSizeError(
            f"{operation}: the file has {size} bytes, and {limit} at most are taken; "
            f"pass a larger max_bytes if you trust who sent it",
            found=size,
            expected=limit,
        )
    return limit
