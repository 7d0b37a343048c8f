"""Print the packages that the working environment holds: those that pyproject.toml names, extras included.

With ``--optional``, those of the extras that tests skip where they can't be installed, a line for each extra; without
it, all the others, but for those that one command installs for itself.
"""

import sys
import tomllib
from pathlib import Path

OPTIONAL = {"ray", "dask", "table", "rtl"}
ON_REQUEST = {"gpu-kernels", "gpu-report"}

project = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))["project"]
extras = project["optional-dependencies"]
wanted = OPTIONAL if "--optional" in sys.argv else extras.keys() - OPTIONAL - ON_REQUEST
lines = [" ".join(extras[extra]) for extra in sorted(wanted)]
print("\n".join(lines if "--optional" in sys.argv else [*project["dependencies"], *lines]))
