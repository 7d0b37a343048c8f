"""Report what a GPU would do for the kernels, without a GPU: instructions, registers, occupancy, and predicted times.

Cubins are those of scripts/gpu_kernels.py, taken apart by NVIDIA's nvdisasm, which comes from PyPI (the extra
`gpu-report`). Instructions are counted as they stand, both sides of every branch, without NOP: of a transform of 2^16
points in its two kernels for each butterfly, of the innermost loop that has the products for each product, and of the
other kernels for each thread, which makes one residue. A figure above its ceiling fails. The report goes to
out/gpu-report.txt. Where the compilers aren't and can't be installed it says so, and passes.
"""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import gpu_kernels
from gpu_kernels import BUILD, LICENCE_SHA256, OUT, Kernel

EXTRA = "gpu-report"
REPORT = OUT.with_name("gpu-report.txt")
# Butterflies of a thread in both kernels of 2^16 points: 16 levels, 8 pairs of values.
BUTTERFLIES = 128


class Loop(NamedTuple):
    """How products are recognised in a loop: an instruction, and the products that one of it stands for."""

    marker: str
    products: int


# A conversion makes four targets of each source; a plane's upper half is a key's factor, or a diagonal's for both
# polynomials.
LOOPS = {
    "convert": Loop(r"LDG\.E\.64", 4),
    "key_product": Loop(r"LDG\.E\.U16", 1),
    "diagonal_sums_1": Loop(r"LDG\.E\.U16", 2),
    "diagonal_sums_4": Loop(r"LDG\.E\.U16", 2),
}

# Ceilings of each figure on every architecture, and tighter ones by architecture: the first two are promises.
CEILINGS: dict[str, dict[int | None, float]] = {
    "forward, doubles": {90: 16, None: 16},
    "forward, integers": {120: 28, None: 30},
    "inverse, doubles": {None: 16},
    "inverse, integers": {120: 31.5, None: 33.5},
    "convert": {None: 14},
    "key_product": {None: 39},
    "diagonal_sums_4": {None: 36},
    "diagonal_sums_1": {None: 63},
    "add": {None: 50},
    "combine": {None: 100},
    "lift": {None: 95},
    "multiply_add": {None: 120},
    "scale_add": {None: 75},
    "tensor": {None: 310},
}

# Of a streaming multiprocessor: warps, blocks, bytes of shared memory.
LIMITS = {
    80: (64, 32, 164 << 10),
    86: (48, 16, 100 << 10),
    89: (48, 24, 100 << 10),
    90: (64, 32, 228 << 10),
    100: (64, 32, 228 << 10),
    120: (48, 24, 100 << 10),
}


class Gpu(NamedTuple):
    """A card: its architecture, multiprocessors, GHz, TB/s, the arithmetic of its transforms, a ceiling."""

    name: str
    architecture: int
    processors: int
    ghz: float
    tb_per_s: float
    arithmetic: str
    ceiling_ms: float


GPUS = (
    Gpu("H100", 90, 132, 1.755, 3.35, "doubles", 20),
    Gpu("H200", 90, 132, 1.755, 4.8, "doubles", 18),
    Gpu("RTX 5090", 120, 170, 2.41, 1.79, "integers", 27),
)
# A regular bootstrap, N = 2^16, medium keys, three stages either way, in limbs: transforms (those of constants'
# diagonals are no work of it), conversions' and other products, and the limbs that are read and written, packed ones by
# six bytes.
LOG_N = 16
COUNTS = {
    "forward": 5867,
    "inverse": 2763,
    "convert": 62526,
    "key_product": 12946,
    "diagonal_sums": 19780,
    "element-wise": 0,
}
MOVED_WORDS = {
    "forward": 4 * 5867,
    "inverse": 4 * 2763,
    "convert": 2761 + 5809,
    "key_product": 2 * 6580,
    "element-wise": 14328,
}
MOVED_PACKED = {"key_product": 11254, "diagonal_sums": 1952}


def instructions(listing: str) -> dict[str, list[str]]:
    """Read a listing: the instructions of each kernel, without NOP, and labels, which end in a colon."""
    found = {}
    for part in re.split(r"^//-+ \.text\.", listing, flags=re.MULTILINE)[1:]:
        name = part.split(maxsplit=1)[0]
        lines = re.findall(r"^(\.L_x_\d+:)|/\*[0-9a-f]{4,}\*/\s+((?:@\S+\s+)?[A-Z][^;]*);", part, flags=re.MULTILINE)
        words = [label or code for label, code in lines]
        found[name] = [word for word in words if not re.match(r"(@\S+\s+)?NOP\b", word)]
    return found


def count(code: list[str]) -> int:
    """Count instructions, and no labels."""
    return sum(not line.endswith(":") for line in code)


def per_product(code: list[str], loop: Loop) -> float | None:
    """Divide the instructions of the innermost loop with the most products by those."""
    labels = {line[:-1]: at for at, line in enumerate(code) if line.endswith(":")}
    spans = []
    for at, line in enumerate(code):
        target = re.search(r"\bBRA\b.*`\((\.L_x_\d+)\)", line)
        if target and labels.get(target[1], len(code)) < at:
            spans.append((labels[target[1]], at + 1))
    inner = [s for s in spans if not any(s != other and s[0] <= other[0] and other[1] <= s[1] for other in spans)]
    bodies = [code[start:end] for start, end in inner]
    products = [loop.products * sum(bool(re.search(loop.marker, line)) for line in body) for body in bodies]
    most = max(products, default=0)
    return count(bodies[products.index(most)]) / most if most else None


def figures(code: dict[str, list[str]]) -> dict[str, float]:
    """Give every figure of one architecture, by what is counted."""
    found: dict[str, float] = {}
    for arithmetic in ("doubles", "integers"):
        for direction in ("forward", "inverse"):
            both = [code[f"{direction}_{part}_{arithmetic}"] for part in ("columns_8", "rows")]
            found[f"{direction}, {arithmetic}"] = sum(map(count, both)) / BUTTERFLIES
    for name, lines in code.items():
        if name in LOOPS:
            products = per_product(lines, LOOPS[name])
            if products is None:
                sys.exit(
                    f"gpu_report: {name} has no loop with {LOOPS[name].marker}: its products are written otherwise"
                )
            found[name] = products
        elif not re.search("_(columns|rows)_", name):
            found[name] = count(lines)
    return found


def too_high(architecture: int, found: dict[str, float]) -> list[str]:
    """List the figures above their ceilings."""
    lines = []
    for name, figure in found.items():
        ceilings = CEILINGS.get(name, {})
        ceiling = ceilings.get(architecture, ceilings.get(None))
        if ceiling is not None and figure > ceiling:
            lines.append(f"sm_{architecture}, {name}: {figure:.2f} instructions, and at most {ceiling} are allowed")
    return lines


def occupancy(architecture: int, kernel: Kernel) -> float:
    """Give the share of a multiprocessor's warps that blocks of 256 threads of a kernel fill."""
    warps, blocks, shared_nbytes = LIMITS[architecture]
    registers = -(-kernel.registers // 8) * 8
    # The system's kilobyte of each block is a part of a kernel's from sm_90 on.
    shared = kernel.shared_nbytes + (1024 if architecture < 90 else 0)
    return 8 * min(warps // 8, blocks, 65536 // (256 * registers), shared_nbytes // max(shared, 1)) / warps


def predicted(gpu: Gpu, found: dict[str, float]) -> dict[str, float]:
    """Predict milliseconds of the large parts of a bootstrap: instructions or memory, whichever takes longer."""
    per_second = 128 * gpu.processors * gpu.ghz * 1e9
    n = 1 << LOG_N
    out = {}
    for part, limbs in COUNTS.items():
        if part in ("forward", "inverse"):
            work = limbs * n * LOG_N / 2 * found[f"{part}, {gpu.arithmetic}"]
        elif part == "element-wise":
            work = 0.0
        else:
            work = limbs * n * found["diagonal_sums_4" if part == "diagonal_sums" else part]
        nbytes = n * (8 * MOVED_WORDS.get(part, 0) + 6 * MOVED_PACKED.get(part, 0))
        out[part] = 1e3 * max(work / per_second, nbytes / (gpu.tb_per_s * 1e12))
    return out


def table(head: list[str], rows: list[list[str]]) -> list[str]:
    """Write a table in Markdown."""
    return ["| " + " | ".join(row) + " |" for row in (head, ["---"] * len(head), *rows)]


def nvdisasm() -> Path:
    """Find the program in its package."""
    spec = importlib.util.find_spec("nvidia")
    folders = list(spec.submodule_search_locations or []) if spec else []
    (program,) = [path for folder in folders for path in Path(folder).glob("*/bin/nvdisasm")]
    return program


def main() -> int:
    """Print and keep the report, and return the exit status."""
    if reason := gpu_kernels.why_not() or gpu_kernels.why_not(EXTRA):
        print(f"gpu_report: nothing is reported: {reason}")
        return 0
    if (digest := gpu_kernels.licence_sha256(EXTRA)) != LICENCE_SHA256:
        print(f"gpu_report: nvdisasm's licence is another text, of SHA-256 {digest}: read it, then name it")
        return 1
    if status := gpu_kernels.main(["--quiet"]):
        return status
    cubins = {architecture: BUILD / f"everlevel_sm_{architecture}.cubin" for architecture in gpu_kernels.ARCHITECTURES}
    lines, faults = report(cubins)
    REPORT.parent.mkdir(exist_ok=True)
    REPORT.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print("\n".join(lines))
    return int(bool(faults))


def report(cubins: Mapping[int, Path]) -> tuple[list[str], list[str]]:
    """Return the report's lines of kernels by their architecture, and what is above its ceiling."""
    program, faults = nvdisasm(), []
    by_architecture, kernels, spills = {}, {}, 0
    for architecture, path in cubins.items():
        listing = subprocess.run([program, "-c", path], capture_output=True, text=True, check=True).stdout
        code = instructions(listing)
        kernels[architecture] = {kernel.name: kernel for kernel in gpu_kernels.kernels(path.read_bytes())}
        local = [name for name, lines in code.items() if any(re.search(r"\b(LDL|STL)\b", line) for line in lines)]
        stacks = [kernel.name for kernel in kernels[architecture].values() if kernel.stack_nbytes]
        spills += len({*local, *stacks})
        faults += [f"sm_{architecture}, {name}: registers are spilled" for name in sorted({*local, *stacks})]
        by_architecture[architecture] = figures(code)
        faults += too_high(architecture, by_architecture[architecture])
    heads = [f"sm_{architecture}" for architecture in by_architecture]
    names = list(next(iter(by_architecture.values())))
    rows = [[name, *(f"{found[name]:.2f}" for found in by_architecture.values())] for name in names]
    lines = ["Instructions: of a butterfly, of a product in a loop, or of a residue", ""]
    lines += table(["kernel", *heads], rows)
    lines += ["", "Registers of a thread, and occupancy in percent", ""]
    rows = []
    for name in sorted(next(iter(kernels.values()))):
        each = [(architecture, found[name]) for architecture, found in kernels.items()]
        shared = str(max(kernel.shared_nbytes for _, kernel in each))
        rows.append([name, *(f"{k.registers} · {100 * occupancy(a, k):.0f}" for a, k in each), shared])
    lines += table(["kernel", *heads, "shared bytes"], rows)
    lines += ["", "*Predicted* milliseconds of a regular bootstrap, N = 2^16, medium keys, by the roofline", ""]
    times = [predicted(gpu, by_architecture[gpu.architecture]) for gpu in GPUS]
    rows = [[part, *(f"{time[part]:.1f}" for time in times)] for part in COUNTS]
    rows.append(["all", *(f"{sum(time.values()):.1f}" for time in times)])
    for gpu, time in zip(GPUS, times, strict=True):
        if (ms := sum(time.values())) > gpu.ceiling_ms:
            faults.append(f"{gpu.name}: {ms:.1f} ms are predicted, and at most {gpu.ceiling_ms} are allowed")
    lines += table(["part", *(gpu.name for gpu in GPUS)], rows)
    lines += ["", f"{spills} kernels with spilled registers; {len(faults)} figures above their ceilings", *faults]
    return lines, faults


if __name__ == "__main__":
    sys.exit(main())
