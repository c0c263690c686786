"""Liu's runs and the thesis' pendulum against Cartesian bodies with constraints, integrated by SciPy at its limit.

Event times agree to 1e-8 s, states to 1e-7, the events in order, chatters and impacts without collision included.
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest

import jounce
from jounce.papers.liu2006.cases import CASES
from tests.papers.comparison import real_events
from tests.papers.two_link_reference import ManipulatorReference, PendulumReference

LIU = {name: (theta1, height, t_end, parameters, "free") for name, (theta1, height, t_end, parameters) in CASES.items()}
LIU["case 5"] = (*LIU["case 5"][:2], 2.5, *LIU["case 5"][3:])  # it slides without events from 1.3 s on
LIU["case 6"] = (*LIU["case 6"][:2], 56.0, *LIU["case 6"][3:])
#: Other lengths, masses and laws of release than the paper's: reversals, two chatters, stick left through the cone.
OTHERS = {
    "two chatters": (-0.316, 1.4253, 3.0, {
        "l": 0.8336, "m": 1.343, "g": 9.81, "Kr": 91.94, "C1": 1.226, "C2": 0.3933, "v_t": -0.6394, "e": 0.2,
        "mu": 0.5734, "mu_s": 0.8322,
    }, "cone"),
    "no static friction of its own": (0.7, 5 / 3, 3.0, {
        "Kr": 100.0, "C1": 0.5, "C2": 0.5, "v_t": -0.4, "e": 0.3, "mu": 0.52, "mu_s": 0.52,
    }, "cone"),
}  # fmt: skip
KINDS = {
    "case 4": {"impact"},
    "case 4 plastic": {"impact", "lift_off"},
    "case 5": {"stick", "slip", "lift_off", "impact"},
    "case 6": {"reversal", "stick", "slip"},
    "two chatters": {"stick", "slip", "lift_off", "impact", "chatter"},
    "no static friction of its own": {"impact"},
}


@pytest.fixture(scope="module")
def manipulator():
    return jounce.compile_model(jounce.systems.manipulator())


@pytest.fixture(scope="module")
def pendulum():
    return jounce.compile_model(jounce.systems.double_pendulum())


def agree(run, events, final) -> None:
    ours = real_events(run)
    assert run.status.ok
    assert [kind for _, kind in ours] == [kind for _, kind in events]
    np.testing.assert_allclose([t for t, _ in ours], [t for t, _ in events], rtol=0, atol=1e-8)
    np.testing.assert_allclose([*run.final.q, *run.final.u], final, rtol=0, atol=1e-7)


@cache
def manipulator_reference(name: str):
    theta1, height, t_end, parameters, release = (LIU | OTHERS)[name]
    theta2 = math.acos(height / parameters.get("l", 1.0) - math.cos(theta1))
    reference = ManipulatorReference(release=release, H=height, d0=theta1 - theta2, **parameters)
    final, _ = reference.run(0.0, np.array([theta1, theta2, 0.0, 0.0]), "contact", t_end)
    return reference.events, final, theta2


@pytest.mark.parametrize("tolerance", [1e-10, 1e-12])
@pytest.mark.parametrize("name", LIU | OTHERS)
def test_manipulator(manipulator, name: str, tolerance: float) -> None:
    theta1, height, t_end, parameters, release = (LIU | OTHERS)[name]
    events, final, theta2 = manipulator_reference(name)
    options = jounce.Options(law="poisson", stick_release=release, tolerance=tolerance)
    start = manipulator.state(theta1=theta1, theta2=theta2)
    run = jounce.simulate(manipulator, start, t_end, options=options, H=height, d0=theta1 - theta2, **parameters)
    assert KINDS[name] <= {kind for _, kind in events}
    agree(run, events, final)


#: theta, phi, V, e, friction before and after, how long, what must happen.
CHANGES = {
    "Fig. 6.7a": (3.8572, 4.1154, -0.96, 0.7, 0.6, 0.8201, 1.5, {"impact", "chatter", "slip"}, {}),
    "Fig. 6.7a, below": (3.8572, 4.1154, -0.96, 0.7, 0.6, 0.70, 1.5, {"stick", "slip"}, {}),
    "Fig. 6.7b": (3.8572, 4.1154, -0.96, 0.7, 0.6, 1.3, 1.5, {"impact", "chatter", "slip"}, {}),
    "Fig. 6.8a": (4.21, 4.3, -0.98, 0.9, 0.3, 0.4596, 1.5, {"impact"}, {}),
    "Fig. 6.8b": (4.21, 4.3, -0.98, 0.9, 0.3, 1.3, 1.5, {"impact"}, {}),
    "less friction": (4.21, 4.3, -0.98, 0.9, 0.3, 0.1, 1.5, {"lift_off"}, {}),
    "other arms": (
        4.1, 4.3, -0.7, 0.5, 0.25, 0.9, 1.5, {"impact", "chatter", "slip", "lift_off"},
        {"l1": 0.8, "l2": 1.1, "m1": 0.4, "m2": 0.7},
    ),
}  # fmt: skip
CHANGE = 0.05


@pytest.mark.parametrize("name", CHANGES)
def test_pendulum_whose_friction_changes_on_a_schedule(pendulum, name: str) -> None:
    theta, phi, V, e, before, after, t_end, kinds, arms = CHANGES[name]
    reference = PendulumReference(mu=before, e=e, V=V, **arms)
    reference.d = -(reference.l1 * math.sin(theta) + reference.l2 * math.sin(phi))
    reference.T = reference.resting_torque(theta, phi)
    state, mode = reference.run(0.0, np.array([theta, phi, 0.0, 0.0]), "contact", CHANGE)
    assert mode == "slip+"
    assert reference.events == []
    np.testing.assert_allclose(state, [theta, phi, 0.0, 0.0], atol=1e-12)  # at rest, as the torque is meant to hold it
    reference.mu = after
    final, _ = reference.run(CHANGE, state, "contact", t_end)
    assert kinds <= {kind for _, kind in reference.events}
    options = jounce.Options(law="energetic", tolerance=1e-12)
    given = {"mu": before, "e": e, "V": V, "d": reference.d, "T": reference.T, **arms}
    start = pendulum.state(theta=theta, phi=phi)
    run = jounce.simulate(pendulum, start, t_end, options=options, schedule=[(CHANGE, {"mu": after})], **given)
    agree(run, reference.events, final)
