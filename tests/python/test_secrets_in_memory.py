"""Copies of a secret in the memory of a process that made, wrote or read its key: no more than the key's own."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

ENGINES = {
    "ckks": "everlevel.Engine(max_level=3, insecure_log_n=10)",
    "ckks.limbs": "everlevel.ckks.limbs.Engine('n14', insecure_log_n=10)",
    "tfhe": "everlevel.tfhe.Engine('gate-64', insecure_log_n=9)",
    "ntru": "everlevel.ntru.Engine('gate-64', insecure_log_n=9)",
    "bfv": "everlevel.bfv.Engine('n13', insecure_log_n=10)",
}
HELD = {"ckks": 0}
"""Copies that a key holds: CKKS's has its coefficients in another form than its file."""

PROGRAM = """
import gc, sys, everlevel, everlevel.tfhe, everlevel.ntru, everlevel.bfv, everlevel.ckks.limbs
engine, path = {engine}, sys.argv[1]
key = {key}
print("ready", flush=True)
sys.stdin.readline()
del key
gc.collect()
print("ready", flush=True)
sys.stdin.readline()
"""

pytestmark = pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="memory is read by Linux's /proc")


@contextmanager
def process(scheme: str, key: str, path: Path) -> Iterator[tuple[int, Callable[[], None]]]:
    """Run a program that has a key; give its number, and what makes it drop the key."""
    program = PROGRAM.format(engine=ENGINES[scheme], key=key)
    command = [sys.executable, "-c", program, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1) as child:
        stdin, stdout = child.stdin, child.stdout
        assert stdin
        assert stdout
        assert stdout.readline() == "ready\n"

        def drop() -> None:
            stdin.write("\n")
            assert stdout.readline() == "ready\n"

        yield child.pid, drop
        stdin.close()


def secret_of(path: Path) -> bytes:
    """Return the first bytes of the secret in a file."""
    data = path.read_bytes()
    start = 8 + int.from_bytes(data[:8], "little")
    (tensor,) = (name for name in json.loads(data[8:start]) if name != "__metadata__")
    assert tensor in ("seed", "coefficients")
    return data[start : start + 32]


def copies(pid: int, secret: bytes) -> list[str]:
    """Return where a process's memory has the bytes."""
    found = []
    with open(f"/proc/{pid}/maps", encoding="utf-8") as maps, open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:
        for line in maps:
            place, access, *_, name = [*line.split(maxsplit=5), ""][:6]
            if "r" not in access or name.startswith("[v"):
                continue
            first, last = (int(address, 16) for address in place.split("-"))
            memory.seek(first)
            data = memory.read(last - first)
            at = data.find(secret)
            while at >= 0:
                found.append(f"{first + at:#x} {name.strip()}")
                at = data.find(secret, at + 1)
    return found


@pytest.mark.parametrize("scheme", ENGINES)
def test_a_key_leaves_no_copies(scheme: str, tmp_path: Path) -> None:
    path, held = tmp_path / "secret.key", HELD.get(scheme, 1)
    made = "(lambda key: (key.save(path), key)[1])(engine.create_secret_key())"
    for key in (made, "engine.load(path)"):
        with process(scheme, key, path) as (pid, drop):
            secret = secret_of(path)
            found = copies(pid, secret)
            assert len(found) == held, f"{key}: {found}"
            drop()
            assert copies(pid, secret) == [], key
