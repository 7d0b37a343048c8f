"""Outer products, histograms and sorted values of CKKS, against NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import everlevel
from claims import assert_claims
from everlevel import Engine, errors
from everlevel.ckks import _sorting
from parties import INSECURE_LOG_N, Party, keyed_party, new_party


@pytest.fixture(scope="module")
def shallow() -> Party:
    return keyed_party(Engine(max_level=3, insecure_log_n=INSECURE_LOG_N))


@pytest.fixture(scope="module")
def lossy() -> Party:
    return keyed_party(Engine(use_bootstrap=True, insecure_log_n=INSECURE_LOG_N), bootstrap="lossy")


def apart(count: int, bound: float, seed: int = 1) -> np.ndarray:
    """Values of a bound, in any order, whose distances are as even as can be."""
    return np.random.default_rng(seed).permutation(np.linspace(-bound, bound, count))


def filled(party: Party, values: Any) -> np.ndarray:
    """Values that are followed by others, which aren't to count."""
    largest = np.abs(values).max()
    rest = np.random.default_rng(5).uniform(-largest, largest, party.engine.slot_count - len(values))
    return np.concatenate([values, rest])


# Outer products.


@pytest.mark.parametrize("shape", [(1, 1), (2, 3), (1, 512), (512, 1), (20, 25), (7, 64)])
def test_outer_products(shape: tuple[int, int], shallow: Party) -> None:
    m, n = shape
    a, b = apart(shallow.engine.slot_count, 2), apart(shallow.engine.slot_count, 3, seed=2)
    x = shallow.engine.encrypt(a, shallow.secret_key, bound=2)
    y = shallow.engine.encrypt(b, shallow.secret_key, bound=3)
    expected = np.outer(a[:m], b[:n]).ravel()
    for result in (
        everlevel.outer(x, y, shape=shape),
        everlevel.outer(x, list(b[:n]), shape=shape),
        everlevel.outer(a[:m], y, shape=shape),
    ):
        assert_claims(result, expected, shallow.secret_key, varied=False)
        assert result.bound <= 6
        assert result.bound_kind == "declared"


# Histograms.


@pytest.mark.parametrize(
    ("count", "bins", "signs"),
    [(4, [-1, 0, 0.5, 1], 1), (None, 4, 3), (100, 7, 2), (100, [0, 0.25, 0.5], 1), (3, [-2, 2], 0), (9, [-0.5, 3], 1)],
)
def test_histograms(count: int | None, bins: Any, signs: int, lossy: Party) -> None:
    edges = np.histogram_bin_edges([-1, 1], bins)
    spread = np.linspace(-1, 1, 1001)
    far = spread[np.abs(spread[:, None] - edges).min(axis=1) > 2.1 * lossy.engine.gap]
    values = np.random.default_rng(2).permutation(np.resize(far, lossy.engine.slot_count))
    x = lossy.engine.encrypt(values, lossy.secret_key, bound=1)
    before = lossy.engine.bootstrap_count
    counts, found_edges = everlevel.histogram(x, bins, count=count)
    assert signs <= lossy.engine.bootstrap_count - before <= 2 * signs + 1
    np.testing.assert_allclose(found_edges, edges)
    found = lossy.engine.decrypt(counts, lossy.secret_key)
    width = len(values) if count is None else count
    np.testing.assert_allclose(found[: len(edges) - 1], np.histogram(values[:width], edges)[0], atol=2.0**-15 * width)
    np.testing.assert_allclose(found[len(edges) - 1 :], 0, atol=2.0**-15 * width)
    if count is None:
        same, _ = np.histogram(x, bins)
        np.testing.assert_allclose(lossy.engine.decrypt(same, lossy.secret_key), found, atol=2.0**-15 * width)


def test_values_near_an_edge_are_parts_of_both_bins(lossy: Party) -> None:
    x = lossy.engine.encrypt(np.full(8, 0.25), lossy.secret_key, bound=1)
    counts, _ = everlevel.histogram(x, [-1, 0.25, 1], count=8)
    np.testing.assert_allclose(lossy.engine.decrypt(counts, lossy.secret_key)[:2], [4, 4], atol=2.0**-10)


# Sorted values.


@pytest.mark.parametrize("width", [1, 2, 4, 8, 32])
def test_every_vector_of_zeros_and_ones_is_sorted(width: int) -> None:
    """A network that sorts all zeros and ones sorts everything (Knuth, "The Art of Computer Programming" 3, 5.3.4)."""
    rng, places = np.random.default_rng(4), np.arange(width)
    every = np.arange(2**width)[:, None] >> places & 1 if width <= 8 else rng.integers(0, 2, (4000, width))
    for kept in (2**power for power in range(width.bit_length())):
        values, taken = every.copy(), 0
        for distance, signs in _sorting.stages(width, kept):
            partners = values[:, places ^ distance]
            values = np.where(signs > 0, np.maximum(values, partners), np.minimum(values, partners))
            taken += 1
        np.testing.assert_array_equal(values[:, :kept], -np.sort(-every, axis=1)[:, :kept])
        a, b = kept.bit_length() - 1, width.bit_length() - 1
        assert taken == a * (a + 1) // 2 + (b - a) * (a + 1)


@pytest.mark.parametrize(("count", "bound", "level"), [(1, 1, None), (3, 10, None), (8, 1, 1), (13, 0.5, None)])
def test_sorted_values(count: int, bound: float, level: int | None, lossy: Party) -> None:
    a = apart(count, bound)
    x = lossy.engine.encrypt(filled(lossy, a), lossy.secret_key, bound=bound, level=level)
    tolerance = 2.0**-15 * 2 * bound
    rising = everlevel.sort(x, count=count)
    found = lossy.engine.decrypt(rising, lossy.secret_key)
    np.testing.assert_allclose(found[:count], np.sort(a), atol=tolerance)
    np.testing.assert_allclose(found[count:], 0, atol=tolerance)
    assert rising.bound <= bound * 1.01
    middle = lossy.engine.decrypt(everlevel.median(x, count=count), lossy.secret_key)
    np.testing.assert_allclose(middle, np.median(a), atol=tolerance)
    k = min(count, 3)
    found = lossy.engine.decrypt(everlevel.top_k(x, k, count=count), lossy.secret_key)
    np.testing.assert_allclose(found[:k], -np.sort(-a)[:k], atol=tolerance)
    np.testing.assert_allclose(found[k:], 0, atol=tolerance)


def test_the_most_values_that_are_promised() -> None:
    party = new_party(Engine(use_bootstrap=True, insecure_log_n=INSECURE_LOG_N, gap=2**-9))
    party.engine.create_evaluation_key(party.secret_key, bootstrap="lossy")
    for count, call, exact in (
        (64, lambda x: everlevel.sort(x, count=64), lambda a: np.sort(a)),
        (256, lambda x: everlevel.top_k(x, 2, count=256), lambda a: -np.sort(-a)[:2]),
        (255, lambda x: everlevel.median(x, count=255), lambda a: np.full(9, np.median(a))),
    ):
        a = apart(count, 1)
        result = call(party.engine.encrypt(filled(party, a), party.secret_key, bound=1))
        expected = exact(a)
        found = party.engine.decrypt(result, party.secret_key)[: len(expected)]
        np.testing.assert_allclose(found, expected, atol=2.0**-15 * 2)


def test_ties_and_neighbours(lossy: Party) -> None:
    ties = np.array([0.5, 0.5, 0.5, -0.25, -0.25, 0.5, 1, 0])
    x = lossy.engine.encrypt(ties, lossy.secret_key, bound=1)
    found = lossy.engine.decrypt(everlevel.sort(x, count=8), lossy.secret_key)[:8]
    np.testing.assert_allclose(found, np.sort(ties), atol=2.0**-14)
    a = np.random.default_rng(3).uniform(-1, 1, 16)
    x = lossy.engine.encrypt(a, lossy.secret_key, bound=1)
    found = lossy.engine.decrypt(everlevel.sort(x, count=16), lossy.secret_key)[:16]
    # Ten stages, each of which may take half of the gap from one to another.
    assert np.abs(found - np.sort(a)).max() <= 10 * lossy.engine.gap
    assert abs(found.sum() - a.sum()) <= 2.0**-10


def test_sorting_what_was_not_declared(lossy: Party) -> None:
    result = everlevel.sort(lossy.engine.encrypt([0.5, -0.5, 0.25], lossy.secret_key), count=3)
    assert result.bound_kind == "assumed"
    found = lossy.engine.decrypt(result, lossy.secret_key)
    np.testing.assert_allclose(found, [-0.5, 0.25, 0.5], atol=2.0**-14)


REFUSALS: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "no count": (r"^sort: count is 0, and 1 to 512", lambda x: everlevel.sort(x, count=0)),
    "too many": (r"^median: count is 513, and 1 to 512", lambda x: everlevel.median(x, count=513)),
    "a count of another kind": (r"^sort: count is 'a' of type", lambda x: everlevel.sort(x, count="a")),  # type: ignore[arg-type]
    "more than there are": (r"^top_k: k is 5, and 1 to 4 is taken", lambda x: everlevel.top_k(x, 5, count=4)),
    "an array": (r"^sort: x is of type ndarray", lambda x: everlevel.sort(np.ones(3), count=3)),  # type: ignore[arg-type]
    "units": (r"^sort: the ciphertext has 2 units", lambda x: everlevel.sort(x._engine.vstack([x, x]), count=3)),
    "complex": (r"^sort: the ciphertext is complex", lambda x: everlevel.sort(1j * x, count=3)),
    "no bins": (r"^histogram: bins is 0, and 1 to 512", lambda x: everlevel.histogram(x, 0)),
    "bins without order": (r"^histogram: bins is \[1, 0\], and", lambda x: everlevel.histogram(x, [1, 0])),
    "one edge": (r"^histogram: bins is \[1\], and", lambda x: everlevel.histogram(x, [1])),
    "complex edges": (r"^histogram: bins is .* edges are real", lambda x: everlevel.histogram(x, [0, 1j])),
    "a range": (r"^histogram: interval is \(1, 0\)", lambda x: everlevel.histogram(x, 3, (1, 0))),
    "a density": (r"^numpy\.histogram: ", lambda x: np.histogram(x, density=True)),
    "no shape": (r"^outer: shape is \(3,\), and two sizes", lambda x: everlevel.outer(x, x, shape=(3,))),  # type: ignore[arg-type]
    "a large shape": (r"^outer: shape is \(9, 99\), .* 512", lambda x: everlevel.outer(x, x, shape=(9, 99))),
    "another length": (
        r"^outer: .* 3 values, and shape says 2",
        lambda x: everlevel.outer(x, np.ones(3), shape=(4, 2)),
    ),
    "both in the clear": (r"^outer: .* one must", lambda x: everlevel.outer([1.0], [1.0], shape=(1, 1))),
}


@pytest.mark.parametrize("what", REFUSALS)
def test_refusals(what: str, lossy: Party) -> None:
    words, call = REFUSALS[what]
    x = lossy.engine.encrypt([0.5, -0.5], lossy.secret_key, bound=1)
    with pytest.raises(errors.EverlevelError, match=words) as caught:
        call(x)
    assert ";" in str(caught.value)


def test_what_sorting_needs(shallow: Party) -> None:
    x = shallow.engine.encrypt([0.5, -0.5], shallow.secret_key, bound=1)
    for call in (lambda: everlevel.sort(x, count=2), lambda: everlevel.histogram(x, 2), lambda: everlevel.floor(x)):
        with pytest.raises(errors.ParameterError, match="use_bootstrap is False and True is needed"):
            call()
