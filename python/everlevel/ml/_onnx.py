"""Reader of networks in ONNX's format. The package `onnx` parses their files, and is imported when one is read.

Everything between two activations is affine, and is folded into one layer as it is read (`_tensors`).
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable
from typing import Any, Final

import numpy as np

from .._common import checks
from ..errors import ModelError, StorageError
from . import _onnx_images, _onnx_shapes, _onnx_sums
from ._network import Network, Task, require_finite
from ._onnx_node import Node, Value
from ._tensors import Source, Tensor, refusal
from ._weights import Array

_OPERATORS: Final = {**_onnx_sums.OPERATORS, **_onnx_images.OPERATORS, **_onnx_shapes.OPERATORS}
_LINKS: Final = ("Softmax", "LogSoftmax")
"""Operators that are read at the end alone: their arguments are the scores."""
_NAMES: Final = tuple(sorted([*_OPERATORS, *_LINKS, "Constant"]))

_LEAST_OPSET: Final = 13
_DOMAINS: Final = ("", "ai.onnx")
_FLOATS: Final = ("FLOAT", "DOUBLE", "FLOAT16", "BFLOAT16")
_LONGEST_NAME: Final = 60


def is_network(value: Any) -> bool:
    """Whether a value is an ONNX model, or the path of a file of one."""
    if isinstance(value, str):
        return value.endswith(".onnx")
    kind = type(value)
    return isinstance(value, os.PathLike) or (kind.__name__ == "ModelProto" and kind.__module__.startswith("onnx"))


def read(model: Any) -> Network:
    """Read an ONNX model, or a file of one.

    Raises
    ------
    StorageError
        If the file can't be opened.
    ModelError
        If it is malformed, a part of it is not supported, or the package `onnx` is missing.
    """
    try:
        import onnx
    except ImportError as error:
        raise refusal(
            "a network in ONNX's format",
            "needs the package onnx to be read",
            f"it can't be imported ({error})",
            "pip install 'everlevel[ml]'",
            found="no package onnx",
        ) from error
    proto = _loaded(onnx, model) if isinstance(model, str | os.PathLike) else model
    _require_version(proto, onnx.defs.onnx_opset_version())
    _require_operators(proto.graph)
    try:
        onnx.checker.check_model(proto)
    except Exception as error:
        raise _malformed("the network", error) from error
    with np.errstate(over="ignore", invalid="ignore"):  # weights that come out infinite are refused
        network = _network(onnx, proto.graph)
    require_finite(network)
    return network


def _loaded(onnx: Any, path: Any) -> Any:
    text = checks.path("compile", path)
    try:
        with open(text, "rb") as file:
            content = file.read()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise StorageError(
            f"compile: {text!r} can't be read ({reason}); give the path of an ONNX file", path=text
        ) from error
    try:
        return onnx.load_model_from_string(content)
    except Exception as error:
        raise _malformed(f"the file {text!r}", error) from error


def _malformed(place: str, error: Exception) -> ModelError:
    reason = " ".join(str(error).split())[:200]
    return refusal(
        place,
        f"is malformed ({reason})",
        "a model that onnx.checker.check_model takes is needed",
        "export it again",
        found=type(error).__name__,
    )


def _require_version(proto: Any, newest: int) -> None:
    versions = [entry.version for entry in proto.opset_import if entry.domain in _DOMAINS]
    if not proto.HasField("graph") or len(versions) != 1:
        raise refusal(
            "the network",
            f"has {len(versions)} versions of ONNX's operators and {'a' if proto.HasField('graph') else 'no'} graph",
            "one of each is needed",
            "export it again, with torch.onnx.export, for instance",
            found=versions,
        )
    if not _LEAST_OPSET <= versions[0] <= newest:
        raise refusal(
            "the network",
            f"has operators of version {versions[0]}",
            f"{_LEAST_OPSET} to {newest} are supported",
            "convert it with onnx.version_converter.convert_version, or take a newer onnx",
            found=versions[0],
            supported=(_LEAST_OPSET, newest),
        )
    if proto.functions:
        raise refusal(
            "the network",
            f"has a function {_short(proto.functions[0].name)}",
            "ONNX's own operators are supported",
            "inline it with onnx.inliner.inline_local_functions",
            found=proto.functions[0].name,
        )


def _require_operators(graph: Any) -> None:
    """Refuse unknown operators by name, before the network is checked as a whole."""
    for index, node in enumerate(graph.node):
        if node.domain not in _DOMAINS or node.op_type not in _NAMES:
            domain = "" if node.domain in _DOMAINS else f" of {_short(node.domain)}"
            raise refusal(
                _place(index, node) + domain,
                "is not supported",
                f"these operators are: {', '.join(_NAMES)}",
                "use layers that are made of them, or compute this one in the clear, before encryption or after "
                "decryption",
                found=node.op_type,
                supported=_NAMES,
            )


def _place(index: int, node: Any) -> str:
    name = f" {_short(node.name)}" if node.name else ""
    return f"node {index}{name} ({node.op_type[:_LONGEST_NAME]})"


def _short(name: str) -> str:
    return repr(name if len(name) <= _LONGEST_NAME else f"{name[:_LONGEST_NAME]}…")


def _network(onnx: Any, graph: Any) -> Network:
    values: dict[str, Value] = _constants(onnx, graph)
    # Initializers may be listed among the inputs.
    given = _only("input", [entry for entry in graph.input if entry.name not in values])
    result = _only("output", graph.output)
    tensor, has_one_row = _input(onnx, given)
    values[given.name] = tensor
    link: str | None = None
    last_uses = {name: index for index, proto in enumerate(graph.node) for name in proto.input}
    for index, proto in enumerate(graph.node):
        place = _place(index, proto)
        attributes = _attributes(onnx, place, proto)
        if proto.op_type == "Constant":
            values[proto.output[0]] = _constant(onnx, place, attributes)
            continue
        inputs = tuple(_named(place, values, name) if name else None for name in proto.input)
        node = Node(place, inputs, attributes, has_one_row)
        is_last = proto.output[0] == result.name
        found = node.optional(0)
        if proto.op_type in _LINKS:
            _require_last(node, is_last=is_last)
            link, values[proto.output[0]] = "softmax", node.tensor(0)
        elif proto.op_type == "Sigmoid" and is_last and isinstance(found, Tensor) and found.size == 1:
            link, values[proto.output[0]] = "logistic", found
        else:
            values[proto.output[0]] = _applied(node, proto.op_type)
        for name in proto.input:
            # Tables are large: none is kept after its last use.
            if last_uses[name] == index and name != result.name:
                values.pop(name, None)
        if attributes:
            name, value = next(iter(attributes.items()))
            raise refusal(
                place,
                f"has the attribute {_short(name)}",
                "it is not supported",
                "export the network without it",
                found=value,
            )
    scores = _named(f"output {_short(result.name)}", values, result.name)
    if not isinstance(scores, Tensor):
        raise refusal(
            f"output {_short(result.name)}",
            "is a constant",
            "a result of the input is needed",
            "export the network again",
            found="a constant",
        )
    is_flat = link == "logistic" or not scores.shape
    count = 2 if link == "logistic" else scores.size
    task = Task(None if link is None else np.arange(count), "identity" if link is None else link, is_flat)
    name = f"ONNX network {_short(graph.name)}" if graph.name else "ONNX network"
    return Network(scores.layers(), task, name, scores.input_shape())


def _applied(node: Node, operator: str) -> Value:
    if operator not in _onnx_shapes.ON_CONSTANTS and not any(isinstance(value, Tensor) for value in node.inputs):
        raise refusal(
            node.place,
            "has constants alone",
            "results of the input are supported",
            "export the network with its constants folded",
            found="constants",
        )
    try:
        return _OPERATORS[operator](node)
    except ModelError:
        raise
    except ValueError as error:  # by NumPy, for shapes that don't broadcast
        raise _malformed(node.place, error) from error


def _require_last(node: Node, *, is_last: bool) -> None:
    tensor, axis = node.tensor(0), int(node.take("axis", -1))
    if not is_last or len(tensor.shape) != 1 or tensor.size < 2 or axis not in (1, -1):
        raise refusal(
            node.place,
            f"is {'the' if is_last else 'not the'} output, of rows of shape {tensor.shape} along axis {axis}",
            "it is supported as the output alone, of two or more scores of a row",
            "leave it out: client.predict_proba computes it in the clear",
            found=(tensor.shape, axis),
        )


def _only(role: str, entries: Iterable[Any]) -> Any:
    found = list(entries)
    if len(found) != 1:
        names = ", ".join(_short(entry.name) for entry in found[:5]) or "none"
        raise refusal(
            "the network",
            f"has {len(found)} {role}s ({names})",
            "one is supported",
            f"export it with one {role}",
            found=len(found),
            supported=1,
        )
    return found[0]


def _named(place: str, values: dict[str, Value], name: str) -> Value:
    if name not in values:
        raise refusal(
            place,
            f"takes {_short(name)}",
            "no node before it gives that as its first result",
            "export the network for inference, after its eval()",
            found=name,
        )
    return values[name]


def _input(onnx: Any, entry: Any) -> tuple[Tensor, bool]:
    """Return the input as a tensor, and whether it has one row."""
    place = f"input {_short(entry.name)}"
    kind = entry.type.tensor_type
    names = {onnx.TensorProto.DataType.Value(name): name for name in _FLOATS}
    if not entry.type.HasField("tensor_type") or kind.elem_type not in names:
        raise refusal(
            place,
            f"has numbers of type {kind.elem_type}",
            f"a tensor of {', '.join(_FLOATS)} is supported",
            "export the network with an input of floating-point numbers",
            found=kind.elem_type,
            supported=_FLOATS,
        )
    sizes = [dim.dim_value if dim.HasField("dim_value") else None for dim in kind.shape.dim]
    features = [size for size in sizes[1:] if size is not None and size > 0]
    if len(sizes) < 2 or len(features) != len(sizes) - 1 or sizes[0] not in (None, 0, 1):
        shown = tuple("?" if size is None else size for size in sizes)
        raise refusal(
            place,
            f"has shape {shown}".replace("'", ""),
            "(?, …) is supported: rows first, open or 1, and then sizes that are fixed",
            "export it with a dynamic first axis alone",
            found=shown,
        )
    shape = tuple(features)
    return Source(math.prod(shape), "", place, shape=shape).tensor(shape), sizes[0] == 1


def _constants(onnx: Any, graph: Any) -> dict[str, Value]:
    if graph.sparse_initializer:
        name = graph.sparse_initializer[0].values.name
        raise refusal(
            f"weights {_short(name)}", "are sparse", "dense ones are supported", "export them dense", found="sparse"
        )
    return {entry.name: _array(onnx, f"weights {_short(entry.name)}", entry) for entry in graph.initializer}


def _constant(onnx: Any, place: str, attributes: dict[str, Any]) -> Array:
    """Return the value of a node Constant."""
    name, value = next(iter(attributes.items()), ("", None))
    if name == "value":
        return _array(onnx, place, value)
    if name in ("value_float", "value_int", "value_floats", "value_ints"):
        return np.asarray(value, dtype=np.float64)
    raise refusal(place, f"has {_short(name)}", "numbers are supported", "export the network again", found=name)


def _array(onnx: Any, place: str, proto: Any) -> Array:
    if proto.data_location == onnx.TensorProto.EXTERNAL:
        raise refusal(
            place,
            "are in another file",
            "one file with everything is supported",
            "load it with onnx.load, and pass the result",
            found="external data",
        )
    kind = onnx.TensorProto.DataType
    if proto.data_type in (kind.Value("STRING"), kind.Value("COMPLEX64"), kind.Value("COMPLEX128")):
        raise refusal(
            place, "are no real numbers", "these are supported", "export the network again", found=proto.data_type
        )
    try:
        return np.array(onnx.numpy_helper.to_array(proto)).astype(np.float64)
    except Exception as error:
        raise _malformed(place, error) from error


def _attributes(onnx: Any, place: str, proto: Any) -> dict[str, Any]:
    try:
        return {entry.name: onnx.helper.get_attribute_value(entry) for entry in proto.attribute}
    except Exception as error:
        raise _malformed(place, error) from error
