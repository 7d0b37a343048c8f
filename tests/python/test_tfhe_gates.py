"""Gates on arrays of bits: truth tables, shapes, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from claims import assert_claims
from everlevel import ntru, tfhe
from everlevel.errors import (
    EngineMismatchError,
    FileParametersError,
    KeyMismatchError,
    MessageError,
    MessageTypeError,
    MissingKeyError,
    OperandTypeError,
    SpaceError,
)

A = np.array([False, False, True, True])
B = np.array([False, True, False, True])
GATES: dict[str, Callable[[Any, Any], Any]] = {
    "and_": np.logical_and,
    "or_": np.logical_or,
    "xor": np.logical_xor,
    "nand": lambda a, b: ~(a & b),
    "nor": lambda a, b: ~(a | b),
    "xnor": lambda a, b: a == b,
    "andny": lambda a, b: ~a & b,
    "andyn": lambda a, b: a & ~b,
    "orny": lambda a, b: ~a | b,
    "oryn": lambda a, b: a | ~b,
}


@pytest.fixture(scope="module")
def engine() -> tfhe.Engine:
    return tfhe.Engine("gate-64", insecure_log_n=9, thread_count=2)


@pytest.fixture(scope="module")
def secret_key(engine: tfhe.Engine) -> tfhe.SecretKey:
    secret_key = engine.create_secret_key()
    engine.create_evaluation_key(secret_key)
    return secret_key


@pytest.fixture(scope="module")
def ab(engine: tfhe.Engine, secret_key: tfhe.SecretKey) -> tuple[tfhe.Ciphertext, tfhe.Ciphertext]:
    return engine.encrypt(A, secret_key), engine.encrypt(B, secret_key)


@pytest.mark.parametrize("name", GATES)
def test_truth_tables(name: str, engine: tfhe.Engine, secret_key: tfhe.SecretKey, ab: Any) -> None:
    gate = getattr(engine, name)
    for a, b in [ab, (ab[0], B), (A, ab[1])]:
        out = engine.decrypt(gate(a, b), secret_key)
        assert out.dtype == np.bool_
        np.testing.assert_array_equal(out, GATES[name](A, B))


def test_operators_are_gates(engine: tfhe.Engine, secret_key: tfhe.SecretKey, ab: Any) -> None:
    a, b = ab
    for encrypted, plain in [
        (a & b, A & B),
        (a | b, A | B),
        (a ^ b, A ^ B),
        (~a, ~A),
        (a & True, A),
        (False | a, A),
        (B ^ a, A ^ B),
        (a[0] | b, B),
        (a ^ a, A ^ A),
        (a & a, A),
        (a == b, A == B),
        (a != b, A != B),
        (B == a, A == B),  # noqa: SIM300 (from the right)
        (a != True, ~A),  # noqa: E712 (a gate)
    ]:
        assert_claims(encrypted, plain, secret_key)


def test_a_real_set_computes() -> None:
    engine = tfhe.Engine()
    secret_key = engine.create_secret_key()
    engine.create_evaluation_key(secret_key)
    a, b = engine.encrypt(A, secret_key), engine.encrypt(B, secret_key)
    assert_claims((a ^ b) & ~(a & b), A ^ B, secret_key)
    assert engine.security_bits > 128
    assert engine.core_svp_bits < engine.security_bits
    counts = f"{int(engine.core_svp_bits)} bits core-SVP, {int(engine.security_bits)} bits MATZOV"
    assert repr(engine).endswith(f", security {counts})")


@pytest.mark.parametrize("kind", ["", "-two-primes", "-three-primes"])
def test_gates_over_limbs(kind: str, tmp_path: Path) -> None:
    name = f"gate-64-limbs{kind}-baseline"
    engine = tfhe.Engine(name, insecure_log_n=9)
    secret_key = engine.create_secret_key()
    evaluation_key = engine.create_evaluation_key(secret_key)
    told = engine.estimate_memory("create_evaluation_key").held
    assert evaluation_key.nbytes <= told < evaluation_key.nbytes + (4 << 20)
    a, b = engine.encrypt(A, secret_key), engine.encrypt(B, secret_key)
    assert_claims((a ^ b) & ~(a & b), A ^ B, secret_key)
    # The file says what it is of, and a key of words is another's.
    evaluation_key.save(tmp_path / "key")
    again = tfhe.Engine(name, insecure_log_n=9)
    assert f"({name}, " in repr(again.load(tmp_path / "key"))
    assert_claims(again.nand(again.load_bytes(a.to_bytes()), B), ~(A & B), secret_key)
    with pytest.raises(FileParametersError, match=rf"{name}, n 32, N 2\^9, rank 1"):
        tfhe.Engine("gate-64", insecure_log_n=9).load(tmp_path / "key")


def test_the_default_set_fails_less_than_2_128(tmp_path: Path) -> None:
    """A key or a file of the former default belongs to other parameters, which a user spells out."""
    for scheme in (tfhe, ntru):
        engine, former = scheme.Engine(), scheme.Engine("gate-64")
        assert (engine.parameters, engine.max_log2_p_fail) == ("gate-128", -128)
        former.create_secret_key().save(tmp_path / "former")
        with pytest.raises(FileParametersError):
            engine.load(tmp_path / "former")
        assert isinstance(former.load(tmp_path / "former"), tfhe.SecretKey)


def test_mux_chooses(engine: tfhe.Engine, secret_key: tfhe.SecretKey) -> None:
    s, a, b = (np.array([bool(i >> k & 1) for i in range(8)]) for k in range(3))
    out = engine.mux(*(engine.encrypt(x, secret_key) for x in (s, a, b)))
    assert_claims(out, np.where(s, a, b), secret_key)
    out = engine.mux(engine.encrypt(s, secret_key), a, False)
    assert_claims(out, s & a, secret_key)


def test_shapes_are_broadcast(engine: tfhe.Engine, secret_key: tfhe.SecretKey) -> None:
    rng = np.random.default_rng(1)
    x, y = rng.random((3, 1, 4)) < 0.5, rng.random((2, 1)) < 0.5
    out = engine.encrypt(x, secret_key) ^ engine.encrypt(y, secret_key)
    assert (out.shape, out.ndim, out.size, len(out)) == ((3, 2, 4), 3, 24, 3)
    assert_claims(out, x ^ y, secret_key)
    single = engine.encrypt(True, secret_key)
    assert single.shape == ()
    assert engine.decrypt(~single, secret_key).shape == ()


def test_elements_are_numpys(engine: tfhe.Engine, secret_key: tfhe.SecretKey) -> None:
    x = np.random.default_rng(2).random((3, 4)) < 0.5
    c = engine.encrypt(x, secret_key)
    for index in [1, -1, (2, 3), np.s_[:, 1:3], np.s_[::-1], ([0, 2], [1, 1]), np.roll(np.arange(3), 1), x]:
        assert_claims(c[index], x[index], secret_key)
    assert_claims(c.T.reshape(2, -1), x.T.reshape(2, -1), secret_key)
    assert_claims(tfhe.stack(list(c), axis=1), x.T, secret_key)
    joined = tfhe.concatenate([c, c[:1]])
    assert_claims(joined, np.concatenate([x, x[:1]]), secret_key)
    assert_claims(np.stack([c, x]), np.stack([x, x]), secret_key)
    c[1:, 0], c[0] = c[:2, 1], [True, False, False, True]
    expected = x.copy()
    expected[1:, 0], expected[0] = x[:2, 1], [True, False, False, True]
    assert_claims(c, expected, secret_key)
    assert_claims(np.logical_and(c, ~c[::-1]), expected & ~expected[::-1], secret_key)
    assert_claims(np.where(c, c[::-1], True), np.where(expected, expected[::-1], True), secret_key)


def test_bootstrap_refreshes_bits(engine: tfhe.Engine, secret_key: tfhe.SecretKey, ab: Any) -> None:
    noisy = engine.mux(*ab, ~ab[0])
    refreshed = engine.bootstrap(noisy)
    assert refreshed.log2_p_fail < noisy.log2_p_fail
    assert_claims(refreshed, np.where(A, B, ~A), secret_key)


def test_results_have_a_shape_and_a_noise(ab: Any, engine: tfhe.Engine) -> None:
    assert repr(ab[0]).startswith("Ciphertext(shape (4,), bits, p_fail 2^-")
    assert (ab[0] & ab[1]).log2_p_fail <= engine.max_log2_p_fail


def test_what_is_no_boolean_is_refused(engine: tfhe.Engine, secret_key: tfhe.SecretKey, ab: Any) -> None:
    for values in ([0, 1], [0.5], "ab", [None]):
        with pytest.raises(MessageTypeError, match="bool"):
            engine.encrypt(values, secret_key)
    with pytest.raises(MessageTypeError, match="don't form an array"):
        engine.encrypt([[True], [True, False]], secret_key)
    with pytest.raises(MessageTypeError, match="int64"):
        ab[0] & np.array([1, 0, 1, 0])


def test_shapes_that_differ_are_refused(engine: tfhe.Engine, ab: Any) -> None:
    with pytest.raises(MessageError, match=r"\(4,\) and \(3,\)"):
        ab[0] & ab[1][:3]
    with pytest.raises(MessageError, match="4 elements"):
        ab[0].reshape(3, 2)
    with pytest.raises(MessageError, match="don't go together along axis"):
        tfhe.stack([ab[0], ab[1][:2]])


def test_strangers_are_refused(engine: tfhe.Engine, ab: Any) -> None:
    other_key = engine.create_secret_key()
    stranger = engine.encrypt(A, other_key)
    with pytest.raises(KeyMismatchError, match="0x") as caught:
        ab[0] & stranger
    assert caught.value.expected != caught.value.actual
    with pytest.raises(KeyMismatchError):
        tfhe.stack([ab[0], stranger])
    with pytest.raises(KeyMismatchError, match=r"^decrypt: "):
        engine.decrypt(ab[0], other_key)
    with pytest.raises(MissingKeyError, match="create_evaluation_key"):
        stranger & stranger
    elsewhere = tfhe.Engine("gate-64", insecure_log_n=10)
    with pytest.raises(EngineMismatchError, match="gate-64"):
        engine.and_(ab[0], elsewhere.encrypt(A, elsewhere.create_secret_key()))
    with pytest.raises(EngineMismatchError):
        engine.encrypt(A, elsewhere.create_secret_key())


def test_bits_are_no_integers(engine: tfhe.Engine, ab: Any) -> None:
    a, b = ab
    for operation in (
        lambda: a + b,
        lambda: 2 * a,
        lambda: engine.bootstrap(a, lut=lambda x: x),
        lambda: engine.bootstrap_many(a, [[0, 1]]),
        lambda: a.sum(),
    ):
        with pytest.raises(SpaceError) as caught:
            operation()
        assert (caught.value.found, caught.value.needed) == ("bits", "integers")


def test_a_ciphertext_has_no_truth(ab: Any, engine: tfhe.Engine) -> None:
    with pytest.raises(OperandTypeError, match="mux"):
        bool(ab[0])
    with pytest.raises(OperandTypeError, match="Ciphertext is needed"):
        engine.not_(A)  # type: ignore[arg-type]
    with pytest.raises(OperandTypeError, match="none of the operands"):
        engine.and_(A, B)
    with pytest.raises(OperandTypeError, match="len: a single value has no length"):
        len(ab[0][0])
    with pytest.raises(OperandTypeError, match="neither true nor false"):
        assert True in ab[0]
    with pytest.raises(TypeError, match="unhashable"):
        hash(ab[0])


def test_numpys_functions_are_refused(ab: Any) -> None:
    """They would make arrays of objects."""
    a, b = ab
    for function in (
        lambda: np.asarray(a),
        lambda: np.array([a, b], dtype=object),
        lambda: np.cumsum(a),
        lambda: A[a],
    ):
        with pytest.raises(OperandTypeError, match=r"encrypted.*tfhe\.stack"):
            function()
    with pytest.raises(OperandTypeError, match="index: the index is an encrypted Ciphertext of a Ciphertext"):
        a[b]
    for refused in (lambda: tfhe.stack(3), lambda: tfhe.stack([A, A])):  # type: ignore[arg-type, type-var, list-item]
        with pytest.raises(OperandTypeError, match=r"an [IE]|a list is needed"):
            refused()
    for axis in (3, "a", None):
        with pytest.raises(MessageError, match="along axis"):
            tfhe.stack([a, b], axis=axis)  # type: ignore[arg-type]
    for shape in ((3, 2), ("a",), (2.0, 2)):
        with pytest.raises(MessageError, match="4 elements"):
            a.reshape(*shape)
