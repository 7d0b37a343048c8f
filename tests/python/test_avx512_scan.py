"""The scan of AVX-512 kernels finds what brings vectors to branches and addresses, and nothing in sound kernels."""

from __future__ import annotations

import pytest

import avx512_scan

SOUND = """\
0000000000001000 <everlevel_math::elementwise::avx512::add_assign>:
    1000:\tmov    (%rdi),%rax
    1003:\tvpbroadcastq %rax,%zmm1
    1009:\tvpaddq (%rsi,%rcx,8),%zmm1,%zmm0
    1010:\tvpminuq %zmm1,%zmm0,%zmm0
    1016:\tvmovdqu64 %zmm0,0x40(%rsp)
    101e:\tmov    %rcx,0x40(%rsp)
    1023:\tmov    0x40(%rsp),%rdx
    1028:\tadd    $0x8,%rcx
    102c:\tcmp    %rcx,%rdx
    102f:\tjne    1009 <everlevel_math::elementwise::avx512::add_assign+0x9>
    1031:\tvcvtsi2sd %eax,%xmm0,%xmm0
    1035:\tret
"""


def findings(instruction: str, function: str = "everlevel_math::elementwise::avx512::add_assign") -> list[str]:
    lines = SOUND.replace("everlevel_math::elementwise::avx512::add_assign", function).splitlines()
    lines.insert(6, f"    1017:\t{instruction}")
    (body,) = avx512_scan.kernels(lines).values()
    return [found.kind for found in avx512_scan.scan(function, body) if not avx512_scan.is_reviewed(found)]


def test_a_sound_kernel_has_no_finding() -> None:
    assert findings("nop") == []


@pytest.mark.parametrize(
    ("instruction", "kind"),
    [
        ("kmovd  %k1,%eax", "to a general register"),
        ("vmovq  %xmm0,%rax", "to a general register"),
        ("vpextrq $0x1,%xmm0,%r10", "to a general register"),
        ("vpmovmskb %ymm0,%r8d", "to a general register"),
        ("kortestb %k1,%k1", "to the flags"),
        ("vptest %ymm0,%ymm0", "to the flags"),
        ("vucomisd %xmm0,%xmm1", "to the flags"),
        ("vpgatherqq (%rsi,%zmm2,8),%zmm3{%k1}", "addresses in a vector"),
        ("vpscatterqq %zmm3,(%rsi,%zmm2,8){%k1}", "addresses in a vector"),
        ("vpcompressq %zmm0,(%rsi){%k1}", "length of a store"),
        ("mov    0x40(%rsp),%rax", "by the stack"),
    ],
)
def test_each_way_out_of_a_vector_is_found(instruction: str, kind: str) -> None:
    assert findings(instruction) == [kind]


def test_reviewed_findings_are_those_of_their_function_alone() -> None:
    assert findings("kmovd  %k1,%eax", "everlevel_rand::sampler::uniform::compact_avx512") == []
    assert findings("kortestb %k1,%k1", "everlevel_rand::sampler::uniform::compact_avx512") == ["to the flags"]


def test_functions_of_others_and_without_wide_registers_are_no_kernels() -> None:
    assert avx512_scan.kernels(SOUND.replace("everlevel_math", "blake3").splitlines()) == {}
    assert avx512_scan.kernels(SOUND.replace("zmm", "ymm").splitlines()) == {}


@pytest.mark.parametrize(
    ("called", "count"),
    [
        ("everlevel_math::small_ntt::sweep::Sweep<F>::digits::{{closure}}", 1),
        ("everlevel_math::small_ntt::sweep::Sweep<F>::digits::{{closure}}+0x40", 1),
        ("everlevel_math::elementwise::avx512::add_assign", 0),
        ("core::panicking::panic_bounds_check", 0),
    ],
)
def test_a_call_of_a_function_without_vectors_is_found(called: str, count: int) -> None:
    lines = SOUND.splitlines()
    lines.insert(6, f"    1017:\tcall   2000 <{called}>")
    found = avx512_scan.narrow_calls(avx512_scan.kernels(lines))
    assert [finding.kind for finding in found] == ["a call without vectors"] * count
