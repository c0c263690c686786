"""The loop of the engine, compiled for one system alone: for long jobs."""

from __future__ import annotations

import hashlib
import os
import pickle
import subprocess
import tempfile
import warnings
import weakref
from pathlib import Path
from typing import NamedTuple

import numpy as np

from jounce.codegen.kept import translation_path
from jounce.errors import SimulationError
from jounce.kernels.engine.advance import loop
from jounce.kernels.records.workspace import MACHINE
from jounce.simulation.options import Options
from jounce.simulation.templates import await_loop, give_loop, templates_of
from jounce.system.inputs import as_system
from jounce.system.system import System
from jounce.toolchain import build, emission, machine_code, python_mode
from jounce.toolchain.jit import code_folder
from jounce.toolchain.processes import calling, is_python
from jounce.toolchain.specialise import specialised

_CHANGING = ("p", "own_loop")  # fields of the machine that are not the same in all runs


def specialise(system: System, options: Options | None = None, *, background: bool = False) -> System:
    """Compile the engine's loop for this system alone, and let all its later runs take it; returns the system.

    It takes about ten seconds, once: the code is kept on disk. Runs, sweeps, basins, ensembles and orbits of the
    system in this process then take a tenth to a quarter less time, whatever their parameters and starts, with the
    same results to the last bit. Of the options only ``law``, ``constraint_stabilisation`` and ``baumgarte`` are built
    in: runs with others take the common loop, unless the system is specialised for those too. So does a section by a
    plane, which adds a guard to the system.

    ``background=True`` returns at once. Another process compiles at a low priority, unless the code is kept
    already; once it is done, runs that begin, and those that go on, take the new loop. Where this process ends before,
    it ends too.

    Machines that run from tables of their bodies cannot be specialised: they change what touches what as they run.

    >>> system = jounce.compile_model(jounce.systems.bouncing_ball())
    >>> fast = jounce.specialise(system)  # doctest: +SKIP
    """
    system = as_system(system, "specialise")
    if system.tables is not None or system.near is not None:
        raise SimulationError(f"{system.outline.name!r} runs from tables of its bodies: there is nothing to specialise")
    if python_mode.CHOSEN:
        return system
    options = options or Options.default()
    own = _own_loop(templates_of(system, options).machine)
    if background and is_python() and not own.path.exists():
        await_loop(system, options, _Beside(system, options, own).arrived)
    else:
        give_loop(system, options, own.linked())
    return system


class _OwnLoop(NamedTuple):
    """The loop for one machine record: its symbol, its file, and what it is made of."""

    symbol: str
    path: Path
    words: list[int | str]
    functions: list[bytes]

    def linked(self) -> int:
        """Its address; it is compiled unless it is kept."""
        code = machine_code.read(self.path)
        if code is None:
            with build.locked(self.path.parent, self.path.name):
                # another process may have been faster
                code = machine_code.read(self.path) or _compiled(self.symbol, self.words, self.functions)
                build.keep({self.path: code})
        return machine_code.link(code)[self.symbol]


def _own_loop(template: bytes) -> _OwnLoop:
    """The loop for the machine of this template."""
    machine = np.frombuffer(bytearray(template), MACHINE)
    for name in _CHANGING:
        machine[0][name] = 0
    words = [machine_code.symbol_at(word) or word for word in machine.view(np.int64).tolist()]
    # the files of blocks are named by hashes of what they are made of
    blocks = [block.path.name for block in build.below([loop])]
    functions = _functions(words)
    key = hashlib.sha256(f"{blocks} {words} {[hashlib.sha256(code).hexdigest() for code in functions]}".encode())
    symbol = f"jounce.own_loop.{key.hexdigest()[:24]}"
    return _OwnLoop(symbol, code_folder() / f"{symbol}.code", words, functions)


class _Beside:
    """A process that compiles the loop while this one goes on; it gets the system and the options in a file."""

    def __init__(self, system: System, options: Options, own: _OwnLoop) -> None:
        self._name, self._own = system.outline.name, own
        handle, name = tempfile.mkstemp(prefix="specialise-", suffix=".pickle")
        with open(handle, "wb") as file:
            pickle.dump((system, options), file)
        command = calling(compile_beside, name)
        self._process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        self._stop = weakref.finalize(self, _end, self._process, Path(name))  # at the end of this process, too

    def arrived(self) -> int | None:
        """The address of the loop; None while it is compiled, 0 where that has failed."""
        code = self._process.poll()
        if code is None:
            return None
        self._stop()
        if code == 0 and self._own.path.exists():
            return self._own.linked()
        warnings.warn(
            f"the process that compiled the loop of {self._name!r} ended with code {code} and left none: "
            "runs go on in the common loop; jounce.specialise without background says why",
            stacklevel=2,
        )
        return 0


def _end(process: subprocess.Popen[bytes], file: Path) -> None:
    """Leave no process and no file behind."""
    process.kill()
    process.wait()
    file.unlink(missing_ok=True)


def compile_beside(file: str) -> None:
    """What that process does."""
    if hasattr(os, "nice"):
        os.nice(5)
    with open(file, "rb") as handle:
        specialise(*pickle.load(handle))


def _functions(words: list[int | str]) -> list[bytes]:
    """The intermediate code of the model's functions, where it has been kept; others are called where they are."""
    names = {word.rpartition(".")[0] for word in words if isinstance(word, str)}
    kept = [machine_code.read(translation_path(name)) for name in sorted(names)]
    return [code.content for code in kept if code is not None]


def _compiled(symbol: str, words: list[int | str], functions: list[bytes]) -> emission.Code:
    fields = {name: (field[1], field[0].itemsize) for name, field in (MACHINE.fields or {}).items()}
    known = [range(at, at + size) for name, (at, size) in fields.items() if name not in _CHANGING]
    return specialised(loop, symbol, "m", words, known, functions)
