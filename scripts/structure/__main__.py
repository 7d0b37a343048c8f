"""Check the repository's structure. Print each finding with its file and the next step, and fail if there is any."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

from . import imports, public, rust
from .circles import circles
from .finding import Finding
from .tokens import example_code, names

LONGEST_FILE = 550
# What the schemes are built on: nothing there is public that nobody else uses.
LAYERS = ("math", "rand", "process", "ring", "gpu", "rlwe", "io", "objects", "security", "limbs")
# What users of Rust see: one path leads to each name.
SCHEMES = ("ckks", "binfhe", "bfv")


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
    findings += [finding for file in sources for finding in _listed(root, file, sources)]
    findings += [finding for file, source in sources.items() for finding in _never_run(root, file, source)]
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


def _listed(root: Path, file: Path, sources: dict[Path, str]) -> list[Finding]:
    """Where a crate's integration tests are modules of one program, a file that isn't among them would never run."""
    suite = file.parent / "main.rs"
    manifest = root / file.parent.parent / "Cargo.toml"
    if file.parent.name != "tests" or file == suite or suite not in sources or not manifest.exists():
        return []
    if f"mod {file.stem};" in sources[suite] or f'name = "{file.stem}"' in manifest.read_text(encoding="utf-8"):
        return []
    return [Finding(file, 0, "no program of tests has this file", f"list it in {suite}: mod {file.stem};")]


def _never_run(root: Path, file: Path, source: str) -> list[Finding]:
    """Find unit tests in a library that has no test build."""
    crate, within = Path(*file.parts[:2]), file.parts[2:]
    if "#[test]" not in source or within[:1] != ("src",):
        return []
    manifest = tomllib.loads((root / crate / "Cargo.toml").read_text(encoding="utf-8"))
    if manifest.get("lib", {}).get("test", True):
        return []
    path = f'#[path = "../{"/".join(within)}"]'
    if any(path in test.read_text(encoding="utf-8") for test in (root / crate / "tests").glob("*.rs")):
        return []
    step = f"move them to {crate / 'tests'}, or compile the module there, too: {path}"
    return [Finding(file, 0, "tests that never run: the library has no test build", step)]


if __name__ == "__main__":
    sys.exit(main())
