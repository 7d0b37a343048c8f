"""Plans: which layout a program has, on which engine, with which keys, and what it takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Final

import numpy as np

from .._common import checks
from .._common.sizes import format_bytes
from ..ckks import Engine, EvaluationKey, SecretKey
from ..ckks._options import default_stage_count
from ..errors import OutOfMemoryError, ParameterError
from ._costs import MACHINE, Costs, Rotations
from ._layout import KINDS, MOST_UNITS, Layout, of_features, power
from ._moves import Turns
from ._placement import Placer, Routes, room
from ._program import MOST_GRID_INPUTS, Map, Polynomial, Program
from ._schedule import Schedule, bootstrapped, held_before
from ._weights import values_of

_MOST_LEVELS: Final = 77
"""Levels of the largest ring."""
_MOST_PACKED: Final = 8 * 10**9
"""Bytes of weights from which some are held in a smaller form, where no limit of memory is named."""
_LIMB_BYTES: Final = 8
# Of a diagonal of real entries, which is held by half.
_PACKED_BYTES: Final = 3
_LIGHT_BYTES: Final = 4
"""Bytes of a limb's coefficient in a ciphertext or a plaintext, and in an encoded matrix."""


@dataclass(frozen=True)
class Keys:
    """The evaluation keys that a program takes.

    Attributes
    ----------
    relinearization, conjugation : int or None
        Highest levels of products of ciphertexts and of conjugations; None for none.
    rotations : tuple of (int, int)
        Amounts of rotations, with the sign of ``numpy.roll``, and the highest level of each: there are no others.
    bootstraps : bool
        Whether there are the keys of bootstraps.
    """

    relinearization: int | None
    conjugation: int | None
    rotations: tuple[tuple[int, int], ...]
    bootstraps: bool

    def nbytes(self, engine: Engine) -> int:
        """Bytes that they take in memory."""
        held = 0
        if self.relinearization is not None:
            held += engine.estimate_memory("create_relinearization_key", level=self.relinearization).held
        if self.conjugation is not None:
            held += engine.estimate_memory("create_conjugation_key", level=self.conjugation).held
        if self.bootstraps:
            held += engine.estimate_memory("create_bootstrap_key").held
        return held + sum(
            engine.estimate_memory("create_fixed_rotation_key", level=level).held for _, level in self.rotations
        )

    def made(self, engine: Engine, secret_key: SecretKey, progress: bool | None) -> EvaluationKey | None:
        """Make them; None, if there are none. The engine forgets them."""
        made: list[Any] = []
        if self.relinearization is not None:
            made.append(engine.create_relinearization_key(secret_key, self.relinearization, progress=progress))
        if self.conjugation is not None:
            made.append(engine.create_conjugation_key(secret_key, self.conjugation, progress=progress))
        if self.bootstraps:
            made.append(engine.create_bootstrap_key(secret_key, progress=progress))
        made += [engine.create_fixed_rotation_key(secret_key, delta, level) for delta, level in self.rotations]
        engine.forget_keys()
        return EvaluationKey(made) if made else None


@dataclass(frozen=True)
class Stage:
    """A step's part in a plan.

    Attributes
    ----------
    name : str
    level_in, level_out : int
    units : int
        Units of a group that it is computed on.
    rotations, products : int
        Key switches of rotations, and products with plaintexts, numbers or ciphertexts.
    seconds : float
        Estimated, for one group of rows.
    nbytes : int
        Of encoded weights.
    """

    name: str
    level_in: int
    level_out: int
    units: int
    rotations: int
    products: int
    seconds: float
    nbytes: int


@dataclass(frozen=True)
class Plan:
    """A layout with what it takes.

    Attributes
    ----------
    layout : Layout
    log_n : int
    max_level : int
        Level that inputs are encrypted at; results are at level 0.
    stages : tuple of Stage
    keys : Keys
    key_nbytes, weight_nbytes, input_nbytes : int
        Of the evaluation keys, of encoded weights, and of the input of one group of rows.
    """

    layout: Layout
    log_n: int
    max_level: int
    stages: tuple[Stage, ...]
    keys: Keys
    key_nbytes: int
    weight_nbytes: int
    input_nbytes: int

    @property
    def seconds(self) -> float:
        """Estimated seconds of one group of rows, on one core of the machine that the estimates were made on."""
        return sum(stage.seconds for stage in self.stages)

    @property
    def nbytes(self) -> int:
        """Bytes of keys, weights and one group of rows."""
        return self.key_nbytes + self.weight_nbytes + self.input_nbytes

    def seconds_of(self, row_count: int) -> float:
        """Estimated seconds of so many rows."""
        return self.layout.groups(row_count) * self.seconds

    def table(self, factor: float) -> str:
        """Return the stages as a table, with their seconds on a machine on which steps take so many times as long."""
        titles = ("step", "levels", "units", "rotations", "products", "seconds, estimated", "weights")
        lines: list[Sequence[str]] = [titles]
        for stage in self.stages:
            levels = f"{stage.level_in} → {stage.level_out}"
            size = format_bytes(stage.nbytes) if stage.nbytes else "–"
            counts = (str(stage.rotations), str(stage.products))
            lines.append((stage.name, levels, str(stage.units), *counts, f"{stage.seconds * factor:.2g}", size))
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        rows = ("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) for line in lines)
        return "\n".join(row.rstrip() for row in rows)

    def text(self, factor: float) -> str:
        """Return the plan with its seconds here, where steps take so many times as long as estimated."""
        layout = self.layout
        what = f"{layout.lanes} of {layout.slot_count} slots" if layout.kind == "rows" else f"{layout.slot_count}"
        what += ", in both parts of each" * (layout.parts == 2)
        if layout.kind == "rows" and layout.units_in > 1:
            what += f"; of {layout.units_in} units, which are merged on the way"
        text = f"{self.table(factor)}\n"
        text += f"layout: {layout.kind}; rows in a group: {layout.capacity} ({what})\n"
        text += f"evaluation keys {format_bytes(self.key_nbytes)}, weights {format_bytes(self.weight_nbytes)}, "
        text += f"input of a group {format_bytes(self.input_nbytes)}\n"
        text += f"estimated: {self.seconds * factor:.2g} s for a group, on one core of this machine"
        return f"{text}; {self.seconds:.2g} s on {MACHINE}"


@dataclass(frozen=True)
class Setting:
    """Wishes of a plan: options of `everlevel.ml.compile`."""

    batch: int
    layout: str | None
    memory: int | None
    insecure_log_n: int | None
    thread_count: int | None
    bootstrap: bool | None

    def full(self, program: Program) -> Engine:
        """Return an engine with all slots, for a program's levels, or for bootstraps where no ring has as many."""
        if self.bootstrap:
            return self.engine(None, None, deep=True)
        try:
            return self.engine(program.levels, None, deep=False)
        except ParameterError:
            if self.bootstrap is None and program.levels > _MOST_LEVELS:
                return self.engine(None, None, deep=True)
            raise

    def engine(self, max_level: int | None, slot_count: int | None, *, deep: bool) -> Engine:
        """Return an engine for so many levels and slots, or for bootstraps."""
        return Engine(
            max_level=None if deep else max_level,
            use_bootstrap=deep,
            slot_count=slot_count,
            thread_count=self.thread_count,
            insecure_log_n=self.insecure_log_n,
        )


def made(program: Program, setting: Setting) -> tuple[Plan, Engine]:
    """Return the plan that takes the least time for a batch, and its engine.

    Raises
    ------
    OutOfMemoryError
        If no plan fits in the memory that was asked for.
    ParameterError
        If there is no ring for so many levels or slots.
    """
    full = setting.full(program)
    plans: list[tuple[Plan, Engine]] = []
    routes = Routes(program)
    for layout in _layouts(program, setting, full, routes):
        is_whole = layout.slot_count == full.slot_count
        engine = full if is_whole else setting.engine(full.max_level, layout.slot_count, deep=_is_deep(full))
        plans.append((_within(program, layout, engine, setting.memory, routes), engine))
    fitting = [one for one in plans if setting.memory is None or one[0].nbytes <= setting.memory]
    if not fitting:
        least = min((plan for plan, _ in plans), key=lambda plan: plan.nbytes)
        raise OutOfMemoryError(
            f"compile: the smallest plan, of layout {least.layout.kind!r}, takes {format_bytes(least.nbytes)} for "
            f"keys, weights and inputs, and memory is {format_bytes(setting.memory or 0)}; allow as much, or take a "
            f"smaller model or a larger max_error",
            needed=least.nbytes,
            available=setting.memory,
            limit="memory",
        )
    # Of two sets of keys for the same rows, half the memory is worth twice the time.
    best: dict[tuple[str, int, int], tuple[Plan, Engine]] = {}
    for one in sorted(fitting, key=lambda one: one[0].seconds_of(setting.batch) * one[0].nbytes):
        best.setdefault((one[0].layout.kind, one[0].layout.lanes, one[0].layout.parts), one)
    return min(best.values(), key=lambda one: one[0].seconds_of(setting.batch))


def _within(program: Program, layout: Layout, engine: Engine, memory: int | None, routes: Routes) -> Plan:
    """Return a layout's plan within a limit of memory, if there is one; else the one of the least memory.

    Diagonals of a map are held packed, light, or are made anew: the change that costs the least time for its memory
    comes first, until the plan fits.
    """
    plan = plan_of(program, layout, engine, routes)
    if layout.kind != "rows":
        return plan
    room = _MOST_PACKED if memory is None else memory - plan.key_nbytes - plan.input_nbytes
    held = plan.weight_nbytes
    if held <= room:
        return plan
    maps = [at for at, step in enumerate(program.steps) if isinstance(step, Map)]
    schedule = layout.schedule
    costs = Costs(engine.log_n, schedule.product_level(program, engine.max_level))
    levels = schedule.levels(program)
    forms = []
    for index, at in enumerate(maps):
        needed = _turns(program, index, layout, routes)
        forms.append([_rows_stage(program, index, needed, layout, levels[at][0], costs, kind) for kind in KINDS])
    moves = []
    for index, stages in enumerate(forms):
        for before, after in pairwise(stages):
            saved = before.nbytes - after.nbytes
            if saved > 0:
                moves.append(((after.seconds - before.seconds) / saved, index, saved))
    kinds = [0] * len(maps)
    # Of one map, the light form comes first: it takes less time for more memory.
    for _, index, saved in sorted(moves):
        if held <= room or (memory is None and kinds[index]):
            continue
        kinds[index] += 1
        held -= saved
    return plan_of(program, replace(layout, kinds=tuple(KINDS[kind] for kind in kinds)), engine, routes)


def _turns(program: Program, index: int, layout: Layout, routes: Routes) -> list[Turns]:
    """Return the rotations of each part of a map."""
    after = layout.placements[1 + index]
    numbers = program.numbers(program.maps[index])
    return [routes.turns(index, part, layout.placements[number], after) for part, number in enumerate(numbers)]


def _is_deep(engine: Engine) -> bool:
    return bool(engine._context.can_bootstrap)


def _layouts(program: Program, setting: Setting, full: Engine, routes: Routes) -> list[Layout]:
    """Return the layouts that there are: rows of one in a unit up to several, and features."""
    layouts, most_slots = [], full.slot_count
    if setting.layout in (None, "rows"):
        # In a ring of the same size, several rows take the time of one.
        widest = max(power(size) for size in (program.feature_count, *(len(step.bias) for step in program.maps)))
        lanes, most = 1, max(most_slots // widest, 1)
        while lanes <= min(power(setting.batch), most):
            # Both parts of slots have rows where there are more than lanes.
            for parts in (1, 2) if lanes < setting.batch else (1,):
                placer = _placer(program, setting, full, routes, lanes, parts)
                layouts += [placer.best(is_chained=is_chained) for is_chained in (False, True)]
            lanes *= 2
    most = max(step.weights.shape[1] for step in program.maps)
    if setting.layout == "features" and most > MOST_GRID_INPUTS:
        raise ParameterError(
            f"compile: layout is 'features' and a layer has {most} inputs, and up to {MOST_GRID_INPUTS} leave the "
            f"rounding of weights below the intervals' margin; take layout='rows'",
            option="layout",
            value=most,
            allowed=MOST_GRID_INPUTS,
        )
    if _is_deep(full):
        if setting.layout == "features":
            raise ParameterError(
                f"compile: layout is 'features' and the network takes bootstraps, which rows have; take layout='rows', "
                f"or, for its {program.levels} levels, bootstrap=False",
                option="layout",
                value="features",
                allowed="rows",
            )
        return layouts
    if setting.layout == "features" or (setting.layout is None and setting.batch > 1 and most <= MOST_GRID_INPUTS):
        layouts.append(of_features(program, most_slots))
    return layouts


def _placer(program: Program, setting: Setting, full: Engine, routes: Routes, lanes: int, parts: int) -> Placer:
    """Return what finds the placements of so many lanes and parts, for a schedule of the least time."""
    stage_count, schedule = default_stage_count(full._context), Schedule(program.levels)
    product_level = full.max_level if _is_deep(full) else schedule.product_level(program, full.max_level)
    costs = Costs(full.log_n, product_level)
    most_lanes = min(power(-(-setting.batch // parts)), lanes * MOST_UNITS)
    if _is_deep(full):
        whole = costs.bootstrap(0, full.max_level - stage_count, stage_count)
        most = room(program, full.slot_count, lanes, most_lanes)
        units = [most[-1] // own for own in most]

        def share(at: int, level: int) -> float:
            step = program.steps[at]
            number = sum(isinstance(other, Map) for other in program.steps[:at])
            return units[number] * costs.sketch(level, step, parts) / whole

        schedule = bootstrapped(program, full.max_level, stage_count, share, units.__getitem__, parts)
    wishes = {"lanes": lanes, "most_lanes": most_lanes, "parts": parts, "stage_count": stage_count}
    return Placer(program, schedule, costs, full.slot_count, routes, **wishes)


def plan_of(program: Program, layout: Layout, engine: Engine, routes: Routes | None = None) -> Plan:
    """Return what a program takes in a layout, whose rotations may be known."""
    known = Routes(program) if routes is None else routes
    schedule, degree = layout.schedule, 2**engine.log_n
    product_level = schedule.product_level(program, engine.max_level)
    costs = Costs(engine.log_n, product_level)
    bootstraps, held = dict(schedule.bootstraps), held_before(program)
    stages = []
    rotations: dict[int, int] = {}
    is_of_rows, units, map_count = layout.kind == "rows", layout.units_in, 0
    arriving = schedule.level
    for index, (step, (level, level_out)) in enumerate(zip(program.steps, schedule.levels(program), strict=True)):
        if index in bootstraps:
            count, to = layout.units(held[index] or 0), bootstraps[index]
            seconds = count * costs.bootstrap(arriving, to, default_stage_count(engine._context), layout.parts)
            stages.append(Stage("bootstrap", arriving, to, count, 0, 0, seconds, 0))
        arriving = level_out
        if isinstance(step, Polynomial):
            seconds = units * costs.polynomial(level, step, layout.parts)
            products = units * layout.parts * step.product_count
            name, turns = f"{step.name}, degree {step.degree}", 0
            if layout.parts == 2:
                name, turns = f"{name}, of both parts", units
            stages.append(Stage(name, level, level_out, units, turns, products, seconds, 0))
        elif is_of_rows:
            needed = _turns(program, map_count, layout, known)
            for each in needed:
                after = [each.lanes * fold for fold in each.folds]
                after += [layout.slot_count - each.lanes * merge for merge in each.merges]
                for amounts, at in ((Rotations.of(each, layout).amounts, level), (after, level - 1)):
                    rotations |= {amount: max(rotations.get(amount, 0), at) for amount in amounts}
            stages.append(_rows_stage(program, map_count, needed, layout, level, costs, layout.kinds[map_count]))
            map_count += 1
            units = layout.units(map_count)
        else:
            stages.append(_features_stage(step, level, units, costs))
            units = len(step.bias)
    amounts_left = sorted((-left, highest) for left, highest in rotations.items())
    conjugations = product_level if bootstraps or layout.parts == 2 else None
    keys = Keys(product_level, conjugations, tuple(amounts_left), bool(bootstraps))
    limbs = 2 * (schedule.level + 1) * layout.units_in
    weights = sum(stage.nbytes for stage in stages)
    inputs = limbs * degree * _LIMB_BYTES
    return Plan(layout, engine.log_n, schedule.level, tuple(stages), keys, keys.nbytes(engine), weights, inputs)


def _rows_stage(
    program: Program, index: int, parts: list[Turns], layout: Layout, level: int, costs: Costs, kind: str
) -> Stage:
    step = program.maps[index]
    rotations = products = 0
    nbytes, seconds = level * _LIMB_BYTES << costs.log_n, 0.0  # the bias
    for number, needed in zip(program.numbers(step), parts, strict=True):
        own, units = Rotations.of(needed, layout), layout.units(number)
        rotations += units * own.count + Rotations.after(needed, units)
        products += units * len(needed.places)
        of_kind = {"packed": (level + 1) * _PACKED_BYTES, "light": _LIGHT_BYTES}
        each = (level + 1) * _LIMB_BYTES if needed.is_slotwise else of_kind.get(kind, 0)
        nbytes += len(needed.places) * each << costs.log_n
        seconds += costs.rows(level, needed, layout, kind, units)
    name = f"{_name(step)}, {kind}" if kind != "packed" else _name(step)
    units = layout.units(program.numbers(step)[-1])
    return Stage(name, level, level - 1, units, rotations, products, seconds, nbytes)


def _features_stage(step: Map, level: int, units: int, costs: Costs) -> Stage:
    count = int(np.count_nonzero(values_of(step.weights)))
    seconds = costs.features(level, count, len(step.bias))
    return Stage(_name(step), level, level - 1, units, 0, count + len(step.bias), seconds, 0)


def _name(step: Map) -> str:
    outputs, inputs = step.weights.shape
    return f"{inputs} → {outputs}"


def setting(
    operation: str, batch: Any, layout: Any, memory: Any, insecure_log_n: Any, thread_count: Any, bootstrap: Any
) -> Setting:
    """Check a plan's options; those of engines are checked by these."""
    rows = checks.integer(operation, "batch", batch)
    if rows < 1:
        raise checks.refusal(
            operation, "batch", rows, "at least 1 row is computed at once; leave it out for one", (1, None)
        )
    room = None if memory is None else checks.integer(operation, "memory", memory)
    if room is not None and room < 1:
        raise ParameterError(
            f"{operation}: memory is {room} bytes, and at least 1 is needed; leave it out for no limit",
            option="memory",
            value=room,
            allowed=(1, None),
        )
    if layout is not None:
        checks.one_of(operation, "layout", layout, ("rows", "features"), "leave it out for the faster one")
    if bootstrap is not None:
        bootstrap = checks.flag(operation, "bootstrap", bootstrap)
    return Setting(rows, layout, room, insecure_log_n, thread_count, bootstrap)
