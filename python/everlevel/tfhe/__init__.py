"""TFHE: gates and look-up tables on encrypted bits and small integers.

>>> import numpy as np
>>> from everlevel import tfhe
>>> engine = tfhe.Engine("gate-64")
>>> secret_key = engine.create_secret_key()
>>> evaluation_key = engine.create_evaluation_key(secret_key)
>>> a = engine.encrypt(np.array([False, False, True, True]), secret_key)
>>> b = engine.encrypt(np.array([False, True, False, True]), secret_key)
>>> engine.decrypt(a & ~b, secret_key)
array([False, False,  True, False])
"""

from .ciphertext import Ciphertext, concatenate, stack
from .engine import Engine, parameter_sets
from .keys import EvaluationKey, SecretKey

__all__ = ["Ciphertext", "Engine", "EvaluationKey", "SecretKey", "concatenate", "parameter_sets", "stack"]
