"""Lines of TFHE and NTRU: gates, tables, and integers of 8 to 64 bits."""

from __future__ import annotations

from typing import Any

from .clear_bits import BITS, BOOL, SMALL, UINT, Array
from .drawing import Draw, Rules

GATES, TABLES, WIDE, LOOKUPS = Rules(), Rules(), Rules(), Rules()


def array(draw: Draw, kind: str, like: Array | None = None, **wanted: Any) -> tuple[str, Array]:
    """Choose an array of a kind, of another one's shape and width or one that goes with it."""

    def fits(x: Any) -> bool:
        if not isinstance(x, Array) or x.kind != kind or not all(getattr(x, k) == v for k, v in wanted.items()):
            return False
        return like is None or (x.shape in (like.shape, ()) and (kind != UINT or x.top == like.top))

    return draw.operand(fits)


def _shape(draw: Draw) -> str:
    return str(draw.one("3", "4", "(2, 2)", "1", "(1, 3)", "()"))


def _truths(draw: Draw, shape: str | None = None) -> str:
    return f"np.random.default_rng({draw.seed()}).integers(0, 2, {shape or _shape(draw)}).astype(bool)"


def _key(draw: Draw) -> str:
    return str(draw.one("secret_key", "public_key"))


def _rerandomized(rules: Rules, *kinds: str) -> None:
    @rules.rule("tfhe.Engine.rerandomize")
    def rerandomized(draw: Draw) -> str:
        return f"engine.rerandomize({array(draw, draw.one(*kinds))[0]}, public_key)"


_rerandomized(GATES, BITS)
_rerandomized(TABLES, SMALL)
_rerandomized(WIDE, UINT, UINT, BOOL)


# Bits.


@GATES.rule("tfhe.Engine.encrypt", weight=3)
def encrypt_bits(draw: Draw) -> str:
    return f"engine.encrypt({_truths(draw)}, {_key(draw)})"


_OPERATORS = ("__and__", "__or__", "__xor__", "__eq__", "__ne__", "__rand__", "__ror__", "__rxor__")
_CALLS = ("and_", "or_", "xor", "nand", "nor", "xnor", "andny", "andyn", "orny", "oryn")


@GATES.rule(*(f"tfhe.Engine.{call}" for call in _CALLS), *(f"tfhe.Ciphertext.{name}" for name in _OPERATORS), weight=8)
def gates(draw: Draw) -> tuple[str, ...]:
    name, x = array(draw, BITS)
    other = array(draw, BITS, x)[0] if draw.chance(0.7) else draw.one("True", "False", f"np.full({x.shape}, True)")
    if draw.chance(0.6):
        call = draw.one(*_CALLS)
        first, second = draw.one((name, other), (other, name))
        return f"engine.{call}({first}, {second})", f"tfhe.Engine.{call}"
    sign, operator = draw.one(("&", "and"), ("|", "or"), ("^", "xor"), ("==", "eq"), ("!=", "ne"))
    if sign in "&|^" and not other.startswith("x") and draw.chance(0.5):
        return f"{other} {sign} {name}", f"tfhe.Ciphertext.__r{operator}__"
    return f"{name} {sign} {other}", f"tfhe.Ciphertext.__{operator}__"


@GATES.rule("tfhe.Engine.not_", "tfhe.Ciphertext.__invert__", "tfhe.Engine.mux", "tfhe.Engine.bootstrap", weight=3)
def other_gates(draw: Draw) -> tuple[str, ...]:
    name, x = array(draw, BITS)
    a, b = array(draw, BITS, x)[0], array(draw, BITS, x)[0]
    return draw.one(
        (f"engine.not_({name})", "tfhe.Engine.not_"),
        (f"~{name}", "tfhe.Ciphertext.__invert__"),
        (f"engine.bootstrap({name})", "tfhe.Engine.bootstrap"),
        (f"engine.mux({name}, {a}, {b})", "tfhe.Engine.mux"),
        (f"engine.mux({name}, {a}, True)", "tfhe.Engine.mux"),
    )


def _shapes(rules: Rules, cls: str, kind: str) -> None:
    own = (f"tfhe.{cls}.__getitem__", f"tfhe.{cls}.reshape", f"tfhe.{cls}.T", f"tfhe.{cls}.__len__")
    more = (f"tfhe.{cls}.__iter__", f"tfhe.{cls}.__copy__", f"tfhe.{cls}.__deepcopy__", f"tfhe.{cls}.save")

    @rules.rule(*own, *more, "tfhe.Engine.load", "tfhe.Engine.decrypt", "tfhe.stack", "tfhe.concatenate", weight=2)
    def shapes(draw: Draw) -> tuple[str, ...]:
        name, x = array(draw, kind)
        other = array(draw, kind, x, shape=x.shape)[0]
        lines = [
            (f"{name}.T", own[2]),
            (f"{name}.reshape(-1)", own[1]),
            (f"copy.copy({name})", more[1]),
            (f"copy.deepcopy({name})", more[2]),
            (f"pickled({name})", more[3]),
            (f"engine.load(saved({name}))", "tfhe.Engine.load", more[3]),
            (f"engine.decrypt({name}, secret_key)", "tfhe.Engine.decrypt"),
            (f"tfhe.stack([{name}, {other}])", "tfhe.stack"),
        ]
        if x.shape:
            lines += [
                (f"{name}[::-1]", own[0]),
                (f"{name}[{draw.integer(0, x.shape[0] - 1)}]", own[0]),
                (f"len({name})", own[3]),
                (f"list({name})", more[0]),
                (f"tfhe.concatenate([{name}, {other}])", "tfhe.concatenate"),
            ]
        return draw.one(*lines)


_shapes(GATES, "Ciphertext", BITS)


# Small integers.


@TABLES.rule("tfhe.Engine.encrypt", weight=3)
def encrypt_integers(draw: Draw) -> str:
    top = draw.model["engine"].top
    most = draw.one(top, 1, max(1, top // 4), draw.integer(1, top))
    numbers = f"np.random.default_rng({draw.seed()}).integers(0, {most + 1}, {_shape(draw)})"
    return f"engine.encrypt({numbers}, {_key(draw)}{'' if most == top else f', max_value={most}'})"


@TABLES.rule(
    *(f"tfhe.Engine.{call}" for call in ("add", "subtract", "multiply", "linear")),
    *(
        f"tfhe.Ciphertext.{name}"
        for name in ("__add__", "__radd__", "__sub__", "__rsub__", "__mul__", "__rmul__", "sum")
    ),
    weight=6,
)
def linear(draw: Draw) -> tuple[str, ...]:
    name, x = array(draw, SMALL)
    other = array(draw, SMALL, x)[0]
    clear, top = draw.integer(0, 3), x.engine.top
    axis = draw.one("", "0") if x.shape else ""
    return draw.one(
        (f"{name} + {other}", "tfhe.Ciphertext.__add__"),
        (f"{clear} + {name}", "tfhe.Ciphertext.__radd__"),
        (f"{name} - {clear % 2}", "tfhe.Ciphertext.__sub__"),
        (f"{top} - {name}", "tfhe.Ciphertext.__rsub__"),
        (f"{name} * {clear}", "tfhe.Ciphertext.__mul__"),
        (f"{clear} * {name}", "tfhe.Ciphertext.__rmul__"),
        (f"{name}.sum({axis})", "tfhe.Ciphertext.sum"),
        (f"engine.add({name}, {other})", "tfhe.Engine.add"),
        (f"engine.subtract({top}, {name})", "tfhe.Engine.subtract"),
        (f"engine.multiply({name}, {clear})", "tfhe.Engine.multiply"),
        (
            f"engine.linear([(1, {name}), ({draw.integer(-2, 2)}, {other})], {draw.integer(0, top)})",
            "tfhe.Engine.linear",
        ),
    )


@TABLES.rule("tfhe.Engine.bootstrap", "tfhe.Engine.bootstrap_many", weight=5)
def tables(draw: Draw) -> tuple[str, ...]:
    name, x = array(draw, SMALL)
    top = x.engine.top

    def table() -> str:
        return str(
            draw.one(
                f"lambda m: (m * {draw.integer(0, 9)} + {draw.integer(0, 9)}) % {draw.integer(1, top + 1)}",
                str([draw.integer(0, top) for _ in range(top + 1)]),
                "lambda m: m // 2",
            )
        )

    kind = draw.integer(0, 3)
    if kind == 0:
        return (
            f"engine.bootstrap_many({name}, [{', '.join(table() for _ in range(draw.integer(1, 3)))}])",
            "tfhe.Engine.bootstrap_many",
        )
    if kind == 1:
        other = array(draw, SMALL, x)[0]
        lut = f"lambda a, b: (a * {draw.integer(1, 5)} + b * {draw.integer(0, 5)}) % {draw.integer(1, top + 1)}"
        return f"engine.bootstrap({name}, {other}, lut={lut})", "tfhe.Engine.bootstrap"
    return f"engine.bootstrap({name}, lut={table()})", "tfhe.Engine.bootstrap"


_shapes(TABLES, "Ciphertext", SMALL)


# Integers of 8 to 64 bits.


@WIDE.rule("tfhe.Engine.encrypt_uint", "tfhe.Engine.encrypt_bool", weight=4)
def encrypt_uints(draw: Draw) -> tuple[str, ...]:
    if draw.chance(0.25):
        return f"engine.encrypt_bool({_truths(draw)}, {_key(draw)})", "tfhe.Engine.encrypt_bool"
    width = draw.one(8, 8, 8, 16, 32, 64) if draw.chance(0.6) else 8
    most = draw.one(2**width - 1, 3, 2 ** (width - 1))
    numbers = (
        f"np.random.default_rng({draw.seed()}).integers(0, {most}, {_shape(draw)}, dtype=np.uint64, endpoint=True)"
    )
    return f"engine.encrypt_uint({numbers}, {_key(draw)}, width={width})", "tfhe.Engine.encrypt_uint"


@LOOKUPS.rule("tfhe.Engine.encrypt_uint", "tfhe.Engine.encrypt", weight=3)
def encrypt_indices(draw: Draw) -> tuple[str, ...]:
    shape, kind = draw.one("2", "(1, 2)", "()"), draw.one("small", "uint8", "uint16")
    top = {"small": 15, "uint8": 255, "uint16": 65535}[kind]
    numbers = f"np.random.default_rng({draw.seed()}).integers(0, {top}, {shape}, dtype=np.uint64, endpoint=True)"
    if kind == "small":
        return f"engine.encrypt({numbers}, secret_key)", "tfhe.Engine.encrypt"
    return f"engine.encrypt_uint({numbers}, secret_key, width={kind[4:]})", "tfhe.Engine.encrypt_uint"


@LOOKUPS.rule("tfhe.Engine.lookup", weight=5)
def lookups(draw: Draw) -> tuple[str, ...]:
    name, x = array(draw, draw.one(SMALL, UINT))
    has = 4 if x.kind == SMALL else x.width
    bits = has if draw.chance(0.5) else draw.integer(1, has)
    out = draw.one(None, 1, 3, 4, 8, 16)
    top = 2 ** (has if out is None else out) - 1
    table = draw.one(
        f"lambda i: (i * {draw.integer(0, 99)} + {draw.integer(0, 99)}) & {top}",
        f"np.random.default_rng({draw.seed()}).integers(0, {top}, {2**bits}, endpoint=True)",
    )
    return f"engine.lookup({name}, {table}, in_bits={bits}, out_bits={out})", "tfhe.Engine.lookup"


@LOOKUPS.rule("tfhe.UintArray.__add__", "tfhe.UintArray.__xor__", weight=1)
def after_lookups(draw: Draw) -> tuple[str, ...]:
    name, x = array(draw, UINT)
    sign, operator = draw.one(("+", "add"), ("^", "xor"))
    return f"{name} {sign} {array(draw, UINT, x)[0]}", f"tfhe.UintArray.__{operator}__"


def _clear_uint(draw: Draw, x: Array) -> str:
    number = draw.one(0, 1, 3, x.top, draw.integer(0, min(x.top, 10**9)))
    return str(draw.one(str(number), f"np.uint{x.width}({number})"))


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
    *(f"tfhe.UintArray.__{name}__" for name in _BINARY),
    *(f"tfhe.UintArray.__r{name}__" for name in _REFLECTED),
    weight=8,
)
def operators(draw: Draw) -> tuple[str, ...]:
    name, x = array(draw, UINT)
    operator = draw.one(*_BINARY)
    if x.width > 16 and operator in ("mul", "floordiv", "mod"):
        operator = "add"
    sign = _BINARY[operator]
    if draw.chance(0.5):
        return f"{name} {sign} {array(draw, UINT, x)[0]}", f"tfhe.UintArray.__{operator}__"
    clear = _clear_uint(draw, x)
    # Quotients are drawn of short words alone, and so less often than the others.
    if operator in _REFLECTED and draw.chance(0.8 if operator == "floordiv" else 0.4):
        return f"{clear} {sign} {name}", f"tfhe.UintArray.__r{operator}__"
    if sign in ("//", "%") and clear in ("0", f"np.uint{x.width}(0)"):
        clear = "7"
    return f"{name} {sign} {clear}", f"tfhe.UintArray.__{operator}__"


@WIDE.rule(
    *(
        f"tfhe.UintArray.__{name}__"
        for name in ("lshift", "rshift", "rlshift", "rrshift", "divmod", "rdivmod", "pow", "neg", "abs", "invert")
    ),
    "tfhe.Engine.rotate_left",
    "tfhe.Engine.rotate_right",
    weight=4,
)
def shifts(draw: Draw) -> tuple[str, ...]:
    name, x = array(draw, UINT)
    amount, other = draw.integer(0, x.width - 1), array(draw, UINT, x)[0]
    lines = [
        (f"{name} << {amount}", "tfhe.UintArray.__lshift__"),
        (f"{name} >> {amount}", "tfhe.UintArray.__rshift__"),
        (f"-{name}", "tfhe.UintArray.__neg__"),
        (f"abs({name})", "tfhe.UintArray.__abs__"),
        (f"~{name}", "tfhe.UintArray.__invert__"),
        (f"engine.rotate_left({name}, {amount})", "tfhe.Engine.rotate_left"),
        (f"engine.rotate_right({name}, {amount})", "tfhe.Engine.rotate_right"),
    ]
    if x.width == 8:
        lines += [
            (f"{name} << {other}", "tfhe.UintArray.__lshift__"),
            (f"{name} >> {other}", "tfhe.UintArray.__rshift__"),
            (f"np.uint8({draw.integer(0, 255)}) << {name}", "tfhe.UintArray.__rlshift__"),
            (f"np.uint8({draw.integer(0, 255)}) >> {name}", "tfhe.UintArray.__rrshift__"),
            (f"divmod({name}, {other})", "tfhe.UintArray.__divmod__"),
            (f"divmod({draw.integer(0, 255)}, {name})", "tfhe.UintArray.__rdivmod__"),
            (f"{name} ** {draw.integer(0, 5)}", "tfhe.UintArray.__pow__"),
            (f"engine.rotate_left({name}, {other})", "tfhe.Engine.rotate_left"),
            (f"engine.rotate_right({name}, {other})", "tfhe.Engine.rotate_right"),
        ]
    return draw.one(*lines)


_PAIRS = (
    "minimum",
    "maximum",
    "checked_add",
    "checked_subtract",
    "checked_multiply",
    "checked_floor_divide",
    "checked_remainder",
)
_REDUCTIONS = ("sum", "min", "max", "argmin", "argmax")


@WIDE.rule(
    *(f"tfhe.Engine.{call}" for call in _PAIRS),
    *(f"tfhe.UintArray.{call}" for call in _REDUCTIONS),
    "tfhe.UintArray.astype",
    "tfhe.Engine.select",
    weight=5,
)
def calls(draw: Draw) -> tuple[str, ...]:
    name, x = array(draw, UINT)
    kind = draw.integer(0, 3)
    if kind == 0:
        call = draw.one(*_PAIRS[: 4 if x.width > 8 else None])
        other = array(draw, UINT, x)[0] if draw.chance(0.6) else _clear_uint(draw, x)
        return f"engine.{call}({name}, {other})", f"tfhe.Engine.{call}"
    if kind == 1:
        call = draw.one(*_REDUCTIONS)
        return f"{name}.{call}({draw.one('', '0') if x.shape else ''})", f"tfhe.UintArray.{call}"
    if kind == 2:
        return f"{name}.astype(np.uint{draw.one(8, 16, 32, 64)})", "tfhe.UintArray.astype"
    condition = array(draw, BOOL)[0]
    other = array(draw, UINT, x)[0]
    return f"engine.select({condition}, {name}, {other})", "tfhe.Engine.select"


_BOOLS = (
    "__and__",
    "__or__",
    "__xor__",
    "__eq__",
    "__ne__",
    "__rand__",
    "__ror__",
    "__rxor__",
    "__invert__",
    "any",
    "all",
    "astype",
)


@WIDE.rule(*(f"tfhe.BoolArray.{name}" for name in _BOOLS), weight=3)
def bools(draw: Draw) -> tuple[str, ...]:
    name, x = array(draw, BOOL)
    other = array(draw, BOOL, x)[0]
    return draw.one(
        (f"{name} & {other}", "tfhe.BoolArray.__and__"),
        (f"{name} | {other}", "tfhe.BoolArray.__or__"),
        (f"{name} ^ {other}", "tfhe.BoolArray.__xor__"),
        (f"{name} == {other}", "tfhe.BoolArray.__eq__"),
        (f"{name} != {other}", "tfhe.BoolArray.__ne__"),
        (f"True & {name}", "tfhe.BoolArray.__rand__"),
        (f"False | {name}", "tfhe.BoolArray.__ror__"),
        (f"True ^ {name}", "tfhe.BoolArray.__rxor__"),
        (f"~{name}", "tfhe.BoolArray.__invert__"),
        (f"{name}.any()", "tfhe.BoolArray.any"),
        (f"{name}.all()", "tfhe.BoolArray.all"),
        (f"{name}.astype(np.uint16)", "tfhe.BoolArray.astype"),
    )


_shapes(WIDE, "UintArray", UINT)
_shapes(WIDE, "BoolArray", BOOL)
