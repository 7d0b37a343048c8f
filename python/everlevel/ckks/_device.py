"""Devices: the one that an engine computes on, and what lies there."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import Any, Final, Literal

from .. import _native
from .._common import checks, nvrtc, wording
from .._common.memory import arguments
from .._common.sizes import format_bytes
from ..errors import DeviceError, DeviceMismatchError, ParameterError

__all__ = ["DeviceMemory"]

_LOGGER: Final = logging.getLogger("everlevel")

Mode = Literal["cpu", "gpu"]

CPU: Final = "cpu"
_GPU: Final = "gpu"
_MODES: Final = (CPU, _GPU)
KEYS_LIMIT: Final = "device's memory for keys and plaintexts"
"""The core's name of it."""

_LARGEST_DEVICE: Final = 255
_LEAST_MEMORY: Final = 2**20
_MOST_MEMORY: Final = 2**50


@dataclass(frozen=True)
class DeviceMemory:
    """The memory that an engine has on its device, in bytes. Engines of equal parameters share it.

    Attributes
    ----------
    name : str
        The device's name, as its maker has it.
    ciphertexts, max_ciphertexts : int
        In use for ciphertexts, results on the way among them, and all that there are.
    keys, max_keys : int
        In use for copies of keys, of plaintexts and of matrices, and all that there are.
    """

    name: str
    ciphertexts: int
    max_ciphertexts: int
    keys: int
    max_keys: int

    def __str__(self) -> str:
        ciphertexts = f"{format_bytes(self.ciphertexts)} of {format_bytes(self.max_ciphertexts)} for ciphertexts"
        return f"{self.name}: {ciphertexts}, {format_bytes(self.keys)} of {format_bytes(self.max_keys)} for keys"


def wanted(operation: str, mode: Any, device_id: Any, device_memory: Any) -> tuple[int | None, int | None] | None:
    """Read what an engine is asked to compute on: None for the CPU; else a GPU's number, or None for ``"host"``."""
    if isinstance(mode, str) and mode == "parallel":
        hint = "leave it out, and choose threads by thread_count"
    else:
        hint = "leave it out for the CPU"
    if checks.one_of(operation, "mode", mode, _MODES, hint) == CPU:
        is_first = checks.is_integer(device_id) and device_id == 0
        options = ("device_id", device_id, 0, is_first), ("device_memory", device_memory, None, device_memory is None)
        for name, value, usual, is_usual in options:
            if not is_usual:
                raise ParameterError(
                    f"{operation}: {name} is {value!r} and mode is 'cpu', which has no device; pass mode='gpu' as well",
                    option=name,
                    value=value,
                    allowed=usual,
                )
        return None
    number = nbytes = None
    if not (isinstance(device_id, str) and device_id == "host"):
        first = "0 is the first GPU"
        number = checks.integer_between(operation, "device_id", device_id, 0, _LARGEST_DEVICE, first)
        _compile_kernels(number)
    if device_memory is not None:
        limits = _LEAST_MEMORY, _MOST_MEMORY
        nbytes = checks.integer_between(operation, "device_memory", device_memory, *limits, "it counts bytes")
    return number, nbytes


def _compile_kernels(device_id: int) -> None:
    """Compile the kernels for a GPU that the package has no machine code for, where the compiler is installed."""
    architecture = _native.lacking_kernels(device_id)
    if architecture is None:
        return
    try:
        compiler = nvrtc.Compiler()
    except ModuleNotFoundError:
        # The engine's error says what to install.
        return
    _LOGGER.info("compiling kernels for sm_%d, which takes some seconds in each process", architecture)
    try:
        compiled = compiler.cubin(dict(_native.kernel_sources()), "kernels.h", architecture)
    except nvrtc.CompilerError as error:
        raise DeviceError(
            f"Engine: {nvrtc.PACKAGE} doesn't compile the kernels for sm_{architecture} ({error}); install the version "
            f"12.9.86, or build the package with the machine code of `make gpu-kernels`"
        ) from error
    _native.provide_kernels(architecture, compiled)


def place_of(context: _native.Context) -> str:
    """Return where an engine's ciphertexts lie: ``"cpu"``, or its device's place."""
    device = context.device
    return CPU if device is None else device[0]


def memory(context: _native.Context) -> DeviceMemory | None:
    """Return the memory of an engine's device; None without one."""
    device = context.device
    if device is None:
        return None
    ciphertexts, keys = context.device_memory()
    return DeviceMemory(device[1], *ciphertexts, *keys)


def placed(context: _native.Context, ciphertext: _native.Ciphertext) -> _native.Ciphertext:
    """Return a new ciphertext where the engine's ciphertexts lie."""
    return ciphertext if context.device is None else context.to_device(ciphertext)


def moved(context: _native.Context, ciphertext: _native.Ciphertext, device: Any) -> _native.Ciphertext:
    """Return a ciphertext on the CPU or on the engine's device: itself, or a copy."""
    if moves_to_device(context, device):
        # Without a device it is the core that refuses.
        is_there = ciphertext.place == place_of(context) != CPU
        return ciphertext if is_there else context.to_device(ciphertext)
    return ciphertext if ciphertext.place == CPU else context.to_host(ciphertext)


def hold(context: _native.Context, key: Any) -> None:
    """Copy a new key to the engine's device, if it has one."""
    if context.device is not None:
        context.key_to_device(key)


def require_room(
    context: _native.Context, operation: str, *, level: int = 0, stage_count: int = 0, large: bool = False
) -> None:
    """Refuse to make a key of which the engine's device, if it has one, has no room for a copy."""
    if context.device is None:
        return
    held, _ = context.footprint(operation, arguments(level=level, stage_count=stage_count, large=large))
    # Copies there have uniform halves, whatever the key has.
    needed = held * (1 if context.seeded_keys is None else 2)
    _, (used, available) = context.device_memory()
    if needed > available - used:
        values = {"op": operation, "needed": needed, "available": available - used, "limit": KEYS_LIMIT}
        raise wording.error("object.OutOfMemory", "", values)


def moves_to_device(context: _native.Context, device: Any) -> bool:
    """Read where something is to go: True to the engine's device, False to the CPU."""
    if isinstance(device, str) and device == CPU:
        return False
    own = place_of(context)
    if isinstance(device, str) and device in (_GPU, own):
        return True
    if isinstance(device, str) and device.startswith(f"{_GPU}:"):
        raise DeviceMismatchError(
            f"to: the device is {device!r}, and this engine's is {own!r}; use an engine that was made with "
            f"mode='gpu' and this device_id",
            left=device,
            right=own,
        )
    raise ParameterError(
        f"to: the device is {device!r}, and 'cpu' and 'gpu' are taken; check its spelling",
        option="device",
        value=device,
        allowed=(CPU, _GPU),
    )


def place_of_keys(context: _native.Context, keys: Any) -> str:
    """Return the engine's device where it has copies of all of these keys, and ``"cpu"`` elsewhere."""
    return place_of(context) if all(context.is_key_on_device(key) for key in keys) else CPU


def move_keys(context: _native.Context, keys: Any, device: Any) -> None:
    """Copy keys to the engine's device, or free it of their copies."""
    move = context.key_to_device if moves_to_device(context, device) else context.forget_on_device
    for key in keys:
        move(key)
