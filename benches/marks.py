"""Measured tables that programs write into pages, between a pair of marks."""

from __future__ import annotations

from pathlib import Path


def replace_marked(path: Path, mark: str, text: str) -> None:
    """Replace what stands between a page's lines ``<!-- MARK begin…`` and ``<!-- MARK end -->``."""
    page = path.read_text(encoding="utf-8")
    before, begin, rest = page.partition(f"<!-- {mark} begin")
    line, _, rest = rest.partition("\n")
    _, end, after = rest.partition(f"<!-- {mark} end -->")
    if not (begin and end):
        raise SystemExit(f"{path} has no marks of {mark!r}")
    path.write_text(f"{before}{begin}{line}\n{text.strip()}\n{end}{after}", encoding="utf-8")
    print(f"{path} written")
