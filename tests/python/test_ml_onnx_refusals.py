"""Refusals of unsupported parts of networks in ONNX's format, by name and place, and of damaged files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("onnx", reason="networks in ONNX's format are read by the package onnx")

import onnx
from onnx import TensorProto, helper, numpy_helper

from everlevel import errors, ml
from everlevel.ml import _onnx
from onnx_networks import convolutional, network, node, saved
from trained_models import SMALL

ONES = np.ones((4, 3))
KERNEL = {"k": np.ones((2, 1, 3, 3))}
IMAGE = (1, 6, 6)
FOUR = {name: np.ones(4) for name in "shm"}

# Nodes, a row's shape, weights, and words of the refusal.
REFUSED: dict[str, tuple[list[Any], tuple[int, ...], dict[str, Any], str]] = {
    "another operator": (
        [node("MaxPool", "x", kernel_shape=[2, 2])],
        IMAGE,
        {},
        r"node 0 'maxpool_y' \(MaxPool\) is not supported, and these operators are: Add, AveragePool.*; use layers",
    ),
    "another domain": (
        [helper.make_node("LinearRegressor", ["x"], ["y"], domain="ai.onnx.ml")],
        (4,),
        {},
        r"node 0 \(LinearRegressor\) of 'ai.onnx.ml' is not supported",
    ),
    "joined rows": ([node("Concat", "x x", axis=0)], (4,), {}, "joins along axis 0, and axes after the first"),
    "product of two": (
        [node("Gemm", "x w", "1"), node("Gemm", "x u", "2"), node("Mul", "1 2")],
        (4,),
        {"w": ONES, "u": 2 * ONES},
        r"\(Mul\) multiplies two different encrypted tensors, and x·x",
    ),
    "product of a sigmoid of something else": (
        [node("Gemm", "x w", "1"), node("Sigmoid", "1", "2"), node("Gemm", "x u", "3"), node("Mul", "2 3")],
        (4,),
        {"w": ONES, "u": 2 * ONES},
        r"\(Mul\) multiplies two different encrypted tensors",
    ),
    "product of matrices": (
        [node("Transpose", "x", "1", perm=[0, 2, 1]), node("MatMul", "1 x")],
        (2, 2),
        {},
        "multiplies two encrypted matrices, and one by constants is supported; use",
    ),
    "divisor": ([node("Div", "w x")], (3,), {"w": np.ones(3)}, "has a result of the network as its input 1"),
    "division by 0": ([node("Div", "x w")], (3,), {"w": np.array([1.0, 0, 1])}, "divides by 0"),
    "exponent": ([node("Pow", "x w")], (3,), {"w": np.array(3.0)}, "has the exponent 3.0, and 2 is supported"),
    "transposed rows": ([node("Gemm", "x w", transA=1)], (4,), {"w": ONES}, "has transA=1, and 0 is supported"),
    "encrypted weights": ([node("Gemm", "w x")], (4,), {"w": ONES}, "has a constant of shape .* as its input 0"),
    "gemm of images": ([node("Gemm", "x w")], (4, 1), {"w": ONES}, r"rows of shape \(4, 1\), .*; put a Flatten"),
    "gemm of another size": ([node("Gemm", "x w")], (5,), {"w": ONES}, r"has shapes \(5,\) and \(4, 3\)"),
    "bias of another size": ([node("Gemm", "x w b")], (4,), {"w": ONES, "b": np.ones(4)}, r"\(Gemm\) is malformed"),
    "bias that widens": ([node("Gemm", "x w b")], (4,), {"w": np.ones((4, 1)), "b": np.ones(4)}, r"has shapes \(1,\)"),
    "matmul of another size": ([node("MatMul", "x w")], (5,), {"w": ONES}, r"has shapes \(5,\) and \(4, 3\)"),
    "matmul of a vector": ([node("MatMul", "x w")], (4,), {"w": np.ones(4)}, r"has shapes \(4,\) and \(4,\)"),
    "product over rows": ([node("MatMul", "w x")], (4,), {"w": ONES.T}, "has shapes"),
    "another constant for each row": (
        [node("Add", "x w")],
        (4,),
        {"w": np.ones((2, 4))},
        r"constant of shape \(2, 4\) beside rows of shape \(4,\), and constants are the same for every row",
    ),
    "channels": ([node("Conv", "x k")], (2, 6, 6), KERNEL, r"has shapes \(2, 6, 6\) and \(2, 1, 3, 3\)"),
    "groups": ([node("Conv", "x k", group=2)], (2, 6, 6), {"k": np.ones((3, 1, 3, 3))}, "has shapes"),
    "no groups": ([node("Conv", "x k", group=0)], IMAGE, KERNEL, "has shapes"),
    "kernel's shape": ([node("Conv", "x k", kernel_shape=[2, 2])], IMAGE, KERNEL, r"has shapes \(2, 2\) and \(3, 3\)"),
    "bias of channels": ([node("Conv", "x k b")], IMAGE, KERNEL | {"b": np.ones(3)}, r"has shapes \(3,\)"),
    "strides of 0": ([node("Conv", "x k", strides=[0, 1])], IMAGE, KERNEL, r"strides \(0, 1\)"),
    "too few strides": ([node("Conv", "x k", strides=[1])], IMAGE, KERNEL, r"strides \(1,\)"),
    "negative pads": ([node("Conv", "x k", pads=[-1, 0, 0, 0])], IMAGE, KERNEL, "pads .*and 2 positive numbers"),
    "huge pads": (
        [node("Conv", "x k", pads=[2**40] * 4)],
        IMAGE,
        KERNEL,
        "weights, each pixel's counted, and up to 67108864",
    ),
    "auto_pad": ([node("Conv", "x k", auto_pad="BEST")], IMAGE, KERNEL, "auto_pad='BEST', and 'NOTSET' or"),
    "small image": ([node("Conv", "x k")], (1, 6, 2), KERNEL, r"windows of \(3, 3\) on a padded image of \(6, 2\)"),
    "encrypted kernel": ([node("Conv", "k x")], IMAGE, KERNEL, "has a constant of shape"),
    "ceiled": (
        [node("AveragePool", "x", kernel_shape=[2, 2], strides=[2, 2], ceil_mode=1)],
        (1, 5, 5),
        {},
        r"ceil_mode=1 and windows beyond its image of \(5, 5\)",
    ),
    "means of nothing": (
        [node("AveragePool", "x", kernel_shape=[1, 1], pads=[1, 1, 1, 1])],
        IMAGE,
        {},
        "as large as its windows",
    ),
    "global mean of features": ([node("GlobalAveragePool", "x")], (4,), {}, "has shapes"),
    "mean of rows": (
        [node("ReduceMean", "x", axes=[0])],
        (4,),
        {},
        r"has the axes \(0,\) of 2 dimensions",
    ),
    "mean of all": ([node("ReduceMean", "x")], (4,), {}, r"has the axes \(\) of 2 dimensions"),
    "mean of an axis that isn't there": ([node("ReduceMean", "x", axes=[5])], (4,), {}, r"has the axes \(5,\)"),
    "mean of an axis twice": ([node("ReduceMean", "x", axes=[1, -1])], (4,), {}, r"has the axes \(1, -1\)"),
    "axes of several numbers": ([node("Squeeze", "x a")], (4,), {"a": np.array([1])}, r"has shapes \(4,\) and \(1,\)"),
    "half an axis": ([node("Squeeze", "x a")], (4,), {"a": np.array([1.5])}, r"has the axes \(1,\)|malformed"),
    "unsqueezed rows": ([node("Unsqueeze", "x a")], (4,), {"a": np.array([0])}, r"has the axes \(0,\) of 3"),
    "training": (
        [helper.make_node("BatchNormalization", [*"xshmv"], ["y", "m2", "v2"], training_mode=1)],
        (4,),
        FOUR | {"v": np.ones(4)},
        r"training_mode=1, and 0 is supported; export the network after its eval\(\)",
    ),
    "variance": ([node("BatchNormalization", "x s h m v")], (4,), FOUR | {"v": -np.ones(4)}, "has a variance of -1"),
    "statistics": ([node("BatchNormalization", "x s h m v")], (3,), FOUR | {"v": np.ones(4)}, "has shapes"),
    "dropout in training": (
        [node("Dropout", "x - t")],
        (4,),
        {"t": np.array(1)},
        "training_mode=1|malformed",
    ),
    "flattened rows": ([node("Flatten", "x", axis=0)], (4,), {}, "has axis=0, and 1 is supported"),
    "merged rows": ([node("Reshape", "x r")], (4,), {"r": np.array([-1, 2])}, r"to \(-1, 2\), and the first dimension"),
    "one row of all": ([node("Reshape", "x r")], (4,), {"r": np.array([1, -1])}, r"to \(1, -1\), and the first"),
    "reshape to nothing": ([node("Reshape", "x r")], (4,), {"r": np.array([0, 3])}, "has shapes"),
    "shape of halves": ([node("Reshape", "x r")], (4,), {"r": np.array([0.5, 3])}, "has a shape|malformed"),
    "moved rows": ([node("Transpose", "x", perm=[1, 0])], (4,), {}, "has perm=1, and 0 is supported"),
    "softmax in between": (
        [node("Softmax", "x", "1"), node("Gemm", "1 w")],
        (4,),
        {"w": ONES},
        "is not the output, .*; leave it out",
    ),
    "softmax of one": ([node("Softmax", "x")], (1,), {}, "is the output, of rows of shape"),
    "constants alone": ([node("Add", "w w", "1"), node("Gemm", "x 1")], (4,), {"w": ONES}, "has constants alone, and"),
    "constant output": ([node("Relu", "x", "1"), node("Identity", "w")], (4,), {"w": ONES}, "output 'y' is a constant"),
    "weights of NaN": ([node("Gemm", "x w")], (4,), {"w": np.nan * ONES}, "has a weight that is not finite"),
    "unknown attribute": ([node("Relu", "x", consumed_inputs=[0])], (4,), {}, "consumed_inputs"),
    "unknown input": ([node("Gemm", "x w")], (4,), {}, "malformed .*w"),
    "too large": ([node("Relu", "x")], (3, 2**13, 2**13), {}, "input 'x' has 201326592 weights, each pixel's counted"),
    "open size": ([node("Relu", "x")], ("width",), {}, r"input 'x' has shape \(\?, \?\), and .* is supported"),  # type: ignore[dict-item]
    "no features": ([node("Relu", "x")], (), {}, r"input 'x' has shape \(\?\)|input 'x' has shape \(\?,\)"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_parts_that_are_refused(name: str) -> None:
    nodes, shape, weights, words = REFUSED[name]
    model = network(nodes, shape, weights)
    with pytest.raises(errors.ModelError, match=rf"(?s)^compile: .*({words})") as caught:
        ml.compile(model, np.zeros((2, 4)), **SMALL)
    assert caught.value.place
    assert "; " in str(caught.value)


def changed(change: Any) -> Any:
    model = network([node("Gemm", "x w")], (4,), {"w": ONES})
    change(model)
    return model


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda m: m.ClearField("graph"), "0 versions|no graph"),
        (lambda m: m.ClearField("opset_import"), "has 0 versions of ONNX's operators"),
        (lambda m: setattr(m.opset_import[0], "version", 12), "version 12, and 13 to .* are supported; convert"),
        (lambda m: setattr(m.opset_import[0], "version", 999), "version 999, and 13 to"),
        (lambda m: m.functions.add(name="Gemm"), "has a function 'Gemm', .*; inline it"),
        (lambda m: m.graph.input.add().CopyFrom(helper.make_tensor_value_info("z", 1, [1])), "has 2 inputs"),
        (lambda m: m.graph.ClearField("input"), "has 0 inputs|malformed"),
        (lambda m: m.graph.output.add().CopyFrom(helper.make_tensor_value_info("x", 1, [1])), "has 2 outputs"),
        (lambda m: setattr(m.graph.input[0].type.tensor_type, "elem_type", TensorProto.INT64), "numbers of type 7"),
        (lambda m: setattr(m.graph.input[0].type.tensor_type.shape.dim[0], "dim_value", 8), r"shape \(8, 4\)"),
        (lambda m: setattr(m.graph.initializer[0], "raw_data", b"123"), "malformed"),
        (lambda m: m.graph.initializer[0].dims.append(2**40), "malformed"),
        (lambda m: setattr(m.graph.initializer[0], "data_location", TensorProto.EXTERNAL), "another file|malformed"),
        (lambda m: m.graph.initializer[0].CopyFrom(numpy_helper.from_array(ONES * 1j, "w")), "no real numbers"),
        (lambda m: m.graph.sparse_initializer.add().values.CopyFrom(m.graph.initializer[0]), "sparse|malformed"),
        (lambda m: m.graph.node.add().CopyFrom(m.graph.node[0]), "malformed"),
    ],
)
def test_models_that_are_refused(change: Any, words: str) -> None:
    with pytest.raises(errors.ModelError, match=rf"(?s)^compile: .*({words})"):
        ml.compile(changed(change), np.zeros((2, 4)), **SMALL)


def test_files_that_are_refused(tmp_path: Path) -> None:
    with pytest.raises(errors.StorageError, match=r"^compile: .*can't be read .*; give the path of an ONNX file"):
        ml.compile(tmp_path / "none.onnx", [[0.0]], **SMALL)
    with pytest.raises(errors.StorageError, match=r"^compile: "):
        ml.compile(tmp_path, [[0.0]], **SMALL)
    with pytest.raises(errors.StorageError, match=r"^compile: "):
        ml.compile("a\0.onnx", [[0.0]], **SMALL)
    for content in (b"", b"not a network", b"\x80" * 99):
        path = tmp_path / "bad.onnx"
        path.write_bytes(content)
        with pytest.raises(errors.ModelError, match=r"^compile: .*; export it again"):
            ml.compile(str(path), [[0.0]], **SMALL)


def test_weights_in_other_files_are_not_opened(tmp_path: Path) -> None:
    model = network([node("Gemm", "x w")], (4,), {"w": ONES})
    onnx.save(model, tmp_path / "network.onnx", save_as_external_data=True, size_threshold=0, location="weights")
    with pytest.raises(
        errors.ModelError, match=r"weights 'w' are in another file, .*; load it with onnx.load|malformed"
    ):
        ml.compile(tmp_path / "network.onnx", np.zeros((2, 4)), **SMALL)
    ml.compile(onnx.load(tmp_path / "network.onnx"), np.eye(4), **SMALL)


def test_examples_of_another_shape_are_refused() -> None:
    model = convolutional(np.random.default_rng(0))
    with pytest.raises(errors.MessageError, match=r"examples has shape \(3, 1, 8, 8\), and \(rows, 64\) is needed"):
        ml.compile(model, np.zeros((3, 1, 8, 8)), **SMALL)


def test_damaged_files_are_read_or_refused(tmp_path: Path) -> None:
    """Bytes cut off, changed, left out and doubled: typed errors, or a network with the scores that it says."""
    rng = np.random.default_rng(7)
    content = np.frombuffer(saved(convolutional(rng, "tanh")), dtype=np.uint8)
    path, refused = tmp_path / "damaged.onnx", 0
    for round_ in range(400):
        damaged = content.copy()
        place = int(rng.integers(len(damaged)))
        kind = round_ % 4
        if kind == 0:
            damaged = damaged[:place]
        elif kind == 1:
            # Weights are most of the bytes, and their descriptions are at both ends.
            ends = np.r_[0:900, len(damaged) - 400 : len(damaged)]
            damaged[rng.choice(ends, 3)] = rng.integers(256, size=3)
        elif kind == 2:
            damaged = np.delete(damaged, slice(place, place + int(rng.integers(1, 9))))
        else:
            damaged = np.insert(damaged, place, damaged[: int(rng.integers(1, 99))])
        path.write_bytes(damaged.tobytes())
        try:
            found = _onnx.read(path)
            assert np.isfinite(found.scores(np.zeros((1, found.feature_count)))).all()
        except errors.ModelError:
            refused += 1
    assert 200 < refused < 400
