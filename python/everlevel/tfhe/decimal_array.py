"""Arrays of encrypted decimals: exact amounts of money."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, Protocol, Self

import numpy as np

from .. import _native
from .._common import checks
from .._common.shaped import Shape
from ..errors import MessageError, WidthError
from ._array import Axis, EncryptedArray, comparable, is_operand
from ._decimal_numbers import factors_of, units_of
from ._integer_array import IntegerArray
from .bool_array import BoolArray
from .int_array import IntArray
from .uint_array import UintArray

__all__ = ["DecimalArray"]


class Operations(Protocol):
    """Interface of the engine behind the operators of an array of decimals."""

    def select(self, condition: Any, a: Any, b: Any) -> Any: ...


class DecimalArray(EncryptedArray[_native.TfheUintArray]):
    """An array of encrypted decimals with a fixed number of places, of any shape: integers of hundredths, or the like.

    Made by `Engine.encrypt_decimal`. Sums, differences and comparisons take decimals of as many places, encrypted or in
    the clear (`decimal.Decimal`, strings or integers; no floats), and sums have the operands' width. **Products are
    exact**: they have the places of both factors and twice the width, and `round` brings them back to fewer places.
    Factors may be encrypted integers, which have no places.
    Sums and differences wrap around beyond the width, as integers do, which 64 bits of cents are far from.

    Examples
    --------
    >>> engine, secret_key = tfhe_engine, tfhe_secret_key
    >>> price = engine.encrypt_decimal(["19.99", "5.25"], secret_key, width=16)
    >>> gross = (price * "1.19").round(2)
    >>> engine.decrypt(gross, secret_key).tolist()
    [Decimal('23.79'), Decimal('6.25')]
    >>> engine.decrypt(price > "5.25", secret_key)
    array([ True, False])
    """

    __slots__ = ("_places",)

    _engine: Operations

    kind = "array of encrypted decimals"

    # Equality is another array.
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, engine: Any, native: _native.TfheUintArray, shape: Shape, places: int) -> None:
        super().__init__(engine, native, shape)
        self._places = places

    def _like(self, native: _native.TfheUintArray, shape: Shape) -> Self:
        return type(self)(self._engine, native, shape, self._places)

    def _stored(self) -> tuple[_native.TfheUintArray, dict[str, str]]:
        native, notes = super()._stored()
        return native, notes | {"signed": "yes", "places": str(self._places)}

    @property
    def places(self) -> int:
        """Digits behind the point.

        Examples
        --------
        >>> tfhe_engine.encrypt_decimal(["19.99"], tfhe_secret_key, places=2).places
        2
        """
        return self._places

    @property
    def width(self) -> int:
        """Bits of the number of units.

        Examples
        --------
        >>> tfhe_engine.encrypt_decimal(["19.99"], tfhe_secret_key, places=2).width
        64
        """
        return self._native.width

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the decrypted array, whose elements are `decimal.Decimal`.

        Examples
        --------
        >>> tfhe_engine.encrypt_decimal(["19.99"], tfhe_secret_key, places=2).dtype
        dtype('O')
        """
        return np.dtype(object)

    def __repr__(self) -> str:
        return f"DecimalArray(shape {self._shape}, int{self.width} with {self._places} places, {self._shown_failure()})"

    # Units.

    @property
    def units(self) -> IntArray:
        """The numbers of units, such as cents, as integers.

        Examples
        --------
        >>> x = tfhe_engine.encrypt_decimal(["19.99"], tfhe_secret_key, places=2)
        >>> tfhe_engine.decrypt(x.units, tfhe_secret_key)
        array([1999])
        """
        return IntArray(self._engine, self._native, self._shape)

    def _of(self, units: IntArray, places: int | None = None) -> Self:
        return type(self)(self._engine, units._native, units.shape, self._places if places is None else places)

    def _units_of(self, operation: str, value: Any) -> Any:
        """Return the units of an operand with as many places."""
        if not isinstance(value, EncryptedArray):
            return units_of(operation, value, self._places)
        found = checks.instance(operation, "operand", value, DecimalArray)
        if found._places != self._places:
            raise MessageError(
                f"{operation}: the operands have {self._places} and {found._places} places; "
                f"convert one, such as by x.with_places({max(self._places, found._places)})"
            )
        return found.units

    # Arithmetic.

    def __add__(self, other: Any) -> Self:
        return self._of(self.units + self._units_of("add", other)) if _is_operand(other) else NotImplemented

    __radd__ = __add__

    def __sub__(self, other: Any) -> Self:
        return self._of(self.units - self._units_of("subtract", other)) if _is_operand(other) else NotImplemented

    def __rsub__(self, other: Any) -> Self:
        return self._of(self._units_of("subtract", other) - self.units) if _is_operand(other) else NotImplemented

    def __mul__(self, other: Any) -> Self:
        if not _is_operand(other):
            return NotImplemented
        if isinstance(other, BoolArray):
            return self._of(other * self.units)
        if isinstance(other, IntegerArray):
            if other.width > self.width:
                raise WidthError(
                    f"multiply: the decimals have {self.width} bits and the integers {other.width}; "
                    f"convert the decimals by x.with_width({other.width})",
                    left=self.width,
                    right=other.width,
                )
            factor, places = self._wider(other), 0
        elif isinstance(other, EncryptedArray):
            found = checks.instance("multiply", "operand", other, DecimalArray)
            factor, places = self._wider(found.units), found._places
        else:
            factor, places = factors_of("multiply", other)
        checks.integer_between("multiply", "places of the product", self._places + places, 0, 76, "round a factor")
        return self._of(self._wider(self.units) * factor, self._places + places)

    __rmul__ = __mul__

    def _wider(self, factor: IntegerArray) -> Any:
        if self.width > 128:
            raise WidthError(
                f"multiply: the factors have {self.width} bits, and 128 at most are taken, since products are exact; "
                f"convert them by x.with_width(128)",
                left=self.width,
                right=128,
            )
        return factor.astype(f"int{2 * self.width}")

    def __neg__(self) -> Self:
        return self._of(-self.units)

    def __abs__(self) -> Self:
        return self._of(abs(self.units))

    def with_places(self, places: int) -> Self:
        """Return the same decimals with more places, in the same width; `round` takes fewer.

        Raises
        ------
        ParameterError
            If there are fewer.

        Examples
        --------
        >>> engine, secret_key = tfhe_engine, tfhe_secret_key
        >>> price = engine.encrypt_decimal(["19.99", "5.25"], secret_key, width=16)
        >>> engine.decrypt(price.with_places(3), secret_key).tolist()
        [Decimal('19.990'), Decimal('5.250')]
        """
        more = checks.integer_between("with_places", "places", places, self._places, 76, "call x.round for fewer")
        return self._of(self.units * 10 ** (more - self._places) if more > self._places else self.units, more)

    def with_width(self, width: int) -> Self:
        """Return the same decimals in another width, which cuts off what it doesn't hold, as `IntArray.astype` does.

        Examples
        --------
        >>> engine, secret_key = tfhe_engine, tfhe_secret_key
        >>> price = engine.encrypt_decimal(["19.99", "5.25"], secret_key, width=16)
        >>> engine.decrypt(price.with_width(32), secret_key).tolist()
        [Decimal('19.99'), Decimal('5.25')]
        """
        return self._of(self.units.astype(f"int{checks.integer('with_width', 'width', width)}"))

    def round(self, places: int = 0) -> Self:
        """Round to fewer places, halves to the even digit as `decimal` and banks do.

        The width stays, so that what was multiplied has room for the next product's factor after `with_width`.

        Raises
        ------
        ParameterError
            If there are more places than the array has.

        Examples
        --------
        >>> engine, secret_key = tfhe_engine, tfhe_secret_key
        >>> price = engine.encrypt_decimal(["19.99", "5.25"], secret_key, width=16)
        >>> engine.decrypt(price.round(1), secret_key).tolist()
        [Decimal('20.0'), Decimal('5.2')]
        """
        fewer = checks.integer_between("round", "places", places, 0, self._places, "call x.with_places for more")
        if fewer == self._places:
            return self.copy()
        unit = 10 ** (self._places - fewer)
        # Twice a rest has to be held, and the unit itself.
        widths = [width for width in (8, 16, 32, 64, 128, 256) if width >= self.width and unit < 2 ** (width - 2)]
        if not widths:
            raise WidthError(
                f"round: from {self._places} to {fewer} places takes units of 10^{self._places - fewer}, of which 256 "
                f"bits don't hold two; round to more places",
                left=self.width,
                right=256,
            )
        units = self.units.astype(f"int{widths[0]}")
        quotient, rest = divmod(units, unit)
        twice = rest * 2
        # The rest is at least zero, and below the unit.
        is_odd = (quotient & 1).astype(bool)
        up = (twice > unit) | ((twice == unit) & is_odd)
        return self._of((quotient + up).astype(f"int{self.width}"), fewer)

    def __round__(self, places: int | None = None) -> Self:
        return self.round(0 if places is None else places)

    def _bitwise(self, name: str, other: Any) -> Any:
        # Decimals have no bits.
        return NotImplemented

    # Comparisons.

    def __eq__(self, other: Any) -> BoolArray:  # type: ignore[override]
        found: BoolArray = self.units == self._units_of("equal", _comparable("equal", other))
        return found

    def __ne__(self, other: Any) -> BoolArray:  # type: ignore[override]
        found: BoolArray = self.units != self._units_of("not_equal", _comparable("not_equal", other))
        return found

    def __lt__(self, other: Any) -> BoolArray:
        return self.units < self._units_of("less", other) if _is_operand(other) else NotImplemented

    def __le__(self, other: Any) -> BoolArray:
        return self.units <= self._units_of("less_equal", other) if _is_operand(other) else NotImplemented

    def __gt__(self, other: Any) -> BoolArray:
        return self.units > self._units_of("greater", other) if _is_operand(other) else NotImplemented

    def __ge__(self, other: Any) -> BoolArray:
        return self.units >= self._units_of("greater_equal", other) if _is_operand(other) else NotImplemented

    # One of many.

    def sum(self, axis: Axis = None, *, keepdims: bool = False) -> Self:
        """Add along axes, or all: see `IntArray.sum`.

        Examples
        --------
        >>> engine, secret_key = tfhe_engine, tfhe_secret_key
        >>> price = engine.encrypt_decimal(["19.99", "5.25"], secret_key, width=16)
        >>> engine.decrypt(price.sum(), secret_key).tolist()
        Decimal('25.24')
        """
        return self._of(self.units.sum(axis, keepdims=keepdims))

    def min(self, axis: Axis = None, *, keepdims: bool = False) -> Self:
        """Return the smallest ones along axes, or the smallest of all: see `IntArray.min`.

        Examples
        --------
        >>> engine, secret_key = tfhe_engine, tfhe_secret_key
        >>> price = engine.encrypt_decimal(["19.99", "5.25"], secret_key, width=16)
        >>> engine.decrypt(price.min(), secret_key).tolist()
        Decimal('5.25')
        """
        return self._of(self.units.min(axis, keepdims=keepdims))

    def max(self, axis: Axis = None, *, keepdims: bool = False) -> Self:
        """Return the largest ones along axes, or the largest of all: see `IntArray.max`.

        Examples
        --------
        >>> engine, secret_key = tfhe_engine, tfhe_secret_key
        >>> price = engine.encrypt_decimal(["19.99", "5.25"], secret_key, width=16)
        >>> engine.decrypt(price.max(), secret_key).tolist()
        Decimal('19.99')
        """
        return self._of(self.units.max(axis, keepdims=keepdims))

    def argmin(self, axis: int | None = None, *, keepdims: bool = False) -> UintArray:
        """Return where the smallest ones are: see `IntArray.argmin`.

        Examples
        --------
        >>> engine, secret_key = tfhe_engine, tfhe_secret_key
        >>> price = engine.encrypt_decimal(["19.99", "5.25"], secret_key, width=16)
        >>> int(engine.decrypt(price.argmin(), secret_key))
        1
        """
        return self.units.argmin(axis, keepdims=keepdims)

    def argmax(self, axis: int | None = None, *, keepdims: bool = False) -> UintArray:
        """Return where the largest ones are: see `IntArray.argmin`.

        Examples
        --------
        >>> engine, secret_key = tfhe_engine, tfhe_secret_key
        >>> price = engine.encrypt_decimal(["19.99", "5.25"], secret_key, width=16)
        >>> int(engine.decrypt(price.argmax(), secret_key))
        0
        """
        return self.units.argmax(axis, keepdims=keepdims)

    def sort(self, axis: int | None = -1) -> None:
        """Sort along an axis, in place: see `IntArray.sort`.

        Examples
        --------
        >>> engine, secret_key = tfhe_engine, tfhe_secret_key
        >>> price = engine.encrypt_decimal(["19.99", "5.25"], secret_key, width=16)
        >>> price.sort()
        >>> engine.decrypt(price, secret_key).tolist()
        [Decimal('5.25'), Decimal('19.99')]
        """
        units = self.units
        units.sort(axis)
        self._native = units._native

    def cumsum(self, axis: int | None = None) -> Self:
        """Return the sums of all up to each: see `IntArray.cumsum`.

        Examples
        --------
        >>> engine, secret_key = tfhe_engine, tfhe_secret_key
        >>> price = engine.encrypt_decimal(["19.99", "5.25"], secret_key, width=16)
        >>> engine.decrypt(price.cumsum(), secret_key).tolist()
        [Decimal('19.99'), Decimal('25.24')]
        """
        return self._of(self.units.cumsum(axis))


def on_units(operation: str, function: Any, *operands: Any) -> DecimalArray:
    """Call a function of integers with the units of operands, of which one is encrypted, and return decimals."""
    like = next(value for value in operands if isinstance(value, DecimalArray))
    return like._of(function(*(like._units_of(operation, value) for value in operands)))


def _is_operand(value: Any) -> bool:
    return is_operand(value) or isinstance(value, (Decimal, str))


def _comparable(operation: str, value: Any) -> Any:
    return value if _is_operand(value) else comparable(operation, value)
