"""Arrays of encrypted unsigned integers of 8 to 64 bits."""

from __future__ import annotations

from ._integer_array import IntegerArray

__all__ = ["UintArray"]


class UintArray(IntegerArray):
    """An array of encrypted unsigned integers of 8, 16, 32 or 64 bits, of any shape, computed on all at once.

    Made by `Engine.encrypt_uint`. It is immutable. Operators work element by element and **wrap around** as those of
    NumPy's unsigned integers do. Operands have one shape and one width; one of them may be in the clear: a Python
    integer, or an array of unsigned integers that goes into the shape.

    An integer is held in digits of 2 bits with parameters of 4 to 6 bits, each of which is a vector of its own. Where
    the elements are at most half of `Engine.bootstrap_size`, look-ups of two digits are one bootstrap.

    ==========================================  ===============================================  ===================
    expression                                  means                                            look-ups, of 32 bits
    ==========================================  ===============================================  ===================
    ``a + b``, ``a - b``, ``-a``                sums, modulo ``2**width``                        16
    ``a * b``                                   products, modulo ``2**width``                    some 400
    ``a // b``, ``a % b``, ``divmod(a, b)``     quotients and remainders                         some 650
    ``a // 10``, ``a % 10``                     the same by divisors in the clear                some 50, to 160
    ``a == b``, ``a != b``                      a `BoolArray`                                    18
    ``a < b``, ``a <= b``, ``a > b``, ``>=``    a `BoolArray`                                    16
    ``a & b``, ``a | b``, ``a ^ b``             bit by bit                                       16
    ``~a``                                      bit by bit                                       0
    ``a << 3``, ``a >> 3``                      shifts by one amount in the clear, below the     0 to 16
                                                width
    ``a << b``, ``a >> b``                      shifts by encrypted amounts, or an array of      some 90
                                                them: 0 from the width on
    ==========================================  ===============================================  ===================

    `Engine.minimum`, `Engine.maximum` and `Engine.select` are NumPy's ``minimum``, ``maximum`` and ``where``; a
    selection is a product, and takes no look-up. `sum`, `min` and `max` are NumPy's, and go along axes by rotations.

    **Division by zero**: a zero among values in the clear is refused with `DivisionByZeroError`. Where an element of a
    `UintArray` is zero, the quotient is ``2**width - 1`` and the remainder the dividend, where NumPy gives 0 for both.

    Examples
    --------
    >>> engine, secret_key = bulk_engine, bulk_secret_key
    >>> x = engine.encrypt_uint(np.array([200, 5, 100], dtype=np.uint8), secret_key)
    >>> x
    UintArray(shape (3,), uint8, p_fail 2^-124)
    >>> engine.decrypt(x + 100, secret_key)
    array([ 44, 105, 200], dtype=uint8)
    >>> engine.decrypt(x > 99, secret_key)
    array([ True, False,  True])
    >>> engine.decrypt(engine.select(x > 99, 99, x), secret_key)
    array([99,  5, 99], dtype=uint8)
    """

    __slots__ = ()

    _signed = False
