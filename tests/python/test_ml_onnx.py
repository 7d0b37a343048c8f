"""Networks in ONNX's format: read, against ONNX's own evaluator, and on encrypted rows, against both."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("onnx", reason="networks in ONNX's format are read by the package onnx")

from onnx import TensorProto, helper, numpy_helper

from everlevel import errors, ml
from everlevel.ml import _onnx
from onnx_networks import convolutional, network, node, own_results, saved
from trained_models import SMALL, check_claims

RNG = np.random.default_rng(3)


def normal(*shape: int) -> Any:
    return RNG.normal(size=shape)


NORMALISATION = {
    "s": RNG.uniform(0.5, 2, 4),
    "h": RNG.normal(size=4),
    "m": RNG.normal(size=4),
    "v": RNG.uniform(0.1, 2, 4),
}

# Nodes, a row's shape, and weights.
GRAPHS: dict[str, tuple[list[Any], tuple[int, ...], dict[str, Any]]] = {
    "gemm": ([node("Gemm", "x w b")], (5,), {"w": normal(5, 3), "b": normal(3)}),
    "gemm, transposed and scaled": (
        [node("Gemm", "x w b", transB=1, alpha=0.5, beta=-2.0)],
        (5,),
        {"w": normal(3, 5), "b": normal(1, 3)},
    ),
    "gemm without a bias": ([node("Gemm", "x w")], (5,), {"w": normal(5, 3)}),
    "gemm with one number as bias": ([node("Gemm", "x w b")], (5,), {"w": normal(5, 3), "b": np.array(0.7)}),
    "matmul": ([node("MatMul", "x w")], (5,), {"w": normal(5, 3)}),
    "matmul of matrices": ([node("MatMul", "x w")], (2, 5), {"w": normal(5, 3)}),
    "matmul from the left": ([node("MatMul", "w x")], (4, 3), {"w": normal(2, 4)}),
    "convolution": ([node("Conv", "x k b")], (2, 6, 5), {"k": normal(3, 2, 3, 2), "b": normal(3)}),
    "convolution with strides and pads": (
        [node("Conv", "x k", strides=[2, 3], pads=[1, 0, 2, 3])],
        (2, 7, 6),
        {"k": normal(3, 2, 3, 2)},
    ),
    "grouped convolution": ([node("Conv", "x k", group=2)], (4, 5, 5), {"k": normal(6, 2, 3, 3)}),
    "depthwise convolution": (
        [node("Conv", "x k b", group=4, pads=[1] * 4)],
        (4, 5, 5),
        {"k": normal(4, 1, 3, 3), "b": normal(4)},
    ),
    "dilated convolution": ([node("Conv", "x k", dilations=[2, 1])], (1, 7, 5), {"k": normal(2, 1, 3, 3)}),
    "convolution of a series": ([node("Conv", "x k", strides=[2], pads=[2, 1])], (2, 9), {"k": normal(3, 2, 4)}),
    "convolution of a volume": ([node("Conv", "x k")], (1, 3, 4, 3), {"k": normal(2, 1, 2, 2, 2)}),
    "same, upper": ([node("Conv", "x k", auto_pad="SAME_UPPER", strides=[2, 2])], (1, 5, 6), {"k": normal(2, 1, 4, 3)}),
    "same, lower": ([node("Conv", "x k", auto_pad="SAME_LOWER")], (1, 5, 6), {"k": normal(2, 1, 4, 3)}),
    "valid": ([node("Conv", "x k", auto_pad="VALID")], (1, 5, 6), {"k": normal(2, 1, 4, 3)}),
    "batch normalisation": ([node("BatchNormalization", "x s h m v", epsilon=0.01)], (4, 2, 3), NORMALISATION),
    "batch normalisation of features": ([node("BatchNormalization", "x s h m v")], (4,), NORMALISATION),
    "average": ([node("AveragePool", "x", kernel_shape=[2, 3], strides=[2, 1])], (2, 6, 5), {}),
    "average with pads": (
        [node("AveragePool", "x", kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])],
        (2, 5, 5),
        {},
    ),
    "average with pads that count": (
        [node("AveragePool", "x", kernel_shape=[3, 3], pads=[1, 0, 1, 2], count_include_pad=1)],
        (2, 5, 5),
        {},
    ),
    "average, ceiled where nothing is left": (
        [node("AveragePool", "x", kernel_shape=[2, 2], strides=[2, 2], ceil_mode=1)],
        (2, 6, 4),
        {},
    ),
    "global average": ([node("GlobalAveragePool", "x")], (3, 4, 5), {}),
    "mean of axes": ([node("ReduceMean", "x", axes=[-1, 2], keepdims=0)], (3, 4, 5), {}),
    "mean that keeps its axis": ([node("ReduceMean", "x", axes=[1])], (3, 4), {}),
    "axes of one number": (
        [node("GlobalAveragePool", "x", "1"), node("Squeeze", "1 a", "2"), node("Unsqueeze", "2 b")],
        (3, 4, 5),
        {"a": np.array([-1, 2]), "b": np.array([1, -1])},
    ),
    "sums and products": (
        [
            node("Add", "x a", "1"),
            node("Mul", "b 1", "2"),
            node("Sub", "a 2", "3"),
            node("Div", "3 d", "4"),
            node("Neg", "4", "5"),
            node("Sum", "5 x a", "6"),
            node("Sub", "6 x", "7"),
            node("Add", "7 6"),
        ],
        (3, 4),
        {"a": normal(3, 4), "b": normal(1, 3, 1), "d": np.array(3.0)},
    ),
    "broadcasting": (
        [node("Add", "x a", "1"), node("Mul", "1 b", "2"), node("Add", "2 x")],
        (3, 1),
        {"a": normal(4), "b": normal(3, 1)},
    ),
    "residual of convolutions": (
        [
            node("Conv", "x k", "1", pads=[1] * 4),
            node("Add", "1 x", "2"),
            node("GlobalAveragePool", "2", "3"),
            node("Mul", "2 s", "4"),
            node("Add", "4 3"),
        ],
        (2, 4, 4),
        {"k": normal(2, 2, 3, 3), "s": np.array(2.0)},
    ),
    "shapes": (
        [
            node("Reshape", "x r1", "1"),
            node("Transpose", "1", "2", perm=[0, 2, 1]),
            node("Reshape", "2 r2", "3"),
            node("Reshape", "3 r3", "4"),
            node("Dropout", "4", "5"),
            node("Identity", "5", "6"),
            node("Flatten", "6", "7", axis=-3),
            node("Concat", "7 7", axis=-1),
        ],
        (2, 6),
        {"r1": np.array([0, 3, -1]), "r2": np.array([-1, 12]), "r3": np.array([0, 2, 2, 3])},
    ),
    "concatenated channels": (
        [node("Conv", "x k", "1"), node("Conv", "x l", "2"), node("Concat", "1 2", axis=1)],
        (1, 4, 4),
        {"k": normal(2, 1, 2, 2), "l": normal(3, 1, 2, 2)},
    ),
    "constants that are moved": (
        [
            helper.make_node("Constant", [], ["c"], value=numpy_helper.from_array(normal(3, 4))),
            node("Transpose", "c", "1"),
            node("Identity", "1", "2"),
            node("Reshape", "2 r", "3"),
            node("MatMul", "x 3"),
        ],
        (4,),
        {"r": np.array([0, -1])},
    ),
    "relu first and last": (
        [node("Relu", "x", "1"), node("Gemm", "1 w", "2"), node("Relu", "2")],
        (4,),
        {"w": normal(4, 3)},
    ),
    "tanh and sigmoid": (
        [node("Tanh", "x", "1"), node("Gemm", "1 w", "2"), node("Sigmoid", "2")],
        (4,),
        {"w": normal(4, 3)},
    ),
    "silu as a product": (
        [node("Gemm", "x w", "1"), node("Sigmoid", "1", "2"), node("Mul", "2 1", "3"), node("Add", "3 b")],
        (4,),
        {"w": normal(4, 3), "b": normal(3)},
    ),
    "squares": (
        [node("Mul", "x x", "1"), node("Gemm", "1 w", "2"), node("Pow", "2 two", "3"), node("Neg", "3")],
        (4,),
        {"w": normal(4, 3), "two": np.array(2.0)},
    ),
    "residual": (
        [node("Gemm", "x w", "1"), node("Relu", "1", "2"), node("Gemm", "2 u", "3"), node("Add", "3 x")],
        (4,),
        {"w": normal(4, 3), "u": normal(3, 4)},
    ),
    "residuals in a row": (
        [
            node("Conv", "x k", "1", pads=[1] * 4),
            node("Relu", "1", "2"),
            node("Conv", "2 l", "3", pads=[1] * 4),
            node("Relu", "3", "4"),
            node("Conv", "4 m", "5", pads=[1] * 4),
            node("Add", "5 2", "6"),
            node("Relu", "6", "7"),
            node("Conv", "7 k2", "8", strides=[2, 2]),
            node("Tanh", "8", "9"),
            node("Conv", "7 p", "10", strides=[2, 2]),
            node("Add", "9 10", "11"),
            node("Relu", "11", "12"),
            node("GlobalAveragePool", "12", "13"),
            node("Flatten", "13"),
        ],
        (1, 4, 4),
        {
            "k": normal(2, 1, 3, 3),
            "l": normal(2, 2, 3, 3),
            "m": normal(2, 2, 3, 3),
            "k2": normal(4, 2, 1, 1),
            "p": normal(4, 2, 1, 1),
        },
    ),
    "joined over an activation": (
        [
            node("Relu", "x", "1"),
            node("Concat", "1 x", "2", axis=1),
            node("Gemm", "2 w", "3"),
            node("Concat", "3 1 3", axis=1),
        ],
        (4,),
        {"w": normal(8, 3)},
    ),
    "an activation without effect": (
        [node("Relu", "x", "1"), node("Sub", "1 1", "2"), node("Add", "2 x")],
        (3,),
        {},
    ),
    "two uses of an activation": (
        [node("Relu", "x", "1"), node("Gemm", "1 w", "2"), node("Add", "1 2")],
        (3,),
        {"w": normal(3, 3)},
    ),
}


@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.parametrize("rows", ["rows", 1])
def test_reading_agrees_with_the_evaluator(name: str, rows: Any) -> None:
    nodes, shape, weights = GRAPHS[name]
    model = network(nodes, shape, weights, rows=rows)
    x = np.random.default_rng(0).normal(size=(4, int(np.prod(shape))))
    found = _onnx.read(model)
    np.testing.assert_allclose(found.scores(x), own_results(model, x), atol=1e-12, rtol=1e-12)
    assert found.feature_count == x.shape[1]
    assert found.task.classes is None


@pytest.mark.parametrize(
    ("operator", "attributes"),
    [("Gelu", {}), ("Gelu", {"approximate": "tanh"}), ("Swish", {}), ("Swish", {"alpha": -1.5})],
)
def test_later_activations_agree_with_the_evaluator(operator: str, attributes: dict[str, Any]) -> None:
    opset = 24 if operator == "Swish" else 20
    model = network(
        [node(operator, "x", "1", **attributes), node("Gemm", "1 w")], (4,), {"w": normal(4, 2)}, opset=opset
    )
    x = np.random.default_rng(0).normal(size=(5, 4)) * 3
    np.testing.assert_allclose(_onnx.read(model).scores(x), own_results(model, x), atol=1e-6)


def test_means_have_axes_as_an_input_since_version_18() -> None:
    model = network([node("ReduceMean", "x a", keepdims=0)], (3, 4), {"a": np.array([2])}, opset=18)
    x = np.random.default_rng(0).normal(size=(5, 12))
    np.testing.assert_allclose(_onnx.read(model).scores(x), own_results(model, x), atol=1e-12)


@pytest.mark.parametrize("kind", [TensorProto.FLOAT, TensorProto.FLOAT16, TensorProto.BFLOAT16])
def test_weights_of_fewer_bits(kind: int) -> None:
    model = network([node("Gemm", "x w b")], (3,), {"w": [[1, 2], [3, -4], [0.5, 0.25]], "b": [1, -1]}, kind=kind)
    np.testing.assert_array_equal(_onnx.read(model).scores(np.eye(3)), [[2, 1], [4, -5], [1.5, -0.75]])


@pytest.mark.parametrize("operator", ["Softmax", "LogSoftmax"])
def test_scores_are_what_a_softmax_is_given(operator: str) -> None:
    model = network([node("Gemm", "x w", "1"), node(operator, "1", axis=1)], (4,), {"w": normal(4, 3)})
    x = np.random.default_rng(0).normal(size=(5, 4))
    found, own = _onnx.read(model), own_results(model, x)
    shares = found.task.probabilities(found.scores(x))
    np.testing.assert_allclose(shares, np.exp(own) if operator == "LogSoftmax" else own, atol=1e-12)
    np.testing.assert_array_equal(found.task.labels(found.scores(x)), own.argmax(1))


def test_a_sigmoid_of_one_score_is_a_classifier_of_two() -> None:
    model = network([node("Gemm", "x w", "1"), node("Sigmoid", "1")], (4,), {"w": normal(4, 1)})
    x = np.random.default_rng(0).normal(size=(50, 4))
    found, own = _onnx.read(model), own_results(model, x)
    np.testing.assert_allclose(found.task.probabilities(found.scores(x))[:, 1:], own, atol=1e-12)
    compiled = ml.compile(model, x, output="probabilities", max_error=0.01, **SMALL)
    client, server = compiled.keys()
    scores = compiled(client.encrypt(x[:4]), server)
    np.testing.assert_allclose(client.decrypt(scores), own[:4, 0], atol=0.011)
    np.testing.assert_array_equal(client.predict(scores), (own[:4, 0] > 0.5).astype(int))


@pytest.mark.parametrize(
    ("activation", "options"),
    [("square", {}), ("tanh", {"max_error": 0.02}), ("relu", {"degree": 15, "max_error": 1.0})],
)
def test_convolutional_networks_on_encrypted_images(
    activation: str, options: dict[str, Any], tmp_path: Path, rng: np.random.Generator
) -> None:
    model = convolutional(rng, activation)
    images = rng.uniform(size=(40, 64))
    own = own_results(model, images)
    path = tmp_path / "network.onnx"
    path.write_bytes(saved(model))
    compiled = ml.compile(path, images, input_range=(0, 1), **options, **SMALL)
    assert ml.compile(model, images, input_range=(0, 1), **options, **SMALL).hash == compiled.hash
    client, server = compiled.keys()
    rows = images[:3]
    scores = compiled(client.encrypt(rows), server)
    spread = np.ptp(own)
    np.testing.assert_allclose(client.decrypt(scores), compiled.simulate(rows), atol=2e-4 * spread)
    # Polynomials are within what was asked for; squares are kept.
    bound = 1e-9 if activation == "square" else 1.1 * compiled._fidelity.error
    assert np.abs(compiled.simulate(images) - own).max() <= bound * spread
    assert compiled._fidelity.error <= options.get("max_error", 0.02)
    if activation == "square":
        np.testing.assert_allclose(client.decrypt(scores), own[:3], atol=2e-4 * spread)
        assert compiled._program.levels == 4 + 3 * 1
    np.testing.assert_array_equal(client.predict(scores), client.decrypt(scores))
    check_claims(compiled, client, scores, rows)
    text = str(compiled)
    assert "ONNX network 'test': 64 features → 4 scores" in text
    assert "64 → 192" in text
    compiled.save(tmp_path / "model.evl")
    loaded = ml.load(tmp_path / "model.evl")
    assert isinstance(loaded, ml.Model)
    np.testing.assert_allclose(client.decrypt(loaded(client.encrypt(rows), server)), compiled.simulate(rows), atol=1e-2)


def test_layers_of_one_diagonal_take_no_rotations(rng: np.random.Generator) -> None:
    model = network(
        [node("BatchNormalization", "x s h m v", "1"), node("Mul", "1 1", "2"), node("Neg", "2")], (4,), NORMALISATION
    )
    x = rng.normal(size=(20, 4))
    compiled = ml.compile(model, x, **SMALL)
    assert not compiled._plan.keys.rotations
    assert [stage.rotations for stage in compiled._plan.stages] == [0, 0, 0]
    client, server = compiled.keys()
    assert server.nbytes == compiled.key_nbytes
    own = own_results(model, x)
    scores = compiled(client.encrypt(x[:3]), server)
    np.testing.assert_allclose(client.decrypt(scores), own[:3], atol=1e-4 * np.ptp(own))
    check_claims(compiled, client, scores, x[:3])


def test_convolutions_take_their_taps_where_images_have_powers_of_two(rng: np.random.Generator) -> None:
    weights = {"k": rng.normal(size=(2, 1, 3, 3)), "l": rng.normal(size=(2, 2, 3, 3))}
    nodes = [
        node("Conv", "x k", "1", pads=[1] * 4),
        node("Mul", "1 1", "2"),
        node("Conv", "2 l", "3", pads=[1] * 4),
        node("GlobalAveragePool", "3", "4"),
        node("Flatten", "4"),
    ]
    model, images = network(nodes, (1, 8, 8), weights), rng.uniform(size=(20, 64))
    compiled = ml.compile(model, images, input_range=(0, 1), **SMALL)
    # Nine taps; the second convolution is one sum of each channel.
    assert [stage.products for stage in compiled._plan.stages] == [9, 1, 2]
    client, server = compiled.keys()
    own = own_results(model, images)
    found = client.decrypt(compiled(client.encrypt(images[:3]), server))
    np.testing.assert_allclose(found, own[:3], atol=1e-3 * np.ptp(own))


def test_squares_have_intervals_of_their_own(rng: np.random.Generator) -> None:
    model = network(
        [node("Gemm", "x w", "1"), node("Mul", "1 1", "2"), node("Gemm", "2 u")],
        (3,),
        {"w": [[1000.0, 0, 1e-3], [0, 1, 0], [500, 2, 0]], "u": [[1e-6], [1], [1e6]]},
    )
    x = rng.uniform(-1, 1, size=(30, 3))
    compiled = ml.compile(model, x, degree=31, **SMALL)
    assert [step.degree for step in compiled._program.polynomials] == [2]
    np.testing.assert_allclose(compiled.simulate(x), own_results(model, x), rtol=1e-10)
    client, server = compiled.keys()
    scores = client.decrypt(compiled(client.encrypt(x[:3]), server))
    np.testing.assert_allclose(scores, own_results(model, x[:3]), atol=1e-4 * np.ptp(compiled.simulate(x)))


def test_intervals_that_leave_nothing_but_noise_are_refused(rng: np.random.Generator) -> None:
    """Squares of sums of many numbers: proven intervals are longer than examples' by a factor for every layer."""
    nodes = [node("Gemm", "x w0", "0")]
    for layer in range(1, 5):
        nodes += [node("Mul", f"{layer - 1} {layer - 1}", f"s{layer}"), node("Gemm", f"s{layer} w{layer}", f"{layer}")]
    nodes.append(node("Identity", "4"))
    weights = {f"w{layer}": rng.normal(size=(24, 24 if layer < 4 else 3)) / 5 for layer in range(5)}
    model, x = network(nodes, (24,), weights), rng.uniform(size=(60, 24))
    with pytest.raises(
        errors.ModelError, match=r"^compile: noise moves a score .* by .*; narrow input_range"
    ) as caught:
        ml.compile(model, x, degree=7, **SMALL)
    assert caught.value.found > caught.value.supported == 0.02
    with pytest.warns(errors.RangeWarning, match=r"square on .* which the examples lead to"):
        compiled = ml.compile(model, x, degree=7, ranges="calibrated", **SMALL)
    client, server = compiled.keys()
    scores = client.decrypt(compiled(client.encrypt(x[:3]), server))
    own = own_results(model, x)
    assert np.abs(scores - own[:3]).max() <= 0.02 * np.ptp(own)


def test_reading_does_not_need_scikit_learn() -> None:
    code = "import sys; import everlevel.ml; print([name for name in ('onnx', 'sklearn') if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_without_the_package_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(errors.ModelError, match=r"needs the package onnx .*; pip install 'everlevel\[ml\]'"):
        ml.compile("network.onnx", [[0.0]], **SMALL)


def test_a_network_of_lenets_size_fits_a_small_ring(rng: np.random.Generator) -> None:
    weights = {
        "k1": rng.normal(size=(6, 1, 5, 5)) / 5,
        "k2": rng.normal(size=(16, 6, 5, 5)) / 12,
        "w1": rng.normal(size=(784, 64)) / 28,
        "w2": rng.normal(size=(64, 10)) / 8,
    }
    nodes = [
        node("Conv", "x k1", "1", pads=[2] * 4, strides=[2, 2]),
        node("Mul", "1 1", "2"),
        node("Conv", "2 k2", "3", pads=[2] * 4, strides=[2, 2]),
        node("Mul", "3 3", "4"),
        node("Flatten", "4", "5"),
        node("MatMul", "5 w1", "6"),
        node("Mul", "6 6", "7"),
        node("MatMul", "7 w2"),
    ]
    images = rng.uniform(size=(20, 784))
    with pytest.warns(errors.RangeWarning):
        model = ml.compile(network(nodes, (1, 28, 28), weights), images, ranges="calibrated", max_error=1.0)
    plan = model._plan
    assert (plan.log_n, plan.max_level) == (14, 7)
    assert [stage.products for stage in plan.stages] == [36, 1, 36, 1, 64, 1, 16]
    assert [stage.rotations for stage in plan.stages] == [10, 0, 13, 0, 18, 0, 8]
    assert plan.key_nbytes < 300e6
    assert plan.weight_nbytes < 100e6


def test_pixels_of_a_channel_share_a_calibrated_interval(rng: np.random.Generator) -> None:
    nodes = [node("Conv", "x k", "1"), node("Mul", "1 1", "2"), node("Flatten", "2", "3"), node("MatMul", "3 w")]
    weights = {"k": np.array([1.0, -2.0]).reshape(2, 1, 1, 1), "w": rng.normal(size=(18, 2))}
    images = rng.uniform(0, 0.6, size=(30, 3, 3))
    images[:, 0] = 0  # in all examples, and not in what comes later
    flat = images.reshape(30, 9)
    with pytest.warns(errors.RangeWarning):
        model = ml.compile(
            network(nodes, (1, 3, 3), weights), flat, input_range=(0, 1), ranges="calibrated", margin=0.5, **SMALL
        )
    upside_down = images[:, ::-1].reshape(30, 9)
    ((_, share),) = model.check(upside_down).activations
    assert share < 1


def residual(rng: np.random.Generator, activation: Any) -> Any:
    """A block with its input beside it, and one with strides whose input is projected, as residual networks have."""
    weights = {
        "k1": rng.normal(size=(2, 1, 3, 3)) / 3,
        "k2": rng.normal(size=(2, 2, 3, 3)) / 5,
        "k3": rng.normal(size=(4, 2, 3, 3)) / 5,
        "k4": rng.normal(size=(4, 2, 1, 1)),
        "w": rng.normal(size=(4, 3)) / 2,
        "b": rng.normal(size=3),
    }
    nodes = [
        node("Conv", "x k1", "1", pads=[1] * 4),
        activation("1", "2"),
        node("Conv", "2 k2", "3", pads=[1] * 4),
        node("Add", "3 2", "4"),
        activation("4", "5"),
        node("Conv", "5 k3", "6", pads=[1] * 4, strides=[2, 2]),
        activation("6", "7"),
        node("Conv", "5 k4", "8", strides=[2, 2]),
        node("Add", "7 8", "9"),
        node("GlobalAveragePool", "9", "10"),
        node("Flatten", "10", "11"),
        node("Gemm", "11 w b"),
    ]
    return network(nodes, (1, 8, 8), weights)


@pytest.mark.parametrize("options", [{}, {"layout": "features"}, {"batch": 2}], ids=["rows", "features", "two rows"])
def test_residual_networks_on_encrypted_images(
    options: dict[str, Any], tmp_path: Path, rng: np.random.Generator
) -> None:
    model = residual(rng, lambda a, b: node("Mul", f"{a} {a}", b))
    images = rng.uniform(size=(30, 64))
    with pytest.warns(errors.RangeWarning):
        compiled = ml.compile(
            model, images, input_range=(0, 1), ranges="calibrated", margin=0.5, max_error=0.1, **options, **SMALL
        )
    # Three squares, and a layer before each and after the last.
    assert compiled._program.levels == 7
    assert [step.sources for step in compiled._program.maps] == [(0,), (1,), (2,), (2, 3)]
    own = own_results(model, images)
    # Weights of features are on a grid.
    accuracy = 1e-4 if compiled.layout == "features" else 1e-9
    np.testing.assert_allclose(compiled.simulate(images), own, atol=accuracy * np.ptp(own))
    assert compiled.check(images).is_inside
    client, server = compiled.keys()
    assert server.nbytes == compiled.key_nbytes
    rows = images[:3]
    scores = client.decrypt(compiled(client.encrypt(rows), server))
    np.testing.assert_allclose(scores, own[:3], atol=1e-3 * np.ptp(own))
    compiled.save(tmp_path / "model.evl")
    loaded = ml.load(tmp_path / "model.evl")
    assert isinstance(loaded, ml.Model)
    assert loaded.hash == compiled.hash
    np.testing.assert_allclose(client.decrypt(loaded(client.encrypt(rows), server)), scores, atol=1e-3 * np.ptp(own))


def test_branches_are_as_deep_as_the_deepest(rng: np.random.Generator) -> None:
    nodes = [
        node("Gemm", "x w", "1"),
        node("Mul", "1 1", "2"),
        node("Gemm", "x u", "3"),
        node("Tanh", "3", "4"),
        node("Add", "2 4", "5"),
        node("MatMul", "5 v"),
    ]
    weights = {"w": rng.normal(size=(5, 4)), "u": rng.normal(size=(5, 4)), "v": rng.normal(size=(4, 2))}
    x = rng.uniform(-1, 1, size=(40, 5))
    model = network(nodes, (5,), weights)
    compiled = ml.compile(model, x, degree=7, max_error=1.0, **SMALL)
    # One branch takes 1 + 1 levels and the other 1 + 3; the last layer is after both.
    assert compiled._program.levels == 5
    assert {stage.name: (stage.level_in, stage.level_out) for stage in compiled._plan.stages[1::2]} == {
        "square, degree 2": (4, 3),
        "tanh, degree 7": (4, 1),
    }
    client, server = compiled.keys()
    scores = client.decrypt(compiled(client.encrypt(x[:3]), server))
    np.testing.assert_allclose(scores, compiled.simulate(x[:3]), atol=1e-3 * np.ptp(own_results(model, x)))
