"""The process of one row: the table's name and the row's options come in, the row goes out, as JSON."""

from __future__ import annotations

import json
import sys

from . import TABLES

if __name__ == "__main__":
    print(json.dumps(TABLES[sys.argv[1]].measure(**json.loads(sys.argv[2]))))
