"""netCDF files, written whole or not at all: what every kind of stored result has in common."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from jounce.errors import StorageError


@contextmanager
def replacing(path: str | PathLike[str]) -> Iterator[Path]:
    """A temporary neighbour of ``path`` that takes its place only when everything has been written."""
    target = Path(path)
    try:
        handle, name = tempfile.mkstemp(prefix=f".{target.stem}-", suffix=".nc", dir=target.parent)
    except OSError as error:
        raise StorageError(f"{target} cannot be written: {error.strerror or error}") from None
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        mask = os.umask(0)
        os.umask(mask)
        temporary.chmod(0o666 & ~mask)  # mkstemp made it private
        os.replace(temporary, target)
    except OSError as error:
        raise StorageError(f"{target} cannot be written: {error.strerror or error}") from None
    finally:
        temporary.unlink(missing_ok=True)


def write_array(file: Any, name: str, dimensions: tuple[str, ...], values: np.ndarray) -> None:
    """One variable, with a checksum that turns a flipped bit into an error instead of a wrong number."""
    for dimension, size in zip(dimensions, values.shape, strict=True):
        if dimension not in file.dimensions:
            file.dimensions[dimension] = size
    if values.size == 0:
        file.create_variable(name, dimensions, dtype=values.dtype)
        return
    rows = max(1, min(values.shape[0], 2**17 // max(1, values[0].size)))
    file.create_variable(name, dimensions, data=values, fletcher32=True, chunks=(rows, *values.shape[1:]))


def read_array(file: Any, name: str, kind: type = np.float64) -> np.ndarray:
    """One variable as a contiguous array."""
    variable = file.variables[name]
    if 0 in variable.shape:
        return np.empty(variable.shape, dtype=kind)
    return np.ascontiguousarray(variable[...], dtype=kind)


def check_version(file: Any, path: Path, newest: int) -> None:
    """Refuse a file of a later Jounce."""
    version = int(file.attrs["format_version"])
    if version > newest:
        raise StorageError(
            f"{path} has format version {version}, written by Jounce {file.attrs.get('version')}; "
            f"this Jounce reads up to {newest}: upgrade it"
        )
