"""Arrays of encrypted signed integers of 8 to 256 bits."""

from __future__ import annotations

from .. import _native
from ._integer_array import IntegerArray

__all__ = ["IntArray"]


class IntArray(IntegerArray):
    """An array of encrypted signed integers of 8, 16, 32, 64, 128 or 256 bits, of any shape, in two's complement.

    Made by `Engine.encrypt_int`, and by `astype`. It has the operators, the assignment and methods of a `UintArray`,
    with the values that NumPy's ``int8`` to ``int64`` have: sums, differences, products, ``-a``, ``abs(a)`` and
    ``a << b`` **wrap around**, ``a // b`` rounds down, ``a % b`` has the sign of `b`, and ``a >> b`` copies the sign.
    Arrays and scalars of NumPy in the clear promote as NumPy's do: signed ones and smaller unsigned ones widen the
    result where they are as wide; beside ``uint64``, where NumPy makes floating-point numbers, they are refused.
    Encrypted operands are both signed and have one width: `astype` converts either.

    ==========================================  ===============================================  ====================
    expression                                  means                                            bootstraps, 32 bits
    ==========================================  ===============================================  ====================
    ``a + b``, ``a - b``, ``-a``                sums, modulo ``2**width``                        16
    ``abs(a)``                                  magnitudes; of the least integer, itself         33
    ``a * b``                                   products, modulo ``2**width``                    406, fewer in the clear
    ``a // b``, ``a % b``, ``divmod(a, b)``     quotients, rounded down, and remainders          681, 714, 730
    ``a // 10``, ``a % 10``                     the same by divisors in the clear                47, 51
    ``a < b``, ``a <= b``, ``a > b``, ``>=``    a `BoolArray`                                    25
    ``a >> 3``                                  shifts, rounded down                             0 to 16
    ``a >> b``                                  shifts by encrypted amounts                      88
    `astype`                                    other widths: a wider one copies the sign        1, or 0
    ==========================================  ===============================================  ====================

    **Division by zero**: a zero in the clear is refused with `DivisionByZeroError`. Where an element of an encrypted
    divisor is zero, the quotient is -1, or 0 for dividends below zero, and the remainder is the dividend.

    Examples
    --------
    >>> engine, secret_key = tfhe_engine, tfhe_secret_key
    >>> x = engine.encrypt_int(np.array([-7, 100, -128], dtype=np.int8), secret_key)
    >>> x
    IntArray(shape (3,), int8, p_fail 2^-...)
    >>> engine.decrypt(x + 100, secret_key), engine.decrypt(abs(x), secret_key)
    (array([ 93, -56, -28], dtype=int8), array([   7,  100, -128], dtype=int8))
    >>> engine.decrypt(x // 2, secret_key), engine.decrypt(x % 3, secret_key)
    (array([ -4,  50, -64], dtype=int8), array([2, 1, 1], dtype=int8))
    >>> engine.decrypt(x < 0, secret_key)
    array([ True, False,  True])
    """

    __slots__ = ()

    _signed = True

    def _stored(self) -> tuple[_native.TfheUintArray, dict[str, str]]:
        native, notes = super()._stored()
        return native, notes | {"signed": "yes"}
