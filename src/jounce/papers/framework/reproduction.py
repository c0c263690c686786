"""Compute the claims of a paper, keep what has been computed, draw the figures."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jounce
from jounce.papers.framework.claim import Claim, Paper, Result
from jounce.toolchain.folders import cache_root, write_whole

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Progress = Callable[[str, int, int], None]


def reproduce(
    paper: Paper, names: list[str] | None = None, *, use_cache: bool = True, progress: Progress | None = None
) -> Iterator[Result]:
    """The claims of a paper one after another, each computed or taken from the cache.

    progress   called with (claim, how many are done, how many there are) before each
    """
    chosen = [paper.claim(name) for name in names] if names else list(paper.claims)
    store = ResultStore(paper.name) if use_cache else None
    for done, claim in enumerate(chosen):
        if progress is not None:
            progress(claim.name, done, len(chosen))
        kept = store.find(claim) if store else None
        if kept is not None:
            ours, seconds, detail = kept["ours"], kept["seconds"], kept["detail"]
            yield Result(paper.name, claim, ours, claim.judge(ours), seconds, cached=True, detail=detail)
            continue
        begin = time.perf_counter()
        ours = claim.compute()
        detail = claim.detail() if claim.detail else ""
        result = Result(paper.name, claim, ours, claim.judge(ours), time.perf_counter() - begin, detail=detail)
        if store:
            store.keep(result)
        yield result
    if progress is not None:
        progress("", len(chosen), len(chosen))


class ResultStore:
    """Results on disk, one file a paper, valid for exactly this code."""

    def __init__(self, paper: str) -> None:
        self.path = cache_root() / "papers" / f"{paper}.json"
        self.entries: dict[str, dict[str, Any]] = {}
        try:
            content = json.loads(self.path.read_text(encoding="utf-8"))
            if content.get("code") == code_hash():
                self.entries = content["results"]
        except (OSError, ValueError, KeyError, AttributeError):
            pass  # no file, or one that is not ours: compute anew

    def find(self, claim: Claim) -> dict[str, Any] | None:
        """What is known of this claim."""
        return self.entries.get(claim.name)

    def keep(self, result: Result) -> None:
        """Write at once, whole or not at all: an interrupted reproduction goes on where it stopped."""
        self.entries[result.claim.name] = {
            "ours": result.ours,
            "seconds": result.seconds,
            "detail": result.detail,
        }
        text = json.dumps({"code": code_hash(), "results": self.entries}, indent=1)
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(self.path, text.encode())
        except OSError:
            pass  # a cache that cannot be written costs time, not the result


@cache
def code_hash() -> str:
    """A hash of the whole package: a result is worth what the code that made it is worth."""
    root = Path(jounce.__file__).parent
    digest = hashlib.sha256()
    for file in sorted(root.rglob("*.py")):
        digest.update(str(file.relative_to(root)).encode())
        digest.update(file.read_bytes())
    return digest.hexdigest()


def write_figures(claims: list[Claim], folder: Path, progress: Progress | None = None) -> dict[str, Path]:
    """Draw the figures of claims into ``folder``; claim -> path, for the claims that have one.

    A figure that several claims share is written once, under the name of the first: figure functions are cached, so
    that the same drawing is the same object.
    """
    written: dict[int, Path] = {}
    kept: list[Figure] = []  # alive, so that no other figure gets the same id
    paths = {}
    for done, claim in enumerate(claims):
        if claim.figure is None:
            continue
        if progress is not None:
            progress(claim.name, done, len(claims))
        figure = claim.figure()
        if id(figure) not in written:
            kept.append(figure)
            written[id(figure)] = folder / f"{claim.name}.png"
            figure.savefig(written[id(figure)], dpi=90)
        paths[claim.name] = written[id(figure)]
    return paths
