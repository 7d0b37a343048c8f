"""Residual networks of `everlevel.ml`: sparse weights, bootstraps between blocks, and how diagonals are held."""

from __future__ import annotations

import base64
import zlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("onnx", reason="networks in ONNX's format are read by the package onnx")

from everlevel import errors, ml
from everlevel.ml import _files, _onnx, _schedule, _weights
from everlevel.ml._layout import KINDS
from onnx_networks import own_results, residual
from test_ml_bootstraps import program
from test_ml_refusals import rewritten
from trained_models import SMALL

OPTIONS: dict[str, Any] = {
    "degree": 15,
    "max_error": 0.5,
    "ranges": "calibrated",
    "input_range": (0, 1),
    "bootstrap": True,
    **SMALL,
}


def compiled(network: Any, **options: Any) -> ml.Model:
    """Compile with calibrated intervals: proven ones of so many layers are much longer than values."""
    with pytest.warns(errors.RangeWarning):
        return ml.compile(*network, **OPTIONS, **options)


@pytest.fixture(scope="module")
def network() -> tuple[Any, Any]:
    rng = np.random.default_rng(7)
    return residual(rng, (4, 8, 16)), rng.uniform(size=(20, 192))


@pytest.fixture(scope="module", autouse=True)
def sparse() -> Any:
    """Hold weights of small networks as those of large ones."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_weights, "_LARGE", 2**10)
        yield


@pytest.fixture(scope="module")
def model(network: Any) -> ml.Model:
    return compiled(network)


@pytest.fixture(scope="module")
def keys(model: ml.Model) -> tuple[ml.Client, ml.Server]:
    return model.keys()


def test_layers_are_sparse_and_the_networks_own(network: Any) -> None:
    trained, x = network
    found = _onnx.read(trained)
    kinds = [_weights.is_sparse(layer.weights) for layer in found.layers if hasattr(layer, "weights")]
    assert kinds[:3] == [True] * 3
    assert not kinds[-1]
    assert [layer.sources for layer in found.layers if hasattr(layer, "weights")][2::2] == [(1, 2), (3, 4), (5, 6)]
    np.testing.assert_allclose(found.scores(x), own_results(trained, x), atol=1e-12)


def test_a_residual_network_runs(network: Any, model: ml.Model, keys: Any, tmp_path: Path) -> None:
    _, x = network
    client, server = keys
    assert server.nbytes == model.key_nbytes
    bootstraps = [stage for stage in model._plan.stages if stage.name == "bootstrap"]
    # 7 activations of four levels each and 8 maps, in 13 levels.
    assert model._program.levels == 36
    assert [stage.level_in for stage in bootstraps] == [3] * len(bootstraps) == [3, 3, 3]
    expected = model.simulate(x[:2])
    scores = client.decrypt(model(client.encrypt(x[:1]), server))
    np.testing.assert_allclose(scores, expected[:1], atol=1e-5 * np.ptp(expected))
    model.save(tmp_path / "model")
    loaded = ml.load(tmp_path / "model")
    assert isinstance(loaded, ml.Model)
    assert (loaded.hash, str(loaded._plan)) == (model.hash, str(model._plan))
    for step, read in zip(model._program.maps, loaded._program.maps, strict=True):
        assert _weights.is_sparse(step.weights) == _weights.is_sparse(read.weights)
        np.testing.assert_array_equal(_weights.dense(step.weights), _weights.dense(read.weights))


def test_both_parts_of_slots_have_rows(network: Any, model: ml.Model, tmp_path: Path) -> None:
    _, x = network
    four = compiled(network, batch=4)
    layout = four._plan.layout
    assert (layout.parts, layout.capacity, four._plan.seconds < 2 * model._plan.seconds) == (2, 4, True)
    assert "(2 of 512 slots, in both parts of each)" in str(four)
    client, server = four.keys()
    assert server.nbytes == four.key_nbytes
    # The last group has rows that nobody asked for.
    expected = four.simulate(x[:6])
    client.encrypt(x[:6]).save(tmp_path / "rows")
    given = ml.load(tmp_path / "rows")
    assert isinstance(given, ml.EncryptedRows)
    assert not given.ciphertext.is_real
    scores = four(given, server)
    np.testing.assert_allclose(client.decrypt(scores), expected, atol=1e-5 * np.ptp(expected))
    for name, saved in {"model": four, "client": client}.items():
        saved.save(tmp_path / name)
    loaded, owner = ml.load(tmp_path / "model"), ml.load(tmp_path / "client")
    assert isinstance(loaded, ml.Model)
    assert isinstance(owner, ml.Client)
    assert str(loaded._plan) == str(four._plan)
    np.testing.assert_array_equal(owner.decrypt(scores), client.decrypt(scores))

    def change(notes: Any) -> Any:
        notes["layout"]["parts"] = 3
        return notes

    with pytest.raises(errors.HeaderError, match="malformed"):
        ml.load(rewritten(tmp_path / "changed", tmp_path / "model", change))


def test_units_are_merged_where_there_is_room(network: Any, tmp_path: Path) -> None:
    """Strides of two leave room for twice the rows: from the last convolutions on, four units' rows are in one."""
    _, x = network
    merged = compiled(network, batch=16)
    layout = merged._plan.layout
    lanes = [placement.lanes for placement in layout.placements]
    assert (lanes[0], lanes[-1], set(lanes), lanes) == (2, 8, {2, 4, 8}, sorted(lanes))
    assert (layout.parts, layout.units_in, layout.capacity) == (2, 4, 16)
    units = [stage.units for stage in merged._plan.stages]
    assert (units[0], units[-1], units) == (4, 1, sorted(units, reverse=True))
    assert merged._plan.seconds < 0.8 * compiled(network, batch=4)._plan.seconds_of(16)
    client, server = merged.keys()
    assert server.nbytes == merged.key_nbytes
    # The last group lacks rows.
    rows = client.encrypt(x)
    assert (len(x), rows.ciphertext.unit_count) == (20, 8)
    expected = merged.simulate(x)
    scores = merged(rows, server)
    assert scores.ciphertext.unit_count == 2
    np.testing.assert_allclose(client.decrypt(scores), expected, atol=1e-5 * np.ptp(expected))
    merged.save(tmp_path / "model")
    client.save(tmp_path / "client")
    loaded, owner = ml.load(tmp_path / "model"), ml.load(tmp_path / "client")
    assert isinstance(loaded, ml.Model)
    assert isinstance(owner, ml.Client)
    assert (loaded.hash, str(loaded._plan)) == (merged.hash, str(merged._plan))
    np.testing.assert_array_equal(owner.decrypt(scores), client.decrypt(scores))


@pytest.mark.parametrize("lanes", [None, [2], [2, 2, 2, 2, 2, 2, 2, 3], [4, 2, 2, 2, 2, 2, 2, 2, 4], [2] * 8 + [2**9]])
def test_malformed_lanes_are_refused(model: ml.Model, lanes: Any, tmp_path: Path) -> None:
    model.save(tmp_path / "model")

    def change(notes: Any) -> Any:
        notes["layout"]["lanes"] = lanes
        return notes

    with pytest.raises(errors.HeaderError, match="malformed"):
        ml.load(rewritten(tmp_path / "changed", tmp_path / "model", change))


def test_diagonals_take_less_memory_where_it_is_short(network: Any, model: ml.Model) -> None:
    _, x = network
    whole = model._plan
    assert set(whole.layout.kinds) == {"packed"}
    sizes, seconds = [], []
    for share in (0.5, 0.1):
        memory = whole.key_nbytes + whole.input_nbytes + int(whole.weight_nbytes * share)
        smaller = compiled(network, memory=memory)
        plan = smaller._plan
        assert plan.nbytes <= memory
        sizes.append(plan.weight_nbytes)
        seconds.append(plan.seconds)
    assert set(plan.layout.kinds) > {"anew"}
    assert [whole.seconds, *seconds] == sorted([whole.seconds, *seconds])
    assert ", anew " in str(smaller)
    # The same numbers, however they are held.
    client, server = smaller.keys()
    expected = smaller.simulate(x[:1])
    np.testing.assert_allclose(client.decrypt(smaller(client.encrypt(x[:1]), server)), expected, atol=1e-5)
    with pytest.raises(errors.OutOfMemoryError, match="the smallest plan, of layout 'rows', takes") as caught:
        compiled(network, memory=whole.key_nbytes)
    assert caught.value.limit == "memory"


@pytest.mark.parametrize("kind", KINDS)
def test_every_form_gives_the_same_bits(network: Any, model: ml.Model, keys: Any, kind: str) -> None:
    _, x = network
    client, server = keys
    given = client.encrypt(x[:1])
    results = []
    for held in ("packed", kind):
        layout = replace(model._plan.layout, kinds=(held,) * 8)
        runner = type(model._runner)(model.engine, model._program, layout)
        results.append(model.engine.decrypt(runner(given.ciphertext, server.evaluation_key, abs), client._secret_key))
    np.testing.assert_array_equal(*results)


def test_maps_at_low_levels_are_preferred() -> None:
    """Bootstraps after a map or before it take as long: the map is computed where there are fewer limbs."""
    found = program([15] * 7)

    def share(at: int, level: int) -> float:
        return 1e-3 * (level + 1) * (at % 2 == 0)

    either, best = (_schedule.bootstrapped(found, 13, 3, *more) for more in ((), (share,)))
    assert len(either.bootstraps) == len(best.bootstraps)
    assert {at % 2 for at, _ in best.bootstraps} == {1}

    def seconds(schedule: _schedule.Schedule) -> float:
        return sum(share(at, level) for at, (level, _) in enumerate(schedule.levels(found)))

    assert seconds(best) < seconds(either)


def sparse_notes(notes: Any, **changes: Any) -> Any:
    notes["program"]["steps"][0]["map"] |= changes
    return notes


def deflated(values: Any) -> str:
    return base64.b64encode(zlib.compress(np.asarray(values, dtype="<i4").tobytes())).decode()


@pytest.mark.parametrize(
    "changes",
    [
        {"shape": [256]},
        {"shape": [256, 2**30]},
        {"shape": [256, "192"]},
        {"counts": deflated(np.full(256, -1))},
        {"counts": deflated(np.full(256, 2**30))},
        {"counts": deflated(np.zeros(2**20))},
        {"counts": base64.b64encode(b"none").decode()},
        {"steps": deflated([0])},
        {"steps": deflated(np.zeros(6000))},
        {"chosen": 7},
        {"values": _files.packed(np.ones(1))},
    ],
)
def test_malformed_sparse_weights_are_refused(model: ml.Model, changes: Any, tmp_path: Path) -> None:
    model.save(tmp_path / "model")
    changed = rewritten(tmp_path / "changed", tmp_path / "model", lambda notes: sparse_notes(notes, **changes))
    with pytest.raises(errors.HeaderError, match="malformed"):
        ml.load(changed)


def test_scipy_is_asked_for(network: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "scipy.sparse", None)
    with pytest.raises(errors.ModelError, match=r"need the package scipy, .*; pip install 'everlevel\[ml\]'"):
        _onnx.read(network[0])
