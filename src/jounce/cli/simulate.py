"""``jounce simulate NAME``: one run, its summary, its files."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import jounce
from jounce import plot
from jounce.cli.arguments import add_motion, find_system, parse_actions, parse_numbers, parse_schedule, seconds
from jounce.cli.output import IMAGE_SUFFIXES, check_writable, replaced, write_json
from jounce.cli.progress import shown_progress
from jounce.errors import OptionError, suggestion

if TYPE_CHECKING:
    from jounce.simulation.trajectory import Trajectory
    from jounce.system.system import System

_EXAMPLE = (
    "example: jounce simulate slender_rod --start y=6,theta=0.3 --set omega=4.405,mu=0.05,e=0.8 --t-end 50 "
    "--events events.csv --out run.nc --plot run.png --animate run.gif"
)

#: What a script is told of a run that ended before its time: its files and its summary are there all the same.
ENDED_EARLY = 1

#: Option -> suffixes it can write.
_FILES = {
    "events": (".csv", "-"),
    "out": (".nc",),
    "plot": IMAGE_SUFFIXES,
    "phase": IMAGE_SUFFIXES,
    "energy": IMAGE_SUFFIXES,
    "joint_forces": IMAGE_SUFFIXES,
    "animate": (".gif", ".mp4", ".webm"),
    "json": (),
}


def add_parser(
    subparsers: argparse._SubParsersAction[argparse.ArgumentParser], shared: argparse.ArgumentParser
) -> None:
    """Register the command."""
    parser = subparsers.add_parser("simulate", parents=[shared], help="simulate a system", epilog=_EXAMPLE)
    add_motion(parser)
    parser.add_argument("--t-end", type=seconds, default=10.0, metavar="T", help="simulate until then (default 10)")
    parser.add_argument(
        "--stop-at",
        metavar="EVENT",
        help="end the run just behind an event: impact:CONTACT, event:KIND:CONTACT, reset:NAME, guard:NAME:DIRECTION "
        "or plane:EXPRESSION=VALUE:DIRECTION",
    )
    parser.add_argument(
        "--schedule",
        action="append",
        default=[],
        metavar="t=T:NAME=NUMBER,...",
        help="change parameters at a time, like t=3:mu=0.9; may be repeated",
    )
    parser.add_argument(
        "--on",
        action="append",
        default=[],
        metavar="EVENT:NAME=VALUE,...",
        help="what an event sets, in the words of --stop-at, like impact:foot:F=150; may be repeated",
    )
    run = parser.add_argument_group("how")
    run.add_argument("--tolerance", type=float, metavar="TOL", help="error tolerance of a step")
    run.add_argument("--law", metavar="NAME", help="impact law, like energetic, poisson or newton")
    run.add_argument("--record", choices=("all", "events", "nothing"), default="all", help="what to keep (default all)")
    files = parser.add_argument_group("files")
    files.add_argument("--out", metavar="FILE.nc", help="the whole run, for jounce.load")
    files.add_argument("--events", metavar="FILE.csv", help="the table of events ('-': standard output)")
    files.add_argument("--plot", metavar="FILE.png", help="time history with the contact modes shaded")
    files.add_argument("--phase", metavar="FILE.png", help="phase portrait")
    files.add_argument("--phase-coordinate", metavar="NAME", help="coordinate of --phase (default: the last one)")
    files.add_argument("--energy", metavar="FILE.png", help="the energy ledger over time")
    files.add_argument("--joint-forces", metavar="FILE.png", help="forces of the joints over time")
    files.add_argument("--animate", metavar="FILE.gif", help="animation; .mp4 and .webm by ffmpeg")
    files.add_argument(
        "--speed", type=float, default=1.0, metavar="FACTOR", help="of the film: 0.1 is ten times slower (default 1)"
    )
    parser.set_defaults(run=run_command)


def run_command(arguments: argparse.Namespace) -> int:
    """Check everything that can be checked, simulate, write, summarise."""
    for option, suffixes in _FILES.items():
        check_writable(getattr(arguments, option), f"--{option.replace('_', '-')}", suffixes)
    if arguments.json == arguments.events == "-":
        raise OptionError("--json - and --events - both mean standard output; give one of them a file")
    _check_record(arguments)
    start, overrides = parse_numbers(arguments.start, "--start"), parse_numbers(arguments.set, "--set")
    schedule = parse_schedule(arguments.schedule)
    system = find_system(arguments.system)
    _check_for_pictures(arguments, system)

    run = _simulate(arguments, system, start, overrides, schedule)
    quiet = "-" in (arguments.json, arguments.events)
    if not quiet:
        from jounce.cli.summary import summary_text

        print(summary_text(run))
    written = _write_files(arguments, run)
    if arguments.json:
        from jounce.cli.summary import event_rows, summary_content

        write_json({**summary_content(run), "event_table": event_rows(run), "files": written}, arguments.json)
    if written and not quiet:
        print("written: " + ", ".join(written.values()))
    return 0 if run.status.ok else ENDED_EARLY


def _simulate(
    arguments: argparse.Namespace,
    system: System,
    start: dict[str, float],
    overrides: dict[str, Any],
    schedule: list[tuple[float, dict[str, float]]],
) -> Trajectory:
    chosen = {"tolerance": arguments.tolerance, "law": arguments.law, "record": arguments.record}
    options = jounce.Options(**{name: value for name, value in chosen.items() if value is not None})
    state = system.state(t=arguments.t_start, **start)
    if overrides and system.nj:
        state = system.assemble_with(state, start, overrides)
    with shown_progress(f"simulating {system.outline.name}") as report:
        return jounce.simulate(
            system,
            state,
            t_end=arguments.t_end,
            options=options,
            schedule=schedule,
            on=parse_actions(arguments.on),
            stop_at=arguments.stop_at,
            progress=report,
            **overrides,
        )


def _check_record(arguments: argparse.Namespace) -> None:
    if arguments.record == "all":
        return
    pictures = ("plot", "phase", "joint_forces", "animate")
    wanted = [f"--{option.replace('_', '-')}" for option in pictures if getattr(arguments, option)]
    if arguments.record == "nothing" and arguments.events:
        wanted.append("--events")
    if wanted:
        raise OptionError(f"{wanted[0]} needs what --record {arguments.record} does not keep; leave --record out")


def _check_for_pictures(arguments: argparse.Namespace, system: System) -> None:
    names = system.coordinate_names
    if arguments.phase_coordinate and arguments.phase_coordinate not in names:
        hint = suggestion(arguments.phase_coordinate, names, "coordinates")
        raise OptionError(f"--phase-coordinate {arguments.phase_coordinate!r}: no such coordinate; {hint}")
    if arguments.joint_forces and not system.nj:
        raise OptionError(f"--joint-forces: {system.outline.name} has no joints")
    if arguments.animate and not system.model.drawing:
        raise OptionError(f"--animate: {system.outline.name} has no drawing; give its Model drawing=[...]")
    if arguments.animate:
        from jounce.plot.animation import check_speed
        from jounce.plot.film_files import check_film

        check_film(arguments.animate)
        check_speed(arguments.speed)
    elif arguments.speed != 1.0:
        raise OptionError("--speed is that of the film; give its file, too: --animate FILE.gif")


def _write_files(arguments: argparse.Namespace, run: Trajectory) -> dict[str, str]:
    """Write every file asked for; option -> path."""

    def picture(make: Callable[[], Any]) -> Callable[[Any], Any]:
        return lambda path: make().savefig(path)

    coordinate = arguments.phase_coordinate or run.coordinates[-1]
    writers: dict[str, Callable[[Any], Any]] = {
        "out": run.save,
        "events": lambda path: run.events.to_csv(path, index=False),
        "plot": picture(lambda: plot.plot_time_history(run)),
        "phase": picture(lambda: plot.plot_phase_portrait(run, coordinate)),
        "energy": picture(lambda: plot.plot_energy(run)),
        "joint_forces": picture(lambda: plot.plot_joint_forces(run)),
        "animate": lambda path: plot.animate(run, path, speed=arguments.speed),
    }
    written = {}
    for option, write in writers.items():
        path = getattr(arguments, option)
        if path == "-":
            write(sys.stdout)
        elif path:
            with replaced(path) as temporary:
                write(temporary)
            written[option] = path
    return written
