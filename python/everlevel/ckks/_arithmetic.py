"""Slot-by-slot arithmetic, and the levels and polynomials that it leaves.

Operands at different levels are brought to the lower one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from numpy.typing import ArrayLike

from .. import _native
from .._common import checks, units
from ..errors import LevelError, ParameterError
from . import _checks, _operands
from ._auto import deepened
from ._core import Core
from ._registry import KeyRegistry, missing
from ._shaping import combining, on_slots, slotwise
from .ciphertext import Ciphertext
from .evaluation_key import EvaluationKey
from .keys import RelinearizationKey
from .matrix import PlainMatrix
from .plaintext import LightPlaintext, Plaintext

Operand = Ciphertext | Plaintext | LightPlaintext | ArrayLike | complex
"""Operands beside a ciphertext."""

CiphertextT = TypeVar("CiphertextT", Ciphertext, Plaintext)
LevelledT = TypeVar("LevelledT", Ciphertext, Plaintext, PlainMatrix)


@combining("sum")
@deepened
def add(self: Core, left: Operand, right: Operand) -> Ciphertext:
    """Add, slot by slot.

    Parameters
    ----------
    left, right : Ciphertext, Plaintext, LightPlaintext, array_like or number
        At least one of them a ciphertext, and both of equally many units. A number is added to every slot; an
        array fills as many units as it needs, and zeros follow it.

    Returns
    -------
    Ciphertext
        At the lower of the two levels. Levels consumed: 0. Noise: the sum of the two.

    Raises
    ------
    EngineMismatchError, KeyMismatchError
        If the operands are of different engines, or of different secrets.
    UnitCountError
        If they fill different numbers of units.
    MessageError
        If an array is empty, or holds NaN or infinity.

    Examples
    --------
    >>> a = engine.encrypt([1.0, 2.0], public_key, bound=2)
    >>> engine.decrypt(engine.add(a, [10.0, 20.0]), secret_key)[:2].round(3)
    array([11., 22.])
    """
    first, second = order(self, "add", left, right)
    return _add(self, "add", first, second)


@combining("sum")
@deepened
def subtract(self: Core, left: Operand, right: Operand) -> Ciphertext:
    """Subtract `right` from `left`, slot by slot. All else is as in `add`.

    Examples
    --------
    >>> x = engine.encrypt([1.0, 2.0], public_key, bound=2)
    >>> engine.decrypt(engine.subtract(3, x), secret_key).round(3)
    array([2., 1.])
    """
    if isinstance(left, Ciphertext) and isinstance(right, Ciphertext):
        native = self._context.subtract(left._native, right._native)
        return self._wrap(native, is_real=left.is_real and right.is_real)
    first, second = order(self, "subtract", left, right)
    if first is right:
        return _add(self, "subtract", negate(self, first), second)
    if isinstance(second, Plaintext):
        # a - p = -(p - a): negating ciphertexts is exact and costs no level.
        return negate(self, _add(self, "subtract", negate(self, first), second))
    return _add(self, "subtract", first, _negative("subtract", second, self.slot_count))


@slotwise()
@deepened
def negate(self: Core, ciphertext: Ciphertext) -> Ciphertext:
    """Negate every slot. Levels consumed: 0.

    Examples
    --------
    >>> x = engine.encrypt([1.0, 2.0], public_key, bound=2)
    >>> engine.decrypt(engine.negate(x), secret_key).round(3)
    array([-1., -2.])
    """
    ciphertext = _operands.ciphertext("negate", ciphertext)
    return self._wrap(self._context.negate(ciphertext._native), is_real=ciphertext.is_real)


@combining("product")
@deepened
def multiply(
    self: Core,
    left: Operand,
    right: Operand,
    relinearization_key: RelinearizationKey | EvaluationKey | None = None,
    *,
    relinearize: bool = True,
) -> Ciphertext:
    """Multiply, slot by slot.

    Parameters
    ----------
    left, right : Ciphertext, Plaintext, LightPlaintext, array_like or number
        At least one of them a ciphertext, and both of equally many units.
    relinearization_key : RelinearizationKey or EvaluationKey, optional
        For two ciphertexts: brings the product back to two polynomials. The engine's, if left out.
    relinearize : bool, default True
        False leaves the product of two ciphertexts with three polynomials, to be added up with others and given to
        `relinearize` once. It takes no key.

    Returns
    -------
    Ciphertext
        At the lower of the two levels, less the levels consumed: 0 for a number that is an integer, or has
        integer parts, else 1.

    Raises
    ------
    LevelError
        If a level is needed and none is left: bootstrap first.
    ScaleError
        If a number is so large that the product can't be held.
    MissingKeyError
        If the product of two ciphertexts needs a key, none is given, and the engine knows none.
    EngineMismatchError, KeyMismatchError, MessageError
        As in `add`.

    Examples
    --------
    >>> a = engine.encrypt([1.0, 2.0], public_key, bound=2)
    >>> engine.decrypt(engine.multiply(a, a), secret_key).round(3)
    array([1., 4.])
    >>> engine.multiply(a, 3).level == a.level
    True
    >>> engine.multiply(a, a, relinearize=False).polynomial_count
    3
    """
    first, second = order(self, "multiply", left, right)
    context = self._context
    if isinstance(second, Ciphertext):
        _operands.relinearized("multiply", first)
        _operands.relinearized("multiply", second)
        key, is_missing = _key_of_product(self._registry, "multiply", first, relinearization_key, relinearize)
        native = context.multiply(first._native, second._native, key)
        if is_missing:
            raise missing("multiply", RelinearizationKey)
        return self._wrap(native, is_real=first.is_real and second.is_real)
    return _with_clear(
        self, "multiply", first, second, context.multiply_plain, context.multiply_scalar, context.multiply_slots
    )


@slotwise()
@deepened
def square(
    self: Core,
    ciphertext: Ciphertext,
    relinearization_key: RelinearizationKey | EvaluationKey | None = None,
    *,
    relinearize: bool = True,
) -> Ciphertext:
    """Square every slot; cheaper than ``multiply(a, a)``. Levels consumed: 1.

    Parameters
    ----------
    ciphertext : Ciphertext
        What to square.
    relinearization_key, relinearize
        As in `multiply`.

    Examples
    --------
    >>> a = engine.encrypt([1.0, 2.0, 3.0], public_key, bound=3)
    >>> engine.decrypt(engine.square(a), secret_key).round(3)
    array([1., 4., 9.])
    """
    ciphertext = _operands.relinearized("square", ciphertext)
    key, is_missing = _key_of_product(self._registry, "square", ciphertext, relinearization_key, relinearize)
    native = self._context.square(ciphertext._native, key)
    if is_missing:
        raise missing("square", RelinearizationKey)
    return self._wrap(native, is_real=ciphertext.is_real)


@slotwise()
def relinearize(
    self: Core, ciphertext: Ciphertext, relinearization_key: RelinearizationKey | EvaluationKey | None = None
) -> Ciphertext:
    """Bring a ciphertext of three polynomials back to two. Levels consumed: 0.

    If `relinearization_key` is left out, it is the engine's.

    Raises
    ------
    MissingKeyError
        If no key is given, and the engine knows none.

    Examples
    --------
    >>> a = engine.encrypt([1.0, 2.0], public_key, bound=2)
    >>> total = engine.multiply(a, a, relinearize=False) + engine.square(a, relinearize=False)
    >>> total.polynomial_count, engine.relinearize(total, relinearization_key).polynomial_count
    (3, 2)
    """
    ciphertext = _operands.ciphertext("relinearize", ciphertext)
    if relinearization_key is None:
        relinearization_key = self._registry.find("relinearize", RelinearizationKey, ciphertext._native.secret_id)
    key = _operands.relinearization_key(self._registry, "relinearize", relinearization_key)
    return self._wrap(self._context.relinearize(ciphertext._native, key._native), is_real=ciphertext.is_real)


def rescale(self: Core, ciphertext: CiphertextT) -> CiphertextT:
    """Bring a ciphertext, or a plaintext, one level down.

    Products rescale by themselves, and every ciphertext has its level's scale: nothing is ever left to divide, and
    the message stays what it is. Levels consumed: 1.

    Raises
    ------
    LevelError
        At level 0.
    """
    kind = "plaintext" if isinstance(ciphertext, Plaintext) else "ciphertext"
    if kind == "ciphertext":
        _operands.ciphertext("rescale", ciphertext)
    _checks.require_level("rescale", ciphertext.level, 1, self.max_level, kind)
    return level_down(self, ciphertext, ciphertext.level - 1)


@slotwise()
def level_down(self: Core, ciphertext: LevelledT, level: int) -> LevelledT:
    """Bring a ciphertext, a plaintext or a plain matrix to a lower level, where operations on it are cheaper.

    Raises
    ------
    LevelError
        If `level` is above the ciphertext's.

    Examples
    --------
    >>> engine.level_down(engine.encrypt([1.0], public_key), 1).level
    1
    """
    if not isinstance(ciphertext, (Plaintext, PlainMatrix)):
        _operands.ciphertext("level_down", ciphertext)
    kind = ciphertext.kind
    target = checks.integer("level_down", "level", level)
    if not 0 <= target <= ciphertext.level:
        way_up = "bootstrap to go up" if kind == "ciphertext" else "encode it at a higher one"
        raise LevelError(
            f"level_down: level {target} was asked for and the {kind} is at level {ciphertext.level}; "
            f"choose a level from 0 to {ciphertext.level}, or {way_up}",
            level=target,
            max_level=ciphertext.level,
        )
    if isinstance(ciphertext, PlainMatrix):
        matrix = _native.level_down_matrix(self._context, ciphertext._native, target)
        return PlainMatrix(self._context, matrix, is_real=ciphertext.is_real)
    if isinstance(ciphertext, Plaintext):
        native = self._context.level_down_plain(ciphertext._native, target)
        return Plaintext(self._context, native, is_real=ciphertext.is_real, layout=ciphertext._layout)
    return self._wrap(self._context.level_down(ciphertext._native, target), is_real=ciphertext.is_real)


@slotwise()
def clone(self: Core, ciphertext: CiphertextT) -> CiphertextT:
    """Return a ciphertext, or a plaintext, of the same content, which the two share until one is an ``out``."""
    if isinstance(ciphertext, Plaintext):
        return Plaintext(self._context, ciphertext._native, is_real=ciphertext.is_real, layout=ciphertext._layout)
    ciphertext = _operands.ciphertext("clone", ciphertext)
    return self._wrap(ciphertext._native, is_real=ciphertext.is_real)


@on_slots
def vstack(self: Core, ciphertexts: Sequence[Ciphertext]) -> Ciphertext:
    """Make one ciphertext of the units of several, in their order. `Ciphertext.units` takes them apart again.

    Parameters
    ----------
    ciphertexts : sequence of Ciphertext
        At least one; of one secret, and of equally many polynomials.

    Returns
    -------
    Ciphertext
        At the lowest of their levels. Levels consumed: 0.

    Raises
    ------
    ParameterError
        If there are none.
    CiphertextFormError
        If some have two polynomials and some three.
    EngineMismatchError, KeyMismatchError
        If they are of different engines, or of different secrets.

    Examples
    --------
    >>> a, b = engine.encrypt([1.0], public_key), engine.encrypt([2.0], public_key, bound=2)
    >>> both = engine.vstack([a, b])
    >>> len(both), engine.decrypt(both, secret_key)[[0, engine.slot_count]].round(3)
    (2, array([1., 2.]))
    """
    listed = _operands.several("vstack", ciphertexts)
    parts = units.stacked([_operands.ciphertext("vstack", part) for part in listed])
    level = min(part.level for part in parts)
    lowered = [part if part.level == level else level_down(self, part, level) for part in parts]
    native = self._context.stack([part._native for part in lowered])
    return self._wrap(native, is_real=all(part.is_real for part in parts))


def order(self: Core, operation: str, left: Any, right: Any, *, raised: bool = False) -> tuple[Ciphertext, Any]:
    """Put the ciphertext first, and expand a light plaintext for its level, or one that is bootstrapped."""
    first, second = (left, right) if isinstance(left, Ciphertext) else (right, left)
    if not isinstance(first, Ciphertext):
        raise checks.none_encrypted(operation, "left, right", left, right)
    if isinstance(second, LightPlaintext):
        level = second.level if raised else min(first.level, second.level)
        native = _native.expand(self._context, second._native, level)
        second = Plaintext(self._context, native, is_real=second.is_real, layout=second._layout)
    return first, second


def _add(self: Core, operation: str, first: Ciphertext, second: Any) -> Ciphertext:
    context = self._context
    if isinstance(second, Ciphertext):
        native = context.add(first._native, second._native)
        return self._wrap(native, is_real=first.is_real and second.is_real)
    return _with_clear(self, operation, first, second, context.add_plain, context.add_scalar, context.add_slots)


def _with_clear(
    self: Core,
    operation: str,
    first: Ciphertext,
    second: Any,
    plain: Callable[[_native.Ciphertext, _native.Plaintext], _native.Ciphertext],
    scalar: Callable[[_native.Ciphertext, complex], _native.Ciphertext],
    slots: Callable[[_native.Ciphertext, _checks.ComplexArray], _native.Ciphertext],
) -> Ciphertext:
    """Combine a ciphertext with a value in the clear, by the native function for its kind."""
    if isinstance(second, Plaintext):
        native, is_real = plain(first._native, second._native), second.is_real
    elif _checks.is_scalar(second):
        number = _checks.scalar(operation, second)
        native, is_real = scalar(first._native, number), number.imag == 0
    else:
        values, is_real = _checks.message(operation, second, self.slot_count)
        native = slots(first._native, values)
    return self._wrap(native, is_real=first.is_real and is_real)


def _key_of_product(
    registry: KeyRegistry, operation: str, x: Ciphertext, value: Any, relinearize: Any
) -> tuple[_native.RelinearizationKey | None, bool]:
    """Choose the key that is given, or that the engine knows; none for a product that isn't relinearized.

    Whether one is missing is said beside it: operands that don't go together are the better reason to refuse.
    """
    if not checks.truth(operation, "relinearize", relinearize):
        if value is None:
            return None, False
        raise ParameterError(
            f"{operation}: relinearize is False, and a key was given, which does it; leave one of them out",
            option="relinearize",
            value=False,
            allowed=True,
        )
    if value is None:
        value = registry.get(RelinearizationKey, x._native.secret_id)
        if value is None:
            return None, True
    return _operands.relinearization_key(registry, operation, value)._native, False


def _negative(operation: str, value: Any, slot_count: int) -> Any:
    """Negate a number or an array, of any dtype: the negative of an unsigned integer is another number."""
    if _checks.is_scalar(value):
        return -_checks.scalar(operation, value)
    slots, is_real = _checks.message(operation, value, slot_count)
    return -slots.real if is_real else -slots
