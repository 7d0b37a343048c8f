"""Every code block of the documentation runs, in the order of its page.

A comment on the line before a Python block says how:

* none: as it stands, on rings as small as the block asks for;
* ``<!-- small-ring -->``: at real parameters for readers, and here on a ring without security (`on_small_ring`);
* ``<!-- full-size -->``: as it stands, at N = 2^16, with the tests that take gigabytes.

Lines of ``sh`` blocks that call ``everlevel`` run in a temporary folder, on a small ring too. Those that call ``make``
name targets that there are.
"""

from __future__ import annotations

import re
import shlex
import subprocess
from pathlib import Path

import pytest

import everlevel
from everlevel import bfv, cluster, ntru, tfhe
from everlevel.ckks import limbs
from everlevel.cli import main

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"(?:<!-- (?P<mark>[\w-]+) -->\n)?```(?P<language>python|sh)\n(?P<code>.*?)```", re.DOTALL)
SMALL = "insecure_log_n=10"
LINK = re.compile(r"\]\((?P<target>[^)#\s]*)(?P<anchor>#[^)]*)?\)")


def blocks(page: Path, language: str) -> list[tuple[str | None, str]]:
    found = BLOCK.finditer(page.read_text(encoding="utf-8"))
    return [(block["mark"], block["code"]) for block in found if block["language"] == language]


def on_small_ring(code: str) -> str:
    """Ask every engine of a block for a ring without security."""
    small = re.sub(r"\bEngine\(", f"Engine({SMALL}, ", code).replace(f"{SMALL}, )", f"{SMALL})")
    # Positional arguments come first.
    small = re.sub(rf'Engine\({SMALL}, ("\w+"|\d+)', rf"Engine(\1, {SMALL}", small)
    assert small != code, "the block makes no engine; leave the mark out"
    return small


def run(page: Path, *, full_size: bool) -> None:
    names: dict[str, object] = {"__name__": page.stem}
    for mark, code in blocks(page, "python"):
        assert mark in (None, "small-ring", "full-size"), mark
        if (mark == "full-size") == full_size:
            exec(compile(on_small_ring(code) if mark == "small-ring" else code, str(page), "exec"), names)


def of(pages: list[Path]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("page", pages, ids=lambda page: str(page.relative_to(ROOT)))


@of([page for page in PAGES if any(mark != "full-size" for mark, _ in blocks(page, "python"))])
def test_small_blocks(page: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    run(page, full_size=False)


@pytest.mark.full_size
@of([page for page in PAGES if any(mark == "full-size" for mark, _ in blocks(page, "python"))])
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
        for module in (bfv, cluster, limbs)
        for name in module.__all__
    }
    assert public - {"bfv", "tfhe", "ntru"} <= found


def test_the_substitution() -> None:
    assert on_small_ring('Engine("parallel", use_bootstrap=True)') == f'Engine("parallel", {SMALL}, use_bootstrap=True)'
    assert on_small_ring("Engine(max_level=5)") == f"Engine({SMALL}, max_level=5)"
    assert on_small_ring("Engine(5)") == f"Engine(5, {SMALL})"
