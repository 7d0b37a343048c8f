"""Cells of the accelerator by synthesis for UltraScale+, before placement: modules one by one, and their sums."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
SOURCES = HERE.parent / "src"

# A module that takes longer is left out, and named.
LONGEST_SECONDS = 2400
# What a U280 has (Xilinx DS963): all of the device, of which the shell of a card takes a part.
U280 = {"DSP": 9024, "LUT": 1303680, "FF": 2607360, "BRAM36": 2016, "URAM": 960}


@dataclass(frozen=True)
class Shape:
    """Parameters of an accelerator."""

    log_n: int
    log_p: int
    digits: int
    log2_base: int
    dropped: int
    lwe_dim: int
    switch_digits: int
    switch_polys: int
    switch_degree: int = 32
    switch_log2_base: int = 1
    block: int = 0

    @property
    def clocks(self) -> int:
        """Clocks of a polynomial."""
        return 1 << (self.log_n - self.log_p)

    @property
    def transform(self) -> int:
        """Clocks of a transform, as `ntru_pkg::transform_clocks` counts them."""
        return 7 * self.log_n + self.clocks - 1

    @property
    def steps(self) -> int:
        """Steps of a rotation."""
        return self.lwe_dim // (self.block or 2)

    @property
    def keys(self) -> int:
        """Keys of a step, as `ntru_pkg::step_keys` counts them."""
        return self.block or 4

    @property
    def exponents(self) -> int:
        """Exponents by which keys are turned, as `ntru_pkg::step_exponents` counts them."""
        return self.block - 1 if self.block else 2

    @property
    def bundle_products(self) -> int:
        """Products of a row's bundle at a point."""
        return self.keys - 1

    @property
    def bundle_clocks(self) -> int:
        """Clocks of a bundle, as `ntru_pkg::bundle_clocks` counts them."""
        return 6 + (self.block - 2).bit_length() if self.block else 12

    @property
    def slots(self) -> int:
        """Ciphertexts in the pipeline, as `ntru_pkg::slots` counts them."""
        return (3 + 2 * self.transform + 6 + (self.digits - 1).bit_length()) // self.clocks + 1

    @property
    def key_beats(self) -> int:
        """Beats of a clock's keys, as `ntru_pkg::key_beats` counts them."""
        free = self.slots * self.clocks - (2 + self.transform - self.bundle_clocks)
        return max(b for b in range(1, self.digits + 1) if self.digits % b == 0 and (b == 1 or b * self.clocks < free))

    @property
    def switch_clocks(self) -> int:
        """Rows of a key switch."""
        groups = -(-(self.lwe_dim // self.switch_degree) // self.switch_polys)
        return (1 << self.log_n) // self.switch_degree * self.switch_digits * (groups + 1)

    @property
    def step_key_bytes(self) -> int:
        """Keys of one step."""
        return self.keys * self.digits * (1 << self.log_n) * 20 // 8


@dataclass(frozen=True)
class Part:
    """A module with its parameters, and how many of it there are."""

    module: str
    parameters: tuple[tuple[str, int], ...]
    count: int


def parts(shape: Shape) -> dict[str, list[Part]]:
    """What an accelerator is made of, by what it is for. Modules of many lanes are counted lane by lane."""
    s, p = shape, 1 << shape.log_p
    log_t, pairs = s.log_n - s.log_p, p // 2

    def part(module: str, count: int = 1, **parameters: int) -> Part:
        return Part(module, tuple(sorted(parameters.items())), count)

    def transforms(butterfly: str, count: int) -> list[Part]:
        exchanges = [part("commutator", count * pairs, DEPTH=1 << depth) for depth in range(log_t)]
        roots = [
            part(
                "root_rom",
                count * pairs,
                LOG_N=s.log_n,
                LEVEL=s.log_p + e - 1,
                LANES=1,
                LOG_SHARED=0,
                LOG_DEPTH=e,
                BASE=3,
            )
            for e in range(1, log_t + 1)
        ]
        return [part(butterfly, count * s.log_n * pairs), *exchanges, *roots]

    if s.block:
        bundle = [part("bundle_block", s.digits * p, BLOCK=s.block)]
        relative = [part("relative_exponents", LOG_N=s.log_n, BLOCK=s.block)]
    else:
        bundle = [part("bundle_pair", s.digits * p), part("delay_line", p, DEPTH=6)]
        relative = []
    degree = s.switch_degree
    small = {"LOG_N": s.log_n, "SWITCH_DIGITS": s.switch_digits, "SWITCH_LOG2_BASE": s.switch_log2_base}
    return {
        "decomposer": [part("decompose", p, DIGITS=s.digits, LOG2_BASE=s.log2_base, DROPPED=s.dropped)],
        "forward transforms": transforms("butterfly_forward", s.digits),
        "powers of the root": [part("monomials", LOG_N=s.log_n, LOG_P=s.log_p, EXPONENTS=s.exponents)],
        "bundle": bundle,
        "multiply-accumulate": [part("multiply_accumulate", p, PRODUCTS=s.digits)],
        "inverse transform": transforms("butterfly_inverse", 1),
        "accumulators": [
            part("accumulator_buffer", LOG_T=log_t, SLOTS=s.slots, WIDTH=20 * p),
            part("sign_table", LOG_N=s.log_n, LOG_P=s.log_p),
        ],
        "key streamer": [
            part("key_buffer", LOG_T=log_t, LOG_P=s.log_p, DIGITS=s.digits, BEATS=s.key_beats, KEYS=s.keys)
        ],
        "control": [
            part("sequencer", LOG_T=log_t, SLOTS=s.slots, STEPS=s.steps),
            part("exponent_buffer", LOG_N=s.log_n, STEPS=s.steps, EXPONENTS=s.exponents, SLOTS=s.slots),
        ],
        "extraction": [part("extract", LOG_N=s.log_n, LOG_P=s.log_p, SLOTS=s.slots)],
        "linear part": [part("gate_input", **small), part("switch_digits", DEGREE=degree, **small)],
        "key switch": [
            part("switch_lane", s.switch_polys * degree, DEGREE=degree, SWITCH_LOG2_BASE=s.switch_log2_base),
            part("switch_key", WIDTH=s.switch_polys * degree * 32, DEPTH=s.switch_clocks),
            part("modulus_switch", LOG_N=s.log_n, LWE_DIM=s.lwe_dim, LOG2_MEAN=(s.block or 2).bit_length() - 1),
            *relative,
        ],
    }


def yosys(script: str) -> None:
    """Runs commands of Yosys in a process of its own."""
    program = "import sys; from pyosys import libyosys; libyosys.run_pass(sys.argv[1], libyosys.Design())"
    command = [sys.executable, "-c", program, script]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=LONGEST_SECONDS)
    if done.returncode != 0 or "ERROR" in done.stdout:
        raise RuntimeError(f"{script}:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")


def synthesised(part: Part, folder: Path) -> Counter[str]:
    """The cells of one module; kept in the folder for the next time."""
    name = "-".join([part.module, *(f"{key}{value}" for key, value in part.parameters)])
    log = folder / f"{name}.json"
    if not log.exists():
        folder.mkdir(parents=True, exist_ok=True)
        sources = [SOURCES / "ntru_pkg.sv", *sorted(set(SOURCES.glob("*.sv")) - {SOURCES / "ntru_pkg.sv"})]
        parameters = " ".join(f"-G {key}={value}" for key, value in part.parameters)
        # Tables are computed in loops, which the frontend unrolls.
        script = (
            f"read_slang -j 1 --unroll-limit 1000000 --top {part.module} -D SYNTHESIS {parameters} "
            f"{' '.join(map(str, sources))}; "
            f"synth_xilinx -family xcup -uram -top {part.module} -flatten -noiopad -noclkbuf; "
            f"tee -q -o {log}.part stat -json"
        )
        try:
            yosys(script)
            Path(f"{log}.part").rename(log)
        except subprocess.TimeoutExpired:
            log.write_text(json.dumps({"design": {"num_cells_by_type": {f"than {part.module}, not finished": 1}}}))
    return resources(json.loads(log.read_text())["design"]["num_cells_by_type"])


def resources(cells: dict[str, int]) -> Counter[str]:
    """Cells in a device's terms. Shift registers and distributed memories are made of LUTs."""
    out: Counter[str] = Counter()
    memories = {"RAM32M16": 8, "RAM64M8": 8, "RAM32M": 4, "RAM64M": 4, "RAM32X1D": 2, "RAM64X1D": 2, "RAM32X16DR8": 8}
    for cell, count in cells.items():
        if cell.startswith("DSP48"):
            out["DSP"] += count
        elif re.fullmatch(r"LUT[1-6]|INV", cell) or cell.startswith("SRL"):
            out["LUT"] += count
        elif cell.startswith("FD"):
            out["FF"] += count
        elif cell.startswith("RAMB36"):
            out["BRAM36"] += count
        elif cell.startswith("RAMB18"):
            out["BRAM18"] += count
        elif cell.startswith("URAM"):
            out["URAM"] += count
        elif cell in memories:
            out["LUT"] += memories[cell] * count
        elif cell.startswith("RAM"):
            out[cell] += count
        elif cell.startswith("CARRY"):
            out["CARRY"] += count
        elif cell not in {"MUXF7", "MUXF8", "MUXF9", "VCC", "GND", "XORCY"}:
            out[f"other {cell}"] += count
    return out


def accelerator(shape: Shape, folder: Path) -> dict[str, Counter[str]]:
    """Cells by what they are for."""
    out = {}
    for purpose, modules in parts(shape).items():
        total: Counter[str] = Counter()
        for module in modules:
            for resource, count in synthesised(module, folder).items():
                total[resource] += module.count * count
        out[purpose] = total
    return out
