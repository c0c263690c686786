"""Friction of compliant contacts without a friction_speed: the same motion in any units, nearly that of Coulomb."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

import jounce

G, MASS, MU, ANGLE = 9.81, 2.0, 0.5, 0.3
LAWS = {
    "KelvinVoigt": lambda length, time: jounce.KelvinVoigt(1e5 / time**2, 300.0 / time),
    "Hertz": lambda length, time: jounce.Hertz(1e9 / length**0.5 / time**2),
    "HuntCrossley": lambda length, time: jounce.HuntCrossley(1e8 / length**0.5 / time**2),
}


def block(name: str, length: float, time: float) -> jounce.System:
    """A block that slides down a slope and stops, with lengths and times in other units."""
    x, dx = jounce.coordinate("x", "m")
    y, _dy = jounce.coordinate("y", "m")
    weight = MASS * G * length / time**2
    floor = jounce.Contact("floor", gap=y, slip=dx, friction=MU, restitution=0.5, compliance=LAWS[name](length, time))
    forces = [weight * np.sin(ANGLE), -weight * np.cos(ANGLE)]
    return jounce.compile_model(jounce.Model("block", [x, y], [MASS, MASS], forces, contacts=[floor]))


@pytest.mark.parametrize("name", LAWS)
@pytest.mark.parametrize("start", [{"d_x": 1.0}, {"y": 0.1, "d_x": 1.0}])
def test_the_same_motion_in_other_units(name: str, start: dict[str, float]) -> None:
    ends = []
    for length, time in ((1.0, 1.0), (2.0**20, 2.0**20), (1e6, 1e3), (1e-6, 1e3)):
        scaled = {key: value * length / (time if key == "d_x" else 1.0) for key, value in start.items()}
        run = jounce.simulate(block(name, length, time), scaled, time)
        assert run.status.ok
        assert run.audit().empty
        ends.append(np.array([*run.final.q, *(run.final.u * time)]) / length)
    if name == "KelvinVoigt":  # whose coefficients are scaled by powers of two, too
        np.testing.assert_array_equal(ends[1], ends[0])
    for other in ends[1:]:
        np.testing.assert_allclose(other, ends[0], atol=1e-7)


def test_a_block_stops_where_coulomb_has_it() -> None:
    """v^2/(2 g (mu cos - sin)), and the creep behind it that docs/compliant-contact.md names."""
    run = jounce.simulate(block("KelvinVoigt", 1.0, 1.0), {"d_x": 1.0, "y": -MASS * G * np.cos(ANGLE) / 1e5}, 1.0)
    brake = G * (MU * np.cos(ANGLE) - np.sin(ANGLE))
    depth = MASS * G * np.cos(ANGLE) / 1e5
    limit = 0.01 * np.sqrt(1e5 / MASS) * depth  # v_s at rest: depth times frequency
    share = np.tan(ANGLE) / MU
    creep = limit * share / np.sqrt(1 - share**2)
    assert run.final["d_x"] == pytest.approx(creep, rel=1e-6)
    assert run.final["x"] - creep * (1.0 - 1.0 / brake) == pytest.approx(1 / (2 * brake), rel=1e-3)


@pytest.mark.parametrize("inverse", [10, 100, 1000])
def test_an_oblique_impact_misses_coulomb_by_the_square(inverse: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A point that hits an elastic floor with v_n = 1: v_s is constant, ds/dp = -mu s/hypot(s, v_s), in closed form.

    What v_s takes from Coulomb's mu p is v_s^2 times the mean of 1/(2 s^2).
    """
    monkeypatch.setattr("jounce.model.compliant_contact.OWN_SPEED", sp.Rational(1, inverse))
    x, dx = jounce.coordinate("x", "m")
    y, _dy = jounce.coordinate("y", "m")
    floor = jounce.Contact("floor", gap=y, slip=dx, friction=0.3, compliance=jounce.Hertz(1e6))
    model = jounce.Model(f"oblique_{inverse}", [x, y], [1, 1], [0, 0], contacts=[floor])
    run = jounce.simulate(model, {"y": 1e-3, "d_y": -1.0, "d_x": 2.0}, 0.05, tolerance=1e-12)
    limit = 1.0 / inverse

    def impulse(slip: float) -> float:
        return float(np.hypot(slip, limit) - limit * np.arcsinh(limit / slip))

    assert impulse(2.0) - impulse(run.final["d_x"]) == pytest.approx(0.6, rel=1e-9)
    assert run.final["d_x"] - 1.4 == pytest.approx(0.6 * limit**2 / (2 * 2.0 * 1.4), rel=0.02)
    assert len(run.data.step_t) < 100
