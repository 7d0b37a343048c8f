"""Check that lines of prose fit 120 columns: comments of Rust, and Markdown. With --fix, fill those that don't.

What can't be broken is left as it is: tables, code blocks, headings, links, HTML, and words longer than a line.
Ruff checks Python's lines.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

WIDTH = 120
_COMMENT = re.compile(r"^(\s*)(///|//!|//)( ?)(.*)$")
_ITEM = re.compile(r"^(\s*)([-*+]|\d+[.)])(\s+)")
# A code span or the text of a link stays in one piece; so does what would begin a list, a heading or a quote.
_WORD = re.compile(r"(?:`+[^`]*`+|\[[^\]]*\](?:\([^)]*\))?|\S)+")
_MARK = re.compile(r"^([-*+#>=|]+|\d+[.)])$")
_VERBATIM = re.compile(r"^\s*(\||#|<|>|:::|!!!|\[[^\]`]+\]:|---|===|\$\$)")

# A few lines of a file as they stand, and as they are after filling: the same lines if they fit, or can't be broken.
_Piece = tuple[list[str], list[str]]


def main(arguments: list[str]) -> int:
    """Check or fix every tracked file, and return the exit status."""
    listed = subprocess.run(["git", "ls-files", "*.rs", "*.md"], capture_output=True, text=True, check=True)
    found = 0
    for path in filter(Path.exists, map(Path, listed.stdout.split())):
        text = path.read_text(encoding="utf-8")
        if "--fix" in arguments:
            # A file that isn't changed stays as old as it is: its crate isn't built again.
            if (after := filled(text, path.suffix)) != text:
                path.write_text(after, encoding="utf-8")
            continue
        for number, width in overlong(text, path.suffix):
            found += 1
            print(f"{path}:{number}: {width} columns, prose has {WIDTH}; run scripts/prose_width.py --fix")
    return min(found, 1)


def overlong(text: str, suffix: str) -> list[tuple[int, int]]:
    """List the lines of prose that are too long and could be broken: their numbers, from one, and their widths."""
    found, number = [], 1
    for before, after in _pieces(text.split("\n"), suffix):
        if before != after:
            found += [(number + index, len(line)) for index, line in enumerate(before) if len(line) > WIDTH]
        number += len(before)
    return found


def filled(text: str, suffix: str) -> str:
    """Return the text of a file with this suffix, with its too long paragraphs filled."""
    return "\n".join(line for _, after in _pieces(text.split("\n"), suffix) for line in after)


def _pieces(lines: list[str], suffix: str) -> Iterator[_Piece]:
    """Split the file into pieces: paragraphs, and single lines of what is no prose."""
    if suffix == ".md":
        yield from _markdown(lines, "")
        return
    for head, group in groupby(lines, _comment_head):
        block = list(group)
        if head is None:
            yield block, block
        else:
            contents = [line[len(head) :].removeprefix(" ") for line in block]
            for before, after in _markdown(contents, head + " "):
                yield [line.rstrip() for line in before], [line.rstrip() for line in after]


def _comment_head(line: str) -> str | None:
    match = _COMMENT.match(line)
    return match[1] + match[2] if match and (match[3] or not match[4]) else None


def _markdown(lines: list[str], head: str) -> Iterator[_Piece]:
    """Split Markdown into pieces, each line with `head` before it."""
    paragraph: list[str] = []
    fenced = False
    for line in lines:
        fence = line.lstrip().startswith(("```", "~~~"))
        indented = line.startswith("    ") and not paragraph
        verbatim = fence or fenced or indented or not line.strip() or bool(_VERBATIM.match(line))
        if verbatim or _ITEM.match(line):
            yield _piece(paragraph, head)
            paragraph = []
        if verbatim:
            yield [head + line], [head + line]
        else:
            paragraph.append(line)
        fenced ^= fence
    yield _piece(paragraph, head)


def _piece(lines: list[str], head: str) -> _Piece:
    """Put `head` before a paragraph's lines, and fill them if one is too long."""
    before = [head + line for line in lines]
    return before, before if all(len(line) <= WIDTH for line in before) else _fill(lines, head)


def _fill(lines: list[str], head: str) -> list[str]:
    item = _ITEM.match(lines[0])
    first = item[0] if item else (re.match(r"\s*", lines[0]) or _unreachable())[0]
    rest = " " * len(first)
    words = [word for line in [lines[0][len(first) :], *lines[1:]] for word in _WORD.findall(line)]
    out, current, empty = [], head + first, True
    for word, after in zip(words, [*words[1:], ""], strict=True):
        unbreakable = word + " " + after if _MARK.match(after) else word
        if not empty and len(current) + 1 + len(unbreakable) > WIDTH and not _MARK.match(word):
            out.append(current)
            current, empty = head + rest, True
        current += word if empty else " " + word
        empty = False
    return [*out, current]


def _unreachable() -> re.Match[str]:
    raise AssertionError("every string matches")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
