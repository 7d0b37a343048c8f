"""Natural tasks beside the same circuits by hand: what NumPy's ways cost.

    python benches/by_hand.py                every task, on a ring of 2^13 without security
    python benches/by_hand.py --only scores --repetitions 9

Each task is written twice. *Naturally*: shaped vectors, operators and methods, as in tests/tasks. *By hand*: vectors of
all slots with zeros behind the values, the engine's calls, every key named, a mask where padding isn't zero. Both run
in turns in this process, on data that is encrypted anew each time, since an engine remembers what it bootstrapped. Of
each the least CPU time counts, and a task may take 1.1 of the time by hand. Both give the same values.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import everlevel
from everlevel import Engine, _bench

MOST = 1.1
POINTS = 256
FEATURES = 4

sigmoid = everlevel.fit(lambda t: 1 / (1 + np.exp(-t)), 15, (-8, 8))
rsqrt_of_ages = everlevel.fit(lambda t: 1 / np.sqrt(t), 31, (50, 2500))
rsqrt_of_shares = everlevel.fit(lambda t: 1 / np.sqrt(t), 31, (0.01, 0.25))
inverse_of_shares = everlevel.fit(lambda t: 1 / t, 31, (0.1, 1))
inverse = everlevel.fit(lambda t: 1 / t, 15, (1, 2))


class Hand:
    """An engine, and the keys that its calls are given by hand."""

    def __init__(self, engine: Engine, secret_key: Any, key: Any) -> None:
        self.engine, self.slots = engine, engine.slot_count
        self.relinearization, self.rotation = key.relinearization_key, key.rotation_key
        self.secret_key = secret_key

    def times(self, x: Any, y: Any) -> Any:
        """Multiply; two ciphertexts with the key."""
        is_encrypted = isinstance(y, everlevel.Ciphertext)
        return self.engine.multiply(x, y, self.relinearization) if is_encrypted else self.engine.multiply(x, y)

    def squared(self, x: Any) -> Any:
        """Square."""
        return self.engine.square(x, self.relinearization)

    def total(self, x: Any) -> Any:
        """Add up all slots."""
        return self.engine.sum(x, self.rotation)

    def within(self, x: Any, limit: float | None) -> Any:
        """Claim a bound, if there is one."""
        return x if limit is None else self.engine.assume_bound(x, limit)

    def padded(self, values: Any) -> Any:
        """Put zeros behind values."""
        return np.pad(values, (0, self.slots - len(values)))


Inputs = Sequence[tuple[Any, Any, int | None]]
"""Values, their bound, and the level of their encryption."""


@dataclass(frozen=True)
class Task:
    """A task both ways, each a function of ciphertexts that returns one or several."""

    name: str
    inputs: Callable[[np.random.Generator, int], Inputs]
    natural: Callable[..., Any]
    by_hand: Callable[..., Any]
    options: dict[str, Any] = field(default_factory=dict)
    """Arguments of both functions."""


# Learning.


def _answers(bound: float | None) -> Callable[[np.random.Generator, int], Inputs]:
    def inputs(rng: np.random.Generator, slots: int) -> Inputs:
        features = rng.normal(size=(POINTS, FEATURES))
        labels = (features @ [1.5, -2, 0.5, 1.0] + 0.3 * rng.normal(size=POINTS) > 0) * 1.0
        return [
            *((column / 4, bound, None) for column in features.T),
            (labels, bound, None),
            *((0.0, bound, None) for _ in range(FEATURES)),
        ]

    return inputs


def logistic_regression(*given: Any, limit: float | None = None) -> Any:
    """Descend by four steps."""
    columns, y, weights = given[:FEATURES], given[FEATURES], given[FEATURES + 1 :]
    for _ in range(4):
        error = y - sigmoid(sum(weight * column for weight, column in zip(weights, columns, strict=True)))
        weights = [weight + 4 * (error * column).mean() for weight, column in zip(weights, columns, strict=True)]
        if limit is not None:
            weights = [weight.within(-limit, limit) for weight in weights]
    return weights


def logistic_regression_by_hand(hand: Hand, *given: Any, limit: float | None = None) -> Any:
    """Descend by four steps. Features are zero behind the points, so that gradients need no mask."""
    e, columns, y, weights = hand.engine, given[:FEATURES], given[FEATURES], list(given[FEATURES + 1 :])
    for _ in range(4):
        terms = [hand.times(weight, column) for weight, column in zip(weights, columns, strict=True)]
        error = e.subtract(y, sigmoid(e.add(e.add(e.add(terms[0], terms[1]), terms[2]), terms[3])))
        for j, column in enumerate(columns):
            mean = hand.times(hand.total(hand.times(error, column)), 1 / POINTS)
            weights[j] = hand.within(e.add(weights[j], hand.times(mean, 4)), limit)
    return weights


def _points(rng: np.random.Generator, slots: int) -> Inputs:
    points = np.r_[rng.normal(-0.5, 0.1, POINTS // 2), rng.normal(0.4, 0.1, POINTS // 2)]
    return [(points, 1, None), (-1.0, 1, None), (1.0, 1, None)]


def clusters(x: Any, left: Any, right: Any) -> Any:
    """Move two centres by two rounds."""
    for _ in range(2):
        nearer = x._engine.compare((x - right) ** 2, (x - left) ** 2, bound=4)
        farther = 1 - nearer
        left = ((nearer * x).mean() * inverse_of_shares(nearer.mean())).within(-1, 1)
        right = ((farther * x).mean() * inverse_of_shares(farther.mean())).within(-1, 1)
    return left, right


def clusters_by_hand(hand: Hand, x: Any, left: Any, right: Any) -> Any:
    """Move two centres by two rounds; a mask leaves out what is behind the points."""
    e, mask = hand.engine, hand.padded(np.full(POINTS, 1 / POINTS))
    for _ in range(2):
        distances = [e.assume_bound(hand.squared(e.subtract(x, centre)), 4) for centre in (right, left)]
        nearer = e.compare(*distances, bound=4)
        parts = [hand.times(nearer, mask), hand.times(e.subtract(1, nearer), mask)]
        left, right = (
            e.assume_bound(hand.times(hand.total(hand.times(part, x)), inverse_of_shares(hand.total(part))), 1)
            for part in parts
        )
    return left, right


def _regressed(rng: np.random.Generator, slots: int) -> Inputs:
    features = rng.normal(size=(slots, 3))
    features /= np.abs(features).max()
    columns = [(column, 1, None) for column in features.T]
    return [*columns, (features @ [0.3, -0.2, 0.5], 1, None), *((0.0, 1, None) for _ in range(3))]


def linear_regression(*given: Any) -> Any:
    """Descend by ten steps."""
    columns, y, weights = given[:3], given[3], given[4:]
    for _ in range(10):
        error = y - sum(weight * column for weight, column in zip(weights, columns, strict=True))
        weights = [weight + 8 * (error * column).mean() for weight, column in zip(weights, columns, strict=True)]
        weights = [weight.within(-1, 1) for weight in weights]
    return weights


def linear_regression_by_hand(hand: Hand, *given: Any) -> Any:
    """Descend by ten steps."""
    e, columns, y, weights = hand.engine, given[:3], given[3], list(given[4:])
    for _ in range(10):
        terms = [hand.times(weight, column) for weight, column in zip(weights, columns, strict=True)]
        error = e.subtract(y, e.add(e.add(terms[0], terms[1]), terms[2]))
        for j, column in enumerate(columns):
            mean = hand.times(hand.total(hand.times(error, column)), 1 / hand.slots)
            weights[j] = e.assume_bound(e.add(weights[j], hand.times(mean, 8)), 1)
    return weights


# Linear algebra.

_MATRIX = np.random.default_rng(1).normal(size=(64, 64))
_SQUARE = np.random.default_rng(2).normal(size=(16, 16))
_SYMMETRIC = _SQUARE @ _SQUARE.T / np.linalg.eigvalsh(_SQUARE @ _SQUARE.T)[-1]
_FIRST, _SECOND = np.random.default_rng(3).normal(size=(32, 64)) / 8, np.random.default_rng(4).normal(size=(10, 32)) / 6
_SHIFTS = np.random.default_rng(5).normal(size=32) * 0.1, np.random.default_rng(6).normal(size=10) * 0.1


def power_iteration(x: Any, steps: int, limit: float | None = None) -> Any:
    """Multiply by one matrix again and again."""
    for _ in range(steps):
        x = _SYMMETRIC @ x
        x = x if limit is None else x.within(-limit, limit)
    return x


def power_iteration_by_hand(hand: Hand, x: Any, steps: int, limit: float | None = None) -> Any:
    """Multiply by one matrix again and again."""
    for _ in range(steps):
        x = hand.within(hand.engine.multiply_matrix(_SYMMETRIC, x, hand.rotation), limit)
    return x


def network(x: Any) -> Any:
    """Run two layers."""
    return _SECOND @ x._engine.relu(_FIRST @ x + _SHIFTS[0]) + _SHIFTS[1]


def network_by_hand(hand: Hand, x: Any) -> Any:
    """Run two layers."""
    e = hand.engine
    hidden = e.add(e.multiply_matrix(_FIRST, x, hand.rotation), _SHIFTS[0])
    return e.add(e.multiply_matrix(_SECOND, e.relu(hidden, bound=hidden.bound), hand.rotation), _SHIFTS[1])


def newton(x: Any, y: Any) -> Any:
    """Invert by five steps."""
    for _ in range(5):
        y = (y * (2 - x * y)).within(0, 4)
    return y


def newton_by_hand(hand: Hand, x: Any, y: Any) -> Any:
    """Invert by five steps."""
    e = hand.engine
    for _ in range(5):
        y = e.assume_bound(hand.times(y, e.subtract(2, hand.times(x, y))), 4)
    return y


# Series and tables.


def _temperatures(bound: float | None, level: int) -> Callable[[np.random.Generator, int], Inputs]:
    return lambda rng, slots: [
        (20 + 5 * np.sin(np.arange(slots) / 20) + rng.normal(size=slots), bound, level),
    ]


def _uniform(*ends: tuple[float, float, float]) -> Callable[[np.random.Generator, int], Inputs]:
    return lambda rng, slots: [(rng.uniform(low, high, slots), bound, None) for low, high, bound in ends]


def scores(x: Any, fit: Any, limit: float | None) -> Any:
    """Distances from the mean in standard deviations."""
    centred = x - x.mean()
    variance = (centred * centred).mean()
    return centred * fit(variance if limit is None else variance.within(limit))


def scores_by_hand(hand: Hand, x: Any, fit: Any, limit: float | None) -> Any:
    """Distances from the mean in standard deviations."""
    e = hand.engine
    centred = e.subtract(x, hand.times(hand.total(x), 1 / hand.slots))
    variance = hand.times(hand.total(hand.squared(centred)), 1 / hand.slots)
    return hand.times(centred, fit(hand.within(variance, limit)))


def covariance_by_hand(hand: Hand, x: Any, y: Any) -> Any:
    """Mean of products less the product of means."""
    means = [hand.times(hand.total(each), 1 / hand.slots) for each in (hand.times(x, y), x, y)]
    return hand.engine.subtract(means[0], hand.times(means[1], means[2]))


def decaying(*readings: Any) -> Any:
    """Weight readings the less the older they are."""
    average = readings[0]
    for reading in readings[1:]:
        average = 0.9 * average + 0.1 * reading
    return average


def decaying_by_hand(hand: Hand, *readings: Any) -> Any:
    """Weight readings the less the older they are."""
    average = readings[0]
    for reading in readings[1:]:
        average = hand.engine.add(hand.times(average, 0.9), hand.times(reading, 0.1))
    return average


_TAPS = (0.1, 0.2, 0.4, 0.2, 0.1)


def filtered_by_hand(hand: Hand, x: Any) -> Any:
    """Add up rotations, each times its tap."""
    e, terms = hand.engine, []
    for i, tap in enumerate(_TAPS):
        terms.append(hand.times(e.rotate(x, hand.rotation, i - 2) if i != 2 else x, tap))
    total = terms[0]
    for term in terms[1:]:
        total = e.add(total, term)
    return total


def averaged_by_hand(hand: Hand, x: Any) -> Any:
    """Average three neighbours."""
    e = hand.engine
    total = e.add(e.add(x, e.rotate(x, hand.rotation, 1)), e.rotate(x, hand.rotation, -1))
    return hand.times(total, 1 / 3)


def chosen(x: Any, y: Any) -> Any:
    """Take the larger of two by a comparison."""
    condition = x._engine.compare(x, y)
    return condition * x + (1 - condition) * y


def chosen_by_hand(hand: Hand, x: Any, y: Any) -> Any:
    """Take the larger of two by a comparison."""
    e = hand.engine
    condition = e.compare(x, y)
    return e.add(hand.times(condition, x), hand.times(e.subtract(1, condition), y))


_THRESHOLDS = (0.25, 0.5, 0.75)
_SHARES = _uniform((0.2, 0.9, 1))

TASKS = [
    Task("logistic regression without a bound", _answers(None), logistic_regression, logistic_regression_by_hand),
    Task("logistic regression, bound 1", _answers(1), logistic_regression, logistic_regression_by_hand),
    Task(
        "logistic regression within 2", _answers(1), logistic_regression, logistic_regression_by_hand, {"limit": 2}
    ),
    Task("moving average", _temperatures(60, 2), lambda x: x._engine.sum_range(x, count=5) * 0.2,
         lambda hand, x: hand.times(hand.engine.sum_range(x, hand.rotation, 5), 0.2)),
    Task("moving average without a bound", _temperatures(None, 2), lambda x: x._engine.sum_range(x, count=5) * 0.2,
         lambda hand, x: hand.times(hand.engine.sum_range(x, hand.rotation, 5), 0.2)),
    Task("average of three points", _temperatures(60, 1), lambda x: (x + x.rotate(1) + x.rotate(-1)) / 3,
         averaged_by_hand),
    Task("filter of finite response", lambda rng, slots: [(rng.normal(size=slots), 6, None)],
         lambda x: sum(tap * x.rotate(i - 2) for i, tap in enumerate(_TAPS)), filtered_by_hand),
    Task("standard scores of ages", _uniform((20, 90, 100)), scores, scores_by_hand,
         {"fit": rsqrt_of_ages, "limit": None}),
    Task("standard scores of shares", _SHARES, scores, scores_by_hand, {"fit": rsqrt_of_shares, "limit": 0.25}),
    Task("clusters of points", _points, clusters, clusters_by_hand),
    Task("three matrices in a row", lambda rng, slots: [(rng.normal(size=64), 5, None)],
         lambda x: _MATRIX @ (_MATRIX @ (_MATRIX @ x)),
         lambda hand, x: _three_by_hand(hand, x)),
    Task("power iteration of 6 steps", lambda rng, slots: [(np.ones(16), 1, None)], power_iteration,
         power_iteration_by_hand, {"steps": 6}),
    Task("power iteration of 20 steps", lambda rng, slots: [(np.ones(16), 1, None)], power_iteration,
         power_iteration_by_hand, {"steps": 20, "limit": 4}),
    Task("network of two layers", lambda rng, slots: [(rng.uniform(0, 1, 64), 1, None)], network, network_by_hand),
    Task("covariance of two columns", _uniform((0, 100, 100), (0, 100, 100)),
         lambda x, y: (x * y).mean() - x.mean() * y.mean(), covariance_by_hand),
    Task("weights that decay", lambda rng, slots: [([each], 5, None) for each in rng.normal(size=8)], decaying,
         decaying_by_hand),
    Task("counts above thresholds", _SHARES,
         lambda x: [x._engine.compare(x, each, bound=1).sum() for each in _THRESHOLDS],
         lambda hand, x: [hand.total(hand.engine.compare(x, each, bound=1)) for each in _THRESHOLDS]),
    Task("comparison with an array", _SHARES, lambda x: x._engine.compare(x - 0.25, np.zeros(len(x)), bound=1),
         lambda hand, x: hand.engine.compare(hand.engine.subtract(x, 0.25), np.zeros(hand.slots), bound=1)),
    Task("choice by hand", _uniform((-1, 1, 1), (-1, 1, 1)), chosen, chosen_by_hand),
    Task("division of columns", _uniform((1, 2, 2), (-1, 1, 1)), lambda x, y: y * inverse(x),
         lambda hand, x, y: hand.times(y, inverse(x))),
    Task("inverse by Newton", lambda rng, slots: [(0.3, 1, None), (1.5, 2, None)], newton, newton_by_hand),
    Task("linear regression by gradient descent", _regressed, linear_regression, linear_regression_by_hand),
]  # fmt: skip
"""Tasks of tests/tasks, but for two that say a bound of what another one has, and its circuit."""


def _three_by_hand(hand: Hand, x: Any) -> Any:
    for _ in range(3):
        x = hand.engine.multiply_matrix(_MATRIX, x, hand.rotation)
    return x


def make(log_n: int) -> Hand:
    """Make an engine of a ring without security that bootstraps by itself, and its keys."""
    engine = Engine(auto_bootstrap=True, insecure_log_n=log_n, thread_count=1, progress=False)
    secret_key = engine.create_secret_key()
    return Hand(engine, secret_key, engine.create_evaluation_key(secret_key, bootstrap="lossy"))


def measure(task: Task, hand: Hand, repetitions: int) -> tuple[float, float, float, list[int]]:
    """Return the least CPU seconds both ways, the largest difference of results, and the bootstraps of both."""
    best, found, bootstraps = [np.inf, np.inf], [np.zeros(1), np.zeros(1)], [0, 0]
    inputs = task.inputs(np.random.default_rng(0), hand.slots)
    for turn in range(repetitions + 1):
        for way in (0, 1) if turn % 2 else (1, 0):
            given = [_encrypted(hand, way == 1, *each) for each in inputs]
            before = hand.engine.bootstrap_count
            began = time.process_time()
            result = task.natural(*given, **task.options) if way == 0 else task.by_hand(hand, *given, **task.options)
            seconds = time.process_time() - began
            bootstraps[way] = hand.engine.bootstrap_count - before
            # The first turn fits polynomials and makes tables.
            best[way] = min(best[way], seconds) if turn else best[way]
            results = result if isinstance(result, (list, tuple)) else [result]
            found[way] = np.concatenate([np.ravel(hand.engine.decrypt(each, hand.secret_key)) for each in results])
            if way == 0:
                sizes = [each.size for each in results]
    by_hand = np.split(found[1], len(sizes))
    expected = np.concatenate([values[:size] for values, size in zip(by_hand, sizes, strict=True)])
    return best[0], best[1], float(np.abs(found[0] - expected).max()), bootstraps


def _encrypted(hand: Hand, by_hand: bool, values: Any, bound: Any, level: int | None) -> Any:
    if by_hand:
        values = np.full(hand.slots, values) if np.ndim(values) == 0 else hand.padded(values)
    return hand.engine.encrypt(values, hand.secret_key, level, bound=bound, slots=by_hand)


def main() -> int:
    """Measure, print, and return the exit status: 1 if a task takes too long."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="tasks with these words in their names")
    parser.add_argument("--log-n", type=int, default=13)
    parser.add_argument("--repetitions", type=int, default=5, help="turns of each, after a first one")
    options = parser.parse_args()
    hand, slow = make(options.log_n), 0
    print("| task | natural, s | by hand, s | ratio | bootstraps | largest difference |\n|---|---|---|---|---|---|")
    for task in TASKS:
        if options.only not in task.name:
            continue
        # Bounds that aren't declared, and claims, are what some tasks are about.
        with warnings.catch_warnings(record=True):
            warnings.simplefilter("always")
            natural, by_hand, difference, (ours, theirs) = measure(task, hand, options.repetitions)
        slow += natural > MOST * by_hand
        counts = str(ours) if ours == theirs else f"{ours}, {theirs}"
        print(
            f"| {task.name} | {natural:.4f} | {by_hand:.4f} | {natural / by_hand:.3f} | {counts} | {difference:.1e} |",
            flush=True,
        )
    print(f"\nN = 2^{options.log_n}, one thread. " + ", ".join(f"{a} {b}" for a, b in _bench.machine().items()))
    return int(slow > 0)


if __name__ == "__main__":
    raise SystemExit(main())
