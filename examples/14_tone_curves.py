"""An encrypted photograph through several tone curves at once, exactly, by one bootstrap.

A curve is a look-up table, as steep and as broken as one likes: a negative, a harder contrast, four tones, and a band
of tones that is cut out. 65,536 pixels of 16 tones fill one bootstrap, and all curves share it. What is decrypted
equals the curves in the clear, pixel by pixel. Writes ``out/tone_curves.png``.

The photograph is Grace Hopper's official portrait (United States Navy, 1984, public domain), which Matplotlib ships.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from everlevel import bulk

CURVES: dict[str, list[int]] = {
    "negative": [15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0],
    "contrast": [0, 0, 0, 1, 2, 4, 6, 7, 8, 10, 12, 14, 15, 15, 15, 15],
    "four tones": [0, 0, 0, 0, 5, 5, 5, 5, 10, 10, 10, 10, 15, 15, 15, 15],
    "tones 6 to 9": [0, 0, 0, 0, 0, 0, 15, 15, 15, 15, 0, 0, 0, 0, 0, 0],
}


def photograph(side: int) -> NDArray[np.int64]:
    """Load the portrait's square of the face, in 16 tones."""
    import matplotlib.cbook
    import matplotlib.pyplot as plt

    with matplotlib.cbook.get_sample_data("grace_hopper.jpg") as file:
        grey = plt.imread(file, format="jpg")[..., :3] @ [0.299, 0.587, 0.114]
    places = np.linspace(0, 511, side).astype(int)
    return (grey[np.ix_(places, places)] / 16).astype(np.int64)


def draw(pictures: dict[str, NDArray[Any]], path: Path) -> None:
    """Draw the photograph, and what is decrypted of each curve."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, len(pictures), figsize=(2.6 * len(pictures), 3), layout="constrained")
    for axis, (name, picture) in zip(axes, pictures.items(), strict=True):
        axis.imshow(picture, cmap="gray", vmin=0, vmax=15)
        axis.set_title(name)
        axis.axis("off")
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=120)
    plt.close(figure)


def main() -> None:
    """Look a photograph up, and compare."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--side", type=int, default=256, help="pixels of a side (default 256)")
    parser.add_argument("--threads", type=int, help="all, if left out")
    parser.add_argument("--insecure-log-n", type=int, help="a ring of 2^LOG_N without any security")
    parser.add_argument("--out", type=Path, default=Path("out"), help="folder of the picture (default out)")
    options = parser.parse_args()

    engine = bulk.Engine("integer-4-128", thread_count=options.threads, insecure_log_n=options.insecure_log_n)
    print(engine)
    secret_key = engine.create_secret_key()
    print(engine.create_evaluation_key(secret_key))

    image = photograph(options.side)
    x = engine.encrypt(image, secret_key)
    start = time.perf_counter()
    found = engine.bootstrap_many(x, list(CURVES.values()))
    seconds = time.perf_counter() - start
    print(found[0])

    pictures = {"encrypted": image}
    for (name, curve), y in zip(CURVES.items(), found, strict=True):
        pictures[name] = engine.decrypt(y, secret_key)
        assert (pictures[name] == np.array(curve)[image]).all(), "a pixel is wrong"
    count = image.size * len(CURVES)
    print(
        f"{len(CURVES)} curves of {image.size} pixels in {seconds:.2f} s: {1e6 * seconds / count:.1f} µs each, 0 wrong"
    )
    path = options.out / "tone_curves.png"
    draw(pictures, path)
    print(path)


if __name__ == "__main__":
    main()
