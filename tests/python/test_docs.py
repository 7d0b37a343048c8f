"""Every Python block of the documentation runs, in the order of its page."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"(?:<!-- (?P<mark>[\w-]+) -->\n)?```python\n(?P<code>.*?)```", re.DOTALL)


def blocks(page: Path) -> list[tuple[str | None, str]]:
    return [(found["mark"], found["code"]) for found in BLOCK.finditer(page.read_text(encoding="utf-8"))]


def run(page: Path, *, full_size: bool) -> None:
    names: dict[str, object] = {"__name__": page.stem}
    for mark, code in blocks(page):
        if (mark == "full-size") == full_size:
            exec(compile(code, str(page), "exec"), names)


SMALL = [page for page in PAGES if any(mark != "full-size" for mark, _ in blocks(page))]
LARGE = [page for page in PAGES if any(mark == "full-size" for mark, _ in blocks(page))]


@pytest.mark.parametrize("page", SMALL, ids=lambda page: str(page.relative_to(ROOT)))
def test_small_blocks(page: Path) -> None:
    run(page, full_size=False)


@pytest.mark.full_size
@pytest.mark.parametrize("page", LARGE, ids=lambda page: str(page.relative_to(ROOT)))
def test_full_size_blocks(page: Path) -> None:
    run(page, full_size=True)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text(encoding="utf-8")):
        if not target.startswith(("http:", "https:")):
            assert (page.parent / target).exists(), target
