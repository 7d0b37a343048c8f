"""Parts of the accelerator beside the library: every word equal."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

import cocotb
import numpy as np
from cocotb.triggers import Timer
from packing import packed, unpacked, vectors

HALF = 1


class Bench:
    """A bench, or one of several side by side, whose signals have its name before theirs.

    The clock is driven by hand: a test sets inputs between edges, and reads outputs before the next one.
    """

    def __init__(self, dut: Any, name: str, parameters: Mapping[str, int], every: int) -> None:
        self.dut, self.name, self.parameters, self.every = dut, f"{name}_" if name else "", parameters, every
        self.clk_i = self.signal("clk_i")

    def signal(self, name: str) -> Any:
        """A signal."""
        return getattr(self.dut, self.name + name)

    def set(self, name: str, value: int) -> None:
        """Sets an input."""
        self.signal(name).value = value

    def value(self, name: str) -> int:
        """An output."""
        return int(self.signal(name).value)

    async def tick(self) -> None:
        """One clock: what is set is taken, and outputs follow."""
        self.clk_i.value = 0
        await Timer(HALF, "ns")
        self.clk_i.value = 1
        await Timer(HALF, "ns")


async def products_are_residues(bench: Bench) -> None:
    """All corners, and a million random products and sums."""
    lanes, latency = bench.parameters["LANES"], 6
    words = vectors("products.u32").reshape(-1, 4)
    rows, every = -(-len(words) // lanes), bench.every
    words = np.resize(words, (rows * lanes, 4)).reshape(rows, lanes, 4)
    # Corners come first.
    corners = -(-(41**3) // lanes)
    words = np.concatenate([words[:corners], words[corners::every]])
    rows = len(words)
    for row in range(rows + latency):
        if row < rows:
            for k, name in enumerate(("a_i", "b_i", "c_i")):
                bench.set(name, packed(words[row, :, k]))
        await bench.tick()
        if row + 1 >= latency:
            expected = packed(words[row + 1 - latency, :, 3]) if row + 1 - latency < rows else None
            if expected is not None:
                assert bench.value("sum_o") == expected, f"row {row + 1 - latency}"
                assert bench.value("again_o") == expected, f"row {row + 1 - latency}"
    assert every * rows * lanes >= 1_000_000


async def transforms_are_those_of_the_library(bench: Bench) -> None:
    """Forward in the library's values, and back to N times the coefficients, without gaps between polynomials."""
    log_n, log_p = bench.parameters["LOG_N"], bench.parameters["LOG_P"]
    n, lanes, clocks = 1 << log_n, 1 << log_p, 1 << (log_n - log_p)
    q, latency = 1032193, 7 * log_n + clocks - 1
    polys = vectors(f"transforms-{log_n}.u32").reshape(-1, 2, n)
    places = np.arange(lanes)
    expected_values, expected_back = [], []
    for poly, values in polys:
        for t in range(clocks):
            expected_values.append(packed(values[places // 2 * 2 * clocks + 2 * t + places % 2]))
            expected_back.append(packed(poly.astype(np.uint64)[places * clocks + t] * np.uint64(n) % np.uint64(q)))
    total = len(polys) * clocks
    for at in range(total + 2 * latency):
        bench.set("phase_i", at % clocks)
        if at < total:
            bench.set("x_i", packed(polys[at // clocks, 0][places * clocks + at % clocks]))
        await bench.tick()
        done = at + 1 - latency
        if 0 <= done < total:
            assert bench.value("value_o") == expected_values[done], f"value {done}"
        if 0 <= done - latency < total:
            assert bench.value("back_o") == expected_back[done - latency], f"coefficient {done - latency}"


async def every_residue_has_its_digits(bench: Bench) -> None:
    """All residues, the last digit's extremes among them."""
    lanes, digits, latency = bench.parameters["LANES"], bench.parameters["DIGITS"], 2
    base, dropped = bench.parameters["LOG2_BASE"], bench.parameters["DROPPED"]
    words = vectors(f"digits-{base}-{digits}-{dropped}.u32").reshape(-1, digits)
    rows, every = -(-len(words) // lanes), bench.every
    expected = np.resize(words, (rows * lanes, digits)).reshape(rows, lanes * digits)[::every]
    rows = len(expected)
    for row in range(rows + latency - 1):
        first = row * every * lanes
        bench.set("x_i", packed((np.arange(first, first + lanes) % len(words)).astype(np.uint64)))
        await bench.tick()
        if row + 1 >= latency:
            done = row + 1 - latency
            assert bench.value("digit_o") == packed(expected[done]), f"residues from {done * every * lanes} on"


async def every_residue_has_its_word(bench: Bench) -> None:
    """All residues as torus elements."""
    lanes, latency = bench.parameters["LANES"], 5
    words = vectors("words.u64")
    rows = -(-len(words) // lanes)
    expected = np.resize(words, (rows, lanes))
    for row in range(rows + latency - 1):
        first = row * lanes
        bench.set("x_i", packed((np.arange(first, first + lanes) % len(words)).astype(np.uint64)))
        await bench.tick()
        if row + 1 >= latency:
            done = row + 1 - latency
            assert bench.value("word_o") == packed(expected[done], 64), f"residues from {done * lanes} on"


async def steps_are_those_of_the_exact_model(bench: Bench) -> None:
    """Whole steps that follow each other, each with keys and exponents of its own."""
    log_n, log_p = bench.parameters["LOG_N"], bench.parameters["LOG_P"]
    digits, block = bench.parameters["DIGITS"], bench.parameters["BLOCK"]
    prefix = f"steps-{block}" if block else "steps"
    n, lanes, clocks = 1 << log_n, 1 << log_p, 1 << (log_n - log_p)
    inputs, results = vectors(f"{prefix}-inputs.u32").reshape(-1, n), vectors(f"{prefix}-outputs.u32").reshape(-1, n)
    exponents = vectors(f"{prefix}-exponents.u32").reshape(-1, block - 1 if block else 2)
    keys = vectors(f"{prefix}-keys.u32").reshape(len(exponents) * clocks, -1)
    transform, levels = 7 * log_n + clocks - 1, (digits - 1).bit_length()
    bundle = 6 + (block - 2).bit_length() if block else 12
    keys_at = 2 + transform - bundle
    exponents_at, latency = keys_at - 4, 2 + 2 * transform + 6 + levels
    places, total = np.arange(lanes) * clocks, len(inputs) * clocks
    for at in range(total + latency):
        bench.set("phase_i", at % clocks)
        if at < total:
            bench.set("x_i", packed(inputs[at // clocks][places + at % clocks]))
        if 0 <= at - exponents_at < total:
            bench.set("exponent_i", packed(exponents[(at - exponents_at) // clocks], log_n + 1))
        if 0 <= at - keys_at < total:
            bench.set("key_i", packed(keys[at - keys_at]))
        await bench.tick()
        done = at + 1 - latency
        if 0 <= done < total:
            expected = results[done // clocks][places + done % clocks]
            assert (unpacked(bench.value("x_o"), lanes) == expected).all(), (
                f"step {done // clocks}, clock {done % clocks}"
            )


CHECKS = [
    products_are_residues,
    transforms_are_those_of_the_library,
    every_residue_has_its_digits,
    every_residue_has_its_word,
    steps_are_those_of_the_exact_model,
]


@cocotb.test()
async def units(dut: Any) -> None:
    """What `run.py` asks for: for each bench its name in a bench of several, its check, its parameters."""
    checks = {check.__name__: check for check in CHECKS}
    for name, check, parameters, every in json.loads(os.environ["RTL_UNITS"]):
        await checks[check](Bench(dut, name, parameters, every))
