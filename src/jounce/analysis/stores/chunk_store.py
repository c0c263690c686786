"""ChunkStore: results on disk while they are computed, so that a killed computation goes on where it was.

A store is a zarr group (format 3). Every work unit, one chunk of items of one lane, has zarr chunks of its own; when
all of them are written, the array ``finished`` says so. zarr puts each chunk in place whole, so that a unit is either
marked and complete, or computed again. The group's attributes describe the computation: a store continues only the one
that it was made for.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from jounce.errors import StorageError

FORMAT_VERSION = 2
OLDEST_VERSION = 2  # 1 kept every fact in an array of its own: one write a fact took longer than finding them
COLUMNS = "columns"  # attribute of an array whose last dimension has names
MARKERS = "finished"  # of the array (lane, chunk) that says which units are complete


@dataclass(frozen=True)
class Field:
    """One array of a store: its dimensions after (lane, item), its type, and names within its last dimension."""

    dimensions: tuple[str, ...] = ()
    shape: tuple[int, ...] = ()
    dtype: str = "int64"
    columns: tuple[str, ...] = ()


class ChunkStore:
    """A folder of chunked arrays of shape (lanes, items, ...).

    The description says under "ranges" which items each lane has, first and last + 1; what is outside stays empty: NaN
    in numbers, -1 in whole numbers.
    """

    def __init__(self, path: Path, description: dict[str, Any]) -> None:
        import zarr

        self.path, self.description = path, description
        group = zarr.open_group(str(path), mode="r+")
        # by name: zarr warns of the files beside them that are not its own
        self.arrays: dict[str, Any] = {
            place.name: group[place.name] for place in sorted(path.iterdir()) if place.is_dir()
        }
        self.columns = {
            column: (name, k)
            for name, array in self.arrays.items()
            for k, column in enumerate(array.attrs.get(COLUMNS, ()))
        }
        self.ranges: list[list[int]] = description["ranges"]
        self.items, self.chunk = int(description["items"]), int(description["chunk"])
        self._finished = np.asarray(self.arrays[MARKERS][...]) == 1

    def chunks(self, lane: int) -> range:
        """The chunks of a lane."""
        first, end = self.ranges[lane]
        return range(first // self.chunk, -(-end // self.chunk))

    @property
    def units(self) -> int:
        """The number of units of all lanes."""
        return sum(len(self.chunks(lane)) for lane in range(len(self.ranges)))

    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str],
        description: dict[str, Any],
        fields: dict[str, Field],
        coordinates: dict[str, np.ndarray],
    ) -> ChunkStore:
        """The store of this computation: continued where it exists, made where it does not."""
        target = Path(path)
        if not target.exists():
            _create(target, description, fields, coordinates)
        found = read_description(target)
        wanted = json.loads(json.dumps(description))
        if found != wanted:
            different = [key for key in wanted if found.get(key) != wanted[key]]
            raise StorageError(
                f"{target} holds another computation: it differs in {', '.join(different) or 'its fields'}. "
                "Give another folder, or delete this one to start again"
            )
        return cls(target, found)

    def slice(self, lane: int, chunk: int) -> slice:
        """The items of a lane in a chunk."""
        first, end = self.ranges[lane]
        return slice(max(chunk * self.chunk, first), min((chunk + 1) * self.chunk, end))

    def finished(self, lane: int, chunk: int) -> bool:
        """Whether a unit is complete."""
        return bool(self._finished[lane, chunk])

    @property
    def complete(self) -> bool:
        """Whether every unit is there."""
        return int(self._finished.sum()) == self.units

    def write(self, lane: int, chunk: int, results: dict[str, np.ndarray]) -> None:
        """Store one unit: its arrays, then its marker."""
        try:
            for name, values in results.items():
                self.arrays[name][lane, self.slice(lane, chunk)] = values
            self.arrays[MARKERS][lane, chunk] = 1
            self._finished[lane, chunk] = True
        except OSError as error:
            raise StorageError(
                f"{self.path} cannot be written: {error.strerror or error}. What is complete is kept: make room and "
                "repeat the command to go on"
            ) from None

    def read(self, name: str, lane: int | None = None, items: Any = ...) -> np.ndarray:
        """An array or a part of it; or one named column of an array."""
        owner, column = self.columns.get(name, (name, None))
        array = self.arrays[owner]
        found = np.asarray(array[...] if lane is None else array[lane, items])
        return found if column is None else found[..., column]


def _create(
    target: Path, description: dict[str, Any], fields: dict[str, Field], coordinates: dict[str, np.ndarray]
) -> None:
    """A new store appears complete or not at all."""
    import zarr

    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        temporary = Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=target.parent))
    except OSError as error:
        raise StorageError(f"{target} cannot be written: {error.strerror or error}") from None
    lanes, items, chunk = len(description["ranges"]), description["items"], description["chunk"]
    try:
        group = zarr.open_group(str(temporary), mode="w", zarr_format=3)
        for name, entry in fields.items():
            group.create_array(
                name,
                shape=(lanes, items, *entry.shape),
                chunks=(1, min(chunk, items), *entry.shape),
                dtype=entry.dtype,
                fill_value=np.nan if entry.dtype == "float64" else -1,
                dimension_names=("lane", "item", *entry.dimensions),
                attributes={COLUMNS: list(entry.columns)} if entry.columns else None,
            )
        for name, values in coordinates.items():
            group.create_array(name, data=values, chunks=values.shape, dimension_names=(name,))
        group.create_array(
            MARKERS,
            shape=(lanes, -(-items // chunk)),
            chunks=(1, 1),
            dtype="int8",
            fill_value=0,
            dimension_names=("lane", "chunk"),
        )
        group.attrs["jounce_version"] = _version()
        group.attrs["format_version"] = FORMAT_VERSION
        group.attrs["description"] = description
        temporary.chmod(0o755)
        os.rename(temporary, target)
    except OSError as error:
        if not target.exists():  # else another process has made the same store meanwhile
            raise StorageError(f"{target} cannot be written: {error.strerror or error}") from None
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def read_description(path: str | os.PathLike[str]) -> dict[str, Any]:
    """What a store was made for; a StorageError if the folder is none of ours."""
    import zarr

    target = Path(path)
    try:
        attributes = dict(zarr.open_group(str(target), mode="r").attrs)
        version, description = int(attributes["format_version"]), dict(attributes["description"])
    except (OSError, KeyError, ValueError, TypeError) as error:
        raise StorageError(f"{target} is no store of Jounce ({type(error).__name__}); give another folder") from None
    if version < OLDEST_VERSION:
        raise StorageError(
            f"{target} has format version {version}, of an earlier Jounce; this one reads from {OLDEST_VERSION} on: "
            "delete the folder and compute again"
        )
    if version > FORMAT_VERSION:
        raise StorageError(
            f"{target} has format version {version}, written by Jounce {attributes.get('jounce_version')}; this Jounce "
            f"reads up to {FORMAT_VERSION}: upgrade it"
        )
    return description


def _version() -> str:
    from jounce import __version__

    return __version__
