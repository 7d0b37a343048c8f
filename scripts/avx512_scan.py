"""Look in a program's disassembly for what AVX-512 kernels could tell of the data in their vectors.

Valgrind runs no AVX-512, so this code is not followed with marked secrets. Kernels keep data in vector and mask
registers; branches, divisions and addresses are computed in general registers. So none of these depends on vectors
unless an instruction brings them to a general register or to the flags, by a move, a comparison, or the stack; or
unless vectors are addresses themselves. Each of these is a finding. Reviewed ones are listed below with their reasons.

A kernel that calls a function of ours without vectors is another finding: work that should have been compiled for its
vectors was not, and is some eight times as slow.

What a kernel loads with scalar instructions is not followed: pointers, lengths, moduli and factors, and the data of
loops for what is left of a whole vector, which are the portable backend's, compiled again. Lengths of rings leave none.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

_FUNCTION = re.compile(r"^[0-9a-f]+ <(.*)>:$")
_INSTRUCTION = re.compile(r"^\s+[0-9a-f]+:\t(?:(?:rep|repz|lock|data16|cs|bnd|notrack) )*(\S+)\s*([^#]*)")
_OURS = re.compile(r"\beverlevel_(math|rand|ring|rlwe|limbs|ckks|binfhe|bfv)::")
_WIDE = re.compile(r"%zmm|%k[0-7]\b")
_GENERAL = r"%(?:r(?:[a-ds][xipl]|[0-9]+[dwb]?)|e[a-ds][xip]|[a-d][xl]|[sd]il?|r[sd]i|e[sd]i)\b"
_TO_GENERAL = re.compile(r"^(vmov[dq]$|vpextr|v?p?movmsk|kmov|vcvtt?s[dsh]2u?si)")
_TO_FLAGS = re.compile(r"^(kortest|ktest|v?ptest|vtestp|vu?comis)")
_BY_VECTOR = re.compile(r"^v?p?(gather|scatter)")
_STACK = re.compile(r"(-?0x[0-9a-f]+)?\(%r[sb]p\)")
_SCALAR = re.compile(r"^(mov|add|sub|and|or|xor|cmp|test|imul|mul|div|idiv)")
_BRANCH = re.compile(r"^j(?!mp)")
_CALLED = re.compile(r"<(.*?)(?:\+0x[0-9a-f]+)?>$")

# What was looked at: a part of the function's name, the kind of finding, and why it tells nothing of secrets.
REVIEWED = (
    ("fft::operation::run_avx512", "a call without vectors", "a product with a monomial chooses its own backend"),
    ("inner_product::avx512", "by the stack", "products of public digits with evaluation keys"),
    ("convert::avx512::weighted_sum", "by the stack", "a length for a panic, in a place that vectors take elsewhere"),
    ("gaussian::invert_avx512", "to a general register", "a count of tails, which is added to memory alone"),
    ("fft::operation::run_avx512", "by the stack", "transforms of ciphertexts and evaluation keys, which are public"),
    ("small_ntt::operation::run_avx512", "by the stack", "steps of rotations, of ciphertexts and evaluation keys"),
    ("small_ntt::operation::run_avx512", "addresses in a vector", "roots at exponents of ciphertexts"),
    ("small_ntt::operation::run_avx512", "to a general register", "constants of a plan, as integers"),
    ("small_ntt::operation::run_avx512", "to the flags", "constants of a plan, as integers"),
    (
        "sampler::uniform",
        "length of a store",
        "masks are public; how many words are kept is not hidden",
    ),
    (
        "base2k::words::step_avx512",
        "to a general register",
        "carries of what is left of a vector: they are added, and stored",
    ),
    ("sampler::uniform", "to a general register", "as above: the count of words that were kept"),
    ("monomial::gather_avx512", "addresses in a vector", "multiples of an automorphism's element, which is public"),
    ("monomial::gather_avx512", "to the flags", "to a mask, in fact: signs by the same multiples"),
)


@dataclass(frozen=True)
class Finding:
    """An instruction that brings data where a branch, a division or an address could use them."""

    function: str
    kind: str
    instruction: str

    def __str__(self) -> str:
        return f"{self.function}: {self.kind}: {self.instruction}"


def operands(text: str) -> list[str]:
    """Split operands at the commas outside of parentheses."""
    return [part.strip() for part in re.split(r",(?![^(]*\))", text) if part.strip()]


def scan(function: str, instructions: list[tuple[str, str]]) -> list[Finding]:
    """Find what a kernel's instructions bring from vectors to general registers, flags and addresses."""
    found = []
    # Places on the stack whose last writer, in the order of the code, was a whole vector.
    spilled: set[str] = set()
    for name, text in instructions:
        parts = operands(text)
        kind = None
        if _TO_FLAGS.match(name):
            kind = "to the flags"
        elif _TO_GENERAL.match(name) and parts and _is_general(parts[-1]) and not _is_general(parts[0]):
            kind = "to a general register"
        elif _BY_VECTOR.match(name):
            kind = "addresses in a vector"
        elif name.startswith("vpcompress") and "(" in parts[-1]:
            kind = "length of a store"
        elif _SCALAR.match(name) and any(part in spilled for part in parts[:-1]):
            kind = "by the stack"
        if kind is not None:
            found.append(Finding(function, kind, f"{name} {text.strip()}"))
        if parts and _STACK.fullmatch(parts[-1]):
            (spilled.add if name.startswith("vmov") and parts[0].startswith("%zmm") else spilled.discard)(parts[-1])
    return found


def _is_general(operand: str) -> bool:
    return re.fullmatch(_GENERAL, operand) is not None


def is_reviewed(finding: Finding) -> bool:
    """Whether the list above has the finding."""
    return any(part in finding.function and kind == finding.kind for part, kind, _ in REVIEWED)


def narrow_calls(found: dict[str, list[tuple[str, str]]]) -> list[Finding]:
    """Find what kernels call of ours that is none."""
    calls = []
    for function, body in found.items():
        for name, text in body:
            called = _CALLED.search(text.strip()) if name.startswith("call") else None
            if called is not None and _OURS.search(called[1]) and called[1] not in found:
                calls.append(Finding(function, "a call without vectors", f"{name} {called[1]}"))
    return calls


def kernels(disassembly: Iterable[str]) -> dict[str, list[tuple[str, str]]]:
    """Give our functions that use AVX-512's registers, with their instructions."""
    functions: dict[str, list[tuple[str, str]]] = {}
    instructions: list[tuple[str, str]] = []
    for line in disassembly:
        if (head := _FUNCTION.match(line)) is not None:
            # Copies of a generic function have the same name, and are looked at together.
            instructions = functions.setdefault(head[1], [])
        elif (match := _INSTRUCTION.match(line)) is not None:
            instructions.append((match[1], match[2]))
    wide = {name: body for name, body in functions.items() if any(_WIDE.search(text) for _, text in body)}
    return {name: body for name, body in wide.items() if _OURS.search(name)}


def main(program: str) -> int:
    """Scan a program, and return the exit status."""
    command = ["objdump", "--disassemble", "--demangle", "--no-show-raw-insn", program]
    disassembly = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    found = kernels(disassembly)
    findings = [finding for name, body in found.items() for finding in scan(name, body)] + narrow_calls(found)
    new = [finding for finding in findings if not is_reviewed(finding)]
    for finding in new:
        print(finding)
    counts = Counter(
        "branches" if _BRANCH.match(name) else "divisions" if "div" in name and name[0] != "v" else "other"
        for body in found.values()
        for name, _ in body
    )
    if not found:
        print(f"secrets: avx512: {program} has no kernel: was it built with symbols?")
        return 1
    print(
        f"secrets: avx512: {len(found)} kernels, {counts['branches']} branches, {counts['divisions']} divisions; "
        f"{len(findings) - len(new)} reviewed findings, {len(new)} others"
    )
    return 1 if new else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
