"""Compiled models, and their compilation."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike

from .._common import checks
from .._common.progress import reporting
from .._common.sizes import format_bytes
from .._common.storable import PathLike
from ..ckks import Ciphertext, Engine, Plaintext
from ..cluster.pool import Pool
from ..errors import EngineMismatchError
from . import _files, _notes
from ._groups import Groups
from ._layout import Layout
from ._machine import factor
from ._plan import Plan, plan_of
from ._program import Polynomial, Program
from ._ranges import rows
from ._run import Runner
from ._weights import Array
from .client import Client, Facts
from .rows import EncryptedRows, expected, require_model
from .server import Server

__all__ = ["Model", "RangeReport"]


@dataclass(frozen=True)
class RangeReport:
    """How near rows come to the edges of what a model was compiled for: 1 is the edge, and 0 the middle.

    Attributes
    ----------
    features : float
        Of the features' intervals, the largest share that a value takes.
    distance : float
        Of the largest distance from the examples' mean.
    activations : tuple of (str, float)
        Of each polynomial's interval, the largest share that an argument takes, with the polynomial's place.
    """

    features: float
    distance: float
    activations: tuple[tuple[str, float], ...]

    @property
    def is_inside(self) -> bool:
        """Whether nothing is beyond its edge."""
        return max(self.features, self.distance, *(share for _, share in self.activations)) <= 1 + 1e-9


@dataclass(frozen=True)
class Fidelity:
    """How far a program is from its model on the examples: `everlevel.ml.compile` measures it."""

    error: float
    agreeing: int
    example_count: int


@final
class Model:
    """A trained model that runs on encrypted rows: made by `everlevel.ml.compile`. It has weights, and no key.

    ``print(model)`` shows its plan: layers with their levels, rotations, products, estimated seconds, and sizes.

    Attributes
    ----------
    engine : Engine
        With the parameters that the plan chose. It remembers no keys: each call forgets them.
    hash : str
        Of the program, its layout, the engine's parameters and the format: clients, servers and rows have that of the
        model that they are for.
    """

    def __init__(
        self, engine: Engine, program: Program, layout: Layout, *, plan: Plan | None = None, fidelity: Fidelity
    ) -> None:
        self.engine = engine
        self._program = program
        self._plan = plan_of(program, layout, engine) if plan is None else plan
        self._runner = Runner(engine, program, layout)
        self._fidelity = fidelity
        self.hash = hash_of(engine, _notes.of_program(program), _notes.of_layout(layout))

    @property
    def feature_count(self) -> int:
        """Features of a row."""
        return self._program.feature_count

    @property
    def layout(self) -> str:
        """``"rows"``, where a ciphertext's unit has whole rows, or ``"features"``, where it has one of many rows."""
        return self._plan.layout.kind

    @property
    def group_rows(self) -> int:
        """Rows that are computed together."""
        return self._plan.layout.capacity

    @property
    def key_nbytes(self) -> int:
        """Bytes that the evaluation keys take in memory."""
        return self._plan.key_nbytes

    @property
    def estimated_seconds(self) -> float:
        """Estimate of the seconds that a group of rows takes, on one core of this machine.

        A small model is timed once in each process, for each of two sizes of rings: it takes up to two seconds.
        """
        return self._plan.seconds * factor(self._plan.log_n)

    def keys(self, *, progress: bool | None = None) -> tuple[Client, Server]:
        """Draw a new secret, and make the evaluation keys that the plan takes.

        Parameters
        ----------
        progress : bool, optional
            Whether bars are shown; in terminals and notebooks, if left out.

        Returns
        -------
        client : Client
            With the secret key: it stays where the data are.
        server : Server
            With the evaluation keys, which may be given away.
        """
        engine, needed = self.engine, self._plan.keys
        secret_key = engine.create_secret_key()
        layout = self._plan.layout
        client = Client(engine, secret_key, Facts.of(self._program, layout.ends), self.hash)
        return client, Server(engine, needed.made(engine, secret_key, progress), self.hash)

    def __call__(
        self, x: EncryptedRows, server: Server, *, progress: bool | None = None, pool: Pool | None = None
    ) -> EncryptedRows:
        """Compute the encrypted scores of encrypted rows.

        Parameters
        ----------
        x : EncryptedRows
            What the client encrypted.
        server : Server
            With keys of the same client.
        progress : bool, optional
            Whether a bar is shown; in terminals and notebooks, if left out. That of a pool is the pool's.
        pool : everlevel.cluster.Pool, optional
            Workers that compute a group of rows each, with the keys of the server's file:
            ``cluster.connect(keys="server.evl", engine=model.engine)``. Each has encoded weights of its own.

        Returns
        -------
        EncryptedRows
            The scores, at level 0.

        Raises
        ------
        KeyMismatchError
            If rows or keys are of another model, or of two clients.
        ClusterError, EngineMismatchError
            If the pool lost its workers, or has another model's engine.
        MessageTypeError, OperandTypeError
            If they are something else.
        """
        operation = "model"
        layout = self._plan.layout
        given = expected(operation, x, "input", self.hash, layout)
        keys = checks.instance(operation, "server", server, Server)
        require_model(operation, "the server's keys", keys.model_hash, self.hash)
        if pool is not None:
            scores = self._on_workers(operation, given.ciphertext, checks.instance(operation, "pool", pool, Pool))
            return EncryptedRows(self.engine, scores, len(given), "scores", self.hash)
        total, done = layout.groups(len(given)) * self._runner.step_count, 0
        with reporting(operation, progress) as report:

            def step(count: int) -> None:
                nonlocal done
                done += count
                if report is not None:
                    report(done, total)

            try:
                scores = self._runner(given.ciphertext, keys.evaluation_key, step)
            finally:
                # Engines remember keys that they are given, and a server has many clients.
                self.engine.forget_keys()
        return EncryptedRows(self.engine, scores, len(given), "scores", self.hash)

    def _on_workers(self, operation: str, x: Ciphertext, pool: Pool) -> Ciphertext:
        if not pool._bound.owns(x):
            raise EngineMismatchError(
                f"{operation}: the pool's engine is {pool.engine!r} and the model's is {self.engine!r}; connect with "
                f"engine=model.engine",
                argument="pool",
            )
        layout, units = self._plan.layout, x.units()
        size = layout.units_in
        groups = [self.engine.vstack(units[start : start + size]) for start in range(0, len(units), size)]
        return self.engine.vstack(list(pool.map(Groups(self.hash, self._program, layout), groups)))

    def simulate(self, x: ArrayLike) -> Array:
        """Compute the same polynomials and sums in the clear, without noise: what `Client.decrypt` gives but for noise.

        Parameters
        ----------
        x : array_like of real numbers, shape (rows, features)

        Returns
        -------
        ndarray of float64, shape (rows,) or (rows, outputs)

        Raises
        ------
        RangeError, MessageError, MessageTypeError
            As in `Client.encrypt`.
        """
        operation = "simulate"
        array = rows(operation, "x", x, self.feature_count)
        scores = self._program.scores(self._program.input.scaled(operation, array))
        return self._program.task.shaped(scores)

    def check(self, x: ArrayLike) -> RangeReport:
        """Say how near rows come to the edges of what the model was compiled for. It refuses none that are beyond.

        Parameters
        ----------
        x : array_like of real numbers, shape (rows, features)

        Raises
        ------
        MessageError, MessageTypeError
            If the shape is another one, or values aren't finite real numbers.
        """
        array = rows("check", "x", x, self.feature_count)
        region = self._program.input
        features, distance = region.shares(array)
        activations: list[tuple[str, float]] = []
        with np.errstate(over="ignore", invalid="ignore"):
            for step, argument, _ in self._program.values((array - region.center) / region.half):
                if isinstance(step, Polynomial):
                    share = float(np.abs(argument).max())
                    activations.append((f"{step.place}, {step.name}", share if math.isfinite(share) else math.inf))
        return RangeReport(features, distance, tuple(activations))

    def save(self, path: PathLike) -> None:
        """Write weights, ranges and layout to a file, which `everlevel.ml.load` reads. It has no key.

        Raises
        ------
        StorageError
            If the file can't be written; nothing is changed then.
        ModelError
            If the weights are too many for a file.
        """
        fidelity = self._fidelity
        notes = {
            "hash": self.hash,
            "program": _notes.of_program(self._program),
            "layout": _notes.of_layout(self._plan.layout),
            "fidelity": [fidelity.error, fidelity.agreeing, fidelity.example_count],
        }
        _files.write(self.engine, _files.stamp(self.engine, self.hash)._native, path, "model", notes)

    def __repr__(self) -> str:
        program = self._program
        return (
            f"Model({program.name}, {program.feature_count} → {program.output_count}, levels 0..{program.levels}, "
            f"N 2^{self._plan.log_n}, keys {format_bytes(self.key_nbytes)}, {self.hash:.8})"
        )

    def __str__(self) -> str:
        program, fidelity = self._program, self._fidelity
        lines = [f"{program.name}: {program.feature_count} features → {program.output_count} scores", str(self.engine)]
        lines.append(self._plan.text(factor(self._plan.log_n)))
        for step in program.polynomials:
            kind = "proven for every row in range" if step.is_proven else "calibrated on the examples, NOT PROVEN"
            low, high = step.interval
            lines.append(
                f"{step.name} on [{low:.3g}, {high:.3g}], {kind}; the polynomial of degree {step.degree} is within "
                f"{step.max_error:.2g}"
            )
        agreeing = f"{fidelity.agreeing} of {fidelity.example_count} predictions as the model's, " * (
            program.task.classes is not None
        )
        lines.append(f"on the examples: {agreeing}largest error of a score {fidelity.error:.2g} of their spread")
        return "\n".join(lines)


def hash_of(engine: Engine, program: _files.Notes, layout: _files.Notes) -> str:
    """Return the hash of a model: of its format, parameters, program and layout."""
    return _files.digest(
        f"everlevel.ml/{_files.FORMAT}", engine._context.params, _files.text(program), _files.text(layout)
    )


def read(engine: Engine, found: Any, notes: _files.Notes) -> Model:
    """Make the model of a file."""

    def fields(notes: _files.Notes) -> tuple[Program, Layout, Fidelity, str]:
        error, agreeing, count = notes["fidelity"]
        fidelity = Fidelity(float(error), int(agreeing), int(count))
        program, layout = _notes.to_program(notes["program"]), _notes.to_layout(notes["layout"])
        if (layout.feature_count, layout.output_count) != (program.feature_count, program.output_count):
            raise ValueError("a layout")
        levels = [layout.schedule.level, *(level for _, level in layout.schedule.bootstraps)]
        can_bootstrap = engine._context.can_bootstrap or len(levels) == 1
        if max(levels) > engine.max_level or layout.slot_count != engine.slot_count or not can_bootstrap:
            raise ValueError("parameters")
        layout.schedule.levels(program)
        if layout.kind == "rows":
            sizes = [program.feature_count, *(len(step.bias) for step in program.maps)]
            if [placement.count for placement in layout.placements] != sizes or len(layout.kinds) != len(sizes) - 1:
                raise ValueError("placements")
            lanes = [placement.lanes for placement in layout.placements]
            for index, step in enumerate(program.maps):
                if any(lanes[number] > lanes[1 + index] for number in program.numbers(step)):
                    raise ValueError("lanes")
        return program, layout, fidelity, str(notes["hash"])

    if not isinstance(found, Plaintext):
        raise _files.malformed(type(found).__name__)
    program, layout, fidelity, written = _files.understood(notes, fields)
    model_hash = hash_of(engine, notes["program"], notes["layout"])
    _files.require_hash("the model", written, model_hash)
    _files.check_stamp(engine, found, model_hash)
    return Model(engine, program, layout, fidelity=fidelity)
