"""`make structure` finds what it promises to find in planted crates and packages, and nothing in sound ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from structure import imports, public, rust
from structure.__main__ import LAYERS, SCHEMES, check
from structure.circles import circles
from structure.finding import Finding
from structure.tokens import example_code, names, tokens


def plant(folder: Path, files: dict[str, str]) -> Path:
    """Write the files below the folder, and return it."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def rust_circles(folder: Path, files: dict[str, str]) -> list[Finding]:
    sources = {f"src/{name}": text for name, text in files.items()}
    return circles(rust.dependencies(rust.read_crate(plant(folder, sources))))


# Three files in a circle: by an import, by a name from the crate's root, by a path in code.
CIRCLE = {
    "lib.rs": "mod a;\nmod b;\npub mod c;\npub use b::Root;\n",
    "a.rs": "use crate::Root;\npub struct A(Root);\n",
    "b.rs": "pub struct Root;\nimpl Root { fn to_c(&self) { crate::c::inner::run() } }\n",
    "c/mod.rs": "pub mod inner;\n",
    "c/inner.rs": "pub fn run() { let _ = super::super::a::A; }\n",
}


def test_a_circle_of_rust_files_is_found(tmp_path: Path) -> None:
    (found,) = rust_circles(tmp_path, CIRCLE)
    assert "a circle of 3 files, where 2 is the most" in found.wrong
    assert found.next_step.splitlines()[1:] == [
        "    a.rs -> b.rs (Root)",
        "    b.rs -> c/inner.rs (run)",
        "    c/inner.rs -> a.rs (A)",
    ]


@pytest.mark.parametrize(
    "inner",
    [
        "pub fn run() {}\n",
        "pub fn run() {}\n#[cfg(test)]\nmod tests { use crate::a::A; }\n",
        'pub fn run() { // crate::a::A\n let _ = "crate::a::A"; }\n',
        "pub fn run() { let _ = core::a::A; let _: &'static str = r#\"crate::a::A\"#; let _ = ['\"', '{', '\\'']; }\n",
    ],
)
def test_tests_comments_texts_and_other_crates_make_no_circle(tmp_path: Path, inner: str) -> None:
    assert rust_circles(tmp_path, {**CIRCLE, "c/inner.rs": inner}) == []


@pytest.mark.parametrize(
    "inner",
    [
        "use crate::a::*;\npub fn run() {}\n",
        "use crate::{a::{A as First, self}, b};\npub fn run() {}\n",
        "pub fn run() { use crate::a::A; }\n",
        "use crate::a;\nimpl X { #[inline]\n pub const fn run(self) -> Option<a::A> { None } }\n",
        "mod deep { pub(super) struct B(super::super::super::a::A); }\n",
        "macro_rules! run { () => { $crate::a::A } }\n",
    ],
)
def test_every_form_of_use_is_an_edge(tmp_path: Path, inner: str) -> None:
    (found,) = rust_circles(tmp_path, {**CIRCLE, "c/inner.rs": inner})
    assert "    c/inner.rs -> a.rs" in found.next_step


def test_re_exports_of_the_root_and_pairs_are_no_circle(tmp_path: Path) -> None:
    files = {
        "lib.rs": "mod a;\nmod b;\nmod c;\npub use {a::A, b::B, c::C};\npub fn root() {}\n",
        "a.rs": "pub struct A(crate::B);\n",
        "b.rs": "pub struct B(crate::a::A);\n",
        "c.rs": "use crate::{A, root};\npub struct C;\n",
    }
    assert rust_circles(tmp_path, files) == []


# Under TYPE_CHECKING, in a function, and through a name that the package re-exports.
PACKAGE = {
    "house/__init__.py": "from .a import A\n\n__all__ = ['A']\n",
    "house/a.py": "from . import b\n\nclass A:\n    part = b\n",
    "house/b.py": "from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    from .sub.c import C\n",
    "house/sub/__init__.py": "",
    "house/sub/c.py": "def C():\n    from .. import A\n",
}


def test_a_circle_of_python_files_is_found(tmp_path: Path) -> None:
    (found,) = circles(imports.dependencies(plant(tmp_path, PACKAGE) / "house"))
    assert found.next_step.splitlines()[1:] == [
        "    a.py -> b.py (b)",
        "    b.py -> sub/c.py (C)",
        "    sub/c.py -> a.py (A)",
    ]
    plant(tmp_path, {"house/sub/c.py": "from collections import abc\nimport house.sub\n"})
    assert circles(imports.dependencies(tmp_path / "house")) == []


LAYER = """
pub mod inner {
    /// ```
    /// assert_eq!(layer::in_an_example(), 1);
    /// ```
    pub fn in_an_example() -> u8 { 1 }
    pub fn nobody() {}
    pub(crate) fn restricted() {}
    pub struct Returned { pub read: u64, pub unread: Vec<(u8, u8)>, hidden: u8 }
    pub(crate) struct Own { pub own: u8 }
    pub struct Unnamed(pub u8);
    impl Returned {
        pub fn called(&self) -> Unnamed { self.uncalled(); nobody(); Unnamed(0) }
        pub const fn uncalled(&self) {}
    }
}
pub fn make() -> inner::Returned { todo!() }
pub const UNREAD: u8 = 3;
"""


def test_public_names_that_nobody_uses_are_found(tmp_path: Path) -> None:
    root = rust.read_crate(plant(tmp_path, {"src/lib.rs": LAYER}))
    outside = names("fn main() { layer::inner::x; let a = layer::make(); a.called(); a.read; /* nobody, UNREAD */ }")
    found = public.unused(root, outside | names(example_code(LAYER)))
    assert [(item.line, item.wrong.split("`")[1]) for item in sorted(found)] == [
        (7, "pub fn nobody"),
        (9, "pub field unread"),
        (14, "pub fn uncalled"),
        (18, "pub const UNREAD"),
    ]
    assert "make it `pub(crate)`" in found[0].next_step


def test_two_public_paths_are_found(tmp_path: Path) -> None:
    files = {
        "src/lib.rs": "pub mod open;\nmod shut;\npub use {open::{Once as Twice, run}, shut::*, other::Name};\n",
        "src/open.rs": "pub struct Once;\nmod deep { pub fn run() {} }\npub use deep::run;\npub use other::Name;\n",
        "src/shut.rs": "pub struct Fine;\npub(crate) struct Hidden;\n",
    }
    found = public.repeated(rust.read_crate(plant(tmp_path, files)), "scheme")
    assert sorted(item.wrong.split(": ")[1] for item in found) == [
        "scheme::Name, scheme::open::Name",
        "scheme::Twice, scheme::open::Once",
        "scheme::run, scheme::open::run",
    ]


def test_lines_of_tokens_and_lifetimes() -> None:
    found = tokens("/* two\nlines */ fn f<'a>(x: &'a u8) -> char {\n  '\\u{41}' // end\n}")
    assert [(token.text, token.line) for token in found[:5]] == [("fn", 2), ("f", 2), ("<", 2), ("'a", 2), (">", 2)]
    assert [(token.text, token.line) for token in found[-2:]] == [("'\\u{41}'", 3), ("}", 4)]


def test_the_repository_is_checked_as_a_whole(tmp_path: Path) -> None:
    files = {f"crates/everlevel-{name}/src/lib.rs": "" for name in (*LAYERS, *SCHEMES)}
    plant(tmp_path, {**files, "python/everlevel/__init__.py": ""})
    listed = [Path(name) for name in files]
    assert check(tmp_path, listed) == []
    plant(tmp_path, {"crates/everlevel-math/src/lib.rs": "pub fn add() {}\n", "long.py": "\n" * 551})
    assert [finding.wrong for finding in check(tmp_path, [*listed, Path("long.py")])] == [
        "551 lines, 550 at most",
        "`pub fn add` is used by no other crate, test, bench or example",
    ]
    plant(tmp_path, {"crates/everlevel-ring/src/lib.rs": "fn f() { everlevel_math::add() }\n"})
    assert check(tmp_path, listed) == []


def test_a_file_of_tests_that_no_program_has_is_found(tmp_path: Path) -> None:
    files = {"tests/main.rs": "mod a;\n", "tests/a.rs": "", "tests/b.rs": "", "tests/own.rs": "", "src/lib.rs": ""}
    root = tmp_path / "crates" / "everlevel-testkit"
    plant(root, {**files, "Cargo.toml": '[[test]]\nname = "own"\n'})
    listed = [Path("crates/everlevel-testkit") / name for name in files]
    plant(tmp_path / "crates", {f"everlevel-{name}/src/lib.rs": "" for name in (*LAYERS, *SCHEMES)})
    (found,) = check(tmp_path, listed)
    assert found.path.name == "b.rs"
    assert "mod b;" in found.next_step


def test_unit_tests_of_a_library_without_a_test_build_are_found(tmp_path: Path) -> None:
    plant(tmp_path / "crates", {f"everlevel-{name}/src/lib.rs": "" for name in (*LAYERS, *SCHEMES)})
    files = {"src/a.rs": "#[test]\nfn f() {}\n", "src/b.rs": "#[test]\nfn f() {}\n", "tests/main.rs": "mod b;\n"}
    root = tmp_path / "crates" / "everlevel-testkit"
    plant(root, {**files, "tests/b.rs": '#[path = "../src/b.rs"]\nmod b;\n', "Cargo.toml": "[lib]\ntest = false\n"})
    listed = [Path("crates/everlevel-testkit") / name for name in files]
    (found,) = check(tmp_path, listed)
    assert found.path.name == "a.rs"
    assert '#[path = "../src/a.rs"]' in found.next_step
    plant(root, {"Cargo.toml": ""})
    assert check(tmp_path, listed) == []
