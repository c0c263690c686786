"""Other processes of the same Python, which compile for this one."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

CALL = """
import importlib, json, sys
sys.path[:] = json.loads(sys.argv[1])
getattr(importlib.import_module(sys.argv[2]), sys.argv[3])(*sys.argv[4:])
"""


def is_python() -> bool:
    """Whether another Python can be started: an application with Python in it would start itself."""
    return bool(sys.executable) and not getattr(sys, "frozen", False)


def calling(function: Callable[..., Any], *arguments: str) -> list[str]:
    """The command of a process that calls a function of a module.

    It imports from where this process does, and with as many -O: these change the bytecode by which code is kept
    (keys.py). With -P it takes no module from the folder in which it happens to start.
    """
    optimised = ["-O"] * sys.flags.optimize
    path = json.dumps([str(place) for place in sys.path])
    return [sys.executable, "-P", *optimised, "-c", CALL, path, function.__module__, function.__name__, *arguments]
