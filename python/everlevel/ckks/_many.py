"""Bootstraps of many ciphertexts at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from .._common import checks
from ..errors import KeyMismatchError, ParameterError
from . import _checks, _operands
from ._bootstrap_keys import BootstrapKeys, choose, require_bootstrap
from ._bootstraps import Method, bootstrapped, is_precise, merged, usual
from ._core import Core
from ._shaping import slotwise
from .ciphertext import Ciphertext

_METHODS = ("regular", "lossy", "sign")


@slotwise()
def bootstrap_many(
    self: Core,
    ciphertexts: Sequence[Ciphertext],
    *keys: BootstrapKeys,
    stage_count: int | None = None,
    level: int | None = None,
    method: Literal["regular", "lossy", "sign"] = "regular",
    real_only: bool = False,
    precision: Literal["standard", "high"] = "standard",
    progress: bool | None = None,
) -> list[Ciphertext]:
    """Bootstrap several ciphertexts, four at a time, in less time than one after another.

    Keys are gigabytes, and reading them takes a good part of a bootstrap's time; here they are read once for
    four ciphertexts. Results are the same, bit for bit, as of single bootstraps. About a gigabyte is in
    flight for each of the four. Real ciphertexts whose real parts alone are asked for share a bootstrap with another
    of as many units, as `merge_bootstrap` has them: half of the work, with errors of both in each.

    Parameters
    ----------
    ciphertexts : sequence of Ciphertext
        Each as `bootstrap`, `lossy_bootstrap` or `sign_bootstrap` takes it; all of one secret.
    *keys, stage_count, level
        As in `bootstrap`.
    method : {"regular", "lossy", "sign"}, default "regular"
        Which bootstrap: ``"regular"`` is `bootstrap`. Below level `stage_count`, lossy ones end at a lower level.
    real_only : bool, default False
        Keep real parts alone: pairs of ciphertexts that are real (`is_real`) are bootstrapped as one. Of complex ones
        each is bootstrapped by itself, with half of the work after the first transforms (lossy and sign).
    precision : {"standard", "high"}, default "standard"
        As in `bootstrap`, for the regular method.
    progress : bool, optional
        Whether a bar is shown; as the engine says, if left out.

    Returns
    -------
    list of Ciphertext
        In the order of `ciphertexts`.

    Raises
    ------
    OperandTypeError
        If something else is among the ciphertexts, or a key is of the wrong kind.
    KeyMismatchError
        If a ciphertext is of another secret than the first.
    LevelError
        If a sign bootstrap lacks levels. Nothing is bootstrapped then.
    ParameterError
        As `bootstrap`; an unknown method; high precision with another method than the regular one.

    Examples
    --------
    >>> deep = Engine(use_bootstrap=True, insecure_log_n=10)
    >>> secret = deep.create_secret_key()
    >>> evaluation_key = deep.create_evaluation_key(secret, rotations=False)
    >>> many = [deep.encrypt([k / 4, -k / 4], secret, level=0) for k in (1, 2, 3)]
    >>> [round(float(deep.decrypt(c, secret)[0]), 2) for c in deep.bootstrap_many(many, evaluation_key)]
    [0.25, 0.5, 0.75]
    """
    operation = "bootstrap_many"
    require_bootstrap(self._context, operation)
    checks.one_of(operation, "method", method, _METHODS)
    instead = ", or call bootstrap, which takes all units of one together"
    given = _operands.several(operation, ciphertexts, instead=instead)
    ready = [_operands.relinearized(operation, ciphertext) for ciphertext in given]
    if not ready:
        return []
    _require_one_secret(operation, ready)
    native = choose(self, operation, ready[0], keys, stage_count)
    precise = is_precise(self._context, operation, precision)
    if precise and method != "regular":
        raise ParameterError(
            f"{operation}: precision is 'high' and method is {method!r}, and 'regular' is the precise one; leave "
            f"one of them out",
            option="precision",
            value="high",
            allowed="standard",
        )
    by: Method = "precise" if precise else usual(self) if method == "regular" else method
    only = checks.truth(operation, "real_only", real_only)
    real = None if by == "usual" and not only else only
    if level is not None:
        _checks.level(operation, level, self.max_level)
    pairs = _pairs(ready) if only and not precise else []
    paired = [i for pair in pairs for i in pair]
    alone = [i for i in range(len(ready)) if i not in paired]
    results: dict[int, Ciphertext] = {}
    if pairs:
        both = merged(self, "bootstraps", by, [(ready[a], ready[b]) for a, b in pairs], native, level, progress)
        results.update(zip(paired, (result for pair in both for result in pair), strict=True))
    if alone:
        rest = bootstrapped(self, "bootstraps", by, [ready[i] for i in alone], native, real, level, progress)
        results.update(zip(alone, rest, strict=True))
    return [results[i] for i in range(len(ready))]


def _pairs(ciphertexts: list[Ciphertext]) -> list[tuple[int, int]]:
    """Return the places of real ciphertexts, two of as many units in each pair."""
    waiting: dict[int, int] = {}
    pairs = []
    for i, ciphertext in enumerate(ciphertexts):
        if not ciphertext.is_real:
            continue
        units = ciphertext.unit_count
        if units in waiting:
            pairs.append((waiting.pop(units), i))
        else:
            waiting[units] = i
    return pairs


def _require_one_secret(operation: str, ciphertexts: list[Ciphertext]) -> None:
    secret_id = ciphertexts[0]._native.secret_id
    for index, ciphertext in enumerate(ciphertexts):
        if ciphertext._native.secret_id != secret_id:
            raise KeyMismatchError(
                f"{operation}: ciphertext {index} is of another secret than ciphertext 0, and one key serves one; "
                f"bootstrap them apart",
                key="ciphertexts",
            )
