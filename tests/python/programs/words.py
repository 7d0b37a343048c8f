"""Lines of TFHE and NTRU: unsigned and signed integers of 8 to 64 bits, and truth values."""

from __future__ import annotations

from .bits import array, key_of, rerandomized_of, shape_of, shapes_of, truths
from .clear_bits import BOOL, INT, UINT, Array
from .drawing import Draw, Rules

WIDE = Rules()
"""Rules of arrays of integers, in worlds with a short time for each bootstrap."""


def _word(draw: Draw, **wanted: int) -> tuple[str, Array, str]:
    """Choose an array of integers, and say its class."""
    kind = draw.one(UINT, INT)
    name, x = array(draw, kind, **wanted)
    return name, x, f"tfhe.{kind}"


def _of_both(*names: str) -> list[str]:
    return [f"tfhe.{kind}.{name}" for kind in (UINT, INT) for name in names]


def _clear(draw: Draw, x: Array) -> str:
    low, high = x.range
    number = draw.one(0, 1, 3, low, high, draw.integer(max(low, -(10**9)), min(high, 10**9)))
    return str(draw.one(str(number), f"np.{x.dtype}({number})"))


@WIDE.rule("tfhe.Engine.encrypt_uint", "tfhe.Engine.encrypt_int", "tfhe.Engine.encrypt_bool", weight=4)
def encrypt(draw: Draw) -> tuple[str, ...]:
    if draw.chance(0.2):
        return f"engine.encrypt_bool({truths(draw)}, {key_of(draw)})", "tfhe.Engine.encrypt_bool"
    width = draw.one(8, 8, 8, 16, 32, 64) if draw.chance(0.6) else 8
    is_signed = draw.chance(0.5)
    top = 2 ** (width - is_signed) - 1
    most = draw.one(top, 3, top // 2)
    low, dtype, name = (-most - 1, "int64", "int") if is_signed else (0, "uint64", "uint")
    numbers = (
        f"np.random.default_rng({draw.seed()}).integers({low}, {most}, {shape_of(draw)}, dtype=np.{dtype}, "
        f"endpoint=True)"
    )
    return f"engine.encrypt_{name}({numbers}, {key_of(draw)}, width={width})", f"tfhe.Engine.encrypt_{name}"


_BINARY = {
    "add": "+",
    "sub": "-",
    "mul": "*",
    "floordiv": "//",
    "mod": "%",
    "and": "&",
    "or": "|",
    "xor": "^",
    "lt": "<",
    "le": "<=",
    "gt": ">",
    "ge": ">=",
    "eq": "==",
    "ne": "!=",
}
_REFLECTED = ("add", "sub", "mul", "floordiv", "mod", "and", "or", "xor", "lshift", "rshift", "divmod")


@WIDE.rule(
    *_of_both(*(f"__{name}__" for name in _BINARY)),
    *_of_both(*(f"__r{name}__" for name in _REFLECTED)),
    weight=8,
)
def operators(draw: Draw) -> tuple[str, ...]:
    name, x, cls = _word(draw)
    operator = draw.one(*_BINARY)
    if x.width > 16 and operator in ("mul", "floordiv", "mod"):
        operator = "add"
    sign = _BINARY[operator]
    if draw.chance(0.5):
        return f"{name} {sign} {array(draw, x.kind, x)[0]}", f"{cls}.__{operator}__"
    if draw.chance(0.1) and operator not in ("floordiv", "mod"):
        return f"{name} {sign} {array(draw, BOOL, x)[0]}", f"{cls}.__{operator}__"
    clear = _clear(draw, x)
    # Quotients are drawn of short words alone, and so less often than the others.
    if operator in _REFLECTED and draw.chance(0.8 if operator == "floordiv" else 0.4):
        return f"{clear} {sign} {name}", f"{cls}.__r{operator}__"
    if sign in ("//", "%") and clear in ("0", f"np.{x.dtype}(0)"):
        clear = "7"
    return f"{name} {sign} {clear}", f"{cls}.__{operator}__"


_SHIFTS = ("lshift", "rshift", "rlshift", "rrshift", "divmod", "rdivmod", "pow", "rpow", "neg", "abs", "invert")
_COUNTS = ("bitwise_count", "leading_zeros", "trailing_zeros")


@WIDE.rule(
    *(name for name in _of_both(*(f"__{name}__" for name in _SHIFTS)) if name != "tfhe.IntArray.__rpow__"),
    *(f"tfhe.Engine.{name}" for name in ("rotate_left", "rotate_right", *_COUNTS)),
    weight=5,
)
def shifts(draw: Draw) -> tuple[str, ...]:
    name, x, cls = _word(draw)
    amount, other = draw.integer(0, x.width - 1), array(draw, x.kind, x)[0]
    lines = [
        (f"{name} << {amount}", f"{cls}.__lshift__"),
        (f"{name} >> {amount}", f"{cls}.__rshift__"),
        (f"-{name}", f"{cls}.__neg__"),
        (f"abs({name})", f"{cls}.__abs__"),
        (f"~{name}", f"{cls}.__invert__"),
        (f"engine.rotate_left({name}, {amount})", "tfhe.Engine.rotate_left"),
        (f"engine.rotate_right({name}, {amount})", "tfhe.Engine.rotate_right"),
        *((f"engine.{count}({name})", f"tfhe.Engine.{count}") for count in _COUNTS),
    ]
    if x.width == 8:
        clear = f"np.{x.dtype}({draw.integer(*x.range)})"
        lines += [
            (f"{name} << {other}", f"{cls}.__lshift__"),
            (f"{name} >> {other}", f"{cls}.__rshift__"),
            (f"{clear} << {name}", f"{cls}.__rlshift__"),
            (f"{clear} >> {name}", f"{cls}.__rrshift__"),
            (f"divmod({name}, {other})", f"{cls}.__divmod__"),
            (f"divmod({clear}, {name})", f"{cls}.__rdivmod__"),
            (f"{name} ** {draw.integer(0, 5)}", f"{cls}.__pow__"),
            (f"{name} ** {array(draw, UINT, top=x.top, shape=x.shape)[0]}", f"{cls}.__pow__"),
            (f"engine.rotate_left({name}, {other})", "tfhe.Engine.rotate_left"),
            (f"engine.rotate_right({name}, {other})", "tfhe.Engine.rotate_right"),
        ]
    if x.width == 8 and x.kind == UINT:
        lines.append((f"np.{draw.one('u', '')}int8(3) ** {name}", f"{cls}.__rpow__"))
    return draw.one(*lines)


_PAIRS = (
    "minimum",
    "maximum",
    "checked_add",
    "checked_subtract",
    "saturating_add",
    "saturating_subtract",
    "saturating_multiply",
    "checked_multiply",
    "checked_floor_divide",
    "checked_remainder",
)


@WIDE.rule(*(f"tfhe.Engine.{call}" for call in _PAIRS), *_of_both("astype"), "tfhe.Engine.select", weight=5)
def calls(draw: Draw) -> tuple[str, ...]:
    name, x, cls = _word(draw)
    kind = draw.integer(0, 2)
    if kind == 0:
        call = draw.one(*_PAIRS[: 6 if x.width > 8 else None])
        other = array(draw, x.kind, x)[0] if draw.chance(0.6) else _clear(draw, x)
        return f"engine.{call}({name}, {other})", f"tfhe.Engine.{call}"
    if kind == 1:
        return f"{name}.astype(np.{draw.one('u', '')}int{draw.one(8, 16, 32, 64)})", f"{cls}.astype"
    condition = array(draw, BOOL)[0]
    other = array(draw, x.kind, x)[0]
    return f"engine.select({condition}, {name}, {other})", "tfhe.Engine.select"


_REDUCTIONS = ("sum", "min", "max", "argmin", "argmax", "prod", "cumsum", "mean")


@WIDE.rule(*_of_both(*_REDUCTIONS, "sort", "dot", "__matmul__", "__rmatmul__"), weight=4)
def reductions(draw: Draw) -> tuple[str, ...]:
    name, x, cls = _word(draw)
    call = draw.one(*_REDUCTIONS, "sort", "dot", "matmul")
    if call in ("prod", "dot", "matmul") and x.width > 8:
        call = "sum"
    axis = draw.one("", "0", "-1") if x.shape else ""
    if call == "sort":
        return f"in_order({name}, {axis or 'None'})", f"{cls}.sort"
    if call in ("dot", "matmul"):
        size = x.shape[-1] if x.shape else 1
        low, high = x.range
        other = f"np.random.default_rng({draw.seed()}).integers({low}, {high}, ({size}, 2), dtype=np.{x.dtype})"
        if call == "dot":
            return (f"{name}.dot({other})" if x.shape else f"{name}.dot(3)"), f"{cls}.dot"
        if not x.shape:
            call = "sum"
        elif draw.chance(0.5):
            return f"{name} @ {other}", f"{cls}.__matmul__"
        else:
            other = other.replace(f"({size}, 2)", f"(2, {x.shape[0]})")
            return f"{other} @ {name}", f"{cls}.__rmatmul__"
    keeps = ", keepdims=True" if call not in ("cumsum", "sort") and draw.chance(0.3) else ""
    return f"{name}.{call}({axis or 'None'}{keeps})", f"{cls}.{call}"


@WIDE.rule(*_of_both("__setitem__", "__getitem__"), "tfhe.BoolArray.__setitem__", weight=3)
def assignments(draw: Draw) -> tuple[str, ...]:
    name, x, cls = _word(draw)
    if x.shape and draw.chance(0.4):
        place = array(draw, draw.one(UINT, INT), top=255)[0]
        if draw.chance(0.5):
            return f"{name}[{place}]", f"{cls}.__getitem__"
        place = array(draw, draw.one(UINT, INT), top=255, shape=())[0]
        return f"assigned({name}, {place}, {_clear(draw, x)})", f"{cls}.__setitem__"
    if x.shape and draw.chance(0.3):
        condition = array(draw, BOOL, shape=x.shape)[0]
        return f"assigned({name}, {condition}, {_clear(draw, x)})", f"{cls}.__setitem__"
    index = draw.one("...", "0", "slice(1, None)", "[0, 0]") if x.shape else "()"
    return f"assigned({name}, {index}, {_clear(draw, x)})", f"{cls}.__setitem__"


_BOOLS = (
    "__and__",
    "__or__",
    "__xor__",
    "__eq__",
    "__ne__",
    "__rand__",
    "__ror__",
    "__rxor__",
    "__mul__",
    "__rmul__",
    "__invert__",
    "any",
    "all",
    "sum",
    "astype",
)


@WIDE.rule(*(f"tfhe.BoolArray.{name}" for name in _BOOLS), weight=3)
def bools(draw: Draw) -> tuple[str, ...]:
    name, x = array(draw, BOOL)
    other = array(draw, BOOL, x)[0]
    lines = [
        (f"{name} & {other}", "tfhe.BoolArray.__and__"),
        (f"{name} | {other}", "tfhe.BoolArray.__or__"),
        (f"{name} ^ {other}", "tfhe.BoolArray.__xor__"),
        (f"{name} == {other}", "tfhe.BoolArray.__eq__"),
        (f"{name} != {other}", "tfhe.BoolArray.__ne__"),
        (f"{name} * {other}", "tfhe.BoolArray.__mul__"),
        (f"True * {name}", "tfhe.BoolArray.__rmul__"),
        (f"{name} * np.int16(-7)", "tfhe.BoolArray.__mul__"),
        (f"True & {name}", "tfhe.BoolArray.__rand__"),
        (f"False | {name}", "tfhe.BoolArray.__ror__"),
        (f"True ^ {name}", "tfhe.BoolArray.__rxor__"),
        (f"~{name}", "tfhe.BoolArray.__invert__"),
        (f"{name}.any()", "tfhe.BoolArray.any"),
        (f"{name}.all(keepdims=True)", "tfhe.BoolArray.all"),
        (f"{name}.sum()", "tfhe.BoolArray.sum"),
        (f"{name}.astype(np.{draw.one('u', '')}int16)", "tfhe.BoolArray.astype"),
    ]
    return draw.one(*lines)


shapes_of(WIDE, "UintArray", UINT)
shapes_of(WIDE, "IntArray", INT)
shapes_of(WIDE, "BoolArray", BOOL)
rerandomized_of(WIDE, UINT, INT, BOOL)
