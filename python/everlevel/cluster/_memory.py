"""The C library's memory: large buffers that come and go with every task."""

from __future__ import annotations

import contextlib
import ctypes
from typing import Final

_TRIM_THRESHOLD: Final = -1
_MMAP_THRESHOLD: Final = -3

_KEPT_BYTES: Final = 128 << 20
_MAPPED_FROM_BYTES: Final = 32 << 20
"""The most that glibc takes."""


def keep_freed() -> None:
    """Let the C library keep up to 128 MB that were freed, for the next ciphertexts.

    Otherwise it gives them back to the system, and each page of the next one is made anew: two thirds of the time that
    a ciphertext of 11 MB takes on its way to bytes.
    """
    with contextlib.suppress(OSError, AttributeError):
        mallopt = ctypes.CDLL(None).mallopt
        mallopt(_TRIM_THRESHOLD, _KEPT_BYTES)
        mallopt(_MMAP_THRESHOLD, _MAPPED_FROM_BYTES)
