"""Lines of CKKS with levels: rotations, sums, matrices, polynomials and fits."""

from __future__ import annotations

from . import values
from .clear import Clear, Encoded, Matrix, UnfitError
from .drawing import Draw
from .levels import RULES, arguments, ciphertext, line_of

rule = RULES.rule

# Slots.


@rule("Engine.rotate", "Ciphertext.rotate", "Engine.rotate_batch", weight=1.5)
def rotations(draw: Draw) -> tuple[str, ...]:
    name, x = ciphertext(draw)
    slots = x.engine.slot_count
    delta = draw.one(1, -1, draw.integer(-slots, slots), 3 * slots + 1, 0)
    plain = [p for p, value in draw.operands if isinstance(value, Encoded) and "light" not in line_of(draw, p)]
    if plain and draw.chance(0.2):
        return f"engine.rotate({draw.one(*plain)}, {delta})", "Engine.rotate"
    if draw.chance(0.2):
        deltas = [draw.integer(-slots, slots) for _ in range(draw.integer(1, 3))]
        return draw.one(
            (f"engine.rotate_batch({name}, rotation_key, {deltas})", "Engine.rotate_batch"),
            (f"engine.rotate_batch({name}, {deltas})", "Engine.rotate_batch"),
            (f"engine.rotate_batch({name}, [fixed_rotation_key])", "Engine.rotate_batch"),
            (f"engine.rotate_batch({name}, evaluation_key, {deltas})", "Engine.rotate_batch"),
        )
    return draw.one(
        (f"{name}.rotate({delta})", "Ciphertext.rotate"),
        (f"engine.rotate({name}, rotation_key, {delta})", "Engine.rotate"),
        (f"engine.rotate({name}, fixed_rotation_key)", "Engine.rotate"),
    )


@rule("Engine.conjugate", "Ciphertext.conjugate", weight=0.8)
def conjugation(draw: Draw) -> tuple[str, ...]:
    name, _ = ciphertext(draw)
    return draw.one(
        (f"{name}.conjugate()", "Ciphertext.conjugate"),
        (f"engine.conjugate({name}, conjugation_key)", "Engine.conjugate"),
    )


@rule("Engine.sum", "Ciphertext.sum", "Engine.mean", "Ciphertext.mean", "Engine.sum_range", weight=1.2)
def sums_of_slots(draw: Draw) -> tuple[str, ...]:
    name, x = ciphertext(draw, 1)
    axis = draw.one("None", "None", "0", "1", "-1")
    kind = draw.integer(0, 4)
    if kind == 4:
        key = draw.one("rotation_key, ", "")
        return f"engine.sum_range({name}, {key}{draw.integer(1, x.engine.slot_count)})", "Engine.sum_range"
    if kind <= 1:
        what = draw.one("sum", "mean")
        return f"{name}.{what}({axis})", f"Ciphertext.{what}"
    what = draw.one("sum", "mean")
    return f"engine.{what}({name}, rotation_key, {axis})", f"Engine.{what}"


# Matrices.


@rule("Ciphertext.__rmatmul__", "Engine.multiply_matrix", weight=2)
def matrices(draw: Draw) -> tuple[str, ...]:
    name, x = ciphertext(draw, 1)
    slots = x.engine.slot_count
    encoded = [(m, v) for m, v in draw.operands if isinstance(v, Matrix) and v.entries.shape[1] <= slots]
    key = draw.one("rotation_key", "matrix_multiplication_key", "evaluation_key")
    if encoded and draw.chance(0.4):
        m, _ = encoded[draw.integer(0, len(encoded) - 1)]
        return draw.one(
            (f"{m} @ {name}", "Ciphertext.__rmatmul__"),
            (f"engine.multiply_matrix({m}, {name}, {key})", "Engine.multiply_matrix"),
        )
    if draw.chance(0.2):
        text = f"[[{draw.one(0.1, 0.2, 0.001, 1 / 3, -2.5, 0.7j)!r}]]"
    else:
        columns = draw.one(1, draw.integer(1, min(24, slots)), min(x.length, 40), slots if draw.chance(0.2) else 2)
        if x.unit_count > 1 and draw.chance(0.5):
            columns = slots * (x.unit_count - 1) + 1
        text = values.matrix(draw, columns, slots)
    if draw.chance(0.5) or text.startswith("[["):
        return f"({text}) @ {name}", "Ciphertext.__rmatmul__"
    return f"engine.multiply_matrix({text}, {name}, {key})", "Engine.multiply_matrix"


@rule("Engine.encode_to_plain_matrix", "Engine.encode_to_light_plain_matrix", "Engine.change_level", weight=0.6)
def encoded_matrices(draw: Draw) -> tuple[str, ...]:
    slots = draw.model["engine"].slot_count
    lights = [m for m, v in draw.operands if isinstance(v, Matrix) and "light" in line_of(draw, m)]
    top = draw.model["engine"].max_level
    if lights and draw.chance(0.4):
        return f"engine.change_level({draw.one(*lights)}, {draw.integer(1, top)})", "Engine.change_level"
    text = values.matrix(draw, draw.integer(1, min(24, slots)), slots)
    diagonals = f", diagonal_indices={[draw.integer(-3, 3) for _ in range(3)]}" if draw.chance(0.2) else ""
    level = f", level={draw.integer(1, top)}" if draw.chance(0.4) else ""
    which = draw.one("plain", "light_plain")
    return f"engine.encode_to_{which}_matrix({text}{level}{diagonals})", f"Engine.encode_to_{which}_matrix"


# Polynomials.


def _degree(draw: Draw, level: int) -> int:
    most = 2 ** min(level, 6) - 1
    return int(draw.one(most, draw.integer(1, most), min(most, draw.integer(1, 7)), min(most, 15)))


@rule("Engine.evaluate_polynomial", "Engine.evaluate_chebyshev_polynomial", weight=2)
def polynomials(draw: Draw) -> tuple[str, ...]:
    name, x = ciphertext(draw, 1)
    chebyshev = draw.chance(0.6)
    degree = _degree(draw, x.level) if chebyshev else min(_degree(draw, x.level), draw.one(3, 7, 12))
    scale = draw.one(1.0, draw.log(1e-3, 1e4), 500.0)
    text = values.coefficients(draw, degree, scale, real=draw.chance(0.8))
    call = "evaluate_chebyshev_polynomial" if chebyshev else "evaluate_polynomial"
    key = draw.one("relinearization_key", "evaluation_key", "")
    return f"engine.{call}({arguments(name, text, key)})", f"Engine.{call}"


@rule("Engine.make_power_basis", "Engine.make_chebyshev_basis", weight=0.4)
def bases(draw: Draw) -> tuple[str, ...]:
    name, x = ciphertext(draw, 1)
    which = draw.one("power", "chebyshev")
    count = draw.integer(1, min(2**x.level, 6))
    return f"engine.make_{which}_basis({name}, {count}, relinearization_key)", f"Engine.make_{which}_basis"


_FUNCTIONS = (
    ("np.exp", -8.0, 4.0),
    ("np.sin", -1e6, 1e6),
    ("np.tanh", -1e4, 1e4),
    ("np.log", 0.05, 1e8),
    ("np.sqrt", 0.01, 1e8),
    ("lambda t: 1 / t", 0.2, 1e4),
    ("lambda t: 1 / (1 + np.exp(-t))", -12.0, 12.0),
    ("lambda t: t**3 - 2 * t", -3.0, 3.0),
    ("lambda t: np.exp(1j * t)", -3.0, 3.0),
    ("np.abs", -2.0, 2.0),
)


def fit(draw: Draw, x: Clear) -> str:
    """Draw a fit on an interval that holds the values which a program filled in, where there is one."""
    numbers = x.values[: x.length].doubles().real
    low, high = float(numbers.min()), float(numbers.max())
    fitting = [(f, a, b) for f, a, b in _FUNCTIONS if a <= low and high <= b]
    if (not fitting or not x.real) and draw.chance(0.8):
        raise UnfitError("values are outside of every interval")
    if not fitting or not x.real:
        function, a, b = _FUNCTIONS[draw.integer(0, len(_FUNCTIONS) - 1)]
        if not x.real or draw.chance(0.9):
            low, high = a, b
    else:
        function, a, b = fitting[draw.integer(0, len(fitting) - 1)]
    width = max(high - low, 1e-3 * max(1, abs(high)), 1e-3)
    tight = max(a, low - 0.1 * width), min(b, high + 0.1 * width)
    around = max(a, -max(abs(low), abs(high), 1e-3)), min(b, max(abs(low), abs(high), 1e-3))
    start, end = draw.one(tight, tight, (a, b), around if around[0] <= low else tight)
    start, end = float(f"{start - 1e-5:.5g}"), float(f"{end + 1e-5:.5g}")
    if function in ("np.log", "np.sqrt", "lambda t: 1 / t"):
        start = max(start, 0.01)
    if start >= end:
        start, end = a, b
    levels = x.level - 1
    degree = _degree(draw, max(levels, 1))
    return f"fit({function}, {degree}, ({start!r}, {end!r}))"


@rule("fit", "ChebyshevFit.__call__", "Engine.evaluate_polynomial", weight=2.5)
def fits(draw: Draw) -> tuple[str, ...]:
    if draw.chance(0.06):
        where = draw.one("(-1, 1)", "(-2, 1)", "(0, 1)", "(-0.5, 0.5)")
        return (
            f"checked_fit({draw.one('lambda t: 1 / t', 'np.log', 'np.exp', 'np.abs')}, {draw.integer(1, 31)}, {where})",
            "fit",
        )
    wanted = draw.chance(0.7)
    name, x = ciphertext(draw, 2, real=True) if wanted else ciphertext(draw, 2)
    text = fit(draw, x)
    if draw.chance(0.08):
        array, _ = values.vector(draw, 1.0, 16)
        return f"{text}({array})", "ChebyshevFit.__call__"
    if draw.chance(0.15):
        call = draw.one("evaluate_polynomial", "evaluate_chebyshev_polynomial")
        return f"engine.{call}({name}, {text})", "fit", "Engine.evaluate_polynomial"
    if draw.chance(0.85) and x.declared:
        # The claim that goes with the interval, which a bound beyond it would be refused without.
        a, b = eval(text[text.rindex("(") : -1])
        largest = max(abs(a), abs(b))
        if x.bound > largest >= x.size():
            name = f"engine.assume_bound({name}, {largest!r})"
    return f"{text}({name})", "fit", "ChebyshevFit.__call__"
