"""What objects over limbs have in common as files and pickles, and that they belong to an engine."""

from __future__ import annotations

from typing import Any

from ..._common.engines import Engines
from ..._common.storable import OfEngine

engines: Engines[Any] = Engines()


def restore(parameters: str, precision: int | None, insecure_log_n: int | None, parallel: bool, data: Any) -> Any:
    """Return the object that a pickle brings."""
    return engines.at(parameters, precision, insecure_log_n, parallel)._deserialize(data)


class Storable(OfEngine):
    """Base of ciphertexts and keys. Its engine is one of `Core`."""

    __slots__ = ()

    _restore = staticmethod(restore)
