"""NTRU: gates and look-up tables on encrypted data, by accumulators of one polynomial.

What `everlevel.tfhe` has, with its calls, arrays, errors and files: only the engine's parameters are others.

>>> import numpy as np
>>> from everlevel import ntru
>>> engine = ntru.Engine()
>>> secret_key = engine.create_secret_key()
>>> evaluation_key = engine.create_evaluation_key(secret_key)
>>> a = engine.encrypt(np.array([False, False, True, True]), secret_key)
>>> b = engine.encrypt(np.array([False, True, False, True]), secret_key)
>>> engine.decrypt(a & ~b, secret_key)
array([False, False,  True, False])
"""

from ..tfhe import (
    BoolArray,
    Ciphertext,
    CompressedList,
    CompressionKey,
    EvaluationKey,
    IntArray,
    PackingKey,
    PublicKey,
    RingSwitchKey,
    SecretKey,
    UintArray,
    concatenate,
    stack,
)
from .engine import Engine, parameter_sets

__all__ = [
    "BoolArray",
    "Ciphertext",
    "CompressedList",
    "CompressionKey",
    "Engine",
    "EvaluationKey",
    "IntArray",
    "PackingKey",
    "PublicKey",
    "RingSwitchKey",
    "SecretKey",
    "UintArray",
    "concatenate",
    "parameter_sets",
    "stack",
]
