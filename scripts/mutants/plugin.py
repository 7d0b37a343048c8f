"""Plugin of pytest: a fault in all that `Engine.decrypt` returns, and a line of JSON for each test that met it."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from everlevel import Engine, bfv, tfhe
from everlevel.ckks import limbs

from .faults import FAULTS, Fault

ENGINES: tuple[type, ...] = (Engine, limbs.Engine, bfv.Engine, tfhe.Engine)


class Planted:
    """The fault in the test that runs, how often that met it, and what came of it."""

    def __init__(self, name: str, report: Path) -> None:
        self.name, self.report = name, report
        self.fault: Fault | None = None
        self.rng = np.random.default_rng()
        self.count = 0

    def wrong(self, ciphertext: Any, values: Any) -> Any:
        """Return the values with the fault, if it is one of theirs."""
        wrong = self.fault(ciphertext, values, self.rng) if self.fault else None
        if wrong is None:
            return values
        self.count += 1
        return wrong

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Iterator[None]:
        """Plant the fault for a test's call, and write whether the test failed."""
        self.fault, self.count = FAULTS[self.name](), 0
        self.rng = np.random.default_rng(zlib.crc32(item.nodeid.encode()))
        is_killed = True
        try:
            yield
            is_killed = False
        finally:
            self.fault = None
            if self.count:
                with self.report.open("a", encoding="utf-8") as out:
                    print(json.dumps({"test": item.nodeid, "killed": is_killed}), file=out)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Take the fault and the report's path."""
    parser.addoption("--fault", choices=list(FAULTS), required=True)
    parser.addoption("--fault-report", type=Path, required=True)


def pytest_configure(config: pytest.Config) -> None:
    """Wrap `decrypt` of every engine."""
    planted = Planted(config.getoption("fault"), config.getoption("fault_report"))
    config.pluginmanager.register(planted, "planted-fault")
    for engine in ENGINES:
        setattr(engine, "decrypt", _wrapped(vars(engine)["decrypt"], planted))  # noqa: B010


def _wrapped(decrypt: Any, planted: Planted) -> Any:
    def decrypted(self: Any, ciphertext: Any, secret_key: Any, **options: Any) -> Any:
        return planted.wrong(ciphertext, decrypt(self, ciphertext, secret_key, **options))

    return decrypted
