"""``jounce impact``: one impact by one law or by all of them, with its phases and its path in impulse space."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from jounce.cli.output import IMAGE_SUFFIXES, check_writable, replaced, write_json
from jounce.errors import SimulationError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from jounce.analysis.impacts.impact import ImpactOutcome

_EXAMPLE = (
    "example: jounce impact --law energetic --A 2.3 --B=-0.7 --C 1.4 --v-t 1 --v-n -1 --mu 0.3 --e 0.5 --plot path.png"
)

#: Option -> what it is.
_NUMBERS = {
    "--A": "W_T.M^-1.W_T, tangential mobility of the contact",
    "--B": "W_T.M^-1.W_N, coupling",
    "--C": "W_N.M^-1.W_N, normal mobility",
    "--v-t": "slip velocity before",
    "--v-n": "normal velocity before, negative when approaching; 0 for an impact without collision",
    "--mu": "friction",
    "--e": "restitution",
}
_COLUMNS = 3  # pictures side by side


def add_parser(
    subparsers: argparse._SubParsersAction[argparse.ArgumentParser], shared: argparse.ArgumentParser
) -> None:
    """Register the command."""
    parser = subparsers.add_parser("impact", parents=[shared], help="one impact by any law", epilog=_EXAMPLE)
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--law", default="energetic", metavar="NAME", help="law of impact (default energetic)")
    which.add_argument("--compare", action="store_true", help="every law")
    for option, words in _NUMBERS.items():
        parser.add_argument(option, type=float, required=True, metavar="X", help=words)
    parser.add_argument("--e-t", type=float, default=0.0, metavar="X", help="tangential restitution (default 0)")
    parser.add_argument("--plot", metavar="FILE.png", help="the path in impulse space")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Compute, print, write."""
    check_writable(arguments.plot, "--plot", IMAGE_SUFFIXES)
    check_writable(arguments.json, "--json")
    from jounce.simulation.law import Law

    laws = list(Law) if arguments.compare else [Law.parse(arguments.law)]
    outcomes, failures = _outcomes(laws, arguments)
    content: dict[str, Any]
    if arguments.compare:
        text = _table(outcomes, failures)
        content = {"outcomes": [outcome.as_dict() for outcome in outcomes], "failures": failures}
    else:
        text = _page(outcomes[0])
        content = outcomes[0].as_dict()
    if arguments.json != "-":
        print(text)
    if arguments.plot:
        with replaced(arguments.plot) as temporary:
            _picture(outcomes).savefig(temporary)
        content["files"] = {"plot": arguments.plot}
        if arguments.json != "-":
            print(f"written: {arguments.plot}")
    write_json(content, arguments.json)
    return 0


def _outcomes(laws: list[Any], arguments: argparse.Namespace) -> tuple[list[ImpactOutcome], dict[str, str]]:
    """What the laws say, and why those that have no solution have none (an error when there is no other law)."""
    from jounce.analysis.impacts.impact import impact

    outcomes, failures = [], {}
    numbers = [getattr(arguments, option.lstrip("-").replace("-", "_")) for option in _NUMBERS]
    for law in laws:
        e_t = 0.0 if arguments.compare and law.tangential_range == (0.0, 0.0) else arguments.e_t
        try:
            outcomes.append(impact(law, *numbers, e_t=e_t))
        except SimulationError as error:
            if not arguments.compare:
                raise
            failures[str(law)] = str(error)
    if not outcomes:
        raise SimulationError(next(iter(failures.values())))
    return outcomes, failures


def _page(outcome: ImpactOutcome) -> str:
    """One outcome with its phases."""
    before = outcome.inputs
    lines = [
        f"{outcome.law}: {outcome.region_name}",
        "",
        f"  before       v_t {_number(before['v_t'])}  v_n {_number(before['v_n'])}",
        f"  after        v_t {_number(outcome.v_t)}  v_n {_number(outcome.v_n)}",
        f"  impulse      p_t {_number(outcome.p_t)}  p_n {_number(outcome.p_n)}",
        f"  energy lost      {_number(outcome.energy_loss)}{'  THE LAW ADDED ENERGY' if outcome.added_energy else ''}",
        f"  normal work      {_number(outcome.work_compression)} in compression, "
        f"{outcome.work_restitution:.6g} in restitution",
    ]
    if outcome.phases:
        lines += ["", _row("  phase", "p_t", "p_n", "v_t after", "v_n after")]
        lines += [_row(f"  {phase.name}", phase.p_t, phase.p_n, phase.v_t, phase.v_n) for phase in outcome.phases]
    return "\n".join(lines)


def _table(outcomes: list[ImpactOutcome], failures: dict[str, str]) -> str:
    """One line a law."""
    lines = [_row("law", "v_t after", "v_n after", "p_t", "p_n", "energy lost") + "  what happens"]
    for outcome in outcomes:
        numbers = (outcome.v_t, outcome.v_n, outcome.p_t, outcome.p_n, outcome.energy_loss)
        gain = "; ADDED ENERGY" if outcome.added_energy else ""
        lines.append(f"{_row(str(outcome.law), *numbers)}  {outcome.region_name}{gain}")
    lines += [f"{law:<28}no solution" for law in failures]
    return "\n".join(lines)


def _row(name: str, *cells: float | str) -> str:
    return f"{name:<28}" + "".join(f"{cell if isinstance(cell, str) else _number(cell).strip():>13}" for cell in cells)


def _number(value: float) -> str:
    # adding 0.0 turns -0.0, which a law may return for "no slip left", into 0
    return f"{value + 0.0:>12.6g}"


def _picture(outcomes: list[ImpactOutcome]) -> Figure:
    from jounce.plot import style
    from jounce.plot.impact import plot_impact_path

    if len(outcomes) == 1:
        return plot_impact_path(outcomes[0])
    rows = -(-len(outcomes) // _COLUMNS)
    figure = style.new_figure(5.6 * _COLUMNS, 4.2 * rows)
    panels = figure.subplots(rows, _COLUMNS, squeeze=False).ravel()
    for axes, outcome in zip(panels, outcomes, strict=False):
        plot_impact_path(outcome, axes)
    for axes in panels[len(outcomes) :]:
        axes.set_visible(False)
    return figure
