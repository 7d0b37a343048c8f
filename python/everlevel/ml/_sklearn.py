"""Fitted models of scikit-learn as layers, read from their attributes: the package itself is not imported."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from .._common import checks
from ..errors import ModelError
from ._network import Activation, Affine, Layer, Network, Task, folded, require_finite
from ._weights import Array

Read = tuple[list[Layer], Task]

_LONGEST_LABEL: Final = 999
"""Characters of a label: files hold no more."""


def read(model: Any) -> Network:
    """Read a fitted model.

    Raises
    ------
    OperandTypeError
        If it isn't one of scikit-learn's, and no network in ONNX's format.
    ModelError
        If it isn't fitted, or a part of it is not supported.
    """
    if type(model).__module__.partition(".")[0] != "sklearn" or isinstance(model, type):
        needed = (
            "a fitted model of scikit-learn is needed, or a network in ONNX's format; pass what fit returned, an "
            "onnx.ModelProto, or the path of a file .onnx"
        )
        raise checks.wrong_type("compile", "trained", model, "model of scikit-learn or ONNX", needed)
    name = type(model).__name__
    *transformers, (place, last) = _steps(model)
    layers: list[Layer] = [_transformer(at, step) for at, step in transformers]
    found, task = _estimator(place, last)
    network = Network(_joined(folded(layers), found), task, name)
    require_finite(network)
    return network


def _joined(before: tuple[Layer, ...], layers: list[Layer]) -> tuple[Layer, ...]:
    """Put the transformers' one layer before a model's, which takes their results in place of inputs."""
    result: list[Layer] = []
    for index, layer in enumerate(folded(layers)):
        if not (before and isinstance(layer, Affine) and (index == 0 or 0 in layer.sources)):
            result.append(layer)
            continue
        (first,) = before
        assert isinstance(first, Affine)
        # Columns for the inputs come first.
        count = len(first.bias)
        inputs = replace(layer, weights=layer.weights[:, :count]).after(first)
        result.append(replace(inputs, weights=np.hstack([inputs.weights, layer.weights[:, count:]])))
    return tuple(result)


def _steps(model: Any) -> list[tuple[str, Any]]:
    """Return the steps of a pipeline, each with its place in words; of another model, the model itself."""
    if type(model).__name__ != "Pipeline":
        return [(type(model).__name__, model)]
    steps = [(name, step) for name, step in model.steps if step is not None and not isinstance(step, str)]
    if not steps:
        raise ModelError(
            "compile: the pipeline has no steps, and a model is needed at its end; pass a fitted pipeline",
            place="Pipeline",
            found="no steps",
        )
    return [(f"step {name!r} ({type(step).__name__})", step) for name, step in steps]


def _transformer(place: str, step: Any) -> Affine:
    reader = _TRANSFORMERS.get(type(step).__name__)
    if reader is None:
        raise _unsupported(place, type(step).__name__, "before the model", _TRANSFORMERS)
    return reader(place, step)


def _estimator(place: str, model: Any) -> Read:
    name = type(model).__name__
    reader = _ESTIMATORS.get(name)
    if reader is None:
        if hasattr(model, "best_estimator_"):
            raise ModelError(
                f"compile: {place} holds another model, and the model itself is needed; pass its .best_estimator_",
                place=place,
                found=name,
                supported=tuple(_ESTIMATORS),
            )
        raise _unsupported(place, name, "as a model", _ESTIMATORS)
    return reader(place, model)


def _unsupported(place: str, found: str, role: str, readers: Mapping[str, Any]) -> ModelError:
    names = ", ".join(sorted(readers))
    return ModelError(
        f"compile: {place} is not supported {role}, where these are: {names}; use one of them, or compute this step "
        f"in the clear, before encryption or after decryption",
        place=place,
        found=found,
        supported=tuple(readers),
    )


def _attribute(place: str, model: Any, name: str) -> Any:
    try:
        return getattr(model, name)
    except AttributeError:
        raise ModelError(
            f"compile: {place} has no {name}, and fitted models have; call its fit(X, y) first",
            place=place,
            found=f"no {name}",
        ) from None


def _option(place: str, model: Any, name: str, allowed: tuple[Any, ...], advice: str) -> Any:
    """Return an option of a model that has one of the values that are supported."""
    value = getattr(model, name, allowed[0])
    if value not in allowed:
        raise ModelError(
            f"compile: {place} has {name}={value!r}, and {' or '.join(map(repr, allowed))} is supported; {advice}",
            place=place,
            found=value,
            supported=allowed,
        )
    return value


def _dense(values: Any) -> Array:
    """Return weights as an array of doubles, of a sparse matrix as well."""
    return np.array(values.toarray() if hasattr(values, "toarray") else values, dtype=np.float64)


# Steps before the model.


def _scaler(place: str, step: Any) -> Affine:
    scale, mean = _attribute(place, step, "scale_"), _attribute(place, step, "mean_")
    size = int(_attribute(place, step, "n_features_in_"))
    factor = np.ones(size) if scale is None or not step.with_std else 1 / _dense(scale)
    offset = np.zeros(size) if mean is None or not step.with_mean else _dense(mean)
    return Affine(np.diag(factor), -offset * factor, place)


def _min_max(place: str, step: Any) -> Affine:
    _option(place, step, "clip", (False,), "fit it with clip=False: the client refuses values out of range")
    return Affine(np.diag(_dense(_attribute(place, step, "scale_"))), _dense(_attribute(place, step, "min_")), place)


def _max_abs(place: str, step: Any) -> Affine:
    _option(place, step, "clip", (False,), "fit it with clip=False: the client refuses values out of range")
    factor = 1 / _dense(_attribute(place, step, "scale_"))
    return Affine(np.diag(factor), np.zeros(len(factor)), place)


def _pca(place: str, step: Any) -> Affine:
    weights = _dense(_attribute(place, step, "components_"))
    if step.whiten:
        deviation = np.sqrt(_dense(_attribute(place, step, "explained_variance_")))
        weights = weights / np.maximum(deviation, np.finfo(np.float64).eps)[:, None]
    return Affine(weights, -weights @ _dense(_attribute(place, step, "mean_")), place)


# Models.


def _linear(place: str, model: Any) -> Affine:
    """Return the scores of a linear model, a row for each."""
    weights = np.atleast_2d(_dense(_attribute(place, model, "coef_")))
    bias = np.broadcast_to(_dense(_attribute(place, model, "intercept_")).ravel(), (len(weights),))
    return Affine(weights, bias.copy(), place)


def _regression(place: str, model: Any) -> Read:
    layer = _linear(place, model)
    return [layer], Task(None, "identity", np.ndim(model.coef_) == 1)


def _classifier(link: Callable[[Any], str | None]) -> Callable[[str, Any], Read]:
    def reader(place: str, model: Any) -> Read:
        layer = _linear(place, model)
        return [layer], Task(_classes(place, model), link(model), len(layer.bias) == 1)

    return reader


def _classes(place: str, model: Any) -> NDArray[Any]:
    # Several labels for one row are marked by the binarizer alone.
    kind = getattr(getattr(model, "_label_binarizer", None), "y_type_", None)
    if kind == "multilabel-indicator":
        raise ModelError(
            f"compile: {place} gives several labels for a row, and one is supported; train a model for each label",
            place=place,
            found=kind,
            supported="one label",
        )
    classes = np.asarray(_attribute(place, model, "classes_"))
    is_text = classes.dtype.kind == "O" and all(isinstance(label, str) for label in classes)
    if classes.ndim != 1 or not (is_text or classes.dtype.kind in "biufU"):
        raise ModelError(
            f"compile: {place} has labels of type {classes.dtype} and shape {classes.shape}, and one number or text "
            f"for each class is supported; encode the labels with sklearn.preprocessing.LabelEncoder",
            place=place,
            found=str(classes.dtype),
        )
    labels = classes.astype(str) if is_text else classes.astype(np.float64) if classes.dtype.kind == "f" else classes
    if labels.dtype.kind == "U" and labels.dtype.itemsize > 4 * _LONGEST_LABEL:
        raise ModelError(
            f"compile: {place} has a label of {labels.dtype.itemsize // 4} characters, and up to {_LONGEST_LABEL} are "
            f"supported; encode the labels with sklearn.preprocessing.LabelEncoder",
            place=place,
            found=labels.dtype.itemsize // 4,
            supported=_LONGEST_LABEL,
        )
    return labels


def _svc(place: str, model: Any) -> Read:
    classes = _classes(place, model)
    dual, bias = _dense(_attribute(place, model, "dual_coef_")), _dense(_attribute(place, model, "intercept_"))
    if len(classes) == 2:
        return _kernel(place, model, dual, bias), Task(classes, None, True)
    # The vote of classes i < j takes the support vectors of both: row j - 1 is for those of i, row i for those of j.
    of_class = np.repeat(np.arange(len(classes)), _attribute(place, model, "n_support_"))
    votes = [
        np.where(of_class == i, dual[j - 1], 0.0) + np.where(of_class == j, dual[i], 0.0)
        for i, j in zip(*np.triu_indices(len(classes), 1), strict=True)
    ]
    return _kernel(place, model, np.array(votes), bias), Task(classes, "one-versus-one", False)


def _svr(place: str, model: Any) -> Read:
    dual, bias = _dense(_attribute(place, model, "dual_coef_")), _dense(_attribute(place, model, "intercept_"))
    return _kernel(place, model, dual, bias), Task(None, "identity", True)


def _kernel(place: str, model: Any, dual: Array, bias: Array) -> list[Layer]:
    """Return the layers of sums over kernels with support vectors."""
    kernel = _option(place, model, "kernel", ("linear", "poly", "rbf"), "train it with one of them")
    vectors = _dense(_attribute(place, model, "support_vectors_"))
    sums = Affine(dual, bias, place)
    if kernel == "linear":
        return [Affine(dual @ vectors, bias, place)]
    gamma, ones = float(_attribute(place, model, "_gamma")), np.ones(len(vectors))
    at = f"{place}, kernel"
    if kernel == "poly":
        degree = _option(place, model, "degree", (1, 2, 3), "train it with one of them")
        inner = Affine(gamma * vectors, model.coef0 * ones, at)
        return [inner, sums] if degree == 1 else [inner, Activation("square" if degree == 2 else "cube", at), sums]
    # -γ·|x - s|² = 2γ·s·x - γ·|x|² - γ·|s|², which is never above 0.
    identity = Affine(np.eye(vectors.shape[1]), np.zeros(vectors.shape[1]), f"{place}, squares")
    weights = np.hstack([2 * gamma * vectors, np.full(vectors.shape, -gamma)])
    distances = Affine(weights, -gamma * (vectors**2).sum(1), at, sources=(0, 1), most=0.0)
    return [identity, Activation("square", f"{place}, squares"), distances, Activation("exp", at), sums]


def _k_means(place: str, model: Any) -> Read:
    """Return a score for each center that is above the others' where it is the nearest one: 2·c·x - |c|²."""
    centers = _dense(_attribute(place, model, "cluster_centers_"))
    if len(centers) < 2:
        raise ModelError(
            f"compile: {place} has {len(centers)} center, and at least 2 are needed to choose among; fit it with more",
            place=place,
            found=len(centers),
            supported=2,
        )
    labels = np.arange(len(centers), dtype=np.asarray(_attribute(place, model, "labels_")).dtype)
    return [Affine(2 * centers, -(centers**2).sum(1), place)], Task(labels, None, False)


def _perceptron(place: str, model: Any) -> list[Layer]:
    weights, biases = _attribute(place, model, "coefs_"), _attribute(place, model, "intercepts_")
    supported = ("relu", "tanh", "logistic", "identity")
    name = _option(place, model, "activation", supported, "train it with one of them")
    layers: list[Layer] = []
    for index, (matrix, bias) in enumerate(zip(weights, biases, strict=True)):
        at = f"{place}, layer {index}"
        layers.append(Affine(_dense(matrix).T, _dense(bias), at))
        if index < len(weights) - 1 and name != "identity":
            layers.append(Activation(name, at))
    return layers


def _perceptron_classifier(place: str, model: Any) -> Read:
    layers = _perceptron(place, model)
    is_flat = len(model.intercepts_[-1]) == 1
    return layers, Task(_classes(place, model), "logistic" if is_flat else "softmax", is_flat)


def _perceptron_regressor(place: str, model: Any) -> Read:
    layers = _perceptron(place, model)
    _option(place, model, "out_activation_", ("identity",), "train it with loss='squared_error'")
    return layers, Task(None, "identity", len(model.intercepts_[-1]) == 1)


def _logistic_link(model: Any) -> str | None:
    if len(model.classes_) == 2:
        # Of two classes, the multinomial model has twice the score in its softmax; recent versions have no such option.
        return None if getattr(model, "multi_class", "auto") == "multinomial" else "logistic"
    is_split = getattr(model, "multi_class", "auto") == "ovr" or model.solver == "liblinear"
    return "one-versus-rest" if is_split else "softmax"


_TRANSFORMERS: Final[Mapping[str, Callable[[str, Any], Affine]]] = {
    "StandardScaler": _scaler,
    "MinMaxScaler": _min_max,
    "MaxAbsScaler": _max_abs,
    "PCA": _pca,
}

_ESTIMATORS: Final[Mapping[str, Callable[[str, Any], Read]]] = {
    "LinearRegression": _regression,
    "Ridge": _regression,
    "Lasso": _regression,
    "ElasticNet": _regression,
    "LinearSVR": _regression,
    "SVR": _svr,
    "NuSVR": _svr,
    "LogisticRegression": _classifier(_logistic_link),
    "RidgeClassifier": _classifier(lambda model: None),
    "LinearSVC": _classifier(lambda model: None),
    "SVC": _svc,
    "NuSVC": _svc,
    "KMeans": _k_means,
    "MiniBatchKMeans": _k_means,
    "MLPClassifier": _perceptron_classifier,
    "MLPRegressor": _perceptron_regressor,
}
