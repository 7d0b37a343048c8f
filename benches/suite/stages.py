"""Stages of a workload of the public FHE benchmark suite: each in a process of its own, as its harness has them.

What stages leave for each other is in the suite's folders: `datasets/SIZE` has inputs and right results, `io/SIZE` what
client and server send, `measurements/SIZE/results.json` times and sizes.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

SENT: Final = {
    "Public and evaluation keys": "public_keys",
    "Encrypted input": "ciphertexts_upload",
    "Encrypted results": "ciphertexts_download",
}
"""Folders of what is sent, by the suite's names."""


class Files:
    """Folders of an instance, and its options."""

    def __init__(self, folder: Path, size: str, options: Mapping[str, Any]) -> None:
        self.size, self.options = size, options
        self.data, self.io = folder / "datasets" / size, folder / "io" / size
        self.results = folder / "measurements" / size / "results.json"

    def path(self, folder: str, name: str) -> Path:
        """Return the path of what is sent, in a folder that is made."""
        found = self.io / folder / name
        found.parent.mkdir(parents=True, exist_ok=True)
        return found


Stage = Callable[[Files], None]


def run(script: str, stages: Mapping[str, Stage], files: Files, arguments: list[str]) -> dict[str, Any]:
    """Run all stages, each in a process, and return their times and what was sent."""
    times: dict[str, float] = {}
    for name in stages:
        start = time.perf_counter()
        subprocess.run([sys.executable, script, name, files.size, *arguments], check=True)
        times[name] = round(time.perf_counter() - start, 4)
        print(f"{name}: {times[name]:.2f} s", flush=True)
    sizes = {name: sum(path.stat().st_size for path in (files.io / sent).iterdir()) for name, sent in SENT.items()}
    measured = {"Timing": times | {"Total": round(sum(times.values()), 4)}, "Bandwidth": sizes}
    files.results.parent.mkdir(parents=True, exist_ok=True)
    files.results.write_text(json.dumps(measured, indent=2) + "\n", encoding="utf-8")
    return measured


def main(
    script: str, about: str, stages: Mapping[str, Stage], sizes: Mapping[str, int], **options: tuple[Any, str]
) -> None:
    """Run a stage, or all of them, by the command line; each option has a default and a text of help."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stage", choices=["run", *stages])
    parser.add_argument("size", choices=sizes)
    parser.add_argument("--folder", type=Path, default=Path(script).stem)
    for name, (default, text) in options.items():
        kind = type(default) if default is not None else int
        parser.add_argument(f"--{name.replace('_', '-')}", type=kind, default=default, help=f"{text} ({default})")
    given = parser.parse_args()
    files = Files(Path(given.folder), given.size, {name: getattr(given, name) for name in options})
    if given.stage == "run":
        chosen = [
            (f"--{name.replace('_', '-')}", str(value)) for name, value in files.options.items() if value is not None
        ]
        arguments = ["--folder", str(given.folder), *(word for pair in chosen for word in pair)]
        print(json.dumps(run(script, stages, files, arguments), indent=2))
    else:
        stages[given.stage](files)
