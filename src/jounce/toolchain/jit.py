"""The decorators of the kernels.

A model reaches the engine as the addresses of C functions: the engine is compiled once per machine, whatever the model,
and a model's functions are compiled once per model. Every model function has one of two signatures on raw pointers
to float64:

    f(t, q, u, p, out)                 one state
    f(count, t, q, u, p, out)          ``count`` states, row after row

A call costs 2 ns where array arguments cost 8 ns, one signature serves every shape, and an address is a plain integer
that fits into the records on which the engine works (docs/decisions/0001-records-and-addresses.md).

What has been compiled is kept as machine code, a file a function, named by a hash of what the function is made of
(keys.py), in a folder named by a hash of the tools that made it. Decorating compiles and links nothing: a function is
linked, with what it calls, when its address is first asked for (docs/decisions/0011-machine-code-in-files.md). An
installed package brings the engine compiled (shipped.py). Elsewhere, where code is missing, the whole engine is
compiled by several processes (build.py).
"""

from __future__ import annotations

import hashlib
import sys
import threading
from collections.abc import Callable
from functools import cache, cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, TypeVar

import numpy as np

from jounce.toolchain import build, emission, machine_code, packed, python_mode, shipped
from jounce.toolchain.abi import Signature
from jounce.toolchain.c_function import CFunction, address_of
from jounce.toolchain.folders import cache_root, usable
from jounce.toolchain.keys import content_of, texts_behind
from jounce.toolchain.tools import (
    CallAt,
    CBlock,
    Kernel,
    RecordAt,
    address,
    call_batch,
    call_state,
    copy_record,
    scratch,
)

__all__ = [
    "MEMORY",
    "Block",
    "Kernel",
    "address",
    "address_of",
    "block",
    "call_at",
    "call_batch",
    "call_state",
    "code_folder",
    "copy_record",
    "emission",
    "engine_blocks",
    "evaluate",
    "kernel",
    "python_function",
    "record_at",
    "scratch",
    "tools_hash",
]

# what kernels take and return, for mypy
F = TypeVar("F", bound=Callable[..., Any])
P = ParamSpec("P")
R = TypeVar("R")

# numbers that the engine may keep behind the parameters: two for each compliant contact, one for each angle
MEMORY = 1100


@cache
def tools_hash() -> str:
    """A hash of everything that turns a kernel into machine code: versions, the processor, our own translator."""
    digest = hashlib.sha256(f"{sys.version.split()[0]} {emission.toolchain()}".encode())
    folder = Path(__file__).parent
    for file in sorted(texts_behind(folder / "compiler.py") | texts_behind(folder / "from_python.py")):
        digest.update(f"{file.name}={hashlib.sha256(file.read_bytes()).hexdigest()};".encode())
    return digest.hexdigest()[:16]


def code_folder() -> Path:
    """Where compiled functions are kept."""
    return build.target or usable(cache_root() / f"code-{tools_hash()}")


if TYPE_CHECKING:

    def kernel(function: F) -> F:
        """To callers it is the function that is decorated."""
        return function

else:
    kernel = Kernel


def python_function(of_kernel: F) -> F:
    """The function of a kernel, for Python to call where a line of it is needed and no compiler."""
    return of_kernel.py_func  # type: ignore[attr-defined, no-any-return]


#: the engine's blocks by their symbols
_BLOCKS: dict[str, Block[..., Any]] = {}
_MAKING = threading.RLock()


class Block(CBlock, CFunction, Generic[P, R]):
    """A C function of the engine: its address for records, its symbol for other kernels; callable from Python."""

    def __init__(self, function: Callable[P, R], signature: Signature, symbol: str, of_engine: bool) -> None:
        self.py_func, self.signature, self.symbol, self.of_engine = function, signature, symbol, of_engine
        self.__name__, self.__doc__ = function.__name__, function.__doc__
        _BLOCKS[symbol] = self

    @cached_property
    def path(self) -> Path:
        """The file of its machine code: by what the function is made of, and by the layouts of what it is given."""
        made_of = f"{content_of(self.py_func).key} {self.signature}"
        return code_folder() / f"{self.symbol}-{hashlib.sha256(made_of.encode()).hexdigest()[:24]}.code"

    @cached_property
    def address(self) -> int:  # type: ignore[override]  # known when it is first asked for
        """Where the C function lies, linked now with everything it calls; one thread at a time compiles and links."""
        if python_mode.CHOSEN:
            return python_mode.place(self)
        with _MAKING:
            return self._linked()

    def _linked(self) -> int:
        known = (shipped.blocks() or packed.blocks()) if self.of_engine else {}
        code = known.get(self.symbol) or self._code()
        for name in code.needs:
            if name in _BLOCKS:
                _BLOCKS[name].address  # noqa: B018  linked before what calls it
        return machine_code.link(code)[self.symbol]

    def _code(self) -> emission.Code:
        """Its machine code from the cache, or made now."""
        code = machine_code.read(self.path)
        if code is None and self.of_engine:
            build.prepare(code_folder(), (self.py_func.__module__,))
            code = machine_code.read(self.path)
        if code is None:
            for other in content_of(self.py_func).needs:
                other.address  # noqa: B018  the compiler asks the linker for what is called
            with build.locked(self.path.parent, self.path.name):
                # another process may have been faster
                code = machine_code.read(self.path) or self.compile()
        return code

    def compile(self) -> emission.Code:
        """Its machine code, made now and kept."""
        from jounce.toolchain.compiler import compiled, translated

        if not self.of_engine:
            code = compiled(self.py_func, self.signature, self.symbol)
            kept = {}
        else:
            module = translated(self.py_func, self.signature, self.symbol)
            # before it is optimised: what is made of it for one system alone is optimised as a whole (specialise.py)
            kept = {self.translation: machine_code.translation(module)}
            code = emission.emitted(module, [self.symbol], unroll=False)
        build.keep(kept | {self.path: code})
        return code

    @property
    def translation(self) -> Path:
        """The file of LLVM's intermediate code of a block of the engine."""
        return self.path.with_suffix(".translation")

    @cached_property
    def _plain(self) -> Callable[..., Any]:  # type: ignore[override]
        return python_mode.plain(self.py_func)

    def __call__(self, *arguments: P.args, **named: P.kwargs) -> R:  # type: ignore[override]
        """Call it from Python; arguments have no names."""
        if python_mode.CHOSEN:
            return python_mode.call(self._plain, self.signature, arguments)  # type: ignore[no-any-return]
        return CFunction.__call__(self, *arguments)  # type: ignore[no-any-return]

    def from_python(self, *arguments: Any) -> Any:
        """The same with records as arrays of one, or as structures, which mypy does not take for those of kernels."""
        return self(*arguments)  # type: ignore[call-arg]

    def bound(self, *arguments: Any) -> Callable[[], Any]:
        """The same call for many times."""
        return partial(self, *arguments) if python_mode.CHOSEN else CFunction.bound(self, *arguments)


def engine_blocks() -> list[Block[..., Any]]:
    """The blocks of all kernels that have been imported."""
    return [block for block in _BLOCKS.values() if block.of_engine]


def block(signature: Signature) -> Callable[[Callable[P, R]], Block[P, R]]:
    """A part of the engine that is compiled by itself and called through the linker.

    A kernel is built into every block that calls it. A block is a C function of its own; callers see only its symbol.
    """

    def decorate(function: Callable[P, R]) -> Block[P, R]:
        return Block(function, signature, f"{function.__module__}.{function.__name__}", of_engine=True)

    return decorate


record_at, call_at = RecordAt, CallAt


def evaluate(function: Block, t: float, q: Any, u: Any, p: Any, out: Any) -> None:
    """Call one function f(t, q, u, p, out) of a model from Python.

    Behind the parameters lies the engine's memory of compliant contacts, and the turns of angles: here none is pressed,
    and angles are whole. All arrays are put into one, since NumPy takes longer to say where an array lies than the
    function takes.
    """
    n = q.size
    end = 2 * n + p.size + MEMORY
    numbers = np.zeros(end + out.size)
    numbers[:n], numbers[n : 2 * n], numbers[2 * n : 2 * n + p.size], numbers[end:] = q, u, p, out
    begin, size = address_of(numbers), numbers.itemsize
    function.at_addresses(t, begin, begin + size * n, begin + 2 * size * n, begin + size * end)
    out[:] = numbers[end:]
