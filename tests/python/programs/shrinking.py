"""Making failing programs minimal: fewer lines, and simpler numbers in them."""

from __future__ import annotations

import ast
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from .checking import Criteria, Finding, run
from .program import Line, Program

_SECONDS = 20.0


def shrunk(program: Program, finding: Finding, criteria: Criteria | None = None, seconds: float = _SECONDS) -> Program:
    """Return a smaller program that makes the same false claim: the same kind, of the same operation."""
    until = time.monotonic() + seconds

    def fails(candidate: Program) -> bool:
        try:
            return any(finding.same(other) for other in run(candidate, criteria).findings)
        except Exception:
            return False

    program = _ancestors(replace(program, expected={}), finding.line)
    if not fails(program):
        return program
    improved = True
    while improved and time.monotonic() < until:
        improved = False
        for candidate in _smaller(program):
            if time.monotonic() > until:
                break
            if fails(candidate):
                program, improved = candidate, True
                break
    return program


def _ancestors(program: Program, last: int) -> Program:
    """Keep a line and those that it is made of."""
    needed, kept = {program.lines[last].name}, []
    for line in reversed(program.lines[: last + 1]):
        if line.name in needed:
            needed |= line.uses()
            kept.append(line)
    return replace(program, lines=tuple(reversed(kept)))


def _smaller(program: Program) -> Iterator[Program]:
    """Give programs of fewer lines, and then those of simpler expressions."""
    lines = program.lines
    for i in reversed(range(len(lines) - 1)):
        # What used the line uses one of its operands, or another line's result.
        for operand in [*sorted(lines[i].uses()), *(line.name for line in lines[:i])]:
            rest = [line.replaced(lines[i].name, operand) for line in lines[i + 1 :]]
            smaller = replace(program, lines=(*lines[:i], *rest))
            yield _ancestors(smaller, len(smaller.lines) - 1)
    for i, line in enumerate(lines):
        for expression in _simpler(line.expression):
            yield replace(program, lines=(*lines[:i], Line(line.name, expression, line.covers), *lines[i + 1 :]))


def _simpler(expression: str) -> Iterator[str]:
    """Give expressions with one number simpler, one list shorter, or one option less."""
    tree = ast.parse(expression, mode="eval")
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and type(node.value) in (int, float):
            for number in _simpler_numbers(node.value):
                yield _with(tree, node, "value", number)
        elif isinstance(node, ast.List) and len(node.elts) > 1:
            yield _with(tree, node, "elts", node.elts[:1])
            yield _with(tree, node, "elts", node.elts[: len(node.elts) // 2])
        elif isinstance(node, ast.Call) and node.keywords:
            for k in range(len(node.keywords)):
                yield _with(tree, node, "keywords", node.keywords[:k] + node.keywords[k + 1 :])


def _with(tree: ast.Expression, node: Any, name: str, value: Any) -> str:
    before = getattr(node, name)
    setattr(node, name, value)
    text = ast.unparse(tree)
    setattr(node, name, before)
    return text


def _simpler_numbers(number: float) -> list[Any]:
    if isinstance(number, int):
        return [n for n in dict.fromkeys((1, 2, number // 2)) if 0 < n < number]
    rounded = [float(f"{number:.{digits}g}") for digits in (1, 2)]
    return [n for n in dict.fromkeys((1.0, *rounded)) if n != number and len(repr(n)) < len(repr(number))]
