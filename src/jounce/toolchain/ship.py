"""Compile the whole engine into files that an installed package brings with it: what hatch_build.py asks for."""

from __future__ import annotations

import os
import platform
import subprocess
from collections.abc import Sequence
from pathlib import Path

from jounce.toolchain import build, machine_code, shipped
from jounce.toolchain.emission import Code
from jounce.toolchain.jit import code_folder
from jounce.toolchain.processes import calling

#: x86-64-v3 as its definition lists it: what LLVM may use for this name
_V3 = ("avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe", "popcnt", "sse4.1", "sse4.2", "ssse3", "xsave")
#: Kind of machine -> the processors for which the engine is compiled -> what they must be able to do.
PROCESSORS: dict[str, dict[str, tuple[str, ...]]] = {
    "x86_64": {"x86-64-v3": _V3, "x86-64": ()},
    "amd64": {"x86-64-v3": _V3, "x86-64": ()},
}
#: The machine that compiles, with all it can do.
HOST = "host"


def processors() -> tuple[str, ...]:
    """The processors a wheel of this machine serves."""
    return tuple(PROCESSORS.get(platform.machine().lower(), {"generic": ()}))


def ship(folder: Path, names: Sequence[str]) -> list[Path]:
    """The files of an engine for each of these processors."""
    files = []
    for name in names:
        files.append(folder / f"{name}.code")
        # LLVM settles on a processor when it is first used: one process for each
        settings = {} if name == HOST else {"JOUNCE_CPU_NAME": name, "JOUNCE_CPU_FEATURES": ""}
        command = calling(compile_for, name, str(files[-1]))
        subprocess.run(command, env=os.environ | settings, check=True, stdin=subprocess.DEVNULL)
    return files


def compile_for(name: str, path: str) -> None:
    """Compile the engine, or take it from the cache, for the processor that is set; write it to one file."""
    shipped.sources()  # of the texts as they are now, whoever edits them while this compiles
    known = PROCESSORS.get(platform.machine().lower(), {})
    features = tuple(shipped.host_features()) if name == HOST else known.get(name, ())
    shipped.write(Path(path), features, _compiled())


def _compiled() -> list[Code]:
    """Every block of every kernel."""
    modules = all_modules()
    build.prepare(code_folder(), modules)
    # what no process has compiled is compiled here, and fails here
    return [machine_code.read(block.path) or block.compile() for block in build.blocks_of(modules)]


def all_modules() -> tuple[str, ...]:
    """The modules in which blocks are defined."""
    files = sorted((shipped.PACKAGE / "kernels").rglob("*.py"))
    names = [".".join(file.relative_to(shipped.PACKAGE).with_suffix("").parts) for file in files]
    return (*(f"jounce.{name.removesuffix('.__init__')}" for name in names), "jounce.toolchain.call_rows")
