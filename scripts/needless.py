"""List what no product needs: functions, methods, types and fields that neither Python's module nor the C library uses.

rustc sees what is dead within one crate, and takes all that is public for used. So the crates are put together into
one, in a scratch copy, as private modules of it: then only what Python and C can call is alive, and rustc's own
analysis lists everything else, chains of calls and methods of traits too. What is found may be the Rust interface that
users see, an oracle of tests, or code that nothing needs. What stays stands in scripts/needless.toml with a reason; all
else is an error, and so is an entry that nothing needs any more.

    python scripts/needless.py                    what isn't on the list, and the number of those that are
    python scripts/needless.py --all              all findings, and their number in each crate
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Iterable
from fnmatch import fnmatch
from pathlib import Path
from typing import Any, NamedTuple

import rust_syntax

ROOT = Path(__file__).resolve().parent.parent
COPY = ROOT / "target" / "needless"
PRODUCTS = ("everlevel-py", "everlevel-spqlios")
KEPT = ROOT / "scripts" / "needless.toml"
_DECLARED = re.compile(r"\b(?:fn|struct|enum|trait|type|static|union|mod|const(?! fn))\s+(\w+)")
_MEMBER = re.compile(r"(?:pub(?:\(\w+\))? )?(\w+)")
_NO_DEFAULTS = {"default-features": False}


def _crates() -> tuple[set[str], str, set[str]]:
    """Return the products and the crates that they are built of, what all of these need besides, and their features."""
    workspace = tomllib.loads((ROOT / "Cargo.toml").read_text(encoding="utf-8"))["workspace"]["dependencies"]
    found: set[str] = set()
    outside: dict[str, dict[str, Any]] = {}
    features: set[str] = set()
    left = list(PRODUCTS)
    while left:
        crate = left.pop()
        found.add(crate)
        manifest = tomllib.loads((ROOT / "crates" / crate / "Cargo.toml").read_text(encoding="utf-8"))
        left += [name for name in manifest["dependencies"] if name.startswith("everlevel-") and name not in found]
        for name, needed in manifest["dependencies"].items():
            for need in (workspace.get(name), needed):
                asked = need if isinstance(need, dict) else {"version": need} if need else {}
                if name.startswith("everlevel-"):
                    features |= set(asked.get("features", []))
                if not name.startswith("everlevel-") and (name in outside or "version" in asked):
                    entry = outside.setdefault(name, {"version": asked.get("version"), "features": [], **_NO_DEFAULTS})
                    entry["features"] = sorted({*entry["features"], *asked.get("features", [])})
                    entry["default-features"] |= asked.get("default-features", True)
    return found, "\n".join(f"{name} = {_inline(entry)}" for name, entry in sorted(outside.items())), features


def _inline(entry: dict[str, Any]) -> str:
    return "{ " + ", ".join(f"{key} = {json.dumps(value)}" for key, value in entry.items()) + " }"


def moved(source: bytes, own: str, crates: set[str]) -> bytes:
    """Rewrite the paths of a file of the crate `own`, which is now a module beside the other `crates`."""
    leaves = [node for node in rust_syntax.walk(rust_syntax.tree(source)) if not node.children]
    leaves = [node for node in leaves if not node.is_extra and node.type != "string_content"]
    words = ["", *map(rust_syntax.text, leaves), "", "", "", ""]
    out, end = b"", 0
    for at, node in enumerate(leaves, start=1):
        word, before, after = words[at], words[at - 1], words[at + 1]
        macro = words[at + 1 : at + 4 : 2] == ["::", "!"]
        if (word == "crate" and not macro and (before, after) != ("(", ")")) or word == "$crate":
            new = f"{word}::all::{own}"
        elif word == "crate" or before == "::" or word not in crates:
            continue
        elif macro:
            # An exported macro is the whole crate's.
            new = "crate"
        elif after == "::" or before == "use":
            new = f"crate::all::{word}"
        else:
            continue
        out, end = out + source[end : node.start_byte] + new.encode(), node.end_byte
    return out + source[end:]


def make(crates: set[str], dependencies: str, features: set[str]) -> None:
    """Write the crate that all of these are modules of."""
    modules = {crate: crate.replace("-", "_") for crate in crates}
    listed = subprocess.run(["git", "ls-files", "crates", "*.md"], cwd=ROOT, capture_output=True, text=True, check=True)
    wanted: dict[Path, bytes] = {}
    for path in map(Path, listed.stdout.splitlines()):
        if path.suffix == ".rs" and path.parts[1] in crates and path.parts[2] == "src":
            wanted[path] = moved((ROOT / path).read_bytes(), modules[path.parts[1]], set(modules.values()))
        elif _is_build_script(str(path), crates) or (path.suffix != ".rs" and (ROOT / path).exists()):
            wanted[path] = (ROOT / path).read_bytes()
    workspace = tomllib.loads((ROOT / "Cargo.toml").read_text(encoding="utf-8"))["workspace"]
    manifest = [
        "[package]",
        'name = "everlevel"',
        'version = "0.0.0"',
        f'edition = "{workspace["package"]["edition"]}"',
    ]
    # A crate's build script finds nothing to embed here.
    manifest += [f'build = "{path}"' for path in listed.stdout.splitlines() if _is_build_script(path, crates)]
    manifest += ["[workspace]", "[lib]", 'path = "lib.rs"', 'crate-type = ["cdylib"]', "[dependencies]", dependencies]
    manifest += ["[features]", f"default = {json.dumps(sorted(features))}", *(f"{name} = []" for name in features)]
    wanted[Path("Cargo.toml")] = "\n".join(manifest).encode()
    wanted[Path("Cargo.lock")] = (ROOT / "Cargo.lock").read_bytes()
    lib = [f'#[path = "crates/{crate}/src/lib.rs"]\npub mod {module};' for crate, module in sorted(modules.items())]
    wanted[Path("all.rs")] = "\n".join(lib).encode()
    # What is public in a private module is not public.
    wanted[Path("lib.rs")] = b"mod all;"
    for path, content in wanted.items():
        (COPY / path).parent.mkdir(parents=True, exist_ok=True)
        (COPY / path).write_bytes(content)


def _is_build_script(path: str, crates: set[str]) -> bool:
    _, crate, *rest = path.split("/") if path.startswith("crates/") else ("", "", path)
    return crate in crates and rest == ["build.rs"]


class Finding(NamedTuple):
    """A declaration that no product uses."""

    file: str
    line: int
    text: str

    @property
    def name(self) -> str:
        """The name that is declared: an item's, or else a field's or a variant's."""
        found = _DECLARED.search(self.text) or _MEMBER.match(self.text)
        return found[1] if found else ""

    @property
    def key(self) -> str:
        """The file, from the crate's folder on, and the name: `crate/src/file.rs name`."""
        return f"{self.file.removeprefix('crates/')} {self.name}"


def findings() -> list[Finding]:
    """Check the crate, and return what is dead in it."""
    command = [os.environ.get("CARGO", "cargo"), "check", "--quiet", "--message-format=json"]
    environment = {**os.environ, "PYO3_BUILD_EXTENSION_MODULE": "1", "CARGO_TARGET_DIR": str(COPY / "target")}
    done = subprocess.run(command, cwd=COPY, env=environment, capture_output=True, text=True, check=False)
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    messages = [line["message"] for line in lines if line["reason"] == "compiler-message"]
    if done.returncode != 0:
        errors = [message["rendered"] for message in messages if message["level"] == "error"]
        sys.exit(f"needless: the crates don't check as one:\n{''.join(errors[:5])}{done.stderr}")
    dead = [message for message in messages if (message["code"] or {}).get("code") == "dead_code"]
    # What a macro writes several times stands in the source once.
    places = {(span["file_name"], span["line_start"]) for one in dead for span in one["spans"] if span["is_primary"]}
    return [
        Finding(file, line, (ROOT / file).read_text(encoding="utf-8").splitlines()[line - 1].strip())
        for file, line in sorted(places)
    ]


def kept() -> dict[str, str]:
    """Return the reason of each entry of the list."""
    groups = tomllib.loads(KEPT.read_text(encoding="utf-8"))["kept"]
    return {
        f"{file} {name}": group["reason"]
        for group in groups
        for file, names in group["items"].items()
        for name in names.split()
    }


def compared(found: list[Finding], entries: Iterable[str]) -> tuple[list[Finding], list[str]]:
    """Return the findings without an entry, and the entries without a finding."""
    entries = list(entries)
    others = [one for one in found if not any(fnmatch(one.key, entry) for entry in entries)]
    return others, [entry for entry in entries if not any(fnmatch(one.key, entry) for one in found)]


def main(arguments: list[str]) -> int:
    """Print the findings that the list doesn't have, or all, and return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--all", action="store_true", help="print what is on the list, too")
    options = parser.parse_args(arguments)
    make(*_crates())
    found = findings()
    others, stale = compared(found, kept())
    for one in found if options.all else others:
        print(f"{one.file}:{one.line}: {one.text}")
    if options.all:
        for crate, number in sorted(Counter(one.file.split("/")[1] for one in found).items()):
            print(f"{crate:24} {number:5}")
    if others:
        print(f"needless: {len(others)} items that only tests, benches and examples use, if any;")
        print(f"  remove them, move them to everlevel-testkit, or give a reason in {KEPT.relative_to(ROOT)}")
    for entry in stale:
        print(f"needless: {KEPT.relative_to(ROOT)}: `{entry}` is used, or gone; remove the entry")
    print(f"needless: {len(found) - len(others)} items that no product uses, each with a reason")
    return int(bool(others or stale))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
