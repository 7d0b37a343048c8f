"""Compile the kernels for GPUs, and list what each takes: registers, stack, shared memory, by architecture.

NVIDIA's run-time compiler, NVRTC, comes from PyPI in the version that pyproject.toml names (the extra `gpu-kernels`,
which no other command installs), and needs neither a GPU nor a driver. Cubins go to build/gpu, the table to
out/gpu.txt. A kernel whose registers don't suffice has a stack: `--strict` fails then. Where NVRTC isn't installed, and
can't be, nothing is compiled, which is said.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import struct
import subprocess
import sys
import time
import tomllib
from importlib import metadata
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
KERNELS = ROOT / "crates" / "everlevel-gpu" / "kernels"
BUILD = ROOT / "build" / "gpu"
EXTRA = "gpu-kernels"
SOURCES = "kernels.txt"
# Texts that tests interpret, by the two compilers' front ends: kernels, and kernels with planted faults.
PTX_SOURCES = "ptx.txt"
PTX_ARCHITECTURES = (90, 120)
PTX_FILES = {"everlevel": "kernels.h", "faults": "faults.h"}
OUT = ROOT / "out" / "gpu.txt"
ARCHITECTURES = (80, 86, 89, 90, 100, 120)
# The licence of the pinned version. Another text is to be read before this line is changed.
LICENCE_SHA256 = "ad6f5853fba0ca0d159d0f58d49ae49830c2f8c93f7a92648b9ce90adb4c6ccd"


class Kernel(NamedTuple):
    """What a thread, or a block, of a kernel takes."""

    name: str
    registers: int
    stack_nbytes: int
    shared_nbytes: int


def requirement(extra: str = EXTRA) -> str:
    """Return the requirement that pyproject.toml has for the compiler, or for what another extra has."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    (found,) = project["optional-dependencies"][extra]
    return str(found)


def why_not(extra: str = EXTRA) -> str | None:
    """Install the compiler, or another extra, where it is missing, and say why it can't be used, if it can't."""
    wanted = requirement(extra)
    if not is_installed(wanted):
        command = [sys.executable, "-m", "pip", "install", "--quiet", wanted]
        if subprocess.run(command, capture_output=True, check=False).returncode or not is_installed(wanted):
            return f"{wanted} isn't installed, and pip doesn't install it here"
    return None


def is_installed(wanted: str) -> bool:
    """Tell whether a requirement's version is the installed one."""
    package, _, version = wanted.partition("==")
    return installed(package) == version


def installed(package: str) -> str | None:
    """Return a package's version."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def licence_sha256(extra: str = EXTRA) -> str:
    """Return the digest of the licence that the installed package has."""
    package, _, _ = requirement(extra).partition("==")
    texts = [file for file in metadata.files(package) or [] if "licen" in file.name.lower()]
    if len(texts) != 1:
        sys.exit(f"gpu_kernels: {package} has {len(texts)} texts of a licence, and had one")
    return hashlib.sha256(Path(str(texts[0].locate())).read_bytes()).hexdigest()


def compiler() -> Any:
    """Return the compiler, of the package's own module, which is there before the package is built."""
    path = ROOT / "python" / "everlevel" / "_common" / "nvrtc.py"
    spec = importlib.util.spec_from_file_location("nvrtc", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.Compiler()


def headers() -> dict[str, str]:
    """Return the kernels' sources by file."""
    return {path.name: path.read_text(encoding="utf-8") for path in sorted(KERNELS.glob("*.h"))}


def kernels(cubin: bytes) -> list[Kernel]:
    """Read a cubin's kernels: a section of code for each, and attributes of its symbol."""
    sections = list(_sections(cubin))
    symbols = _symbols(cubin, sections)
    bodies = {name: body for name, _, body in sections}
    registers = {symbols[symbol]: count for symbol, count in _attributes(bodies[".nv.info"], _REGISTERS)}
    frames = {symbols[symbol]: nbytes for symbol, nbytes in _attributes(bodies[".nv.info"], _FRAME)}
    sizes = {name: size for name, size, _ in sections}
    names = [name.removeprefix(".text.") for name, _, _ in sections if name.startswith(".text.")]
    return [Kernel(name, registers[name], frames[name], sizes.get(f".nv.shared.{name}", 0)) for name in sorted(names)]


# Kinds of attributes of a symbol: registers of a thread, bytes of its stack.
_REGISTERS, _FRAME = 0x2F, 0x11
# Name, size, content.
_Section = tuple[str, int, bytes]


def _sections(elf: bytes) -> list[_Section]:
    (table,) = struct.unpack_from("<Q", elf, 40)
    size, count, names_at = struct.unpack_from("<HHH", elf, 58)
    headers = [struct.unpack_from("<IIQQQQIIQQ", elf, table + size * k) for k in range(count)]
    names = headers[names_at]
    found = []
    for header in headers:
        start = names[4] + header[0]
        name = elf[start : elf.index(b"\0", start)].decode()
        no_bits = header[1] == 8
        body = b"" if no_bits else elf[header[4] : header[4] + header[5]]
        found.append((name, header[5], body))
    return found


def _symbols(elf: bytes, sections: list[_Section]) -> dict[int, str]:
    bodies = {name: body for name, _, body in sections}
    table, names = bodies[".symtab"], bodies[".strtab"]
    found = {}
    for k in range(len(table) // 24):
        (at,) = struct.unpack_from("<I", table, 24 * k)
        found[k] = names[at : names.index(b"\0", at)].decode()
    return found


def _attributes(info: bytes, wanted: int) -> list[tuple[int, int]]:
    """List the symbols that have an attribute, and its value: entries of two words, among those of other forms."""
    found, at = [], 0
    while at + 4 <= len(info):
        form, kind, size = struct.unpack_from("<BBH", info, at)
        at += 4
        if form == 4:
            if kind == wanted and size == 8:
                found.append(struct.unpack_from("<II", info, at))
            at += size
    return found


def table(by_architecture: dict[int, list[Kernel]]) -> list[str]:
    """Write registers of each architecture, and the most shared memory, as Markdown: a row for each kernel."""
    head = "| kernel | " + " | ".join(f"sm_{arch}" for arch in by_architecture) + " | shared bytes | stack |"
    lines = [head, "|---" * (len(by_architecture) + 3) + "|"]
    rows: dict[str, list[Kernel]] = {}
    for found in by_architecture.values():
        for kernel in found:
            rows.setdefault(kernel.name, []).append(kernel)
    for name, each in sorted(rows.items()):
        registers = " | ".join(str(kernel.registers) for kernel in each)
        shared, stack = max(kernel.shared_nbytes for kernel in each), max(kernel.stack_nbytes for kernel in each)
        lines.append(f"| `{name}` | {registers} | {shared} | {stack} |")
    return lines


def sources() -> bytes:
    """Return the kernels' sources, one after another."""
    return "".join(headers().values()).encode()


def write_ptx(compiler: Any) -> None:
    """Write the texts that tests interpret, unless they are there, and then their sources beside them."""
    known = BUILD / PTX_SOURCES
    if known.is_file() and known.read_bytes() == sources():
        return
    known.unlink(missing_ok=True)
    BUILD.mkdir(parents=True, exist_ok=True)
    before = sources()
    for architecture in PTX_ARCHITECTURES:
        for name, source in PTX_FILES.items():
            (BUILD / f"{name}_sm_{architecture}.ptx").write_bytes(compiler.ptx(headers(), source, architecture))
    known.write_bytes(before)


def main(arguments: list[str]) -> int:
    """Compile for each architecture, print and keep the table, and return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--strict", action="store_true", help="fail where a kernel has a stack")
    parser.add_argument("--ptx", action="store_true", help="only what tests interpret, if the compiler is installed")
    parser.add_argument("--quiet", action="store_true", help="keep the table, and don't print it")
    options = parser.parse_args(arguments)
    if options.ptx:
        if is_installed(requirement()):
            write_ptx(compiler())
        return 0
    if reason := why_not():
        print(f"gpu_kernels: nothing is compiled: {reason}")
        return 0
    if (digest := licence_sha256()) != LICENCE_SHA256:
        print(f"gpu_kernels: the compiler's licence is another text, of SHA-256 {digest}: read it, then name it here")
        return 1
    nvrtc, found = compiler(), {}
    BUILD.mkdir(parents=True, exist_ok=True)
    # What the crate's build compares with its kernels, so that it never embeds those of others.
    (BUILD / SOURCES).unlink(missing_ok=True)
    before = sources()
    write_ptx(nvrtc)
    for architecture in ARCHITECTURES:
        start = time.perf_counter()
        cubin = nvrtc.cubin(headers(), "kernels.h", architecture)
        (BUILD / f"everlevel_sm_{architecture}.cubin").write_bytes(cubin)
        found[architecture] = kernels(cubin)
        seconds = time.perf_counter() - start
        if not options.quiet:
            size = f"{len(found[architecture])} kernels, {len(cubin)} bytes"
            print(f"sm_{architecture}: {size}, {seconds:.1f} s", flush=True)
    (BUILD / SOURCES).write_bytes(before)
    # The crate's build looks at this folder again once a kernel is newer than it was.
    (KERNELS / "kernels.h").touch()
    lines = [f"{requirement()}; registers of a thread, by architecture", "", *table(found)]
    OUT.parent.mkdir(exist_ok=True)
    OUT.write_text("\n".join(lines) + "\n", encoding="utf-8")
    stacks = [kernel for each in found.values() for kernel in each if kernel.stack_nbytes]
    if options.quiet:
        return 0
    print("\n".join(lines))
    print(f"gpu_kernels: {len(stacks)} kernels with a stack")
    return int(options.strict and bool(stacks))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
