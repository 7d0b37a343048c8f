"""`make tables`: rows of one machine and one commit, others' figures as they print them, and pages that are today's."""

from __future__ import annotations

import dataclasses
import functools
import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from everlevel import _bench, tfhe
from everlevel._bench.machine import processor_of

ROOT = Path(__file__).resolve().parents[2]
MARKS = "<!-- {mark} begin: by a command -->\n{text}\n<!-- {mark} end -->\n"


@pytest.fixture
def tables(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(ROOT / "benches"))
    import tables.__main__
    import tables.check
    import tables.driver
    import tables.limbs
    import tables.picture

    return tables


def store_of(tables: Any, path: Path, **place: str) -> Any:
    here = tables.place.Place("AMD EPYC (Zen 4)", "0123abcde", "0.1.0")
    return tables.place.Store.open(path, dataclasses.replace(here, **place))


CALLS = """\
everlevel gate-64                        1.930 ms (2.090)  0.23 of the peer's best  2^-65 at 2-norm 2.00, 2^-40
everlevel ntru-gate-64                   1.540 ms (1.700)  0.18 of the peer's best  2^-64 at 2-norm 2.00
tfhe-rs DEFAULT                          9.470 ms (9.960)  1.12 of the peer's best  2^-43 at 2-norm 2.00
tfhe-rs DEFAULT_KS_PBS                   8.470 ms (8.960)  1.00 of the peer's best  2^-43 at 2-norm 2.00
"""
TABLE = """\
everlevel integer-4-128                  4.150 ms (4.320)  0.27 of the peer's best  2^-129 at 2-norm 4.12
tfhe-rs 2_2, KS32                       15.500 ms (15.980)  1.00 of the peer's best  2^-129.6 at 2-norm 5
"""
BOOTSTRAP = {"mean_bits": 24.6, "worst_bits": 22.1, "level_out": 10, "key_seconds": 10.0, "peak_gigabytes": 5.3}


@functools.cache
def fingerprint(table: str, parameters: str) -> str | None:
    """Tell today's parameters from all others."""
    return _bench.TABLES[table].fingerprint(parameters)


def own_row(tables: Any, key: str) -> Any:
    """Make a row of ours with a figure in every column, and the parameters of today."""
    name, *told = key.split("/")
    table = _bench.TABLES[name]
    values: dict[str, Any] = {
        column: "x" if form == "s" else 1 if form == "d" else 2.5 for column, (_, form) in table.columns.items()
    }
    if name == "tfhe":
        values["parameters"] = told[0]
    return values | {"fingerprint": fingerprint(name, told[0] if name == "tfhe" else "bootstrap")}


def whole_store(tables: Any, path: Path) -> Any:
    """Make a store in which nothing is missing."""
    store = store_of(tables, path)
    for job in tables.jobs.own_jobs():
        store.put(job.key, own_row(tables, job.key))
    for group in tables.peers.GROUPS:
        printed = {"gate-64": CALLS, "integer-4-128": TABLE}.get(group, CALLS)
        store.put(f"peers/tfhe-rs/{group}", {"calls": tables.peers.calls_of(printed)})
    times = {"forward/avx512": {"least": 43.7, "median": 45.0}, "forward/tfhe-ntt": {"least": 62.3, "median": 64.0}}
    store.put("peers/tfhe-ntt/2^16", {"microseconds": times})
    store.put("ckks/medium/3/1", store.rows["ckks/medium/3/1"] | BOOTSTRAP | {"bootstrap_seconds": 2.62})
    store.put("peers/lattigo/bootstrap", BOOTSTRAP | {"bootstrap_seconds": 24.3, "key_gigabytes": 7.9})
    store.put("peers/openfhe/bootstrap", BOOTSTRAP | {"bootstrap_seconds": 16.24, "level_in": 4})
    return store


def pages_of(tables: Any, store: Any) -> dict[str, str]:
    """Write every page with its tables alone."""
    texts = tables.pages.texts(store)
    return {
        page: "".join(MARKS.format(mark=mark, text=texts[mark]) for mark in marks)
        for page, marks in tables.pages.MARKED.items()
    }


# Where -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("vendor", "family", "model", "told"),
    [
        ("AuthenticAMD", 0x17, 0x31, "Zen 2"),
        ("AuthenticAMD", 0x19, 0x01, "Zen 3"),
        ("AuthenticAMD", 0x19, 0x11, "Zen 4"),
        ("AuthenticAMD", 0x1A, 0x02, "Zen 5"),
        ("AuthenticAMD", 0x1A, 0xFE, "family 26, model 254"),
        ("GenuineIntel", 6, 0x8F, "Sapphire Rapids"),
        ("GenuineIntel", 6, 0xAD, "Granite Rapids"),
        ("GenuineIntel", 6, 0xFE, "family 6, model 254"),
        ("SomethingElse", 1, 2, "family 1, model 2"),
    ],
)
def test_processors_have_generations(vendor: str, family: int, model: int, told: str) -> None:
    one = f"vendor_id\t: {vendor}\ncpu family\t: {family}\nmodel\t\t: {model}\nmodel name\t: A CPU\nstepping\t: 1\n"
    assert processor_of(f"{one}\n{one}") == f"A CPU ({told})"


def test_a_list_without_names_is_no_processor() -> None:
    assert processor_of("processor\t: 0\nCPU part\t: 0xd0c\n") is None
    assert _bench.processor()


def test_rows_of_two_places_are_refused(tables: Any, tmp_path: Path) -> None:
    store_of(tables, tmp_path / "rows.json").put("tfhe/gate-64/1", {"one_milliseconds": 3.0})
    again = store_of(tables, tmp_path / "rows.json")
    assert again.has("tfhe/gate-64/1")
    assert not again.has("tfhe/gate-64/2")
    for other in ({"commit": "fffffffff"}, {"processor": "AMD EPYC (Zen 5)"}, {"release": "0.2.0"}):
        with pytest.raises(tables.place.RefusedError, match="one machine and one commit") as refused:
            store_of(tables, tmp_path / "rows.json", **other)
        assert next(iter(other.values())) in str(refused.value)
        assert "0123abcde" in str(refused.value)


def test_a_changed_tree_is_refused(tables: Any) -> None:
    status = " M README.md\n M crates/a.rs\nR  old.py -> python/new.py\n?? notes.txt\n?? benches/new.py\n"
    changed = tables.place.changed(status, tables.pages.WRITTEN)
    assert changed == ["benches/new.py", "crates/a.rs", "python/new.py"]
    assert tables.place.changed(" M README.md\n M docs/images/peers.png\n", tables.pages.WRITTEN) == []


def test_sources_without_a_commit_are_refused(tables: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables.place, "ROOT", tmp_path)
    with pytest.raises(tables.place.RefusedError, match="git knows of none here"):
        tables.place.here([])


def test_a_run_goes_on_where_it_was(tables: Any, tmp_path: Path) -> None:
    store = store_of(tables, tmp_path / "rows.json")
    job, measure = tables.driver.Job, tables.driver.measure
    measure([job("peers/a", 1, lambda: {"seconds": 1.0})], store, lambda: store.place)
    measure([job("peers/b", 1, lambda: {"missing": "no compiler"})], store, lambda: store.place)
    again = store_of(tables, tmp_path / "rows.json")
    assert [again.has(key) for key in ("peers/a", "peers/b", "peers/c")] == [True, False, False]
    assert again.rows["peers/b"]["missing"] == "no compiler"


def test_a_run_ends_when_its_commit_does(tables: Any, tmp_path: Path) -> None:
    store = store_of(tables, tmp_path / "rows.json")
    places = iter([store.place, dataclasses.replace(store.place, commit="fffffffff")])
    jobs = [tables.driver.Job(f"peers/{name}", 1, lambda: {"seconds": 1.0}) for name in "ab"]
    with pytest.raises(tables.place.RefusedError, match=r"rows before peers/b are of .* fffffffff"):
        tables.driver.measure(jobs, store, lambda: next(places))
    assert [store.has(job.key) for job in jobs] == [True, False]


def test_rows_are_estimated_by_name(tables: Any, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    def call(*arguments: str) -> str:
        monkeypatch.setattr(sys, "argv", ["tables", *arguments])
        assert tables.__main__.main() == 0
        return str(capsys.readouterr().out)

    assert f"{len(tables.jobs.all_jobs())} rows, about" in call("--estimate")
    assert call("--estimate", "--only", "tfhe/gate-64").count(" s  ") == 2
    assert call("--estimate", "--only", "peers").count(" s  ") == len(list(tables.peers.measurements()))
    with pytest.raises(tables.place.RefusedError, match="no row is named tfhe/gate"):
        call("--estimate", "--only", "tfhe/gate")


# Other libraries ---------------------------------------------------------------------------------------------------


def test_calls_are_read(tables: Any) -> None:
    first, _, second, third = tables.peers.calls_of(f"some line\n{CALLS}")
    assert (first["library"], first["name"], first["least"], first["median"]) == ("everlevel", "gate-64", 1.93, 2.09)
    assert first["about"] == "2^-65 at 2-norm 2.00, 2^-40"
    assert (second["name"], third["name"]) == ("DEFAULT", "DEFAULT_KS_PBS")
    assert tables.peers.calls_of(TABLE)[1]["name"] == "2_2, KS32"
    with pytest.raises(tables.peers.MissingError, match="no times of both libraries"):
        tables.peers.calls_of(CALLS.splitlines()[0])


def test_samples_are_read(tables: Any, tmp_path: Path) -> None:
    folder = tmp_path / "forward" / "avx512" / "new"
    folder.mkdir(parents=True)
    (folder / "sample.json").write_text(json.dumps({"iters": [10, 20, 30], "times": [500e3, 900e3, 1800e3]}))
    assert tables.peers.transforms_in(tmp_path) == ["forward/avx512"]
    assert tables.peers.samples_of(tmp_path / "forward/avx512") == pytest.approx({"least": 45.0, "median": 50.0})


def test_programs_that_cargo_has_built_are_read(tables: Any) -> None:
    lines = [
        {"reason": "compiler-artifact", "target": {"name": "rand"}, "executable": None},
        {"reason": "compiler-artifact", "target": {"name": "tfhe"}, "executable": "/x/tfhe-1"},
        {"reason": "build-finished", "success": True},
    ]
    assert tables.peers.programs_of("\n".join(map(json.dumps, lines))) == {"tfhe": "/x/tfhe-1"}


def test_a_library_that_cant_be_built_is_a_missing_row(tables: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for call, told in (
        (["no-such-program"], "Peer: no-such-program isn't installed"),
        ([sys.executable, "-c", "import sys; print('note\\nerror: no wheel | here', file=sys.stderr); sys.exit(3)"],
         "Peer: error: no wheel / here (exit status 3)"),
        ([sys.executable, "-c", "import os; os.kill(os.getpid(), 9)"],
         "Peer: ended by signal 9, as where memory is short"),
    ):  # fmt: skip
        row = tables.peers.attempt(lambda call=call: {"out": tables.peers.run("Peer", call)})
        assert row == {"missing": told}
    monkeypatch.setattr(tables.peers.shutil, "which", lambda _: None)
    monkeypatch.setattr(tables.peers, "HOME", ROOT / "no such folder")
    assert "Python 3.10" in tables.peers.attempt(tables.peers.openfhe)["missing"]


def test_releases_are_read(tables: Any) -> None:
    assert tables.peers.lattigo_version().startswith("6.")
    assert tables.peers.crate_version("tfhe").startswith("1.")
    assert tables.peers.crate_version("tfhe-ntt").startswith("0.")


# Pages -------------------------------------------------------------------------------------------------------------


def test_the_fastest_other_library_is_compared(tables: Any, tmp_path: Path) -> None:
    table = tables.pages.peers_table(whole_store(tables, tmp_path / "rows.json"))
    assert (
        "| CKKS bootstrap of 32768 numbers | **2.62 s** | 16.2 s, OpenFHE 1.6.1 | 6.2 | 30.5 s, DESILO, i7-10700K |"
        in table
    )
    assert "| **1.93 ms** | 8.47 ms, tfhe-rs 1." in table
    assert "| **4.15 ms** | 15.5 ms, tfhe-rs 1." in table
    assert "| 3.7 | 7.28 ms, Zama, two EPYC 9R45 (Zen 5) |" in table
    assert "| **43.7 µs** | 62.3 µs, tfhe-ntt 0." in table
    assert "commit 0123abcde, AMD EPYC (Zen 4), measured 20" in table
    assert "Missing" not in table


def test_the_front_table_has_precision_failures_and_every_machine(tables: Any, tmp_path: Path) -> None:
    table = tables.pages.front_table(whole_store(tables, tmp_path / "rows.json"))
    assert "| **2.62 s**, 22.1 bits at worst | 16.2 s, OpenFHE 1.6.1, 22.1 bits at worst | 6.2 |" in table
    assert "| NTRU gate with failure probability below 2^-64 | **1.54 ms**, failure 2^-64 | 8.47 ms, tfhe-rs" in table
    assert ", failure 2^-43 | 5.5 |" in table
    words = " ".join(table.split())
    assert "commit 0123abcde, AMD EPYC (Zen 4), measured 20" in words
    assert f"; key switches over limbs: {tables.limbs.read().place}.*" in words


LIMBS = """\
Ours and peer 1 ... poulpy 0.9's: one core of an
Intel Xeon (Ice Lake), one run at commit 0123456, medians.

| key switch | key, ciphertext bits | a key | 2^16 | more |
|---|---|---|---|---|
| poulpy, D = 1 | | | | 44.6 ms |
| poulpy, D = 4 | 1716, 1500 | | 160.0 ms | |
| poulpy, D = 8 | 1716, 1300 | | 130.0 ms | |
| ours: three primes of 48 bits, D = 1 | 1711, 1652 | 2 GB | 200.0 ms | 1 |
| D = 3 | 1711, 1534 | 1 GB | 80.0 ms | 1 |
| D = 4 | 1711, 1475 | 1 GB | 70.0 ms | 1 |
| ours: two primes, D = 4 | 1728, 1584 | 1 GB | 10.0 ms | 1 |
| D = 8 | 1728, 1584 | 1 GB | 10.0 ms | 1 |
"""


def test_key_switches_over_limbs_are_compared_at_as_many_bits(tables: Any) -> None:
    pair = tables.limbs.read(LIMBS)
    assert (pair.theirs.ciphertext_bits, pair.theirs.milliseconds) == (1500, 160.0)
    assert (pair.ours.ciphertext_bits, pair.ours.milliseconds) == (1534, 80.0)
    assert (pair.library, pair.place) == ("poulpy 0.9", "commit 0123456, Intel Xeon (Ice Lake)")
    with pytest.raises(tables.place.RefusedError, match="of which release, machine and commit"):
        tables.limbs.read(LIMBS.replace("at commit", "of"))


def test_missing_rows_are_named_with_their_reason(tables: Any, tmp_path: Path) -> None:
    store = whole_store(tables, tmp_path / "rows.json")
    store.put("peers/openfhe/bootstrap", {"missing": "OpenFHE: no wheel"})
    store.put("peers/tfhe-rs/gate-64", {"missing": "building tfhe-rs: error"})
    store.put("tfhe/gate-64/1", {"missing": "MemoryError"})
    texts = tables.pages.texts(store)
    for mark, no_figure in (("peers table", " – |"), ("front table", "")):
        assert "24.3 s, Lattigo" in texts[mark]
        assert "Missing: OpenFHE 1.6.1: OpenFHE: no wheel." in texts[mark]
        gate = "| TFHE gate with failure probability below 2^-64 | not measured | not measured | – |"
        assert gate + no_figure in texts[mark]
    assert "| OpenFHE 1.6.1 | OpenFHE: no wheel | – |" in texts["bootstraps beside peers"]
    assert "Missing: 1 of 24 rows: MemoryError." in texts["tfhe table"]
    assert "building tfhe-rs: error" in texts["gates beside peers"]


def test_pages_of_whole_and_of_empty_stores_are_todays(tables: Any, tmp_path: Path) -> None:
    for store in (whole_store(tables, tmp_path / "whole.json"), store_of(tables, tmp_path / "empty.json")):
        assert list(tables.check.findings(pages_of(tables, store))) == []
        tables.picture.draw(tables.pages.comparisons(store), store.place.processor, tmp_path / "picture.png")
        assert (tmp_path / "picture.png").stat().st_size > 5_000


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ("| key size | stages |", "| module | key size | stages |", "its columns are ['module', 'key size'"),
        ("| gate-128 |", "| gate-129 |", "its sets gate-129 aren't measured any more"),
        ("commit 0123abcde", "commit 76543210f", "the tables are of different places"),
        ("(Zen 4)", "(Zen 5)", "the tables are of different places"),
        ("TFHE gate with failure probability below 2^-64", "TFHE gate", "its rows are"),
        ("begin", "start", "has no 'front table' between marks"),
    ],
)
def test_stale_pages_are_found(tables: Any, tmp_path: Path, before: str, after: str, told: str) -> None:
    pages = pages_of(tables, whole_store(tables, tmp_path / "rows.json"))
    page = next(page for page, text in pages.items() if before in text)
    pages[page] = pages[page].replace(before, after, 1)
    assert told in "; ".join(tables.check.findings(pages))


def test_sets_with_other_parameters_than_were_measured_are_found(tables: Any, tmp_path: Path) -> None:
    pages = pages_of(tables, whole_store(tables, tmp_path / "rows.json"))
    today = _bench.TABLES["tfhe"].fingerprint("gate-64")
    assert today is not None
    assert pages["docs/benchmarks.md"].count(f"gate-64 {today}") == 1
    pages["docs/benchmarks.md"] = pages["docs/benchmarks.md"].replace(f" gate-64 {today}", " gate-64 0123456789abcdef")
    told = "; ".join(tables.check.findings(pages))
    assert f"gate-64 was measured with the parameters 0123456789abcdef, today's are {today}" in told
    assert _bench.TABLES["tfhe"].fingerprint("gate-65") is None


def test_the_pages_are_todays(tables: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert tables.check.main() == 0, capsys.readouterr().out


def test_every_table_has_its_place_on_its_page(tables: Any) -> None:
    for page, marks in tables.pages.MARKED.items():
        text = (ROOT / page).read_text(encoding="utf-8")
        for mark in marks:
            assert tables.check.between(text, mark) is not None, (page, mark)


def test_the_closed_package_is_gone() -> None:
    call = ["git", "grep", "-il", "--", "desilo" + "fhe"]
    assert subprocess.run(call, capture_output=True, text=True, check=False, cwd=ROOT).stdout == ""


def test_our_rows_are_those_of_named_sets(tables: Any) -> None:
    known = {one.name for one in tfhe.parameter_sets()}
    assert {name for name in tables.jobs.SETS if not name.startswith("ntru-")} <= known
    keys = [job.key for job in tables.jobs.all_jobs()]
    assert len(set(keys)) == len(keys)
    assert {key.partition("/")[0] for key in keys} == set(tables.jobs.TABLE_NAMES)
    assert {one.ours for one in tables.published.PUBLISHED} - {""} <= set(keys)
    assert tables.pages.BOOTSTRAP in keys
