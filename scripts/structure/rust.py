"""The modules of a Rust crate, what each defines and imports, and which file depends on which.

A name is followed through imports and re-exports to the file that defines it: `use crate::Name` depends on that file,
not on `lib.rs`. Modules under `#[cfg(test)]` are left out, and so are the re-exports of `lib.rs`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from .tokens import Token, group_end, paths, tokens, until

# An item of one of these kinds ends with a block; one of the others ends with a semicolon.
_WITH_BLOCK = ("fn", "struct", "enum", "union", "trait", "mod", "impl", "extern", "macro_rules")
_WITH_SEMICOLON = ("use", "type", "const", "static")
_MODIFIERS = ("unsafe", "async", "default", "auto")


@dataclass(frozen=True)
class Item:
    """One item of a module: `public` is `pub` itself, `restricted` is `pub(crate)` and the like."""

    kind: str
    name: str
    public: bool
    restricted: bool
    tokens: list[Token]
    line: int


@dataclass(frozen=True)
class Import:
    """One name that a `use` brings in, or (`name` is "*") all of a module's names."""

    path: tuple[str, ...]
    name: str
    public: bool
    restricted: bool
    line: int


@dataclass(eq=False)
class Module:
    """A module: the file that holds it, what it defines, what it imports, its children."""

    path: tuple[str, ...]
    file: Path
    parent: Module | None
    items: list[Item] = field(default_factory=list)
    imports: list[Import] = field(default_factory=list)
    children: dict[str, Module] = field(default_factory=dict)

    def walk(self) -> Iterator[Module]:
        """Yield this module and all below it."""
        yield self
        for child in self.children.values():
            yield from child.walk()

    @cached_property
    def defined(self) -> set[str]:
        """The names of its items, its children aside."""
        return {item.name for item in self.items if item.kind not in ("mod", "impl")}

    @property
    def root(self) -> Module:
        """The crate's root."""
        return self if self.parent is None else self.parent.root


@dataclass(frozen=True)
class Definition:
    """A name, and the module that defines it."""

    module: Module
    name: str


def read_crate(folder: Path) -> Module:
    """Read the module tree below `folder/src/lib.rs`."""
    file = folder / "src" / "lib.rs"
    root = Module((), file, None)
    _read(root, tokens(file.read_text(encoding="utf-8")), file.parent)
    return root


def dependencies(root: Module) -> dict[Path, dict[Path, str]]:
    """For each file of the crate, the files that it depends on, each with one name that it takes from there."""
    edges: dict[Path, dict[Path, str]] = {}
    for module in root.walk():
        targets = edges.setdefault(module.file, {})
        for definition in _used(module):
            if definition.module.file != module.file:
                targets.setdefault(definition.module.file, definition.name)
    return edges


def resolve(module: Module, path: tuple[str, ...]) -> Definition | Module | None:
    """Find what `path` means in `module`: None if that is of another crate."""
    return _resolve(module, path, set())


def _used(module: Module) -> Iterator[Definition]:
    local = [found for item in module.items if item.kind not in ("mod",) for found in _imports_within(item)]
    for imported in [*module.imports, *local]:
        if module.parent is None and (imported.public or imported.restricted):
            continue
        found = resolve(module, imported.path)
        if isinstance(found, Definition):
            yield found
        elif found is not None and imported.name == "*":
            yield Definition(found, "*")
    for item in module.items:
        if item.kind != "mod":
            for path, _ in paths(item.tokens):
                found = _of_path(module, path)
                if isinstance(found, Definition):
                    yield found


def _imports_within(item: Item) -> list[Import]:
    """Read the imports that stand in a function's body."""
    found = []
    for index, token in enumerate(item.tokens):
        if token.text == "use" and token.kind == "name":
            found += _imports(item.tokens[index + 1 : until(item.tokens, index, ";")], False, False)
    return found


def _of_path(module: Module, path: tuple[str, ...]) -> Definition | Module | None:
    """Find what a path in code means, if it begins at a module: one that begins at an imported type was an import."""
    if path[0] in ("crate", "self", "super"):
        return resolve(module, path)
    return resolve(module, path) if isinstance(resolve(module, path[:1]), Module) else None


def _resolve(module: Module, path: tuple[str, ...], seen: set[tuple[Module, str]]) -> Definition | Module | None:
    if path[0] in ("crate", "self", "super"):
        start = {"crate": module.root, "self": module, "super": module.parent or module}[path[0]]
        return _resolve_within(start, path[1:], seen) if path[1:] else start
    return _resolve_within(module, path, seen, outside=None)


def _resolve_within(
    module: Module, path: tuple[str, ...], seen: set[tuple[Module, str]], outside: str | None = ""
) -> Definition | Module | None:
    name, rest = path[0], path[1:]
    if name in ("super", "self"):
        return _resolve(module, path, seen)
    if not rest and name in module.defined:
        return Definition(module, name)
    if name in module.children:
        return _resolve_within(module.children[name], rest, seen) if rest else module.children[name]
    if name in module.defined:
        return Definition(module, name)
    if (module, name) in seen:
        return None
    seen = seen | {(module, name)}
    for imported in module.imports:
        if imported.name == name:
            found = _resolve(module, imported.path, seen)
            return _resolve_within(found, rest, seen) if isinstance(found, Module) and rest else found
    for imported in module.imports:
        if imported.name == "*":
            found = _resolve(module, imported.path, seen)
            if isinstance(found, Module):
                inner = _resolve_within(found, path, seen, outside=None)
                if inner is not None:
                    return inner
    # A macro may define what isn't seen here: a path that reached a module means a name of that module.
    return None if outside is None else Definition(module, name)


def _read(module: Module, stream: list[Token], folder: Path) -> None:
    """Fill in `module` from the tokens of its contents; `folder` holds the files of its children."""
    index = 0
    while index < len(stream):
        tested = False
        while index + 1 < len(stream) and stream[index].text == "#":
            start = index + (2 if stream[index + 1].text == "!" else 1)
            index = group_end(stream, start)
            written = [token.text for token in stream[start:index]]
            tested |= written[1:2] == ["cfg"] and "test" in written and "not" not in written
        begin = index
        public = index < len(stream) and stream[index].text == "pub"
        restricted = False
        if public:
            index += 1
            if index < len(stream) and stream[index].text == "(":
                index, public, restricted = group_end(stream, index), False, True
        item, index = _item(stream, begin, index, public, restricted)
        if item is None or tested:
            continue
        if item.kind == "use":
            module.imports += _imports(item.tokens, item.public, item.restricted)
            continue
        module.items.append(item)
        if item.kind == "mod":
            _read_child(module, item, folder)


def _read_child(module: Module, item: Item, folder: Path) -> None:
    below = folder / item.name
    if item.tokens and item.tokens[-1].text == "}":
        opening = next(index for index, token in enumerate(item.tokens) if token.text == "{")
        child = Module((*module.path, item.name), module.file, module)
        _read(child, item.tokens[opening + 1 : -1], below)
    else:
        file = below.with_suffix(".rs") if below.with_suffix(".rs").exists() else below / "mod.rs"
        child = Module((*module.path, item.name), file, module)
        _read(child, tokens(file.read_text(encoding="utf-8")), below)
    module.children[item.name] = child


def _item(stream: list[Token], begin: int, index: int, public: bool, restricted: bool) -> tuple[Item | None, int]:
    """Read the item whose keyword stands at `index` or a few modifiers on, and return the index after it too."""
    start = index
    while index < len(stream) and (
        stream[index].text in _MODIFIERS or (stream[index].text in ("const", "extern") and _is_modifier(stream, index))
    ):
        index += 2 if stream[index].text == "extern" and stream[index + 1].kind == "text" else 1
    if index >= len(stream):
        return None, len(stream)
    keyword = stream[index].text
    if keyword in _WITH_SEMICOLON:
        end = until(stream, index, ";") + 1
        name = stream[index + 1 + (stream[index + 1].text == "mut")].text
    elif keyword in _WITH_BLOCK:
        end = until(stream, index, ";{")
        end = group_end(stream, end) if end < len(stream) and stream[end].text == "{" else end + 1
        name = stream[index + (2 if keyword == "macro_rules" else 1)].text
    else:
        # A macro is called, or something this reader doesn't know: go on after its block or semicolon.
        end = until(stream, start, ";{")
        end = group_end(stream, end) if end < len(stream) and stream[end].text == "{" else end + 1
        keyword, name = "call", stream[start].text
    body = stream[index + 1 : end - 1] if keyword == "use" else stream[begin:end]
    return Item(keyword, name, public, restricted, body, stream[begin].line), end


def _is_modifier(stream: list[Token], index: int) -> bool:
    after = [token.text for token in stream[index + 1 : index + 4]]
    return any(word in after for word in ("fn", "unsafe", "impl")) and ":" not in after[:2]


def _imports(stream: list[Token], public: bool, restricted: bool) -> list[Import]:
    """Read the imports of one `use` tree."""

    def branch(index: int, head: tuple[str, ...]) -> tuple[list[Import], int]:
        found: list[Import] = []
        path, line = head, stream[index].line if index < len(stream) else 0
        while index < len(stream):
            text = stream[index].text
            if text == "{":
                index += 1
                while stream[index].text != "}":
                    inner, index = branch(index, path)
                    found += inner
                    index += stream[index].text == ","
                return found, index + 1
            if text == "*":
                return [Import(path, "*", public, restricted, line)], index + 1
            if stream[index].kind == "name":
                path = (*path, text)
            index += 1
            after = stream[index].text if index < len(stream) else ","
            if after == "as":
                return [Import(path, stream[index + 1].text, public, restricted, line)], index + 2
            if after in (",", "}"):
                # `use a::b::{self}` brings in `b`.
                path = path[:-1] if path[-1] == "self" and len(path) > 1 else path
                return [Import(path, path[-1], public, restricted, line)], index
        return found, index

    return branch(0, ())[0]
