"""Bulk: look-up tables and gates on tens of thousands of encrypted integers at once, exactly.

>>> import numpy as np
>>> from everlevel import bulk
>>> engine = bulk.Engine("integer-4-128", insecure_log_n=10)
>>> secret_key = engine.create_secret_key()
>>> evaluation_key = engine.create_evaluation_key(secret_key)
>>> x = engine.encrypt(np.arange(16), secret_key)
>>> engine.decrypt(engine.bootstrap(x, lut=lambda m: m * m % 16), secret_key)
array([0, 1, 4, 9, 0, 9, 4, 1, 0, 1, 4, 9, 0, 9, 4, 1], dtype=uint8)
"""

from ._time import TimeEstimate
from .bool_array import BoolArray
from .ciphertext import Ciphertext
from .engine import Engine, parameter_sets
from .int_array import IntArray
from .keys import EvaluationKey, PublicKey, SecretKey
from .uint_array import UintArray

__all__ = [
    "BoolArray",
    "Ciphertext",
    "Engine",
    "EvaluationKey",
    "IntArray",
    "PublicKey",
    "SecretKey",
    "TimeEstimate",
    "UintArray",
    "parameter_sets",
]
