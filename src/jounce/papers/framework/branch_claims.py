"""Claims whose values are bifurcations, located by continuation instead of read off a diagram."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from jounce.papers.burns2015 import branches as burns_branches
from jounce.papers.framework.claim import Claim, Verdict
from jounce.papers.lancioni2009 import branches as wiper_branches

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def _burns() -> Any:
    return burns_branches


def _wiper() -> Any:
    return wiper_branches


BURNS = (
    Claim(
        "fig_10",
        "period-1 orbits are born in saddle-nodes (SN), double (PD), and their unstable companions end in grazings (G)",
        "section 4.3, Fig. 10",
        "e = 0.9, 0.7, 0.5, 0.3, 0.1",
        "SN lowest, then PD and G; larger e at lower frequencies",
        lambda: _burns().order(),
        lambda: _burns().figure_10(),
        detail=lambda: _burns().values(),
    ),
)

#: Figure, orbits with this restitution, kind of bifurcation, value as printed, what happens there.
_WIPER = (
    ("2", "e = 0", "gain_of_flight", "0.40983", "the cycle of pure slip loses contact"),
    ("2", "e = 0", "gain_of_stick", "0.3896", "the hopping branch turns: its unstable part begins to stick"),
    ("2", "e = 0.2", "impact_case", "0.3882", "the hopping branch turns where its impact passes into another case"),
    ("2", "e = 0", "loss_of_slip", "0.3979", "the impact sticks at once"),
    ("2", "e = 0", "loss_of_slip", "0.645", "the slip phase is lost: stick ends in flight"),
    ("6", "e = 0", "gain_of_flight", "0.223", "flight enters the stick-slip cycle"),
    ("6", "e = 0", "loss_of_slip", "0.387", "the impact sticks at once"),
    ("6", "e = 0", "loss_of_stick", "0.413", "the stick phase is lost"),
    ("6", "e = 0", "loss_of_flight", "0.429", "two flights become one: the slip between them is lost"),
    ("6", "e = 0.2", "gain_of_slip", "0.365", "the chatter no longer ends in stick"),
    ("6", "e = 0.2", "chatter_end", "0.374", "the branch with a slip phase ends: its chatter is no longer complete"),
    ("6", "e = 0.2", "grazing", "0.386", "the orbit of one bounce grazes, downwards"),
    ("6", "e = 0.2", "impact_case", "0.581", "the hopping branch turns back where its impact passes into another case"),
    ("10", "e = 0", "gain_of_stick", "0.360", "the slip cycle begins to stick"),
    ("13", "e = 0.2", "loss_of_stick", "0.434", "the stick phase is lost"),
)


#: Printed values that are not what happens, and why.
_WRONG = {
    "0.645": "A and b vanish together at 0.6468091; the slip phase shortens in proportion up to there. Next to it the "
    "engine no longer resolves the phase, and its end is extrapolated from its length."
}
_HOW = (
    "Located on the branch itself by continuation. The paper names no kinds of bifurcation: beside a printed value "
    "stands the nearest one of the kind that its words describe."
)
_PIECES = (
    " The curve for e = 0.2 comes in pieces that end where chatter stops being complete (-C) or at a grazing (G). The "
    "motion does not jump there: orbits of one, two, three bounces, each begun by a grazing of the one before, lead "
    "from one piece towards the other; with ever more bounces they crowd at -C, where no branch with a fixed number "
    "of them arrives."
)


def _wiper_claim(figure: str, key: str, kind: str, printed: str, statement: str, first: bool) -> Claim:
    simulation = "Simulation 1" if figure in ("2", "6") else "Simulation 2"
    varies = "mu" if figure in ("2", "10") else "phi0"
    return Claim(
        f"branch_{figure}_{key.replace(' ', '').replace('=', '').replace('.', '')}_{kind}_{printed[2:]}",
        statement,
        f"Fig. {figure}",
        f"{simulation}, {varies} varies, {key}",
        printed,
        lambda: _wiper().nearest(figure, kind, key, float(printed)),
        _drawn(figure) if first else None,
        Verdict.WRONG if printed in _WRONG else Verdict.HOLDS,
        note=_HOW + (_PIECES if figure in ("2", "6") else "") if first else _WRONG.get(printed, ""),
    )


def _drawn(figure: str) -> Callable[[], Figure]:
    return lambda: _wiper().draw(figure)


WIPER = tuple(
    _wiper_claim(*row, first=row[0] not in [other[0] for other in _WIPER[:k]]) for k, row in enumerate(_WIPER)
)
