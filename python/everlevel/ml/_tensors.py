"""Affine tensors of a network that is being read, each a map of the results of activations before it.

Convolutions, means, normalisations and sums are affine, and so are their compositions. A tensor is the sparse matrix of
its coefficients, and each affine operator is another one that is multiplied with it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ..errors import ModelError
from ._network import Activation, Affine, Layer
from ._weights import Array, compact, csr, of_terms, scaled

_MOST_NUMBERS: Final = 2**26
"""Limit of the weights in a tensor that aren't zero: 0.8 GB of them."""

Indices = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Source:
    """Variables of affine tensors: the network's inputs, or the results of an activation.

    Attributes
    ----------
    size : int
        Number of the variables.
    function : str
        Name of the activation, one of `ACTIVATIONS`; "" for the network's inputs.
    place : str
        Name of the input or node, in words.
    argument : Tensor or None
        Argument of the activation.
    shape : tuple of int
        Of a row of the network's inputs.
    """

    size: int
    function: str
    place: str
    argument: Tensor | None = None
    shape: tuple[int, ...] = ()

    def tensor(self, shape: tuple[int, ...]) -> Tensor:
        """Return the variables as a tensor of a shape: the identity map."""
        require_room(self.place, self.size)
        each = np.arange(self.size)
        weights = csr(np.ones(self.size), each, np.arange(self.size + 1), (self.size, self.size))
        return Tensor((self,), weights, np.zeros(self.size), shape, self.place)


@dataclass(frozen=True, eq=False)
class Tensor:
    """An affine map of sources.

    Attributes
    ----------
    sources : tuple of Source
        Variables of the map.
    weights : sparse matrix, shape (size, variables)
        Coefficients of each variable, one source after the other, for each number of a row in C order.
    bias : ndarray, shape (size,)
    shape : tuple of int
        Shape of one row: the tensor's shape in the network without its first dimension.
    place : str
        Name of the node that made it, in words.
    """

    sources: tuple[Source, ...]
    weights: Any
    bias: Array
    shape: tuple[int, ...]
    place: str

    @property
    def size(self) -> int:
        """Count of the numbers in one row."""
        return len(self.bias)

    @property
    def rank(self) -> int:
        """Dimensions, with that of the rows."""
        return len(self.shape) + 1

    @property
    def numbers(self) -> Indices:
        """Place of each number in a row, in the tensor's shape."""
        return np.arange(self.size).reshape(self.shape)

    @property
    def is_identity(self) -> bool:
        """Whether the numbers are the variables, in their order."""
        weights, each = self.weights, np.arange(self.size)
        is_square = weights.shape == (self.size, self.size) and weights.nnz == self.size and not self.bias.any()
        return is_square and np.array_equal(weights.indices, each) and bool((weights.data == 1).all())

    def mapped(self, matrix: Any, shape: tuple[int, ...], place: str) -> Tensor:
        """Return a sparse matrix times this tensor, in a shape."""
        bias = np.asarray(matrix @ self.bias)
        if self.is_identity:
            return Tensor(self.sources, matrix, bias, shape, place)
        counts = np.diff(self.weights.indptr).astype(np.int64)
        require_room(place, int(counts[matrix.indices].sum()))
        weights = matrix @ self.weights
        weights.sort_indices()
        return Tensor(self.sources, weights, bias, shape, place)

    def taken(self, numbers: Indices, place: str) -> Tensor:
        """Return the numbers at these places of a row, in the shape of the places."""
        chosen = numbers.ravel()
        counts = np.diff(self.weights.indptr).astype(np.int64)
        require_room(place, int(counts[chosen].sum()))
        return Tensor(self.sources, self.weights[chosen], self.bias[chosen], numbers.shape, place)

    def reshaped(self, shape: tuple[int, ...], place: str) -> Tensor:
        """Return the same numbers in another shape."""
        return Tensor(self.sources, self.weights, self.bias, shape, place)

    def times(self, factor: Array | float, place: str) -> Tensor:
        """Return the tensor times numbers, which broadcast to a row's shape."""
        each = np.broadcast_to(factor, self.shape).ravel()
        return Tensor(self.sources, scaled(self.weights, each), self.bias * each, self.shape, place)

    def plus(self, addend: Array, place: str) -> Tensor:
        """Return the tensor plus numbers, which broadcast to a row's shape."""
        bias = self.bias + np.broadcast_to(addend, self.shape).ravel()
        return Tensor(self.sources, self.weights, bias, self.shape, place)

    def means(self, axes: Sequence[int], shape: tuple[int, ...], place: str) -> Tensor:
        """Return the means over axes of a row's shape, in the shape that is left."""
        kept = [1 if axis in axes else size for axis, size in enumerate(self.shape)]
        count = math.prod(kept)
        row = np.broadcast_to(np.arange(count).reshape(kept), self.shape).ravel()
        values = np.full(self.size, count / self.size)
        return self.mapped(of_terms(row, np.arange(self.size), values, (count, self.size)), shape, place)

    def of(self, sources: tuple[Source, ...]) -> Tensor:
        """Return the same map of more sources, which its own are among."""
        if sources == self.sources:
            return self
        starts = _starts(sources)
        moved = np.concatenate([np.arange(source.size) + starts[source] for source in self.sources])
        shape = (self.size, sum(source.size for source in sources))
        weights = csr(self.weights.data, moved[self.weights.indices], self.weights.indptr, shape)
        weights.sort_indices()
        return Tensor(sources, weights, self.bias, self.shape, self.place)

    def equals(self, other: Tensor) -> bool:
        """Whether both are the same map of the same sources."""
        if self is other:
            return True
        is_alike = self.sources == other.sources and self.shape == other.shape
        return is_alike and np.array_equal(self.bias, other.bias) and (self.weights != other.weights).nnz == 0

    def applied(self, function: str, place: str) -> Tensor:
        """Return an activation's results."""
        return Source(self.size, function, place, self).tensor(self.shape)

    def is_result_of(self, function: str, argument: Tensor) -> bool:
        """Whether the tensor is an activation of an argument, unchanged and in its shape."""
        (source, *others) = self.sources
        own = source.argument
        if others or source.function != function or own is None or not own.equals(argument):
            return False
        return self.shape == own.shape and self.is_identity

    def layers(self) -> tuple[Layer, ...]:
        """Return the layers from the network's inputs to this tensor, each after those that it takes results of."""
        order = _ordered(self)
        numbers = {source: number for number, source in enumerate(order)}
        found: list[Layer] = []
        for source in order:
            if source.argument is not None:
                found += [_affine(source.argument, numbers), Activation(source.function, source.place)]
        return (*found, _affine(self, numbers))

    def input_shape(self) -> tuple[int, ...]:
        """Return the shape of a row of the network's inputs."""
        return _ordered(self)[0].shape


def _starts(sources: tuple[Source, ...]) -> dict[Source, int]:
    """Return the first column of each source in a matrix."""
    starts, start = {}, 0
    for source in sources:
        starts[source] = start
        start += source.size
    return starts


def _ordered(tensor: Tensor) -> list[Source]:
    """Return all sources, each after those that its argument takes: the network's inputs first."""
    order: dict[Source, None] = {}
    waiting = [(source, False) for source in reversed(tensor.sources)]
    while waiting:
        source, is_ready = waiting.pop()
        if is_ready or source.argument is None:
            order[source] = None
        elif source not in order:
            waiting.append((source, True))
            waiting += [(other, False) for other in reversed(source.argument.sources) if other not in order]
    return list(order)


def _affine(tensor: Tensor, numbers: dict[Source, int]) -> Affine:
    """Return the layer of a tensor, without sources whose coefficients are all 0, but for one."""
    is_used = np.zeros(tensor.weights.shape[1], dtype=bool)
    is_used[tensor.weights.indices[tensor.weights.data != 0]] = True
    starts = _starts(tensor.sources)
    by_number = sorted(tensor.sources, key=numbers.__getitem__)
    taken = [source for source in by_number if is_used[starts[source] : starts[source] + source.size].any()]
    taken = taken or by_number[-1:]
    weights = tensor.weights
    if taken != list(tensor.sources):
        columns = np.concatenate([np.arange(source.size) + starts[source] for source in taken])
        weights = weights[:, columns]
    weights.sort_indices()
    sources = tuple(numbers[source] for source in taken)
    return Affine(compact(weights), tensor.bias, tensor.place, tensor.shape, sources)


def joined(*tensors: Tensor) -> list[Tensor]:
    """Return tensors as maps of the same sources."""
    sources = tuple(dict.fromkeys(source for tensor in tensors for source in tensor.sources))
    return [tensor.of(sources) for tensor in tensors]


def refusal(place: str, problem: str, allowed: str, advice: str, found: Any, supported: Any = None) -> ModelError:
    """Return the error of a part of a network that is not supported."""
    text = f"compile: {place} {problem}, and {allowed}; {advice}"
    return ModelError(text, place=place, found=found, supported=supported)


def require_room(place: str, count: int) -> None:
    """Refuse a tensor of too many weights, before it is made."""
    if count > _MOST_NUMBERS:
        raise refusal(
            place,
            f"has {count} weights, each pixel's counted",
            f"up to {_MOST_NUMBERS} are supported",
            "train a network with smaller images or fewer channels",
            found=count,
            supported=_MOST_NUMBERS,
        )
