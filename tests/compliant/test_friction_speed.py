"""Friction of compliant contacts without a friction_speed: the same motion in any units, nearly that of Coulomb."""

from __future__ import annotations

import numpy as np
import pytest

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
