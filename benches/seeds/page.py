"""docs/seeds.md: published rows beside those that were measured, a row that isn't there named as missing."""

from __future__ import annotations

from collections.abc import Iterable

from tables.driver import NOT_YET
from tables.pages import NOT_MEASURED, about, digits, filled, markdown
from tables.place import Store

from everlevel._bench import Row

from . import beside
from .examples import EXAMPLES
from .published import THREADS, Published, bootstraps, document

PAGE = "docs/seeds.md"
PICTURE = "docs/images/seeds_bootstraps.png"
WRITTEN = (PAGE, PICTURE)

TIME_TITLES = (
    "keys", "stages", "published: 1 thread, s", "4, 16 threads", "GPU", "here: 1 thread, s", "times as fast",
    "2 threads", "4, 16 threads, estimated", "a process' first",
)  # fmt: skip
RESULT_TITLES = (
    "keys", "stages", "levels", "uniform: mean, worst bits", "error of random ±1", "alternating ±1", "[-1, 1]",
    "keys, GB", "keys, s", "peak, GB",
)  # fmt: skip


def kinds() -> list[str]:
    """Name the tables of bootstraps, in their order."""
    return list(dict.fromkeys(one.kind for one in bootstraps()))


def mark(name: str) -> str:
    """Name the marks between which a table stands."""
    return f"seeds {name}"


def texts(store: Store) -> dict[str, str]:
    """Write every table, by its marks."""
    tables = {mark(kind): bootstraps_table(store, kind) for kind in kinds()}
    most = {"load": max((row.get("load", 0.0) for row in store.rows.values()), default=0.0)}
    tables |= {mark(name): f"{text}\n\n{about(store, busy(most))}" for name, text in beside.texts(store).items()}
    return tables | {mark(example.key): example_table(store, example.key) for example in EXAMPLES}


def known(store: Store) -> dict[str, str]:
    """Write the tables that have rows; the others stay as a run of another day left them."""

    def has_any(keys: Iterable[str]) -> bool:
        return any(store.has(key) for key in keys)

    sources = {kind: [one.key for one in bootstraps() if one.kind == kind] for kind in kinds()}
    sources |= {example.key: [example.key] for example in EXAMPLES}
    sources |= {name: list(keys) for name, keys in beside.SOURCES.items()}
    marks = {mark(name) for name, keys in sources.items() if has_any(keys)}
    return {name: text for name, text in texts(store).items() if name in marks}


def bootstraps_table(store: Store, kind: str) -> str:
    """Write the two tables of a kind of bootstraps: times, and what comes out."""
    rows = [(one, store.rows.get(one.key, NOT_YET)) for one in bootstraps() if one.kind == kind]
    reasons = {row["missing"] for _, row in rows if "missing" in row}
    tables = [markdown(TIME_TITLES, (time_cells(one, row) for one, row in rows))]
    if any("seconds" in row for _, row in rows):
        tables.append(markdown(RESULT_TITLES, (result_cells(one, row) for one, row in rows)))
    told = [filled(f"Missing: {reason}.") for reason in sorted(reasons)]
    more = small_rings(row for _, row in rows) + shared(row for _, row in rows)
    return "\n\n".join([*tables, about(store, more), *told])


def shared(rows: Iterable[Row]) -> str:
    """Say so where others computed beside rows, which are a load of one to two themselves."""
    most = max((row.get("load", 0.0) for row in rows), default=0.0)
    return f"; **the machine's load was up to {most}, of which rows are 2 at most**" if most > 2.5 else ""


def small_rings(rows: Iterable[Row]) -> str:
    """Say so where rings without security were measured."""
    rings = sorted({row["insecure_log_n"] for row in rows if row.get("insecure_log_n")})
    return f"; **rings of 2^{rings[0]} without security: times beside no published ones**" if rings else ""


def name_cells(one: Published) -> list[str]:
    """Name a row."""
    slots = f"{one.slot_count} slots, " if one.slot_count else ""
    return [slots + one.size, str(one.stage_count)]


def editions(one: Published, *columns: int) -> str:
    """Write what the editions have in these columns."""
    cells = ["; ".join(digits(value) for value in one.seconds(column)) for column in columns]
    return " / ".join(cells) if any(cells) else "–"


def time_cells(one: Published, row: Row) -> list[str]:
    """Write a row's times."""
    published = [editions(one, 0), editions(one, 1, 2), editions(one, 3)]
    if "seconds" not in row:
        return [*name_cells(one), *published, NOT_MEASURED, *["–"] * 4]
    seconds = {int(count): value for count, value in row["seconds"].items()}
    slowest = max(one.seconds(0), default=None)
    ratio = "–" if slowest is None or row["insecure_log_n"] else f"{min(one.seconds(0)) / seconds[1]:.1f}"
    return [
        *name_cells(one),
        *published,
        f"**{digits(seconds[1])}**",
        ratio,
        digits(seconds[2]) if 2 in seconds else NOT_MEASURED,
        " / ".join(on_threads(seconds, count) for count in THREADS[1:]),
        digits(row["first_seconds"]),
    ]


def on_threads(seconds: dict[int, float], count: int) -> str:
    """Write a time on so many threads: measured, or estimated from the serial part that one and two threads show."""
    if count in seconds:
        return digits(seconds[count])
    if 2 not in seconds:
        return NOT_MEASURED
    serial = min(1.0, max(0.0, 2 * seconds[2] / seconds[1] - 1))
    return f"≈ {digits(seconds[1] * (serial + (1 - serial) / count))}"


def result_cells(one: Published, row: Row) -> list[str]:
    """Write what comes out of a row."""
    if "seconds" not in row:
        return [*name_cells(one), *["–"] * (len(RESULT_TITLES) - 2)]
    bits = f"{row['mean_bits']:.1f}, {row['worst_bits']:.1f}" if "mean_bits" in row else "–"
    return [
        *name_cells(one),
        f"{row['level_in']} → {row['level_out']}",
        bits,
        *(f"{row[f'{name}_error']:.1e}" for name in ("random", "alternating", "guide")),
        f"{row['key_gigabytes']:.2f}",
        f"{row['key_seconds']:.1f}",
        f"{row['peak_gigabytes']:.2f}",
    ]


def example_table(store: Store, key: str) -> str:
    """Write the tables that a program printed."""
    row = store.rows.get(key, NOT_YET)
    if "tables" not in row:
        return filled(f"Missing: {row['missing']}.")
    return "\n\n".join([*row["tables"], about(store, busy(row))])


def busy(row: Row) -> str:
    """Say so where others computed on the machine."""
    return f"; **the machine's load was {row['load']} before**" if row.get("load", 0.0) > 1.0 else ""


def published_errors() -> dict[str, float]:
    """Return the mean errors of bootstraps of signs that the guide has."""
    return dict(document()["guide"]["errors_of_signs"])
