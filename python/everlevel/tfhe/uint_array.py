"""Arrays of encrypted unsigned integers of 8 to 256 bits."""

from __future__ import annotations

from ._integer_array import IntegerArray

__all__ = ["UintArray"]


class UintArray(IntegerArray):
    """An array of encrypted unsigned integers of 8, 16, 32, 64, 128 or 256 bits, of any shape.

    Made by `Engine.encrypt_uint`. Operators make new arrays, and ``x[i] = y`` changes one; while nobody assigns to it,
    any number of threads may share it. Operators work element by element and **wrap around** as those of NumPy's
    unsigned integers do; `Engine.checked_add` and its like also tell where that happened. Operands are broadcast as
    NumPy's are. Encrypted ones have one width. One may be in the clear, and then the result has the width that NumPy's
    promotion gives: Python's integers take the encrypted one's, wider unsigned dtypes widen it. There is no encrypted
    form of what NumPy makes of signed dtypes, which lists have as well: where the value depends on the width (``+``,
    ``-``, ``*``, ``**``, ``<<``), they raise `MessageTypeError`; elsewhere they are taken, and the result has the
    encrypted width. All elements' bootstraps that don't wait for each other share the reading of the key, so that
    arrays take less time an element than single integers.

    ==========================================  ===============================================  ====================
    expression                                  means                                            bootstraps, 32 bits
    ==========================================  ===============================================  ====================
    ``a + b``, ``a - b``, ``-a``                sums, modulo ``2**width``                        16
    ``a * b``                                   products, modulo ``2**width``                    406, fewer in the clear
    ``a // b``, ``a % b``, ``divmod(a, b)``     quotients and remainders                         608, 624, 640
    ``a // 10``, ``a % 10``                     the same by divisors in the clear                46, 50; to about 160
    ``a == b``, ``a != b``                      a `BoolArray`                                    19
    ``a < b``, ``a <= b``, ``a > b``, ``>=``    a `BoolArray`                                    25
    ``a & b``, ``a | b``, ``a ^ b``             bit by bit                                       16
    ``~a``                                      bit by bit                                       0
    ``a << 3``, ``a >> 3``                      shifts by amounts in the clear, below the width  0 to 16
    ``a << b``, ``a >> b``                      shifts by encrypted amounts: 0 from the width on 87
    ``a**3``                                    powers by exponents in the clear, by products    as its products
    ``a**b``                                    powers by encrypted exponents, a product and a   27,332
                                                square for each bit
    ``a[...]``, `reshape`, `astype`             elements, as NumPy indexes them                  0
    ==========================================  ===============================================  ====================

    **Division by zero**: a zero among values in the clear is refused with `DivisionByZeroError`. Where an element of a
    `UintArray` is zero, the quotient is ``2**width - 1`` and the remainder the dividend, where NumPy gives 0 for both;
    `Engine.checked_floor_divide` and `Engine.checked_remainder` tell where that happened.

    `sum`, `prod`, `mean`, `min`, `max`, `argmin`, `argmax`, `cumsum`, `sort`, `dot` and ``a @ b`` are NumPy's, and sums
    and products wrap around at the array's own width. `Engine.minimum`, `Engine.maximum` and `Engine.select` are
    NumPy's ``minimum``, ``maximum`` and ``where``. NumPy's own functions are taken where an operator or a method of the
    array has their name, and those that move elements or join arrays; ``docs/tfhe.md`` lists them. All others are
    refused.

    An index makes a copy. Assignment takes values in the clear and encrypted ones, and as an index what NumPy takes, or
    a `BoolArray`: ``x[x > 9] = 9``. An encrypted index takes elements of the first dimension, ``x[i]``, or assigns to
    one: every element takes part, and places that there aren't read as zeros.

    Examples
    --------
    >>> engine, secret_key = tfhe_engine, tfhe_secret_key
    >>> x = engine.encrypt_uint(np.array([200, 5, 100], dtype=np.uint8), secret_key)
    >>> x
    UintArray(shape (3,), uint8, p_fail 2^-...)
    >>> engine.decrypt(x + 100, secret_key)
    array([ 44, 105, 200], dtype=uint8)
    >>> engine.decrypt(x // 30, secret_key), engine.decrypt(1000 % x.astype(np.uint16), secret_key)
    (array([6, 0, 3], dtype=uint8), array([0, 0, 0], dtype=uint16))
    >>> engine.decrypt(x > 99, secret_key)
    array([ True, False,  True])
    >>> int(engine.decrypt(x.max(), secret_key))
    200
    >>> x[x > 99] = 99
    >>> engine.decrypt(np.sort(x), secret_key)
    array([ 5, 99, 99], dtype=uint8)
    """

    __slots__ = ()

    _signed = False
