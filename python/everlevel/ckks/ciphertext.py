"""An encrypted message, and its operators."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from typing import Any, ClassVar, NoReturn, Protocol, cast

import numpy as np

from .. import _native
from .._common import powers, slot_shapes
from .._common.opaque import Encrypted, Opaque, is_clear, unchanging
from .._common.slot_shapes import SLOTS, Layout
from ..errors import OperandTypeError
from . import _checks, _device
from ._claims import Claims
from ._methods import called
from ._numpy import NUMPY
from ._registry import KeyRegistry
from ._storable import Storable
from .keys import ConjugationKey, RelinearizationKey
from .matrix import LightPlainMatrix, PlainMatrix
from .plaintext import LightPlaintext, Plaintext

__all__ = ["Ciphertext"]


class Operations(Protocol):
    """Interface of the engine that made a ciphertext: `Engine` has all of it, and more."""

    _context: _native.Context
    _registry: KeyRegistry

    @property
    def max_level(self) -> int: ...
    @property
    def auto_bootstrap(self) -> bool: ...
    @property
    def gap(self) -> float: ...
    def _wrap(self, native: _native.Ciphertext, *, is_real: bool, layout: Layout = SLOTS) -> Ciphertext: ...
    def add(self, left: Any, right: Any) -> Ciphertext: ...
    def subtract(self, left: Any, right: Any) -> Ciphertext: ...
    def negate(self, ciphertext: Ciphertext) -> Ciphertext: ...
    def multiply(
        self, left: Any, right: Any, relinearization_key: Any = None, *, relinearize: bool = ...
    ) -> Ciphertext: ...
    def square(
        self, ciphertext: Ciphertext, relinearization_key: Any = None, *, relinearize: bool = ...
    ) -> Ciphertext: ...
    def multiply_matrix(self, matrix: Any, ciphertext: Ciphertext, key: Any) -> Ciphertext: ...
    def rotate(self, ciphertext: Ciphertext, *, delta: int) -> Ciphertext: ...
    def sum(self, ciphertext: Ciphertext, *, axis: int | tuple[int, ...] | None) -> Ciphertext: ...
    def mean(self, ciphertext: Ciphertext, *, axis: int | tuple[int, ...] | None) -> Ciphertext: ...
    def conjugate(self, ciphertext: Ciphertext, conjugation_key: Any) -> Ciphertext: ...
    def bootstrap(self, ciphertext: Ciphertext, *keys: Any, stage_count: Any, level: Any) -> Ciphertext: ...
    def lossy_bootstrap(
        self, ciphertext: Ciphertext, *keys: Any, stage_count: Any, level: Any, real_only: Any
    ) -> Ciphertext: ...
    def sign_bootstrap(
        self, ciphertext: Ciphertext, *keys: Any, stage_count: Any, level: Any, real_only: Any
    ) -> Ciphertext: ...
    def evaluate_chebyshev_polynomial(self, ciphertext: Ciphertext, coefficients: Any, key: Any) -> Ciphertext: ...
    def assume_bound(self, ciphertext: Ciphertext, bound: float | tuple[float, float]) -> Ciphertext: ...


class Ciphertext(Claims, Encrypted, Storable):
    """An encrypted vector of numbers, in units of `slot_count`.

    Made by `Engine.encrypt`, and by every operation on ciphertexts. An operation gives a new one, and any number of
    threads may share it. Operators use the evaluation keys that the engine has made, or was given, for the
    ciphertext's secret.

    It remembers the `shape` of what was encrypted, up to `slot_count` values, as NumPy's arrays do: `len`, sums and
    means are those of the values that are there, and shapes broadcast; ``matrix @ a`` has a value for each row.
    Rotations, `Engine.multiply_matrix` and arrays of `slot_count` values work on all slots, and give the slots' shape,
    with zeros after the values.

    A vector longer than `slot_count` has several units, `unit_count` of them: operations act on each, and rotations
    inside each. `units` takes them apart, and `Engine.vstack` puts them together.

    ==========================  =============================================  ======================
    expression                  means                                          levels consumed
    ==========================  =============================================  ======================
    ``a + b``, ``a - b``        slot by slot; ``b`` may be a ciphertext,       0
                                a plaintext, an array or a number
    ``-a``                      negation                                       0
    ``a * b``                   slot by slot                                   1
    ``3 * a``, ``1j * a``       by a number with integer parts                 0
    ``1.5 * a``, ``array * a``  by any other number, or by an array            1
    ``a / 2``, ``a / array``    by the inverse of a number, or of an array's   1
                                elements
    ``1 / a``, ``b / a``        `everlevel.divide`, where `interval` has no    those of a fit
                                0 in it
    ``matrix @ a``              by a plain matrix or a 2-D array               1
    ``a @ b``                   sum of products with a ciphertext or a 1-D     1
                                array, on either side, in every slot; of
                                encrypted matrices `everlevel.matmul`          1 to 4
    ``a ** k``                  power, for an integer k ≥ 1; others have to    ceil(log2(k))
                                say where values lie: `everlevel.power`
    ``a > b``, ``a < b``        1 and 0, by a sign bootstrap, outside of the   to one below the
                                gap of `Engine.gap`                            highest
    ``abs(a)``                  absolute value, to that gap                    1
    ==========================  =============================================  ======================

    NumPy's functions of these operators do the same, and so do ``numpy.exp(a)``, ``numpy.clip(a, 0, 1)`` and others of
    which there is one here (the page *Ready functions* lists them). All others raise `OperandTypeError`.

    Examples
    --------
    >>> a = engine.encrypt([1.0, 2.0, 3.0], public_key, bound=3)
    >>> b = a * a - 2 * a + 1.5
    >>> b.level == a.level - 1
    True
    >>> engine.decrypt(b, secret_key).round(3)
    array([0.5, 1.5, 4.5])
    >>> b.shape, engine.decrypt(b - b.mean(), secret_key).round(3)
    ((3,), array([-1.667, -0.667,  2.333]))
    """

    __slots__ = ("__weakref__", "_ends", "_engine", "_is_real", "_layout", "_native")

    _engine: Operations

    kind = "ciphertext"

    _instead_of_numpy = (
        "use its operators and methods, such as x.rotate(1) for numpy.roll(x, 1), those of the engine, and "
        "series.to_numpy() @ x for pandas' series @ x, or decrypt it first"
    )

    _next_steps: ClassVar[Mapping[str, str]] = {
        **dict.fromkeys(("floor_divide", "remainder", "divmod"), "call everlevel.floor(x / divisor) with a bootstrap"),
        "power": "call everlevel.exp(x * numpy.log(base)) for powers of a number above 0",
        "matmul": "multiply by numbers with *, and by vectors and matrices with @",
        **dict.fromkeys(("and", "or", "xor", "invert"), "multiply conditions: p * q for p and q, 1 - p for not p"),
        **dict.fromkeys(("left_shift", "right_shift"), "multiply by a power of two"),
    }

    _how_to_compare = "compute with engine.compare, or decrypt both"

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        return NUMPY.operator(Ciphertext, ufunc, method, inputs, kwargs)

    def __array_function__(self, function: Any, types: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        return NUMPY.function(function, args, kwargs)

    def __init__(
        self,
        engine: Operations,
        native: _native.Ciphertext,
        *,
        is_real: bool,
        layout: Layout = SLOTS,
        ends: tuple[float, float] | None = None,
    ) -> None:
        self._engine = engine
        self._native = native
        self._is_real = is_real
        self._layout = layout
        self._ends = ends

    def _stored(self) -> tuple[_native.Context, _native.Ciphertext, dict[str, str]]:
        return self._engine._context, self._native, {"is_real": str(self._is_real).lower(), **self._layout.notes()}

    def _with(self, layout: Layout) -> Ciphertext:
        """Return the same ciphertext with another layout."""
        if layout == self._layout:
            return self
        return Ciphertext(self._engine, self._native, is_real=self._is_real, layout=layout)

    def _lying(self, ends: tuple[float, float] | None) -> Ciphertext:
        """Return the same ciphertext, whose real values lie between ends, whatever the slots after them hold.

        Nothing that is made of it knows of them, but by `interval`.
        """
        return Ciphertext(self._engine, self._native, is_real=self._is_real, layout=self._layout, ends=ends)

    def units(self) -> list[Ciphertext]:
        """Return each unit as a ciphertext of its own.

        Examples
        --------
        >>> a = engine.encrypt(np.ones(2 * engine.slot_count), public_key)
        >>> a.unit_count, [unit.unit_count for unit in a.units()]
        (2, [1, 1])
        """
        if self.unit_count == 1:
            return [self]
        return [Ciphertext(self._engine, unit, is_real=self._is_real) for unit in self._native.units()]

    def __copy__(self) -> Ciphertext:
        return Ciphertext(self._engine, self._native, is_real=self._is_real, layout=self._layout)

    def __deepcopy__(self, memo: object) -> Ciphertext:
        return self.__copy__()

    @property
    def device(self) -> str:
        """Where the ciphertext lies, and operations on it run: ``"cpu"``, or a GPU, ``"gpu:0"``.

        Examples
        --------
        >>> engine.encrypt([0.5], secret_key, bound=1).device
        'cpu'
        """
        return self._native.place

    def to(self, device: str) -> Ciphertext:
        """Return the ciphertext on the CPU or on the engine's GPU: itself, or a copy there.

        Operations run where their operands lie, which has to be one place.

        Parameters
        ----------
        device : {"cpu", "gpu"}
            ``"gpu"`` is the GPU of an engine that was made with ``mode="gpu"``; ``"gpu:0"`` names it.

        Raises
        ------
        DeviceError
            If the engine has no GPU, or the GPU fails.
        DeviceMismatchError, OutOfMemoryError, ParameterError
            If it is another GPU than the engine's, has no room, or isn't a device's name.

        Examples
        --------
        >>> x = engine.encrypt([0.5], public_key, bound=1)
        >>> x.device, x.to("cpu") is x
        ('cpu', True)
        """
        native = _device.moved(self._engine._context, self._native, device)
        same = native is self._native
        return self if same else Ciphertext(self._engine, native, is_real=self._is_real, layout=self._layout)

    def __setitem__(self, index: Any, value: Any) -> NoReturn:
        raise unchanging("numpy.where(mask, value, x) with a mask in the clear")

    # By identity: sets and dictionaries may hold ciphertexts, and find the very ones.
    __hash__ = object.__hash__  # type: ignore[assignment]

    def __neg__(self) -> Ciphertext:
        return self._engine.negate(self)

    def __pos__(self) -> Ciphertext:
        return self

    def __add__(self, other: Any) -> Ciphertext:
        return self._engine.add(self, other) if _is_operand(other) else NotImplemented

    __radd__ = __add__

    def __sub__(self, other: Any) -> Ciphertext:
        return self._engine.subtract(self, other) if _is_operand(other) else NotImplemented

    def __rsub__(self, other: Any) -> Ciphertext:
        return self._engine.subtract(other, self) if _is_operand(other) else NotImplemented

    def __mul__(self, other: Any) -> Ciphertext:
        if not _is_operand(other):
            return NotImplemented
        return self._engine.multiply(self, other, relinearize=True)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Ciphertext:
        if isinstance(other, Ciphertext):
            return other.__rtruediv__(self)
        if isinstance(other, (Plaintext, LightPlaintext)) or not _is_operand(other):
            return NotImplemented
        product = self._engine.multiply(self, _checks.inverse("divide", other))
        return self._engine._wrap(product._native.quotient(), is_real=product.is_real, layout=product._layout)

    def __rtruediv__(self, other: Any) -> Ciphertext:
        low, high = self.interval or (0.0, 0.0)
        if (low > 0 or high < 0) and _is_operand(other):
            return called(operator.truediv, self, other)
        raise OperandTypeError(
            "divide: the divisor is encrypted, and inverses of encrypted values are approximated; choose an interval "
            "without 0 that they lie in, and call everlevel.divide(dividend, divisor, interval=(a, b)), claim it, "
            "divisor.within(a, b), or encrypt them with it: bound=(a, b)",
            argument="divisor",
            expected="number or array in the clear",
            actual="Ciphertext",
        )

    def __matmul__(self, other: Any) -> Ciphertext:
        if not _is_operand(other) or _checks.is_scalar(other):
            return super().__matmul__(other)  # type: ignore[misc,no-any-return]
        return called(np.matmul, self, other)

    def __rmatmul__(self, matrix: Any) -> Ciphertext:
        if not (_is_operand(matrix) or isinstance(matrix, (PlainMatrix, LightPlainMatrix, Mapping))):
            return NotImplemented
        if is_clear(matrix) and (_checks.is_vector(matrix) or len(self._layout.shape or ()) > 1):
            return cast(Ciphertext, NUMPY.functions[np.matmul](matrix, self))
        product: Ciphertext = self._engine.multiply_matrix(matrix, self, None)
        layout = slot_shapes.of_product(matrix, self._layout, self.slot_count)
        return product if layout is None else product._with(layout)

    def __pow__(self, exponent: Any) -> Ciphertext:
        if isinstance(exponent, (float, np.floating)):
            return called(np.float_power, self, exponent)
        power = powers.exponent(exponent, "call everlevel.power(x, exponent, interval=(a, b)) for others")
        if not self._engine.auto_bootstrap:
            _checks.require_level("power", self.level, powers.depth(power), self._engine.max_level)
        key = self._relinearization_key("power") if power > 1 else None

        def multiply(high: Ciphertext, low: Ciphertext) -> Ciphertext:
            return self._engine.square(high, key) if high is low else self._engine.multiply(high, low, key)

        return powers.power(self, power, multiply)

    def __abs__(self) -> Ciphertext:
        return called(np.absolute, self)

    def __floor__(self) -> Ciphertext:
        return called(np.floor, self)

    def __ceil__(self) -> Ciphertext:
        return called(np.ceil, self)

    def __round__(self, decimals: int | None = None) -> Ciphertext:
        return called(np.round, self, 0 if decimals is None else decimals)

    def __gt__(self, other: Any) -> Ciphertext:
        return called(np.greater, self, other) if _is_operand(other) else NotImplemented

    def __lt__(self, other: Any) -> Ciphertext:
        return called(np.less, self, other) if _is_operand(other) else NotImplemented

    # Values nearer than the gap are neither the one nor the other.
    __ge__ = __gt__
    __le__ = __lt__

    def within(self, low: float, high: float | None = None) -> Ciphertext:
        """Claim where the values lie, in place of the bound that operations carried: see `Engine.assume_bound`.

        Parameters
        ----------
        low, high : float
            ``within(b)`` claims sizes of at most b, and ``within(a, b)`` values from a to b: `interval`, whose larger
            size is the bound. It is public: choose it by what the values can be.

        Raises
        ------
        ParameterError
            If an end is no finite number, the ends are in the wrong order, or a size is negative.
        RangeError
            If the bound exceeds the level's room.

        Examples
        --------
        >>> x = engine.encrypt([0.25, 0.75], public_key, bound=1)
        >>> x.within(0, 1).interval, (x.within(0, 1) * 4 - 1).interval
        ((0.0, 1.0), (-1.0, 3.0))
        """
        claimed = _checks.declared_bound("within", low) if high is None else _checks.ends("within", low, high)
        return self._engine.assume_bound(self, claimed)

    def rotate(self, delta: int) -> Ciphertext:
        """Rotate the slots as ``numpy.roll(x, delta)`` does, with the engine's keys.

        A fixed rotation key for this very amount is used where the engine knows one; else its rotation key.

        Raises
        ------
        MissingKeyError
            If the engine knows neither.

        Examples
        --------
        >>> a = engine.encrypt([1.0, 2.0, 3.0], public_key, bound=3)
        >>> engine.decrypt(a.rotate(-1), secret_key)[:2].round(3)
        array([2., 3.])
        """
        return self._engine.rotate(self, delta=delta)

    def conjugate(self) -> Ciphertext:
        """Conjugate every slot, with the engine's key.

        Raises
        ------
        MissingKeyError
            If the engine knows no conjugation key.

        Examples
        --------
        >>> x = engine.encrypt([1 + 2j], public_key, bound=3)
        >>> engine.decrypt(x.conjugate(), secret_key).round(3)
        array([1.-2.j])
        """
        return self._engine.conjugate(self, self._conjugation_key("conjugate"))

    def bootstrap(self, *keys: Any, stage_count: int | None = None, level: int | None = None) -> Ciphertext:
        """Raise the level: see `Engine.bootstrap`. Keys that are left out are those that the engine uses.

        Raises
        ------
        MissingKeyError
            If the engine knows no key of a kind that is needed.

        Examples
        --------
        >>> deep = Engine(use_bootstrap=True, insecure_log_n=10)
        >>> secret = deep.create_secret_key()
        >>> key = deep.create_evaluation_key(secret, bootstrap="lossy")
        >>> deep.encrypt([0.5], secret, level=0, bound=1).bootstrap().level
        10
        """
        return self._engine.bootstrap(self, *keys, stage_count=stage_count, level=level)

    def lossy_bootstrap(
        self, *keys: Any, stage_count: int | None = None, level: int | None = None, real_only: bool | None = None
    ) -> Ciphertext:
        """Raise the level to the highest: see `Engine.lossy_bootstrap`. Keys are as in `bootstrap`.

        Examples
        --------
        >>> deep = Engine(use_bootstrap=True, insecure_log_n=10)
        >>> secret = deep.create_secret_key()
        >>> key = deep.create_evaluation_key(secret, bootstrap="lossy")
        >>> deep.encrypt([0.5], secret, level=3, bound=1).lossy_bootstrap().level
        13
        """
        return self._engine.lossy_bootstrap(self, *keys, stage_count=stage_count, level=level, real_only=real_only)

    def sign_bootstrap(
        self, *keys: Any, stage_count: int | None = None, level: int | None = None, real_only: bool | None = None
    ) -> Ciphertext:
        """Raise the level of values ±1 and clean them: see `Engine.sign_bootstrap`. Keys are as in `bootstrap`.

        Examples
        --------
        >>> deep = Engine(use_bootstrap=True, insecure_log_n=10)
        >>> secret = deep.create_secret_key()
        >>> key = deep.create_evaluation_key(secret, bootstrap="lossy")
        >>> x = deep.encrypt([0.999, -1.001], secret, level=3, bound=1.25)
        >>> deep.decrypt(x.sign_bootstrap(), secret).round(5)
        array([ 1., -1.])
        """
        return self._engine.sign_bootstrap(self, *keys, stage_count=stage_count, level=level, real_only=real_only)

    def _relinearization_key(self, operation: str) -> RelinearizationKey:
        return self._engine._registry.find(operation, RelinearizationKey, self._native.secret_id)

    def _conjugation_key(self, operation: str) -> ConjugationKey:
        return self._engine._registry.find(operation, ConjugationKey, self._native.secret_id)


def _is_operand(value: Any) -> bool:
    """Whether the engine judges a value; what other libraries define is left to them."""
    if isinstance(value, Opaque):
        return isinstance(value, (Ciphertext, Plaintext, LightPlaintext))
    if isinstance(value, (list, tuple, str, bytes)) or _checks.is_scalar(value):
        return True
    return hasattr(value, "__array__")
