"""Circles of files: groups in which every file depends on every other, directly or through others of the group."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from .finding import Finding

# Two files may know each other: a type and the operations that make it.
LARGEST_CIRCLE = 2

# For each file, the files that it depends on, each with one name that says why.
Edges = Mapping[Path, Mapping[Path, str]]


def circles(edges: Edges) -> list[Finding]:
    """One finding for each circle of more than `LARGEST_CIRCLE` files."""
    return [_finding(edges, group) for group in _groups(edges) if len(group) > LARGEST_CIRCLE]


def _finding(edges: Edges, group: list[Path]) -> Finding:
    parent = Path(os.path.commonpath([file.parent for file in group]))
    steps = [
        f"    {source.relative_to(parent)} -> "
        + ", ".join(
            f"{target.relative_to(parent)} ({edges[source][target]})" for target in group if target in edges[source]
        )
        for source in group
    ]
    return Finding(
        group[0],
        0,
        f"a circle of {len(group)} files, where {LARGEST_CIRCLE} is the most",
        "\n".join(["give what they share a file of its own, or pass it as an argument:", *steps]),
    )


def _groups(edges: Edges) -> list[list[Path]]:
    """Return the strongly connected components: files of one group reach each other."""
    reached = {source: _reached(edges, source) for source in edges}
    seen: set[Path] = set()
    groups = []
    for source in sorted(edges):
        if source not in seen:
            group = [target for target in sorted(reached[source]) if source in reached.get(target, ())]
            seen.update(group)
            groups.append(group)
    return groups


def _reached(edges: Edges, source: Path) -> set[Path]:
    found: set[Path] = set()
    ahead = [source]
    while ahead:
        for target in edges.get(ahead.pop(), {}):
            if target not in found:
                found.add(target)
                ahead.append(target)
    return found
