"""Light plaintexts, and plain matrices times encrypted vectors, against NumPy."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from claims import assert_claims
from everlevel import (
    Engine,
    LightPlainMatrix,
    LightPlaintext,
    MatrixMultiplicationKey,
    PlainMatrix,
    RotationKey,
    errors,
)
from parties import Party, new_party, of_1x

SLOTS = 512


@pytest.fixture(scope="module")
def matrix_key(party: Party) -> MatrixMultiplicationKey:
    return party.engine.create_matrix_multiplication_key(party.secret_key)


def filled(values: np.ndarray) -> np.ndarray:
    return np.pad(values, (0, SLOTS - len(values)))


@pytest.mark.parametrize("shape", [(512, 512), (3, 5), (1, 512), (512, 1), (10, 300), (64, 64)])
@pytest.mark.parametrize("dtype", ["real", "complex", "int"])
def test_products_are_numpys(
    party: Party,
    rotation_key: RotationKey,
    matrix_key: MatrixMultiplicationKey,
    rng: np.random.Generator,
    shape: tuple[int, int],
    dtype: str,
) -> None:
    engine = party.engine
    x, m = rng.uniform(-1, 1, SLOTS), rng.uniform(-1, 1, shape)
    if dtype == "complex":
        m = m + 1j * rng.uniform(-1, 1, shape)
    elif dtype == "int":
        m = rng.integers(-3, 4, shape)
    a = engine.encrypt(x, party.public_key, level=3)
    expected = filled(m @ x[: shape[1]])
    plain, light = engine.encode_to_plain_matrix(m, 3), engine.encode_to_light_plain_matrix(m, level=3)
    assert plain.shape == light.shape == shape
    for product in (
        engine.multiply_matrix(m, a, rotation_key),
        engine.multiply_matrix(plain, a, rotation_key),
        engine.multiply_matrix(light, a, key=matrix_key),
        engine.multiply_matrix(plain, a, matrix_key),
        plain @ a,
        m @ a,
    ):
        assert (product.level, product.is_real) == (2, dtype != "complex")
        assert_claims(product, expected, party.secret_key)


def test_every_unit_is_multiplied(party: Party, rotation_key: RotationKey, rng: np.random.Generator) -> None:
    x, m = rng.uniform(-1, 1, (2, SLOTS)), rng.uniform(-1, 1, (20, 30))
    a = party.engine.encrypt(x.ravel(), party.public_key)
    product = party.engine.multiply_matrix(m, a, rotation_key)
    expected = np.concatenate([filled(m @ row[:30]) for row in x])
    assert_claims(product, expected, party.secret_key)


@pytest.mark.parametrize("shape", [(600, 512), (30, 1100), (1100, 600)])
def test_matrices_larger_than_the_slots(
    party: Party, matrix_key: MatrixMultiplicationKey, rng: np.random.Generator, shape: tuple[int, int], tmp_path: Path
) -> None:
    engine = party.engine
    m, x = rng.uniform(-1, 1, shape) / 20, rng.uniform(-1, 1, shape[1])
    a = engine.encrypt(x, party.public_key, level=3)
    plain, light = engine.encode_to_plain_matrix(m, 3), engine.encode_to_light_plain_matrix(m, level=3)
    plain.save(tmp_path / "matrix")
    loaded = engine.load(tmp_path / "matrix")
    assert isinstance(loaded, PlainMatrix)
    assert (plain.shape, loaded.shape) == (shape, shape)
    for product in (m @ a, engine.multiply_matrix(plain, a, matrix_key), light @ a, loaded @ a):
        assert (product.unit_count, product.level, product.is_real) == (-(-shape[0] // SLOTS), 2, True)
        assert_claims(product, m @ x, party.secret_key)
    units = -(-shape[1] // SLOTS)
    twice = engine.vstack([a, a])
    one = np.pad(m @ x, (0, -shape[0] % SLOTS))
    assert_claims(plain @ twice, [*one, *one], party.secret_key)
    if units > 1:
        with pytest.raises(errors.UnitCountError, match=f"{shape[1]} columns, which fill {units} units of 512 slots"):
            plain @ engine.encrypt([1.0], party.public_key)


def test_chosen_diagonals(party: Party, rotation_key: RotationKey, rng: np.random.Generator) -> None:
    engine = party.engine
    x, m = rng.uniform(-1, 1, SLOTS), rng.uniform(-1, 1, (SLOTS, SLOTS))
    a = engine.encrypt(x, party.public_key, level=1)
    band = np.diag(np.diag(m)) + np.diag(np.diag(m, 1), 1) + np.diag(np.diag(m, -1), -1)
    band[0, -1], band[-1, 0] = m[0, -1], m[-1, 0]
    for matrix in (
        engine.encode_to_plain_matrix(m, 1, [0, 1, -1]),
        of_1x(party).encode_to_plain_matrix(m, [0, 1, SLOTS - 1]),
        engine.encode_to_light_plain_matrix(m, diagonal_indices=[0, 1, -1]),
        engine.encode_to_plain_matrix(band, 1),
    ):
        assert matrix.diagonal_count == 3
        product = engine.multiply_matrix(matrix, a, rotation_key)
        assert_claims(product, band @ x, party.secret_key)


def test_diagonals_by_their_offsets(
    party: Party, matrix_key: MatrixMultiplicationKey, rng: np.random.Generator
) -> None:
    engine = party.engine
    x = rng.uniform(-1, 1, SLOTS)
    diagonals = {0: rng.uniform(-1, 1, SLOTS), -1: rng.uniform(-1, 1, SLOTS), 300: np.arange(SLOTS) / SLOTS}
    dense, row = np.zeros((SLOTS, SLOTS)), np.arange(SLOTS)
    for offset, vector in diagonals.items():
        dense[row, (row + offset) % SLOTS] = vector
    a = engine.encrypt(x, party.public_key, level=3)
    plain, light = engine.encode_to_plain_matrix(diagonals, 3), engine.encode_to_light_plain_matrix(diagonals, 3)
    assert (plain.shape, plain.diagonal_count, plain.is_real) == ((SLOTS, SLOTS), 3, True)
    assert plain.to_bytes() == engine.encode_to_plain_matrix(dense, 3).to_bytes()
    assert light.to_bytes() == engine.encode_to_light_plain_matrix(dense, 3).to_bytes()
    for product in (plain @ a, diagonals @ a, engine.multiply_matrix(diagonals, a, matrix_key)):
        assert_claims(product, dense @ x, party.secret_key)
    assert engine.encode_to_plain_matrix(diagonals, 3, [0, 5]).diagonal_count == 2
    turned = {300: 1j * diagonals[300]} @ a
    assert not turned.is_real
    assert_claims(turned, 1j * diagonals[300] * np.roll(x, -300), party.secret_key)
    # Zeros, of which no diagonal is left.
    assert_claims({7: np.zeros(SLOTS)} @ a, np.zeros(SLOTS), party.secret_key)


@pytest.mark.parametrize("shape", [(9, 512), (20, 30), (600, 1100), (1, 1)])
def test_sparse_matrices(
    party: Party, matrix_key: MatrixMultiplicationKey, rng: np.random.Generator, shape: tuple[int, int]
) -> None:
    sparse = pytest.importorskip("scipy.sparse")
    engine = party.engine
    dense = rng.uniform(-1, 1, shape) * (np.subtract.outer(np.arange(shape[0]), np.arange(shape[1])) % 100 < 3)
    x = rng.uniform(-1, 1, shape[1])
    a = engine.encrypt(x, party.public_key, level=2)
    encoded = engine.encode_to_plain_matrix(dense, 2)
    for matrix in (sparse.csr_array(dense), sparse.coo_matrix(dense), sparse.dia_array(dense)):
        assert engine.encode_to_plain_matrix(matrix, 2).to_bytes() == encoded.to_bytes()
    product = engine.multiply_matrix(sparse.csc_array(dense), a)
    assert product.to_bytes() == engine.multiply_matrix(encoded, a).to_bytes()
    assert_claims(product, dense @ x, party.secret_key)
    # An entry that is given twice is the sum.
    twice = sparse.coo_array(([0.25, 0.5], ([0, 0], [0, 0])), shape=shape)
    assert_claims(engine.multiply_matrix(twice, a, matrix_key), [0.75 * x[0]], party.secret_key)


@pytest.mark.parametrize(("rows", "columns", "period"), [(10, 128, 128), (500, 7, 8), (512, 16, 16), (3, 1, 1)])
def test_matrices_for_vectors_that_repeat(
    party: Party, matrix_key: MatrixMultiplicationKey, rng: np.random.Generator, rows: int, columns: int, period: int
) -> None:
    sparse = pytest.importorskip("scipy.sparse")
    engine, dense, x = party.engine, rng.uniform(-1, 1, (rows, columns)), rng.uniform(-1, 1, columns)
    repeated = np.tile(np.pad(x, (0, period - columns)), SLOTS // period)
    a = engine.encrypt(repeated, party.public_key, level=2)
    matrix = engine.encode_to_plain_matrix(dense, 2, period=period)
    assert matrix.shape == (SLOTS, SLOTS)
    assert matrix.diagonal_count in (period, columns)
    product = engine.multiply_matrix(matrix, a, matrix_key)
    assert_claims(product, np.pad(dense @ x, (0, SLOTS - rows)), party.secret_key)
    light = engine.encode_to_light_plain_matrix(sparse.csr_array(dense), 2, period=period)
    assert engine.multiply_matrix(light, a, matrix_key).to_bytes() == product.to_bytes()


def test_periods_that_cannot_be(party: Party) -> None:
    engine: Any = party.engine
    for matrix, period, kind, words in (
        (np.ones((2, 3)), 3, errors.ParameterError, "period is 3"),
        (np.ones((2, 3)), 1024, errors.ParameterError, "period is 1024"),
        (np.ones((2, 3)), 2.0, errors.OperandTypeError, "period"),
        (np.ones((2, 3)), 2, errors.MessageError, r"2 × 3, and of vectors that repeat after 2 slots up to 2 columns"),
        (np.ones((600, 3)), 4, errors.MessageError, "600 × 3"),
        ({0: np.ones(SLOTS)}, 4, errors.OperandTypeError, "leave period out"),
        (np.full((2, 3), np.nan), 4, errors.MessageError, "finite"),
    ):
        with pytest.raises(kind, match=words):
            engine.encode_to_plain_matrix(matrix, period=period)
    zeros = engine.encode_to_plain_matrix(np.zeros((2, 3)), 1, period=4)
    assert_claims(zeros @ engine.encrypt(np.ones(SLOTS), party.public_key), np.zeros(SLOTS), party.secret_key)


def test_keys_of_a_matrix_alone(party: Party, rng: np.random.Generator) -> None:
    engine = Engine(max_level=3, insecure_log_n=10)
    secret_key = engine.create_secret_key()
    diagonals = {offset: rng.uniform(-1, 1, SLOTS) for offset in (0, 1, 3, 64, 67, -2)}
    x = rng.uniform(-1, 1, SLOTS)
    expected = sum(vector * np.roll(x, -offset) for offset, vector in diagonals.items())
    matrix = engine.encode_to_plain_matrix(diagonals, 2)
    assert engine.encode_to_light_plain_matrix(diagonals, 2).rotations == matrix.rotations
    # Baby steps below 4 to the left; giant steps from 64 to 0, from there to -4, and back.
    assert matrix.rotations == (-1, -2, -3, -4, -64, 4)
    key = engine.create_evaluation_key(secret_key, rotations=matrix.rotations)
    a = engine.encrypt(x, secret_key)
    whole = engine.create_rotation_key(secret_key)
    engine.forget_keys()
    product = engine.multiply_matrix(matrix, a, key)
    assert product.level == 1
    assert_claims(product, expected, secret_key)
    assert key.nbytes < whole.nbytes
    engine.use(key)
    assert_claims(matrix @ a, expected, secret_key)
    engine.forget_keys()
    fewer = engine.create_evaluation_key(secret_key, rotations=matrix.rotations[1:])
    engine.forget_keys()
    with pytest.raises(errors.MissingKeyError, match="multiply_matrix"):
        engine.multiply_matrix(matrix, a, fewer)
    assert engine.encode_to_plain_matrix([[2.0]]).rotations == ()


def test_bad_diagonals(party: Party) -> None:
    engine: Any = party.engine
    vector = np.ones(SLOTS)
    for diagonals, kind, words in (
        ({}, errors.MessageError, "no diagonals"),
        ({0.5: vector}, errors.OperandTypeError, "an offset"),
        ({0: [1.0, 2.0]}, errors.MessageError, r"offset 0 has shape \(2,\), and one entry for each of 512 slots"),
        ({1: vector, -511: vector}, errors.MessageError, "1 and -511 are offsets of one diagonal"),
        ({0: ["a"] * SLOTS}, errors.MessageTypeError, "dtype"),
        ({0: np.full(SLOTS, np.inf)}, errors.MessageError, "finite"),
        ({0: np.full(SLOTS, 1e300)}, errors.ScaleError, "holds less than"),
    ):
        with pytest.raises(kind, match=words):
            engine.encode_to_plain_matrix(diagonals)
    sparse = pytest.importorskip("scipy.sparse")
    for matrix, kind in (
        (sparse.coo_array([1.0, 2.0]), errors.MessageError),
        (sparse.csr_array([[np.nan]]), errors.MessageError),
        (sparse.csr_array((0, 4)), errors.ParameterError),
    ):
        with pytest.raises(kind):
            engine.encode_to_plain_matrix(matrix)


def test_levels_of_matrices(party: Party, rotation_key: RotationKey, rng: np.random.Generator) -> None:
    engine, m = party.engine, rng.uniform(-1, 1, (9, 9))
    x = rng.uniform(-1, 1, 9)
    plain, light = engine.encode_to_plain_matrix(m), engine.encode_to_light_plain_matrix(m, 1)
    assert (plain.level, light.level) == (5, 1)
    lowered, raised = engine.level_down(plain, 2), engine.change_level(light, 5)
    assert (lowered.level, raised.level) == (2, 5)
    assert isinstance(lowered, PlainMatrix)
    assert lowered.nbytes < plain.nbytes
    assert raised.nbytes == light.nbytes == light.diagonal_count * 8 * SLOTS  # half of the coefficients of real entries
    for matrix, level_in, level_out in ((plain, 2, 1), (lowered, 5, 1), (light, 5, 0), (raised, 3, 2)):
        product = engine.multiply_matrix(matrix, engine.encrypt(x, party.public_key, level=level_in), rotation_key)
        assert product.level == level_out
        assert_claims(product, filled(m @ x), party.secret_key)
    with pytest.raises(errors.LevelError, match="the plain matrix is at level 2"):
        engine.level_down(lowered, 3)
    with pytest.raises(errors.ParameterError, match="level of the matrix = 0"):
        engine.change_level(light, 0)


def test_real_matrices_take_half_the_memory(
    party: Party, rotation_key: RotationKey, rng: np.random.Generator, tmp_path: Path
) -> None:
    engine, x = party.engine, rng.uniform(-1, 1, 40)
    real = rng.uniform(-1, 1, (30, 40))
    a = engine.encrypt(x, party.public_key, level=3)
    for encode in (engine.encode_to_plain_matrix, engine.encode_to_light_plain_matrix):
        matrix, complex_ones = encode(real, 3), encode(real * (1 + 1j), 3)
        assert matrix.diagonal_count == complex_ones.diagonal_count
        assert 1.9 * matrix.nbytes <= complex_ones.nbytes <= 2 * matrix.nbytes
        assert 1.8 * len(matrix.to_bytes()) <= len(complex_ones.to_bytes())
        # The same numbers, from memory and from files.
        for one, factor in ((matrix, 1), (complex_ones, 1 + 1j)):
            one.save(tmp_path / "matrix")
            loaded = engine.load(tmp_path / "matrix", mapped=True)
            assert type(loaded) is type(one)
            assert loaded.nbytes <= one.nbytes
            products = [engine.multiply_matrix(m, a, rotation_key) for m in (one, loaded)]
            values = [engine.decrypt(product, party.secret_key) for product in products]
            np.testing.assert_array_equal(*values)
            assert_claims(products[0], filled(factor * (real @ x)), party.secret_key)
    sizes = [engine.estimate_memory("encode_to_plain_matrix", level=3, is_real=flag).held for flag in (True, False)]
    assert 1.9 * sizes[0] <= sizes[1] <= 2 * sizes[0]


def test_matrices_tell_their_size(party: Party, matrix_key: MatrixMultiplicationKey) -> None:
    matrix = party.engine.encode_to_plain_matrix(np.ones((2, 3)), 1)
    assert repr(matrix).startswith("PlainMatrix(2×3, 4 diagonals, level 1, ")
    light = party.engine.encode_to_light_plain_matrix(1j * np.ones((2, 3)))
    assert repr(light).startswith("LightPlainMatrix(2×3, 4 diagonals, level 5, ")
    assert (matrix.is_real, light.is_real) == (True, False)
    assert repr(matrix_key).startswith("MatrixMultiplicationKey(level 5, ")
    assert not matrix_key.is_cuda


def test_bad_matrices(party: Party, rotation_key: RotationKey) -> None:
    engine: Any = party.engine
    a = engine.encrypt([1.0], party.public_key)
    for call, kind in (
        (lambda: engine.encode_to_plain_matrix(np.ones(3)), errors.MessageError),
        (lambda: engine.encode_to_plain_matrix([["a"]]), errors.MessageTypeError),
        (lambda: engine.encode_to_plain_matrix([[np.nan]]), errors.MessageError),
        (lambda: engine.encode_to_plain_matrix([[1e300]]), errors.ScaleError),
        (lambda: engine.encode_to_plain_matrix(np.ones((0, 4))), errors.ParameterError),
        (lambda: engine.encode_to_light_plain_matrix([[1.0]], 0), errors.ParameterError),
        (lambda: engine.encode_to_light_plain_matrix([[1.0]], 6), errors.LevelError),
        (lambda: engine.encode_to_light_plain_matrix([[1.0]], 1, [0.5]), errors.OperandTypeError),
        (lambda: engine.encode_to_light_plain_matrix([[1.0]], 1, []), errors.ParameterError),
        (lambda: engine.multiply_matrix([[1.0]], engine.level_down(a, 0), rotation_key), errors.LevelError),
        (lambda: engine.multiply_matrix([[1.0]], a, 1), errors.OperandTypeError),
        (lambda: engine.multiply_matrix(np.ones((1, 513)), a, rotation_key), errors.UnitCountError),
        (lambda: engine.multiply_matrix([[1.0]], [1.0], rotation_key), errors.OperandTypeError),
        (
            lambda: engine.multiply_matrix([[1.0]], engine.multiply(a, a, relinearize=False), rotation_key),
            errors.CiphertextFormError,
        ),
        (
            lambda: engine.multiply_matrix(np.full((1, 1), 1e11), engine.level_down(a, 1), rotation_key),
            errors.ScaleError,
        ),
        (lambda: np.ones((2, 2)) @ engine.encode_to_plain_matrix([[1.0]]), TypeError),
    ):
        with pytest.raises(kind):
            call()
    stranger = new_party(engine)
    with pytest.raises(errors.KeyMismatchError, match="multiply_matrix"):
        engine.multiply_matrix([[1.0]], engine.encrypt([1.0], stranger.public_key), rotation_key)
    other = Engine(max_level=3, insecure_log_n=10)
    with pytest.raises(errors.EngineMismatchError, match="multiply_matrix"):
        engine.multiply_matrix(other.encode_to_plain_matrix([[1.0]]), a, rotation_key)
    low = engine.create_matrix_multiplication_key(party.secret_key, level=1)
    with pytest.raises(errors.LevelError, match="serves levels up to 1, and the ciphertext is at level 5"):
        engine.multiply_matrix([[1.0]], a, low)


def test_the_operator_needs_a_key_that_serves() -> None:
    engine = Engine(max_level=2, insecure_log_n=10)
    secret_key = engine.create_secret_key()
    a = engine.encrypt([1.0, 2.0], secret_key, bound=2)
    with pytest.raises(errors.MissingKeyError, match="no rotation key"):
        np.eye(2) @ a
    engine.create_matrix_multiplication_key(secret_key, level=1)
    with pytest.raises(errors.MissingKeyError, match="no rotation key"):
        np.eye(2) @ a
    assert_claims(np.eye(2) @ engine.level_down(a, 1), [1, 2], secret_key)
    engine.create_rotation_key(secret_key)
    assert (np.eye(2) @ a).level == 1


def test_light_plaintexts_are_operands(party: Party, rng: np.random.Generator) -> None:
    engine, x, w = party.engine, rng.uniform(-1, 1, 700), rng.uniform(-1, 1, 700)
    a = engine.encrypt(x, party.public_key)
    light, plain = engine.encode_to_light_plaintext(w), engine.encode(w)
    assert (len(light), light.level, light.nbytes) == (2, 5, 2 * 16 * SLOTS)
    assert light.nbytes < plain.nbytes
    assert "slots 2×512" in repr(light)
    for result, same, expected in (
        (engine.add(a, light), engine.add(a, plain), x + w),
        (light + a, plain + a, x + w),
        (engine.subtract(light, a), engine.subtract(plain, a), w - x),
        (a - light, a - plain, x - w),
        (engine.multiply(light, a), engine.multiply(plain, a), x * w),
    ):
        assert result.to_bytes() == same.to_bytes()
        assert_claims(result, expected, party.secret_key)
    low = engine.change_level(light, 2)
    assert (low.level, (a * low).level, (engine.level_down(a, 1) * low).level) == (2, 1, 0)
    assert_claims(a * low, x * w, party.secret_key)
    assert not engine.multiply(a, engine.encode_to_light_plaintext(1j * w)).is_real
    with pytest.raises(errors.UnitCountError):
        a * engine.encode_to_light_plaintext([1.0])
    with pytest.raises(errors.LevelError):
        engine.change_level(light, 6)
    with pytest.raises(errors.OperandTypeError, match="light_plaintext is of type Plaintext"):
        engine.change_level(plain, 1)  # type: ignore[type-var]
    with pytest.raises(errors.MessageError):
        engine.encode_to_light_plaintext([np.inf])


def test_files(party: Party, matrix_key: MatrixMultiplicationKey, rotation_key: RotationKey, tmp_path: Path) -> None:
    engine, m = party.engine, np.array([[1.0, 2.0], [3.0, 4.0]])
    objects = {
        "light_plaintext": engine.encode_to_light_plaintext(np.arange(600) * 1j, 2),
        "plain_matrix": engine.encode_to_plain_matrix(m, 2),
        "light_plain_matrix": engine.encode_to_light_plain_matrix(m, 3),
        "matrix_multiplication_key": engine.create_matrix_multiplication_key(party.secret_key, 2),
    }
    loaded: dict[str, Any] = {}
    for kind, obj in objects.items():
        obj.save(tmp_path / kind)
        for back in (
            getattr(of_1x(party), f"read_{kind}")(tmp_path / kind),
            engine.load(tmp_path / kind, mapped=True),
            engine.load_bytes(bytearray(obj.to_bytes())),
            pickle.loads(pickle.dumps(obj)),
        ):
            assert type(back) is type(obj)
            assert (back.level, repr(back)) == (obj.level, repr(obj)) or kind == "matrix_multiplication_key"
            assert back.to_bytes() == obj.to_bytes()
            loaded[kind] = back
        if kind != "matrix_multiplication_key":
            assert obj.serialized_nbytes == (tmp_path / kind).stat().st_size
        with pytest.raises(errors.FileKindError):
            of_1x(party).read_ciphertext(tmp_path / kind)
    assert isinstance(loaded["light_plaintext"], LightPlaintext)
    assert isinstance(loaded["light_plain_matrix"], LightPlainMatrix)
    a = engine.encrypt([1.0, 10.0], party.public_key, level=2, bound=10)
    for matrix in (loaded["plain_matrix"], loaded["light_plain_matrix"]):
        product = engine.multiply_matrix(matrix, a, loaded["matrix_multiplication_key"])
        assert_claims(product, [21, 43], party.secret_key)


@pytest.mark.full_size
def test_a_full_size_matrix() -> None:
    """1000 rows of 8192 slots at 128-bit security: a layer of a network."""
    engine = Engine(max_level=3)
    rng = np.random.default_rng(1)
    secret_key = engine.create_secret_key()
    rotation_key = engine.create_rotation_key(secret_key)
    key = engine.create_matrix_multiplication_key(secret_key, level=2)
    x, m = rng.uniform(-1, 1, 784), rng.uniform(-1, 1, (1000, 784)) / 28
    a = engine.encrypt(x, secret_key, level=2)
    light = engine.encode_to_light_plain_matrix(m, 2)
    for product in (engine.multiply_matrix(light, a, key), engine.multiply_matrix(light, a, rotation_key)):
        assert product.level == 1
        assert_claims(product, m @ x, secret_key)
