"""Figures that the documentation gives and the library can tell: claims of sets, sizes of keys, budgets, levels."""

from __future__ import annotations

import json
import re
from pathlib import Path
from types import ModuleType

import pytest

from everlevel import Engine, bfv, bulk, ntru, tfhe
from everlevel.ckks import limbs
from everlevel.cli import main

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", ROOT / "SECURITY.md", *sorted((ROOT / "docs").rglob("*.md"))]
# A set that is tfhe-rs' own.
OTHERS = {"gate-165"}
SET = re.compile(r"`((?:ntru-)?(?:insecure-[a-z0-9-]+|(?:gate|integer)-[0-9][a-z0-9-]*))`")


def text(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def rows(page: str) -> list[list[str]]:
    """The cells of every row of a page's tables."""
    return [
        [cell.strip() for cell in line.strip("|").split("|")] for line in text(page).splitlines() if line[:1] == "|"
    ]


def said(page: str, pattern: str) -> tuple[str, ...]:
    """What a page says at a pattern, which it has to have, whatever its lines' ends."""
    found = re.search(pattern.replace(" ", r"\s+"), text(page))
    assert found, f"{page} says nothing like {pattern!r}; does this test have to say it anew?"
    return found.groups()


def claims(module: ModuleType) -> dict[str, object]:
    return {found.name: found for found in module.parameter_sets()}


def gigabytes(nbytes: int) -> str:
    return f"{nbytes / 1e9:.2f}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_named_sets_are_there(page: Path) -> None:
    known = {*claims(tfhe), *claims(ntru), *(f"ntru-{name}" for name in claims(ntru)), *OTHERS}
    assert set(SET.findall(page.read_text(encoding="utf-8"))) <= known


@pytest.mark.parametrize(("page", "module"), [("docs/new-keys.md", tfhe), ("docs/ntru.md", ntru)])
def test_failures_of_sets_are_their_claims(page: str, module: ModuleType) -> None:
    known, compared = claims(module), 0
    for name, *cells in rows(page):
        if name.strip("`") in known and name.startswith("`"):
            failures = [float(found[1]) for cell in cells if (found := re.fullmatch(r"2\^(-\d+\.\d)", cell))]
            assert failures in ([], [known[name.strip("`")].log2_p_fail]), name
            compared += len(failures)
    assert compared >= 13


def test_security_of_sets_with_new_secrets_is_their_claim() -> None:
    known = claims(tfhe)
    compared = [row for row in rows("docs/new-keys.md") if len(row) == 7 and row[0].strip("`") in known]
    assert len(compared) == 64
    for row in compared:
        assert float(row[4]) == known[row[0].strip("`")].security_bits, row[0]


def test_keys_of_tfhe_have_the_sizes_that_are_said() -> None:
    least, most = said("docs/tfhe.md", r"keys have from (\d+) to (\d+) MB in memory")
    others = ("insecure", "experimental", "baseline")
    usual = [name for name in claims(tfhe) if not any(mark in name for mark in others)]
    sizes = [tfhe.Engine(name).estimate_memory("create_evaluation_key").held for name in usual]
    assert (int(least), int(most)) == (round(min(sizes) / 1e6), round(max(sizes) / 1e6))


def test_key_switches_in_a_small_ring_have_the_sizes_that_are_said() -> None:
    least, most, *_ = said("docs/notes/tfhe.md", r"([\d.]+) to ([\d.]+) MB instead of \d+ to \d+ for gates and")
    sizes = []
    for name in ("gate-64", "gate-128", "integer-4-64", "integer-4-128"):
        engine = tfhe.Engine(name)
        found = re.search(r"key switch ([\d.]+) MB", repr(engine.create_evaluation_key(engine.create_secret_key())))
        assert found
        sizes.append(float(found[1]))
    assert (float(least), float(most)) == (min(sizes), max(sizes))


@pytest.mark.parametrize(("page", "module"), [("docs/bfv.md", bfv), ("docs/base2k.md", limbs)])
def test_sets_over_limbs_are_as_their_table_says(page: str, module: ModuleType) -> None:
    found = [row for row in rows(page) if row[0].startswith("`n") and row[-1].endswith("MB")]
    assert len(found) >= 4
    for name, slots, depth, *_, key in found:
        engine = module.Engine(name.strip("`"))
        assert (engine.slot_count, engine.depth) == (int(slots), int(depth)), name
        if engine.slot_count <= 32768 and float(key.removesuffix(" MB")) < 50:
            made = engine.create_evaluation_key(engine.create_secret_key())
            assert f"{made.nbytes / 1e6:.1f} MB" == key, name


def test_budgets_of_bfv_fall_as_is_said() -> None:
    engine = bfv.Engine("n13")
    secret_key = engine.create_secret_key()
    engine.create_evaluation_key(secret_key)
    x = engine.encrypt([1, 2], secret_key)
    vector, product = said("docs/bfv.md", r"in the clear some (\d+), and products of ciphertexts some (\d+) at this")
    assert round(x.budget_bits - (x * [1, 2, 3]).budget_bits) == int(vector)
    assert int(product) <= x.budget_bits - (x * x).budget_bits < int(product) + 1


def test_depth_at_a_large_modulus_is_half() -> None:
    assert 2 * bfv.Engine("n14", plain_modulus=1099510054913).depth == bfv.Engine("n14").depth


def test_keys_of_bootstraps_have_the_sizes_that_are_said() -> None:
    def size(engine: Engine, *names: str, **options: int | str) -> int:
        return sum(engine.estimate_memory(f"create_{name}", **options).held for name in names)

    engines = {
        "10": Engine(use_bootstrap=True),
        "14": Engine(use_bootstrap_to_14_levels=True),
        "17": Engine(use_bootstrap_to_17_levels=True),
    }
    compared = [row for row in rows("docs/bootstraps.md") if row[0] in engines]
    assert len(compared) == 3
    for level, medium, _, _, small, *_ in compared:
        assert medium == f"{gigabytes(size(engines[level], 'bootstrap_key', stage_count=3))} GB"
        assert small == f"{gigabytes(size(engines[level], 'small_bootstrap_key', 'rotation_key'))} GB"
    (together,) = said("docs/bootstraps.md", r"small bootstrap key: ([\d.]+) GB together")
    assert together == gigabytes(size(engines["10"], "small_bootstrap_key", "rotation_key"))

    forms = [{"stage_count": stages, "size": kind} for stages in (3, 4, 5) for kind in ("medium", "large")]
    regular = [size(engines["10"], "bootstrap_key", **form) for form in forms]
    # At full slots both have the same keys.
    assert regular == [size(engines["10"], "lossy_bootstrap_key", **form) for form in forms]
    # More stages make smaller keys, but for a large one of five.
    assert sorted(regular[::2], reverse=True) == regular[::2]
    assert regular[1] > regular[5] > regular[3]

    rotation, any_amount = said("docs/explanations/keys.md", r"has (\d+) MB on an engine [^.]*, ([\d.]+) GB;")
    assert int(rotation) == round(size(engines["10"], "fixed_rotation_key") / 1e6)
    assert any_amount == gigabytes(size(engines["10"], "rotation_key"))


def test_keys_of_bulk_have_the_sizes_that_are_said() -> None:
    engines = {f"`{found.name}`": bulk.Engine(found.name) for found in bulk.parameter_sets()}
    compared = [row for row in rows("docs/bulk.md") if row[0] in engines]
    assert len(compared) == len(engines)
    for name, values, key, *_ in compared:
        assert int(values.split()[0].replace(",", "")) == engines[name].bootstrap_size, name
        held = engines[name].estimate_memory("create_evaluation_key").held
        assert key == f"{gigabytes(held)} GB", name


def test_keys_of_products_grow_as_is_said() -> None:
    pattern = r"key has (\d+) MB for (\d+) levels and (\d+) MB for (\d+) levels"
    small, low, large, high = map(int, said("docs/explanations/levels.md", pattern))
    for megabytes, levels in ((small, low), (large, high)):
        held = Engine(max_level=levels).estimate_memory("create_relinearization_key").held
        assert megabytes == round(held / 1e6)


def test_security_is_explained_as_it_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["info"]) == 0
    titles = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("engine"))
    page = "docs/explanations/security.md"
    assert all(title in titles for title in re.findall(r"^- \*\*(.+?)\*\*", text(page), re.MULTILINE))

    assert main(["info", "--json"]) == 0
    sets = json.loads(capsys.readouterr().out)["parameter_sets"]
    sparse = next(row for row in sets if "weight-32" in row.values())
    modulus, bits = said(page, r"meets a modulus of (\d+) bits, for which it has ([\d.]+) bits")
    assert {float(modulus), float(bits)} <= {round(x, 1) for x in sparse.values() if isinstance(x, float)}
    (cap,) = said("docs/explanations/levels.md", r"together to be (\d+) with the secrets")
    assert float(cap) in next(row for row in sets if "weight-1024" in row.values()).values()
