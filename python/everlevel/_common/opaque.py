"""What NumPy can't look into."""

from __future__ import annotations

from typing import ClassVar, NoReturn

from ..errors import OperandTypeError


class Opaque:
    """Base of encrypted and encoded vectors, for which operators are defined, and NumPy's functions are not."""

    __slots__ = ()

    _form: ClassVar[str] = "encrypted"
    _instead_of_numpy: ClassVar[str]
    """What to do in the place of calling a function of NumPy."""

    # NumPy then leaves `array * ciphertext` to the class, instead of trying it element by element.
    __array_ufunc__ = None

    # NumPy's functions would make an array of objects, and do to it what has nothing to do with the values.
    def __array__(self, *args: object, **kwargs: object) -> NoReturn:
        raise OperandTypeError(
            f"array: a {type(self).__name__} is {self._form} and doesn't turn into a NumPy array; "
            f"{self._instead_of_numpy}",
            argument="array",
            expected="array in the clear",
            actual=type(self).__name__,
        )
