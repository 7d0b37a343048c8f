"""Measurements in processes of their own, which find the modules of this folder."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path


def python(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run Python with these arguments, without progress bars, and return what it wrote."""
    paths = [str(Path(__file__).resolve().parent), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = os.environ | {"EVERLEVEL_PROGRESS": "0", "PYTHONPATH": os.pathsep.join(paths)}
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=False, env=environment)
