"""Conway's game of life on an encrypted board, drawn before and after.

A cell lives on with two or three living neighbours, and is born with three. Whoever computes the generations sees no
cell. Of every cell, twice the number of its neighbours and the cell itself are one sum from 0 to 17, which costs no
bootstrap; a look-up table of it is the next generation. So a generation is one bootstrap a cell, whatever the rule.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from everlevel import tfhe

GLIDER = ((0, 1), (1, 2), (2, 0), (2, 1), (2, 2))
AROUND = [(i, j) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0)]


def rule(neighbours_and_cell: int) -> int:
    """Return the next state of a cell that has ``neighbours_and_cell // 2`` living neighbours."""
    neighbours, cell = divmod(neighbours_and_cell, 2)
    return int(neighbours == 3 or (neighbours == 2 and cell))


def rolled(board: tfhe.Ciphertext, down: int, right: int) -> tfhe.Ciphertext:
    """Shift the cells of a board whose edges meet."""
    rows, columns = (np.roll(np.arange(size), by) for size, by in zip(board.shape, (down, right), strict=True))
    return board[np.ix_(rows, columns)]


def step(engine: tfhe.Engine, board: tfhe.Ciphertext) -> tfhe.Ciphertext:
    """Compute a generation."""
    terms = [(2, rolled(board, *shift)) for shift in AROUND]
    return engine.bootstrap(engine.linear([(1, board), *terms]), lut=rule)


def plain_step(board: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Compute a generation in the clear."""
    sums = 2 * sum(np.roll(board, shift, (0, 1)) for shift in AROUND) + board
    return np.vectorize(rule)(sums).astype(np.uint8)


def first_board(size: int) -> NDArray[np.uint8]:
    """Return a board with a glider and some cells at random."""
    board = (np.random.default_rng(12).random((size, size)) < 0.15).astype(np.uint8)
    board[:4, :4] = 0
    for cell in GLIDER:
        board[cell] = 1
    return board


def draw(boards: list[NDArray[np.uint8]], generations: int, path: Path) -> None:
    """Draw the first board and the last."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(8, 4.4), layout="constrained")
    titles = "what is encrypted", f"what is decrypted, {generations} generations later"
    for axis, board, title in zip(axes, boards, titles, strict=True):
        axis.imshow(board, cmap="Greens", vmin=0, vmax=1.3)
        axis.set_xticks(np.arange(-0.5, board.shape[1]), labels=[])
        axis.set_yticks(np.arange(-0.5, board.shape[0]), labels=[])
        axis.grid(color="0.85", linewidth=0.7)
        axis.tick_params(length=0)
        axis.set_title(title)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=120)
    plt.close(figure)


def main() -> None:
    """Compute some generations, and compare."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--size", type=int, default=12, help="cells of a side (default 12)")
    parser.add_argument("--generations", type=int, default=4, help="default 4")
    parser.add_argument("--threads", type=int, help="all, if left out")
    parser.add_argument("--insecure-log-n", type=int, help="a ring of 2^LOG_N without any security")
    parser.add_argument("--out", type=Path, default=Path("out"), help="folder of the picture (default out)")
    options = parser.parse_args()

    engine = tfhe.Engine("integer-5-64", thread_count=options.threads, insecure_log_n=options.insecure_log_n)
    print(engine)
    secret_key = engine.create_secret_key()
    print(engine.create_evaluation_key(secret_key))

    first = expected = first_board(options.size)
    board = engine.encrypt(first, secret_key, max_value=1)
    start = time.perf_counter()
    for _ in range(options.generations):
        board, expected = step(engine, board), plain_step(expected)
    seconds = time.perf_counter() - start
    last = engine.decrypt(board, secret_key)
    assert (last == expected).all(), "an encrypted cell is wrong"
    cells = options.generations * board.size
    print(
        f"{options.generations} generations, {cells} bootstraps in {seconds:.2f} s: {1e3 * seconds / cells:.2f} ms each"
    )
    print(f"{first.sum()} cells lived at first, {last.sum()} in the end, the same ones as in the clear")
    path = options.out / "game_of_life.png"
    draw([first, last], options.generations, path)
    print(path)


if __name__ == "__main__":
    main()
