"""Every row of docs/differences.md is true."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from claims import assert_claims
from everlevel import BootstrapKey, Engine, RotationKey, compat, errors
from parties import Party, new_party, of_1x

PAGE = Path(__file__).resolve().parents[2] / "docs" / "differences.md"


@dataclass(frozen=True)
class Here:
    """What the rows' tests need: a party with seven levels, and one with a bootstrap."""

    party: Party
    rotation_key: RotationKey
    deep: Party
    bootstrap_key: BootstrapKey
    folder: Path

    @cached_property
    def engine(self) -> Any:
        return of_1x(self.party)

    def encrypt(self, *values: complex, level: int | None = None, bound: float = 10) -> Any:
        return self.engine.encrypt(list(values), self.party.public_key, level, bound=bound)


Row = Callable[[Here], None]
ROWS: dict[str, Row] = {}


def row(name: str) -> Callable[[Row], Row]:
    """Register the test of a row, by its first cell."""

    def register(function: Row) -> Row:
        ROWS[name] = function
        return function

    return register


@pytest.fixture
def here(party: Party, rotation_key: RotationKey, deep: Party, bootstrap_key: BootstrapKey, tmp_path: Path) -> Here:
    return Here(party, rotation_key, deep, bootstrap_key, tmp_path)


def rows_of_the_page() -> list[str]:
    cells = re.findall(r"^\| ([^|]+?) \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    return [cell for cell in cells if cell.strip()]


def test_every_row_has_a_test() -> None:
    assert sorted(rows_of_the_page()) == sorted(ROWS)


@pytest.mark.parametrize("name", rows_of_the_page())
def test_row(name: str, here: Here) -> None:
    ROWS[name](here)


@row("rotations at the highest level")
def _(here: Here) -> None:
    a = here.encrypt(1.0)
    assert here.engine.rotate(a, here.rotation_key, 1).level == a.level == here.engine.max_level


@row("products with matrices at the highest level")
def _(here: Here) -> None:
    for level in (5, 3):
        assert (
            here.engine.multiply_matrix(np.eye(4), here.encrypt(1.0, level=level), here.rotation_key).level == level - 1
        )


@row("floats with integer values")
def _(here: Here) -> None:
    a = here.encrypt(1.5)
    assert here.engine.multiply(a, 2.0).level == a.level
    assert here.engine.multiply(a, 2.5).level == a.level - 1


@row("polynomials")
def _(here: Here) -> None:
    a, key = here.encrypt(0.5, bound=1), here.party.relinearization_key
    for degree, levels in ((1, 1), (2, 2), (3, 2), (4, 3), (7, 3), (15, 4)):
        result = here.engine.evaluate_polynomial(a, [1.0] * (degree + 1), key)
        assert a.level - result.level == levels


@row("rescaling")
def _(here: Here) -> None:
    a = here.encrypt(0.5)
    assert here.engine.rescale(a).level == a.level - 1
    with pytest.raises(errors.LevelError):
        here.engine.rescale(here.encrypt(0.5, level=0))


@row("levels after a bootstrap")
def _(here: Here) -> None:
    engine, keys = here.deep.engine, (here.deep.relinearization_key, here.deep.conjugation_key)
    a = engine.encrypt([0.5], here.deep.public_key, level=0)
    for stage_count in (3, 4, 5):
        key = engine.create_bootstrap_key(here.deep.secret_key, stage_count)
        assert engine.bootstrap(a, *keys, key).level == 13 - stage_count


@row("levels after a lossy bootstrap")
def _(here: Here) -> None:
    engine, keys = here.deep.engine, (here.deep.relinearization_key, here.deep.conjugation_key)
    for stage_count in (3, 4, 5):
        a = engine.encrypt([0.5], here.deep.public_key, level=stage_count)
        key = engine.create_lossy_bootstrap_key(here.deep.secret_key, stage_count)
        assert engine.lossy_bootstrap(a, *keys, key).level == 13


@row("lossy bootstraps below the stage count")
def _(here: Here) -> None:
    engine, keys = here.deep.engine, (here.deep.relinearization_key, here.deep.conjugation_key)
    key = engine.create_lossy_bootstrap_key(here.deep.secret_key, 3)
    with pytest.warns(errors.LevelWarning):
        result = engine.lossy_bootstrap(engine.encrypt([0.5], here.deep.public_key, level=0), *keys, key)
    assert result.level == 10


@row("levels of keys")
def _(here: Here) -> None:
    engine, secret = here.engine, here.party.secret_key
    for make in (
        lambda level: engine.create_fixed_rotation_key(secret, 77, level),
        lambda level: engine.create_matrix_multiplication_key(secret, level),
        lambda level: engine.create_relinearization_key(secret, level),
        lambda level: engine.create_conjugation_key(secret, level),
        lambda level: engine.create_rotation_key(secret, level),
    ):
        assert make(1).level == 1
        assert make(1).nbytes < make(5).nbytes
        with pytest.raises(errors.LevelError):
            make(6)
    assert engine.create_public_key(secret, 1).level == 5
    with pytest.raises(errors.LevelError):
        engine.create_public_key(secret, 6)
    assert engine.create_secret_key(2).level == 5


@row("levels of light plaintexts")
def _(here: Here) -> None:
    light = here.engine.encode_to_light_plaintext([0.1], 3)
    for level in range(6):
        changed = here.engine.change_level(light, level)
        assert changed.level == level
        back = here.engine.change_level(changed, 3)
        assert back.to_bytes() == light.to_bytes()


@row("stacks of different levels")
def _(here: Here) -> None:
    assert here.engine.vstack([here.encrypt(1.0), here.encrypt(2.0, level=2)]).level == 2


@row("NaN and infinity")
def _(here: Here) -> None:
    for bad in (np.nan, np.inf):
        with pytest.raises(errors.MessageError):
            here.encrypt(bad)


@row("empty messages")
def _(here: Here) -> None:
    with pytest.raises(errors.MessageError):
        here.encrypt()


@row("values beyond what the modulus holds")
def _(here: Here) -> None:
    a = here.encrypt(300.0, level=0, bound=300)
    with pytest.raises(errors.RangeError):
        here.engine.add(a, a)
    assumed = here.engine.encrypt([0.5], here.party.public_key, level=0)
    with pytest.warns(errors.RangeWarning, match="600"):
        assert (assumed * 300 + assumed * 300).bound == 600
    strict = Engine(max_level=2, range="error", insecure_log_n=10)
    assumed = strict.encrypt([0.5], strict.create_secret_key(), level=0) * 300
    with pytest.raises(errors.RangeError):
        strict.add(assumed, assumed)


@row("messages beyond 1")
def _(here: Here) -> None:
    with pytest.warns(errors.RangeWarning, match="bound=2"):
        here.engine.encrypt([2.0], here.party.public_key)
    assert here.encrypt(2.0, bound=3).bound == 3


@row("another secret's keys")
def _(here: Here) -> None:
    stranger = new_party(here.party.engine)
    a = here.encrypt(1.0)
    for call in (
        lambda: here.engine.decrypt(a, stranger.secret_key),
        lambda: here.engine.multiply(a, a, stranger.relinearization_key),
    ):
        with pytest.raises(errors.KeyMismatchError):
            call()


@row("folders that are missing")
def _(here: Here) -> None:
    with pytest.raises(errors.StorageNotFoundError):
        here.engine.write_ciphertext(here.encrypt(1.0), here.folder / "missing" / "file")


@row("shapes of matrices")
def _(here: Here) -> None:
    product = here.engine.multiply_matrix([[1.0, 2.0]], here.encrypt(1.0, 10.0, 100.0, bound=100), here.rotation_key)
    assert_claims(product, [21.0], here.party.secret_key)
    product = here.engine.multiply_matrix(np.ones((513, 2)), here.encrypt(1.0, 10.0), here.rotation_key)
    assert_claims(product, 513 * [11.0], here.party.secret_key)


@row("diagonals of matrices")
def _(here: Here) -> None:
    assert here.engine.encode_to_plain_matrix(np.eye(512), 1).diagonal_count == 1
    assert here.engine.encode_to_plain_matrix(np.ones((9, 9)), 1, [0, -1]).diagonal_count == 2
    assert here.engine.encode_to_plain_matrix(np.ones((9, 9)), 1, [511, 0, -1]).diagonal_count == 2


@row("keys of products with matrices")
def _(here: Here) -> None:
    key = here.engine.create_matrix_multiplication_key(here.party.secret_key, 1)
    a, matrix = here.encrypt(3.0, level=1), np.full((1, 1), 2.0)
    for operand in (matrix, here.engine.encode_to_plain_matrix(matrix, 1)):
        for either in (key, here.rotation_key):
            assert_claims(here.engine.multiply_matrix(operand, a, either), [6.0], here.party.secret_key)


@row("`out`")
def _(here: Here) -> None:
    a, b, out = here.encrypt(1.0), here.encrypt(2.0), here.encrypt(0.0, level=1)
    assert here.engine.add(a, b, out) is out
    assert_claims(out, [3.0], here.party.secret_key)


@row("`ntt` and `intt`")
def _(here: Here) -> None:
    a = here.encrypt(1.0)
    for same in (here.engine.ntt(a), here.engine.intt(a)):
        assert same is not a
        assert same.to_bytes() == a.to_bytes()


@row("rotations with bootstrap keys")
def _(here: Here) -> None:
    a = here.deep.engine.encrypt([1.0], here.deep.public_key)
    with pytest.raises(errors.OperandTypeError, match="a RotationKey or a FixedRotationKey is needed"):
        here.deep.engine.rotate(a, here.bootstrap_key, 1)  # type: ignore[call-overload]


@row("keys of merged bootstraps")
def _(here: Here) -> None:
    engine = of_1x(here.deep)
    key = engine.create_merge_bootstrap_key(here.deep.secret_key)
    assert type(key) is BootstrapKey is compat.MergeBootstrapKey
    assert type(engine.deserialize_merge_bootstrap_key(key.to_bytes())) is BootstrapKey


@row("serialized objects")
def _(here: Here) -> None:
    assert type(here.engine.serialize_ciphertext(here.encrypt(1.0))) is bytes


@row("files")
def _(here: Here) -> None:
    (here.folder / "file").write_bytes(bytes(range(256)))
    with pytest.raises(errors.ForeignFileError):
        here.engine.read_ciphertext(here.folder / "file")


@row("given secrets")
def _(here: Here) -> None:
    with pytest.raises(errors.ParameterError, match="secrets are drawn here; leave it out"):
        here.engine.create_secret_key(np.ones(8, dtype=np.int64))


@row("ring sizes and special primes")
def _(here: Here) -> None:
    with pytest.raises(errors.ParameterError, match="aren't chosen by hand"):
        compat.Engine(15, 4)


@row("keys shared between parties")
def _(here: Here) -> None:
    for name in ("create_public_key_a", "individual_decrypt", "read_decrypted_share"):
        with pytest.raises(errors.UnsupportedError, match=";"):
            getattr(here.engine, name)
    with pytest.raises(errors.ParameterError, match="keys shared between parties"):
        compat.Engine(use_multiparty=True)


@row("tensors of PyTorch")
def _(here: Here) -> None:
    with pytest.raises(errors.UnsupportedError, match=r"pass tensor\.numpy\(\)"):
        here.engine.encode_pytorch_tensor  # noqa: B018


@row("a bootstrap's first step alone")
def _(here: Here) -> None:
    with pytest.raises(errors.UnsupportedError, match="use bootstrap"):
        here.engine.mod_raise  # noqa: B018


@row("compact ciphertexts")
def _(here: Here) -> None:
    with pytest.raises(errors.ParameterError):
        compat.Engine(compact=True)


@row("the matrix scheme")
def _(here: Here) -> None:
    assert not hasattr(compat, "GLEngine")
