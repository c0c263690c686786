"""Laws of compliance that users write, against the ready-made ones and an integration of their own."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp
from scipy.integrate import quad, solve_ivp
from scipy.interpolate import CubicSpline, PchipInterpolator

import jounce
from jounce import OwnCompliance, penetration, penetration_rate
from jounce.errors import ModelError


def ball(law, **contact) -> jounce.Model:
    (_, dx), (y, dy) = (x, _), (y, _) = jounce.coordinates("x y", "m")
    return jounce.Model.from_lagrangian(
        "ball",
        coordinates=[x, y],
        kinetic=(dx**2 + dy**2) / 2,
        potential=9.81 * y,
        contacts=[jounce.Contact("floor", gap=y, slip=dx, compliance=law, **contact)],
        start={y: 0.5},
    )


@pytest.mark.parametrize(
    ("own", "ready"),
    [
        (OwnCompliance(elastic=1e5 * penetration ** sp.Rational(3, 2)), jounce.Hertz(1e5)),
        (OwnCompliance(elastic=1e4 * penetration, damping=5 * penetration_rate), jounce.KelvinVoigt(1e4, 5)),
        (
            OwnCompliance(elastic=1e4 * penetration, damping=5 * penetration_rate, adhesive=True),
            jounce.KelvinVoigt(1e4, 5, adhesive=True),
        ),
    ],
)
def test_a_ready_made_law_written_down_is_the_same(own: OwnCompliance, ready) -> None:
    runs = []
    for law in (own, ready):
        system = jounce.compile_model(ball(law, friction=0.3))
        runs.append(jounce.simulate(system, system.state(d_x=1.0), 1.5, options=jounce.Options(tolerance=1e-11)))
    ours, theirs = runs
    assert ours.events.kind.tolist() == theirs.events.kind.tolist()
    assert ours.events.t.to_numpy() == pytest.approx(theirs.events.t.to_numpy(), rel=1e-9)
    assert ours.at(1.5)["y"] == pytest.approx(theirs.at(1.5)["y"], rel=1e-8)
    assert float(abs(ours.energy.residual).max()) < 1e-8


def test_a_hardening_spring_against_scipy() -> None:
    law = OwnCompliance(elastic=2e3 * penetration + 5e6 * penetration**3, damping=400 * penetration * penetration_rate)
    system = jounce.compile_model(ball(law))
    run = jounce.simulate(system, system.state(y=0.0, d_y=-2.0), 0.2, options=jounce.Options(tolerance=1e-12))

    def rates(_t, z):
        depth, rate = -z[0], -z[1]
        return [z[1], -9.81 + 2e3 * depth + 5e6 * depth**3 + 400 * depth * rate]

    def opens(_t, z):
        return z[0]

    opens.terminal, opens.direction = True, 1
    found = solve_ivp(rates, (0, 0.2), [-1e-300, -2.0], events=opens, rtol=1e-12, atol=1e-14, method="DOP853")
    lift = run.events[run.events.kind == "separate"].iloc[0]
    assert lift.t == pytest.approx(found.t_events[0][0], abs=1e-9)
    assert lift.v_n_after == pytest.approx(found.y_events[0][0][1], rel=1e-8)
    assert float(abs(run.energy.residual).max()) < 1e-9
    assert float(run.energy.contact_loss[-1]) > 0.0


def test_a_measured_curve(tmp_path) -> None:
    depths = np.linspace(0.0, 0.1, 11)
    law = OwnCompliance(elastic=jounce.table(penetration, depths, 1e4 * depths), energy=5e3 * penetration**2)
    model = ball(law)
    system = jounce.compile_model(model)
    run = jounce.simulate(system, system.state(y=0.2), 0.5)
    spring = jounce.compile_model(ball(OwnCompliance(elastic=1e4 * penetration)))
    expected = jounce.simulate(spring, spring.state(y=0.2), 0.5)
    assert run.at(0.5)["y"] == pytest.approx(expected.at(0.5)["y"], abs=1e-8)
    model.to_file(tmp_path / "ball.toml")
    again = jounce.compile_model(jounce.Model.from_file(tmp_path / "ball.toml"))
    assert jounce.simulate(again, again.state(y=0.2), 0.5).at(0.5)["y"] == run.at(0.5)["y"]


@pytest.mark.parametrize(
    ("law", "message"),
    [
        (OwnCompliance(elastic=penetration_rate), "put that part of the force into damping"),
        (OwnCompliance(elastic=sp.atan2(penetration, 1 + penetration**3)), "give energy="),
        (OwnCompliance(elastic=sp.Symbol("depth")), "'depth' is no coordinate"),
        (jounce.Hertz(1e5 * penetration), "own compliance of a contact only"),
    ],
)
def test_refusals(law, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        ball(law)


def test_a_law_that_gives_energy_is_reported() -> None:
    """What the loss falls by is what the ball has more of."""
    law = OwnCompliance(elastic=1e4 * penetration, damping=-50 * penetration * penetration_rate)
    run = jounce.simulate(ball(law), None, 3.0)
    assert run.status.ok
    assert "own laws have given energy" in run.status.message
    assert "'floor'" in run.status.message
    given = -float(run.energy.contact_loss[-1])
    top = run.at(3.0)
    assert run.mode_intervals("floor")[-1][2].name == "OPEN"
    assert given == pytest.approx(9.81 * (top["y"] - 0.5) + top["d_y"] ** 2 / 2, rel=1e-6)
    assert f"{given:.4g}" in run.status.message
    assert not len(run.audit())


def test_a_law_that_pulls_at_touch_is_named() -> None:
    run = jounce.simulate(ball(OwnCompliance(elastic=1e4 * penetration, damping=-5 * penetration_rate)), None, 3.0)
    assert run.status.name == "NO_PROGRESS"
    assert "own law of contact 'floor' pulls" in run.status.message


@pytest.mark.parametrize("damping", [0, 5 * penetration_rate, 2.0, 300 * penetration * penetration_rate])
def test_laws_that_give_none_are_not(damping) -> None:
    run = jounce.simulate(ball(OwnCompliance(elastic=1e4 * penetration, damping=damping)), None, 3.0)
    assert run.status.ok
    assert "given" not in run.status.message


def test_an_own_impact_law_that_gives_energy_is_reported() -> None:
    y, dy = jounce.coordinate("y", "m")
    for kick, given in ((1.2, True), (0.9, False)):
        bumper = jounce.OwnImpact(lambda impact, kick=kick: -(1 + kick) * impact.v_n / impact.C)
        model = jounce.Model.from_lagrangian(
            "pinball",
            coordinates=[y],
            kinetic=dy**2 / 2,
            potential=9.81 * y,
            contacts=[jounce.Contact("bumper", gap=y, law=bumper)],
            start={y: 1.0},
        )
        run = jounce.simulate(model, None, 1.0)
        assert ("contact 'bumper' 4.316" in run.status.message) == given


@pytest.mark.parametrize("kind", ["linear", "monotone", "spline"])
def test_a_measured_curve_holds_the_energy_below_it(kind):
    """A table as the spring: the depth of the deepest point balances the fall, by quadrature of the curve."""
    y, dy = jounce.coordinate("y", "m")
    depths, forces = [0.0, 0.01, 0.02, 0.05], [0.0, 50.0, 150.0, 800.0]
    law = jounce.OwnCompliance(elastic=jounce.table(jounce.penetration, depths, forces, kind))
    contact = jounce.Contact("floor", gap=y, compliance=law)
    model = jounce.Model("measured", [y], [1], [-9.81], contacts=[contact], guards={"turns": dy}, start={y: 0.2})
    run = jounce.simulate(model, None, 1.0, stop_at="guard:turns:+1")
    assert run.audit().empty
    assert float(abs(run.energy.residual).max()) < 1e-9
    curve = {
        "linear": lambda x: np.interp(x, depths, forces),
        "monotone": PchipInterpolator(depths, forces),
        "spline": CubicSpline(depths, forces),
    }[kind]
    deepest = -run.final["y"]
    below = quad(curve, 0.0, deepest, points=[0.01, 0.02], epsabs=1e-12)[0]
    assert below == pytest.approx(9.81 * (0.2 + deepest), rel=1e-9)
    assert float(run.energy.elastic[-1]) == pytest.approx(below, rel=1e-9)


def _kinked(kind):
    d = penetration
    if kind == "table":
        return OwnCompliance(elastic=jounce.table(d, [0.0, 0.01, 0.02, 0.05], [0.0, 50.0, 150.0, 800.0], "linear"))
    if kind == "cases":
        stiff = sp.Piecewise((1e3 * d, d < 0.01), (1e4 * (d - 0.01) + 10, True))
        held = sp.Piecewise((500 * d**2, d < 0.01), (5e3 * (d - 0.01) ** 2 + 10 * (d - 0.01) + 0.05, True))
        return OwnCompliance(elastic=stiff, energy=held)
    return OwnCompliance(
        elastic=1e3 * d + sp.Max(0, 1e4 * (d - 0.01)),
        energy=500 * d**2 + 5e3 * sp.Max(0, d - 0.01) ** 2,
        damping=3 * penetration_rate,
    )


@pytest.mark.parametrize("kind", ["table", "cases", "stop"])
def test_errors_fall_with_the_tolerance_where_a_law_has_kinks(kind):
    """Steps end at the depths at which a law is not smooth; the ledger used to stay open by 1e-8 at any tolerance."""
    y, _ = jounce.coordinate("y", "m")
    contact = jounce.Contact("floor", gap=y, compliance=_kinked(kind))
    system = jounce.compile_model(jounce.Model("kinked", [y], [1], [-9.81], contacts=[contact], start={y: 0.2}))
    for tolerance in (1e-8, 1e-10, 1e-12):
        run = jounce.simulate(system, None, 1.0, tolerance=tolerance)
        assert run.events.kind.tolist() == ["touch", "separate"] * 2
        assert float(abs(run.energy.residual).max()) < 2.0 * tolerance
        assert run.audit().empty
