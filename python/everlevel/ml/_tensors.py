"""Affine tensors of a network that is being read, each a map of the results of the activation before it.

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
        require_room(self.place, self, shape)
        terms = np.zeros((1 + self.size, self.size))
        np.fill_diagonal(terms[1:], 1.0)
        return Tensor(self, terms.reshape(1 + self.size, *shape), self.place)


@dataclass(frozen=True, eq=False)
class Tensor:
    """An affine map of a source.

    Attributes
    ----------
    source : Source
        Variables of the map.
    terms : ndarray, shape (1 + source.size, …)
        Constant, and coefficients of each variable.
    place : str
        Name of the node that made it, in words.
    """

    source: Source
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

    def with_terms(self, terms: Array, place: str) -> Tensor:
        """Return another affine map of the same source."""
        return Tensor(self.source, terms, place)

    def equals(self, other: Tensor) -> bool:
        """Whether both are the same map of the same source."""
        return self.source is other.source and np.array_equal(self.terms, other.terms)

    def applied(self, function: str, place: str) -> Tensor:
        """Return an activation's results."""
        return Source(self.size, function, place, self).tensor(self.shape)

    def is_result_of(self, function: str, argument: Tensor) -> bool:
        """Whether the tensor is an activation of an argument, unchanged and in its shape."""
        own = self.source.argument
        if self.source.function != function or own is None or not own.equals(argument) or self.shape != own.shape:
            return False
        flat = self.terms.reshape(1 + self.size, self.size)
        return not flat[0].any() and np.array_equal(flat[1:], np.eye(self.size))

    def layers(self) -> tuple[Layer, ...]:
        """Return the layers from the network's inputs to this tensor."""
        found: list[Layer] = []
        tensor: Tensor | None = self
        while tensor is not None:
            flat = tensor.terms.reshape(1 + tensor.source.size, tensor.size)
            found.append(Affine(flat[1:].T.copy(), flat[0].copy(), tensor.place, tensor.shape))
            if tensor.source.function:
                found.append(Activation(tensor.source.function, tensor.source.place))
            tensor = tensor.source.argument
        return tuple(reversed(found))

    def input_shape(self) -> tuple[int, ...]:
        """Return the shape of a row of the network's inputs."""
        source = self.source
        while source.argument is not None:
            source = source.argument.source
        return source.shape


def refusal(place: str, problem: str, allowed: str, advice: str, found: Any, supported: Any = None) -> ModelError:
    """Return the error of a part of a network that is not supported."""
    text = f"compile: {place} {problem}, and {allowed}; {advice}"
    return ModelError(text, place=place, found=found, supported=supported)


def require_room(place: str, source: Source, shape: Sequence[int]) -> None:
    """Refuse a tensor whose table would be too large, before it is made."""
    count = (1 + source.size) * math.prod(shape)
    if count > _MOST_NUMBERS:
        raise refusal(
            place,
            f"has {math.prod(shape)} numbers of {source.size} before it, {count} weights as a full matrix",
            f"up to {_MOST_NUMBERS} are supported",
            "train a network with smaller images or fewer channels",
            found=count,
            supported=_MOST_NUMBERS,
        )
