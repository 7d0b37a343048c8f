"""BFV: exact arithmetic on vectors of integers, keys, files, and what is refused."""

from __future__ import annotations

import copy
import pickle
import stat
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from claims import assert_claims
from concurrency import ctrl_c_at_the_first_step
from everlevel import Engine, bfv, errors
from everlevel.cli import main

T = 786_433


@pytest.fixture(scope="module")
def engine() -> bfv.Engine:
    return bfv.Engine("n13", insecure_log_n=8)


@pytest.fixture(scope="module")
def secret_key(engine: bfv.Engine) -> bfv.SecretKey:
    key = engine.create_secret_key()
    engine.create_evaluation_key(key, rotations=True)
    return key


def centred(values: Any) -> NDArray[np.int64]:
    """Give the representatives nearest to zero."""
    remainders = np.asarray(values, dtype=object) % T
    return np.where(remainders > T // 2, remainders - T, remainders).astype(np.int64)


def test_operators_are_numpys_modulo_the_prime(engine: bfv.Engine, secret_key: bfv.SecretKey) -> None:
    rng = np.random.default_rng(12)
    a, b = rng.integers(1 - T, T, size=(2, engine.slot_count))
    x, y = engine.encrypt(a, secret_key), engine.encrypt(b, secret_key)
    for found, expected in [
        (x, a),
        (x + y, a + b),
        (x - y, a - b),
        (-x, -a),
        (x * y, a.astype(object) * b),
        (x * x - 3 * y + 7, a.astype(object) * a - 3 * b + 7),
        (b + x, a + b),
        (b - x, b - a),
        (x - b, a - b),
        (b * x, a.astype(object) * b),
        (x * 2**19, a.astype(object) * 2**19),
        (x + np.array([5]), a + np.eye(1, engine.slot_count, dtype=int)[0] * 5),
    ]:
        assert_claims(found, centred(expected), secret_key)


def test_rows_rotate_as_numpys_do(engine: bfv.Engine, secret_key: bfv.SecretKey) -> None:
    values = np.arange(engine.slot_count) - 100
    x, rows = engine.encrypt(values, secret_key), values.reshape(2, -1)
    for delta in (1, -1, 5, 1000, -(2**70), 0):
        assert_claims(engine.rotate(x, delta), np.roll(rows, delta % rows.shape[1], axis=1).ravel(), secret_key)
    assert_claims(engine.swap_rows(x), rows[::-1].ravel(), secret_key)
    total = centred(values.sum())
    assert_claims(engine.sum(x), np.full(engine.slot_count, total), secret_key)


def test_methods_and_powers_are_those_of_the_engine(engine: bfv.Engine, secret_key: bfv.SecretKey) -> None:
    values = np.arange(engine.slot_count) - 100
    x = engine.encrypt(values, secret_key)
    assert_claims(x.rotate(3), np.roll(values.reshape(2, -1), 3, axis=1).ravel(), secret_key)
    assert_claims(x.sum(), np.full(engine.slot_count, centred(values.sum())), secret_key)
    for exponent in (1, 2, 3, 5, 8, 11):
        assert_claims(x**exponent, centred(values.astype(object) ** exponent), secret_key)
    for exponent in (0, -1, 2**62 + 1):
        with pytest.raises(
            errors.ParameterError, match=rf"^power: the exponent is {exponent}, and powers from 1 to"
        ) as caught:
            x**exponent
        assert (caught.value.option, caught.value.value) == ("exponent", exponent)
    with pytest.raises(errors.OperandTypeError, match=r"^power: exponent"):
        x**0.5


def test_long_vectors_have_units(engine: bfv.Engine, secret_key: bfv.SecretKey, tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    slots = engine.slot_count
    a, b = rng.integers(1 - T, T, size=(2, 2 * slots + 7))
    x, y = engine.encrypt(a, secret_key), engine.encrypt(b, engine.create_public_key(secret_key))
    assert repr(x) == f"Ciphertext(3×256 slots modulo {T}, budget {x.budget_bits:.1f} bits)"
    table = np.zeros(3 * slots, dtype=object)
    table[: len(a)] = a
    table = table.reshape(3, slots)
    for found, expected in [
        (x, a),
        (x + y, a + b),
        (b - x, b - a),
        (x * y, a.astype(object) * b),
        (x * a, a.astype(object) ** 2),
        (-x + 3, np.r_[3 - a, np.full(3 * slots - len(a), 3)]),
        (x.rotate(5), np.roll(table.reshape(3, 2, -1), 5, axis=2).ravel()),
        (engine.swap_rows(x), table.reshape(3, 2, -1)[:, ::-1].ravel()),
        (x.sum(axis=0), table.sum(axis=0)),
        (x.sum(axis=1), np.repeat(table.sum(axis=1), slots)),
        (x.sum(), np.full(slots, table.sum())),
        (engine.vstack(x.units()[::-1]), table[::-1].ravel()),
        (engine.vstack([x.units()[1], x * y]).units()[0], table[1]),
    ]:
        assert_claims(found, centred(expected), secret_key)
    assert (len(x), x.sum().unit_count, engine.vstack([x, y]).shape) == (3, 1, (6, slots))
    # The noise is that of the worst unit.
    assert engine.vstack([x, x * y]).budget_bits == (x * y).budget_bits
    x.save(tmp_path / "x")
    for back in (engine.load(tmp_path / "x"), pickle.loads(pickle.dumps(x))):
        assert isinstance(back, bfv.Ciphertext)
        assert repr(back) == repr(x)
        assert_claims(back, centred(a), secret_key)
    for left, right in [(x, x.units()[0]), (x.units()[0], x), (x, [1, 2]), (x.units()[0], a)]:
        with pytest.raises(errors.UnitCountError, match=r"^multiply: one operand has \d units and the other has \d;"):
            left * right
    with pytest.raises(errors.ParameterError, match=r"^sum: axis is 2, and 0 \(units\)"):
        x.sum(axis=2)
    with pytest.raises(errors.ParameterError, match=r"^vstack: there are no ciphertexts"):
        engine.vstack([])
    with pytest.raises(errors.OperandTypeError, match=r"^vstack: ciphertexts is of type int"):
        engine.vstack(5)  # type: ignore[arg-type]
    with pytest.raises(errors.KeyMismatchError, match=r"^vstack"):
        engine.vstack([x, engine.encrypt([1], engine.create_secret_key())])
    assert engine.estimate_memory("encrypt", count=3).held == x.nbytes


def test_public_keys_encrypt_and_dont_decrypt(engine: bfv.Engine, secret_key: bfv.SecretKey, tmp_path: Path) -> None:
    key = engine.create_public_key(secret_key)
    assert repr(key) == "PublicKey(n13; 12.3 kB)"
    rng = np.random.default_rng(26)
    values = rng.integers(1 - T, T, size=engine.slot_count)
    x, with_secret = engine.encrypt(values, key), engine.encrypt(values, secret_key)
    assert_claims(x, centred(values), secret_key)
    assert with_secret.budget_bits - 8 < x.budget_bits < with_secret.budget_bits
    level = x
    for _ in range(engine.depth):
        level = level * level
    assert_claims(level, centred([pow(int(v), 2**engine.depth, T) for v in values]), secret_key)
    key.save(tmp_path / "public")
    elsewhere = bfv.Engine("n13", insecure_log_n=8)
    read = elsewhere.load(tmp_path / "public")
    assert isinstance(read, bfv.PublicKey)
    assert repr(read) == repr(pickle.loads(pickle.dumps(key))) == repr(key)
    assert_claims(elsewhere.encrypt([5, -7], read), [5, -7], secret_key)
    with pytest.raises(errors.OperandTypeError, match="SecretKey is needed"):
        engine.decrypt(x, key)  # type: ignore[arg-type]
    with pytest.raises(errors.OperandTypeError, match="SecretKey is needed"):
        engine.create_public_key(key)  # type: ignore[arg-type]
    with pytest.raises(errors.OperandTypeError, match=r"^encrypt: key"):
        engine.encrypt([1], x)  # type: ignore[arg-type]
    with pytest.raises(errors.EngineMismatchError, match=r"bfv\.Engine\(n13.*bfv\.Engine\(n14"):
        bfv.Engine("n14", insecure_log_n=8).encrypt([1], key)


def test_rerandomized_vectors_are_the_same(engine: bfv.Engine, secret_key: bfv.SecretKey) -> None:
    public_key = engine.create_public_key(secret_key)
    values = np.arange(engine.slot_count + 3) % 50
    x = engine.encrypt(values, secret_key)
    for message in (x, x * x, engine.rerandomize(x, public_key)):
        again = engine.rerandomize(message, public_key)
        assert (engine.decrypt(again, secret_key) == engine.decrypt(message, secret_key)).all()
        assert again.to_bytes() != message.to_bytes()
        assert again.budget_bits <= message.budget_bits
    other = engine.create_public_key(engine.create_secret_key())
    with pytest.raises(errors.KeyMismatchError):
        engine.rerandomize(x, other)
    with pytest.raises(errors.OperandTypeError, match=r"^rerandomize: public_key is"):
        engine.rerandomize(x, secret_key)  # type: ignore[arg-type]


def test_named_sets_are_secure_and_exact() -> None:
    assert [p.name for p in bfv.parameter_sets()] == ["n12", "n13", "n14", "n15", "n16-depth-30", "n16"]
    engine = bfv.Engine("n13", thread_count=1)
    assert (engine.security_bits, engine.depth, engine.slot_count) == (128, 4, 8192)
    assert repr(engine) == "bfv.Engine(n13, 8192 slots modulo 786433, depth 4, 1 thread, 128-bit security)"
    secret_key = engine.create_secret_key()
    key = engine.create_evaluation_key(secret_key, rotations=[3])
    assert (key.rotations, key.has_swap_rows, key.nbytes) == ((3,), False, 2 * bfv.parameter_sets()[1].key_nbytes)
    assert repr(key) == "EvaluationKey(n13, products, 1 rotation; 7.1 MB)"
    values = np.arange(8192)
    x = engine.encrypt(values, secret_key)
    assert_claims(x * x * x, centred(values.astype(object) ** 3), secret_key)


def test_the_smallest_ring_has_two_products() -> None:
    engine = bfv.Engine("n12", thread_count=1)
    assert repr(engine) == "bfv.Engine(n12, 4096 slots modulo 65537, depth 2, 1 thread, 128-bit security)"
    assert bfv.Engine("n12", plain_modulus=T).depth == 1
    secret_key = engine.create_secret_key()
    assert engine.create_evaluation_key(secret_key, rotations=True).nbytes < 50e6
    values = np.arange(4096) % 9 - 4
    x = engine.encrypt(values, secret_key)
    fourth = (x * x) * (x * x)
    assert_claims(fourth, values**4, secret_key)
    # Sums of a hundred such products are in the budget too.
    assert fourth.budget_bits > np.log2(100)
    with pytest.raises(errors.NoiseError):
        fourth * fourth
    rows = values.reshape(2, -1)
    assert_claims(engine.rotate(x, 5), np.roll(rows, 5, axis=1).ravel(), secret_key)
    total = np.full(4096, (values**2).sum())
    assert_claims(engine.sum(x * x), total, secret_key)


def test_budgets_are_told_and_kept(engine: bfv.Engine, secret_key: bfv.SecretKey) -> None:
    x = engine.encrypt([2], secret_key)
    assert repr(x) == f"Ciphertext(256 slots modulo {T}, shape (1,), budget {x.budget_bits:.1f} bits)"
    level = x
    for _ in range(engine.depth):
        level = level * level
        assert level.budget_bits > 0
    with pytest.raises(
        errors.NoiseError, match=r"multiply: the result's budget would be -?\d+\.\d bits, and must be"
    ) as caught:
        level * level
    assert caught.value.budget_bits is not None
    assert caught.value.budget_bits <= 0
    assert caught.value.operand_bits == level.budget_bits
    assert_claims(level, [centred(pow(2, 2**engine.depth, T))], secret_key)


def test_other_moduli() -> None:
    engine = bfv.Engine("n13", plain_modulus=65_537, insecure_log_n=8)
    secret_key = engine.create_secret_key()
    engine.create_evaluation_key(secret_key)
    x = engine.encrypt([65_536, 300], secret_key)
    assert_claims(x * x, [1, 300**2 % 65_537], secret_key)
    for modulus in (65_536, 769_001, 2**50 + 1, 0):
        with pytest.raises(
            errors.ParameterError, match=r"plain_modulus is \d+; it must be a prime below 2\^40"
        ) as caught:
            bfv.Engine("n13", plain_modulus=modulus, insecure_log_n=8)
        assert caught.value.option == "plain_modulus"
        assert caught.value.value == modulus


def test_messages_that_are_none(engine: bfv.Engine, secret_key: bfv.SecretKey) -> None:
    x = engine.encrypt([1], secret_key)
    for values, kind, words in [
        ([], errors.MessageError, "empty"),
        (np.ones((2, 200), int), errors.MessageError, r"shapes? .*\(2, 200\)"),
        ([0.5], errors.MessageTypeError, "dtype float64"),
        ([True], errors.MessageTypeError, "dtype bool"),
        ([0, T], errors.MessageError, f"the value at index 1 is {T}, and -{T - 1} to {T - 1} are taken"),
        ([-T], errors.MessageError, f"at index 0 is -{T}"),
        ([2**80], errors.MessageError, f"at index 0 is {2**80}"),
    ]:
        with pytest.raises(kind, match=f"^encrypt: .*{words}"):
            engine.encrypt(values, secret_key)
        with pytest.raises(kind, match=f"^multiply: .*{words}"):
            x * values
    with pytest.raises(errors.MessageError, match=rf"^add: the value is {T}"):
        x + T
    with pytest.raises(errors.OperandTypeError, match="none of the operands"):
        engine.add(1, [2])
    with pytest.raises(TypeError):
        x + "a"
    with pytest.raises(errors.OperandTypeError, match="doesn't turn into a NumPy array"):
        np.asarray(x)


def test_keys_of_others_are_refused(engine: bfv.Engine, secret_key: bfv.SecretKey) -> None:
    x = engine.encrypt([1], secret_key)
    other = engine.create_secret_key()
    y = engine.encrypt([1], other)
    with pytest.raises(errors.KeyMismatchError, match=r"^add: first ciphertext belongs to secret 0x\w+, and") as caught:
        x + y
    assert caught.value.expected != caught.value.actual
    with pytest.raises(errors.KeyMismatchError, match=r"^decrypt: secret key belongs to secret"):
        engine.decrypt(x, other)
    with pytest.raises(errors.MissingKeyError, match="multiply: the engine knows no evaluation key"):
        y * y
    engine.create_evaluation_key(other, rotations=[-2])
    with pytest.raises(
        errors.MissingKeyError, match=r"^rotate: the evaluation key has rotations by \[-2\], and one by 3 is"
    ):
        engine.rotate(y, 3)
    with pytest.raises(errors.MissingKeyError, match=r"^sum: .*rotations=True"):
        engine.sum(y)
    with pytest.raises(errors.MissingKeyError, match=r"^swap_rows: .*swap_rows=True"):
        engine.swap_rows(y)
    stranger = bfv.Engine("n14", insecure_log_n=8)
    for work in (
        lambda: stranger.decrypt(x, secret_key),
        lambda: stranger.encrypt([1], secret_key),
        lambda: stranger.create_evaluation_key(secret_key),
        lambda: stranger.encrypt([1], stranger.create_secret_key()) + x,
    ):
        with pytest.raises(errors.EngineMismatchError, match=r"bfv\.Engine\(n13.*bfv\.Engine\(n14"):
            work()
    ckks = Engine(max_level=1, insecure_log_n=10)
    with pytest.raises(errors.OperandTypeError, match=r"an everlevel\.bfv\.keys\.SecretKey is needed"):
        engine.encrypt([1], ckks.create_secret_key())  # type: ignore[arg-type]


def test_options_that_are_none() -> None:
    with pytest.raises(errors.ParameterError, match=r"no set named .n99.") as caught:
        bfv.Engine("n99")
    assert caught.value.allowed == "n12, n13, n14, n15, n16-depth-30, n16"
    with pytest.raises(errors.OperandTypeError):
        bfv.Engine(13)  # type: ignore[arg-type]
    with pytest.raises(errors.ParameterError, match="insecure_log_n is 4"):
        bfv.Engine(insecure_log_n=4)
    small = bfv.Engine(insecure_log_n=8)
    with pytest.raises(errors.OperandTypeError, match="rotations"):
        small.create_evaluation_key(small.create_secret_key(), rotations=5)  # type: ignore[arg-type]


def test_everything_goes_through_files(engine: bfv.Engine, secret_key: bfv.SecretKey, tmp_path: Path) -> None:
    key = engine.create_evaluation_key(secret_key, rotations=[1, -4], swap_rows=True)
    x = engine.encrypt([3, 4], secret_key)
    x = x * x
    for name, stored in [("secret", secret_key), ("evaluation", key), ("message", x)]:
        stored.save(tmp_path / name)
    assert stat.S_IMODE((tmp_path / "secret").stat().st_mode) == 0o600
    elsewhere = bfv.Engine("n13", insecure_log_n=8)
    message, secret = elsewhere.load(tmp_path / "message"), elsewhere.load(tmp_path / "secret")
    assert isinstance(message, bfv.Ciphertext)
    assert isinstance(secret, bfv.SecretKey)
    assert (message.budget_bits, message.log2_noise) == (x.budget_bits, x.log2_noise)
    with pytest.raises(errors.MissingKeyError):
        message * message
    read = elsewhere.load(tmp_path / "evaluation")
    assert isinstance(read, bfv.EvaluationKey)
    assert (read.rotations, read.has_swap_rows, repr(read)) == ((-4, 1), True, repr(key))
    assert_claims(message * message, [81, 256], secret)
    assert_claims(elsewhere.rotate(message, 1), [0, 9, 16], secret)


def test_wrong_files_are_refused(engine: bfv.Engine, secret_key: bfv.SecretKey, tmp_path: Path) -> None:
    path = tmp_path / "message"
    engine.encrypt([1], secret_key).save(path)
    with pytest.raises(errors.FileParametersError):
        bfv.Engine("n13", plain_modulus=65_537, insecure_log_n=8).load(path)
    with pytest.raises(errors.UnsupportedKindError, match="holds a bfv ciphertext of n13"):
        Engine(max_level=1, insecure_log_n=10).load(path)
    damaged = bytearray(path.read_bytes())
    damaged[-20] ^= 1
    path.write_bytes(damaged)
    with pytest.raises(errors.ChecksumError):
        engine.load(path)


def test_inspect_says_what_files_hold(
    engine: bfv.Engine, secret_key: bfv.SecretKey, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "keys"
    engine.create_evaluation_key(secret_key, rotations=[1]).save(path)
    assert main(["inspect", str(path)]) == 0
    out = capsys.readouterr().out
    assert "bfv evaluation key" in out
    assert f"n13, N 2^8, modulo {T}, INSECURE" in out


def test_pickles_and_copies(engine: bfv.Engine, secret_key: bfv.SecretKey) -> None:
    x = engine.encrypt([6], secret_key)
    message, same = pickle.loads(pickle.dumps((x, engine)))
    assert_claims(message, [6], secret_key)
    assert same.parameters == "n13"
    assert copy.deepcopy(x) is x
    for escape in (pickle.dumps, copy.copy):
        with pytest.raises(errors.SecretExposureError):
            escape(secret_key)


def test_ctrl_c_stops_long_calls(
    engine: bfv.Engine, secret_key: bfv.SecretKey, monkeypatch: pytest.MonkeyPatch
) -> None:
    x = engine.encrypt([1], secret_key)
    for work in (lambda: engine.create_evaluation_key(secret_key, rotations=True), lambda: engine.sum(x)):
        with ctrl_c_at_the_first_step(monkeypatch):
            work()


def test_memory_is_told(engine: bfv.Engine, secret_key: bfv.SecretKey) -> None:
    key = engine.create_evaluation_key(secret_key, rotations=[1])
    held = engine.estimate_memory("create_evaluation_key", count=2).held
    assert 0.99 * key.nbytes <= held <= key.nbytes
    assert engine.estimate_memory("encrypt").held == engine.encrypt([1], secret_key).nbytes
