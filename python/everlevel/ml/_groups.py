"""Groups of rows on the workers of a pool."""

from __future__ import annotations

from typing import Any

from .._common.locks import Lock
from ..ckks import Ciphertext, Engine
from ._layout import Layout
from ._program import Program
from ._run import Runner


class Groups:
    """A model as a function of one group's ciphertext, which travels to workers.

    A worker encodes the weights at its first group, and keeps those of one model.
    """

    def __init__(self, model_hash: str, program: Program, layout: Layout) -> None:
        self._model_hash = model_hash
        self._program = program
        self._layout = layout

    def __call__(self, x: Ciphertext, *, engine: Engine, keys: Any) -> Ciphertext:
        """Return the results of a group: a pool fills in the worker's engine and keys."""
        with _lock:
            runner = _runners.get((self._model_hash, id(engine)))
            if runner is None:
                _runners.clear()
                runner = Runner(engine, self._program, self._layout)
                _runners[self._model_hash, id(engine)] = runner
        return runner(x, keys.evaluation_key, lambda _: None)


_runners: dict[tuple[str, int], Runner] = {}
"""The last model of a worker, on its engine, which the model holds."""
_lock = Lock()
