"""Products of encrypted matrices, inverses and least squares, against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import everlevel
from claims import assert_claims
from everlevel import Engine, errors
from parties import INSECURE_LOG_N, Party, keyed_party


@pytest.fixture(scope="module")
def levels() -> Party:
    return keyed_party(Engine(max_level=18, insecure_log_n=INSECURE_LOG_N))


def drawn(rng: np.random.Generator, party: Party, shape: tuple[int, ...], bound: Any = 1) -> tuple[Any, Any]:
    low, high = bound if isinstance(bound, tuple) else (-bound, bound)
    values = rng.uniform(low, high, shape)
    return values, party.engine.encrypt(values, party.secret_key, bound=bound)


# Of all sides the products are made at once, or by diagonals; 16 × 16 is half of the slots, and 22 × 22 nearly all.
SHAPES = [
    ((2, 3), (3, 4)),
    ((8, 8), (8, 8)),
    ((1, 5), (5, 1)),
    ((30, 2), (2, 3)),
    ((16, 16), (16, 16)),
    ((22, 22), (22, 22)),
    ((20, 12), (12, 7)),
    ((5, 20), (20, 20)),
    ((4,), (4, 3)),
    ((5, 4), (4,)),
    ((22, 22), (22,)),
    ((3, 100), (100, 4)),
    ((2, 250), (250, 2)),
]


@pytest.mark.parametrize(("left", "right"), SHAPES)
def test_products_of_matrices(left: Any, right: Any, levels: Party, rng: np.random.Generator) -> None:
    a, x = drawn(rng, levels, left)
    b, y = drawn(rng, levels, right, (0, 2))
    m, k, n = (left[0] if len(left) == 2 else 1), left[-1], (right[1] if len(right) == 2 else 1)
    for first, second in ((x, y), (a, y), (x, b)):
        result = first @ second
        assert result.shape == np.shape(a @ b)
        assert_claims(result, a @ b, levels.secret_key, varied=False, error=1e-4)
    product = x @ y
    assert product.bound <= 2 * k * (1 + 2**-40)
    assert product.bound_kind == "declared"
    consumed = x.level - product.level
    is_by_diagonals = max(m, k, n) ** 2 <= x.slot_count < m * k * n
    assert consumed == (3 + (n < max(m, k)) if is_by_diagonals else 2)
    np.testing.assert_array_equal(
        levels.engine.decrypt(np.matmul(x, y), levels.secret_key), levels.engine.decrypt(product, levels.secret_key)
    )


def test_intervals_and_padding_of_products(levels: Party, rng: np.random.Generator) -> None:
    a, x = drawn(rng, levels, (3, 3), (0, 1))
    b, y = drawn(rng, levels, (3, 3), (1, 2))
    product = x @ y
    assert product.interval == pytest.approx((0, 6))
    # What lies behind a slice or a sum is none of the product's.
    rows = (x + levels.engine.encrypt(5.0, levels.secret_key, bound=5))[1:] @ y
    assert_claims(rows, (a + 5)[1:] @ b, levels.secret_key, varied=False, error=1e-4)
    assert_claims(product.sum(), (a @ b).sum(), levels.secret_key, varied=False, error=1e-3)
    assert_claims(x @ y @ x.T, a @ b @ a.T, levels.secret_key, varied=False, error=1e-3)
    z = levels.engine.encrypt(1j * a, levels.secret_key, bound=1)
    assert_claims(z @ y, 1j * a @ b, levels.secret_key, varied=False, error=1e-4)
    assert_claims(np.dot(x, y), a @ b, levels.secret_key, varied=False, error=1e-4)


def test_inner_products_are_along_last_axes(levels: Party, rng: np.random.Generator) -> None:
    a, x = drawn(rng, levels, (3,))
    matrix = rng.uniform(-1, 1, (3, 3))
    for found, expected in (
        (np.inner(x, matrix), np.inner(a, matrix)),
        (np.inner(matrix, x), np.inner(matrix, a)),
        (np.dot(x, matrix), a @ matrix),
        (np.inner(x, x), a @ a),
    ):
        decrypted = np.ravel(levels.engine.decrypt(found, levels.secret_key))
        np.testing.assert_allclose(decrypted[: np.size(expected)], expected, atol=1e-4)


def matrix_of(rng: np.random.Generator, values: Any, *, hermitian: bool) -> Any:
    """Draw a matrix of these singular values."""
    left, right = (np.linalg.qr(rng.normal(size=(len(values), len(values))))[0] for _ in range(2))
    return left @ np.diag(values) @ (left if hermitian else right).T


@pytest.mark.parametrize(("size", "hermitian", "ratio"), [(1, True, 2), (2, True, 20), (8, True, 4), (8, False, 2)])
def test_inverses(size: int, hermitian: bool, ratio: float, levels: Party, rng: np.random.Generator) -> None:
    a = matrix_of(rng, np.linspace(1, ratio, size), hermitian=hermitian)
    x = levels.engine.encrypt(a, levels.secret_key, bound=ratio)
    y = everlevel.inverse(x, interval=(1, ratio), hermitian=hermitian)
    exact = np.linalg.inv(a)
    found = levels.engine.decrypt(y, levels.secret_key)
    assert np.abs(found - exact).max() <= 2.0**-15 * max(np.ptp(exact), 1 / ratio)
    assert y.bound_kind == "claimed"
    steps = int(np.ceil(np.log2(17 * np.log(2) / np.log((ratio + 1) / (ratio - 1))))) if hermitian else 5
    assert x.level - y.level == (2 * steps + 1 if hermitian else 3 + 2 * steps)


def test_an_inverse_bootstraps(rng: np.random.Generator) -> None:
    party = keyed_party(Engine(auto_bootstrap=True, insecure_log_n=INSECURE_LOG_N))
    a = matrix_of(rng, np.linspace(0.5, 2, 8), hermitian=False)
    x = party.engine.encrypt(a, party.secret_key, bound=2)
    found = party.engine.decrypt(everlevel.inverse(x, interval=(0.5, 2)), party.secret_key)
    assert np.abs(found - np.linalg.inv(a)).max() <= 2.0**-15 * np.ptp(np.linalg.inv(a))


@pytest.mark.parametrize("columns", [None, 2])
def test_least_squares(columns: int | None, levels: Party, rng: np.random.Generator) -> None:
    a = np.c_[np.ones(40), rng.uniform(-1, 1, (40, 2))]
    b = a @ rng.uniform(-1, 1, (3, columns or 1)) + 0.1 * rng.normal(size=(40, columns or 1))
    b = b[:, 0] if columns is None else b
    x = levels.engine.encrypt(a, levels.secret_key, bound=1)
    interval = tuple(np.linalg.svd(a)[1][[-1, 0]] * [0.9, 1.1])
    expected = np.linalg.lstsq(a, b, rcond=None)[0]
    for y in (levels.engine.encrypt(b, levels.secret_key, bound=4), b):
        found = levels.engine.decrypt(everlevel.least_squares(x, y, interval=interval), levels.secret_key)
        np.testing.assert_allclose(found, expected, atol=2.0**-12)


def test_tall_tables(rng: np.random.Generator) -> None:
    wide = keyed_party(Engine(max_level=14, insecure_log_n=12))
    a = np.c_[np.ones(200), rng.uniform(-1, 1, (200, 2))]
    b = a @ [0.5, -0.25, 0.75] + 0.1 * rng.normal(size=200)
    x, y = (wide.engine.encrypt(values, wide.secret_key, bound=2) for values in (a, b))
    product = x.T @ x
    assert x.level - product.level in (3, 4)  # one for the transpose
    np.testing.assert_allclose(wide.engine.decrypt(product, wide.secret_key), a.T @ a, atol=1e-4)
    interval = tuple(np.linalg.svd(a)[1][[-1, 0]] * [0.9, 1.1])
    found = wide.engine.decrypt(everlevel.least_squares(x, y, interval=interval), wide.secret_key)
    np.testing.assert_allclose(found, np.linalg.lstsq(a, b, rcond=None)[0], atol=2.0**-12)
    np.testing.assert_allclose(wide.engine.decrypt(np.dot(x, 2), wide.secret_key), 2 * a, atol=1e-5)
    with pytest.raises(errors.MessageError, match=r"^matmul: the shapes are \(200, 3\) and \(\), "):
        np.matmul(x, 2.0)


def test_what_cannot_be_multiplied_is_refused(levels: Party) -> None:
    engine, key = levels.engine, levels.secret_key
    x, wide = engine.encrypt(np.ones((2, 3)), key, bound=1), engine.encrypt(np.ones((1, 30)), key, bound=1)
    with pytest.raises(errors.MessageError, match=r"^matmul: the shapes are \(2, 3\) and \(2, 3\), .*transpose one"):
        x @ x
    with pytest.raises(errors.MessageError, match=r"^matmul: the shapes are \(30, 1\) and \(1, 30\), .* 512 slots; m"):
        wide.T @ wide
    with pytest.raises(errors.OperandTypeError, match=r"^matmul: .*Plaintext, and pass the array itself"):
        x @ engine.encode(np.ones((3, 2)))
    with pytest.raises(errors.OperandTypeError, match="a vector is needed"):
        engine.encode_to_plain_matrix(np.eye(2), level=2) @ x
    with pytest.raises(errors.OperandTypeError, match=r"^inner: .*a vector is needed"):
        np.inner(x.reshape(1, 2, 3), np.ones((2, 3)))
    for call in (everlevel.inverse, lambda x: everlevel.least_squares(x, [1.0, 2.0])):
        with pytest.raises(errors.ParameterError, match=r"interval is None, and singular values above 0 are needed"):
            call(x)
    with pytest.raises(errors.ParameterError, match=r"interval is \(0, 1\), and singular values"):
        everlevel.inverse(x, interval=(0, 1))
    with pytest.raises(errors.MessageError, match=r"^inverse: .*\(2, 3\), and a square .*least_squares"):
        everlevel.inverse(x, interval=(0.5, 1))
    with pytest.raises(errors.MessageError, match=r"^least_squares: the shapes"):
        everlevel.least_squares(x, [1.0, 2.0, 3.0], interval=(0.5, 1))
    with pytest.raises(errors.OperandTypeError, match=r"inv: .*everlevel\.inverse"):
        np.linalg.inv(x)
    with pytest.raises(errors.OperandTypeError, match=r"lstsq: .*everlevel\.least_squares"):
        np.linalg.lstsq(x, [1.0, 2.0])
    with pytest.raises(errors.OperandTypeError, match=r"solve: .*everlevel\.inverse"):
        np.linalg.solve(x, [1.0, 2.0])
