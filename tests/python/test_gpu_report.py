"""What `make gpu-report` counts, on listings of its own, and the report itself where its compilers are installed."""

from __future__ import annotations

from pathlib import Path

import pytest

import gpu_kernels
import gpu_report

LISTING = """
//--------------------- .text.sums --------------------------
sums:
        /*0000*/                   LDC R1, c[0x0][0x28] ;
.L_x_1:
        /*0010*/                   LDG.E.U16 R2, desc[UR6][R6.64] ;
.L_x_2:
        /*0020*/                   LDG.E.U16 R2, desc[UR6][R6.64] ;
        /*0030*/                   IMAD.WIDE.U32 R6, R3, 0x4, R6 ;
        /*0040*/              @!P0 BRA `(.L_x_2) ;
        /*0050*/               @P1 BRA `(.L_x_1) ;
        /*0060*/                   EXIT ;
.L_x_3:
        /*0070*/                   BRA `(.L_x_3);
        /*0080*/                   NOP;
//--------------------- .text.copy --------------------------
copy:
        /*0000*/                   EXIT ;
        /*0010*/               @P0 NOP;
"""


def test_instructions_are_counted_without_labels_and_nop() -> None:
    code = gpu_report.instructions(LISTING)
    assert {name: gpu_report.count(lines) for name, lines in code.items()} == {"sums": 8, "copy": 1}


def test_products_are_those_of_the_innermost_loop() -> None:
    code = gpu_report.instructions(LISTING)
    assert gpu_report.per_product(code["sums"], gpu_report.Loop(r"LDG\.E\.U16", 1)) == 3
    assert gpu_report.per_product(code["sums"], gpu_report.Loop("I2F", 1)) is None


def test_a_figure_above_its_ceiling_is_named() -> None:
    assert gpu_report.too_high(90, {"forward, doubles": 16.0, "copy": 1000.0}) == []
    (fault,) = gpu_report.too_high(90, {"forward, doubles": 16.1})
    assert "sm_90" in fault
    assert gpu_report.too_high(120, {"forward, integers": 28.1})
    assert not gpu_report.too_high(90, {"forward, integers": 28.1})


@pytest.mark.parametrize(
    ("architecture", "registers", "shared_nbytes", "share"),
    [(90, 32, 1024, 1.0), (90, 64, 1024, 0.5), (90, 65, 1024, 0.375), (120, 32, 35840, 1 / 3), (86, 32, 0, 1.0)],
)
def test_occupancy_is_what_registers_and_shared_memory_leave(
    architecture: int, registers: int, shared_nbytes: int, share: float
) -> None:
    kernel = gpu_kernels.Kernel("kernel", registers, 0, shared_nbytes)
    assert gpu_report.occupancy(architecture, kernel) == pytest.approx(share)


def test_every_figure_is_below_its_ceiling(tmp_path: Path) -> None:
    """Figures of the two architectures that GPUs are predicted for; `make gpu-report` has all of them."""
    for extra in ("gpu-kernels", "gpu-report"):
        package, _, version = gpu_kernels.requirement(extra).partition("==")
        if gpu_kernels.installed(package) != version:
            pytest.skip(f"{package} {version} isn't installed: make gpu-report")
    compiler, cubins = gpu_kernels.compiler(), {}
    for architecture in sorted({gpu.architecture for gpu in gpu_report.GPUS}):
        cubins[architecture] = tmp_path / f"sm_{architecture}.cubin"
        cubins[architecture].write_bytes(compiler.cubin(gpu_kernels.headers(), "kernels.h", architecture))
    lines, faults = gpu_report.report(cubins)
    assert faults == []
    assert any("forward, doubles" in line for line in lines)
    assert any("*Predicted*" in line for line in lines)
