"""Lines with ready functions and comparison operators of CKKS; and their model."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from everlevel.ckks import _elementary
from everlevel.errors import FitError

from . import bootstraps, circuits, levels
from .clear import Clear, Fit, UnfitError
from .drawing import Draw
from .levels import ciphertext, similar

RULES = circuits.RULES
rule = RULES.rule

_INTERVALS = {
    "exp": (-8.0, 8.0),
    "log": (0.05, 1e4),
    "sqrt": (0.02, 1e4),
    "rsqrt": (0.05, 1e3),
    "reciprocal": (0.1, 1e3),
    "sigmoid": (-12.0, 12.0),
    "tanh": (-8.0, 8.0),
    "sin": (-20.0, 20.0),
    "cos": (-20.0, 20.0),
}


# The model.


def _fitted(name: str) -> Any:
    def function(x: Clear, *, interval: tuple[float, float]) -> Clear:
        if not x.real or x.polynomials != 2:
            raise UnfitError("not real, or not relinearised")
        try:
            fit = _elementary.fit_on(name, *map(float, interval))
        except FitError as error:
            raise UnfitError(str(error)) from None
        result: Clear = Fit(fit, None)(x)
        return result

    return function


def _divide(dividend: Any, divisor: Clear, *, interval: tuple[float, float]) -> Any:
    return dividend * _fitted("divide")(divisor, interval=interval)


def _norm(x: Clear, *, interval: tuple[float, float]) -> Clear:
    a, b = interval
    result: Clear = _fitted("norm")((x * x).sum(), interval=(a * a, b * b))
    return result


def _where(condition: Any, x: Any, y: Any) -> Clear:
    mask = np.asarray(condition) * 1.0
    result: Clear = x * mask + y * (1 - mask)
    return result


MODEL = SimpleNamespace(
    **{name: _fitted(name) for name in _INTERVALS},
    divide=_divide,
    dot=lambda x, y: _engine(x, y).dot(x, y),
    cumsum=lambda x, **options: x.engine.cumsum(x, **options),
    var=lambda x, axis=None, **options: x.engine.var(x, axis, **options),
    norm=_norm,
    where=_where,
    sign=lambda x: x.engine.sign(x, gap=bootstraps.gap_of(x)),
    absolute=abs,
    maximum=lambda left, right: _engine(left, right).maximum(left, right),
    minimum=lambda left, right: _engine(left, right).minimum(left, right),
    clip=lambda x, low, high: x.engine.clip(x, low, high),
)
"""What `everlevel` is to the model."""


def _engine(left: Any, right: Any) -> Any:
    return (left if isinstance(left, Clear) else right).engine


# Lines.


def interval_of(draw: Draw, x: Clear, function: str) -> str:
    """Draw an interval that holds the values which a program filled in, and on which the function is defined."""
    numbers = x.values[: x.length].doubles().real
    low, high = float(numbers.min()), float(numbers.max())
    least, most = _INTERVALS[function]
    if not (least <= low and high <= most):
        raise UnfitError("values are outside of every interval")
    width = max(high - low, 1e-3 * max(1, abs(high)))
    start, end = draw.one((low - 0.1 * width, high + 0.1 * width), (low - width, high + width), (least, most))
    start, end = max(start, least), min(end, most)
    start, end = float(f"{start - 1e-5 * abs(start):.5g}"), float(f"{end + 1e-5 * abs(end):.5g}")
    if not start < end or (least > 0 and not 0 < start <= low):
        raise UnfitError("no interval")
    return f"({start!r}, {end!r})"


@rule(*_INTERVALS, "divide", weight=3)
def elementary(draw: Draw) -> tuple[str, ...]:
    if draw.chance(0.4):
        return _of_one_sign(draw)
    name, x = ciphertext(draw, 3, real=True)
    fitting = [f for f, (a, b) in _INTERVALS.items() if a <= float(x.values[: x.length].doubles().real.min()) <= b]
    if not fitting:
        raise UnfitError("no function is defined there")
    function = draw.one(*fitting)
    interval = interval_of(draw, x, function)
    if function == "reciprocal" and draw.chance(0.5):
        dividend = similar(draw, x)[0] if draw.chance(0.5) else draw.one("3", "-0.25")
        return f"everlevel.divide({dividend}, {name}, interval={interval})", "divide"
    return f"everlevel.{function}({name}, interval={interval})", function


def _of_one_sign(draw: Draw) -> tuple[str, str]:
    """A function of new values of one sign, which few results are."""
    function = draw.one("log", "sqrt", "rsqrt", "reciprocal", "exp")
    low = draw.log(0.05, 2)
    high = float(f"{low * draw.one(1.5, 2, 10):.4g}")
    slots = draw.model["engine"].slot_count
    numbers = f"np.random.default_rng({draw.seed()}).uniform({low!r}, {high!r}, {slots})"
    bound = draw.one(high, 100.0)
    if function == "reciprocal" and draw.chance(0.5):
        numbers, low, high = f"-{numbers}", -high, -low
    return (
        f"everlevel.{function}(engine.encrypt({numbers}, secret_key, bound={bound!r}), interval=({low!r}, {high!r}))",
        function,
    )


@rule("dot", "Ciphertext.dot", "Ciphertext.__matmul__", weight=1.2)
def sums_of_products(draw: Draw) -> tuple[str, ...]:
    name, x = ciphertext(draw, 1)
    if draw.chance(0.4):
        other = similar(draw, x, 1)[0]
    else:
        n = draw.integer(1, x.engine.slot_count) if x.unit_count == 1 else len(x.values)
        other = f"np.random.default_rng({draw.seed()}).uniform(-2, 2, {n})"
    return draw.one(
        (f"everlevel.dot({name}, {other})", "dot"),
        (f"{name}.dot({other})", "Ciphertext.dot"),
        (f"{name} @ {other}", "Ciphertext.__matmul__"),
        (f"everlevel.dot({other}, {name})", "dot"),
    )


@rule("cumsum", "Ciphertext.cumsum", weight=0.6)
def prefix_sums(draw: Draw) -> tuple[str, ...]:
    name, x = ciphertext(draw, 1)
    count = draw.one(draw.integer(1, min(8, x.engine.slot_count)), draw.integer(1, x.engine.slot_count), None)
    said = "" if count is None else f"count={count}"
    if draw.chance(0.5):
        return f"{name}.cumsum({said})", "Ciphertext.cumsum"
    return f"everlevel.cumsum({levels.arguments(name, said)})", "cumsum"


@rule("var", "Ciphertext.var", "norm", weight=1)
def moments(draw: Draw) -> tuple[str, ...]:
    name, x = ciphertext(draw, 3, real=True)
    if draw.chance(0.25):
        length = float(np.sqrt(np.sum(x.values.re.high**2)))
        if not 1e-3 < length < 1e5:
            raise UnfitError("no norm to speak of")
        interval = float(f"{length / 2:.4g}"), float(f"{length * 1.5:.4g}")
        return f"everlevel.norm({name}, interval={interval})", "norm"
    axis, ddof = draw.one("None", "0", "1", "-1"), draw.one("", "", "ddof=1")
    if draw.chance(0.5):
        return f"{name}.var({levels.arguments(axis, ddof)})", "Ciphertext.var"
    return f"everlevel.var({levels.arguments(name, axis, ddof)})", "var"


@rule("where", weight=0.6)
def choices(draw: Draw) -> str:
    name, x = ciphertext(draw, 1)
    mask = f"np.random.default_rng({draw.seed()}).random({len(x.values)}) < 0.5"
    other = similar(draw, x, 1)[0] if draw.chance(0.6) else draw.one("0.5", "-2", "0")
    return f"everlevel.where({mask}, {name}, {other})"


@rule("Ciphertext.within", weight=0.6)
def claims(draw: Draw) -> str:
    name, x = ciphertext(draw)
    size = x.size() * draw.one(1 + 1e-9, 1.1, draw.log(1, 1000))
    ends = draw.one(f"{size!r}", f"{-size!r}, {size / 2!r}", f"{-size / 3!r}, {size!r}")
    return f"{name}.within({ends})"


_OPERATORS = {">": "gt", "<": "lt", ">=": "ge", "<=": "le"}
_OF_SIGNS = ("sign", "absolute", "Ciphertext.__abs__", "clip", "Ciphertext.clip", "maximum", "minimum")


@bootstraps.rule(*(f"Ciphertext.__{name}__" for name in _OPERATORS.values()), *_OF_SIGNS, weight=2)
def comparisons(draw: Draw) -> tuple[str, ...]:
    def fits(x: Any) -> bool:
        whole = isinstance(x, Clear) and np.ndim(x.slack) == 0 and x.polynomials == 2 and x.real
        return whole and x.bound <= 1 and x.declared and x.truthful and x.unit_count == 1

    name, _x = draw.operand(fits)
    other = draw.operand(fits)[0] if draw.chance(0.6) else draw.one("0.25", "-1.0", "np.linspace(-1, 1, 9)")
    kind = draw.integer(0, 9)
    if kind <= 4:
        sign = draw.one(*_OPERATORS)
        return f"{name} {sign} {other}", f"Ciphertext.__{_OPERATORS[sign]}__"
    if kind == 5:
        return f"everlevel.sign({name})", "sign"
    if kind == 6:
        return draw.one((f"everlevel.absolute({name})", "absolute"), (f"abs({name})", "Ciphertext.__abs__"))
    if kind == 7:
        low, high = draw.one((-0.5, 0.25), (0, 0.75), (-0.125, 2), (-3, 0.5))
        return draw.one(
            (f"everlevel.clip({name}, {low}, {high})", "clip"), (f"{name}.clip({low}, {high})", "Ciphertext.clip")
        )
    call = draw.one("maximum", "minimum")
    return f"everlevel.{call}({name}, {other})", call
