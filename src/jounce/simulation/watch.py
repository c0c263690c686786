"""How another thread ends long work: a flag that kernels watch, and a function that raises once the flag is set.

Ctrl-C reaches the main thread alone. Work in other threads (the jobs of the studio) is started inside ``watched``; the
loop of every run, and analyses where they evaluate a model many times, call ``look``; kernels that take long look at
``flag()``. Each thread has its own, so one job ends and the others go on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple

import numpy as np


class Watch(NamedTuple):
    """What ends the work of a thread.

    ask    raises what shall end the work, if it shall
    flag   its first integer is nonzero from then on
    """

    ask: Callable[[], None]
    flag: np.ndarray


_WATCH: ContextVar[Watch | None] = ContextVar("jounce_watch", default=None)
_NEVER = np.zeros(1, np.int64)


@contextmanager
def watched(ask: Callable[[], None], flag: np.ndarray) -> Iterator[None]:
    """Within it, long work of this thread asks whether it shall end."""
    before = _WATCH.set(Watch(ask, flag))
    try:
        yield
    finally:
        _WATCH.reset(before)


def look() -> None:
    """Ask whether this thread's work shall end."""
    watch = _WATCH.get()
    if watch is not None:
        watch.ask()


def flag() -> np.ndarray:
    """The flag of this thread, for a kernel; a kernel that it ends must be followed by ``look``."""
    watch = _WATCH.get()
    return _NEVER if watch is None else watch.flag
