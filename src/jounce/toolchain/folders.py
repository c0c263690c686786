"""Where Jounce keeps what it makes between sessions."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from functools import cache
from pathlib import Path


def cache_root() -> Path:
    """The folder for everything Jounce keeps between sessions: $JOUNCE_CACHE, else the user's cache folder."""
    chosen = os.environ.get("JOUNCE_CACHE")
    if chosen:
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "jounce"


def write_whole(path: Path, content: bytes) -> None:
    """Keep a file, whole or not at all: whoever reads meanwhile finds the one before."""
    descriptor, temporary = tempfile.mkstemp(prefix=path.stem, suffix=".tmp", dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


@cache
def usable(folder: Path) -> Path:
    """The folder itself where it can be written; else a copy of links that lasts as long as the process."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
        return folder
    except OSError:
        copy = Path(tempfile.mkdtemp(prefix="jounce-"))
        atexit.register(shutil.rmtree, copy, ignore_errors=True)
        if folder.is_dir():
            shutil.copytree(folder, copy, copy_function=os.symlink, dirs_exist_ok=True)
        return copy
