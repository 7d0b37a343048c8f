"""Engines of small rings with one secret's keys. None of these rings is secure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from everlevel import ConjugationKey, Engine, PublicKey, RelinearizationKey, SecretKey, compat, tfhe

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


IntegerParty = tuple[tfhe.Engine, tfhe.SecretKey]
"""An engine of TFHE's integers, which knows an evaluation key, and its secret key."""


def integer_party(engine: tfhe.Engine | None = None) -> IntegerParty:
    """Make keys for an engine, or for one of the smallest set of integers, with digits of two bits."""
    engine = engine or tfhe.Engine("insecure-integer-4-64", thread_count=2)
    secret_key = engine.create_secret_key()
    engine.create_evaluation_key(secret_key)
    return engine, secret_key


def of_1x(party: Party) -> compat.Engine:
    """Make an engine with the names of 1.x, of a party's parameters."""
    engine = party.engine
    if engine._context.can_bootstrap:
        return compat.Engine(use_bootstrap=True, insecure_log_n=INSECURE_LOG_N)
    return compat.Engine(max_level=engine.max_level, insecure_log_n=INSECURE_LOG_N)
