"""NTRU's engine: TFHE's calls, arrays, errors and files, with other keys under them."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest

from claims import assert_claims
from everlevel import errors, ntru, tfhe


@pytest.fixture(scope="module")
def engine() -> ntru.Engine:
    return ntru.Engine("gate-64", insecure_log_n=10)


@pytest.fixture(scope="module")
def secret_key(engine: ntru.Engine) -> ntru.SecretKey:
    key = engine.create_secret_key()
    engine.create_evaluation_key(key)
    return key


EXPERIMENTAL = ("gate-64-blocks-experimental", "gate-64-sparse-experimental")
ROTATIONS = ("gate-64-eight-keys", "gate-64-three-keys", "gate-64-sequential")
BASELINES = ("gate-64-ternary-baseline", "gate-64-two-sweeps-baseline", "gate-64-hybrid-window-baseline")
A = np.array([False, False, True, True])
B = np.array([False, True, False, True])
SETS = ["gate-64", "gate-128", "gate-64-conservative", "gate-64-solinas", "gate-128-solinas"]


def test_gates_and_operators(engine: ntru.Engine, secret_key: ntru.SecretKey) -> None:
    a, b = engine.encrypt(A, secret_key), engine.encrypt(B, secret_key)
    for found, expected in [
        (a & b, A & B),
        (a | b, A | B),
        (a ^ b, A ^ B),
        (~a, ~A),
        (engine.nand(a, b), ~(A & B)),
        (engine.mux(a, b, ~b), np.where(A, B, ~B)),
        ((a ^ b) & ~(a | b), (A ^ B) & ~(A | B)),
    ]:
        assert_claims(found, expected, secret_key)


def test_named_sets_without_a_ring_that_is_smaller() -> None:
    for name in (*SETS, *ROTATIONS, *BASELINES, *EXPERIMENTAL):
        engine = ntru.Engine(name)
        # By TFHE's model, and by the count of one call of a solver: a repr says which.
        assert engine.security_bits >= 125
        assert 97 <= engine.core_svp_bits < 141
        assert f" {int(engine.core_svp_bits)} bits core-SVP" in repr(engine)
        assert f" {int(engine.security_bits)} bits MATZOV" in repr(engine)
        assert "128-bit security" not in repr(engine)
        secret_key = engine.create_secret_key()
        engine.create_evaluation_key(secret_key)
        a, b = engine.encrypt(A, secret_key), engine.encrypt(B, secret_key)
        assert_claims(a ^ b, A ^ B, secret_key)


def test_sets_are_named_as_tfhes_are() -> None:
    names = [p.name for p in ntru.parameter_sets()]
    assert names[:5] == SETS
    assert {*ROTATIONS, *EXPERIMENTAL, "integer-2-64", "integer-4-64"} <= set(names)
    assert {name for name in names if name.endswith("-baseline")} == set(BASELINES)
    assert all(p.about.endswith("for comparisons.") for p in ntru.parameter_sets() if p.name in BASELINES)
    assert not any(p.name.startswith("ntru") for p in tfhe.parameter_sets())
    with pytest.raises(errors.ParameterError, match="no set named") as caught:
        ntru.Engine("gate-65")
    assert "ntru" not in str(caught.value)
    with pytest.raises(errors.ParameterError, match=r"rests on an assumption .* gate-64-blocks-experimental") as caught:
        ntru.Engine("gate-64-blocks")
    assert (caught.value.value, caught.value.allowed) == ("gate-64-blocks", "gate-64-blocks-experimental")
    with pytest.raises(errors.ParameterError, match=r"tfhe has no set .*; ntru.Engine\('gate-64'\) has it"):
        tfhe.Engine("ntru-gate-64")
    with pytest.raises(errors.ParameterError, match="no set named") as caught:
        tfhe.Engine("gate-65")
    assert "ntru" not in str(caught.value)
    assert repr(ntru.Engine("gate-64")).startswith("ntru.Engine(gate-64, bits, p_fail 2^-64, ")


@pytest.mark.parametrize("name", [*EXPERIMENTAL, *ROTATIONS, *BASELINES])
def test_rotations_without_security(name: str, tmp_path: Path) -> None:
    engine = ntru.Engine(name, insecure_log_n=10)
    secret_key = engine.create_secret_key()
    engine.create_evaluation_key(secret_key).save(tmp_path / "key")
    a, b = engine.encrypt(A, secret_key), engine.encrypt(B, secret_key)
    for found, expected in [(a & b, A & B), (a ^ b, A ^ B), (engine.mux(a, b, ~b), np.where(A, B, ~B))]:
        assert_claims(found, expected, secret_key)
    # Keys go through files, and are refused by other sets.
    again = ntru.Engine(name, insecure_log_n=10)
    assert f"({name}, " in repr(again.load(tmp_path / "key"))
    with pytest.raises(errors.FileParametersError, match=name):
        ntru.Engine("gate-64", insecure_log_n=10).load(tmp_path / "key")


def test_tables_and_integers() -> None:
    engine = ntru.Engine("integer-4-64", insecure_log_n=11)
    secret_key = engine.create_secret_key()
    engine.create_evaluation_key(secret_key)
    values = np.arange(16)
    x = engine.encrypt(values, secret_key)
    table = [(3 * m + 1) % 16 for m in range(16)]
    assert_claims(engine.bootstrap(x, lut=table), table, secret_key)
    numbers = engine.encrypt_uint(np.array([200, 77], np.uint8), secret_key)
    assert_claims(numbers + numbers[::-1], np.array([21, 21], np.uint8), secret_key)


def test_files_and_pickles(engine: ntru.Engine, secret_key: ntru.SecretKey, tmp_path: Path) -> None:
    a = engine.encrypt(A, secret_key)
    for number, stored in enumerate((a, secret_key)):
        stored.save(tmp_path / str(number))
    again = engine.load(tmp_path / "0")
    key = engine.load(tmp_path / "1")
    assert_claims(again, A, key)
    copy = pickle.loads(pickle.dumps(a))
    assert_claims(copy, A, secret_key)
    other = pickle.loads(pickle.dumps(engine))
    assert isinstance(other, ntru.Engine)
    assert other.parameters == "gate-64"


def test_objects_of_tfhe_are_refused(engine: ntru.Engine, secret_key: ntru.SecretKey, tmp_path: Path) -> None:
    others = tfhe.Engine("gate-64", insecure_log_n=10)
    key = others.create_secret_key()
    ciphertext = others.encrypt(A, key)
    with pytest.raises(errors.EngineMismatchError, match=r"tfhe\.Engine.*ntru\.Engine"):
        engine.decrypt(ciphertext, secret_key)
    with pytest.raises(errors.EngineMismatchError):
        engine.create_evaluation_key(key)
    ciphertext.save(tmp_path / "other")
    with pytest.raises(errors.FileParametersError):
        engine.load(tmp_path / "other")
