"""Keys, files, pickles, progress and interruption."""

from __future__ import annotations

import copy
import gc
import json
import pickle
import stat
import subprocess
import sys
import weakref
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import everlevel
from claims import assert_claims
from concurrency import FOREVER, ctrl_c_at_the_first_step, releases_the_lock
from everlevel import Engine, ntru, tfhe
from everlevel._common import headers
from everlevel.cli import main
from everlevel.errors import (
    ChecksumError,
    EngineMismatchError,
    FileParametersError,
    HeaderError,
    MissingKeyError,
    OperandTypeError,
    SecretExposureError,
    StorageNotFoundError,
    UnsupportedKindError,
)

VALUES = np.array([[1, 2, 3], [4, 5, 6]])


@pytest.fixture(scope="module")
def engine() -> tfhe.Engine:
    return tfhe.Engine("integer-3-64", insecure_log_n=9, thread_count=1)


def test_everything_goes_through_files(engine: tfhe.Engine, tmp_path: Path) -> None:
    secret_key = engine.create_secret_key()
    evaluation_key = engine.create_evaluation_key(secret_key)
    x = 1 * engine.encrypt(VALUES, secret_key)
    for obj, name in [(secret_key, "secret"), (evaluation_key, "evaluation"), (x, "message")]:
        obj.save(tmp_path / name)
    assert stat.S_IMODE((tmp_path / "secret").stat().st_mode) == 0o600

    elsewhere = tfhe.Engine("integer-3-64", insecure_log_n=9)
    message = elsewhere.load(tmp_path / "message")
    assert isinstance(message, tfhe.Ciphertext)
    assert (message.shape, message.max_value, message.log2_p_fail) == (x.shape, x.max_value, x.log2_p_fail)
    with pytest.raises(MissingKeyError):
        elsewhere.bootstrap(message)
    assert isinstance(elsewhere.load(tmp_path / "evaluation"), tfhe.EvaluationKey)
    answer = elsewhere.bootstrap(message, lut=lambda m: 7 - m)
    secret = elsewhere.load(tmp_path / "secret")
    assert isinstance(secret, tfhe.SecretKey)
    assert_claims(answer, 7 - VALUES, secret)
    assert_claims(answer, 7 - VALUES, secret_key)


def test_a_single_element_keeps_its_shape(engine: tfhe.Engine, tmp_path: Path) -> None:
    secret_key = engine.create_secret_key()
    engine.encrypt(5, secret_key).save(tmp_path / "one")
    one = engine.load(tmp_path / "one")
    assert isinstance(one, tfhe.Ciphertext)
    assert (one.shape, int(engine.decrypt(one, secret_key))) == ((), 5)


def test_wrong_files_are_refused(engine: tfhe.Engine, tmp_path: Path) -> None:
    path = tmp_path / "message"
    with pytest.raises(StorageNotFoundError):
        engine.load(path)
    engine.encrypt(VALUES, engine.create_secret_key()).save(path)
    with pytest.raises(FileParametersError) as caught:
        tfhe.Engine("integer-4-64", insecure_log_n=9).load(path)
    assert caught.value.found != caught.value.expected
    ckks = Engine(max_level=1, insecure_log_n=10)
    with pytest.raises(UnsupportedKindError, match="holds a tfhe ciphertext of integer-3-64"):
        ckks.load(path)
    stranger = ckks.create_secret_key()
    with pytest.raises(OperandTypeError, match=r"everlevel\.keys\.SecretKey, and an everlevel\.tfhe\.keys\.SecretKey"):
        engine.encrypt(VALUES, stranger)  # type: ignore[arg-type]
    damaged = bytearray(path.read_bytes())
    damaged[-20] ^= 1
    path.write_bytes(damaged)
    with pytest.raises(ChecksumError):
        engine.load(path)
    ckks.create_secret_key().save(path)
    with pytest.raises(UnsupportedKindError, match="holds a secret key of N"):
        engine.load(path)


def test_inspect_says_what_files_hold(engine: tfhe.Engine, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    secret_key = engine.create_secret_key()
    objects = [secret_key, engine.create_evaluation_key(secret_key), engine.encrypt(VALUES, secret_key)]
    for i, obj in enumerate(objects):
        obj.save(tmp_path / str(i))
    assert main(["inspect", *(str(tmp_path / str(i)) for i in range(3))]) == 0
    out = capsys.readouterr().out
    for line in ("tfhe secret key", "tfhe evaluation key", "(2,3)", "integer-3-64, n 32, N 2^9, rank 1, INSECURE"):
        assert line in out


@pytest.mark.parametrize("scheme", [tfhe, ntru])
def test_a_small_ciphertext_is_a_small_file(scheme: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    engine = scheme.Engine("integer-4-64", thread_count=1)
    secret_key = engine.create_secret_key()
    x, path = engine.encrypt_uint(np.uint32(123_456_789), secret_key), tmp_path / "x"
    x.save(path)
    assert path.stat().st_size == len(x.to_bytes()) == 704
    assert len(pickle.dumps(x)) < 1024
    opened, y = everlevel.open(path, thread_count=1)
    assert repr(opened) == repr(engine)
    assert int(opened.decrypt(y, secret_key)) == 123_456_789
    # Parts of the package, and people, read the numbers of the parameters all the same.
    assert main(["inspect", "--json", str(path)]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["parameter_set"], found["verified"]) == (engine._prefix + "integer-4-64", True)
    secret_key.save(tmp_path / "secret")
    assert headers.read(str(tmp_path / "secret")).literal == found["parameters"] == headers.read(str(path)).literal
    with pytest.raises(FileParametersError, match=r"holds a tfhe uint array of .*integer-4-64, .*; open it with"):
        scheme.Engine("integer-4-64", insecure_log_n=10).load(path)


def test_a_set_that_this_version_lacks_is_refused() -> None:
    metadata = {"kind": "tfhe_ciphertext", "parameters": "integer-9-64", "fingerprint": "0x1", "library": "everlevel 9"}
    with pytest.raises(FileParametersError, match=r"^read: it is of the set integer-9-64, .* wrote it, everlevel 9$"):
        headers._checked("it", metadata)
    with pytest.raises(HeaderError, match="lacks a part"):
        headers._checked("it", {"kind": "ciphertext", "fingerprint": "0x1"})


def test_a_shape_that_is_none_is_refused() -> None:
    from everlevel.tfhe.engine import _read_shape

    assert _read_shape("", 1) == ()
    assert _read_shape("2,3", 6) == (2, 3)
    for text in ("2,2", "-2,-3", "a", "", "0", "9" * 5_000, "6" + ",1" * 64):
        with pytest.raises(HeaderError):
            _read_shape(text, 6)


@pytest.mark.parametrize("other", ["integer-4-64-experimental", "integer-4-128", "integer-4-128-blocks-experimental"])
def test_keys_of_another_chain_are_refused(other: str, tmp_path: Path) -> None:
    engine, elsewhere = (tfhe.Engine(name, insecure_log_n=9) for name in ("integer-4-128-experimental", other))
    secret_key = engine.create_secret_key()
    evaluation_key = engine.create_evaluation_key(secret_key)
    message = engine.encrypt(VALUES, secret_key)
    with pytest.raises(EngineMismatchError) as mismatch:
        elsewhere.use(evaluation_key)
    assert other in str(mismatch.value)
    assert "integer-4-128-experimental" in str(mismatch.value)
    foreign = elsewhere.create_secret_key()
    elsewhere.create_evaluation_key(foreign)
    with pytest.raises(EngineMismatchError):
        elsewhere.bootstrap(message)
    evaluation_key.save(tmp_path / "evaluation")
    with pytest.raises(FileParametersError) as caught:
        elsewhere.load(tmp_path / "evaluation")
    assert caught.value.found is not None
    assert caught.value.expected is not None
    assert caught.value.found != caught.value.expected


def test_pickles(engine: tfhe.Engine) -> None:
    secret_key = engine.create_secret_key()
    evaluation_key = engine.create_evaluation_key(secret_key)
    x = engine.encrypt(VALUES, secret_key)
    key, message, same = pickle.loads(pickle.dumps((evaluation_key, x, engine)))
    assert isinstance(key, tfhe.EvaluationKey)
    assert repr(key) == repr(evaluation_key)
    assert same.parameters == engine.parameters
    assert_claims(message, VALUES, secret_key)
    assert copy.copy(x) is not x
    assert copy.deepcopy(evaluation_key) is evaluation_key


def twice(message: tfhe.Ciphertext, key: tfhe.EvaluationKey) -> tfhe.Ciphertext:
    engine = key._engine
    engine.use(key)
    assert message._engine is engine
    return engine.bootstrap(message, lut=lambda m: 2 * m % 8)


def test_objects_travel_to_other_processes(engine: tfhe.Engine) -> None:
    secret_key = engine.create_secret_key()
    key = engine.create_evaluation_key(secret_key)
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        message = pool.submit(twice, engine.encrypt(VALUES, secret_key), key).result()
    assert_claims(message, 2 * VALUES % 8, secret_key)


def test_secrets_stay(engine: tfhe.Engine) -> None:
    secret_key = engine.create_secret_key()
    for escape in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(SecretExposureError):
            escape(secret_key)
    assert repr(secret_key) == "SecretKey(hidden)"


def test_keys_are_used_and_forgotten(engine: tfhe.Engine) -> None:
    secret_key = engine.create_secret_key()
    key = engine.create_evaluation_key(secret_key)
    x = engine.encrypt(VALUES, secret_key)
    engine.forget_keys()
    with pytest.raises(MissingKeyError):
        7 - x
    engine.use(key)
    assert_claims(7 - x, 7 - VALUES, secret_key)
    assert key.nbytes > key.bootstrap_nbytes > 0
    assert "integer-3-64" in repr(key)
    with pytest.raises(EngineMismatchError):
        tfhe.Engine("integer-4-64", insecure_log_n=9).use(key)
    with pytest.raises(OperandTypeError):
        engine.use(secret_key)  # type: ignore[arg-type]


def test_an_engine_goes_without_the_garbage_collector() -> None:
    engine = tfhe.Engine("gate-64", insecure_log_n=8, thread_count=1)
    engine.create_evaluation_key(engine.create_secret_key())
    gone = weakref.ref(engine)
    gc.disable()
    try:
        del engine
        assert gone() is None
    finally:
        gc.enable()


def test_threads_give_the_same(engine: tfhe.Engine) -> None:
    secret_key = engine.create_secret_key()
    key = engine.create_evaluation_key(secret_key)
    parallel = tfhe.Engine("integer-3-64", insecure_log_n=9, thread_count=2)
    parallel.use(key)
    x = engine.encrypt(np.arange(40) % 8, secret_key)
    one, two = (e.bootstrap(x, lut=lambda m: m ^ 5) for e in (engine, parallel))
    assert one._stored()[0].variance_torus == two._stored()[0].variance_torus
    np.testing.assert_array_equal(engine.decrypt(one, secret_key), engine.decrypt(two, secret_key))


def test_calls_release_the_lock() -> None:
    engine = tfhe.Engine("gate-64", thread_count=1, insecure_log_n=9)
    secret_key = engine.create_secret_key()
    assert releases_the_lock(lambda: engine.create_evaluation_key(secret_key))
    a = engine.encrypt(np.zeros(20, dtype=bool), secret_key)
    assert releases_the_lock(lambda: a ^ a)


def test_progress_is_shown(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVERLEVEL_PROGRESS", "1")
    monkeypatch.setattr("everlevel._common.progress.DELAY_SECONDS", 0)
    engine = tfhe.Engine("gate-64", insecure_log_n=9)
    engine.create_evaluation_key(engine.create_secret_key(), progress=True)
    assert "evaluation key" in capsys.readouterr().err
    engine.create_evaluation_key(engine.create_secret_key(), progress=False)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("threads", [1, 2])
def test_ctrl_c_stops_long_calls(threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = tfhe.Engine("integer-4-64", thread_count=threads, insecure_log_n=10)
    secret_key = engine.create_secret_key()
    engine.create_evaluation_key(secret_key)
    x = np.arange(1_000) % 16
    a = engine.encrypt(x, secret_key)
    b = engine.encrypt_uint(x[:100].astype(np.uint16), secret_key)
    for work in (
        lambda: engine.create_evaluation_key(secret_key),
        lambda: engine.bootstrap(a),
        lambda: engine.bootstrap_many(a, [lambda m: m // 2] * 2),
        lambda: b * b,
        lambda: b.sum(),
    ):
        with ctrl_c_at_the_first_step(monkeypatch):
            work()
    assert_claims(a, x, secret_key)
    assert_claims(b[:3] * b[:3], [0, 1, 4], secret_key)


QUIET = """
import os, signal, threading, time
import numpy as np
from everlevel import tfhe
# Children of background jobs ignore the signal.
signal.signal(signal.SIGINT, signal.default_int_handler)
engine = tfhe.Engine("gate-64", thread_count=1, insecure_log_n=9)
secret_key = engine.create_secret_key()
engine.create_evaluation_key(secret_key)
few, many = (engine.encrypt(np.zeros(count, dtype=bool), secret_key) for count in (300, 30_000))
start = time.process_time()
few & few
cost = time.process_time() - start

def interrupt():
    global start
    while time.process_time() - start < 2 * cost:
        time.sleep(0.01)
    start = time.process_time()
    os.kill(os.getpid(), signal.SIGINT)

start = time.process_time()
threading.Thread(target=interrupt).start()
try:
    for _ in range(20):
        many & many
except KeyboardInterrupt:
    print((time.process_time() - start) / cost)
"""


def test_ctrl_c_stops_a_call_without_a_bar() -> None:
    """Measured in the process's own time, which the machine's other work doesn't change."""
    command = [sys.executable, "-c", QUIET]
    done = subprocess.run(command, capture_output=True, text=True, timeout=FOREVER, check=True)
    # One call would take 100 from its beginning.
    assert float(done.stdout) < 50
