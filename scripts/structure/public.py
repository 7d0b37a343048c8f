"""What a Rust crate makes public: names that nobody outside it uses, and names with more than one public path."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from .finding import Finding
from .rust import Definition, Item, Module, resolve
from .tokens import Token, group_end, until


@dataclass(frozen=True)
class _Public:
    """A public name, where it is defined, and the names in its declaration, which must be public with it."""

    kind: str
    name: str
    file: Path
    line: int
    declares: frozenset[str]


def unused(root: Module, outside: set[str]) -> list[Finding]:
    """Public items, methods and fields of the crate that no code outside it names: `outside` are that code's names.

    A type that only stands in the declaration of a used name is used with it, and so is an associated type.
    """
    left = [public for module in root.walk() for public in _publics(module)]
    wanted = outside | {name for module in root.walk() for item in module.items for name in _associated(item)}
    while True:
        used = [public for public in left if public.name in wanted]
        if not used:
            break
        left = [public for public in left if public.name not in wanted]
        wanted |= {name for public in used for name in public.declares}
    return [
        Finding(
            public.file,
            public.line,
            f"`pub {public.kind} {public.name}` is used by no other crate, test, bench or example",
            "make it `pub(crate)` or private, or remove it",
        )
        for public in left
    ]


def repeated(root: Module, crate: str) -> list[Finding]:
    """Names of the crate that more than one public path leads to."""
    found: dict[Definition | tuple[str, ...], list[str]] = {}
    for path, target in _public_paths(root, (crate,), ()):
        found.setdefault(target, []).append("::".join(path))
    findings = []
    for target, ways in found.items():
        if len(ways) > 1:
            file = target.module.file if isinstance(target, Definition) else root.file
            line = _line(target) if isinstance(target, Definition) else 0
            findings.append(
                Finding(
                    file,
                    line,
                    f"`{ways[0].split('::')[-1]}` has {len(ways)} public paths: {', '.join(sorted(ways, key=len))}",
                    "keep one: make the module private, or drop the re-export",
                )
            )
    return findings


def _line(definition: Definition) -> int:
    return next((item.line for item in definition.module.items if item.name == definition.name), 0)


def _public_paths(
    module: Module, path: tuple[str, ...], above: tuple[Module, ...]
) -> Iterator[tuple[tuple[str, ...], Definition | tuple[str, ...]]]:
    """Every public path below `path`, which leads to `module`, with what it leads to: names of other crates by path."""
    if module in above:
        return
    for item in module.items:
        if item.public and item.kind == "mod":
            yield from _public_paths(module.children[item.name], (*path, item.name), (*above, module))
        elif item.public and item.kind != "call":
            yield (*path, item.name), Definition(module, item.name)
    for imported in module.imports:
        if not imported.public:
            continue
        found = resolve(module, imported.path)
        if isinstance(found, Module):
            inside = path if imported.name == "*" else (*path, imported.name)
            yield from _public_paths(found, inside, (*above, module))
        else:
            yield (*path, imported.name), found or imported.path


def _publics(module: Module) -> Iterator[_Public]:
    for item in module.items:
        if item.public and item.kind != "call":
            yield _Public(item.kind, item.name, module.file, item.line, _declared(item))
        if item.kind == "impl":
            yield from _members(module, item)
        elif item.public and item.kind in ("struct", "union"):
            yield from _fields(module, item)


def _declared(item: Item) -> frozenset[str]:
    if item.kind == "mod":
        return frozenset()
    if item.kind == "fn":
        return _names(item.tokens[: until(item.tokens, 0, "{")])
    if item.kind in ("struct", "union"):
        return _names(item.tokens[: _fields_start(item)]) | frozenset(
            name for field in _field_tokens(item) for name in _names(field[2:])
        )
    return _names(item.tokens)


def _associated(item: Item) -> frozenset[str]:
    """Names of the types that an `impl` associates with its trait."""
    if item.kind != "impl":
        return frozenset()
    starts = [index for index, token in enumerate(item.tokens) if token.text == "type"]
    return frozenset(name for at in starts for name in _names(item.tokens[at + 2 : until(item.tokens, at, ";")]))


def _names(stream: list[Token]) -> frozenset[str]:
    return frozenset(token.text for token in stream if token.kind == "name")


def _members(module: Module, item: Item) -> Iterator[_Public]:
    """Public functions and constants of an `impl` block."""
    stream = item.tokens
    index = until(stream, 0, "{") + 1
    while index < len(stream):
        if stream[index].text == "pub" and stream[index + 1].text != "(":
            end = until(stream, index, "{;=")
            head = stream[index:end]
            kind = "fn" if any(token.text == "fn" for token in head) else "const"
            name = next(after.text for token, after in pairwise(head) if token.text == kind)
            yield _Public(kind, name, module.file, stream[index].line, _names(head))
            index = end
        index = group_end(stream, index) if index < len(stream) and stream[index].text in "([{" else index + 1


def _fields_start(item: Item) -> int:
    name = next(index for index, token in enumerate(item.tokens) if token.text == item.name)
    return until(item.tokens, name, "{(;")


def _field_tokens(item: Item) -> Iterator[list[Token]]:
    """Yield the tokens of each public field, from its `pub` on."""
    start = _fields_start(item)
    inside = item.tokens[start + 1 : group_end(item.tokens, start) - 1]
    index = 0
    while index < len(inside):
        end = index
        while end < len(inside) and inside[end].text != ",":
            end = _after_type(inside, end)
        field = inside[index:end]
        first = next((at for at, token in enumerate(field) if token.text == "pub"), None)
        if first is not None and first + 1 < len(field) and field[first + 1].text != "(":
            yield field[first:]
        index = end + 1


def _after_type(stream: list[Token], index: int) -> int:
    """Return the index after one token, or after a whole bracket: commas between a type's arguments end no field."""
    if stream[index].text in "([{":
        return group_end(stream, index)
    if stream[index].text != "<":
        return index + 1
    depth = 0
    while index < len(stream):
        depth += (stream[index].text == "<") - (stream[index].text == ">")
        index += 1
        if depth == 0:
            break
    return index


def _fields(module: Module, item: Item) -> Iterator[_Public]:
    for field in _field_tokens(item):
        if len(field) > 2 and field[2].text == ":":
            yield _Public("field", field[1].text, module.file, field[1].line, frozenset())
