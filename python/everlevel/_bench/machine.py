"""The machine that is measured on, as a table names it."""

from __future__ import annotations

import importlib
import os
import platform
import time
from collections.abc import Mapping
from pathlib import Path

# Ranges of models of a family, first and last, and the generation of their cores. The family and the models are the
# processor's own numbers, which hypervisors hand through when they hide its name.
_AMD: dict[int, list[tuple[int, int, str]]] = {
    0x17: [
        (0x00, 0x2F, "Zen"),
        (0x30, 0x4F, "Zen 2"),
        (0x50, 0x5F, "Zen"),
        (0x60, 0x7F, "Zen 2"),
        (0x90, 0x91, "Zen 2"),
        (0xA0, 0xAF, "Zen 2"),
    ],
    0x19: [(0x00, 0x0F, "Zen 3"), (0x10, 0x1F, "Zen 4"), (0x20, 0x5F, "Zen 3"), (0x60, 0xAF, "Zen 4")],
    0x1A: [(0x00, 0x2F, "Zen 5"), (0x40, 0x4F, "Zen 5"), (0x60, 0x7F, "Zen 5")],
}
_INTEL: dict[int, str] = {
    0x3C: "Haswell", 0x3F: "Haswell", 0x45: "Haswell", 0x46: "Haswell",
    0x3D: "Broadwell", 0x47: "Broadwell", 0x4F: "Broadwell", 0x56: "Broadwell",
    0x4E: "Skylake", 0x5E: "Skylake", 0xA5: "Comet Lake", 0xA6: "Comet Lake", 0xA7: "Rocket Lake",
    0x6A: "Ice Lake", 0x6C: "Ice Lake", 0x7D: "Ice Lake", 0x7E: "Ice Lake", 0x8C: "Tiger Lake", 0x8D: "Tiger Lake",
    0x97: "Alder Lake", 0x9A: "Alder Lake", 0xB7: "Raptor Lake", 0xBA: "Raptor Lake", 0xBF: "Raptor Lake",
    0x8F: "Sapphire Rapids", 0xCF: "Emerald Rapids", 0xAD: "Granite Rapids", 0xAE: "Granite Rapids",
}  # fmt: skip
_INTEL_CORE = 6
_SKYLAKE_SERVER = 0x55


def machine() -> dict[str, str]:
    """Say where and of what a measurement is."""
    return {
        "Everlevel": importlib.import_module("everlevel").__version__,
        "CPU": f"{processor()}, {os.cpu_count()} cores",
        "date": time.strftime("%Y-%m-%d"),
    }


def processor() -> str:
    """Name this machine's processor, with the generation of its cores."""
    cpuinfo = Path("/proc/cpuinfo")
    text = cpuinfo.read_text(encoding="utf-8") if cpuinfo.exists() else ""
    return processor_of(text) or platform.processor() or platform.machine()


def processor_of(cpuinfo: str) -> str | None:
    r"""Name the first processor of Linux' list, with the generation of its cores; its numbers, where that isn't known.

    Examples
    --------
    >>> processor_of("vendor_id : AuthenticAMD\ncpu family : 25\nmodel : 17\nmodel name : AMD EPYC\n")
    'AMD EPYC (Zen 4)'
    >>> processor_of("vendor_id : GenuineIntel\ncpu family : 6\nmodel : 250\nmodel name : Intel(R) Xeon(R)\n")
    'Intel(R) Xeon(R) (family 6, model 250)'
    """
    first = cpuinfo.partition("\n\n")[0]
    pairs = (line.partition(":") for line in first.splitlines())
    fields = {name.strip(): value.strip() for name, _, value in pairs}
    name = fields.get("model name")
    if name is None:
        return None
    numbers = ", ".join(
        f"{title} {fields[key]}" for key, title in (("cpu family", "family"), ("model", "model")) if key in fields
    )
    told = generation(fields) or numbers
    return f"{name} ({told})" if told else name


def generation(fields: Mapping[str, str]) -> str | None:
    """Name the generation of a processor's cores by its vendor, family and model."""
    try:
        family, model, stepping = (int(fields.get(name, "0")) for name in ("cpu family", "model", "stepping"))
    except ValueError:
        return None
    if fields.get("vendor_id") == "AuthenticAMD":
        return next((name for first, last, name in _AMD.get(family, ()) if first <= model <= last), None)
    if fields.get("vendor_id") == "GenuineIntel" and family == _INTEL_CORE:
        if model == _SKYLAKE_SERVER:
            return "Skylake" if stepping <= 4 else "Cascade Lake" if stepping <= 7 else "Cooper Lake"
        return _INTEL.get(model)
    return None
