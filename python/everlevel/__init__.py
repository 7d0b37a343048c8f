"""Everlevel: fully homomorphic encryption built around bootstrapping.

>>> from everlevel import Engine
>>> engine = Engine(max_level=2, insecure_log_n=10)
>>> secret_key = engine.create_secret_key()
>>> public_key = engine.create_public_key(secret_key)
>>> ciphertext = engine.encrypt([0.5, 1.5], public_key, bound=1.5)
>>> engine.decrypt(3 * ciphertext + 1, secret_key)[:2].round(3)
array([2.5, 5.5])
"""

from importlib.metadata import version as _version

from . import bfv, bulk, ckks, compat, errors, ml, ntru, tfhe
from ._common.memory import MemoryEstimate
from ._info import show_info
from ._open import open as open  # noqa: A004
from .ckks import *  # noqa: F403
from .ckks import round as round  # noqa: A004
from .errors import EverlevelError

__all__ = [
    "EverlevelError",
    "MemoryEstimate",
    "__version__",
    "bfv",
    "bulk",
    "ckks",
    "errors",
    "ml",
    "ntru",
    "show_info",
    "tfhe",
]
__all__ += ckks.__all__

__version__ = _version("everlevel")

compat.keep_module_paths()
