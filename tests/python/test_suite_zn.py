"""Workload "Zn" of the public benchmark suite: its stages leave right products in its files."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "benches/suite/zn.py"


def test_stages_leave_right_products(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(SCRIPT.parent)
    names = runpy.run_path(str(SCRIPT))
    files = names["Files"](tmp_path, "toy", {"set": "insecure-integer-4-64"})
    for stage in names["STAGES"].values():
        stage(files)
    found = sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file())
    assert found == [
        "datasets/toy/expected.txt",
        "datasets/toy/lhs.txt",
        "datasets/toy/rhs.txt",
        "io/toy/ciphertexts_download/products",
        "io/toy/ciphertexts_upload/lhs",
        "io/toy/ciphertexts_upload/rhs",
        "io/toy/cleartext_output/out.txt",
        "io/toy/public_keys/compression.key",
        "io/toy/public_keys/evaluation.key",
        "io/toy/secret_key/secret.key",
    ]
    output = tmp_path / "io/toy/cleartext_output/out.txt"
    output.write_text("3\n", encoding="utf-8")
    with pytest.raises(SystemExit, match="the products are wrong"):
        names["STAGES"]["check"](files)
