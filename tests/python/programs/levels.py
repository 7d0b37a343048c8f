"""Lines of CKKS with levels: `everlevel.Engine`, `Ciphertext`, and `fit`."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import values
from .clear import Clear, Encoded, Matrix, off_grid
from .drawing import Draw, Rules

RULES = Rules()
rule = RULES.rule


def usable(x: Any) -> bool:
    """Whether something is a ciphertext of levels of which more can be computed."""
    return isinstance(x, Clear) and x.engine.name == "engine" and np.ndim(x.slack) == 0


def ciphertext(draw: Draw, level: int = 0, *, two: bool = True, **wanted: Any) -> tuple[str, Clear]:
    """Choose a ciphertext of at least a level."""

    def fits(x: Any) -> bool:
        return (
            usable(x)
            and x.level >= level
            and (x.polynomials == 2 or not two)
            and all(getattr(x, name) == value for name, value in wanted.items())
        )

    return draw.operand(fits)


def similar(draw: Draw, x: Clear, level: int = 0) -> tuple[str, Clear]:
    """Choose a ciphertext of as many units."""
    return draw.operand(
        lambda y: (
            isinstance(y, Clear)
            and y.engine is x.engine
            and np.ndim(y.slack) == 0
            and y.level >= level
            and y.polynomials == x.polynomials
            and len(y.values) == len(x.values)
        )
    )


def message(
    draw: Draw, *, level: int | None = None, real: bool | None = None, most: float = 2.0**40
) -> tuple[str, str]:
    """Draw a message and its bound, as arguments."""
    engine = draw.model["engine"]
    slots = engine.slot_count
    room = engine.room(engine.max_level if level is None else level)
    b = values.size(draw, min(most, room / 4))
    text, largest = values.vector(draw, b, slots, real=real)
    if draw.chance(0.04):
        text = f"np.concatenate([{text}, np.ones({slots})])" if largest >= 1 else text
    if largest <= 1 and draw.chance(0.25):
        return text, ""
    if draw.chance(0.2):
        largest = float(f"{min(largest * draw.log(1, 1000), room / 2):.6g}") + largest * 1e-9
    return text, f"bound={largest!r}"


def arguments(*parts: str) -> str:
    return ", ".join(part for part in parts if part)


@rule("Engine.encrypt", weight=6)
def encrypt(draw: Draw) -> str:
    top = draw.model["engine"].max_level
    level = None if draw.chance(0.5) else draw.integer(0, top)
    text, bound = message(draw, level=level)
    key = draw.one("secret_key", "public_key", "key=secret_key")
    return f"engine.encrypt({arguments(text, key, '' if level is None else f'level={level}', bound, 'slots=True')})"


@rule("Engine.encrypt", "Engine.assume_bound", weight=0.7)
def edges(draw: Draw) -> tuple[str, ...]:
    """Constants at the edge of a level's room, inside by a little, or outside: one coefficient is as large as they."""
    engine = draw.model["engine"]
    level = 0 if draw.chance(0.7) else draw.integer(0, engine.max_level)
    edge = f"room({level}) * (1 {draw.one('-', '-', '-', '-', '+')} 2**-{draw.integer(26, 50)})"
    n = draw.one(engine.slot_count, engine.slot_count, engine.slot_count, 1, draw.integer(1, engine.slot_count))
    if draw.chance(0.3):
        fresh = f"engine.encrypt(np.full({n}, {edge}), public_key, bound={edge}, slots=True)"
        return f"engine.level_down({fresh}, {level})", "Engine.encrypt"
    if draw.chance(0.3):
        fresh = f"engine.encrypt(np.full({n}, -({edge})), secret_key, bound=2 * room({level}), slots=True)"
        return f"engine.level_down(engine.assume_bound({fresh}, {edge}), {level})", "Engine.assume_bound"
    values_ = draw.one(f"np.full({n}, {edge})", f"np.full({n}, -1j * {edge})", f"np.linspace(0.5, 1, {n}) * {edge}")
    key = draw.one("secret_key", "public_key")
    return f"engine.encrypt({values_}, {key}, {level}, bound={edge}, slots=True)", "Engine.encrypt"


@rule("Engine.encode", "Engine.encode_to_light_plaintext", weight=0.7)
def encode(draw: Draw) -> tuple[str, ...]:
    text, _ = values.vector(draw, values.size(draw, 1e4), draw.model["engine"].slot_count)
    if draw.chance(0.5):
        return f"engine.encode({text}, slots=True)", "Engine.encode"
    return f"engine.encode_to_light_plaintext({text}, slots=True)", "Engine.encode_to_light_plaintext"


def _plain(draw: Draw, light: bool = True) -> tuple[str, Encoded]:
    return draw.operand(lambda p: isinstance(p, Encoded))


@rule("Engine.decode", "Engine.change_level", weight=0.3)
def on_plaintexts(draw: Draw) -> tuple[str, ...]:
    name, p = draw.operand(lambda p: isinstance(p, Encoded))
    is_light = "light" in line_of(draw, name)
    if is_light:
        return f"engine.change_level({name}, {draw.integer(1, p.engine.max_level)})", "Engine.change_level"
    return f"engine.decode({name})", "Engine.decode"


def line_of(draw: Draw, name: str) -> str:
    """Return the expression that a plaintext was made by, through copies."""
    line = next(line for line in draw.lines if line.name == name.partition("[")[0])
    used = sorted(line.uses())
    return line.expression + ("" if not used else line_of(draw, used[0]))


@rule("Engine.encrypt", "Engine.decrypt_to_plaintext", weight=0.3)
def through_plaintexts(draw: Draw) -> tuple[str, ...]:
    if draw.chance(0.5):
        name, _x = ciphertext(draw)
        return f"engine.decrypt_to_plaintext({name}, secret_key)", "Engine.decrypt_to_plaintext"
    name, p = draw.operand(lambda p: isinstance(p, Encoded))
    if "light" in line_of(draw, name):
        return f"engine.add({ciphertext(draw)[0]}, {name})", "Engine.encrypt"
    return f"engine.encrypt({name}, secret_key, bound={p.size() + 1e-9!r})", "Engine.encrypt"


# Arithmetic.


def _clear_operand(draw: Draw, x: Clear) -> str:
    kind = draw.integer(0, 5)
    if kind <= 2:
        return values.number(draw)
    if kind == 3:
        plain = [name for name, p in draw.operands if isinstance(p, Encoded) and len(p.values) == len(x.values)]
        if plain:
            return str(draw.one(*plain))
    text, _ = values.vector(draw, values.size(draw, 1e6), x.engine.slot_count)
    return text


_SUMS = ("Engine.add", "Ciphertext.__add__", "Ciphertext.__radd__")
_DIFFERENCES = ("Engine.subtract", "Ciphertext.__sub__", "Ciphertext.__rsub__")


@rule(*_SUMS, *_DIFFERENCES, weight=3)
def sums(draw: Draw) -> tuple[str, ...]:
    name, x = ciphertext(draw, two=False)
    clear = draw.chance(0.5)
    other = _clear_operand(draw, x) if clear else similar(draw, x)[0]
    sign, names = draw.one(("+", _SUMS), ("-", _DIFFERENCES))
    form = draw.integer(0, 3)
    if form == 0:
        call = "add" if sign == "+" else "subtract"
        first, second = draw.one((name, other), (other, name))
        return f"engine.{call}({first}, {second})", names[0]
    if form == 1 and clear:
        return f"({other}) {sign} {name}", names[2]
    return f"{name} {sign} ({other})", names[1]


@rule("Engine.multiply", "Ciphertext.__mul__", "Ciphertext.__rmul__", weight=4)
def products(draw: Draw) -> tuple[str, ...]:
    name, x = ciphertext(draw, draw.integer(0, 1), two=False)
    if x.polynomials == 3 or draw.chance(0.45):
        other = _clear_operand(draw, x)
        if draw.chance(0.5):
            return f"({other}) * {name}", "Ciphertext.__rmul__"
        return draw.one(
            (f"{name} * ({other})", "Ciphertext.__mul__"), (f"engine.multiply({name}, {other})", "Engine.multiply")
        )
    other, _ = similar(draw, x)
    key = draw.one(
        "relinearization_key", "evaluation_key", "relinearize=False" if draw.chance(0.3) else "relinearization_key"
    )
    return draw.one(
        (f"{name} * {other}", "Ciphertext.__mul__"), (f"engine.multiply({name}, {other}, {key})", "Engine.multiply")
    )


@rule("Engine.square", "Engine.negate", "Ciphertext.__neg__", "Ciphertext.__pos__", weight=1)
def of_one(draw: Draw) -> tuple[str, ...]:
    name, _ = ciphertext(draw)
    return draw.one(
        (f"engine.square({name}, relinearization_key)", "Engine.square"),
        (f"engine.negate({name})", "Engine.negate"),
        (f"-{name}", "Ciphertext.__neg__"),
        (f"+{name}", "Ciphertext.__pos__"),
    )


@rule("Engine.relinearize", weight=0.5)
def of_three(draw: Draw) -> tuple[str, ...]:
    name, _ = ciphertext(draw, two=False, polynomials=3)
    key = draw.one(", relinearization_key", "")
    return f"engine.relinearize({name}{key})", "Engine.relinearize"


@rule("Ciphertext.__pow__", "Ciphertext.__truediv__", "Ciphertext.__rtruediv__", weight=1)
def powers(draw: Draw) -> tuple[str, ...]:
    name, x = ciphertext(draw, 1)
    kind = draw.integer(0, 9)
    if kind <= 3:
        return f"{name} ** {draw.integer(1, min(2**x.level, 9))}", "Ciphertext.__pow__"
    if kind == 4:
        return f"{values.number(draw)} / {name}", "Ciphertext.__rtruediv__"
    if kind == 5:
        return f"{name} / np.linspace(0.5, 3, {draw.integer(1, x.engine.slot_count)})", "Ciphertext.__truediv__"
    return f"{name} / ({values.nonzero(draw)})", "Ciphertext.__truediv__"


@rule("Engine.weighted_sum", weight=0.5)
def weighted_sum(draw: Draw) -> str:
    name, x = ciphertext(draw, 1)
    others = [name] + [similar(draw, x, 1)[0] for _ in range(draw.integer(0, 2))]
    plain = [name for name, p in draw.operands if isinstance(p, Encoded) and len(p.values) == len(x.values)]
    weights = ", ".join(draw.one(*plain) if plain and draw.chance(0.4) else values.number(draw) for _ in others)
    return f"engine.weighted_sum([{', '.join(others)}], [{weights}])"


# Levels, copies and files.


@rule("Engine.level_down", weight=1.2)
def down(draw: Draw) -> tuple[str, ...]:
    name, x = draw.operand(lambda x: (isinstance(x, (Matrix, Encoded)) or usable(x)) and x.level > 1)
    if not isinstance(x, Clear) and "light" in line_of(draw, name):
        name, x = ciphertext(draw, 1)
    lowest = 1 if isinstance(x, Matrix) else 0
    if draw.chance(0.3) and not isinstance(x, Matrix):
        return f"engine.level_down({name}, {name}.level - 1)", "Engine.level_down"
    return f"engine.level_down({name}, {draw.one(lowest, draw.integer(lowest, x.level))})", "Engine.level_down"


_FILES = ("Ciphertext.save", "Engine.load", "Ciphertext.to_bytes", "Engine.load_bytes")


@rule(*_FILES, "Ciphertext.__copy__", "Ciphertext.__deepcopy__", weight=1.2)
def copies(draw: Draw) -> tuple[str, ...]:
    name, _ = ciphertext(draw, two=False)
    kind = draw.integer(0, 4)
    if kind == 0:
        return f"copy.copy({name})", "Ciphertext.__copy__"
    if kind == 1:
        return draw.one(
            (f"copy.copy({name})", "Ciphertext.__copy__"), (f"copy.deepcopy({name})", "Ciphertext.__deepcopy__")
        )
    if kind == 2:
        return f"engine.load(saved({name}))", "Engine.load", "Ciphertext.save"
    if kind == 3:
        return f"engine.load_bytes({name}.to_bytes())", "Engine.load_bytes", "Ciphertext.to_bytes"
    return f"pickled({name})", "Ciphertext.save"


@rule("Ciphertext.units", "Engine.vstack", "Ciphertext.__len__", weight=0.8)
def units(draw: Draw) -> tuple[str, ...]:
    if draw.chance(0.3):
        name, _ = ciphertext(draw, two=False)
        return f"{name}.units()", "Ciphertext.units"
    if draw.chance(0.1):
        return f"len({ciphertext(draw, two=False)[0]})", "Ciphertext.__len__"
    parts = [ciphertext(draw)[0] for _ in range(draw.integer(1, 3))]
    return f"engine.vstack([{', '.join(parts)}])", "Engine.vstack"


@rule("Ciphertext.__bool__", weight=0.03)
def truth(draw: Draw) -> str:
    return f"refused(lambda: bool({ciphertext(draw)[0]}))"


# Bounds and releases.


@rule("Engine.assume_bound", "Engine.check_range", weight=1)
def bounds(draw: Draw) -> tuple[str, ...]:
    name, x = ciphertext(draw)
    size = x.size()
    if draw.chance(0.25):
        return f"engine.check_range({name}, secret_key, {max(size, 1e-3) * 1.01!r})", "Engine.check_range"
    false = draw.chance(0.03)
    bound = size / 3 if false else size * draw.one(1 + 1e-9, 1.1, draw.log(1, 1000))
    if draw.chance(0.2) and not false:
        return (
            f"engine.assume_bound({name}, max({bound!r}, room({x.level}) * (1 - 2**-{draw.one(26, 30, 50)})))",
            "Engine.assume_bound",
        )
    return f"engine.assume_bound({name}, {float(bound)!r})", "Engine.assume_bound"


@rule("Engine.release", "Engine.decrypt", weight=1.5)
def releases(draw: Draw) -> tuple[str, ...]:
    name, x = ciphertext(draw, declared=True)
    if draw.chance(0.15):
        return f"engine.decrypt({name}, secret_key)", "Engine.decrypt"
    if draw.chance(0.2):
        bits = draw.one(8, 16, 40)
        return f"engine.release({name}, secret_key, statistical_bits={bits})", "Engine.release"
    fitting = [step for step in (1000, 1, 0.25, 0.2, 0.01) if off_grid(x, step) < 1e-3]
    grid = draw.one(*fitting) if fitting and draw.chance(0.9) else draw.one(1, 0.01)
    return f"engine.release({name}, secret_key, grid={grid})", "Engine.release"


@rule("Engine.encrypt", "Engine.release", "Ciphertext.__rmatmul__", weight=2)
def counts(draw: Draw) -> tuple[str, ...]:
    """Whole numbers, products with what keeps them on a grid, and releases of them."""
    whole = [(name, x) for name, x in draw.operands if usable(x) and x.declared and off_grid(x, 1) < 1e-3]
    if not whole or draw.chance(0.4):
        top = draw.model["engine"].max_level
        level, most = draw.integer(0, top), int(draw.log(10, 1e11))
        most = min(most, int(draw.model["engine"].room(level) / 2))
        step = draw.one(1, 1, 1, 5, 1000) if most > 5000 else 1
        n = draw.one(draw.model["engine"].slot_count, draw.integer(1, 20))
        numbers = f"np.random.default_rng({draw.seed()}).integers({-(most // step)}, {most // step + 1}, {n})"
        text = numbers if step == 1 else f"{step} * {numbers}"
        return f"engine.encrypt({text}, secret_key, {level}, bound={most}, slots=True)", "Engine.encrypt"
    name, x = whole[draw.integer(0, len(whole) - 1)]
    if draw.chance(0.35) and x.level and x.polynomials == 2:
        return f"[[{draw.one(0.2, 0.1, 0.001, 3.0, 1.0)}]] @ {name}", "Ciphertext.__rmatmul__"
    if draw.chance(0.4) and x.level and x.polynomials == 2:
        name = f"[[{draw.one(0.2, 0.1, 0.001)}]] @ {name}"
    return f"engine.release({name}, secret_key, grid={draw.one(1, 1, 1, 0.2)})", "Engine.release"
