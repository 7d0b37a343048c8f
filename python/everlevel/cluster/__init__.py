"""Encrypted work on several processes or machines: on Ray, on Dask, or on processes of this machine.

Bootstraps don't depend on each other, their keys are large files that never change, and ciphertexts are small. A pool's
workers each map the keys' files, and a list of ciphertexts is computed by all of them:

    from everlevel import cluster

    with cluster.connect("ray", keys="eval.key") as pool:
        refreshed = pool.bootstrap_many(ciphertexts)
        scores = list(pool.map(score, ciphertexts, weights))

No worker ever gets a secret key: whatever is sent goes through one pickler, which refuses them at any depth.
"""

from ._bound import Keys
from ._connect import connect
from ._worker import WorkerInfo
from .pool import Pool

__all__ = ["Keys", "Pool", "WorkerInfo", "connect"]
