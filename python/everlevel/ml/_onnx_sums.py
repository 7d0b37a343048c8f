"""Readers of ONNX's sums, products and activations."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Final

import numpy as np

from ._onnx_node import Node, Reader, Value, mismatch
from ._tensors import Tensor, joined, refusal, require_room
from ._weights import Array, scipy_sparse


def _gemm(node: Node) -> Value:
    left, right = node.tensor(0), node.constant(1)
    alpha, beta = float(node.take("alpha", 1.0)), float(node.take("beta", 1.0))
    node.require("transA", node.take("transA", 0), (0,), "transpose the matrix of weights instead")
    if len(left.shape) != 1:
        raise refusal(
            node.place,
            f"has rows of shape {left.shape}",
            "1 dimension is needed",
            "put a Flatten before it",
            found=left.shape,
        )
    matrix = right.T if node.take("transB", 0) else right
    if matrix.ndim != 2 or len(matrix) != left.size:
        raise mismatch(node, left.shape, matrix.shape)
    product = _by_matrix(node, left, alpha * matrix, is_right=True)
    addend = node.optional(2)
    if addend is None:
        return product
    total = _plus(node, product, _scaled(addend, beta))
    if total.shape != product.shape:
        raise mismatch(node, product.shape, total.shape)
    return total


def _matmul(node: Node) -> Value:
    left, right = node.value(0), node.value(1)
    if isinstance(left, Tensor) and isinstance(right, Tensor):
        raise refusal(
            node.place,
            "multiplies two encrypted matrices",
            "one by constants is supported",
            "use fully connected layers and convolutions in place of attention",
            found="MatMul of two results",
        )
    tensor, matrix = _with_constant(left, right)
    is_right = tensor is left
    # A product with a matrix on the left needs two dimensions beside that of the rows.
    if matrix.ndim != 2 or len(tensor.shape) < (1 if is_right else 2):
        raise mismatch(node, tensor.shape, matrix.shape)
    inner = (tensor.shape[-1], len(matrix)) if is_right else (tensor.shape[-2], matrix.shape[1])
    if inner[0] != inner[1]:
        raise mismatch(node, tensor.shape, matrix.shape)
    return _by_matrix(node, tensor, matrix, is_right=is_right)


def _by_matrix(node: Node, tensor: Tensor, matrix: Array, *, is_right: bool) -> Tensor:
    """Return ``tensor @ matrix``, or ``matrix @ tensor``, of the last dimensions."""
    sparse = scipy_sparse(node.place)
    *lead, last = tensor.shape
    own = matrix.T
    if not is_right:
        own, between = matrix, last
        *lead, last = lead
    outer = math.prod(lead)
    require_room(node.place, matrix.size * tensor.size // last)
    inner = sparse.csr_array(own)
    inner = inner if is_right else sparse.kron(inner, sparse.eye_array(between), format="csr")
    shape = (*lead, len(own)) if is_right else (*lead, len(own), between)
    return tensor.mapped(sparse.kron(sparse.eye_array(outer), inner, format="csr"), shape, node.place)


def _add(node: Node) -> Value:
    return _plus(node, node.value(0), node.value(1))


def _subtract(node: Node) -> Value:
    return _plus(node, node.value(0), _scaled(node.value(1), -1.0))


def _sum(node: Node) -> Value:
    total = node.value(0)
    for index in range(1, len(node.inputs)):
        total = _plus(node, total, node.value(index))
    return total


def _negative(node: Node) -> Value:
    return node.tensor(0).times(-1.0, node.place)


def _scaled(value: Value, factor: float) -> Value:
    return value.times(factor, value.place) if isinstance(value, Tensor) else value * factor


def _plus(node: Node, left: Value, right: Value) -> Tensor:
    if isinstance(left, Tensor) and isinstance(right, Tensor):
        left, right = joined(left, right)
        if len(left.shape) != len(right.shape):
            raise mismatch(node, left.shape, right.shape)
        shape = np.broadcast_shapes(left.shape, right.shape)
        left, right = _widened(node, left, shape), _widened(node, right, shape)
        weights = left.weights + right.weights
        return Tensor(left.sources, weights, left.bias + right.bias, shape, node.place)
    tensor, addend = _with_constant(left, right)
    constant = _of_rows(node, tensor, addend)
    shape = np.broadcast_shapes(tensor.shape, constant.shape)
    return _widened(node, tensor, shape).plus(constant, node.place)


def _widened(node: Node, tensor: Tensor, shape: tuple[int, ...]) -> Tensor:
    """Return a tensor whose numbers are repeated until it has a shape."""
    require_room(node.place, math.prod(shape))
    return tensor if tensor.shape == shape else tensor.taken(np.broadcast_to(tensor.numbers, shape), node.place)


def _multiply(node: Node) -> Value:
    left, right = node.value(0), node.value(1)
    if isinstance(left, Tensor) and isinstance(right, Tensor):
        if left.equals(right):
            return left.applied("square", node.place)
        for factor, other in ((left, right), (right, left)):
            if other.is_result_of("logistic", factor):
                return factor.applied("silu", node.place)
        raise refusal(
            node.place,
            "multiplies two different encrypted tensors",
            "x·x, x·Sigmoid(x), and products with constants are supported",
            "use another activation, or multiply in the clear",
            found="Mul of two results",
        )
    return _times(node, *_with_constant(left, right))


def _divide(node: Node) -> Value:
    divisor = node.constant(1)
    if not divisor.all():
        raise refusal(node.place, "divides by 0", "a quotient has to be finite", "train the network again", found=0.0)
    return _times(node, node.tensor(0), 1 / divisor)


def _with_constant(left: Value, right: Value) -> tuple[Tensor, Array]:
    """Return two operands, of which one is encrypted, in the order: tensor, constant."""
    tensor, constant = (left, right) if isinstance(left, Tensor) else (right, left)
    assert isinstance(tensor, Tensor)
    assert not isinstance(constant, Tensor)
    return tensor, constant


def _times(node: Node, tensor: Tensor, factor: Array) -> Tensor:
    constant = _of_rows(node, tensor, factor)
    shape = np.broadcast_shapes(tensor.shape, constant.shape)
    return _widened(node, tensor, shape).times(constant, node.place)


def _of_rows(node: Node, tensor: Tensor, constant: Array) -> Array:
    """Return a constant in the shape of one row: where it has a dimension of the rows, that has to be 1."""
    if constant.ndim <= len(tensor.shape):
        return constant
    if constant.ndim == len(tensor.shape) + 1 and len(constant) == 1:
        return np.asarray(constant[0])
    raise refusal(
        node.place,
        f"has a constant of shape {constant.shape} beside rows of shape {tensor.shape}",
        "constants are the same for every row",
        "export the network with one row, or a dynamic number of them",
        found=constant.shape,
        supported=tensor.shape,
    )


def _activation(function: str) -> Reader:
    def reader(node: Node) -> Value:
        return node.tensor(0).applied(function, node.place)

    return reader


def _gelu(node: Node) -> Value:
    kind = node.text("approximate", "none")
    node.require("approximate", kind, ("none", "tanh"), "take one of them")
    return node.tensor(0).applied("gelu" if kind == "none" else "gelu-tanh", node.place)


def _swish(node: Node) -> Value:
    tensor, alpha = node.tensor(0), float(node.take("alpha", 1.0))
    if not math.isfinite(alpha) or alpha == 0:
        raise refusal(
            node.place,
            f"has alpha={alpha:g}",
            "a finite number but 0 is supported",
            "take 1",
            found=alpha,
            supported=1.0,
        )
    # x·σ(αx) is αx·σ(αx), divided by α.
    return tensor.times(alpha, tensor.place).applied("silu", node.place).times(1 / alpha, node.place)


def _power(node: Node) -> Value:
    exponent = node.constant(1)
    tensor = node.tensor(0)
    if exponent.size != 1 or exponent.ndim > len(tensor.shape) + 1 or exponent.ravel()[0] != 2:
        raise refusal(
            node.place, f"has the exponent {exponent}", "2 is supported", "multiply in another way", found=exponent
        )
    return tensor.applied("square", node.place)


OPERATORS: Final[Mapping[str, Reader]] = {
    "Add": _add,
    "Div": _divide,
    "Gelu": _gelu,
    "Gemm": _gemm,
    "MatMul": _matmul,
    "Mul": _multiply,
    "Neg": _negative,
    "Pow": _power,
    "Relu": _activation("relu"),
    "Sigmoid": _activation("logistic"),
    "Sub": _subtract,
    "Sum": _sum,
    "Swish": _swish,
    "Tanh": _activation("tanh"),
}
