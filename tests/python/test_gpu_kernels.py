"""What `make gpu-kernels` reads of compiled kernels, where its compiler is installed."""

from __future__ import annotations

from pathlib import Path

import pytest

import gpu_kernels
from everlevel import _native
from everlevel._common import nvrtc

LEAN = 'extern "C" __global__ void lean(int *a) { a[threadIdx.x] += 1; }'
# An array that is indexed by data is in no register.
STACKED = """
extern "C" __global__ void stacked(int *a) {
    int local[64];
    for (int k = 0; k < 64; k++) local[a[k] & 63] = a[k + 64];
    a[threadIdx.x] = local[a[threadIdx.x] & 63];
}
extern "C" __global__ void shared(int *a) {
    __shared__ int words[256];
    words[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    a[threadIdx.x] = words[255 - threadIdx.x];
}
"""


@pytest.fixture
def compiler() -> nvrtc.Compiler:
    package, _, version = gpu_kernels.requirement().partition("==")
    if gpu_kernels.installed(package) != version:
        pytest.skip(f"{package} {version} isn't installed: make gpu-kernels")
    return nvrtc.Compiler()


def test_the_compiler_of_cuda_13_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "nvidia" / "cu13" / "lib"
    folder.mkdir(parents=True)
    for name in ("libnvrtc.so.13", "libnvrtc.alt.so.13", "libnvrtc-builtins.so.13.0"):
        (folder / name).touch()
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(nvrtc, "_FOLDERS", ("nvidia.cu13",))
    assert nvrtc._library() == folder / "libnvrtc.so.13"


def test_one_version_of_the_compiler_is_named() -> None:
    assert "==" in gpu_kernels.requirement()


@pytest.mark.parametrize("architecture", gpu_kernels.ARCHITECTURES)
def test_registers_stack_and_shared_memory_are_read(compiler: nvrtc.Compiler, architecture: int) -> None:
    source = {"kernels.h": '#include "stacked.h"\n' + LEAN, "stacked.h": STACKED}
    lean, shared, stacked = gpu_kernels.kernels(compiler.cubin(source, "kernels.h", architecture))
    assert [lean.name, shared.name, stacked.name] == ["lean", "shared", "stacked"]
    assert (lean.stack_nbytes, shared.stack_nbytes) == (0, 0)
    assert stacked.stack_nbytes >= 256
    # From sm_90 on, a block has a thousand bytes of the system's as well.
    assert (lean.shared_nbytes, shared.shared_nbytes) == (0, 1024 if architecture < 90 else 2048)
    assert 4 <= lean.registers <= 32


def test_what_the_compiler_refuses_is_said(compiler: nvrtc.Compiler) -> None:
    source = {"kernels.h": 'extern "C" __global__ void broken(int *a) { a = unknown; }'}
    with pytest.raises(nvrtc.CompilerError, match="unknown"):
        compiler.cubin(source, "kernels.h", 90)


def test_the_package_has_the_kernels_sources(compiler: nvrtc.Compiler) -> None:
    sources = dict(_native.kernel_sources())
    assert sources == gpu_kernels.headers()
    names = [kernel.name for kernel in gpu_kernels.kernels(compiler.cubin(sources, "kernels.h", 90))]
    assert "convert" in names
