"""The loop of the engine, compiled for one system alone: for long jobs."""

from __future__ import annotations

import hashlib

import numpy as np

from jounce.codegen.kept import translation_path
from jounce.errors import SimulationError
from jounce.kernels.engine.advance import loop
from jounce.kernels.records.workspace import MACHINE
from jounce.simulation.options import Options
from jounce.simulation.templates import give_loop, templates_of
from jounce.system.system import System
from jounce.toolchain import build, emission, machine_code, python_mode
from jounce.toolchain.jit import code_folder
from jounce.toolchain.specialise import specialised

_CHANGING = ("p", "own_loop")  # fields of the machine that are not the same in all runs


def specialise(system: System, options: Options | None = None) -> System:
    """Compile the engine's loop for this system alone, and let all its later runs take it; returns the system.

    It takes about ten seconds, once: the code is kept on disk. Runs, sweeps, basins, ensembles and orbits of the
    system in this process then take a tenth to a quarter less time, whatever their parameters and starts, with the
    same results to the last bit. Of the options only ``law``, ``constraint_stabilisation`` and ``baumgarte`` are built
    in: runs with others take the common loop, unless the system is specialised for those too.

    Machines that run from tables of their bodies cannot be specialised: they change what touches what as they run.
    """
    if system.tables is not None or system.near is not None:
        raise SimulationError(f"{system.outline.name!r} runs from tables of its bodies: there is nothing to specialise")
    if not python_mode.CHOSEN:
        options = options or Options.default()
        give_loop(system, options, _loop_of(templates_of(system, options).machine))
    return system


def _loop_of(template: bytes) -> int:
    """The address of the loop for the machine of this template."""
    machine = np.frombuffer(bytearray(template), MACHINE)
    for name in _CHANGING:
        machine[0][name] = 0
    words = [machine_code.symbol_at(word) or word for word in machine.view(np.int64).tolist()]
    # the files of blocks are named by hashes of what they are made of
    blocks = [block.path.name for block in build.below([loop])]
    functions = _functions(words)
    key = hashlib.sha256(f"{blocks} {words} {[hashlib.sha256(code).hexdigest() for code in functions]}".encode())
    symbol = f"jounce.loop.{key.hexdigest()[:24]}"
    path = code_folder() / f"{symbol}.code"
    code = machine_code.read(path)
    if code is None:
        with build.locked(path.parent, path.name):
            # another process may have been faster
            code = machine_code.read(path) or _compiled(symbol, words, functions)
            machine_code.write(path, code)
    return machine_code.link(code)[symbol]


def _functions(words: list[int | str]) -> list[bytes]:
    """The intermediate code of the model's functions, where it has been kept; others are called where they are."""
    names = {word.rpartition(".")[0] for word in words if isinstance(word, str)}
    kept = [machine_code.read(translation_path(name)) for name in sorted(names)]
    return [code.content for code in kept if code is not None]


def _compiled(symbol: str, words: list[int | str], functions: list[bytes]) -> emission.Code:
    fields = {name: (field[1], field[0].itemsize) for name, field in (MACHINE.fields or {}).items()}
    known = [range(at, at + size) for name, (at, size) in fields.items() if name not in _CHANGING]
    return specialised(loop, symbol, "m", words, known, functions)
