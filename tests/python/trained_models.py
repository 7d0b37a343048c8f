"""Data and trained models of the tests of `everlevel.ml`."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_iris
from sklearn.neural_network import MLPClassifier

from claims import assert_claims
from everlevel import ml

SMALL: dict[str, Any] = {"insecure_log_n": 10, "thread_count": 1}
"""Options of models on small rings, without security."""


def data(name: str) -> tuple[Any, Any]:
    """Rows and targets: "iris" has three classes, "cancer" two, "diabetes" numbers, "two targets" pairs of these."""
    if name == "iris":
        return load_iris(return_X_y=True)
    if name == "cancer":
        x, y = load_breast_cancer(return_X_y=True)
        return x[:, :10], np.array(["malignant", "benign"])[y]
    x, y = load_diabetes(return_X_y=True)
    return x, (np.stack([y, -y / 2], 1) if name == "two targets" else y)


def digits(count: int = 400) -> tuple[Any, Any]:
    x, y = load_digits(return_X_y=True)
    return x[:count], y[:count]


def trained_digits(**options: Any) -> Any:
    x, y = digits()
    usual = {"hidden_layer_sizes": (16,), "max_iter": 500, "tol": 1e-2, "random_state": 0}
    return MLPClassifier(**(usual | options)).fit(x / 16, y)


def check_claims(model: ml.Model, client: ml.Client, scores: ml.EncryptedRows, rows: Any) -> None:
    """Compare every slot of scores with those of a layout of one row a unit, by what the ciphertext claims."""
    program = model._program
    results = model.simulate(rows).reshape(len(rows), -1) / program.scale
    layout = model._plan.layout
    slots = np.ravel([layout.repeated(row, layout.placements[-1]) for row in results])
    assert_claims(scores.ciphertext, slots, client._secret_key)
