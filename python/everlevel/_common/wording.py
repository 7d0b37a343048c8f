"""The core's errors as exceptions: for each code its class, its attributes, and its sentence.

The extension module calls `error` with an error's code, its values by name, and the core's own sentence. That is the
exception's, with this package's name of the operation, unless it speaks of the Rust library. Arguments are named after
the core's values.
"""

# ruff: noqa: A002, A006

from __future__ import annotations

import errno
import math
from collections.abc import Callable
from typing import Any

from .. import errors as e
from . import callers
from .sizes import at_least, at_most, format_bytes

_OPERATIONS = {
    "parameters": "Engine",
    "precise_bootstrap": "bootstrap",
    # Schemes over limbs.
    "eval_keys": "create_evaluation_key",
    "bridge": "create_bridge",
    "bootstrap_key": "create_bootstrap_key",
    "rotate_many": "rotate_batch",
    "add_plain": "add",
    "multiply_plain": "multiply",
    "add_constant": "add",
    "multiply_constant": "multiply",
    # TFHE.
    "encrypt_bits": "encrypt",
    "encrypt_integers": "encrypt",
    "encrypt_uints": "encrypt_uint",
    "encrypt_bools": "encrypt_bool",
    "decrypt_bits": "decrypt",
    "decrypt_integers": "decrypt",
    "decrypt_uints": "decrypt",
    "decrypt_bools": "decrypt",
    "lut": "bootstrap",
    "tables": "bootstrap",
    "bivariate": "bootstrap",
    "and": "and_",
    "or": "or_",
    "sub": "subtract",
    "mul": "multiply",
    "neg": "negate",
    "not": "invert",
    "not_bools": "invert",
    "eq": "equal",
    "ne": "not_equal",
    "lt": "less",
    "le": "less_equal",
    "gt": "greater",
    "ge": "greater_equal",
    "bitand": "and",
    "bitor": "or",
    "bitxor": "xor",
    "combine_bools": "and, or, xor",
    "min": "minimum",
    "max": "maximum",
    "shl": "left_shift",
    "shl_by": "left_shift",
    "shr": "right_shift",
    "shr_by": "right_shift",
    "rotate_left_by": "rotate_left",
    "rotate_right_by": "rotate_right",
    "div": "floor_divide",
    "rem": "remainder",
    "div_rem": "divmod",
    "checked_div": "checked_floor_divide",
    "checked_rem": "checked_remainder",
    "checked_sub": "checked_subtract",
    "checked_mul": "checked_multiply",
    "sum_rows": "sum",
    "extreme_row": "min, max",
    "place_of_extreme": "argmin, argmax",
    "any_row": "any, all",
    "with_width": "astype",
    "uints_from_bools": "astype",
    "join": "concatenate",
}
"""The core's operations whose names are others here."""


_SMALLER = {
    "Engine": "take fewer levels",
    "create_relinearization_key": "take Engine(seeded_keys=True), or an engine of fewer levels",
    "create_conjugation_key": "take Engine(seeded_keys=True), or an engine of fewer levels",
    "create_rotation_key": "take Engine(seeded_keys=True), or create_fixed_rotation_key for the amounts that are used",
    "create_fixed_rotation_key": "take Engine(seeded_keys=True), or a lower level",
    "create_matrix_multiplication_key": "take Engine(seeded_keys=True), a lower level, or a rotation key in its place",
    "create_bootstrap_key": "take create_small_bootstrap_key, Engine(seeded_keys=True), or a higher stage_count",
    "create_lossy_bootstrap_key": "take create_small_bootstrap_key, Engine(seeded_keys=True), or a higher stage_count",
    "create_small_bootstrap_key": "take Engine(seeded_keys=True), or fewer slots",
    "encode": "take fewer values at once, or a lower level",
    "encrypt": "encrypt fewer values at once, or at a lower level",
    "bootstrap": "bootstrap fewer at once, or with a small bootstrap key",
    "encode_to_plain_matrix": "take a light plain matrix, a lower level, or name the diagonals that aren't zero",
    "load": "map the file with mapped=True, or keep keys seeded with expanded=False",
}
"""Advice that takes less memory, by operation."""


def _out_of_memory(needed: int, available: int, limit: str, op: str) -> e.EverlevelError:
    smaller = _SMALLER.get(op) or (_SMALLER["bootstrap"] if "bootstrap" in op else "free what isn't needed any more")
    if str(limit).startswith("device"):
        smaller = "free some there: key.to('cpu') drops a copy of a key, x.to('cpu') moves a ciphertext"
    return e.OutOfMemoryError(
        f"{op}: {format_bytes(needed)} of memory are needed, and {format_bytes(available)} are left of the {limit}; "
        f"{smaller}",
        needed=needed,
        available=available,
        limit=limit,
    )


def _unlike(what: str, found: str, expected: str) -> e.EverlevelError:
    if what == "slot_count":
        return e.FileParametersError(
            f"read: the file is for slot_count {found}, this engine has {expected}; read it with Engine(slot_count="
            f"{found}) and the other options of the engine that made it",
            found=found,
            expected=expected,
        )
    return e.HeaderError(
        f"read: the header's {what} is {found}, and should be {expected}, this engine's; "
        f"the file was not written by Everlevel",
        part=what,
        found=found,
        expected=f"{expected}, this engine's",
    )


def _foreign_slots(what: str, found: int, expected: int) -> e.EverlevelError:
    of_key = what == "slot_count of the bootstrap key"
    advice = "make the key with this engine" if of_key else "make keys and ciphertexts with one engine"
    allowed = f"{expected}, this engine's; {advice}"
    return e.ParameterError(f"{what} = {found}: must be {allowed}", option=what, value=str(found), allowed=allowed)


def _bootstrap_levels(found: int, least: int, most: int) -> e.EverlevelError:
    needed = (
        f"{least} to {most} with use_bootstrap=True (13 if left out); leave it out and encrypt at a lower level, or "
        "make an engine without use_bootstrap"
    )
    sentence = f"max_level = {found}: must be {needed}"
    return e.ParameterError(sentence, option="max_level", value=str(found), allowed=needed)


def _parameter(what: str, found: str, needed: str) -> e.EverlevelError:
    if what == "log_n":
        sentence = f"Engine: insecure_log_n is {found}; it must be {needed}"
        return e.ParameterError(sentence, option="insecure_log_n", value=found, allowed=needed)
    return e.ParameterError(f"{what} = {found}: must be {needed}", option=what, value=found, allowed=needed)


def _tfhe_parameter(what: str, found: str, needed: str) -> e.EverlevelError:
    value = int(found) if found.removeprefix("-").isdecimal() else found
    sentence = f"Engine: {what} is {found}; it must be {needed}"
    return e.ParameterError(sentence, option=what, value=value, allowed=needed)


def _bootstrap_kind(op: str, found: str, needed: str) -> e.EverlevelError:
    maker = {"regular": "create_bootstrap_key", "lossy": "create_lossy_bootstrap_key"}[needed]
    return e.KeyMismatchError(
        f"{op}: the bootstrap key is for {found} bootstraps, and one for {needed} ones is needed; make it with "
        f"engine.{maker}(secret_key), or create_evaluation_key(secret_key, bootstrap={needed!r})",
        key="bootstrap key",
        expected=needed,
        actual=found,
    )


def _value_out_of_space(text: str, op: str, index: int, value: int, max: int) -> e.EverlevelError:
    if op in {"bootstrap", "bootstrap_many"}:
        return e.TableError(text, index=index, found=value, needed=max)
    return e.MessageError(text, index=index, value=value)


def _noise_exhausted(op: str, log2_p_fail: float, max_log2_p_fail: float) -> e.EverlevelError:
    decrypts = op == "decrypt"
    what = "the answer would be wrong" if decrypts else "the noise would make it fail"
    return e.NoiseError(
        f"{op}: {what} with probability 2^{log2_p_fail:.1f}, allowed is 2^{max_log2_p_fail:.1f}; "
        f"bootstrap {'the ciphertext' if decrypts else 'an operand'} first",
        log2_p_fail=log2_p_fail,
        max_log2_p_fail=max_log2_p_fail,
    )


def _missing_rotation(op: str, amount: int, available: list[int]) -> e.EverlevelError:
    # To the left in the core, and to the right here, as NumPy counts.
    deltas = sorted(-other for other in available)
    # Of one rotation, the key is one of a power of two; of many, each has a key of its own.
    others = "or call rotate, which goes by powers of two" if op == "rotate_batch" else "or rotations=True"
    return e.MissingKeyError(
        f"{op}: the evaluation key has rotations by {deltas}, and one by {-amount} is needed; "
        f"make it with create_evaluation_key(secret_key, rotations=[{-amount}]), {others}",
        key="rotation key",
        delta=-amount,
        available=deltas,
    )


def _beyond_bound(op: str, index: int, size: float, bound: float) -> e.EverlevelError:
    return e.RangeError(
        f"{op}: value {index} has size {size:.6g}, and the declared bound is {bound:.6g}; "
        f"declare bound={at_least(size)}",
        bound=bound,
        size=size,
        index=index,
    )


def _beyond_interval(op: str, index: int, value: float, low: float, high: float) -> e.EverlevelError:
    least, most = (at_most(value), f"{high:g}") if value < low else (f"{low:g}", at_least(value))
    return e.RangeError(
        f"{op}: value {index} is {value:.6g}, and the declared interval is from {low:.6g} to {high:.6g}; "
        f"declare bound=({least}, {most})",
        bound=max(abs(low), abs(high)),
        size=abs(value),
        index=index,
    )


def _missing_inversion(op: str) -> e.EverlevelError:
    key, option = ("conjugation key", "conjugation") if op == "conjugate" else ("swap of rows", "swap_rows")
    what = "conjugation" if op == "conjugate" else "the swap of rows"
    return e.MissingKeyError(
        f"{op}: the evaluation key has none for {what}, and needs one; make it with "
        f"create_evaluation_key(secret_key, {option}=True), or rotations=True",
        key=key,
    )


def _io(text: str, op: str, path: str, advice: str, source: int) -> e.EverlevelError:
    cls = e.StorageNotFoundError if source == errno.ENOENT else e.StorageError
    return cls(text, path=path, errno=source)


def _engines(text: str) -> str:
    """Call the core's contexts by their name here."""
    return text.replace("a context", "an engine").replace("context", "engine")


_WORDED: dict[str, Callable[..., e.EverlevelError]] = {
    "ckks.NoBootstrap": lambda op: e.ParameterError(
        f"{op}: use_bootstrap is False and True is needed; make the engine with Engine(use_bootstrap=True)",
        option="use_bootstrap",
    ),
    "ckks.BootstrapKind": _bootstrap_kind,
    "ckks.ForeignSlots": _foreign_slots,
    "ckks.BootstrapLevels": _bootstrap_levels,
    "ckks.Parameter": _parameter,
    "ckks.OutOfRange": lambda op, bound, room, level, higher: e.RangeError(
        f"{op}: values may be as large as {bound:.6g}, and {op} at level {level} has room for less than {room:.6g}; "
        f"divide the operands,{f' use level {higher[0]},' if higher else ''} or claim a smaller bound: "
        f"x.within(bound)",
        bound=bound,
        room=room,
        level=level,
    ),
    "ckks.PaddingOutOfRange": lambda op, value, size, room, level, slot_count: e.RangeError(
        f"{op}: slots without an encrypted value hold {value:.6g} here, where a part of the polynomial is {size:.3g}, "
        f"and level {level} has room for less than {room:.3g}: encrypt as many values as there are slots, {slot_count} "
        f"(np.resize(values, {slot_count}) repeats them), take a lower degree, or fit on an interval with 0 in it",
        bound=size,
        room=room,
        level=level,
    ),
    "ckks.BeyondBound": _beyond_bound,
    "ckks.BeyondInterval": _beyond_interval,
    "limbs.BeyondBound": _beyond_bound,
    "ckks.UndeclaredBound": lambda op, bound: e.ReleaseError(
        f"{op}: the ciphertext's bound, {bound:g}, is assumed, and its errors are bounded for declared ones alone; "
        f"encrypt(…, bound=…), or claim one: x.within(bound)",
        found=bound,
    ),
    "ckks.GridTooFine": lambda op, step, least: e.ReleaseError(
        f"{op}: the grid's step is {step:g}, and "
        + (
            f"errors leave steps from {at_least(least)} on; take a coarser grid, or compute more precisely"
            if math.isfinite(least)
            else "nothing is known of the errors, which leaves no step; compute more precisely"
        ),
        found=step,
        needed=least,
    ),
    "ckks.OffGrid": lambda op, step, error: e.ReleaseError(
        f"{op}: a value is further than {error:.2g} from the multiples of {step:g}, and values on this grid were asked "
        f"for; use another grid, or release with statistical_bits",
        found=step,
    ),
    "ckks.NothingLeft": lambda op, statistical_bits, precision_bits, most_bits: e.ReleaseError(
        f"{op}: {statistical_bits:g} statistical bits leave {precision_bits:.1f} bits of precision; ask for "
        f"{max(math.floor(most_bits), 0)} or fewer, make a key with a smaller release_budget, or release on a grid",
        found=statistical_bits,
        needed=most_bits,
    ),
    "ckks.BudgetSpent": lambda op, used, limit: e.ReleaseError(
        f"{op}: the key has released {used} decryptions, and its budget is {limit}; make a new key, "
        f"engine.create_secret_key(release_budget=…)",
        found=used,
        needed=limit,
    ),
    "ckks.SignPrecision": lambda op, what, found, least, limit: e.ParameterError(
        f"{op}: {what} is {found!r}, and at least {least:g} and less than {limit:g} is offered; "
        f"choose it so, or scale the values",
        option=what,
        value=found,
        allowed=(least, limit),
    ),
    "ckks.SignBound": lambda op, found, bound, level: e.RangeError(
        f"{op}: values may be as large as {found:.6g}, and bound is {bound:.6g}; pass {op}(…, "
        f"bound={at_least(found)}), or claim that they are smaller: x.within({bound:g})",
        bound=found,
        room=bound,
        level=level,
    ),
    "ckks.SignRounds": lambda op, gap, error, most: e.ParameterError(
        f"{op}: gap {gap:.2g} and error {error:.2g} would take more than {most} sign bootstraps; "
        f"take a larger gap, or a key of fewer stages",
        option="gap",
        value=gap,
    ),
    "ckks.PolynomialDepth": lambda op, depth, most, level, level_out: e.LevelError(
        f"{op}: the polynomial takes {depth} levels, and in pieces {most} are there, as a bootstrap ends at level "
        f"{level_out}; take a degree below 2^{most}, or an engine of more levels",
        level=level,
        max_level=most,
    ),
    "ckks.MissingRotation": lambda op, rotation, available: e.MissingKeyError(
        f"{op}: there is no key for a rotation by {rotation}, and there are keys for {available}; make one with "
        f"engine.create_evaluation_key(secret_key, rotations=[{rotation}]), or rotations=True for any amount",
        key="rotation key",
        delta=rotation,
        available=available,
    ),
    "ckks.SlotCount": lambda op, count, slot_count: e.ParameterError(
        f"{op}: count is {count}, and 1 to {slot_count} slots are there; leave it out for all",
        option="count",
        value=count,
        allowed=(1, slot_count),
    ),
    "tfhe.Parameter": _tfhe_parameter,
    "tfhe.NoiseExhausted": _noise_exhausted,
    "tfhe.WidthMismatch": lambda op, left, right: e.WidthError(
        f"{op}: the operands have {left} and {right} bits; convert one without a bootstrap: "
        f"x.astype(numpy.uint{max(left, right)})",
        left=left,
        right=right,
    ),
    "limbs.Parameter": _tfhe_parameter,
    "limbs.BudgetUsedUp": lambda op, budget_bits, operand_bits: e.NoiseError(
        f"{op}: the result's budget would be {budget_bits:.1f} bits, and must be positive; the operands have "
        f"{operand_bits:.1f} bits: take parameters of more depth, or fewer products one after another",
        budget_bits=budget_bits,
        operand_bits=operand_bits,
    ),
    "limbs.MissingRotation": _missing_rotation,
    "limbs.MissingInversion": _missing_inversion,
    "limbs.BudgetShort": lambda op, left_bits, needed_bits, operand_bits: e.NoiseError(
        f"{op}: the result would have {left_bits} bits of budget, and its values need {needed_bits}; the operands have "
        f"{operand_bits}: take larger parameters, a lower precision, or fewer products one after another",
        budget_bits=left_bits,
        operand_bits=operand_bits,
    ),
    "ckks.OtherDevice": lambda op, left, right: e.DeviceMismatchError(
        f"{op}: one operand is on {left} and another on {right}; move one of them, x.to('gpu') or x.to('cpu')",
        left=left,
        right=right,
    ),
    "io.Unlike": _unlike,
    "object.OutOfMemory": _out_of_memory,
}
"""Exceptions from values, by code, with sentences of their own: the core's would speak of the Rust library."""

_AS_IT_IS: dict[str, Callable[..., e.EverlevelError]] = {
    "ckks.MessageTooLong": lambda text, len, slot_count, **_: e.MessageError(text, length=len, slot_count=slot_count),
    "ckks.EmptyMessage": lambda text, slot_count, **_: e.MessageError(text, length=0, slot_count=slot_count),
    "ckks.NotFinite": lambda text, index, value, **_: e.MessageError(text, index=index, value=value),
    "ckks.ScaleOverflow": lambda text, log2_needed, log2_available, level, **_: e.ScaleError(
        text, log2_left=log2_needed, log2_right=log2_available, level=level
    ),
    "ckks.LevelOutOfRange": lambda text, level, max_level, **_: e.LevelError(text, level=level, max_level=max_level),
    "ckks.KeyLevel": lambda text, level, served, **_: e.LevelError(text, level=level, served=served),
    "ckks.CutKey": lambda text, served, max_level, **_: e.LevelError(text, max_level=max_level, served=served),
    "ckks.LevelExhausted": lambda text, op, **values: e.LevelError(text, **values),
    "object.Device": lambda text, **_: e.DeviceError(text),
    "object.OtherParameters": lambda text, what, **_: e.EngineMismatchError(_engines(text), argument=what),
    "object.OtherSecret": lambda text, what, found, expected, **_: e.KeyMismatchError(
        text, key=what, expected=expected, actual=found
    ),
    "ckks.MatrixUnits": lambda text, needed, found, **_: e.UnitCountError(text, left=needed, right=found),
    "object.UnitCount": lambda text, left, right, **_: e.UnitCountError(text, left=left, right=right),
    "ckks.NotRelinearized": lambda text, found, **_: e.CiphertextFormError(text, polynomial_count=found),
    "ckks.StageCount": lambda text, stage_count, supported, **_: e.ParameterError(
        text, option="stage_count", value=stage_count, allowed=supported
    ),
    "ckks.SignLevels": lambda text, **_: e.ParameterError(text, option="level"),
    "ckks.BeyondBootstrap": lambda text, needed, level, level_out, **_: e.LevelError(
        text, level=level, needed=needed, max_level=level_out
    ),
    "ckks.Security": lambda text: e.ParameterError(text, option="security"),
    "tfhe.NoiseTooNarrow": lambda text, what, log2_std_dev, min_log2_std_dev, **_: e.ParameterError(
        text, option=what, value=log2_std_dev, allowed=min_log2_std_dev
    ),
    "tfhe.FailureTooLikely": lambda text, log2_p_fail, max_log2_p_fail: e.ParameterError(
        text, option="log2_p_fail", value=log2_p_fail, allowed=max_log2_p_fail
    ),
    "tfhe.UnluckySecret": lambda text, max_log2_p_fail, **_: e.NoiseError(text, max_log2_p_fail=max_log2_p_fail),
    "tfhe.UnknownSet": lambda text, name, known: e.ParameterError(
        text, option="parameters", value=name, allowed=", ".join(known)
    ),
    "tfhe.InsecureSet": lambda text, name, security_bits, spelled: e.ParameterError(
        text, option="parameters", value=name, allowed=spelled
    ),
    "tfhe.ExperimentalSet": lambda text, name, spelled: e.ParameterError(
        text, option="parameters", value=name, allowed=spelled
    ),
    "tfhe.WrongSpace": lambda text, found, needed, **_: e.SpaceError(text, found=found, needed=needed),
    "tfhe.NoLookUps": lambda text, found, needed, **_: e.ParameterError(
        text, option="parameters", value=found, allowed=needed
    ),
    "tfhe.NoLists": lambda text, found, needed, **_: e.ParameterError(
        text, option="parameters", value=found, allowed=needed
    ),
    "tfhe.NoRingSwitch": lambda text, found, needed, **_: e.ParameterError(
        text, option="parameters", value=found, allowed=needed
    ),
    "tfhe.NoPublicKey": lambda text, found, needed, **_: e.ParameterError(
        text, option="parameters", value=found, allowed=needed
    ),
    "tfhe.ValueOutOfSpace": _value_out_of_space,
    "tfhe.SpaceExhausted": lambda text, max_value, max, **_: e.SpaceError(text, found=max_value, needed=max),
    "tfhe.TableLength": lambda text, op, **values: e.TableError(text, **values),
    "tfhe.TooLarge": lambda text, **values: e.FileSizeError(text, **values),
    "tfhe.TableCount": lambda text, found, max, **_: e.TableError(text, found=found, needed=max),
    "limbs.UnknownSet": lambda text, name, known: e.ParameterError(
        text, option="parameters", value=name, allowed=", ".join(known)
    ),
    "limbs.TooManyValues": lambda text, found, slots, **_: e.MessageError(text, length=found, slot_count=slots),
    "limbs.NotFinite": lambda text, index, value, **_: e.MessageError(text, index=index, value=value),
    "limbs.TooFine": lambda text, **_: e.RangeError(text),
    "limbs.ValueOutside": lambda text, slot, value, **_: e.MessageError(text, index=slot, value=value),
    "io.Truncated": lambda text, what, needed, found: e.TruncatedFileError(text, needed=needed, found=found),
    "io.Checksum": lambda text, **values: e.ChecksumError(text, **values),
    "io.Foreign": lambda text, found: e.ForeignFileError(text, found=found),
    "io.NewerFormat": lambda text, **values: e.NewerFormatError(text, **values),
    "io.HeaderTooLarge": lambda text, found, limit: e.HeaderError(text, part="length", found=found, expected=limit),
    "io.Header": lambda text, what, found, needed: e.HeaderError(text, part=what, found=found, expected=needed),
    "io.Layout": lambda text, tensor, begin, end, **_: e.LayoutError(text, part=tensor, begin=begin, end=end),
    "io.WrongKind": lambda text, **values: e.FileKindError(text, **values),
    "io.UnsupportedKind": lambda text, found, supported: e.UnsupportedKindError(text, found=found, expected=supported),
    "io.WrongParameters": lambda text, found, expected, **_: e.FileParametersError(
        _engines(text), found=found, expected=expected
    ),
    "io.NonCanonical": lambda text, tensor, **values: e.ResidueError(text, part=tensor, **values),
    "io.Changed": lambda text, path, what: e.FileChangedError(text, path=path),
    "io.StorageFull": lambda text, path, needed, source: e.StorageError(text, path=path, needed=needed, errno=source),
    "io.OutOfMemory": lambda text, path, needed: e.OutOfMemoryError(text, needed=needed),
    "io.Io": _io,
}
"""Exceptions from the core's own sentence, in which only the operation may have another name here, and values."""

_WARNINGS: dict[str, Callable[..., e.RangeWarning]] = {
    "ckks.range.Room": lambda op, bound, room, level: e.RangeWarning(
        f"{op}: values may be as large as {bound:.6g}, and {op} at level {level} has room for less than {room:.6g}: "
        f"larger ones wrap around; declare what is known, encrypt(…, bound=…) or x.within(bound)",
        bound=bound,
        room=room,
        level=level,
    ),
    "ckks.range.Message": lambda op, largest, bound: e.RangeWarning(
        f"{op}: a value has size {largest:.6g}, and size {bound:g} is assumed where nothing is declared; declare "
        f"{op}(…, bound={at_least(largest)}), or a bound that doesn't tell about the data",
        bound=bound,
        size=largest,
    ),
    "ckks.range.Accuracy": lambda op, bound, accurate, worst: e.RangeWarning(
        f"{op}: values may be as large as {bound:.6g}, where the error may be {worst:.2g}; values up to "
        f"{accurate:.3g} come out accurately: divide before, and multiply after",
        bound=bound,
        room=accurate,
    ),
    "ckks.range.Decrypted": lambda op, largest, bound: e.RangeWarning(
        f"{op}: a value has size {largest:.6g}, and the ciphertext's bound is {bound:.6g}: a value on the way was "
        f"larger than its bound, and may have wrapped around; declare larger bounds at encryption",
        bound=bound,
        size=largest,
    ),
}
"""Warnings from values, by code."""

INTERNAL = frozenset(
    {
        "limbs.Cancelled",
        "limbs.Base",
        "limbs.Random",
        "limbs.Security",
        "ckks.Cancelled",
        "ckks.Rand",
        "ckks.Ring",
        "tfhe.Cancelled",
        "tfhe.LengthMismatch",
        "tfhe.Random",
        "tfhe.ShiftTooLarge",
        "tfhe.UnknownWidth",
        "tfhe.ValueTooLarge",
    }
)
"""Codes that reach nobody: the front checks such arguments itself; what cancelled a call is raised in its place; and a
ring that the parameters asked for, or the system's randomness, isn't the user's to mend.
"""

CODES = frozenset(_WORDED) | frozenset(_AS_IT_IS) | frozenset(_WARNINGS) | INTERNAL
"""Every code that has an exception or a warning."""


def warn(code: str, fields: dict[str, Any]) -> None:
    """Warn of a notice of the core, at the place outside of this package that called."""
    fields["op"] = _OPERATIONS.get(fields["op"], fields["op"])
    callers.warn_once(code, _WARNINGS[code](**fields))


def error(code: str, text: str, fields: dict[str, Any]) -> e.EverlevelError:
    """Make the exception of an error of the core.

    Parameters
    ----------
    code : str
        What is wrong.
    text : str
        The core's own sentence.
    fields : dict
        The values by name.
    """
    if "op" in fields:
        fields["op"] = _OPERATIONS.get(fields["op"], fields["op"])
    if code in _WORDED:
        return _WORDED[code](**fields)
    if code in _AS_IT_IS:
        core_name, _, said = text.partition(": ")
        name = fields.get("op", _OPERATIONS.get(core_name, core_name))
        return _AS_IT_IS[code](f"{name}: {said}", **fields)
    return e.InternalError(text)
