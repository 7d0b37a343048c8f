"""Facts for a report: versions, and the kernels that this machine runs."""

from __future__ import annotations

import os
import platform
from importlib.metadata import version

import numpy as np

from . import _native


def show_info() -> None:
    """Print the versions, the machine, and the arithmetic kernels in use.

    Examples
    --------
    >>> import everlevel
    >>> everlevel.show_info()
    everlevel ...
    """
    lines = build_lines()
    width = max(len(name) for name in lines)
    for name, value in lines.items():
        print(f"{name:<{width}}  {value}")


def build_lines() -> dict[str, str]:
    """Return what `show_info` prints: names and values."""
    return {
        "everlevel": version("everlevel"),
        "python": f"{platform.python_version()} ({platform.system()} {platform.machine()})",
        "numpy": np.__version__,
        "cores": str(os.cpu_count()),
        **dict(_native.build_info()),
    }
