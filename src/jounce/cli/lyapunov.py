"""``jounce lyapunov SYSTEM``: Lyapunov exponents of a motion, how they settle, and whether it is chaotic."""

from __future__ import annotations

import argparse
import math
from typing import TYPE_CHECKING, Any

import jounce
from jounce.cli.arguments import add_laws, add_motion, find_model, parse_numbers, seconds
from jounce.cli.attractors import chosen_options, results_folder, write_results
from jounce.cli.output import check_writable, write_report
from jounce.cli.progress import shown_progress

if TYPE_CHECKING:
    import pandas as pd

    from jounce.analysis.stability.lyapunov import LyapunovSpectrum

_EXAMPLE = (
    "example: jounce lyapunov ball_on_table --set omega=4.13,e=0.5 --start y=1.86,d_y=-7.2 --transient 100 "
    "--duration 2000"
)


def add_parser(
    subparsers: argparse._SubParsersAction[argparse.ArgumentParser], shared: argparse.ArgumentParser
) -> None:
    """Register the command."""
    parser = subparsers.add_parser("lyapunov", parents=[shared], help="Lyapunov exponents of a motion", epilog=_EXAMPLE)
    add_motion(parser)
    parser.add_argument(
        "--duration", type=seconds, required=True, metavar="T", help="growth is averaged over this time"
    )
    parser.add_argument(
        "--transient", type=seconds, default=0.0, metavar="T", help="time simulated before (default 0: none)"
    )
    parser.add_argument("--count", type=int, metavar="N", help="only the N largest (default: all)")
    how = parser.add_argument_group("how")
    add_laws(how)
    how.add_argument("--out", metavar="FOLDER", help="for the table and the picture")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Compute, write the running means, draw them."""
    check_writable(arguments.json, "--json")
    model = find_model(arguments.system)
    system = jounce.compile_model(model)
    parameters: dict[str, Any] = system.numbers(parse_numbers(arguments.set, "--set"))
    start = system.state(t=arguments.t_start, **parse_numbers(arguments.start, "--start"))
    with (
        results_folder(arguments.out, f"lyapunov_{model.name}") as folder,
        shown_progress("following perturbations") as progress,
    ):
        spectrum = jounce.lyapunov(
            system, start, arguments.duration, transient=arguments.transient, count=arguments.count,
            options=chosen_options(arguments), progress=progress, **parameters,
        )  # fmt: skip
    figure = jounce.plot.plot_lyapunov(spectrum, f"{model.name}: Lyapunov exponents")
    written = write_results(folder, {"history": _history(spectrum)}, figure, "lyapunov.png")
    content = {**_content(spectrum), "system": model.name, "parameters": parameters}
    write_report(_summary(spectrum, model.name), content, written, arguments.json)
    return 0


def _history(spectrum: LyapunovSpectrum) -> pd.DataFrame:
    import pandas as pd

    columns = [f"lambda_{k + 1}" for k in range(len(spectrum.exponents))]
    table = pd.DataFrame(spectrum.history, columns=columns)
    table.insert(0, "time", spectrum.times)
    return table


def _summary(spectrum: LyapunovSpectrum, name: str) -> str:
    verdict = "chaotic" if spectrum.chaotic else "not chaotic: the largest exponent is not positive beyond its spread"
    lines = [f"{name}: {verdict} ({spectrum.impacts} impacts in {spectrum.times[-1]:g} s)"]
    for k, (exponent, spread) in enumerate(zip(spectrum.exponents, spectrum.spread, strict=True)):
        settled = f"{exponent:+.6g} 1/s, running mean within {spread:.1g} in the second half"
        lost = "-inf: contracted to nothing in finite time, by stick, a plastic impact or the end of a chatter"
        lines.append(f"  lambda_{k + 1}  {settled if math.isfinite(exponent) else lost}")
    if spectrum.irregular:
        lines.append(f"  at {spectrum.irregular} events the motion has no derivative: the exponents are in doubt")
    return "\n".join(lines)


def _content(spectrum: LyapunovSpectrum) -> dict[str, Any]:
    """The spectrum for machines."""
    return {
        "exponents": spectrum.exponents.tolist(),
        "spread": spectrum.spread.tolist(),
        "chaotic": spectrum.chaotic,
        "duration": float(spectrum.times[-1]),
        "impacts": spectrum.impacts,
        "irregular": spectrum.irregular,
        "final": spectrum.final.as_dict(),
    }
