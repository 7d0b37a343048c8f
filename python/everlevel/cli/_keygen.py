"""Make keys, into a folder: secret and public, relinearization and conjugation, and what is asked for.

The secret key's file can be read by its owner alone, and isn't encrypted: whoever has it decrypts everything. All
others may be given away. No file that is there is overwritten without --force. With --secret, keys are made for a
secret that there is, under the parameters of its file. Files appear when all keys are made: a run that stops in between
leaves what was there.
"""

from __future__ import annotations

import argparse
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from .. import _native
from .._common.sizes import format_bytes
from ..ckks._key_generation import check_bootstrap_key
from ..ckks.engine import Engine
from ..ckks.evaluation_key import EvaluationKey
from ..ckks.keys import SecretKey
from ..errors import EverlevelError, FileKindError, ParameterError, StorageError
from ._options import add_engine_options, engine_of, make_engine


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument("folder", metavar="FOLDER", help="where to; made if it isn't there")
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
    if not options.folder:
        raise ParameterError(
            "keygen: FOLDER is empty, and keys go to a folder of a name; name one, or . for the one that you are in",
            option="folder",
            value="",
        )
    folder = Path(options.folder)
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
    if options.one_file:
        public = makers.pop("public.key")
        makers = {"public.key": public, "evaluation.key": _together([*makers.values()])}
    names = [*makers] if options.secret else ["secret.key", *makers]
    _prepare(folder, names, secret_key, force=options.force)
    print(engine, flush=True)
    with _all_at_once(folder, names) as staged:
        if options.secret is None:
            secret_key.save(staged / "secret.key")
            _tell(folder, staged / "secret.key", "who has it decrypts everything", None)
        for name, make in makers.items():
            start = time.perf_counter()
            key, path = make(secret_key), staged / name
            if options.expanded and name != "public.key":
                key.save(path, expanded=True)
            else:
                key.save(path)
            engine.forget_keys()
            _tell(folder, path, repr(key), time.perf_counter() - start)


def _together(makers: list[Callable[[SecretKey], Any]]) -> Callable[[SecretKey], EvaluationKey]:
    """Return what makes one evaluation key of several keys."""
    return lambda secret: EvaluationKey([make(secret) for make in makers])


def _open_secret(options: argparse.Namespace) -> tuple[Engine, SecretKey]:
    """Return an engine of the parameters of a secret key's file, and the key."""
    engine = engine_of("keygen", options, options.secret)
    key = engine.load(options.secret)
    if not isinstance(key, SecretKey):
        raise FileKindError(
            f"keygen: {options.secret} holds a {key.kind}, and a secret key is needed; name the secret key's file",
            found=key.kind,
            expected=SecretKey.kind,
        )
    return engine, key


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


def _prepare(folder: Path, names: list[str], secret_key: SecretKey, *, force: bool) -> None:
    """Make the folder, and see that nothing is overwritten, and that no key of another secret stays beside these."""
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
    left = [path.name for path in sorted(folder.glob("*.key")) if path.name not in names]
    others = [name for name in left if there and _is_of_another(folder / name, secret_key)]
    if others:
        raise StorageError(
            f"keygen: {folder} has {', '.join(others)} of another secret, which would stay beside the new keys; "
            f"move them away, or name another folder",
            path=str(folder / others[0]),
        )


def _is_of_another(path: Path, secret_key: SecretKey) -> bool:
    """Whether a file holds a key of another secret. What isn't Everlevel's is nobody's key."""
    try:
        _, metadata = _native.inspect_file(str(path))
        return int(metadata["secret_id"], 16) != secret_key._native.secret_id
    except (EverlevelError, KeyError, ValueError):
        return False


@contextmanager
def _all_at_once(folder: Path, names: list[str]) -> Iterator[Path]:
    """Give a folder inside of another one, whose files move out to it at the end, or never."""
    try:
        staged = Path(tempfile.mkdtemp(prefix=".keygen-", dir=folder))
    except OSError as error:
        raise StorageError(f"keygen: {folder} can't be written to ({error.strerror}); name another") from error
    try:
        yield staged
        for name in names:
            os.replace(staged / name, folder / name)
    except OSError as error:
        if isinstance(error, EverlevelError):
            raise
        raise StorageError(f"keygen: {folder} can't be written to ({error.strerror}); name another") from error
    finally:
        shutil.rmtree(staged, ignore_errors=True)


def _tell(folder: Path, path: Path, what: str, seconds: float | None) -> None:
    taken = "" if seconds is None else f", {seconds:.1f} s"
    print(f"{folder / path.name}  {format_bytes(path.stat().st_size)}  {what}{taken}", flush=True)


def _amounts(text: str) -> tuple[int, ...]:
    """Read amounts with commas between them."""
    try:
        return tuple(dict.fromkeys(int(part) for part in text.split(",") if part.strip()))
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} isn't a list of whole numbers, such as 1,-1") from None
