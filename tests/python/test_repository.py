"""What the repository's files say of one another: versions, packages, the changelog."""

from __future__ import annotations

import re
import tomllib
from os.path import normpath
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = tomllib.loads((ROOT / "Cargo.toml").read_text(encoding="utf-8"))["workspace"]["package"]


def text(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md", "docs/tutorial.md"])
def test_pages_name_the_oldest_rust(page: str):
    named = re.findall(r"(1\.\d+) or later", text(page))
    assert named == [PACKAGE["rust-version"]]


def test_hosted_checks_run_on_no_older_rust_than_the_oldest():
    lints = re.search(r"RUSTUP_TOOLCHAIN: 1\.(\d+)\.\d+", text(".github/workflows/ci.yml"))
    assert lints is not None
    assert int(lints[1]) >= int(PACKAGE["rust-version"].partition(".")[2])


def test_the_citation_and_the_changelog_have_the_version():
    assert f"\nversion: {PACKAGE['version']}\n" in text("CITATION.cff")
    assert f"\n## {PACKAGE['version']} – " in text("CHANGELOG.md")


def test_published_crates_include_no_file_that_their_package_lacks():
    """A link inside of the crate is followed when it is packaged."""
    outside = []
    for source in ROOT.glob("crates/*/src/**/*.rs"):
        crate = ROOT.joinpath(*source.relative_to(ROOT).parts[:2])
        for included in re.findall(r'include(?:_str|_bytes)?!\("([^"]+)"\)', source.read_text(encoding="utf-8")):
            # Not resolved: what a link points at lies outside.
            if not Path(normpath(source.parent / included)).is_relative_to(crate):
                outside.append(f"{source.relative_to(ROOT)}: {included}")
    assert not outside


def test_crates_name_each_other_with_their_version():
    manifest = tomllib.loads(text("Cargo.toml"))["workspace"]["dependencies"]
    own = {name: entry for name, entry in manifest.items() if name.startswith("everlevel-")}
    assert {name for name, entry in own.items() if "version" not in entry} == {"everlevel-testkit"}
    assert {entry.get("version", PACKAGE["version"]) for entry in own.values()} == {PACKAGE["version"]}
