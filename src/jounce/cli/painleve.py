"""``jounce painleve SYSTEM``: where a sliding contact has one motion, several or none, over two state variables."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

import jounce
from jounce.cli.arguments import add_motion, find_model, parse_numbers
from jounce.cli.attractors import parse_ranges
from jounce.cli.output import IMAGE_SUFFIXES, check_writable, replaced, write_report
from jounce.cli.progress import shown_progress
from jounce.errors import OptionError, suggestion
from jounce.units import in_unit

if TYPE_CHECKING:
    from jounce import Model
    from jounce.analysis.painleve.mode_map import ModeMap
    from jounce.analysis.painleve.singular_points import SingularPoint

_EXAMPLE = "example: jounce painleve manipulator --over theta1=-0.8:0.8,d_theta1=-5:5 --plot map.png"


def add_parser(
    subparsers: argparse._SubParsersAction[argparse.ArgumentParser], shared: argparse.ArgumentParser
) -> None:
    """Register the command."""
    parser = subparsers.add_parser(
        "painleve", parents=[shared], help="the modes of a sliding contact and its singular points", epilog=_EXAMPLE
    )
    add_motion(parser)
    parser.add_argument("--over", required=True, metavar="NAME=LOW:HIGH,...", help="two state variables")
    parser.add_argument("--contact", metavar="NAME", help="default: the only one")
    parser.add_argument("--points", type=int, default=200, metavar="N", help="along each axis (default 200)")
    parser.add_argument("--plot", metavar="FILE.png", help="the map")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Compute, print the shares and the singular points, draw the map."""
    check_writable(arguments.plot, "--plot", IMAGE_SUFFIXES)
    check_writable(arguments.json, "--json")
    model = find_model(arguments.system)
    over = _over(arguments.over, model)
    system = jounce.compile_model(model)
    parameters: dict[str, Any] = system.numbers(parse_numbers(arguments.set, "--set"))
    state = system.state(t=arguments.t_start, **parse_numbers(arguments.start, "--start"))
    asked = {"state": state, "points": arguments.points, **parameters}
    with shown_progress("closing the contact") as progress:
        found = jounce.painleve.mode_map(system, over, arguments.contact, progress=progress, **asked)
        singular = jounce.painleve.singular_points(system, over, arguments.contact, progress=progress, **asked)
    written = {}
    if arguments.plot:
        with replaced(arguments.plot) as temporary:
            jounce.plot.plot_mode_map(found, singular=singular).savefig(temporary)
        written["plot"] = arguments.plot
    content = {**_content(found, singular), "system": model.name, "parameters": parameters}
    write_report(_summary(found, singular, model.name), content, written, arguments.json)
    return 0


def _over(text: str, model: Model) -> dict[str, tuple[Any, Any]]:
    ranges = parse_ranges(text, "--over")
    names = [*model.coordinates, *model.velocity_units]
    units = {**model.coordinates, **model.velocity_units}
    for name in ranges:
        if name not in names:
            raise OptionError(f"--over: unknown name {name!r}; {suggestion(name, names, 'coordinates and velocities')}")
    if len(ranges) != 2:
        raise OptionError(f"--over takes two state variables, like theta1=-0.8:0.8,d_theta1=-5:5; got {text!r}")
    return {
        name: (in_unit(low, units[name], f"--over: {name}", OptionError),
               in_unit(high, units[name], f"--over: {name}", OptionError))
        for name, (low, high) in ranges.items()
    }  # fmt: skip


def _summary(found: ModeMap, singular: list[SingularPoint], name: str) -> str:
    shares = ", ".join(f"{mode.name.lower()} {share:.1%}" for mode, share in found.fractions().items() if share > 0.0)
    lines = [f"{name}, contact {found.contact}: {shares}"]
    for point in singular:
        where = ", ".join(f"{name} = {point.state[name]:.9g}" for name in found.names)
        first, second = point.eigenvalues
        lines.append(f"  {point.kind} at {where}: eigenvalues {first:.6g}, {second:.6g}, slip {point.slip:+d}")
    return "\n".join(lines if singular else [*lines, "  no singular point in these ranges"])


def _content(found: ModeMap, singular: list[SingularPoint]) -> dict[str, Any]:
    """The map for machines: shares of the modes, singular points."""
    return {
        "contact": found.contact,
        "over": {name: [float(row[0]), float(row[-1])] for name, row in zip(found.names, found.values, strict=True)},
        "shares": {mode.name.lower(): share for mode, share in found.fractions().items()},
        "singular_points": [
            {
                **{name: point.state[name] for name in found.names},
                "kind": point.kind,
                "eigenvalues": list(point.eigenvalues),
                "slip": point.slip,
                "own": point.own,
            }
            for point in singular
        ],
    }
