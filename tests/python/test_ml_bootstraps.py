"""Networks of `everlevel.ml` deeper than a ring's levels: where they are bootstrapped, and that results agree."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("onnx", reason="networks in ONNX's format are read by the package onnx")

from everlevel import errors, ml
from everlevel.ml import _files
from everlevel.ml._network import Task
from everlevel.ml._program import Map, Polynomial, Program
from everlevel.ml._ranges import InputRange
from everlevel.ml._schedule import FAST, Schedule, bootstrapped, held_before
from onnx_networks import network, node, own_results
from trained_models import SMALL


def program(degrees: list[int], sources: dict[int, tuple[int, ...]] | None = None) -> Program:
    """Layers of one unit, with polynomials of these degrees; some layers take results that are named."""
    one = np.ones(1)
    steps: list[Any] = []
    for index, degree in enumerate([*degrees, None]):
        taken = (sources or {}).get(index, ())
        steps.append(Map(np.ones((1, max(len(taken), 1))), one, 1.0, "", sources=taken))
        if degree is not None:
            steps.append(Polynomial(np.ones(degree + 1), 1.0, "", (-1.0, 1.0), 0.0, True, ""))
    return Program(InputRange(0 * one, one, one, 0 * one, 1.0), tuple(steps), 1.0, False, Task(None, None, False), "")


def seconds(schedule: Schedule, found: Program, stage_count: int, max_level: int) -> float:
    """Check the levels that bootstraps end at, and return their time."""
    time, highest, arriving = 0.0, max_level, schedule.level
    assert arriving <= max_level
    levels, to = schedule.levels(found), dict(schedule.bootstraps)
    for at, (before, after) in enumerate(levels):
        if at in to:
            is_fast = arriving >= stage_count
            highest = max_level if is_fast else max_level - stage_count
            time += FAST[1] if is_fast else 1.0
            assert before <= to[at] <= highest
        arriving = after
    return time


@pytest.mark.parametrize("degrees", [[3, 3, 3, 3], [7, 15, 7, 3, 31], [31, 31, 31], [127, 3], [7] * 6])
@pytest.mark.parametrize(("max_level", "stage_count"), [(13, 3), (11, 2), (12, 5)])
def test_the_schedule_takes_the_least_time(degrees: list[int], max_level: int, stage_count: int) -> None:
    found = program(degrees)
    best = bootstrapped(found, max_level, stage_count)
    least = np.inf
    places = [at for at, number in enumerate(held_before(found)) if at and number is not None]
    for count in range(4):
        for chosen in itertools.combinations(places, count):
            cuts = [0, *(found.depths[at][0] for at in chosen), found.levels]
            needs = np.diff(cuts)
            # Any of the bootstraps may be fast, for so many levels more before it.
            for fast in itertools.product((False, True), repeat=count):
                given = needs + stage_count * np.array([*fast, False])
                room = max_level - stage_count * ~np.array([True, *fast])
                if (given <= room).all():
                    least = min(least, sum(FAST[1] if is_fast else 1.0 for is_fast in fast))
    assert seconds(best, found, stage_count, max_level) == pytest.approx(least)


def test_bootstraps_are_where_one_result_is_held() -> None:
    # The second layer's results are added to the fourth's.
    found = program([3, 3, 3, 3, 3], {4: (2, 4)})
    assert held_before(found) == [0, 1, 1, 2, 2, None, None, None, None, 5, 5]
    assert held_before(found)[3] == 2
    schedule = bootstrapped(found, 10, 3)
    assert {at for at, _ in schedule.bootstraps} <= {1, 2, 3, 4, 9, 10}
    with pytest.raises(ValueError, match="bootstraps"):
        Schedule(20, ((6, 10),)).levels(found)
    with pytest.raises(ValueError, match="bootstraps"):
        Schedule(20, ((99, 10),)).levels(found)
    with pytest.raises(ValueError, match="levels"):
        Schedule(3).levels(found)
    with pytest.raises(errors.ParameterError, match=r"take 7 levels, and bootstraps leave 2 to 5"):
        bootstrapped(found, 5, 3)


def deep(depth: int, rng: np.random.Generator, *, residual: bool = False) -> Any:
    """Full layers of 6 units and tanh, before each second of which is added what was two layers before."""
    weights = {f"w{k}": rng.normal(size=(6, 6)) / 2.5 for k in range(depth)} | {"o": rng.normal(size=(6, 2)) / 2}
    nodes, last, before = [], "x", "x"
    for k in range(depth):
        nodes.append(node("MatMul", f"{last} w{k}", f"a{k}"))
        argument = f"a{k}"
        if residual and k % 2:
            nodes.append(node("Add", f"a{k} {before}", f"c{k}"))
            argument, before = f"c{k}", f"b{k}"
        nodes.append(node("Tanh", argument, f"b{k}"))
        last = f"b{k}"
    return network([*nodes, node("MatMul", f"{last} o")], (6,), weights)


@pytest.mark.parametrize("residual", [False, True])
def test_deep_networks_are_bootstrapped(residual: bool, tmp_path: Path, rng: np.random.Generator) -> None:
    trained, x = deep(4, rng, residual=residual), rng.uniform(-1, 1, size=(50, 6))
    model = ml.compile(trained, x, degree=7, max_error=1.0, bootstrap=True, **SMALL)
    stages = [stage for stage in model._plan.stages if stage.name == "bootstrap"]
    assert model._program.levels == 17
    assert len(stages) == 1
    assert "bootstrap" in str(model)
    client, server = model.keys()
    assert server.nbytes == model.key_nbytes
    rows = client.encrypt(x[:3])
    assert rows.ciphertext.level == model._plan.layout.schedule.level < 13
    expected = model.simulate(x[:3])
    np.testing.assert_allclose(client.decrypt(model(rows, server)), expected, atol=1e-4 * np.ptp(expected))
    for name, thing in {"model": model, "client": client, "server": server}.items():
        thing.save(tmp_path / name)
    loaded, client, server = (ml.load(tmp_path / name) for name in ("model", "client", "server"))
    assert isinstance(loaded, ml.Model)
    assert isinstance(client, ml.Client)
    assert isinstance(server, ml.Server)
    assert (loaded.hash, str(loaded._plan)) == (model.hash, str(model._plan))
    np.testing.assert_allclose(
        client.decrypt(loaded(client.encrypt(x[:3]), server)), expected, atol=1e-4 * np.ptp(expected)
    )


def test_networks_beyond_every_ring_are_bootstrapped(rng: np.random.Generator) -> None:
    trained, x = deep(20, rng), rng.uniform(-1, 1, size=(30, 6))
    options: dict[str, Any] = {"degree": 7, "max_error": 10.0}
    model = ml.compile(trained, x, **options, **SMALL)
    assert model._program.levels == 81
    assert model.engine.max_level == 13
    client, server = model.keys()
    found = client.decrypt(model(client.encrypt(x[:2]), server))
    np.testing.assert_allclose(found, model.simulate(x[:2]), atol=1e-4 * np.ptp(own_results(trained, x)))
    with pytest.raises(errors.ParameterError, match=r"max_level = 81: must be at most 77"):
        ml.compile(trained, x, bootstrap=False, **options, **SMALL)


def test_bootstraps_that_cannot_be_are_refused(tmp_path: Path, rng: np.random.Generator) -> None:
    trained, x = deep(4, rng), rng.uniform(-1, 1, size=(30, 6))
    options: dict[str, Any] = {"degree": 7, "max_error": 1.0, "bootstrap": True}
    with pytest.raises(errors.ParameterError, match=r"layout is 'features' and the network takes bootstraps"):
        ml.compile(trained, x, layout="features", **options, **SMALL)
    with pytest.raises(errors.OperandTypeError, match="bootstrap is 2"):
        ml.compile(trained, x, **(options | {"bootstrap": 2}), **SMALL)
    model = ml.compile(trained, x, **options, **SMALL)
    model.save(tmp_path / "model")
    notes = _files.read(str(tmp_path / "model"))
    for bootstraps in ([[0, 5]], [[1, 5], [99, 5]], [[3, 14]], [[3]], None, [[3, "5"]], []):
        changed = notes | {"layout": notes["layout"] | {"bootstraps": bootstraps}}
        native = _files.stamp(model.engine, model.hash)._native
        _files.write(model.engine, native, tmp_path / "changed", "model", changed)
        with pytest.raises(errors.HeaderError, match="malformed"):
            ml.load(tmp_path / "changed")
