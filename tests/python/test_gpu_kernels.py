"""What `make gpu-kernels` reads of compiled kernels, where its compiler is installed."""

from __future__ import annotations

from pathlib import Path

import pytest

import gpu_kernels

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
def compiler() -> gpu_kernels.Compiler:
    package, _, version = gpu_kernels.requirement().partition("==")
    if gpu_kernels.installed(package) != version:
        pytest.skip(f"{package} {version} isn't installed: make gpu-kernels")
    return gpu_kernels.Compiler()


def test_one_version_of_the_compiler_is_named() -> None:
    assert "==" in gpu_kernels.requirement()


@pytest.mark.parametrize("architecture", gpu_kernels.ARCHITECTURES)
def test_registers_stack_and_shared_memory_are_read(
    compiler: gpu_kernels.Compiler, tmp_path: Path, architecture: int
) -> None:
    source = tmp_path / "kernels.h"
    source.write_text(LEAN + STACKED)
    lean, shared, stacked = gpu_kernels.kernels(compiler.cubin(source, architecture))
    assert [lean.name, shared.name, stacked.name] == ["lean", "shared", "stacked"]
    assert (lean.stack_nbytes, shared.stack_nbytes) == (0, 0)
    assert stacked.stack_nbytes >= 256
    # From sm_90 on, a block has a thousand bytes of the system's as well.
    assert (lean.shared_nbytes, shared.shared_nbytes) == (0, 1024 if architecture < 90 else 2048)
    assert 4 <= lean.registers <= 32


def test_what_the_compiler_refuses_is_said(compiler: gpu_kernels.Compiler, tmp_path: Path) -> None:
    source = tmp_path / "kernels.h"
    source.write_text('extern "C" __global__ void broken(int *a) { a = unknown; }')
    with pytest.raises(SystemExit, match="unknown"):
        compiler.cubin(source, 90)
