"""The tables of CKKS bootstraps, and of gates and tables, for this machine: `everlevel bench` with the pages' rows.

``--only ckks`` or ``--only tfhe`` measures one of them; ``--seeded`` measures seeded keys, too. Results go to
``out/bench.json``. The tables on the pages are another command's: `make tables`.
"""

from __future__ import annotations

import argparse
import subprocess
from pathlib import Path

from tables.jobs import DEFAULTS

from everlevel import _bench

ROOT = Path(__file__).resolve().parents[1]


def commit() -> str:
    """Name the commit that is measured."""
    call = ["git", "describe", "--always", "--dirty"]
    return subprocess.run(call, capture_output=True, text=True, check=False, cwd=ROOT).stdout.strip() or "unknown"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    _bench.add_options(parser, **DEFAULTS, json=ROOT / "out" / "bench.json")
    _bench.measure(parser.parse_args(), _bench.machine() | {"commit": commit()})


if __name__ == "__main__":
    main()
