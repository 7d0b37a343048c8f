"""Lines with bootstraps, and the comparisons that are made of them; and their model."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from . import circuits, levels, values
from .clear import Clear, UnfitError
from .clear_engine import ClearEngine
from .complex_vector import Vector, mapped
from .drawing import Draw, Rules
from .levels import ciphertext

RULES = Rules()
rule = RULES.rule

_NO_SLACK = 2.0**-40


_GAP = 2.0**-6
_ROUNDED = 1.05
"""Of a gap: the library rounds bounds otherwise."""


def gap_of(operand: Any) -> float:
    """Return an operand's part of the gap of a comparison by operators."""
    return _GAP * _ROUNDED * (operand.bound if isinstance(operand, Clear) else float(np.abs(operand).max()))


class BootstrapEngine(ClearEngine):
    """The model of engines that bootstrap."""

    # Bootstraps.

    def bootstrap(
        self,
        x: Clear,
        *keys: Any,
        precision: str = "standard",
        stage_count: int = 3,
        level: int | None = None,
        **more: Any,
    ) -> Clear:
        self._two(x)
        high = precision == "high"
        is_first = x.level >= stage_count and not high
        return self._fresh(x, _ended(self.max_level if is_first else self.max_level - stage_count - high, level))

    def lossy_bootstrap(
        self, x: Clear, *keys: Any, real_only: bool | None = None, level: int | None = None, **more: Any
    ) -> Clear:
        self._two(x)
        highest = self.max_level if x.level >= self.stages else self.max_level - self.stages
        return self._fresh(_real_part(x) if real_only else x, _ended(highest, level))

    def sign_bootstrap(
        self, x: Clear, *keys: Any, real_only: bool | None = None, level: int | None = None, **more: Any
    ) -> Clear:
        self._two(x)
        if x.level < self.stages:
            raise UnfitError("no levels")
        x = _real_part(x) if real_only else x
        cleaned = mapped(
            lambda m: np.where(m == np.rint(m), np.rint(np.sin(np.pi / 2 * m)), np.sin(np.pi / 2 * m)), x.values
        )
        fresh = self._fresh(x, _ended(self.max_level, level))
        return replace(fresh, values=cleaned, bound=1.0 if x.real else float(np.sqrt(2)), structured=True)

    def _fresh(self, x: Clear, level: int) -> Clear:
        if x.declared:
            return replace(x, level=level, structured=True)
        return replace(x, level=level, bound=1.0, truthful=x.truthful and x.size() <= 1 + 1e-9, structured=True)

    def merge_bootstrap(self, x: Clear, y: Clear, *keys: Any, method: str = "regular", **more: Any) -> list[Clear]:
        lowest = min(x.level, y.level)
        call = {"regular": self.bootstrap, "lossy": self.lossy_bootstrap, "sign": self.sign_bootstrap}[method]
        return self._merge(call, replace(x, level=lowest), replace(y, level=lowest), more)

    def _merge(self, call: Any, x: Clear, y: Clear, options: dict[str, Any]) -> list[Clear]:
        if not (x.real and y.real) or len(x.values) != len(y.values):
            raise UnfitError("not two real ones")
        both = call(x, **options), call(y, **options)
        declared, truthful = x.declared and y.declared, both[0].truthful and both[1].truthful
        return [replace(one, declared=declared, truthful=truthful) for one in both]

    def bootstrap_many(self, many: list[Clear], *keys: Any, method: str = "regular", **more: Any) -> list[Clear]:
        calls = {"regular": self.bootstrap, "lossy": self.lossy_bootstrap, "sign": self.sign_bootstrap}
        more.pop("real_only", None)
        return [calls[method](x, **more) for x in many]

    # Signs, and what is made of them: right to a slack.

    def plan_sign(self, **options: Any) -> Any:
        return Plan(options)

    def sign(self, x: Clear, key: Any = None, *, gap: float = 2**-6, error: float = 2**-20, **more: Any) -> Clear:
        self._real(x)
        numbers = x.values.re.high
        slack = np.where(np.abs(numbers) >= gap, error, 1.0)
        return self._stated(x, np.sign(numbers), 1.0, slack, self.max_level)

    def compare(
        self, left: Any, right: Any, key: Any = None, *, gap: float = 2**-6, error: float = 2**-20, **more: Any
    ) -> Clear:
        difference = self._real(self.subtract(left, right))
        sign = self.sign(difference, gap=gap, error=error)
        half = sign.values.re.high / 2 + 0.5
        return self._stated(difference, half, 1.0, np.asarray(sign.slack) / 2, self.max_level - 1)

    def greater(self, left: Any, right: Any) -> Clear:
        return self.compare(left, right, gap=gap_of(left) + gap_of(right))

    def clip(self, x: Clear, low: float, high: float) -> Clear:
        self._real(x)
        ends = max(low, -x.bound), min(high, x.bound)
        level = x.level if ends == (-x.bound, x.bound) else min(x.level, self.max_level - 2)
        bound = max(map(abs, ends)) + gap_of(x) + gap_of(low) + gap_of(high)
        return self._claimed(x, np.clip(x.values.re.high, low, high), bound, level)

    def maximum(
        self, left: Any, right: Any, key: Any = None, *, gap: float = 2**-6, error: float = 2**-20, **more: Any
    ) -> Clear:
        return self._extremum(np.maximum, left, right, gap, error)

    def minimum(
        self, left: Any, right: Any, key: Any = None, *, gap: float = 2**-6, error: float = 2**-20, **more: Any
    ) -> Clear:
        return self._extremum(np.minimum, left, right, gap, error)

    def _extremum(self, function: Any, left: Any, right: Any, gap: float, error: float) -> Clear:
        difference = self._real(self.subtract(left, right))
        x, other = (left, right) if isinstance(left, Clear) else (right, left)
        second = self._pair(x, other)[1].re.high
        bound = max(x.bound, float(np.abs(second).max()), other.bound if isinstance(other, Clear) else 0)
        result = function(x.values.re.high, second)
        return self._claimed(difference, result, bound, self.max_level - 2)

    def relu(self, x: Clear, key: Any = None, *, gap: float = 2**-6, error: float = 2**-20, **more: Any) -> Clear:
        self._real(x)
        return self._claimed(x, np.maximum(x.values.re.high, 0), x.bound, self.max_level - 2)

    def abs(self, x: Clear, key: Any = None, *, gap: float = 2**-6, error: float = 2**-20, **more: Any) -> Clear:
        self._real(x)
        return self._claimed(x, np.abs(x.values.re.high), x.bound, self.max_level - 1)

    def max_of_slots(self, x: Clear, key: Any = None, *, count: int, gap: float = 2**-6, **more: Any) -> Clear:
        return self._of_slots(x, count, gap, 1)

    def min_of_slots(self, x: Clear, key: Any = None, *, count: int, gap: float = 2**-6, **more: Any) -> Clear:
        return self._of_slots(x, count, gap, -1)

    def _of_slots(self, x: Clear, count: int, gap: float, sign: int) -> Clear:
        self._real(x)
        rows = self._rows(x)
        best = sign * (sign * rows[:, :count]).max(axis=1, keepdims=True)
        slack = np.full(rows.shape, np.inf)
        slack[:, 0] = (count - 1).bit_length() * (gap / 2 + 2.0**-18)
        return self._stated(x, np.broadcast_to(best, rows.shape).ravel(), x.bound, slack.ravel(), 1)

    def argmax_of_slots(
        self, x: Clear, key: Any = None, *, count: int, one_hot: bool = False, gap: float = 2**-6, **more: Any
    ) -> Clear:
        return self._argument(x, count, one_hot, gap, 1)

    def argmin_of_slots(
        self, x: Clear, key: Any = None, *, count: int, one_hot: bool = False, gap: float = 2**-6, **more: Any
    ) -> Clear:
        return self._argument(x, count, one_hot, gap, -1)

    def _argument(self, x: Clear, count: int, one_hot: bool, gap: float, sign: int) -> Clear:
        self._real(x)
        rows = sign * self._rows(x)
        first = rows[:, :count].argmax(axis=1)
        ordered = np.sort(rows[:, :count], axis=1)
        clear = (ordered[:, -1] - ordered[:, -2] >= gap) if count > 1 else np.ones(len(rows), dtype=bool)
        result = np.eye(rows.shape[1])[first] if one_hot else np.repeat(first[:, None], rows.shape[1], axis=1)
        slack = np.where(clear[:, None], 0.25, np.inf) + np.zeros(rows.shape)
        return self._stated(x, result.ravel().astype(float), 1.0 if one_hot else float(count), slack.ravel(), 1)

    def _rows(self, x: Clear) -> Any:
        return x.values.re.high.reshape(-1, self.slot_count)

    def _real(self, x: Clear) -> Clear:
        self._two(x)
        if not x.real:
            raise UnfitError("not real")
        return x

    def _claimed(self, x: Clear, numbers: Any, bound: float, level: int) -> Clear:
        """Return what is right to its own claims, within the gap as well."""
        values = Vector.of(np.asarray(numbers, dtype=float), x.values.kind)
        return replace(x, values=values, bound=bound, level=level, structured=True)

    def _stated(self, x: Clear, numbers: Any, bound: float, slack: Any, level: int) -> Clear:
        """Return what comes out up to a slack, of which nothing more is computed."""
        values = Vector.of(np.asarray(numbers, dtype=float), x.values.kind)
        slack = np.broadcast_to(np.asarray(slack) + _NO_SLACK, np.shape(numbers))
        return replace(x, values=values, bound=bound, slack=slack, level=level, structured=True)


class AutomaticEngine(BootstrapEngine):
    """The model of engines that bootstrap by themselves: no level is ever missing, and values are of size up to 1."""

    automatic = True

    def room(self, level: int) -> float:
        return 1.0 + 1e-6


class Plan:
    """A plan: that it is one."""

    def __init__(self, options: Any) -> None:
        self.options = options

    def check(self, run: Any, plan: Any) -> None:
        numbers = np.array([-1.0, -0.5, 0.5, 1.0]) * self.options.get("bound", 1.0)
        if np.abs(plan(numbers) - np.sign(numbers)).max() > self.options.get("error", 2**-20):
            run.found("wrong", f"{plan!r} gives {plan(numbers)}")


def _ended(highest: int, level: int | None) -> int:
    """Return the level that a bootstrap ends at, of the highest one and the one asked for."""
    if level is not None and level > highest:
        raise UnfitError("beyond the highest level")
    return highest if level is None else level


def _level(draw: Draw) -> str:
    """Draw a level that every bootstrap can end at, or none."""
    engine = draw.model["engine"]
    return f"level={draw.integer(0, engine.max_level - engine.stages - 1)}" if draw.chance(0.2) else ""


def _real_part(x: Clear) -> Clear:
    return replace(x, values=Vector(x.values.re, x.values.im - x.values.im), real=True)


# Lines.


@rule("Engine.encrypt", weight=5)
def small_messages(draw: Draw) -> str:
    """Messages of sizes that bootstraps are for."""
    engine = draw.model["engine"]
    slots = engine.slot_count
    level = draw.one(draw.integer(0, engine.max_level), draw.integer(3, 5), engine.max_level)
    if draw.chance(0.35):
        signs, bound = _signs(draw, slots), draw.one(1.5, 1.4142135623730951, 2.0)
        return f"engine.encrypt({signs}, secret_key, {level}, bound={bound!r}, slots=True)"
    most = 1.0 if getattr(engine, "automatic", False) else draw.one(1.0, 1.0, 0.5, 1.25, 4.0, 10.0)
    text, largest = values.vector(draw, most, slots, real=draw.one(True, True, None))
    bound = "" if largest <= 1 and draw.chance(0.3) else f"bound={largest!r}"
    options = levels.arguments(draw.one("secret_key", "public_key"), str(level), bound, "slots=True")
    return f"engine.encrypt({text}, {options})"


def _signs(draw: Draw, slots: int) -> str:
    n = draw.one(slots, slots, draw.integer(1, slots))
    real = f"np.random.default_rng({draw.seed()}).choice([-1.0, 1.0], {n})"
    return draw.one(real, f"{real} + 1j * np.random.default_rng({draw.seed()}).choice([-1.0, 1.0], {n})")


def _clean(x: Clear) -> bool:
    parts = np.concatenate([x.values.re.high, x.values.im.high])
    return bool(np.abs(parts - np.rint(parts)).max() < 1e-6 and np.abs(parts).max() < 1.1)


_FORMS = (
    "relinearization_key, conjugation_key, {lossy}bootstrap_key",
    "relinearization_key, conjugation_key, rotation_key, small_bootstrap_key",
    "evaluation_key",
    "",
)


def _keys(draw: Draw, lossy: bool) -> str:
    return str(draw.one(*_FORMS)).format(lossy="lossy_" if lossy else "")


@rule(
    "Engine.bootstrap",
    "Ciphertext.bootstrap",
    "Engine.lossy_bootstrap",
    "Ciphertext.lossy_bootstrap",
    "Engine.sign_bootstrap",
    "Ciphertext.sign_bootstrap",
    weight=5,
)
def bootstraps(draw: Draw) -> tuple[str, ...]:
    which = draw.one("", "lossy_", "sign_", "sign_")
    name, _x = draw.operand(
        lambda x: (
            isinstance(x, Clear)
            and np.ndim(x.slack) == 0
            and x.polynomials == 2
            and x.bound <= 10
            and (which != "sign_" or (x.level >= 3 and _clean(x)))
        )
    )
    call = f"{which}bootstrap"
    if draw.chance(0.3):
        return f"{name}.{call}()", f"Ciphertext.{call}"
    options = ""
    if which and draw.chance(0.2):
        options = f"real_only={draw.one(True, False)}"
    if not which and "high" in draw.world.name:
        options = 'precision="high"'
    return f"engine.{call}({levels.arguments(name, _keys(draw, bool(which)), options, _level(draw))})", f"Engine.{call}"


@rule(
    "Engine.merge_bootstrap",
    "Engine.bootstrap_many",
    weight=2,
)
def of_several(draw: Draw) -> tuple[str, ...]:
    which = draw.one("", "lossy_", "sign_")

    def fits(x: Any) -> bool:
        small = isinstance(x, Clear) and np.ndim(x.slack) == 0 and x.polynomials == 2 and x.bound <= 4
        return small and x.unit_count == 1 and (which != "sign_" or (x.level >= 3 and _clean(x)))

    if draw.chance(0.35):
        are_real = draw.chance(0.5)
        count = draw.integer(1, 5 if are_real else 3)
        many = ", ".join(draw.operand(lambda x: fits(x) and (x.real or not are_real))[0] for _ in range(count))
        options = levels.arguments(
            f"[{many}]", f'method="{which[:-1] or "regular"}"', "real_only=True" if are_real else "", _level(draw)
        )
        return f"engine.bootstrap_many({options})", "Engine.bootstrap_many"
    first, second = (draw.operand(lambda x: fits(x) and x.real)[0] for _ in range(2))
    method = f'method="{which[:-1]}"' if which else ""
    options = levels.arguments(first, second, _keys(draw, bool(which)), method, _level(draw))
    return f"engine.merge_bootstrap({options})", "Engine.merge_bootstrap"


_COMPARISONS = ("Engine.sign", "Engine.relu", "Engine.abs", "Engine.compare", "Engine.maximum", "Engine.minimum")
_OF_SLOTS = ("Engine.max_of_slots", "Engine.min_of_slots", "Engine.argmax_of_slots", "Engine.argmin_of_slots")


@rule(*_COMPARISONS, *_OF_SLOTS, "Engine.plan_sign", weight=2.5)
def comparisons(draw: Draw) -> tuple[str, ...]:
    gap = draw.one("gap=2**-4", "gap=2**-6", "gap=2**-7")
    if draw.chance(0.06):
        return f"engine.plan_sign({gap}, bound={draw.one(1.0, 2.0)})", "Engine.plan_sign"

    def fits(x: Any) -> bool:
        whole = isinstance(x, Clear) and np.ndim(x.slack) == 0 and x.polynomials == 2 and x.real
        return whole and x.bound <= 1 and x.declared and x.truthful and x.unit_count == 1

    name, _x = draw.operand(fits)
    if draw.chance(0.25):
        call = draw.one(*_OF_SLOTS)
        hot = f", one_hot={draw.one(True, False)}" if "arg" in call else ""
        return f"{call.replace('Engine', 'engine')}({name}, count={draw.integer(1, 6)}{hot}, {gap})", call
    call = draw.one(*_COMPARISONS)
    if call in _COMPARISONS[:3]:
        return f"{call.replace('Engine', 'engine')}({name}, {gap})", call
    other = draw.operand(fits)[0] if draw.chance(0.6) else draw.one("0.25", "-1.0", "np.linspace(-1, 1, 9)")
    first, second = draw.one((name, other), (other, name))
    return f"{call.replace('Engine', 'engine')}({first}, {second}, {gap})", call


@rule("Engine.evaluate_polynomial", "Engine.evaluate_chebyshev_polynomial", weight=0.3)
def deep_polynomials(draw: Draw) -> tuple[str, ...]:
    name, _x = draw.operand(
        lambda x: isinstance(x, Clear) and np.ndim(x.slack) == 0 and x.polynomials == 2 and x.bound <= 1 and x.declared
    )
    degree = draw.one(15, 63, 255, 1023)
    text = values.coefficients(draw, degree, draw.one(1.0, 0.1), real=draw.chance(0.8))
    call = f"evaluate_chebyshev_polynomial({name}, {text}, bootstrap_key=evaluation_key)"
    return f"engine.{call}", "Engine.evaluate_chebyshev_polynomial"


@rule("Engine.multiply", weight=1.5)
def filled_rooms(draw: Draw) -> str:
    """Products that come near the room of the lowest level, or exceed it: claims that are too small show there."""
    name, x = ciphertext(draw)
    level = draw.one(0, 0, min(1, x.level))
    factor = draw.model["engine"].room(level) / max(x.size(), 1e-3) * draw.rng.uniform(0.3, 1.3)
    return f"engine.level_down({name}, {level}) * {max(1, int(factor))}"


RULES += [r for r in circuits.RULES if "Engine.release" in r.covers or r.weight <= 3 or "Engine.multiply" in r.covers]
