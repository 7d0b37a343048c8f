"""Natural tasks beside the same circuits by hand: the values are the same. `benches/by_hand.py` measures times."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

from parties import INSECURE_LOG_N


def test_tasks_are_what_they_are_by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).resolve().parents[2] / "benches"))
    import by_hand

    hand = by_hand.make(INSECURE_LOG_N)
    for task in by_hand.TASKS:
        # Bounds that aren't declared, and claims, are what some tasks are about.
        with warnings.catch_warnings(record=True):
            warnings.simplefilter("always")
            natural, hands, difference, (bootstraps, least) = by_hand.measure(task, hand, repetitions=1)
        assert difference < 1e-4, task.name
        assert min(natural, hands) > 0, task.name
        assert bootstraps <= least + 1, task.name
