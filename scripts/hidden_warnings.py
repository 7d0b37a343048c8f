"""Check that no Python file ignores warnings: what is warned of is asserted, or doesn't happen.

A warning that is ignored hides the next false one. Tests say which they expect (`pytest.warns`), and the package's own
code makes calls that don't warn.
"""

from __future__ import annotations

import ast
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

_FILTERS = {"catch_warnings", "filterwarnings", "simplefilter"}
# A filter's action comes first, by itself or before the colon of its category.
_IGNORE = "ignore"


def main() -> int:
    """Check every tracked file, and the settings of tests, and return the exit status."""
    listed = subprocess.run(["git", "ls-files", "*.py"], capture_output=True, text=True, check=True)
    places = [
        f"{path}:{line}"
        for path in filter(Path.exists, map(Path, listed.stdout.split()))
        for line in ignoring(path.read_text(encoding="utf-8"))
    ]
    settings = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))
    filters = settings["tool"]["pytest"]["ini_options"].get("filterwarnings", [])
    places += [f"pyproject.toml: {item}" for item in filters if item.strip().startswith(_IGNORE)]
    for place in places:
        print(f"{place}: a warning is ignored; assert it with pytest.warns, or make no call that warns")
    return min(len(places), 1)


def ignoring(source: str) -> list[int]:
    """List the lines of calls that make a filter which ignores warnings."""
    calls = (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call))
    return sorted(call.lineno for call in calls if _name(call.func) in _FILTERS and any(map(_ignores, _given(call))))


def _given(call: ast.Call) -> Iterator[ast.expr]:
    yield from call.args
    yield from (keyword.value for keyword in call.keywords)


def _name(function: ast.expr) -> str | None:
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else None


def _ignores(argument: ast.expr) -> bool:
    return (
        isinstance(argument, ast.Constant)
        and isinstance(argument.value, str)
        and argument.value.strip().split(":")[0] == _IGNORE
    )


if __name__ == "__main__":
    sys.exit(main())
