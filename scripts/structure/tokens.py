"""Tokens of Rust source, without comments: enough of the language to find items, imports, paths and names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_TOKEN = re.compile(
    r"""
    (?P<comment>//[^\n]*|/\*.*?\*/)
  | (?P<text>b?r(?P<hashes>\#*)".*?"(?P=hashes)|[bc]?"(?:\\.|[^"\\])*")
  | (?P<char>b?'(?:\\[^']+|\\'|[^'\\\n])')
  | (?P<lifetime>'[A-Za-z_]\w*)
  | (?P<name>(?:r\#)?[A-Za-z_]\w*)
  | (?P<number>\d\w*)
  | (?P<sign>::|->|=>|\S)
    """,
    re.VERBOSE | re.DOTALL,
)
_OPEN, _CLOSE = frozenset("([{"), frozenset(")]}")


@dataclass(frozen=True)
class Token:
    """One token: its text, the group of `_TOKEN` that it matched, and its line, counted from one."""

    text: str
    kind: str
    line: int


def tokens(source: str) -> list[Token]:
    """Split the source into tokens but for comments; a string's text keeps its quotes."""
    out, line, end = [], 1, 0
    for match in _TOKEN.finditer(source):
        line += source.count("\n", end, match.start())
        end = match.start()
        kind = match.lastgroup or "sign"
        if kind != "comment":
            out.append(Token(match[0].removeprefix("r#") if kind == "name" else match[0], kind, line))
    return out


def names(source: str) -> set[str]:
    """Return every name in the source's code."""
    return {token.text for token in tokens(source) if token.kind == "name"}


def example_code(source: str) -> str:
    """Return the code blocks of the documentation comments, which rustdoc runs as tests of the public interface."""
    lines = re.findall(r"^\s*//[/!] ?(.*)$", source, re.MULTILINE)
    code, inside = [], False
    for line in lines:
        if line.startswith("```"):
            inside = not inside
        elif inside:
            code.append(line.removeprefix("# "))
    return "\n".join(code)


def group_end(stream: list[Token], start: int) -> int:
    """Return the index after the bracket that closes the one at `start`."""
    depth = 0
    for index in range(start, len(stream)):
        if stream[index].text in _OPEN and stream[index].kind == "sign":
            depth += 1
        elif stream[index].text in _CLOSE and stream[index].kind == "sign":
            depth -= 1
            if depth == 0:
                return index + 1
    return len(stream)


def until(stream: list[Token], start: int, stops: str) -> int:
    """Return the index of the first of the signs `stops` that stands outside every bracket, from `start` on."""
    index = start
    while index < len(stream):
        token = stream[index]
        if token.text in stops and token.kind == "sign":
            return index
        index = group_end(stream, index) if token.text in _OPEN and token.kind == "sign" else index + 1
    return len(stream)


def paths(stream: list[Token]) -> Iterator[tuple[tuple[str, ...], int]]:
    """Yield every path of two names or more (`a::b::c`), and its line; arguments of types end a path."""
    index = 0
    while index < len(stream):
        if stream[index].kind != "name":
            index += 1
            continue
        line, path = stream[index].line, [stream[index].text]
        index += 1
        while index + 1 < len(stream) and stream[index].text == "::" and stream[index + 1].kind == "name":
            path.append(stream[index + 1].text)
            index += 2
        if len(path) > 1:
            yield tuple(path), line
