"""What tests let workers do. Workers get these functions by value: they have no module of that name."""

from __future__ import annotations

import os
import signal
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np


def identity(value: Any) -> Any:
    return value


def square(x: Any, *, engine: Any, keys: Any) -> Any:
    return engine.multiply(x, x, keys.evaluation_key)


def add(x: Any, y: Any) -> Any:
    return x + y


def pid(_: Any) -> int:
    return os.getpid()


def fail_at_three(index: int) -> int:
    if index == 3:
        raise ValueError("three")
    return index


def die_once(index: int, folder: str) -> int:
    """Kill the worker the first time that index 2 is seen."""
    mark = Path(folder) / "died"
    if index == 2 and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(0.02)
    return index * index


def die(index: int) -> int:
    if index == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    return index


def nonsense(_: Any) -> Any:
    return (line for line in "nonsense")


def bootstrap_for_ever(x: Any, folder: str, *, engine: Any, keys: Any) -> None:
    (Path(folder) / f"began-{os.getpid()}").touch()
    while True:
        engine.bootstrap(x, keys.evaluation_key)


def wait_for_another(index: int, folder: str) -> int:
    """Let the first task end after another one."""
    mark = Path(folder) / "ended"
    if index == 0:
        while not mark.exists():
            time.sleep(0.005)
        time.sleep(0.5)
    elif index == 1:
        mark.touch()
    return index


def level_error(index: int, x: Any, *, engine: Any) -> Any:
    return engine.level_down(x, 99) if index == 2 else index


def warns(x: Any) -> Any:
    warnings.warn("beyond", stacklevel=1)
    return x


def thread_count(_: Any, *, engine: Any) -> int:
    found: int = engine.thread_count
    return found


def slow_array(index: int) -> Any:
    time.sleep(0.2)
    return np.full(1 << 17, index)


def interrupted(_: Any) -> Any:
    raise KeyboardInterrupt("of the function's own")


class Unreadable:
    """Pickled everywhere, and read nowhere."""

    def __reduce__(self) -> Any:
        return int, ("nothing",)


def unreadable(_: Any) -> Any:
    return Unreadable()


class Unwritable:
    """Raises what no pickler does."""

    def __reduce__(self) -> Any:
        raise RuntimeError("not this one")


def pools_here(_: Any) -> Any:
    from everlevel.cluster import _worker

    return list(_worker._workers)


def nested(x: Any) -> dict[str, Any]:
    return {"x": (x,), "n": len(x)}


def listed(x: Any, *, engine: Any) -> Any:
    return engine.compress(x)
