"""Placements of `everlevel.ml`: products by diagonals and folds between any two, images, and the choice among them."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from everlevel.ml import _costs, _layout, _moves, _placement, _weights
from everlevel.ml._layout import Layout, Placement
from everlevel.ml._network import Task
from everlevel.ml._program import SQUARE, Map, Polynomial, Program
from everlevel.ml._ranges import InputRange
from everlevel.ml._schedule import Schedule


def moved(layout: Layout, weights: Any, slots: Any, before: Placement, after: Placement) -> Any:
    """Compute a map of slots by rotations, products and folds."""
    y = np.zeros(layout.slot_count)
    for place, diagonal in _moves.diagonals(_weights.terms(weights), before, after).items():
        y += layout.filled(diagonal) * np.roll(slots, -place * layout.lanes)
    for fold in _moves.folds(before, after):
        y = y + np.roll(y, -fold * layout.lanes)
    return y


def check(weights: Any, before: Placement, after: Placement, lanes: int, rng: np.random.Generator) -> None:
    outputs, inputs = weights.shape
    places = 2 * max(before.period, after.period)
    layout = Layout("rows", places * lanes, lanes, inputs, outputs, (before, after))
    x = rng.normal(size=(lanes, inputs))
    y = moved(layout, weights, layout.slots(x, np.zeros(inputs)), before, after)
    np.testing.assert_allclose(layout.rows(y, lanes), x @ weights.T, atol=1e-12)
    # Every slot has a result, or 0: nothing else is there that a polynomial could make large.
    expected = np.tile(after.spread(x @ weights.T), (1, places // after.period)).T.ravel()
    np.testing.assert_allclose(y, expected, atol=1e-12)
    turns, diagonals = (
        _moves.turns(_weights.terms(weights), before, after),
        _moves.diagonals(_weights.terms(weights), before, after),
    )
    assert list(diagonals) == list(turns.places)
    assert turns.folds == _moves.folds(before, after)
    assert all(diagonal.any() for diagonal in diagonals.values()) or turns.is_slotwise


@pytest.mark.parametrize(("outputs", "inputs"), [(1, 1), (1, 5), (3, 4), (4, 3), (10, 64), (16, 16), (7, 1), (30, 2)])
@pytest.mark.parametrize("lanes", [1, 4])
@pytest.mark.parametrize("share", [0.0, 0.1, 1.0])
def test_plain_products(outputs: int, inputs: int, lanes: int, share: float, rng: np.random.Generator) -> None:
    weights = rng.normal(size=(outputs, inputs)) * (rng.uniform(size=(outputs, inputs)) <= share)
    check(weights, _layout.plain(inputs), _layout.plain(outputs), lanes, rng)
    period = min(_layout.power(outputs), _layout.power(inputs))
    assert len(_moves.turns(_weights.terms(weights), _layout.plain(inputs), _layout.plain(outputs)).places) <= period


@pytest.mark.parametrize("periods", [(32, 32), (64, 16), (16, 64)])
def test_any_places_give_the_product(periods: tuple[int, int], rng: np.random.Generator) -> None:
    for seed in range(10):
        drawn = np.random.default_rng(seed)

        def anywhere(count: int, period: int, drawn: np.random.Generator = drawn) -> Placement:
            # Some features have several places, and some places have none.
            features = drawn.integers(-1, count, period)
            features[drawn.permutation(period)[:count]] = np.arange(count)
            return Placement(features, count)

        weights = drawn.normal(size=(7, 9)) * (drawn.uniform(size=(7, 9)) < 0.5)
        before, after = anywhere(9, periods[0]), anywhere(7, periods[1])
        check(weights, before, after, 1 + seed % 2, rng)
        turned = after.turned(5)
        check(weights, before, turned, 1, rng)
        np.testing.assert_array_equal((after.first + 5) % after.period == turned.first, [True] * 7) if (
            np.bincount(after.features[after.features >= 0]) == 1
        ).all() else None


def test_images_are_on_the_grid() -> None:
    grid = _placement.Grid.of([(1, 7, 8), (6, 4, 4), (10,)])
    assert (grid.height, grid.width) == (8, 8)
    found = list(grid.placements((6, 4, 4), 4096))
    periods = [placement.period for placement in found]
    # Close together; each pixel repeated, alone, and with four channels: gaps of 1 and 2.
    assert periods == [8 * 64, 8 * 64, 8 * 64, 2 * 64]
    *_, multiplexed = found
    y, x, channel = 3, 1, 5
    row, column = 2 * y + channel % 4 // 2, 2 * x + channel % 2
    assert multiplexed.features[channel // 4 * 64 + row * 8 + column] == channel * 16 + y * 4 + x
    for placement in found:
        assert set(placement.features) == {-1, *range(96)}
    assert [placement.period for placement in grid.placements((6, 4, 4), 256)] == [128]
    assert list(grid.placements((10,), 4096)) == []
    # A series has one row.
    series = _placement.Grid.of([(1, 30), (3, 15)])
    assert [placement.period for placement in series.placements((3, 15), 4096)] == [128, 128, 128, 64]


def test_choices_of_offsets_are_few() -> None:
    """A convolution of 5 × 5 with strides of 2, from pixels that are repeated: 36 offsets, where 144 would be."""
    grid = _placement.Grid(32, 32)
    repeated, alone, _ = list(grid.placements((1, 14, 14), 4096))[-3:]
    *_, full = grid.placements((16, 7, 7), 1024)
    weights = np.zeros((16, 7, 7, 18, 18))
    for y, x in itertools.product(range(7), repeat=2):
        weights[:, y, x, 2 * y : 2 * y + 5, 2 * x : 2 * x + 5] = 1
    flat = weights[..., 2:16, 2:16].reshape(16 * 49, 196)
    assert len(_moves.turns(_weights.terms(flat), repeated, full).places) == 36
    assert len(_moves.turns(_weights.terms(flat), alone, full).places) == 144


def small_program(rng: np.random.Generator) -> Program:
    """Two convolutions of 3 × 3 with strides of 2 and a full layer, of images of 8 × 8."""

    def convolution(outputs: int, channels: int, size: int) -> Any:
        weights = np.zeros((outputs, size // 2, size // 2, channels, size + 2, size + 2))
        kernel = rng.normal(size=(outputs, channels, 3, 3))
        for y, x in itertools.product(range(size // 2), repeat=2):
            weights[:, y, x, :, 2 * y : 2 * y + 3, 2 * x : 2 * x + 3] = kernel
        return weights[..., 1:-1, 1:-1].reshape(outputs * (size // 2) ** 2, -1) / 100

    maps = (
        Map(convolution(3, 1, 8), np.zeros(48), 1.0, "first", (3, 4, 4)),
        Map(convolution(6, 3, 4), np.zeros(24), 1.0, "second", (6, 2, 2)),
        Map(rng.normal(size=(5, 24)) / 100, np.zeros(5), 1.0, "third"),
    )
    squares = [Polynomial(np.array(SQUARE), 1.0, "square", (-1.0, 1.0), 0.0, True, "") for _ in range(2)]
    steps = (maps[0], squares[0], maps[1], squares[1], maps[2])
    ones, task = np.ones(64), Task(None, None, False)
    return Program(InputRange(0 * ones, ones, ones, 0 * ones, 8.0), steps, 1.0, False, task, "test", (1, 8, 8))


def residual_program(rng: np.random.Generator) -> Program:
    """The same, with the first convolution's results beside the second's in the full layer."""
    program = small_program(rng)
    *others, third = program.steps
    assert isinstance(third, Map)
    wide = np.hstack([rng.normal(size=(5, 48)) / 100, third.weights])
    return replace(program, steps=(*others, replace(third, weights=wide, sources=(1, 2))))


@pytest.mark.parametrize("lanes", [1, 2])
@pytest.mark.parametrize("made", [small_program, residual_program])
@pytest.mark.parametrize("is_chained", [False, True])
def test_the_choice_is_the_best_of_all(made: Any, lanes: int, is_chained: bool, rng: np.random.Generator) -> None:
    program = made(rng)
    placer = _placement.Placer(program, Schedule(program.levels), _costs.Costs(12, 3), 512)
    assert placer.least_places == 64

    def seconds(placements: tuple[Placement, ...]) -> float:
        costs, total = _costs.Costs(12, 3), 0.0
        for index, step in enumerate(program.maps):
            after, level = placements[index + 1], program.levels - program.depths[program.steps.index(step)][0]
            for number, weights in program.parts(step):
                before = placements[number]
                turns = _moves.turns(_weights.terms(weights), before, after)
                layout = _layout.of_rows(lanes, (before, after), is_chained=is_chained)
                total += costs.rows(level, turns, layout)
        return total

    best = placer.best(lanes, 512 // lanes, is_chained=is_chained).placements
    assert max(placement.period for placement in best) * lanes <= 512
    for step, after in zip(program.maps, best[1:], strict=True):
        for number, weights in program.parts(step):
            check(weights, best[number], after, lanes, rng)
    grid = _placement.Grid(8, 8)
    shapes = ((1, 8, 8), (3, 4, 4), (6, 2, 2), (5,))
    sizes = (64, 48, 24, 5)
    some = [[_layout.plain(n), *grid.placements(s, 512 // lanes)] for n, s in zip(sizes, shapes, strict=True)]
    assert min(map(len, some[:3])) > 1
    assert seconds(best) <= min(map(seconds, itertools.product(*some))) * (1 + 1e-9)
    plain = seconds(tuple(map(_layout.plain, sizes)))
    assert seconds(best) < plain / 1.5


@pytest.mark.parametrize(
    ("is_chained", "count", "digit_count", "amounts"),
    [
        # Baby steps 1, 2, 3, 5 and 7; giant steps of 8, three times.
        (False, 8, 4, {1, 2, 3, 5, 7, 8}),
        # 7 by 3 and 4, 3 by 1 and 2, 5 by 1 and 4: digits of the input, of 1 and of 3.
        (True, 8, 6, {1, 2, 4, 8}),
    ],
)
def test_rotations_and_their_keys(is_chained: bool, count: int, digit_count: int, amounts: set[int]) -> None:
    layout = _layout.of_rows(1, (_layout.plain(64), _layout.plain(64)), is_chained=is_chained)
    rotations = _costs.Rotations.of((0, 1, 2, 3, 5, 7, 9, 10, 17, 18, 19, 21, 23, 25), layout)
    assert (rotations.count, rotations.digit_count, rotations.amounts) == (count, digit_count, amounts)
    assert _costs.Rotations.of((0,), layout).count == 0
