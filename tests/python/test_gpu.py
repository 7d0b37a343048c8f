"""Engines on a device: results are the CPU's to the bit, and lie where their operands do; what isn't possible is said.

The device runs GPUs' kernels on the CPU, where the package was built with it, as `make build` does.
"""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import everlevel
from everlevel import Ciphertext, Engine, _native, compat, errors
from parties import Party, keyed_party

LOG_N = 11
# `make gpu-check` names a GPU.
DEVICE = os.environ.get("EVERLEVEL_TEST_DEVICE", "host")
GPU = f"gpu:{DEVICE}"
DEVICE_ID: Any = DEVICE if DEVICE == "host" else int(DEVICE)

SUMMARY = dict(_native.build_info())["gpu"]

# A GPU that is named has to be there.
IS_MISSING = DEVICE == "host" and GPU not in SUMMARY
pytestmark = pytest.mark.skipif(IS_MISSING, reason="the package was built without the host device")


def device_engine(**options: Any) -> Engine:
    return Engine(mode="gpu", device_id=DEVICE_ID, insecure_log_n=LOG_N, **options)


@pytest.fixture(scope="module")
def party() -> Party:
    return keyed_party(device_engine(use_bootstrap=True), matrices=True)


def matrix(engine: Engine) -> np.ndarray[Any, Any]:
    return np.diag(np.linspace(0, 1, engine.slot_count)) + np.eye(engine.slot_count, k=3)


OPERATIONS: dict[str, Callable[[Engine, Ciphertext], Ciphertext]] = {
    "sums": lambda e, x: x + x - 0.5 + np.linspace(0, 1, e.slot_count) - e.encode([0.25, 0.5]),
    "products": lambda e, x: x * x * 0.5 * np.linspace(0, 1, e.slot_count),
    "plaintexts": lambda e, x: x * e.encode([0.25, 0.5]),
    "light plaintexts": lambda e, x: e.multiply(x, e.encode_to_light_plaintext([0.25, 0.5])),
    "three polynomials": lambda e, x: e.relinearize(e.multiply(x, x, relinearize=False)),
    "powers": lambda e, x: x**3,
    "rotations": lambda e, x: x.rotate(3) + x.rotate(-200),
    "conjugates": lambda e, x: e.conjugate(1j * x),
    "sums of slots": lambda e, x: x.sum() + x.mean(),
    "matrices": lambda e, x: matrix(e) @ x,
    "plain matrices": lambda e, x: e.encode_to_plain_matrix(matrix(e)) @ x,
    "light matrices": lambda e, x: e.encode_to_light_plain_matrix(matrix(e)) @ x,
    "polynomials": lambda e, x: e.evaluate_chebyshev_polynomial(x, [0.1, 0.5, 0.0, -0.25, 0.125]),
    "lower levels": lambda e, x: e.level_down(x, 3),
    "bootstraps": lambda e, x: e.level_down(x, 0).bootstrap(),
    "lossy bootstraps": lambda e, x: e.level_down(x, 3).lossy_bootstrap(),
    "comparisons": lambda e, x: x > 0.25,
    "functions": lambda e, x: everlevel.exp(x, interval=(-1, 1)),
    "vectors of units": lambda e, x: e.square(e.vstack([x, x.rotate(1)])),
}


def bits(x: Ciphertext) -> bytes:
    return x.to_bytes()


@pytest.mark.parametrize("name", OPERATIONS)
def test_results_are_the_cpus_to_the_bit(name: str, party: Party) -> None:
    operation, engine = OPERATIONS[name], party.engine
    x = engine.encrypt(np.linspace(-1, 1, engine.slot_count), party.secret_key, bound=1)
    there, here = operation(engine, x), operation(engine, x.to("cpu"))
    assert (x.device, there.device, here.device) == (GPU, GPU, "cpu")
    assert bits(there) == bits(here)
    assert there.nbytes == here.nbytes
    assert repr(there) == repr(here).removesuffix(")") + f", {GPU})"
    np.testing.assert_array_equal(engine.decrypt(there, party.secret_key), engine.decrypt(here, party.secret_key))


def test_what_an_engine_encrypts_or_loads_lies_on_its_device(party: Party, tmp_path: Path) -> None:
    engine = party.engine
    for key in (party.secret_key, party.public_key):
        assert engine.encrypt([0.5], key, level=3, bound=1).device == GPU
    x = engine.encrypt([0.5, -0.25], party.secret_key, bound=1)
    assert (engine.device, x.is_cuda, x.to("cpu").is_cuda) == (GPU, True, False)
    x.save(tmp_path / "x")
    again = [engine.load(tmp_path / "x"), engine.load_bytes(x.to_bytes()), pickle.loads(pickle.dumps(x))]
    assert [(y.device, bits(y) == bits(x)) for y in again if isinstance(y, Ciphertext)] == [(GPU, True)] * 3
    # Files hold no device: any engine of the parameters reads them.
    here = Engine.from_file(tmp_path / "x")
    there = Engine.from_file(tmp_path / "x", mode="gpu", device_id=DEVICE_ID)
    assert [here.load(tmp_path / "x").device, there.load(tmp_path / "x").device] == ["cpu", GPU]
    np.testing.assert_allclose(engine.release(x, party.secret_key, grid=0.25).values[:2], [0.5, -0.25], atol=0)


def test_to_moves_and_returns_what_is_there_already(party: Party) -> None:
    x = party.engine.encrypt([0.5], party.secret_key, bound=1)
    here = x.to("cpu")
    assert x.to("gpu") is x
    assert x.to(GPU) is x
    assert here.to("cpu") is here
    assert bits(here.to("gpu")) == bits(x)


def test_operands_in_two_places_are_refused(party: Party) -> None:
    engine = party.engine
    x = engine.encrypt([0.5], party.secret_key, bound=1)
    here = x.to("cpu")
    calls: list[Callable[[], object]] = [
        lambda: x + here,
        lambda: here - x,
        lambda: x * here,
        lambda: engine.vstack([x, here]),
        lambda: engine.bootstrap_many([engine.level_down(y, 0) for y in (x, here)]),
        lambda: engine.merge_bootstrap(engine.level_down(x, 0), engine.level_down(here, 0)),
    ]
    for call in calls:
        with pytest.raises(errors.DeviceMismatchError, match=r"x\.to\('gpu'\) or x\.to\('cpu'\)") as caught:
            call()
        assert {caught.value.left, caught.value.right} == {"cpu", GPU}


def test_where_nothing_can_go(party: Party) -> None:
    x = party.engine.encrypt([0.5], party.secret_key, bound=1)
    with pytest.raises(errors.DeviceMismatchError, match=f"the device is 'gpu:7', and this engine's is '{GPU}'"):
        x.to("gpu:7")
    for wrong in ("tpu", 0, None):
        with pytest.raises(errors.ParameterError, match="'cpu' and 'gpu' are taken"):
            x.to(wrong)  # type: ignore[arg-type]
    here = Engine(max_level=2, insecure_log_n=LOG_N)
    y = here.encrypt([0.5], here.create_secret_key(), bound=1)
    with pytest.raises(errors.DeviceError, match="this engine has no device"):
        y.to("gpu")
    assert (here.device, here.device_memory) == ("cpu", None)
    assert not hasattr(party.secret_key, "to")


def test_keys_have_copies_there_and_lose_them() -> None:
    engine = device_engine(max_level=4)
    secret_key = engine.create_secret_key()
    key = engine.create_evaluation_key(secret_key, rotations=[1])
    memory = engine.device_memory
    assert memory is not None
    assert (key.device, key.is_cuda, memory.ciphertexts) == (GPU, True, 0)
    # Copies have six bytes for each residue; so has what the CPU packs, in whole pages.
    assert 0.9 < memory.keys / key.nbytes <= 1
    assert str(memory).startswith(f"{memory.name}: 0 B of ")
    assert key.to("cpu") is key
    assert key.device == "cpu"
    freed = engine.device_memory
    assert freed is not None
    assert freed.keys == 0
    # A key that has no copy is copied where it is used.
    x = engine.encrypt([0.5, 0.25], secret_key, bound=1)
    np.testing.assert_allclose(engine.decrypt(x.rotate(1) * x, secret_key)[:2], [0, 0.125], atol=1e-6)
    assert [part.device for part in key.keys] == [GPU, "cpu", GPU]
    relinearization_key = key.relinearization_key
    assert relinearization_key is not None
    assert relinearization_key.to("cpu").to("gpu").device == GPU
    seeded = device_engine(max_level=4, seeded_keys=True)
    assert seeded.create_relinearization_key(seeded.create_secret_key()).device == GPU


def test_memory_is_refused_beforehand() -> None:
    engine = device_engine(use_bootstrap_to_14_levels=True, device_memory=2**24)
    secret_key = engine.create_secret_key()
    memory = engine.device_memory
    said = r"left of the device's memory for keys.*key\.to\('cpu'\)"
    with pytest.raises(errors.OutOfMemoryError, match=said) as caught:
        engine.create_bootstrap_key(secret_key)
    assert memory is not None
    assert caught.value.available == memory.max_keys
    assert caught.value.needed is not None
    assert caught.value.needed > memory.max_keys
    assert engine.device_memory == memory
    with pytest.raises(errors.OutOfMemoryError, match="left of the device's memory for ciphertexts"):
        [engine.encrypt([0.5], secret_key, bound=1) for _ in range(1000)]
    assert engine.device_memory == memory
    assert engine.encrypt([0.5], secret_key, bound=1).device == GPU
    with pytest.raises(errors.DeviceError, match=r"open for these parameters with 16777216 bytes.* and 33554432"):
        device_engine(use_bootstrap_to_14_levels=True, device_memory=2**25)


@pytest.mark.parametrize(
    ("options", "option"),
    [
        ({"mode": "cuda"}, "mode"),
        ({"mode": "parallel"}, "mode"),
        ({"device_id": 1}, "device_id"),
        ({"device_memory": 2**30}, "device_memory"),
        ({"mode": "gpu", "device_id": -1}, "device_id"),
        ({"mode": "gpu", "device_memory": 5}, "device_memory"),
    ],
)
def test_wrong_options(options: dict[str, Any], option: str) -> None:
    with pytest.raises(errors.ParameterError) as caught:
        Engine(max_level=2, insecure_log_n=LOG_N, **options)
    assert caught.value.option == option


def test_rings_without_kernels_and_machines_without_gpus() -> None:
    with pytest.raises(errors.DeviceError):
        Engine(max_level=2, insecure_log_n=9, mode="gpu", device_id=DEVICE_ID)
    if SUMMARY.startswith("none"):
        with pytest.raises(errors.DeviceError, match=r"install|compute on the CPU"):
            Engine(max_level=2, insecure_log_n=LOG_N, mode="gpu")


def test_scripts_of_1x() -> None:
    engine = compat.Engine("gpu", device_id=DEVICE_ID, max_level=2, insecure_log_n=LOG_N)
    secret_key = engine.create_secret_key()
    relinearization_key = engine.create_relinearization_key(secret_key)
    x = engine.encrypt([0.5], secret_key)
    assert (x.is_cuda, relinearization_key.is_cuda) == (True, True)
    assert engine.decrypt(engine.multiply(x, x, relinearization_key), secret_key)[0] == pytest.approx(0.25, abs=1e-6)


def test_the_engine_says_where_it_computes(party: Party, capsys: pytest.CaptureFixture[str]) -> None:
    memory = party.engine.device_memory
    assert memory is not None
    assert f"{GPU}: {memory.name}" in repr(party.engine)
    everlevel.show_info()
    assert SUMMARY in capsys.readouterr().out


def test_a_model_computes_where_its_rows_are(tmp_path: Path) -> None:
    linear_model = pytest.importorskip("sklearn.linear_model")
    x = np.linspace(-1, 1, 24).reshape(-1, 3)
    trained = linear_model.LogisticRegression().fit(x, x[:, 0] > 0)
    model = everlevel.ml.compile(trained, x, insecure_log_n=LOG_N)
    client, server = model.keys()
    for name, part in {"model": model, "server": server, "rows": client.encrypt(x[:5])}.items():
        part.save(tmp_path / name)

    def scores(**options: Any) -> Any:
        there = {name: everlevel.ml.load(tmp_path / name, **options) for name in ("model", "server", "rows")}
        return there["model"](there["rows"], there["server"])  # type: ignore[operator]

    here, there = scores(), scores(mode="gpu", device_id=DEVICE_ID)
    np.testing.assert_array_equal(client.decrypt(there), client.decrypt(here))
    assert (there.ciphertext.device, here.ciphertext.device) == (GPU, "cpu")
