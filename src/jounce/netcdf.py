"""netCDF files, written whole or not at all and believed only as they were written.

A file is made in memory: a full disk then meets one plain write, and not the HDF5 library, which it would end the
process in. Behind the image stands its SHA-256; HDF5 ignores what follows the end of an image, so any netCDF reader
opens the file. A file without that line is read if its format is older than the line.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from jounce.errors import JounceError, StorageError
from jounce.file_targets import file_to_replace

_SEAL = b"\njounce sha256 "
_SEAL_LENGTH = len(_SEAL) + 64 + 1
_UNREADABLE = (
    *(OSError, LookupError, ValueError, TypeError, AttributeError, RuntimeError, ArithmeticError),
    *(MemoryError, RecursionError),
)


def write_file(path: str | PathLike[str], fill: Callable[[Any], None]) -> None:
    """The file that ``fill`` writes into an open h5netcdf file; it appears complete or not at all."""
    import h5netcdf

    image = io.BytesIO()
    with h5netcdf.File(image, "w") as file:
        fill(file)
    content = image.getbuffer()
    replace_file(path, [content, _seal(hashlib.sha256(content))])


def replace_file(path: str | PathLike[str], content: Sequence[bytes | memoryview]) -> None:
    """Put a file with this content in place of ``path``, whole or not at all."""
    target = file_to_replace(path)
    temporary: Path | None = None
    try:
        handle, name = tempfile.mkstemp(prefix=f".{target.stem}-", suffix=".tmp", dir=target.parent)
        temporary = Path(name)
        with os.fdopen(handle, "wb") as file:
            for part in content:
                file.write(part)
            file.flush()
            os.fsync(file.fileno())
        mask = os.umask(0)
        os.umask(mask)
        temporary.chmod(0o666 & ~mask)  # mkstemp made it private
        os.replace(temporary, target)
    except OSError as error:
        raise StorageError(f"{target} cannot be written: {error.strerror or error}; nothing was changed") from None
    finally:
        if temporary is not None:
            temporary.unlink(missing_ok=True)


def _seal(digest: Any) -> bytes:
    return _SEAL + digest.hexdigest().encode() + b"\n"


def _sealed(path: Path) -> bool:
    """Whether the file ends with the digest of what is before it; a StorageError if it is another one's."""
    with path.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(size - _SEAL_LENGTH, 0))
        line = file.read()
        if not line.startswith(_SEAL):
            return False
        file.seek(0)
        digest, left = hashlib.sha256(), size - len(line)
        while left > 0:
            part = file.read(min(left, 2**22))
            digest.update(part)
            left -= len(part)
    if line != _seal(digest):
        raise StorageError(
            f"{path} is damaged: its content does not match its checksum. Restore it from a copy, or compute it again"
        )
    return True


@contextmanager
def opened(path: str | PathLike[str]) -> Iterator[Any]:
    """An h5netcdf file for reading, after a look at its checksum; everything that goes wrong is a StorageError."""
    import h5netcdf

    target = Path(path)
    try:
        sealed = _sealed(target)
        with h5netcdf.File(target, "r") as file:
            file.jounce_sealed = sealed
            yield file
    except StorageError as error:
        raise error if str(target) in str(error) else StorageError(f"{target}: {error}") from None
    except JounceError as error:
        raise StorageError(f"{target}: {error}") from None
    except _UNREADABLE as error:
        raise StorageError(
            f"{target} is damaged or is not a result of Jounce ({type(error).__name__}: {error}); restore it from a "
            "copy, or compute it again"
        ) from None


def check_version(file: Any, path: Path, newest: int, sealed_since: int) -> int:
    """The format version; refuse a file of a later Jounce, and one whose checksum is gone."""
    version = int(file.attrs["format_version"])
    if version > newest:
        raise StorageError(
            f"{path} has format version {version}, written by Jounce {file.attrs.get('version')}; "
            f"this Jounce reads up to {newest}: upgrade it"
        )
    if version >= sealed_since and not file.jounce_sealed:
        raise StorageError(
            f"{path} is damaged: the checksum at its end is missing, so it was cut or changed. Restore it from a copy, "
            "or compute it again"
        )
    return version


def write_array(file: Any, name: str, dimensions: tuple[str, ...], values: np.ndarray) -> None:
    """One variable."""
    for dimension, size in zip(dimensions, values.shape, strict=True):
        if dimension not in file.dimensions:
            file.dimensions[dimension] = size
    if values.size == 0:
        file.create_variable(name, dimensions, dtype=values.dtype)
        return
    rows = max(1, min(values.shape[0], 2**17 // max(1, values[0].size)))
    file.create_variable(name, dimensions, data=values, fletcher32=True, chunks=(rows, *values.shape[1:]))


def read_array(file: Any, name: str, kind: type = np.float64) -> np.ndarray:
    """One variable as a contiguous array; it lies in this file, as numbers, and takes no more room than the file."""
    variable = file.variables[name]
    stored = file._h5file[name]
    if stored.dtype.kind not in "iuf" or stored.external or stored.is_virtual or stored.file.filename != file.filename:
        raise StorageError(f"the array {name} does not hold plain numbers")
    if stored.size * stored.dtype.itemsize > file._h5file.id.get_filesize():
        raise StorageError(f"the array {name} has the shape {stored.shape}, which is more than the file can hold")
    if 0 in variable.shape:
        return np.empty(variable.shape, dtype=kind)
    return np.ascontiguousarray(variable[...], dtype=kind)


def read_json(file: Any, name: str) -> Any:
    """What an attribute writes in JSON."""
    found = file.attrs[name]
    if not isinstance(found, str):
        raise StorageError(f"the attribute {name} is no text")
    return json.loads(found)
