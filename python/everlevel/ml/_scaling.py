"""From a model in the clear to a program: intervals of every layer, polynomials on them, scales folded into weights."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.polynomial import chebyshev

from ..ckks import ChebyshevFit, fit
from ..errors import FitError, ModelError
from ._network import ACTIVATIONS, Activation, Affine, Network
from ._program import SQUARE, Map, Polynomial, Program, Step
from ._ranges import Box, InputRange, Joined, Region
from ._weights import Array, Weights, changed, scaled

DEGREES: Final = (3, 7, 15, 31, 63, 127)
"""Degrees that are tried: each uses all of its levels."""

_ABOVE: Final = 1 + 2.0**-10
"""Intervals are as much longer than proven, for noise and rounding."""
_MOST_BOX: Final = 64.0
"""Largest bound of a partial sum at level 0, whose modulus has room for 512."""
_LEAST: Final = 1e-12
_NOISE: Final = 2.0**-26
"""Standard deviation of a step's noise, of values up to 1: about that of a rescaling by 2^40 at N = 2^16."""
_HOMOGENEOUS: Final = {"relu": 1, "square": 2, "cube": 3}
"""Degrees d of homogeneous activations, f(c·x) = c^d·f(x) for c > 0: each unit has its own interval."""
_EVEN_BUT_HALF: Final = frozenset({"silu", "gelu", "gelu-tanh"})
"""Activations that are half of their argument and an even function: on an interval around 0 their polynomials have
about half of the terms, and take five key switches at degree 15 where others take seven."""
_MOST_LOSS: Final = 2.0
"""Error of a polynomial on an interval around 0, beside that of one on the arguments' own, up to which it is taken."""
_EXACT_DEGREES: Final = {"square": 2, "cube": 3}
"""Degrees of activations that are polynomials: those of other activations are asked for or searched."""
_CALIBRATED: Final = "compile with ranges='calibrated', whose intervals are shorter and not proven"


@dataclass(frozen=True)
class Wishes:
    """Wishes of a program.

    Attributes
    ----------
    degree : int or None
        Of all activations; None for the least that keeps `max_error`.
    max_error : float
        Largest error of a score on the examples, as a share of the scores' spread there.
    is_proven : bool
        Whether intervals are those that all inputs in range lead to; else those of the examples, and a margin.
    margin : float
        Share of a calibrated interval that it is widened by at each end.
    gives_probabilities : bool
        Whether a logistic function ends the program.
    """

    degree: int | None
    max_error: float
    is_proven: bool
    margin: float
    gives_probabilities: bool


@dataclass(frozen=True)
class Fitted:
    """A program and how far it is from its model on the examples.

    Attributes
    ----------
    program : Program
    error : float
        Largest difference of a score by polynomials and noise, as a share of the spread of the model's scores.
    noise : float
        Largest difference of a score by noise alone, as the same share.
    agreeing : int
        Examples of which the prediction is the model's own.
    example_count : int
    """

    program: Program
    error: float
    noise: float
    agreeing: int
    example_count: int


def fitted(network: Network, examples: Array, region: InputRange, wishes: Wishes) -> Fitted:
    """Return the program of the lowest degree that keeps the error.

    Raises
    ------
    ModelError
        If no degree does, or noise exceeds it, or probabilities are asked of a model that has none of one score.
    """
    if wishes.gives_probabilities and network.task.link != "logistic":
        raise ModelError(
            f"compile: output is 'probabilities' of a {network.name} whose scores become probabilities by "
            f"{network.task.link or 'no function'}, and the logistic function of one score is supported; leave output "
            f"out, and call client.predict_proba, which computes them of decrypted scores",
            place=network.name,
            found=network.task.link,
            supported="logistic",
        )
    has_activations = wishes.gives_probabilities or any(isinstance(layer, Activation) for layer in network.layers)
    degrees = (wishes.degree,) if wishes.degree is not None else DEGREES if has_activations else (1,)
    best: Fitted | None = None
    for degree in degrees:
        try:
            found = measured(network, _program(network, examples, region, wishes, degree), examples)
        except FitError:
            continue
        if best is None or found.error < best.error:
            best = found
        if found.error <= wishes.max_error or (wishes.degree is not None and found.noise <= wishes.max_error):
            return found
    if best is None:
        raise ModelError(
            f"compile: no polynomial of degree up to {degrees[-1]} is nearer to the model's activations than 0 is, on "
            f"the intervals of all rows in range; leave degree out, narrow input_range or margin, or {_CALIBRATED}",
            place=network.name,
            found=degrees[-1],
        )
    if best.noise > wishes.max_error and (wishes.degree is not None or best.noise > best.error / 2):
        found_error = best.noise
        problem = (
            f"noise moves a score on the examples by {best.noise:.2g} of the scores' spread, and max_error is "
            f"{wishes.max_error:g}: the intervals of all rows in range are much longer than what examples lead to; "
            f"narrow input_range or margin"
        )
    else:
        found_error = best.error
        problem = (
            f"the largest error of a score on the examples is {best.error:.2g} of the scores' spread at degrees up to "
            f"{degrees[-1]}, and max_error is {wishes.max_error:g}; allow a larger one, name a degree"
        )
    text = f"compile: {problem}, or {_CALIBRATED}"
    raise ModelError(text, place=network.name, found=found_error, supported=wishes.max_error)


def measured(network: Network, program: Program, examples: Array) -> Fitted:
    """Compare the scores of a program on the examples, with the noise of every step, with its model's.

    Where a proven interval is much longer than the examples' arguments, these are scaled to small numbers, beside
    which the noise counts.
    """
    own = network.scores(examples)
    labels = network.task.labels(own)
    if program.gives_probabilities:
        own = network.task.probabilities(own)[:, 1:]
    scaled = (examples - program.input.center) / program.input.half
    scores = _noisy_scores(program, scaled)
    spread = 1.0 if program.gives_probabilities else _spread(own, program.scale)
    error = float(np.abs(scores - own).max() / spread)
    noise = float(np.abs(scores - program.scores(scaled)).max() / spread)
    agreeing = len(examples)
    if network.task.classes is not None:
        agreeing = int((network.task.labels(scores, program.threshold) == labels).sum())
    return Fitted(program, error, noise, agreeing, len(examples))


def _spread(scores: Array, scale: float) -> float:
    """Return the unit of errors: the spread of the scores; for scores that are all the same, their size or scale."""
    spread, size = float(scores.max() - scores.min()), float(np.abs(scores).max())
    if spread > _LEAST * size:
        return spread
    return size if size > _LEAST else scale


def _noisy_scores(program: Program, scaled: Array) -> Array:
    """Return the scores of scaled rows with the noise that every step adds."""
    generator = np.random.default_rng(0)

    def noisy(values: Array) -> Array:
        return values + generator.normal(scale=_NOISE, size=values.shape)

    *_, (_, _, results) = program.values(scaled, noisy)
    return results * program.scale


class _Results(NamedTuple):
    """Numbers that layers take: where they are, what one of each stands for, and their values for the examples."""

    region: Region
    units: Array
    offset: Array
    values: Array


def _program(network: Network, examples: Array, region: InputRange, wishes: Wishes, degree: int) -> Program:
    """Bring every layer to the scale at which its results are within ±1."""
    layers = list(network.layers)
    if wishes.gives_probabilities:
        layers.append(Activation("logistic", f"{layers[-1].place}, probabilities"))
    steps: list[Step] = []
    # The first results are scaled inputs; later ones are polynomials', in units of their own.
    results = [_Results(region, region.half, region.center, (examples - region.center) / region.half)]
    for layer, following in zip(layers, [*layers[1:], None], strict=True):
        if isinstance(layer, Activation):
            continue
        taken = _side_by_side([results[number] for number in layer.sources or (-1,)])
        weights, bias = scaled(layer.weights, columns=taken.units), layer.weights @ taken.offset + layer.bias
        low, high = taken.region.reach(weights, bias)
        high = np.minimum(high, layer.most)
        if following is None:
            box = float((changed(weights, np.abs) @ taken.region.sizes).max()) / _MOST_BOX
            scale = max(float(np.maximum(-low, high).max()) * _ABOVE, box, _LEAST)
            steps.append(_map(layer, scaled(weights, 1 / scale), bias / scale, taken.region))
            return Program(region, tuple(steps), scale, False, network.task, network.name, network.shape)
        assert isinstance(following, Activation)  # affine layers are folded into one
        is_proven = True
        if not wishes.is_proven:
            ends = _calibrated(taken.values @ weights.T + bias, wishes.margin, layer.shape)
            fit_low, fit_high = np.maximum(low, ends[0]), np.minimum(high, ends[1])
            is_proven = bool((fit_low <= low).all() and (fit_high >= high).all())
            low, high = fit_low, fit_high
        center, half, units, polynomial = _activation(following, low, high, degree, is_proven=is_proven)
        step = _map(layer, scaled(weights, 1 / half), (bias - center) / half, taken.region)
        steps += [step, polynomial]
        least, largest = _range_of(polynomial.coefficients)
        reached = Box(least, largest, len(half))
        results.append(_Results(reached, units, np.zeros(len(half)), polynomial(step(taken.values))))
    return Program(region, tuple(steps), 1.0, True, network.task, network.name, network.shape)


def _side_by_side(results: list[_Results]) -> _Results:
    if len(results) == 1:
        return results[0]
    regions, units, offsets, values = zip(*results, strict=True)
    return _Results(Joined(regions), np.concatenate(units), np.concatenate(offsets), np.concatenate(values, axis=1))


def _map(layer: Affine, weights: Weights, bias: Array, reached: Region) -> Map:
    bound = max(float(reached.sizes.max()), _LEAST)
    return Map(weights, bias, bound, layer.place, layer.shape, layer.sources)


def _calibrated(arguments: Array, margin: float, shape: tuple[int, ...]) -> tuple[Array, Array]:
    """Return each unit's interval on the examples, widened; all pixels of an image's channel share one.

    A pixel at the edge may be nearly the same in all examples, and isn't in other images.
    """
    low, high = arguments.min(0), arguments.max(0)
    if len(shape) > 1:
        channels = shape[0], low.size // shape[0]
        low = np.repeat(low.reshape(channels).min(1), channels[1])
        high = np.repeat(high.reshape(channels).max(1), channels[1])
    room = margin * np.maximum(high - low, _LEAST)
    return low - room, high + room


class _Activated(NamedTuple):
    """An activation's polynomial, the center and the halves of units' intervals, and the units of its results."""

    center: float
    half: Array
    units: Array
    polynomial: Polynomial


def _activation(layer: Activation, low: Array, high: Array, degree: int, *, is_proven: bool) -> _Activated:
    """Fit an activation's polynomial on units' intervals.

    Each unit of a homogeneous activation has its own interval: the results scale with its half. Units of other
    activations share one.
    """

    def on(center: float, half: Array, units: Array) -> _Activated:
        return _Activated(center, half, units, _polynomial(layer, (center, half), degree, is_proven=is_proven))

    count, least, largest = len(low), float(low.min()), float(high.max())
    if layer.name in _HOMOGENEOUS:
        half = np.maximum(np.maximum(-low, high), _LEAST) * _ABOVE
        return on(0.0, half, half ** _HOMOGENEOUS[layer.name])

    def sharing(center: float, half: float) -> _Activated:
        return on(center, np.full(count, max(half, _LEAST) * _ABOVE), np.ones(count))

    own = sharing((least + largest) / 2, (largest - least) / 2)
    if layer.name not in _EVEN_BUT_HALF:
        return own
    try:
        around_zero = sharing(0.0, max(-least, largest))
    except FitError:
        return own
    is_near = around_zero.polynomial.max_error <= _MOST_LOSS * own.polynomial.max_error
    return around_zero if is_near else own


def _polynomial(layer: Activation, interval: tuple[float, Array], degree: int, *, is_proven: bool) -> Polynomial:
    center, halves = interval
    half, function = float(halves.max()), ACTIVATIONS[layer.name]
    on_units: Callable[[Array], Array] = function
    if layer.name not in _HOMOGENEOUS:

        def on_units(t: Array) -> Array:
            return function(center + half * t)

    found: ChebyshevFit = fit(on_units, _EXACT_DEGREES.get(layer.name, degree))
    # Rounding leaves next to nothing of x², whose product is exact.
    coefficients = np.array(SQUARE if layer.name == "square" else found.coefficients, dtype=np.float64)
    least, largest = _range_of(coefficients)
    error = found.max_error * half ** _HOMOGENEOUS.get(layer.name, 0)
    ends = (center - half, center + half)
    return Polynomial(coefficients, max(-least, largest), layer.name, ends, error, is_proven, layer.place)


def _range_of(coefficients: Array) -> tuple[float, float]:
    """Return an interval that has all values of a Chebyshev series on [-1, 1].

    Between m + 1 Chebyshev points a polynomial of degree d is at most 1/cos(πd/2m) times as far from a number as on
    them (Ehlich and Zeller, "Schwankung von Polynomen zwischen Gitterpunkten", 1964).
    """
    count = 16 * len(coefficients)
    values = chebyshev.chebval(np.cos(np.pi * np.arange(count + 1) / count), coefficients)
    middle = float(values.max() + values.min()) / 2
    spread = float(values.max() - middle) / np.cos(np.pi * (len(coefficients) - 1) / (2 * count))
    return middle - float(spread), middle + float(spread)
