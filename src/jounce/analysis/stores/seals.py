"""What protects a store: digests of its data and of its descriptions, and a look at metadata before zarr sees them.

A flipped bit, a cut or a missing file must be an error and never another number. zarr's own checksum of a chunk
(crc32c) finds the first, but not a chunk that is missing or that belongs elsewhere. So every chunk of every finished
unit has a digest in the array of markers, the metadata of arrays and the values along the axes have theirs in the
attributes of the group, and the attributes have one over themselves.

zarr builds what the metadata name (data types, filters from installed packages): only those that Jounce writes are
accepted.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np

from jounce.errors import StorageError

SEAL = "seal"
LARGEST_FILE = 2**28  # bytes of metadata
_CODECS = {"bytes", "zstd", "crc32c"}
_TYPES = {"float64", "int64", "int8"}


def digest(values: np.ndarray) -> int:
    """A whole number from 1 on that another content of an array does not have."""
    content = np.ascontiguousarray(values)
    head = f"{content.dtype.str}{content.shape}".encode()
    hashed = hashlib.blake2b(head, digest_size=8)
    hashed.update(content.reshape(-1).view(np.uint8))  # type: ignore[arg-type]  # where it lies, without a copy
    return int.from_bytes(hashed.digest(), "little") >> 1 | 1


def content_digest(content: bytes) -> int:
    """The same of a file. A chunk of a basin is mostly empty: its file has a hundredth of the bytes of its values."""
    return digest(np.frombuffer(content, np.uint8))


def text_digest(content: bytes) -> str:
    """Of a file."""
    return hashlib.sha256(content).hexdigest()


def seal(attributes: dict[str, Any]) -> str:
    """Of all attributes of a group but the seal itself."""
    others = {key: value for key, value in attributes.items() if key != SEAL}
    return text_digest(json.dumps(others, sort_keys=True).encode())


def damage(place: Path, what: str, remedy: str) -> StorageError:
    """The error for something that is not as it was written."""
    return StorageError(f"{place} is damaged: {what}; {remedy}")


def read_metadata(place: Path) -> tuple[dict[str, Any], str]:
    """The zarr.json of a folder as data, and its digest."""
    file = place / "zarr.json"
    try:
        if file.stat().st_size > LARGEST_FILE:
            raise StorageError(f"{file} has {file.stat().st_size} bytes: it is no description of Jounce")
        content = file.read_bytes()
        found = json.loads(content)
    except OSError as error:
        raise StorageError(f"{place} is no store of Jounce ({error.strerror or error}); give another folder") from None
    except (ValueError, RecursionError):
        remedy = "restore the folder, or delete it and compute again"
        raise damage(file, "it is no JSON text", remedy) from None
    if not isinstance(found, dict) or found.get("zarr_format") != 3:
        raise StorageError(f"{place} is no store of Jounce (not zarr format 3); give another folder")
    return found, text_digest(content)


def check_array(place: Path, metadata: dict[str, Any]) -> None:
    """Whether the metadata of an array are such as Jounce writes; zarr opens it only then."""
    remedy = "restore the folder, or delete it and compute again"
    try:
        codecs = [codec["name"] for codec in metadata["codecs"]]
        shape, chunks = metadata["shape"], metadata["chunk_grid"]["configuration"]["chunk_shape"]
        sound = (
            metadata["node_type"] == "array"
            and metadata["data_type"] in _TYPES
            and metadata["chunk_grid"]["name"] == "regular"
            and metadata["chunk_key_encoding"]["name"] == "default"
            and bool(codecs)
            and set(codecs) <= _CODECS
            and not metadata.get("storage_transformers")
            and len(shape) == len(chunks)
            and all(type(size) is int and size >= 0 for size in shape)
            and all(type(size) is int and size >= 1 for size in chunks)
            and int(np.prod([float(size) for size in chunks])) * 8 < 2**34
        )
    except (KeyError, TypeError, ValueError, AttributeError):
        sound = False
    if not sound:
        raise damage(place / "zarr.json", "it does not describe an array of Jounce", remedy)
