"""Say what a file is: kind, parameters, sizes; and check every byte of it.

A file that isn't Everlevel's, is cut short, is of a newer version or has a wrong checksum is told of in one line, and
the exit status is 1.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
from typing import Any

from .. import _native
from .._common import security
from .._common.sizes import format_bytes
from ..errors import EverlevelError, FormatError
from ._table import listing


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument("files", nargs="+", metavar="FILE")
    parser.add_argument("--header-only", action="store_true", help="don't read the data, nor check it")
    parser.add_argument("--json", action="store_true", help="print one JSON object for each file, one a line")


def run(options: argparse.Namespace) -> int:
    """Inspect all files; those that are wrong don't keep the others from being shown."""
    status = 0
    for index, path in enumerate(options.files):
        try:
            found = inspect(path, verify=not options.header_only)
        except EverlevelError as error:
            name = "" if path in str(error) else f"{path}: "
            print(f"everlevel: {name}{error}", file=sys.stderr)
            status = 1
        else:
            print(json.dumps(found) if options.json else "\n" * (index > 0) + listing(_lines(found)))
    return status


def inspect(path: str, *, verify: bool) -> dict[str, Any]:
    """Return what a file says of itself, and check its data if asked to."""
    sizes, metadata = _native.inspect_file(path)
    try:
        found = {
            "path": path,
            "kind": metadata["kind"].replace("_", " "),
            "library": metadata.get("library", "unknown"),
            "parameter_set": metadata.get("parameters"),
            "parameters": json.loads(metadata["params"]),
            "object": json.loads(metadata.get("object", "{}")),
            "shape": metadata.get("note.shape"),
            "seeded": metadata.get("seeded") == "true",
            "secret_id": metadata.get("secret_id"),
            "fingerprint": metadata.get("fingerprint"),
            "tensor_count": len(sizes),
            "data_bytes": sum(sizes.values()),
            "file_bytes": os.stat(path).st_size,
        }
    except (KeyError, ValueError) as error:
        raise FormatError(f"inspect: the header lacks a part, or has one that can't be read ({error})") from error
    if verify:
        _native.verify_file(path)
    return found | {"verified": verify}


def _lines(found: dict[str, Any]) -> dict[str, str]:
    parameters, what = found["parameters"], dict(found["object"])
    # The variant of a bootstrap key is what its class is called after.
    variant = what.pop("variant", "regular")
    kind = found["kind"] if variant == "regular" else f"{variant} {found['kind']}"
    what.pop("primes", None)
    for name, shown in (("scale", "log2 scale"), ("error", "log2 error, estimated")):
        if name in what:
            what[shown] = f"{math.log2(what.pop(name)):.2f}"
    lines = {"file": found["path"], "kind": kind, "written by": found["library"]}
    if found["parameter_set"] is None:
        lines["parameters"] = _parameters(parameters)
    else:
        words = _limb_parameters if "digit_limbs" in parameters else _tfhe_parameters
        lines["parameters"] = words(found["parameter_set"], parameters)
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


def _parameters(literal: dict[str, Any]) -> str:
    parts = [f"N 2^{literal['log_n']}", f"levels 0..{literal['max_level']}"]
    if literal.get("bootstrap"):
        parts.append("bootstrap")
    parts.append("INSECURE" if literal.get("insecure") else "128-bit security")
    return ", ".join(parts)


def _limb_parameters(name: str, literal: dict[str, Any]) -> str:
    parts = [name, f"N 2^{literal['log_n']}"]
    is_exact = "plain_modulus" in literal
    parts.append(f"modulo {literal['plain_modulus']}" if is_exact else f"scale 2^{literal['precision_bits']}")
    parts.append("INSECURE" if literal.get("insecure", True) else "128-bit security")
    return ", ".join(parts)


def _tfhe_parameters(name: str, literal: dict[str, Any]) -> str:
    # A set of another name than this version's is shown, too; whether it is read is the engine's to say.
    claims = {claimed: (core_svp, bits) for claimed, bits, *_, core_svp in _native.tfhe_sets()}
    parts = [name, f"n {literal['lwe_dim']}", f"N 2^{literal['log_n']}"]
    parts.append(f"rank {literal['rank']}" if "rank" in literal else f"Q {literal['modulus']}")
    below = literal.get("insecure", True) or name not in claims
    parts.append("INSECURE" if below else security.in_words(*claims[name]))
    return ", ".join(parts)
