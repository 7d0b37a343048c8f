"""What a pool has to reach at N = 2^16, with two workers of one core: `benches/cluster.py` measures it."""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

BENCH = Path(__file__).resolve().parents[2] / "benches" / "cluster.py"
GIGABYTE = 1e9

OVERHEAD_MILLISECONDS = {"processes": 25, "ray": 25, "dask": 60}

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def bench() -> Any:
    pytest.importorskip("cloudpickle").register_pickle_by_value(sys.modules[__name__])
    specification = importlib.util.spec_from_file_location("cluster_bench", BENCH)
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    sys.modules["cluster_bench"] = module
    specification.loader.exec_module(module)
    import cloudpickle

    cloudpickle.register_pickle_by_value(module)
    return module


@pytest.fixture(scope="module")
def setup(bench: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    return bench.Setup(tmp_path_factory.mktemp("keys"), None)


@pytest.fixture(scope="module")
def small_setup(bench: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    return bench.Setup(tmp_path_factory.mktemp("small"), 12)


@pytest.fixture(params=["processes", "ray", "dask"])
def engine(request: pytest.FixtureRequest) -> str:
    if request.param != "processes":
        pytest.importorskip({"ray": "ray", "dask": "distributed"}[request.param])
    return str(request.param)


def measure(bench: Any, part: str, setup: Any, engine: str, **options: Any) -> dict[str, Any]:
    usual = {"bootstraps": 16, "group": 1, "turns": 1, "tasks": 30, "kills": 10, "kill_tasks": 12}
    address = None if engine == "processes" else engine
    found: dict[str, Any] = getattr(bench, part)(setup, address, argparse.Namespace(**usual | options))
    print(engine, part, found)
    return found


def test_scaling_and_memory(bench: Any, setup: Any, engine: str) -> None:
    is_quiet = os.getloadavg()[0] < 0.5 and (os.cpu_count() or 1) >= 2
    found = measure(bench, "scaling", setup, engine)
    assert found["worst_error"] < 1e-3
    assert found["two_workers_pss_bytes"] < found["key_bytes"] + 3 * GIGABYTE
    assert found["ratio"] >= 1.7 or not is_quiet


def test_overhead(bench: Any, setup: Any, engine: str) -> None:
    is_quiet = os.getloadavg()[0] < 0.5
    found = measure(bench, "overhead", setup, engine)
    assert found["one_at_a_time_milliseconds"] <= OVERHEAD_MILLISECONDS[engine] or not is_quiet


def test_workers_that_are_killed(bench: Any, small_setup: Any, engine: str) -> None:
    found = measure(bench, "kills", small_setup, engine)
    assert found["right_and_complete"] == found["kills"] == 10
    assert found["key_file_unchanged"]


def test_many_small_tasks(engine: str, tmp_path: Path) -> None:
    """Real gates, in a driver of their own: this process has the memory of other tests."""
    count = int(os.environ.get("EVERLEVEL_SMALL_TASKS", "10000"))
    out = tmp_path / "small.json"
    command = [sys.executable, str(BENCH), "--engines", engine, "--only", "small", "--small-tasks", str(count)]
    subprocess.run([*command, "--out", str(out)], check=True)
    found = json.loads(out.read_text(encoding="utf-8"))[f"{engine} small"]
    assert found["right"] == found["tasks"]
    assert found["tasks"] == count
    assert found["driver_peak_bytes"] <= 300e6
