"""Keys saved by one process, mapped by two others, which compute with them.

The client makes an evaluation key, which is all that computing needs, writes it to a file, encrypts a message for each
server, and lets go of what it made. Each server is a process of its own. It maps the key, which takes milliseconds
however large it is, bootstraps its message, squares it, writes the result, and tells what memory it holds. The client
decrypts.

A mapped file is read from the disk as it is used, and lies in memory once, however many processes map it. Linux
tells both sides: *resident* is what a process sees, *proportional* what it answers for, where every shared page
counts for a part.

The key is written seeded, which makes its file half as large and each use slower; ``--expanded`` writes it whole.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from everlevel import Ciphertext, Engine


def make_engine(options: argparse.Namespace) -> Engine:
    """Make an engine: every process makes its own, of the same parameters."""
    return Engine(use_bootstrap=True, thread_count=options.threads, insecure_log_n=options.insecure_log_n)


def memory() -> dict[str, int]:
    """Return the bytes that this process holds, as far as the system tells."""
    path = Path("/proc/self/smaps_rollup")
    if not path.exists():
        return {}
    lines = [line.split() for line in path.read_text(encoding="ascii").splitlines()[1:]]
    sizes = {name.rstrip(":"): int(kilobytes) * 1024 for name, kilobytes, *_ in lines}
    return {"resident": sizes["Rss"], "proportional": sizes["Pss"]}


def serve(options: argparse.Namespace) -> None:
    """Map the keys, compute on one message, and report. There is no secret key in this process."""
    folder, number = options.folder, options.serve
    engine = make_engine(options)
    start = time.perf_counter()
    engine.load(folder / "evaluation.key", mapped=True)  # the engine uses it from now on
    opened = time.perf_counter() - start
    message = engine.load(folder / f"message_{number}")
    assert isinstance(message, Ciphertext)
    start = time.perf_counter()
    refreshed = message.bootstrap()
    computed = time.perf_counter() - start
    (refreshed * refreshed).save(folder / f"result_{number}")
    print(json.dumps({"opened": opened, "computed": computed}), flush=True)
    # Memory is looked at when all servers have computed, and none has ended.
    input()
    print(json.dumps(memory()), flush=True)
    input()


def start_server(folder: Path, number: int, options: argparse.Namespace) -> subprocess.Popen[str]:
    """Start a process that serves one message."""
    command = [sys.executable, __file__, "--folder", str(folder), "--serve", str(number)]
    for name in ("threads", "insecure_log_n"):
        if getattr(options, name) is not None:
            command += [f"--{name.replace('_', '-')}", str(getattr(options, name))]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def ask(server: subprocess.Popen[str]) -> dict[str, Any]:
    """Read a server's next report."""
    assert server.stdout is not None
    line = server.stdout.readline()
    if not line:
        raise SystemExit(f"a server ended early, with status {server.wait()}")
    return dict(json.loads(line))


def go_on(servers: list[subprocess.Popen[str]]) -> None:
    """Let the servers take their next step."""
    for server in servers:
        assert server.stdin is not None
        server.stdin.write("\n")
        server.stdin.flush()


def request(folder: Path, options: argparse.Namespace) -> None:
    """Be the client."""
    engine = make_engine(options)
    print(engine)
    secret_key = engine.create_secret_key()
    key = engine.create_evaluation_key(secret_key, rotations=False)
    path = folder / "evaluation.key"
    start = time.perf_counter()
    key.save(path, expanded=options.expanded)
    seconds = time.perf_counter() - start
    print(f"{key}\n{path.name}: {path.stat().st_size / 1e6:.1f} MB, written in {seconds:.1f} s")
    del key
    engine.forget_keys()

    rng = np.random.default_rng(1)
    messages = [rng.uniform(-1, 1, engine.slot_count) for _ in range(options.servers)]
    for number, message in enumerate(messages):
        engine.encrypt(message, secret_key, level=0).save(folder / f"message_{number}")

    servers = [start_server(folder, number, options) for number in range(options.servers)]
    try:
        reports = [ask(server) for server in servers]
        go_on(servers)
        reports = [report | ask(server) for report, server in zip(reports, servers, strict=True)]
        go_on(servers)
    finally:
        for server in servers:
            server.communicate()
    print("\nserver   key opened, ms  bootstrap, s  resident, MB  proportional, MB  largest error")
    for number, (report, message) in enumerate(zip(reports, messages, strict=True)):
        result = engine.load(folder / f"result_{number}")
        assert isinstance(result, Ciphertext)
        error = np.abs(engine.decrypt(result, secret_key) - message**2).max()
        resident, proportional = (report.get(name, float("nan")) / 1e6 for name in ("resident", "proportional"))
        print(
            f"{number:>6}  {1e3 * report['opened']:>15.1f}  {report['computed']:>12.2f}  {resident:>12.0f}  "
            f"{proportional:>16.0f}  2^{np.log2(error):.1f}"
        )
        assert error < 2**-15, "the servers' computation went astray"


def main() -> None:
    """Be the client, or a server that it started."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--servers", type=int, default=2)
    parser.add_argument("--expanded", action="store_true", help="write whole keys, not seeds")
    parser.add_argument("--threads", type=int, default=1, help="of each process (default 1)")
    parser.add_argument("--insecure-log-n", type=int, help="a ring of 2^LOG_N without any security")
    parser.add_argument("--folder", type=Path, help="for the files; a temporary one, if left out")
    parser.add_argument("--serve", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve is not None:
        serve(options)
    elif options.folder is not None:
        options.folder.mkdir(parents=True, exist_ok=True)
        request(options.folder, options)
    else:
        with tempfile.TemporaryDirectory() as folder:
            request(Path(folder), options)


if __name__ == "__main__":
    main()
