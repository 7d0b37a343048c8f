"""``python -m everlevel`` is the command ``everlevel``."""

import sys

from .cli import main

if __name__ == "__main__":
    sys.exit(main())
