"""Trained models on encrypted inputs: a logistic regression of tumours, and a perceptron of handwritten digits.

The data are scikit-learn's own: 569 tumours of 30 features each, and 1797 digits of 8 × 8 pixels. Models are trained in
the clear, on a part of them. Then whoever has the other part encrypts it, and whoever has the model computes on
ciphertexts, without a key that decrypts; what is decrypted are scores. The steps are three lines each:

    model = everlevel.ml.compile(trained, examples)
    client, server = model.keys()
    labels = client.predict(model(client.encrypt(X), server))

The compiled models say what they take (levels, rotations, memory, an estimate of the seconds), what their polynomials'
errors are, and that no input in range leaves the intervals on which they were fitted. Beside the encrypted computation
runs the same in NumPy (`Model.simulate`), and the trained model itself; printed are times, the differences of scores,
and how many predictions are the same.

Writes ``out/trained_models.png``: digits with what the encrypted perceptron said, and encrypted scores against those of
the trained model.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import everlevel

Array = NDArray[np.float64]


@dataclass
class Task:
    """A trained model, rows that it was trained on, and rows that it wasn't, with their labels."""

    name: str
    trained: Any
    examples: Array
    rows: Array
    labels: NDArray[Any]
    options: dict[str, Any]


@dataclass
class Result:
    """Scores and labels of a task's rows."""

    encrypted: Array
    simulated: Array
    predicted: NDArray[Any]
    seconds: float


def tumours(count: int) -> Task:
    """Train a logistic regression that tells benign tumours from malignant ones."""
    x, y = load_breast_cancer(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(x))
    x, y = x[order], y[order]
    trained = make_pipeline(StandardScaler(), LogisticRegression()).fit(x[:400], y[:400])
    # Ranges are those of all tumours: a hospital would know what its instruments measure.
    limits = x.min(0), x.max(0)
    return Task("tumours", trained, x[:400], x[400:][:count], y[400:][:count], {"input_range": limits, "margin": 0.5})


def digits(count: int) -> Task:
    """Train a perceptron of 32 hidden units on images of digits."""
    x, y = load_digits(return_X_y=True)
    network = MLPClassifier((32,), alpha=1.0, tol=1e-3, max_iter=1000, random_state=0).fit(x[:1200] / 16, y[:1200])
    return Task("digits", network, x[:1200] / 16, x[1200:][:count] / 16, y[1200:][:count], {"input_range": (0, 1)})


def run(task: Task, options: dict[str, Any]) -> Result:
    """Compile the model, and predict encrypted rows one by one."""
    start = time.perf_counter()
    model = everlevel.ml.compile(task.trained, task.examples, **task.options, **options)
    compiled = time.perf_counter()
    client, server = model.keys()
    print(f"{model}\n")
    print(f"compiled in {compiled - start:.2f} s, keys in {time.perf_counter() - compiled:.2f} s")
    scores, labels, seconds = [], [], []
    for row in task.rows:
        encrypted = client.encrypt(row.reshape(1, -1))
        start = time.perf_counter()
        answer = model(encrypted, server)
        seconds.append(time.perf_counter() - start)
        scores.append(client.decrypt(answer)[0])
        labels.append(client.predict(answer)[0])
    # The first row encodes the weights, too.
    return Result(np.array(scores), model.simulate(task.rows), np.array(labels), float(np.median(seconds)))


def tell(task: Task, result: Result) -> Array:
    """Print how encrypted predictions compare with the trained model's; return that model's own scores."""
    own = task.trained.predict(task.rows)
    scores: Array
    if hasattr(task.trained, "decision_function"):
        scores = task.trained.decision_function(task.rows)
    else:
        scores = np.log(np.maximum(task.trained.predict_proba(task.rows), 1e-300))
        # A softmax tells scores but for their mean.
        scores = scores - scores.mean(1, keepdims=True) + result.simulated.mean(1, keepdims=True)
    spread = np.ptp(scores)
    noise, fitted = np.abs(result.encrypted - result.simulated).max(), np.abs(result.simulated - scores).max()
    accuracy = [np.mean(labels == task.labels) for labels in (result.predicted, own)]
    print(f"{task.name}: {result.seconds:.4f} s a row")
    print(f"{task.name}: encrypted as trained for {np.sum(result.predicted == own)} of {len(own)} rows")
    print(f"{task.name}: accuracy {accuracy[0]:.1%} encrypted, {accuracy[1]:.1%} in the clear")
    print(f"{task.name}: scores differ by {noise / spread:.1e} from simulated, {fitted / spread:.1e} from trained\n")
    return scores


def draw(task: Task, results: dict[str, tuple[Result, Array]], path: Path) -> None:
    """Draw digits with their encrypted predictions, and scores of both tasks."""
    figure = plt.figure(figsize=(13, 4.6), layout="constrained")
    left, *others = figure.subfigures(1, 3, width_ratios=[1.1, 1, 1])
    left.suptitle("digits, predicted without seeing them")
    images = left.subplots(4, 6)
    for axis, row, label, true in zip(
        images.ravel(), task.rows, results["digits"][0].predicted, task.labels, strict=False
    ):
        axis.imshow(row.reshape(8, 8), cmap="gray_r")
        axis.set_title(str(label), color="tab:green" if label == true else "tab:red", fontsize=10)
    for axis in images.ravel():
        axis.set_axis_off()
    for part, (name, (result, scores)) in zip(others, results.items(), strict=True):
        axis = part.subplots()
        axis.plot([scores.min(), scores.max()], [scores.min(), scores.max()], color="lightgray")
        axis.plot(scores.ravel(), result.encrypted.ravel(), ".", markersize=4)
        axis.set(title=f"{name}: scores", xlabel="trained model", ylabel="encrypted")
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110)
    plt.close(figure)


def main() -> None:
    """Train, compile, encrypt, predict, compare."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rows", type=int, default=100, help="rows of each data set")
    parser.add_argument("--threads", type=int, help="all cores, if left out")
    parser.add_argument("--insecure-log-n", type=int, help="a ring of 2^LOG_N without any security")
    parser.add_argument("--out", type=Path, default=Path("out"), help="folder of the picture")
    options = parser.parse_args()

    settings = {"thread_count": options.threads, "insecure_log_n": options.insecure_log_n}
    results = {}
    for task in (tumours(options.rows), digits(options.rows)):
        result = run(task, settings)
        results[task.name] = result, tell(task, result)
        assert np.abs(result.encrypted - result.simulated).max() < 1e-3 * np.ptp(result.simulated), task.name
    path = options.out / "trained_models.png"
    draw(task, results, path)
    print(f"{path} written")


if __name__ == "__main__":
    main()
