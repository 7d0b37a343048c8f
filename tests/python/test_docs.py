"""Every code block of the documentation runs, in the order of its page.

A comment on the line before a Python block says how:

* none: as it stands, on rings as small as the block asks for;
* ``<!-- small-ring -->``: at real parameters for readers, and here on a ring without security (`on_small_ring`); with
  the tests that take gigabytes, the whole page runs as it stands;
* ``<!-- full-size -->``: as it stands, at N = 2^16, with the tests that take gigabytes.

At real parameters each check runs the pages that are read first, and `make test-slow` all of them.

What a line prints is what the comment behind its ``print`` says, where … stands for anything, but for pages of real
parameters on small rings.

Lines of ``sh`` blocks that call ``everlevel`` run in a temporary folder, on a small ring too. Those that call ``make``
name targets that there are.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import everlevel
from everlevel import bfv, bulk, cluster, ml, ntru, tfhe
from everlevel.ckks import limbs
from everlevel.cli import main

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
READ_FIRST = [ROOT / "README.md", ROOT / "docs" / "tutorial.md"]
BLOCK = re.compile(r"(?:<!-- (?P<mark>[\w-]+) -->\n)?```(?P<language>python|sh)\n(?P<code>.*?)```", re.DOTALL)
SMALL = "insecure_log_n=10"
COMMENT = re.compile(r"\s*print\(.*\)  # (.*)$")
LINK = re.compile(r"\]\((?P<target>[^)#\s]*)(?P<anchor>#[^)]*)?\)")


def blocks(page: Path, language: str) -> list[tuple[str | None, str]]:
    found = BLOCK.finditer(page.read_text(encoding="utf-8"))
    return [(block["mark"], block["code"]) for block in found if block["language"] == language]


def on_small_ring(code: str) -> str:
    """Ask every engine of a block for a ring without security."""
    small = re.sub(r"\bEngine\(", f"Engine({SMALL}, ", code).replace(f"{SMALL}, )", f"{SMALL})")
    # Positional arguments come first.
    small = re.sub(rf'Engine\({SMALL}, ("[\w-]+"|\d+)', rf"Engine(\1, {SMALL}", small)
    # Engines of programs take options after them.
    small = re.sub(r"(\bEngine\.for_program\((?:[^()]|\([^()]*\))*)\)", rf"\1, {SMALL})", small)
    assert small != code, "the block makes no engine; leave the mark out"
    return small


def agrees(said: str, printed: str) -> bool:
    """Whether text was printed that a comment says, with anything in the places of …."""
    return re.fullmatch(".*".join(map(re.escape, said.split("…"))), printed.strip(), re.DOTALL) is not None


class Printer:
    """A `print` for the blocks of a page: it compares what a line prints with the comment behind it."""

    def __init__(self) -> None:
        self.said: dict[tuple[str, int], str] = {}

    def read(self, block: str, code: str) -> None:
        """Take the comments of a block that is about to run under this name."""
        found = ((number, COMMENT.match(line)) for number, line in enumerate(code.splitlines(), 1))
        self.said |= {(block, number): comment[1] for number, comment in found if comment}

    def __call__(self, *values: object) -> None:
        caller = sys._getframe(1)
        printed = " ".join(map(str, values))
        said = self.said.get((caller.f_code.co_filename, caller.f_lineno))
        assert said is None or agrees(said, printed), f"the page says {said!r}, and this was printed:\n{printed}"
        print(printed)


def has(page: Path, mark: str) -> bool:
    return any(found == mark for found, _ in blocks(page, "python"))


def run(page: Path, *, full_size: bool) -> None:
    """Run the blocks of a page that are for this size. What is printed at real parameters differs on small rings."""
    printer, of_both_sizes = Printer(), has(page, "small-ring")
    names: dict[str, object] = {"__name__": page.stem, "print": printer}
    for index, (mark, code) in enumerate(blocks(page, "python")):
        assert mark in (None, "small-ring", "full-size"), mark
        if (mark == "full-size") == full_size or (full_size and of_both_sizes):
            small = mark == "small-ring" and not full_size
            block, ran = f"{page}, block {index}", on_small_ring(code) if small else code
            if full_size or not of_both_sizes:
                printer.read(block, ran)
            exec(compile(ran, block, "exec"), names)


def of(pages: list[Any]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("page", pages, ids=lambda page: str(page.relative_to(ROOT)))


@of([page for page in PAGES if any(mark != "full-size" for mark, _ in blocks(page, "python"))])
def test_small_blocks(page: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    run(page, full_size=False)


def full_size() -> list[Any]:
    pages = [page for page in PAGES if has(page, "full-size") or has(page, "small-ring")]
    return [pytest.param(page, marks=[] if page in READ_FIRST else pytest.mark.slow) for page in pages]


@pytest.mark.full_size
@of(full_size())
def test_full_size_blocks(page: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    run(page, full_size=True)


@of([page for page in PAGES if blocks(page, "sh")])
def test_commands(page: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    targets = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    for _, code in blocks(page, "sh"):
        for line in filter(None, code.splitlines()):
            program, *arguments = shlex.split(line, comments=True)
            if program == "everlevel":
                small = ["--insecure-log-n", "10"] if {"keygen", "bench", "demo"} & set(arguments[:1]) else []
                small += ["--particles", "64", "--runs", "2"] if arguments[0] == "failures" else []
                # A secret's file says what its parameters are.
                assert main([*arguments, *(small if "--secret" not in arguments else [])]) == 0, line
            elif program == "make":
                assert arguments[0] in targets, line
            elif program == "python":
                assert (ROOT / arguments[0]).exists(), line
            elif program == "cargo":
                assert (ROOT / "crates" / arguments[arguments.index("-p") + 1]).is_dir(), line
            elif program == "cc":
                # Rust's tests link and run these programs.
                compiled = [word for word in arguments if not word.startswith(("-L", "-l"))]
                assert subprocess.run([program, "-fsyntax-only", *compiled], cwd=ROOT).returncode == 0, line
            else:
                assert line.startswith("pip install "), f"{line!r} is not tested anywhere"


@of(PAGES)
def test_links_lead_somewhere(page: Path) -> None:
    for link in LINK.finditer(page.read_text(encoding="utf-8")):
        target = link["target"]
        if not target.startswith(("http:", "https:")):
            assert (page.parent / target).exists(), target


@of([page for page in PAGES if page.is_relative_to(ROOT / "docs") and page.parent.name != "notes"])
def test_pages_are_in_the_navigation(page: Path) -> None:
    name = page.relative_to(ROOT / "docs").as_posix()
    assert f": {name}\n" in (ROOT / "mkdocs.yml").read_text(encoding="utf-8")


def test_the_reference_has_every_public_name() -> None:
    pages = (ROOT / "docs" / "reference").glob("*.md")
    found = set(re.findall(r"^::: everlevel\.([\w.]+)", "\n".join(page.read_text() for page in pages), re.MULTILINE))
    public = set(everlevel.__all__) - {"__version__"} | {f"tfhe.{name}" for name in tfhe.__all__}
    # What NTRU's module has from TFHE's stands there.
    public |= {f"ntru.{name}" for name in ntru.__all__ if getattr(ntru, name) is not getattr(tfhe, name)}
    public |= {
        f"{module.__name__.removeprefix('everlevel.')}.{name}"
        for module in (bfv, bulk, cluster, limbs, ml)
        for name in module.__all__
    }
    assert public - {"bfv", "bulk", "ckks", "ml", "tfhe", "ntru"} <= found


def test_the_substitution() -> None:
    assert on_small_ring("Engine(use_bootstrap=True)") == f"Engine({SMALL}, use_bootstrap=True)"
    assert on_small_ring("Engine(max_level=5)") == f"Engine({SMALL}, max_level=5)"
    program = "Engine.for_program(study, x, bounds=(0, 1))"
    assert on_small_ring(program) == f"{program[:-1]}, {SMALL})"
    assert on_small_ring("Engine(5)") == f"Engine(5, {SMALL})"


@pytest.mark.parametrize(
    ("said", "printed", "agreed"),
    [
        ("Engine(… threads)", "Engine(2 threads)", True),
        ("…; bootstrap it first", "multiply: no\nlevel; bootstrap it first", True),
        ("budget 132.8 bits", "budget 133.0 bits", False),
        ("[-0.25  2.    5.75]", "[-0.25  2.    5.75]", True),
        ("5.75", "15.75", False),
    ],
)
def test_comments_are_compared_with_what_is_printed(said: str, printed: str, agreed: bool) -> None:
    assert agrees(said, printed) == agreed
    printer, code = Printer(), f"print({printed!r})  # {said}"
    printer.read("block", code)
    if agreed:
        exec(compile(code, "block", "exec"), {"print": printer})
    else:
        with pytest.raises(AssertionError, match="the page says"):
            exec(compile(code, "block", "exec"), {"print": printer})
