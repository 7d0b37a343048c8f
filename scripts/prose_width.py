"""Check that lines of prose fit 120 columns: comments of Rust and Python, and Markdown. With --fix, fill those that don't.

What can't be broken is left as it is: tables, code blocks, headings, links, HTML, and words longer than a line.
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


def main(arguments: list[str]) -> int:
    """Check or fix every tracked file, and return the exit status."""
    fixes = "--fix" in arguments
    listed = subprocess.run(["git", "ls-files", "*.rs", "*.md", "*.py"], capture_output=True, text=True, check=True)
    found = 0
    for path in map(Path, listed.stdout.split()):
        if not path.exists():
            continue
        lines = path.read_text().split("\n")
        if fixes:
            filled = _filled(path, lines)
            if filled != lines:
                path.write_text("\n".join(filled))
                lines = filled
        for number, line in _prose(path, lines):
            if len(line) > WIDTH:
                found += 1
                print(f"{path}:{number}: {len(line)} columns, prose has {WIDTH}; run scripts/prose_width.py --fix")
    return min(found, 1)


def _prose(path: Path, lines: list[str]) -> Iterator[tuple[int, str]]:
    """Every line that could have been broken, numbered from one."""
    for index, line in enumerate(_filled(path, lines)):
        # What filling leaves long has no place to break, but its own first word.
        if len(line) > WIDTH and index < len(lines) and line == lines[index]:
            continue
        if index < len(lines) and line != lines[index]:
            yield index + 1, max(lines[index:], key=len)
            return


def _filled(path: Path, lines: list[str]) -> list[str]:
    if path.suffix == ".md":
        return _fill_markdown(lines, "")
    if path.suffix == ".py":
        return lines
    out: list[str] = []
    for head, block in groupby(lines, _comment_head):
        if head is None:
            out += block
        else:
            contents = [(_COMMENT.match(line) or _unreachable())[4] for line in block]
            filled = _fill_markdown(contents, head + " ")
            out += [line.rstrip() if line.strip() == head.strip() else line for line in filled]
    return out


def _comment_head(line: str) -> str | None:
    match = _COMMENT.match(line)
    return match[1] + match[2] if match and (match[3] or not match[4]) else None


def _fill_markdown(lines: list[str], head: str) -> list[str]:
    out: list[str] = []
    paragraph: list[str] = []
    fenced = False

    def flush() -> None:
        out.extend(_fill_paragraph(paragraph, head))
        paragraph.clear()

    for line in lines:
        fence = line.lstrip().startswith(("```", "~~~"))
        if fence or fenced or not line.strip() or _VERBATIM.match(line) or (line.startswith("    ") and not paragraph):
            flush()
            out.append(head + line)
            fenced ^= fence
            continue
        if _ITEM.match(line):
            flush()
        paragraph.append(line)
    flush()
    return out


def _fill_paragraph(lines: list[str], head: str) -> list[str]:
    if all(len(head + line) <= WIDTH for line in lines):
        return [head + line for line in lines]
    item = _ITEM.match(lines[0])
    first = item[0] if item else (re.match(r"\s*", lines[0]) or _unreachable())[0]
    rest = " " * len(first)
    words = [word for line in [lines[0][len(first) :], *lines[1:]] for word in _WORD.findall(line)]
    out, current = [], head + first
    empty = True
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
