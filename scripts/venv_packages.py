"""Print the packages that the working environment holds: those that pyproject.toml names, extras included."""

import tomllib
from pathlib import Path

project = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))["project"]
extras = project["optional-dependencies"].values()
print("\n".join([*project["dependencies"], *(name for extra in extras for name in extra)]))
