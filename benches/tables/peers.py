"""Other libraries: how each is built, run and read. What fails is a missing row, with its reason.

All run on one thread. Lattigo and OpenFHE are timed by the clock on the wall, as our rows are; tfhe-rs and its
transforms by the thread's processor time, in turns with ours in one process.
"""

from __future__ import annotations

import functools
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from everlevel._bench import Row

from .place import ROOT

HERE = Path(__file__).parent
HOME = Path(os.environ.get("EVERLEVEL_PEERS", ROOT / "out" / "peers"))
"""What is built, and kept from run to run."""

OPENFHE = "1.6.1"
_TIMEOUT_SECONDS = 3600
_NATIVE = {
    "CARGO_TARGET_DIR": str(HOME / "rust"),
    # As tfhe-rs' own benchmarks are built, and ours of the same program with it.
    "RUSTFLAGS": "-C target-cpu=native",
}
GROUPS = ("insecure-tfhe-lib", "gate-64", "gate-165", "integer-4-128")
"""What is compared with tfhe-rs, as crates/everlevel-bench/benches/tfhe.rs calls it."""


class MissingError(Exception):
    """Why a library can't be measured."""


def measurements() -> Iterator[tuple[str, float, Callable[[], Row]]]:
    """Yield the rows: how each is called, how many seconds it takes about, once it is built, and its call."""
    for group in GROUPS:
        yield f"tfhe-rs/{group}", 15, functools.partial(attempt, functools.partial(tfhe_rs, group))
    yield "tfhe-ntt/2^16", 15, functools.partial(attempt, transforms)
    yield "lattigo/bootstrap", 150, functools.partial(attempt, lattigo)
    yield "openfhe/bootstrap", 240, functools.partial(attempt, openfhe)


def attempt(measure: Callable[[], Row]) -> Row:
    """Measure; what can't be is a row that says why."""
    try:
        return measure()
    except MissingError as reason:
        return {"missing": str(reason)}


def run(
    what: str, call: Sequence[str | Path], environment: Mapping[str, str] | None = None, cwd: Path | None = None
) -> str:
    """Run a program, and return what it prints."""
    program = shutil.which(str(call[0]))
    if program is None:
        raise MissingError(f"{what}: {call[0]} isn't installed")
    settings = os.environ | dict(environment or {})
    try:
        done = subprocess.run(
            [program, *map(str, call[1:])],
            capture_output=True,
            text=True,
            check=False,
            env=settings,
            timeout=_TIMEOUT_SECONDS,
            cwd=cwd,
        )
    except subprocess.TimeoutExpired as late:
        raise MissingError(f"{what}: no end after {_TIMEOUT_SECONDS} seconds") from late
    if done.returncode < 0:
        raise MissingError(f"{what}: ended by signal {-done.returncode}, as where memory is short")
    if done.returncode:
        lines = [line.strip() for line in (done.stderr or done.stdout).splitlines() if line.strip()]
        # Cargo and pip end with advice; what is wrong stands in the first line that says so.
        told = next(
            (line for line in lines if re.match(r"error|fatal", line, re.IGNORECASE)), (lines or ["no output"])[-1]
        )
        raise MissingError(f"{what}: {told.replace('|', '/')[:200]} (exit status {done.returncode})")
    return done.stdout


# tfhe-rs and tfhe-ntt ------------------------------------------------------------------------------------------------

_LINE = re.compile(
    r"(?P<library>everlevel|tfhe-rs) (?P<name>.+?) +(?P<least>[\d.]+) ms \((?P<median>[\d.]+)\)"
    r"  (?:[\d.]+ of the peer's best)? *(?P<about>.*)"
)


def crate_version(name: str) -> str:
    """Return the release of a crate that Cargo.lock has."""
    text = (ROOT / "Cargo.lock").read_text(encoding="utf-8")
    return str(re.findall(rf'name = "{name}"\nversion = "([^"]+)"', text)[0])


@functools.cache
def rust_programs() -> dict[str, str]:
    """Build the benches with tfhe-rs; return their programs by name."""
    call = [os.environ.get("CARGO", "cargo"), "bench", "--no-run", "--quiet", "--package", "everlevel-bench"]
    call += ["--features", "tfhe-rs", "--bench", "tfhe", "--bench", "ntt", "--message-format", "json"]
    return programs_of(run("building tfhe-rs", call, _NATIVE, cwd=ROOT))


def programs_of(messages: str) -> dict[str, str]:
    """Read cargo's messages: the programs that it has built, by name."""
    lines = (json.loads(line) for line in messages.splitlines() if line.startswith("{"))
    return {line["target"]["name"]: line["executable"] for line in lines if line.get("executable")}


def tfhe_rs(group: str) -> Row:
    """Take turns with tfhe-rs, both with huge pages."""
    told = run("tfhe-rs", [rust_programs()["tfhe"], group], {"GLIBC_TUNABLES": "glibc.malloc.hugetlb=1"})
    return {"calls": calls_of(told)}


def calls_of(printed: str) -> list[Row]:
    """Read what the bench of gates and tables prints: milliseconds, least and median, of each call."""
    found = [match.groupdict() for match in map(_LINE.fullmatch, printed.splitlines()) if match]
    if {call["library"] for call in found} != {"everlevel", "tfhe-rs"}:
        raise MissingError(f"tfhe-rs: its bench printed no times of both libraries: {printed[:200]!r}")
    return [
        call | {"least": float(call["least"]), "median": float(call["median"]), "about": call["about"].strip()}
        for call in found
    ]


def transforms() -> Row:
    """Time transforms of degree 2^16, ours and tfhe-ntt's."""
    home = HOME / "criterion"
    shutil.rmtree(home, ignore_errors=True)
    call = [rust_programs()["ntt"], "--bench", "--noplot", "--warm-up-time", "0.3", "--measurement-time", "1"]
    run("tfhe-ntt", [*call, r"ntt/2\^16/"], {"CRITERION_HOME": str(home)})
    # Criterion's releases differ in the characters that folders may have.
    found = {path: samples_of(group / path) for group in home.glob("ntt_2?16") for path in transforms_in(group)}
    if not found:
        raise MissingError(f"tfhe-ntt: criterion left no samples in {home}")
    return {"microseconds": found}


def transforms_in(home: Path) -> list[str]:
    """List the transforms that criterion has measured: direction/backend."""
    return sorted(str(path.parent.parent.relative_to(home)) for path in home.glob("*/*/new/sample.json"))


def samples_of(folder: Path) -> Row:
    """Read criterion's samples: microseconds, least and median."""
    sample = json.loads((folder / "new" / "sample.json").read_text(encoding="utf-8"))
    each = [1e-3 * time / count for time, count in zip(sample["times"], sample["iters"], strict=True)]
    return {"least": min(each), "median": statistics.median(each)}


# Lattigo -------------------------------------------------------------------------------------------------------------


def lattigo_version() -> str:
    """Return the release that go.mod asks for."""
    text = (HERE / "lattigo" / "go.mod").read_text(encoding="utf-8")
    return str(re.findall(r"lattigo/v6 v([\d.]+)", text)[0])


def lattigo(*options: str) -> Row:
    """Build and time Lattigo's bootstrap."""
    program = HOME / "lattigo"
    run("building Lattigo", ["go", "build", "-trimpath", "-o", program, "."], cwd=HERE / "lattigo")
    return dict(json.loads(run("Lattigo", [program, *options], {"GOMAXPROCS": "1"})))


# OpenFHE -------------------------------------------------------------------------------------------------------------


def openfhe_python() -> Path | str:
    """Find the Python that OpenFHE's wheel for most systems is built for: 3.10."""
    managed = sorted(Path.home().glob(".pyenv/versions/3.10.*/bin/python3.10"), reverse=True)
    for candidate in (os.environ.get("EVERLEVEL_PEERS_PYTHON"), "python3.10", *managed):
        if candidate and shutil.which(str(candidate)):
            told = subprocess.run([candidate, "--version"], capture_output=True, text=True, check=False)
            if told.stdout.startswith("Python 3.10."):
                return candidate
    raise MissingError("OpenFHE: its wheel is for Python 3.10, which isn't here; EVERLEVEL_PEERS_PYTHON can name one")


def openfhe(*options: str) -> Row:
    """Install and time OpenFHE's bootstrap."""
    environment = HOME / "openfhe"
    python = environment / "bin" / "python"
    if not python.exists():
        run("OpenFHE", [openfhe_python(), "-m", "venv", environment])
    run("installing OpenFHE", [python, "-m", "pip", "install", "--quiet", f"openfhe=={OPENFHE}.*"])
    program = HERE / "openfhe_bootstrap.py"
    return dict(json.loads(run("OpenFHE", [python, program, *options], {"OMP_NUM_THREADS": "1"})))


def build_all() -> dict[str, str]:
    """Build what can be built, try it on small rings, and say of the rest why it can't be."""
    small = ("--insecure-log-n", "10", "--repetitions", "1")
    builds: dict[str, Callable[[], object]] = {
        "Lattigo": functools.partial(lattigo, *small),
        "OpenFHE": functools.partial(openfhe, *small),
        "tfhe-rs": rust_programs,
    }
    reasons = {}
    for name, build in builds.items():
        print(f"building {name} …", file=sys.stderr, flush=True)
        try:
            build()
        except MissingError as reason:
            reasons[name] = str(reason)
    return reasons
