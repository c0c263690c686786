"""Impact laws of one's own against the engine's laws and closed forms; energy that they give is reported."""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np
import pytest
import sympy as sp

import jounce

G = 9.81


def newton(impact: Any) -> Any:
    """Newton's law without friction."""
    return -(1 + impact.e) * impact.v_n / impact.C


def rod(law: Any) -> jounce.Model:
    """A rod that falls on its end: M, W and the mobilities depend on its place."""
    x, dx = jounce.coordinate("x", "m")
    y, dy = jounce.coordinate("y", "m")
    theta, dtheta = jounce.coordinate("theta", "rad")
    e = jounce.parameter("e", 0.7)
    end = jounce.Contact("end", gap=y - sp.sin(theta) / 2, restitution=e, law=law)
    return jounce.Model.from_lagrangian(
        "rod", coordinates=[x, y, theta], kinetic=(dx**2 + dy**2 + dtheta**2 / 12) / 2, potential=G * y,
        contacts=[end], start={y: 1.0, theta: 0.7},
    )  # fmt: skip


def test_newtons_law_as_ones_own_is_newtons_law() -> None:
    own, engine = (jounce.simulate(rod(law), None, t_end=0.7, e=0.6) for law in (jounce.OwnImpact(newton), None))
    assert own.events.kind.tolist()[:2] == ["impact", "reset"]
    assert (engine.events.kind == "impact").sum() == (own.events.kind == "impact").sum() >= 1
    for name in ("x", "y", "theta", "d_x", "d_y", "d_theta"):
        assert own.final[name] == pytest.approx(engine.final[name], rel=1e-9, abs=1e-12)
    assert float(own.energy["reset_work"][-1]) == pytest.approx(-float(engine.energy["impact_loss"][-1]), rel=1e-9)
    assert float(np.abs(own.energy["residual"]).max()) < 1e-10
    assert own.audit().empty


def superball(impact: Any) -> Any:
    """Garwin (1969): normal and tangential velocity turn round."""
    return -2 * impact.v_n / impact.C, -2 * impact.v_t / impact.A


def test_a_superball_comes_back_from_under_a_table() -> None:
    """Floor, table, floor: the velocity is -333/343 of what it was (Garwin 1969)."""
    x, dx = jounce.coordinate("x", "m")
    y, _ = jounce.coordinate("y", "m")
    theta, dtheta = jounce.coordinate("theta", "rad")
    r = sp.Rational(1, 40)
    law = jounce.OwnImpact(superball)
    model = jounce.Model(
        "superball", [x, y, theta], [1, 1, sp.Rational(2, 5) * r**2], [0, 0, 0],
        contacts=[
            jounce.Contact("floor", gap=y - r, slip=dx + r * dtheta, law=law),
            jounce.Contact("table", gap=sp.Rational(7, 10) - y - r, slip=dx - r * dtheta, law=law),
        ],
    )  # fmt: skip
    run = jounce.simulate(model, {"y": 0.35, "d_x": 3.0, "d_y": -4.0}, t_end=0.45)
    assert run.events[run.events.kind == "impact"].contact.tolist() == ["floor", "table", "floor"]
    assert run.final["d_x"] == pytest.approx(-3.0 * 333 / 343, rel=1e-12)
    assert float(np.abs(run.energy["reset_work"]).max()) < 1e-12
    assert run.audit().empty


def test_a_law_of_the_speed_comes_to_rest() -> None:
    """e = 1/(1 + v): each bounce has its closed form, and bounces without end come to rest."""
    y, dy = jounce.coordinate("y", "m")
    v1 = jounce.parameter("v1", 1.0, "m/s")
    law = jounce.OwnImpact(lambda impact: -(1 + 1 / (1 - impact.v_n / v1)) * impact.v_n / impact.C)
    model = jounce.Model.from_lagrangian(
        "soft", coordinates=[y], kinetic=dy**2 / 2, potential=G * y, contacts=[jounce.Contact("floor", gap=y, law=law)],
        start={y: 1.0},
    )  # fmt: skip
    run = jounce.simulate(model, None, t_end=2.0)
    speed, t = sqrt(2 * G), sqrt(2 / G)
    for found in run.events[run.events.kind == "impact"].t[:4]:
        assert found == pytest.approx(t, rel=1e-10)
        speed /= 1 + speed
        t += 2 * speed / G
    assert run.parameters == {"v1": 1.0}


def test_energy_that_a_law_gives_is_reported() -> None:
    y, dy = jounce.coordinate("y", "m")
    kicks = jounce.OwnImpact(lambda impact: -2.2 * impact.v_n / impact.C)
    model = jounce.Model.from_lagrangian(
        "pinball", coordinates=[y], kinetic=dy**2 / 2, potential=G * y, start={y: 1.0},
        contacts=[jounce.Contact("bumper", gap=y, law=kicks)],
    )  # fmt: skip
    run = jounce.simulate(model, None, t_end=1.0)
    gained = run.events[run.events.reset == "bumper_law"].energy_loss
    assert gained.iloc[0] == pytest.approx(-(1.2**2 - 1) * G, rel=1e-12)
    assert float(run.energy["reset_work"][-1]) == pytest.approx(-gained.sum(), rel=1e-12)


def test_orbits_pass_through_own_laws() -> None:
    """A ball on a table that shakes, by the engine's law and by the same law as one's own."""
    y, dy = jounce.coordinate("y", "m")
    table = sp.sin(3 * jounce.time)
    found = []
    for law in (None, jounce.OwnImpact(newton)):
        model = jounce.Model.from_lagrangian(
            "ball", coordinates=[y], kinetic=dy**2 / 2, potential=y,
            contacts=[jounce.Contact("table", gap=y - table, restitution=0.9, law=law)], period=2 * sp.pi / 3,
        )  # fmt: skip
        system = jounce.compile_model(model)
        found.append(jounce.find_orbit(system, system.state(t=1.5, y=6.4), "impact:table"))
    assert found[1].period == pytest.approx(found[0].period, rel=1e-9)
    multipliers = [np.sort_complex(orbit.multipliers) for orbit in found]
    np.testing.assert_allclose(multipliers[1], multipliers[0], atol=1e-7)


def test_a_contact_with_an_own_law_rubs_while_it_is_closed() -> None:
    """A block that falls without rebound and slides to rest: v^2/(2 mu g), as under the engine's own law."""
    (x, dx), (y, dy) = jounce.coordinates("x y", "m")
    floor = jounce.Contact("floor", gap=y, slip=dx, friction=0.3, restitution=0, law=jounce.OwnImpact(newton))
    model = jounce.Model.from_lagrangian(
        "sliding", coordinates=[x, y], kinetic=(dx**2 + dy**2) / 2, potential=9.81 * y, contacts=[floor]
    )
    run = jounce.simulate(model, {"y": 0.5, "d_x": 2.0}, t_end=4.0)
    assert run.status.name == "AT_REST"
    fall = np.sqrt(2 * 0.5 / 9.81)
    assert run.final["x"] == pytest.approx(2 * fall + 4 / (2 * 0.3 * 9.81), rel=1e-9)
    assert "floor_friction" in set(run.events.contact)
    assert run.audit().empty


def test_mistakes_are_named() -> None:
    x, _ = jounce.coordinate("x", "m")
    for parts, words in (
        ({"law": jounce.OwnImpact(3)}, "needs a function"),
        ({"law": jounce.OwnImpact(lambda i: (1, 2, 3))}, "must return"),
        ({"law": jounce.OwnImpact(newton), "friction": 0.3}, "no slip velocity"),
        ({"law": 3}, "the law must be a name"),
    ):
        with pytest.raises(jounce.ModelError, match=words):
            jounce.Model("wrong", [x], [1], [0], contacts=[jounce.Contact("wall", gap=x, **parts)])
