"""Tables and figures that programs in Rust print: each is a row here, measured by one call of `cargo run`."""

from __future__ import annotations

import functools
import os
import subprocess
from dataclasses import dataclass

from tables import peers
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
        """Run it, and return the tables and figures that it prints, and how busy the machine was before."""
        arguments = self.quick if quick else self.arguments
        command = [os.environ.get("CARGO", "cargo"), "run", "--release", "--quiet", "-p", "everlevel-bench"]
        command += ["--example", self.program, "--", *arguments]
        load = round(os.getloadavg()[0], 1)
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
        if done.returncode:
            return {"missing": (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1]}
        tables = tables_of(done.stdout)
        if not tables:
            return {"missing": f"{self.program} printed no table"}
        return {"tables": tables, "figures": figures_of(done.stdout), "load": load}


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


def figures_of(text: str) -> dict[str, float]:
    r"""Find the figures of a text: lines of a name and a number with a tab between them.

    Examples
    --------
    >>> figures_of("| a |\n|---|\n| 1 |\n\nswitch/16\t0.5\nthe\tend\n")
    {'switch/16': 0.5}
    """
    found = {}
    for line in text.splitlines():
        name, tab, value = line.partition("\t")
        try:
            number = float(value)
        except ValueError:
            continue
        if tab:
            found[name] = number
    return found


_LIMBS = tuple(f"gate-64-limbs{kind}-baseline" for kind in ("", "-two-primes", "-three-primes"))
EXAMPLES = (
    Example("ntru/gates", 400, "ntru", quick=("gate-64",)),
    Example("ntru/automorphisms", 10, "automorphisms", quick=("446",)),
    Example("limbs/decompositions", 240, "decompositions", quick=("13",)),
    Example("limbs/key-switches", 300, "limbs", quick=("14",)),
    Example("limbs/ckks", 240, "limbs_ckks", quick=("n13",)),
    Example("limbs/bfv", 60, "bfv", quick=("n13",)),
    Example("limbs/gates", 120, "gates", ("gate-64", *_LIMBS), ("gate-64", _LIMBS[0])),
    Example("half-products", 900, "products", quick=("--samples", "400", "insecure-tfhe-lib")),
    Example("new-keys/sets", 1800, "new_keys", quick=("1", "repeated:1")),
)


@dataclass(frozen=True)
class Turns:
    """Turns that tfhe-rs takes with this library, which have no small rings.

    Attributes
    ----------
    group : str
        The calls that the bench ``tfhe`` times.
    seconds : float
        How long they take about, once tfhe-rs is built.
    """

    group: str
    seconds: float

    @property
    def key(self) -> str:
        """The row's name."""
        return f"tfhe-rs/{self.group}"

    def measure(self) -> Row:
        """Take the turns, and return the calls' times; or why there are none."""
        load = round(os.getloadavg()[0], 1)
        return {**peers.attempt(functools.partial(peers.tfhe_rs, self.group)), "load": load}


TURNS = (
    Turns("gate-64", 15),
    Turns("insecure-tfhe-lib", 15),
    *(Turns(f"new-keys-{bits}", 30 if bits < 6 else 120) for bits in range(1, 9)),
)
