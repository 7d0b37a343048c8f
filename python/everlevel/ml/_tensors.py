"""Affine tensors of a network that is being read, each a map of the results of activations before it.

Convolutions, means, normalisations and sums are affine, and so are their compositions. A tensor is the table of its
constant and of its coefficients, and each affine operator acts on the table's rows as it does on rows of inputs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from ..errors import ModelError
from ._network import Activation, Affine, Array, Layer

_MOST_NUMBERS: Final = 2**26
"""Limit of the numbers in a tensor's table: half a gigabyte of them."""


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
        require_room(self.place, self.size, shape)
        terms = np.zeros((1 + self.size, self.size))
        np.fill_diagonal(terms[1:], 1.0)
        return Tensor((self,), terms.reshape(1 + self.size, *shape), self.place)


@dataclass(frozen=True, eq=False)
class Tensor:
    """An affine map of sources.

    Attributes
    ----------
    sources : tuple of Source
        Variables of the map.
    terms : ndarray, shape (1 + variables, …)
        Constant, and coefficients of each variable, one source after the other.
    place : str
        Name of the node that made it, in words.
    """

    sources: tuple[Source, ...]
    terms: Array
    place: str

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of one row: the tensor's shape in the network without its first dimension."""
        return self.terms.shape[1:]

    @property
    def size(self) -> int:
        """Count of the numbers in one row."""
        return math.prod(self.shape)

    @property
    def variables(self) -> int:
        """Count of the variables."""
        return len(self.terms) - 1

    def with_terms(self, terms: Array, place: str) -> Tensor:
        """Return another affine map of the same sources."""
        return Tensor(self.sources, terms, place)

    def of(self, sources: tuple[Source, ...]) -> Tensor:
        """Return the same map of more sources, which its own are among."""
        if sources == self.sources:
            return self
        size = sum(source.size for source in sources)
        require_room(self.place, size, self.shape)
        terms, starts = np.zeros((1 + size, *self.shape)), _starts(sources)
        terms[0] = self.terms[0]
        for source, start in _starts(self.sources).items():
            terms[starts[source] : starts[source] + source.size] = self.terms[start : start + source.size]
        return Tensor(sources, terms, self.place)

    def equals(self, other: Tensor) -> bool:
        """Whether both are the same map of the same sources."""
        return self.sources == other.sources and np.array_equal(self.terms, other.terms)

    def applied(self, function: str, place: str) -> Tensor:
        """Return an activation's results."""
        return Source(self.size, function, place, self).tensor(self.shape)

    def is_result_of(self, function: str, argument: Tensor) -> bool:
        """Whether the tensor is an activation of an argument, unchanged and in its shape."""
        (source, *others) = self.sources
        own = source.argument
        if others or source.function != function or own is None or not own.equals(argument) or self.shape != own.shape:
            return False
        flat = self.terms.reshape(1 + self.size, self.size)
        return not flat[0].any() and np.array_equal(flat[1:], np.eye(self.size))

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
    """Return the first row of each source in a table."""
    starts, start = {}, 1
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
    flat = tensor.terms.reshape(len(tensor.terms), tensor.size)
    starts = _starts(tensor.sources)
    parts = {numbers[source]: flat[start : start + source.size] for source, start in starts.items()}
    taken = sorted(number for number, part in parts.items() if part.any()) or [max(parts)]
    weights = np.concatenate([parts[number] for number in taken]).T.copy()
    return Affine(weights, flat[0].copy(), tensor.place, tensor.shape, tuple(taken))


def joined(*tensors: Tensor) -> list[Tensor]:
    """Return tensors as maps of the same sources."""
    sources = tuple(dict.fromkeys(source for tensor in tensors for source in tensor.sources))
    return [tensor.of(sources) for tensor in tensors]


def refusal(place: str, problem: str, allowed: str, advice: str, found: Any, supported: Any = None) -> ModelError:
    """Return the error of a part of a network that is not supported."""
    text = f"compile: {place} {problem}, and {allowed}; {advice}"
    return ModelError(text, place=place, found=found, supported=supported)


def require_room(place: str, variables: int, shape: Sequence[int]) -> None:
    """Refuse a tensor whose table would be too large, before it is made."""
    count = (1 + variables) * math.prod(shape)
    if count > _MOST_NUMBERS:
        raise refusal(
            place,
            f"has {math.prod(shape)} numbers of {variables} before it, {count} weights as a full matrix",
            f"up to {_MOST_NUMBERS} are supported",
            "train a network with smaller images or fewer channels",
            found=count,
            supported=_MOST_NUMBERS,
        )
