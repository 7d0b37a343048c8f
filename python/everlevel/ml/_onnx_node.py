"""Nodes of an ONNX graph: inputs and attributes, checked as the operators' readers ask for them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import ModelError
from ._tensors import Tensor, refusal
from ._weights import Array

Value = Tensor | Array
"""A node's result: an affine map of encrypted numbers, or a constant."""


@dataclass(frozen=True)
class Node:
    """A node with its inputs.

    Attributes
    ----------
    place : str
        Number, name and operator, in words.
    inputs : tuple of Value or None
        None where an optional one is left out.
    attributes : dict
        Attributes that the reader hasn't taken yet. A node with one left after its reading is refused.
    has_one_row : bool
        Whether the first dimension of the network's input is 1, and not left open.
    """

    place: str
    inputs: tuple[Value | None, ...]
    attributes: dict[str, Any]
    has_one_row: bool

    def take(self, name: str, default: Any) -> Any:
        """Return an attribute, which counts as read."""
        return self.attributes.pop(name, default)

    def text(self, name: str, default: str) -> str:
        """Return an attribute that is text, which counts as read."""
        value = self.take(name, default)
        return value.decode("ascii", "replace") if isinstance(value, bytes) else str(value)

    def require(self, name: str, value: Any, allowed: tuple[Any, ...], advice: str) -> None:
        """Refuse an attribute whose value is none of those allowed."""
        if value not in allowed:
            choices = " or ".join(map(repr, allowed))
            raise refusal(self.place, f"has {name}={value!r}", f"{choices} is supported", advice, value, allowed)

    def axes(self, values: Any, rank: int, advice: str) -> tuple[int, ...]:
        """Return axes of a tensor of `rank` dimensions, counted from 0 up; axis 0, of the rows, is refused."""
        found = tuple(int(axis) for axis in np.ravel(values))
        axes = tuple(axis + rank if axis < 0 else axis for axis in found)
        is_whole = np.array_equal(found, np.ravel(values))
        if not (axes and is_whole) or len(set(axes)) < len(axes) or min(axes) < 1 or max(axes) >= rank:
            raise refusal(
                self.place,
                f"has the axes {found} of {rank} dimensions",
                "different ones after the first, of the rows, are supported",
                advice,
                found=found,
                supported=tuple(range(1, rank)),
            )
        return axes

    def optional(self, index: int) -> Value | None:
        """Return an input that may be left out."""
        return self.inputs[index] if index < len(self.inputs) else None

    def value(self, index: int) -> Value:
        """Return an input."""
        found = self.optional(index)
        if found is None:
            raise refusal(
                self.place, f"lacks its input {index}", "it needs one", "export the network again", found=None
            )
        return found

    def tensor(self, index: int) -> Tensor:
        """Return an input that is encrypted."""
        found = self.value(index)
        if not isinstance(found, Tensor):
            raise refusal(
                self.place,
                f"has a constant of shape {found.shape} as its input {index}",
                "a result of the network is supported there",
                "export the network with its constants folded",
                found=found.shape,
            )
        return found

    def optional_constant(self, index: int) -> Array | None:
        """Return an input that is a constant, and may be left out."""
        found = self.optional(index)
        if isinstance(found, Tensor):
            raise refusal(
                self.place,
                f"has a result of the network as its input {index}",
                "constants are supported there",
                "use layers whose weights are in the file",
                found=found.place,
            )
        return found

    def constant(self, index: int) -> Array:
        """Return an input that is a constant."""
        self.value(index)
        found = self.optional_constant(index)
        assert found is not None
        return found


def mismatch(node: Node, left: Any, right: Any) -> ModelError:
    """Return the error of shapes that an operator can't bring together."""
    return refusal(
        node.place,
        f"has shapes {left} and {right}",
        "these don't go together",
        "check the file with onnx.checker.check_model(…, full_check=True)",
        found=left,
        supported=right,
    )


Reader = Callable[[Node], Value]
"""Function from a node of one operator to its result."""
