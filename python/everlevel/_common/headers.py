"""Headers of files: of which scheme an object is, with which parameters, and which engine opens it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from .. import _native
from ..errors import FileParametersError, FormatError, HeaderError, UnsupportedKindError
from . import security

_SCHEMES: Final[Mapping[str, str]] = dict(_native.file_kinds())
_UNNAMED: Final = "unnamed"
"""Set name in files of sets that were made by hand, with the core's library."""

_NTRU: Final = "ntru-"
"""Prefix of the names of NTRU's sets, whose kinds of files are TFHE's."""

BULK: Final = "bulk"
"""Note of the name of bulk's set in files, whose kinds are CKKS's."""
_BULK: Final = f"note.{BULK}"


@dataclass(frozen=True)
class Header:
    """The metadata of a file, which were written by Everlevel, and are right."""

    metadata: Mapping[str, str]

    @property
    def kind(self) -> str:
        """Contents of the file in words."""
        return self.metadata["kind"].replace("_", " ")

    @cached_property
    def scheme(self) -> str | None:
        """The module of the scheme, below the package's; None for kinds of later versions."""
        scheme = _SCHEMES.get(self.metadata["kind"])
        if scheme == "ckks" and _BULK in self.metadata:
            return "bulk"
        if scheme == "tfhe" and self.metadata.get("parameters", "").startswith(_NTRU):
            return "ntru"
        return scheme

    @cached_property
    def literal(self) -> dict[str, Any]:
        """The parameters, number by number."""
        literal: dict[str, Any] = json.loads(self.metadata["params"])
        return literal

    @property
    def set_name(self) -> str | None:
        """Name of the set of parameters, as the scheme's engine takes it."""
        name = self.metadata.get(_BULK, self.metadata.get("parameters"))
        return None if name in (None, _UNNAMED) else name.removeprefix(_NTRU if self.scheme == "ntru" else "")

    @property
    def options(self) -> dict[str, Any]:
        """Options of the engine beside the set's name."""
        names = ("plain_modulus", "precision_bits")
        found: dict[str, Any] = {name: self.literal[name] for name in names if name in self.literal}
        if self.literal.get("insecure") and not (self.set_name or "").startswith("insecure"):
            found["insecure_log_n"] = self.literal["log_n"]
        return found

    @cached_property
    def slot_count(self) -> int:
        """Slots of CKKS's object; all that the ring has, where it doesn't depend on them."""
        objects = [
            json.loads(text) for key, text in self.metadata.items() if key == "object" or key.endswith("/object")
        ]
        sizes = [one["slot_count"] for one in objects if "slot_count" in one]
        return int(sizes[0] if sizes else 2 ** (self.literal["log_n"] - 1))

    @property
    def fingerprint(self) -> int:
        """Fingerprint of the parameters."""
        return int(self.metadata["fingerprint"], 16)

    @property
    def in_words(self) -> str:
        """The parameters in words."""
        name = self.metadata.get(_BULK)
        of_ckks = parameters(self.metadata.get("parameters"), self.literal)
        return of_ckks if name is None else f"{name}, {of_ckks}"

    def call(self, path: str | None) -> str:
        """Return the call that makes the engine."""
        engine = _engine_of(self.scheme or "ckks")
        if self.set_name is None:
            return f"{engine}.from_file({path!r})" if path is not None else "the engine that made it"
        options = "".join(f", {name}={value}" for name, value in self.options.items())
        return f"{engine}({self.set_name!r}{options})"


def read(path: str) -> Header:
    """Read a file's header.

    Raises
    ------
    StorageError, FormatError
        If the file can't be opened or isn't Everlevel's, or if its header lacks a part or names an unknown set.
    """
    return _checked(path, _native.inspect_file(path)[1])


def require_literal(operation: str, where: str, metadata: Mapping[str, str]) -> None:
    """Refuse the metadata of a set that this version lacks: files of ciphertexts have its name in place of numbers."""
    name = metadata.get("parameters")
    if name is not None and "params" not in metadata:
        raise FileParametersError(
            f"{operation}: {where} is of the set {name}, and this version has no such set; open it with the version "
            f"that wrote it, {metadata.get('library', 'which is unknown')}",
            found=metadata.get("fingerprint"),
            expected=None,
        )


def _checked(where: str, metadata: Mapping[str, str]) -> Header:
    require_literal("read", where, metadata)
    header = Header(metadata)
    try:
        _ = header.kind, header.fingerprint, header.literal["log_n"]
    except (KeyError, ValueError, TypeError) as error:
        raise HeaderError(
            f"read: the header of {where} lacks a part ({error}); pass a file that Everlevel saved", part=str(error)
        ) from error
    return header


def read_of(operation: str, path: str, scheme: str) -> Header:
    """Read the header of a file of one scheme."""
    header = read(path)
    if header.scheme != scheme:
        raise UnsupportedKindError(
            f"{operation}: {_holding(header)}, and this is {_engine_of(scheme)}; {_advice(header, path)}",
            found=header.metadata["kind"],
            expected=scheme,
        )
    return header


@contextmanager
def explained(engine: Any, operation: str, source: Any) -> Iterator[None]:
    """Let a file that another engine is for be refused in words: whose it is, and what opens it.

    `source` is the file's path, or its bytes.
    """
    try:
        yield
    except (FileParametersError, UnsupportedKindError) as refused:
        path = source if isinstance(source, str) else None
        # Of one ring and another number of slots, the refusal says all.
        if isinstance(refused, FileParametersError) and not isinstance(refused.found, int):
            raise
        try:
            header = read(source) if path is not None else _checked("it", _native.inspect_bytes(source, False)[1])
        except FormatError:
            raise refused from None
        ring = getattr(engine, "_insecure_log_n", None)
        this = repr(engine) + ("" if ring is None else f" of insecure_log_n={ring}")
        text = f"{operation}: {_holding(header)}, and this is {this}; {_advice(header, path)}"
        raise type(refused)(text, **vars(refused)) from None


def _engine_of(scheme: str) -> str:
    """Return the name of a scheme's engine, as programs write it that import its module."""
    return "Engine" if scheme == "ckks" else f"{scheme}.Engine"


def _holding(header: Header) -> str:
    if header.scheme is None:
        return f"the file holds a {header.kind}"
    return f"the file holds a {header.kind} of {header.in_words}"


def _advice(header: Header, path: str | None) -> str:
    if header.scheme is None:
        return "this version has no such kind: update Everlevel"
    also = "" if path is None else f", or everlevel.open({path!r})"
    return f"open it with {header.call(path)}{also}"


def parameters(name: str | None, literal: dict[str, Any]) -> str:
    """Return parameters in words: a set's name, which CKKS's have none of, and the numbers that tell most."""
    if name is None:
        return _levels(literal)
    return (_limbs if "digit_limbs" in literal else _bits)(name, literal)


def _levels(literal: dict[str, Any]) -> str:
    parts = [f"N 2^{literal['log_n']}", f"levels 0..{literal['max_level']}"]
    if literal.get("bootstrap"):
        parts.append("bootstrap")
    parts += [f"{name} precision" for name in ("high", "double") if literal.get(f"{name}_precision")]
    parts.append("INSECURE" if literal.get("insecure") else "128-bit security")
    return ", ".join(parts)


def _limbs(name: str, literal: dict[str, Any]) -> str:
    parts = [name, f"N 2^{literal['log_n']}"]
    is_exact = "plain_modulus" in literal
    parts.append(f"modulo {literal['plain_modulus']}" if is_exact else f"scale 2^{literal['precision_bits']}")
    parts.append("INSECURE" if literal.get("insecure", True) else "128-bit security")
    return ", ".join(parts)


def _bits(name: str, literal: dict[str, Any]) -> str:
    # A set of another name than this version's is shown, too; whether it is read is the engine's to say.
    claims = {claimed: (core_svp, bits) for claimed, bits, *_, core_svp in _native.tfhe_sets()}
    parts = [name, f"n {literal['lwe_dim']}", f"N 2^{literal['log_n']}"]
    parts.append(f"rank {literal['rank']}" if "rank" in literal else f"Q {literal['modulus']}")
    below = literal.get("insecure", True) or name not in claims
    parts.append("INSECURE" if below else security.in_words(*claims[name]))
    return ", ".join(parts)


_MOST_DECIMALS: Final = 19
_MOST_DIMENSIONS: Final = 64
"""Largest number of dimensions of NumPy's arrays."""


def read_shape(text: str) -> tuple[int, ...] | None:
    """Read a shape from a file's notes; None if it is none."""
    parts = [part for part in text.split(",") if part]
    sizes = [read_integer(part, 0, 10**_MOST_DECIMALS) for part in parts]
    found = tuple(size for size in sizes if size is not None)
    return found if len(found) == len(parts) <= _MOST_DIMENSIONS else None


def read_integer(text: str, low: int, high: int) -> int | None:
    """Read an integer of a range from a file's notes; None if it is none."""
    longest = max(_MOST_DECIMALS, len(str(high)))
    value = int(text) if text.isascii() and text.isdecimal() and len(text) <= longest else None
    return value if value is not None and low <= value <= high else None


def read_double(text: str, low: float, high: float) -> float | None:
    """Read a double within a range, which hexadecimal digits are of, from a file's notes; None if it is none."""
    try:
        value = float.fromhex(text)
    except (ValueError, OverflowError):
        return None
    return value if low < value < high else None
