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
    """Compute a map of slots by rotations, products, merges and folds."""
    x = slots.reshape(-1, layout.slot_count)
    y = np.zeros(x.shape)
    for place, diagonal in _moves.diagonals(_weights.terms(weights), before, after).items():
        y += layout.filled(diagonal, before.lanes) * np.roll(x, -place * before.lanes, 1)
    for merge in _moves.merges(before, after):
        y = y[::2] + np.roll(y[1::2], merge * before.lanes, 1)
    for fold in _moves.folds(before, after):
        y = y + np.roll(y, -fold * before.lanes, 1)
    return y.ravel()


def check(
    weights: Any, first: Placement, last: Placement, lanes: int, rng: np.random.Generator, merged: int = 1
) -> None:
    outputs, inputs = weights.shape
    before, after = replace(first, lanes=lanes), replace(last, lanes=lanes * merged)
    slot_count = 2 * max(before.period * before.lanes, after.period * after.lanes)
    layout = Layout("rows", slot_count, inputs, outputs, (before, after))
    assert (layout.units_in, layout.capacity) == (merged, merged * lanes)
    # Two groups, of which the last lacks a row where it has several.
    lacking = int(layout.capacity > 1)
    count = 2 * layout.capacity - lacking
    x = rng.normal(size=(count, inputs))
    y = moved(layout, weights, layout.slots(x, np.zeros(inputs)), before, after)
    np.testing.assert_allclose(layout.rows(y, count), x @ weights.T, atol=1e-12)
    # Every slot has a result, or 0: nothing else is there that a polynomial could make large.
    whole = np.vstack([x @ weights.T, np.zeros((lacking, outputs))]).reshape(2, layout.capacity, outputs)
    repeats = slot_count // (after.period * after.lanes)
    expected = np.tile(after.spread(whole), (1, 1, repeats)).transpose(0, 2, 1).ravel()
    np.testing.assert_allclose(y, expected, atol=1e-12)
    turns, diagonals = (
        _moves.turns(_weights.terms(weights), before, after),
        _moves.diagonals(_weights.terms(weights), before, after),
    )
    assert list(diagonals) == list(turns.places)
    assert (turns.folds, turns.lanes) == (_moves.folds(before, after), lanes)
    assert (turns.merges, turns.merged) == (_moves.merges(before, after), merged)
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
        check(weights, before, after, 1 + seed % 2, rng, merged=1 << seed % 3)
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
    # Units that were merged have a grid of half the width, in which pixels are as far apart from those above.
    halves = list(grid.placements((6, 4, 4), 4096, 6, 2))
    assert [(placement.period, placement.lanes) for placement in halves] == [(8 * 32, 6), (8 * 32, 6), (4 * 32, 6)]
    assert halves[-1].features[channel // 2 * 32 + (2 * y + channel % 2) * 4 + x] == channel * 16 + y * 4 + x
    assert list(grid.placements((6, 4, 4), 4096, 6, 4)) == []
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


@pytest.mark.parametrize(("lanes", "most_lanes"), [(1, 1), (2, 2), (4, 16)])
@pytest.mark.parametrize("made", [small_program, residual_program])
@pytest.mark.parametrize("is_chained", [False, True])
def test_the_choice_is_the_best_of_all(
    made: Any, lanes: int, most_lanes: int, is_chained: bool, rng: np.random.Generator
) -> None:
    program, slot_count = made(rng), 512
    costs, most = _costs.Costs(12, 3), {"lanes": lanes, "most_lanes": most_lanes}
    placer = _placement.Placer(program, Schedule(program.levels), costs, slot_count, **most)
    room = _placement.room(program, slot_count, **most)
    assert room == ([lanes, 8, 16, 16] if most_lanes == 16 else [lanes] * 4)

    def seconds(placements: tuple[Placement, ...]) -> float:
        total = 0.0
        for index, step in enumerate(program.maps):
            after, level = placements[index + 1], program.levels - program.depths[program.steps.index(step)][0]
            for number, weights in program.parts(step):
                before = placements[number]
                if before.lanes > after.lanes:
                    return np.inf
                turns = _moves.turns(_weights.terms(weights), before, after)
                layout = _layout.of_rows((before, after), is_chained=is_chained)
                total += costs.rows(level, turns, layout, units=most_lanes // before.lanes)
            if index < 2:
                square = program.polynomials[index]
                total += most_lanes // after.lanes * costs.polynomial(level - 1, square)
        return total

    best = placer.best(is_chained=is_chained).placements
    assert max(placement.period * placement.lanes for placement in best) <= slot_count
    for step, after in zip(program.maps, best[1:], strict=True):
        for number, weights in program.parts(step):
            before = best[number]
            check(weights, before, after, before.lanes, rng, after.lanes // before.lanes)
    if most_lanes > lanes and is_chained:
        assert [placement.lanes for placement in best] == [4, 8, 16, 16]
    grid = _placement.Grid(8, 8)
    shapes = ((1, 8, 8), (3, 4, 4), (6, 2, 2), (5,))
    sizes = (64, 48, 24, 5)
    some = [
        [
            placement
            for own in sorted({lanes, each})
            for placement in (
                _layout.plain(n, own),
                *grid.placements(s, slot_count // own, own, own // lanes),
            )
        ]
        for n, s, each in zip(sizes, shapes, room, strict=True)
    ]
    assert min(map(len, some[:3])) > 1
    assert seconds(best) <= min(map(seconds, itertools.product(*some))) * (1 + 1e-9)
    plain = seconds(tuple(_layout.plain(size, lanes) for size in sizes))
    assert seconds(best) < plain / 1.5


def test_copies_of_an_input_share_its_diagonals(rng: np.random.Generator) -> None:
    wide = Map(rng.uniform(-1, 1, (32, 64)) / 64, np.zeros(32), 1.0, "")
    program = replace(small_program(rng), steps=(wide,), shape=())
    costs = _costs.Costs(12, 3)
    for slot_count, copies in ((64, 1), (128, 2), (1024, 16)):
        placer = _placement.Placer(program, Schedule(program.levels), costs, slot_count)
        before, after = placer.best(is_chained=True).placements
        assert before.period == 64 * copies
        found = _moves.turns(_weights.terms(wide.weights), before, after)
        assert len(found.places) == 32 // copies
        check(wide.weights, before, after, 1, rng, 1)


@pytest.mark.parametrize(
    ("is_chained", "count", "digit_count", "amounts"),
    [
        # Baby steps 1, 2, 3, 5, 7, 9 and 10; one giant step of 16.
        (False, 8, 2, {1, 2, 3, 5, 7, 9, 10, 16}),
        # 7 by 3 and 4, 3, 5 and 9 by 1 and 2, 4 and 8, 10 by 2 and 8: digits of the input, of 1, 2 and 3.
        (True, 8, 5, {1, 2, 4, 8, 16}),
    ],
)
def test_rotations_and_their_keys(is_chained: bool, count: int, digit_count: int, amounts: set[int]) -> None:
    layout = _layout.of_rows((_layout.plain(64), _layout.plain(64)), is_chained=is_chained)
    rotations = _costs.Rotations.of(_moves.Turns((0, 1, 2, 3, 5, 7, 9, 10, 17, 18, 19, 21, 23, 25), ()), layout)
    assert (rotations.count, rotations.digit_count, rotations.amounts) == (count, digit_count, amounts)
    one = _moves.Turns((0,), (1, 2), merges=(1, 2))
    assert _costs.Rotations.of(one, layout).count == 0
    # Of eight units, six are rotated into two, which are folded twice each.
    assert _costs.Rotations.after(one, 8) == 6 + 2 * 2
