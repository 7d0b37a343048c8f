"""Mean, variance, correlation and a linear regression of an encrypted table, by the workers of a cluster.

The table is a folder of Parquet files, its partitions. First each partition is encrypted where it lies, with the public
key, and stored as ciphertexts. Then workers that have the evaluation key alone go through the stored ciphertexts: they
add up the columns and their products, and fold the partitions' sums into one set of ten ciphertexts, which the client
decrypts. Neither the driver nor a worker ever has more than a partition in memory, so the ciphertexts may be larger
than it.

From sums and products of the columns follow their means, variances and correlations, and the coefficients of the
regression; they are compared with what pandas finds in the clear.

    python examples/20_statistics_of_a_table.py --partitions 64 --rows 100000 --address ray --workers 2

needs ``pip install 'everlevel[ray]' pyarrow pandas``, without ``--address`` neither Ray nor Dask.
"""

from __future__ import annotations

import argparse
import functools
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from everlevel import Engine, cluster

COLUMNS = ["age", "dose", "response"]
"""Scaled to values between -1 and 1, as data are before they are encrypted."""


def write_table(folder: Path, partitions: int, rows: int) -> list[Path]:
    """Write a table whose response depends on the other columns."""
    rng = np.random.default_rng(20261122)
    paths = []
    for index in range(partitions):
        age = rng.uniform(-1, 1, rows)
        dose = np.clip(0.3 * age + 0.4 * rng.normal(size=rows), -1, 1)
        response = np.clip(0.25 + 0.2 * age - 0.35 * dose + 0.05 * rng.normal(size=rows), -1, 1)
        path = folder / f"part-{index:04d}.parquet"
        pd.DataFrame(dict(zip(COLUMNS, (age, dose, response), strict=True))).to_parquet(path)
        paths.append(path)
    return paths


def encrypt_partition(path: Path, folder: Path, *, engine: Any, keys: Any) -> tuple[Path, int, int]:
    """Encrypt a partition's columns where it lies; return where to, its rows, and its ciphertexts' bytes."""
    table = pd.read_parquet(path)
    target = folder / path.stem
    target.mkdir()
    size = 0
    for start in range(0, len(table), engine.slot_count):
        for column in COLUMNS:
            values = table[column].to_numpy()[start : start + engine.slot_count]
            file = target / f"{start}-{column}"
            engine.encrypt(values, keys.public_key, bound=1).save(file)
            size += file.stat().st_size
    return target, len(table), size


def moments(folder: Path, *, engine: Any, keys: Any) -> list[Any]:
    """Sum the columns of a partition, and the products of each two, slot by slot."""
    totals: list[Any] = []
    for start in sorted({path.name.partition("-")[0] for path in folder.iterdir()}, key=int):
        columns = [engine.load(folder / f"{start}-{column}") for column in COLUMNS]
        products = [
            engine.multiply(columns[i], columns[j], keys.evaluation_key)
            for i in range(len(columns))
            for j in range(i, len(columns))
        ]
        totals = add(totals, columns + products) if totals else columns + products
    return totals


def add(left: list[Any], right: list[Any]) -> list[Any]:
    """Add sums to sums."""
    return [x + y for x, y in zip(left, right, strict=True)]


def statistics(count: int, sums: np.ndarray) -> tuple[pd.DataFrame, np.ndarray]:
    """Make of sums and products what one asks for: means, variances and correlations, and the regression."""
    size = len(COLUMNS)
    mean = sums[:size] / count
    product = np.zeros((size, size))
    product[np.triu_indices(size)] = sums[size:] / count
    product = np.triu(product) + np.triu(product, 1).T
    covariance = (product - np.outer(mean, mean)) * count / (count - 1)
    deviation = np.sqrt(np.diag(covariance))
    correlation = covariance / np.outer(deviation, deviation)
    table = pd.DataFrame({"mean": mean, "variance": np.diag(covariance)}, index=COLUMNS)
    table[[f"correlation with {name}" for name in COLUMNS]] = correlation
    slopes = np.linalg.solve(covariance[:-1, :-1], covariance[:-1, -1])
    return table, np.append(slopes, mean[-1] - slopes @ mean[:-1])


def in_the_clear(paths: list[Path]) -> tuple[pd.DataFrame, np.ndarray]:
    """Let pandas and NumPy find the same in the clear."""
    data = pd.concat([pd.read_parquet(path) for path in paths])
    table = pd.DataFrame({"mean": data.mean(), "variance": data.var()})
    table[[f"correlation with {name}" for name in COLUMNS]] = data.corr().to_numpy()
    inputs = np.column_stack([data[COLUMNS[:-1]].to_numpy(), np.ones(len(data))])
    return table, np.linalg.lstsq(inputs, data[COLUMNS[-1]].to_numpy(), rcond=None)[0]


def main() -> None:
    """Make the table and the keys, let the workers compute, and compare."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--partitions", type=int, default=16)
    parser.add_argument("--rows", type=int, default=50_000, help="of a partition")
    parser.add_argument("--address", help="of a cluster, as everlevel.cluster.connect takes it")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--insecure-log-n", type=int)
    options = parser.parse_args()

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        paths = write_table(folder, options.partitions, options.rows)
        engine = Engine(max_level=2, insecure_log_n=options.insecure_log_n)
        secret_key = engine.create_secret_key()
        files = [folder / "public.key", folder / "evaluation.key"]
        engine.create_public_key(secret_key).save(files[0])
        engine.create_evaluation_key(secret_key, rotations=False).save(files[1])
        (folder / "encrypted").mkdir()

        with cluster.connect(options.address, keys=files, engine=engine, workers=options.workers) as pool:
            start = time.perf_counter()
            encrypt = functools.partial(encrypt_partition, folder=folder / "encrypted")
            parts = list(pool.map(encrypt, paths))
            count, size = sum(part[1] for part in parts), sum(part[2] for part in parts)
            print(f"{count} rows in {len(parts)} partitions encrypted in {time.perf_counter() - start:.1f} s")
            start = time.perf_counter()
            totals = pool.reduce(add, [part[0] for part in parts], each=moments)
            print(f"sums and products in {time.perf_counter() - start:.1f} s")
        print(f"{size / 1e6:.0f} MB of ciphertexts became {sum(x.nbytes for x in totals) / 1e6:.1f} MB")

        sums = np.array([engine.decrypt(x, secret_key).sum() for x in totals])
        table, regression = statistics(count, sums)
        expected_table, expected_regression = in_the_clear(paths)
        print(table.round(6).to_string())
        print(f"response = {regression[0]:.6f} age {regression[1]:+.6f} dose {regression[2]:+.6f}")
        print(f"largest difference of a statistic from pandas: {np.abs(table - expected_table).to_numpy().max():.1e}")
        print(f"largest difference of a coefficient: {np.abs(regression - expected_regression).max():.1e}")


if __name__ == "__main__":
    main()
