"""Progress of long calls: a tqdm bar for whatever takes over a second.

Bars go to stderr, and only where somebody looks: a terminal or a notebook. ``Engine(..., progress=False)``, one call's
``progress=False``, or the environment variable ``EVERLEVEL_PROGRESS=0`` switch them off; ``progress=True`` shows them
wherever stderr goes.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from tqdm.auto import tqdm

from . import checks
from .locks import Lock

DELAY_SECONDS = 1.0
"""A call that ends sooner shows nothing."""

Report = Callable[[int, int], None]
"""``report(done, total)``, in steps of the operation's own choosing."""


_watch: ContextVar[Report | None] = ContextVar("watch", default=None)


@contextmanager
def watching(watch: Report) -> Iterator[None]:
    """Tell a function of every step of the calls in this context. What it raises cancels them, and is raised."""
    token = _watch.set(watch)
    try:
        yield
    finally:
        _watch.reset(token)


def wanted(progress: bool | None, operation: str = "progress") -> bool:
    """Whether bars are shown: the environment's no is final, then the caller's choice, then whether somebody looks."""
    if os.environ.get("EVERLEVEL_PROGRESS", "1").lower() in {"0", "false", "no", "off"}:
        return False
    if progress is None:
        return "ipykernel" in sys.modules or bool(getattr(sys.stderr, "isatty", lambda: False)())
    return checks.truth(operation, "progress", progress)


@contextmanager
def reporting(description: str, progress: bool | None) -> Iterator[Report | None]:
    """Give a report function that moves a bar; the one that watches, or None, where no bar is wanted."""
    watch = _watch.get()
    if not wanted(progress, description):
        yield watch
        return
    with tqdm(desc=description, delay=DELAY_SECONDS, leave=False, mininterval=0.1) as bar:
        lock = Lock()

        def report(done: int, total: int) -> None:
            if watch is not None:
                watch(done, total)
            # Threads report their steps in any order, and the bar goes forward alone.
            with lock:
                bar.total = total
                bar.update(max(done - bar.n, 0))

        yield report
        # Between two looks at the clock reports aren't drawn, and the last ones may be among them.
        if not bar.disable and bar.last_print_t >= bar.start_t + DELAY_SECONDS:
            bar.refresh()
