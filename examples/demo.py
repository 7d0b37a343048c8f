"""A photograph, encrypted into one ciphertext, turned into an ink drawing, and decrypted.

32768 pixels (256 rows of 128, luminance) fill the slots of one ciphertext at N = 2^16 and 128-bit security. The steps:

1. **blur** with the binomial 3x3 kernel, by four rotations;
2. **edges**: Sobel's two gradients, squared and added;
3. **magnitude**: its square root, as a Chebyshev polynomial;
4. a **bootstrap**, since no level is left;
5. **contrast**: the lines are lifted, and three smoothsteps 3x² - 2x³ part them from the paper;
6. **ink**: the lines are drawn over a wash of the blurred picture, which is then lightened;
7. a second **bootstrap**, and a smoothstep on the tones.

Beside every step stands its error against the same computation on plain NumPy arrays; nothing is decrypted in between
but for that comparison. Writes ``out/demo.png`` (input, decrypted result, plain result, error map) and
``out/precision.png`` (histogram over the slots).

The photograph is Grace Hopper's official portrait (United States Navy, 1984, public domain), which Matplotlib ships.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")

import matplotlib.cbook
import matplotlib.pyplot as plt
import numpy as np
from numpy.typing import NDArray

from everlevel import BootstrapKey, Ciphertext, Engine, RelinearizationKey, SecretKey

ROWS, COLUMNS = 256, 128
SQRT_DEGREE = 31
LARGEST_SQUARED_GRADIENT = 10.27
"""Of any picture in [0, 1] after the blur: the square of the largest sum of a combined kernel's positive weights."""
PAPER = 0.3
"""Lightness that the wash gives to black."""

Image = NDArray[np.float64]


def photograph() -> Image:
    """Load the portrait's middle, 2:1, as luminance in [0, 1]."""
    with matplotlib.cbook.get_sample_data("grace_hopper.jpg") as file:
        colours = plt.imread(file, format="jpg").astype(np.float64) / 255
    luminance = colours[..., :3] @ [0.299, 0.587, 0.114]
    height, width = luminance.shape
    crop_width = height // 2
    left = (width - crop_width) // 2
    return box_resample(luminance[:, left : left + crop_width], ROWS, COLUMNS)


def box_resample(image: Image, rows: int, columns: int) -> Image:
    """Average an image over the boxes of a coarser grid, whole numbers or not."""
    for axis, count in enumerate((rows, columns)):
        length = image.shape[axis]
        edges = np.linspace(0, length, count + 1)
        integral = np.concatenate([np.zeros_like(image.take([0], axis)), np.cumsum(image, axis)], axis)
        low = np.minimum(edges.astype(int), length - 1)
        share = (edges - low).reshape([-1 if a == axis else 1 for a in range(2)])
        at_edges = integral.take(low, axis) + share * image.take(low, axis)
        image = np.diff(at_edges, axis=axis) * count / length
    return image


# The computation, once: `x` is a ciphertext or a NumPy array, and `roll` rotates whichever it is.

Roll = Callable[[Any, int], Any]


def blur(x: Any, roll: Roll) -> Any:
    """Smooth with [1 2 1]/4 along rows, then along columns."""
    x = 2 * x + roll(x, 1) + roll(x, -1)
    x = 2 * x + roll(x, COLUMNS) + roll(x, -COLUMNS)
    return x * (1 / 16)


def squared_gradient(x: Any, roll: Roll) -> Any:
    """Compute gx² + gy² with Sobel's kernels."""
    down, up, right, left = (roll(x, shift) for shift in (COLUMNS, -COLUMNS, 1, -1))
    vertical, horizontal = 2 * x + down + up, 2 * x + left + right
    gx = roll(vertical, -1) - roll(vertical, 1)
    gy = roll(horizontal, -COLUMNS) - roll(horizontal, COLUMNS)
    return gx * gx + gy * gy


def inside() -> Image:
    """Weigh the squared gradients, and leave out the frame, where the rotation brings the other side."""
    weights = np.zeros((ROWS, COLUMNS))
    weights[2:-2, 2:-2] = 1 / LARGEST_SQUARED_GRADIENT
    return weights.ravel()


def square_root_series() -> Image:
    """Approximate sqrt((1 + t)/2) on [-1, 1], so that t = 2x - 1 gives sqrt(x) on [0, 1]."""
    return np.polynomial.chebyshev.chebinterpolate(lambda t: np.sqrt((1 + t) / 2), SQRT_DEGREE)


def smoothstep(x: Any) -> Any:
    """Compute 3x² - 2x³: 0, 1/2 and 1 stay, what lies between moves to the nearer end."""
    return (x * x) * (3 - 2 * x)


def wash(x: Any) -> Any:
    """Thin a picture down to its lighter tones."""
    return (1 - PAPER) * x + PAPER


def lift(x: Any) -> Any:
    """Compute 1 - (1 - x)²: 0 and 1 stay, what lies between moves up."""
    return x * (2 - x)


@dataclass
class Work:
    """The encrypted computation, its plain twin, and the table that compares them."""

    engine: Engine
    secret_key: SecretKey
    relinearization_key: RelinearizationKey
    bootstrap_key: BootstrapKey
    series: Image = field(default_factory=square_root_series)

    def encrypted_roll(self, x: Ciphertext, shift: int) -> Ciphertext:
        """Rotate by one of the four amounts that there are keys for."""
        return x.rotate(shift)

    def encrypted_sqrt(self, x: Ciphertext) -> Ciphertext:
        """Evaluate the square root's series on a ciphertext."""
        argument = self.engine.assume_bound(2 * x - 1, 1)
        return self.engine.evaluate_chebyshev_polynomial(argument, self.series, self.relinearization_key)

    def plain_sqrt(self, x: Image) -> Image:
        """Evaluate the same series on an array."""
        return np.polynomial.chebyshev.chebval(2 * x - 1, self.series)

    def step(self, name: str, encrypted: Callable[[], Ciphertext], plain: Image, bound: float = 1.1) -> Ciphertext:
        """Run one step, and print its row of the table.

        Tones stay in [0, 1] up to the square root's error, which the bounds that operations carry don't know.
        """
        start = time.perf_counter()
        result = self.engine.assume_bound(encrypted(), bound)
        seconds = time.perf_counter() - start
        error = np.abs(self.engine.decrypt(result, self.secret_key) - plain)
        mean, worst = -np.log2(error.mean()), -np.log2(error.max())
        print(f"{name:<34} {result.level:>5} {seconds:>8.2f} {mean:>10.1f} {worst:>11.1f}", flush=True)
        return result

    def draw(self, image: Image) -> tuple[Image, Image]:
        """Do all steps; return the decrypted and the plain result."""

        def plain_roll(x: Image, shift: int) -> Image:
            return np.roll(x, shift)

        roll, pixels, weights = self.encrypted_roll, image.ravel(), inside()
        print(f"{'step':<34} {'level':>5} {'seconds':>8} {'mean, bits':>10} {'worst, bits':>11}")
        public_key = self.engine.create_public_key(self.secret_key)
        # Level 8 is all that the way to the first bootstrap needs.
        x = self.step("encrypt 32768 pixels", lambda: self.engine.encrypt(pixels, public_key, level=8), pixels)
        p_blurred = blur(pixels, plain_roll)
        blurred = self.step("blur (4 rotations)", lambda: blur(x, roll), p_blurred)
        p = squared_gradient(p_blurred, plain_roll)
        x = self.step("edges gx² + gy² (8 rotations)", lambda: squared_gradient(blurred, roll), p, bound=32)
        p = p * weights
        x = self.step("to [0, 1], without the frame", lambda: x * weights, p)
        p = self.plain_sqrt(p)
        x = self.step(f"magnitude (sqrt of degree {SQRT_DEGREE})", lambda: self.encrypted_sqrt(x), p)
        x = self.refresh(x, p, middle=0)
        p = lift(p)
        x = self.step("lift the lines", lambda: lift(x), p)
        for i in range(3):
            p = smoothstep(p)
            x = self.step(f"contrast {i + 1} of 3 (smoothstep)", partial(smoothstep, x), p)
        p = wash(p_blurred) * (1 - p)
        x = self.step("ink over a wash of the blurred", lambda: wash(blurred) * (1 - x), p)
        p = lift(p)
        x = self.step("lighten", lambda: lift(x), p)
        x = self.refresh(x, p, middle=0.75)
        p = smoothstep(p)
        x = self.step("tones (smoothstep)", lambda: smoothstep(x), p)
        return self.engine.decrypt(x, self.secret_key), p

    def refresh(self, x: Ciphertext, plain: Image, middle: float) -> Ciphertext:
        """Bootstrap: too few levels are left for the next step.

        The error of a bootstrap grows with the cube of the values' mean. Where that is roughly known, taking it away
        before and adding it after costs nothing.
        """

        def bootstrap() -> Ciphertext:
            return (x - middle).bootstrap(self.bootstrap_key) + middle

        return self.step(f"BOOTSTRAP from level {x.level}", bootstrap, plain)


def make_work(thread_count: int | None, insecure_log_n: int | None) -> Work:
    """Make the engine and all keys, timing them."""
    start = time.perf_counter()
    engine = Engine(use_bootstrap=True, thread_count=thread_count, insecure_log_n=insecure_log_n)
    print(engine)
    secret_key = engine.create_secret_key()
    relinearization_key = engine.create_relinearization_key(secret_key)
    engine.create_conjugation_key(secret_key)
    for delta in (1, -1, COLUMNS, -COLUMNS):
        engine.create_fixed_rotation_key(secret_key, delta)
    bootstrap_key = engine.create_bootstrap_key(secret_key, stage_count=3)
    print(bootstrap_key)
    print(f"engine and keys: {time.perf_counter() - start:.1f} s\n")
    return Work(engine, secret_key, relinearization_key, bootstrap_key)


def plot_images(image: Image, decrypted: Image, plain: Image, path: Path) -> None:
    """Draw input, results and error, side by side."""
    error = np.log2(np.maximum(np.abs(decrypted - plain), 2.0**-60)).reshape(image.shape)
    figure, axes = plt.subplots(1, 4, figsize=(13, 7), layout="constrained")
    panels = [
        ("encrypted input", image),
        ("decrypted result", decrypted.reshape(image.shape)),
        ("plain NumPy result", plain.reshape(image.shape)),
    ]
    for axis, (title, picture) in zip(axes, panels, strict=False):
        axis.imshow(picture, cmap="gray", vmin=0, vmax=1)
        axis.set_title(title)
    shown = axes[3].imshow(error, cmap="magma")
    axes[3].set_title("log2 of the error")
    figure.colorbar(shown, ax=axes[3], shrink=0.8)
    for axis in axes:
        axis.set_axis_off()
    figure.suptitle("32768 encrypted pixels: blur, edges, square root, bootstrap, contrast, ink, bootstrap, tones")
    figure.savefig(path, dpi=110)
    plt.close(figure)


def plot_precision(decrypted: Image, plain: Image, path: Path) -> None:
    """Draw the histogram of all slots' precision."""
    bits = -np.log2(np.maximum(np.abs(decrypted - plain), 2.0**-60))
    mean, worst = -np.log2(np.mean(np.abs(decrypted - plain))), bits.min()
    figure, axis = plt.subplots(figsize=(8, 4.5), layout="constrained")
    axis.hist(bits, bins=80, color="tab:blue")
    axis.axvline(mean, color="black", label=f"of the mean error: {mean:.1f} bits")
    axis.axvline(worst, color="tab:red", label=f"of the worst slot: {worst:.1f} bits")
    axis.set(xlabel="precision, -log2 of the absolute error", ylabel="slots", title="Precision of the decrypted result")
    axis.legend()
    figure.savefig(path, dpi=110)
    plt.close(figure)


def main() -> None:
    """Run the demo."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--threads", type=int, help="all cores, if left out")
    parser.add_argument("--out", type=Path, default=Path("out"), help="folder of the pictures")
    arguments = parser.parse_args()
    start = time.perf_counter()
    arguments.out.mkdir(parents=True, exist_ok=True)
    image = photograph()
    decrypted, plain = make_work(arguments.threads, None).draw(image)
    plot_images(image, decrypted, plain, arguments.out / "demo.png")
    plot_precision(decrypted, plain, arguments.out / "precision.png")
    print(f"\n{arguments.out / 'demo.png'} and {arguments.out / 'precision.png'} written; ", end="")
    print(f"{time.perf_counter() - start:.0f} s in all")


if __name__ == "__main__":
    main()
