"""``jounce orbit SYSTEM``: a periodic orbit by Newton's method, with its multipliers and its picture."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

import jounce
from jounce.cli.arguments import add_laws, add_motion, find_model, parse_numbers, seconds
from jounce.cli.attractors import results_folder, write_results
from jounce.cli.output import check_writable, write_report
from jounce.errors import OptionError, suggestion

if TYPE_CHECKING:
    from jounce.analysis.orbits.solution.periodic_orbit import PeriodicOrbit
    from jounce.simulation.options import Options
    from jounce.system.system import System

_EXAMPLE = "example: jounce orbit ball_on_table --set omega=3,e=0.9 --start y=5 --settle 200 --out p1"


def add_guess(parser: argparse.ArgumentParser) -> None:
    """The options that say where an orbit is sought, of `orbit` and `continue`."""
    add_motion(parser)
    parser.add_argument(
        "--settle",
        type=seconds,
        default=0.0,
        metavar="T",
        help="first simulate for this time, so that an attractor is near",
    )
    parser.add_argument(
        "--section",
        metavar="SECTION",
        help="what a return is: phase:FRACTION, impact:CONTACT, event:KIND:CONTACT, guard:NAME:DIRECTION or "
        "plane:EXPRESSION=VALUE:DIRECTION (default: the forcing, or the motion's own recurrence)",
    )
    parser.add_argument("--period", type=int, default=1, metavar="K", help="returns in a period (default 1)")
    parser.add_argument(
        "--closes",
        metavar="NAME=SHIFT,...",
        help="coordinates that return up to a shift, a number or an expression of parameters: x=2*L",
    )
    parser.add_argument("--nodes", type=int, metavar="N", help="nodes of the shooting (default: as many as needed)")
    how = parser.add_argument_group("how")
    add_laws(how)
    how.add_argument("--out", metavar="FOLDER", help="for the data and the picture")


def add_parser(
    subparsers: argparse._SubParsersAction[argparse.ArgumentParser], shared: argparse.ArgumentParser
) -> None:
    """Register the command."""
    parser = subparsers.add_parser("orbit", parents=[shared], help="find a periodic orbit", epilog=_EXAMPLE)
    add_guess(parser)
    parser.add_argument("--coordinate", metavar="NAME", help="of the portrait (default: the first that moves)")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Find the orbit, write it, draw it."""
    check_writable(arguments.json, "--json")
    model = find_model(arguments.system)
    system = jounce.compile_model(model)
    names = system.coordinate_names
    if arguments.coordinate is not None and arguments.coordinate not in names:
        hint = suggestion(arguments.coordinate, names, "coordinates")
        raise OptionError(f"--coordinate {arguments.coordinate!r}: no such coordinate; {hint}")
    orbit = orbit_of(arguments, system)
    with results_folder(arguments.out, f"orbit_{model.name}") as folder:
        figure = jounce.plot.plot_orbit(orbit, arguments.coordinate)
        written = write_results(folder, {"events": orbit.events}, figure, "orbit.png")
        orbit.save(folder / "orbit.nc")
    written["data"] = str(folder / "orbit.nc")
    write_report(summary(orbit), content(orbit), written, arguments.json)
    return 0


def options_of(arguments: argparse.Namespace) -> Options:
    """Options for orbits from what was typed."""
    from jounce.analysis.orbits.solution.periodic_orbit import CHATTER_RISE, ORBIT_TOLERANCE

    chosen = {"law": arguments.law, "simultaneous": arguments.simultaneous, "tolerance": arguments.tolerance}
    given: dict[str, Any] = {name: value for name, value in chosen.items() if value is not None}
    return jounce.Options(**{"tolerance": ORBIT_TOLERANCE, "chatter_rise": CHATTER_RISE, **given})


def orbit_of(arguments: argparse.Namespace, system: System) -> PeriodicOrbit:
    """The orbit near the guess."""
    from jounce.analysis.orbits.solution.closing import check_run, motion

    options = options_of(arguments)
    parameters: dict[str, Any] = system.numbers(parse_numbers(arguments.set, "--set"))
    guess = system.state(t=arguments.t_start, **parse_numbers(arguments.start, "--start"))
    if not 0.0 <= arguments.settle < float("inf"):
        raise OptionError(f"--settle {arguments.settle:g}: it must be a time of 0 or more")
    if arguments.settle > 0.0:
        guess = check_run(motion(system, guess, arguments.settle, options, parameters), "settling").final
    nodes: int | str = "auto" if arguments.nodes is None else arguments.nodes
    return jounce.find_orbit(
        system, guess, arguments.section, period=arguments.period, nodes=nodes, closes=_closes(arguments.closes),
        options=options, **parameters,
    )  # fmt: skip


def _closes(text: str | None) -> dict[str, str]:
    """``x=2*L,y=-h`` -> {"x": "2*L", "y": "-h"}."""
    shifts = {}
    for part in text.split(",") if text else []:
        name, equals, shift = (piece.strip() for piece in part.partition("="))
        if not (name and equals and shift):
            raise OptionError(f"--closes {text!r}: {part!r} is not NAME=SHIFT; write it like x=2*L")
        shifts[name] = shift
    return shifts


def summary(orbit: PeriodicOrbit) -> str:
    """The orbit in words."""
    from jounce.analysis.orbits.solution.signature import describe_signature

    forcing = f" ({orbit.forcing_periods} of the forcing)" if orbit.forcing_periods else ""
    lines = [
        f"{orbit.system.model.name}: a {orbit.stability} periodic orbit",
        f"  period       {orbit.period:.12g} s{forcing}",
        f"  state        {orbit.state}",
        f"  events       {describe_signature(orbit.signature)}",
        f"  closes to    {orbit.closure:.1e}",
        "  multipliers  " + ", ".join(_complex(value) for value in orbit.nontrivial),
    ]
    if orbit.drift:
        lines.append("  drift        " + ", ".join(f"{name} {value:+.9g}" for name, value in orbit.drift.items()))
    return "\n".join(lines)


def _complex(value: complex) -> str:
    return f"{value.real:.9g}" if abs(value.imag) < 1e-12 else f"{value.real:.9g}{value.imag:+.9g}i"


def content(orbit: PeriodicOrbit) -> dict[str, Any]:
    """The orbit for machines."""
    return {
        "system": orbit.system.model.name,
        "parameters": orbit.parameters,
        "period": orbit.period,
        "forcing_periods": orbit.forcing_periods,
        "state": orbit.state.as_dict(),
        "stable": orbit.stable,
        "multipliers": [{"real": value.real, "imaginary": value.imag} for value in orbit.multipliers],
        "trivial": [bool(value) for value in orbit.trivial],
        "signature": [step._asdict() for step in orbit.signature],
        "drift": orbit.drift,
        "closes": orbit.closes,
        "closure": orbit.closure,
    }
