"""Where Numba keeps the kernels that Python calls directly."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from jounce.toolchain.numba_private import CacheLocator, config

KERNELS = Path(__file__).parent.parent / "kernels"


class ContentLocator(CacheLocator):
    """Numba's cache by content: the folder's name carries a hash of what the function is made of (keys.py).

    Neither the path nor the time of a file counts.

    A clone, another worktree and a reinstalled package find what has been compiled from the same text.
    """

    def __init__(self, function: Callable[..., Any], file: str, folder: str) -> None:
        self._line, self._folder = function.__code__.co_firstlineno, folder
        self._text = hashlib.sha256(Path(file).read_bytes()).hexdigest()

    def get_cache_path(self) -> str:
        """The folder of all files."""
        return self._folder

    def get_source_stamp(self) -> str:
        """The text of the file: whoever edits it while a process runs shall not leave wrong code behind."""
        return self._text

    def get_disambiguator(self) -> str:
        """Tells functions of one name and file apart."""
        return str(self._line)

    @classmethod
    def from_function(cls, py_func: Callable[..., Any], py_file: str) -> ContentLocator | None:
        """For functions of kernels/ only: others may change without changing the folder."""
        if KERNELS not in Path(py_file).parents:
            return None
        os.makedirs(config.CACHE_DIR, exist_ok=True)
        return cls(py_func, py_file, config.CACHE_DIR)
