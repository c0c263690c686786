"""Where Jounce keeps what it makes between sessions."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path

#: folders that go with the process, and what cannot be written in their place
_PASSING: dict[Path, str] = {}


def cache_root() -> Path:
    """The folder for everything Jounce keeps between sessions: $JOUNCE_CACHE, else the user's cache folder."""
    chosen = os.environ.get("JOUNCE_CACHE")
    if chosen:
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME")
    if base:
        return Path(base) / "jounce"
    try:
        return Path.home() / ".cache" / "jounce"
    except RuntimeError:  # a user without a name, as in containers, and no HOME
        return _without_home()


@cache
def _without_home() -> Path:
    return _passing("the user has no home folder")


def _passing(why: str) -> Path:
    """A new folder that goes with the process."""
    folder = Path(tempfile.mkdtemp(prefix="jounce-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    _PASSING[folder] = why
    return folder


def why_passing(folder: Path) -> str:
    """Why what is kept in this folder goes with the process; nothing where it stays."""
    return next((why for each, why in _PASSING.items() if folder.is_relative_to(each)), "")


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
    except OSError as error:
        copy = _passing(f"cannot write into {folder}: {error.strerror or error}")
        with suppress(OSError):  # there is no such folder, or nobody may read it
            for file in folder.iterdir():
                if file.is_file():
                    _link(copy / file.name, file.absolute())
        return copy


def _link(name: Path, file: Path) -> None:
    """Another name of a file; a copy of it where the system has no links."""
    try:
        name.symlink_to(file)
    except OSError:
        shutil.copyfile(file, name)
