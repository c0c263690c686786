"""The one decorator of the kernels and of generated models, and the types of the function pointers.

A model reaches the engine as typed function pointers (``types.FunctionType``): the engine is compiled once per
machine, whatever the model, and a model's functions are compiled once per model. Every model function has one of
two signatures on raw pointers to float64:

    f(t, q, u, p, out)                 one state
    f(count, t, q, u, p, out)          ``count`` states, row after row

Raw pointers cost 2.4 ns a call where array arguments cost 8 ns, and let one signature serve every shape.

Numba keys its cache by the file of the function itself: editing a helper in another file would leave a stale caller
behind. So the cache folder carries a hash of all of kernels/ and of Numba's version.
"""

from __future__ import annotations

import hashlib
import os
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
from numba import types
from numba.core import config
from numba.core.errors import NumbaExperimentalFeatureWarning
from numba.extending import intrinsic

# First-class functions carry this label since 2020; Numba is pinned in pyproject.toml.
warnings.filterwarnings("ignore", category=NumbaExperimentalFeatureWarning)

f8 = types.float64
i8 = types.int64
pointer = types.CPointer(f8)
f8_1d = types.Array(f8, 1, "C")
f8_2d = types.Array(f8, 2, "C")
f8_3d = types.Array(f8, 3, "C")
i8_1d = types.Array(i8, 1, "C")
i8_2d = types.Array(i8, 2, "C")

STATE_SIGNATURE = types.void(f8, pointer, pointer, pointer, pointer)
BATCH_SIGNATURE = types.void(i8, pointer, pointer, pointer, pointer, pointer)
state_function = types.FunctionType(STATE_SIGNATURE)
batch_function = types.FunctionType(BATCH_SIGNATURE)


def cache_root() -> Path:
    """The folder for everything Jounce keeps between sessions: $JOUNCE_CACHE, else the user's cache folder."""
    chosen = os.environ.get("JOUNCE_CACHE")
    if chosen:
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "jounce"


def _kernel_hash() -> str:
    digest = hashlib.sha256(numba.__version__.encode())
    for file in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(file.name.encode())
        digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


KERNEL_HASH = _kernel_hash()


def _compile(function: Callable[..., Any], folder: Path, signature: Any = None, **flags: Any) -> Any:
    """Decorate with a cache in ``folder``, leaving Numba's own setting as the user had it."""
    before = config.CACHE_DIR
    config.CACHE_DIR = str(folder)
    try:
        decorate = numba.njit(signature, cache=True, error_model="numpy", **flags) if signature else numba.njit(
            cache=True, error_model="numpy", **flags
        )
        return decorate(function)
    finally:
        config.CACHE_DIR = before


def kernel(function: Callable[..., Any]) -> Any:
    """A function of the engine, compiled on first use for the types it meets."""
    return _compile(function, cache_root() / f"kernels-{KERNEL_HASH}")


def entry(signature: Any, **flags: Any) -> Callable[[Callable[..., Any]], Any]:
    """An entry into the engine from Python: an explicit signature, so that models are pointers and never types."""

    def decorate(function: Callable[..., Any]) -> Any:
        return _compile(function, cache_root() / f"kernels-{KERNEL_HASH}", signature, **flags)

    return decorate


def state_model_function(function: Callable[..., Any]) -> Any:
    """A generated function f(t, q, u, p, out)."""
    return _compile(function, cache_root() / f"models-{numba.__version__}", STATE_SIGNATURE)


def batch_model_function(function: Callable[..., Any]) -> Any:
    """A generated function f(count, t, q, u, p, out)."""
    return _compile(function, cache_root() / f"models-{numba.__version__}", BATCH_SIGNATURE)


@intrinsic
def address(typing_context, array):  # type: ignore[no-untyped-def]
    """The pointer to the first element of a contiguous array."""

    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        from numba.np.arrayobj import make_array

        return make_array(signature.args[0])(context, builder, arguments[0]).data

    return pointer(array), generate


@entry(types.void(state_function, f8, f8_1d, f8_1d, f8_1d, f8_1d))
def evaluate(function, t, q, u, p, out):  # type: ignore[no-untyped-def]
    """Call one model function from Python."""
    function(t, address(q), address(u), address(p), address(out))
