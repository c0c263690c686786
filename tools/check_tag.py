"""The tag of a release names the version that is built: ``python tools/check_tag.py v1.0.0``."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

PROJECT = Path(__file__).parents[1] / "pyproject.toml"


def main(tag: str = "") -> None:
    """Nothing where they agree; otherwise one line and the exit code 1."""
    version = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]["version"]
    if tag != f"v{version}":
        raise SystemExit(f"the tag {tag!r} is not the version of pyproject.toml: tag v{version}, or change the version")


if __name__ == "__main__":
    main(*sys.argv[1:2])
