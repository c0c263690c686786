"""Chunks of stores are those of zarr: what one writes the other reads."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zarr
from zarr.codecs import Crc32cCodec, ZstdCodec

from jounce.analysis.stores.chunk_files import ChunkFiles


def array_and_files(folder: Path) -> tuple[Any, ChunkFiles]:
    """An array of two lanes of ten items in chunks of four."""
    array = zarr.create_array(
        str(folder / "a"), shape=(2, 10, 3), chunks=(1, 4, 3), dtype="float64", fill_value=np.nan,
        compressors=(ZstdCodec(), Crc32cCodec()),
    )  # fmt: skip
    metadata = json.loads((folder / "a" / "zarr.json").read_text())
    return array, ChunkFiles(folder / "a", array, metadata["codecs"])


def test_zarr_reads_what_is_written(tmp_path: Path) -> None:
    array, files = array_and_files(tmp_path)
    values = np.random.default_rng(1).normal(size=(10, 3))
    files.write(1, 0, values[1:4], 1)
    files.write(1, 1, values[4:8])
    files.write(1, 2, values[8:])  # the last chunk reaches beyond the array
    expected = np.full((2, 10, 3), np.nan)
    expected[1, 1:] = values[1:]
    np.testing.assert_array_equal(array[...], expected)


def test_what_zarr_writes_is_read(tmp_path: Path) -> None:
    array, files = array_and_files(tmp_path)
    values = np.random.default_rng(2).normal(size=(10, 3))
    array[0] = values
    found = np.concatenate([files.decoded(files.content(0, chunk)) for chunk in range(3)])
    np.testing.assert_array_equal(found[:10], values)
    assert np.isnan(files.decoded(files.content(1, 0))).all()  # never written


def test_a_changed_byte_is_an_error(tmp_path: Path) -> None:
    _, files = array_and_files(tmp_path)
    files.write(0, 0, np.ones((4, 3)))
    (file,) = (path for path in (tmp_path / "a" / "c").rglob("*") if path.is_file())
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)
    with pytest.raises(ValueError, match="checksum"):
        files.decoded(files.content(0, 0))
