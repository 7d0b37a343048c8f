"""Lines of BFV, and its model: vectors of integers modulo a prime."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .clear import UnfitError
from .drawing import Draw, Rules

RULES = Rules()
rule = RULES.rule


@dataclass(frozen=True, eq=False)
class Integers:
    """What a ciphertext encrypts, as Python's integers."""

    engine: Any
    values: Any
    products: int = 0
    is_operand = True
    __array_ufunc__ = None

    def size(self) -> float:
        return 0.0

    def holds(self) -> bool:
        return self.products <= self.engine.depth

    def __add__(self, other: Any) -> Integers:
        return self.engine.add(self, other)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Integers:
        return self.engine.subtract(self, other)

    def __rsub__(self, other: Any) -> Integers:
        return self.engine.subtract(other, self)

    def __mul__(self, other: Any) -> Integers:
        return self.engine.multiply(self, other)

    __rmul__ = __mul__

    def __neg__(self) -> Integers:
        return self.engine.negate(self)

    def __pow__(self, exponent: int) -> Integers:
        values = np.array([pow(value, exponent, self.engine.modulus) for value in self.values], dtype=object)
        return self.engine._of(values, self, products=(exponent - 1).bit_length())

    def rotate(self, delta: int) -> Integers:
        return self.engine.rotate(self, delta)

    def sum(self, axis: int | None = None) -> Integers:
        return self.engine.sum(self, axis=axis)

    @property
    def unit_count(self) -> int:
        return len(self.values) // self.engine.slot_count

    def __len__(self) -> int:
        return self.unit_count if self.unit_count > 1 else self.engine.slot_count

    def units(self) -> list[Integers]:
        return [Integers(self.engine, unit, self.products) for unit in np.split(self.values, self.unit_count)]

    def check(self, run: Any, x: Any) -> None:
        got = run.library["engine"].decrypt(x, run.library["secret_key"], slots=True)
        if not x.budget_bits > 0:
            run.report.counts["budget used up"] += 1
        if x.unit_count != self.unit_count:
            run.found("wrong", f"{x.unit_count} units, and {self.unit_count} are right")
            return
        wrong = np.asarray(got, dtype=object) != self.engine.centred(self.values)
        if wrong.any():
            at = int(np.argmax(wrong))
            run.found("wrong", f"slot {at} is {got[at]}, and {self.engine.centred(self.values)[at]} is right")


class IntegerEngine:
    """The model of `bfv.Engine`."""

    def __init__(self, engine: Any) -> None:
        self.slot_count, self.modulus, self.depth = engine.slot_count, engine.plain_modulus, engine.depth

    def centred(self, values: Any) -> Any:
        half = self.modulus // 2
        return (values + half) % self.modulus - half

    def _vector(self, values: Any) -> Any:
        """The values of every slot; of one integer, its remainder."""
        if isinstance(values, Integers):
            return values.values
        if np.ndim(values) == 0:
            return int(values) % self.modulus
        array = np.zeros(-(-len(values) // self.slot_count) * self.slot_count, dtype=object)
        array[: len(values)] = [int(v) % self.modulus for v in values]
        return array

    def encrypt(self, values: Any, secret_key: Any, **more: Any) -> Integers:
        return Integers(self, self._vector(values))

    def decrypt(self, x: Integers, secret_key: Any) -> Any:
        return self.centred(x.values).astype(np.int64)

    def _of(self, values: Any, *operands: Any, products: int = 0) -> Integers:
        most = max([x.products for x in operands if isinstance(x, Integers)])
        return Integers(self, values % self.modulus, most + products)

    def _pair(self, a: Any, b: Any) -> tuple[Any, Any]:
        a, b = self._vector(a), self._vector(b)
        if np.ndim(a) and np.ndim(b) and len(a) != len(b):
            raise UnfitError("different numbers of units")
        return a, b

    def add(self, a: Any, b: Any) -> Integers:
        return self._of(np.add(*self._pair(a, b)), a, b)

    def subtract(self, a: Any, b: Any) -> Integers:
        return self._of(np.subtract(*self._pair(a, b)), a, b)

    def multiply(self, a: Any, b: Any) -> Integers:
        return self._of(np.multiply(*self._pair(a, b)), a, b, products=1)

    def negate(self, a: Any) -> Integers:
        return self._of(-a.values, a)

    def rotate(self, x: Integers, delta: int) -> Integers:
        return self._of(np.roll(self._rows(x), delta, axis=2).ravel(), x)

    def swap_rows(self, x: Integers) -> Integers:
        return self._of(self._rows(x)[:, ::-1].ravel(), x)

    def _rows(self, x: Integers) -> Any:
        return x.values.reshape(x.unit_count, 2, -1)

    def sum(self, x: Integers, axis: int | None = None) -> Integers:
        units = x.values.reshape(x.unit_count, -1)
        if axis != 1:
            units = units.sum(axis=0, keepdims=True)
        if axis != 0:
            units = np.repeat(units.sum(axis=1, keepdims=True), self.slot_count, axis=1)
        return self._of(units.ravel(), x)

    def vstack(self, parts: list[Integers]) -> Integers:
        return self._of(np.concatenate([x.values for x in parts]), *parts)

    def load(self, x: Any) -> Any:
        return x


def vector(draw: Draw, products: int = 0) -> tuple[str, Integers]:
    return draw.operand(
        lambda x: isinstance(x, Integers) and x.products + products <= x.engine.depth + draw.chance(0.05)
    )


def _numbers(draw: Draw, units: int = 0) -> str:
    """Integers that fill so many units; any number, if none is given."""
    engine = draw.model["engine"]
    top = engine.modulus - 1
    slots = engine.slot_count
    n = draw.one(
        slots, slots, draw.integer(1, slots), draw.integer(slots + 1, 3 * slots) if draw.chance(0.3) else slots
    )
    if units:
        n = draw.integer((units - 1) * slots + 1, units * slots)
    size = draw.one(top, top // 2, 3, 1, draw.integer(1, top))
    kind = draw.integer(0, 4)
    if kind == 0:
        return f"np.full({n}, {draw.one(size, -size)})"
    if kind == 1 and units <= 1:
        return str([draw.integer(-size, size) for _ in range(draw.integer(1, 5))])
    if kind == 2:
        return f"np.arange({n})"
    return f"np.random.default_rng({draw.seed()}).integers({-size}, {size + 1}, {n})"


@rule("bfv.Engine.encrypt", weight=4)
def encrypt(draw: Draw) -> str:
    return f"engine.encrypt({_numbers(draw)}, {draw.one('secret_key', 'public_key')}, slots=True)"


_SUMS = ("bfv.Engine.add", "bfv.Ciphertext.__add__", "bfv.Ciphertext.__radd__")
_DIFFERENCES = ("bfv.Engine.subtract", "bfv.Ciphertext.__sub__", "bfv.Ciphertext.__rsub__")
_PRODUCTS = ("bfv.Engine.multiply", "bfv.Ciphertext.__mul__", "bfv.Ciphertext.__rmul__")


@rule(*_SUMS, *_DIFFERENCES, *_PRODUCTS, weight=8)
def arithmetic(draw: Draw) -> tuple[str, ...]:
    sign, names, call = draw.one(("+", _SUMS, "add"), ("-", _DIFFERENCES, "subtract"), ("*", _PRODUCTS, "multiply"))
    name, x = vector(draw, sign == "*")
    clear = draw.chance(0.5)
    second = vector(draw, sign == "*") if not clear else None
    clear = second is None or second[1].unit_count != x.unit_count
    other = second[0] if second is not None and not clear else _numbers(draw, x.unit_count)
    if clear and draw.chance(0.5):
        other = str(draw.one(0, 1, -1, 3, x.engine.modulus - 1, draw.integer(-1000, 1000)))
    form = draw.integer(0, 2)
    if form == 0:
        first, second = draw.one((name, other), (other, name))
        return f"engine.{call}({first}, {second})", names[0]
    if form == 1 and clear:
        return f"({other}) {sign} {name}", names[2]
    return f"{name} {sign} ({other})", names[1]


@rule("bfv.Ciphertext.__pow__")
def power(draw: Draw) -> str:
    exponent = draw.integer(1, 9)
    return f"{vector(draw, (exponent - 1).bit_length())[0]} ** {exponent}"


@rule(
    "bfv.Engine.negate",
    "bfv.Ciphertext.__neg__",
    "bfv.Engine.rotate",
    "bfv.Engine.swap_rows",
    "bfv.Engine.sum",
    "bfv.Ciphertext.rotate",
    "bfv.Ciphertext.sum",
    "bfv.Engine.decrypt",
    "bfv.Engine.vstack",
    "bfv.Ciphertext.units",
    "bfv.Ciphertext.__len__",
    weight=4,
)
def of_one(draw: Draw) -> tuple[str, ...]:
    name, x = vector(draw)
    count = x.engine.slot_count
    return draw.one(
        (f"engine.negate({name})", "bfv.Engine.negate"),
        (f"-{name}", "bfv.Ciphertext.__neg__"),
        (f"engine.rotate({name}, {draw.integer(-count, 2 * count)})", "bfv.Engine.rotate"),
        (f"engine.swap_rows({name})", "bfv.Engine.swap_rows"),
        (f"engine.sum({name}, axis={draw.one(None, None, 0, 1)})", "bfv.Engine.sum"),
        (f"engine.vstack([{name}, {vector(draw)[0]}])", "bfv.Engine.vstack"),
        (f"{name}.units()[{draw.integer(0, x.unit_count - 1)}]", "bfv.Ciphertext.units"),
        (f"engine.encrypt([len({name})], secret_key, slots=True)", "bfv.Ciphertext.__len__"),
        (f"{name}.rotate({draw.integer(-count, count)})", "bfv.Ciphertext.rotate"),
        (f"{name}.sum({draw.one('', 'axis=0', 'axis=1')})", "bfv.Ciphertext.sum"),
        (f"engine.decrypt({name}, secret_key)", "bfv.Engine.decrypt"),
    )


@rule(
    "bfv.Ciphertext.save",
    "bfv.Engine.load",
    "bfv.Ciphertext.__copy__",
    "bfv.Ciphertext.__deepcopy__",
    "truth of a vector",
)
def copies(draw: Draw) -> tuple[str, ...]:
    name, _ = vector(draw)
    if draw.chance(0.02):
        return draw.one(
            (f"refused(lambda: bool({name}))", "truth of a vector"),
            (f"refused(lambda: {name} == {name})", "truth of a vector"),
        )
    return draw.one(
        (f"engine.load(saved({name}))", "bfv.Engine.load", "bfv.Ciphertext.save"),
        (f"pickled({name})", "bfv.Ciphertext.save"),
        (f"copy.copy({name})", "bfv.Ciphertext.__copy__"),
        (f"copy.deepcopy({name})", "bfv.Ciphertext.__deepcopy__"),
    )


__all__ = ["RULES", "IntegerEngine", "UnfitError"]
