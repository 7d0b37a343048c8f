"""Small ONNX networks for the tests of `everlevel.ml`, and their results by ONNX's own evaluator."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator


def network(
    nodes: Sequence[Any],
    shape: Sequence[Any],
    weights: Mapping[str, Any] | None = None,
    *,
    rows: int | str | None = "rows",
    opset: int = 17,
    kind: int = TensorProto.DOUBLE,
    outputs: Sequence[str] = ("y",),
) -> Any:
    """A model of nodes from "x" to "y". Weights of integers keep their type; others have the input's."""
    number = helper.tensor_dtype_to_np_dtype(kind)
    arrays = {name: np.asarray(values) for name, values in (weights or {}).items()}
    entries = [
        numpy_helper.from_array(array if array.dtype.kind in "iOU" else array.astype(number), name)
        for name, array in arrays.items()
    ]
    graph = helper.make_graph(
        nodes,
        "test",
        [helper.make_tensor_value_info("x", kind, [rows, *shape])],
        [helper.make_tensor_value_info(name, kind, [rows, None]) for name in outputs],
        entries,
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10)


def own_results(model: Any, x: Any) -> Any:
    """Results of ONNX's evaluator for rows, of shape (rows, outputs)."""
    entry = model.graph.input[0].type.tensor_type
    shape = [dim.dim_value for dim in entry.shape.dim][1:]
    images = np.asarray(x).reshape(-1, *shape).astype(helper.tensor_dtype_to_np_dtype(entry.elem_type))
    evaluator = ReferenceEvaluator(model)
    if entry.shape.dim[0].dim_value == 1:
        return np.concatenate([evaluator.run(None, {"x": image[None]})[0].reshape(1, -1) for image in images])
    return evaluator.run(None, {"x": images})[0].reshape(len(images), -1)


def node(operator: str, inputs: str, output: str = "y", **attributes: Any) -> Any:
    """A node whose inputs are separated by blanks; "-" stands for an input that is left out."""
    names = ["" if name == "-" else name for name in inputs.split()]
    return helper.make_node(operator, names, [output], name=f"{operator.lower()}_{output}", **attributes)


def convolutional(rng: Any, activation: str = "square", *, size: int = 8, rows: int | str | None = "rows") -> Any:
    """Two convolutions, a normalisation, means and two full layers, as LeNet has them."""
    acted = {
        "square": lambda a, b: node("Mul", f"{a} {a}", b),
        "relu": lambda a, b: node("Relu", a, b),
        "tanh": lambda a, b: node("Tanh", a, b),
    }[activation]
    weights = {
        "k1": rng.normal(size=(3, 1, 3, 3)) / 3,
        "b1": rng.normal(size=3) / 4,
        "scale": rng.uniform(0.5, 1.5, 3),
        "shift": rng.normal(size=3) / 4,
        "mean": rng.normal(size=3) / 4,
        "var": rng.uniform(0.5, 1.5, 3),
        "k2": rng.normal(size=(6, 3, 3, 3)) / 5,
        "b2": rng.normal(size=6) / 4,
        "w1": rng.normal(size=(8, 6 * (size // 4) ** 2)) / 5,
        "c1": rng.normal(size=8) / 4,
        "w2": rng.normal(size=(8, 4)) / 2,
        "c2": rng.normal(size=4) / 4,
    }
    nodes = [
        node("Conv", "x k1 b1", "h1", pads=[1, 1, 1, 1]),
        node("BatchNormalization", "h1 scale shift mean var", "h2"),
        acted("h2", "h3"),
        node("AveragePool", "h3", "h4", kernel_shape=[2, 2], strides=[2, 2]),
        node("Conv", "h4 k2 b2", "h5", pads=[1, 1, 1, 1], strides=[2, 2]),
        acted("h5", "h6"),
        node("Flatten", "h6", "h7"),
        node("Gemm", "h7 w1 c1", "h8", transB=1),
        acted("h8", "h9"),
        node("MatMul", "h9 w2", "h10"),
        node("Add", "h10 c2", "y"),
    ]
    return network(nodes, (1, size, size), weights, rows=rows)


def saved(model: Any) -> bytes:
    """The bytes of a model's file."""
    content: bytes = onnx.ModelProto.SerializeToString(model)
    return content


def residual(rng: Any, channels: Sequence[int], *, size: int = 8, classes: int = 4, activation: str = "Relu") -> Any:
    """A residual network of one block for each number of channels; all but the first halve their images."""
    weights: dict[str, Any] = {}
    nodes = []

    def convolution(of: str, name: str, shape: tuple[int, int, int], stride: int = 1, gain: float = 1.0) -> str:
        outputs, inputs, kernel = shape
        weights[f"w{name}"] = rng.normal(size=(outputs, inputs, kernel, kernel)) * gain / np.sqrt(inputs) / kernel
        weights[f"b{name}"] = rng.normal(size=outputs) / 20
        pads = [kernel // 2] * 4
        nodes.append(node("Conv", f"{of} w{name} b{name}", name, pads=pads, strides=[stride, stride]))
        return name

    def acted(of: str) -> str:
        nodes.append(node(activation, of, f"{of}'"))
        return f"{of}'"

    last, before = acted(convolution("x", "first", (channels[0], 3, 3))), channels[0]
    for block, count in enumerate(channels):
        stride = 2 if block else 1
        inner = acted(convolution(last, f"a{block}", (count, before, 3), stride, 1.4))
        outer = convolution(inner, f"b{block}", (count, count, 3), 1, 0.7)
        beside = convolution(last, f"s{block}", (count, before, 1), 2) if block else last
        nodes.append(node("Add", f"{outer} {beside}", f"c{block}"))
        last, before = acted(f"c{block}"), count
    weights |= {"full": rng.normal(size=(before, classes)), "bias": rng.normal(size=classes) / 10}
    nodes += [
        node("GlobalAveragePool", last, "means"),
        node("Flatten", "means", "flat"),
        node("Gemm", "flat full bias", "y"),
    ]
    return network(nodes, (3, size, size), weights)
