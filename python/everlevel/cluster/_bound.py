"""An engine and its evaluation keys in this process: what a parcel's objects belong to once they are unpacked."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from .._common.storable import OfEngine, Secret, Storable
from ..ckks import engine as ckks
from ..ckks import keys as ckks_keys
from ..ckks._storable import Storable as CkksStorable
from ..ckks.evaluation_key import EvaluationKey
from ..errors import ParameterError
from ..tfhe import engine as tfhe
from ..tfhe import keys as tfhe_keys
from ..tfhe._array import EncryptedArray

AnyEngine = ckks.Engine | tfhe.Engine

ENGINES = (ckks.Engine, tfhe.Engine)

_EVALUATION_KEYS = (EvaluationKey, tfhe_keys.EvaluationKey, ckks_keys._EvaluationKey)
_PUBLIC_KEYS = (ckks_keys.PublicKey, tfhe_keys.PublicKey)
_REMEMBERED_KEYS = (
    tfhe_keys.LookupKey,
    tfhe_keys.CompressionKey,
    tfhe_keys.RingSwitchKey,
    tfhe_keys.PackingKey,
)
"""Keys that an engine uses from the moment that it read them."""


@dataclass(frozen=True)
class Keys:
    """Argument of a function that has a parameter ``keys`` on a worker: the keys of the pool's files.

    Attributes
    ----------
    evaluation_key : EvaluationKey or None
        All evaluation keys as one.
    public_key : PublicKey or None
        The public key, if its file was among them.
    """

    evaluation_key: Any = None
    public_key: Any = None


@dataclass
class Bound:
    """An engine, and its keys where there are some: on workers."""

    engine: AnyEngine
    keys: Keys = field(default_factory=Keys)
    secret_ids: frozenset[int] = frozenset()
    """Secrets of the evaluation keys that workers have."""

    def owns(self, value: Storable) -> bool:
        """Whether an object is one of the engine's parameters."""
        return parameters_of(value) == parameters_of(self.engine)

    def leaving(self, value: Storable) -> Storable:
        """Return a result as it leaves a worker: re-randomised, if it is an array of TFHE's and the public key is here.

        Fresh masks tell nobody which ciphertexts a result was made of.
        """
        public = self.keys.public_key
        if (
            not isinstance(value, EncryptedArray)
            or public is None
            or value._native.secret_id != public._native.secret_id
        ):
            return value
        return self.engine.rerandomize(value, public)  # type: ignore[union-attr]

    def unpack(self, data: Any) -> Any:
        """Return the object in what was sent."""
        return self.engine._from_transit(data)


def parameters_of(value: Any) -> tuple[Any, ...]:
    """Return what the parameters of an engine, or of an object, are known by."""
    if isinstance(value, (ckks.Engine, CkksStorable)):
        context = value._context if isinstance(value, ckks.Engine) else value._stored()[0]
        return "ckks", context.params, context.slot_count
    owner = value._engine if isinstance(value, OfEngine) else value
    return "tfhe", owner._prefix + owner._parameters, owner._insecure_log_n


def is_evaluation_key(value: Any) -> bool:
    """Whether a value is a key that computes, which is gigabytes: it travels as a file."""
    return isinstance(value, _EVALUATION_KEYS)


def secret_id(key: Any) -> int:
    """Return the id of the secret that an evaluation key was made from."""
    found: int = key._secret_id if isinstance(key, EvaluationKey) else key._native.secret_id
    return found


def is_secret(value: Any) -> bool:
    """Whether a value is a secret key, in the front's class or in the core's."""
    return isinstance(value, Secret) or type(value).__name__ in {"SecretKey", "TfheSecretKey", "LimbsSecretKey"}


@dataclass(frozen=True)
class EngineLike:
    """How to make an engine in another process: parameters, and what else operations depend on."""

    parameters: tuple[Any, ...]
    seeded_keys: str | None = None
    auto_bootstrap: bool = False
    bound: float | tuple[float, float] | None = None
    refuses_assumed: bool = False
    kind: type[ckks.Engine] = ckks.Engine
    gap: float = 2.0**-6

    @classmethod
    def of(cls, engine: AnyEngine) -> EngineLike:
        """Describe an engine."""
        if isinstance(engine, tfhe.Engine):
            return cls(parameters_of(engine))
        context, bound = engine._context, engine._bound
        options = context.seeded_keys, engine.auto_bootstrap, bound, context.refuses_assumed, type(engine), engine._gap
        return cls(parameters_of(engine), *options)

    def make(self, thread_count: int) -> AnyEngine:
        """Make the engine, of so many threads at most."""
        scheme, parameters, size = self.parameters
        parallel = thread_count > 1
        if scheme == "tfhe":
            known, name = tfhe.of_set(parameters)
            return known._make(name, (), size, parallel)
        options = self.seeded_keys, self.auto_bootstrap, self.bound, self.refuses_assumed, self.kind, self.gap
        return ckks._new_engine(parameters, size, parallel, *options)


def use_keys(engine: AnyEngine, loaded: Iterable[Any]) -> Keys:
    """Let an engine use keys, and return them by their kinds."""
    public, evaluation = None, []
    for key in loaded:
        if is_evaluation_key(key):
            evaluation.append(key)
        elif isinstance(key, _PUBLIC_KEYS):
            public = key
        elif not isinstance(key, _REMEMBERED_KEYS):
            raise ParameterError(
                f"connect: a {type(key).__name__} is among the keys' files, and evaluation keys, a public key, and "
                f"TFHE's look-up and compression keys are taken; leave it out",
                option="keys",
                value=type(key).__name__,
            )
    if not evaluation:
        return Keys(None, public)
    key = evaluation[0]
    if isinstance(engine, ckks.Engine) and (len(evaluation) > 1 or not isinstance(key, EvaluationKey)):
        parts = [part for one in evaluation for part in (one.keys if isinstance(one, EvaluationKey) else (one,))]
        key = EvaluationKey(parts)
    engine.use(key)
    return Keys(key, public)
