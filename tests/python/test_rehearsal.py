"""Dry runs: what they tell of a program is what it then takes."""

from __future__ import annotations

from time import process_time
from typing import Any

import numpy as np
import pytest

import everlevel
from everlevel import Engine, errors
from everlevel.ckks import _rehearsal
from parties import INSECURE_LOG_N, Party

DATA = np.array([[0.5, 1.0], [1.5, -0.25], [0.75, 0.125]])


def scores(x: Any, y: Any) -> Any:
    weights = [0.5, -0.25]
    return {"score": (x * weights).sum(axis=1) + y, "again": (x - x.mean(0)) ** 2}


def test_a_program_runs_on_the_engine_that_its_dry_run_names() -> None:
    y = np.array([1.0, 2.0, 3.0])
    engine = Engine.for_program(scores, DATA, y, insecure_log_n=INSECURE_LOG_N)
    run = engine.dry_run(scores, DATA, y)
    assert (run.bootstraps, run.refusal, run.bounds) == (0, None, ((-0.25, 1.5), (1.0, 3.0)))
    assert run.max_level == engine.max_level
    key = engine.create_secret_key()
    keys = engine.create_evaluation_key(key, for_program=True)
    assert keys.conjugation_key is None
    x = engine.encrypt(DATA, key, bound=run.bounds[0])
    found = scores(x, engine.encrypt(y, key, bound=run.bounds[1]))
    assert min(each.level for each in found.values()) == 0
    expected = scores(DATA, y)
    for each, (name, interval, value) in zip(
        found.values(), zip(expected, run.intervals, run.results, strict=True), strict=True
    ):
        assert each.interval == interval
        np.testing.assert_allclose(value, expected[name], atol=1e-4)
        np.testing.assert_allclose(engine.decrypt(each, key), expected[name], atol=1e-4)
    assert {step.line.partition(":")[0] for step in run.steps} == {"test_rehearsal.py"}
    assert "0 bootstraps, about " in str(run)
    assert (run.memory > keys.nbytes, run.seconds > 0) == (True, True)


def test_comparisons_take_bootstraps() -> None:
    engine = Engine(max_level=2, insecure_log_n=INSECURE_LOG_N)
    run = engine.dry_run(lambda x: x > 0.25, [0.5, 0.0, 1.0], bounds=1)
    assert (dict(run.options), run.bounds) == ({"auto_bootstrap": True}, (1,))
    assert (run.bootstraps > 0, run.conjugates, run.relinearizes) == (True, True, True)
    np.testing.assert_allclose(run.results[0], [1, 0, 1], atol=1e-4)
    deep = engine.dry_run(lambda x: x**1024 * x**512, [0.5, 0.25], bounds=(0, 1))
    assert (deep.bootstraps, deep.max_level) == (0, 11)


def test_keys_are_those_that_a_program_takes() -> None:
    engine = Engine(max_level=3, insecure_log_n=INSECURE_LOG_N)
    key = engine.create_secret_key()
    run = engine.dry_run(lambda x: x.rotate(-1) * 0.5 + x.rotate(2), np.arange(4.0))
    assert (run.rotations, run.relinearizes, run.max_level) == ((-1, 2), False, 1)
    made = engine.create_evaluation_key(key, for_program=run)
    assert (set(made.fixed_rotation_keys), made.relinearization_key) == ({-1, 2}, None)
    run = engine.dry_run(lambda x: np.ones((2, 3)) @ x + 1j * x.conjugate(), [1, 2, 3j])
    assert (run.matrices, run.conjugates, run.bounds) == (1, True, (3.0,))
    assert run.intervals == (None,)
    made = engine.create_evaluation_key(key, for_program=run)
    assert made.matrix_multiplication_key is not None
    assert made.matrix_multiplication_key.level == 1
    nothing = engine.create_evaluation_key(key, for_program=engine.dry_run(lambda x: x + 1, [1.0]))
    assert nothing.relinearization_key is not None
    with pytest.raises(errors.ParameterError, match=r"for_program is True, and the engine was made for none; pass"):
        engine.create_evaluation_key(key, for_program=True)


def test_results_that_are_larger_than_examples_find_their_slots() -> None:
    engine = Engine(max_level=1, insecure_log_n=INSECURE_LOG_N)
    a = np.linspace(0, 1, 40)
    run = engine.dry_run(lambda x: (x[:, None] * x).sum(axis=0), a, bounds=(0, 1))
    np.testing.assert_allclose(run.results[0], np.outer(a, a).sum(axis=0), atol=1e-3)
    assert "slot_count" not in run.options  # a real ring has as many
    run = engine.dry_run(lambda x: x * x, np.linspace(0, 1, 5000), bounds=1)
    assert run.options == {"max_level": 1, "slot_count": 8192}
    real = Engine(**run.options)
    assert real.encrypt(np.ones(5000), real.create_secret_key(), bound=1).shape == (5000,)
    with pytest.raises(errors.MessageError, match="outer: the vectors have 400 and 400 values"):
        engine.dry_run(lambda x: np.outer(x, x), np.ones(400))


def risk(ages: Any, incomes: Any) -> Any:
    return everlevel.sigmoid(ages / incomes - 1, interval=(-4, 4))


def deviations(x: Any) -> Any:
    centred = x - x.mean()
    return centred * everlevel.rsqrt((centred * centred).mean(), interval=(0.05, 1))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("program", "examples"),
    [
        (scores, [np.linspace(-1, 1, 2000).reshape(-1, 2), np.linspace(0, 1, 1000)]),
        (risk, [np.linspace(0.2, 0.9, 1000), np.linspace(0.25, 1, 1000)]),
        (deviations, [np.linspace(-1, 1, 1000)]),
        (lambda x, y: x @ y, [np.linspace(-1, 1, 256).reshape(16, 16)] * 2),
        (lambda x: sum(np.roll(x, k) for k in range(1, 6)), [np.linspace(-1, 1, 1000)]),
        pytest.param(lambda x: (x > 0.25).sum(), [np.linspace(0, 1, 1000)], marks=pytest.mark.full_size),
    ],
)
def test_seconds_are_what_a_program_takes(program: Any, examples: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """By CPU time, of which other work takes none; a machine that changes its pace has three chances."""
    monkeypatch.setattr(_rehearsal, "perf_counter", process_time)
    ratios = []
    for _ in range(3):
        run = Engine(max_level=1, insecure_log_n=INSECURE_LOG_N).dry_run(program, *examples)
        engine = Engine(**run.options, progress=False)
        key = engine.create_secret_key()
        engine.create_evaluation_key(key, for_program=run)
        taken = []
        for _ in range(3):
            inputs = [
                engine.encrypt(example, key, bound=bound) for example, bound in zip(examples, run.bounds, strict=True)
            ]
            began = process_time()
            program(*inputs)
            taken.append(process_time() - began)
        ratios.append(run.seconds / min(taken))
        if 1 / 1.5 < ratios[-1] < 1.5:
            return
    raise AssertionError(f"estimated seconds are {ratios} times those measured")


def newton(a: Any) -> Any:
    x = 0 * a + 0.5
    for _ in range(9):
        x = 2 * x - a * x * x
    return x


def test_a_bound_that_grows_too_far_is_told() -> None:
    engine = Engine(max_level=5, insecure_log_n=INSECURE_LOG_N)
    run = engine.dry_run(newton, [1.0, 1.25, 1.5], bounds=(0.5, 1.6))
    assert "has room for" in str(run.refusal)
    np.testing.assert_allclose(run.results[0], [1, 0.8, 2 / 3], atol=1e-3)
    assert "refused: multiply: " in str(run)
    with pytest.raises(errors.RangeError, match="has room for"):
        Engine.for_program(newton, [1.0, 1.25], bounds=(0.5, 1.6), insecure_log_n=INSECURE_LOG_N)


def test_what_is_no_program_is_refused(party: Party) -> None:
    engine = party.engine
    with pytest.raises(errors.ParameterError, match=r"^dry_run: there are no examples"):
        engine.dry_run(lambda: None)
    with pytest.raises(errors.OperandTypeError, match=r"^dry_run: the program is of type int"):
        engine.dry_run(3, [1.0])  # type: ignore[arg-type]
    with pytest.raises(errors.ParameterError, match=r"^dry_run: bounds is .*; give a list of as many"):
        engine.dry_run(newton, [1.0], bounds=[1, 2])
    with pytest.raises(errors.MessageTypeError, match=r"^dry_run: "):
        engine.dry_run(newton, "text")
    with pytest.raises(errors.OperandTypeError, match="unexpected keyword argument 'thread_counts'"):
        Engine.for_program(newton, [1.0], thread_counts=2)
    with pytest.raises(ZeroDivisionError):
        engine.dry_run(lambda x: 1 / 0, [1.0])
    assert everlevel.DryRun
