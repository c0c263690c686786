"""ChunkStore: results on disk while they are computed, so that a killed computation goes on where it was.

A store is a zarr group (format 3). Every work unit, one chunk of items of one lane, has zarr chunks of its own; when
all of them are written, the array ``finished`` receives their digests. zarr puts each chunk in place whole, so that a
unit is either marked and complete, or computed again; and a chunk that no longer has its digest is an error that names
it (seals.py). The group's attributes describe the computation: a store continues only the one that it was made for.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import weakref
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from jounce import __version__
from jounce.analysis.stores import seals
from jounce.analysis.stores.chunk_files import ChunkFiles
from jounce.errors import StorageError

# 3: digests of all chunks in place of a mark, sealed attributes; 4: points know modes; 5: other digests
FORMAT_VERSION = 5
OF_FILES = 5  # from this version on digests are those of files, not of values
OLDEST_VERSION = 2  # 1 kept every fact in an array of its own: one write a fact took longer than finding them
COLUMNS = "columns"  # attribute of an array whose last dimension has names
MARKERS = "finished"  # of the array (lane, chunk, field) of digests; 0: not there yet
_REMEDY = "restore the folder, or delete it and compute again"
_UNREADABLE = (OSError, ValueError, TypeError, KeyError, RuntimeError, EOFError, ArithmeticError, MemoryError)


@dataclass(frozen=True)
class Field:
    """One array of a store: its dimensions after (lane, item), its type, and names within its last dimension."""

    dimensions: tuple[str, ...] = ()
    shape: tuple[int, ...] = ()
    dtype: str = "int64"
    columns: tuple[str, ...] = ()


class ChunkStore:
    """A folder of chunked arrays of shape (lanes, items, ...).

    The description says under "ranges" which items each lane has, first and last + 1; what is outside, and what is not
    computed yet, is empty: NaN in numbers, -1 in whole numbers. Every array that is read later refers to the store.
    """

    def __init__(self, path: Path, description: dict[str, Any]) -> None:
        self.path, self.description = path, description
        self.attributes = _attributes(path)
        self.version = int(self.attributes["format_version"])
        self.ranges, self.items, self.chunk = _plan(path, description)
        self.files: dict[str, ChunkFiles] = {}
        self.arrays = self._open_arrays()
        self.fields: list[str] = [name for name in sorted(self.arrays) if self._is_field(name)]
        self.columns = {
            column: (name, k)
            for name, array in self.arrays.items()
            for k, column in enumerate(array.attrs.get(COLUMNS, ()))
        }
        self._digests = self._read_markers()
        self._axes = {name: self._axis(name) for name in self.arrays if not self._is_field(name) and name != MARKERS}

    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str] | None,
        description: dict[str, Any],
        fields: dict[str, Field],
        coordinates: dict[str, np.ndarray],
    ) -> ChunkStore:
        """The store of this computation: continued where it exists, made where it does not.

        Without a path it lies in a temporary folder, which goes with the store.
        """
        if path is None:
            folder = tempfile.TemporaryDirectory(prefix=f"jounce-{description['kind']}-")
            store = cls.open(Path(folder.name) / f"{description['kind']}.zarr", description, fields, coordinates)
            weakref.finalize(store, folder.cleanup)
            return store
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
        store = cls(target, found)
        if store.version < FORMAT_VERSION and not store.complete:
            raise StorageError(
                f"{target} was begun by an earlier Jounce and cannot be continued; it can be read with jounce.load. "
                "Give another folder, or delete this one to start again"
            )
        return store

    def chunks(self, lane: int) -> range:
        """The chunks of a lane."""
        first, end = self.ranges[lane]
        return range(first // self.chunk, -(-end // self.chunk))

    @property
    def units(self) -> int:
        """The number of units of all lanes."""
        return sum(len(self.chunks(lane)) for lane in range(len(self.ranges)))

    def slice(self, lane: int, chunk: int) -> slice:
        """The items of a lane in a chunk."""
        first, end = self.ranges[lane]
        return slice(max(chunk * self.chunk, first), min((chunk + 1) * self.chunk, end))

    def finished(self, lane: int, chunk: int) -> bool:
        """Whether a unit is complete."""
        return bool(self._digests[lane, chunk].all())

    @property
    def complete(self) -> bool:
        """Whether every unit is there."""
        return all(self.finished(lane, chunk) for lane in range(len(self.ranges)) for chunk in self.chunks(lane))

    def write(self, lane: int, chunk: int, results: dict[str, np.ndarray]) -> None:
        """Store one unit: its arrays, then their digests."""
        part = self.slice(lane, chunk)
        try:
            marks = np.zeros(len(self.fields), np.int64)
            for k, name in enumerate(self.fields):
                values = np.asarray(results[name], dtype=self.arrays[name].dtype)
                content = self.files[name].write(lane, chunk, values, part.start - chunk * self.chunk)
                marks[k] = seals.content_digest(content)
            self.files[MARKERS].write(lane, chunk, marks[None, :])
            self._digests[lane, chunk] = marks
        except OSError as error:
            raise StorageError(
                f"{self.path} cannot be written: {error.strerror or error}. What is complete is kept: make room and "
                "repeat the command to go on"
            ) from None

    def read(self, name: str, lane: int | None = None, items: Any = ...) -> np.ndarray:
        """An array or a part of it (one item, or a slice without steps); or one named column of an array."""
        owner, column = self.columns.get(name, (name, None))
        if owner in self._axes:
            return self._axes[owner]
        found = self._rows(owner, lane, items)
        return found if column is None else found[..., column]

    # ------------------------------------------------------------------------------------------------ inside

    def _is_field(self, name: str) -> bool:
        return name != MARKERS and self.arrays[name].ndim >= 2

    def _open_arrays(self) -> dict[str, Any]:
        import zarr

        places = [place for place in sorted(self.path.iterdir()) if place.is_dir()]
        digests = self.attributes.get("metadata")
        if digests is not None:
            places = [self.path / name for name in sorted(digests)]
        opened = {}
        for place in places:
            metadata, found = seals.read_metadata(place)
            if digests is not None and digests[place.name] != found:
                raise seals.damage(place / "zarr.json", "it has changed since it was written", _REMEDY)
            seals.check_array(place, metadata)
            try:
                opened[place.name] = array = zarr.open_array(str(place), mode="r+", zarr_format=3)
                if array.ndim >= 2:
                    self.files[place.name] = ChunkFiles(place, array, metadata["codecs"])
            except _UNREADABLE as error:
                raise seals.damage(place / "zarr.json", f"{type(error).__name__}: {error}", _REMEDY) from None
        if MARKERS not in opened:
            raise seals.damage(self.path / MARKERS, "it is missing", _REMEDY)
        return opened

    def _read_markers(self) -> np.ndarray:
        """(lane, chunk, field); one column for all fields in an old store, which has marks and no digests."""
        try:
            marks = np.asarray(self.arrays[MARKERS][...])
        except _UNREADABLE as error:
            place = self.path / MARKERS
            raise seals.damage(
                place, f"{type(error).__name__}: {error}", self._repeat("the damaged file in it")
            ) from None
        if self.version < 3:
            marks = marks[..., None].astype(np.int64)
        width = 1 if self.version < 3 else len(self.fields)
        if marks.shape != (len(self.ranges), -(-self.items // self.chunk), width):
            raise seals.damage(self.path / MARKERS, f"it has the shape {marks.shape}", _REMEDY)
        for name in self.fields:
            if self.arrays[name].shape[:2] != (len(self.ranges), self.items):
                raise seals.damage(self.path / name, f"it has the shape {self.arrays[name].shape}", _REMEDY)
        return marks

    def _axis(self, name: str) -> np.ndarray:
        """The values along an axis, read once."""
        try:
            values = np.asarray(self.arrays[name][...])
        except _UNREADABLE as error:
            raise seals.damage(self.path / name, f"{type(error).__name__}: {error}", _REMEDY) from None
        if self.version >= 3 and seals.digest(values) != self.attributes["axes"].get(name):
            raise seals.damage(self.path / name, "its values have changed", _REMEDY)
        return values

    def _rows(self, name: str, lane: int | None, items: Any) -> np.ndarray:
        """Unit by unit, each compared with its digest."""
        array = self.arrays[name]
        if lane is None:
            return np.stack([self._rows(name, number, items) for number in range(len(self.ranges))])
        if isinstance(items, int | np.integer):
            return self._rows(name, lane, slice(int(items), int(items) + 1))[0]
        first, end, _ = slice(None).indices(self.items) if items is ... else items.indices(self.items)
        out = np.full((max(end - first, 0), *array.shape[2:]), np.nan if array.dtype.kind == "f" else -1, array.dtype)
        for chunk in self.chunks(lane):
            part = self.slice(lane, chunk)
            low, high = max(first, part.start), min(end, part.stop)
            if low < high and self.finished(lane, chunk):
                out[low - first : high - first] = self._unit(name, lane, chunk)[low - part.start : high - part.start]
        return out

    def _unit(self, name: str, lane: int, chunk: int) -> np.ndarray:
        """One array of a finished unit, as it was written."""
        what = "its content is not what was written"
        try:
            part, first = self.slice(lane, chunk), chunk * self.chunk
            content = self.files[name].content(lane, chunk)
            mark = None if self.version < 3 else self._digests[lane, chunk, self.fields.index(name)]
            if self.version < OF_FILES or seals.content_digest(content or b"") == mark:
                values = self.files[name].decoded(content)[part.start - first : part.stop - first]
                if self.version < 3 or self.version >= OF_FILES or seals.digest(values) == mark:
                    return values
        except _UNREADABLE as error:
            what = f"{type(error).__name__}: {error}"
        place = self.path.joinpath(name, "c", str(lane), str(chunk))
        marker = self.path.joinpath(MARKERS, "c", str(lane), str(chunk))
        raise seals.damage(place, what, self._repeat(str(marker)))

    def _repeat(self, what: str) -> str:
        return f"delete {what} and repeat the computation in this folder: only what is missing is computed again"


def _create(
    target: Path, description: dict[str, Any], fields: dict[str, Field], coordinates: dict[str, np.ndarray]
) -> None:
    """A new store appears complete or not at all."""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        temporary = Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=target.parent))
    except OSError as error:
        raise StorageError(f"{target} cannot be written: {error.strerror or error}") from None
    try:
        _fill(temporary, description, fields, coordinates)
        temporary.chmod(0o755)
        os.rename(temporary, target)
    except OSError as error:
        if not target.exists():  # else another process has made the same store meanwhile
            raise StorageError(f"{target} cannot be written: {error.strerror or error}") from None
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _fill(
    folder: Path, description: dict[str, Any], fields: dict[str, Field], coordinates: dict[str, np.ndarray]
) -> None:
    """The arrays of a new store, empty, and the attributes that describe it."""
    import zarr
    from zarr.codecs import Crc32cCodec, ZstdCodec

    protected: Any = {"compressors": (ZstdCodec(), Crc32cCodec())}
    lanes, items, chunk = len(description["ranges"]), description["items"], description["chunk"]
    group = zarr.open_group(str(folder), mode="w", zarr_format=3)
    for name, entry in fields.items():
        group.create_array(
            name,
            shape=(lanes, items, *entry.shape),
            chunks=(1, min(chunk, items), *entry.shape),
            dtype=entry.dtype,
            fill_value=np.nan if entry.dtype == "float64" else -1,
            dimension_names=("lane", "item", *entry.dimensions),
            attributes={COLUMNS: list(entry.columns)} if entry.columns else None,
            **protected,
        )
    for name, values in coordinates.items():
        group.create_array(name, data=values, chunks=values.shape, dimension_names=(name,), **protected)
    group.create_array(
        MARKERS,
        shape=(lanes, -(-items // chunk), len(fields)),
        chunks=(1, 1, len(fields)),
        dtype="int64",
        fill_value=0,
        dimension_names=("lane", "chunk", "field"),
        **protected,
    )
    attributes = {
        "jounce_version": __version__,
        "format_version": FORMAT_VERSION,
        "description": json.loads(json.dumps(description)),
        "axes": {name: seals.digest(values) for name, values in coordinates.items()},
        "metadata": {name: seals.read_metadata(folder / name)[1] for name in (*fields, *coordinates, MARKERS)},
    }
    group.attrs.update(attributes | {seals.SEAL: seals.seal(attributes)})


def _attributes(path: Path) -> dict[str, Any]:
    """The attributes of the group; a StorageError if the folder is none of ours or they have changed."""
    attributes = seals.read_metadata(path)[0].get("attributes")
    if not isinstance(attributes, dict) or not isinstance(attributes.get("description"), dict):
        raise StorageError(f"{path} is no store of Jounce; give another folder")
    version = attributes.get("format_version")
    if type(version) is not int:
        raise StorageError(f"{path} is no store of Jounce; give another folder")
    if version < OLDEST_VERSION:
        raise StorageError(
            f"{path} has format version {version}, of an earlier Jounce; this one reads from {OLDEST_VERSION} on: "
            "delete the folder and compute again"
        )
    if version > FORMAT_VERSION:
        raise StorageError(
            f"{path} has format version {version}, written by Jounce {attributes.get('jounce_version')!r}; this Jounce "
            f"reads up to {FORMAT_VERSION}: upgrade it"
        )
    sealed = seals.SEAL in attributes or version >= 3
    if sealed and attributes.get(seals.SEAL) != seals.seal(attributes):
        raise seals.damage(path / "zarr.json", "it has changed since it was written", _REMEDY)
    if sealed and not all(isinstance(attributes.get(key), dict) for key in ("axes", "metadata")):
        raise seals.damage(path / "zarr.json", "it lacks the digests of the arrays", _REMEDY)
    return attributes


def _plan(path: Path, description: dict[str, Any]) -> tuple[list[list[int]], int, int]:
    """(items of each lane, number of items, items in a chunk), if they make sense together."""
    ranges, items, chunk = (description.get(key, 0) for key in ("ranges", "items", "chunk"))
    whole = type(items) is int and type(chunk) is int and chunk >= 1 and 1 <= items < 2**40
    if whole and isinstance(ranges, list) and ranges:
        spans = [span for span in ranges if isinstance(span, list) and [type(end) for end in span] == [int, int]]
        if len(spans) == len(ranges) and all(0 <= first < end <= items for first, end in spans):
            return spans, int(items), int(chunk)
    raise StorageError(f"{path} is no store of Jounce: the items of its lanes make no sense; {_REMEDY}")


def read_description(path: str | os.PathLike[str]) -> dict[str, Any]:
    """What a store was made for; a StorageError if the folder is none of ours."""
    return dict(_attributes(Path(path))["description"])
