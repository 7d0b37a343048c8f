"""NumPy's functions on encrypted arrays, by their methods and attributes."""

from __future__ import annotations

from typing import Final

import numpy as np

from .._common.numpy_calls import NumpyCalls

NUMPY: Final = NumpyCalls(
    advice="use the array's operators and methods, those of the engine, tfhe.stack and tfhe.concatenate, or decrypt it "
    "first",
    methods={
        **{getattr(np, name): name for name in ("sum", "prod", "cumsum", "mean", "min", "max", "argmin", "argmax")},
        **{getattr(np, name): name for name in ("any", "all", "ravel", "reshape", "transpose", "copy")},
    },
    attributes={np.shape: "shape", np.ndim: "ndim", np.size: "size"},
    of_ufuncs={
        **{(np.add, "reduce"): "sum", (np.multiply, "reduce"): "prod", (np.add, "accumulate"): "cumsum"},
        **{(np.minimum, "reduce"): "min", (np.maximum, "reduce"): "max"},
        **{(np.logical_or, "reduce"): "any", (np.logical_and, "reduce"): "all"},
    },
)
