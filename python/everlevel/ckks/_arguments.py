"""Where the largest and the smallest value are."""

from __future__ import annotations

from typing import Any

from .. import _native
from .._common import checks
from . import _comparison, _extrema
from ._auto import deepened
from ._core import Core
from ._shaping import on_slots
from .ciphertext import Ciphertext
from .evaluation_key import EvaluationKey
from .keys import RotationKey


@on_slots
@deepened
def argmax_of_slots(
    self: Core,
    x: Ciphertext,
    evaluation_key: EvaluationKey | None = None,
    *,
    count: int | None = None,
    one_hot: bool = False,
    gap: float = 2**-6,
    error: float = 2**-20,
    bound: float = 2.0,
    progress: bool | None = None,
) -> Ciphertext:
    """Compute the index of the largest of the first `count` values, if it exceeds the others by `gap` or more.

    Few values, of which about `count`² fit the slots, are compared all at once, each with each, and a value is the
    largest if it wins every comparison. More of them take the tree of `max_of_slots`, and one comparison with what
    comes out. Cost: that of one `sign`, and of a lossy bootstrap before it; or of that `max_of_slots`, and one
    `sign` of half the gap.

    Parameters
    ----------
    x : Ciphertext
        Real, of two polynomials. Of several units, each has its own index.
    evaluation_key : EvaluationKey, optional
        With a lossy or a small bootstrap key, and with rotations by any amount (`rotations=True`; `matrices=True`
        makes it faster); the keys that the engine uses, if left out.
    count : int, optional
        1 to `slot_count`; all values, if left out.
    one_hot : bool, default False
        Give 1 in the slot of the largest value and 0 in the others, in the place of the index.
    gap, error, bound
        As in `compare`: of differences. `gap` is at least `bound`/4096, and `bound`/2048 with a tree. A tree
        compares the values beyond `count`, too: their differences must be within `bound` as well.
    progress : bool, optional
        Whether bars are shown; as the engine says, if left out.

    Returns
    -------
    Ciphertext
        The index in every slot, or the vector of one 1. The latter is right to 3·(`count`·`error`/2)², or with a
        tree to 3·(`error`/2)², beside the noise of its level; the index to `count`²/2 times that, and rounds to
        the right one. Within the gap, several slots may have parts of the 1, and the index is of no use. Levels:
        at most 4 below the highest with a tree, and else log2(`count`) + 4 or less.

    Raises
    ------
    OperandTypeError, MissingKeyError, KeyMismatchError, ParameterError
        As in `max_of_slots`.

    Examples
    --------
    >>> deep = Engine(use_bootstrap=True, insecure_log_n=10)
    >>> secret = deep.create_secret_key()
    >>> key = deep.create_evaluation_key(secret, bootstrap="lossy")
    >>> x = deep.encrypt([0.1, -0.4, 0.8, 0.7], secret)
    >>> index = deep.argmax_of_slots(x, key, count=4)
    >>> round(float(deep.decrypt(index, secret)[0]))
    2
    >>> deep.decrypt(deep.argmin_of_slots(x, key, count=4, one_hot=True), secret)[:4].round(3) + 0
    array([0., 1., 0., 0.])
    """
    return _argument(self, "max", x, evaluation_key, count, one_hot, (gap, error, bound), progress)


@on_slots
@deepened
def argmin_of_slots(
    self: Core,
    x: Ciphertext,
    evaluation_key: EvaluationKey | None = None,
    *,
    count: int | None = None,
    one_hot: bool = False,
    gap: float = 2**-6,
    error: float = 2**-20,
    bound: float = 2.0,
    progress: bool | None = None,
) -> Ciphertext:
    """Compute the index of the smallest of the first `count` values. All else is as in `argmax_of_slots`.

    Examples
    --------
    >>> deep = Engine(use_bootstrap=True, insecure_log_n=10)
    >>> secret = deep.create_secret_key()
    >>> key = deep.create_evaluation_key(secret, bootstrap="lossy")
    >>> x = deep.encrypt([0.1, -0.4, 0.8, 0.7], secret, bound=1)
    >>> round(float(deep.decrypt(deep.argmin_of_slots(x, count=4), secret)[0]))
    1
    """
    return _argument(self, "min", x, evaluation_key, count, one_hot, (gap, error, bound), progress)


def _argument(
    self: Core, which: str, value: Any, key: Any, count: Any, one_hot: bool, precision: Any, progress: bool | None
) -> Ciphertext:
    operation = f"arg{which}_of_slots"
    hot = checks.flag(operation, "one_hot", one_hot)
    width, x = _extrema.check_width(self.slot_count, operation, count), _comparison.real(operation, value)
    precision, keys = _comparison.check_precision(operation, *precision), _comparison.sign_keys(self, operation, x, key)
    if key is None:
        rotation, matrices = self._registry.find(operation, RotationKey, x._native.secret_id), None
    else:
        rotation, matrices = key.part(operation, RotationKey), key.matrix_multiplication_key
    all_keys = keys, rotation._native, None if matrices is None else matrices._native
    search = width, which == "max", hot
    arguments = x._native, all_keys, search
    return _comparison.run(self, operation, progress, precision, _native.argument_of_slots, *arguments)
