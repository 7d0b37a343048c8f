"""The tables of CKKS bootstraps, and of gates and tables, for this machine: `everlevel bench` with the pages' rows.

``--only ckks`` or ``--only tfhe`` measures one of them; ``--seeded`` measures seeded keys, too. Results go to
``out/bench.json``. ``--peer lattigo`` builds Lattigo's bootstrap instead, and takes turns with it. The tables on the
pages are another command's: `make tables`.
"""

from __future__ import annotations

import argparse
import subprocess
from pathlib import Path

import beside_lattigo
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
    parser.add_argument("--peer", choices=["lattigo"], help="take turns with another library's bootstrap instead")
    parser.add_argument("--turns", type=int, default=3, metavar="T", help="turns with it (default: 3)")
    options = parser.parse_args()
    about = _bench.machine() | {"commit": commit()}
    if options.peer:
        print(", ".join(f"{name} {value}" for name, value in about.items()))
        beside_lattigo.compare(options.turns, options.repetitions, options.insecure_log_n)
    else:
        _bench.measure(options, about)


if __name__ == "__main__":
    main()
