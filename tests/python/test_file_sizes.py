"""Limits of what is read: of files, and of ciphertexts in memory that are seeds in theirs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import everlevel
from everlevel import bfv, ntru, tfhe
from everlevel._common import limits
from everlevel.errors import FileSizeError, OperandTypeError, ParameterError


def integers() -> tuple[Any, Any]:
    engine = tfhe.Engine("insecure-integer-4-64", thread_count=1)
    return engine, lambda key: engine.encrypt_uint(np.arange(40, dtype=np.uint64), key)


def bits() -> tuple[Any, Any]:
    engine = ntru.Engine("gate-64", insecure_log_n=9, thread_count=1)
    return engine, lambda key: engine.encrypt(np.arange(40) > 3, key)


def reals() -> tuple[Any, Any]:
    engine = everlevel.Engine(insecure_log_n=9, thread_count=1)
    return engine, lambda key: engine.encrypt([0.5, 2.0], key, bound=2)


def vectors() -> tuple[Any, Any]:
    engine = bfv.Engine("n13", insecure_log_n=8, thread_count=1)
    return engine, lambda key: engine.encrypt(range(3), key)


@pytest.mark.parametrize("make", [integers, bits, vectors, reals])
def test_sizes_have_limits(make: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    engine, encrypt = make()
    secret_key = engine.create_secret_key()
    public_key, evaluation_key = engine.create_public_key(secret_key), engine.create_evaluation_key(secret_key)
    messages = [encrypt(secret_key), encrypt(public_key)]
    if make is integers:
        messages += [messages[0] + 1, messages[0] > 3]
    for message in [*messages, public_key, evaluation_key, secret_key]:
        data, path = message.to_bytes(), tmp_path / "object"
        message.save(path)
        in_memory = message.nbytes if make in (integers, bits) and any(message is one for one in messages) else 0
        needed = max(len(data), in_memory)
        for read in (lambda n: engine.load(path, max_bytes=n), lambda n: engine.load_bytes(data, max_bytes=n)):  # noqa: B023
            assert read(2 * needed).kind == message.kind
            assert read(None).kind == message.kind
            with pytest.raises(FileSizeError, match="at most are taken; pass a larger max_bytes") as caught:
                read(needed // 2)
            assert caught.value.expected == needed // 2 < caught.value.found
            for junk in (-1, 2**63, 1.5, "many", True):
                with pytest.raises((ParameterError, OperandTypeError), match=r"^load(_bytes)?: max_bytes is"):
                    read(junk)
        monkeypatch.setattr(limits, "MAX_BYTES", needed // 2)
        for read_it in (lambda: engine.load(path), lambda: engine.load_bytes(data)):  # noqa: B023
            if message is evaluation_key or message is secret_key:
                assert read_it().kind == message.kind
            else:
                with pytest.raises(FileSizeError):
                    read_it()
        monkeypatch.undo()
