"""Syntax trees of Rust source by tree-sitter, and the few questions that the scripts ask of them."""

from __future__ import annotations

from collections.abc import Iterator

import tree_sitter_rust
from tree_sitter import Language, Node, Parser

COMMENTS = ("line_comment", "block_comment")
_PARSER = Parser(Language(tree_sitter_rust.language()))


def tree(source: bytes) -> Node:
    """Parse a file."""
    return _PARSER.parse(source).root_node


def walk(node: Node) -> Iterator[Node]:
    """Yield a node and all below it, in the order of the source."""
    yield node
    for child in node.children:
        yield from walk(child)


def text(node: Node | None) -> str:
    """Return the source of a node; of none, nothing."""
    return "" if node is None or node.text is None else node.text.decode()


def name(node: Node) -> str:
    """Return the name that an item defines."""
    return text(node.child_by_field_name("name"))


def head(node: Node) -> list[Node]:
    """List the attributes and comments that stand directly before an item, the nearest first."""
    found, before = [], node.prev_sibling
    while before is not None and before.type in ("attribute_item", *COMMENTS):
        found.append(before)
        before = before.prev_sibling
    return found


def is_tested(node: Node) -> bool:
    """Say whether an item is compiled for the crate's own tests alone: `#[cfg(test)]`, alone or in `all`."""
    words = [[text(leaf) for leaf in walk(part) if not leaf.children] for part in head(node) if not part.is_extra]
    return any("cfg" in leaves and "test" in leaves and not {"not", "any"} & set(leaves) for leaves in words)
