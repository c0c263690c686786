"""Ready-made systems without SymPy: what a system is besides its machine code, kept as text in the cache.

A file holds one line of JSON, plain data: the outline of the model, the key of its machine code, and a seal over both.
Its name carries a hash of everything that shapes it: all texts of the package below the simulation, and the
versions of Python, SymPy, llvmlite and the processor. It is read, never executed. Where it is missing, damaged or
without its machine code, the model is made and compiled as ever, and the file is written anew.
"""

from __future__ import annotations

import hashlib
import json
import sys
import warnings
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jounce.codegen.kept import kept_code, models_folder
from jounce.model.outline import Outline
from jounce.system.compilation import compile_model, system_of
from jounce.system.system import System
from jounce.toolchain import emission
from jounce.toolchain.folders import write_whole

if TYPE_CHECKING:
    from jounce.model.model import Model

#: What takes no part in making a system: the layers above this one (pyproject.toml). Everything else may.
ABOVE = ("analysis", "cli", "papers", "plot", "simulation", "storage.py", "studio")
_FACTS = ("autonomous", "has_applied_power")


def ready_made(name: str, make: Callable[[], Model]) -> System:
    """The system of a ready-made model: from the cache without making the model, else compiled and kept."""
    path = models_folder() / f"{name}_{_sources()}_{emission.toolchain()}.system"
    known = _read(path)
    if known is not None:
        code = kept_code(f"{known['outline']['name']}_{known['key']}")
        if code is not None:
            outline = Outline.from_data(known["outline"])
            return system_of(outline, make, code, known["key"], {fact: known[fact] for fact in _FACTS})
    system = compile_model(make())
    if system.tables is None:
        facts = {fact: getattr(system, fact) for fact in _FACTS}
        data = {"outline": system.outline.to_data(), "key": system.key, **facts}
        with suppress(OSError):  # a folder that cannot be written costs the next command its second
            write_whole(path, json.dumps({**data, "sha256": _seal(data)}).encode())
    return system


@cache
def _sources() -> str:
    """A hash of all texts that make a system, and of the tools they use."""
    package = Path(__file__).parents[1]
    digest = hashlib.sha256(f"{sys.version} {version('sympy')}".encode())
    rooms = sorted(room for room in package.iterdir() if room.name not in ABOVE)
    for file in (file for room in rooms for file in ([room] if room.suffix == ".py" else sorted(room.rglob("*.py")))):
        digest.update(file.relative_to(package).as_posix().encode())
        digest.update(file.read_bytes())
    return digest.hexdigest()[:24]


def _seal(data: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()


def _read(path: Path) -> dict[str, Any] | None:
    """What was kept; None where there is nothing, or, with a warning, where it is damaged."""
    try:
        text = path.read_bytes()
    except OSError:
        return None
    try:
        data = json.loads(text)
        if data.pop("sha256") == _seal(data):
            return dict(data)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        pass
    warnings.warn(f"{path} is damaged; the system is made anew", stacklevel=3)
    return None
