"""What tests of threads and of Ctrl-C share. Nothing here depends on how fast a machine is, or on what else it does."""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

FOREVER = 1800.0
"""Seconds that a test waits before it takes a process or a thread for hung."""


def releases_the_lock(call: Callable[[], object], attempts: int = 1000) -> bool:
    """Whether another thread runs during a call. It is tried often, since another thread may be slow to run."""
    ticks, done = 0, threading.Event()

    def tick() -> None:
        nonlocal ticks
        while not done.wait(1e-4):
            ticks += 1

    thread, interval = threading.Thread(target=tick, daemon=True), sys.getswitchinterval()
    thread.start()
    # From here on a thread has the lock until it gives it away.
    sys.setswitchinterval(FOREVER)
    try:
        for _ in range(attempts):
            before = ticks
            call()
            if ticks > before:
                return True
            time.sleep(1e-3)
        return False
    finally:
        sys.setswitchinterval(interval)
        done.set()
        thread.join()


class Interrupter:
    """A report that Ctrl-C comes with: the first step that is done waits until the main thread has seen it."""

    def __init__(self) -> None:
        self.steps: list[tuple[int, int]] = []
        self._first = threading.Lock()
        self._seen = threading.Event()

    def __call__(self, done: int, total: int) -> None:
        self.steps.append((done, total))
        if done and self._first.acquire(blocking=False):
            signal.raise_signal(signal.SIGINT)
            assert self._seen.wait(FOREVER)
        elif done:
            # Between the handler's exception and the order to stop is a moment, in which other steps may end.
            time.sleep(0.1)

    def _raise(self, *_: object) -> None:
        self._seen.set()
        raise KeyboardInterrupt

    @property
    def stopped_early(self) -> bool:
        return bool(self.steps) and max(self.steps)[0] < self.steps[-1][1]


@contextmanager
def ctrl_c_at_the_first_step(monkeypatch: pytest.MonkeyPatch) -> Iterator[Interrupter]:
    """Put an `Interrupter` in the place of progress bars, and demand that it ends what is done meanwhile."""
    interrupter = Interrupter()

    @contextmanager
    def reporting(description: str, progress: bool | None) -> Iterator[Interrupter]:
        yield interrupter

    usual = signal.signal(signal.SIGINT, interrupter._raise)
    try:
        with monkeypatch.context() as patch:
            patch.setattr("everlevel._common.progress.reporting", reporting)
            with pytest.raises(KeyboardInterrupt):
                yield interrupter
    finally:
        signal.signal(signal.SIGINT, usual)
    assert interrupter.stopped_early
