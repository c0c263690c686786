"""Ropes, one-sided springs, preloaded stops, gears with backlash, belts: contacts between what need not be surfaces.

Each is a Contact (or two), so that its taking up and letting go are events, its losses stand in the ledger, and the
audit, sections and files know it; rigid ones are part of orbits and exponents.

    rope               taut where its path reaches its length            g = length - path >= 0
    one_sided_spring   pushes where it is compressed and never pulls     F = k delta + c delta' >= 0
    preloaded_stop     pushes with its preload as soon as it is touched  F = F_0 + k delta + c delta'
    gear_pair          flanks with play on both sides                    g = backlash/2 -+ (r_1 phi_1 + r_2 phi_2)
    belt               drives by friction, and slips beyond it           |F| <= 2 T_0 tanh(mu wrap/2)
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import sympy as sp

from jounce.errors import ModelError
from jounce.model.compliance import ComplianceLaw, KelvinVoigt, OwnCompliance
from jounce.model.contact import Contact
from jounce.model.expressions import as_expression
from jounce.model.symbols import penetration, penetration_rate


def rope(
    name: str,
    start: Any,
    end: Any,
    length: Any,
    *,
    over: Any = (),
    stiffness: Any = None,
    damping: Any = 0,
    restitution: Any = 0,
) -> Contact:
    """A rope between two points (x, y), e.g. ``rope("line", (0, 0), body.point((0, 1)), length=2)``.

    over    points over which it runs without friction, in order: small pulleys, which may move
    Without stiffness it does not stretch: it becomes taut with an impact, of the ``restitution`` given. With it the
    rope is a spring with a damper that never pushes.

    >>> y, dy = jounce.coordinate("y", "m")
    >>> line = jounce.rope("line", (0, 0), (0, y), length=2.0)
    >>> stone = jounce.Model("stone", [y], [1], [-9.81], contacts=[line])
    >>> round(float(jounce.simulate(stone, None, t_end=1.0).events["t"].iloc[0]), 6)  # sqrt(2 L/g)
    0.638551
    """
    if not isinstance(over, list | tuple):
        raise ModelError(f"rope {name!r}: over is {over!r}; it must be a list of points (x, y)")
    points = [_point(name, point) for point in (start, *over, end)]
    pieces = (sp.sqrt((b[0] - a[0]) ** 2 + (b[1] - a[1]) ** 2) for a, b in pairwise(points))
    slack = as_expression(length, f"rope {name!r}: length") - sp.Add(*pieces)
    if stiffness is None:
        if damping != 0:
            raise ModelError(f"rope {name!r}: damping belongs to stiffness; without, a rope has a restitution")
        return Contact(name, gap=slack, restitution=restitution)
    return one_sided_spring(name, slack, stiffness=stiffness, damping=damping)


def one_sided_spring(name: str, gap: Any, *, stiffness: Any, damping: Any = 0) -> Contact:
    """A spring with a damper that pushes where ``gap`` is negative, and never pulls.

    >>> y, dy = jounce.coordinate("y", "m")
    >>> pad = jounce.one_sided_spring("pad", y, stiffness=1e4, damping=5.0)
    >>> ball = jounce.Model("ball", [y], [1], [-9.81], contacts=[pad], start={y: 1.0})
    >>> jounce.simulate(ball, None, t_end=0.6).events["kind"].tolist()
    ['touch', 'separate']
    """
    return Contact(name, gap=gap, compliance=KelvinVoigt(stiffness, damping))


def preloaded_stop(name: str, gap: Any, *, stiffness: Any, preload: Any, damping: Any = 0) -> Contact:
    """A stop whose spring is held compressed by ``preload`` [N]: the force jumps to it where ``gap`` closes.

    What is pressed on it by less than the preload does not come to rest there, but bounces ever less if it is damped.

    >>> y, dy = jounce.coordinate("y", "m")
    >>> stop = jounce.preloaded_stop("stop", y, stiffness=1e4, preload=50.0)
    >>> ball = jounce.Model("ball", [y], [1], [-9.81], contacts=[stop], start={y: 1.0})
    >>> jounce.simulate(ball, None, t_end=0.6).events["kind"].tolist()
    ['touch', 'separate']
    """
    force, k, c = (as_expression(value, f"preloaded_stop {name!r}") for value in (preload, stiffness, damping))
    law = OwnCompliance(elastic=force + k * penetration, damping=c * penetration_rate)
    return Contact(name, gap=gap, compliance=law)


def gear_pair(
    name: str,
    first: Any,
    second: Any,
    *,
    radii: tuple[Any, Any],
    backlash: Any,
    restitution: Any = 0,
    compliance: ComplianceLaw | None = None,
) -> list[Contact]:
    """Two gears with play: the contacts of their flanks, ``name``_drive and ``name``_coast.

    first, second   the angles, both counter-clockwise
    radii           of the pitch circles; a negative second one is that of an inner gear
    backlash        along the pitch circle [m]
    compliance      a law of compliant contact in place of ``restitution``

    >>> (a, da), (b, db) = jounce.coordinates("a b", "rad")
    >>> flanks = jounce.gear_pair("mesh", a, b, radii=(0.1, 0.2), backlash=1e-3, restitution=0.5)
    >>> gears = jounce.Model("gears", [a, b], [1, 1], [1, 0], contacts=flanks)
    >>> jounce.simulate(gears, None, t_end=1.0).events["contact"].iloc[0]
    'mesh_drive'
    """
    if not isinstance(radii, tuple | list) or len(radii) != 2:
        raise ModelError(f"gear_pair {name!r}: radii must be a pair (r_1, r_2), not {radii!r}")
    values = (first, second, *radii, backlash)
    phi_1, phi_2, r_1, r_2, play = (as_expression(value, f"gear_pair {name!r}") for value in values)
    ahead = r_1 * phi_1 + r_2 * phi_2  # how far the flank of the first gear is ahead of that of the second
    return [
        Contact(f"{name}_{flank}", gap=play / 2 + sign * ahead, restitution=restitution, compliance=compliance)
        for flank, sign in (("drive", -1), ("coast", 1))
    ]


def belt(
    name: str, speeds: tuple[Any, Any], *, radii: tuple[Any, Any], tension: Any, friction: Any, wrap: Any = sp.pi
) -> Contact:
    """A belt between two pulleys that carries F up to its friction and slips beyond.

    speeds     the angular velocities of the pulleys, both counter-clockwise
    radii      of the pulleys; a negative second one is that of a crossed belt
    tension    T_0 of both strands at rest: their sum stays 2 T_0
    friction   mu between belt and pulley
    wrap       the smaller angle around which the belt lies

    Strands with T_1/T_2 up to e^(mu wrap) (Euler, Eytelwein) differ by F = T_1 - T_2 <= 2 T_0 tanh(mu wrap/2).

    >>> (a, da), (b, db) = jounce.coordinates("a b", "rad")
    >>> band = jounce.belt("band", (da, db), radii=(0.1, 0.1), tension=100.0, friction=0.4)
    >>> drive = jounce.Model("drive", [a, b], [1, 1], [1, 0], contacts=[band])
    >>> round(jounce.simulate(drive, None, t_end=2.0).final["d_b"], 6)  # both turn as one
    1.0
    """
    for what, given in (("speeds", speeds), ("radii", radii)):
        if not isinstance(given, tuple | list) or len(given) != 2:
            raise ModelError(f"belt {name!r}: {what} must be a pair, one of each pulley, not {given!r}")
    values = (*speeds, *radii, tension, friction, wrap)
    w_1, w_2, r_1, r_2, pull, mu, angle = (as_expression(value, f"belt {name!r}") for value in values)
    return Contact(name, slip=r_1 * w_1 - r_2 * w_2, friction=sp.tanh(mu * angle / 2), load=(), preload=2 * pull)


def _point(name: str, given: Any) -> tuple[sp.Expr, sp.Expr]:
    if not isinstance(given, tuple | list) or len(given) != 2:
        raise ModelError(f"rope {name!r}: its ends must be points (x, y), not {given!r}")
    return tuple(as_expression(part, f"rope {name!r}") for part in given)  # type: ignore[return-value]
