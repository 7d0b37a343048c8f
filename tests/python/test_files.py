"""Files, bytes and pickles: round trips, refusals, and keys that a second process maps."""

from __future__ import annotations

import copy
import os
import pickle
import resource
import signal
import stat
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from claims import assert_claims
from everlevel import BootstrapKey, Ciphertext, Engine, Plaintext, RotationKey, _native, errors
from everlevel.ckks.keys import FixedRotationKey
from parties import INSECURE_LOG_N, Party, of_1x

KINDS = (
    "ciphertext",
    "plaintext",
    "secret_key",
    "public_key",
    "relinearization_key",
    "conjugation_key",
    "rotation_key",
    "fixed_rotation_key",
    "bootstrap_key",
    "lossy_bootstrap_key",
)
MESSAGE = [0.25, -1.0, 3.5]


@pytest.fixture(scope="module")
def objects(deep: Party, bootstrap_key: BootstrapKey) -> dict[str, Any]:
    """One object of each kind, of one engine."""
    engine = deep.engine
    return {
        "ciphertext": engine.encrypt(MESSAGE, deep.public_key, level=4, bound=4, slots=True),
        "plaintext": engine.encode(MESSAGE, level=3, slots=True),
        "secret_key": deep.secret_key,
        "public_key": deep.public_key,
        "relinearization_key": deep.relinearization_key,
        "conjugation_key": deep.conjugation_key,
        "rotation_key": engine.create_rotation_key(deep.secret_key),
        "fixed_rotation_key": engine.create_fixed_rotation_key(deep.secret_key, -3, level=2),
        "bootstrap_key": bootstrap_key,
        "lossy_bootstrap_key": engine.create_lossy_bootstrap_key(deep.secret_key),
    }


def same(kind: str, a: Any, b: Any, data: bytes) -> None:
    """Two objects of one kind say the same of themselves, and are written as the same bytes: `data`, the second's."""
    if a is b:
        return
    assert type(a) is type(b)
    assert a.level == b.level if kind != "secret_key" else True
    assert a.to_bytes() == data


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_comes_back(deep: Party, objects: dict[str, Any], kind: str, tmp_path: Path) -> None:
    engine, obj, path = deep.engine, objects[kind], tmp_path / "file"
    obj.save(path)
    data = obj.to_bytes()
    same(kind, engine.load(path), obj, data)
    same(kind, engine.load(str(path), mapped=True, verify=True), obj, data)
    assert data == path.read_bytes()
    for form in (data, bytearray(data), memoryview(data)):
        same(kind, engine.load_bytes(form), obj, data)
    # The functions of 1.x.
    engine_1x = of_1x(deep)
    getattr(engine_1x, f"write_{kind}")(obj, path)
    assert path.read_bytes() == data == getattr(engine_1x, f"serialize_{kind}")(obj)
    same(kind, getattr(engine_1x, f"read_{kind}")(path), obj, data)
    same(kind, getattr(engine_1x, f"deserialize_{kind}")(data), obj, data)
    assert os.listdir(tmp_path) == ["file"]


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "secret_key"])
def test_every_kind_but_secret_keys_is_pickled(objects: dict[str, Any], kind: str) -> None:
    obj = objects[kind]
    data = obj.to_bytes()
    for protocol in (2, pickle.HIGHEST_PROTOCOL):
        same(kind, pickle.loads(pickle.dumps(obj, protocol)), obj, data)
    for copied in (copy.copy(obj), copy.deepcopy([obj])[0]):
        same(kind, copied, obj, data)
        # Nothing changes what is immutable; a ciphertext may be an `out`.
        assert (copied is obj) == (kind != "ciphertext")


def test_secret_keys_are_written_on_purpose_only(deep: Party, tmp_path: Path) -> None:
    with pytest.raises(errors.SecretExposureError, match="on purpose"):
        pickle.dumps(deep.secret_key)
    path = tmp_path / "secret"
    deep.secret_key.save(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    secret_key = deep.engine.load(path)
    a = deep.engine.encrypt(MESSAGE, deep.public_key, bound=4)
    np.testing.assert_array_equal(deep.engine.decrypt(a, secret_key), deep.engine.decrypt(a, deep.secret_key))


def test_what_is_read_computes(deep: Party, objects: dict[str, Any], tmp_path: Path) -> None:
    engine = Engine(use_bootstrap=True, insecure_log_n=INSECURE_LOG_N)
    loaded: dict[str, Any] = {}
    for kind, obj in objects.items():
        obj.save(tmp_path / kind)
        loaded[kind] = engine.load(tmp_path / kind)
    # The engine remembers the keys that it has read.
    a, secret_key = loaded["ciphertext"], loaded["secret_key"]
    assert isinstance(a, Ciphertext)
    for actual, expected in (
        (a * a, np.square(MESSAGE)),
        (a.rotate(1), np.array([0, *MESSAGE])),
        (a.conjugate() + loaded["plaintext"], 2 * np.array(MESSAGE)),
        (engine.level_down(a, 2).rotate(-1), np.array([*MESSAGE[1:], *np.zeros(engine.slot_count - 3), MESSAGE[0]])),
    ):
        assert_claims(actual, expected, secret_key)
    refreshed = (0.25 * engine.level_down(a, 1)).bootstrap(loaded["bootstrap_key"])
    assert_claims(refreshed, 0.25 * np.array(MESSAGE), secret_key)


@pytest.mark.parametrize("message", [[1.0, 2.0], [1.0, 2j]])
def test_real_messages_stay_real(party: Party, message: list[complex]) -> None:
    engine = party.engine
    a = engine.load_bytes(engine.encrypt(message, party.public_key, bound=2).to_bytes())
    plaintext = engine.load_bytes(engine.encode(message).to_bytes())
    assert a.is_real == plaintext.is_real == np.isrealobj(np.array(message))
    assert isinstance(plaintext, Plaintext)


def test_a_fixed_rotation_key_keeps_its_level(party: Party) -> None:
    key = party.engine.create_fixed_rotation_key(party.secret_key, 5, level=2)
    back = party.engine.load_bytes(key.to_bytes())
    assert isinstance(back, FixedRotationKey)
    assert (back.level, back.delta) == (2, 5)


def test_keys_are_held_as_asked(party: Party, tmp_path: Path) -> None:
    engine, path = party.engine, tmp_path / "key"
    key = party.relinearization_key
    assert not key.is_seeded
    key.save(path)
    small = path.stat().st_size

    def held(**options: Any) -> bool:
        loaded: Any = engine.load(path, **options)
        return bool(loaded.is_seeded)

    assert not held()
    assert held(expanded=False)
    assert held(mapped=True)
    assert not held(mapped=True, expanded=True)
    key.save(path, expanded=True)
    assert 1.8 * small < path.stat().st_size < 2 * small
    assert not held(mapped=True)
    seeded = Engine(max_level=5, insecure_log_n=INSECURE_LOG_N, seeded_keys=True)
    key.save(path)
    assert seeded.load(path).is_seeded


def test_files_are_safetensors(party: Party, tmp_path: Path) -> None:
    safetensors = pytest.importorskip("safetensors.numpy")
    path = tmp_path / "message"
    party.engine.encrypt(MESSAGE, party.public_key, level=2, bound=4).save(path)
    tensors = safetensors.load_file(path)
    assert set(tensors) == {"c0", "c1"}
    # Three primes; residues of six bytes, little-endian.
    n = 2**INSECURE_LOG_N
    rows = tensors["c0"]
    assert rows.shape[0] == 3
    residues = rows[:, : 6 * n].reshape(3, n, 6).astype(np.uint64) @ (256 ** np.arange(6, dtype=np.uint64))
    assert residues.max() < 2**48
    assert residues.max() > 2**47
    assert not rows[:, 6 * n :].any()


def test_a_header_is_looked_at_without_the_data(party: Party, tmp_path: Path) -> None:
    path = tmp_path / "key"
    party.public_key.save(path)
    sizes, metadata = _native.inspect_file(str(path))
    assert metadata["kind"] == "public_key"
    assert set(sizes) == {"body"}
    assert "log_n" in metadata["params"]


CHILD = """
import sys
from everlevel import Engine
engine = Engine(use_bootstrap=True, insecure_log_n=int(sys.argv[1]))
folder = sys.argv[2]
for key in ("relinearization_key", "conjugation_key"):
    engine.load(f"{folder}/{key}", mapped=True)
ciphertext = engine.load(f"{folder}/ciphertext")
key = engine.load(f"{folder}/bootstrap_key", mapped=True)
ciphertext.bootstrap(key).save(f"{folder}/refreshed")
"""


@pytest.mark.parametrize("expanded", [False, True])
def test_a_second_process_maps_the_keys(
    deep: Party, bootstrap_key: BootstrapKey, tmp_path: Path, expanded: bool
) -> None:
    engine = deep.engine
    keys = {"relinearization_key": deep.relinearization_key, "conjugation_key": deep.conjugation_key}
    for name, key in (keys | {"bootstrap_key": bootstrap_key}).items():
        key.save(tmp_path / name, expanded=expanded)
    a = engine.encrypt(MESSAGE, deep.public_key, level=0, bound=4)
    a.save(tmp_path / "ciphertext")
    subprocess.run([sys.executable, "-c", CHILD, str(INSECURE_LOG_N), str(tmp_path)], check=True)
    here = engine.bootstrap(a, deep.relinearization_key, deep.conjugation_key, bootstrap_key)
    there = engine.load(tmp_path / "refreshed")
    np.testing.assert_array_equal(engine.decrypt(there, deep.secret_key), engine.decrypt(here, deep.secret_key))
    assert (there.level, there.bound) == (here.level, here.bound)


def square(a: Ciphertext, key: Any) -> Ciphertext:
    return a._engine.square(a, key)


def test_objects_travel_to_other_processes(party: Party) -> None:
    a = party.engine.encrypt(MESSAGE, party.public_key, bound=4)
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        b = pool.submit(square, a, party.relinearization_key).result()
    assert b.level == a.level - 1
    assert_claims(b, np.square(MESSAGE), party.secret_key)


def test_a_pickled_engine_is_the_one_that_is_there(party: Party) -> None:
    engine = pickle.loads(pickle.dumps(party.engine))
    a = engine.encrypt(MESSAGE, party.public_key, bound=4)
    assert_claims(a, MESSAGE, party.secret_key)
    b = pickle.loads(pickle.dumps(a))
    assert b._engine is pickle.loads(pickle.dumps(b))._engine


# Bad input.


@pytest.fixture
def data(party: Party) -> bytes:
    return party.engine.encrypt(MESSAGE, party.public_key, level=1, bound=4).to_bytes()


def test_truncated(party: Party, data: bytes) -> None:
    for length in [*range(0, 1200, 31), *range(1200, len(data), 1009), len(data) - 1]:
        with pytest.raises(errors.TruncatedFileError, match="it was cut short") as caught:
            party.engine.load_bytes(data[:length])
        assert caught.value.found == length


def test_flipped(party: Party, data: bytes) -> None:
    for index in [*range(0, 1200, 13), *range(1200, len(data), 509)]:
        flipped = bytearray(data)
        flipped[index] ^= 4
        with pytest.raises(errors.FormatError, match=";"):
            party.engine.load_bytes(flipped)
    flipped = bytearray(data)
    flipped[-1] ^= 1
    with pytest.raises(errors.ChecksumError, match="tensor c1") as caught:
        party.engine.load_bytes(flipped)
    assert caught.value.part == "tensor c1"
    assert caught.value.expected != caught.value.found


def test_foreign(party: Party, tmp_path: Path) -> None:
    path = tmp_path / "photo"
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(1000))
    for call in (party.engine.load, of_1x(party).read_ciphertext):
        with pytest.raises(errors.ForeignFileError, match="check the path"):
            call(path)


def test_newer(party: Party, data: bytes) -> None:
    with pytest.raises(errors.NewerFormatError, match="update Everlevel") as caught:
        party.engine.load_bytes(data.replace(b"everlevel/1", b"everlevel/7", 1))
    assert (caught.value.found, caught.value.supported) == (7, 1)


def test_a_header_without_end(party: Party, data: bytes) -> None:
    with pytest.raises(errors.HeaderError, match="damaged or hostile"):
        party.engine.load_bytes((2**50).to_bytes(8, "little") + data[8:])


def test_another_kind(party: Party, data: bytes, tmp_path: Path) -> None:
    with pytest.raises(errors.FileKindError, match="a relinearization_key was asked for") as caught:
        of_1x(party).deserialize_relinearization_key(data)
    assert (caught.value.found, caught.value.expected) == ("ciphertext", "relinearization_key")
    (tmp_path / "file").write_bytes(data)
    with pytest.raises(errors.FileKindError):
        of_1x(party).read_bootstrap_key(tmp_path / "file")


def test_regular_keys_are_no_lossy_ones(deep: Party, bootstrap_key: BootstrapKey, objects: dict[str, Any]) -> None:
    engine = of_1x(deep)
    with pytest.raises(errors.FileKindError, match="a lossy bootstrap key was asked for"):
        engine.deserialize_lossy_bootstrap_key(bootstrap_key.to_bytes())
    lossy = objects["lossy_bootstrap_key"].to_bytes()
    assert type(engine.deserialize_bootstrap_key(lossy)) is type(objects["lossy_bootstrap_key"])


def test_other_parameters(party: Party, deep: Party, data: bytes) -> None:
    with pytest.raises(errors.FileParametersError, match=r"levels 0\.\.5, INSECURE, and this is Engine") as caught:
        deep.engine.load_bytes(data)
    assert isinstance(caught.value.found, int)
    assert caught.value.found != caught.value.expected


def test_other_slot_counts(party: Party, data: bytes) -> None:
    narrow = Engine(max_level=5, slot_count=8, insecure_log_n=INSECURE_LOG_N)
    with pytest.raises(errors.FileParametersError, match="for slot_count 512, this engine has 8"):
        narrow.load_bytes(data)


def test_a_pickle_of_nonsense(party: Party) -> None:
    from everlevel.ckks.engine import _restore

    for params in ("", "{}", '{"log_n": 60}'):
        with pytest.raises(errors.HeaderError):
            _restore(params, 512, False, False, b"")
    with pytest.raises(errors.ParameterError):
        _restore(party.engine._context.params.replace('"log_n":10', '"log_n":60'), 512, False, False, b"")


def test_places_that_cannot_be_written(party: Party, tmp_path: Path) -> None:
    with pytest.raises(errors.StorageNotFoundError, match="make the folder first") as caught:
        party.public_key.save(tmp_path / "missing" / "key")
    assert isinstance(caught.value, FileNotFoundError)
    assert caught.value.path == str(tmp_path / "missing" / "key")
    with pytest.raises(errors.StorageError, match="path of a file"):
        party.public_key.save(tmp_path)
    with pytest.raises(errors.StorageNotFoundError, match="check the path"):
        party.engine.load(tmp_path / "missing")
    with pytest.raises(errors.StorageError, match="path of a file"):
        party.engine.load(tmp_path)
    for path in ("\ud800", "a\0b"):
        for call in (party.engine.load, party.public_key.save):
            with pytest.raises(errors.StorageError, match="path"):
                call(path)
    with pytest.raises(errors.OperandTypeError, match="check the order"):
        party.public_key.save(7)  # type: ignore[arg-type]
    with pytest.raises(errors.OperandTypeError, match="public_key is of type str"):
        of_1x(party).write_public_key("key", party.public_key)
    with pytest.raises(errors.OperandTypeError, match="bytes are needed"):
        party.engine.load_bytes("text")  # type: ignore[arg-type]
    assert os.listdir(tmp_path) == []


def test_what_is_no_file(party: Party, tmp_path: Path) -> None:
    """A pipe waits for whoever writes to it, and a device may have no end."""
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", Path("/dev/zero")):
        for options in ({}, {"mapped": True}, {"mapped": False}):
            with pytest.raises(errors.StorageError, match="is not a regular file; give the path of a file"):
                party.engine.load(path, **options)
        with pytest.raises(errors.StorageError, match="is not a regular file; nothing was changed"):
            party.public_key.save(path)
    assert (tmp_path / "pipe").is_fifo()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_read_only_folder(party: Party, tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(errors.StorageError, match="write to a folder that is yours") as caught:
            party.public_key.save(tmp_path / "key")
        assert caught.value.errno == 13
    finally:
        tmp_path.chmod(0o700)


def test_a_write_that_fails_half_way_leaves_the_old_file(party: Party, tmp_path: Path) -> None:
    path = tmp_path / "key"
    path.write_bytes(b"old")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, before[1]))
    try:
        with pytest.raises(errors.StorageError, match="nothing was changed"):
            party.relinearization_key.save(path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["key"]


def test_a_mapped_file_may_be_replaced(party: Party, rotation_key: RotationKey, tmp_path: Path) -> None:
    engine, path = party.engine, tmp_path / "key"
    rotation_key.save(path)
    mapped = engine.load(path, mapped=True)
    engine.create_rotation_key(party.secret_key).save(path)
    assert mapped.to_bytes() == rotation_key.to_bytes()  # type: ignore[arg-type]
