"""Ropes, one-sided springs, preloaded stops, gears with backlash and cams by tables, against closed forms."""

from __future__ import annotations

from math import atan, exp, pi, sqrt

import numpy as np
import pytest
import sympy as sp

import jounce

G = 9.81


def falling(contact: jounce.Contact, **rest: object) -> jounce.Model:
    y, dy = jounce.coordinate("y", "m")
    return jounce.Model.from_lagrangian(
        "falling", coordinates=[y], kinetic=dy**2 / 2, potential=G * y, contacts=[contact], **rest
    )


def audited(run: jounce.Trajectory) -> jounce.Trajectory:
    assert run.audit().empty
    assert float(np.abs(run.energy["residual"]).max()) < 1e-9
    return run


def test_a_rope_stops_a_fall() -> None:
    """It is taut after a fall of its length; without restitution the mass hangs then."""
    y = jounce.coordinate("y", "m")[0]
    model = falling(jounce.rope("line", (0, 1), (0, y), length=1.5), start={y: 0.5})
    run = audited(jounce.simulate(model, None, t_end=2.0))
    hit = run.events.iloc[0]
    assert hit.t == pytest.approx(sqrt(2 * 1.0 / G), rel=1e-12)
    assert hit.energy_loss == pytest.approx(G * 1.0, rel=1e-12)
    assert run.final["y"] == pytest.approx(-0.5, rel=1e-12)
    assert run.status.name == "AT_REST"


def test_a_bungee_pulls_and_never_pushes() -> None:
    """Depth below the slack length from energy, k d^2/2 = g (h + d); back to the height of the start."""
    y, dy = jounce.coordinate("y", "m")
    k = 30.0
    model = falling(jounce.rope("line", (0, 0), (0, y), length=1.0, stiffness=k), guards={"turns": dy})
    run = audited(jounce.simulate(model, {"y": -0.01}, t_end=3.0))
    deepest = (G + sqrt(G**2 + 2 * k * G * 0.99)) / k
    assert min(state["y"] for state in run.at(run.events.t)) == pytest.approx(-1 - deepest, rel=1e-9)
    assert run.events.kind.tolist()[:4] == ["touch", "user", "separate", "user"]
    assert run.at(float(run.events.t[3]))["y"] == pytest.approx(-0.01, abs=1e-9)


def test_a_swing_on_a_rope_is_a_pendulum() -> None:
    """A body on a rope between bodies' points: taut all the way it has the pendulum's energy and tension."""
    bob = jounce.Body("bob", mass=0.5, inertia=1.0, center=(2.0, 0.0))
    line = jounce.rope("line", (0, 0), bob.point((0, 0)), length=2)
    model = jounce.Model.from_bodies("swing", bodies=[bob], gravity=G, contacts=[line])
    run = audited(jounce.simulate(model, None, t_end=0.9))
    state = run.final
    height = -state["bob_y"]
    assert state["d_bob_x"] ** 2 + state["d_bob_y"] ** 2 == pytest.approx(2 * G * height, rel=1e-8)
    tension = float(run.contact_forces([0.8])["lambda_N"].sel(contact="line")[0])
    assert tension == pytest.approx(0.5 * 3 * G * -run.at(0.8)["bob_y"] / 2, rel=1e-6)


def test_a_rope_over_a_pulley_is_atwoods_machine() -> None:
    """Two masses on one rope: (m_2 - m_1) g/(m_1 + m_2), until the lighter one is stopped and the rope is slack."""
    x, dx = jounce.coordinate("x", "m")
    y, dy = jounce.coordinate("y", "m")
    line = jounce.rope("line", (0, x), (1, y), length=3, over=[(0, 0), (1, 0)])
    model = jounce.Model.from_lagrangian(
        "atwood", coordinates=[x, y], kinetic=dx**2 / 2 + 3 * dy**2 / 2, potential=G * x + 3 * G * y,
        contacts=[line, jounce.Contact("floor", gap=y + sp.Rational(3, 2), restitution=0)], start={x: -1.0, y: -1.0},
    )  # fmt: skip
    run = audited(jounce.simulate(model, None, t_end=0.7))
    landed = run.events[run.events.contact == "floor"].iloc[0]
    assert landed.t == pytest.approx(sqrt(2 * 0.5 / (G / 2)), rel=1e-9)
    speed, after = G / 2 * landed.t, 0.7 - landed.t
    assert run.final["x"] == pytest.approx(-0.5 + speed * after - G * after**2 / 2, rel=1e-8)
    assert run.final.mode_names[0] == "OPEN"


def test_a_one_sided_spring_returns_with_its_restitution() -> None:
    """Kelvin and Voigt's element that ends where its force vanishes has a known restitution."""
    y = jounce.coordinate("y", "m")[0]
    k, c = 4e4, 20.0
    run = audited(
        jounce.simulate(falling(jounce.one_sided_spring("pad", y, stiffness=k, damping=c)), {"y": 1.0}, t_end=0.47)
    )
    zeta = c / (2 * sqrt(k))
    wanted = exp(-zeta * (pi - 2 * np.arcsin(zeta)) / sqrt(1 - zeta**2))
    left = run.events[run.events.kind == "separate"].iloc[0]
    assert run.at(float(left.t))["d_y"] / sqrt(2 * G) == pytest.approx(wanted, rel=2e-3)  # g acts in the contact too


def test_a_preloaded_stop_is_harder_than_its_spring() -> None:
    """x'' = -(F_0 + k x)/m: the contact lasts (2/w) atan(v k/(w F_0)), and returns the speed."""
    x = jounce.coordinate("x", "m")[0]
    k, preload, v = 400.0, 6.0, 0.8
    stop = jounce.preloaded_stop("stop", -x, stiffness=k, preload=preload)
    model = jounce.Model("buffer", [x], [1], [0], contacts=[stop])
    run = audited(jounce.simulate(model, {"x": -0.1, "d_x": v}, t_end=1.0))
    touch, away = run.events.t.tolist()[:2]
    w = sqrt(k)
    assert away - touch == pytest.approx(2 / w * atan(v * k / (w * preload)), rel=1e-9)
    assert run.final["d_x"] == pytest.approx(-v, rel=1e-9)


def test_gears_take_up_their_play() -> None:
    """A plastic take-up of the backlash conserves the momentum along the pitch line, then the gears turn together."""
    p, dp = jounce.coordinate("p", "rad")
    q, dq = jounce.coordinate("q", "rad")
    J1, J2, r1, r2 = 0.02, 0.03, 0.1, 0.2
    flanks = jounce.gear_pair("mesh", p, q, radii=(r1, r2), backlash=1e-3)
    assert [flank.name for flank in flanks] == ["mesh_drive", "mesh_coast"]
    model = jounce.Model.from_lagrangian(
        "gears", coordinates=[p, q], kinetic=J1 * dp**2 / 2 + J2 * dq**2 / 2, contacts=flanks
    )
    run = audited(jounce.simulate(model, {"d_p": 2.0}, t_end=0.1))
    assert run.events.t.iloc[0] == pytest.approx(0.5e-3 / (r1 * 2.0), rel=1e-12)
    together = J1 * 2.0 / (J1 + J2 * (r1 / r2) ** 2)
    assert run.final["d_p"] == pytest.approx(together, rel=1e-12)
    assert run.final["d_q"] == pytest.approx(-together * r1 / r2, rel=1e-12)


def test_a_cam_by_its_table_is_the_cam() -> None:
    """A follower on a cam of 48 points of a sine, over many turns: it leaves where the sine's would, w^2 A > g."""
    y, dy = jounce.coordinate("y", "m")
    angles = np.linspace(0.0, 2 * np.pi, 49)
    lifts = 0.01 * np.sin(angles)
    lifts[-1] = lifts[0]
    leaves = []
    for lift in (jounce.table(40 * jounce.time, angles, lifts, "periodic"), sp.sin(40 * jounce.time) / 100):
        model = jounce.Model.from_lagrangian(
            "cam", coordinates=[y], kinetic=dy**2 / 2, potential=G * y,
            contacts=[jounce.Contact("cam", gap=y - lift, restitution=0.0)], start={y: 0.0, dy: 0.4},
        )  # fmt: skip
        run = jounce.simulate(model, None, t_end=2.0)
        leaves.append(run.events[run.events.kind == "lift_off"].t.to_numpy())
    assert len(leaves[0]) == len(leaves[1]) > 8
    assert np.sin(40 * leaves[1][0]) == pytest.approx(G / (0.01 * 40**2), rel=1e-9)
    np.testing.assert_allclose(leaves[0], leaves[1], atol=2e-4)


def test_a_periodic_curve_repeats_smoothly() -> None:
    """At the seam value and slope go on; the table may have any period."""
    x = sp.Symbol("x")
    curve = jounce.table(x, [0.0, 1.0, 2.0, 3.0], [0.0, 1.0, -1.0, 0.0], "periodic")
    value = sp.lambdify(x, curve)
    assert [float(value(point + 3 * turns)) for turns in (-2, 5) for point in (1, 2)] == pytest.approx([1, -1] * 2)
    slope = [(value(a + 1e-6) - value(a - 1e-6)) / 2e-6 for a in (-1e-5, 1e-5, 3 - 1e-5, 3 + 1e-5)]
    assert np.ptp(slope) < 1e-3
    with pytest.raises(jounce.ModelError, match="ends with the value"):
        jounce.table(x, [0.0, 1.0, 2.0], [0.0, 1.0, 2.0], "periodic")


def test_mistakes_are_named() -> None:
    with pytest.raises(jounce.ModelError, match="points"):
        jounce.rope("line", 3, (0, 0), length=1)
    with pytest.raises(jounce.ModelError, match="belongs to stiffness"):
        jounce.rope("line", (0, 1), (0, 0), length=1, damping=3)
    with pytest.raises(jounce.ModelError, match="radii"):
        jounce.gear_pair("mesh", 0, 0, radii=3, backlash=0)


def belt_drive(**given: object) -> jounce.Model:
    """Two pulleys, one of which a motor turns."""
    (_, w), (_, v) = (jounce.coordinate(name, "rad") for name in ("first", "second"))
    torque = jounce.parameter("torque", 1.0, "N m")
    band = jounce.belt("band", (w, v), radii=(0.1, 0.2), tension=20.0, friction=0.3, **given)
    return jounce.Model("belt_drive", ["first", "second"], [0.01, 0.08], [torque, 0], contacts=[band])


def test_a_belt_drives_up_to_its_friction() -> None:
    """Both pulleys together have the inertia J_1 + J_2 (r_1/r_2)^2 at the first; slipping, each its own torque."""
    limit = 2 * 20.0 * np.tanh(0.3 * pi / 2)
    system = jounce.compile_model(belt_drive())
    grips = audited(jounce.simulate(system, None, t_end=1.0, torque=0.9 * limit * 0.1 * 1.5))
    together = 0.9 * limit * 0.1 * 1.5 / (0.01 + 0.08 / 4)
    assert grips.final["d_first"] == pytest.approx(together, rel=1e-9)
    assert grips.final["d_second"] == pytest.approx(together / 2, rel=1e-9)
    slips = audited(jounce.simulate(system, None, t_end=1.0, torque=1.1 * limit * 0.1 * 1.5))
    assert slips.final["d_second"] == pytest.approx(0.2 * limit / 0.08, rel=1e-9)
    assert slips.final["d_first"] == pytest.approx((1.65 - 1.0) * limit * 0.1 / 0.01, rel=1e-9)


def test_a_rod_without_mass_is_a_joint_of_constant_length() -> None:
    """Two masses joined by a Driver of constant length turn about their centre."""
    bodies = [
        jounce.Body(name, 1.0, 0.01, center=(sign * 0.5, 0), velocity=(0, sign), angle=0.0)
        for name, sign in (("left", -1), ("right", 1))
    ]
    rod = jounce.Driver("rod", *bodies, length=1.0)
    run = audited(jounce.simulate(jounce.Model.from_bodies("dumbbell", bodies=bodies, joints=[rod]), None, t_end=2.0))
    assert run.final["right_x"] == pytest.approx(0.5 * np.cos(4.0), abs=1e-8)
    assert float(run.joint_forces([1.0])["rod.length"][0]) == pytest.approx(-2.0, rel=1e-8)


def test_a_disc_that_spins_flat_on_a_table_stops() -> None:
    """Spinning friction: J w' = -(2/3) mu R m g."""
    theta, w = jounce.coordinate("theta", "rad")
    R, mu = 0.2, 0.4
    bore = jounce.Contact("bore", slip=2 * R / 3 * w, friction=mu, load=(), preload=G)
    run = jounce.simulate(jounce.Model("coin", [theta], [R**2 / 2], [0], contacts=[bore]), {"d_theta": 30.0}, t_end=5.0)
    assert run.status.name == "AT_REST"
    assert run.events.t.iloc[0] == pytest.approx(30.0 * R**2 / 2 / (2 * R / 3 * mu * G), rel=1e-10)


def test_an_actuator_saturates() -> None:
    """A force held between limits: its kinks are no events."""
    from scipy.integrate import solve_ivp

    x, dx = jounce.coordinate("x", "m")
    model = jounce.Model("limited", [x], [1], [sp.Min(sp.Max(-30 * x - 4 * dx, -1), 1)], start={x: 1.0})
    run = jounce.simulate(model, None, t_end=3.0, tolerance=1e-11)
    theirs = solve_ivp(
        lambda t, z: [z[1], min(max(-30 * z[0] - 4 * z[1], -1.0), 1.0)],
        (0, 3), [1.0, 0.0], "DOP853", rtol=1e-12, atol=1e-13, max_step=2e-3,
    ).y[:, -1]  # fmt: skip
    assert [run.final["x"], run.final["d_x"]] == pytest.approx(theirs, abs=1e-8)
    assert run.audit().empty
