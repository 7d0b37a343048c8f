"""CKKS over limbs: approximate arithmetic on encrypted vectors, which spends any number of bits.

>>> from everlevel.ckks import limbs
>>> engine = limbs.Engine("n13")
>>> secret_key = engine.create_secret_key()
>>> evaluation_key = engine.create_evaluation_key(secret_key)
>>> x = engine.encrypt([0.5, -0.4], secret_key)
>>> engine.decrypt(x * x + 1, secret_key).round(3)
array([1.25, 1.16])
"""

from .bridge import Bridge
from .ciphertext import Ciphertext
from .encrypted_array import EncryptedArray
from .engine import Engine, parameter_sets
from .keys import BootstrapKey, EvaluationKey, PublicKey, SecretKey

__all__ = [
    "BootstrapKey",
    "Bridge",
    "Ciphertext",
    "EncryptedArray",
    "Engine",
    "EvaluationKey",
    "PublicKey",
    "SecretKey",
    "parameter_sets",
]
