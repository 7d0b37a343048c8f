"""The command: measure what is missing, and write the pages."""

from __future__ import annotations

import sys

from marks import replace_marked

from . import check, driver, pages, peers
from .jobs import TABLE_NAMES, all_jobs
from .place import ROOT, RefusedError, Store, here


def main() -> int:
    """Measure, write, and return the exit status."""
    parser = driver.parser("python -m tables", "All tables of the pages, from one command.", TABLE_NAMES)
    parser.add_argument("--build", action="store_true", help="build the other libraries, and measure nothing")
    parser.add_argument("--check", action="store_true", help="say whether the pages' tables are today's")
    options = parser.parse_args()
    if options.check:
        return check.main()
    if options.build:
        reasons = peers.build_all()
        print("\n".join(reasons.values()) or "all built")
        return int(bool(reasons))
    return driver.run(options, all_jobs(), lambda: here(pages.WRITTEN), write)


def write(store: Store) -> None:
    """Write the pages and the picture."""
    texts = pages.texts(store)
    for page, marks in pages.MARKED.items():
        for mark in marks:
            replace_marked(ROOT / page, mark, texts[mark])
    from .picture import draw  # matplotlib isn't needed for the rest

    draw(pages.comparisons(store), store.place.processor, ROOT / pages.PICTURE)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except RefusedError as error:
        sys.exit(str(error))
