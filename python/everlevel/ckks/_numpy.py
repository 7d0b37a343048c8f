"""NumPy's functions on CKKS ciphertexts: which are methods, and what to call in place of others.

The modules of functions register theirs in `NUMPY`, so that ciphertexts needn't know them.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from .._common.numpy_calls import NumpyCalls

_FITTED: Final = ("arcsin", "arccos", "arctanh", "arccosh", "i0")
"""Functions of one number that a fit does as well."""

NUMPY: Final = NumpyCalls(
    advice="use its operators and methods, such as x.rotate(1), the functions of everlevel, such as everlevel.exp(x), "
    "those of the engine, or decrypt it first",
    of_ufuncs={(np.add, "reduce"): "sum", (np.maximum, "reduce"): "max", (np.minimum, "reduce"): "min"},
    attributes={np.shape: "shape", np.ndim: "ndim", np.size: "size"},
    next_steps={
        **{
            name: f"call everlevel.fit(numpy.{name}, interval=(a, b), max_error=1e-4)(x) for values in [a, b]"
            for name in _FITTED
        },
        "vstack": "call engine.vstack([x, y]), which makes one ciphertext of the units of both",
        "real": "call 0.5 * (x + x.conjugate())",
        "imag": "call -0.5j * (x - x.conjugate())",
        "median": "call everlevel.median(x), for all values",
        "sort": "call everlevel.sort(x), for a vector",
        "inv": "call everlevel.inverse(x, interval=(a, b)) for singular values in [a, b]",
        "lstsq": "call everlevel.least_squares(x, y, interval=(a, b)) for singular values in [a, b]",
        "pinv": "call everlevel.least_squares(x, y, interval=(a, b)) for singular values in [a, b]",
        "solve": "call everlevel.inverse(x, interval=(a, b)) @ y for singular values in [a, b]",
        **dict.fromkeys(("einsum", "tensordot", "kron"), "write it with x @ y, numpy.outer(x, y), and sums along axes"),
        **dict.fromkeys(("hstack", "column_stack", "dstack"), "call numpy.concatenate or numpy.stack along an axis"),
        **dict.fromkeys(("nansum", "nanmean", "nanvar"), "leave out the nan: nothing that is encrypted is NaN"),
        "corrcoef": "call numpy.cov(x), and multiply by everlevel.rsqrt of variances, with an interval",
        "ptp": "call x.max() - x.min()",
        "interp": "call everlevel.fit(lambda t: numpy.interp(t, xp, fp), degree, (a, b))(x)",
        **dict.fromkeys(("digitize", "searchsorted"), "call (x[:, None] > edges).sum(axis=1)"),
        "count_nonzero": "call (abs(x) > a).sum() for a size a",
        **dict.fromkeys(("any", "all"), "call (x > a).max() or .min() for a number a"),
        "hypot": "call everlevel.sqrt(x * x + y * y, interval=(a, b))",
        "cumprod": "multiply step by step: each product takes a level",
        "partition": "call everlevel.top_k(x, k)",
        "argsort": "call everlevel.sort(x) for the values, or decrypt it first",
        "trunc": "call everlevel.floor(x), or everlevel.ceil(x), for values of one sign",
        "fix": "call everlevel.floor(x), or everlevel.ceil(x), for values of one sign",
    },
)


@NUMPY.implements(np.square)
def _square(x: Any) -> Any:
    return x**2


@NUMPY.implements(np.conjugate)
def _conjugate(x: Any) -> Any:
    return x.conjugate()
