"""``jounce studio [SYSTEM]``: see it move, turn the knobs, in the browser."""

from __future__ import annotations

import argparse
import os
import sys
import threading
import time
from typing import Any

from jounce.cli.arguments import SYSTEM_HELP, find_model
from jounce.errors import OptionError

_EXAMPLE = "example: jounce studio slender_rod   or   jounce studio path/to/model.py:function --no-browser --port 0"
LARGEST_PORT = 65535
GRACE = 0.5  # s that cancelled work is given to end
TOKEN = "JOUNCE_STUDIO_TOKEN"  # in the environment: the token to use, so that links outlive a restart


def add_parser(
    subparsers: argparse._SubParsersAction[argparse.ArgumentParser], shared: argparse.ArgumentParser
) -> None:
    """Register the command; it has no result, so no --json."""
    parser = subparsers.add_parser("studio", help="motion, diagrams and basins in the browser", epilog=_EXAMPLE)
    parser.add_argument(
        "system",
        metavar="SYSTEM",
        nargs="?",
        help=f"{SYSTEM_HELP}, or a session file (default slender_rod)",
    )
    parser.add_argument("--port", type=int, default=0, metavar="N", help="port on 127.0.0.1 (default 0: a free one)")
    parser.add_argument("--no-browser", action="store_true", help="print the address only")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Serve until Ctrl-C; the first line printed is the address with its token."""
    if not 0 <= arguments.port <= LARGEST_PORT:
        raise OptionError(f"--port is {arguments.port}; it must be between 0 and {LARGEST_PORT}")
    try:
        from jounce.studio.server import Studio
    except ImportError as error:
        raise OptionError(f"the studio needs {error.name}: pip install 'jounce[studio]'") from None
    from jounce import systems
    from jounce.studio.session import is_session, load_session

    chosen: dict[str, Any] = {}
    if arguments.system in systems.SYSTEMS:
        chosen = {"first": arguments.system}
    elif arguments.system is not None and is_session(arguments.system):
        chosen = {"session": load_session(arguments.system)}
    elif arguments.system is not None:
        chosen = {"model": find_model(arguments.system), "source": arguments.system}
    studio = Studio(port=arguments.port, token=os.environ.get(TOKEN), **chosen)

    def ready() -> None:
        print(studio.address, flush=True)
        if not arguments.no_browser:
            import webbrowser

            webbrowser.open(studio.address)

    studio.run(ready)
    _end_now()
    return 0


def _end_now() -> None:
    """Leave at once where a thread is still at work that nothing can cancel: the first compilation of the engine."""
    deadline = time.perf_counter() + GRACE
    others = [thread for thread in threading.enumerate() if thread is not threading.current_thread()]
    for thread in others:
        thread.join(max(0.0, deadline - time.perf_counter()))
    if any(thread.is_alive() for thread in others):
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(0)
