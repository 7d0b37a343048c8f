"""CKKS: arithmetic on encrypted vectors of real or complex numbers, with levels and bootstraps.

Its names are `everlevel`'s as well: ``everlevel.Engine`` is ``everlevel.ckks.Engine``. CKKS over limbs, without levels,
is `everlevel.ckks.limbs`.
"""

from . import _linear_functions as _linear_functions
from ._choices import absolute, clip, maximum, minimum, sign, where
from ._elementary import cos, divide, exp, log, power, reciprocal, rsqrt, sigmoid, sin, sqrt, tanh
from ._fit import ChebyshevFit, fit
from ._histograms import histogram
from ._indexing import concatenate
from ._layouts import outer
from ._linear_algebra import inverse, least_squares, matmul
from ._rehearsal import DryRun
from ._rounding import ceil, floor
from ._rounding import round as round  # noqa: A004 (not in `__all__`, so that no import of all of it hides Python's)
from ._sign_plan import SignPlan
from ._sorting import median, sort, top_k
from ._statistics import cumsum, dot, norm, softmax, std, var
from .ciphertext import Ciphertext
from .encrypted_array import EncryptedArray
from .engine import Engine
from .evaluation_key import EvaluationKey
from .keys import (
    BootstrapKey,
    ConjugationKey,
    FixedRotationKey,
    LossyBootstrapKey,
    MatrixMultiplicationKey,
    PublicKey,
    RelinearizationKey,
    RotationKey,
    SecretKey,
    SmallBootstrapKey,
)
from .matrix import LightPlainMatrix, PlainMatrix
from .plaintext import LightPlaintext, Plaintext

__all__ = [
    "BootstrapKey",
    "ChebyshevFit",
    "Ciphertext",
    "ConjugationKey",
    "DryRun",
    "EncryptedArray",
    "Engine",
    "EvaluationKey",
    "FixedRotationKey",
    "LightPlainMatrix",
    "LightPlaintext",
    "LossyBootstrapKey",
    "MatrixMultiplicationKey",
    "PlainMatrix",
    "Plaintext",
    "PublicKey",
    "RelinearizationKey",
    "RotationKey",
    "SecretKey",
    "SignPlan",
    "SmallBootstrapKey",
    "absolute",
    "ceil",
    "clip",
    "concatenate",
    "cos",
    "cumsum",
    "divide",
    "dot",
    "exp",
    "fit",
    "floor",
    "histogram",
    "inverse",
    "least_squares",
    "log",
    "matmul",
    "maximum",
    "median",
    "minimum",
    "norm",
    "outer",
    "power",
    "reciprocal",
    "rsqrt",
    "sigmoid",
    "sign",
    "sin",
    "softmax",
    "sort",
    "sqrt",
    "std",
    "tanh",
    "top_k",
    "var",
    "where",
]
