"""Say what a file is: kind, parameters, sizes; and check every byte of it.

A file that isn't Everlevel's, is cut short, is of a newer version or has a wrong checksum is told of in one line, and
the exit status is 1.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import stat
import sys
from typing import Any, Final

from .. import _native
from .._common import headers
from .._common.sizes import format_bytes
from ..errors import EverlevelError, FormatError, StorageError
from ._table import listing

_STDIN: Final = "-"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument("files", nargs="+", metavar="FILE", help="files, and pipes: - is what comes from stdin")
    parser.add_argument("--header-only", action="store_true", help="don't read the data, nor check it")
    parser.add_argument(
        "--json", action="store_true", help="print one JSON object, or a list of them for several files"
    )


def run(options: argparse.Namespace) -> int:
    """Inspect all files; those that are wrong don't keep the others from being shown."""
    status, right = 0, []
    for path in options.files:
        try:
            found = inspect(path, verify=not options.header_only)
        except EverlevelError as error:
            name = "" if path in str(error) else f"{path}: "
            print(f"everlevel: {name}{error}", file=sys.stderr)
            status = 1
        else:
            right.append(found)
            if not options.json:
                print("\n" * (len(right) > 1) + listing(_lines(found)), flush=True)
    if options.json and len(options.files) > 1:
        print(json.dumps(right, indent=2))
    elif options.json and right:
        print(json.dumps(right[0]))
    return status


def inspect(path: str, *, verify: bool) -> dict[str, Any]:
    """Return what a file, or a pipe, says of itself, and check its data if asked to."""
    piped = _piped(path)
    if piped is None:
        sizes, metadata = _native.inspect_file(path)
        file_bytes = os.stat(path).st_size
    else:
        sizes, metadata = _native.inspect_bytes(piped, verify)
        file_bytes = len(piped)
    headers.require_literal("inspect", path, metadata)
    try:
        found = {
            "path": path,
            "kind": metadata["kind"].replace("_", " "),
            "library": metadata.get("library", "unknown"),
            "parameter_set": metadata.get("parameters"),
            "parameters": json.loads(metadata["params"]),
            "object": json.loads(metadata.get("object", "{}")),
            "shape": metadata.get("note.shape"),
            "model": _model(metadata.get("note.ml")),
            "seeded": metadata.get("seeded") == "true",
            "secret_id": metadata.get("secret_id"),
            "fingerprint": metadata.get("fingerprint"),
            "tensor_count": len(sizes),
            "data_bytes": sum(sizes.values()),
            "file_bytes": file_bytes,
        }
    except (KeyError, ValueError, TypeError, RecursionError) as error:
        raise FormatError(f"inspect: the header lacks a part, or has one that can't be read ({error})") from error
    if verify and piped is None:
        _native.verify_file(path)
    return found | {"verified": verify}


def _model(note: str | None) -> dict[str, str] | None:
    """Return what a file of `everlevel.ml` is for, and the hash of its model; None for other files."""
    if note is None:
        return None
    found = json.loads(note)
    return {name: str(found[name]) for name in ("role", "hash")}


def _piped(path: str) -> bytes | None:
    """Return all bytes of a pipe; None for what isn't one."""
    try:
        if path == _STDIN:
            return sys.stdin.buffer.read()
        if not stat.S_ISFIFO(os.stat(path).st_mode):
            return None
        with open(path, "rb") as pipe:
            return pipe.read()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise StorageError(f"inspect: {path} can't be read ({error.strerror}); give the path of a file") from error


def _lines(found: dict[str, Any]) -> dict[str, str]:
    what = dict(found["object"])
    # The variant of a bootstrap key is what its class is called after.
    variant = what.pop("variant", "regular")
    kind = found["kind"] if variant in ("regular", "both") else f"{variant} {found['kind']}"
    what.pop("primes", None)
    for name, shown in (("scale", "log2 scale"), ("error", "log2 error, estimated")):
        if name in what:
            value = what.pop(name)
            what[shown] = "unknown" if value is None else f"{math.log2(value):.2f}"
    lines = {"file": found["path"], "kind": kind, "written by": found["library"]}
    lines["parameters"] = headers.parameters(found["parameter_set"], found["parameters"])
    if found["model"] is not None:
        lines["compiled model"] = f"{found['model']['role']}, {found['model']['hash']:.8}"
    if found["shape"] is not None:
        lines["shape"] = f"({found['shape']})"
    lines |= {name.replace("_", " "): _shown(value) for name, value in what.items()}
    if found["seeded"]:
        lines["uniform halves"] = "seeds"
    if found["secret_id"]:
        lines["secret"] = f"{found['secret_id']} (a random name, not the secret)"
    tensors = "1 tensor" if found["tensor_count"] == 1 else f"{found['tensor_count']} tensors"
    lines["data"] = f"{tensors}, {format_bytes(found['data_bytes'])}; file {format_bytes(found['file_bytes'])}"
    lines["checksums"] = "right" if found["verified"] else "header's right, data's not checked"
    return lines


def _shown(value: Any) -> str:
    """Write an entry; a list of kinds in words."""
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return ", ".join(item.replace("_", " ") for item in value)
    return str(value)
