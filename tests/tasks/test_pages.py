"""The pages of tasks: short programs, each with a picture. `test_docs` runs them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGES = sorted((DOCS / "tasks").glob("*.md"))
MOST_LINES = 25


def test_there_are_twelve() -> None:
    assert len(PAGES) == 12
    assert {picture.stem for picture in (DOCS / "images" / "tasks").iterdir()} == {page.stem for page in PAGES}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_is_short_and_has_its_picture(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    program = re.findall(r"```python\n(.*?)```", text, re.DOTALL)[0]
    assert len([line for line in program.splitlines() if line]) <= MOST_LINES
    assert "assume_bound" not in program
    assert all("bound=" in line for line in program.splitlines() if "engine.encrypt(" in line)
    assert f"](../images/tasks/{page.stem}.png)" in text
