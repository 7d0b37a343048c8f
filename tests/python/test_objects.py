"""What objects say about themselves, progress bars, and threads."""

from __future__ import annotations

import inspect
import pickle
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np
import pytest

import everlevel
from claims import assert_claims
from concurrency import ctrl_c_at_the_first_step, releases_the_lock
from everlevel import BootstrapKey, Engine, RotationKey, compat, ntru, tfhe
from everlevel._common import progress as _progress
from everlevel._common.sizes import format_bytes
from parties import Party


def test_a_ciphertext_tells_level_slots_and_precision(party: Party) -> None:
    a = party.engine.encrypt([1.0], party.public_key, level=3)
    pattern = (
        r"Ciphertext\(level 3/5, scale 2\^\d+\.\d\d, slots 512, shape \(1,\), bound 1 assumed, "
        r"precision at least \d+\.\d bits \(varied values of mean 0: \d+\.\d\)\)"
    )
    assert re.fullmatch(pattern, repr(a))
    assert a.scale == pytest.approx(2.0 ** float(re.search(r"\^([\d.]+)", repr(a))[1]), rel=0.01)  # type: ignore[index]
    assert a.nbytes > 0


def test_keys_tell_their_size(party: Party, rotation_key: RotationKey, bootstrap_key: BootstrapKey) -> None:
    for key in (party.public_key, party.relinearization_key, party.conjugation_key, rotation_key, bootstrap_key):
        assert key.nbytes > 0
        assert re.fullmatch(r"\w+\(.*\d (k|M|G)?B\)", repr(key))
    assert "stage_count 3, medium" in repr(bootstrap_key)
    assert (bootstrap_key.stage_count, bootstrap_key.size) == (3, "medium")


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1000, "1.0 kB"),
        (999_949, "999.9 kB"),
        (999_951, "1.0 MB"),
        (4_500_000_000, "4.5 GB"),
    ],
)
def test_bytes_are_written_in_decimal_units(count: int, text: str) -> None:
    assert format_bytes(count) == text


def test_info(capsys: pytest.CaptureFixture[str]) -> None:
    everlevel.show_info()
    shown = dict(line.split(maxsplit=1) for line in capsys.readouterr().out.splitlines())
    assert shown["everlevel"] == everlevel.__version__
    assert shown["numpy"] == np.__version__
    assert {"python", "cores"} < set(shown)


@pytest.mark.parametrize("path", compat.MODULES)
def test_modules_of_version_0_1_are_found(path: str) -> None:
    assert import_module(f"everlevel.{path}") is import_module(f"everlevel.{compat.MODULES[path]}")


def test_pickles_of_version_0_1_are_read(party: Party) -> None:
    pickled = pickle.dumps(party.engine.encode([0.5]), protocol=0)
    former = pickled.replace(b"everlevel.ckks._storable\nrestore\n", b"everlevel.engine\n_restore\n")
    assert former != pickled
    assert party.engine.decode(pickle.loads(former))[0] == pytest.approx(0.5)


@pytest.mark.parametrize("module", [tfhe, ntru])
def test_pickles_of_bits_of_version_0_1_are_read(module: Any) -> None:
    from everlevel.tfhe.engine import _engine_at, _restore

    engine = module.Engine("gate-64", insecure_log_n=9, thread_count=1)
    secret_key = engine.create_secret_key()
    address = f"{engine._prefix}gate-64", 9, False
    x = _restore(*address, engine.encrypt([True, False], secret_key).to_bytes())
    assert x._engine is engine is _engine_at(*address)
    assert engine.decrypt(x, secret_key).tolist() == [True, False]


@pytest.mark.parametrize("engine", [Engine, tfhe.Engine])
def test_listed_functions_look_like_methods(engine: type) -> None:
    for name, method in inspect.getmembers(engine, inspect.isfunction):
        first = next(iter(inspect.signature(method).parameters.values()))
        assert (first.name, first.annotation) == ("self", inspect.Parameter.empty), name


def test_the_names_a_user_types() -> None:
    assert {"Engine", "Ciphertext", "tfhe"} <= set(everlevel.__all__)
    for name in everlevel.__all__:
        assert hasattr(everlevel, name)


@pytest.mark.parametrize("off", ["0", "false", "No", "OFF"])
def test_the_environment_switches_progress_off(monkeypatch: pytest.MonkeyPatch, off: str) -> None:
    monkeypatch.setenv("EVERLEVEL_PROGRESS", off)
    assert not _progress.wanted(True)


def test_progress_is_for_those_who_look(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("EVERLEVEL_PROGRESS", raising=False)
    monkeypatch.setattr("sys.stderr.isatty", lambda: False, raising=False)
    assert _progress.wanted(True)
    assert not _progress.wanted(None)
    assert not _progress.wanted(False)


@pytest.fixture
def bar(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[[], list[str]]:
    """All that a bar drew, in order; it is shown from the start."""
    monkeypatch.delenv("EVERLEVEL_PROGRESS", raising=False)
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.setattr(_progress, "DELAY_SECONDS", 0.0)
    return lambda: [line for line in capsys.readouterr().err.split("\r") if line.strip()]


def test_progress_is_shown_to_its_end(bar: Callable[[], list[str]]) -> None:
    with _progress.reporting("bootstrap key", True) as report:
        assert report is not None
        for done in (1, 3, 2, 4):
            report(done, 4)
    drawn = bar()
    assert drawn[-1].startswith("bootstrap key: 100%")
    assert "4/4" in drawn[-1]
    with _progress.reporting("bootstrap key", False) as report:
        assert report is None
    assert bar() == []


def test_progress_of_a_call_that_fails_is_not_shown_to_its_end(bar: Callable[[], list[str]]) -> None:
    with pytest.raises(ValueError, match="failed"), _progress.reporting("bootstrap key", True) as report:  # noqa: PT012
        assert report is not None
        report(1, 4)
        raise ValueError("failed")
    assert not any("4/4" in line for line in bar())


def test_bars_that_tqdm_is_told_to_hide(bar: Callable[[], list[str]], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_progress, "tqdm", partial(_progress.tqdm, disable=True))
    with _progress.reporting("bootstrap key", True) as report:
        assert report is not None
        report(4, 4)
    assert bar() == []


def test_a_short_call_shows_nothing(bar: Callable[[], list[str]], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_progress, "DELAY_SECONDS", 1000.0)
    with _progress.reporting("bootstrap key", True) as report:
        assert report is not None
        report(1, 4)
        report(4, 4)
    assert bar() == []


def test_native_calls_report_progress(deep: Party, monkeypatch: pytest.MonkeyPatch) -> None:
    steps: list[tuple[int, int]] = []
    native = deep.secret_key._native
    key = deep.engine._context.bootstrap_key(native, "both", 3, False, lambda *step: steps.append(step))
    assert key.nbytes > 0
    assert steps
    assert steps[-1][0] == steps[-1][1]
    assert all(0 <= done <= total for done, total in steps)


def test_an_error_in_a_report_stops_the_work_and_is_raised(deep: Party) -> None:
    steps: list[int] = []

    def interrupt(done: int, total: int) -> None:
        steps.append(done)
        if done == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        deep.engine._context.bootstrap_key(deep.secret_key._native, "both", 3, False, interrupt)
    assert steps[-1] == 3


def test_ctrl_c_stops_long_calls(deep: Party, bootstrap_key: BootstrapKey, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = deep.engine
    with ctrl_c_at_the_first_step(monkeypatch):
        engine.create_bootstrap_key(deep.secret_key)
    x = engine.encrypt([0.5], deep.public_key, level=0)
    with ctrl_c_at_the_first_step(monkeypatch):
        engine.bootstrap(x, deep.relinearization_key, deep.conjugation_key, bootstrap_key)
    again = engine.bootstrap(x, deep.relinearization_key, deep.conjugation_key, bootstrap_key)
    assert_claims(again, [0.5], deep.secret_key)


def test_one_engine_serves_many_threads(party: Party, rng: np.random.Generator) -> None:
    message = rng.uniform(-1, 1, 512)

    def work(seed: int) -> None:
        a = party.engine.encrypt(message, party.public_key)
        assert_claims((a * a + seed) * a, (message**2 + seed) * message, party.secret_key)

    with ThreadPoolExecutor(8) as pool:
        assert len(list(pool.map(work, range(32)))) == 32


def test_calls_release_the_lock(deep: Party) -> None:
    engine = deep.engine
    x = engine.encrypt([0.5], deep.public_key)
    assert releases_the_lock(lambda: engine.create_bootstrap_key(deep.secret_key))
    assert releases_the_lock(lambda: engine.multiply(x, x, deep.relinearization_key))
    assert not releases_the_lock(lambda: sum(range(100_000)), attempts=20)
