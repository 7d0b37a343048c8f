"""Keys, files, pickles, progress and interruption."""

from __future__ import annotations

import copy
import gc
import os
import pickle
import signal
import stat
import subprocess
import sys
import threading
import time
import weakref
from pathlib import Path

import numpy as np
import pytest

from everlevel import Engine, tfhe
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
    np.testing.assert_array_equal(elsewhere.decrypt(answer, secret), 7 - VALUES)
    np.testing.assert_array_equal(engine.decrypt(answer, secret_key), 7 - VALUES)


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
    with pytest.raises(UnsupportedKindError, match="tfhe_ciphertext"):
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
    with pytest.raises(UnsupportedKindError, match="secret_key"):
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


def test_a_shape_that_is_none_is_refused() -> None:
    from everlevel.tfhe.engine import _read_shape

    assert _read_shape("", 1) == ()
    assert _read_shape("2,3", 6) == (2, 3)
    for text in ("2,2", "-2,-3", "a", "", "0", "9" * 5_000, "6" + ",1" * 64):
        with pytest.raises(HeaderError):
            _read_shape(text, 6)


def test_pickles(engine: tfhe.Engine) -> None:
    secret_key = engine.create_secret_key()
    evaluation_key = engine.create_evaluation_key(secret_key)
    x = engine.encrypt(VALUES, secret_key)
    key, message, same = pickle.loads(pickle.dumps((evaluation_key, x, engine)))
    assert isinstance(key, tfhe.EvaluationKey)
    assert repr(key) == repr(evaluation_key)
    assert same.parameters == engine.parameters
    np.testing.assert_array_equal(engine.decrypt(message, secret_key), VALUES)
    assert copy.copy(x) is x
    assert copy.deepcopy(evaluation_key) is evaluation_key


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
    np.testing.assert_array_equal(engine.decrypt(7 - x, secret_key), 7 - VALUES)
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
    engine = tfhe.Engine("gate-64", thread_count=1)
    beats = []

    def beat() -> None:
        while not done.wait(0.005):
            beats.append(time.perf_counter())

    done = threading.Event()
    thread = threading.Thread(target=beat)
    secret_key = engine.create_secret_key()
    thread.start()
    engine.create_evaluation_key(secret_key, progress=False)
    done.set()
    thread.join()
    assert len(beats) > 3


FORK = """
import os, numpy as np
from everlevel import tfhe
engine = tfhe.Engine("integer-4-64", thread_count={threads}, insecure_log_n=10)
secret_key = engine.create_secret_key()
engine.create_evaluation_key(secret_key)
x = np.arange(4, dtype=np.uint8)
a = engine.encrypt_uint(x, secret_key)
a * a
child = os.fork()
other = engine.create_secret_key()
engine.create_evaluation_key(other)
assert (engine.decrypt(a * a, secret_key) == x * x).all()
assert (engine.decrypt(engine.encrypt_uint(x, other) + 1, other) == x + 1).all()
if child == 0:
    print("child", flush=True)
else:
    os.waitpid(child, 0)
    print("parent")
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
@pytest.mark.parametrize("threads", [1, 2])
def test_a_forked_process_has_threads(threads: int) -> None:
    command = [sys.executable, "-c", FORK.format(threads=threads)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "child\nparent\n"


def test_progress_is_shown(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVERLEVEL_PROGRESS", "1")
    monkeypatch.setattr("everlevel._progress.DELAY_SECONDS", 0)
    engine = tfhe.Engine("gate-64", insecure_log_n=9)
    engine.create_evaluation_key(engine.create_secret_key(), progress=True)
    assert "evaluation key" in capsys.readouterr().err
    engine.create_evaluation_key(engine.create_secret_key(), progress=False)
    assert capsys.readouterr().err == ""


PROGRAM = """
import numpy as np
from everlevel import tfhe
{prepare}
print("ready", flush=True)
try:
    {work}
except KeyboardInterrupt:
    print("interrupted")
"""
GATES = """
engine = tfhe.Engine("gate-64", thread_count=1, insecure_log_n=10)
secret_key = engine.create_secret_key()
engine.create_evaluation_key(secret_key)
a = engine.encrypt(np.zeros(50_000, dtype=bool), secret_key)
"""
KEYS = """
engine = tfhe.Engine("integer-6-64", thread_count=1)
secret_key = engine.create_secret_key()
"""


@pytest.mark.parametrize(
    ("prepare", "work"),
    [(GATES, "a & a[::-1]"), (KEYS, "for _ in range(9): engine.create_evaluation_key(secret_key)")],
    ids=["gates", "keys"],
)
def test_ctrl_c_ends_what_takes_long(prepare: str, work: str) -> None:
    command = [sys.executable, "-c", PROGRAM.format(prepare=prepare, work=work)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.2)
        start = time.perf_counter()
        process.send_signal(signal.SIGINT)
        assert process.stdout.read() == "interrupted\n"
        # All of the work would take minutes.
        assert time.perf_counter() - start < 20
