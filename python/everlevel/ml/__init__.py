"""Trained models on encrypted inputs, in three lines.

    model = everlevel.ml.compile(trained, examples)   # a fitted model of scikit-learn, or a network in ONNX's format
    client, server = model.keys()                     # what stays at home, and what may be given away
    y = client.predict(model(client.encrypt(X), server))

`compile` reads the model's layers, folds scalers and projections into weights, fits polynomials in place of
activations, proves that their arguments stay where they were fitted, and chooses levels, ring, layout and keys.
Scikit-learn is needed by nothing here: models are read by their attributes. ONNX files are parsed by the package
`onnx`, which is imported where one is compiled.
"""

from ._compile import compile, load  # noqa: A004
from .client import Client
from .model import Model, RangeReport
from .rows import EncryptedRows
from .server import Server

__all__ = ["Client", "EncryptedRows", "Model", "RangeReport", "Server", "compile", "load"]
