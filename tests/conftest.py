"""One compilation of the engine for all test processes.

The engine compiles once per machine, in about a minute, and is loaded from the disk afterwards. Processes of
pytest-xdist that start together would each compile it: a lock lets the first one do it while the others wait.
"""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

HERE = Path(__file__).parent
WITHOUT_ENGINE = frozenset({"model", "references"})


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def _needs_engine(item: pytest.Item) -> bool:
    relative = item.path.relative_to(HERE) if item.path.is_relative_to(HERE) else Path("elsewhere")
    return relative.parts[0] not in WITHOUT_ENGINE


@pytest.fixture(scope="session", autouse=True)
def compiled_engine(request: pytest.FixtureRequest) -> None:
    """The engine, compiled or loaded, before the first test of this process that may need it."""
    if not any(_needs_engine(item) for item in request.session.items):
        return
    from jounce.kernels.jit import KERNEL_HASH, cache_root

    with _locked(cache_root() / f"compiling-{KERNEL_HASH}.lock"):
        import jounce.kernels.run  # noqa: F401  compiles on import
