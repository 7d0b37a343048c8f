"""TFHE: gates, look-up tables and integers on encrypted data.

>>> import numpy as np
>>> from everlevel import tfhe
>>> engine = tfhe.Engine()
>>> secret_key = engine.create_secret_key()
>>> evaluation_key = engine.create_evaluation_key(secret_key)
>>> a = engine.encrypt(np.array([False, False, True, True]), secret_key)
>>> b = engine.encrypt(np.array([False, True, False, True]), secret_key)
>>> engine.decrypt(a & ~b, secret_key)
array([False, False,  True, False])
"""

from ._array import concatenate, stack
from .bool_array import BoolArray
from .ciphertext import Ciphertext
from .compressed_list import CompressedList
from .decimal_array import DecimalArray
from .engine import Engine, parameter_sets
from .int_array import IntArray
from .keys import CompressionKey, EvaluationKey, LookupKey, PackingKey, PublicKey, RingSwitchKey, SecretKey
from .uint_array import UintArray

__all__ = [
    "BoolArray",
    "Ciphertext",
    "CompressedList",
    "CompressionKey",
    "DecimalArray",
    "Engine",
    "EvaluationKey",
    "IntArray",
    "LookupKey",
    "PackingKey",
    "PublicKey",
    "RingSwitchKey",
    "SecretKey",
    "UintArray",
    "concatenate",
    "parameter_sets",
    "stack",
]
