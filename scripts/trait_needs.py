"""Say which methods, associated types and implementations of traits the product can do without.

For every item of every trait of everlevel-ring and everlevel-rlwe, its declaration and all its implementations are
removed from a scratch copy; for every implementation of such a trait, the whole `impl`. Then the extension module and
the C library are checked (`cargo check -p everlevel-py -p everlevel-spqlios`), without tests, benches and examples.
What breaks is needed, and the first error says by whom; what nothing notices is listed. In further rounds all of that
is removed together, and the others are tried again: they may have been needed by what isn't needed.

    python scripts/trait_needs.py                     all of them, some 10 to 30 seconds each
    python scripts/trait_needs.py --list              their names
    python scripts/trait_needs.py HalfProduct         those whose names contain this

The copy and its build stay in target/trait-needs, and results there too: a run that was cut goes on where it was, and
starts anew once a source has changed.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from tree_sitter import Node

import rust_syntax

ROOT = Path(__file__).resolve().parent.parent
CRATES = ("everlevel-ring", "everlevel-rlwe")
PRODUCTS = ("everlevel-py", "everlevel-spqlios")
WORK = ROOT / "target" / "trait-needs"
COPY, RESULTS = WORK / "copy", WORK / "results.json"
# Documentation includes notes, and results are those of the sources.
COPIED = (".cargo", "*.rs", "*.toml", "Cargo.lock", "*.md", "*.h")
UNNOTICED = "nothing notices"


@dataclass(frozen=True)
class Removal:
    """What is removed: an item of a trait everywhere (`Trait::item`), or one implementation (`impl Trait for Type`)."""

    trait: str
    item: str = ""
    type: str = ""

    def __str__(self) -> str:
        return f"{self.trait}::{self.item}" if self.item else f"impl {self.trait} for {self.type}"

    def removes(self, node: Node) -> list[Node]:
        """List what goes from a trait's declaration or from one of its implementations."""
        if self.type:
            return [node] if _implemented(node) == (self.trait, self.type) else []
        if self.trait != (rust_syntax.name(node) or _implemented(node)[0]):
            return []
        return [member for member in _members(node) if rust_syntax.name(member) == self.item]


def _members(node: Node) -> list[Node]:
    body = node.child_by_field_name("body")
    kinds = ("function_item", "function_signature_item", "associated_type", "type_item", "const_item")
    return [] if body is None else [child for child in body.children if child.type in kinds]


def _implemented(node: Node) -> tuple[str, str]:
    """Return the trait and the type of an `impl`, the trait without its path and arguments."""
    named = node.child_by_field_name("trait")
    if named is not None and named.type == "generic_type":
        named = named.child_by_field_name("type")
    return rust_syntax.text(named).rpartition("::")[2], rust_syntax.text(node.child_by_field_name("type"))


def _sources() -> dict[Path, bytes]:
    """All tracked files that a check reads."""
    listed = subprocess.run(["git", "ls-files", *COPIED], cwd=ROOT, capture_output=True, text=True, check=True)
    return {Path(path): (ROOT / path).read_bytes() for path in listed.stdout.splitlines() if (ROOT / path).is_file()}


class Workspace:
    """The traits, where they are declared and implemented, and the scratch copy."""

    def __init__(self, sources: dict[Path, bytes]) -> None:
        self.sources = sources
        code = sorted((path, source) for path, source in self.sources.items() if path.suffix != ".md")
        self.digest = hashlib.sha256(repr(code).encode()).hexdigest()
        rust = {path: tree for path, tree in self._trees() if "src" in path.parts}
        declared = [
            (path, node) for path, tree in rust.items() for node in rust_syntax.walk(tree) if node.type == "trait_item"
        ]
        self.traits = {rust_syntax.name(node): node for path, node in declared if path.parts[1] in CRATES}
        if twice := {key for key in self.traits if sum(rust_syntax.name(node) == key for _, node in declared) > 1}:
            sys.exit(f"trait_needs: {', '.join(twice)}: two traits of one name; give them names of their own")
        self.places: dict[str, list[tuple[Path, Node]]] = {key: [] for key in self.traits}
        for path, tree in rust.items():
            for node in rust_syntax.walk(tree):
                if node.type in ("trait_item", "impl_item"):
                    key = rust_syntax.name(node) or _implemented(node)[0]
                    self.places.get(key, []).append((path, node))
                if node.type == "token_tree" and any(f" {key} for " in rust_syntax.text(node) for key in self.traits):
                    sys.exit(f"trait_needs: {path}:{node.start_point[0] + 1}: a macro implements a trait; write it out")

    def _trees(self) -> list[tuple[Path, Node]]:
        return [(path, rust_syntax.tree(source)) for path, source in self.sources.items() if path.suffix == ".rs"]

    def removals(self) -> list[Removal]:
        """List all that can be removed."""
        members = [(key, member) for key, node in self.traits.items() for member in _members(node)]
        items = [Removal(key, rust_syntax.name(member)) for key, member in members]
        types = [
            Removal(key, type=_implemented(node)[1])
            for key, places in self.places.items()
            for _, node in places
            if node.type == "impl_item" and not rust_syntax.is_tested(node)
        ]
        return items + types

    def without(self, removals: Iterable[Removal]) -> dict[Path, bytes]:
        """Return the sources with all of these removed."""
        cuts: dict[Path, set[tuple[int, int]]] = {}
        for removal in removals:
            for path, node in self.places[removal.trait]:
                for gone in removal.removes(node):
                    start = min(part.start_byte for part in [gone, *rust_syntax.head(gone)])
                    cuts.setdefault(path, set()).add((start, gone.end_byte))
        sources = dict(self.sources)
        for path, ranges in cuts.items():
            kept, end = b"", 0
            for start, stop in sorted(ranges):
                # An item may lie in an `impl` that goes as a whole.
                kept, end = kept + sources[path][end : max(start, end)], max(stop, end)
            sources[path] = kept + sources[path][end:]
        return sources

    def write(self, sources: dict[Path, bytes]) -> None:
        """Make the copy hold these sources; what is the same is left, so that its build is."""
        for path, source in sources.items():
            target = COPY / path
            if not target.exists() or target.read_bytes() != source:
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(source)
        for old in COPY.rglob("*.rs"):
            if old.relative_to(COPY) not in sources:
                old.unlink()

    def check(self, removals: Iterable[Removal]) -> str:
        """Check the products without these, and return the first error's place and text; nothing, if there is none."""
        self.write(self.without(removals))
        command = [os.environ.get("CARGO", "cargo"), "check", "--quiet", "--message-format=json"]
        command += [word for product in PRODUCTS for word in ("-p", product)]
        environment = {**os.environ, "CARGO_TARGET_DIR": str(WORK / "target"), "CARGO_INCREMENTAL": "0"}
        done = subprocess.run(command, cwd=COPY, env=environment, capture_output=True, text=True, check=False)
        if done.returncode == 0:
            return ""
        lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
        messages = [line["message"] for line in lines if line["reason"] == "compiler-message"]
        for message in messages:
            if message["level"] == "error" and message["spans"]:
                span = message["spans"][0]
                return f"{span['file_name']}:{span['line_start']}{self._function(span)}: {message['message']}"
        sys.exit(f"trait_needs: cargo check failed without an error in a source:\n{done.stderr}")

    def _function(self, span: dict[str, int | str]) -> str:
        """Name the function that an error is in, if it is in one."""
        source = (COPY / str(span["file_name"])).read_bytes()
        at = int(span["byte_start"])
        around = [node for node in rust_syntax.walk(rust_syntax.tree(source)) if node.start_byte <= at < node.end_byte]
        functions = [rust_syntax.name(node) for node in around if node.type == "function_item"]
        return f" (fn {functions[-1]})" if functions else ""


def _load(digest: str) -> dict[str, str]:
    """Read the results of a run over the same sources."""
    if not RESULTS.exists():
        return {}
    stored = json.loads(RESULTS.read_text(encoding="utf-8"))
    return dict(stored["results"]) if stored["digest"] == digest else {}


def main(arguments: list[str]) -> int:
    """Try the removals that are asked for, and return the exit status: 1 where nothing notices one."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", help="parts of names; all removals, if left out")
    parser.add_argument("--list", action="store_true", help="print the removals and try none")
    options = parser.parse_args(arguments)
    workspace = Workspace(_sources())
    removals = workspace.removals()
    asked = [one for one in removals if not options.parts or any(part in str(one) for part in options.parts)]
    if options.list:
        print(*asked, sep="\n")
        return 0
    results = _load(workspace.digest)
    if broken := workspace.check([]):
        sys.exit(f"trait_needs: the copy doesn't build as it is: {broken}")
    needless: list[Removal] = []
    rounds, news = 0, True
    while news:
        rounds, before = rounds + 1, list(needless)
        for one in asked:
            if one in needless:
                continue
            removed = [*before, one]
            key = " + ".join(sorted(map(str, removed)))
            start = time.monotonic()
            if key not in results:
                results[key] = workspace.check(removed)
                stored = json.dumps({"digest": workspace.digest, "results": results}, indent=1)
                RESULTS.write_text(stored, encoding="utf-8")
            if not results[key]:
                needless.append(one)
            seconds = time.monotonic() - start
            print(f"round {rounds}  {one!s:44} {seconds:4.0f} s  {results[key] or UNNOTICED.upper()}", flush=True)
        if news := len(needless) > len(before):
            together = workspace.check(needless)
            print(f"all {len(needless)} of them together: {together or UNNOTICED}", flush=True)
            news = not together
    print(f"{UNNOTICED} of {len(asked)} removals: {len(needless)}", *needless, sep="\n  ")
    return int(bool(needless))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
