"""Rotations, conjugation, and sums over slots. None of them consumes a level."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, cast, overload

import numpy as np

from .. import _native
from .._common import checks, slot_shapes, units
from ..errors import ParameterError
from . import _checks, _operands, _reductions
from ._arithmetic import add, multiply, subtract
from ._auto import deepened
from ._core import Core
from ._registry import KeyRegistry
from ._shaping import known, on_slots, slotwise
from .ciphertext import Ciphertext
from .evaluation_key import EvaluationKey
from .keys import ConjugationKey, FixedRotationKey, RotationKey
from .plaintext import Plaintext


@overload
def rotate(self: Core, ciphertext: Plaintext, key: int) -> Plaintext: ...
@overload
def rotate(self: Core, ciphertext: Plaintext, *, delta: int) -> Plaintext: ...
@overload
def rotate(
    self: Core,
    ciphertext: Ciphertext,
    key: RotationKey | FixedRotationKey | EvaluationKey,
    delta: int | None = None,
) -> Ciphertext: ...
@overload
def rotate(self: Core, ciphertext: Ciphertext, *, delta: int) -> Ciphertext: ...
def rotate(self: Core, ciphertext: Any, key: Any = None, delta: int | None = None) -> Any:
    """Rotate all slots, as ``numpy.roll(x, delta)`` does: ``+1`` moves slot 0 to slot 1, and the last to slot 0.

    Units of longer vectors rotate each in itself.

    Parameters
    ----------
    ciphertext : Ciphertext or Plaintext
        A ciphertext of two polynomials; or a plaintext, which needs no key: ``rotate(plaintext, delta)``.
    key : RotationKey, FixedRotationKey or EvaluationKey, optional
        A rotation key takes any amount; a fixed one its own, which may then be left out; an evaluation key has the
        one or the other. If left out, the engine's: ``rotate(ciphertext, delta=1)``.
    delta : int, optional
        Amount in slots.

    Returns
    -------
    Ciphertext
        Levels consumed: 0. Noise: one key switch for a fixed key; one for each non-zero digit of `delta`, written
        in signed powers of two, for a rotation key.

    Raises
    ------
    ParameterError
        If `delta` is left out with a rotation key, or isn't the fixed key's.
    KeyMismatchError
        If the key is one of another secret.
    MissingKeyError
        If no key is given, and the engine knows none for the amount.

    Examples
    --------
    >>> a = engine.encrypt([1.0, 2.0, 3.0], public_key, bound=3)
    >>> engine.decrypt(engine.rotate(a, rotation_key, 1), secret_key)[1:4].round(3)
    array([1., 2., 3.])
    """
    if isinstance(ciphertext, Plaintext):
        amount = _checks.amount("rotate", key if delta is None else delta, self.slot_count)
        rotated = self._context.rotate_plain(ciphertext._native, amount)
        return Plaintext(self._context, rotated, is_real=ciphertext.is_real)
    return _rotate(self, ciphertext, key, delta)


@on_slots
@deepened
def _rotate(self: Core, ciphertext: Any, key: Any, delta: int | None) -> Ciphertext:
    ciphertext = _operands.relinearized("rotate", ciphertext)
    if key is None and delta is not None:
        key = _known_key(self, "rotate", ciphertext, delta)
    if isinstance(key, EvaluationKey) and delta is not None:
        key = key.rotation("rotate", _checks.amount("rotate", delta, self.slot_count))
    if isinstance(key, FixedRotationKey):
        if delta is not None and _checks.amount("rotate", delta, self.slot_count) != key.delta:
            raise ParameterError(
                f"rotate: delta is {delta} and the fixed rotation key is for {key.delta}; "
                f"leave delta out, or make a key with engine.create_fixed_rotation_key(secret_key, {delta})",
                option="delta",
                value=delta,
                allowed=key.delta,
            )
        self._registry.remember(key)
        return self._wrap(self._context.rotate_fixed(ciphertext._native, key._native), is_real=ciphertext.is_real)
    rotation_key = _rotation_key(self._registry, "rotate", key)
    if delta is None:
        raise ParameterError(
            "rotate: delta is missing, and a rotation key takes any amount; say by how many slots",
            option="delta",
        )
    amount = _checks.amount("rotate", delta, self.slot_count)
    native = self._context.rotate(ciphertext._native, rotation_key._native, amount)
    return self._wrap(native, is_real=ciphertext.is_real)


@on_slots
@deepened
def rotate_batch(
    self: Core,
    ciphertext: Ciphertext,
    keys: RotationKey | EvaluationKey | Sequence[FixedRotationKey] | Sequence[int] | None = None,
    deltas: Sequence[int] | None = None,
) -> list[Ciphertext]:
    """Rotate one ciphertext by many amounts, for less than one by one: what doesn't depend on the amount is shared.

    Parameters
    ----------
    ciphertext : Ciphertext
        Of two polynomials.
    keys : RotationKey, EvaluationKey, or sequence of FixedRotationKey, optional
        Fixed keys rotate by their own amounts. If left out, the engine's: ``rotate_batch(ciphertext, [-1, 1])``.
    deltas : sequence of int, optional
        Amounts in slots, for a rotation key, an evaluation key, or the engine's.

    Returns
    -------
    list of Ciphertext
        In the order of the amounts. Levels consumed: 0.

    Raises
    ------
    MissingKeyError
        If no key is given, and the engine knows none for an amount.
    ParameterError
        If amounts are left out, or given with fixed rotation keys.

    Examples
    --------
    >>> a = engine.encrypt([1.0, 2.0, 3.0], public_key, bound=3)
    >>> left, right = engine.rotate_batch(a, rotation_key, [-1, 1])
    >>> engine.decrypt(left, secret_key)[:2].round(3), engine.decrypt(right, secret_key)[1:3].round(3)
    (array([2., 3.]), array([1., 2.]))
    """
    ciphertext = _operands.relinearized("rotate_batch", ciphertext)
    chosen: Any = keys
    if deltas is None and _are_amounts(keys):
        chosen, deltas = None, cast("Sequence[int]", keys)
    if chosen is None and deltas is not None:
        chosen, deltas = _known_keys(self, "rotate_batch", ciphertext, deltas)
    if isinstance(chosen, EvaluationKey) and deltas is not None:
        chosen, deltas = _keys_for(self.slot_count, "rotate_batch", chosen, deltas)
    if chosen is None or isinstance(chosen, (RotationKey, EvaluationKey)):
        if deltas is None:
            raise ParameterError(
                "rotate_batch: deltas are missing, and a rotation key takes any amounts; say by how many slots",
                option="deltas",
            )
        listed = checks.sequence("rotate_batch", "deltas", deltas)
        amounts = [_checks.amount("rotate_batch", delta, self.slot_count, "deltas") for delta in listed]
        key = _rotation_key(self._registry, "rotate_batch", chosen)
        natives = self._context.rotate_batch(ciphertext._native, key._native, amounts)
        return self._wrap_all(natives, is_real=ciphertext.is_real)
    if deltas is not None:
        raise ParameterError(
            "rotate_batch: deltas were given with fixed rotation keys, which have their own; leave deltas out",
            option="deltas",
            value=deltas,
        )
    listed = checks.sequence("rotate_batch", "keys", chosen)
    fixed = [checks.instance("rotate_batch", "keys", key, FixedRotationKey)._native for key in listed]
    natives = self._context.rotate_batch_fixed(ciphertext._native, fixed)
    return self._wrap_all(natives, is_real=ciphertext.is_real)


@overload
def conjugate(self: Core, ciphertext: Plaintext) -> Plaintext: ...
@overload
def conjugate(
    self: Core, ciphertext: Ciphertext, conjugation_key: ConjugationKey | EvaluationKey | None = None
) -> Ciphertext: ...
def conjugate(self: Core, ciphertext: Any, conjugation_key: Any = None) -> Any:
    """Conjugate every slot of a ciphertext, or of a plaintext, which needs no key. Levels consumed: 0.

    If `conjugation_key` is left out, it is the engine's.

    Raises
    ------
    MissingKeyError
        If no key is given, and the engine knows none.

    Examples
    --------
    >>> a = engine.encrypt([1 + 2j], public_key, bound=3)
    >>> engine.decrypt(engine.conjugate(a, conjugation_key), secret_key)[:1].round(3)
    array([1.-2.j])
    """
    if isinstance(ciphertext, Plaintext):
        native = self._context.conjugate_plain(ciphertext._native)
        return Plaintext(self._context, native, is_real=ciphertext.is_real, layout=ciphertext._layout)
    return _conjugate(self, ciphertext, conjugation_key)


@slotwise()
@deepened
def _conjugate(self: Core, ciphertext: Any, conjugation_key: Any) -> Ciphertext:
    ciphertext = _operands.relinearized("conjugate", ciphertext)
    if conjugation_key is None:
        key = self._registry.find("conjugate", ConjugationKey, ciphertext._native.secret_id)
    else:
        key = checks.instance("conjugate", "conjugation_key", conjugation_key, ConjugationKey)
    self._registry.remember(key)
    return self._wrap(self._context.conjugate(ciphertext._native, key._native), is_real=ciphertext.is_real)


def twice_parts(core: Core, ciphertext: Ciphertext, key: EvaluationKey) -> tuple[Ciphertext, Ciphertext]:
    """Return twice the real parts and twice the imaginary ones, as real ciphertexts. Levels consumed: 0."""
    conjugates = _conjugate(core, ciphertext, key)
    parts = add(core, ciphertext, conjugates), multiply(core, subtract(core, ciphertext, conjugates), -1j)
    # What is added to its conjugate is real, with all of its noise.
    real, imaginary = (core._wrap(x._native.on_reals(True), is_real=True, layout=x._layout) for x in parts)
    return real, imaginary


def sum(  # noqa: A001 (NumPy's name)
    self: Core,
    ciphertext: Ciphertext,
    rotation_key: RotationKey | EvaluationKey | int | None = None,
    axis: int | tuple[int, ...] | None = None,
) -> Ciphertext:
    """Add up values along axes, as ``numpy.sum`` does.

    Parameters
    ----------
    ciphertext : Ciphertext
        Of two polynomials, where slots are added up.
    rotation_key : RotationKey or EvaluationKey, optional
        For the slots; the engine's keys, if left out. Sums over units need none: ``sum(ciphertext, 0)``.
    axis : int or tuple of int, optional
        Axes of `Ciphertext.shape`; all, if left out. Where all slots count, 0: the units, slot by slot, to one unit. 1:
        the slots of each unit. None: both, to one unit.

    Returns
    -------
    Ciphertext
        Of the shape that is left: () for all values. Where all slots count, so they do in the result, and a sum over
        slots is in every slot of its unit. Levels consumed: 0; 1 for an axis that others come before, whose sums a mask
        brings together. Rotations: log2(slot_count) for all values, and up to 2·log2 of the length of an axis.

    Raises
    ------
    ParameterError
        If there is no such axis.
    MissingKeyError
        If slots are added up without a key, and the engine knows none.

    Examples
    --------
    >>> a = engine.encrypt([1.0, 2.0, 3.0], public_key, bound=3)
    >>> float(engine.decrypt(engine.sum(a, rotation_key), secret_key).round(3))
    6.0
    """
    x = _operands.ciphertext("sum", ciphertext)
    if x._layout.shape is not None:
        return along(self, "sum", x, rotation_key, axis)
    rotation_key, axis = _key_and_axis("sum", rotation_key, axis)
    return _sum(self, "sum", x, rotation_key, axis)


@deepened
def mean(
    self: Core,
    ciphertext: Ciphertext,
    rotation_key: RotationKey | EvaluationKey | int | None = None,
    axis: int | tuple[int, ...] | None = None,
) -> Ciphertext:
    """Return the mean of values along axes, as ``numpy.mean`` does.

    Arguments and errors are as in `sum`, whose result is divided by the number of its terms.

    Returns
    -------
    Ciphertext
        Of the shape of the sum. Levels consumed: 1, and 0 for a mean of one term. Its bound is that of the ciphertext.

    Raises
    ------
    LevelError
        If no level is left.

    Examples
    --------
    >>> a = engine.encrypt([[1.0, 3.0], [4.0, 8.0]], public_key, bound=8)
    >>> engine.decrypt(engine.mean(a, rotation_key, axis=1), secret_key).round(3)
    array([2., 6.])
    """
    x = _operands.ciphertext("mean", ciphertext)
    if x._layout.shape is not None:
        return along(self, "mean", x, rotation_key, axis)
    rotation_key, axis = _key_and_axis("mean", rotation_key, axis)
    terms = (x.unit_count if axis in units.OVER_UNITS else 1) * (self.slot_count if axis in units.OVER_SLOTS else 1)
    if terms > 1:
        # Before the sum, whose values are too large for a bootstrap.
        _checks.require_level("mean", ciphertext.level, 1, self.max_level)
    return multiply(self, _sum(self, "mean", ciphertext, rotation_key, axis), 1 / terms)


def along(self: Core, operation: str, x: Ciphertext, rotation_key: Any, axis: Any, *, ddof: int = 0) -> Ciphertext:
    """Add up the values of an array that is shorter than the slots, or average them: by their number less `ddof`."""
    if rotation_key is not None and not isinstance(rotation_key, (RotationKey, EvaluationKey)) and axis is None:
        rotation_key, axis = None, rotation_key
    if rotation_key is not None:
        self._registry.remember(_rotation_key(self._registry, operation, rotation_key))
    axes = slot_shapes.axes(operation, axis, x.ndim)
    terms = math.prod(x.shape[each] for each in axes)

    def of_slots(values: Ciphertext) -> Ciphertext:
        return _sum_range(self, operation, values, rotation_key, self.slot_count)

    if operation == "sum" or (terms == 1 and ddof == 0):
        return _reductions.total(_operands.relinearized(operation, x), axes, of_slots)
    _checks.require_level(operation, x.level, 1, self.max_level)
    divisor = terms - ddof
    average = _reductions.total(_operands.relinearized(operation, x), axes, of_slots, 1 / divisor)
    return known(average, x.bound * (terms / divisor))


def _key_and_axis(
    operation: str, rotation_key: RotationKey | EvaluationKey | int | None, axis: Any
) -> tuple[RotationKey | EvaluationKey | None, int | None]:
    """Tell a key from an axis in the place of one, and check the axis."""
    if rotation_key is not None and not isinstance(rotation_key, (RotationKey, EvaluationKey)) and axis is None:
        rotation_key, axis = None, checks.integer(operation, "axis", rotation_key)
    return cast("RotationKey | EvaluationKey | None", rotation_key), units.axis(operation, axis)


def _sum(
    self: Core, operation: str, ciphertext: Any, rotation_key: RotationKey | EvaluationKey | None, axis: int | None
) -> Ciphertext:
    over_slots = axis in units.OVER_SLOTS
    total = _operands.relinearized(operation, ciphertext) if over_slots else _operands.ciphertext(operation, ciphertext)
    if axis in units.OVER_UNITS:
        total, *others = total.units()
        for unit in others:
            total = total + unit
    return _sum_range(self, operation, total, rotation_key, self.slot_count) if over_slots else total


def sum_range(
    self: Core,
    ciphertext: Ciphertext,
    rotation_key: RotationKey | EvaluationKey | int | None = None,
    count: int | None = None,
) -> Ciphertext:
    """Put into every slot the sum of the `count` slots that begin there: ``y[i] = x[i] + … + x[i + count - 1]``.

    Indices wrap around inside each unit. Slot `start` is then the sum of ``x[start : start + count]``.

    Parameters
    ----------
    ciphertext : Ciphertext
        Of two polynomials.
    rotation_key : RotationKey or EvaluationKey, optional
        For at most ``2 * log2(count)`` rotations by powers of two; the engine's keys, if left out:
        ``sum_range(ciphertext, 3)``.
    count : int
        1 to `slot_count`.

    Returns
    -------
    Ciphertext
        Levels consumed: 0.

    Raises
    ------
    ParameterError
        If `count` is out of range.
    MissingKeyError
        If no key is given, and the engine knows none.

    Examples
    --------
    >>> a = engine.encrypt([1.0, 2.0, 3.0, 4.0], public_key, bound=4)
    >>> engine.decrypt(engine.sum_range(a, rotation_key, 3), secret_key)[:2].round(3)
    array([6., 9.])
    """
    if count is None and checks.is_integer(rotation_key):
        rotation_key, count = None, cast(int, rotation_key)
    if count is None:
        raise ParameterError("sum_range: count is missing; say how many slots are added up", option="count")
    return _sum_range(self, "sum_range", ciphertext, rotation_key, count)


@on_slots
@deepened
def _sum_range(self: Core, operation: str, ciphertext: Any, key: Any, count: Any) -> Ciphertext:
    ciphertext = _operands.relinearized(operation, ciphertext)
    if not (key is None or isinstance(key, EvaluationKey)):
        key = _rotation_key(self._registry, operation, key)
    length = checks.integer_between(operation, "count", count, 1, self.slot_count, "choose from a unit's slots")
    keys = rotations(self, operation, ciphertext, key, length)
    return self._wrap(self._context.sum_range(operation, ciphertext._native, keys, length), is_real=ciphertext.is_real)


def rotations(
    self: Core, operation: str, ciphertext: Ciphertext, key: RotationKey | EvaluationKey | None, count: int
) -> tuple[_native.RotationKey | None, list[_native.FixedRotationKey]]:
    """Choose the keys that bring so many slots together: those that are given, or that the engine knows."""
    fixed: list[FixedRotationKey] = []
    rotation: RotationKey | None
    if isinstance(key, EvaluationKey):
        rotation, fixed = key.rotation_key, list(key.fixed_rotation_keys.values())
        if rotation is None and not fixed and count > 1:
            rotation = key.part(operation, RotationKey)
    elif key is not None:
        rotation = key
    else:
        secret_id = ciphertext._native.secret_id
        rotation, fixed = self._registry.rotations(secret_id)
        if rotation is None and not fixed and count > 1:
            rotation = self._registry.find(operation, RotationKey, secret_id)
    if rotation is not None:
        self._registry.remember(rotation)
    for each in fixed:
        self._registry.remember(each)
    return None if rotation is None else rotation._native, [each._native for each in fixed]


def _keys_for(slot_count: int, operation: str, keys: EvaluationKey, deltas: Sequence[int]) -> Any:
    """Choose an evaluation key's fixed keys where it has all of them, else its rotation key and the amounts."""
    listed = checks.sequence(operation, "deltas", deltas)
    amounts = [_checks.amount(operation, delta, slot_count, "deltas") for delta in listed]
    found = [keys.rotation(operation, amount) for amount in amounts]
    fixed = [key for key in found if isinstance(key, FixedRotationKey)]
    return (fixed, None) if len(fixed) == len(found) else (keys.part(operation, RotationKey), amounts)


def _are_amounts(keys: Any) -> bool:
    """Whether amounts stand in the place of keys."""
    return isinstance(keys, (list, tuple, range, np.ndarray)) and len(keys) > 0 and all(map(checks.is_integer, keys))


def _known_keys(self: Core, operation: str, ciphertext: Ciphertext, deltas: Sequence[int]) -> Any:
    """Choose the engine's fixed keys where it has all of them, else its rotation key and the amounts."""
    listed = checks.sequence(operation, "deltas", deltas)
    amounts = [_checks.amount(operation, delta, self.slot_count, "deltas") for delta in listed]
    secret_id, level = ciphertext._native.secret_id, ciphertext.level
    found = [self._registry.find_rotation(operation, secret_id, amount, level) for amount in amounts if amount]
    if amounts and len(found) == len(amounts) and all(isinstance(key, FixedRotationKey) for key in found):
        return found, None
    return self._registry.find(operation, RotationKey, secret_id), amounts


def _known_key(self: Core, operation: str, ciphertext: Ciphertext, delta: Any) -> RotationKey | FixedRotationKey:
    """Choose the engine's key for an amount."""
    amount = _checks.amount(operation, delta, self.slot_count)
    return self._registry.find_rotation(operation, ciphertext._native.secret_id, amount, ciphertext.level)


def _rotation_key(registry: KeyRegistry, operation: str, value: Any) -> RotationKey:
    if isinstance(value, EvaluationKey):
        value = value.part(operation, RotationKey)
    if not isinstance(value, RotationKey):
        needed = ("RotationKey", "FixedRotationKey")
        raise _operands.wrong_key(operation, "key", value, needed, "create_rotation_key")
    registry.remember(value)
    return value
