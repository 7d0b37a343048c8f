"""Check the repository's structure. Print each finding with its file and the next step, and fail if there is any."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from . import imports, public, rust
from .circles import circles
from .finding import Finding
from .tokens import example_code, names

LONGEST_FILE = 550
# What the schemes are built on: nothing there is public that nobody else uses.
LAYERS = ("math", "rand", "ring", "rlwe", "io", "security")
# What users of Rust see: one path leads to each name.
SCHEMES = ("ckks", "binfhe")


def main() -> int:
    """Check the tracked files of the repository in the working directory, and return the exit status."""
    listed = subprocess.run(["git", "ls-files", "*.rs", "*.py"], capture_output=True, text=True, check=True)
    findings = check(Path(), [path for path in map(Path, listed.stdout.split()) if path.exists()])
    for finding in sorted(findings):
        print(finding)
    print(f"structure: {len(findings)} findings" if findings else "structure: nothing found")
    return 1 if findings else 0


def check(root: Path, files: list[Path]) -> list[Finding]:
    """All findings about the repository at `root`, whose sources are `files`, relative to it."""
    sources = {file: (root / file).read_text(encoding="utf-8") for file in files}
    crates = {folder.name.removeprefix("everlevel-"): folder for folder in sorted((root / "crates").iterdir())}
    modules = {name: rust.read_crate(folder) for name, folder in crates.items() if (folder / "src/lib.rs").exists()}
    findings = [finding for file, source in sources.items() for finding in _length(file, source)]
    for module in modules.values():
        findings += circles(rust.dependencies(module))
    findings += circles(imports.dependencies(root / "python" / "everlevel"))
    code = {file: names(source) for file, source in sources.items() if file.suffix == ".rs"}
    examples = {word for file in code for word in names(example_code(sources[file]))}
    for name in LAYERS:
        own = (crates[name] / "src").relative_to(root)
        outside = examples.union(*(words for file, words in code.items() if not file.is_relative_to(own)))
        findings += public.unused(modules[name], outside)
    for name in SCHEMES:
        findings += public.repeated(modules[name], f"everlevel_{name}")
    return findings


def _length(file: Path, source: str) -> list[Finding]:
    length = source.count("\n")
    if length <= LONGEST_FILE:
        return []
    return [Finding(file, 0, f"{length} lines, {LONGEST_FILE} at most", "split it where its subject does")]


if __name__ == "__main__":
    sys.exit(main())
