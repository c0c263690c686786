"""``jounce continue SYSTEM``: a branch of periodic orbits or equilibria in a parameter, resumable."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

import jounce
from jounce.cli.arguments import find_model, in_units_of, parse_numbers, quantity
from jounce.cli.attractors import results_folder, write_results
from jounce.cli.orbit import add_guess, orbit_of
from jounce.cli.output import check_writable, write_report
from jounce.cli.progress import shown_progress
from jounce.errors import Interrupted, OptionError

if TYPE_CHECKING:
    from pathlib import Path

    from jounce.analysis.orbits.continuation.branch import Branch
    from jounce.system.system import System

_EXAMPLE = (
    "example: jounce continue ball_on_table --set omega=3,e=0.9 --start y=5 --settle 200 --parameter omega --from 1 "
    "--to 5 --out fig10; equilibria: jounce continue wiper --mode tip:SLIP+ --set mu=0.3 --parameter mu --from 0.1 "
    "--to 0.6"
)


def add_parser(
    subparsers: argparse._SubParsersAction[argparse.ArgumentParser], shared: argparse.ArgumentParser
) -> None:
    """Register the command."""
    parser = subparsers.add_parser(
        "continue", parents=[shared], help="follow an orbit or an equilibrium in a parameter", epilog=_EXAMPLE
    )
    add_guess(parser)
    parser.add_argument("--parameter", required=True, metavar="NAME", help="the parameter that varies")
    parser.add_argument("--from", dest="low", type=quantity, required=True, metavar="A", help="its lowest value")
    parser.add_argument("--to", dest="high", type=quantity, required=True, metavar="B", help="its highest value")
    parser.add_argument("--step", type=quantity, metavar="H", help="largest step (default: a hundredth of the range)")
    parser.add_argument("--direction", choices=("both", "up", "down"), default="both", help="default both")
    parser.add_argument("--max-points", type=int, default=400, metavar="N", help="in each direction (default 400)")
    parser.add_argument("--mode", metavar="CONTACT:MODE,...", help="follow the equilibrium in this mode instead")
    parser.add_argument("--orbit", metavar="FILE.nc", help="begin with a stored orbit instead of a guess")
    parser.add_argument("--variable", metavar="NAME", help="of the picture, like y, max_y, abs_d_phi or period")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Follow the branch, or go on with it, then write the tables and the picture."""
    from jounce.plot.branch import check_variable  # the help text of a command needs no engine

    check_writable(arguments.json, "--json")
    model = find_model(arguments.system)
    in_units_of(arguments, model)
    system = jounce.compile_model(model)
    check_variable(arguments.variable, system, arguments.parameter, "equilibrium" if arguments.mode else "orbit")
    with results_folder(arguments.out, f"continue_{model.name}_{arguments.parameter}") as folder:
        try:
            branch = _branch(arguments, system, folder)
        except Interrupted as interrupt:
            if not isinstance(interrupt.partial, jounce.Branch) or not len(interrupt.partial):
                raise
            branch = interrupt.partial
        figure = jounce.plot.plot_branch(branch, arguments.variable)
        written = write_results(folder, {"branch": branch.table, "special": branch.special}, figure, "branch.png")
        branch.save(folder / "branch.nc")
    written["data"] = str(folder / "branch.nc")
    write_report(_summary(branch), _content(branch), written, arguments.json)
    if "interrupted" in branch.ends:
        raise KeyboardInterrupt(f"interrupted; the branch so far is in {folder}: repeat the command to go on")
    return 0


def _branch(arguments: argparse.Namespace, system: System, folder: Path) -> Branch:
    request: dict[str, Any] = {"step": arguments.step, "direction": arguments.direction}
    request |= {"max_points": arguments.max_points}
    bounds = (arguments.low, arguments.high)
    with shown_progress(f"following {arguments.parameter}") as report:

        def progress(count: int, value: float) -> None:
            if report is not None:
                report(min(1.0, count / arguments.max_points))

        if arguments.mode:
            guess = system.state(**parse_numbers(arguments.start, "--start"))
            rest = jounce.find_equilibrium(system, arguments.mode, guess, **parse_numbers(arguments.set, "--set"))
            return jounce.continue_equilibrium(rest, arguments.parameter, bounds, progress=progress, **request)
        orbit = orbit_of(arguments, system) if arguments.orbit is None else jounce.load(arguments.orbit)
        if not isinstance(orbit, jounce.PeriodicOrbit):
            raise OptionError(f"--orbit {arguments.orbit} holds no periodic orbit; write one with `jounce orbit`")
        return jounce.continue_orbit(
            orbit, arguments.parameter, bounds, progress=progress, checkpoint=folder / "branch.nc", **request
        )


def _summary(branch: Branch) -> str:
    lines = [repr(branch).split(";")[0].strip("<>")]
    lines += [f"  {s.parameter:<14.9g} {s.kind:<16} {s.explanation}" for s in branch.specials]
    return "\n".join([*lines, f"  begins: {branch.ends[0]}", f"  ends:   {branch.ends[1]}"])


def _content(branch: Branch) -> dict[str, Any]:
    from jounce.analysis.orbits.continuation.branch import describe_signatures

    return {
        "system": branch.system.model.name,
        "kind": branch.kind,
        "parameter": branch.parameter,
        "bounds": list(branch.bounds),
        "points": len(branch),
        "values": branch.values.tolist(),
        "stable": branch.stable.tolist(),
        "special": [
            {"kind": s.kind, "parameter": s.parameter, "uncertainty": s.uncertainty, "explanation": s.explanation}
            for s in branch.specials
        ],
        "signatures": describe_signatures(branch),
        "ends": list(branch.ends),
    }
