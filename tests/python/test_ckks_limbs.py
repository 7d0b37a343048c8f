"""CKKS over limbs: arithmetic on vectors, budgets, keys, files, and what is refused."""

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
from everlevel.ckks import limbs
from everlevel.cli import main


@pytest.fixture(scope="module")
def engine() -> limbs.Engine:
    return limbs.Engine("n14", insecure_log_n=8)


@pytest.fixture(scope="module")
def secret_key(engine: limbs.Engine) -> limbs.SecretKey:
    key = engine.create_secret_key()
    engine.create_evaluation_key(key, rotations=True)
    return key


def vectors(count: int, seed: int = 12) -> Any:
    """Give two complex vectors of sizes up to 1."""
    rng = np.random.default_rng(seed)
    return rng.uniform(0, 1, (2, count)) * np.exp(2j * np.pi * rng.uniform(0, 1, (2, count)))


def test_operators_are_numpys(engine: limbs.Engine, secret_key: limbs.SecretKey) -> None:
    a, b = vectors(engine.slot_count)
    x, y = engine.encrypt(a, secret_key), engine.encrypt(b, secret_key)
    for found, expected, spent in [
        (x, a, 0),
        (x + y, a + b, 0),
        (x - y, a - b, 0),
        (-x, -a, 0),
        (x * y, a * b, 40),
        (engine.square(x), a * a, 40),
        (x * x - 3 * y + 0.5j, a * a - 3 * b + 0.5j, 40),
        (b + x, a + b, 0),
        (b - x, b - a, 0),
        (x - b, a - b, 0),
        (1 - x, 1 - a, 0),
        (b * x, a * b, 40),
        (x * 0.75, a * 0.75, 2),
        (x * (0.1 - 2j), a * (0.1 - 2j), 40),
        (x * -7, a * -7, 0),
        (x + np.array([5]), a + 5 * np.eye(1, engine.slot_count)[0], 0),
        (engine.multiply(x, y, precision_bits=33), a * b, 33),
        (engine.rescale(x, 7), a / 128, 7),
        (engine.lower(x, 200), a, x.budget_bits - 200),
    ]:
        assert_claims(found, expected, secret_key)
        assert found.budget_bits == engine.max_budget_bits - spent
        assert not found.is_real
    assert (x * x).bound == 1
    assert (3 * x + y).bound == 4


def test_real_vectors_stay_real(engine: limbs.Engine, secret_key: limbs.SecretKey) -> None:
    x = engine.encrypt([0.5, -0.25], secret_key)
    for real in (x, x * x, x + 1, 2 * x - np.array([1, 2]), engine.rotate(x, 1), engine.rescale(x, 1)):
        assert engine.decrypt(real, secret_key).dtype == np.float64
    for imaginary in (x * 1j, x + np.array([1j]), engine.encrypt([1j], secret_key) + x):
        assert engine.decrypt(imaginary, secret_key).dtype == np.complex128


def test_slots_move_as_numpys_do(engine: limbs.Engine, secret_key: limbs.SecretKey) -> None:
    a, _ = vectors(engine.slot_count)
    x = engine.encrypt(a, secret_key)
    for delta in (1, -1, 5, 1000, -(2**70), 0):
        assert_claims(engine.rotate(x, delta), np.roll(a, delta % a.size), secret_key)
    for delta, moved in zip((4, 0, -1 % a.size), engine.rotate_batch(x, [4, 0, 1]), strict=True):
        expected = np.roll(a, 1) if delta == -1 % a.size else np.roll(a, delta)
        assert_claims(moved, expected, secret_key)
    assert_claims(engine.conjugate(x), a.conj(), secret_key)
    assert_claims(engine.sum(x), np.full(a.size, a.sum()), secret_key)


def test_methods_and_powers_are_those_of_the_engine(engine: limbs.Engine, secret_key: limbs.SecretKey) -> None:
    a = vectors(engine.slot_count)[0]
    x = engine.encrypt(a, secret_key)
    assert_claims(x.rotate(3), np.roll(a, 3), secret_key)
    assert_claims(x.sum(), np.full(engine.slot_count, a.sum()), secret_key, varied=False)
    for exponent in (1, 2, 3, 6):
        power = x**exponent
        assert_claims(power, a**exponent, secret_key)
        assert power.budget_bits == engine.max_budget_bits - 40 * (exponent - 1).bit_length()
    with pytest.raises(errors.ParameterError, match=r"^power: the exponent is 0, and powers from 1 to"):
        x**0
    with pytest.raises(errors.NoiseError):
        x ** (2**60)


def test_public_keys_encrypt_and_dont_decrypt(
    engine: limbs.Engine, secret_key: limbs.SecretKey, tmp_path: Path
) -> None:
    a, b = vectors(engine.slot_count)
    key = engine.create_public_key(secret_key)
    assert repr(key) == "PublicKey(n14; 24.6 kB)"
    x, y = engine.encrypt(a, key), engine.encrypt(b, key)
    assert x.precision_bits < engine.encrypt(a, secret_key).precision_bits
    for found, expected in [(x, a), (x * y, a * b), (engine.square(x), a * a), (x.rotate(5) + y, np.roll(a, 5) + b)]:
        assert_claims(found, expected, secret_key)
    # Between keys, too.
    for seed in range(8):
        secret = engine.create_secret_key()
        values = vectors(engine.slot_count, seed)[0]
        assert_claims(engine.encrypt(values, engine.create_public_key(secret)), values, secret)
    key.save(tmp_path / "public")
    elsewhere = limbs.Engine("n14", insecure_log_n=8)
    read = elsewhere.load(tmp_path / "public")
    assert isinstance(read, limbs.PublicKey)
    assert repr(read) == repr(pickle.loads(pickle.dumps(key))) == repr(key)
    assert_claims(elsewhere.encrypt(a, read), a, secret_key)
    for work in (lambda: engine.decrypt(x, key), lambda: engine.create_public_key(key)):  # type: ignore[arg-type]
        with pytest.raises(errors.OperandTypeError, match="SecretKey is needed"):
            work()
    with pytest.raises(errors.OperandTypeError, match=r"^encrypt: key"):
        engine.encrypt([1], x)  # type: ignore[arg-type]
    with pytest.raises(errors.EngineMismatchError, match=r"Engine\(n14.*Engine\(n15"):
        limbs.Engine("n15", insecure_log_n=8).encrypt([1], key)


def test_polynomials(engine: limbs.Engine, secret_key: limbs.SecretKey) -> None:
    a = np.linspace(-1, 1, engine.slot_count)
    x = engine.encrypt(a, secret_key)
    powers, series = [0.5, 0, -2, 1], np.polynomial.chebyshev.chebinterpolate(np.sin, 15)
    y = engine.evaluate_polynomial(x, powers)
    assert y.budget_bits == x.budget_bits - 2 * 40
    assert_claims(y, np.polynomial.polynomial.polyval(a, powers), secret_key)
    z = engine.evaluate_chebyshev_polynomial(x, series)
    assert z.budget_bits == x.budget_bits - 4 * 40
    assert_claims(z, np.polynomial.chebyshev.chebval(a, series), secret_key)
    with pytest.raises(errors.MessageTypeError, match="real ones are needed"):
        engine.evaluate_polynomial(x, [1j])
    with pytest.raises(errors.MessageError, match="coefficients"):
        engine.evaluate_polynomial(x, [])
    with pytest.raises(errors.NoiseError, match="bits of budget"):
        engine.evaluate_polynomial(x, np.ones(256))
    with pytest.raises(errors.RangeError, match="values take"):
        engine.evaluate_polynomial(x, [0, 1e9])


def test_bridges_lead_to_levels_and_back() -> None:
    engine = limbs.Engine("n14", insecure_log_n=10)
    secret_key = engine.create_secret_key()
    engine.create_evaluation_key(secret_key)
    levels = Engine(max_level=5, insecure_log_n=10)
    of_levels = levels.create_secret_key()
    bridge = engine.create_bridge(secret_key, levels, of_levels)
    assert repr(bridge).startswith("Bridge(ckks.limbs.Engine(n14")
    a, _ = vectors(engine.slot_count)
    x = levels.encrypt(a, of_levels, bound=1)
    y = bridge.from_levels(x)
    assert_claims(y, a, secret_key)
    back = bridge.to_levels(y * y, 2)
    assert (back.level, back.bound) == (2, 1)
    assert_claims(back, a * a, of_levels)
    real = bridge.to_levels(bridge.from_levels(levels.encrypt(a.real, of_levels, bound=1)), 1)
    assert levels.decrypt(real, of_levels).dtype == np.float64
    with pytest.raises(errors.ParameterError, match="to_levels: level is 6, and 0 to 5 is taken"):
        bridge.to_levels(y, 6)
    with pytest.raises(errors.NoiseError, match="to_levels: the result would have"):
        bridge.to_levels(y, 5)
    with pytest.raises(errors.UnitCountError, match="has 2 units"):
        bridge.from_levels(levels.encrypt(np.zeros(2 * engine.slot_count), of_levels))
    with pytest.raises(errors.KeyMismatchError, match="from_levels: bridge belongs to secret"):
        bridge.from_levels(levels.encrypt(a, levels.create_secret_key(), bound=1))
    other = Engine(max_level=1, insecure_log_n=10)
    with pytest.raises(errors.EngineMismatchError):
        bridge.from_levels(other.encrypt(a, other.create_secret_key(), bound=1))
    with pytest.raises(errors.ParameterError, match="slots of levels is 256 of degree 512"):
        engine.create_bridge(secret_key, small := Engine(max_level=1, insecure_log_n=9), small.create_secret_key())


def test_named_sets_are_secure() -> None:
    assert [p.name for p in limbs.parameter_sets()] == ["n13", "n14", "n15", "n16"]
    engine = limbs.Engine("n13", thread_count=1)
    assert (engine.security_bits, engine.depth, engine.slot_count) == (128, 4, 4096)
    sizes = "4096 slots, budget 137 bits, scale 2^30, depth 4"
    assert repr(engine) == f"ckks.limbs.Engine(n13, {sizes}, 1 thread, 128-bit security)"
    secret_key = engine.create_secret_key()
    key = engine.create_evaluation_key(secret_key, rotations=[3])
    nbytes = limbs.parameter_sets()[0].key_nbytes
    assert (key.rotations, key.has_conjugation, key.nbytes) == ((3,), False, 2 * nbytes)
    assert repr(key) == "EvaluationKey(n13, products, 1 rotation; 11.8 MB)"
    a, b = vectors(engine.slot_count)
    x, y = engine.encrypt(a, secret_key), engine.encrypt(b, secret_key)
    assert_claims(x * y * x, a * b * a, secret_key)


def test_budgets_are_told_and_kept(engine: limbs.Engine, secret_key: limbs.SecretKey) -> None:
    a: NDArray[np.float64] = np.full(engine.slot_count, 0.99)
    x = engine.encrypt(a, secret_key)
    assert repr(x) == (
        f"Ciphertext(128 slots, 6 limbs, budget {x.budget_bits} bits, scale 2^40, bound 1, "
        f"precision {x.precision_bits:.1f} bits)"
    )
    level = x
    for _ in range(engine.depth):
        level = level * level
        a = a * a
        assert_claims(level, a, secret_key)
    words = r"multiply: the result would have -?\d+ bits of budget, and its values need 2"
    with pytest.raises(errors.NoiseError, match=words) as caught:
        level * level
    assert caught.value.operand_bits == level.budget_bits
    assert caught.value.budget_bits == level.budget_bits - 40
    last = engine.multiply(level, level, precision_bits=level.budget_bits - 2)
    assert last.budget_bits == 2
    assert_claims(last, a * a, secret_key)


def test_messages_that_are_none(engine: limbs.Engine, secret_key: limbs.SecretKey) -> None:
    x = engine.encrypt([1], secret_key)
    for values, kind, words in [
        ([], errors.MessageError, "empty"),
        (np.zeros((2, 65)), errors.MessageError, r"130 values, of shape \(2, 65\), and a unit has 128 slots"),
        (["a"], errors.MessageTypeError, "dtype"),
        ([np.nan], errors.MessageError, "the value at index 0 is nan"),
        (np.zeros(129), errors.MessageError, "129 values were given, and a ciphertext has 128 slots"),
    ]:
        with pytest.raises(kind, match=f"^encrypt: .*{words}"):
            engine.encrypt(values, secret_key)
        with pytest.raises(kind, match=f"^multiply: .*{words}"):
            x * values
    with pytest.raises(errors.RangeError, match=r"^encrypt: value 1 has size 2, and the declared bound is 1; declare"):
        engine.encrypt([0.5, 2], secret_key)
    with pytest.raises(errors.ParameterError, match=r"^encrypt: bound is -1"):
        engine.encrypt([0.5], secret_key, bound=-1)
    with pytest.raises(errors.NoiseError, match=r"^encrypt: the result would have"):
        engine.encrypt([0.5], secret_key, bound=1e300)
    with pytest.raises(errors.MessageError, match=r"^add: the scalar is"):
        x + np.inf
    with pytest.raises(errors.RangeError, match=r"^multiply: values take"):
        x * 1e20
    with pytest.raises(errors.OperandTypeError, match="none of the operands"):
        engine.add(1, [2])
    with pytest.raises(TypeError):
        x + "a"
    with pytest.raises(errors.OperandTypeError, match="doesn't turn into a NumPy array"):
        np.asarray(x)
    for work, words in [
        (lambda: engine.multiply(x, x, precision_bits=41), "multiply: precision_bits is 41, and 1 to 40 is taken"),
        (lambda: engine.rescale(x, -1), "rescale: bits is -1"),
        (lambda: engine.lower(x, 2**40), "lower: budget_bits is"),
    ]:
        with pytest.raises(errors.ParameterError, match=words):
            work()
    with pytest.raises(errors.NoiseError, match="rescale: the result would have"):
        engine.rescale(x, 2**31)


def test_keys_of_others_are_refused(engine: limbs.Engine, secret_key: limbs.SecretKey) -> None:
    x = engine.encrypt([1], secret_key)
    other = engine.create_secret_key()
    y = engine.encrypt([1], other)
    with pytest.raises(errors.KeyMismatchError, match=r"^add: first ciphertext belongs to secret 0x\w+, and"):
        x + y
    with pytest.raises(errors.KeyMismatchError, match=r"^decrypt: secret key belongs to secret"):
        engine.decrypt(x, other)
    with pytest.raises(errors.MissingKeyError, match="multiply: the engine knows no evaluation key"):
        y * y
    engine.create_evaluation_key(other, rotations=[-2])
    for work in (lambda: engine.rotate(y, 3), lambda: engine.rotate_batch(y, [-2, 3])):
        with pytest.raises(errors.MissingKeyError, match=r"^rotate.*: the evaluation key has rotations by \[-2\]"):
            work()
    with pytest.raises(errors.MissingKeyError, match=r"^sum: .*rotations=True"):
        engine.sum(y)
    with pytest.raises(errors.MissingKeyError, match=r"^conjugate: .*conjugation=True"):
        engine.conjugate(y)
    stranger = limbs.Engine("n14", precision_bits=30, insecure_log_n=8)
    for work in (
        lambda: stranger.decrypt(x, secret_key),
        lambda: stranger.encrypt([1], secret_key),
        lambda: stranger.create_evaluation_key(secret_key),
        lambda: stranger.encrypt([1], stranger.create_secret_key()) + x,
    ):
        with pytest.raises(errors.EngineMismatchError, match=r"scale 2\^40.*scale 2\^30"):
            work()
    exact = bfv.Engine("n14", insecure_log_n=8)
    with pytest.raises(errors.OperandTypeError, match=r"an everlevel\.ckks\.limbs\.keys\.SecretKey is needed"):
        engine.encrypt([1], exact.create_secret_key())  # type: ignore[arg-type]


def test_options_that_are_none() -> None:
    with pytest.raises(errors.ParameterError, match=r"no set named .n99."):
        limbs.Engine("n99")
    with pytest.raises(errors.OperandTypeError):
        limbs.Engine(13)  # type: ignore[arg-type]
    with pytest.raises(errors.ParameterError, match="insecure_log_n is 4"):
        limbs.Engine(insecure_log_n=4)
    with pytest.raises(errors.ParameterError, match="precision_bits is 51, and 10 to 50 is taken"):
        limbs.Engine(precision_bits=51)


def test_everything_goes_through_files(engine: limbs.Engine, secret_key: limbs.SecretKey, tmp_path: Path) -> None:
    key = engine.create_evaluation_key(secret_key, rotations=[1, -4], conjugation=True)
    x = engine.encrypt([0.5, 0.25], secret_key)
    x = x * x
    for name, stored in [("secret", secret_key), ("evaluation", key), ("message", x)]:
        stored.save(tmp_path / name)
    assert stat.S_IMODE((tmp_path / "secret").stat().st_mode) == 0o600
    elsewhere = limbs.Engine("n14", insecure_log_n=8)
    message, secret = elsewhere.load(tmp_path / "message"), elsewhere.load(tmp_path / "secret")
    assert isinstance(message, limbs.Ciphertext)
    assert isinstance(secret, limbs.SecretKey)
    assert message.is_real
    assert repr(message) == repr(x)
    with pytest.raises(errors.MissingKeyError):
        message * message
    read = elsewhere.load(tmp_path / "evaluation")
    assert isinstance(read, limbs.EvaluationKey)
    assert (read.rotations, read.has_conjugation, repr(read)) == ((-4, 1), True, repr(key))
    assert_claims(message * message, [2**-4, 2**-8], secret)
    assert_claims(elsewhere.rotate(message, 1), [0, 0.25, 0.0625], secret)


def test_wrong_files_are_refused(engine: limbs.Engine, secret_key: limbs.SecretKey, tmp_path: Path) -> None:
    path = tmp_path / "message"
    engine.encrypt([1], secret_key).save(path)
    with pytest.raises(errors.FileParametersError):
        limbs.Engine("n14", precision_bits=30, insecure_log_n=8).load(path)
    for other in (Engine(max_level=1, insecure_log_n=10), bfv.Engine("n14", insecure_log_n=8)):
        with pytest.raises(errors.UnsupportedKindError, match="holds a limbs ciphertext of n14"):
            other.load(path)
    damaged = bytearray(path.read_bytes())
    damaged[-20] ^= 1
    path.write_bytes(damaged)
    with pytest.raises(errors.ChecksumError):
        engine.load(path)


def test_inspect_says_what_files_hold(
    engine: limbs.Engine, secret_key: limbs.SecretKey, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "keys"
    engine.create_evaluation_key(secret_key, rotations=[1]).save(path)
    assert main(["inspect", str(path)]) == 0
    out = capsys.readouterr().out
    assert "limbs evaluation key" in out
    assert "n14, N 2^8, scale 2^40, INSECURE" in out


def test_pickles_and_copies(engine: limbs.Engine, secret_key: limbs.SecretKey) -> None:
    x = engine.encrypt([0.5], secret_key)
    message, same = pickle.loads(pickle.dumps((x, engine)))
    assert_claims(message, [0.5], secret_key)
    assert same.parameters == "n14"
    assert copy.deepcopy(x) is x
    for escape in (pickle.dumps, copy.copy):
        with pytest.raises(errors.SecretExposureError):
            escape(secret_key)


def test_ctrl_c_stops_long_calls(
    engine: limbs.Engine, secret_key: limbs.SecretKey, monkeypatch: pytest.MonkeyPatch
) -> None:
    x = engine.encrypt([1], secret_key)
    for work in (lambda: engine.create_evaluation_key(secret_key, rotations=True), lambda: engine.sum(x)):
        with ctrl_c_at_the_first_step(monkeypatch):
            work()


def test_memory_is_told(engine: limbs.Engine, secret_key: limbs.SecretKey) -> None:
    key = engine.create_evaluation_key(secret_key, rotations=[1])
    held = engine.estimate_memory("create_evaluation_key", count=2).held
    assert 0.99 * key.nbytes <= held <= key.nbytes
    assert engine.estimate_memory("encrypt").held == engine.encrypt([1], secret_key).nbytes


@pytest.mark.parametrize("module", [limbs, bfv], ids=["ckks", "bfv"])
def test_seeded_keys_are_smaller_and_compute_the_same(module: Any, tmp_path: Path) -> None:
    expanded = module.Engine("n13", thread_count=1, insecure_log_n=10)
    seeded = module.Engine("n13", thread_count=1, insecure_log_n=10, seeded_keys=True)
    assert (expanded.seeded_keys, seeded.seeded_keys) == (False, True)
    assert "seeded keys" in repr(seeded)
    assert "seeded" not in repr(expanded)
    secret_key = expanded.create_secret_key()
    key = expanded.create_evaluation_key(secret_key, rotations=[1])
    x = expanded.encrypt([1, 0, 1], secret_key)
    for one in (secret_key, key, x):
        one.save(tmp_path / type(one).__name__)
    loaded_key, y = seeded.load(tmp_path / "EvaluationKey"), seeded.load(tmp_path / "Ciphertext")
    assert (key.is_seeded, loaded_key.is_seeded) == (False, True)
    assert repr(loaded_key).endswith("B, seeded)")
    assert loaded_key.nbytes < 0.34 * key.nbytes
    assert loaded_key.nbytes == seeded.estimate_memory("create_evaluation_key", count=2).held
    for result, same in ((x * x, y * y), (x.rotate(1), y.rotate(1))):
        assert result.to_bytes() == same.to_bytes()
    # Keys of its own; files of either are each other's; and another process' engine has them seeded, too.
    own = seeded.create_evaluation_key(seeded.load(tmp_path / "SecretKey"), rotations=[1])
    assert own.is_seeded
    assert not expanded.load_bytes(own.to_bytes()).is_seeded
    assert pickle.loads(pickle.dumps(seeded)).seeded_keys
    with pytest.raises(errors.OperandTypeError, match="seeded_keys is 1 of type int"):
        module.Engine("n13", seeded_keys=1)
