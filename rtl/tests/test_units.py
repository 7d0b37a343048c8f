"""Parts of the accelerator beside the library: every word equal."""

from __future__ import annotations

import os
from typing import Any

import cocotb
import numpy as np
from cocotb.triggers import ReadOnly, Timer
from packing import Words, packed, unpacked, vectors

HALF = 1


def parameter(name: str) -> int:
    """A parameter of the bench."""
    return int(os.environ[f"RTL_{name}"])


class Clock:
    """The clock, driven by hand: a test sets inputs between edges, and reads outputs before the next one."""

    def __init__(self, dut: Any) -> None:
        self.dut = dut

    async def tick(self) -> None:
        """One clock: what is set is taken, and outputs follow."""
        self.dut.clk_i.value = 0
        await Timer(HALF, "ns")
        self.dut.clk_i.value = 1
        await Timer(HALF, "ns")


def outputs(signal: Any, count: int) -> Words:
    """The residues that a signal has."""
    return unpacked(int(signal.value), count)


@cocotb.test()
async def products_are_residues(dut: Any) -> None:
    """All corners, and a million random products and sums."""
    lanes, latency, clock = parameter("LANES"), 6, Clock(dut)
    words = vectors("products.u32").reshape(-1, 4)
    rows = -(-len(words) // lanes)
    words = np.resize(words, (rows * lanes, 4)).reshape(rows, lanes, 4)
    for row in range(rows + latency):
        if row < rows:
            dut.a_i.value, dut.b_i.value, dut.c_i.value = (packed(words[row, :, k]) for k in range(3))
        await clock.tick()
        if row + 1 >= latency:
            expected = packed(words[row + 1 - latency, :, 3]) if row + 1 - latency < rows else None
            if expected is not None:
                assert int(dut.sum_o.value) == expected, f"row {row + 1 - latency}"
                assert int(dut.again_o.value) == expected, f"row {row + 1 - latency}"
    assert rows * lanes >= 1_000_000


@cocotb.test()
async def transforms_are_those_of_the_library(dut: Any) -> None:
    """Forward in the library's values, and back to N times the coefficients, without gaps between polynomials."""
    log_n, log_p, clock = parameter("LOG_N"), parameter("LOG_P"), Clock(dut)
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
        dut.phase_i.value = at % clocks
        if at < total:
            dut.x_i.value = packed(polys[at // clocks, 0][places * clocks + at % clocks])
        await clock.tick()
        done = at + 1 - latency
        if 0 <= done < total:
            assert int(dut.value_o.value) == expected_values[done], f"value {done}"
        if 0 <= done - latency < total:
            assert int(dut.back_o.value) == expected_back[done - latency], f"coefficient {done - latency}"


@cocotb.test()
async def every_residue_has_its_digits(dut: Any) -> None:
    """All residues, the last digit's extremes among them."""
    lanes, digits, latency, clock = parameter("LANES"), parameter("DIGITS"), 2, Clock(dut)
    base, dropped = parameter("LOG2_BASE"), parameter("DROPPED")
    words = vectors(f"digits-{base}-{digits}-{dropped}.u32").reshape(-1, digits)
    rows = -(-len(words) // lanes)
    expected = np.resize(words, (rows * lanes, digits)).reshape(rows, lanes * digits)
    for row in range(rows + latency - 1):
        first = row * lanes
        dut.x_i.value = packed((np.arange(first, first + lanes) % len(words)).astype(np.uint64))
        await clock.tick()
        if row + 1 >= latency:
            done = row + 1 - latency
            assert int(dut.digit_o.value) == packed(expected[done]), f"residues from {done * lanes} on"


@cocotb.test()
async def every_residue_has_its_word(dut: Any) -> None:
    """All residues as torus elements."""
    lanes, latency, clock = parameter("LANES"), 5, Clock(dut)
    words = vectors("words.u64")
    rows = -(-len(words) // lanes)
    expected = np.resize(words, (rows, lanes))
    for row in range(rows + latency - 1):
        first = row * lanes
        dut.x_i.value = packed((np.arange(first, first + lanes) % len(words)).astype(np.uint64))
        await clock.tick()
        if row + 1 >= latency:
            done = row + 1 - latency
            assert int(dut.word_o.value) == packed(expected[done], 64), f"residues from {done * lanes} on"


@cocotb.test()
async def steps_are_those_of_the_exact_model(dut: Any) -> None:
    """Whole steps that follow each other, each with keys and exponents of its own."""
    log_n, log_p, digits, clock = parameter("LOG_N"), parameter("LOG_P"), parameter("DIGITS"), Clock(dut)
    n, lanes, clocks = 1 << log_n, 1 << log_p, 1 << (log_n - log_p)
    inputs, results = vectors("steps-inputs.u32").reshape(-1, n), vectors("steps-outputs.u32").reshape(-1, n)
    pairs = vectors("steps-exponents.u32").reshape(-1, 2)
    keys = vectors("steps-keys.u32").reshape(len(pairs) * clocks, -1)
    transform, levels = 7 * log_n + clocks - 1, (digits - 1).bit_length()
    keys_at = 2 + transform - 12
    pairs_at, latency = keys_at - 4, 2 + 2 * transform + 6 + levels
    places, total = np.arange(lanes) * clocks, len(inputs) * clocks
    for at in range(total + latency):
        dut.phase_i.value = at % clocks
        if at < total:
            dut.x_i.value = packed(inputs[at // clocks][places + at % clocks])
        if 0 <= at - pairs_at < total:
            dut.exponent_i.value = packed(pairs[(at - pairs_at) // clocks], log_n + 1)
        if 0 <= at - keys_at < total:
            dut.key_i.value = packed(keys[at - keys_at])
        await clock.tick()
        done = at + 1 - latency
        if 0 <= done < total:
            expected = results[done // clocks][places + done % clocks]
            assert (outputs(dut.x_o, lanes) == expected).all(), f"step {done // clocks}, clock {done % clocks}"
    await ReadOnly()
