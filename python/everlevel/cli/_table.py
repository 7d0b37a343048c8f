"""Tables and lists on a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence


def table(rows: Iterable[Mapping[str, str]], titles: Sequence[str]) -> str:
    """Write rows as columns, numbers and words alike to the right of the first."""
    lines = [list(titles), *([row.get(title, "-") for title in titles] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]

    def cells(line: Sequence[str]) -> Iterable[str]:
        first, *rest = zip(line, widths, strict=True)
        yield first[0].ljust(first[1])
        yield from (cell.rjust(width) for cell, width in rest)

    return "\n".join("  ".join(cells(line)).rstrip() for line in lines)


def listing(entries: Mapping[str, str]) -> str:
    """Write names and values, one a line."""
    width = max(map(len, entries))
    return "\n".join(f"{name:<{width}}  {value}" for name, value in entries.items())
