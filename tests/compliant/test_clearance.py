"""ClearanceJoint: a block in a bearing against hand-written equations, friction, rigid play, refusals."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import jounce
from jounce import Body, ClearanceJoint, ground
from jounce.analysis.impacts.contact_periods import contact_offset

RADII = {"bearing_radius": 0.02, "journal_radius": 0.019}
K = 1e8


def journal(**given: object) -> jounce.System:
    """A free disc, the journal, in a bearing that the ground holds around the origin."""
    body = Body("disc", 0.5, 2e-4, center=(0, 0))
    pin = ClearanceJoint("pin", ground, body, **RADII, **given)  # type: ignore[arg-type]
    return jounce.compile_model(jounce.Model.from_bodies("journal", bodies=[body], joints=[pin], gravity=9.81))


def test_journal_in_a_bearing_by_hand() -> None:
    """A frictional impact inside a circle, F = K delta^1.5 and F_T = -mu F v/sqrt(v^2 + v_s^2), by hand for SciPy."""
    system = journal(compliance=jounce.Hertz(K, friction_speed=0.01), friction=0.3)
    start = system.state(d_disc_x=0.3, d_disc_y=0.1, d_disc_theta=20.0)
    run = jounce.simulate(system, start, 0.012, options=jounce.Options(tolerance=1e-12))

    def slope(t: float, z: np.ndarray) -> list[float]:
        x, y, _, u, v, w = z
        e = math.hypot(x, y)
        delta = max(e - 0.001, 0.0)
        n = (-x / e, -y / e) if e > 0 else (0.0, 0.0)  # from the wall to the journal
        F = K * delta**1.5
        # the rim of the journal at c - R n moves with v + w x r, the wall rests
        r = (-0.019 * n[0], -0.019 * n[1])
        rim = (u - w * r[1], v + w * r[0])
        t_ = (n[1], -n[0])
        slip = t_[0] * rim[0] + t_[1] * rim[1]
        T = -0.3 * F * slip / math.hypot(slip, 0.01)
        fx, fy = F * n[0] + T * t_[0], F * n[1] + T * t_[1]
        torque = r[0] * T * t_[1] - r[1] * T * t_[0]
        return [u, v, w, fx / 0.5, fy / 0.5 - 9.81, torque / 2e-4]

    z0 = [0, 0, 0, 0.3, 0.1, 20.0]
    result = solve_ivp(slope, (0, 0.012), z0, "DOP853", rtol=1e-12, atol=1e-15, max_step=1e-5)
    assert run.events["kind"].tolist()[:2] == ["touch", "separate"]
    final = [*run.final.q, *run.final.u]
    np.testing.assert_allclose(final, result.y[:, -1], rtol=1e-7, atol=1e-9)
    assert abs(float(run.energy["residual"][-1])) < 1e-10
    assert float(run.energy["friction_loss"][-1]) > 1e-4


def test_rigid_play() -> None:
    """The same joint with impacts: a journal dropped from the centre bounces on the bearing's lowest point."""
    system = journal(restitution=0.5)
    run = jounce.simulate(system, system.state(), 0.2)
    impacts = run.events[run.events["kind"] == "impact"]
    assert impacts["t"].iloc[0] == pytest.approx(math.sqrt(2 * 0.001 / 9.81), rel=1e-12)
    np.testing.assert_allclose(impacts["v_n_after"], -0.5 * impacts["v_n_before"], rtol=1e-9)
    # it comes to rest at the bottom after the sum of the flights: t (1 + e)/(1 - e)
    assert run.status.name == "AT_REST"
    chatter = run.events[run.events["kind"] == "chatter"]["t"].iloc[0]
    assert chatter == pytest.approx(math.sqrt(2 * 0.001 / 9.81) * 3, rel=1e-9)
    assert run.final["disc_y"] == pytest.approx(-0.001, abs=1e-15)


def test_compliant_play_becomes_rigid_play() -> None:
    """As stiffness grows the first bounce of the two becomes the same."""
    rigid = journal(restitution=1.0)
    state = {"d_disc_x": 0.2, "d_disc_y": 0.1}
    after = jounce.simulate(rigid, rigid.state(**state), 0.006).final
    errors = []
    for stiffness in (1e8, 1e10, 1e12):
        soft = journal(compliance=jounce.Hertz(stiffness))
        final = jounce.simulate(soft, soft.state(**state), 0.006).final
        errors.append(math.hypot(final["d_disc_x"] - after["d_disc_x"], final["d_disc_y"] - after["d_disc_y"]))
    assert errors[0] > 3 * errors[1] > 9 * errors[2]
    assert errors[2] < 1e-3


def test_materials_and_laws() -> None:
    steel = jounce.Material(207e9, 0.3)
    body = Body("disc", 0.5, 2e-4)
    with_material = ClearanceJoint("pin", ground, body, **RADII, material=steel).contact()
    assert isinstance(with_material.compliance, jounce.LankaraniNikravesh)
    assert with_material.compliance.stiffness == pytest.approx(
        jounce.hertz_stiffness(0.019, 0.02, material=steel, inside=True)
    )
    assert ClearanceJoint("pin", ground, body, **RADII).contact().compliance is None


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "needs bearing_radius= and journal_radius=; without play use Revolute"),
        ({"bearing_radius": 0.01, "journal_radius": 0.01}, "must be larger than the journal's 0.01"),
        (
            {**RADII, "material": jounce.Material(1e9, 0.3), "compliance": jounce.Hertz(1e6)},
            "give material= .* or compliance= .*, not both",
        ),
    ],
)
def test_refusals(given: dict[str, object], message: str) -> None:
    with pytest.raises(jounce.ModelError, match=message):
        ClearanceJoint("pin", ground, Body("disc", 1.0, 1.0), **given)  # type: ignore[arg-type]


def test_the_orbit_has_a_picture() -> None:
    system = journal(compliance=jounce.KelvinVoigt(1e6, 100.0))
    run = jounce.simulate(system, system.state(), 0.05)
    figure = jounce.plot.plot_journal_orbit(run, "pin")
    axes = figure.axes[0]
    circle = axes.lines[-1].get_xydata()
    np.testing.assert_allclose(np.hypot(*circle.T), 1.0, rtol=1e-9)  # mm
    drawn = axes.lines[1].get_xydata()
    np.testing.assert_allclose(drawn, 1e3 * contact_offset(run, "pin", run.data.step_t), atol=1e-12)
