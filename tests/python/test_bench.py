"""The tables of `everlevel bench` and benches/bench.py, on rings without security."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from everlevel import _bench, tfhe
from everlevel.cli import main
from everlevel.errors import EverlevelError

ROOT = Path(__file__).resolve().parents[2]
SMALL = ("--insecure-log-n", "10", "--threads", "1")


def bench(path: Path, *options: str) -> tuple[int, Any]:
    """Run the command, and return its status and what it wrote."""
    status = main(["bench", *SMALL, "--json", str(path), *options])
    return status, json.loads(path.read_text())


def test_bootstraps_are_measured_apart(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--only", "ckks", "--stage-counts", "3", "9", "--repetitions", "1"]
    status, found = bench(tmp_path / "bench.json", *options)
    assert status == 1  # nine stages can't be
    assert set(found) == {"machine", "ckks"}
    sound, failed = found["ckks"]
    assert sound["level_out"] == 10
    assert sound["worst_bits"] > 20
    assert "stage_count is 9" in failed["failure"]
    out = capsys.readouterr().out
    assert "stage_count is 9" in out
    assert "INSECURE" in out


def test_gates_and_tables_are_measured_apart(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--only", "tfhe", "--sets", "gate-64", "integer-2-64", "gate-1", "--gates", "9"]
    status, found = bench(tmp_path / "new" / "bench.json", *options)
    assert status == 1
    gate, table, failed = found["tfhe"]
    for row in (gate, table):
        assert row["right_answers"] == 1 + 9 + 64
        assert 0 < row["least_milliseconds"] <= row["one_milliseconds"]
        assert row["batch_milliseconds"] > 0
        assert row["security_bits"] == 0
        assert "log2_p_fail" not in row  # nothing is claimed of a ring without security
    assert (gate["operation"], table["operation"]) == ("gate", "2-bit table")
    assert "'gate-1'" in failed["failure"] or '"gate-1"' in failed["failure"]
    assert "gate-1" in capsys.readouterr().out


def test_a_wrong_answer_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tfhe.Engine, "nand", tfhe.Engine.and_)
    with pytest.raises(EverlevelError, match="1 of 1 answers are wrong"):
        _bench.TABLES["tfhe"].measure(parameters="gate-64", threads=1, gates=1, insecure_log_n=9)


def test_rows_have_the_claims_of_their_sets() -> None:
    found = {known.name: known for known in tfhe.parameter_sets()}
    for name in ("insecure-tfhe-lib", "gate-128"):
        claims = _bench.tfhe.claims(tfhe.Engine(name), None)
        assert claims == {
            "log2_p_fail": found[name].log2_p_fail,
            "core_svp_bits": found[name].core_svp_bits,
            "security_bits": found[name].security_bits,
        }
    # One model a column, each named.
    assert [title for title in _bench.TABLES["tfhe"].titles() if "bits" in title] == ["core-SVP, bits", "MATZOV, bits"]


def test_tables_for_pages() -> None:
    table = _bench.TABLES["tfhe"]
    rows = [{"parameters": "gate-64", "threads": 1, "one_milliseconds": 3.456}, {"parameters": "gate-1"}]
    titles, rule, first, second = table.markdown(rows).splitlines()
    assert titles.count("|") == rule.count("|") == first.count("|") == second.count("|") == len(table.columns) + 1
    assert first.startswith("| gate-64 | - | 1 | 3.46 | - |")
    assert second.startswith("| gate-1 | - | - |")


def test_marked_text_is_replaced_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "benches"))
    from marks import replace_marked

    page = tmp_path / "page.md"
    page.write_text("before\n<!-- a table begin: by hand? no -->\nold\n<!-- a table end -->\nafter\n")
    for text in ("new", "newer\nand longer"):
        replace_marked(page, "a table", text)
        assert page.read_text() == (
            f"before\n<!-- a table begin: by hand? no -->\n{text}\n<!-- a table end -->\nafter\n"
        )
    with pytest.raises(SystemExit, match="no marks of 'another table'"):
        replace_marked(page, "another table", "new")


def half_products_row(products: str, **values: Any) -> dict[str, Any]:
    row = {"set": "gate-64", "products": products, "samples": 10_000, "key_megabytes": 31.5, "multiplications": 24}
    row |= {
        "mask": {"digits": 3, "base_log2": 6},
        "body": {"digits": 2, "base_log2": 6},
        "transforms": 11,
        "bits_per_step": 1,
    }
    row |= {"least_milliseconds": 3.6, "median_milliseconds": 3.7, "batch_milliseconds": 2.0, "variance_ratio": 0.98}
    return row | {"log2_deviation": -7.88, "log2_deviation_formula": -7.87, "log2_p_fail": -65.5} | values


def test_half_products_are_drawn_and_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "benches"))
    import half_products

    rows = [half_products_row("full", least_milliseconds=4.0), half_products_row("half")]
    assert half_products.beside_full(rows, "least_milliseconds") == [4.0, 4.0]
    half_products.draw(rows, tmp_path / "new" / "picture.png")
    assert (tmp_path / "new" / "picture.png").stat().st_size > 10_000
    _, _, full, half, *_ = half_products.markdown(rows).splitlines()
    assert full.startswith("| `gate-64` | full | 3 × 6, 2 × 6 | 1 | 11 | 24 | 31.5 | 4.00 (3.70) | 2.00 |")
    assert half.endswith("| -7.88 | -7.87 | 0.98 | 2^-66 |")
