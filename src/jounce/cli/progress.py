"""How far long work is: a bar on standard error."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

#: Work that lasts longer than this (s) shows how far it is.
PROGRESS_AFTER = 1.0


@contextmanager
def shown_progress(title: str) -> Iterator[Callable[[float], None] | None]:
    """A bar on standard error, drawn by rich, once the work has lasted a while; nothing where no one looks."""
    if not sys.stderr.isatty():
        yield None
        return
    begin = time.monotonic()
    shown: list[Any] = []

    def report(fraction: float) -> None:
        if not shown and time.monotonic() - begin < PROGRESS_AFTER:
            return
        if not shown:
            from rich.console import Console
            from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

            columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
            bar = Progress(*columns, console=Console(stderr=True), transient=True)
            shown.extend([bar, bar.add_task(title, total=1.0)])
            bar.start()
        shown[0].update(shown[1], completed=min(max(fraction, 0.0), 1.0))

    try:
        yield report
    finally:
        if shown:
            shown[0].stop()
