"""NumPy's functions on encrypted arrays, by their methods and attributes."""

from __future__ import annotations

from typing import Final

import numpy as np

from .._common.numpy_calls import NumpyCalls

NUMPY: Final = NumpyCalls(
    advice="use the array's operators and methods, those of the engine, tfhe.stack and tfhe.concatenate, or decrypt it "
    "first",
    methods={
        np.sum: "sum",
        np.min: "min",
        np.max: "max",
        np.argmin: "argmin",
        np.argmax: "argmax",
        np.any: "any",
        np.all: "all",
        np.reshape: "reshape",
    },
    attributes={np.shape: "shape", np.ndim: "ndim", np.size: "size"},
)
