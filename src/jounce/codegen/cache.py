"""Generated modules on disk: written once for each set of equations, whole or not at all."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import sys
import tempfile
import threading
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import ModuleType

from jounce.codegen.module_text import generate_module
from jounce.codegen.tangents import generate_tangents
from jounce.errors import StorageError
from jounce.model import periodicity
from jounce.model.definition import equations_hash
from jounce.model.model import Model

# Numba ties its cache to the file's time. Two processes may write the same text at different times; with one fixed
# time for all of them the second writer leaves the first one's compiled code valid.
_FILE_TIME = 1_000_000_000
_LOADING = threading.RLock()
_SEAL = "# sha256 of the above: "


@cache
def generator_version() -> str:
    """A hash of everything but the model that shapes the generated code."""
    digest = hashlib.sha256()
    for file in (*sorted(Path(__file__).parent.glob("*.py")), Path(periodicity.__file__)):
        digest.update(file.read_bytes())
    return digest.hexdigest()


def model_key(model: Model) -> str:
    """The hash under which the model's code is kept."""
    return equations_hash(model, generator_version())


def load_module(model: Model, key: str) -> ModuleType:
    """The functions of a model, from disk where possible."""
    return _load(f"{model.name}_{key}", lambda: generate_module(model))


def load_tangents(model: Model, key: str) -> ModuleType:
    """The directional derivatives of a model's functions, from disk where possible."""
    return _load(f"{model.name}_{key}_tangents", lambda: generate_tangents(model))


def _load(name: str, generate: Callable[[], str]) -> ModuleType:
    """One thread at a time: the module is known to Python before all of its functions exist."""
    with _LOADING:
        return _module(name, generate)


def _module(name: str, generate: Callable[[], str]) -> ModuleType:
    from jounce.toolchain.folders import cache_root

    path = cache_root() / "models" / f"{name}.py"
    if not _intact(path):
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            _write(path, generate())
        except OSError as error:
            raise StorageError(
                f"cannot write the compiled model into the cache folder {path.parent}: {error.strerror}; "
                "set the environment variable JOUNCE_CACHE to a folder that can be written"
            ) from error
    qualified = f"jounce_models.{name}"
    known = sys.modules.get(qualified)
    if known is not None and known.__file__ == str(path):
        return known
    specification = importlib.util.spec_from_file_location(qualified, path)
    if specification is None or specification.loader is None:
        raise ImportError(f"cannot import the generated module {path.name}")
    module = importlib.util.module_from_spec(specification)
    # Numba finds a function's globals through sys.modules, already while the module is executed
    sys.modules[qualified] = module
    try:
        specification.loader.exec_module(module)
    except BaseException:
        del sys.modules[qualified]
        raise
    return module


def _write(path: Path, text: str) -> None:
    sealed = f"{text}\n{_SEAL}{hashlib.sha256(text.encode()).hexdigest()}\n"
    descriptor, temporary = tempfile.mkstemp(prefix=path.stem, suffix=".tmp", dir=path.parent)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as file:
            file.write(sealed)
        os.utime(temporary, (_FILE_TIME, _FILE_TIME))
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _intact(path: Path) -> bool:
    """Whether the file exists and was written to its end by Jounce."""
    try:
        text, _, seal = path.read_text(encoding="utf-8").rpartition(f"\n{_SEAL}")
    except (OSError, UnicodeDecodeError):
        return False
    return bool(text) and hashlib.sha256(text.encode()).hexdigest() == seal.strip()
