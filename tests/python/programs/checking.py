"""Running a program, and comparing all that the library says with what is so."""

from __future__ import annotations

import itertools
import math
import warnings
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

import everlevel
from everlevel.errors import EverlevelError, LevelWarning, RangeWarning, ReleaseError

from .clear import Clear, Encoded, Equal, Flooded, Matrix, OnGrid, Refused, UnfitError, off_grid
from .program import Line, Program, names_of

DOUBLE = 2.0**-53
_CALLS = itertools.count()
CONVERSIONS = 32
"""Roundings of doubles, of the bound's size, that encoding and decoding may have: what is false by these is a kind of
its own."""


_IMPLIED = {
    "floor": ("floor, doubles", "typical", "typical, doubles", "false warning"),
    "floor, doubles": ("typical, doubles", "false warning"),
    "wrapped": ("floor", "floor, doubles", "typical", "typical, doubles", "bound"),
    "bound": ("floor", "typical"),
}
"""Kinds that results have, too, of operands with a false claim."""


@dataclass(frozen=True)
class Criteria:
    """What counts as false.

    Attributes
    ----------
    typical_factor : float
        Times 2^-precision_bits, for the root mean square of a ciphertext's errors.
    structured_factor : float
        The same where values have a structure that the typical figure isn't made for (`Clear.structured`); infinite
        where the figure isn't claimed of them.
    floorless_factor : float
        That, where a ciphertext has no other figure: over limbs.
    smallest : float
        Errors below this are those of the double-double numbers.
    """

    typical_factor: float = 2.0
    structured_factor: float = math.inf
    floorless_factor: float = 16.0
    smallest: float = 2.0**-90


@dataclass(frozen=True)
class Finding:
    """A false claim: its kind, the line, and both values."""

    kind: str
    line: int
    operation: str
    what: str

    def same(self, other: Finding) -> bool:
        return (self.kind, self.operation) == (other.kind, other.operation)

    def __str__(self) -> str:
        return f"{self.kind}, {self.operation}: {self.what}"


@dataclass
class Report:
    """What a program, or many of them, came to."""

    findings: list[Finding] = field(default_factory=list)
    operations: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    counts: Counter[str] = field(default_factory=Counter)
    tightest: dict[str, float] = field(default_factory=dict)

    def margin(self, what: str, bits: float) -> None:
        """Keep the smallest distance to a claim, in bits."""
        if math.isfinite(bits):
            self.tightest[what] = min(bits, self.tightest.get(what, math.inf))

    def add(self, other: Report) -> None:
        self.findings += other.findings
        for mine, theirs in (
            (self.operations, other.operations),
            (self.refused, other.refused),
            (self.counts, other.counts),
        ):
            mine.update(theirs)
        for what, bits in other.tightest.items():
            self.margin(what, bits)


class Run:
    """One program's run."""

    def __init__(self, program: Program, criteria: Criteria) -> None:
        library, model = names_of(program.world)
        self.program, self.criteria, self.report = program, criteria, Report()
        self.library, self.model = dict(library), dict(model)
        self.lost: set[str] = set()
        self.false: dict[str, set[str]] = {}
        self.warned: set[str] = set()

    def __call__(self) -> Report:
        for number, line in enumerate(self.program.lines):
            if line.uses() & self.lost:
                self.lost.add(line.name)
                continue
            self.number, self.line = number, line
            known = len(self.report.findings)
            if not self._evaluate(line):
                self.lost.add(line.name)
            # What is computed with a false claim has one of the same kind, which says nothing new.
            inherited = set().union(*(self.false.get(name, set()) for name in line.uses()))
            hidden = inherited.union(*(_IMPLIED.get(kind, ()) for kind in inherited))
            new = [f for f in self.report.findings[known:] if f.kind not in hidden]
            self.report.findings[known:] = new
            self.false[line.name] = inherited | {f.kind for f in new}
        return self.report

    def call(self, expression: str, **names: Any) -> Any:
        """Evaluate by the library, at a place of its own: it warns once of a kind at each line of a file."""
        place = f"<call {next(_CALLS)}>"
        return eval(compile(expression, place, "eval"), {**self.library, **names} if names else self.library)

    def found(self, kind: str, what: str, operation: str | None = None) -> None:
        self.report.findings.append(Finding(kind, self.number, operation or self.line.covers[0], what))

    def _evaluate(self, line: Line) -> bool:
        """Evaluate a line by both, and compare; False if there is no result to go on with."""
        try:
            if line.name in self.program.expected:
                expected = self.program.expected[line.name]
            else:
                expected = eval(line.expression, self.model)
        except (UnfitError, EverlevelError):
            return False
        self.model[line.name] = expected
        with warnings.catch_warnings(record=True) as notices:
            warnings.simplefilter("always")
            try:
                with np.errstate(all="ignore"):
                    result = self.call(line.expression)
            except EverlevelError as error:
                self._refused(error, expected)
                return False
            except BaseException as error:  # a panic of the core is no Exception
                if isinstance(error, KeyboardInterrupt):
                    raise
                self.found("untyped error", f"{type(error).__name__}: {str(error)[:200]}")
                return False
        self.library[line.name] = result
        for name in line.covers:
            self.report.operations[name] += 1
        self._warnings([n.message for n in notices], line, expected)
        self.compare(result, expected)
        return True

    # Refusals and warnings.

    def _refused(self, error: EverlevelError, expected: Any) -> None:
        name = type(error).__name__
        if isinstance(expected, Refused):
            self.report.counts["refused, as it must be"] += 1
            self.report.operations.update(self.line.covers)
            return
        self.report.refused[f"{self.line.covers[0]}: {name}"] += 1
        bound, room = getattr(error, "bound", None), getattr(error, "room", None)
        if bound is not None and room is not None and bound < room * (1 - 2.0**-20):
            self.found("reason", f"{name} says that {bound} exceeds {room}: {error}")
        level, needed = getattr(error, "level", None), getattr(error, "needed", None)
        if name == "LevelError" and level is not None and needed is not None and level >= needed:
            self.found("reason", f"level {level} is said to be below {needed}: {error}")
        # Of a release, "off the grid" alone has nothing that would do.
        if isinstance(expected, OnGrid) and isinstance(error, ReleaseError) and error.needed is None:
            source, step = expected.source, expected.step
            if source.truthful and source.declared and off_grid(source, step) == 0:
                self.found("refused", f"the values are multiples of {step:g}, and release says: {error}")
        if name == "InternalError":
            self.found("untyped error", f"InternalError: {error}")

    def _warnings(self, notices: list[Any], line: Line, expected: Any) -> None:
        if line.uses() & self.warned:
            self.warned.add(line.name)
        for notice in notices:
            if isinstance(notice, RangeWarning):
                self.warned.add(line.name)
                self.report.counts["range warnings"] += 1
                bound, room = notice.bound, notice.room
                if bound is not None and room is not None and bound < room * (1 - 2.0**-20):
                    self.found("reason", f"a warning says that {bound} exceeds {room}: {notice}")
            elif isinstance(notice, DeprecationWarning) and "zeros follow both" in str(notice):
                self.report.counts["lengths filled up"] += 1
            elif not isinstance(notice, LevelWarning):
                self.found("foreign warning", f"{type(notice).__name__}: {str(notice)[:200]}")

    # Results.

    def compare(self, result: Any, expected: Any) -> None:
        if isinstance(expected, Clear):
            check_ciphertext(self, result, expected)
        elif isinstance(expected, (list, tuple)):
            if len(result) != len(expected):
                self.found("wrong", f"{len(result)} results, and {len(expected)} are right")
            for one, other in zip(result, expected, strict=False):
                self.compare(one, other)
        elif isinstance(expected, Encoded):
            values = self.library["engine"].decode(result) if hasattr(result, "scale") else None
            if values is not None:
                self._near(values, expected.values.doubles(), 2.0**-16 * max(1.0, expected.values.size()))
        elif isinstance(expected, Equal):
            self._near(result, expected.value, expected.tolerance)
        elif isinstance(expected, OnGrid):
            self._released(result, expected)
        elif isinstance(expected, Flooded):
            self._flooded(result, expected)
        elif isinstance(expected, Refused):
            self.found("accepted", f"{expected.why}: {result!r}"[:300])
        elif hasattr(expected, "check"):
            expected.check(self, result)
        elif not isinstance(expected, Matrix):
            self._near(result, expected, 0.0)

    def _near(self, result: Any, value: Any, tolerance: float) -> None:
        got, right = np.asarray(result), np.asarray(value)
        if got.shape != right.shape:
            self.found("wrong", f"shape {got.shape}, and {right.shape} is right")
            return
        if right.dtype.kind in "cf" and got.dtype.kind in "cfiub":
            with np.errstate(all="ignore"):
                off = np.abs(got - right) > tolerance * np.maximum(1, np.abs(right) if tolerance else 1)
        else:
            off = got != right
        if np.any(off):
            at = int(np.argmax(off.ravel()))
            self.found("wrong", f"element {at} is {got.ravel()[at]}, and {right.ravel()[at]} is right")

    def _released(self, result: Any, expected: OnGrid) -> None:
        source = expected.source
        if not source.truthful or np.ndim(source.slack):
            return
        step, exact = expected.step, source.values
        self.report.counts["releases on grids"] += 1
        near = off_grid(source, step) < 0.25
        if not near:
            self.report.counts["releases off grids"] += 1
        right = np.rint(exact.re.high / step) * step + 1j * (np.rint(exact.im.high / step) * step)
        values = np.asarray(result.values)
        off = np.abs(values - right) > 0.25 * step
        if off.any() and near:
            at = int(np.argmax(off))
            self.found("release", f"slot {at} is {values[at]!r}, and {right[at]!r} is right")

    def _flooded(self, result: Any, expected: Flooded) -> None:
        source = expected.source
        if not source.truthful or np.ndim(source.slack):
            return
        errors = np.abs(source.values.errors(result.values))
        rms, claimed = float(np.sqrt(np.mean(errors**2))), 2.0**-result.precision_bits
        if rms > self.criteria.typical_factor * claimed + 2 * DOUBLE * source.size():
            self.found(
                "release", f"a flooded result has an error of 2^{_log2(rms):.1f}, and 2^{_log2(claimed):.1f} is claimed"
            )


def _log2(x: float) -> float:
    return math.log2(x) if x > 0 else -math.inf


def check_ciphertext(run: Run, x: Any, expected: Clear) -> None:
    """Compare bound, floor and typical error of a ciphertext with its decryption."""
    engine, secret = run.library[expected.engine.name], run.library[expected.engine.secret]
    if getattr(x, "polynomial_count", 2) not in (2, 3):
        run.found("wrong", f"{x.polynomial_count} polynomials")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            values = run.call("engine.decrypt(x, secret)", engine=engine, x=x, secret=secret)
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt):
                raise
            run.found("untyped error", f"decrypt: {type(error).__name__}: {error}")
            return
    notices = [c.message for c in caught if isinstance(c.message, RangeWarning)]
    report, size = run.report, expected.size()
    report.counts["ciphertexts"] += 1
    if len(values) != len(expected.values):
        run.found("wrong", f"{len(values)} slots, and {len(expected.values)} are right")
        return
    errors = np.abs(expected.values.errors(values))
    worst = float((errors - np.asarray(expected.slack)).max())
    with np.errstate(over="ignore"):
        rms = float(np.sqrt(np.mean(errors**2)))
    slack = np.asarray(expected.slack)
    doubles = expected.values.doubles()
    excess = float((np.abs(doubles) - slack).max()) - x.bound * (1 + 1e-9)
    if getattr(x, "interval", None) is not None and not np.any(doubles.imag):
        low, high = x.interval
        beyond = np.maximum(low - doubles.real, doubles.real - high) - slack
        excess = max(excess, float(beyond.max()) - 1e-9 * x.bound)
    warned = bool(notices) or run.line.name in run.warned
    declared = getattr(x, "is_bound_declared", True)
    how = "declared" if declared else "assumed"
    between = getattr(x, "interval", None)
    what = f"a value has size {size:.9g}, and the {how} bound is {x.bound:.9g}, {between}; warned: {warned}"
    if (excess > 2 * DOUBLE and expected.truthful and (declared or not warned)) or (
        excess > 4 * noise_of(x) and not expected.truthful and not warned
    ):
        run.found("bound", what)
    if not expected.truthful:
        report.counts["ciphertexts beyond the program's own claims"] += 1
        return
    if run.line.name in run.warned and not declared:
        report.counts["ciphertexts that a warning came before"] += 1
        return
    # Where no floor is known and values came out beyond the bound, the warning is what there is to say.
    is_lost = math.isinf(noise_of(x)) and worst > x.bound
    if notices and excess <= 0 and not is_lost:
        run.found("false warning", str(notices[0])[:200])
    run.report.counts["ciphertexts judged"] += 1
    _check_floor(run, x, expected, worst)
    _check_typical(run, x, expected, rms)


def noise_of(x: Any) -> float:
    """Return how large a ciphertext's errors may be, by its own claims; infinite where they are unknown."""
    bits = getattr(x, "precision_floor", x.precision_bits - 6)
    return math.inf if math.isnan(bits) else 2.0**-bits


def _check_floor(run: Run, x: Any, expected: Clear, worst: float) -> None:
    if not hasattr(x, "precision_floor"):
        return
    floor = x.precision_floor
    if math.isnan(floor):
        run.report.counts["floor unknown"] += 1
        return
    claimed = 2.0**-floor
    run.report.margin("floor", _log2(claimed) - _log2(worst))
    if worst > claimed + run.criteria.smallest * max(1.0, expected.size()):
        what = f"an error of {worst:.4g} = 2^{_log2(worst):.2f}, and at most 2^{-floor:.2f} is claimed"
        by_doubles = worst <= claimed + CONVERSIONS * DOUBLE * x.bound
        # Beyond the modulus values begin again at its other end.
        kind = (
            "floor, doubles" if by_doubles else "wrapped" if worst > expected.engine.room(expected.level) else "floor"
        )
        run.found(kind, f"{what}; values up to {expected.size():.6g}, bound {x.bound:.6g}, level {x.level}")


def _check_typical(run: Run, x: Any, expected: Clear, rms: float) -> None:
    if np.ndim(expected.slack):
        return
    bits = x.precision_bits
    if math.isnan(bits):
        run.report.counts["typical figure unknown"] += 1
        return
    margin = _log2(rms) + bits
    about = "structured" if expected.structured else "plain"
    if margin > math.log2(run.criteria.typical_factor):
        run.report.counts[f"typical figure missed, {about} values"] += 1
    factor = _factor(run.criteria, x, expected)
    run.report.margin(f"typical, {about}", -margin)
    if rms > factor * 2.0**-bits + run.criteria.smallest * max(1.0, expected.size()):
        what = f"the root mean square of errors is 2^{_log2(rms):.2f}, and 2^{-bits:.2f} is claimed ({about} values)"
        by_doubles = rms <= factor * 2.0**-bits + CONVERSIONS * DOUBLE * x.bound
        run.found(
            "typical, doubles" if by_doubles else "typical",
            f"{what}; values up to {expected.size():.6g}, bound {x.bound:.6g}",
        )


def _factor(criteria: Criteria, x: Any, expected: Clear) -> float:
    if not expected.structured:
        return criteria.typical_factor
    return criteria.structured_factor if hasattr(x, "precision_floor") else criteria.floorless_factor


def run(program: Program, criteria: Criteria | None = None) -> Report:
    """Run a program, and return what is false, and what was counted."""
    return Run(program, criteria or Criteria())()


__all__ = ["Criteria", "Finding", "Report", "everlevel", "replace", "run"]
