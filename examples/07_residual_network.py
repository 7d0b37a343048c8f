"""ResNet-20 on an encrypted image: 19 convolutions, 19 activations, and bootstraps where the plan places them.

The network has the layers and sizes of ResNet-20 for CIFAR-10: three stages of three residual blocks, with 16, 32 and
64 channels, on images of 32 × 32 pixels of three colours, and SiLU, x·σ(x), as its activation. It is trained in NumPy,
in minutes and so not for long, with a penalty on large arguments of activations, on synthetic images: coloured discs,
rings, squares, frames, triangles, crosses, stripes and checkers. Whoever has CIFAR-10 (the binary version, a folder of
``data_batch_1.bin`` and so on) trains on it, or passes a trained network as an ONNX file:

    python 07_residual_network.py --cifar cifar-10-batches-bin --network resnet20.onnx

`everlevel.ml.compile` puts channels and pixels in slots, fits a polynomial of degree 15 in place of each activation,
chooses levels and bootstraps, and holds the weights' diagonals in the forms that fit in the memory that it is given.
Beside the encrypted computation runs the same in NumPy (`Model.simulate`), and the network itself. Printed are times,
also as so many regular bootstraps of the same machine, sizes, and how many predictions are the same.

At full size it takes 14 GB and several minutes. Writes ``out/residual_network.png``: the images with their encrypted
predictions, and encrypted scores against simulated ones.
"""

from __future__ import annotations

import argparse
import sys
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
from onnx.reference import ReferenceEvaluator

import everlevel

Array = NDArray[np.float64]
Array32 = NDArray[np.float32]
Labels = NDArray[np.int64]
SHAPES = ("disc", "ring", "square", "frame", "triangle", "cross", "rows", "columns", "diagonals", "checkers")
RANGE, PENALTY = 4.0, 0.1
"""Arguments of activations that cost nothing in training, and what those beyond cost: polynomials are near to an
activation on a short interval."""
CIFAR = ("airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck")


def shapes(count: int, size: int, rng: np.random.Generator) -> tuple[Array, Labels]:
    """Draw coloured shapes of any place and size, and noise: images of shape (count, 3, size, size), and labels."""
    labels = rng.integers(len(SHAPES), size=count)
    images = np.empty((count, 3, size, size))
    y, x = np.mgrid[:size, :size] + 0.5
    for image, label in zip(images, labels, strict=True):
        radius = rng.uniform(0.28, 0.42) * size
        v, u = (grid - rng.uniform(radius, size - radius) for grid in (y, x))
        near, far = np.maximum(np.abs(u), np.abs(v)), np.hypot(u, v)
        wave = 2 * np.pi / rng.uniform(0.2, 0.3) / size
        masks = {
            "disc": far < radius,
            "ring": (far < radius) & (far > 0.6 * radius),
            "square": near < 0.8 * radius,
            "frame": (near < 0.8 * radius) & (near > 0.45 * radius),
            "triangle": (v < 0.7 * radius) & (v > 2 * np.abs(u) - radius),
            "cross": (near < radius) & (np.minimum(np.abs(u), np.abs(v)) < 0.25 * radius),
            "rows": np.sin(wave * v) > 0,
            "columns": np.sin(wave * u) > 0,
            "diagonals": np.sin(wave * (u + v) * 0.7) > 0,
            "checkers": np.sin(wave * u) * np.sin(wave * v) > 0,
        }
        dark, bright = rng.uniform(0, 0.35, 3), rng.uniform(0.6, 1, 3)
        colours = (dark, bright) if rng.integers(2) else (bright, dark)
        image[:] = np.where(masks[SHAPES[label]], colours[1][:, None, None], colours[0][:, None, None])
        image += rng.normal(size=image.shape) / 30
    return np.clip(images, 0, 1), labels


def cifar(folder: Path) -> tuple[Array, Labels, Array, Labels]:
    """Read CIFAR-10's binary version: images to train on and their labels, and those to predict."""

    def read(*names: str) -> tuple[Array, Labels]:
        records = np.concatenate([np.fromfile(folder / name, np.uint8).reshape(-1, 3073) for name in names])
        return records[:, 1:].reshape(-1, 3, 32, 32) / 255, records[:, 0].astype(np.int64)

    return (*read(*(f"data_batch_{k}.bin" for k in range(1, 6))), *read("test_batch.bin"))


class Network:
    """Residual network, with x·σ(x) after each convolution and each sum.

    Attributes
    ----------
    weights : dict of ndarray
        In the shapes of ONNX's operators: kernels of (outputs, inputs, kernel, kernel), the last matrix of (inputs,
        outputs).
    strides : dict of int
        Of each convolution, in the order in which they are computed.
    """

    def __init__(self, channels: list[int], blocks: int, images: Array, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.shape = images.shape[1:]
        self.strides: dict[str, int] = {}
        self.blocks: list[tuple[str, str, str]] = []
        """Names of the first and the second convolution of each block, and of the one beside them, or ""."""
        self.weights: dict[str, Array32] = {}

        def add(name: str, x: Array32, outputs: int, kernel: int, stride: int, spread: float) -> Array32:
            """Draw a convolution whose results have this spread in each channel."""
            drawn = rng.normal(size=(outputs, x.shape[3], kernel, kernel)).astype(np.float32)
            y = patches(x, kernel, stride) @ drawn.reshape(outputs, -1).T
            factor = spread / y.std((0, 1, 2))
            self.weights[f"{name}.w"] = drawn * factor[:, None, None, None]
            self.weights[f"{name}.b"] = -y.mean((0, 1, 2)) * factor
            self.strides[name] = stride
            return y * factor + self.weights[f"{name}.b"]

        # Channels are last here, and first in ONNX's operators.
        x = np.moveaxis(images, 1, 3).astype(np.float32)
        x = silu(add("first", x, channels[0], 3, 1, 1.0))
        for stage, count in enumerate(channels):
            for block in range(blocks):
                stride, name = 2 if stage and not block else 1, f"{stage}.{block}"
                inner = silu(add(f"{name}.a", x, count, 3, stride, 1.0))
                y = add(f"{name}.b", inner, count, 3, 1, 0.5)
                if stride == 2:
                    x = add(f"{name}.c", x, count, 1, 2, 1.0)
                self.blocks.append((f"{name}.a", f"{name}.b", f"{name}.c" if stride == 2 else ""))
                x = silu(x + y)
        self.weights["full"] = np.zeros((channels[-1], 10), np.float32)
        self.weights["bias"] = np.zeros(10, np.float32)

    def gradients(self, images: Array32, labels: Labels) -> tuple[float, dict[str, Array32]]:
        """Return the mean cross-entropy of a batch, channels last, and its gradients."""
        found: dict[str, Array32] = {}
        undo: list[Any] = []

        def convolution(name: str, x: Array32) -> tuple[Array32, Any]:
            kernel, stride = self.weights[f"{name}.w"], self.strides[name]
            taken = patches(x, kernel.shape[2], stride)
            y = taken @ kernel.reshape(len(kernel), -1).T + self.weights[f"{name}.b"]

            def back(d: Array32) -> Array32:
                found[f"{name}.w"] = np.tensordot(d, taken, ([0, 1, 2], [0, 1, 2])).reshape(kernel.shape)
                found[f"{name}.b"] = d.sum((0, 1, 2))
                parts = (d @ kernel.reshape(len(kernel), -1)).reshape(*d.shape[:3], *kernel.shape[1:])
                pad = kernel.shape[2] // 2
                padded = np.zeros((len(x), x.shape[1] + 2 * pad, x.shape[2] + 2 * pad, x.shape[3]), np.float32)
                for i, j in np.ndindex(*kernel.shape[2:]):
                    # Each patch's gradient is added where the patch was.
                    ends = [k + stride * (n - 1) + 1 for k, n in zip((i, j), d.shape[1:3], strict=True)]
                    padded[:, i : ends[0] : stride, j : ends[1] : stride] += parts[..., i, j]
                return padded[:, pad : pad + x.shape[1], pad : pad + x.shape[2]]

            return y, back

        z, back = convolution("first", images)
        undo.append((back, z))
        x = silu(z)
        for first, second, beside in self.blocks:
            a, back_a = convolution(first, x)
            b, back_b = convolution(second, silu(a))
            c, back_c = convolution(beside, x) if beside else (x, None)
            undo.append((back_a, a, back_b, back_c, b + c))
            x = silu(b + c)
        features = x.mean((1, 2))
        scores = features @ self.weights["full"] + self.weights["bias"]
        shares = np.exp(scores - scores.max(1, keepdims=True))
        shares /= shares.sum(1, keepdims=True)
        loss = -float(np.log(shares[np.arange(len(labels)), labels] + 1e-9).mean())
        shares[np.arange(len(labels)), labels] -= 1
        d = shares / len(labels)
        found["full"], found["bias"] = features.T @ d, d.sum(0)
        d = np.broadcast_to((d @ self.weights["full"].T)[:, None, None] / (x.shape[1] * x.shape[2]), x.shape)
        for back_a, a, back_b, back_c, total in reversed(undo[1:]):
            d = d * slope(total) + excess(total)
            d = back_a(back_b(d) * slope(a) + excess(a)) + (d if back_c is None else back_c(d))
        back, z = undo[0]
        back(d * slope(z) + excess(z))
        return loss, found

    def train(self, images: Array, labels: Labels, epochs: int, rng: np.random.Generator) -> None:
        """Train by Adam, with weights that decay."""
        x = np.moveaxis(images, 1, 3).astype(np.float32)
        mean = {name: np.zeros_like(w) for name, w in self.weights.items()}
        square = {name: np.zeros_like(w) for name, w in self.weights.items()}
        steps = 0
        for epoch in range(epochs):
            losses = []
            for batch in np.array_split(rng.permutation(len(x)), max(len(x) // 40, 1)):
                steps += 1
                rate = 2e-3 * min(1, steps / 20) * (1 - epoch / epochs)
                loss, gradients = self.gradients(x[batch], labels[batch])
                losses.append(loss)
                length = np.sqrt(sum(float(np.square(gradient).sum()) for gradient in gradients.values()))
                for name, whole in gradients.items():
                    gradient = whole / max(length, 1)
                    mean[name] += 0.1 * (gradient - mean[name])
                    square[name] += 0.01 * (gradient**2 - square[name])
                    step = mean[name] / (1 - 0.9**steps) / (np.sqrt(square[name] / (1 - 0.99**steps)) + 1e-6)
                    self.weights[name] -= rate * (step + 0.02 * self.weights[name])
            print(f"epoch {epoch + 1} of {epochs}: cross-entropy {np.mean(losses):.3f}", flush=True)

    def onnx(self) -> Any:
        """Return the network in ONNX's format."""
        nodes: list[Any] = []

        def convolution(name: str, of: str) -> str:
            pad, stride = self.weights[f"{name}.w"].shape[2] // 2, self.strides[name]
            options = {"pads": [pad] * 4, "strides": [stride, stride]}
            nodes.append(helper.make_node("Conv", [of, f"{name}.w", f"{name}.b"], [name], **options))
            return name

        def activation(of: str) -> str:
            nodes.append(helper.make_node("Sigmoid", [of], [f"{of}.sigmoid"]))
            nodes.append(helper.make_node("Mul", [of, f"{of}.sigmoid"], [f"{of}.silu"]))
            return f"{of}.silu"

        last = activation(convolution("first", "image"))
        for first, second, beside in self.blocks:
            outer = convolution(second, activation(convolution(first, last)))
            nodes.append(helper.make_node("Add", [outer, convolution(beside, last) if beside else last], [f"{first}+"]))
            last = activation(f"{first}+")
        nodes += [
            helper.make_node("GlobalAveragePool", [last], ["means"]),
            helper.make_node("Flatten", ["means"], ["features"]),
            helper.make_node("Gemm", ["features", "full", "bias"], ["scores"]),
            helper.make_node("Softmax", ["scores"], ["shares"]),
        ]
        graph = helper.make_graph(
            nodes,
            "residual",
            [helper.make_tensor_value_info("image", TensorProto.DOUBLE, ["rows", *self.shape])],
            [helper.make_tensor_value_info("shares", TensorProto.DOUBLE, ["rows", 10])],
            [numpy_helper.from_array(array.astype(np.float64), name) for name, array in self.weights.items()],
        )
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])


def silu(x: Array32) -> Array32:
    """Return x·σ(x)."""
    return x / (1 + np.exp(-np.maximum(x, -60)))


def slope(x: Array32) -> Array32:
    """Return the derivative of x·σ(x)."""
    share = 1 / (1 + np.exp(-np.maximum(x, -60)))
    return share * (1 + x * (1 - share))


def excess(x: Array32) -> Array32:
    """Return the gradient of what arguments of activations are beyond ±RANGE by, squared: it keeps intervals short."""
    beyond = x - np.clip(x, -RANGE, RANGE)
    return beyond * (PENALTY * x.shape[3] / x.size)


def patches(x: Array32, size: int, stride: int) -> Array32:
    """Return the patch under each place of a kernel, of shape (images, rows, columns, channels·size²)."""
    pad = size // 2
    padded = np.pad(x, ((0, 0), (pad, pad), (pad, pad), (0, 0)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (size, size), axis=(1, 2))[:, ::stride, ::stride]
    return windows.reshape(*windows.shape[:3], -1)


def draw(images: Array, titles: list[str], right: Array, scores: tuple[Array, Array], path: Path) -> None:
    """Draw images with their encrypted predictions, and encrypted scores against simulated ones."""
    figure = plt.figure(figsize=(9, 4), layout="constrained")
    left, other = figure.subfigures(1, 2, width_ratios=[1.2, 1])
    left.suptitle("images, predicted without seeing them")
    axes = np.ravel(left.subplots(3, 4))
    for axis, image, title, is_right in zip(axes, images, titles, right, strict=False):
        axis.imshow(image.transpose(1, 2, 0))
        axis.set_title(title, color="tab:green" if is_right else "tab:red", fontsize=9)
    for axis in axes:
        axis.set_axis_off()
    axis = other.subplots()
    encrypted, simulated = scores
    ends = [simulated.min(), simulated.max()]
    axis.plot(ends, ends, color="lightgray")
    axis.plot(simulated.ravel(), encrypted.ravel(), ".")
    axis.set(title="scores", xlabel="simulated", ylabel="encrypted")
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110)
    plt.close(figure)


def resident() -> str:
    """Return the most memory that the process had at once."""
    try:
        import resource
    except ImportError:  # on Windows
        return "an unknown amount"
    unit = 1 if sys.platform == "darwin" else 1024
    return f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e9:.1f} GB"


def predicted(model: everlevel.ml.Model, rows: Array, batch: int) -> tuple[Array, Labels]:
    """Encrypt rows, predict and decrypt, so many at once, and print what it takes in processor time."""
    start = time.process_time()
    client, server = model.keys()
    print(f"keys of {server.nbytes / 1e9:.2f} GB in {time.process_time() - start:.1f} s", flush=True)
    scores, labels, seconds = [], [], []
    for first in range(0, len(rows), batch):
        group = rows[first : first + batch]
        encrypted = client.encrypt(group)
        start = time.process_time()
        answer = model(encrypted, server)
        seconds.append(time.process_time() - start)
        scores.append(client.decrypt(answer))
        labels.append(client.predict(answer))
        same = np.sum(labels[-1] == model.simulate(group).argmax(1))
        encoding = ", with the encoding of weights" if not first else ""
        print(f"row {first}: {seconds[-1]:.1f} s{encoding}; as simulated for {same} of {len(group)}", flush=True)
    least = min(seconds)
    groups = -(-min(batch, len(rows)) // model.group_rows)
    estimated = groups * model.estimated_seconds
    print(f"least time of {min(batch, len(rows))}: {least:.2f} s, and {estimated:.2f} s were estimated")
    if server.evaluation_key is not None and server.evaluation_key.bootstrap_key is not None:
        low = model.engine.level_down(encrypted.ciphertext.units()[0], 0)
        times = []
        for _ in range(3):
            start = time.process_time()
            model.engine.bootstrap(low, server.evaluation_key)
            times.append(time.process_time() - start)
        each = least / min(times) / min(batch, len(rows))
        print(f"a regular bootstrap takes {min(times):.2f} s: each image is {each:.1f} of them")
    print(f"{resident()} at most")
    return np.concatenate(scores), np.concatenate(labels)


def main() -> None:
    """Train, compile, encrypt, predict, compare."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rows", type=int, default=2, help="images that are predicted")
    parser.add_argument("--channels", type=int, nargs="+", default=[16, 32, 64], help="of each stage")
    parser.add_argument("--blocks", type=int, default=3, help="of each stage")
    parser.add_argument("--size", type=int, default=32, help="rows and columns of the synthetic images")
    parser.add_argument("--train", type=int, default=2000, help="images that it is trained on")
    parser.add_argument("--epochs", type=int, default=6)
    parser.add_argument("--save", type=Path, help="ONNX file that the trained network is written to")
    parser.add_argument("--degree", type=int, default=15, help="of each activation's polynomial")
    parser.add_argument("--batch", type=int, default=1, help="images that are computed at once")
    parser.add_argument("--memory", type=float, help="gigabytes for keys, weights and a group")
    parser.add_argument("--cifar", type=Path, help="folder of CIFAR-10's binary version")
    parser.add_argument("--network", type=Path, help="a trained network as an ONNX file")
    parser.add_argument("--threads", type=int, help="all cores, if left out")
    parser.add_argument("--insecure-log-n", type=int, help="a ring of 2^LOG_N without any security")
    parser.add_argument("--out", type=Path, default=Path("out"), help="folder of the picture")
    options = parser.parse_args()

    rng = np.random.default_rng(0)
    if options.cifar is None:
        names, count = SHAPES, options.train + max(options.rows, 300)
        images, labels = shapes(count, options.size, rng)
        others, true = images[options.train :], labels[options.train :]
        images, labels = images[: options.train], labels[: options.train]
    else:
        names = CIFAR
        images, labels, others, true = cifar(options.cifar)
        images, labels = images[: options.train], labels[: options.train]
    start = time.process_time()
    trained: Any = options.network
    if trained is None:
        network = Network(options.channels, options.blocks, images[:64], seed=1)
        network.train(images, labels, options.epochs, rng)
        trained = network.onnx()
        print(f"trained on {len(images)} images in {time.process_time() - start:.1f} s of processor time", flush=True)
        if options.save is not None:
            onnx.save(trained, options.save)

    start = time.process_time()
    examples = images[:128].reshape(len(images[:128]), -1)
    with warnings.catch_warnings(record=True) as told:
        model = everlevel.ml.compile(
            trained,
            examples,
            input_range=(0, 1),
            ranges="calibrated",
            margin=0.2,
            degree=options.degree,
            max_error=0.5,
            batch=options.batch,
            memory=None if options.memory is None else int(options.memory * 1e9),
            thread_count=options.threads,
            insecure_log_n=options.insecure_log_n,
        )
    # Intervals that are proven for every image are far longer than those of images, after 19 activations.
    for warning in told:
        print(warning.message)
    print(f"\n{model}\n\ncompiled in {time.process_time() - start:.1f} s of processor time", flush=True)

    flat = others.reshape(len(others), -1)
    rows = flat[: options.rows]
    assert model.check(rows).is_inside, "an image is beyond the intervals"
    scores, found = predicted(model, rows, options.batch)
    simulated = model.simulate(rows)
    print(f"encrypted as simulated for {np.sum(found == simulated.argmax(1))} of {len(rows)} images")
    print(f"scores differ by {np.abs(scores - simulated).max() / np.ptp(simulated):.1e} of their spread")
    some = flat[:300]
    right = [np.mean(model.simulate(some).argmax(1) == true[:300]), np.mean(own(trained, others[:300]) == true[:300])]
    print(f"accuracy on {len(some)} other images: {right[0]:.1%} simulated, {right[1]:.1%} of the network itself")
    assert np.abs(scores - simulated).max() < 1e-3 * np.ptp(simulated)
    picture = options.out / "residual_network.png"
    draw(others, [names[label] for label in found], found == true[: len(found)], (scores, simulated), picture)
    print(f"{picture} written")


def own(trained: Any, images: Array) -> Labels:
    """Return the labels that the network itself gives, by ONNX's evaluator."""
    model = onnx.load(trained) if isinstance(trained, Path) else trained
    entry = model.graph.input[0]
    given = images.astype(helper.tensor_dtype_to_np_dtype(entry.type.tensor_type.elem_type))
    labels: Labels = ReferenceEvaluator(model).run(None, {entry.name: given})[0].argmax(1)
    return labels


if __name__ == "__main__":
    main()
