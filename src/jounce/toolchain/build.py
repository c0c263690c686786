"""The first compilation of the engine, by several processes at once.

Blocks know one another by symbol and signature alone (jit.py), so any process can compile any of them: each takes a
block that nobody has taken yet and leaves its machine code in a file. The process that asked for the engine waits and
then links it. A lock lets one process at a time do this; whoever comes second finds everything done.
"""

from __future__ import annotations

import gc
import hashlib
import importlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jounce.toolchain import machine_code
from jounce.toolchain.emission import Code
from jounce.toolchain.folders import why_passing
from jounce.toolchain.keys import content_of
from jounce.toolchain.processes import calling, is_python
from jounce.toolchain.tools import Kernel

if TYPE_CHECKING:
    from jounce.toolchain.jit import Block

try:
    import fcntl
except ImportError:  # no such locks on this system: processes that start together each compile
    fcntl = None  # type: ignore[assignment]

# the modules whose blocks, with what these call, are what a plain run needs
STANDARD = (
    "jounce.kernels.engine.advance",
    "jounce.kernels.engine.sound",
    "jounce.kernels.audit.run",
    "jounce.toolchain.call_rows",
)
MOST_PROCESSES = 4

# folders in which nothing more can be kept
_LOST: set[Path] = set()
# of a process that compiles and does nothing else: the folder of the process that started it
target: Path | None = None


@contextmanager
def locked(folder: Path, what: str, while_waiting: str = "") -> Iterator[None]:
    """Alone among the processes that make the same thing in this folder; not where files cannot be locked.

    Who has to wait for another one says so, if there is something to say.
    """
    try:
        locks = folder / "locks"
        locks.mkdir(exist_ok=True)
        handle = (locks / hashlib.sha256(what.encode()).hexdigest()[:24]).open("a")
    except OSError:
        yield
        return
    with handle:
        if fcntl is not None:
            with suppress(OSError):
                try:
                    fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    if while_waiting:
                        print(while_waiting, file=sys.stderr, flush=True)
                    fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def blocks_of(modules: Iterable[str]) -> list[Block]:
    """The blocks of some modules and all that these call by their symbols, each once."""
    from jounce.toolchain.jit import engine_blocks

    for module in modules:
        importlib.import_module(module)
    return below(block for block in engine_blocks() if block.py_func.__module__ in modules)


def below(roots: Iterable[Block]) -> list[Block]:
    """Some blocks and all that they call by their symbols, each once."""
    waiting = list(roots)
    found = {block.symbol: block for block in waiting}
    while waiting:
        for block in content_of(waiting.pop().py_func).needs:
            if block.symbol not in found:
                found[block.symbol] = block
                waiting.append(block)
    return [found[symbol] for symbol in sorted(found)]


@cache
def say_lost(folder: Path, why: str) -> None:
    """What is compiled cannot be kept; of a process that compiles for another one that other says it."""
    _LOST.add(folder)
    if target is None:
        print(f"What is compiled serves this process alone: cannot write into {folder} ({why}).", file=sys.stderr)


def keep(codes: Mapping[Path, Code]) -> None:
    """Keep some codes in the files of these names; where that fails they serve this process."""
    for path, code in codes.items():
        try:
            machine_code.write(path, code)
        except OSError as error:
            say_lost(path.parent, error.strerror)


@cache
def prepare(folder: Path, modules: tuple[str, ...] = ()) -> None:
    """Have what a plain run needs, and blocks of other modules, compiled into ``folder`` unless it is there.

    What fails here is compiled where it is needed.
    """
    if not is_python() or target is not None or folder in _LOST:
        return
    modules = (*STANDARD, *modules)
    blocks = blocks_of(modules)
    waiting = "Waiting for another process, which compiles the engine ..."
    with locked(folder, "\n".join(sorted(block.path.name for block in blocks)), waiting):
        missing = [block for block in blocks if not block.path.exists()]
        if len(missing) < 2:  # the process that asks compiles it
            return
        began = time.perf_counter()
        passing = why_passing(folder)
        how_often = f"for this process alone ({passing})" if passing else "once per machine"
        print(f"Compiling {len(missing)} parts of the engine, {how_often} ...", file=sys.stderr, flush=True)
        if _run_processes(folder, modules, max(1, min(os.cpu_count() or 1, MOST_PROCESSES))):
            print(f"The engine is compiled ({time.perf_counter() - began:.0f} s).", file=sys.stderr, flush=True)
        else:
            _LOST.add(folder)  # whatever failed would fail again


def _run_processes(folder: Path, modules: Sequence[str], count: int) -> bool:
    """Compile in ``count`` processes; whether all went well."""
    try:
        claims = Path(tempfile.mkdtemp(prefix="claims-", dir=folder))
    except OSError:
        return False
    command = calling(work, str(claims), *modules)
    processes = []
    try:
        for _ in range(count):
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
            processes.append(process)
        codes = [process.wait() for process in processes]
        return not any(codes)
    except OSError:
        return False
    finally:
        for process in processes:
            process.kill()
            process.wait()
        shutil.rmtree(claims, ignore_errors=True)


def work(claims: str, *modules: str) -> None:
    """What one of the compiling processes does."""
    global target
    target, asked_by = Path(claims).parent, os.getppid()
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # who waits for this process says that it was interrupted
    # compiling makes millions of objects that live: looking for garbage among them takes a tenth of the time
    gc.disable()
    blocks = blocks_of(modules)
    for block in blocks:
        machine_code.promise(block.symbol)
    # the dearest first: what is left at the end is short
    for block in sorted((each for each in blocks if not each.path.exists()), key=lambda each: -size(each.py_func)):
        if os.getppid() != asked_by:  # it was killed, and its lock is free for another one
            shutil.rmtree(claims, ignore_errors=True)
            return
        if _claimed(Path(claims), block.symbol):
            block.compile()
            if not block.path.exists():  # the disk is full: what is made here helps nobody
                sys.exit(1)


def _claimed(claims: Path, name: str) -> bool:
    """Whether this process is the first to take the function."""
    try:
        (claims / hashlib.sha256(name.encode()).hexdigest()).touch(exist_ok=False)
    except FileExistsError:
        return False
    return True


def size(function: Callable[..., Any]) -> int:
    """What there is to compile: the length of the bytecode of a function and of each kernel below it."""
    found = {function}
    waiting = [function]
    while waiting:
        above = waiting.pop()
        names = (above.__globals__.get(name) for name in above.__code__.co_names)
        below = {kernel.py_func for kernel in names if isinstance(kernel, Kernel)} - found
        found |= below
        waiting += below
    return sum(len(each.__code__.co_code) for each in found)
