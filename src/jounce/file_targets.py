"""Which file a result takes the place of."""

from __future__ import annotations

import os
from os import PathLike
from pathlib import Path
from typing import Any

from jounce.errors import OptionError, StorageError

LONGEST_SHOWN = 80  # letters of a name in a message


def checked_path(option: str, value: Any) -> Path:
    """The path of a file or folder that the system would take; it need not exist."""
    if not isinstance(value, str | PathLike) or not isinstance(os.fspath(value), str):
        raise OptionError(f"{option} is {value!r}; it must be a path")
    if not os.fspath(value).strip():
        raise OptionError(f"{option} is empty; give a path")
    try:
        os.stat(value)
    except (FileNotFoundError, NotADirectoryError):
        pass
    except (OSError, ValueError) as error:
        name = os.fspath(value)
        shown = name if len(name) <= LONGEST_SHOWN else f"{name[:LONGEST_SHOWN]}..."
        reason = error.strerror if isinstance(error, OSError) else error
        raise OptionError(f"{option} {shown!r} cannot be used: {reason}") from None
    return Path(value)


def file_to_replace(path: str | PathLike[str]) -> Path:
    """The regular file that ``path`` names or is to name, behind symbolic links.

    A file is written beside its place and moved there when it is whole. Moved onto a link it would take the place of
    the link, moved onto /dev/null or a pipe that of the device.
    """
    target = Path(os.path.realpath(checked_path("the file", path)))
    if target.exists() and not target.is_file():
        what = "a folder" if target.is_dir() else "a device, a pipe or a socket"
        raise StorageError(f"{path} is {what}, no file that could be replaced; give the name of a file")
    return target
