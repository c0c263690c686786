"""Which file a result takes the place of."""

from __future__ import annotations

import os
from os import PathLike
from pathlib import Path

from jounce.errors import StorageError


def file_to_replace(path: str | PathLike[str]) -> Path:
    """The regular file that ``path`` names or is to name, behind symbolic links.

    A file is written beside its place and moved there when it is whole. Moved onto a link it would take the place of
    the link, moved onto /dev/null or a pipe that of the device.
    """
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file():
        what = "a folder" if target.is_dir() else "a device, a pipe or a socket"
        raise StorageError(f"{path} is {what}, no file that could be replaced; give the name of a file")
    return target
