"""``jounce basins SYSTEM``: a grid of starts and the attractors they lead to, resumable."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

import jounce
from jounce.cli.arguments import find_model, parse_numbers, quantity, seconds
from jounce.cli.attractors import add_shared, common_arguments, results_folder, resumable, write_results
from jounce.cli.output import check_writable, write_report
from jounce.errors import OptionError
from jounce.units import in_unit

if TYPE_CHECKING:
    import numpy as np

    from jounce.analysis.attractors.basins import Basins

_EXAMPLE = (
    "example: jounce basins ball_on_table --grid y=0:15:300,d_y=-10:10:300 --set omega=3,e=0.9 --section phase:0 "
    "--out basins_ball"
)


def add_parser(
    subparsers: argparse._SubParsersAction[argparse.ArgumentParser], shared: argparse.ArgumentParser
) -> None:
    """Register the command."""
    parser = subparsers.add_parser("basins", parents=[shared], help="which start leads to which attractor")
    parser.epilog = _EXAMPLE
    add_shared(parser, transient=900, keep=100)
    parser.add_argument("--grid", required=True, metavar="NAME=LOW:HIGH:COUNT,...", help="the starts")
    parser.add_argument("--start", metavar="NAME=NUMBER,...", help="what is not in the grid")
    parser.add_argument("--t-start", type=seconds, default=0.0, metavar="T", help="time of the starts (default 0)")
    parser.add_argument(
        "--match",
        type=float,
        default=1e-4,
        help="distance, relative to the size of the motion, within which attractors are the same",
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Compute what is missing, then write the table and the picture."""
    check_writable(arguments.json, "--json")
    model = find_model(arguments.system)
    grid = parse_grid(arguments.grid, model.units)
    system = jounce.compile_model(model)
    start = system.state(t=arguments.t_start, **parse_numbers(arguments.start, "--start"))
    chosen = common_arguments(arguments)
    with results_folder(arguments.out, f"basins_{model.name}") as folder, resumable("basins", folder) as report:
        found = jounce.basins(
            system,
            grid,
            start=start,
            match=arguments.match,
            store=folder / "basins.zarr",
            progress=report,
            **chosen,
        )
    figure = jounce.plot.plot_basins(found) if len(grid) == 2 else None
    written = write_results(folder, {"attractors": found.attractors}, figure, "basins.png")
    written["data"] = str(folder / "basins.zarr")
    write_report(_summary(found), _content(found), written, arguments.json)
    return 0


def parse_grid(text: str, units: dict[str, str]) -> dict[str, np.ndarray]:
    """``"y=0:15cm:300"`` -> {"y": 300 values from 0 to 15 cm, in the unit of y}."""
    import numpy as np

    grid = {}
    for item in filter(None, (part.strip() for part in text.split(","))):
        name, _, numbers = (part.strip() for part in item.partition("="))
        try:
            low, high, count = numbers.split(":")
            ends = [quantity(low.strip()), quantity(high.strip())]
            number = int(count)
        except (ValueError, argparse.ArgumentTypeError):
            raise OptionError(f"--grid takes NAME=LOW:HIGH:COUNT, separated by commas; got {item!r}") from None
        what = f"--grid {name}"
        first, last = (in_unit(end, units.get(name, ""), what, OptionError) for end in ends)
        grid[name] = np.linspace(first, last, number)
    return grid


def _summary(found: Basins) -> str:
    lines = [repr(found)]
    for row in found.attractors.head(20).itertuples():
        what = f"period {row.period}: {row.signature}" if row.kind == "periodic" else f"{row.kind} {row.status}"
        lines.append(f"  {row.Index:>3} {row.share:>7.2%}  {what}")
    if len(found.attractors) > 20:
        lines.append(f"  ... and {len(found.attractors) - 20} more: see attractors.csv")
    return "\n".join(lines)


def _content(found: Basins) -> dict[str, Any]:
    return {
        "system": found.model.name,
        "axes": {name: [values[0], values[-1], len(values)] for name, values in found.axes.items()},
        "section": found.section,
        "parameters": found.description["parameters"],
        "impossible": int((found.index < 0).sum()),
        "attractors": [
            {**row, "points": points.to_dict("records")}
            for row, points in zip(found.attractors.to_dict("records"), found.points, strict=True)
        ],
    }
