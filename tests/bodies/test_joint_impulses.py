"""Impulses of joints in impacts: the centre of percussion, and the balance of momentum of a machine."""

from __future__ import annotations

import math

import numpy as np
import pytest

import jounce
from jounce import Body, Line, Model, PointOn, Revolute, Translational, contact_between, ground
from jounce.errors import SimulationError
from jounce.system.evaluation import values_of
from tests.compliant.models import drop


def hammer() -> jounce.System:
    """A uniform rod of length 1 that falls about its pin onto an anvil at the distance d from the pin."""
    m, d = jounce.parameters(m=(2.0, "kg"), d=(0.5, "m"))
    rod = Body("rod", m, m / 12, center=(0.5, 0.0), spin=-3.0)
    anvil = contact_between(
        "anvil", PointOn(rod, (d - 0.5, 0)), Line(ground, (0, -0.2)), restitution=0.5, friction=None
    )
    return jounce.compile_model(
        Model.from_bodies(
            "hammer", bodies=[rod], joints=[Revolute("pin", ground, rod, (0, 0), (-0.5, 0))], contacts=[anvil]
        )
    )


@pytest.mark.parametrize("d", [0.3, 2 / 3, 0.9])
def test_centre_of_percussion(d: float) -> None:
    """The pin feels p (3 d / 2 L - 1) across the rod: nothing at two thirds of its length."""
    system = hammer()
    run = jounce.simulate(system, system.state(), 1.0, d=d)
    impulses = run.joint_impulses()
    assert len(impulses) == (run.events["kind"] == "impact").sum() >= 1
    first, event = impulses.iloc[0], run.events.iloc[impulses.index[0]]
    theta = run.at(event["t"])["rod_theta"]
    blow = event["p_n"] * np.cos(theta)  # across the rod, at d
    along = event["p_n"] * np.sin(theta)
    across = blow * (1.5 * d - 1.0)
    expected = (-across * np.sin(theta) - along * np.cos(theta), across * np.cos(theta) - along * np.sin(theta))
    assert (first["pin.x"], first["pin.y"]) == pytest.approx(expected, rel=1e-10, abs=1e-12)


def test_momentum_of_a_machine_with_play() -> None:
    """M (u+ - u-) = W p + J^T P at every single impact of a driven slider-crank with a loose pin."""
    system = jounce.compile_model(jounce.systems.slider_crank("rigid"))
    run = jounce.simulate(system, system.state(), 0.05)
    impulses, n = run.joint_impulses(), system.n
    times = run.events["t"]
    single = [k for k in impulses.index if (times == times[k]).sum() == 1 and impulses["kind"][k] == "impact"][:40]
    assert len(single) > 10
    for k in single:
        t, event = float(times[k]), run.events.iloc[k]
        before, after = run.at(t, "left"), run.at(t)
        p = run.data.parameters
        M = values_of(system.functions.dynamics, n * n + n, t, after.q, after.u, p)[: n * n].reshape(n, n)
        J = values_of(system.functions.joints, system.nj * (3 + n), t, after.q, after.u, p).reshape(system.nj, -1)[
            :, 3:
        ]
        W = values_of(system.functions.contacts, 5 + 2 * n, t, after.q, after.u, p)
        slip = event["p_t"] if np.isfinite(event["p_t"]) else 0.0
        total = (
            W[5 : 5 + n] * event["p_n"]
            + W[5 + n :] * slip
            + J.T @ impulses.loc[k, list(system.joint_names)].to_numpy(float)
        )
        assert M @ (after.u - before.u) == pytest.approx(total, rel=1e-9, abs=1e-11)


def test_impulses_need_joints() -> None:
    system = drop(None)
    with pytest.raises(SimulationError, match="has no joints; the impulses of its contacts"):
        jounce.simulate(system, system.state(), 0.1).joint_impulses()


@pytest.mark.parametrize("length", [1e-7, 1e-6, 1e-3, 1.0, 1e7])
def test_a_guide_is_struck_in_any_unit_of_length(length: float) -> None:
    """Its couple and its force have units of their own: in micrometres one of their mobilities is 1e-12 of the other.

    The force was taken for dependent on the couple there: it was reported as zero, and right runs failed their audit.
    """
    block = Body("block", mass=2.0, inertia=0.01 * length**2, center=(0, 0), velocity=(0, -3 * length), angle=0.3)
    stop = contact_between(
        "stop", PointOn(block, (0.05 * length, -0.1 * length)), Line(ground, (0, -0.3 * length), (1, 0.4)),
        friction=0.3, restitution=0.5,
    )  # fmt: skip
    guide = Translational("guide", ground, block, axis=(0, 1), angle=0.3)
    struck = Model.from_bodies("struck", bodies=[block], joints=[guide], gravity=9.81 * length, contacts=[stop])
    run = jounce.simulate(struck, None, 0.3, options=jounce.Options(audit="dense"))
    assert run.status.ok, run.status
    first, hit = run.joint_impulses().iloc[0], run.events.iloc[0]
    n, t = np.array([-0.4, 1.0]) / math.hypot(1, 0.4), np.array([1.0, 0.4]) / math.hypot(1, 0.4)
    blow = hit.p_n * n + hit.p_t * t
    c, s = math.cos(0.3), math.sin(0.3)
    arm = length * np.array([c * 0.05 + s * 0.1, s * 0.05 - c * 0.1])
    # the guide holds the block across its axis and upright, whatever the blow
    assert first["guide.normal"] / length == pytest.approx(blow[0] / length, rel=1e-9)
    assert first["guide.angle"] / length**2 == pytest.approx(
        -(arm[0] * blow[1] - arm[1] * blow[0]) / length**2, rel=1e-9
    )
