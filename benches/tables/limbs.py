"""Key switches over limbs beside poulpy's, read from the table of docs/base2k.md, which has a machine of its own."""

from __future__ import annotations

import re
from dataclasses import dataclass

from .place import ROOT, RefusedError

PAGE = ROOT / "docs" / "base2k.md"
_HEAD = "| key switch |"
_PEER, _OURS = "poulpy, D = ", "ours: three primes of 48 bits, D = "


@dataclass(frozen=True)
class KeySwitch:
    """A key switch at N = 2^16: bits of the key and of the ciphertexts, and its time."""

    key_bits: int
    ciphertext_bits: int
    milliseconds: float


@dataclass(frozen=True)
class Pair:
    """The peer's key switch of the most bits, and our fastest for ciphertexts of at least as many."""

    ours: KeySwitch
    theirs: KeySwitch
    library: str
    place: str


def read(page: str | None = None) -> Pair:
    """Read the pair, the peer's release, and commit and machine."""
    text = PAGE.read_text(encoding="utf-8") if page is None else page
    groups: dict[str, list[KeySwitch]] = {_PEER: [], _OURS: []}
    group = ""
    for line in text[text.index(_HEAD) :].split("\n\n")[0].splitlines():
        label, bits, _, time, *_ = (cell.strip() for cell in line.strip("|").split("|"))
        # Rows below the first of a group are labelled by their digits alone.
        group = group if label.startswith("D = ") else next((name for name in groups if label.startswith(name)), "")
        if group and time:
            key, ciphertext = map(int, bits.split(", "))
            groups[group].append(KeySwitch(key, ciphertext, float(time.removesuffix(" ms"))))
    release = re.search(r"(poulpy) (\d[\d.]*\d)", text)
    measured = re.search(r"one\s+core\s+of\s+an\s+(\S+\s+\S+\s+\([^)]*\)),\s+one\s+run\s+at\s+commit\s+(\w+)", text)
    if release is None or measured is None or not all(groups.values()):
        raise RefusedError(f"tables: {PAGE.name} doesn't say of which release, machine and commit its key switches are")
    theirs = max(groups[_PEER], key=lambda one: one.ciphertext_bits)
    ours = min(
        (one for one in groups[_OURS] if one.ciphertext_bits >= theirs.ciphertext_bits),
        key=lambda one: one.milliseconds,
    )
    machine = " ".join(measured[1].split())
    return Pair(ours, theirs, " ".join(release.groups()), f"commit {measured[2]}, {machine}")
