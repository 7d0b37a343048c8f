"""Between representations: ciphertexts of levels as ciphertexts over limbs, and back."""

from __future__ import annotations

from ... import _native
from ..._common import checks
from ...errors import UnitCountError
from ..ciphertext import Ciphertext as LevelCiphertext
from ..engine import Engine as LevelEngine
from . import _operands
from ._core import Core
from .ciphertext import Ciphertext

__all__ = ["Bridge"]


class Bridge:
    """Keys that turn ciphertexts of an `everlevel.Engine` into ones over limbs, and back: see `Engine.create_bridge`.

    Each way is a change of representation and a half product with a key that hides one secret under the other's. It
    spends `Engine.precision_bits`. The keys tell nothing about the secrets.

    Examples
    --------
    >>> levels = Engine(max_level=4, insecure_log_n=10)
    >>> levels_secret_key = levels.create_secret_key()
    >>> bridge = limbs_engine.create_bridge(limbs_secret_key, levels, levels_secret_key)
    >>> x = levels.encrypt([0.5, 0.4], levels_secret_key, bound=1)
    >>> y = bridge.from_levels(x)
    >>> z = bridge.to_levels(y * y, 1)
    >>> levels.decrypt(z, levels_secret_key).round(2)
    array([0.25, 0.16])
    """

    __slots__ = ("_engine", "_levels", "_native")

    def __init__(self, engine: Core, levels: LevelEngine, native: _native.LimbsBridge) -> None:
        self._engine = engine
        self._levels = levels
        self._native = native

    @property
    def nbytes(self) -> int:
        """Bytes in memory.

        Examples
        --------
        >>> levels = Engine(max_level=4, insecure_log_n=10)
        >>> bridge = limbs_engine.create_bridge(limbs_secret_key, levels, levels.create_secret_key())
        >>> bridge.nbytes > 0
        True
        """
        return self._native.nbytes

    def __repr__(self) -> str:
        return f"Bridge({self._engine!r}, {self._levels!r})"

    def from_levels(self, ciphertext: LevelCiphertext) -> Ciphertext:
        """Turn a ciphertext of levels into one over limbs.

        Parameters
        ----------
        ciphertext : everlevel.Ciphertext
            One unit, of two polynomials.

        Returns
        -------
        Ciphertext
            With the budget that the level's modulus has above its scale, less `Engine.precision_bits`.

        Raises
        ------
        ParameterError
            If the level's modulus is larger than those over limbs.
        NoiseError
            If too little budget would be left: levels of 0 have next to none.
        UnitCountError
            If it has several units.
        KeyMismatchError, EngineMismatchError
            If it belongs to another secret, or to other parameters.

        Examples
        --------
        >>> levels = Engine(max_level=4, insecure_log_n=10)
        >>> levels_secret_key = levels.create_secret_key()
        >>> bridge = limbs_engine.create_bridge(limbs_secret_key, levels, levels_secret_key)
        >>> x = bridge.from_levels(levels.encrypt([0.5], levels_secret_key, bound=1))
        >>> limbs_engine.decrypt(x, limbs_secret_key).round(3)
        array([0.5])
        """
        x = checks.instance("from_levels", "ciphertext", ciphertext, LevelCiphertext)
        if x.unit_count != 1:
            raise UnitCountError(
                f"from_levels: the ciphertext has {x.unit_count} units, and one is taken; "
                f"go through them: ciphertext.units()",
                left=x.unit_count,
            )
        native = self._engine._context.from_levels(x._native, self._levels._context, self._native)
        return Ciphertext(self._engine, native, is_real=x.is_real, layout=x._layout)

    def to_levels(self, ciphertext: Ciphertext, level: int) -> LevelCiphertext:
        """Turn a ciphertext over limbs into one of levels.

        Parameters
        ----------
        ciphertext : Ciphertext
            Its budget is at least that of the level, and `Engine.precision_bits`.
        level : int
            The level of the result.

        Returns
        -------
        everlevel.Ciphertext
            One unit, of two polynomials, at that level.

        Raises
        ------
        NoiseError
            If the budget is smaller, with both in bits; or if the level has no room for the values.
        ParameterError
            If there is no such level.
        KeyMismatchError, EngineMismatchError
            If it belongs to another secret, or to other parameters.

        Examples
        --------
        >>> levels = Engine(max_level=4, insecure_log_n=10)
        >>> levels_secret_key = levels.create_secret_key()
        >>> bridge = limbs_engine.create_bridge(limbs_secret_key, levels, levels_secret_key)
        >>> x = bridge.to_levels(limbs_engine.encrypt([0.5], limbs_secret_key), 1)
        >>> levels.decrypt(x, levels_secret_key).round(3)
        array([0.5])
        """
        operation = "to_levels"
        x = _operands.ciphertext(self._engine, operation, "ciphertext", ciphertext)
        number = checks.integer_between(operation, "level", level, 0, self._levels.max_level, "choose one of these")
        native = self._engine._context.to_levels(x._native, number, self._levels._context, self._native)
        return self._levels._wrap(native, is_real=x.is_real, layout=x._layout)
