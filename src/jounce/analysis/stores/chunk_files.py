"""The chunks of an array of a store as zarr (format 3) keeps them, a file each: bytes, zstd, crc32c.

zarr hands every chunk to an event loop and threads of its own, which takes a millisecond: as long as ten starts of a
basin. What is written here zarr reads, and the other way round.
"""

from __future__ import annotations

import os
import uuid
from pathlib import Path
from typing import Any

import numpy as np

CHECKSUM_BYTES = 4


class ChunkFiles:
    """One array (lane, item, ...), whose chunks have one lane and all of the last dimensions.

    folder   that of the array
    codecs   as its metadata name them, in the order in which they encode
    """

    def __init__(self, folder: Path, array: Any, codecs: list[dict[str, Any]]) -> None:
        self.folder, self.dtype, self.fill = folder / "c", array.dtype, array.fill_value
        self.shape, self.behind = array.chunks[1:], ["0"] * (array.ndim - 2)
        self.codecs = [codec["name"] for codec in codecs]
        import google_crc32c  # with zarr, which takes time to import
        from numcodecs.zstd import Zstd

        level = next((codec["configuration"]["level"] for codec in codecs if codec["name"] == "zstd"), 0)
        self.zstd, self.checksum = Zstd(level), google_crc32c.value

    def content(self, lane: int, chunk: int) -> bytes | None:
        """The file of a chunk; None where it is missing."""
        try:
            return self._file(lane, chunk).read_bytes()
        except FileNotFoundError:
            return None

    def decoded(self, content: bytes | None) -> np.ndarray:
        """A whole chunk from its file; one that is missing is empty."""
        if content is None:
            return np.full(self.shape, self.fill, self.dtype)
        if "crc32c" in self.codecs:
            content, checksum = content[:-CHECKSUM_BYTES], content[-CHECKSUM_BYTES:]
            if self.checksum(content) != int.from_bytes(checksum, "little"):
                raise ValueError("the checksum does not match")
        if "zstd" in self.codecs:
            content = self.zstd.decode(content)
        return np.frombuffer(content, self.dtype).reshape(self.shape)

    def write(self, lane: int, chunk: int, values: np.ndarray, first: int = 0) -> bytes:
        """Put a chunk in place, whole or not at all: these values from ``first`` on, around them nothing.

        Returns what is in the file now.
        """
        whole = values
        if values.shape != self.shape:
            whole = np.full(self.shape, self.fill, self.dtype)
            whole[first : first + len(values)] = values
        content = np.ascontiguousarray(whole, self.dtype).tobytes()
        if "zstd" in self.codecs:
            content = self.zstd.encode(content)
        if "crc32c" in self.codecs:
            content += self.checksum(content).to_bytes(CHECKSUM_BYTES, "little")
        file = self._file(lane, chunk)
        file.parent.mkdir(parents=True, exist_ok=True)
        partial = file.with_suffix(f".{uuid.uuid4().hex}.partial")
        try:
            partial.write_bytes(content)
            os.replace(partial, file)
        finally:
            partial.unlink(missing_ok=True)
        return content

    def _file(self, lane: int, chunk: int) -> Path:
        return self.folder.joinpath(str(lane), str(chunk), *self.behind)
