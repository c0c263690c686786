"""The bar of long work: only where someone looks, only once the work is long, and gone when it ends."""

from __future__ import annotations

import io
import sys

import pytest

from jounce.cli import progress


class Terminal(io.StringIO):
    """Standard error that someone looks at."""

    def isatty(self) -> bool:
        return True


def test_nothing_is_shown_in_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    with progress.shown_progress("work") as report:
        assert report is None


def test_short_work_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", Terminal())
    with progress.shown_progress("work") as report:
        assert report is not None
        report(0.5)
    assert sys.stderr.getvalue() == ""


def test_long_work_shows_how_far_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setattr(progress, "PROGRESS_AFTER", 0.0)
    monkeypatch.setenv("TERM", "xterm")

    def cut() -> None:
        with progress.shown_progress("long work") as report:
            assert report is not None
            report(0.25)
            raise KeyboardInterrupt  # which ends the bar, too

    with pytest.raises(KeyboardInterrupt):
        cut()
    assert "long work" in sys.stderr.getvalue()
    assert "25%" in sys.stderr.getvalue()
