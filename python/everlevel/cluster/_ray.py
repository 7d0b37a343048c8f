"""Workers as Ray actors: each opens the keys, and Ray starts those that end again.

Parcels go through Ray's object store, which processes of one node share: a parcel's buffers are neither pickled nor
copied on the way to a worker of the same node.
"""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Iterator
from concurrent import futures
from typing import Any, ClassVar, Final

import ray
from ray import exceptions
from ray._private import ray_constants as constants

from ..errors import ClusterConnectionError
from . import _copy, _worker
from ._backend import Crew, GoneError, Member, infos, peek
from ._parcel import Parcel
from ._worker import Failure, Outcome, Plan, WorkerInfo

_START_SECONDS: Final = 300.0

_LOOPBACK: Final = "127.0.0.1"

_QUIET: Final[dict[str, Any]] = {"log_to_driver": False, "logging_level": "error"}

_NO_CLUSTER: Final = "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"
_ATTEMPTS: Final = 3
"""Ray waits 30 seconds for itself, which are too few on a machine that is busy."""
_LOST = (
    exceptions.RayActorError,
    exceptions.WorkerCrashedError,
    exceptions.OutOfMemoryError,
    exceptions.ObjectLostError,
)


class Actor:
    """A worker. Calls of the group ``control`` don't wait for tasks."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        with contextlib.suppress(ValueError):  # Ctrl-C is the driver's; where threads may say so
            signal.signal(signal.SIGINT, signal.SIG_IGN)

    def start(self) -> Any:
        """Open the keys."""
        return _worker.start(self._plan)

    def execute(self, common: Parcel, cargo: Parcel, job: str) -> Outcome:
        """Run a task."""
        return _worker.execute(self._plan, 1, common, cargo, job)

    def cancel(self, job: str) -> None:
        """Let a job's tasks stop."""
        _worker.cancel(self._plan.pool, job)

    def node(self) -> tuple[str, list[_copy.Wanted]]:
        """Return the machine, and which keys' files it lacks."""
        return _copy.here(), _copy.wanted(self._plan)

    def write(self, wanted: _copy.Wanted, index: int, chunk: _copy.Chunk) -> Any:
        """Write a chunk of a key's file."""
        return _copy.write(wanted, index, chunk)

    def finish(self, wanted: _copy.Wanted) -> Any:
        """Give a copied file its name."""
        return _copy.finish(wanted)


for _name in ("start", "cancel", "node", "write", "finish"):
    setattr(Actor, _name, ray.method(concurrency_group="control")(getattr(Actor, _name)))


class Hired:
    """An actor, and what it says of itself once Ray has found a place for it."""

    def __init__(self, actor: Any) -> None:
        self.actor = actor
        self.info: futures.Future[WorkerInfo | Failure] = futures.Future()
        self._since = time.monotonic()

    def begin(self) -> None:
        """Let it open the keys."""
        self.info = self.actor.start.remote().future()

    def is_late(self) -> bool:
        """Whether Ray has found no place for it for long."""
        return not self.info.done() and time.monotonic() - self._since > _START_SECONDS


class Ray(Crew[Hired]):
    """Actors on a cluster that runs already, or on one that is started here, on this machine's loopback address."""

    name: ClassVar[str] = "ray"

    def __init__(self, address: str, count: int | None, thread_count: int) -> None:
        super().__init__()
        self._threads = thread_count
        self._is_own = False
        self._has_keys = False
        """Whether nodes have the keys, so that workers can begin."""
        self._connect(address, count)
        cores = int(ray.cluster_resources().get("CPU", 0))
        self.slots = count if count is not None else max(cores // thread_count, 1)
        if self.slots * thread_count > cores:
            self.close()
            raise ClusterConnectionError(
                f"connect: {self.slots} workers of {thread_count} threads need {self.slots * thread_count} cores, and "
                f"the Ray cluster has {cores}; ask for fewer workers, or add nodes"
            )

    def _connect(self, address: str, count: int | None) -> None:
        if ray.is_initialized():
            return
        try:
            try:
                ray.init(address=address if address.startswith("ray://") else "auto", **_QUIET)
                self._is_own = True
            except ConnectionError:
                if address.startswith("ray://"):
                    raise
                self._is_own = True
                start_here(None if count is None else count * self._threads)
        except Exception as error:
            raise ClusterConnectionError(
                f"connect: no Ray cluster at {address!r} ({error}); check the address, that the cluster runs, and that "
                f"it has this version of Ray ({ray.__version__}) and of Python"
            ) from error

    def start(self, plan: Plan) -> list[WorkerInfo]:
        self._plan = plan
        self._hire_all()
        try:
            if plan.key_folder is not None:
                self._copy_keys(plan)
            for member in self._members:
                member.handle.begin()
            self._has_keys = True
            return self._asked()
        except (TimeoutError, exceptions.GetTimeoutError) as error:
            raise ClusterConnectionError(
                f"connect: Ray gave no {self.slots} workers of {self._threads} cores within {_START_SECONDS:.0f} s; "
                f"ask for fewer, or look at `ray status`"
            ) from error
        except exceptions.RayError as error:
            raise ClusterConnectionError(
                f"connect: a worker can't begin ({error}); look at Ray's logs, and that Everlevel is installed on "
                f"every node"
            ) from error

    def _asked(self) -> list[WorkerInfo]:
        deadline = time.monotonic() + _START_SECONDS
        asked = [member.handle.info for member in list(self._members)]
        return infos(info.result(max(deadline - time.monotonic(), 0.0)) for info in asked)

    def _copy_keys(self, plan: Plan) -> None:
        nodes: dict[str, tuple[Any, list[_copy.Wanted]]] = {}
        actors = [member.handle.actor for member in self._members]
        answers = ray.get([actor.node.remote() for actor in actors], timeout=_START_SECONDS)
        for actor, (machine, lacks) in zip(actors, answers, strict=True):
            nodes.setdefault(machine, (actor, lacks))

        def by(method: Any) -> Any:
            return lambda *arguments: ray.get(method.remote(*arguments))

        receivers = [
            _copy.Receiver(machine, lacks, by(actor.write), by(actor.finish))
            for machine, (actor, lacks) in nodes.items()
        ]
        _copy.send(plan, receivers, ray.put)

    def _require_ray(self) -> None:
        """Check that Ray is there: nearly all of its functions start it anew otherwise, for everybody to reach."""
        if self._is_closed or not ray.is_initialized():
            raise GoneError("Ray was shut down here")

    def _hire(self) -> Hired:
        self._require_ray()
        remote = ray.remote(
            num_cpus=self._threads,
            max_restarts=0,
            max_task_retries=0,
            scheduling_strategy="SPREAD",
            concurrency_groups={"control": 1},
        )(Actor)
        hired = Hired(remote.remote(self._plan))
        if self._has_keys:
            hired.begin()
        return hired

    def _send(self, handle: Hired, common: Any, cargo: Any, job: str) -> Any:
        self._require_ray()
        return handle.actor.execute.remote(common, cargo, job).future()

    def _why_lost(self, error: BaseException) -> str | None:
        is_lost = isinstance(error, _LOST) and not isinstance(error, exceptions.RayTaskError)
        return str(error).strip().splitlines()[0] if is_lost else None

    def _node(self, handle: Hired) -> str | None:
        info = peek(handle.info)
        return info.node if isinstance(info, WorkerInfo) else None

    def workers(self) -> list[WorkerInfo]:
        try:
            self._replace_lost()
            return self._asked()
        except (GoneError, TimeoutError, exceptions.RayError) as error:
            raise ClusterConnectionError(f"workers: the Ray cluster doesn't answer ({error}); connect again") from error

    def _held(self, parcel: Parcel) -> Any:
        self._require_ray()
        return ray.put(parcel)

    def trouble(self) -> str | None:
        if not ray.is_initialized():
            return "Ray was shut down here"
        late = [member for member in self._members if member.handle.is_late()]
        if late and len(late) == len(self._members):
            return f"Ray has had no place for a worker for {_START_SECONDS:.0f} s"
        for member in late:
            self._do_without(member)
        return None

    def _do_without(self, member: Member[Hired]) -> None:
        """Let the others have a worker's tasks, since Ray has no place for it: its node is gone, perhaps."""
        with self._sending:
            self._members = [one for one in self._members if one is not member]
        for task in list(member.tasks):
            self._give_back(member, task, "Ray had no place for its worker")
        with contextlib.suppress(Exception):
            ray.kill(member.handle.actor)

    def cancel(self, job: str) -> None:
        with contextlib.suppress(Exception):
            self._require_ray()
            for member in self._members:
                member.handle.actor.cancel.remote(job)

    def close(self) -> None:
        with self._sending:
            was_closed, self._is_closed = self._is_closed, True
        if was_closed or not ray.is_initialized():
            return
        with contextlib.suppress(Exception):
            for member in self._members:
                ray.kill(member.handle.actor)
        if self._is_own:
            ray.shutdown()


def start_here(cores: int | None) -> None:
    """Start Ray on this machine, reachable from it alone.

    Ray puts an address that others reach in the place of the loopback address, unless it is told that there is no
    cluster.
    """
    with _environment(_NO_CLUSTER, "0"):
        usual, constants.ENABLE_RAY_CLUSTER = constants.ENABLE_RAY_CLUSTER, False
        try:
            for attempt in range(_ATTEMPTS):
                try:
                    ray.init(num_cpus=cores, include_dashboard=False, _node_ip_address=_LOOPBACK, **_QUIET)
                    break
                except Exception:
                    ray.shutdown()
                    if attempt == _ATTEMPTS - 1:
                        raise
        finally:
            constants.ENABLE_RAY_CLUSTER = usual
    found = [node["NodeManagerAddress"] for node in ray.nodes()]
    if found != [_LOOPBACK]:
        ray.shutdown()
        raise RuntimeError(f"Ray would listen on {found[0]}, where others reach it; start Ray yourself, and secure it")


@contextlib.contextmanager
def _environment(name: str, value: str) -> Iterator[None]:
    """Set a variable for what is started meanwhile."""
    usual = os.environ.get(name)
    os.environ[name] = value
    try:
        yield
    finally:
        if usual is None:
            del os.environ[name]
        else:
            os.environ[name] = usual
