"""Count lines of code: no comments, docstrings, blanks, tests, benches, examples and unpublished crates.

A line counts where a token of the program stands on it. Rust is that of the crates' `src` without `#[cfg(test)]`, and
everlevel-testkit, everlevel-bench and everlevel-fuzz are shown apart; Python is the package, and its stubs apart.

    python scripts/code_lines.py                      the working tree, by crate and by folder of the package
    python scripts/code_lines.py a1b2c3d v0.1.0       these commits beside it
"""

from __future__ import annotations

import argparse
import ast
import io
import subprocess
import sys
import tokenize
from collections import Counter
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from tree_sitter import Node

import rust_syntax

ROOT = Path(__file__).resolve().parent.parent
APART = ("everlevel-testkit", "everlevel-bench", "everlevel-fuzz", "stubs")
PACKAGE = PurePosixPath("python/everlevel")
# Where lines break, and so how many there are.
FORMATTERS = ("rustfmt.toml", "pyproject.toml")
_LAYOUT = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}


def rust_lines(source: bytes) -> tuple[int, list[str]]:
    """Count the code lines of a file, and name the modules in files of their own that are compiled for tests alone."""
    lines: set[int] = set()
    tested: list[str] = []

    def visit(node: Node) -> None:
        if node.type in rust_syntax.COMMENTS:
            return
        if node.type.endswith("_item") and rust_syntax.is_tested(node):
            if node.type == "mod_item" and node.child_by_field_name("body") is None:
                tested.append(rust_syntax.name(node))
            return
        if node.type == "attribute_item" and _of_tested(node):
            return
        if not node.children or node.type == "string_literal":
            lines.update(range(node.start_point[0], node.end_point[0] + 1))
            return
        for child in node.children:
            visit(child)

    visit(rust_syntax.tree(source))
    return len(lines), tested


def _of_tested(attribute: Node) -> bool:
    """Say whether an attribute is that of an item for tests alone."""
    item = attribute.next_sibling
    while item is not None and item.type in ("attribute_item", *rust_syntax.COMMENTS):
        item = item.next_sibling
    return item is not None and rust_syntax.is_tested(item)


def python_lines(source: bytes) -> int:
    """Count the code lines of a file."""
    lines: set[int] = set()
    for token in tokenize.tokenize(io.BytesIO(source).readline):
        if token.type not in _LAYOUT and token.type != tokenize.ENCODING:
            lines.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(source)):
        # A docstring, and one that stands after an attribute: a string that is a statement.
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            lines -= set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return len(lines)


def _sources(commit: str) -> Iterator[tuple[PurePosixPath, bytes]]:
    """Yield the tracked files of a commit, or (of none) of the working tree."""
    listed = ["git", "ls-tree", "-r", "--name-only", commit] if commit else ["git", "ls-files"]
    listed = subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    for path in map(PurePosixPath, listed):
        if path.parts[0] in ("crates", "python", *FORMATTERS) and path.suffix in (".rs", ".py", ".pyi", ".toml"):
            if commit:
                shown = subprocess.run(["git", "show", f"{commit}:{path}"], cwd=ROOT, capture_output=True, check=True)
                yield path, shown.stdout
            elif (ROOT / path).exists():
                yield path, (ROOT / path).read_bytes()


def count(commit: str) -> tuple[Counter[tuple[str, str]], tuple[str, ...]]:
    """Count the lines of a commit by language and part, and return the formatters' settings too."""
    sources = dict(_sources(commit))
    settings = tuple(
        line
        for name in FORMATTERS
        for line in sources.pop(PurePosixPath(name), b"").decode().splitlines()
        if name == "rustfmt.toml" or line.startswith(("line-length", "quote-style"))
    )
    counted: Counter[tuple[str, str]] = Counter()
    tested: set[PurePosixPath] = set()
    rust = {path: rust_lines(source) for path, source in sources.items() if path.suffix == ".rs"}
    for path, (_, modules) in rust.items():
        folder = path.parent if path.name in ("lib.rs", "main.rs", "mod.rs") else path.with_suffix("")
        tested |= {folder / f"{module}.rs" for module in modules} | {folder / module for module in modules}
    for path, (lines, _) in rust.items():
        crate = path.parts[1]
        if not tested & {path, *path.parents} and ("src" in path.parts or path.name == "build.rs" or crate in APART):
            counted["Rust", crate] += lines
    for path, source in sources.items():
        if path.suffix == ".pyi":
            counted["Python", "stubs"] += python_lines(source)
        elif path.suffix == ".py" and path.is_relative_to(PACKAGE):
            below = path.relative_to(PACKAGE).parts
            counted["Python", "/".join((*PACKAGE.parts, *below[:-1][:1]))] += python_lines(source)
    return counted, settings


def main(arguments: list[str]) -> int:
    """Print the table of the commits and the working tree, and return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("commits", nargs="*", help="commits to show before the working tree")
    columns = [*parser.parse_args(arguments).commits, ""]
    counts = [count(commit) for commit in columns]
    names = [commit[:12] or "working tree" for commit in columns]
    print(f"{'':24}", *(f"{name:>14}" for name in names))
    parts = sorted({part for counted, _ in counts for part in counted}, key=lambda part: (part[1] in APART, part))
    for language in ("Rust", "Python"):
        own = [part for part in parts if part[0] == language]
        for part in own:
            apart = " (apart)" if part[1] in APART else ""
            print(f"{part[1] + apart:24}", *(f"{counted[part]:14,}" for counted, _ in counts))
        sums = [sum(counted[part] for part in own if part[1] not in APART) for counted, _ in counts]
        print(f"{language:24}", *(f"{total:14,}" for total in sums), "\n")
    totals = [sum(lines for part, lines in counted.items() if part[1] not in APART) for counted, _ in counts]
    print(f"{'all':24}", *(f"{total:14,}" for total in totals))
    print(f"{'of the first':24}", *(f"{100 * (total / totals[0] - 1):+13.1f}%" for total in totals))
    if any(settings != counts[0][1] for _, settings in counts):
        print("the formatters' settings are not the same in all of these; format them alike, and count again")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
