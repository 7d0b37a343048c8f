"""Trained models in the clear, as layers: what readers of models make, and plans begin with."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ..errors import ModelError
from ._weights import Array, Weights, values_of


def _logistic(x: Array) -> Array:
    values: Array = np.exp(-np.logaddexp(0.0, -x))
    return values


def _gelu(x: Array) -> Array:
    erf = np.frompyfunc(math.erf, 1, 1)
    values: Array = x / 2 * (1 + np.asarray(erf(x / math.sqrt(2)), dtype=np.float64))
    return values


def _gelu_tanh(x: Array) -> Array:
    values: Array = x / 2 * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
    return values


ACTIVATIONS: Final[Mapping[str, Callable[[Array], Array]]] = {
    "relu": lambda x: np.maximum(x, 0.0),
    "tanh": np.tanh,
    "logistic": _logistic,
    "gelu": _gelu,
    "gelu-tanh": _gelu_tanh,
    "silu": lambda x: x * _logistic(x),
    "square": np.square,
    "cube": lambda x: x**3,
    "exp": np.exp,
}
"""Functions of one number that layers apply to each of theirs."""


@dataclass(frozen=True, eq=False)
class Affine:
    """A layer ``weights @ x + bias``: fully connected layers, linear models, scalers and projections."""

    weights: Weights
    """Weights, of shape (outputs, inputs)."""
    bias: Array
    """Array of shape (outputs,)."""
    place: str
    """Where the model has it, in words."""
    shape: tuple[int, ...] = ()
    """Shape of a row's results, channels first, where they are an image; of other results it may be left out."""
    sources: tuple[int, ...] = ()
    """Numbers of the results that the weights' columns are for, one after the other: 0 is the input, and k what the
    k-th activation gives; the last one's, where it is left out."""
    most: float = math.inf
    """Largest value that a result has, where more is known than what intervals of each source lead to."""

    def after(self, first: Affine) -> Affine:
        """Return this layer of another one's result, as one layer."""
        places = f"{first.place}, {self.place}"
        return replace(
            self, weights=self.weights @ first.weights, bias=self.weights @ first.bias + self.bias, place=places
        )


@dataclass(frozen=True)
class Activation:
    """A function of each number: one of `ACTIVATIONS`."""

    name: str
    place: str


Layer = Affine | Activation


@dataclass(frozen=True, eq=False)
class Task:
    """Meaning of scores.

    Attributes
    ----------
    classes : ndarray or None
        Labels; None of a regression.
    link : {"identity", "logistic", "softmax", "one-versus-rest", "one-versus-one", None}
        From scores to probabilities, or to the values of a regression; None where a model gives no probabilities, and
        one-versus-one where it gives none and scores are votes of each two classes, above 0 for the first.
    is_flat : bool
        Whether a row has one score, so that scores have the shape (rows,).
    """

    classes: NDArray[Any] | None
    link: str | None
    is_flat: bool

    def shaped(self, scores: Array) -> Array:
        """Bring scores of shape (rows, outputs) to the shape that the model's own have."""
        return scores[:, 0] if self.is_flat else scores

    def labels(self, scores: Array, threshold: float = 0.0) -> NDArray[Any]:
        """Return the predictions for scores of shape (rows, outputs)."""
        if self.classes is None:
            return self.shaped(scores)
        if self.link == "one-versus-one":
            first, second = np.triu_indices(len(self.classes), 1)
            winners = np.where(scores > 0, first, second)
            votes = (winners[:, :, None] == np.arange(len(self.classes))).sum(1)
            return np.asarray(self.classes[votes.argmax(1)])
        chosen = (scores[:, 0] > threshold).astype(int) if self.is_flat else scores.argmax(1)
        labels: NDArray[Any] = self.classes[chosen]
        return labels

    def probabilities(self, scores: Array) -> Array:
        """Return the probabilities of classes, for scores of a model that has a link."""
        if self.link == "softmax":
            each: Array = np.exp(scores - scores.max(1, keepdims=True))
        else:
            each = _logistic(scores)
        if self.is_flat:
            return np.hstack([1 - each, each])
        shares: Array = each / each.sum(1, keepdims=True)
        return shares


@dataclass(frozen=True, eq=False)
class Network:
    """A model: alternating affine layers and activations, of which the first and the last are affine."""

    layers: tuple[Layer, ...]
    task: Task
    name: str
    """Name of the model that it was read from."""
    shape: tuple[int, ...] = ()
    """Shape of a row of the input, where it is an image."""

    @property
    def feature_count(self) -> int:
        """Numbers in a row of the input."""
        return int(self.layers[0].weights.shape[1]) if isinstance(self.layers[0], Affine) else 0

    def scores(self, x: Array) -> Array:
        """Return the model's own scores, of shape (rows, outputs)."""
        results = [x]
        for layer in self.layers:
            if isinstance(layer, Affine):
                x = gathered(results, layer.sources) @ layer.weights.T + layer.bias
            else:
                x = ACTIVATIONS[layer.name](x)
                results.append(x)
        return x


def gathered(results: Sequence[Array], sources: tuple[int, ...]) -> Array:
    """Return the results that a layer takes, side by side."""
    return np.concatenate([results[number] for number in sources], axis=1) if sources else results[-1]


def folded(layers: Iterable[Layer]) -> tuple[Layer, ...]:
    """Fold neighbouring affine layers into one."""
    result: list[Layer] = []
    for layer in layers:
        last = result[-1] if result else None
        if isinstance(layer, Affine) and isinstance(last, Affine):
            result[-1] = layer.after(last)
        else:
            result.append(layer)
    return tuple(result)


def require_finite(network: Network) -> None:
    """Refuse a network with NaN or infinity among its weights."""
    for layer in network.layers:
        if isinstance(layer, Affine) and not all(
            np.isfinite(part).all() for part in (values_of(layer.weights), layer.bias)
        ):
            raise ModelError(
                f"compile: {layer.place} has a weight that is not finite, and all have to be; train it again, on "
                f"finite data",
                place=layer.place,
                found="NaN or infinity",
            )
