"""The engine of NTRU: TFHE's operations, with other keys under them."""

from __future__ import annotations

from typing import ClassVar

from ..tfhe import engine as tfhe
from ..tfhe.engine import ParameterSet

__all__ = ["Engine", "parameter_sets"]


def parameter_sets() -> list[ParameterSet]:
    """List the named sets of parameters, each with its claims.

    Examples
    --------
    >>> [p.name for p in parameter_sets() if p.name.startswith("gate") and not p.assumptions][:5]
    ['gate-64', 'gate-128', 'gate-64-conservative', 'gate-64-solinas', 'gate-128-solinas']
    """
    return tfhe.sets_of(Engine)


class Engine(tfhe.Engine):
    """NTRU: gates and look-up tables on encrypted bits or small integers, with the calls of `everlevel.tfhe.Engine`.

    A bootstrap turns one polynomial instead of several, over a prime of 20 bits, so that gates are faster than TFHE's.
    Their security rests on one more assumption: that of NTRU with a modulus that is large for its degree, where the
    attack on the dense sublattice counts (`docs/ntru.md` has the numbers).

    Parameters
    ----------
    parameters : str, default "gate-128"
        A named set; `parameter_sets` lists them. A bootstrap fails with a probability below 2^-64 or 2^-128. Sets whose
        names have ``insecure`` are below 128 bits, those with ``experimental`` rest on assumptions of their own, and
        those with ``baseline`` are for comparisons: another set is better in time, key and failure together.
    thread_count, progress, insecure_log_n
        As for `everlevel.tfhe.Engine`; `insecure_log_n` is 8 to 11 here.

    Examples
    --------
    >>> from everlevel import ntru
    >>> engine = ntru.Engine()
    >>> secret_key = engine.create_secret_key()
    >>> evaluation_key = engine.create_evaluation_key(secret_key)
    >>> x = engine.encrypt([True, False], secret_key)
    >>> engine.decrypt(x ^ x[::-1], secret_key)
    array([ True,  True])
    """

    _scheme: ClassVar[str] = "ntru"
    _prefix: ClassVar[str] = "ntru-"
