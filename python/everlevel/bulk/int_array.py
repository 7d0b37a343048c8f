"""Arrays of encrypted signed integers of 8 to 64 bits."""

from __future__ import annotations

from ._integer_array import IntegerArray

__all__ = ["IntArray"]


class IntArray(IntegerArray):
    """An array of encrypted signed integers of 8, 16, 32 or 64 bits, of any shape, computed on all at once.

    Made by `Engine.encrypt_int`. Integers are in two's complement over the digits of a `UintArray`, whose operators
    these arrays have; sums and products wrap around as NumPy's do. What differs:

    ==========================================  ===============================================  ===================
    expression                                  means                                            look-ups, of 32 bits
    ==========================================  ===============================================  ===================
    ``a // b``, ``a % b``, ``divmod(a, b)``     quotients rounded down, and remainders with the  some 800
                                                divisor's sign
    ``a < b`` and its like; ``a < 0``           a `BoolArray`                                    17; 1
    ``abs(a)``                                  the size, which is ``a`` of the least integer    17
    ``a >> 3``                                  shifts that copy the sign                        0 to 16
    ``a.astype(np.int64)``                      the same integers, whose sign is copied          1
    ==========================================  ===============================================  ===================

    **Division by zero**: a zero in the clear is refused with `DivisionByZeroError`. Where an element of an encrypted
    divisor is zero, the quotient is -1, or 0 for dividends below zero, and the remainder is the dividend.

    Examples
    --------
    >>> engine, secret_key = bulk_engine, bulk_secret_key
    >>> x = engine.encrypt_int(np.array([-7, 100, -128], dtype=np.int8), secret_key)
    >>> x
    IntArray(shape (3,), int8, p_fail 2^-124)
    >>> engine.decrypt(x + 100, secret_key), engine.decrypt(abs(x), secret_key)
    (array([ 93, -56, -28], dtype=int8), array([   7,  100, -128], dtype=int8))
    >>> engine.decrypt(x // 2, secret_key), engine.decrypt(x % 3, secret_key)
    (array([ -4,  50, -64], dtype=int8), array([2, 1, 1], dtype=int8))
    >>> engine.decrypt(x < 0, secret_key)
    array([ True, False,  True])
    """

    __slots__ = ()

    _signed = True
