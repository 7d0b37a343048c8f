"""Whether values are as large as operations take: a question that only the secret key answers."""

from __future__ import annotations

import numpy as np

from ..errors import MessageError
from . import _checks, _operands
from ._core import Core
from ._messages import decrypt
from .ciphertext import Ciphertext
from .keys import SecretKey


def check_range(self: Core, ciphertext: Ciphertext, secret_key: SecretKey, bound: float = 1.0) -> float:
    """Check that no value is larger than bootstraps and Chebyshev series take. It decrypts: for debugging.

    Nothing else can see whether values are too large: a bootstrap of them gives wrong numbers without a
    word. `bound` counts for real and imaginary parts each.

    Returns
    -------
    float
        The largest size of a part.

    Raises
    ------
    MessageError
        If that is more than `bound`; its `index` and `value` say where.

    Examples
    --------
    >>> bool(engine.check_range(engine.encrypt([0.5, -0.75], public_key), secret_key) < 0.76)
    True
    """
    operation = "check_range"
    ciphertext = _operands.ciphertext(operation, ciphertext)
    limit = _checks.declared_bound(operation, bound)
    values = decrypt(self, ciphertext, _operands.secret_key(operation, secret_key), slots=True)
    sizes = np.maximum(np.abs(values.real), np.abs(values.imag))
    index = int(sizes.argmax())
    # The noise of values of size 1 is no fault.
    if not sizes[index] <= limit + 2.0 ** -min(ciphertext.precision_bits - 3, 20):
        raise MessageError(
            f"{operation}: the value at index {index} is {values[index]:.6g}, and sizes up to {limit:g} were "
            f"expected; divide the message before, and multiply the result",
            index=index,
            value=values[index].item(),
        )
    return float(sizes[index])
