"""The engine of CKKS over limbs: parameters, and every operation on keys and ciphertexts."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from ... import _native
from ..._common import checks, slot_shapes
from ..._common.limb_engine import estimate_memory, key_amounts
from ..._common.methods import knows_options, lists_methods
from ..._common.set_engine import SetEngine
from ..._common.sizes import format_bytes
from ..._common.storable import OfEngine, own
from ..engine import Engine as LevelEngine
from ..keys import SecretKey as LevelSecretKey
from . import _arithmetic, _bootstraps, _matrices, _messages, _operands, _polynomials, _slots
from ._core import Core
from .bridge import Bridge
from .ciphertext import Ciphertext
from .keys import BootstrapKey, EvaluationKey, PublicKey, SecretKey

__all__ = ["Engine", "parameter_sets"]


class ParameterSet(NamedTuple):
    """Claims of a named set, at its own precision."""

    name: str
    slot_count: int
    precision_bits: int
    depth: int
    """Products of ciphertexts one after another, of values up to 1."""
    bits: int
    """Bits of a fresh ciphertext's modulus."""
    key_bits: int
    """Bits of the modulus of keys, which the 128 bits of security are claimed of."""
    key_nbytes: int
    """Bytes in memory of the key for products, and of that for each rotation."""

    def __str__(self) -> str:
        return (
            f"{self.name}: {self.slot_count} slots, depth {self.depth} at {self.precision_bits} bits, "
            f"keys of {format_bytes(self.key_nbytes)}"
        )


def parameter_sets() -> list[ParameterSet]:
    """List the named sets of parameters, each with its claims.

    Examples
    --------
    >>> from everlevel.ckks import limbs
    >>> print(limbs.parameter_sets()[0])
    n13: 4096 slots, depth 4 at 30 bits, keys of 5.9 MB
    """
    return [ParameterSet(*row) for row in _native.limbs_sets()]


@lists_methods
class Engine(Core, SetEngine[EvaluationKey]):
    """CKKS over limbs: approximate arithmetic on encrypted vectors of real or complex numbers.

    A ciphertext has a budget of bits in place of levels: products and rescalings spend any number of them, and one key
    serves every budget. With ``"n16"``, `bootstrap` gives hundreds of bits back. `everlevel.Engine` is CKKS with
    levels, and the documentation's page "Limbs or residues" says which to choose when.

    An engine holds parameters, and the evaluation keys that it has made or was given; no secrets. It is safe to use
    from many threads at once: long calls release the interpreter's lock, and Ctrl-C ends them.

    Parameters
    ----------
    parameters : str, default "n15"
        A named set: ``"n13"`` to ``"n16"``, for 2^12 to 2^15 slots. Larger ones are slower, and allow for more products
        one after another: `parameter_sets` lists them. All have 128 bits of security.
    precision_bits : int, optional
        Bits of values below the point that are kept, and that a product spends: 10 to 50; the set's, if left out.
        Errors are some bits larger: `Ciphertext.precision_bits` tells how large.
    thread_count : int, optional
        Threads that long calls use; all that the process may use, if left out.
    seeded_keys : bool, default False
        Whether evaluation keys are held as seeds and bodies, as their files are: two ninths of the memory, and each use
        makes ready what it needs, for which products take three times as long, and rotations five to eight times; less
        of both for small budgets. Results are the same bits.
    progress : bool, optional
        Whether long calls show a bar on stderr: None shows it in terminals and notebooks. The environment variable
        ``EVERLEVEL_PROGRESS=0`` hides all bars.
    insecure_log_n : int, optional
        Ring dimension 2**insecure_log_n, **without any security**: for tests, and for looking at how things work.

    Raises
    ------
    ParameterError
        If there is no such set, or it can't have such a precision.

    Examples
    --------
    >>> from everlevel.ckks import limbs
    >>> engine = limbs.Engine("n13", thread_count=1)
    >>> engine
    ckks.limbs.Engine(n13, 4096 slots, budget 137 bits, scale 2^30, depth 4, 1 thread, 128-bit security)
    """

    _scheme = "ckks.limbs"
    _evaluation_key = EvaluationKey
    _log_ns = 8, 16

    @knows_options
    def __init__(
        self,
        parameters: str = "n15",
        *,
        precision_bits: int | None = None,
        thread_count: int | None = None,
        seeded_keys: bool = False,
        progress: bool | None = None,
        insecure_log_n: int | None = None,
    ) -> None:
        count = self._fill(parameters, "n15", thread_count, progress, insecure_log_n)
        if precision_bits is not None:
            advice = "choose one of these"
            precision_bits = checks.integer_between("Engine", "precision_bits", precision_bits, 10, 50, advice)
        self._bootstrap_keys = {}
        seeding = self._seeding(seeded_keys)
        self._options = (("precision_bits", precision_bits), *seeding)
        self._context = _native.LimbsContext(
            parameters=parameters,
            precision_bits=precision_bits,
            thread_count=count,
            seeded_keys=bool(seeding),
            insecure_log_n=self._insecure_log_n,
        )
        self._engines.announce(self._address, self)

    @property
    def max_budget_bits(self) -> int:
        """Budget of a fresh ciphertext, in bits.

        Examples
        --------
        >>> limbs_engine.max_budget_bits
        319
        """
        return self._context.max_budget_bits

    @property
    def depth(self) -> int:
        """Products of ciphertexts one after another, of values up to 1, before the budget is used up.

        Examples
        --------
        >>> limbs_engine.depth
        7
        """
        return self._context.depth

    def __repr__(self) -> str:
        sizes = f"{self.slot_count} slots, budget {self.max_budget_bits} bits, scale 2^{self.precision_bits}"
        return f"ckks.limbs.Engine({self.parameters}, {self._described(sizes)})"

    # Keys.

    def create_secret_key(self) -> SecretKey:
        """Draw a new secret from the operating system's randomness.

        Examples
        --------
        >>> limbs_engine.create_secret_key()
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
        >>> limbs_engine.create_public_key(limbs_secret_key)
        PublicKey(n14; ... kB)
        """
        secret = _operands.secret_key(self, "create_public_key", secret_key)
        return PublicKey(self, self._context.public_key(secret._native))

    def create_evaluation_key(
        self,
        secret_key: SecretKey,
        *,
        rotations: bool | Iterable[int] = False,
        conjugation: bool = False,
        progress: bool | None = None,
    ) -> EvaluationKey:
        """Make the keys that compute for a secret. The engine remembers the first ones of every secret.

        Parameters
        ----------
        secret_key : SecretKey
            Secret of the ciphertexts.
        rotations : bool or iterable of int, default False
            Amounts, for a key each; True for those of all powers of two and conjugation, by which `rotate` goes by any
            amount, and `sum` adds up all slots. Each takes as much memory as the key for products, which is there
            always: `parameter_sets` says how much.
        conjugation : bool, default False
            Whether there is one for `conjugate`.
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
        >>> limbs_engine.create_evaluation_key(limbs_secret_key, rotations=[1, -1])
        EvaluationKey(n14, products, 2 rotations; ... MB)
        """
        operation = "create_evaluation_key"
        secret = _operands.secret_key(self, operation, secret_key)
        amounts = key_amounts(operation, rotations, self.slot_count)
        conjugates = checks.truth(operation, "conjugation", conjugation) or rotations is True
        with self._reporting("evaluation key", progress) as report:
            native = self._context.evaluation_key(secret._native, amounts, conjugates, report)
        return self._remembered(native)

    def create_bootstrap_key(self, secret_key: SecretKey, *, progress: bool | None = None) -> BootstrapKey:
        """Make the keys of bootstraps. The engine remembers the first ones of every secret.

        Parameters
        ----------
        secret_key : SecretKey
            Secret of the ciphertexts.
        progress : bool, optional
            Whether a bar is shown; as the engine says, if left out.

        Returns
        -------
        BootstrapKey
            2 GB with ``"n16"``.

        Raises
        ------
        ParameterError
            If the parameters have too few bits for a bootstrap: ``"n16"`` has enough.
        OutOfMemoryError
            If there is too little memory; `estimate_memory` tells how much is needed.
        EngineMismatchError
            If the secret key is one of other parameters.

        Examples
        --------
        >>> from everlevel.ckks import limbs
        >>> engine = limbs.Engine("n16", insecure_log_n=8)
        >>> engine.create_bootstrap_key(engine.create_secret_key())
        BootstrapKey(n16; ... MB)
        """
        secret = _operands.secret_key(self, "create_bootstrap_key", secret_key)
        with self._reporting("bootstrap key", progress) as report:
            native = self._context.bootstrap_key(secret._native, report)
        return self._remembered_bootstrap_key(native)

    def _remembered_bootstrap_key(self, native: _native.LimbsBootstrapKey) -> BootstrapKey:
        """Return the bootstrap key, which the engine remembers if it is the first one of its secret."""
        with self._lock:
            self._bootstrap_keys.setdefault(native.secret_id, native)
        return BootstrapKey(self, native)

    def use(self, *keys: EvaluationKey | BootstrapKey) -> None:
        """Use keys for the ciphertexts of their secrets from now on.

        Raises
        ------
        EngineMismatchError
            If one is of other parameters.

        Examples
        --------
        >>> limbs_engine.use(limbs_engine.create_evaluation_key(limbs_secret_key, rotations=True))
        """
        bootstraps = [key for key in keys if isinstance(key, BootstrapKey)]
        natives = [own(self, "use", "bootstrap_key", key, BootstrapKey)._native for key in bootstraps]
        super().use(*[key for key in keys if not isinstance(key, BootstrapKey)])
        with self._lock:
            self._bootstrap_keys |= {native.secret_id: native for native in natives}

    def forget_keys(self) -> None:
        """Drop all evaluation and bootstrap keys, and with them the engine's hold on their memory.

        Examples
        --------
        >>> from everlevel.ckks import limbs
        >>> other = limbs.Engine("n14", insecure_log_n=10)
        >>> key = other.create_evaluation_key(other.create_secret_key())
        >>> other.forget_keys()
        """
        super().forget_keys()
        with self._lock:
            self._bootstrap_keys.clear()

    def create_bridge(self, secret_key: SecretKey, levels: LevelEngine, levels_secret_key: LevelSecretKey) -> Bridge:
        """Make the keys that turn ciphertexts of levels into ones over limbs, and back.

        Parameters
        ----------
        secret_key : SecretKey
            Secret of the ciphertexts over limbs.
        levels : everlevel.Engine
            An engine of the same ring: with as many slots.
        levels_secret_key : everlevel.SecretKey
            Secret of that engine's ciphertexts.

        Returns
        -------
        Bridge
            The keys of both ways, in memory alone.

        Raises
        ------
        ParameterError
            If the engines have rings or slots that differ.
        EngineMismatchError
            If a secret key is one of other parameters.

        Examples
        --------
        >>> levels = Engine(max_level=4, insecure_log_n=10)
        >>> levels_secret_key = levels.create_secret_key()
        >>> limbs_engine.create_bridge(limbs_secret_key, levels, levels_secret_key)
        Bridge(ckks.limbs.Engine(n14, 512 slots, budget 319 bits, scale 2^40, depth 7, ...)
        """
        operation = "create_bridge"
        secret = _operands.secret_key(self, operation, secret_key)
        engine = checks.instance(operation, "levels", levels, LevelEngine)
        other = checks.instance(operation, "levels_secret_key", levels_secret_key, LevelSecretKey)
        return Bridge(self, engine, self._context.bridge(secret._native, engine._context, other._native))

    # Files.

    def _wrap_stored(self, native: Any, notes: dict[str, str]) -> OfEngine:
        if isinstance(native, _native.LimbsSecretKey):
            return SecretKey(self, native)
        if isinstance(native, _native.LimbsPublicKey):
            return PublicKey(self, native)
        if isinstance(native, _native.LimbsEvaluationKey):
            return self._remembered(native)
        if isinstance(native, _native.LimbsBootstrapKey):
            return self._remembered_bootstrap_key(native)
        layout = slot_shapes.of_notes(notes, self.slot_count, 1)
        return Ciphertext(self, native, is_real=notes.get("real") == "true", layout=layout)

    estimate_memory = estimate_memory

    encrypt = _messages.encrypt
    encrypt_many = _messages.encrypt_many
    decrypt = _messages.decrypt

    add = _arithmetic.add
    subtract = _arithmetic.subtract
    multiply = _arithmetic.multiply
    negate = _arithmetic.negate
    square = _arithmetic.square
    rescale = _arithmetic.rescale
    lower = _arithmetic.lower

    evaluate_polynomial = _polynomials.evaluate_polynomial
    evaluate_chebyshev_polynomial = _polynomials.evaluate_chebyshev_polynomial

    multiply_matrix = _matrices.multiply_matrix
    bootstrap = _bootstraps.bootstrap

    rotate = _slots.rotate
    rotate_batch = _slots.rotate_batch
    conjugate = _slots.conjugate
    sum = _slots.sum
    mean = _slots.mean
