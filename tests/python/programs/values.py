"""Messages in the clear, as expressions of NumPy's."""

from __future__ import annotations

from .drawing import Draw


def size(draw: Draw, most: float) -> float:
    """Draw how large values are: ones, tiny, large, or as large as may be."""
    kind = draw.integer(0, 9)
    if kind < 4:
        return min(1.0, most)
    if kind < 6:
        return draw.log(1e-7, min(1.0, most))
    if kind < 9:
        return draw.log(min(1.0, most / 2), most)
    return most


def vector(draw: Draw, largest: float, slots: int, *, real: bool | None = None) -> tuple[str, float]:
    """Draw a message, and return it with the largest size of its values, at most `largest`."""
    is_real = draw.chance(0.65) if real is None else real
    n = draw.one(slots, slots, slots, slots, draw.integer(1, slots), draw.integer(1, min(slots, 16)))
    b = float(f"{largest:.12g}")
    b = b if b <= largest else largest * (1 - 1e-12)
    kind = draw.integer(0, 9)
    rng = f"np.random.default_rng({draw.seed()})"
    part = float(f"{b / 1.4143:.12g}")
    if kind <= 2:
        if is_real:
            return f"{rng}.uniform({-b!r}, {b!r}, {n})", b
        return f"{rng}.uniform({-part!r}, {part!r}, ({n}, 2)) @ [1, 1j]", b
    if kind == 3:
        low = draw.one(0.0, b / 2, 0.9 * b)
        return f"{rng}.uniform({low!r}, {b!r}, {n}){'' if is_real else ' * 1j'}", b
    if kind == 4:
        number = repr(draw.one(b, -b)) if is_real else repr(draw.one(1j * b, complex(part, -part)))
        return f"np.full({n}, {number})", b
    if kind == 5:
        place = draw.integer(0, n - 1)
        return f"np.eye(1, {n}, {place})[0] * {b if is_real else 1j * b!r}", b
    if kind == 6:
        few = [float(f"{x:.6g}") for x in draw.rng.uniform(-b, b, draw.integer(1, 6))]
        few = [x if abs(x) <= b else b for x in few]
        return (repr(few), b) if is_real else (f"np.array({few!r}) * 1j", b)
    if kind == 7:
        signs = f"{rng}.choice([{-b!r}, {b!r}], {n})"
        return (signs, b) if is_real else (f"{signs} * np.exp(1j * np.arange({n})) * (1 - 1e-12)", b)
    if b >= 1:
        whole = int(b)
        if is_real:
            return f"{rng}.integers({-whole}, {whole + 1}, {n})", b
        most = max(int(part), 1) if b >= 2 else 0
        return f"{rng}.integers({-most}, {most + 1}, ({n}, 2)) @ [1, 1j]", b
    return f"np.linspace({-b!r}, {b!r}, {n}){'' if is_real else ' * 1j'}", b


def number(draw: Draw) -> str:
    """Draw a number in the clear."""
    kind = draw.integer(0, 9)
    if kind <= 2:
        return repr(draw.one(0, 1, -1, 2, 3, -7, 10, 1000, draw.integer(-100, 100)))
    if kind <= 5:
        return repr(float(f"{draw.rng.uniform(-2, 2):.6g}"))
    if kind == 6:
        return repr(draw.one(1j, -1j, 2 + 3j, 0.5j, complex(0.3, -0.7)))
    if kind == 7:
        return repr(draw.one(1, -1) * draw.log(1e-9, 1e9))
    if kind == 8:
        return draw.one("np.float64(0.1)", "np.int64(-3)", "np.complex128(0.25 - 0.5j)", "True", "1e-13", "0.001")
    return repr(draw.one(0.5, 0.25, 1 / 3, 0.2, -1.5, 500, 0.1))


def nonzero(draw: Draw) -> str:
    text = number(draw)
    return "3" if abs(complex(eval(text, {"np": __import__("numpy")}))) < 1e-12 else text


def coefficients(draw: Draw, degree: int, scale: float, *, real: bool = True) -> str:
    """Draw a polynomial's coefficients."""
    kind = draw.integer(0, 4)
    if kind == 0:
        return f"[0] * {degree} + [{float(f'{scale:.6g}')!r}]"
    if kind == 1:
        return f"np.linspace({-scale!r}, {scale!r}, {degree + 1})"
    if kind == 2:
        return f"np.full({degree + 1}, {float(f'{scale / (degree + 1):.6g}')!r})"
    drawn = f"np.random.default_rng({draw.seed()}).normal(0, {scale!r}, {degree + 1})"
    return drawn if real or draw.chance(0.5) else f"{drawn} * np.exp(1j * np.arange({degree + 1}))"


def matrix(draw: Draw, columns: int, slots: int) -> str:
    """Draw a matrix of so many columns."""
    rows = draw.one(1, 1, 2, draw.integer(1, 8), draw.integer(1, 24), slots if draw.chance(0.15) else 3)
    if draw.chance(0.03):
        rows = slots + draw.integer(1, 3)
    rng = f"np.random.default_rng({draw.seed()})"
    shape = f"({rows}, {columns})"
    kind = draw.integer(0, 6)
    if kind == 0:
        return f"np.full({shape}, {1 / columns!r})"
    if kind == 1:
        return f"np.full({shape}, {draw.one(0.001, 0.1, 0.2, 1 / 3)!r})"
    if kind == 2:
        return f"{rng}.integers(-9, 10, {shape})"
    if kind == 3:
        return f"{rng}.normal(0, {draw.log(0.01, 1e4)!r}, {shape})"
    if kind == 4:
        return f"{rng}.normal(size=({rows}, {columns}, 2)) @ [1, 1j]"
    if kind == 5:
        return f"np.eye({rows}, {columns}, {draw.integer(-1, 1)}) * {draw.log(1e-3, 100)!r}"
    return f"{rng}.uniform(-1, 1, {shape})"
