"""The command of docs/seeds.md: published rows, measured ones, and the page that both make."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
PUBLISHED_ROWS = {"regular": 9, "sparse": 13, "14 levels": 3, "lossy": 9, "lossy real": 9, "sign": 9, "sign real": 9}


@pytest.fixture
def seeds(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(ROOT / "benches"))
    import seeds.__main__
    import seeds.pictures

    return seeds


def measured(seconds: dict[str, float], **more: Any) -> dict[str, Any]:
    return {
        "seconds": seconds, "first_seconds": 5.0, "level_in": 0, "level_out": 10, "mean_bits": 24.5,
        "worst_bits": 22.25, "random_error": 1e-8, "alternating_error": 2e-6, "guide_error": 3e-8,
        "key_gigabytes": 3.7, "key_seconds": 6.0, "peak_gigabytes": 5.0, "insecure_log_n": None, **more,
    }  # fmt: skip


def store_of(seeds: Any, path: Path, rows: dict[str, Any]) -> Any:
    from tables.place import Place, Store

    store = Store.open(path / "rows.json", Place("AMD EPYC (Zen 4)", "0123abcde", "0.1.0"))
    for key, row in rows.items():
        store.put(key, row)
    return store


def test_every_published_row_is_a_job(seeds: Any) -> None:
    rows = seeds.published.bootstraps()
    assert {kind: sum(one.kind == kind for one in rows) for kind in PUBLISHED_ROWS} == PUBLISHED_ROWS
    keys = [job.key for job in seeds.__main__.jobs(quick=False)]
    others = [*seeds.examples.EXAMPLES, *seeds.examples.TURNS]
    assert len(set(keys)) == len(keys) == len(rows) + len(others)
    # tfhe-rs has no small rings.
    quick = [job.key for job in seeds.__main__.jobs(quick=True)]
    assert quick == [key for key in keys if not key.startswith("tfhe-rs/")]
    assert len(keys) - len(quick) == len(seeds.examples.TURNS)
    # The one row that our copy of the document cuts off.
    assert [one.key for one in rows if not any(one.editions)] == ["sign-real/large/5"]
    for one in rows:
        assert all(list(times) == sorted(times, reverse=True) and len(times) == 4 for times in one.editions if times)


def test_the_page_has_a_place_for_every_table(seeds: Any, tmp_path: Path) -> None:
    page = (ROOT / seeds.page.PAGE).read_text(encoding="utf-8")
    marks = seeds.page.texts(store_of(seeds, tmp_path, {}))
    assert all(page.count(f"<!-- {mark} begin") == page.count(f"<!-- {mark} end -->") == 1 for mark in marks)
    assert page.count("<!-- seeds") == 2 * len(marks)


def test_rows_stand_beside_published_ones(seeds: Any, tmp_path: Path) -> None:
    rows = {"regular/medium/3": measured({"1": 4.0, "2": 2.5}), "regular/large/3": measured({"1": 3.0})}
    text = seeds.page.bootstraps_table(store_of(seeds, tmp_path, rows), "regular")
    # One and two threads of 4 and 2.5 s show a serial quarter.
    assert "| medium | 3 | 30.5; 30.7 | 12.7; 12.6 / 9.92; 9.73 | 0.82; 0.78 | **4.00** | 7.6 | 2.50 |" in text
    assert "| ≈ 1.75 / ≈ 1.19 | 5.00 |" in text
    assert "| large | 3 | 28.1; 27.4 | 11.9; 11.8 / 9.63; 9.47 | 0.79; 0.75 | **3.00** | 9.1 | not measured |" in text
    assert "| medium | 3 | 0 → 10 | 24.5, 22.2 | 1.0e-08 | 2.0e-06 | 3.0e-08 | 3.70 | 6.0 | 5.00 |" in text
    assert "Missing: not measured yet." in text


def test_times_of_small_rings_stand_in_no_ratio(seeds: Any, tmp_path: Path) -> None:
    store = store_of(seeds, tmp_path, {"regular/medium/3": measured({"1": 0.1, "2": 0.1}, insecure_log_n=11)})
    text = seeds.page.bootstraps_table(store, "regular")
    assert "| **0.10** | – |" in text
    assert "rings of 2^11 without security" in text


def test_tables_of_programs_are_kept_as_they_are(seeds: Any, tmp_path: Path) -> None:
    text = "N = 2^15\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nN = 2^16\n\n| a |\n|---|\n| 3 |\n"
    tables = seeds.examples.tables_of(text)
    assert tables == ["| a | b |\n|---|---|\n| 1 | 2 |", "| a |\n|---|\n| 3 |"]
    page = seeds.page.texts(store_of(seeds, tmp_path, {"limbs/key-switches": {"tables": tables}}))
    assert page["seeds limbs/key-switches"].startswith("\n\n".join(tables))
    assert page["seeds limbs/ckks"] == "Missing: not measured yet."


def test_tables_without_rows_stay_as_they_are(seeds: Any, tmp_path: Path) -> None:
    assert set(seeds.beside.SOURCES) == set(seeds.beside.texts(store_of(seeds, tmp_path, {})))
    keys = {one.key for one in seeds.published.bootstraps()} | {one.key for one in seeds.examples.EXAMPLES}
    assert {key for of in seeds.beside.SOURCES.values() for key in of} <= keys | {t.key for t in seeds.examples.TURNS}
    rows = {"regular/medium/3": measured({"1": 4.0}), "sign/small/3": {"missing": "no memory"}}
    assert list(seeds.page.known(store_of(seeds, tmp_path, rows))) == ["seeds regular"]
    rows = {"limbs/decompositions": {"tables": ["| a |"], "figures": {}, "load": 3.0}}
    known = seeds.page.known(store_of(seeds, tmp_path / "limbs", rows))
    assert list(known) == ["seeds limbs/published", "seeds limbs/depth-30", "seeds limbs/decompositions"]
    assert seeds.page.known(store_of(seeds, tmp_path / "none", {})) == {}


def test_beside_others_a_row_says_so(seeds: Any, tmp_path: Path) -> None:
    for load, told in ((2.1, False), (4.6, True)):
        rows = {"regular/medium/3": measured({"1": 4.0}, load=load)}
        text = seeds.page.bootstraps_table(store_of(seeds, tmp_path, rows), "regular")
        assert ("the machine's load was up to 4.6" in text) == told


def figures_of(seeds: Any, path: Path, key: str, figures: dict[str, float], **more: Any) -> Any:
    return store_of(seeds, path, {key: {"tables": ["| a |"], "figures": figures, "load": 0.2}, **more})


def test_claims_of_ntru_stand_beside_ours(seeds: Any, tmp_path: Path) -> None:
    calls = [
        {"library": "everlevel", "name": "gate-64", "least": 3.0},
        {"library": "everlevel", "name": "ntru-gate-64", "least": 2.0},
        {"library": "tfhe-rs", "name": "DEFAULT", "least": 15.0},
        {"library": "tfhe-rs", "name": "DEFAULT_KS_PBS", "least": 14.0},
    ]
    gates = {"ntru-gate-64/alone": 2e-3, "ntru-gate-64/each": 1.5e-3, "ntru-gate-64-blocks-experimental/alone": 9e-4}
    saved = {"ntru/automorphisms": {"tables": ["| a |"], "figures": {"saved/465": 0.3441}}}
    store = figures_of(seeds, tmp_path, "ntru/gates", gates, **saved, **{"tfhe-rs/gate-64": {"calls": calls}})
    text = seeds.beside.ntru(store)
    ours = "`gate-64` 2.00; each of 64 1.50; `gate-64-blocks-experimental` 0.90"
    assert f"| 3.8 | {ours} | 1.9 times as fast |" in text
    assert "| times as fast as tfhe-rs | 1.8 | 7.00 |" in text
    assert "| fewer automorphisms than XZD+23 | 34 % | 34 % |" in text
    # The accelerator's clocks are those of its page, whatever was measured.
    assert "| accelerator, times FPT's throughput | 2 | **1.7**;" in seeds.beside.ntru(
        store_of(seeds, tmp_path / "", {})
    )


def test_cells_of_the_talk_stand_beside_ours(seeds: Any, tmp_path: Path) -> None:
    figures = {"doubles/product/16": 0.1, "doubles/product/16/bits": 1387.0, "primes/product/16": 0.2}
    store = figures_of(seeds, tmp_path, "limbs/decompositions", figures)
    assert "| 862; 335 | **100**; 1387 bits | 8.6; 3.4 |" in seeds.beside.limbs(store)
    assert "| product | 0.3 | 0.10 | 3.0 |" in seeds.beside.depth_30(store)
    assert "| switch | 0.2 | not measured | not measured |" in seeds.beside.depth_30(store)
    published = seeds.published.document()["limbs"]["seconds"]
    assert list(published) == list(seeds.beside.KINDS)
    assert all(list(cells) == list(seeds.beside.CELLS) for cells in published.values())


def test_half_products_stand_beside_full_ones(seeds: Any, tmp_path: Path) -> None:
    figures = {"insecure-tfhe-lib/8": 4e-3, "insecure-tfhe-lib/7": 3.2e-3, "insecure-tfhe-lib/6": 2.5e-3}
    text = seeds.beside.half_products(figures_of(seeds, tmp_path, "half-products", figures))
    assert "| half products, 7 | 11.2; 5.3 | 2.00; 1.96 | 3.20 | 1.25 |" in text
    assert "| half products, 6 | – | – | 2.50 | 1.60 |" in text


def test_new_keys_stand_beside_the_papers(seeds: Any, tmp_path: Path) -> None:
    figures = {
        "4/classic/alone": 6.0, "4/chain/alone": 4.0, "4/classic/each": 3.0, "4/chain/each": 2.5,
        "4/classic/words": 300.0, "4/chain/words": 200.0, "11/classic/rotation": 40.0, "11/chain/rotation": 25.0,
    }  # fmt: skip
    text = seeds.beside.new_keys(figures_of(seeds, tmp_path, "new-keys/sets", figures))
    assert "| 4 | 1.21 | 1.50, 1.20 | 1.32 | not measured | 1.33 | 1.50 | 1.88 | not measured |" in text
    assert "| 11 | 1.93 | 1.60, a rotation alone, of a part of its key | 1.73 | not measured |" in text
    published = seeds.published.document()["new_keys"]
    assert all(len(published[f"{kind}_{what}"]) == 11 for kind in ("chain", "transforms") for what in ("time", "key"))
    calls = [
        {"library": name, "name": "5 bits, Chain", "least": ms} for name, ms in (("tfhe-rs", 9.0), ("everlevel", 3.0))
    ]
    store = store_of(seeds, tmp_path / "turns", {"tfhe-rs/new-keys-5": {"calls": calls}})
    assert "| 9.00 | 3.00 | 3.00 |" in seeds.beside.new_keys_by_tfhe_rs(store)


def test_a_busy_machine_is_told(seeds: Any, tmp_path: Path) -> None:
    row = {"tables": ["| a |"], "figures": {}, "load": 3.5}
    store = store_of(seeds, tmp_path, {"limbs/bfv": row, "limbs/ckks": row | {"load": 0.3}})
    page = seeds.page.texts(store)
    assert "the machine's load was 3.5 before" in page["seeds limbs/bfv"]
    assert "load" not in page["seeds limbs/ckks"]


def test_turns_that_fail_are_missing_rows(seeds: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(group: str) -> dict[str, Any]:
        raise seeds.examples.peers.MissingError(f"{group}: no network")

    monkeypatch.setattr(seeds.examples.peers, "tfhe_rs", refuse)
    assert seeds.examples.TURNS[0].measure()["missing"] == "gate-64: no network"


def test_a_program_that_fails_is_a_missing_row(seeds: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    program = tmp_path / "cargo"
    program.write_text("#!/bin/sh\necho 'error: no such example' >&2\nexit 101\n", encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("CARGO", str(program))
    assert seeds.examples.EXAMPLES[0].measure(quick=True) == {"missing": "error: no such example"}
    program.write_text("#!/bin/sh\necho nothing\n", encoding="utf-8")
    assert seeds.examples.EXAMPLES[0].measure(quick=True) == {"missing": "ntru printed no table"}


def options_of(**options: Any) -> dict[str, Any]:
    small = {"slot_count": 0, "size": "medium", "stage_count": 3, "threads": [1], "repetitions": 1}
    return {**small, "insecure_log_n": 10, **options}


@pytest.mark.parametrize(
    ("kind", "more", "levels", "error"),
    [
        ("regular", {"size": "small"}, (0, 10), 1e-6),
        ("sparse", {"slot_count": 32, "stage_count": 1}, (0, 12), 1e-6),
        ("14 levels", {}, (0, 14), 1e-6),
        ("lossy real", {}, (3, 13), 1e-4),
        ("sign", {"stage_count": 5, "size": "large"}, (5, 13), 1e-9),
    ],
)
def test_a_row_is_measured(seeds: Any, kind: str, more: dict[str, Any], levels: tuple[int, int], error: float) -> None:
    row = seeds.bootstraps.measure(**options_of(kind=kind, **more))
    assert (row["level_in"], row["level_out"]) == levels
    assert 0 < row["random_error"] < error
    assert ("mean_bits" in row) == (kind != "sign")
    assert min(row["seconds"]["1"], row["first_seconds"], row["key_gigabytes"], row["peak_gigabytes"]) > 0


def test_messages_are_of_a_tables_kind(seeds: Any) -> None:
    messages = {kind: seeds.bootstraps.messages_of(kind, 8) for kind in ("sign", "sign real", "lossy")}
    assert {abs(part) for part in messages["sign"]["random"].view(float)} == {1.0}
    assert messages["sign real"]["guide"].tolist() == [-1, 1, 0, 0, 0, 0, 0, 0]
    assert "uniform" not in messages["sign"]
    assert (messages["lossy"]["uniform"].imag != 0).all()


def test_a_row_that_fails_is_missing(seeds: Any) -> None:
    row = seeds.bootstraps.measure_apart(options_of(kind="regular", stage_count=9))
    assert "stage_count" in row["missing"]
    assert row["kind"] == "regular"


def test_the_picture_is_drawn_without_rows(seeds: Any, tmp_path: Path) -> None:
    seeds.pictures.draw(store_of(seeds, tmp_path, {}), tmp_path / "picture.png")
    assert (tmp_path / "picture.png").stat().st_size > 10_000
