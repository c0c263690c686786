"""The command ``jounce``: one file a command, each with ``add_parser`` and ``run``."""

from jounce.cli.main import main

__all__ = ["main"]
