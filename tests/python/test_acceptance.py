"""The scripts that measure what nothing needs: lines of code, items of traits, one crate of all, ways of calls."""

from __future__ import annotations

from pathlib import Path

import pytest

import code_lines
import needless
import trait_needs
import ways

RUST = b"""//! A module.
use std::fmt;

/// A function, with `#[test]` in its words.
#[inline]
pub fn two() -> &'static str {
    // A comment.
    "a
    text"
}

#[cfg(test)]
mod tests {
    #[test]
    fn fails() {}
}

#[cfg(test)]
mod others;

#[cfg(not(test))]
fn kept() {}
"""


def test_lines_of_rust_leave_out_comments_and_tests():
    assert code_lines.rust_lines(RUST) == (8, ["others"])


def test_lines_of_python_leave_out_docstrings_and_comments():
    source = b'''"""A module."""

X = 1  # one
"""An attribute."""

def f() -> str:
    """F."""
    return """a

b"""
'''
    assert code_lines.python_lines(source) == 5


SOURCES = {
    Path("crates/everlevel-ring/src/lib.rs"): b"""/// A trait.
pub trait Shape {
    /// A word.
    type Word;
    /// A size.
    fn size(&self) -> usize;
    /// Its double.
    fn double(&self) -> usize {
        2 * self.size()
    }
}
impl Shape for u8 {
    type Word = u8;
    #[inline]
    fn size(&self) -> usize {
        1
    }
}
""",
    Path("crates/everlevel-bfv/src/lib.rs"): b"""struct Own;
impl everlevel_ring::Shape for Own {
    type Word = u16;
    // How many.
    fn size(&self) -> usize {
        7
    }
}
impl Own {
    fn size(&self) {}
}
""",
}


def test_removals_are_of_every_item_and_every_implementation():
    removals = trait_needs.Workspace(SOURCES).removals()
    listed = ["Shape::Word", "Shape::size", "Shape::double", "impl Shape for u8", "impl Shape for Own"]
    assert list(map(str, removals)) == listed


def test_a_removed_item_goes_from_its_trait_and_all_implementations_alone():
    workspace = trait_needs.Workspace(SOURCES)
    size = next(one for one in workspace.removals() if str(one) == "Shape::size")
    ring, bfv = workspace.without([size]).values()
    assert b"fn size" not in ring
    assert b"A size" not in ring
    assert b"inline" not in ring
    assert b"self.size()" in ring
    assert b"How many" not in bfv
    assert b"fn size(&self) {}" in bfv


def test_a_removed_implementation_leaves_the_others():
    workspace = trait_needs.Workspace(SOURCES)
    ring, bfv = workspace.without(workspace.removals()[-1:]).values()
    assert ring == SOURCES[Path("crates/everlevel-ring/src/lib.rs")]
    assert b"everlevel_ring" not in bfv
    assert b"impl Own" in bfv


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"use crate::a::B;", b"use crate::all::own::a::B;"),
        (b"pub(crate) fn f() {}", b"pub(crate) fn f() {}"),
        (b"pub use other as o;", b"pub use crate::all::other as o;"),
        (b"fn f() { other::g(x::other::h) }", b"fn f() { crate::all::other::g(x::other::h) }"),
        (b"other::errors! { a }", b"crate::errors! { a }"),
        (b"macro_rules! m { () => { $crate::f() } }", b"macro_rules! m { () => { $crate::all::own::f() } }"),
        (b'/// crate::a\nfn f() -> &str { "crate::a" }', b'/// crate::a\nfn f() -> &str { "crate::a" }'),
    ],
)
def test_paths_of_a_crate_that_became_a_module(before: bytes, after: bytes):
    assert needless.moved(before, "own", {"own", "other"}) == after


@pytest.mark.parametrize(
    ("declaration", "name"),
    [
        ("pub(crate) const fn shifted(self) -> Self {", "shifted"),
        ("pub const LINE_BITS: f64 = 132.0;", "LINE_BITS"),
        ("sigma: f64,", "sigma"),
        ("pub sigma: f64,", "sigma"),
        ("Read,", "Read"),
        ("fn run(self, fn_of: fn(u8)) where Self: Sized;", "run"),
    ],
)
def test_what_is_needless_has_the_name_that_is_declared(declaration: str, name: str):
    assert needless.Finding("crates/a/src/lib.rs", 7, declaration).key == f"a/src/lib.rs {name}"


def test_needless_items_have_a_reason_or_are_told_and_so_are_reasons_for_nothing():
    found = [needless.Finding(f"crates/a/src/{file}.rs", 1, f"fn {name}() {{") for file, name in ["xf", "xg", "yf"]]
    entries = ["a/src/x.rs f", "a/src/y.rs *", "a/src/z.rs *"]
    assert needless.compared(found, entries) == ([found[1]], ["a/src/z.rs *"])


def test_the_list_of_needless_items_names_files_that_are_there():
    files = {entry.split()[0] for entry in needless.kept()}
    assert all((needless.ROOT / "crates" / file).exists() for file in files)


def test_instructions_are_those_of_the_file_that_they_were_written_in():
    profile = """fl=(1) /x/crates/everlevel-ring/src/a.rs
fn=(1) f
10 5
11 2
0 9
fi=(2) /x/crates/everlevel-ring/src/b.rs
3 7
fe=(1)
cfi=(3) /x/crates/everlevel-ring/src/c.rs
cfn=(2) g
calls=1 20
12 1000
12 1

fl=(3)
fn=(2)
20 4
"""
    counted = {Path(file).name: cost for file, cost in ways.instructions(profile).items()}
    assert counted == {"a.rs": 8, "b.rs": 7, "c.rs": 4}
