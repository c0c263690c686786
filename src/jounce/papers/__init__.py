"""Every published number and figure that Jounce reproduces, one folder a paper.

    from jounce.papers import find_paper, reproduce
    for result in reproduce(find_paper("lancioni2009")):
        print(result.claim.statement, result.ours, result.verdict)

``jounce reproduce`` does the same with a table, figures and a page per paper. A new paper is a folder whose
``claims.py`` has a ``PAPER``, and one line below.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from jounce.errors import OptionError, suggestion

if TYPE_CHECKING:
    from jounce.papers.framework.claim import Claim, Paper, Result, Verdict
    from jounce.papers.framework.reproduction import reproduce

#: In the order in which ``jounce reproduce`` lists them.
NAMES = ("burns2015", "burns_thesis", "liu2006", "lancioni2009", "flores2010")

_HOMES = {
    "Claim": "jounce.papers.framework.claim",
    "Paper": "jounce.papers.framework.claim",
    "Result": "jounce.papers.framework.claim",
    "Verdict": "jounce.papers.framework.claim",
    "reproduce": "jounce.papers.framework.reproduction",
}

__all__ = ["NAMES", "Claim", "Paper", "Result", "Verdict", "find_paper", "reproduce"]


def find_paper(name: str) -> Paper:
    """The paper of this name."""
    if name not in NAMES:
        raise OptionError(f"no paper named {name!r}; {suggestion(name, NAMES, 'papers')}")
    paper: Paper = importlib.import_module(f"jounce.papers.{name}.claims").PAPER
    return paper


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'jounce.papers' has no attribute {name!r}; it has: {', '.join(__all__)}")
