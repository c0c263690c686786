"""Twenty-one small models of different structure, 200 random runs each: they end, keep apart, explain their energy."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest

import jounce
from jounce.simulation.energy import model_function
from jounce.simulation.status import StatusCode
from tests.engine.more_models import MORE_CASES
from tests.engine.small_models import CASES as FIRST_CASES
from tests.engine.small_models import gap_functions

RUNS = 200
SECONDS = 10.0  # of one run: a hundred times what the slowest takes
PENETRATION = 1e-8
UNEXPLAINED = 1e-8
CASES = FIRST_CASES | MORE_CASES
OPTIONS = jounce.Options(max_events=20_000)


class Clock:
    """Ends a run that takes too long, as Ctrl-C would."""

    def __init__(self, seconds: float) -> None:
        self.end = time.monotonic() + seconds

    def __call__(self, fraction: float) -> None:
        if time.monotonic() > self.end:
            raise KeyboardInterrupt


def residual(run: Any, kinetic_of: Any, potential_of: Any) -> float:
    """What the ledger cannot explain at the end, relative to the energy exchanged."""
    data = run.data
    z = np.vstack([data.step_coefficients[:, 0, :], np.concatenate([data.q_final, data.u_final])])
    t = np.append(data.step_t, data.t_end_reached)
    p = np.broadcast_to(data.parameters, (len(t), len(data.parameters)))
    kinetic, potential = kinetic_of(t, z, p), potential_of(t, z, p)
    work = data.step_work
    total = kinetic + potential
    loss = data.total_impact_loss.sum()
    open_ = total[-1] - total[0] - work[-1, 0] - work[-1, 2] + work[-1, 1] + loss
    moved = np.abs(np.diff(kinetic)).sum() + np.abs(np.diff(work[:, [0, 2]], axis=0)).sum() + work[-1, 1] + loss
    # At amplitudes of micrometres little energy is exchanged. What cannot be resolved there: the rounding of the total
    # at every step, and m v^2 (m = 1 kg) for each chatter that is extrapolated from rebounds of the speed v.
    chatters = int((run.events.kind == "chatter").sum())
    unresolved = 2.2e-16 * np.abs(total).max() * len(total) + chatters * run.data.chatter_speed.max() ** 2
    return float(max(abs(open_) - unresolved, 0.0) / (moved + 1e-6))


def worst_gap(run: Any, gaps: Any) -> tuple[float, float]:
    """(the lowest gap, the largest error of a joint) on dense samples, at least ten in every step."""
    data = run.data
    x = np.linspace(0.0, 1.0, 11)[:-1]
    ends = np.append(data.step_t[1:], data.t_end_reached)
    t = np.append((data.step_t[:, None] + x * (ends - data.step_t)[:, None]).ravel(), run.t_end)
    z = run.states(t)
    if not len(run.contacts):
        return 0.0, 0.0
    lowest, joints = gaps(t, z, data.parameters)
    return float(lowest.min()), float(np.abs(joints).max()) if joints.size else 0.0


@pytest.mark.parametrize("name", list(CASES))
def test_random_runs(name):
    """Ends within its time and events; documented status; no penetration; no energy from nowhere."""
    case = CASES[name]
    system = jounce.compile_model(case.model())
    gaps, model = gap_functions(system.model), system.model
    energies = model_function(model, model.kinetic), model_function(model, model.V)
    random = np.random.default_rng(sum(map(ord, name)))
    faults: dict[str, list[Any]] = {}
    for _ in range(RUNS):
        start, parameters = case.draw(random)
        state = system.state(**start)
        try:
            run = jounce.simulate(system, state, case.t_end, options=OPTIONS, progress=Clock(SECONDS), **parameters)
        except jounce.Interrupted as interrupt:
            run = interrupt.partial
        assert run.status.name in StatusCode.__members__
        label = (start, parameters)
        if run.status.name not in ("FINISHED", "AT_REST"):
            faults.setdefault(run.status.name, []).append((run.t_end, label))
            continue
        assert np.isfinite(run.final.q).all()
        assert np.isfinite(run.final.u).all()
        lowest, joint = worst_gap(run, gaps)
        if lowest < -PENETRATION or joint > PENETRATION:
            faults.setdefault("penetration", []).append((lowest, joint, label))
        missing = residual(run, *energies)
        if missing > UNEXPLAINED:
            faults.setdefault("energy", []).append((missing, label))
    first = [f"{kind}: {len(found)} of {RUNS}, first {found[0]}" for kind, found in faults.items()]
    assert not faults, "\n".join(first)


def test_there_are_a_dozen_structures():
    """What the random runs cover."""
    models = [case.model() for case in CASES.values()]
    assert len(models) >= 12
    assert {model.n for model in models} >= {1, 2, 3}
    assert {len(model.contacts) for model in models} >= {1, 2, 3}
    assert any(model.joints for model in models)
    assert any(model.period is None for model in models)
    assert any(contact.static_friction != contact.friction for model in models for contact in model.contacts)
