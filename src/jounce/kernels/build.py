"""The first compilation of the engine, by several processes at once, and the folder in which it is kept.

Blocks know one another by symbol and signature alone (jit.py), so any process can compile any of them: each takes the
dearest block that nobody has taken yet and leaves its machine code in a file. The process that asked for the engine
waits and then links it. A lock lets one process at a time do this; whoever comes second finds everything done.
"""

from __future__ import annotations

import atexit
import gc
import hashlib
import importlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

try:
    import fcntl
except ImportError:  # no such locks on this system: processes that start together each compile
    fcntl = None  # type: ignore[assignment]

# the modules below which everything lies that a plain run needs
STANDARD = ("jounce.kernels.advance", "jounce.kernels.call_rows")
MOST_PROCESSES = 4
HERE = Path(__file__).parent
WORKER = """
import json, sys
sys.path[:] = json.loads(sys.argv[1])
from jounce.kernels.build import work
work(sys.argv[2])
"""


class Deferred(NamedTuple):
    """A function that is to be compiled later, in a process that compiles and does nothing else."""

    function: Callable[..., Any]
    compile: Callable[[], Any]


# of such a process; None in every other one
deferred: list[Deferred] | None = None  # where it collects them
target: Path | None = None  # the folder of the process that started it


@cache
def usable(folder: Path) -> Path:
    """The folder itself where it can be written; else a copy of links that lasts as long as the process."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
        return folder
    except OSError:
        copy = Path(tempfile.mkdtemp(prefix="jounce-"))
        atexit.register(shutil.rmtree, copy, ignore_errors=True)
        if folder.is_dir():
            shutil.copytree(folder, copy, copy_function=os.symlink, dirs_exist_ok=True)
        return copy


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Alone among the processes that use this cache folder; not where files cannot be locked."""
    try:
        handle = (folder / "lock").open("a")
    except OSError:
        yield
        return
    with handle:
        try:
            if fcntl is not None:
                fcntl.flock(handle, fcntl.LOCK_EX)
        except OSError:
            pass
        yield


@cache
def prepare(folder: Path) -> None:
    """Have the engine compiled into ``folder`` unless it is there; what fails here is compiled where it is needed."""
    ready = folder / "ready"
    if ready.exists() or not sys.executable:
        return
    with locked(folder):
        if ready.exists():
            return
        began = time.perf_counter()
        print("Compiling the engine, once per machine: about a minute ...", file=sys.stderr, flush=True)
        if _run_processes(folder, max(1, min(os.cpu_count() or 1, MOST_PROCESSES))):
            ready.touch()
            print(f"The engine is compiled ({time.perf_counter() - began:.0f} s).", file=sys.stderr, flush=True)


def _run_processes(folder: Path, count: int) -> bool:
    """Compile in ``count`` processes; whether all went well."""
    claims = Path(tempfile.mkdtemp(prefix="claims-", dir=folder))
    command = [sys.executable, "-c", WORKER, json.dumps(sys.path), str(claims)]
    processes = []
    try:
        for _ in range(count):
            processes.append(subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL))
        codes = [process.wait() for process in processes]
        return not any(codes)
    except OSError:
        return False
    finally:
        for process in processes:
            process.kill()
            process.wait()
        shutil.rmtree(claims, ignore_errors=True)


def work(claims: str) -> None:
    """What one of the compiling processes does."""
    global deferred, target
    deferred, target = [], Path(claims).parent
    # compiling makes millions of objects that live: looking for garbage among them takes a tenth of the time
    gc.disable()
    for module in STANDARD:
        importlib.import_module(module)
    for item in sorted(deferred, key=lambda item: -cost(item.function, set())):
        if _claimed(Path(claims), item.function):
            item.compile()


def _claimed(claims: Path, function: Callable[..., Any]) -> bool:
    """Whether this process is the first to take the function."""
    name = f"{function.__module__}.{function.__qualname__}"
    try:
        (claims / hashlib.sha256(name.encode()).hexdigest()).touch(exist_ok=False)
    except FileExistsError:
        return False
    return True


def cost(function: Callable[..., Any], seen: set[Callable[..., Any]]) -> int:
    """How much there is to compile: the bytecode of a function and of the kernels below it."""
    from jounce.kernels.jit import Kernel

    seen.add(function)
    total = len(function.__code__.co_code)
    for name in function.__code__.co_names:
        below = function.__globals__.get(name)
        if isinstance(below, Kernel) and below.py_func not in seen:
            total += cost(below.py_func, seen)
    return total
