"""Connections: which engine an address names, and what its workers are told."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterable, Sequence
from typing import Any, Final, NoReturn

from .._common import checks
from .._common.storable import PathLike
from .._common.threads import cores
from ..errors import ClusterEngineError
from ._backend import Backend
from ._bound import ENGINES, AnyEngine, Bound
from ._dispatch import Settings
from ._keys import KeyFile, describe, engine_for
from ._memory import keep_freed
from ._worker import Plan, versions
from .pool import Pool

_DASK: Final = ("tcp://", "tls://", "ws://", "wss://", "ucx://", "inproc://")

_MAX_BYTES: Final = 1 << 30


def connect(
    address: Any = None,
    *,
    keys: PathLike | Sequence[PathLike] | None = None,
    engine: AnyEngine | None = None,
    workers: int | None = None,
    thread_count: int = 1,
    key_folder: PathLike | None = None,
    retries: int = 2,
    max_bytes: int = _MAX_BYTES,
    progress: bool | None = None,
) -> Pool:
    """Connect to a cluster whose workers compute on ciphertexts, and let each of them open the keys.

    Parameters
    ----------
    address : str, distributed.Client or None
        None for processes of this machine; ``"ray"`` for the Ray cluster that runs here, or one that is started for the
        pool; ``"ray://host:10001"`` for one elsewhere; ``"tcp://host:8786"``, ``"tls://…"`` or a client for a Dask
        cluster; ``"dask"`` for one that is started for the pool. What is started listens on the loopback address alone,
        and ends with the pool.
    keys : path or sequence of paths
        Files of evaluation keys, and of a public key if functions encrypt, or if results of TFHE and NTRU are to be
        re-randomised as they leave workers; of look-up and compression keys. Every node opens them under the same path,
        unless `key_folder` is given. A file is checked once on a node, and mapped by all of its workers.
    engine : Engine, optional
        An engine of the keys' parameters, which results belong to; made of the first file's, if left out.
    workers : int, optional
        Processes, or Ray actors: as many as there are cores for, if left out. A Dask cluster that runs has its own.
    thread_count : int, default 1
        Threads of each task. Many tasks of one thread finish sooner than few of many.
    key_folder : path, optional
        A folder of the nodes, where they have the keys if they share no file system with the driver. Files that are
        missing are copied there, once a node and through the cluster's own object store; a copy that broke off goes on.
        They are called after their contents.
    retries : int, default 2
        How often a task whose worker ended is begun again. A Dask cluster that runs has its own limit.
    max_bytes : int, default 2**30
        Bytes of arguments and results that the driver has under way.
    progress : bool, optional
        Whether bars are shown; in terminals and notebooks, if left out.

    Returns
    -------
    Pool
        To be used as ``with cluster.connect(…) as pool:``.

    Raises
    ------
    ClusterEngineError
        If Ray or Dask is asked for and not installed.
    ClusterConnectionError
        If the cluster can't be reached, or has no workers.
    WorkerVersionError
        If a worker has another version of Everlevel or of Python.
    WorkerKeyError
        If a worker has no key, another one, or a damaged one; or no room for a copy.
    SecretExposureError
        If a file is a secret key's.
    EngineMismatchError, KeyMismatchError
        If files are of other parameters than the engine, or of two secrets.
    ParameterError
        If an option can't be, or no engine is known.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from everlevel import cluster
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = pathlib.Path(folder.name) / "eval.key"
    >>> engine.create_evaluation_key(secret_key).save(path)
    >>> ciphertexts = [engine.encrypt([k, 2 * k], public_key, bound=8) for k in range(4)]
    >>> with cluster.connect(keys=path, engine=engine, workers=1) as pool:
    ...     rotated = pool.rotate(ciphertexts, delta=-1)
    >>> [round(float(engine.decrypt(x, secret_key)[0])) for x in rotated]
    [0, 2, 4, 6]
    >>> folder.cleanup()
    """
    name = "connect"
    threads = _count(name, "thread_count", thread_count)
    count = None if workers is None else _count(name, "workers", workers)
    settings = Settings(_count(name, "retries", retries, least=0), _count(name, "max_bytes", max_bytes), progress)
    if engine is not None and not isinstance(engine, ENGINES):
        raise checks.wrong_type(name, "engine", engine, "Engine", "an Engine is needed; leave it out, or pass one")
    files = _files(name, keys)
    like = engine_for(name, files, engine)
    folder = None if key_folder is None else os.path.abspath(checks.path(name, key_folder))
    plan = Plan(secrets.token_hex(8), like, files, folder, threads, versions())
    keep_freed()
    here = engine if engine is not None else like.make(cores())
    backend = _backend(name, address, count, threads, settings.retries)
    try:
        backend.start(plan)
    except BaseException:
        backend.close()
        raise
    return Pool(backend, Bound(here, secret_ids=frozenset(file.secret_id for file in files)), settings)


def _files(operation: str, keys: Any) -> tuple[KeyFile, ...]:
    if keys is None:
        return ()
    paths: Iterable[Any] = (
        [keys] if isinstance(keys, (str, bytes, os.PathLike)) else checks.sequence(operation, "keys", keys)
    )
    return tuple(describe(operation, path) for path in paths)


def _count(operation: str, name: str, value: Any, least: int = 1) -> int:
    count = checks.integer(operation, name, value)
    if count < least:
        raise checks.refusal(operation, name, count, f"at least {least} is needed; leave it out for the usual", least)
    return count


def _backend(operation: str, address: Any, workers: int | None, threads: int, retries: int) -> Backend:
    if address is None or address == "processes":
        from ._processes import Processes

        return Processes(workers if workers is not None else max(cores() // threads, 1))
    is_text = isinstance(address, str)
    if is_text and (address == "ray" or address.startswith("ray://")):
        try:
            from ._ray import Ray
        except ImportError as error:
            _not_installed(operation, "ray", error)
        return Ray(address, workers, threads)
    if is_text and not (address == "dask" or address.startswith(_DASK)):
        needed = "None, 'ray', 'ray://host:port', 'dask' and 'tcp://host:port' are offered; check its spelling"
        raise checks.refusal(operation, "address", address, needed)
    try:
        from distributed import Client

        from ._dask import Dask
    except ImportError as error:
        _not_installed(operation, "dask", error)
    if not is_text and not isinstance(address, Client):
        needed = "a str or a distributed.Client is needed; pass the scheduler's address"
        raise checks.wrong_type(operation, "address", address, "str or distributed.Client", needed)
    if workers is not None and address != "dask":
        raise checks.refusal(operation, "workers", workers, "a Dask cluster that runs has its own; leave it out")
    return Dask(address, workers, threads, retries)


def _not_installed(operation: str, engine: str, error: ImportError) -> NoReturn:
    raise ClusterEngineError(
        f"{operation}: {engine} isn't installed here ({error}); install it with pip install 'everlevel[{engine}]', or "
        f"leave the address out for processes of this machine",
        engine=engine,
    ) from error
