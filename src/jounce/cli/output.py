"""Writing files: checked before a long run, written whole or not at all."""

from __future__ import annotations

import json
import math
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from jounce.errors import OptionError, StorageError
from jounce.file_targets import checked_path, file_to_replace

IMAGE_SUFFIXES = (".png", ".pdf", ".svg", ".jpg")


def check_writable(path: str | None, option: str, suffixes: tuple[str, ...] = ()) -> None:
    """Fail now, not after an hour: the folder exists and takes files, the suffix is one we can write.

    "-" is standard output: for results without a suffix, and where it stands among the suffixes.
    """
    if path is None or (path == "-" and (not suffixes or "-" in suffixes)):
        return
    target = checked_path(option, path)
    if suffixes and target.suffix.lower() not in suffixes:
        raise OptionError(f"{option} {path}: the name must end in {' or '.join(suffixes)}")
    if target.is_dir():
        raise OptionError(f"{option} {path} is a folder; give a file name")
    if target.exists() and not target.is_file():
        standard = '; "-" is standard output' if not suffixes or "-" in suffixes else ""
        raise OptionError(f"{option} {path} is a device, a pipe or a socket; give a file name{standard}")
    folder = target.parent
    if not folder.is_dir():
        raise OptionError(f"{option} {path}: the folder {folder} does not exist; create it first")
    check_folder(folder, f"{option} {path}")
    try:
        if target.exists() and not os.access(target, os.W_OK):
            raise PermissionError("the file is write-protected")
    except OSError as error:
        raise OptionError(f"{option} {path} cannot be written: {error.strerror or error}") from None


def check_folder(folder: Path, option: str) -> None:
    """Fail where a folder takes no files."""
    try:
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise OptionError(f"{option} cannot be written: {error.strerror or error}") from None


@contextmanager
def replaced(path: str | Path) -> Iterator[Path]:
    """A temporary neighbour of ``path`` that takes its place only when everything has been written."""
    target = file_to_replace(path)
    temporary: Path | None = None
    try:
        handle, name = tempfile.mkstemp(prefix=f".{target.stem}-", suffix=target.suffix, dir=target.parent)
        temporary = Path(name)
        os.close(handle)
        yield temporary
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, target)
    except StorageError as error:  # of what writes the neighbour: it is the file that was asked for that is meant
        raise StorageError(str(error).replace(str(temporary), str(path))) from None
    except OSError as error:  # a full disk, a folder that is gone
        raise StorageError(f"{path} cannot be written: {error.strerror or error}; the file is as it was") from error
    finally:
        if temporary is not None:
            temporary.unlink(missing_ok=True)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def write_json(content: dict[str, Any], path: str | None) -> None:
    """Write strict JSON (NaN becomes null) to a file or, for "-", to standard output."""
    if path is None:
        return
    text = json.dumps(_strict(content), indent=2, allow_nan=False) + "\n"
    if path == "-":
        print(text, end="")
        return
    with replaced(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def write_report(text: str, content: dict[str, Any], written: dict[str, str], path: str | None) -> None:
    """What a command found and which files it wrote: for readers, unless JSON goes to standard output, and as JSON."""
    if path != "-":
        print(text)
        if written:
            print("written: " + ", ".join(written.values()))
    write_json({**content, "files": written}, path)


def _strict(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _strict(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_strict(item) for item in value]
    if hasattr(value, "item"):  # NumPy scalars
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
