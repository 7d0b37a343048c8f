"""NVIDIA's run-time compiler, NVRTC, by its C interface, where its package is installed.

It needs neither a GPU nor a driver. Nothing here is imported from elsewhere in the package, so that scripts have it
before the package is built.
"""

from __future__ import annotations

import ctypes
import importlib.util
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

PACKAGE: Final = "nvidia-cuda-nvrtc-cu12"

_FOLDERS: Final = ("nvidia.cuda_nvrtc", "nvidia.cu13")
"""Where that package has its library, and where that of CUDA 13 does, which PyTorch brings."""

_OPTIONS: Final = ("--std=c++17", "--fmad=false")
"""Quotients of conversions are rounded product by product, whatever a compiler would fuse."""


class CompilerError(Exception):
    """Sources that the compiler refuses, in its words."""


class Compiler:
    """The compiler, loaded.

    Raises
    ------
    ModuleNotFoundError
        If its package isn't installed.
    """

    def __init__(self) -> None:
        library = _library()
        if library is None:
            raise ModuleNotFoundError(f"{PACKAGE} isn't installed; pip install {PACKAGE}", name=PACKAGE)
        # The library of CUDA 13 looks for this one in the system's folders alone, if it isn't loaded yet.
        for builtins in library.parent.glob("libnvrtc-builtins.so.*[0-9]"):
            ctypes.CDLL(str(builtins))
        self._library = ctypes.CDLL(str(library))

    def cubin(self, headers: Mapping[str, str], name: str, architecture: int) -> bytes:
        """Compile the file of a name, one of these, to machine code."""
        return self._compiled(headers, name, f"sm_{architecture}", "CUBIN")

    def ptx(self, headers: Mapping[str, str], name: str, architecture: int) -> bytes:
        """Compile the file of a name, one of these, to the text that machine code is made from."""
        return self._compiled(headers, name, f"compute_{architecture}", "PTX").rstrip(b"\0")

    def _compiled(self, headers: Mapping[str, str], name: str, architecture: str, what: str) -> bytes:
        program = ctypes.c_void_p()
        names, texts = (_strings(part) for part in (headers.keys(), headers.values()))
        own = headers[name].encode(), name.encode()
        self._call("CreateProgram", ctypes.byref(program), *own, len(headers), texts, names)
        try:
            options = _strings((f"--gpu-architecture={architecture}", *_OPTIONS))
            if self._call("CompileProgram", program, len(options), options):
                raise CompilerError(self._bytes(program, "ProgramLog").decode(errors="replace"))
            return self._bytes(program, what)
        finally:
            self._call("DestroyProgram", ctypes.byref(program))

    def _call(self, name: str, *arguments: object) -> int:
        return int(getattr(self._library, f"nvrtc{name}")(*arguments))

    def _bytes(self, program: ctypes.c_void_p, what: str) -> bytes:
        size = ctypes.c_size_t()
        self._call(f"Get{what}Size", program, ctypes.byref(size))
        out = ctypes.create_string_buffer(size.value)
        self._call(f"Get{what}", program, out)
        return out.raw


def _strings(texts: Iterable[str]) -> ctypes.Array[ctypes.c_char_p]:
    encoded = [text.encode() for text in texts]
    return (ctypes.c_char_p * len(encoded))(*encoded)


def _library() -> Path | None:
    for name in _FOLDERS:
        try:
            spec = importlib.util.find_spec(name)
        except ModuleNotFoundError:
            return None
        folders = list(spec.submodule_search_locations or []) if spec else []
        for folder in folders:
            for path in Path(folder).glob("lib/libnvrtc.so.*[0-9]"):
                return path
    return None
