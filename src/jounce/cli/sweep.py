"""``jounce sweep SYSTEM``: a brute-force bifurcation diagram, resumable."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

import jounce
from jounce.cli.arguments import find_model, in_units_of, parse_numbers, quantity
from jounce.cli.attractors import (
    add_shared,
    common_arguments,
    parse_ranges,
    results_folder,
    resumable,
    write_results,
)
from jounce.cli.output import check_writable, write_report
from jounce.errors import OptionError, suggestion

if TYPE_CHECKING:
    import numpy as np

    from jounce.analysis.attractors.diagram import Diagram
    from jounce.system.system import System

_EXAMPLE = (
    "example: jounce sweep ball_on_table --parameter omega --from 2.5 --to 5 --step 0.0002 --set e=0.9 "
    "--section plane:d_y=0:-1 --start y=1,d_y=4 --start omega=3,y=4.69,d_y=-5.73 --direction both --out fig8a"
)
MOST_VALUES = 10_000_000
LONGEST_TABLE = 24  # rows of the summary


def add_parser(
    subparsers: argparse._SubParsersAction[argparse.ArgumentParser], shared: argparse.ArgumentParser
) -> None:
    """Register the command."""
    parser = subparsers.add_parser("sweep", parents=[shared], help="attractors over a parameter", epilog=_EXAMPLE)
    add_shared(parser, transient=900, keep=100)
    parser.add_argument("--parameter", required=True, metavar="NAME", help="the parameter that varies")
    parser.add_argument("--from", dest="low", type=quantity, required=True, metavar="A", help="its lowest value")
    parser.add_argument("--to", dest="high", type=quantity, required=True, metavar="B", help="its highest value")
    size = parser.add_mutually_exclusive_group()
    size.add_argument("--step", type=quantity, metavar="H", help="from value to value")
    size.add_argument("--number", type=int, metavar="N", help="of values (default 500)")
    parser.add_argument(
        "--start",
        action="append",
        metavar="NAME=NUMBER,...",
        help="a start, like y=6,d_y=1; with the parameter's name among them it starts at that value. May be repeated",
    )
    parser.add_argument("--direction", choices=("up", "down", "both"), default="up", help="default up")
    parser.add_argument("--random", type=int, default=0, metavar="N", help="N random starts for every value instead")
    parser.add_argument("--range", metavar="NAME=LOW:HIGH,...", help="where random starts are drawn from")
    parser.add_argument("--seed", type=int, default=0, help="of the random starts (default 0)")
    parser.add_argument("--quantity", metavar="NAME", help="what the picture shows (default: the first coordinate)")
    parser.add_argument(
        "--colour", choices=("start", "direction", "kind", "period"), default="start", help="default start"
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Compute what is missing, then write the table and the picture."""
    from jounce.analysis.attractors.search import KEPT_NAMES

    check_writable(arguments.json, "--json")
    model = find_model(arguments.system)
    in_units_of(arguments, model)
    values = _values(arguments)
    system = jounce.compile_model(model)
    quantities = (*system.coordinate_names, *system.velocity_names, *KEPT_NAMES)
    if arguments.quantity is not None and arguments.quantity not in quantities:
        hint = suggestion(arguments.quantity, quantities, "quantities")
        raise OptionError(f"--quantity {arguments.quantity!r}: sections have no such quantity; {hint}")
    chosen = common_arguments(arguments)
    starts = [_start(system, arguments.parameter, text) for text in arguments.start or []]
    default = f"sweep_{model.name}_{arguments.parameter}"
    with (
        results_folder(arguments.out, default) as folder,
        resumable(f"sweeping {arguments.parameter}", folder) as report,
    ):
        diagram = jounce.sweep(
            system,
            arguments.parameter,
            values,
            starts=starts or None,
            direction=arguments.direction,
            random_starts=arguments.random,
            ranges=parse_ranges(arguments.range, "--range"),
            seed=arguments.seed,
            store=folder / "sweep.zarr",
            progress=report,
            **chosen,
        )
    figure = jounce.plot.plot_diagram(diagram, arguments.quantity, colour=arguments.colour)
    tables = {"attractors": diagram.attractors, "branches": diagram.branches}
    written = write_results(folder, tables, figure, "diagram.png")
    written["data"] = str(folder / "sweep.zarr")
    write_report(_summary(diagram), _content(diagram), written, arguments.json)
    return 0


def _values(arguments: argparse.Namespace) -> np.ndarray:
    import numpy as np

    low, high = arguments.low, arguments.high
    if not (np.isfinite(low) and np.isfinite(high) and low <= high):
        raise OptionError(f"--from {low:g} must be finite and not above --to {high:g}; --direction down goes downwards")
    if arguments.step is None:
        number = 500 if arguments.number is None else arguments.number
        if not 1 <= number <= MOST_VALUES:
            raise OptionError(f"--number is {number}; it must be from 1 to {MOST_VALUES}")
        return np.linspace(low, high, number)
    if not arguments.step > 0.0:
        raise OptionError(f"--step is {arguments.step:g}; it must be positive")
    if not (high - low) / arguments.step < MOST_VALUES:
        raise OptionError(f"--step {arguments.step:g} makes more than {MOST_VALUES} values from {low:g} to {high:g}")
    count = int(np.floor((high - low) / arguments.step + 1e-9)) + 1
    return low + arguments.step * np.arange(count)


def _start(system: System, parameter: str, text: str) -> Any:
    numbers = parse_numbers(text, "--start")
    value = numbers.pop(parameter, None)
    state = system.state(**numbers)
    return state if value is None else (value, state)


def _summary(diagram: Diagram) -> str:
    """The widest branches in words."""
    table = diagram.branches
    lines = [repr(diagram)]
    widest = table.nlargest(LONGEST_TABLE, "values").sort_values(["lane", "first"])
    for row in widest.itertuples():
        what = f"period {row.period}: {row.signature}" if row.kind == "periodic" else f"{row.kind} {row.status}"
        lines.append(f"  start {row.start} {row.direction:<6} {row.first:>10.6g} to {row.last:<10.6g} {what}")
    if len(table) > len(widest):
        lines.append(f"  ... and {len(table) - len(widest)} narrower branches: see branches.csv")
    return "\n".join(lines)


def _content(diagram: Diagram) -> dict[str, Any]:
    description = diagram.description
    table = diagram.attractors
    return {
        "system": diagram.model.name,
        "parameter": diagram.parameter,
        "from": diagram.values[0],
        "to": diagram.values[-1],
        "values": len(diagram.values),
        "section": diagram.section,
        "parameters": description["parameters"],
        "transient": description["transient"],
        "keep": description["keep"],
        "total_impacts": int(diagram.dataset["total_impacts"].clip(min=0).sum()),
        "lanes": [
            {**lane, "kinds": table.loc[table["lane"] == number, "kind"].value_counts().to_dict()}
            for number, lane in enumerate(diagram.lanes.to_dict("records"))
        ],
        "branches": diagram.branches.to_dict("records"),
    }
