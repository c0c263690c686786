"""``jounce reproduce [PAPER]``: the published numbers and figures, computed anew."""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jounce.cli.output import check_writable, replaced, write_json
from jounce.errors import OptionError
from jounce.papers import NAMES, find_paper

if TYPE_CHECKING:
    from jounce.papers.framework.claim import Paper, Result
    from jounce.papers.framework.reproduction import Progress

LINE_EVERY = 1.0  # s, between lines of progress where there is no terminal
_EXAMPLE = "example: jounce reproduce lancioni2009 --out figures"


def add_parser(
    subparsers: argparse._SubParsersAction[argparse.ArgumentParser], shared: argparse.ArgumentParser
) -> None:
    """Register the command."""
    parser = subparsers.add_parser(
        "reproduce", parents=[shared], help="compute what the papers claim, and compare", epilog=_EXAMPLE
    )
    parser.add_argument(
        "paper", nargs="?", metavar="PAPER", help="a paper; without one, the papers and claims are listed"
    )
    parser.add_argument("claims", nargs="*", metavar="CLAIM", help="only these claims of the paper")
    parser.add_argument("--all", action="store_true", help="every paper")
    parser.add_argument("--out", metavar="DIR", help="write one figure a claim, and a page per paper, into this folder")
    parser.add_argument("--fresh", action="store_true", help="compute everything again, also what is in the cache")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """List, or compute, print and write."""
    check_writable(arguments.json, "--json")
    if arguments.all and arguments.paper:
        raise OptionError("give a paper or --all, not both")
    if not arguments.all and arguments.paper is None:
        return _list(arguments)
    papers = [find_paper(name) for name in NAMES] if arguments.all else [find_paper(arguments.paper)]
    for name in arguments.claims:
        papers[0].claim(name)  # a wrong name fails before anything is computed
    folder = _folder(arguments.out)
    contents = []
    for paper in papers:
        with _progress(paper.name) as report:
            results = _compute(paper, arguments, report)
        if arguments.json != "-":
            _print_table(paper, results)
        contents += [result.content() for result in results]
        if folder is not None:
            _write(paper, results, folder, quiet=arguments.json == "-")
    write_json({"results": contents, "verdicts": _meanings()}, arguments.json)
    return 0


def _meanings() -> dict[str, str]:
    from jounce.papers.framework.claim import Verdict

    return {str(verdict): verdict.meaning for verdict in Verdict}


def _compute(paper: Paper, arguments: argparse.Namespace, report: Progress | None) -> list[Result]:
    from jounce.papers.framework.reproduction import reproduce

    return list(reproduce(paper, arguments.claims or None, use_cache=not arguments.fresh, progress=report))


def _list(arguments: argparse.Namespace) -> int:
    papers = [find_paper(name) for name in NAMES]
    if arguments.json != "-":
        for paper in papers:
            print(f"{paper.name}: {paper.citation}")
            width = max(len(claim.name) for claim in paper.claims)
            for claim in paper.claims:
                print(f"  {claim.name:<{width}}  {claim.statement}")
            print()
        print("`jounce reproduce PAPER` computes them; --out DIR writes figures and a page.")
    content = [
        {
            "name": p.name,
            "citation": p.citation,
            "claims": [{"name": c.name, "statement": c.statement} for c in p.claims],
        }
        for p in papers
    ]
    write_json({"papers": content}, arguments.json)
    return 0


def _folder(path: str | None) -> Path | None:
    if path is None:
        return None
    folder = Path(path)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OptionError(f"--out {path} cannot be made: {error.strerror or error}") from None
    check_writable(str(folder / "page.md"), "--out")
    return folder


def _print_table(paper: Paper, results: list[Result]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(title=paper.citation, title_justify="left", show_lines=False)
    for column in ("claim", "parameters", "paper", "ours", "verdict", "note"):
        table.add_column(column, overflow="fold")
    colours = {"holds": "green", "WRONG": "red", "unfinished": "yellow"}
    for result in results:
        verdict = str(result.verdict)
        table.add_row(
            result.claim.statement,
            result.claim.parameters,
            result.claim.printed,
            result.ours_text(),
            f"[{colours[verdict]}]{verdict}[/]" + ("" if result.as_expected else " (unexpected)"),
            result.claim.note,
        )
    console = Console(width=None if sys.stdout.isatty() else 160)
    console.print(table)
    counts = {verdict: sum(str(result.verdict) == verdict for result in results) for verdict in colours}
    seconds = sum(result.seconds for result in results if not result.cached)
    console.print(
        f"{counts['holds']} hold, {counts['WRONG']} wrong, {counts['unfinished']} unfinished; {seconds:.1f} s"
    )
    for verdict, meaning in _meanings().items():
        if counts[verdict]:
            console.print(f"  {verdict}: {meaning}", highlight=False)
    console.print()


def _write(paper: Paper, results: list[Result], folder: Path, quiet: bool) -> None:
    from jounce.papers.framework.page import page
    from jounce.papers.framework.reproduction import write_figures

    pictures = folder / paper.name
    pictures.mkdir(exist_ok=True)
    with _progress(f"{paper.name} figures") as report:
        paths = write_figures([result.claim for result in results], pictures, report)
    figures = {name: f"{paper.name}/{path.name}" for name, path in paths.items()}
    target = folder / f"{paper.name}.md"
    with replaced(target) as temporary:
        temporary.write_text(page(paper, results, figures), encoding="utf-8")
    if not quiet:
        print(f"written: {target} and {len(set(figures.values()))} figures in {pictures}")


@contextmanager
def _progress(title: str) -> Iterator[Progress | None]:
    """On standard error, which claim is in work: a bar on a terminal, elsewhere a line now and then."""
    if not sys.stderr.isatty():
        yield _lines(title)
        return
    from rich.console import Console
    from rich.progress import Progress as Bar

    with Bar(console=Console(stderr=True), transient=True) as bar:
        task: Any = bar.add_task(title, total=1.0)

        def report(claim: str, done: int, total: int) -> None:
            bar.update(task, completed=done, total=total, description=f"{title}: {claim}")

        yield report


def _lines(title: str) -> Progress:
    """A line for a claim, if the last one is old enough: results from the cache come in crowds."""
    last = -math.inf

    def report(claim: str, done: int, total: int) -> None:
        nonlocal last
        if done < total and time.monotonic() - last >= LINE_EVERY:
            last = time.monotonic()
            print(f"{title}: {done + 1} of {total}, {claim}", file=sys.stderr, flush=True)

    return report
