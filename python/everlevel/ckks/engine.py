"""The engine: parameters, and every operation on messages, keys and ciphertexts."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, NoReturn

from numpy.typing import ArrayLike

from .. import _native
from .._common import checks, headers
from .._common.methods import knows_options, lists_methods
from .._common.storable import PathLike
from .._common.threads import threads
from ..errors import RangeError, UnsupportedError
from . import (
    _arguments,
    _arithmetic,
    _bootstraps,
    _checks,
    _comparison,
    _device,
    _evaluation,
    _extrema,
    _files,
    _key_generation,
    _many,
    _matrices,
    _memory,
    _messages,
    _options,
    _polynomials,
    _prepare,
    _range,
    _rehearsal,
    _release,
    _slots,
    _tfhe,
)
from ._core import Core, Counters, Refreshed
from ._device import DeviceMemory
from ._registry import KeyRegistry
from ._storable import address, engines, restore

__all__ = ["Engine"]


@lists_methods
class Engine(Core):
    """CKKS: arithmetic on encrypted vectors of real or complex numbers.

    An engine holds parameters and no secrets. It is safe to use from many threads at once: long calls release the
    interpreter's lock.

    Parameters
    ----------
    max_level : int, optional
        Multiplications in a row that a fresh ciphertext stands. It chooses the ring: more levels need a larger one.
    slot_count : int, optional
        Values in a ciphertext, a power of two; as many as the ring has room for, if left out. More than the ring of
        `max_level` has room for choose a larger ring.
    use_bootstrap : bool, default False
        Choose parameters that have room for a bootstrap: 13 levels, of which one from the lowest level leaves 10, 9 or
        8; or as many as `max_level` says, from 4 to 20. Fewer levels have smaller keys and faster bootstraps.
    use_bootstrap_to_14_levels, use_bootstrap_to_17_levels : bool, default False
        Choose parameters of 17 or 20 levels, of which regular bootstraps of three stages leave 14 or 17 (at full slots
        the only stage count). Deeper computations between bootstraps, for slower ones with larger keys; 17 levels are
        best used with small bootstrap keys.
    precision : {"standard", "high", "double"}, default "standard"
        ``"high"`` chooses parameters for bootstraps of 32 bits and more: 11 levels, of which a precise one
        (``bootstrap(…, precision="high")``) leaves 7, 6 or 5, and scales of 2^46; it implies `use_bootstrap`.
        ``"double"`` chooses scales of 2^80, of two primes each, without bootstraps, for results that are flooded
        before they are given away (`release`); up to 41 levels, at twice the cost of each. Values round to doubles
        (2^-53 of their size) when they are decrypted.
    auto_bootstrap : bool, default False
        Bootstrap the operands of an operation that lacks levels, so that a program of any depth runs; it implies
        `use_bootstrap`. The keys are those of `create_evaluation_key`, or those that `use` was given. Values must be of
        size up to about 1 whenever that happens: see `check_range`. What is bootstrapped is remembered as long
        as the original lives; `bootstrap_count` counts, and the logger ``everlevel`` tells at level INFO.
    thread_count : int, optional
        Threads that long calls use; all that the process may use, if left out.
    mode : {"cpu", "gpu"}, default "cpu"
        ``"gpu"`` computes on a GPU of NVIDIA: what the engine encrypts or loads lies there, its keys have copies there,
        and results are the CPU's to the bit. Encryption, decryption, encoding and keys' making stay on the CPU.
    device_id : int or "host", default 0
        Which GPU, by the driver's numbers. ``"host"`` runs the same kernels on the CPU, slowly: for tests, where the
        package was built with it.
    device_memory : int, optional
        Bytes of the GPU's memory to take; four fifths of what is free, if left out. Engines of equal parameters share
        it.
    seeded_keys : bool or "aes", default False
        Let relinearization, conjugation, rotation and bootstrap keys hold the seeds of their uniform halves instead of
        the halves. They take half the memory, and each use expands them: a bootstrap takes 1.3 to 1.5 times as long.
        ``"aes"`` expands them by AES in place of ChaCha20: 1.15 to 1.3 times as long, where the CPU has instructions
        for AES. Keys and their files say so, and versions up to 0.1 can't read them.
    progress : bool, optional
        Whether long calls show a bar on stderr: None shows it in terminals and notebooks. The environment variable
        ``EVERLEVEL_PROGRESS=0`` hides all bars.
    bound : float or pair of floats, optional
        Declared bound of all values that this engine encrypts, where `encrypt` names no other: of their sizes, or
        ``(low, high)``, where they lie.
    range : {"warn", "error"}, default "warn"
        What happens to results that the modulus may not hold, where no bound was declared and 1 is assumed: a
        `RangeWarning`, or a `RangeError` before any work, as for declared bounds.
    gap : float, default 2**-6
        Gap of ``x > y`` and other comparisons by operators, and of `everlevel.sign` and its kin: the share of the bound
        of what is compared within which a result is unspecified, 2**-12 at least. A gap below 2**-7 of values in
        [-1, 1] takes another sign bootstrap.
    insecure_log_n : int, optional
        Ring dimension 2**insecure_log_n, **without any security**: for tests, and for looking at how things work.

    Raises
    ------
    ParameterError
        If the options don't exist, don't go together, or would fall short of 128-bit security.

    Notes
    -----
    Every other parameter set has at least 128-bit classical security. Scripts for the 1.x interface of CKKS run with
    ``from everlevel.compat import Engine``, which is this class with more names (`docs/differences.md`).

    ==============  ====================================================================================================
    subject         methods
    ==============  ====================================================================================================
    engines, keys   `for_program`, `from_file`, ``create_…_key`` (`create_evaluation_key` makes all that is needed),
                    `use`, `forget_keys`, `prepare_bootstrap`
    messages        `encrypt`, `encrypt_many`, `decrypt`, `decrypt_to_plaintext`, `release`, `encode`, `decode`
    planning        `dry_run`, `estimate_memory`, `plan_sign`, `check_range`, `assume_bound`
    arithmetic      `add`, `subtract`, `negate`, `multiply`, `square`, `relinearize`, `weighted_sum`, `level_down`
    slots           `rotate`, `rotate_batch`, `conjugate`, `sum`, `mean`, `sum_range`, `vstack`
    matrices        `encode_to_plain_matrix`, `encode_to_light_plain_matrix`, `encode_to_light_plaintext`,
                    `change_level`, `multiply_matrix`
    functions       `evaluate_polynomial`, `evaluate_chebyshev_polynomial`, `make_power_basis`, `make_chebyshev_basis`
    comparisons     `sign`, `compare`, `maximum`, `minimum`, `relu`, `abs`, ``…_of_slots``
    bootstraps      `bootstrap`, `lossy_bootstrap`, `sign_bootstrap`, `merge_bootstrap`, `bootstrap_many`, `from_tfhe`
    files           `load`, `load_bytes`
    ==============  ====================================================================================================

    Operators and methods of ciphertexts do most of it, and need no name here.

    Examples
    --------
    The examples of all methods share these lines:

    >>> import numpy as np
    >>> from everlevel import Engine
    >>> engine = Engine(max_level=5, insecure_log_n=10)
    >>> secret_key = engine.create_secret_key()
    >>> public_key = engine.create_public_key(secret_key)
    >>> relinearization_key = engine.create_relinearization_key(secret_key)
    >>> conjugation_key = engine.create_conjugation_key(secret_key)
    >>> rotation_key = engine.create_rotation_key(secret_key)

    >>> x = engine.encrypt([0.5, 1.0, 1.5], public_key, bound=2)
    >>> engine.decrypt(x * x + 1, secret_key)[:3].round(3)
    array([1.25, 2.  , 3.25])
    """

    @knows_options
    def __init__(
        self,
        max_level: int | None = None,
        *,
        slot_count: int | None = None,
        use_bootstrap: bool = False,
        use_bootstrap_to_14_levels: bool = False,
        use_bootstrap_to_17_levels: bool = False,
        precision: Literal["standard", "high", "double"] = "standard",
        auto_bootstrap: bool = False,
        thread_count: int | None = None,
        mode: _device.Mode = "cpu",
        device_id: int | Literal["host"] = 0,
        device_memory: int | None = None,
        seeded_keys: bool | Literal["aes"] = False,
        progress: bool | None = None,
        bound: float | tuple[float, float] | None = None,
        range: Literal["warn", "error"] = "warn",  # noqa: A002
        gap: float = _options.USUAL_GAP,
        insecure_log_n: int | None = None,
    ) -> None:
        flags = {
            "use_bootstrap": use_bootstrap,
            "use_bootstrap_to_14_levels": use_bootstrap_to_14_levels,
            "use_bootstrap_to_17_levels": use_bootstrap_to_17_levels,
            "auto_bootstrap": auto_bootstrap,
        }
        any_level, to_14, to_17, is_automatic = (checks.truth("Engine", name, value) for name, value in flags.items())
        chosen_precision = _options.precision(precision)
        context = _native.Context(
            bootstrap_to=_options.bootstrap_to(any_level or is_automatic, to_14, to_17, chosen_precision),
            precision=chosen_precision,
            max_level=_options.max_level(max_level),
            slot_count=_options.slots(slot_count),
            options=(
                threads(thread_count),
                _options.seeding("Engine", seeded_keys),
                _options.refuses_assumed(range),
                _device.wanted("Engine", mode, device_id, device_memory),
            ),
            insecure_log_n=_options.non_negative("insecure_log_n", insecure_log_n),
        )
        declared, share = _checks.bound("Engine", bound, None), _options.gap("Engine", gap)
        self._fill(context, progress, is_automatic, declared, share)

    def _fill(
        self,
        context: _native.Context,
        progress: bool | None,
        auto_bootstrap: bool,
        bound: float | tuple[float, float] | None = None,
        gap: float = _options.USUAL_GAP,
    ) -> None:
        self._context = context
        self._shows_progress = progress
        self._registry = KeyRegistry()
        self._counters = Counters()
        self._refreshed = Refreshed() if auto_bootstrap else None
        self._bound = bound
        self._gap = gap
        self._program: _rehearsal.DryRun | None = None
        engines.announce(address(context), self)

    @classmethod
    def from_file(
        cls,
        path: PathLike,
        *,
        slot_count: int | None = None,
        thread_count: int | None = None,
        mode: _device.Mode = "cpu",
        device_id: int | Literal["host"] = 0,
        device_memory: int | None = None,
        seeded_keys: bool | Literal["aes"] = False,
        auto_bootstrap: bool = False,
        progress: bool | None = None,
        bound: float | tuple[float, float] | None = None,
        range: Literal["warn", "error"] = "warn",  # noqa: A002
        gap: float = _options.USUAL_GAP,
    ) -> Engine:
        """Make the engine that a file is for: of the parameters of the key, the plaintext or the ciphertext in it.

        It reads the file's header alone, and `load` the object: `everlevel.open` does both, for files of any scheme.

        Parameters
        ----------
        path : str or path-like
            A file that `save` wrote.
        slot_count : int, optional
            That of the file, if left out; all that there are for a secret or a public key, which serve any.
        thread_count, mode, device_id, device_memory, seeded_keys, auto_bootstrap, progress, bound, range, gap
            As for the engine itself.

        Raises
        ------
        StorageError, FormatError
            If the file can't be opened, or isn't Everlevel's.
        UnsupportedKindError
            If it is another scheme's; the message says whose.

        Examples
        --------
        >>> import tempfile, pathlib
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = pathlib.Path(folder) / "secret.key"
        ...     secret_key.save(path)
        ...     print(Engine.from_file(path, thread_count=1))
        Engine(N 2^10, slots 512, levels 0..5, 1 thread, INSECURE)
        """
        operation = "from_file"
        header = headers.read_of(operation, checks.path(operation, path), "ckks")
        cipher = _options.seeding(operation, seeded_keys)
        is_automatic = checks.truth(operation, "auto_bootstrap", auto_bootstrap)
        device = _device.wanted(operation, mode, device_id, device_memory)
        options = threads(thread_count), cipher, _options.refuses_assumed(range), device
        slots = _options.slots(slot_count) or header.slot_count
        engine = cls.__new__(cls)
        context = _native.Context.from_params(header.metadata["params"], slots, options)
        declared, share = _checks.bound(operation, bound, None), _options.gap(operation, gap)
        engine._fill(context, progress, is_automatic, declared, share)
        return engine

    @classmethod
    def for_program(
        cls, function: Callable[..., Any], *examples: ArrayLike, bounds: Any = None, **options: Any
    ) -> Engine:
        """Make the engine that a program takes, by a dry run of it.

        Parameters
        ----------
        function, examples, bounds
            As in `dry_run`.
        **options
            Other options of the engine: all but its levels.

        Returns
        -------
        Engine
            With as many levels as the program consumes, or with `auto_bootstrap`, if that are too many or it compares.
            ``create_evaluation_key(secret_key, for_program=True)`` makes the keys that the program takes.

        Raises
        ------
        RangeError
            If the program is refused with these bounds.

        Examples
        --------
        >>> small = Engine.for_program(lambda x: (x - x.mean()) ** 2, [0.5, 1.0, 1.5], insecure_log_n=10)
        >>> small.max_level
        2
        >>> secret = small.create_secret_key()
        >>> small.create_evaluation_key(secret, for_program=True)
        EvaluationKey(relinearization, rotations by any amount; ... MB)
        """
        program = _rehearsal.rehearse(cls, options, function, examples, bounds)
        if program.refusal is not None:
            raise RangeError(program.refusal)
        engine = cls(**program.options)
        engine._program = program
        return engine

    def __reduce__(self) -> tuple[Any, ...]:
        options = self.auto_bootstrap, self._bound, self._context.refuses_assumed, type(self), self._gap
        return _engine_like, (*address(self._context), *options)

    @property
    def log_n(self) -> int:
        """Base-2 logarithm of the ring dimension.

        Examples
        --------
        >>> engine.log_n, 2 * engine.slot_count == 2**engine.log_n
        (10, True)
        """
        return self._context.log_n

    @property
    def seeded_keys(self) -> bool:
        """Whether the keys that the engine makes are seeded: half the memory, slower use.

        Examples
        --------
        >>> engine.seeded_keys, Engine(max_level=2, seeded_keys=True, insecure_log_n=10).seeded_keys
        (False, True)
        """
        return self._context.seeded_keys is not None

    @property
    def device(self) -> str:
        """Where what the engine encrypts or loads lies: ``"cpu"``, or a GPU, ``"gpu:0"``.

        Examples
        --------
        >>> engine.device
        'cpu'
        """
        return _device.place_of(self._context)

    @property
    def device_memory(self) -> DeviceMemory | None:
        """The memory that the engine has on its GPU, in use and in all; None without one.

        Examples
        --------
        >>> engine.device_memory is None
        True
        """
        return _device.memory(self._context)

    @property
    def security_bits(self) -> int:
        """Classical security of the parameters: 128, or 0 for an insecure ring.

        Examples
        --------
        >>> engine.security_bits
        0
        """
        return 0 if self._context.insecure else 128

    def __repr__(self) -> str:
        parts = [f"N 2^{self.log_n}", f"slots {self.slot_count}", f"levels 0..{self.max_level}"]
        if self._context.can_bootstrap:
            kind = "bootstrap" if self._refreshed is None else "automatic bootstrap"
            usual = self._context.precision == "high" or self.max_level == 13
            parts.append(kind if usual else f"{kind} to level {self.max_level - 3}")
            parts.append(f"gap {_power_of_two(self._gap)}")
        if self._context.precision != "standard":
            parts.append(f"{self._context.precision} precision")
        if self.seeded_keys:
            parts.append("seeded keys" if self._context.seeded_keys == "chacha20" else "seeded keys by AES")
        if self._context.device is not None:
            parts.append(": ".join(self._context.device))
        parts.append(f"{self.thread_count} thread{'s' if self.thread_count > 1 else ''}")
        parts.append(f"{self.security_bits}-bit security" if self.security_bits else "INSECURE")
        return f"Engine({', '.join(parts)})"

    # Type checkers refuse such names by themselves, and would take what follows one for code that is never reached.
    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> NoReturn:
            # Called only for what isn't there.
            raise UnsupportedError(
                f"Engine.{name}: there is no such attribute; see dir(Engine), or run scripts for 1.x with "
                f"everlevel.compat.Engine",
                function=name,
            )

    create_secret_key = _key_generation.create_secret_key
    create_public_key = _key_generation.create_public_key
    create_relinearization_key = _key_generation.create_relinearization_key
    create_conjugation_key = _key_generation.create_conjugation_key
    create_rotation_key = _key_generation.create_rotation_key
    create_fixed_rotation_key = _key_generation.create_fixed_rotation_key
    create_matrix_multiplication_key = _key_generation.create_matrix_multiplication_key
    create_bootstrap_key = _key_generation.create_bootstrap_key
    create_lossy_bootstrap_key = _key_generation.create_lossy_bootstrap_key
    create_small_bootstrap_key = _key_generation.create_small_bootstrap_key

    create_evaluation_key = _evaluation.create_evaluation_key
    prepare_bootstrap = _prepare.prepare_bootstrap
    use = _evaluation.use
    forget_keys = _evaluation.forget_keys

    encode = _messages.encode
    decode = _messages.decode
    encrypt = _messages.encrypt
    encrypt_many = _messages.encrypt_many
    decrypt = _messages.decrypt
    decrypt_to_plaintext = _messages.decrypt_to_plaintext

    check_range = _range.check_range
    assume_bound = _messages.assume_bound
    release = _release.release

    estimate_memory = _memory.estimate_memory
    dry_run = _rehearsal.dry_run

    add = _arithmetic.add
    subtract = _arithmetic.subtract
    negate = _arithmetic.negate
    multiply = _arithmetic.multiply
    square = _arithmetic.square
    relinearize = _arithmetic.relinearize
    level_down = _arithmetic.level_down
    vstack = _arithmetic.vstack

    rotate = _slots.rotate
    rotate_batch = _slots.rotate_batch
    conjugate = _slots.conjugate
    sum = _slots.sum
    mean = _slots.mean
    sum_range = _slots.sum_range

    encode_to_light_plaintext = _matrices.encode_to_light_plaintext
    change_level = _matrices.change_level
    encode_to_plain_matrix = _matrices.encode_to_plain_matrix
    encode_to_light_plain_matrix = _matrices.encode_to_light_plain_matrix
    multiply_matrix = _matrices.multiply_matrix

    make_power_basis = _polynomials.make_power_basis
    make_chebyshev_basis = _polynomials.make_chebyshev_basis
    evaluate_polynomial = _polynomials.evaluate_polynomial
    evaluate_chebyshev_polynomial = _polynomials.evaluate_chebyshev_polynomial
    weighted_sum = _polynomials.weighted_sum

    plan_sign = _comparison.plan_sign
    sign = _comparison.sign
    compare = _comparison.compare

    maximum = _extrema.maximum
    minimum = _extrema.minimum
    relu = _extrema.relu
    abs = _extrema.abs
    max_of_slots = _extrema.max_of_slots
    min_of_slots = _extrema.min_of_slots

    argmax_of_slots = _arguments.argmax_of_slots
    argmin_of_slots = _arguments.argmin_of_slots

    bootstrap = _bootstraps.bootstrap
    lossy_bootstrap = _bootstraps.lossy_bootstrap
    sign_bootstrap = _bootstraps.sign_bootstrap
    merge_bootstrap = _bootstraps.merge_bootstrap

    bootstrap_many = _many.bootstrap_many
    from_tfhe = _tfhe.from_tfhe

    load = _files.load

    _deserialize = _files.deserialize
    _from_transit = _files.from_transit


def _power_of_two(value: float) -> str:
    """Write a number as a power of two, where it is one."""
    exponent = math.log2(value)
    return f"2^{exponent:.0f}" if exponent.is_integer() else f"{value:g}"


def _new_engine(
    params: str,
    slot_count: int,
    parallel: bool,
    seeded_keys: bool | str | None,
    auto_bootstrap: bool = False,
    bound: float | tuple[float, float] | None = None,
    refuses_assumed: bool = False,
    kind: type[Engine] = Engine,
    gap: float = _options.USUAL_GAP,
) -> Engine:
    options = threads(None if parallel else 1), _options.cipher_of(seeded_keys), refuses_assumed, None
    engine = kind.__new__(kind)
    engine._fill(_native.Context.from_params(params, slot_count, options), None, auto_bootstrap, bound, gap)
    return engine


def _engine_like(
    params: str,
    slot_count: int,
    parallel: bool,
    seeded_keys: bool | str | None,
    auto_bootstrap: bool,
    bound: float | tuple[float, float] | None = None,
    refuses_assumed: bool = False,
    kind: type[Engine] = Engine,
    gap: float = _options.USUAL_GAP,
) -> Engine:
    """Return an engine for one that a pickle brings."""
    place = params, slot_count, parallel, _options.cipher_of(seeded_keys)
    options = (auto_bootstrap, bound, refuses_assumed, kind, gap)
    engine: Engine = engines.at(*place)
    found = engine.auto_bootstrap, engine._bound, engine._context.refuses_assumed, type(engine), engine._gap
    return engine if found == options else _new_engine(params, slot_count, parallel, seeded_keys, *options)


engines.make = _new_engine

# What pickles of version 0.1 name.
_restore = restore
