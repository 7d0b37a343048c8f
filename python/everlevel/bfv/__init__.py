"""BFV: exact arithmetic on encrypted vectors of integers modulo a prime.

>>> from everlevel import bfv
>>> engine = bfv.Engine("n13")
>>> secret_key = engine.create_secret_key()
>>> evaluation_key = engine.create_evaluation_key(secret_key)
>>> x = engine.encrypt([1, 2, 3], secret_key)
>>> y = engine.encrypt([10, 20, 30], secret_key)
>>> engine.decrypt(x * y - 5 * x, secret_key)
array([ 5, 30, 75])
"""

from .ciphertext import Ciphertext
from .encrypted_array import EncryptedArray
from .engine import Engine, parameter_sets
from .keys import EvaluationKey, PublicKey, SecretKey

__all__ = ["Ciphertext", "EncryptedArray", "Engine", "EvaluationKey", "PublicKey", "SecretKey", "parameter_sets"]
