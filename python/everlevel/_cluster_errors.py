"""Errors of work on several processes or machines, which `everlevel.errors` shows."""

from __future__ import annotations

from typing import Any

from ._error import EverlevelError


class ClusterError(EverlevelError, RuntimeError):
    """Work on a cluster can't begin, or go on.

    Whatever a task raised of Everlevel's own errors is raised as it is, with the first three of these attributes, too.

    Attributes
    ----------
    node : str or None
        The machine and the process that it happened in.
    input_index : int or None
        The place of the input among those that were given.
    completed : dict or None
        Results that were there and hadn't been handed out, by the places of their inputs.
    """

    node: str | None = None
    input_index: int | None = None
    completed: dict[int, Any] | None = None


class ClusterEngineError(ClusterError, ImportError):
    """The engine that an address names isn't installed here.

    Attributes
    ----------
    engine : str or None
        Its name.
    """

    engine: str | None = None


class ClusterConnectionError(ClusterError, ConnectionError):
    """A cluster can't be reached, has no workers, or is gone."""


class WorkerVersionError(ClusterError):
    """A worker has another version of Everlevel, or of Python, than the driver.

    Attributes
    ----------
    found, needed : str or None
        The worker's versions, and the driver's.
    """

    found: str | None = None
    needed: str | None = None


class WorkerKeyError(ClusterError, OSError):
    """A worker can't open a key's file: it is missing, another one, damaged, or there is no room for a copy.

    Attributes
    ----------
    path : str or None
        The file on the node.
    found, needed : object
        What is there, and what should be.
    """

    path: str | None = None
    found: Any = None
    needed: Any = None


class WorkerLostError(ClusterError):
    """A task lost its worker more often than it may be tried again.

    Attributes
    ----------
    attempts : int or None
        How often it was begun.
    """

    attempts: int | None = None


class TaskError(ClusterError):
    """A function raised something on a worker, which is the ``__cause__``; or what it returned can't travel.

    Attributes
    ----------
    function : str or None
        The function's name.
    """

    function: str | None = None


class TaskPickleError(ClusterError, TypeError):
    """A function or an argument can't be pickled, so that no worker gets it.

    Attributes
    ----------
    function : str or None
        The function's name.
    """

    function: str | None = None
