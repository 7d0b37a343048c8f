"""Tables that programs in Rust print: each is a row here, measured by one call of `cargo run`."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass

from tables.place import ROOT

from everlevel._bench import Row


@dataclass(frozen=True)
class Example:
    """An example of everlevel-bench that prints tables in Markdown.

    Attributes
    ----------
    key : str
        The row's name.
    seconds : float
        How long it takes about.
    arguments, quick : sequences of str
        What it is called with, and what instead where small rings are asked for.
    """

    key: str
    seconds: float
    program: str
    arguments: tuple[str, ...] = ()
    quick: tuple[str, ...] = ()

    def measure(self, *, quick: bool) -> Row:
        """Run it, and return the tables that it prints."""
        arguments = self.quick if quick else self.arguments
        command = [os.environ.get("CARGO", "cargo"), "run", "--release", "--quiet", "-p", "everlevel-bench"]
        command += ["--example", self.program, "--", *arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
        if done.returncode:
            return {"missing": (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1]}
        tables = tables_of(done.stdout)
        return {"tables": tables} if tables else {"missing": f"{self.program} printed no table"}


def tables_of(text: str) -> list[str]:
    r"""Find the tables in Markdown of a text.

    Examples
    --------
    >>> tables_of("N = 2^15\n\n| a |\n|---|\n| 1 |\nthe end\n")
    ['| a |\n|---|\n| 1 |']
    """
    found: list[list[str]] = []
    inside = False
    for line in text.splitlines():
        begins = line.startswith("|")
        if begins and not inside:
            found.append([])
        if begins:
            found[-1].append(line)
        inside = begins
    return ["\n".join(lines) for lines in found]


_BITS = tuple(str(bits) for bits in range(1, 12))
EXAMPLES = (
    Example("ntru/gates", 400, "ntru", quick=("gate-64",)),
    Example("ntru/automorphisms", 10, "automorphisms", quick=("446",)),
    Example("limbs/key-switches", 300, "limbs", quick=("14",)),
    Example("limbs/ckks", 240, "limbs_ckks", quick=("n13",)),
    Example("limbs/bfv", 60, "bfv", quick=("n13",)),
    Example("limbs/gates", 120, "gates", ("gate-64", "doubles", "two-primes", "three-primes"), ("gate-64",)),
    Example("half-products", 900, "products", quick=("--samples", "400", "insecure-tfhe-lib")),
    Example("new-keys/sets", 1200, "new_keys", _BITS, ("1",)),
)
