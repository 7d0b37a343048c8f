"""The public API by reflection: which names are drawn by rules, and which compute nothing on encrypted values.

Every public callable of the classes below is covered by a rule or listed here with a reason. A new one is neither, and
`test_programs` says so.
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import Any

import everlevel
from everlevel import bfv, ntru, tfhe
from everlevel.ckks import limbs

from . import bits, bootstraps, functions, integers, over_limbs, words

CLASSES = {
    "Engine": everlevel.Engine,
    "Ciphertext": everlevel.Ciphertext,
    "ChebyshevFit": everlevel.ChebyshevFit,
    "limbs.Engine": limbs.Engine,
    "limbs.Ciphertext": limbs.Ciphertext,
    "limbs.Bridge": limbs.Bridge,
    "bfv.Engine": bfv.Engine,
    "bfv.Ciphertext": bfv.Ciphertext,
    "tfhe.Engine": tfhe.Engine,
    "tfhe.Ciphertext": tfhe.Ciphertext,
    "tfhe.UintArray": tfhe.UintArray,
    "tfhe.IntArray": tfhe.IntArray,
    "tfhe.DecimalArray": tfhe.DecimalArray,
    "tfhe.BoolArray": tfhe.BoolArray,
}
MODULES = {"": everlevel, "tfhe.": tfhe, "bfv.": bfv, "limbs.": limbs}

_MACHINERY = [
    "__annotations__",
    "__class_getitem__",
    "__dict__",
    "__module__",
    "__orig_bases__",
    "__parameters__",
    "__slots__",
    "__weakref__",
    "__getattr__",
    "__array_ufunc__",
    "__array__",
    "__array_function__",
    "__init_subclass__",
    "__subclasshook__",
    "__reduce_ex__",
    "__static_attributes__",
    "__firstlineno__",
    "__init__",
    "__new__",
    "__reduce__",
    "__repr__",
    "__hash__",
    "__doc__",
    "__getstate__",
    "__setstate__",
    "__type_params__",
]
"""What Python and NumPy ask of objects, and is no operation of theirs."""

EXCUSED = {
    "Engine.create_*": "makes keys; every world does so",
    "*.Engine.create_*": "makes keys; every world does so",
    "*Engine.use": "registers keys",
    "*Engine.forget_keys": "registers keys",
    "Engine.dry_run": "runs other operations; `test_rehearsal` has it",
    "Engine.for_program": "runs other operations; `test_rehearsal` has it",
    "*Engine.encrypt_many": "encrypts blocks; `test_block_programs` and `test_limb_blocks` draw them",
    "Engine.prepare_bootstrap": "makes tables; `test_bootstrap` has it",
    "*Engine.estimate_memory": "tells bytes, which `test_memory` compares",
    "*.parameter_sets": "lists claims, which Rust's tests recompute",
    "show_info": "prints",
    "Ciphertext.to": "moves; `test_gpu` compares bits",
    "*.from_file": "makes engines; `test_opening` has it",
    "bfv.Ciphertext.__bool__": "raises; `test_next_steps` has it",
    "limbs.Ciphertext.__bool__": "raises; `test_next_steps` has it",
    "bfv.Ciphertext.__eq__": "raises; `test_next_steps` has it",
    "limbs.Ciphertext.__eq__": "raises; `test_next_steps` has it",
    "bfv.Ciphertext.__ne__": "raises; `test_next_steps` has it",
    "limbs.Ciphertext.__ne__": "raises; `test_next_steps` has it",
    "Ciphertext.__eq__": "raises; `test_next_steps` has it",
    "Ciphertext.__ne__": "raises; `test_next_steps` has it",
    "Ciphertext.__setitem__": "raises; `test_linear_functions` has it",
    "Ciphertext.__getitem__": "rotations and masks, which are drawn; `test_shapes` has it",
    "Ciphertext.__iter__": "rotations and masks, which are drawn; `test_shapes` has it",
    "Ciphertext.T": "rotations and masks, which are drawn; `test_shapes` has it",
    "Ciphertext.ravel": "computes nothing; `test_shapes` has it",
    "Ciphertext.reshape": "computes nothing; `test_shapes` has it",
    "Ciphertext.roll": "rotations and masks, which are drawn; `test_shapes` has it",
    "Ciphertext.transpose": "rotations and masks, which are drawn; `test_shapes` has it",
    "concatenate": "rotations and sums, which are drawn; `test_shapes` has it",
    "Ciphertext.max": "comparisons, which are drawn, in a row; `test_shapes` has it",
    "Ciphertext.min": "comparisons, which are drawn, in a row; `test_shapes` has it",
    "Ciphertext.argmax": "`Engine.argmax_of_slots`, which is drawn; `test_shapes` has it",
    "Ciphertext.argmin": "`Engine.argmin_of_slots`, which is drawn; `test_shapes` has it",
    "Ciphertext.std": "the square root of a variance, which is drawn; `test_functions` has it",
    "std": "the square root of a variance, which is drawn; `test_functions` has it",
    "ceil": "comparisons, which are drawn, in a row; `test_functions` has it",
    "floor": "comparisons, which are drawn, in a row; `test_functions` has it",
    "Ciphertext.__ceil__": "comparisons, which are drawn, in a row; `test_functions` has it",
    "Ciphertext.__floor__": "comparisons, which are drawn, in a row; `test_functions` has it",
    "Ciphertext.__round__": "comparisons, which are drawn, in a row; `test_functions` has it",
    "histogram": "takes more bootstraps than worlds have; `test_vectors` has it",
    "median": "takes more bootstraps than worlds have; `test_vectors` has it",
    "outer": "rotations, masks and a product, which are drawn; `test_vectors` has it",
    "sort": "takes more bootstraps than worlds have; `test_vectors` has it",
    "top_k": "takes more bootstraps than worlds have; `test_vectors` has it",
    "matmul": "rotations, masks and products, which are drawn; `test_shaped_programs` has it",
    "inverse": "products of matrices; `test_linear_algebra` has it",
    "least_squares": "products of matrices; `test_linear_algebra` has it",
    "power": "a fit as those of the elementary functions, which are drawn; `test_functions` has it",
    "softmax": "takes more levels than worlds have; `test_functions` has it",
    "tfhe.Engine.from_bulk": "changes no value; `test_tfhe_bulk` has it",
    "tfhe.Engine.from_ckks": "rounds; `test_tfhe_ckks` has it",
    "tfhe.Engine.rounding_failure": "tells a probability; `test_tfhe_ckks` has it",
    "Engine.from_tfhe": "takes an array of another scheme; `test_ckks_tfhe` has it",
    "tfhe.DecimalArray.*": "integers, which are drawn; `test_block_programs` draws decimals",
    "tfhe.Engine.encrypt_decimal": "`test_tfhe_decimals` has it",
    "bfv.Engine.rerandomize": "changes no value; `test_bfv` has it",
    "bfv.Ciphertext.__getitem__": "`test_limb_shapes` draws it",
    "bfv.Ciphertext.__iter__": "`test_limb_shapes` draws it",
    "bfv.Ciphertext.T": "`test_limb_shapes` draws it",
    "bfv.Ciphertext.__pos__": "computes nothing",
    "bfv.Ciphertext.__setitem__": "raises; `test_limb_shapes` has it",
    "bfv.Ciphertext.reshape": "`test_limb_shapes` draws it",
    "bfv.Ciphertext.roll": "`test_limb_shapes` draws it",
    "limbs.Ciphertext.__getitem__": "`test_limb_shapes` draws it",
    "limbs.Ciphertext.__iter__": "`test_limb_shapes` draws it",
    "limbs.Ciphertext.T": "`test_limb_shapes` draws it",
    "limbs.Ciphertext.__pos__": "computes nothing",
    "limbs.Ciphertext.__setitem__": "raises; `test_limb_shapes` has it",
    "limbs.Ciphertext.reshape": "`test_limb_shapes` draws it",
    "limbs.Ciphertext.roll": "`test_limb_shapes` draws it",
    "limbs.Ciphertext.__truediv__": "a product with inverses, which is drawn; `test_limb_shapes` has it",
    "limbs.Ciphertext.__len__": "`test_limb_shapes` draws it",
    "limbs.Ciphertext.mean": "`test_limb_shapes` draws it",
    "limbs.Engine.mean": "`test_limb_shapes` draws it",
    "tfhe.*.roll": "computes nothing; `test_odd_calls` has it",
    "tfhe.Ciphertext.__pow__": "a table, which is drawn; `test_tfhe_integers` has it",
    "tfhe.Engine.random_*": "have no values in the clear; `test_tfhe_random` has them",
    "tfhe.IntArray.__rpow__": "exponents are unsigned; `test_tfhe_oblivious` has the refusal",
    "tfhe.*.__bool__": "raises, or is an element's; `test_tfhe_objects` has it",
    "*.Engine.load_bytes": "`test_opening` compares what comes back",
    "*.*.to_bytes": "`test_opening` compares what comes back",
}
"""Public names, or patterns of them, that no rule draws, with the reason."""


def public_names() -> set[str]:
    """Return the names of all public callables."""
    names = set()
    for prefix, cls in CLASSES.items():
        for name in dir(cls):
            member = getattr(cls, name)
            inherited = getattr(object, name, None) is member
            shown = name == "T" or (callable(member) and not hasattr(member, "always_raises"))
            if shown and not inherited and name not in _MACHINERY and (name.endswith("__") or not name.startswith("_")):
                names.add(f"{prefix}.{name}")
    for prefix, module in MODULES.items():
        listed = getattr(module, "__all__", None) or [n for n in dir(module) if not n.startswith("_")]
        names |= {
            prefix + n for n in listed if callable(getattr(module, n)) and not isinstance(getattr(module, n), type)
        }
    return names - {f"{p}.{n}" for p in CLASSES for n in ("__lt__", "__le__", "__gt__", "__ge__") if _is_default(p, n)}


def _is_default(prefix: str, name: str) -> bool:
    return getattr(CLASSES[prefix], name) is getattr(object, name)


def covered_names() -> set[str]:
    """Return the names that rules draw lines for."""
    rules: list[Any] = [
        *functions.RULES,
        *bootstraps.RULES,
        *over_limbs.RULES,
        *over_limbs.BRIDGES,
        *integers.RULES,
    ]
    rules += [*bits.GATES, *bits.TABLES, *words.WIDE, *bits.LOOKUPS]
    return {name for rule in rules for name in rule.covers}


def excuse(name: str) -> str | None:
    """Return why no rule draws a name."""
    return next((why for pattern, why in EXCUSED.items() if fnmatchcase(name, pattern)), None)


def missing() -> set[str]:
    """Return public names that are neither drawn nor excused."""
    return {name for name in public_names() - covered_names() if excuse(name) is None}


def unknown() -> set[str]:
    """Return names that rules or excuses have, and that aren't public (any more)."""
    names = public_names()
    idle = {p for p in EXCUSED if not any(fnmatchcase(n, p) for n in names)}
    return (covered_names() - names - {"truth of a vector"}) | idle


assert {n for n in dir(ntru.Engine) if not n.startswith("_")} <= set(dir(tfhe.Engine)), "NTRU's own calls"
