"""Logistic regression, trained on encrypted data: features, labels and weights are ciphertexts throughout.

The data are the 569 tumours of the Wisconsin breast cancer data set, which scikit-learn ships: 30 features each, and
whether they are benign. 455 of them train; 114 are left to test.

**Layout.** One ciphertext is a matrix of 1024 rows and 32 columns, in rows: a row for each patient, a column for each
feature, one for the constant, one of zeros. The weights are repeated in every row.

**One iteration** of Nesterov's gradient descent on the mean of log(1 + exp(-t)), t = y·⟨x, w⟩, takes five levels:

1. products y·x·w, added up over the columns by five rotations: t in column 0, the sums of other stretches elsewhere;
2. column 0 cut out by a product with 0 and 1, and copied to the other columns by five rotations;
3. and 4. the logistic function as a polynomial of degree 3, fitted on [-16, 16], times y·x; added up over the rows
   by ten rotations, which come round and so leave the gradient in every row;
5. the momentum.

After every second iteration no level is left, and one `merge_bootstrap` refreshes both ciphertexts of the descent.

Beside it run the same descent in NumPy with the same polynomial, whose weights the encrypted ones should equal, and one
with the logistic function itself, which the polynomial stands for. Nothing is decrypted in between but for the loss and
accuracy that are printed. Writes ``out/logistic_regression.png``: loss, accuracy, and the weights' error.

Method: Kim, Song, Kim, Lee, Cheon, "Logistic regression model training based on the approximate homomorphic
encryption", eprint 2018/254.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer

from everlevel import BootstrapKey, Ciphertext, ConjugationKey, Engine, RelinearizationKey, SecretKey

Array = NDArray[np.float64]

COLUMNS = 32
LEVELS = 5
"""Levels of an iteration."""
RATE = 0.5
LONGEST_ROW = 4.0
"""Longer feature vectors are shortened to this, so that ⟨x, w⟩ stays where the polynomial fits."""
FIT_RADIUS = 16.0
WEIGHT_SCALE = 0.5
"""Weights are encrypted at this size, so that they stay within the [-1, 1] that a bootstrap asks for."""


@dataclass
class Data:
    """Features with a column of ones, and labels ±1; the first `train_count` rows train."""

    features: Array
    labels: Array
    train_count: int

    @property
    def signed(self) -> Array:
        """The rows that train, times their labels: all that the descent needs to know."""
        return self.features[: self.train_count] * self.labels[: self.train_count, None]

    def loss(self, weights: Array) -> float:
        """Mean logistic loss on the rows that train."""
        return float(np.logaddexp(0, -self.signed @ weights).mean())

    def accuracy(self, weights: Array) -> float:
        """Share of the rows left to test that are told right."""
        tested = slice(self.train_count, None)
        return float(np.mean((self.features[tested] @ weights) * self.labels[tested] > 0))


def load(train_count: int) -> Data:
    """Load the tumours in a random order, standardised by the rows that train."""
    features, benign = load_breast_cancer(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(features))
    features, labels = features[order], 2.0 * benign[order] - 1
    seen = features[:train_count]
    features = (features - seen.mean(0)) / seen.std(0)
    features /= np.maximum(1, np.linalg.norm(features, axis=1, keepdims=True) / LONGEST_ROW)
    return Data(np.hstack([features, np.ones((len(features), 1))]), labels, train_count)


def fit() -> tuple[float, float]:
    """Fit 1/(1 + exp(t)) by 1/2 + c1·t + c3·t³, least squares on [-FIT_RADIUS, FIT_RADIUS]."""
    t = np.linspace(-FIT_RADIUS, FIT_RADIUS, 2001)
    c1, c3 = np.linalg.lstsq(np.stack([t, t**3], 1), 1 / (1 + np.exp(t)) - 0.5, rcond=None)[0]
    return float(c1), float(c3)


def momenta() -> Iterator[float]:
    """Yield Nesterov's momentum for each iteration."""
    last = 1.0
    while True:
        this = (1 + np.sqrt(1 + 4 * last * last)) / 2
        yield (last - 1) / this
        last = this


def plain_descent(data: Data, iterations: int, *, exact: bool) -> list[Array]:
    """Return the weights after each iteration, in NumPy; with the logistic function itself, or its polynomial."""
    rows, (c1, c3) = data.signed, fit()
    weights = ahead = np.zeros(rows.shape[1])
    history = []
    for _, momentum in zip(range(iterations), momenta(), strict=False):
        t = rows @ ahead
        slope = 1 / (1 + np.exp(t)) if exact else 0.5 + c1 * t + c3 * t**3
        moved = ahead + RATE / len(rows) * (slope @ rows)
        ahead, weights = moved + momentum * (moved - weights), moved
        history.append(weights)
    return history


@dataclass
class EncryptedDescent:
    """The same descent on ciphertexts. It has no secret key."""

    engine: Engine
    keys: tuple[RelinearizationKey, ConjugationKey, BootstrapKey]
    rows: Ciphertext
    """Features times labels."""
    train_count: int
    bootstrap_count: int = 0
    seconds: dict[str, float] = field(default_factory=lambda: {"iterations": 0.0, "bootstraps": 0.0})

    def __post_init__(self) -> None:
        """Compute what all iterations share."""
        self.c1, self.c3 = fit()
        rate = RATE * WEIGHT_SCALE / self.train_count
        # With s the sum of products, t = s/WEIGHT_SCALE. Column 0 times this is u = √c3·t, so that
        # rate·(c1 + c3·t²)·t·row = (c1 + u²)·u·(rate/√c3)·row.
        self.column = np.zeros((self.engine.slot_count // COLUMNS, COLUMNS))
        self.column[:, 0] = np.sqrt(self.c3) / WEIGHT_SCALE
        self.column_plain = self.engine.encode(self.column.ravel())
        self.scaled_rows = self.rows * (rate / np.sqrt(self.c3))
        self.half_rows = self.rows * (rate / 2)

    def sum_by_rotations(self, x: Ciphertext, step: int, count: int) -> Ciphertext:
        """Add up `count` slots, a power of two, that lie `step` apart; a negative step copies one slot to many."""
        while count > 1:
            x = x + x.rotate(-step)
            step, count = 2 * step, count // 2
        return x

    def iterate(self, ahead: Ciphertext, weights: Ciphertext, momentum: float) -> tuple[Ciphertext, Ciphertext]:
        """Do one iteration; return the point ahead of the weights, and the weights."""
        sums = self.sum_by_rotations(self.rows * ahead, 1, COLUMNS)
        u = self.sum_by_rotations(sums * self.column_plain, -1, COLUMNS)
        # The worst products of bounded data are far larger than real ones: t stays where the polynomial fits, and
        # weights within [-1, 1].
        u = self.engine.assume_bound(u, FIT_RADIUS * np.sqrt(self.c3))
        each = (u * u + self.c1) * (u * self.scaled_rows) + self.half_rows
        moved = ahead + self.sum_by_rotations(each, COLUMNS, self.engine.slot_count // COLUMNS)
        moved = self.engine.assume_bound(moved, 1)
        return self.engine.assume_bound((1 + momentum) * moved - momentum * weights, 1), moved

    def run(self, iterations: int) -> Iterator[Ciphertext]:
        """Yield the weights after each iteration, from zero."""
        ahead = weights = 0 * self.half_rows
        for _, momentum in zip(range(iterations), momenta(), strict=False):
            if ahead.level < LEVELS:
                start = time.perf_counter()
                ahead, weights = self.engine.merge_bootstrap(ahead, weights, *self.keys)
                self.bootstrap_count += 1
                self.seconds["bootstraps"] += time.perf_counter() - start
            start = time.perf_counter()
            ahead, weights = self.iterate(ahead, weights, momentum)
            self.seconds["iterations"] += time.perf_counter() - start
            yield weights


def begin(data: Data, thread_count: int | None, insecure_log_n: int | None) -> tuple[EncryptedDescent, SecretKey]:
    """Make engine and keys, and encrypt the data."""
    engine = Engine(use_bootstrap=True, thread_count=thread_count, insecure_log_n=insecure_log_n)
    print(engine)
    secret_key = engine.create_secret_key()
    public_key = engine.create_public_key(secret_key)
    amounts = [1 << k for k in range(engine.slot_count.bit_length() - 1)]
    for delta in [-amount for amount in amounts] + [amount for amount in amounts if amount < COLUMNS]:
        engine.create_fixed_rotation_key(secret_key, delta, level=10)
    keys = (
        engine.create_relinearization_key(secret_key),
        engine.create_conjugation_key(secret_key),
        engine.create_bootstrap_key(secret_key, stage_count=3),
    )

    matrix = np.zeros((engine.slot_count // COLUMNS, COLUMNS))
    matrix[: data.train_count, : data.features.shape[1]] = data.features[: data.train_count]
    labels = np.zeros_like(matrix)
    labels[: data.train_count] = data.labels[: data.train_count, None]
    features = engine.encrypt(matrix.ravel(), public_key, level=12, bound=LONGEST_ROW)
    rows = features * engine.encrypt(labels.ravel(), public_key, level=12, bound=1)
    return EncryptedDescent(engine, keys, rows, data.train_count), secret_key


def draw(curves: dict[str, list[Array]], data: Data, error: list[float], title: str, path: Path) -> None:
    """Draw loss, accuracy and error against the iterations."""
    styles = {"logistic function, plain": "-", "polynomial, plain": "--", "polynomial, encrypted": "o"}
    figure, axes = plt.subplots(1, 3, figsize=(15, 4.5), layout="constrained")
    for name, history in curves.items():
        at = np.arange(1, len(history) + 1)
        axes[0].plot(at, [data.loss(w) for w in history], styles[name], markersize=4, label=name)
        axes[1].plot(at, [100 * data.accuracy(w) for w in history], styles[name], markersize=4, label=name)
    axes[0].set(title="loss on the data that train", xlabel="iteration", ylabel="mean logistic loss", yscale="log")
    axes[1].set(title="accuracy on the data left out", xlabel="iteration", ylabel="%")
    axes[2].semilogy(np.arange(1, len(error) + 1), error, "o-", markersize=4, color="tab:green")
    axes[2].set(title="largest error of a weight, encrypted against plain", xlabel="iteration", ylabel="absolute error")
    for axis in axes:
        axis.xaxis.get_major_locator().set_params(integer=True)
    axes[0].legend()
    axes[1].legend()
    figure.suptitle(title)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110)
    plt.close(figure)


def main() -> None:
    """Train three times, and compare."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--iterations", type=int, default=20)
    parser.add_argument("--train", type=int, default=455, help="rows that train; the others test")
    parser.add_argument("--threads", type=int, help="all cores, if left out")
    parser.add_argument("--insecure-log-n", type=int, help="a ring of 2^LOG_N without any security")
    parser.add_argument("--out", type=Path, default=Path("out"), help="folder of the picture")
    options = parser.parse_args()

    data = load(options.train)
    start = time.perf_counter()
    descent, secret_key = begin(data, options.threads, options.insecure_log_n)
    print(f"engine, keys and encrypted data: {time.perf_counter() - start:.1f} s\n")
    exact = plain_descent(data, options.iterations, exact=True)
    plain = plain_descent(data, options.iterations, exact=False)
    encrypted, error = [], []
    print("iteration  level   loss: plain  polynomial  encrypted   largest error of a weight")
    for weights in descent.run(options.iterations):
        slots = descent.engine.decrypt(weights, secret_key).real[: data.features.shape[1]]
        encrypted.append(slots / WEIGHT_SCALE)
        k = len(encrypted)
        error.append(float(np.abs(encrypted[-1] - plain[k - 1]).max()))
        losses = "  ".join(f"{data.loss(history[k - 1]):>10.5f}" for history in (exact, plain, encrypted))
        print(f"{k:>9}  {weights.level:>5}   {losses}   2^{np.log2(error[-1]):.1f}", flush=True)

    curves = {"logistic function, plain": exact, "polynomial, plain": plain, "polynomial, encrypted": encrypted}
    print(f"\naccuracy on the {len(data.labels) - data.train_count} left out:", end=" ")
    print(", ".join(f"{data.accuracy(history[-1]):.1%} ({name})" for name, history in curves.items()))
    took = ", ".join(f"{name} {seconds:.0f} s" for name, seconds in descent.seconds.items())
    print(f"{descent.bootstrap_count} bootstraps of two ciphertexts; {took}")
    path = options.out / "logistic_regression.png"
    ring = f"N = 2^{descent.engine.log_n}{'' if descent.engine.security_bits else ', insecure'}"
    title = f"Logistic regression on encrypted data, {ring}, {descent.bootstrap_count} bootstraps"
    draw(curves, data, error, title, path)
    print(f"{path} written")
    assert max(error) < 1e-3, "the encrypted descent went astray"


if __name__ == "__main__":
    main()
