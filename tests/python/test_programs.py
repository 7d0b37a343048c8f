"""Random programs make no false claim, the models that judge them are right, and every public operation is drawn."""

from __future__ import annotations

import time

import numpy as np
import pytest

from programs import __main__ as command
from programs import surface, worlds
from programs.checking import Criteria, Report, run
from programs.complex_vector import Vector, chebyshev_series, matrix_product, power_series
from programs.double_double import Decimals, DoubleDouble
from programs.many import reports

SEED = 20261123
PROGRAMS = 500
MANY = 10_000


def test_every_public_operation_is_drawn_or_excused() -> None:
    assert surface.missing() == set()
    assert surface.unknown() == set()


def test_programs_are_the_same_ones_every_time() -> None:
    first = [worlds.program(SEED, index).lines for index in range(40)]
    assert first == [worlds.program(SEED, index).lines for index in range(40)]
    assert first != [worlds.program(SEED + 1, index).lines for index in range(40)]


@pytest.mark.parametrize("world", [w.name for w in worlds.WORLDS if w.front in ("tfhe", "ntru", "bfv")])
def test_programs_of_exact_schemes_have_lines(world: str) -> None:
    assert all(worlds.program(SEED, index, world).lines for index in range(4))


def test_programs_run_as_they_are_printed() -> None:
    program = next(p for p in (worlds.program(SEED, i, "bfv, 20 bits") for i in range(9)) if len(p.lines) > 3)
    names: dict[str, object] = {}
    exec(program.source(), names)
    assert {line.name for line in program.lines} <= names.keys()


@pytest.mark.parametrize("seed", range(5))
def test_double_doubles_are_right_on_sixteen_slots(seed: int) -> None:
    parts = np.random.default_rng(seed).uniform(-1, 1, (3, 16))
    results = []
    for kind in (DoubleDouble, Decimals):
        x = Vector(kind.of(parts[0]), kind.of(parts[1])) * Vector.of(np.full(16, 1 / 3), kind)
        series = [chebyshev_series(x, parts[2] * 1e6), power_series(x, parts[2]), (x + x.inverse()).conjugate()]
        results.append([*series, x * x - x, x.roll(3, 8), matrix_product(np.outer(parts[0], parts[1]), x)])
    for approximate, exact in zip(*results, strict=True):
        doubles = approximate.doubles()
        difference = np.abs(exact.errors(doubles) - approximate.errors(doubles))
        assert difference.max() <= 2.0**-95 * max(1.0, exact.size())


def report(seed: int, count: int) -> tuple[Report, list[str]]:
    total, false = Report(), []
    for done, some, found in reports(seed, 0, count, None, Criteria(), jobs=1):
        assert done
        total.add(some)
        false += [f"program {index} under seed {seed}: {finding}" for index, finding in found]
    return total, false


def test_no_claim_is_false() -> None:
    _, false = report(SEED, PROGRAMS)
    assert false == [], "python -m programs, from tests/python, makes them minimal"


@pytest.mark.slow
@pytest.mark.parametrize("seed", [SEED, None], ids=["fixed", "new"])
def test_no_claim_is_false_in_many_programs(seed: int | None, capsys: pytest.CaptureFixture[str]) -> None:
    seed = time.time_ns() % 2**32 if seed is None else seed
    total, false = report(seed, MANY)
    with capsys.disabled():
        print(f"\n{MANY} programs under seed {seed}")
        command.print_table(total, [])
    assert {name for name in surface.covered_names() if not total.operations[name]} == set()
    assert false == []


def test_a_false_claim_is_found() -> None:
    """A claim of one bit too many is false: that a program can fail at all."""
    found = Report()
    for index in range(20):
        found.add(run(worlds.program(SEED, index, "levels"), Criteria(typical_factor=0.5)))
    assert any(finding.kind == "typical" for finding in found.findings)
