"""The lowest versions that pyproject.toml promises, as constraints for pip.

    python tools/lower_bounds.py dev > lowest.txt
    pip install --constraint lowest.txt --editable '.[dev]'

A bound has to name a version that was released: ``==`` finds no other.
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

PROJECT = Path(__file__).parents[1] / "pyproject.toml"
_BOUND = re.compile(r"(?P<name>[\w.-]+)>=(?P<version>[\w.]+)(,<[\w.]+)?")


def lowest(*extras: str) -> list[str]:
    """One line ``name==version`` for each dependency and for those of the extras."""
    project = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]
    wanted = [*project["dependencies"]]
    for extra in extras:
        if extra not in project["optional-dependencies"]:
            raise SystemExit(f"no extra {extra}; there are {', '.join(sorted(project['optional-dependencies']))}")
        wanted += project["optional-dependencies"][extra]
    lines = set()
    for dependency in wanted:
        bound = _BOUND.fullmatch(dependency)
        if bound is None:
            raise SystemExit(f"{dependency} in {PROJECT.name} has no lower bound: write name>=version")
        lines.add(f"{bound['name']}=={bound['version']}")
    return sorted(lines)


if __name__ == "__main__":
    print("\n".join(lowest(*sys.argv[1:])))
