"""The bifurcation diagrams of Burns and Piiroinen (2015), Fig. 8, which are Fig. 5.7 of Burns' thesis.

The diagrams show the long-term motion of the level rod, which is that of a ball (both ends strike at once, so that
v+ = -e v-): the height q2 where q2' = 0, over the frequency of the floor. The thesis found the attractors from random
starts and followed the branch of each; here the branches with one bounce in k periods start from their closed form

    cos(phi) = k pi g (1 - e) / ((1 + e) A omega^2),    q2 = A sin(phi),    q2'+ = k g T / 2

just above the frequency at which they are born, and the others from starts found by a search over starts (`basins`).
"""

from __future__ import annotations

import math
from functools import cache
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from jounce.analysis.sweep import sweep
from jounce.analysis.work import Progress
from jounce.papers.claim import Claim

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from jounce.analysis.diagram import Diagram
    from jounce.compilation.state import State
    from jounce.compilation.system import System

GRAVITY = 9.81
APEX = "plane:d_y=0:-1"  # q2' = 0 from above: the top of every flight
RANGE = (2.5, 5.0)
BRANCHES = 3  # one bounce in 1, 2, 3 periods
#: Starts on other attractors: restitution -> {what it is: (omega, t, y, d_y)}
OTHERS = {
    0.9: {"p3, three bounces in six periods": (3.0, 0.0, 14.4, 4.4), "lying": (2.5, 0.0, 0.0, 2.5)},
    0.8: {"lying": (2.5, 0.0, 0.0, 2.5)},
}


@cache
def ball() -> System:
    """The level rod as the ball that it moves like."""
    from jounce.compilation.system import compile_model
    from jounce.systems import ball_on_table

    return compile_model(ball_on_table())


def one_bounce(omega: float, e: float, k: int) -> State:
    """The state just after the bounce of the orbit with one bounce in k periods."""
    phase = math.acos(k * math.pi * GRAVITY * (1 - e) / ((1 + e) * omega**2))
    return ball().state(t=phase / omega, y=math.sin(phase), d_y=k * GRAVITY * math.pi / omega)


def birth(e: float, k: int) -> float:
    """The frequency at which the orbits with one bounce in k periods are born: cos(phi) = 1."""
    return math.sqrt(k * math.pi * GRAVITY * (1 - e) / (1 + e))


def starts(e: float) -> list[tuple[float, State]]:
    """(omega, state) on each branch that is followed."""
    found = []
    for k in range(1, BRANCHES + 1):
        omega = max(RANGE[0], birth(e, k) + 0.02)
        found.append((omega, one_bounce(omega, e, k)))
    for omega, t, y, d_y in OTHERS[e].values():
        found.append((omega, ball().state(t=t, y=y, d_y=d_y)))
    return found


def figure_8(
    e: float,
    step: float = 0.0002,
    *,
    section: str = APEX,
    store: str | PathLike[str] | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
    **choices: Any,
) -> Diagram:
    """The diagram for one restitution; every branch is followed in both directions from where it starts."""
    count = round((RANGE[1] - RANGE[0]) / step) + 1
    return sweep(
        ball(), "omega", np.linspace(*RANGE, count), section, starts=starts(e), direction="both", store=store,
        threads=threads, progress=progress, e=e, **choices,
    )  # fmt: skip


def draw_figure_8(diagram: Diagram) -> Figure:
    """The diagram with the paper's orbits marked."""
    from jounce.plot import plot_diagram

    e = float(diagram.description["parameters"]["e"])
    figure = plot_diagram(diagram, "y", marks=_marks(diagram, e))
    figure.axes[0].axvline(math.sqrt(GRAVITY), color="#999999", linewidth=0.8, linestyle=":")
    figure.axes[0].annotate(
        "ω*", (math.sqrt(GRAVITY), 0.97), xycoords=("data", "axes fraction"), xytext=(3, 0),
        textcoords="offset points", fontsize=9, color="#777777",
    )  # fmt: skip
    return figure


def _marks(diagram: Diagram, e: float) -> dict[str, tuple[float, float]]:
    """p1 and p3 at omega = 3 (e = 0.9), p2 at 3.55085 (e = 0.8): the highest point of each, where the sweep has it."""
    wanted = {0.9: {"p1": (3.0, 1, 1), "p3": (3.0, 3, 3)}, 0.8: {"p2": (3.55085, 2, 2)}}[e]
    table, dataset, marks = diagram.attractors, diagram.dataset, {}
    for name, (omega, period, impacts) in wanted.items():
        near = float(diagram.values[np.argmin(np.abs(diagram.values - omega))])
        rows = table[(table["omega"] == near) & (table["period"] == period) & (table["impacts"] == impacts)]
        heights = [
            float(dataset["samples"].sel(quantity="y", omega=near).isel(lane=int(lane)).max()) for lane in rows["lane"]
        ]
        if heights:
            marks[name] = (near, max(heights) if name == "p3" else min(heights))
    return marks


DRAWN_STEP = 0.004  # of the figures of `reproduce`; the thesis has 0.0002, which takes a minute each


@cache
def _drawn(e: float) -> Diagram:
    return figure_8(e, DRAWN_STEP)


def _branches_at_the_start() -> int:
    """How many branches with one bounce in k periods coexist at omega = 2.6: the heights of their flights differ."""
    table, samples = _drawn(0.9).attractors, _drawn(0.9).dataset["samples"]
    rows = table[np.isclose(table["omega"], 2.6) & (table["period"] == 1) & (table["impacts"] == 1)]
    heights = [
        float(samples.sel(quantity="y", omega=row.omega).isel(lane=row.lane, sample=0)) for row in rows.itertuples()
    ]
    return len({round(height, 3) for height in heights})


def _branches_lost() -> float:
    """The frequency at which the last of the three lanes, followed upwards, becomes chaotic."""
    table = _drawn(0.9).attractors
    chaotic = table[(table["start"] < BRANCHES) & (table["direction"] == "up") & (table["kind"] == "chaotic")]
    return float(chaotic.groupby("start")["omega"].min().max())


def _kind_at(e: float, omega: float) -> str:
    """The kind of attractor to which the lying ball has been carried."""
    table = _drawn(e).attractors
    lane = table[table["start"] == BRANCHES + len(OTHERS[e]) - 1]
    return str(lane["kind"].iloc[int(np.argmin(np.abs(lane["omega"] - omega)))])


def _period_2() -> str:
    samples = _orbit(3.55085, 0.8)
    return f"{int(samples['impacts'])} bounces in {int(samples['period'])} periods"


def _orbit(omega: float, e: float) -> Any:
    """The attractor at one frequency on the branch with one bounce in two periods, followed upwards."""
    first = birth(e, 2) + 0.02
    found = sweep(ball(), "omega", np.append(np.arange(first, omega, 0.01), omega), "phase:0",
                  (first, one_bounce(first, e, 2)), transient=3000, keep=16, e=e)  # fmt: skip
    return found.attractors.iloc[-1]


CLAIMS = (
    Claim(
        "three_branches",
        "coexisting period-1 orbits",
        "Fig. 8a",
        "omega = 2.6, e = 0.9",
        "3",
        _branches_at_the_start,
        lambda: draw_figure_8(_drawn(0.9)),
    ),
    Claim(
        "branches_lost",
        "the three branches double their periods and disappear near",
        "Fig. 8a",
        "e = 0.9",
        "3.5",
        _branches_lost,
    ),
    Claim(
        "p2",
        "the period-2 orbit",
        "Fig. 9b",
        "omega = 3.55085, e = 0.8",
        "2 bounces in 4 periods",
        _period_2,
        note="The orbit of the figure is the doubled one-bounce-in-two-periods orbit: its flights reach 18 m.",
    ),
    Claim(
        "chaos",
        "the motion is chaotic from about 3.8 on",
        "Fig. 8b",
        "omega = 4, e = 0.8",
        "chaotic",
        lambda: _kind_at(0.8, 4.0),
        lambda: draw_figure_8(_drawn(0.8)),
        note="Irregular motion with complete chatter, periodic only after dozens of bounces, begins at 3.51 already.",
    ),
)
