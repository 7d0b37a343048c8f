"""Random programs on encrypted arrays, beside NumPy: shapes, values within claims, and zeros where they are said."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

from claims import assert_claims
from everlevel import Ciphertext, Engine, errors
from parties import INSECURE_LOG_N, Party, keyed_party

STEPS = 8
VALUES = 24


@pytest.fixture(scope="module")
def party() -> Party:
    """Levels for some steps, whose engine knows its keys."""
    return keyed_party(Engine(max_level=9, insecure_log_n=INSECURE_LOG_N))


class Drawn:
    """A random program: operands that it has made, each encrypted and in the clear."""

    def __init__(self, party: Party, seed: int) -> None:
        self.party, self.rng = party, np.random.default_rng(seed)
        self.operands: list[tuple[Ciphertext, Any]] = []
        self.lines: list[str] = []
        for _ in range(2):
            values = self.values(self.shape())
            self.keep(party.engine.encrypt(values, party.secret_key, bound=1.2), values)

    def shape(self) -> tuple[int, ...]:
        rng = self.rng
        sizes = [(int(rng.integers(1, 12)),), (int(rng.integers(1, 5)), int(rng.integers(1, 5))), (2, 1, 3), (), (512,)]
        return sizes[int(rng.choice(len(sizes), p=[0.3, 0.3, 0.1, 0.1, 0.2]))]

    def values(self, shape: tuple[int, ...]) -> Any:
        values = self.rng.uniform(-1, 1, shape)
        return values + 1j * self.rng.uniform(-0.5, 0.5, shape) if self.rng.random() < 0.1 else values

    def keep(self, x: Ciphertext, values: Any) -> None:
        assert x.shape == np.shape(values), self.lines
        self.operands.append((x, values))

    def step(self) -> None:
        """Do what NumPy does as well, or nothing where there is no such thing."""
        rng = self.rng
        x, a = self.operands[int(rng.integers(len(self.operands)))]
        name = str(
            rng.choice(["pair", "clear", "number", "reduce", "index", "place", "join", "function", "claim", "matrix"])
        )
        y, b = x, a
        if name == "pair":
            y, b = self.operands[int(rng.integers(len(self.operands)))]
        elif name == "clear":
            y = b = self.values(np.shape(a) if rng.random() < 0.6 else self.shape())
        elif name == "matrix":
            y, b = self.operands[int(rng.integers(len(self.operands)))]
            if rng.random() < 0.3 or np.ndim(a) + np.ndim(b) < 3:
                y = b = self.values((np.shape(a)[-1], int(rng.integers(1, 5))) if np.ndim(a) == 2 else ())
        elif name == "number":
            y = b = float(rng.choice([1, -2, 0.5, 0.3]))
        call = self.call(name)
        if name not in ("pair", "clear", "number", "matrix"):
            encrypted, clear = (lambda: call(x)), (lambda: call(a))
        else:
            encrypted, clear = (lambda: call(x, y)), (lambda: call(a, b))
        try:
            with np.errstate(all="ignore"):
                expected = clear()
            size = np.size(expected)
        except (ValueError, IndexError, TypeError):
            return
        if not 0 < size <= 512 or np.abs(expected).max() > 100:
            return
        try:
            result = encrypted()
        except (errors.LevelError, errors.RangeError):
            return
        except errors.OperandTypeError:
            if x.is_real:
                raise
            return
        self.lines.append(f"{name}: {np.shape(a)}, {np.shape(b)} to {np.shape(expected)}")
        self.keep(result, expected)

    def call(self, name: str) -> Any:
        """Return what a step does, which is drawn once for both."""
        rng = self.rng
        if name in ("pair", "clear", "number"):
            return [
                lambda x, y: x + y, lambda x, y: y - x, lambda x, y: x * y, lambda x, y: x - y,
            ][int(rng.integers(4))]  # fmt: skip
        if name == "matrix":
            return lambda x, y: x @ y
        axis = [None, 0, -1, (0, 1)][int(rng.integers(4))]
        if name == "reduce":
            how, keeps = str(rng.choice(["sum", "mean", "var"])), bool(rng.integers(2))
            return lambda x: self.reduced(x, how, axis, keeps)
        if name == "index":
            start, stop, step = (int(rng.integers(-4, 5)), int(rng.integers(1, 9)), int(rng.choice([1, 1, 2, -1])))
            index = [slice(start, stop, step), start, (..., 0), (None, slice(stop)), (slice(None), slice(1, None))]
            return lambda x: x[index[start % 5]]
        if name == "place":
            shift = int(rng.integers(-5, 6))
            moves = [
                lambda x: x.reshape(-1), lambda x: x.T, lambda x: np.roll(x, shift), lambda x: np.flip(x),
                lambda x: np.expand_dims(x, 0), lambda x: np.roll(x, shift, axis=0), lambda x: np.tile(x, 2),
                lambda x: np.diff(x, axis=0), lambda x: np.convolve(x.reshape(-1), [0.5, -0.25, 0.125]),
            ]  # fmt: skip
            return moves[int(rng.integers(len(moves)))]
        if name == "join":
            return [lambda x: np.concatenate([x, x * 0.5]), lambda x: np.stack([x, x])][int(rng.integers(2))]
        if name == "claim":
            return lambda x: x.within(100) if isinstance(x, Ciphertext) else x
        cubic = [0.25, 0.5, 0, -0.125]
        return lambda x: (
            x._engine.evaluate_polynomial(x, cubic)
            if isinstance(x, Ciphertext)
            else np.polynomial.polynomial.polyval(x, cubic)
        )

    @staticmethod
    def reduced(x: Any, how: str, axis: Any, keepdims: bool) -> Any:
        # A vector that fills the slots keeps them.
        if np.shape(x) == (512,) and not keepdims:
            reduced = getattr(x, how)(None)
            return reduced if isinstance(x, Ciphertext) else np.full(512, reduced)
        # NumPy takes axes of single values, which have none.
        return getattr(x, how)(axis if np.ndim(x) and np.shape(x) != (512,) else None, keepdims=keepdims)


@pytest.mark.parametrize("seed", range(60))
def test_programs_are_numpys(party: Party, seed: int) -> None:
    program = Drawn(party, seed)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(STEPS):
            try:
                program.step()
            except DeprecationWarning:
                continue
    for x, values in program.operands:
        scale = max(1.0, float(np.abs(values).max()))
        found = party.engine.decrypt(x, party.secret_key)
        assert np.abs(found - values).max() <= 2.0**-8 * scale, program.lines
        if not np.isnan(x.precision_floor):
            assert_claims(x, values, party.secret_key, varied=False)
