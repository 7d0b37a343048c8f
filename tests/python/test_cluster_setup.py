"""What keeps a pool from beginning, or ends it; and that nothing of a secret leaves the driver."""

from __future__ import annotations

import errno
import os
import pickle
import socket
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cluster_tasks as tasks
from claims import assert_claims
from everlevel import Engine, EvaluationKey, SecretKey, _native, bfv, cluster, errors, tfhe
from everlevel.ckks import limbs
from everlevel.cluster import _connect, _copy, _keys, _parcel
from everlevel.cluster._bound import Bound, EngineLike
from everlevel.cluster._worker import Plan, versions
from parties import INSECURE_LOG_N

cloudpickle = pytest.importorskip("cloudpickle")
cloudpickle.register_pickle_by_value(tasks)


class Small:
    """An engine without bootstraps, and its keys' file."""

    def __init__(self, folder: Path) -> None:
        self.engine = Engine(max_level=2, insecure_log_n=INSECURE_LOG_N)
        self.secret_key: SecretKey = self.engine.create_secret_key()
        self.key: EvaluationKey = self.engine.create_evaluation_key(self.secret_key)
        self.path = folder / "eval.key"
        self.key.save(self.path)

    def copy(self, folder: Path) -> Path:
        path = folder / "copy.key"
        path.write_bytes(self.path.read_bytes())
        return path

    def plan(self, folder: Path | None) -> Plan:
        file = _keys.describe("connect", self.path)
        return Plan("pool", EngineLike.of(self.engine), (file,), None if folder is None else str(folder), 1, versions())


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Small:
    return Small(tmp_path_factory.mktemp("keys"))


def connect(small: Small, path: Path | None = None, **options: Any) -> cluster.Pool:
    return cluster.connect(keys=path or small.path, engine=small.engine, workers=1, **options)


# Files of keys.


def test_a_damaged_key_is_found_by_the_worker(small: Small, tmp_path: Path) -> None:
    path = small.copy(tmp_path)
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)
    with pytest.raises(errors.WorkerKeyError, match=r"node .*copy.key: the file is damaged") as caught:
        connect(small, path)
    assert caught.value.path == str(path)
    assert caught.value.node is not None


def test_a_missing_key_and_another_one(small: Small, tmp_path: Path) -> None:
    file = _keys.describe("connect", small.path)
    with pytest.raises(errors.WorkerKeyError, match="there is no such file; copy it there, or pass key_folder"):
        _keys.check_here(file, str(tmp_path / "none"), "node 1")
    small.engine.create_evaluation_key(small.engine.create_secret_key()).save(tmp_path / "other")
    with pytest.raises(errors.WorkerKeyError, match="it is another key: copy the driver's file there") as caught:
        _keys.check_here(file, str(tmp_path / "other"), "node 1")
    assert caught.value.needed == file.checksum
    (tmp_path / "text").write_text("no key")
    with pytest.raises(errors.WorkerKeyError, match="it can't be read"):
        _keys.check_here(file, str(tmp_path / "text"), "node 1")


def test_a_file_is_checked_once(small: Small, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, checks = small.copy(tmp_path), []
    file = _keys.describe("connect", path)
    monkeypatch.setattr(_native, "verify_file", checks.append)
    for _ in range(3):
        _keys.check_here(file, str(path), "node 1")
    assert checks == [str(path)]
    os.utime(path, ns=(1, 1))
    _keys.check_here(file, str(path), "node 1")
    assert len(checks) == 2


def test_keys_that_do_not_go_together(small: Small, tmp_path: Path) -> None:
    other = Engine(max_level=3, insecure_log_n=INSECURE_LOG_N)
    with pytest.raises(errors.EngineMismatchError, match=r"is of N 2.*, and the engine is Engine"):
        cluster.connect(keys=small.path, engine=other)
    other.create_evaluation_key(other.create_secret_key()).save(tmp_path / "other")
    with pytest.raises(errors.EngineMismatchError, match="a pool has one engine"):
        cluster.connect(keys=[small.path, tmp_path / "other"])
    small.engine.create_evaluation_key(small.engine.create_secret_key()).save(tmp_path / "foreign")
    with pytest.raises(errors.KeyMismatchError, match="keys of one secret"):
        cluster.connect(keys=[small.path, tmp_path / "foreign"])
    small.secret_key.save(tmp_path / "secret")
    with pytest.raises(errors.SecretExposureError, match="no worker ever gets one"):
        cluster.connect(keys=tmp_path / "secret")
    gates = tfhe.Engine("gate-64", insecure_log_n=9)
    gates.create_evaluation_key(gates.create_secret_key()).save(tmp_path / "gates")
    with pytest.raises(errors.ParameterError, match="pass engine="):
        cluster.connect(keys=tmp_path / "gates")
    with pytest.raises(errors.ParameterError, match="pass engine="):
        cluster.connect()
    with pytest.raises(errors.StorageNotFoundError):
        cluster.connect(keys=tmp_path / "nothing")


def test_single_keys_and_a_public_key(small: Small, tmp_path: Path) -> None:
    engine, secret_key = small.engine, small.secret_key
    engine.create_relinearization_key(secret_key).save(tmp_path / "relinearization")
    engine.create_public_key(secret_key).save(tmp_path / "public")
    with connect(small, None, thread_count=1) as pool, pytest.raises(errors.TaskError, match="AttributeError"):
        list(pool.map(lambda _, keys: keys.public_key.level, [1]))
    files = [tmp_path / "relinearization", tmp_path / "public"]
    with cluster.connect(keys=files, engine=engine, workers=1) as pool:
        encrypted = pool.map(lambda v, engine, keys: engine.encrypt([v], keys.public_key, bound=4), [2.0, 3.0])
        squares = pool.map(tasks.square, encrypted)
        for x, square in zip(squares, (4, 9), strict=True):
            assert_claims(x, [square], secret_key)


# Copies.


@pytest.fixture
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_copy, "CHUNK_BYTES", 1 << 16)


def receiver(plan: Plan) -> tuple[_copy.Receiver, list[int]]:
    written: list[int] = []

    def write(want: _copy.Wanted, index: int, chunk: _copy.Chunk) -> Any:
        written.append(index)
        return _copy.write(want, index, chunk)

    return _copy.Receiver("node", _copy.wanted(plan), write, _copy.finish), written


@pytest.mark.usefixtures("small_chunks")
def test_a_copy_goes_on_where_it_broke_off(small: Small, tmp_path: Path) -> None:
    plan = small.plan(tmp_path / "keys")
    file = plan.files[0]
    count = _copy.chunk_count(file)
    assert count > 4
    to, written = receiver(plan)

    def breaks(chunk: _copy.Chunk) -> _copy.Chunk:
        if len(written) == 3:
            raise ConnectionError
        return chunk

    with pytest.raises(ConnectionError):
        _copy.send(plan, [to], breaks)
    assert not Path(plan.path(file)).exists()
    again, more = receiver(plan)
    _copy.send(plan, [again], lambda chunk: chunk)
    assert more == list(range(3, count))
    assert Path(plan.path(file)).read_bytes() == small.path.read_bytes()
    assert [path.name for path in (tmp_path / "keys").iterdir()] == [file.name]
    assert not _copy.wanted(plan)


@pytest.mark.usefixtures("small_chunks")
def test_a_chunk_that_changed_and_a_full_disk(small: Small, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = small.plan(tmp_path / "keys")
    to, _ = receiver(plan)
    with pytest.raises(errors.WorkerKeyError, match="chunk 0 arrived changed"):
        _copy.send(plan, [to], lambda chunk: _copy.Chunk(b"!" + chunk.data[1:], chunk.digest))

    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, "no room")

    with monkeypatch.context() as patch:
        patch.setattr(os, "posix_fallocate", full)
        with pytest.raises(errors.WorkerKeyError, match=r"no room for its \d+ bytes; free some") as caught:
            _copy.send(plan, [to], lambda chunk: chunk)
    assert caught.value.node is not None

    # Damage that no chunk shows: the whole is checked, and the next attempt begins anew.
    _copy.send(small.plan(tmp_path / "others"), [receiver(small.plan(tmp_path / "others"))[0]], lambda chunk: chunk)
    part = _copy._part(Path(plan.path(plan.files[0])))
    part.write_bytes(bytes(plan.files[0].nbytes))
    _copy._list(Path(plan.path(plan.files[0]))).write_text("\n".join(map(str, range(_copy.chunk_count(plan.files[0])))))
    with pytest.raises(errors.WorkerKeyError):
        _copy.send(plan, [receiver(plan)[0]], lambda chunk: chunk)
    assert not part.exists()


def need(address: str, request: pytest.FixtureRequest) -> None:
    if address == "ray":
        request.getfixturevalue("running_ray")
    else:
        pytest.importorskip("distributed")


@pytest.mark.parametrize("address", ["ray", "dask"])
def test_an_engine_copies_keys_once_a_node(
    address: str, small: Small, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    need(address, request)
    folder = tmp_path / "keys"
    with cluster.connect(address, keys=small.path, engine=small.engine, workers=2, key_folder=folder) as pool:
        (copy,) = folder.iterdir()
        assert copy.read_bytes() == small.path.read_bytes()
        assert len(pool.workers) == 2
        listening_on_loopback_alone()


def listening_on_loopback_alone() -> None:
    """Nothing that this process started listens on other addresses."""
    family = descendants(os.getpid())
    inodes = set()
    for pid in family:
        try:
            for entry in os.scandir(f"/proc/{pid}/fd"):
                link = os.readlink(entry.path)
                if link.startswith("socket:["):
                    inodes.add(link[8:-1])
        except OSError:
            continue
    found = []
    for table, loopback in (("tcp", {"0100007F"}), ("tcp6", {"0" * 24 + "01000000", "0" * 16 + "FFFF00000100007F"})):
        for line in Path(f"/proc/net/{table}").read_text(encoding="ascii").splitlines()[1:]:
            fields = line.split()
            address, state, inode = fields[1].split(":")[0], fields[3], fields[9]
            if state == "0A" and inode in inodes and address not in loopback:
                found.append(fields[1])
    assert not found


def descendants(pid: int) -> set[int]:
    parents: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                stat = (entry / "stat").read_text(encoding="utf-8", errors="replace")
            except OSError:
                continue
            parents.setdefault(int(stat.rpartition(")")[2].split()[1]), []).append(int(entry.name))
    found, new = {pid}, [pid]
    while new:
        new = [child for parent in new for child in parents.get(parent, [])]
        found.update(new)
    return found


# Engines, versions, and options.


def test_an_engine_that_is_not_installed(small: Small, monkeypatch: pytest.MonkeyPatch) -> None:
    for engine, address in (("ray", "ray"), ("distributed", "dask")):
        with monkeypatch.context() as patch:
            patch.setitem(sys.modules, engine, None)
            for name in ("_ray", "_dask"):
                patch.delitem(sys.modules, f"everlevel.cluster.{name}", raising=False)
                patch.delattr(f"everlevel.cluster.{name}", raising=False)
            with pytest.raises(errors.ClusterEngineError, match=rf"pip install 'everlevel\[{address}\]'") as caught:
                cluster.connect(address, keys=small.path, engine=small.engine)
            assert caught.value.engine == address


def test_a_worker_of_another_version(small: Small, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_connect, "versions", lambda: "Everlevel 9.9 on Python 3.99")
    with pytest.raises(errors.WorkerVersionError, match=r"has Everlevel .*, and the driver has .* 9\.9") as caught:
        connect(small)
    assert caught.value.needed == "Everlevel 9.9 on Python 3.99"
    assert caught.value.node is not None


@pytest.mark.parametrize(
    ("address", "options", "error", "message"),
    [
        ("spark", {}, errors.ParameterError, "address is 'spark'"),
        (7, {}, errors.OperandTypeError, "a str or a distributed.Client"),
        (None, {"thread_count": 0}, errors.ParameterError, "thread_count is 0"),
        (None, {"workers": 1.5}, errors.OperandTypeError, "workers is 1.5"),
        (None, {"retries": -1}, errors.ParameterError, "retries is -1"),
        ("tcp://127.0.0.1:1", {"workers": 2}, errors.ParameterError, "has its own"),
        (None, {"engine": "engine"}, errors.OperandTypeError, "an Engine is needed"),
        (None, {"keys": 5}, errors.OperandTypeError, "keys is of type int"),
    ],
)
def test_options(address: Any, options: dict[str, Any], error: type[Exception], message: str, small: Small) -> None:
    if address is not None and address != "spark":
        pytest.importorskip("distributed")
    with pytest.raises(error, match=message):
        cluster.connect(address, **{"keys": small.path, "engine": small.engine} | options)


def test_arguments_of_a_pools_methods(small: Small) -> None:
    x = small.engine.encrypt([1.0], small.secret_key, bound=1)
    with connect(small) as pool:
        for call, error in [
            (lambda: pool.map(7, [1]), errors.OperandTypeError),
            (lambda: pool.map(tasks.identity), errors.ParameterError),
            (lambda: pool.map(tasks.add, [1, 2], [1]), errors.ParameterError),
            (lambda: pool.map(tasks.identity, [1], on_error="ignore"), errors.ParameterError),
            (lambda: pool.rotate(x, delta=1), errors.OperandTypeError),
            (lambda: pool.bootstrap_many(x), errors.OperandTypeError),
            (lambda: pool.bootstrap_many([x], group=0), errors.ParameterError),
            (lambda: pool.map_blocks(tasks.identity, [1, 2]), errors.OperandTypeError),
            (lambda: pool.map_blocks(tasks.identity, [1, 2], block_size=0), errors.ParameterError),
            (lambda: pool.reduce(tasks.add, [1], group=1), errors.ParameterError),
        ]:
            with pytest.raises(error):
                call()
        assert repr(pool).startswith("Pool(processes, 1 tasks at a time")
    assert "closed" in repr(pool)


def test_a_cluster_that_is_not_there_and_one_that_goes(small: Small, monkeypatch: pytest.MonkeyPatch) -> None:
    distributed = pytest.importorskip("distributed")
    from everlevel.cluster import _dask

    monkeypatch.setattr(_dask, "_TIMEOUT", "1s")
    with pytest.raises(errors.ClusterConnectionError, match="no Dask scheduler at"):
        cluster.connect("tcp://127.0.0.1:1", keys=small.path, engine=small.engine)
    with (
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=2, host="127.0.0.1", dashboard_address=None, memory_limit=0
        ) as running,
        cluster.connect(running.scheduler_address, keys=small.path, engine=small.engine) as pool,
    ):
        assert pool.slots == 2
        results = pool.map(tasks.identity, range(1000))
        assert next(results) == 0
        running.close()
        with pytest.raises(errors.ClusterConnectionError, match="the cluster is gone") as caught:
            list(results)
        assert caught.value.completed is not None


# Secrets.


def traces(secret_key: Any, folder: Path) -> list[bytes]:
    """What would give a secret away: its file's data, its seed or polynomial, in every form of a coefficient."""
    path = folder / "secret"
    secret_key.save(path)
    (name,), _ = list(_native.inspect_file(str(path))[0]), None
    data = path.read_bytes()[-_native.inspect_file(str(path))[0][name] :]
    found = [data[:24], data[len(data) // 2 :][:24]]
    if name == "coefficients":
        codes = (np.frombuffer(data, np.uint8)[:, None] >> np.array([0, 2, 4, 6])) & 3
        signs = np.where(codes == 3, -1, np.where(codes == 2, -1, codes)).reshape(-1).astype(np.int64)
        for width in (np.int8, np.int16, np.int32, np.int64):
            found.append(signs.astype(width)[:64].tobytes())
    return found


@contextmanager
def captured_loopback() -> Iterator[bytearray]:
    """Everything that goes over the loopback interface meanwhile."""
    try:
        tap = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.ntohs(3))
        tap.bind(("lo", 0))
    except (AttributeError, OSError):
        pytest.skip("the system lets nobody look at its loopback traffic")
    tap.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 64 << 20)
    tap.settimeout(0.1)
    kept, done = bytearray(), threading.Event()

    def listen() -> None:
        while not done.is_set():
            try:
                kept.extend(tap.recv(1 << 17))
            except TimeoutError:
                continue

    thread = threading.Thread(target=listen)
    thread.start()
    try:
        yield kept
        time.sleep(0.3)
    finally:
        done.set()
        thread.join()
        tap.close()


def send_to_self(data: bytes) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()) as client:
        client.sendall(data)
        server.accept()[0].recv(len(data))


@pytest.mark.parametrize("scheme", ["ckks", "tfhe"])
def test_parcels_have_nothing_of_the_secret(scheme: str, small: Small, tmp_path: Path) -> None:
    engine: Any = small.engine if scheme == "ckks" else tfhe.Engine("gate-64", insecure_log_n=9)
    secret_key = engine.create_secret_key()
    x = engine.encrypt([1.0], secret_key, bound=1) if scheme == "ckks" else engine.encrypt([True], secret_key)
    searched = traces(secret_key, tmp_path)
    secret_file = (tmp_path / "secret").read_bytes()
    assert all(any(trace in text for text in (secret_file,)) for trace in searched[:2])
    bound = Bound(engine)
    parcel = _parcel.pack({"x": [x, x], "engine": engine, "f": lambda y: engine}, bound)
    plain = pickle.dumps((x, engine), protocol=5)
    for text in (parcel.head, *map(bytes, parcel.buffers), plain, pickle.dumps(parcel, protocol=5)):
        assert not any(trace in text for trace in searched)
    back = _parcel.unpack(parcel, bound)
    assert back["engine"] is engine
    assert back["x"][0] is back["x"][1]
    assert_claims(back["x"][0], [1], secret_key)
    for hidden in (secret_file, bytearray(secret_file), np.frombuffer(secret_file, np.uint8), {"a": [secret_file]}):
        with pytest.raises(errors.SecretExposureError, match="the bytes of a secret key's file are among what is sent"):
            _parcel.pack(hidden, bound)
        with pytest.raises(errors.SecretExposureError, match=r"^made: it returned the bytes of a secret key's file, "):
            _parcel.pack(hidden, bound, "made", is_result=True)
    with pytest.raises(errors.TaskPickleError, match="keys travel as files"):
        _parcel.pack([engine.create_evaluation_key(secret_key)], bound)


@pytest.mark.parametrize("module", [bfv, limbs])
def test_secrets_of_other_schemes_stay_too(module: Any, small: Small, tmp_path: Path) -> None:
    engine, bound = module.Engine("n13", insecure_log_n=9), Bound(small.engine)
    secret_key, path = engine.create_secret_key(), tmp_path / "secret"
    secret_key.save(path)
    for hidden in (secret_key, [secret_key._native], path.read_bytes()):
        with pytest.raises(errors.SecretExposureError):
            _parcel.pack(hidden, bound)
    engine.create_evaluation_key(secret_key).save(path)
    with pytest.raises(errors.UnsupportedKindError, match="pools compute with the engines of everlevel, tfhe and ntru"):
        _keys.describe("connect", path)


@pytest.mark.parametrize("address", ["ray", "dask"])
def test_traffic_has_nothing_of_the_secret(
    address: str, small: Small, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    need(address, request)
    searched = traces(small.secret_key, tmp_path)
    x = small.engine.encrypt([0.5], small.secret_key, bound=1)
    with captured_loopback() as traffic:
        send_to_self((tmp_path / "secret").read_bytes())
        time.sleep(0.3)
        assert searched[0] in traffic  # so this is how it would look
        del traffic[:]
        with cluster.connect(address, keys=small.path, engine=small.engine, workers=2) as pool:
            list(pool.map(tasks.square, [x] * 4))
            with pytest.raises(errors.SecretExposureError):
                list(pool.map(lambda y: (y, small.secret_key), [x]))
            with pytest.raises(errors.SecretExposureError):
                list(pool.map(tasks.identity, [{"a": [small.secret_key]}]))
    assert len(traffic) > 10_000
    assert not any(trace in traffic for trace in searched)
