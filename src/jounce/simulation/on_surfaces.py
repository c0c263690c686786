"""What to say where steps become too small on a surface along which the motion goes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from jounce.kernels.records.codes import LEAP
from jounce.kernels.records.tolerances import ON_SURFACE
from jounce.system.evaluation import rows_of

if TYPE_CHECKING:
    from jounce.simulation.driver import Driver


def surface_met(driver: Driver) -> str:
    """The surfaces on which the motion is, at which forces or rates jump, and what to write; "" where there are none.

    A switch crosses its surface or slides on it, where its sides push against each other. A motion that one side leads
    along its surface, as a stop that is carried by what touches it, does neither: its surface is zero behind the event,
    too, and has no side.
    """
    model, system = driver.system.model, driver.system
    if system.ng == 0:
        return ""
    from jounce.model.switching.switch import switch_surfaces  # SymPy, which a run that ends well does without

    surfaces = switch_surfaces(model.guards)
    named = {f"{name}_switches": (expression, name) for name, expression in surfaces.items()}
    values, terms = _guards_now(driver)
    met = []
    for k, kink in enumerate(system.guard_kinks):
        name = system.guard_names[k] if k < len(system.guard_names) else ""
        if abs(values[k]) > ON_SURFACE * driver.options.tolerance * terms[k]:
            continue
        if name in named:
            expression, switch = named[name]
            met.append(f"{expression} = 0 (switch {switch!r})")
        elif kink >= LEAP:
            met.append(f"{model.watched[k]} = 0")
    if not met:
        return ""
    return (
        f". Or the motion goes along a surface at which it jumps, here {' and '.join(met)}, as what is carried by what "
        "touches it does: neither side of a sign, a Piecewise or a Switch leaves it; write the phases as discrete "
        "states, Model(states=...), that resets change"
    )


def _guards_now(driver: Driver) -> tuple[np.ndarray, np.ndarray]:
    """The values of all guards at the present state, and the sums of their terms."""
    system, s, machine = driver.system, driver.motion[0], driver.machine[0]
    n, known = system.n, max(driver.parameters.size, int(machine["states"]) + int(machine["nd"]))
    p = machine["p"][:known].copy()
    state = np.array([float(s["t"])]), s["q"][:n][None, :], s["u"][:n][None, :], p
    values = rows_of(system.functions.guards, system.ng, *state)[0]
    terms = rows_of(system.functions.sizes, 2 * system.nc + system.nj + system.ng, *state)[0]
    return values, terms[system.nc + system.nj :]
