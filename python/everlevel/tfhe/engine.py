"""The engine of TFHE: parameters, and every operation on keys and ciphertexts."""

from __future__ import annotations

import math
from typing import Any, Final, NamedTuple

from .. import _native
from .._common import headers
from .._common.methods import knows_options, lists_methods
from .._common.security import in_words as security_in_words
from .._common.set_engine import SetEngine
from .._common.shaped import Shape
from .._common.storable import OfEngine, engine_at, own
from ..errors import HeaderError, ParameterError
from . import (
    _assignment,
    _bulk,
    _compression,
    _decimal_numbers,
    _decimals,
    _gates,
    _indexing,
    _integers,
    _lookups,
    _memory,
    _messages,
    _numpy_functions,  # noqa: F401 (registers NumPy's functions)
    _operands,
    _random,
    _reductions,
    _uint_operations,
    _uints,
)
from ._core import Core
from .bool_array import BoolArray
from .ciphertext import Ciphertext
from .compressed_list import CompressedList
from .decimal_array import DecimalArray
from .int_array import IntArray
from .keys import CompressionKey, EvaluationKey, LookupKey, PackingKey, PublicKey, RingSwitchKey, SecretKey
from .uint_array import UintArray

__all__ = ["Engine", "parameter_sets"]


class ParameterSet(NamedTuple):
    """Claims of a named set."""

    name: str
    security_bits: float
    """Cheapest attack on any of the secrets, NTRU's key among them, under MATZOV, as a base-2 logarithm."""
    log2_p_fail: float
    """Base-2 logarithm of the probability that a bootstrap fails whose input has the largest accepted noise: at most
    that, for all keys but one in 2^40."""
    about: str
    assumptions: tuple[str, ...]
    """Assumptions of security besides the field's usual ones: nothing, but for experimental sets."""
    core_svp_bits: float
    """Cost of these attacks by the core-SVP count, ``0.292·β`` for a block size of β, which is stricter."""


def parameter_sets() -> list[ParameterSet]:
    """List the named sets of parameters, each with its claims.

    Examples
    --------
    >>> [p.name for p in parameter_sets() if p.name.startswith("gate") and not p.assumptions][:2]
    ['gate-64', 'gate-128']
    """
    return sets_of(Engine)


def sets_of(engine: type[Engine]) -> list[ParameterSet]:
    """List the sets of a class of engines."""
    prefix = engine._prefix
    sets = [ParameterSet(*row[:4], tuple(row[4]), row[5]) for row in _native.tfhe_sets()]
    own = [one for one in sets if one.name.startswith("ntru-") == bool(prefix)]
    return [one._replace(name=one.name.removeprefix(prefix)) for one in own]


_OTHER_KEYS: Final = (LookupKey, CompressionKey, RingSwitchKey, PackingKey)
"""Keys beside evaluation keys."""


@lists_methods
class Engine(Core, SetEngine[EvaluationKey]):
    """TFHE: gates and look-up tables on encrypted bits, or on encrypted integers of 1 to 8 bits or of 8 to 64 bits.

    An engine holds parameters, and the evaluation keys that it has made or was given; no secrets. It is safe to use
    from many threads at once: long calls release the interpreter's lock, and Ctrl-C ends them.

    Parameters
    ----------
    parameters : str, default "gate-128"
        A named set: ``"gate-64"`` and ``"gate-128"`` for gates on bits, ``"integer-1-64"`` to ``"integer-8-64"`` and
        ``"integer-1-128"`` to ``"integer-8-128"`` for integers of 1 to 8 bits. A bootstrap fails with a probability
        below 2^-64 or 2^-128: take the latter where decryptions may be told to others. `parameter_sets` lists them all;
        those below 128 bits of security have names that begin with ``insecure``, those that rest on assumptions of
        their own names that end with ``experimental`` (``docs/new-keys.md``), and those that are for comparisons,
        since another set is better, names that end with ``baseline``.
    thread_count : int, optional
        Threads that long calls use; all that the process may use, if left out.
    progress : bool, optional
        Whether long calls show a bar on stderr: None shows it in terminals and notebooks. The environment variable
        ``EVERLEVEL_PROGRESS=0`` hides all bars.
    insecure_log_n : int, optional
        Ring dimension 2**insecure_log_n, **without any security**: for tests, and for looking at how things work. Ten
        is enough for integers of 5 bits, 13 for 8.

    Raises
    ------
    ParameterError
        If there is no such set, or the ring is too small for its messages.

    Examples
    --------
    >>> from everlevel import tfhe
    >>> engine = tfhe.Engine("integer-4-64")
    >>> secret_key = engine.create_secret_key()
    >>> evaluation_key = engine.create_evaluation_key(secret_key)
    >>> x = engine.encrypt(np.array([3, 7, 12]), secret_key)
    >>> engine.decrypt(engine.bootstrap(x, lut=lambda m: m // 4), secret_key)
    array([0, 1, 3], dtype=uint8)
    """

    _scheme = "tfhe"
    _evaluation_key = EvaluationKey
    _log_ns = 8, 15

    @knows_options
    def __init__(
        self,
        parameters: str = "gate-128",
        *,
        thread_count: int | None = None,
        progress: bool | None = None,
        insecure_log_n: int | None = None,
    ) -> None:
        count = self._fill(parameters, "gate-128", thread_count, progress, insecure_log_n)
        self._lookup_keys = {}
        self._compression_keys = {}
        self._ring_switch_keys = {}
        self._packing_keys = {}
        self._context = self._make_context(parameters, count, self._insecure_log_n)
        self._engines.announce(self._address, self)

    @classmethod
    def _make_context(cls, parameters: str, thread_count: int, insecure_log_n: int | None) -> _native.TfheContext:
        """Find the set among the scheme's own, whose names are worded as the user wrote them."""
        for other in _classes():
            if other._prefix and not cls._prefix and parameters.startswith(other._prefix):
                name = parameters.removeprefix(other._prefix)
                raise ParameterError(
                    f"Engine: {cls._scheme} has no set named {parameters!r}; {other._scheme}.Engine({name!r}) has it",
                    option="parameters",
                    value=parameters,
                    allowed=name,
                )
        try:
            return _native.TfheContext(
                parameters=cls._prefix + parameters, thread_count=thread_count, insecure_log_n=insecure_log_n
            )
        except ParameterError as error:
            if error.option != "parameters" or not cls._prefix:
                raise
            text, value, allowed = (str(part).replace(cls._prefix, "") for part in (error, error.value, error.allowed))
            raise ParameterError(text, option="parameters", value=value, allowed=allowed) from None

    @property
    def security_bits(self) -> float:
        """Security of the parameters against the cheapest attack, under MATZOV; 0 for an insecure ring.

        Examples
        --------
        >>> from everlevel import tfhe
        >>> tfhe.Engine("gate-128").security_bits >= 128, tfhe_engine.security_bits
        (True, 0.0)
        """
        return 0.0 if self._insecure_log_n is not None else self._context.security_bits

    @property
    def core_svp_bits(self) -> float:
        """Security of the parameters by the core-SVP count, which is stricter; 0 for an insecure ring.

        Examples
        --------
        >>> from everlevel import tfhe
        >>> tfhe.Engine("gate-128").core_svp_bits > 100, tfhe_engine.core_svp_bits
        (True, 0.0)
        """
        return 0.0 if self._insecure_log_n is not None else self._context.core_svp_bits

    @property
    def max_log2_p_fail(self) -> float:
        """Base-2 logarithm of the largest probability of failure that a bootstrap or a decryption may have.

        Examples
        --------
        >>> tfhe_engine.max_log2_p_fail
        -64.0
        """
        return self._context.max_log2_p_fail

    def __repr__(self) -> str:
        what = "bits" if self.message_bits is None else f"integers of {self.message_bits} bits"
        security = "INSECURE"
        if self._insecure_log_n is None:
            counts = security_in_words(self.core_svp_bits, self.security_bits)
            security = f"{security}, {counts}" if "insecure" in self.parameters else counts
        threads = f"{self.thread_count} thread{'s' if self.thread_count > 1 else ''}"
        failure = f"p_fail 2^{self.max_log2_p_fail:.0f}"
        return f"{self._scheme}.Engine({self.parameters}, {what}, {failure}, {threads}, {security})"

    # Keys.

    def create_secret_key(self) -> SecretKey:
        """Draw a new secret of uniform bits from the operating system's randomness.

        Examples
        --------
        >>> tfhe_engine.create_secret_key()
        SecretKey(hidden)
        """
        return SecretKey(self, self._context.secret_key())

    def create_public_key(self, secret_key: SecretKey) -> PublicKey:
        """Make a key that encrypts for a secret, for those who don't have it.

        Every set has one, but for those below 128 bits whose ciphertexts are under the small secret. What the security
        rests on is in ``docs/tfhe.md``.

        Parameters
        ----------
        secret_key : SecretKey
            Who decrypts.

        Raises
        ------
        ParameterError
            If the parameters have none.
        EngineMismatchError
            If the secret key is one of other parameters.

        Examples
        --------
        >>> public_key = tfhe_engine.create_public_key(tfhe_secret_key)
        >>> tfhe_engine.decrypt(tfhe_engine.encrypt([7, 2], public_key), tfhe_secret_key)
        array([7, 2], dtype=uint8)
        """
        secret = _operands.secret_key(self, "create_public_key", secret_key)
        return PublicKey(self, self._context.public_key(secret._native))

    def create_evaluation_key(self, secret_key: SecretKey, *, progress: bool | None = None) -> EvaluationKey:
        """Make the keys that compute for a secret. The engine remembers the first ones of every secret.

        Parameters
        ----------
        secret_key : SecretKey
            Secret of the ciphertexts.
        progress : bool, optional
            Whether a bar is shown; as the engine says, if left out.

        Raises
        ------
        EngineMismatchError
            If the secret key is one of other parameters.

        Examples
        --------
        >>> tfhe_engine.create_evaluation_key(tfhe_secret_key)
        EvaluationKey(integer-4-64, bootstrap ... MB, key switch ... kB)
        """
        secret = _operands.secret_key(self, "create_evaluation_key", secret_key)
        with self._reporting("evaluation key", progress) as report:
            native = self._context.evaluation_key(secret._native, report)
        return self._remembered(native)

    create_lookup_key = _lookups.create_lookup_key
    create_compression_key = _compression.create_compression_key
    create_ring_switch_key = _bulk.create_ring_switch_key
    create_packing_key = _bulk.create_packing_key

    def use(self, *keys: EvaluationKey | LookupKey | CompressionKey | RingSwitchKey | PackingKey) -> None:
        """Use keys for the ciphertexts of their secrets from now on.

        Raises
        ------
        EngineMismatchError
            If one is of other parameters.

        Examples
        --------
        >>> tfhe_engine.use(tfhe_engine.create_evaluation_key(tfhe_secret_key))
        """
        others = [own(self, "use", key.kind, key, type(key)) for key in keys if isinstance(key, _OTHER_KEYS)]
        super().use(*(key for key in keys if not isinstance(key, _OTHER_KEYS)))
        with self._lock:
            for key in others:
                if isinstance(key, RingSwitchKey):
                    self._ring_switch_keys[key._native.source_id] = key._native
                    continue
                if isinstance(key, PackingKey):
                    self._packing_keys[key._native.secret_id, key._native.target_id] = key._native
                    continue
                known: dict[int, Any] = self._lookup_keys if isinstance(key, LookupKey) else self._compression_keys
                known[key._native.secret_id] = key._native

    def forget_keys(self) -> None:
        """Drop all keys that compute, and with them the engine's hold on their memory.

        Examples
        --------
        >>> from everlevel import tfhe
        >>> other = tfhe.Engine("integer-4-64", insecure_log_n=10)
        >>> key = other.create_evaluation_key(other.create_secret_key())
        >>> other.forget_keys()
        """
        super().forget_keys()
        with self._lock:
            self._lookup_keys.clear()
            self._compression_keys.clear()
            self._ring_switch_keys.clear()
            self._packing_keys.clear()

    # Files.

    def _wrap_stored(self, native: Any, notes: dict[str, str]) -> OfEngine:
        if isinstance(native, _native.TfheSecretKey):
            return SecretKey(self, native)
        if isinstance(native, _native.TfhePublicKey):
            return PublicKey(self, native)
        if isinstance(native, _native.TfheEvaluationKey):
            return self._remembered(native)
        if isinstance(native, _native.TfheLookupKey):
            return _lookups.remembered(self, native)
        if isinstance(native, _native.TfheCompressionKey):
            return _compression.remembered(self, native)
        if isinstance(native, _native.TfheRingSwitchKey):
            return _bulk.remembered(self, native)
        if isinstance(native, _native.TfhePackingKey):
            return _bulk.remembered_packing(self, native)
        shape = _read_shape(notes.get("shape", ""), len(native))
        if isinstance(native, _native.TfheCompressedList):
            return CompressedList(self, native, notes, shape)
        if isinstance(native, _native.TfheUintArray):
            if "places" in notes:
                return DecimalArray(self, native, shape, _decimal_numbers.read_places(notes["places"]))
            return (IntArray if notes.get("signed") == "yes" else UintArray)(self, native, shape)
        if isinstance(native, _native.TfheBoolArray):
            return BoolArray(self, native, shape)
        return Ciphertext(self, native, shape)

    estimate_memory = _memory.estimate_memory

    _operand_like = _assignment.operand_like
    _assigned_where = _assignment.assigned_where
    _taken_at = _indexing.taken_at

    encrypt = _messages.encrypt
    decrypt = _messages.decrypt
    rerandomize = _messages.rerandomize

    and_ = _gates.and_
    or_ = _gates.or_
    xor = _gates.xor
    nand = _gates.nand
    nor = _gates.nor
    xnor = _gates.xnor
    andny = _gates.andny
    andyn = _gates.andyn
    orny = _gates.orny
    oryn = _gates.oryn
    not_ = _gates.not_
    mux = _gates.mux
    _gate = _gates.gate

    add = _integers.add
    subtract = _integers.subtract
    multiply = _integers.multiply
    linear = _integers.linear
    bootstrap = _integers.bootstrap
    bootstrap_many = _integers.bootstrap_many
    lookup = _lookups.lookup
    compress = _compression.compress
    decompress = _compression.decompress
    from_bulk = _bulk.from_bulk
    from_ckks = _bulk.from_ckks
    rounding_failure = _bulk.rounding_failure

    encrypt_uint = _uints.encrypt_uint
    encrypt_int = _uints.encrypt_int
    encrypt_bool = _uints.encrypt_bool
    encrypt_decimal = _decimals.encrypt_decimal
    random_uint = _random.random_uint
    random_int = _random.random_int
    random_bool = _random.random_bool
    minimum = _uints.minimum
    maximum = _uints.maximum
    checked_add = _uints.checked_add
    checked_subtract = _uints.checked_subtract
    checked_multiply = _uints.checked_multiply
    checked_floor_divide = _uints.checked_floor_divide
    checked_remainder = _uints.checked_remainder
    saturating_add = _uints.saturating_add
    saturating_subtract = _uints.saturating_subtract
    saturating_multiply = _uints.saturating_multiply
    bitwise_count = _uints.bitwise_count
    leading_zeros = _uints.leading_zeros
    trailing_zeros = _uints.trailing_zeros
    rotate_left = _uints.rotate_left
    rotate_right = _uints.rotate_right
    select = _uints.select

    _uint_binary = _uint_operations.binary
    _uint_divide = _uint_operations.divide
    _uint_divmod = _uint_operations.divide_with_remainder
    _uint_power = _uint_operations.power
    _uint_compare = _uint_operations.compare
    _uint_unary = _uint_operations.unary
    _uint_shift = _uint_operations.shift
    _uint_reduce = _reductions.reduce
    _uint_place_of = _reductions.place_of
    _uint_product = _reductions.product
    _uint_cumulative_sum = _reductions.cumulative_sum
    _uint_mean = _reductions.mean
    _uint_matrix_product = _reductions.matrix_product
    _uint_dot = _reductions.dot
    _uint_sort = _reductions.sort
    _uint_astype = _uint_operations.astype
    _bool_invert = _uint_operations.invert
    _bool_gate = _uint_operations.bool_gate
    _bool_any = _reductions.any_of
    _bool_count = _reductions.count
    _bool_multiply = _reductions.masked
    _bool_astype = _uint_operations.integers_of_bools


def _read_shape(text: str, size: int) -> Shape:
    """Read a shape from a file's notes, which must be one of as many elements."""
    shape = headers.read_shape(text)
    if shape is None or math.prod(shape) != size:
        raise HeaderError(
            f"read: the header's shape is {text!r}, and {size} ciphertexts follow; it was not written by Everlevel",
            part="shape",
            found=text,
            expected=size,
        )
    return shape


def _classes() -> list[type[Engine]]:
    """Return the engines of all schemes that have these calls."""
    return [Engine, *Engine.__subclasses__()]


def of_set(parameters: str) -> tuple[type[Engine], str]:
    """Return the class whose sets have such names in files, and the name that it knows a set by."""
    known = max((c for c in _classes() if parameters.startswith(c._prefix)), key=lambda c: len(c._prefix))
    return known, parameters.removeprefix(known._prefix)


# What pickles of version 0.1 name.


def _engine_at(parameters: str, insecure_log_n: int | None, parallel: bool) -> Engine:
    kind, name = of_set(parameters)
    engine: Engine = engine_at(kind, name, (), insecure_log_n, parallel)
    return engine


def _restore(parameters: str, insecure_log_n: int | None, parallel: bool, data: Any) -> Any:
    return _engine_at(parameters, insecure_log_n, parallel)._deserialize(data)
