"""`scripts/prose_width.py` finds every line of prose that is too long and can be broken, and fills it."""

from __future__ import annotations

import re

import pytest

from prose_width import WIDTH, filled, overlong

WORDS = " ".join(["word"] * 30)  # 149 columns
MARKDOWN = f"# Title\n\nShort.\n{WORDS}\n{WORDS}\n\n- item\n  {WORDS}\n"
RUST = f"//! {WORDS}\n\n/// Short.\n///\n/// {WORDS}\n/// and {WORDS}\nfn f() {{}}\n    // {WORDS}\n"


@pytest.mark.parametrize(
    ("text", "suffix", "lines"), [(MARKDOWN, ".md", [4, 5, 8]), (RUST, ".rs", [1, 5, 6, 8])], ids=["Markdown", "Rust"]
)
def test_every_long_line_is_listed_once_and_filled(text: str, suffix: str, lines: list[int]) -> None:
    found = overlong(text, suffix)
    assert [number for number, _ in found] == lines
    assert all(width == len(text.split("\n")[number - 1]) > WIDTH for number, width in found)
    after = filled(text, suffix)
    assert overlong(after, suffix) == []
    assert max(map(len, after.split("\n"))) <= WIDTH
    assert re.findall(r"\w+", after) == re.findall(r"\w+", text)
    assert filled(after, suffix) == after


def test_paragraphs_that_fit_stay_as_they_are() -> None:
    text = "One\ntwo\n\n* three\n  four\n\n    code\n"
    assert filled(text, ".md") == text
    comments = "/// One\n/// two\nfn f() {}\n\n//! Three\n//!\n//! four\n"
    assert filled(comments, ".rs") == comments


@pytest.mark.parametrize(
    "line",
    [
        f"| {WORDS} |",
        f"## {WORDS}",
        f"```text\n{WORDS}\n```",
        f"    {WORDS}",
        f"<p>{WORDS}</p>",
        "w" * 150,
        f"`{WORDS}`",
        f"[{WORDS}](https://example.org)",
    ],
)
def test_what_cannot_be_broken_is_left(line: str) -> None:
    assert overlong(f"Text.\n\n{line}\n", ".md") == []
    assert filled(f"Text.\n\n{line}\n", ".md") == f"Text.\n\n{line}\n"


def test_code_is_no_prose() -> None:
    text = f'fn f() {{ let _ = "{WORDS}"; }} // {WORDS}\n'
    assert overlong(text, ".rs") == []
    assert filled(text, ".rs") == text


def test_a_list_item_continues_below_its_text_and_no_line_begins_a_list() -> None:
    lines = filled(f"- {'a' * 112} 1. - {WORDS}\n", ".md").split("\n")
    assert len(lines) > 2
    assert all(line.startswith("  ") and line.split()[0] not in ("1.", "-") for line in lines[1:-1])
