"""The engine of BFV: parameters, and every operation on keys and ciphertexts."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from .. import _native
from .._common import checks, slot_shapes
from .._common.limb_engine import estimate_memory, key_amounts
from .._common.methods import knows_options, lists_methods
from .._common.set_engine import SetEngine
from .._common.sizes import format_bytes
from .._common.storable import OfEngine
from ..errors import ParameterError
from . import _arithmetic, _messages, _operands, _slots
from ._core import Core
from .ciphertext import Ciphertext
from .keys import EvaluationKey, PublicKey, SecretKey

__all__ = ["Engine", "parameter_sets"]


class ParameterSet(NamedTuple):
    """Claims of a named set, at its own plaintext modulus."""

    name: str
    slot_count: int
    plain_modulus: int
    depth: int
    """Products of ciphertexts one after another."""
    key_bits: int
    """Bits of the modulus of keys, which the 128 bits of security are claimed of."""
    key_nbytes: int
    """Bytes in memory of the key for products, and of that for each rotation."""

    def __str__(self) -> str:
        return (
            f"{self.name}: {self.slot_count} slots modulo {self.plain_modulus}, depth {self.depth}, "
            f"keys of {format_bytes(self.key_nbytes)}"
        )


def parameter_sets() -> list[ParameterSet]:
    """List the named sets of parameters, each with its claims.

    Examples
    --------
    >>> from everlevel import bfv
    >>> print(bfv.parameter_sets()[0])
    n12: 4096 slots modulo 65537, depth 2, keys of 2.0 MB
    """
    return [ParameterSet(*row) for row in _native.bfv_sets()]


@lists_methods
class Engine(Core, SetEngine[EvaluationKey]):
    """BFV: exact arithmetic on encrypted vectors of integers modulo a prime.

    An engine holds parameters, and the evaluation keys that it has made or was given; no secrets. It is safe to use
    from many threads at once: long calls release the interpreter's lock, and Ctrl-C ends them.

    Parameters
    ----------
    parameters : str, default "n15"
        A named set: ``"n12"`` to ``"n16"``, for 2^12 to 2^16 slots. Larger ones are slower, and allow for more products
        one after another: `parameter_sets` lists them. All have 128 bits of security.
    plain_modulus : int, optional
        The prime that arithmetic is modulo: one below 2^40 that is 1 modulo twice the slots. If left out, 65537 for
        ``"n12"``, and 786433 for the others.
    thread_count : int, optional
        Threads that long calls use; all that the process may use, if left out.
    seeded_keys : bool, default False
        Whether evaluation keys are held as seeds and bodies, as their files are: a third to two ninths of the memory,
        and each use makes ready what it needs, for which products take three times as long, and rotations five to
        eight times. Results are the same bits.
    progress : bool, optional
        Whether long calls show a bar on stderr: None shows it in terminals and notebooks. The environment variable
        ``EVERLEVEL_PROGRESS=0`` hides all bars.
    insecure_log_n : int, optional
        Ring dimension 2**insecure_log_n, **without any security**: for tests, and for looking at how things work.

    Raises
    ------
    ParameterError
        If there is no such set, or slots can't have such a modulus.

    Examples
    --------
    >>> from everlevel import bfv
    >>> engine = bfv.Engine("n13", thread_count=1)
    >>> engine
    bfv.Engine(n13, 8192 slots modulo 786433, depth 4, 1 thread, 128-bit security)
    """

    _scheme = "bfv"
    _evaluation_key = EvaluationKey
    _log_ns = 8, 16

    @knows_options
    def __init__(
        self,
        parameters: str = "n15",
        *,
        plain_modulus: int | None = None,
        thread_count: int | None = None,
        seeded_keys: bool = False,
        progress: bool | None = None,
        insecure_log_n: int | None = None,
    ) -> None:
        count = self._fill(parameters, "n15", thread_count, progress, insecure_log_n)
        modulus = _modulus(plain_modulus)
        seeding = self._seeding(seeded_keys)
        self._options = (("plain_modulus", modulus), *seeding)
        self._context = _native.BfvContext(
            parameters=parameters,
            plain_modulus=modulus,
            thread_count=count,
            seeded_keys=bool(seeding),
            insecure_log_n=self._insecure_log_n,
        )
        self._engines.announce(self._address, self)

    @property
    def depth(self) -> int:
        """Products of ciphertexts, each of two results of the last, before the budget is used up.

        The first are of ciphertexts that the secret key encrypted: see `public_depth`.

        Examples
        --------
        >>> bfv_engine.depth
        4
        """
        return self._context.depth

    @property
    def public_depth(self) -> int:
        """`depth` of ciphertexts that a public key encrypted, which have more noise.

        Examples
        --------
        >>> bfv_engine.public_depth
        4
        """
        return self._context.public_depth

    def __repr__(self) -> str:
        sizes = f"{self.slot_count} slots modulo {self.plain_modulus}"
        return f"bfv.Engine({self.parameters}, {self._described(sizes)})"

    # Keys.

    def create_secret_key(self) -> SecretKey:
        """Draw a new secret from the operating system's randomness.

        Examples
        --------
        >>> bfv_engine.create_secret_key()
        SecretKey(hidden)
        """
        return SecretKey(self, self._context.secret_key())

    def create_public_key(self, secret_key: SecretKey) -> PublicKey:
        """Make a key that encrypts for a secret.

        Parameters
        ----------
        secret_key : SecretKey
            Who decrypts.

        Raises
        ------
        EngineMismatchError
            If the secret key is one of other parameters.

        Examples
        --------
        >>> bfv_engine.create_public_key(bfv_secret_key)
        PublicKey(n13; ... kB)
        """
        secret = _operands.secret_key(self, "create_public_key", secret_key)
        return PublicKey(self, self._context.public_key(secret._native))

    def create_evaluation_key(
        self,
        secret_key: SecretKey,
        *,
        rotations: bool | Iterable[int] = False,
        swap_rows: bool = False,
        progress: bool | None = None,
    ) -> EvaluationKey:
        """Make the keys that compute for a secret. The engine remembers the first ones of every secret.

        Parameters
        ----------
        secret_key : SecretKey
            Secret of the ciphertexts.
        rotations : bool or iterable of int, default False
            Amounts, for a key each; True for those of all powers of two and the swap of rows, by which `rotate` goes by
            any amount, and `sum` adds up all slots. Each takes as much memory as the key for products, which is there
            always: `parameter_sets` says how much.
        swap_rows : bool, default False
            Whether there is one for `swap_rows`.
        progress : bool, optional
            Whether a bar is shown; as the engine says, if left out.

        Raises
        ------
        OutOfMemoryError
            If there is too little memory.
        EngineMismatchError
            If the secret key is one of other parameters.

        Examples
        --------
        >>> bfv_engine.create_evaluation_key(bfv_secret_key, rotations=[1, -1])
        EvaluationKey(n13, products, 2 rotations; ... MB)
        """
        operation = "create_evaluation_key"
        secret = _operands.secret_key(self, operation, secret_key)
        amounts = key_amounts(operation, rotations, self.slot_count // 2)
        swaps = checks.truth(operation, "swap_rows", swap_rows) or rotations is True
        with self._reporting("evaluation key", progress) as report:
            native = self._context.evaluation_key(secret._native, amounts, swaps, report)
        return self._remembered(native)

    # Files.

    def _wrap_stored(self, native: Any, notes: dict[str, str]) -> OfEngine:
        if isinstance(native, _native.LimbsSecretKey):
            return SecretKey(self, native)
        if isinstance(native, _native.LimbsPublicKey):
            return PublicKey(self, native)
        if isinstance(native, _native.LimbsEvaluationKey):
            return self._remembered(native)
        return Ciphertext(self, native, slot_shapes.of_notes(notes, self.slot_count, native.unit_count))

    estimate_memory = estimate_memory

    encrypt = _messages.encrypt
    encrypt_many = _messages.encrypt_many
    decrypt = _messages.decrypt
    rerandomize = _messages.rerandomize

    add = _arithmetic.add
    subtract = _arithmetic.subtract
    multiply = _arithmetic.multiply
    negate = _arithmetic.negate

    rotate = _slots.rotate
    swap_rows = _slots.swap_rows
    vstack = _slots.vstack
    sum = _slots.sum


def _modulus(value: Any) -> int | None:
    """Check a plaintext modulus as far as a machine's word goes; the core knows which ones there are."""
    if value is None:
        return None
    modulus = checks.integer("Engine", "plain_modulus", value)
    if not 1 < modulus < 2**40:
        raise ParameterError(
            f"Engine: plain_modulus is {modulus}; it must be a prime below 2^40 that is 1 modulo twice the slots: "
            f"786433 is one",
            option="plain_modulus",
            value=modulus,
            allowed="a prime below 2^40 that is 1 modulo twice the slots",
        )
    return modulus
