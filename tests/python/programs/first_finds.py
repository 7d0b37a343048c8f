"""Which program is the first that finds a known defect: ``python -m programs.first_finds``, from tests/python.

It is for builds that have the defects: an old commit's, or one from which a fix was taken out (``git revert``, ``make
build``). Each defect has the kinds of false claims that it makes, and the lines that it makes them in.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

from . import worlds
from .checking import Criteria, Finding, run
from .program import Program

Claims = Callable[[Finding, str], bool]

_ERRORS = ("floor", "bound", "typical", "false warning", "wrapped")


def _is_sign(line: str) -> bool:
    return "sign_" in line or 'method="sign"' in line


def _is_series(line: str) -> bool:
    return "chebyshev" in line and "fit(" not in line


DEFECTS: dict[str, Claims] = {
    "complex sign bootstraps claim a bound of 1": lambda f, line: f.kind in _ERRORS and _is_sign(line),
    "fits without 0 break on the zeros of short vectors": lambda f, line: f.kind in _ERRORS and "fit(" in line,
    "Chebyshev series of complex values claim a real bound": lambda f, line: f.kind in _ERRORS and _is_series(line),
    "products with matrices leave their entries' rounding out": lambda f, line: (
        f.kind in ("floor", "false warning", "release") and ("@ x" in line or "multiply_matrix" in line)
    ),
    "conversions in doubles aren't counted": lambda f, line: f.kind in ("floor, doubles", "typical, doubles"),
    "releases refuse whole numbers": lambda f, line: f.kind == "refused",
    "bounds at the edge of a level's room wrap": lambda f, line: (
        f.kind == "wrapped" and not ("fit(" in line or _is_sign(line) or _is_series(line))
    ),
    "a fit of what isn't finite has an error": lambda f, line: f.kind == "fit",
    "fits of complex arrays drop imaginary parts": lambda f, line: (
        f.kind in ("wrong", "foreign warning") and f.operation == "ChebyshevFit.__call__"
    ),
    "products with 0 claim infinity": lambda f, line: "2^-inf" in f.what,
    "truth and equality of vectors": lambda f, line: f.kind == "accepted",
}


def attributed(finding: Finding, program: Program) -> list[str]:
    """Return the known defects that may have made a false claim."""
    line = program.lines[finding.line].expression
    return [name for name, claims in DEFECTS.items() if claims(finding, line)]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m programs.first_finds", description=__doc__)
    parser.add_argument("--programs", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=20261123)
    options = parser.parse_args()
    first: dict[str, tuple[int, str]] = {}
    counts = dict.fromkeys([*DEFECTS, "none of these"], 0)
    for index in range(options.programs):
        program = worlds.program(options.seed, index)
        for finding in run(program, Criteria()).findings:
            for name in attributed(finding, program) or ["none of these"]:
                counts[name] += 1
                first.setdefault(name, (index, str(finding)))
    print("| defect | false claims | first program | what it finds |\n|---|---|---|---|")
    for name, count in counts.items():
        index, what = first.get(name, ("none", ""))
        print(f"| {name} | {count} | {index} | {what.replace('|', '/')[:160]} |")


if __name__ == "__main__":
    main()
