"""Signs, and what follows from them: comparisons, minima and maxima, to a stated precision."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from . import _checks, _sign_plan
from ._engine_arithmetic import ArithmeticMixin, Operand
from ._engine_bootstrap import BootstrapMixin
from ._engine_polynomials import PolynomialsMixin
from ._engine_slots import SlotsMixin
from ._sign_plan import SignPlan
from .ciphertext import Ciphertext
from .errors import KeyMismatchError, MessageError, OperandTypeError, ParameterError
from .evaluation_key import EvaluationKey
from .keys import BootstrapKey, LossyBootstrapKey

_SMALLEST_GAP = 2.0**-12
"""Of the bound: below, the noise of a polynomial is no longer small beside what it makes of the gap."""
_SMALLEST_ERROR = 2.0**-26


class ComparisonMixin(ArithmeticMixin, PolynomialsMixin, SlotsMixin, BootstrapMixin):
    """Functions of the sign.

    All take real ciphertexts, and an evaluation key with a lossy bootstrap key (that which the engine uses, if left
    out). `gap` is the least size of a value (or a difference) whose sign must come out right to `error`, and `bound`
    the largest size that occurs; `plan_sign` tells what they cost. Within the gap, signs lie between 0 and the right
    one, so that minima, maxima and rectified values are right to gap/2, and absolute values to gap, **everywhere**.
    """

    def plan_sign(
        self,
        *,
        gap: float = 2**-6,
        error: float = 2**-20,
        bound: float = 1.0,
        level: int | None = None,
        stage_count: int = 3,
    ) -> SignPlan:
        """Plan a sign without computing it: polynomials, levels, bootstraps, and a bound of the error.

        Parameters
        ----------
        gap : float
            Least size of the values that count, at least `bound`/4096.
        error : float
            Largest distance to ±1 outside of the gap, at least 2^-26.
        bound : float
            Largest size of the values. Beyond 1, the first polynomial is of degree 3 or 7.
        level : int, optional
            The ciphertext's level; the highest, if left out.
        stage_count : int, default 3
            Of the bootstrap key.

        Returns
        -------
        SignPlan
            Call it with numbers to see what a noiseless engine would make of them.

        Raises
        ------
        ParameterError
            If gap, error or bound are out of range, or the level leaves none for polynomials.

        Examples
        --------
        >>> deep = Engine(use_bootstrap=True, insecure_log_n=10)
        >>> deep.plan_sign(gap=2**-7)
        SignPlan(0.0078 ≤ |x| ≤ 1: error 7e-07 (2^-20.5); degrees 31 31; 1 sign bootstraps; levels 10)
        >>> deep.plan_sign(gap=2**-7)(np.array([0.01, -0.5])).round(5)
        array([ 1., -1.])
        """
        return self._plan("plan_sign", (gap, error, bound), self._level("plan_sign", level), stage_count)

    def sign(
        self,
        x: Ciphertext,
        evaluation_key: EvaluationKey | None = None,
        *,
        gap: float = 2**-6,
        error: float = 2**-20,
        bound: float = 1.0,
        progress: bool | None = None,
    ) -> Ciphertext:
        """Compute the sign of every value: ±1 up to `error` where values are of size `gap` to `bound`.

        Values within the gap come out between 0 and their sign; beyond the bound anything comes out.

        Polynomials amplify, and sign bootstraps end their rounds (`plan_sign`). Cost: one sign bootstrap for each
        round; from the highest level, one down to a gap of 2^-7 and two down to 2^-12. Levels: the result is at the
        highest. A ciphertext with fewer than 2 levels above `stage_count` is bootstrapped first.

        Parameters
        ----------
        x : Ciphertext
            Real, of two polynomials.
        evaluation_key : EvaluationKey, optional
            With a lossy bootstrap key; the keys that the engine uses, if left out.
        gap, error, bound
            As in `plan_sign`.
        progress : bool, optional
            Whether bars are shown; as the engine says, if left out.

        Raises
        ------
        OperandTypeError
            If the ciphertext is complex.
        MissingKeyError, KeyMismatchError
            If a key is missing, or the bootstrap key isn't a lossy one.
        ParameterError
            As in `plan_sign`.

        References
        ----------
        Lee, Lee, Lee, No, "Minimax approximation of sign function by composite polynomial for homomorphic
        comparison", eprint 2020/834; Cheon, Kim, Kim, eprint 2019/1234.

        Examples
        --------
        >>> deep = Engine(use_bootstrap=True, insecure_log_n=10)
        >>> secret = deep.create_secret_key()
        >>> key = deep.create_evaluation_key(secret, bootstrap="lossy", rotations=False)
        >>> x = deep.encrypt([-0.7, 0.1, 0.02], secret)
        >>> deep.decrypt(deep.sign(x, key), secret)[:3].round(4)
        array([-1.,  1.,  1.])
        """
        return self._sign("sign", x, evaluation_key, (gap, error, bound), progress)

    def compare(
        self,
        left: Operand,
        right: Operand,
        evaluation_key: EvaluationKey | None = None,
        *,
        gap: float = 2**-6,
        error: float = 2**-20,
        bound: float = 2.0,
        progress: bool | None = None,
    ) -> Ciphertext:
        """Compute 1 where `left` > `right` and 0 where it is less, up to `error`/2; 1/2 where they are equal.

        Levels: the result is one below the highest. Cost: that of `sign`.

        Parameters
        ----------
        left, right : Ciphertext, Plaintext, array_like or number
            Real; at least one of them a ciphertext.
        evaluation_key, progress
            As in `sign`.
        gap, error, bound
            As in `sign`, of the difference: 2 bounds that of values in [-1, 1], and 1 that of values in [0, 1], which
            costs less.
        """
        difference = self.subtract(left, right)
        return self._indicator("compare", difference, evaluation_key, (gap, error, bound), progress)

    def maximum(
        self,
        left: Operand,
        right: Operand,
        evaluation_key: EvaluationKey | None = None,
        *,
        gap: float = 2**-6,
        error: float = 2**-20,
        bound: float = 2.0,
        progress: bool | None = None,
    ) -> Ciphertext:
        """Compute the larger value, slot by slot, with an error of at most `gap`/2.

        Where the values differ by `gap` or more it is at most `bound`·`error`/2, beside that of bootstraps. Arguments
        are those of `compare`. Levels consumed: 1, and none of what is above the highest but one. Operands whose
        levels would need a further round are bootstrapped first, both at once if they can be.
        """
        return self._extremum("maximum", left, right, evaluation_key, (gap, error, bound), progress)

    def minimum(
        self,
        left: Operand,
        right: Operand,
        evaluation_key: EvaluationKey | None = None,
        *,
        gap: float = 2**-6,
        error: float = 2**-20,
        bound: float = 2.0,
        progress: bool | None = None,
    ) -> Ciphertext:
        """Compute the smaller value, slot by slot. All else is as in `maximum`."""
        return self._extremum("minimum", left, right, evaluation_key, (gap, error, bound), progress)

    def relu(
        self,
        x: Ciphertext,
        evaluation_key: EvaluationKey | None = None,
        *,
        gap: float = 2**-6,
        error: float = 2**-20,
        bound: float = 1.0,
        progress: bool | None = None,
    ) -> Ciphertext:
        """Compute max(x, 0), with an error of at most `gap`/2. Arguments are those of `sign`; levels consumed: 1."""
        (x,) = self._raised("relu", (x,), evaluation_key, (gap, error, bound), progress)
        positive = self._indicator("relu", x, evaluation_key, (gap, error, bound), progress)
        return self._times("relu", x, positive, evaluation_key)

    def abs(
        self,
        x: Ciphertext,
        evaluation_key: EvaluationKey | None = None,
        *,
        gap: float = 2**-6,
        error: float = 2**-20,
        bound: float = 1.0,
        progress: bool | None = None,
    ) -> Ciphertext:
        """Compute the absolute value, with an error of at most `gap`. All else is as in `relu`."""
        (x,) = self._raised("abs", (x,), evaluation_key, (gap, error, bound), progress)
        sign = self._sign("abs", x, evaluation_key, (gap, error, bound), progress)
        return self._times("abs", x, sign, evaluation_key)

    def max_of_slots(
        self,
        x: Ciphertext,
        evaluation_key: EvaluationKey | None = None,
        *,
        count: int | None = None,
        gap: float = 2**-6,
        error: float = 2**-20,
        bound: float = 2.0,
        progress: bool | None = None,
    ) -> Ciphertext:
        """Put the largest of the first `count` values into slot 0, by a tree of ceil(log2(count)) maxima.

        If `count` is left out, all values count, and every slot gets the result; else the other slots hold maxima of
        other values. The error is at most that of `maximum` for each row of the tree. Levels consumed: 1 for
        each row, and bootstraps in between as in `maximum`.

        Parameters
        ----------
        x, evaluation_key, gap, error, bound, progress
            As in `maximum`; the key has rotations by powers of two (`rotations=True`) or by those that `count` needs.
        count : int, optional
            1 to `slot_count`.
        """
        return self._extremum_of_slots("max_of_slots", x, evaluation_key, count, (gap, error, bound), progress)

    def min_of_slots(
        self,
        x: Ciphertext,
        evaluation_key: EvaluationKey | None = None,
        *,
        count: int | None = None,
        gap: float = 2**-6,
        error: float = 2**-20,
        bound: float = 2.0,
        progress: bool | None = None,
    ) -> Ciphertext:
        """Put the smallest of the first `count` values into slot 0. All else is as in `max_of_slots`."""
        return self._extremum_of_slots("min_of_slots", x, evaluation_key, count, (gap, error, bound), progress)

    def _sign(
        self, operation: str, value: Any, key: Any, precision: tuple[float, float, float], progress: bool | None
    ) -> Ciphertext:
        x = self._real(operation, value)
        stages = self._lossy_key(operation, x, key).stage_count
        if x.level < stages + min(_sign_plan.DEPTHS):
            _check_precision(operation, *precision)
            raise_level = self.lossy_bootstrap if x.level >= stages else self.bootstrap
            x = raise_level(x, key, progress=progress)
        plan = self._plan(operation, precision, x.level, stages)
        x = self.multiply(x, plan.factor)
        for steps in plan.rounds:
            for step in steps:
                evaluate = self.evaluate_chebyshev_polynomial if step.chebyshev else self.evaluate_polynomial
                x = evaluate(x, step.coefficients, key)
            x = self.sign_bootstrap(x, key, progress=progress)
        return x

    def _indicator(self, operation: str, x: Any, key: Any, precision: Any, progress: bool | None) -> Ciphertext:
        """Compute 1 for positive values, 0 for negative ones."""
        sign = self._sign(operation, x, key, precision, progress)
        return self.add(self.multiply(sign, 0.5), 0.5)

    def _extremum(
        self, operation: str, left: Any, right: Any, key: Any, precision: Any, progress: bool | None
    ) -> Ciphertext:
        left, right = self._raised(operation, (left, right), key, precision, progress)
        difference = self.subtract(left, right)
        positive = self._indicator(operation, difference, key, precision, progress)
        part = self._times(operation, difference, positive, key)
        return self.add(right, part) if operation.startswith("max") else self.subtract(left, part)

    def _extremum_of_slots(
        self, operation: str, value: Any, key: Any, count: Any, precision: Any, progress: bool | None
    ) -> Ciphertext:
        width = self.slot_count if count is None else _checks.integer(operation, "count", count)
        if not 1 <= width <= self.slot_count:
            raise ParameterError(
                f"{operation}: count is {width}, and 1 to {self.slot_count} slots are there; leave it out for all",
                option="count",
                value=width,
                allowed=(1, self.slot_count),
            )
        x = self._real(operation, value)
        rotate: Callable[[Ciphertext, int], Ciphertext] = (
            (lambda y, delta: y.rotate(delta)) if key is None else (lambda y, delta: self.rotate(y, key, delta))
        )
        covered = 1
        while covered < width:
            # Values may be counted twice.
            step = min(covered, width - covered)
            (x,) = self._raised(operation, (x,), key, precision, progress)
            x = self._extremum(operation, x, rotate(x, -step), key, precision, progress)
            covered += step
        return x

    def _raised(
        self, operation: str, operands: tuple[Any, ...], key: Any, precision: Any, progress: bool | None
    ) -> tuple[Any, ...]:
        """Bootstrap ciphertexts whose levels would need more rounds than the highest level does."""
        ciphertexts = [self._real(operation, operand) for operand in operands if isinstance(operand, Ciphertext)]
        if not ciphertexts:
            raise OperandTypeError(
                f"{operation}: no operand is a Ciphertext, and one is needed; encrypt one with engine.encrypt",
                argument="left, right",
                expected="Ciphertext",
            )
        stages, level = self._lossy_key(operation, ciphertexts[0], key).stage_count, min(c.level for c in ciphertexts)
        if level >= stages + min(_sign_plan.DEPTHS):
            rounds = [
                self._plan(operation, precision, start, stages).bootstrap_count for start in (level, self.max_level)
            ]
            if rounds[0] == rounds[1]:
                return operands
        if len(ciphertexts) == 2 and ciphertexts[0] is not ciphertexts[1]:
            merged = self.lossy_merge_bootstrap if level >= stages else self.merge_bootstrap
            return merged(ciphertexts[0], ciphertexts[1], key, progress=progress)
        single = self.lossy_bootstrap if level >= stages else self.bootstrap
        fresh = single(ciphertexts[0], key, progress=progress)
        return tuple(fresh if isinstance(operand, Ciphertext) else operand for operand in operands)

    def _times(self, operation: str, left: Ciphertext, right: Ciphertext, key: Any) -> Ciphertext:
        return left * right if key is None else self.multiply(left, right, key)

    def _plan(self, operation: str, precision: tuple[float, float, float], level: int, stages: int) -> SignPlan:
        gap, error, bound = _check_precision(operation, *precision)
        return _sign_plan.plan(gap, bound, error, level - stages, self.max_level - stages)

    def _real(self, operation: str, value: Any) -> Ciphertext:
        ciphertext = self._relinearized(operation, value)
        if not ciphertext.is_real:
            raise OperandTypeError(
                f"{operation}: the ciphertext is complex, and signs are those of real values; take its real part, "
                f"0.5 * (x + x.conjugate()), or encrypt a real message",
                argument="x",
                expected="real",
                actual="complex",
            )
        return ciphertext

    def _lossy_key(self, operation: str, x: Ciphertext, key: Any) -> LossyBootstrapKey:
        self._require_bootstrap(operation)
        if key is not None:
            return _checks.instance(operation, "evaluation_key", key, EvaluationKey).part(operation, LossyBootstrapKey)
        found = self._registry.find(operation, BootstrapKey, x._native.secret_id)
        if isinstance(found, LossyBootstrapKey):
            return found
        raise KeyMismatchError(
            f"{operation}: the engine uses a regular bootstrap key, and a lossy one is needed for sign bootstraps; "
            f"make one with engine.create_evaluation_key(secret_key, bootstrap='lossy')",
            key="bootstrap key",
            expected="lossy",
            actual="regular",
        )

    def check_range(self, ciphertext: Ciphertext, secret_key: Any, bound: float = 1.0) -> float:
        """Check that no value is larger than bootstraps and Chebyshev series take. It decrypts: for debugging.

        Nothing else can see whether values are too large: a bootstrap of them gives wrong numbers without a
        word. `bound` counts for real and imaginary parts each.

        Returns
        -------
        float
            The largest size of a part.

        Raises
        ------
        MessageError
            If that is more than `bound`; its `index` and `value` say where.

        Examples
        --------
        >>> bool(engine.check_range(engine.encrypt([0.5, -0.75], public_key), secret_key) < 0.76)
        True
        """
        values = self.decrypt(ciphertext, secret_key)  # type: ignore[attr-defined]
        sizes = np.maximum(np.abs(values.real), np.abs(values.imag))
        index = int(sizes.argmax())
        # The noise of values of size 1 is no fault.
        if not sizes[index] <= bound + 2.0 ** -min(ciphertext.precision_bits - 3, 20):
            raise MessageError(
                f"check_range: the value at index {index} is {values[index]:.6g}, and sizes up to {bound:g} were "
                f"expected; divide the message before, and multiply the result",
                index=index,
                value=values[index].item(),
            )
        return float(sizes[index])


def _check_precision(operation: str, gap: Any, error: Any, bound: Any) -> tuple[float, float, float]:
    for name, value, low, high in (
        ("bound", bound, 0.0, np.inf),
        ("gap", gap, _SMALLEST_GAP * bound if np.isreal(bound) else 0, bound),
        ("error", error, _SMALLEST_ERROR, 0.5),
    ):
        if not (np.isreal(value) and low <= value < high and value > 0):
            raise ParameterError(
                f"{operation}: {name} is {value!r}, and at least {low:g} and less than {high:g} is offered; "
                f"choose it so, or scale the values",
                option=name,
                value=value,
                allowed=(low, high),
            )
    return float(gap), float(error), float(bound)
