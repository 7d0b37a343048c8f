"""Make keys, into a folder: secret and public, relinearization and conjugation, and what is asked for.

The secret key's file can be read by its owner alone, and isn't encrypted: whoever has it decrypts everything. All
others may be given away. No file that is there is overwritten without --force. With --secret, keys are made for a
secret that there is, under the parameters of its file.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from .. import _native
from .._common.sizes import format_bytes
from ..ckks._key_generation import check_bootstrap_key
from ..ckks.engine import Engine
from ..ckks.evaluation_key import EvaluationKey
from ..ckks.keys import SecretKey
from ..errors import ParameterError, StorageError
from ._options import add_engine_options, engine_of, make_engine


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="where to; made if it isn't there")
    add_engine_options(parser)
    keys = parser.add_argument_group("keys")
    keys.add_argument("--secret", type=Path, metavar="FILE", help="make the other keys for this secret")
    keys.add_argument("--rotation", action="store_true", help="also a key that rotates by any amount")
    keys.add_argument(
        "--rotations", type=_amounts, default=(), metavar="1,-1,…", help="also keys that rotate by these amounts"
    )
    keys.add_argument("--matrices", action="store_true", help="also the key of fast products with matrices")
    keys.add_argument("--lossy", action="store_true", help="make the bootstrap key one for lossy and sign ones, too")
    keys.add_argument(
        "--small", action="store_true", help="in its place a small one, and the rotation key that it needs"
    )
    keys.add_argument(
        "--stage-count", type=int, metavar="S", help="of the bootstrap key (default 3, or the nearest that there is)"
    )
    keys.add_argument("--size", default="medium", help="of the bootstrap key: medium (default) or large")
    files = parser.add_argument_group("files")
    files.add_argument(
        "--expanded", action="store_true", help="write whole keys, not seeds: larger, faster when mapped"
    )
    files.add_argument("--one-file", action="store_true", help="write all keys that compute to evaluation.key")
    files.add_argument("--force", action="store_true", help="overwrite files that are there")


def run(options: argparse.Namespace) -> None:
    """Make the keys, and tell their files."""
    if options.secret is None:
        engine = make_engine(options)
        secret_key = engine.create_secret_key()
    else:
        engine, secret_key = _open_secret(options)
    if options.lossy and options.small:
        raise ParameterError(
            "keygen: --lossy and --small are both there, and a small key serves every bootstrap; leave --lossy out",
            option="lossy",
            value=True,
            allowed=False,
        )
    if (options.lossy or options.small) and not engine._context.can_bootstrap:
        raise ParameterError(
            "keygen: --lossy and --small are about bootstrap keys, and these parameters have none; add --bootstrap",
            option="lossy" if options.lossy else "small",
            value=True,
            allowed=False,
        )
    if engine._context.can_bootstrap:
        # Wrong options are refused before anything is written.
        check_bootstrap_key(engine._context, "keygen", options.stage_count, options.size)
    makers = _makers(engine, options)
    names = ["public.key", "evaluation.key"] if options.one_file else [*makers]
    _prepare(options.folder, names if options.secret else ["secret.key", *names], force=options.force)
    print(engine, flush=True)
    if options.secret is None:
        secret_key.save(options.folder / "secret.key")
        _tell(options.folder / "secret.key", "who has it decrypts everything", None)
    if options.one_file:
        public = makers.pop("public.key")
        makers = {"public.key": public, "evaluation.key": _together([*makers.values()])}
    for name, make in makers.items():
        start = time.perf_counter()
        key, path = make(secret_key), options.folder / name
        if options.expanded and name != "public.key":
            key.save(path, expanded=True)
        else:
            key.save(path)
        engine.forget_keys()
        _tell(path, repr(key), time.perf_counter() - start)


def _together(makers: list[Callable[[SecretKey], Any]]) -> Callable[[SecretKey], EvaluationKey]:
    """Return what makes one evaluation key of several keys."""
    return lambda secret: EvaluationKey([make(secret) for make in makers])


def _open_secret(options: argparse.Namespace) -> tuple[Engine, SecretKey]:
    """Return an engine of the parameters of a secret key's file, and the key."""
    _, metadata = _native.inspect_file(str(options.secret))
    engine = engine_of(metadata["params"], options.slot_count, options.threads)
    return engine, engine.read_secret_key(options.secret)


def _makers(engine: Engine, options: argparse.Namespace) -> dict[str, Callable[[SecretKey], Any]]:
    """Files and how their keys are made, in the order of making."""
    makers: dict[str, Callable[[SecretKey], Any]] = {
        "public.key": engine.create_public_key,
        "relinearization.key": engine.create_relinearization_key,
        "conjugation.key": engine.create_conjugation_key,
    }
    if options.rotation or options.small:
        makers["rotation.key"] = engine.create_rotation_key
    for delta in options.rotations:
        makers[f"rotation{delta:+d}.key"] = partial(engine.create_fixed_rotation_key, delta=delta)
    if options.matrices:
        makers["matrix_multiplication.key"] = engine.create_matrix_multiplication_key
    if options.small:
        makers["small_bootstrap.key"] = engine.create_small_bootstrap_key
    elif engine._context.can_bootstrap:
        create = engine.create_lossy_bootstrap_key if options.lossy else engine.create_bootstrap_key
        name = "lossy_bootstrap.key" if options.lossy else "bootstrap.key"
        makers[name] = partial(create, stage_count=options.stage_count, size=options.size)
    return makers


def _prepare(folder: Path, names: list[str], *, force: bool) -> None:
    """Make the folder, and see that nothing is overwritten."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StorageError(f"keygen: the folder {folder} can't be made ({error.strerror}); name another") from error
    there = [name for name in names if (folder / name).exists()]
    if there and not force:
        raise StorageError(
            f"keygen: {folder} has {', '.join(there)} already, which can't be made again; name another folder, or "
            f"overwrite with --force",
            path=str(folder / there[0]),
        )


def _tell(path: Path, what: str, seconds: float | None) -> None:
    taken = "" if seconds is None else f", {seconds:.1f} s"
    print(f"{path}  {format_bytes(path.stat().st_size)}  {what}{taken}", flush=True)


def _amounts(text: str) -> tuple[int, ...]:
    """Read amounts with commas between them."""
    return tuple(dict.fromkeys(int(part) for part in text.split(",") if part.strip()))
