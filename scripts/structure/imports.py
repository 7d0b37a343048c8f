"""Which file of a Python package imports from which, through re-exports to the file that defines the name."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class _File:
    path: Path
    module: str
    tree: ast.Module

    @property
    def is_package(self) -> bool:
        return self.path.name == "__init__.py"


def dependencies(package: Path) -> dict[Path, dict[Path, str]]:
    """For each file of the package, the files that it imports from, each with one name that it takes from there.

    Imports in functions and under `TYPE_CHECKING` count; what an `__init__.py` imports but doesn't use is re-exported,
    and doesn't.
    """
    files = {file.module: file for file in _read(package)}
    edges: dict[Path, dict[Path, str]] = {}
    for file in files.values():
        targets = edges.setdefault(file.path, {})
        used = {node.id for node in ast.walk(file.tree) if isinstance(node, ast.Name)}
        for module, name, bound in _imports(file):
            if file.is_package and bound not in used:
                continue
            target = _defining(files, module, name, set())
            if target is not None and target is not file:
                targets.setdefault(target.path, name or module)
    return edges


def _read(package: Path) -> Iterator[_File]:
    # A stub stands for an extension module.
    for path in sorted([*package.rglob("*.py"), *package.rglob("*.pyi")]):
        parts = path.relative_to(package.parent).with_suffix("").parts
        module = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        yield _File(path, module, ast.parse(path.read_text(encoding="utf-8"), str(path)))


def _imports(file: _File) -> Iterator[tuple[str, str | None, str]]:
    """Each import as its module, the name that it takes of it (None for the module itself), and what it is called."""
    for node in ast.walk(file.tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, None, alias.asname or alias.name.split(".")[0]
        elif isinstance(node, ast.ImportFrom):
            above = file.module.split(".")
            kept = len(above) - node.level + file.is_package
            base = ".".join([*above[:kept], *([node.module] if node.module else [])]) if node.level else node.module
            for alias in node.names:
                yield base or "", alias.name, alias.asname or alias.name


def _defining(files: dict[str, _File], module: str, name: str | None, seen: set[tuple[str, str]]) -> _File | None:
    """Find the file that defines `name` of `module`: None if that is of another package."""
    if name is None:
        return files.get(module)
    if f"{module}.{name}" in files:
        return files[f"{module}.{name}"]
    file = files.get(module)
    if file is None or not file.is_package or (module, name) in seen:
        return file
    for inner_module, inner_name, bound in _imports(file):
        if bound == name:
            return _defining(files, inner_module, inner_name, seen | {(module, name)})
    return file
