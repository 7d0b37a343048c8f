"""Lines of CKKS over limbs and of bridges to levels; and their model."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from . import circuits, levels, values
from .clear import Clear, Encoded, UnfitError
from .clear_engine import ClearEngine
from .complex_vector import Vector
from .double_double import DoubleDouble
from .drawing import Draw, Rules

RULES = Rules()
rule = RULES.rule


class LimbsEngine(ClearEngine):
    """The model of `limbs.Engine`. A level is a budget, in bits."""

    name, secret = "limbs_engine", "limbs_secret_key"

    def __init__(self, engine: Any, kind: Any = DoubleDouble) -> None:
        self.slot_count, self.max_level = engine.slot_count, engine.max_budget_bits
        self.bits, self.kind, self.stages = engine.precision_bits, kind, 0
        self.of_product = self.bits
        self.bootstraps = engine.parameters == "n16"

    def room(self, level: int) -> float:
        return 2.0 ** min(level - 2, 200)

    def encrypt(self, array: Any, secret_key: Any = None, *, bound: float = 1.0, **more: Any) -> Clear:
        return super().encrypt(array, secret_key, bound=bound)

    def multiply(self, left: Any, right: Any, key: Any = None, *, precision_bits: int | None = None) -> Clear:
        x, numbers, bound, real, level, _whole = self._pair(left, right)
        other = right if x is left else left
        spent = self.bits if precision_bits is None else precision_bits
        if np.ndim(other) == 0 and not isinstance(other, Clear):
            spent = min(spent, _bits_below_the_point(complex(other)))
        result = self._merged(x, other, x.values * numbers, x.bound * bound, real, level)
        # Fewer bits are rounded to on purpose: their errors are as large as the values' structure makes them.
        coarse = precision_bits is not None
        return replace(result, structured=result.structured or coarse).lowered(spent)

    def rotate_batch(self, x: Clear, keys: Any, deltas: Any = None) -> list[Clear]:
        return [self.rotate(x, None, delta) for delta in keys]

    def square(self, x: Clear, *, precision_bits: int | None = None, **more: Any) -> Clear:
        return self.multiply(x, x, precision_bits=precision_bits)

    def rescale(self, x: Clear, bits: int) -> Clear:
        factor = x.values.constant(2.0**-bits)
        return x.with_(x.values * factor, bound=x.bound * 2.0**-bits).lowered(bits)

    def multiply_matrix(self, matrix: Any, x: Clear, *, precision_bits: int | None = None, **more: Any) -> Clear:
        if max(np.shape(matrix)) > self.slot_count:
            raise UnfitError("more rows or columns than slots")
        result = replace(super().multiply_matrix(matrix, x), level=x.level)
        return result.lowered(self.bits if precision_bits is None else precision_bits)

    def bootstrap(self, x: Clear, *keys: Any, **more: Any) -> Clear:
        above = max(math.ceil(math.log2(max(x.bound, 1))), 0)
        if not self.bootstraps or x.level < 12 + above:
            raise UnfitError("no bootstrap")
        return replace(x, level=min(297 + above, 430), structured=True)

    def lower(self, x: Clear, budget_bits: int) -> Clear:
        return self.level_down(x, budget_bits)

    def _series(self, x: Clear, coefficients: Any, *, chebyshev: bool) -> Clear:
        result = super()._series(replace(x, level=10**6), coefficients, chebyshev=chebyshev)
        return replace(result, level=x.level).lowered((10**6 - result.level) * self.bits)


class BridgeModel:
    """The model of `limbs.Bridge`."""

    def __init__(self, levels: ClearEngine, limbs: LimbsEngine) -> None:
        self.levels, self.limbs = levels, limbs

    def from_levels(self, x: Clear) -> Clear:
        if x.polynomials != 2 or x.unit_count != 1:
            raise UnfitError("one unit of two polynomials is taken")
        budget = int(math.log2(self.levels.room(x.level))) + 2 - self.limbs.bits
        if budget < 2:
            raise UnfitError("no budget")
        return replace(x, engine=self.limbs, level=min(budget, self.limbs.max_level), structured=True)

    def to_levels(self, x: Clear, level: int) -> Clear:
        if math.log2(self.levels.room(level)) + 2 + self.limbs.bits > x.level:
            raise UnfitError("no budget")
        return replace(x, engine=self.levels, level=level, structured=True)


def _bits_below_the_point(number: complex) -> int:
    bits = 0
    while bits < 1100 and not (
        float(number.real * 2.0**bits).is_integer() and float(number.imag * 2.0**bits).is_integer()
    ):
        bits += 1
    return bits


def vector(draw: Draw, spent: int = 0, **wanted: Any) -> tuple[str, Clear]:
    """Choose a ciphertext over limbs whose budget leaves something after so many products."""

    def fits(x: Any) -> bool:
        over = isinstance(x, Clear) and x.engine.name == "limbs_engine"
        return over and x.level >= spent * x.engine.bits + 4 and all(getattr(x, k) == v for k, v in wanted.items())

    return draw.operand(fits)


@rule("limbs.Engine.encrypt", weight=5)
def encrypt(draw: Draw) -> str:
    slots = draw.model["limbs_engine"].slot_count
    text, largest = values.vector(draw, values.size(draw, draw.one(1.0, 1e4, 1e8, 2.0**50)), slots)
    if draw.chance(0.2):
        largest = float(f"{largest * draw.log(1, 1000):.6g}") + largest * 1e-9
    bound = "" if largest <= 1 and draw.chance(0.5) else f"bound={largest!r}"
    key = draw.one("limbs_secret_key", "limbs_public_key")
    return f"limbs_engine.encrypt({levels.arguments(text, key, bound, 'slots=True')})"


_SUMS = ("limbs.Engine.add", "limbs.Ciphertext.__add__", "limbs.Ciphertext.__radd__")
_DIFFERENCES = ("limbs.Engine.subtract", "limbs.Ciphertext.__sub__", "limbs.Ciphertext.__rsub__")
_PRODUCTS = ("limbs.Engine.multiply", "limbs.Ciphertext.__mul__", "limbs.Ciphertext.__rmul__")


@rule(*_SUMS, *_DIFFERENCES, *_PRODUCTS, weight=6)
def arithmetic(draw: Draw) -> tuple[str, ...]:
    sign, names, call = draw.one(("+", _SUMS, "add"), ("-", _DIFFERENCES, "subtract"), ("*", _PRODUCTS, "multiply"))
    name, x = vector(draw, 1 if sign == "*" else 0)
    clear = draw.chance(0.5)
    if not clear:
        other = vector(draw, 1 if sign == "*" else 0)[0]
    elif draw.chance(0.6):
        other = values.number(draw)
    else:
        other, _ = values.vector(draw, values.size(draw, 1e6), x.engine.slot_count)
    form = draw.integer(0, 2)
    if form == 0:
        bits = f", precision_bits={draw.integer(10, x.engine.bits)}" if sign == "*" and draw.chance(0.3) else ""
        return f"limbs_engine.{call}({name}, {other}{bits})", names[0]
    if form == 1 and clear:
        return f"({other}) {sign} {name}", names[2]
    return f"{name} {sign} ({other})", names[1]


@rule(
    "limbs.Engine.negate",
    "limbs.Ciphertext.__neg__",
    "limbs.Engine.square",
    "limbs.Engine.rescale",
    "limbs.Engine.lower",
    weight=2,
)
def of_one(draw: Draw) -> tuple[str, ...]:
    name, x = vector(draw)
    return draw.one(
        (f"limbs_engine.negate({name})", "limbs.Engine.negate"),
        (f"-{name}", "limbs.Ciphertext.__neg__"),
        (f"limbs_engine.square({name})", "limbs.Engine.square"),
        (f"limbs_engine.rescale({name}, {draw.integer(0, 60)})", "limbs.Engine.rescale"),
        (f"limbs_engine.lower({name}, {draw.integer(2, x.level)})", "limbs.Engine.lower"),
    )


@rule("limbs.Ciphertext.__pow__")
def power(draw: Draw) -> str:
    exponent = draw.integer(1, 9)
    return f"{vector(draw, (exponent - 1).bit_length())[0]} ** {exponent}"


@rule(
    "limbs.Engine.rotate",
    "limbs.Ciphertext.rotate",
    "limbs.Engine.rotate_batch",
    "limbs.Engine.conjugate",
    "limbs.Engine.sum",
    "limbs.Ciphertext.sum",
    weight=2,
)
def slots(draw: Draw) -> tuple[str, ...]:
    name, x = vector(draw)
    count = x.engine.slot_count
    return draw.one(
        (f"limbs_engine.rotate({name}, {draw.integer(-count, 2 * count)})", "limbs.Engine.rotate"),
        (
            f"limbs_engine.rotate_batch({name}, {[2 ** draw.integer(0, 5), 0, 2 ** draw.integer(0, 5)]})",
            "limbs.Engine.rotate_batch",
        ),
        (f"limbs_engine.conjugate({name})", "limbs.Engine.conjugate"),
        (f"limbs_engine.sum({name})", "limbs.Engine.sum"),
        (f"{name}.rotate({draw.integer(-count, count)})", "limbs.Ciphertext.rotate"),
        (f"{name}.sum()", "limbs.Ciphertext.sum"),
    )


@rule("limbs.Ciphertext.within", weight=0.6)
def claims(draw: Draw) -> str:
    name, x = vector(draw)
    size = x.size() * draw.one(1 + 1e-9, 1.1, draw.log(1, 1000))
    return f"{name}.within({draw.one(f'{size!r}', f'{-size!r}, {size / 2!r}', f'{-size / 3!r}, {size!r}')})"


@rule("limbs.Ciphertext.__rmatmul__", "limbs.Engine.multiply_matrix")
def matrices(draw: Draw) -> tuple[str, ...]:
    name, x = vector(draw, 1)
    count = x.engine.slot_count
    text = values.matrix(draw, draw.one(1, 2, draw.integer(1, 24), count if draw.chance(0.1) else 3), count)
    if draw.chance(0.5):
        return f"({text}) @ {name}", "limbs.Ciphertext.__rmatmul__"
    bits = f", precision_bits={draw.integer(10, x.engine.bits)}" if draw.chance(0.3) else ""
    return f"limbs_engine.multiply_matrix({text}, {name}{bits})", "limbs.Engine.multiply_matrix"


@rule("limbs.Engine.bootstrap", weight=0.5)
def bootstraps(draw: Draw) -> str:
    return f"limbs_engine.bootstrap({vector(draw)[0]})"


@rule("limbs.Engine.evaluate_polynomial", "limbs.Engine.evaluate_chebyshev_polynomial", weight=2.5)
def polynomials(draw: Draw) -> tuple[str, ...]:
    name, x = vector(draw, 1)
    depth = min(x.level // x.engine.bits, 6)
    most = 2**depth - 1
    chebyshev = draw.chance(0.6)
    degree = draw.one(most, draw.integer(1, most), min(most, 15)) if chebyshev else draw.integer(1, min(most, 8))
    text = values.coefficients(draw, degree, draw.one(1.0, 500.0, draw.log(1e-3, 1e4)))
    call = "evaluate_chebyshev_polynomial" if chebyshev else "evaluate_polynomial"
    return f"limbs_engine.{call}({name}, {text})", f"limbs.Engine.{call}"


@rule("limbs.Ciphertext.save", "limbs.Engine.load", weight=0.8)
def files(draw: Draw) -> str:
    name, _ = vector(draw)
    return str(draw.one(f"limbs_engine.load(saved({name}))", f"pickled({name})", f"copy.copy({name})"))


@rule("limbs.Ciphertext.__copy__", "limbs.Ciphertext.__deepcopy__", weight=0.3)
def copies(draw: Draw) -> tuple[str, ...]:
    name, _ = vector(draw)
    return draw.one(
        (f"copy.copy({name})", "limbs.Ciphertext.__copy__"), (f"copy.deepcopy({name})", "limbs.Ciphertext.__deepcopy__")
    )


@rule("limbs.Engine.decrypt", "truth of a vector", weight=0.1)
def looks(draw: Draw) -> tuple[str, ...]:
    name, _ = vector(draw)
    return draw.one(
        (f"limbs_engine.decrypt({name}, limbs_secret_key)", "limbs.Engine.decrypt"),
        (f"refused(lambda: bool({name}))", "truth of a vector"),
        (f"refused(lambda: {name} == {name})", "truth of a vector"),
    )


BRIDGES = Rules()


@BRIDGES.rule("limbs.Bridge.from_levels", weight=5)
def from_levels(draw: Draw) -> str:
    return f"bridge.from_levels({levels.ciphertext(draw, 2)[0]})"


@BRIDGES.rule("limbs.Bridge.to_levels", weight=5)
def to_levels(draw: Draw) -> str:
    name, _x = vector(draw)
    return f"bridge.to_levels({name}, {draw.integer(0, draw.model['engine'].max_level)})"


BRIDGES[:0] = [r for r in circuits.RULES if r.covers[0] == "Engine.encrypt" and r.weight > 1]
BRIDGES += [r for r in RULES if r.weight > 1] + [r for r in circuits.RULES if r.weight > 1]

__all__ = ["BRIDGES", "RULES", "Encoded", "Vector"]
