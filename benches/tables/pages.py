"""What the pages say: every table from the rows of one place, a row that isn't there named as missing, with its reason.

Nothing here is measured, and nothing is kept from what a page said before.
"""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from everlevel._bench import TABLES, Row

from . import limbs, peers, published
from .driver import NOT_YET
from .jobs import own_jobs
from .place import Store

NOT_MEASURED = "not measured"


@dataclass(frozen=True)
class Time:
    """A time of a library, or why there is none."""

    library: str
    value: float | None
    missing: str = ""
    quality: str = ""
    """Precision or failure probability."""

    def __str__(self) -> str:
        return digits(self.value) if self.value is not None else NOT_MEASURED


@dataclass(frozen=True)
class Comparison:
    """A task that libraries were timed at, in one unit."""

    task: tuple[str, str]
    unit: str
    ours: Time
    others: Sequence[Time]

    @property
    def best(self) -> Time | None:
        """The fastest of the others that were measured."""
        measured = [time for time in self.others if time.value is not None]
        return min(measured, key=lambda time: time.value or 0.0, default=None)

    @property
    def ratio(self) -> float | None:
        """How many times as long the fastest of the others takes."""
        if self.best is None or self.best.value is None or self.ours.value is None:
            return None
        return self.best.value / self.ours.value


def digits(value: float) -> str:
    """Write a time with three digits that count."""
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


TASKS = (
    ("CKKS bootstrap", "of 32768 numbers"),
    ("TFHE gate", "with failure probability below 2^-64"),
    ("NTRU gate", "with failure probability below 2^-64"),
    ("TFHE table of 4 bits", "with failure probability below 2^-128"),
    ("number theoretic transform", "of degree 2^16"),
)
"""Tasks that other libraries are timed at, too; the first three stand on the front pages."""
KEY_SWITCH = ("key switch over limbs", "at N = 2^16")
"""The front pages' fourth task, whose figures are of another machine."""
FRONT_TASKS = (*TASKS[:3], KEY_SWITCH)
ELSEWHERE = {TASKS[0]: published.BOOTSTRAP, TASKS[2]: published.NTRU_GATE, TASKS[3]: published.TABLE_OF_4_BITS}


def comparisons(store: Store) -> list[Comparison]:
    """Compare at these tasks."""
    bootstrap, gate, ntru_gate, table, transform = TASKS
    return [
        Comparison(bootstrap, "s", *_bootstraps(store)),
        Comparison(gate, "ms", *_calls(store, "gate-64")),
        Comparison(ntru_gate, "ms", *_calls(store, "gate-64", "ntru-gate-64")),
        Comparison(table, "ms", *_calls(store, "integer-4-128")),
        Comparison(transform, "µs", *_transforms(store)),
    ]


def _row(store: Store, key: str) -> Row:
    return store.rows.get(key, NOT_YET)


def _bootstraps(store: Store) -> tuple[Time, list[Time]]:
    def time(library: str, key: str) -> Time:
        row = _row(store, key)
        quality = f"{row['worst_bits']:.1f} bits at worst" if "worst_bits" in row else ""
        return Time(library, row.get("bootstrap_seconds"), row.get("missing", ""), quality)

    return time("Everlevel", BOOTSTRAP), [time(library, key) for library, key in _bootstrap_peers()]


BOOTSTRAP = "ckks/medium/3/1"
"""The row of ours that is compared."""


def _bootstrap_peers() -> list[tuple[str, str]]:
    return [
        (f"Lattigo {peers.lattigo_version()}", "peers/lattigo/bootstrap"),
        (f"OpenFHE {peers.OPENFHE}", "peers/openfhe/bootstrap"),
    ]


def _calls(store: Store, group: str, ours: str = "") -> tuple[Time, list[Time]]:
    """Read the times of one of our sets and of tfhe-rs' fastest, of turns called after our set or another of ours."""
    row = _row(store, f"peers/tfhe-rs/{group}")
    calls = row.get("calls", [])

    def least(library: str, among: list[Row]) -> Time:
        call = min(among, key=lambda call: float(call["least"]), default=None)
        if call is None:
            return Time(library, None, row.get("missing", ""))
        return Time(library, call["least"], quality=f"failure {call['about'].partition(' at ')[0]}")

    own = [call for call in calls if (call["library"], call["name"]) == ("everlevel", ours or group)]
    others = [call for call in calls if call["library"] == "tfhe-rs"]
    return least("Everlevel", own), [least(f"tfhe-rs {peers.crate_version('tfhe')}", others)]


def _transforms(store: Store) -> tuple[Time, list[Time]]:
    row = _row(store, "peers/tfhe-ntt/2^16")
    missing, times = row.get("missing", ""), row.get("microseconds", {})
    forward = {
        path.removeprefix("forward/"): time["least"] for path, time in times.items() if path.startswith("forward")
    }
    theirs = forward.pop("tfhe-ntt", None)
    return Time("Everlevel", min(forward.values(), default=None), missing), [
        Time(f"tfhe-ntt {peers.crate_version('tfhe-ntt')}", theirs, missing)
    ]


# Tables --------------------------------------------------------------------------------------------------------------

FRONT_TITLES = ("one thread", "Everlevel", "fastest other library here", "times as fast")
PEERS_TITLES = (
    "one thread",
    "Everlevel",
    "fastest other library here",
    "times as fast",
    "published, on other machines",
)
BOOTSTRAP_TITLES = (
    "one thread, 32768 slots", "bootstrap, s", "mean, bits", "worst, bits", "levels", "keys, GB", "keys, s", "peak, GB",
)  # fmt: skip
CALLS_TITLES = ("compared at", "library", "set", "least, ms", "median, ms", "failure")
PUBLISHED_TITLES = ("task", "published", "machine", "source", "Everlevel here, one thread")


def markdown(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Write a table."""
    lines = [f"| {' | '.join(titles)} |", "|" + "---|" * len(titles)]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)])


def about(store: Store, more: str = "") -> str:
    """Say of what and when the figures are: the same words for every table, so that a check can compare them."""
    return filled(f"*{store.place}, {store.days()}{more}.*")


def filled(text: str) -> str:
    """Break a paragraph into lines, as the pages' prose is."""
    return textwrap.fill(text, 120, break_long_words=False, break_on_hyphens=False)


def parameters(rows: Iterable[Row], name: str) -> str:
    """List the parameters that were measured, by name and fingerprint, where only a check reads them."""
    found = sorted({(str(row.get(name, "bootstrap")), row["fingerprint"]) for row in rows if "fingerprint" in row})
    return f"<!-- measured parameters: {', '.join(' '.join(pair) for pair in found) or 'none'} -->"


def front_table(store: Store) -> str:
    """Write the front pages' table: four tasks, each with its precision or failure probability, and who is missing."""
    found = [one for one in comparisons(store) if one.task in FRONT_TASKS]
    measured = limbs.read()

    def key_switch(library: str, one: limbs.KeySwitch) -> Time:
        return Time(library, one.milliseconds, quality=f"{one.ciphertext_bits} bits of a key's {one.key_bits}")

    switches = key_switch("Everlevel", measured.ours), [key_switch(measured.library, measured.theirs)]
    rows = []
    for comparison in (*found, Comparison(KEY_SWITCH, "ms", *switches)):
        ours, theirs, ratio = _cells(comparison)
        quality = comparison.best.quality if comparison.best else ""
        cells = (", ".join(filter(None, pair)) for pair in ((ours, comparison.ours.quality), (theirs, quality)))
        rows.append((" ".join(comparison.task), *cells, ratio))
    more = f"; key switches over limbs: {measured.place}"
    return "\n\n".join([markdown(FRONT_TITLES, rows), about(store, more), *_reasons(found)])


def _cells(comparison: Comparison) -> tuple[str, str, str]:
    """Write our time, the fastest of the others, and their ratio."""
    best, unit = comparison.best, comparison.unit
    ours = f"**{comparison.ours} {unit}**" if comparison.ours.value is not None else NOT_MEASURED
    theirs = f"{best} {unit}, {best.library}" if best else NOT_MEASURED
    return ours, theirs, f"{comparison.ratio:.2g}" if comparison.ratio else "–"


def _reasons(found: Iterable[Comparison]) -> list[str]:
    """Say which libraries are missing, and why."""
    missing: dict[str, list[str]] = {}
    for comparison in found:
        for time in (comparison.ours, *comparison.others):
            if time.missing:
                missing.setdefault(time.missing, []).append(time.library)
    return [filled(f"Missing: {', '.join(dict.fromkeys(names))}: {reason}.") for reason, names in missing.items()]


def peers_table(store: Store) -> str:
    """Write the table of all tasks that others are timed at, and who is missing."""
    rows = []
    found = comparisons(store)
    for comparison in found:
        elsewhere = ELSEWHERE.get(comparison.task)
        figure = f"{elsewhere.figure}, {elsewhere.by}, {elsewhere.machine}" if elsewhere else "–"
        rows.append((" ".join(comparison.task), *_cells(comparison), figure))
    return "\n\n".join([markdown(PEERS_TITLES, rows), about(store), *_reasons(found)])


def bootstraps_table(store: Store) -> str:
    """Write the table of CKKS bootstraps beside others'."""
    libraries = [("Everlevel, three stages, medium keys", BOOTSTRAP), *_bootstrap_peers()]
    return "\n\n".join(
        [
            markdown(BOOTSTRAP_TITLES, [_bootstrap_cells(name, _row(store, key)) for name, key in libraries]),
            about(store),
        ]
    )


def _bootstrap_cells(name: str, row: Row) -> list[str]:
    if "bootstrap_seconds" not in row:
        return [name, row.get("missing", NOT_MEASURED), *["–"] * (len(BOOTSTRAP_TITLES) - 2)]
    keys = row.get("key_gigabytes", row.get("expanded_gigabytes"))
    return [
        name,
        digits(row["bootstrap_seconds"]),
        f"{row['mean_bits']:.1f}",
        f"{row['worst_bits']:.1f}",
        f"{row.get('level_in', 0)} → {row['level_out']}",
        "–" if keys is None else f"{keys:.2f}",
        f"{row['key_seconds']:.0f}",
        f"{row['peak_gigabytes']:.1f}",
    ]


def calls_table(store: Store) -> str:
    """Write the table of gates and tables beside tfhe-rs'."""
    rows = []
    for group in peers.GROUPS:
        row = _row(store, f"peers/tfhe-rs/{group}")
        for call in row.get("calls", []):
            times = [digits(call["least"]), digits(call["median"])]
            rows.append([f"`{group}`", call["library"], call["name"], *times, call["about"]])
        if "calls" not in row:
            rows.append([f"`{group}`", "", row.get("missing", NOT_MEASURED), "–", "–", "–"])
    return "\n\n".join([markdown(CALLS_TITLES, rows), about(store)])


def published_table(store: Store) -> str:
    """Write the table of what others publish."""
    rows = []
    for one in published.PUBLISHED:
        row = _row(store, one.ours) if one.ours else {}
        seconds, milliseconds = row.get("bootstrap_seconds"), row.get("least_milliseconds")
        ours = f"{digits(seconds)} s" if seconds else f"{digits(milliseconds)} ms" if milliseconds else "–"
        rows.append((one.task, one.figure, one.machine, one.source, ours))
    return "\n\n".join([markdown(PUBLISHED_TITLES, rows), about(store)])


def own_table(store: Store, name: str) -> str:
    """Write a table of `everlevel bench`."""
    table = TABLES[name]
    keys = [job.key for job in own_jobs() if job.table == name]
    found = {key: store.rows[key] for key in keys if store.has(key)}
    reasons = Counter(_row(store, key)["missing"] for key in keys if key not in found)
    rows = list(found.values())
    told = [filled(f"Missing: {count} of {len(keys)} rows: {reason}.") for reason, count in reasons.items()]
    listed = parameters(rows, "parameters")
    return "\n\n".join([f"{listed}\n\n{table.markdown(rows)}", filled(f"{table.note(None)} {about(store)}"), *told])


FRONT, PEERS = "front table", "peers table"
MARKED = {
    "README.md": (FRONT,),
    "docs/index.md": (FRONT,),
    "docs/benchmarks.md": (
        PEERS,
        "bootstraps beside peers",
        "gates beside peers",
        "published figures",
        "ckks table",
        "tfhe table",
    ),
}
"""Every page, and the marks between which its tables stand."""
PICTURE = "docs/images/peers.png"
WRITTEN = (*MARKED, PICTURE)


def texts(store: Store) -> dict[str, str]:
    """Write every table, by its marks."""
    return {
        FRONT: front_table(store),
        PEERS: peers_table(store),
        "bootstraps beside peers": bootstraps_table(store),
        "gates beside peers": calls_table(store),
        "published figures": published_table(store),
        "ckks table": own_table(store, "ckks"),
        "tfhe table": own_table(store, "tfhe"),
    }
