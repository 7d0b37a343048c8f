"""Minimum, and k nearest neighbours, by comparisons on encrypted data.

The data are Fisher's 150 irises, which scikit-learn ships: four lengths of each flower, and its species. Some flowers
with known species are encrypted, lengths and species both, and so are the flowers that are to be told. Whoever computes
sees neither.

**Minimum.** The smallest petal length of the known flowers, by `Engine.min_of_slots`: a tree of comparisons.

**Nearest neighbours.** A slot belongs to a query q and two known flowers i and j. There are no loops over
flowers: every ciphertext holds all pairs of known flowers, for as many queries as there is room for.

1. Of squared distances only differences matter, and these are linear in the query:
   d(q, i) - d(q, j) = Σ_f x_qf·2(t_jf - t_if) + |t_i|² - |t_j|². Four products of ciphertexts, one level.
2. `Engine.compare` makes 1 of each that is positive: i is farther than j. Added up over j by rotations, this
   is the *rank* of i: how many known flowers are nearer (and 1/2, for i against itself).
3. A second comparison, of the rank with k, marks the k nearest.
4. Marks times species (one of three slots is 1 for each flower), added up over i: the votes.

Each comparison is composed of polynomials and sign bootstraps, to an error and outside of a gap that are stated: see
`Engine.plan_sign`. Two distances that are closer than the gap share their rank.

Beside it runs the same in NumPy. Nothing is decrypted but the votes, and the minimum. Writes
``out/nearest_neighbours.png``: the flowers and how they were told, the votes' error, and where the time went.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_iris

from everlevel import Ciphertext, Engine, EvaluationKey, PublicKey, SecretKey

Array = NDArray[np.float64]

DISTANCE_GAP = 2.0**-8
"""Differences of squared distances that are smaller may count for either side. The largest is 1."""
SPECIES = 3


@dataclass
class Flowers:
    """Lengths, scaled so that squared distances are at most 1, and species as 0, 1, 2; the first `known` are known."""

    lengths: Array
    species: NDArray[np.int64]
    known: int
    largest: Array
    """The lengths in cm that are scaled to 1."""


def load(known: int) -> Flowers:
    """Load the irises in a random order."""
    lengths, species = load_iris(return_X_y=True)
    order = np.random.default_rng(4).permutation(len(lengths))
    lengths, species = lengths[order], species[order]
    largest = np.ptp(lengths, axis=0) * np.sqrt(lengths.shape[1])
    return Flowers((lengths - lengths.min(0)) / largest, species, known, largest)


def plain_votes(flowers: Flowers, queries: Array, k: int) -> Array:
    """Return the species' votes for each query, in NumPy."""
    known, species = flowers.lengths[: flowers.known], flowers.species[: flowers.known]
    distances = ((queries[:, None] - known) ** 2).sum(2)
    nearest = np.argsort(distances, axis=1)[:, :k]
    return np.stack([(species[nearest] == s).sum(1) for s in range(SPECIES)], 1).astype(float)


@dataclass
class Classifier:
    """Known flowers, encrypted, and what computes with them. It has no secret key."""

    engine: Engine
    key: EvaluationKey
    known: int
    k: int
    slopes: list[Ciphertext]
    """For each length f: 2(t_jf - t_if), at slot (q, i, j)."""
    constants: Ciphertext
    """|t_i|² - |t_j|²."""
    species: Ciphertext
    """1 at slot (q, i, c) if flower i is of species c."""
    seconds: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def timed(self, step: str) -> Iterator[None]:
        """Add the time of a block to a step's."""
        start = time.perf_counter()
        yield
        self.seconds[step] = self.seconds.get(step, 0) + time.perf_counter() - start

    def sum(self, x: Ciphertext, step: int) -> Ciphertext:
        """Add up as many slots as there are known flowers, `step` apart."""
        for power in range(self.known.bit_length() - 1):
            x = x + self.engine.rotate(x, self.key, -step << power)
        return x

    def votes(self, queries: list[Ciphertext]) -> Ciphertext:
        """Return the votes for species c at slot (q, 0, c), from queries that are repeated in every slot (q, i, j)."""
        engine, n = self.engine, self.known
        with self.timed("distances"):
            difference = self.constants
            for x, slope in zip(queries, self.slopes, strict=True):
                difference = difference + engine.multiply(x, slope, self.key)
        with self.timed("comparison of distances"):
            # Squared distances are at most 1, which their terms' bounds don't know.
            difference = engine.assume_bound(difference, 1)
            farther = engine.compare(difference, 0, self.key, gap=DISTANCE_GAP, bound=1)
        with self.timed("ranks and votes"):
            first = np.tile(np.r_[1.0, np.zeros(n - 1)], engine.slot_count // n)
            # (k - rank)/n at slot (q, i, 0): ranks are whole numbers and a half.
            nearness = engine.assume_bound(first * (self.k / n) - self.sum(farther, 1) * (first / n), 1)
        with self.timed("comparison of ranks"):
            is_near = engine.compare(nearness, 0, self.key, gap=0.25 / n, bound=1)
        with self.timed("ranks and votes"):
            is_near = is_near * first
            for delta in (1, 2):
                is_near = is_near + engine.rotate(is_near, self.key, delta)
            return self.sum(engine.multiply(is_near, self.species, self.key), n)


def begin(
    flowers: Flowers, k: int, thread_count: int | None, insecure_log_n: int | None
) -> tuple[Classifier, SecretKey, PublicKey]:
    """Make engine and keys, and encrypt the known flowers."""
    engine = Engine(use_bootstrap=True, thread_count=thread_count, insecure_log_n=insecure_log_n)
    print(engine)
    n = flowers.known
    if n & (n - 1) or n < 4 or n * n > engine.slot_count:
        raise SystemExit(f"--known is {n}: a power of two is needed, from 4 to {int(engine.slot_count**0.5)}")
    secret_key = engine.create_secret_key()
    public_key = engine.create_public_key(secret_key)
    rotations = [-(1 << power) for power in range(2 * n.bit_length() - 2)] + [1, 2]
    key = engine.create_evaluation_key(secret_key, bootstrap="lossy", rotations=rotations)
    print(key)

    def encrypted(pairs: Array) -> Ciphertext:
        return engine.encrypt(np.tile(pairs.ravel(), engine.slot_count // n**2), public_key, bound=1)

    t = flowers.lengths[:n]
    squares = (t**2).sum(1)
    one_hot = np.zeros((n, n))
    one_hot[np.arange(n), flowers.species[:n]] = 1
    slopes = [encrypted(2 * (t[None, :, f] - t[:, None, f])) for f in range(t.shape[1])]
    constants = encrypted(squares[:, None] - squares[None, :])
    return Classifier(engine, key, n, k, slopes, constants, encrypted(one_hot)), secret_key, public_key


def find_minimum(classifier: Classifier, flowers: Flowers, secret_key: SecretKey, public_key: PublicKey) -> None:
    """Find the smallest petal length of the known flowers."""
    engine, petals = classifier.engine, flowers.lengths[: flowers.known, 2]
    gap = 2.0**-7
    x = engine.encrypt(petals, public_key, bound=0.5)
    start, before = time.perf_counter(), engine.bootstrap_count
    smallest = engine.min_of_slots(x, classifier.key, count=len(petals), gap=gap, bound=1)
    took, bootstraps = time.perf_counter() - start, engine.bootstrap_count - before
    found, plain = engine.decrypt(smallest, secret_key)[0], petals.min()
    stated = gap / 2 * np.ceil(np.log2(len(petals)))
    in_cm = flowers.largest[2]
    base = load_iris().data[:, 2].min()
    print(
        f"shortest petal of {len(petals)}: {base + found * in_cm:.3f} cm, plain {base + plain * in_cm:.3f} cm; "
        f"error 2^{np.log2(abs(found - plain)):.1f} of the scaled length, stated 2^{np.log2(stated):.1f}; "
        f"{bootstraps} bootstraps, {took:.1f} s"
    )
    assert abs(found - plain) <= stated + 2**-12, "the minimum is farther off than stated"


def draw(flowers: Flowers, told: Array, errors: Array, seconds: dict[str, float], title: str, path: Path) -> None:
    """Draw the flowers and how they were told, the votes' errors, and the times."""
    figure, axes = plt.subplots(1, 3, figsize=(15, 4.8), layout="constrained")
    names, n = load_iris().target_names, flowers.known
    centimetres = flowers.lengths * flowers.largest + load_iris().data.min(0)
    asked = slice(n, n + len(told))
    for s, name in enumerate(names):
        known = flowers.species[:n] == s
        axes[0].plot(*centimetres[:n][known][:, 2:].T, ".", color=f"C{s}", alpha=0.4)
        mine = told == s
        axes[0].plot(*centimetres[asked][mine][:, 2:].T, "o", color=f"C{s}", label=f"told {name}", markersize=6)
    wrong = told != flowers.species[asked]
    axes[0].plot(*centimetres[asked][wrong][:, 2:].T, "kx", markersize=11, label=f"wrong: {wrong.sum()}")
    axes[0].set(title="queries (circles) and known flowers (dots)", xlabel="petal length, cm", ylabel="petal width, cm")
    axes[0].legend()
    axes[1].hist(np.log2(np.maximum(errors.ravel(), 2.0**-40)), bins=40, color="tab:green")
    axes[1].set(title="error of a vote, encrypted against plain", xlabel="log2 of the error", ylabel="votes")
    axes[2].barh(list(seconds), list(seconds.values()), color="tab:gray")
    axes[2].invert_yaxis()
    axes[2].set(title="time, all queries", xlabel="s")
    figure.suptitle(title)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110)
    plt.close(figure)


def main() -> None:
    """Find a minimum and tell flowers, and compare with NumPy."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--known", type=int, default=64, help="flowers with known species, a power of two")
    parser.add_argument("--queries", type=int, default=86, help="flowers to tell")
    parser.add_argument("--k", type=int, default=5, help="neighbours that vote")
    parser.add_argument("--threads", type=int, help="all cores, if left out")
    parser.add_argument("--insecure-log-n", type=int, help="a ring of 2^LOG_N without any security")
    parser.add_argument("--out", type=Path, default=Path("out"), help="folder of the picture")
    options = parser.parse_args()

    flowers = load(options.known)
    start = time.perf_counter()
    classifier, secret_key, public_key = begin(flowers, options.k, options.threads, options.insecure_log_n)
    engine, n = classifier.engine, options.known
    print(f"engine, keys and encrypted flowers: {time.perf_counter() - start:.1f} s\n")
    find_minimum(classifier, flowers, secret_key, public_key)

    queries = flowers.lengths[n : n + options.queries]
    at_once = engine.slot_count // n**2
    plain, votes = plain_votes(flowers, queries, options.k), np.zeros((len(queries), SPECIES))
    before = engine.bootstrap_count
    for first in range(0, len(queries), at_once):
        batch = queries[first : first + at_once]
        columns = [engine.encrypt(np.repeat(batch[:, f], n**2), public_key, bound=1) for f in range(batch.shape[1])]
        slots = engine.decrypt(classifier.votes(columns), secret_key).reshape(at_once, n, n)
        votes[first : first + at_once] = slots[: len(batch), 0, :SPECIES]
        print(
            f"queries {first} to {first + len(batch) - 1}: {sum(classifier.seconds.values()):.1f} s so far", flush=True
        )

    told, told_plainly = votes.argmax(1), plain.argmax(1)
    right = flowers.species[n : n + len(queries)]
    errors = np.abs(votes - plain)
    print(f"\naccuracy on {len(queries)} flowers: encrypted {np.mean(told == right):.1%}, ", end="")
    print(f"plain {np.mean(told_plainly == right):.1%}; the same answer for {np.mean(told == told_plainly):.1%}")
    print(f"votes: median error 2^{np.log2(np.median(errors)):.1f}, {np.mean(errors > 0.5):.1%} are off by over 1/2")
    print(f"{engine.bootstrap_count - before} bootstraps; ", end="")
    print(", ".join(f"{step} {seconds:.1f} s" for step, seconds in classifier.seconds.items()))
    path = options.out / "nearest_neighbours.png"
    ring = f"N = 2^{engine.log_n}{'' if engine.security_bits else ', insecure'}"
    title = f"{options.k} nearest neighbours on encrypted irises, {ring}, {np.mean(told == right):.1%} right"
    draw(flowers, told, errors, classifier.seconds, title, path)
    print(f"{path} written")
    assert np.mean(told == told_plainly) >= 0.9, "the encrypted answers differ from the plain ones"


if __name__ == "__main__":
    main()
