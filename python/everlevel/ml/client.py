"""The side that owns the data: the secret key, ranges and layout, and no weights."""

from __future__ import annotations

from typing import Any, Final, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._common.storable import PathLike
from ..ckks import Engine, SecretKey
from ..errors import ModelError, RangeError
from . import _files, _notes
from ._layout import Layout
from ._network import Task
from ._program import Program
from ._ranges import InputRange, rows
from ._weights import Array
from .rows import EncryptedRows, expected

__all__ = ["Client"]

_NOISE: Final = 2.0**-6
"""Results are within their bound but for noise, which is far less than this."""


@final
class Client:
    """Encrypts rows for one model, and decrypts its scores: made by `Model.keys`.

    **It holds the secret key.** It has no weights: of the model it knows the ranges of inputs, the layout, the scale of
    scores and the labels.

    Attributes
    ----------
    model_hash : str
        Of the model.
    """

    __slots__ = ("_engine", "_facts", "_secret_key", "model_hash")

    def __init__(self, engine: Engine, secret_key: SecretKey, facts: Facts, model_hash: str) -> None:
        self._engine = engine
        self._secret_key = secret_key
        self._facts = facts
        self.model_hash = model_hash

    @property
    def input_range(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Least and largest value of each feature that `encrypt` takes."""
        return self._facts.input.low, self._facts.input.high

    def encrypt(self, x: ArrayLike) -> EncryptedRows:
        """Encrypt rows of features, as the trained model takes them.

        Parameters
        ----------
        x : array_like of real numbers, shape (rows, features)

        Returns
        -------
        EncryptedRows
            At the level that the model's plan begins at.

        Raises
        ------
        RangeError
            If a row is out of the range that the model was compiled for. It says which feature of which row, its value,
            and the end of the range.
        MessageError, MessageTypeError
            If the shape is another one, or values aren't finite real numbers.
        """
        operation = "encrypt"
        facts = self._facts
        array = rows(operation, "x", x, facts.layout.feature_count)
        scaled = facts.input.scaled(operation, array)
        slots = facts.layout.slots(scaled, facts.input.mean)
        level, bound = facts.layout.schedule.level, float(np.sqrt(facts.layout.parts))
        ciphertext = self._engine.encrypt(slots, self._secret_key, level=level, bound=bound)
        return EncryptedRows(self._engine, ciphertext, len(array), "input", self.model_hash)

    def decrypt(self, scores: EncryptedRows) -> Array:
        """Decrypt scores, as the trained model's ``decision_function`` has them, or the values of a regression.

        Scores carry the ciphertext's noise, and tell about the model: keep them where the secret key is (SECURITY.md).

        Returns
        -------
        ndarray of float64, shape (rows,) or (rows, outputs)
            Of a model that was compiled with ``output="probabilities"``, probabilities of the second class.

        Raises
        ------
        RangeError
            If a result exceeds its bound by more than noise: a value on the way left the interval that its polynomial
            was fitted on, and the scores are wrong.
        KeyMismatchError
            If the scores are of another model, or of another secret key.
        """
        return self._facts.task.shaped(self._scores("decrypt", scores))

    def predict(self, scores: EncryptedRows) -> NDArray[Any]:
        """Decrypt scores, and return labels as the trained model's ``predict`` does, or the values of a regression.

        Errors are those of `decrypt`.
        """
        facts = self._facts
        found = self._scores("predict", scores)
        return facts.task.labels(found, 0.5 if facts.gives_probabilities else 0.0)

    def predict_proba(self, scores: EncryptedRows) -> Array:
        """Decrypt scores, and compute the probabilities of classes of them, in the clear.

        Returns
        -------
        ndarray of float64, shape (rows, classes)

        Raises
        ------
        ModelError
            If the model gives none: a regression, or a support vector machine.
        """
        operation, facts = "predict_proba", self._facts
        if facts.task.link in (None, "identity", "one-versus-one"):
            raise ModelError(
                f"{operation}: the model is a {facts.name}, which gives no probabilities; use client.decrypt or "
                f"client.predict",
                place=facts.name,
                found=facts.task.link,
            )
        found = self._scores(operation, scores)
        if facts.gives_probabilities:
            return np.hstack([1 - found, found])
        return facts.task.probabilities(found)

    def _scores(self, operation: str, scores: Any) -> Array:
        facts = self._facts
        given = expected(operation, scores, "scores", self.model_hash, facts.layout)
        values = self._engine.decrypt(given.ciphertext, self._secret_key)
        results = facts.layout.rows(np.asarray(values, dtype=np.complex128), len(given))
        largest = float(np.abs(results).max())
        if not largest <= facts.bound + _NOISE:
            row = int(np.abs(results).max(1).argmax())
            raise RangeError(
                f"{operation}: the result of row {row} has size {largest:.6g}, and its bound is {facts.bound:.6g}: a "
                f"value on the way left the interval of its polynomial, and the scores are wrong; compile with "
                f"ranges='proven', or with examples like this row",
                bound=facts.bound,
                size=largest,
                index=row,
            )
        return results * facts.scale

    def save(self, path: PathLike) -> None:
        """Write the secret key, ranges and layout to a file that only its owner may read.

        **Whoever has the file decrypts everything.** `everlevel.ml.load` reads it.

        Raises
        ------
        StorageError
            If the file can't be written; nothing is changed then.
        """
        notes = {"hash": self.model_hash, "facts": self._facts.notes()}
        _files.write(self._engine, self._secret_key._native, path, "client", notes)

    def __repr__(self) -> str:
        facts = self._facts
        return f"Client({facts.name}, model {self.model_hash:.8}, {facts.layout.feature_count} features)"


@final
class Facts:
    """A model as a client knows it."""

    __slots__ = ("bound", "gives_probabilities", "input", "layout", "name", "scale", "task")

    def __init__(
        self,
        region: InputRange,
        layout: Layout,
        task: Task,
        results: tuple[float, float],
        name: str,
        *,
        gives_probabilities: bool,
    ) -> None:
        self.input = region
        self.layout = layout
        self.task = task
        self.scale, self.bound = results
        self.name = name
        self.gives_probabilities = gives_probabilities

    @classmethod
    def of(cls, program: Program, layout: Layout) -> Facts:
        """Return what a client knows of a program."""
        results = program.scale, program.result_bound
        is_probability = program.gives_probabilities
        return cls(program.input, layout, program.task, results, program.name, gives_probabilities=is_probability)

    def notes(self) -> _files.Notes:
        """Return them as notes of a file."""
        return {
            "input": _notes.of_range(self.input),
            "layout": _notes.of_layout(self.layout),
            "task": _notes.of_task(self.task),
            "scale": self.scale,
            "bound": self.bound,
            "name": self.name,
            "gives_probabilities": self.gives_probabilities,
        }

    @classmethod
    def read(cls, notes: _files.Notes) -> Facts:
        """Read them."""
        region, layout = _notes.to_range(notes["input"]), _notes.to_layout(notes["layout"])
        is_probability, scale, bound = notes["gives_probabilities"], float(notes["scale"]), float(notes["bound"])
        is_sound = 0 < scale < np.inf and 0 < bound < np.inf and isinstance(is_probability, bool)
        if not is_sound or len(region.center) != layout.feature_count:
            raise ValueError("facts")
        task, name = _notes.to_task(notes["task"]), str(notes["name"])
        return cls(region, layout, task, (scale, bound), name, gives_probabilities=is_probability)


def read(engine: Engine, found: Any, notes: _files.Notes) -> Client:
    """Make the client of a file."""

    def fields(notes: _files.Notes) -> tuple[Facts, str]:
        facts, model_hash = Facts.read(notes["facts"]), str(notes["hash"])
        if len(bytes.fromhex(model_hash)) != 32:
            raise ValueError("a hash")
        return facts, model_hash

    if not isinstance(found, SecretKey):
        raise _files.malformed(type(found).__name__)
    return Client(engine, found, *_files.understood(notes, fields))
