"""Install a wheel into a clean environment of every Python at hand that it is for, and compute with it there.

An environment has the wheel, what it depends on (from wheels too), and a PATH without compiler and cargo; its folder is
not the repository. Pythons are those on the PATH and pyenv's.

    python scripts/check_wheel.py build/wheels/everlevel-*.whl [python…]
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

OLDEST = (3, 11)
TAG = re.compile(r"-cp311-abi3-manylinux[\w.]*_x86_64\.whl$")
_VERSION = "import sys; print(*sys.version_info[:3]); print(sys.prefix != sys.base_prefix)"
# Each scheme once, on rings without security where there are any.
PROGRAM = """
import everlevel
from everlevel import Engine, bfv, ntru, tfhe

assert "site-packages" in everlevel.__file__, everlevel.__file__
engine = Engine(max_level=2, insecure_log_n=10)
secret_key = engine.create_secret_key()
engine.create_evaluation_key(secret_key)
x = engine.encrypt([0.5, -0.25], secret_key, bound=1)
found = engine.decrypt(3 * x * x - 1, secret_key)[:2]
assert abs(found - [-0.25, -0.8125]).max() < 1e-4, found
for scheme in (tfhe, ntru):
    engine = scheme.Engine("gate-64", insecure_log_n=9)
    secret_key = engine.create_secret_key()
    engine.create_evaluation_key(secret_key)
    bits = engine.encrypt([True, False, True], secret_key)
    found = engine.decrypt(engine.nand(bits, bits), secret_key)
    assert list(found) == [False, True, False], found
engine = bfv.Engine("n13")
secret_key = engine.create_secret_key()
engine.create_evaluation_key(secret_key)
x = engine.encrypt([3, -1, 4], secret_key)
found = engine.decrypt(x * x, secret_key)[:3]
assert list(found) == [9, 1, 16], found
"""


def pythons() -> list[Path]:
    """List the interpreters on the PATH and pyenv's, each version once, the oldest first."""
    folders = [Path(folder) for folder in os.get_exec_path()]
    folders += Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")).glob("versions/*/bin")
    found: dict[tuple[int, ...], Path] = {}
    for folder in folders:
        for python in sorted(folder.glob("python3*")):
            if re.fullmatch(r"python3(\.\d+)?", python.name):
                asked = subprocess.run([python, "-c", _VERSION], capture_output=True, text=True, check=False)
                # A shim of pyenv's fails for versions that aren't chosen.
                version, _, is_virtual = asked.stdout.partition("\n")
                if asked.returncode == 0 and is_virtual.strip() == "False":
                    found.setdefault(tuple(map(int, version.split())), python)
    return [found[version] for version in sorted(found) if version >= OLDEST]


def check(wheel: Path, python: Path) -> str:
    """Install and try the wheel with an interpreter, and return what went wrong; nothing, if nothing did."""
    with tempfile.TemporaryDirectory(prefix="everlevel-wheel-") as folder:
        environment = Path(folder) / "environment"
        bare = {"PATH": str(environment / "bin"), "HOME": folder, "EVERLEVEL_PROGRESS": "0"}
        # How an index of packages is reached.
        bare |= {
            name: value for name, value in os.environ.items() if name.startswith("PIP_") or "proxy" in name.lower()
        }
        install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--only-binary", ":all:"]
        commands: list[list[str | Path]] = [
            [python, "-m", "venv", environment],
            [environment / "bin" / "python", *install, wheel.resolve()],
            [environment / "bin" / "everlevel", "info"],
            [environment / "bin" / "python", "-c", PROGRAM],
        ]
        for command in commands:
            done = subprocess.run(command, cwd=folder, env=bare, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                return f"{' '.join(map(str, command[:4]))}: {done.stdout}{done.stderr}"
    return ""


def main(arguments: list[str]) -> int:
    """Check the wheel, and return the exit status."""
    wheel = Path(arguments[0])
    if not TAG.search(wheel.name):
        print(f"wheel: {wheel.name} is not cp311-abi3 for manylinux on x86-64")
        return 1
    with zipfile.ZipFile(wheel) as archive:
        module = archive.getinfo("everlevel/_native.abi3.so")
        print(
            f"wheel: {wheel.name}, {wheel.stat().st_size / 1e6:.1f} MB; module {module.file_size / 1e6:.1f} MB unpacked"
        )
    failed = 0
    for python in [Path(name) for name in arguments[1:]] or pythons():
        wrong = check(wheel, python)
        failed += bool(wrong)
        print(f"wheel: {python}: {wrong or 'installed, and every scheme computes'}", flush=True)
    return min(failed, 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
