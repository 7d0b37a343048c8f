"""Measure the ready functions of CKKS, and write their table into docs/functions.md.

Each is computed of 10^4 encrypted values that are spread evenly over its interval, on a ring of 2^15, and compared with
NumPy's. An error is the largest one, in the function's range on the interval.

    python scripts/function_table.py            write the table
    python scripts/function_table.py --print    print it
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import everlevel
from everlevel.ckks import _elementary

PAGE = Path(__file__).resolve().parent.parent / "docs" / "functions.md"
BEGIN, END = "<!-- what scripts/function_table.py measured -->\n", "<!-- up to here -->\n"
VALUES = 10_000
LOG_N = 15
HEAD = "| function | interval | degree | levels | bootstraps | largest error |\n|---|---|---|---|---|---|\n"

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Row:
    """A function on an interval, and NumPy's."""

    name: str
    interval: tuple[float, float]
    exact: Callable[[Array], Array]
    is_given: bool = True
    """Whether the interval is an argument, where the bound doesn't say it."""
    more: tuple[float, ...] = ()
    """Arguments beside the ciphertext."""
    counted: Callable[[Array], NDArray[np.bool_]] = lambda x: np.full(len(x), True)
    """The values that aren't within a gap where results are unspecified."""

    def __call__(self, x: Any) -> Any:
        """Compute the function."""
        function = getattr(everlevel, self.name)
        return function(x, *self.more, **({"interval": self.interval} if self.is_given else {}))

    @property
    def fitted(self) -> everlevel.ChebyshevFit:
        """The polynomial in the place of the function."""
        return _elementary.fit_on(self.name, *self.interval, exponent=next(iter(self.more), None))


FITTED = [
    Row("exp", (-1, 1), np.exp),
    Row("exp", (-8, 8), np.exp),
    Row("log", (1, 2), np.log),
    Row("log", (0.1, 1), np.log),
    Row("sqrt", (1, 2), np.sqrt),
    Row("sqrt", (0.1, 1), np.sqrt),
    Row("sqrt", (0.01, 1), np.sqrt),
    Row("rsqrt", (1, 2), lambda x: 1 / np.sqrt(x)),
    Row("rsqrt", (0.1, 1), lambda x: 1 / np.sqrt(x)),
    Row("rsqrt", (0.01, 1), lambda x: 1 / np.sqrt(x)),
    Row("reciprocal", (1, 2), lambda x: 1 / x),
    Row("reciprocal", (0.1, 1), lambda x: 1 / x),
    Row("reciprocal", (0.01, 1), lambda x: 1 / x),
    Row("power", (1, 2), lambda x: x**1.5, more=(1.5,)),
    Row("power", (0.1, 1), lambda x: x**1.5, more=(1.5,)),
    Row("sigmoid", (-1, 1), lambda x: 1 / (1 + np.exp(-x))),
    Row("sigmoid", (-8, 8), lambda x: 1 / (1 + np.exp(-x))),
    Row("tanh", (-1, 1), np.tanh),
    Row("tanh", (-8, 8), np.tanh),
    Row("sin", (-1, 1), np.sin),
    Row("sin", (-4, 4), np.sin),
    Row("cos", (-1, 1), np.cos),
    Row("cos", (-4, 4), np.cos),
]
CHOSEN = [
    Row("sign", (-1, 1), np.sign, is_given=False, counted=lambda x: np.abs(x) >= GAP),
    Row("absolute", (-1, 1), np.abs, is_given=False),
    Row("clip", (-1, 1), lambda x: np.clip(x, -0.5, 0.5), is_given=False, more=(-0.5, 0.5)),
    Row("maximum", (-1, 1), lambda x: np.maximum(x, 0.25), is_given=False, more=(0.25,)),
    Row("floor", (-1, 1), np.floor, is_given=False, counted=lambda x: _from_integers(x) >= GAP),
    Row("floor", (-8, 8), np.floor, is_given=False, counted=lambda x: _from_integers(x) >= GAP),
    Row("round", (-8, 8), np.rint, is_given=False, counted=lambda x: _from_integers(x + 0.5) >= GAP),
]
GAP = 2.0**-6 * 1.001


@dataclass(frozen=True)
class OverSlots:
    """A function of the first slots, of which the first ones of the result are compared with NumPy's."""

    call: str
    count: int
    exact: Callable[[Array], Any]


OVER_SLOTS = [
    OverSlots("dot(x, x)", 10_000, lambda x: np.atleast_1d(x @ x)),
    OverSlots("cumsum(x, count=10000)", 10_000, np.cumsum),
    OverSlots("outer(x, x, shape=(64, 64))", 64, lambda x: np.outer(x, x).ravel()),
    OverSlots("histogram(x, [-1, -0.5, 0, 0.5, 1], count=1000)[0]", 1000, lambda x: np.histogram(x, np.r_[-1:1:5j])[0]),
    OverSlots("sort(x, count=64)", 64, np.sort),
    OverSlots("top_k(x, 8, count=64)", 64, lambda x: -np.sort(-x)[:8]),
    OverSlots("median(x, count=64)", 64, lambda x: np.atleast_1d(np.median(x))),
    OverSlots("matmul(x.reshape(8, 8), x.reshape(8, 8))", 64, lambda x: _square(x) @ _square(x)),
    OverSlots("matmul(x.reshape(64, 64), x.reshape(64, 64))", 4096, lambda x: _square(x) @ _square(x)),
    OverSlots(
        "inverse(np.eye(8) + (x.reshape(8, 8) + x.reshape(8, 8).T) / 16, interval=(0.5, 1.5), hermitian=True)",
        64,
        lambda x: np.linalg.inv(np.eye(8) + (_square(x) + _square(x).T) / 16),
    ),
    OverSlots(
        "least_squares(x.reshape(32, 2), np.linspace(0, 1, 32), interval=(2.5, 4))",
        64,
        lambda x: np.linalg.lstsq(x.reshape(32, 2), np.linspace(0, 1, 32), rcond=None)[0],
    ),
]
"""Of values that are spread evenly over (-1, 1), in an order without structure."""
SLOTS_HEAD = "\n| function | level | bootstraps | largest error |\n|---|---|---|---|\n"


def _square(x: Array) -> Array:
    """Matrix of the values, row by row."""
    side = round(len(x) ** 0.5)
    return x.reshape(side, side)


def _from_integers(x: Array) -> Array:
    """Distance of values from the nearest integer."""
    return np.abs(x - np.rint(x))


def table() -> str:
    """Measure all functions."""
    deep = everlevel.Engine(use_bootstrap=True, insecure_log_n=LOG_N, progress=False)
    secret_key = deep.create_secret_key()
    deep.create_evaluation_key(secret_key, bootstrap="lossy")
    return HEAD + "".join(_lines(deep, secret_key)) + SLOTS_HEAD + "".join(_slots_lines(deep, secret_key))


def stated(row: Row) -> tuple[int, int]:
    """Degree and levels of a function on an interval."""
    fitted = row.fitted
    return fitted.degree, fitted.levels


def _lines(deep: everlevel.Engine, deep_key: everlevel.SecretKey) -> Iterator[str]:
    shallow = everlevel.Engine(max_level=max(stated(row)[1] for row in FITTED), insecure_log_n=LOG_N, progress=False)
    secret_key = shallow.create_secret_key()
    shallow.create_relinearization_key(secret_key)
    for row in FITTED:
        values, x = _encrypted(shallow, secret_key, row)
        error = np.abs(shallow.decrypt(row(x), secret_key) - row.exact(values)).max() / np.ptp(row.exact(values))
        degree, levels = stated(row)
        yield _line(row, str(degree), str(levels), "", error)
    for row in CHOSEN:
        values, x = _encrypted(deep, deep_key, row)
        before = deep.bootstrap_count
        result = row(x)
        exact, found = row.exact(values), deep.decrypt(result, deep_key)
        error = np.abs(found - exact)[row.counted(values)].max() / np.ptp(exact)
        is_constant = row.name in ("sign", "floor", "round")
        consumed = f"to {result.level}" if is_constant else str(deep.max_level - result.level)
        yield _line(row, "", consumed, str(deep.bootstrap_count - before), error)


def _slots_lines(deep: everlevel.Engine, secret_key: everlevel.SecretKey) -> Iterator[str]:
    for each in OVER_SLOTS:
        # Half a step inside, so that none is on the edge of a bin.
        spread = np.linspace(-1, 1, each.count + 1)[1:] - 1 / each.count if each.count > 64 else np.linspace(-1, 1, 64)
        values = np.random.default_rng(1).permutation(spread)
        x = deep.encrypt(values, secret_key, bound=1)
        before = deep.bootstrap_count
        result = eval(each.call, {"x": x, "np": np, **vars(everlevel)})
        exact = each.exact(values)
        found = np.ravel(deep.decrypt(result, secret_key))
        error = np.abs(found - np.ravel(exact)).max() / max(np.ptp(exact), 1)
        count = deep.bootstrap_count - before
        yield f"| `{each.call}` | {result.level} | {count or ''} | 2^{np.log2(error):.1f} |\n"


def _encrypted(engine: everlevel.Engine, secret_key: everlevel.SecretKey, row: Row) -> tuple[Array, Any]:
    """Encrypt values that are spread evenly, in an order without structure, and repeated up to the last slot."""
    spread = np.random.default_rng(1).permutation(np.linspace(*row.interval, VALUES))
    values = np.resize(spread, engine.slot_count)
    return values, engine.encrypt(values, secret_key, bound=max(map(abs, row.interval)))


def _line(row: Row, degree: str, levels: str, bootstraps: str, error: float) -> str:
    arguments = "".join(f", {value:g}" for value in row.more)
    interval = ", ".join(f"{end:g}" for end in row.interval)
    return (
        f"| `{row.name}(x{arguments})` | ({interval}) | {degree} | {levels} | {bootstraps} | 2^{np.log2(error):.1f} |\n"
    )


def main(arguments: list[str]) -> int:
    """Write the table, or print it, and return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--print", action="store_true", help="print the table, and write nothing")
    found = table()
    if parser.parse_args(arguments).print:
        print(found, end="")
        return 0
    page = PAGE.read_text(encoding="utf-8")
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    PAGE.write_text(before + BEGIN + found + END + after, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
