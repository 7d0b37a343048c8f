"""The whole accelerator over its streams, with pauses on all of them: every word is the library's."""

from __future__ import annotations

import random
from typing import Any

import cocotb
import numpy as np
from cocotb.triggers import Timer
from packing import packed, vectors


class Source:
    """A stream's beats, one after the other: what is offered stays until it is taken."""

    def __init__(self, beats: list[dict[str, int]], signals: Any, name: str, pauses: random.Random) -> None:
        self.beats, self.signals, self.name, self.pauses = beats, signals, name, pauses
        self.at, self.valid = 0, False

    def signal(self, name: str) -> Any:
        """A signal of the stream."""
        return getattr(self.signals, f"s_{self.name}_{name}")

    def offer(self) -> None:
        """Sets the signals for a clock."""
        if not self.valid and self.at < len(self.beats) and self.pauses.random() < 0.8:
            self.valid = True
            for name, value in self.beats[self.at].items():
                self.signal(name).value = value
        self.signal("tvalid_i").value = int(self.valid)

    def take(self) -> None:
        """Moves on where the beat is taken at the coming edge."""
        if self.valid and int(self.signal("tready_o").value):
            self.at += 1
            self.valid = False


@cocotb.test()
async def gates_are_those_of_the_library(dut: Any) -> None:
    """A batch that is full and one that is not, truth tables among them."""
    inputs, outputs, ops = vectors("inputs.u64"), vectors("outputs.u64"), vectors("ops.u32")
    gates = len(ops)
    inputs, outputs = inputs.reshape(gates, 2, -1), outputs.reshape(gates, -1)
    width = len(dut.s_key_tdata_i) // 20
    key = [{"tdata_i": packed(beat)} for beat in vectors("key.u32").reshape(-1, width)]
    switch_width = len(dut.s_switch_tdata_i) // 32
    switch = [{"tdata_i": packed(beat, 32)} for beat in vectors("switch.u32").reshape(-1, switch_width)]
    length = outputs.shape[1]
    words = [
        {
            "tdata_i": packed(inputs[gate, :, word].copy(), 64),
            "tuser_i": int(ops[gate]) | (16 if gate + 1 == gates else 0),
            "tlast_i": int(word + 1 == length),
        }
        for gate in range(gates)
        for word in range(length)
    ]
    pauses = random.Random(7)
    streams = [
        Source(words, dut, "gate", pauses),
        Source(switch, dut, "switch", pauses),
        Source(key * 4, dut, "key", pauses),
    ]
    # Longer than RESET_CLOCKS.
    dut.rst_ni.value = 0
    for _ in range(256):
        for level in (0, 1):
            dut.clk_i.value = level
            await Timer(1, "ns")
    dut.rst_ni.value = 1
    results: list[int] = []
    for _ in range(400_000):
        dut.clk_i.value = 0
        for stream in streams:
            stream.offer()
        ready = pauses.random() < 0.6
        dut.m_result_tready_i.value = int(ready)
        await Timer(1, "ns")
        for stream in streams:
            stream.take()
        if ready and int(dut.m_result_tvalid_o.value):
            assert int(dut.m_result_tlast_o.value) == (len(results) % length == length - 1)
            results.append(int(dut.m_result_tdata_o.value))
        dut.clk_i.value = 1
        await Timer(1, "ns")
        if len(results) == outputs.size:
            break
    assert np.array_equal(np.array(results, dtype=np.uint64), outputs.ravel())
