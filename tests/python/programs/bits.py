"""Lines of TFHE and NTRU: gates, tables, and large tables."""

from __future__ import annotations

from typing import Any

from .clear_bits import BITS, SMALL, UINT, WORDS, Array
from .drawing import Draw, Rules

GATES, TABLES, LOOKUPS = Rules(), Rules(), Rules()


def array(draw: Draw, kind: str, like: Array | None = None, **wanted: Any) -> tuple[str, Array]:
    """Choose an array of a kind, of another one's shape and width or one that goes with it."""

    def fits(x: Any) -> bool:
        if not isinstance(x, Array) or x.kind != kind or not all(getattr(x, k) == v for k, v in wanted.items()):
            return False
        return like is None or (x.shape in (like.shape, ()) and (kind not in WORDS or x.top == like.top))

    return draw.operand(fits)


def shape_of(draw: Draw) -> str:
    return str(draw.one("3", "4", "(2, 2)", "1", "(1, 3)", "()"))


def truths(draw: Draw, shape: str | None = None) -> str:
    return f"np.random.default_rng({draw.seed()}).integers(0, 2, {shape or shape_of(draw)}).astype(bool)"


def key_of(draw: Draw) -> str:
    return str(draw.one("secret_key", "public_key"))


def rerandomized_of(rules: Rules, *kinds: str) -> None:
    @rules.rule("tfhe.Engine.rerandomize")
    def rerandomized(draw: Draw) -> str:
        return f"engine.rerandomize({array(draw, draw.one(*kinds))[0]}, public_key)"


# Bits.


@GATES.rule("tfhe.Engine.encrypt", weight=3)
def encrypt_bits(draw: Draw) -> str:
    return f"engine.encrypt({truths(draw)}, {key_of(draw)})"


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


def shapes_of(rules: Rules, cls: str, kind: str) -> None:
    own = [f"tfhe.{cls}.{name}" for name in ("__getitem__", "reshape", "T", "__len__", "ravel", "transpose", "copy")]
    own += [f"tfhe.{cls}.{name}" for name in ("__pos__", "__setitem__")]
    more = (f"tfhe.{cls}.__iter__", f"tfhe.{cls}.__copy__", f"tfhe.{cls}.__deepcopy__", f"tfhe.{cls}.save")

    @rules.rule(*own, *more, "tfhe.Engine.load", "tfhe.Engine.decrypt", "tfhe.stack", "tfhe.concatenate", weight=2)
    def shapes(draw: Draw) -> tuple[str, ...]:
        name, x = array(draw, kind)
        other = array(draw, kind, x, shape=x.shape)[0]
        lines = [
            (f"{name}.T", own[2]),
            (f"{name}.reshape(-1)", own[1]),
            (f"{name}.ravel()", own[4]),
            (f"{name}.transpose()", own[5]),
            (f"{name}.copy()", own[6]),
            (f"+{name}", own[7]),
            (f"assigned({name}, ..., {other})", own[8]),
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
                (f"assigned({name}, {draw.integer(0, x.shape[0] - 1)}, {name}[0])", own[8]),
                (f"assigned({name}, slice(None, None, -1), {other})", own[8]),
                (f"list({name})", more[0]),
                (f"tfhe.concatenate([{name}, {other}])", "tfhe.concatenate"),
            ]
        return draw.one(*lines)


shapes_of(GATES, "Ciphertext", BITS)


# Small integers.


@TABLES.rule("tfhe.Engine.encrypt", weight=3)
def encrypt_integers(draw: Draw) -> str:
    top = draw.model["engine"].top
    most = draw.one(top, 1, max(1, top // 4), draw.integer(1, top))
    numbers = f"np.random.default_rng({draw.seed()}).integers(0, {most + 1}, {shape_of(draw)})"
    return f"engine.encrypt({numbers}, {key_of(draw)}{'' if most == top else f', max_value={most}'})"


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


shapes_of(TABLES, "Ciphertext", SMALL)


# Large tables.


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


# Compressed lists.


@LOOKUPS.rule("tfhe.Engine.compress", "tfhe.Engine.decompress", weight=1)
def compressed(draw: Draw) -> tuple[str, ...]:
    option = draw.one("", ", rerandomize=True", ", rerandomize=False")
    listed = f"engine.compress({array(draw, draw.one(SMALL, UINT))[0]}{option})"
    return f"engine.decompress({listed})", "tfhe.Engine.compress", "tfhe.Engine.decompress"


rerandomized_of(GATES, BITS)
rerandomized_of(TABLES, SMALL)
