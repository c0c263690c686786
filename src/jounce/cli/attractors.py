"""What `jounce sweep` and `jounce basins` share: options, folders, the message after Ctrl-C."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jounce.cli.arguments import SYSTEM_HELP, add_laws, parse_numbers, quantity, seconds
from jounce.cli.output import check_folder, replaced
from jounce.cli.progress import shown_progress
from jounce.errors import Interrupted, OptionError
from jounce.file_targets import checked_path

if TYPE_CHECKING:
    import pandas as pd

    from jounce.simulation.options import Options


def add_shared(parser: argparse.ArgumentParser, *, transient: int, keep: int) -> None:
    """The options of both commands."""
    parser.add_argument("system", metavar="SYSTEM", help=SYSTEM_HELP)
    parser.add_argument("--set", metavar="NAME=NUMBER,...", help="fixed parameters, like e=0.8,A=1")
    parser.add_argument(
        "--section",
        default="phase:0",
        metavar="SECTION",
        help="phase:FRACTION, impact:CONTACT, event:KIND:CONTACT, guard:NAME:DIRECTION or "
        "plane:EXPRESSION=VALUE:DIRECTION (default phase:0)",
    )
    parser.add_argument(
        "--transient", type=int, default=transient, metavar="N", help=f"returns not looked at (default {transient})"
    )
    parser.add_argument(
        "--patience",
        type=int,
        default=16,
        metavar="K",
        help="undecided motions are followed for up to K times as many returns (default 16; 1: not at all)",
    )
    parser.add_argument(
        "--keep", type=int, default=keep, metavar="N", help=f"points kept of a chaotic motion (default {keep})"
    )
    parser.add_argument("--longest-return", type=seconds, metavar="T", help="give a return up after this time")
    how = parser.add_argument_group("how")
    add_laws(how)
    how.add_argument("--threads", type=int, metavar="N", help="default: one a core")
    how.add_argument("--cluster", metavar="ADDRESS", help="run on the Dask cluster with this scheduler")
    how.add_argument("--out", metavar="FOLDER", help="for the data, the table and the picture; repeat to go on there")


def common_arguments(arguments: argparse.Namespace) -> dict[str, Any]:
    """Keyword arguments of sweep() and basins()."""
    return {
        "section": arguments.section,
        "transient": arguments.transient,
        "patience": arguments.patience,
        "keep": arguments.keep,
        "longest_return": arguments.longest_return,
        "options": chosen_options(arguments),
        "threads": arguments.threads,
        "cluster": arguments.cluster,
        **parse_numbers(arguments.set, "--set"),
    }


def chosen_options(arguments: argparse.Namespace) -> Options:
    """Options from what was typed, defaults for the rest."""
    from jounce.simulation.options import Options

    chosen = {name: getattr(arguments, name) for name in ("tolerance", "law", "simultaneous")}
    return Options(**{name: value for name, value in chosen.items() if value is not None})


def parse_ranges(text: str | None, option: str) -> dict[str, tuple[Any, Any]]:
    """``"y=1:20,d_y=-5mm/s:5"`` -> {"y": (1.0, 20.0), "d_y": ("-5mm/s", 5.0)}."""
    ranges = {}
    for item in filter(None, (part.strip() for part in (text or "").split(","))):
        name, _, bounds = (part.strip() for part in item.partition("="))
        numbers = bounds.split(":")
        try:
            low, high = (quantity(number.strip()) for number in numbers)
        except (ValueError, argparse.ArgumentTypeError):
            raise OptionError(f"{option} takes NAME=LOW:HIGH, separated by commas; got {item!r}") from None
        ranges[name] = (low, high)
    return ranges


@contextmanager
def results_folder(chosen: str | None, default: str) -> Iterator[Path]:
    """The folder of the results, made if need be; work that fails before it has written anything leaves none behind."""
    folder = checked_path("--out", default if chosen is None else chosen)
    missing = [path for path in (folder, *folder.parents) if not path.exists()]
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OptionError(f"--out {folder} cannot be made: {error.strerror or error}") from None
    try:
        check_folder(folder, f"--out {folder}")
        yield folder
    except BaseException:
        for path in missing:
            if any(path.iterdir()):
                break
            path.rmdir()
        raise


@contextmanager
def resumable(title: str, folder: Path) -> Iterator[Callable[[float], None]]:
    """A progress bar, and after Ctrl-C the word that the work can be continued."""
    fraction = 0.0
    with shown_progress(title) as bar:

        def report(done: float) -> None:
            nonlocal fraction
            fraction = done
            if bar is not None:
                bar(done)

        try:
            yield report
        except KeyboardInterrupt as interrupt:
            message = f"interrupted with {fraction:.0%} done; {folder} keeps it: repeat the command to go on"
            raise Interrupted(message, getattr(interrupt, "partial", None)) from None


def write_results(folder: Path, tables: dict[str, pd.DataFrame], figure: Any, picture: str) -> dict[str, str]:
    """Tables as CSV and the picture, each put in place whole; name -> path."""
    written = {}
    for name, table in tables.items():
        with replaced(folder / f"{name}.csv") as temporary:
            table.to_csv(temporary, index=False)
        written[name] = str(folder / f"{name}.csv")
    if figure is not None:
        with replaced(folder / picture) as temporary:
            figure.savefig(temporary)
        written["picture"] = str(folder / picture)
    return written
