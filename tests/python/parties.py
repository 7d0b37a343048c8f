"""Engines of small rings with one secret's keys. None of these rings is secure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from everlevel import ConjugationKey, Engine, PublicKey, RelinearizationKey, SecretKey, compat

INSECURE_LOG_N = 10


@dataclass(frozen=True)
class Party:
    """An engine and one secret's keys."""

    engine: Engine
    secret_key: SecretKey
    public_key: PublicKey
    relinearization_key: RelinearizationKey
    conjugation_key: ConjugationKey


def new_party(engine: Engine) -> Party:
    secret_key = engine.create_secret_key()
    return Party(
        engine,
        secret_key,
        engine.create_public_key(secret_key),
        engine.create_relinearization_key(secret_key),
        engine.create_conjugation_key(secret_key),
    )


def keyed_party(engine: Engine, **options: Any) -> Party:
    """Make a party whose engine has an evaluation key, with these options."""
    party = new_party(engine)
    party.engine.create_evaluation_key(party.secret_key, **options)
    return party


def of_1x(party: Party) -> compat.Engine:
    """Make an engine with the names of 1.x, of a party's parameters."""
    engine = party.engine
    if engine._context.can_bootstrap:
        return compat.Engine(use_bootstrap=True, insecure_log_n=INSECURE_LOG_N)
    return compat.Engine(max_level=engine.max_level, insecure_log_n=INSECURE_LOG_N)
