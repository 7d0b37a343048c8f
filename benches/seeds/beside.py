"""Tables that set published figures of NTRU, limbs, half products and new keys beside what programs here print."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from tables.pages import NOT_MEASURED, digits, markdown
from tables.place import ROOT, Store

from everlevel._bench import Row

from .examples import TURNS
from .published import document

ACCELERATOR = ROOT / "docs" / "accelerator.md"
"""Where the accelerator's clocks stand, which a simulation counts and no run of this command does."""
_TAKES = re.compile(r"([\d.]+) µs at the assumed clock \([^)]*\), ([\d.]+) µs for `gate-64-solinas`; ([\d.]+) µs for")


SOURCES = {
    "ntru/published": ("ntru/gates", "ntru/automorphisms"),
    "limbs/published": ("limbs/decompositions",),
    "limbs/depth-30": ("limbs/decompositions",),
    "half-products/published": ("half-products",),
    "new-keys/published": ("new-keys/sets",),
    "new-keys/tfhe-rs": tuple(turns.key for turns in TURNS if turns.key.startswith("tfhe-rs/new-keys")),
}
"""The rows that each table mainly is of, by its mark's name."""


def texts(store: Store) -> dict[str, str]:
    """Write every table, by its marks' names."""
    return {
        "ntru/published": ntru(store),
        "limbs/published": limbs(store),
        "limbs/depth-30": depth_30(store),
        "half-products/published": half_products(store),
        "new-keys/published": new_keys(store),
        "new-keys/tfhe-rs": new_keys_by_tfhe_rs(store),
    }


def figure(store: Store, key: str, name: str) -> float | None:
    """Read a figure that a row's program printed."""
    figures: Row = store.rows.get(key, {}).get("figures", {})
    return figures.get(name)


def least(store: Store, group: str, library: str, name: str = "") -> float | None:
    """Read the milliseconds of the fastest call that is named so, of turns that tfhe-rs took with this library."""
    calls = store.rows.get(f"tfhe-rs/{group}", {}).get("calls", [])
    own = [call["least"] for call in calls if call["library"] == library and (not name or call["name"] == name)]
    return min(own, default=None)


def ratio(above: float | None, below: float | None, form: str = "{:.2f}") -> str:
    """Write how many times one is the other."""
    return NOT_MEASURED if above is None or below is None else form.format(above / below)


def told(value: float | None, factor: float = 1.0) -> str:
    """Write a figure in another unit."""
    return NOT_MEASURED if value is None else digits(value * factor)


def accelerator() -> tuple[float, ...]:
    """Read the accelerator's microseconds: with 640 coefficients, of ``gate-64-solinas``, and by one-hot blocks."""
    found = _TAKES.search(ACCELERATOR.read_text(encoding="utf-8"))
    if found is None:
        raise SystemExit(f"{ACCELERATOR.name} doesn't say what a gate takes")
    return tuple(map(float, found.groups()))


def ntru(store: Store) -> str:
    """Set the claims of NTRU's abstract beside what is here."""
    claims = document()["ntru"]
    gate = figure(store, "ntru/gates", "ntru-gate-64/alone")
    batch = figure(store, "ntru/gates", "ntru-gate-64/each")
    blocks = figure(store, "ntru/gates", "ntru-gate-64-blocks-experimental/alone")
    saved = figure(store, "ntru/automorphisms", f"saved/{claims['automorphisms_dimension']}")
    fpt = claims["fpt_microseconds"]
    plain, solinas, by_blocks = accelerator()
    milliseconds = claims["bootstrap_milliseconds"]
    rows = [
        [
            "a bootstrap on one thread, ms",
            f"{milliseconds}",
            f"`gate-64` {told(gate, 1e3)}; each of 64 {told(batch, 1e3)}; `gate-64-blocks-experimental` "
            f"{told(blocks, 1e3)}",
            ratio(milliseconds * 1e-3, gate, "{:.1f} times as fast"),
        ],
        [
            "times as fast as tfhe-rs",
            f"{claims['times_tfhe_rs']}",
            ratio(least(store, "gate-64", "tfhe-rs"), least(store, "gate-64", "everlevel", "ntru-gate-64")),
            "in turns with tfhe-rs' fastest gate",
        ],
        [
            "fewer automorphisms than XZD+23",
            f"{100 * claims['automorphisms_saved']:.0f} %",
            NOT_MEASURED if saved is None else f"{100 * saved:.0f} %",
            f"one sweep, window 10, {claims['automorphisms_dimension']} coefficients: our reading of the abstract",
        ],
        [
            "accelerator, times FPT's throughput",
            f"{claims['accelerator_times_fpt']:.0f}",
            f"**{fpt / plain:.1f}**; `gate-64-solinas` {fpt / solinas:.1f}; one-hot blocks {fpt / by_blocks:.1f}",
            f"{plain} µs of clocks counted by simulation, at 250 MHz that are *assumed*, to {fpt:.0f} µs on a U280",
        ],
    ]
    return markdown(("claim", "published", "here", "of what"), rows)


KINDS = {
    "hybrid": "residues, hybrid, best number of digits",
    "klss": "residues, KLSS, best number of digits",
    "doubles": "limbs, doubles, K = 19",
    "primes": "limbs, modulo primes (published: four of 30 bits, K = 52; here: three of 48)",
}
CELLS = {
    "switch/16": "key switch, N = 2^16, 1729 bits",
    "switch/15": "N = 2^15, 865 bits",
    "automorphism/16": "automorphism, N = 2^16",
    "product/16": "CKKS product, N = 2^16",
}


def limbs(store: Store) -> str:
    """Set the talk's table of key switches, automorphisms and products beside ours, cell by cell."""
    published = document()["limbs"]["seconds"]

    def cells(kind: str) -> list[str]:
        row = [KINDS[kind]]
        for cell in CELLS:
            theirs = published[kind][cell]
            ours = figure(store, "limbs/decompositions", f"{kind}/{cell}")
            bits = figure(store, "limbs/decompositions", f"{kind}/{cell}/bits")
            here = told(ours, 1e3) if ours is None or bits is None else f"**{told(ours, 1e3)}**; {bits:.0f} bits"
            row += ["; ".join(f"{1e3 * seconds:.0f}" for seconds in theirs), here]
            row.append("; ".join(ratio(seconds, ours, "{:.1f}") for seconds in theirs) if ours else "–")
        return row

    titles = ["milliseconds"]
    for title in CELLS.values():
        titles += [f"{title}: n2; i7", "here", "times as fast"]
    return markdown(titles, (cells(kind) for kind in KINDS))


def depth_30(store: Store) -> str:
    """Set the talk's three times for depth 30 beside the faster of both transforms."""
    rows = []
    for operation, seconds in document()["limbs"]["depth_30"].items():
        found = [figure(store, "limbs/decompositions", f"{kind}/{operation}/16") for kind in ("doubles", "primes")]
        ours = min((one for one in found if one is not None), default=None)
        rows.append([operation, f"{seconds}", told(ours), ratio(seconds, ours, "{:.1f}")])
    return markdown(("over limbs, N = 2^16", "published, s", "here, s", "times as fast"), rows)


def half_products(store: Store) -> str:
    """Set the talk's gates by full and by half products beside ours, and tfhe-rs on this machine beside its own."""
    published = document()["half_products"]
    of_transforms = {8: "full products, 8 transforms", 7: "half products, 7", 6: "half products, 6"}
    ours = {count: figure(store, "half-products", f"insecure-tfhe-lib/{count}") for count in of_transforms}
    theirs = {8: published["full"], 7: published["half"], 6: None}
    rows = []
    for count, name in of_transforms.items():
        times = theirs[count]
        beside = "–" if times is None else "; ".join(f"{one:.1f}" for one in times)
        gained = "–" if times is None else "; ".join(ratio(*pair) for pair in zip(theirs[8], times, strict=True))
        rows.append([name, beside, gained, told(ours[count], 1e3), ratio(ours[8], ours[count])])
    for key, name, group in (
        ("tfhe_rs_same", "tfhe-rs, the 2016 library's parameters", "insecure-tfhe-lib"),
        ("tfhe_rs_own", "tfhe-rs, its own", "gate-64"),
    ):
        avx2, avx512 = published[key]["avx2"], published[key]["avx512"]
        beside = f"{avx2[0]:.1f} (AVX-512 {avx512:.1f}); {avx2[1]:.1f}"
        rows.append([name, beside, "–", told(least(store, group, "tfhe-rs")), "–"])
    titles = ("milliseconds", "a gate: n2; i7", "full to this", "a rotation here, tfhe-rs' a gate", "full to this")
    return markdown(titles, rows)


def between(pair: Sequence[float]) -> str:
    """Write an interval."""
    return f"{pair[0]} to {pair[1]}"


def new_keys(store: Store) -> str:
    """Set speed-ups and reductions of keys of the paper's sets beside ours, by bits of messages."""
    published = document()["new_keys"]
    rows = [
        [
            "published, from – to", between(published["shared"]), "", between(published["partial"]), "",
            "", "", between(published["keys"]), "",
        ]
    ]  # fmt: skip
    for bits in range(1, 12):
        row = [str(bits)]
        for kind in ("chain", "transforms"):
            row += [f"{published[f'{kind}_time'][bits - 1]:.2f}", gained(store, bits, kind)]
        for kind in ("chain", "transforms"):
            row += [f"{published[f'{kind}_key'][bits - 1]:.2f}", of_classic(store, bits, kind, "words")]
        rows.append(row)
    titles = (
        "bits", "chain, time ÷: model", "here: alone, in a batch", "by transforms, time ÷: model",
        "here: alone, in a batch", "chain, key ÷: published", "here", "by transforms, key ÷: published", "here",
    )  # fmt: skip
    return markdown(titles, rows)


def of_classic(store: Store, bits: int, kind: str, name: str) -> str:
    """Write how many times the classic set's figure is that of another one."""
    classic, other = (figure(store, "new-keys/sets", f"{bits}/{one}/{name}") for one in ("classic", kind))
    return ratio(classic, other)


def gained(store: Store, bits: int, kind: str) -> str:
    """Write how much faster than the classic set one is: tables, or a rotation over a repeated part of its key."""
    rotation, alone, each = (of_classic(store, bits, kind, name) for name in ("rotation", "alone", "each"))
    if rotation != NOT_MEASURED:
        return f"{rotation}, a rotation alone, of a part of its key"
    return alone if alone == NOT_MEASURED else f"{alone}, {each}"


def new_keys_by_tfhe_rs(store: Store) -> str:
    """Set the authors' sets by tfhe-rs' algorithms beside ours, in turns."""
    rows: list[list[str]] = []
    for bits in range(1, 9):
        row = [str(bits)]
        for kind in ("Classic", "Chain", "Transforms"):
            name = f"{bits} bits, {kind}"
            pair: list[Any] = [least(store, f"new-keys-{bits}", library, name) for library in ("tfhe-rs", "everlevel")]
            row += [told(pair[0]), told(pair[1]), ratio(*pair)]
        rows.append(row)
    titles = ["bits"]
    for kind in ("classic", "chain", "by transforms"):
        titles += [f"{kind}: tfhe-rs, ms", "here", "times as fast"]
    return markdown(titles, rows)
