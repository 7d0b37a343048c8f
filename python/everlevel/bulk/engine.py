"""The engine of bulk: parameters, and every operation on keys and ciphertexts."""

from __future__ import annotations

import math
from typing import Any, Final

from .. import _native
from .._common import checks, headers
from .._common.methods import knows_options, lists_methods
from .._common.set_engine import SetEngine
from .._common.storable import OfEngine
from ..errors import HeaderError, ParameterError
from . import _gates, _integers, _memory, _messages, _moves, _operands, _tfhe, _time, _uint_operations, _uints
from ._core import Core
from ._digit_types import BITS, WIDTHS
from ._native_context import BulkContext
from ._sets import LEVEL, SETS, STAGE_COUNT, parameter_sets
from .bool_array import BoolArray
from .ciphertext import Ciphertext
from .int_array import IntArray
from .keys import EvaluationKey, Keys, PublicKey, SecretKey
from .uint_array import UintArray

__all__ = ["Engine", "parameter_sets"]


@lists_methods
class Engine(Core, SetEngine[EvaluationKey]):
    """Bulk: gates and look-up tables on encrypted bits or small integers, tens of thousands at once, exactly.

    One bootstrap looks up `bootstrap_size` values, in a few seconds: some hundreds of values are worth one, and fewer
    are faster by `everlevel.tfhe`, whose names the methods have. Values lie in the slots of CKKS ciphertexts, and stay
    in them: operands have one shape.

    An engine holds parameters, and the evaluation keys that it has made or was given; no secrets. It is safe to use
    from many threads at once: long calls release the interpreter's lock, and Ctrl-C ends them.

    Parameters
    ----------
    parameters : str, default "gate-128"
        A named set: ``"gate-128"`` for gates on bits, ``"integer-1-128"`` to ``"integer-8-128"`` for integers of 1 to 8
        bits. A value is wrong after a look-up with a probability below 2^-128. `parameter_sets` lists them all.
    thread_count : int, optional
        Threads that long calls use; all that the process may use, if left out.
    progress : bool, optional
        Whether long calls show a bar on stderr: None shows it in terminals and notebooks. The environment variable
        ``EVERLEVEL_PROGRESS=0`` hides all bars.
    insecure_log_n : int, optional
        Ring dimension 2**insecure_log_n, **without any security**: for tests, and for looking at how things work.

    Raises
    ------
    ParameterError
        If there is no such set.

    Examples
    --------
    >>> from everlevel import bulk
    >>> engine = bulk.Engine("gate-128", insecure_log_n=10, thread_count=1)
    >>> engine
    bulk.Engine(gate-128, bits, 1024 a bootstrap, p_fail 2^-128, 1 thread, INSECURE)
    >>> secret_key = engine.create_secret_key()
    >>> evaluation_key = engine.create_evaluation_key(secret_key)
    >>> a, b = engine.encrypt([True, True, False], secret_key), engine.encrypt([True, False, False], secret_key)
    >>> engine.decrypt(a & ~b, secret_key)
    array([False,  True, False])
    """

    _scheme = "bulk"
    _evaluation_key = EvaluationKey
    _log_ns = 9, 15

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
        found = next((one for one in SETS if one.name == parameters), None)
        if found is None:
            names = ", ".join(one.name for one in SETS)
            raise ParameterError(
                f"Engine: there is no set named {parameters!r}; choose one of {names}",
                option="parameters",
                value=parameters,
                allowed=tuple(one.name for one in SETS),
            )
        self._context = BulkContext(found, count, self._insecure_log_n)
        self._digit_errors = None
        self._engines.announce(self._address, self)

    @property
    def security_bits(self) -> int:
        """Security of the parameters, by the caps of the library; 0 for an insecure ring.

        Examples
        --------
        >>> bulk_engine.security_bits
        0
        """
        return 0 if self._context.ckks.insecure else 128

    def __repr__(self) -> str:
        what = "bits" if self.message_bits is None else f"integers of {self.message_bits} bits"
        failure = f"p_fail 2^{self.max_log2_p_fail:.0f}"
        threads = f"{self.thread_count} thread{'s' if self.thread_count > 1 else ''}"
        security = f"{self.security_bits}-bit security" if self.security_bits else "INSECURE"
        size = f"{self.bootstrap_size} a bootstrap"
        return f"bulk.Engine({self.parameters}, {what}, {size}, {failure}, {threads}, {security})"

    # Keys.

    def create_secret_key(self) -> SecretKey:
        """Draw a new secret from the operating system's randomness.

        Examples
        --------
        >>> bulk_engine.create_secret_key()
        SecretKey(hidden)
        """
        return SecretKey(self, self._context.ckks.secret_key(None))

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
        >>> public_key = bulk_engine.create_public_key(bulk_secret_key)
        >>> bulk_engine.decrypt(bulk_engine.encrypt([3], public_key), bulk_secret_key)
        array([3], dtype=uint8)
        """
        secret = _operands.secret_key(self, "create_public_key", secret_key)
        return PublicKey(self, self._context.ckks.public_key(secret._native))

    def create_evaluation_key(
        self, secret_key: SecretKey, *, rotations: bool = False, progress: bool | None = None
    ) -> EvaluationKey:
        """Make the keys that compute for a secret. The engine remembers the first ones of every secret.

        They take 1 to 2.2 GB at full size: see `estimate_memory`. First ones with rotations take the place of those
        without.

        Parameters
        ----------
        secret_key : SecretKey
            Secret of the ciphertexts.
        rotations : bool, default False
            Whether there are keys for `roll`, `permute` and `sum`, of 0.2 GB.
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
        >>> bulk_engine.create_evaluation_key(bulk_secret_key)
        EvaluationKey(integer-4-128; ... MB)
        """
        operation = "create_evaluation_key"
        secret, rotates = (
            _operands.secret_key(self, operation, secret_key),
            checks.flag(operation, "rotations", rotations),
        )
        context = self._context.ckks
        with self._reporting("evaluation key", progress) as report:
            bootstrap = context.bootstrap_key(secret._native, "first", STAGE_COUNT, False, report)
            relinearization = context.relinearization_key(secret._native, context.max_level, None)
            conjugation = context.conjugation_key(secret._native, context.max_level, None)
            rotation = context.rotation_key(secret._native, LEVEL, None) if rotates else None
        return self._remembered(Keys(relinearization, conjugation, bootstrap, rotation))

    def _remembered(self, native: Any) -> EvaluationKey:
        known = self._keys.get(native.secret_id)
        key = super()._remembered(native)
        if known is not None and known.rotation is None and native.rotation is not None:
            self.use(key)
        return key

    # Files.

    def _wrap_stored(self, native: Any, notes: dict[str, str]) -> OfEngine:
        if isinstance(native, _native.SecretKey):
            return SecretKey(self, native)
        if isinstance(native, _native.PublicKey):
            return PublicKey(self, native)
        if isinstance(native, list):
            return self._remembered(_keys_of(native))
        if "dtype" in notes:
            return self._stored_digits(native, notes)
        return self._stored_ciphertext(native, notes)

    def _stored_digits(self, native: Any, notes: dict[str, str]) -> UintArray | IntArray | BoolArray:
        """Return the integers or the truth values of a file, whose digits' units follow one another."""
        name, has_digits = notes["dtype"], self.message_bits in BITS
        widths = {f"{sign}int{width}": width for sign in ("", "u") for width in WIDTHS} if has_digits else {}
        count = int(has_digits) if name == "bool" else widths.get(name, 0) // self._digit_bits
        units = native.units() if isinstance(native, _native.Ciphertext) else []
        if not count or not units or len(units) % count:
            raise self._unknown(notes)
        each = len(units) // count
        stack = self._context.ckks.stack
        notes = {**notes, "max_value": "1" if name == "bool" else str(2**self._digit_bits - 1)}
        parts = [stack(units[first : first + each]) for first in range(0, len(units), each)]
        digits = tuple(self._stored_ciphertext(part, notes) for part in parts)
        kind = BoolArray if name == "bool" else UintArray if name.startswith("u") else IntArray
        return kind(self, digits, digits[0]._bootstrap_count)

    def _unknown(self, notes: dict[str, str]) -> HeaderError:
        return HeaderError(
            f"read: the header's notes are {notes}, which no array of the set {self.parameters} has; "
            f"it was not written by Everlevel",
            part="notes",
            found=str(notes),
            expected="shape, max_value or dtype, error and bootstrap_count",
        )

    def _stored_ciphertext(self, native: Any, notes: dict[str, str]) -> Ciphertext:
        """Return the ciphertext of a file, whose notes are those of one."""
        slots = self._context.ckks.slot_count
        shape = headers.read_shape(notes.get("shape", ""))
        size = 0 if shape is None else math.prod(shape)
        known = (
            isinstance(native, _native.Ciphertext)
            and STAGE_COUNT <= native.level <= LEVEL
            and 0 < size <= native.unit_count * slots < size + slots
        )
        max_value = headers.read_integer(notes.get("max_value", ""), 0, self._context.set.space - 1)
        count = headers.read_integer(notes.get("bootstrap_count", ""), 0, _MOST_BOOTSTRAPS)
        error = headers.read_double(notes.get("error", ""), 0.0, _MOST_ERROR)
        if not known or shape is None or max_value is None or count is None or error is None:
            raise self._unknown(notes)
        return Ciphertext(self, native, shape, max_value=max_value, error=error, bootstrap_count=count)

    estimate_memory = _memory.estimate_memory
    estimate_time = _time.estimate_time

    encrypt = _messages.encrypt
    from_tfhe = _tfhe.from_tfhe
    encrypt_uint = _uints.encrypt_uint
    encrypt_int = _uints.encrypt_int
    decrypt = _messages.decrypt

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

    add = _integers.add
    subtract = _integers.subtract
    multiply = _integers.multiply
    linear = _integers.linear
    bootstrap = _integers.bootstrap
    bootstrap_many = _integers.bootstrap_many
    select = _uints.select

    minimum = _uints.minimum
    maximum = _uints.maximum
    rotate_left = _uints.rotate_left
    rotate_right = _uints.rotate_right

    _uint_binary = _uint_operations.binary
    _uint_divide = _uint_operations.divide
    _uint_divmod = _uint_operations.divide_with_remainder
    _uint_compare = _uint_operations.compare
    _uint_unary = _uint_operations.unary
    _uint_shift = _uint_operations.shift
    _uint_astype = _uint_operations.astype
    _uint_reduce = _uint_operations.reduce
    _bool_gate = _uint_operations.gate
    _bool_invert = _uint_operations.invert

    sum = _moves.sum
    roll = _moves.roll
    permute = _moves.permute


_MOST_BOOTSTRAPS: Final = 2**128
_MOST_ERROR: Final = 0.5
"""Errors of this size are read wrongly, and no operation has a result with one."""


def _keys_of(natives: list[Any]) -> Keys:
    """Return the keys of a file, which are one of each kind."""
    kinds = _native.RelinearizationKey, _native.ConjugationKey, _native.BootstrapKey, _native.RotationKey
    if tuple(map(type, natives)) not in (kinds[:3], kinds):
        found = ", ".join(type(native).__name__ for native in natives)
        raise HeaderError(
            f"read: the file has the keys {found}, which no evaluation key of bulk has; "
            f"it was not written by Everlevel",
            part="object",
            found=found,
            expected=", ".join(kind.__name__ for kind in kinds),
        )
    return Keys(*natives)
