"""Runs the accelerator's tests: `python rtl/tests/run.py [--quick] [NAME…]`, all of them without names.

With `--quick` all but gates of the real size. Vectors come from the library (the example `rtl_vectors` of
`everlevel-binfhe`) into `build/rtl`, where the simulations are built as well, two at a time.
"""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from cocotb_tools.runner import get_results, get_runner
from simulation import (
    BUILD,
    FLAGS,
    HERE,
    Gates,
    environment,
    gate_vectors,
    generator,
    run,
    shape,
    simulator,
    sources,
)


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
    Unit("words", "bench_widen", "every_residue_has_its_word", {"LANES": 64}),
    Unit("step", "bench_step", "steps_are_those_of_the_exact_model", {"LOG_N": 6, "LOG_P": 3, "DIGITS": 6}),
    Unit("gates-64-paused", "accelerator", "gates_are_those_of_the_library", module="test_gates", vectors="gates"),
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
    Refused("root", {"LOW": 13}, "1040385 is no prime with roots of unity of order 2048"),
    Refused("dimension", {"LWE_DIM": 650}, "blocks of 32 don't suit a dimension of 650"),
]
# Those that `--quick` leaves out.
LONG = {"gates-1024"}


def unit(case: Unit) -> str:
    """Builds and runs a bench under cocotb."""
    folder, vectors = BUILD / case.name, BUILD / "vectors" / case.vectors
    parameters = shape(vectors) if case.bench == "accelerator" else case.parameters
    log = folder.with_suffix(".log")
    runner = get_runner("verilator")
    benches = [HERE / f"{case.bench}.sv"] if case.bench != "accelerator" else []
    runner.build(
        sources=[*sources(), *benches],
        hdl_toplevel=case.bench,
        parameters=parameters,
        build_dir=folder,
        always=True,
        build_args=[*FLAGS, "-Wno-MULTITOP", "-Wno-UNUSEDPARAM"],
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


def gates(case: Gates, program: Path) -> str:
    """Makes vectors of whole gates, builds their simulation, and runs it."""
    folder = gate_vectors(program, case)
    simulated = simulator(case.name, shape(folder))
    log = BUILD / f"{case.name}.run.log"
    run([simulated, folder, str(case.count), str(case.pauses)], log)
    return log.read_text().splitlines()[-1]


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
    os.environ.update(environment())
    BUILD.mkdir(parents=True, exist_ok=True)
    program = generator()
    run([program, BUILD / "vectors" / "units", "units"], BUILD / "vectors.log")
    gate_vectors(program, Gates("gates", "degree-64", 3, 1, 40))
    jobs: dict[str, Callable[[], str]] = {case.name: lambda case=case: gates(case, program) for case in reversed(GATES)}
    jobs |= {case.name: lambda case=case: unit(case) for case in UNITS}
    jobs |= {f"refused-{case.name}": lambda case=case: refused(case) for case in REFUSED}
    if names == ["--quick"]:
        names = [name for name in jobs if name not in LONG]

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
