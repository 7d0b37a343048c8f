"""The accelerator's blocks, drawn from its parameters."""

from __future__ import annotations

from cells import Shape

STYLE = """
  text { font: 13px sans-serif; fill: #1b1b1b; text-anchor: middle }
  .small { font-size: 11px; fill: #555 }
  rect { fill: #fff; stroke: #3b5b8c; stroke-width: 1.5; rx: 5 }
  .memory { fill: #eef3fa }
  path { stroke: #444; stroke-width: 1.5; fill: none; marker-end: url(#tip) }
""".strip()


def drawn(shape: Shape) -> str:
    """An SVG picture."""
    s, n, p = shape, 1 << shape.log_n, 1 << shape.log_p
    clocks, sums = s.clocks, s.switch_polys * s.switch_degree
    butterflies = s.log_n * p // 2
    switch_key = sums * 32 * s.switch_clocks / 8 / 2**20
    boxes = {
        "linear": (20, 20, 170, "linear part", "two words a clock in", "plain"),
        "digits": (20, 90, 170, "digits", f"2 ciphertexts, {s.switch_digits} each", "memory"),
        "switch": (
            20,
            160,
            170,
            "key switch",
            f"{sums} sums of {s.switch_degree}, {s.switch_clocks} clocks",
            "plain",
        ),
        "switch_key": (20, 230, 170, "its key", f"{switch_key:.1f} MiB on chip", "memory"),
        "modulus": (220, 160, 150, "modulus switch", f"to {2 * n} exponents", "plain"),
        "exponents": (220, 90, 150, "exponents", f"2 batches of {s.slots}", "memory"),
        "table": (400, 20, 150, "table", "±1/8 by the body", "plain"),
        "acc": (400, 230, 150, "accumulators", f"{s.slots} × {clocks} words of {20 * p} bits", "memory"),
        "decompose": (600, 20, 180, "decomposer", f"{p} residues, {s.digits} digits of {s.log2_base} bits", "plain"),
        "forward": (
            810,
            20,
            190,
            f"{s.digits} forward transforms",
            f"{butterflies} butterflies, {s.transform} clocks each",
            "plain",
        ),
        "mac": (810, 125, 190, "multiply-accumulate", f"{s.digits} × {p} products", "plain"),
        "inverse": (810, 230, 190, "inverse transform", f"{butterflies} butterflies, {s.transform} clocks", "plain"),
        "powers": (400, 90, 150, "powers of the root", f"{p // 2 * ((s.exponents + 1) // 2)} tables of {n}", "memory"),
        "bundle": (
            600,
            125,
            180,
            f"bundle of {s.keys} keys",
            f"{s.bundle_products} × {s.digits} × {p} products",
            "plain",
        ),
        "keys": (400, 160, 150, "key streamer", f"2 steps of {s.step_key_bytes // 1024} KiB", "memory"),
        "extract": (600, 230, 180, "extraction", "torus words, one a clock out", "memory"),
    }
    arrows = [
        "M105 60 V90",
        "M105 130 V160",
        "M105 230 V200",
        "M190 180 H220",
        "M295 160 V130",
        "M370 100 H385 V40 H400",
        "M370 110 H400",
        "M550 40 H600",
        "M780 40 H810",
        "M905 60 V125",
        "M550 110 H562 V140 H600",
        "M550 180 H562 V155 H600",
        "M780 145 H810",
        "M905 165 V230",
        "M810 250 H780",
        "M905 270 V290 H475 V270",
        "M550 240 H580 V50 H600",
    ]
    body = []
    for x, y, width, title, note, kind in boxes.values():
        body.append(f'<rect class="{kind}" x="{x}" y="{y}" width="{width}" height="40"/>')
        body.append(f'<text x="{x + width // 2}" y="{y + 17}">{title}</text>')
        body.append(f'<text class="small" x="{x + width // 2}" y="{y + 32}">{note}</text>')
    body += [f'<path d="{arrow}"/>' for arrow in arrows]
    title = f"N = {n}, P = {p}, {s.digits} digits, n = {s.lwe_dim}: {s.slots} ciphertexts in turns of {clocks} clocks"
    body.append(f'<text x="510" y="320">{title}</text>')
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1020 335" role="img" '
        'aria-label="Blocks of the accelerator">\n'
        f"<style>\n  {STYLE}\n</style>\n"
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        '<polygon points="0,0 8,4 0,8" fill="#444"/></marker></defs>\n'
        '<rect x="0" y="0" width="1020" height="335" style="stroke:none"/>\n' + "\n".join(body) + "\n</svg>\n"
    )
