"""The entry point: finds the command, turns every failure into one paragraph and an exit code."""

from __future__ import annotations

import argparse
import gc
import os
import signal
import sys
import textwrap
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import jounce
from jounce.cli import (
    basins,
    completion,
    continue_,
    impact,
    lyapunov,
    orbit,
    painleve,
    reproduce,
    show,
    simulate,
    studio,
    sweep,
    systems,
)
from jounce.cli.config import add_config, with_config
from jounce.cli.parser import Parser
from jounce.errors import JounceError

#: In the order of the help text. A new command is a module with add_parser(subparsers, shared) and run(arguments).
COMMANDS = (
    systems, show, simulate, impact, painleve, sweep, basins, orbit, continue_, lyapunov, studio, reproduce, completion,
)  # fmt: skip

EXIT_ERROR = 2
EXIT_SIGNAL = 128  # and the number of the signal: 130 after Ctrl-C, 143 after SIGTERM
GARBAGE = (50_000, 20, 100)  # imports make many objects that live: looking for garbage took a sixth of a short command


def build_parser() -> argparse.ArgumentParser:
    """The parser of the whole command line."""
    return _parsers()[0]


def _parsers() -> tuple[Parser, dict[str, argparse.ArgumentParser]]:
    """The parser of the whole command line, and that of each command."""
    parser = Parser(
        prog="jounce",
        description="Simulate and analyse planar rigid bodies that hit, slide, stick, chatter and jam.",
    )
    parser.add_argument("--version", action="version", version=f"jounce {jounce.__version__}")
    shared = argparse.ArgumentParser(add_help=False)
    shared.add_argument("--json", metavar="FILE", help="write the result for machines too ('-': standard output)")
    add_config(shared)
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for command in COMMANDS:
        command.add_parser(subparsers, shared)
    return parser, dict(subparsers.choices)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; 0 when it worked, 2 with one paragraph on standard error when it did not."""
    gc.set_threshold(*GARBAGE)
    ended_by = [signal.SIGINT]
    try:
        with _ended_like_ctrl_c(ended_by):
            parser, commands = _parsers()
            arguments = parser.parse_whole(with_config(sys.argv[1:] if argv is None else argv, commands), commands)
            status: int = arguments.run(arguments)
            if sys.stdout is not None:  # it is None where the caller has closed it: jounce ... >&-
                sys.stdout.flush()
            return status
    except KeyboardInterrupt as interrupt:
        print(f"jounce: {str(interrupt) or 'interrupted'}", file=sys.stderr)
        return EXIT_SIGNAL + ended_by[-1]
    except BrokenPipeError:  # `jounce systems | head`: the reader has had enough
        _drop_what_is_not_written()
        return 0
    except JounceError as error:
        return _fail(str(error))
    except OSError as error:
        if error.filename is None:
            _drop_what_is_not_written()
        return _fail(f"{error.filename or 'standard output'} cannot be used: {error.strerror or error}")
    except Exception as error:
        if os.environ.get("JOUNCE_DEBUG"):
            raise
        return _fail(f"unexpected {type(error).__name__}: {error}. JOUNCE_DEBUG=1 shows where it happened.")


@contextmanager
def _ended_like_ctrl_c(ended_by: list[signal.Signals]) -> Iterator[None]:
    """SIGTERM, by which a queue of jobs ends one, does what Ctrl-C does: no file is left half written."""
    if threading.current_thread() is not threading.main_thread() or signal.getsignal(signal.SIGTERM) != signal.SIG_DFL:
        yield
        return

    def interrupt(number: int, _: Any) -> None:
        ended_by.append(signal.Signals(number))
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _drop_what_is_not_written() -> None:
    """What standard output refused stays in its buffer: Python may flush it again at its end and exit with 120."""
    with suppress(OSError, ValueError):  # a stream of a notebook or a test has no descriptor
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _fail(message: str) -> int:
    paragraph = " ".join(message.split())
    print(textwrap.fill(f"jounce: error: {paragraph}", width=100, break_long_words=False), file=sys.stderr)
    return EXIT_ERROR
