"""Switches with sliding modes, against closed forms, against friction of a contact, in orbits and files."""

from __future__ import annotations

from math import exp, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy as sp

import jounce

t = jounce.time


def servo(**parts: Any) -> jounce.System:
    """x'' = -sign(x + x'): from x = 1 it meets its surface at t = sqrt(3) - 1 and slides on it, x ~ e^-t."""
    x, dx = jounce.coordinate("x", "m")
    relay = jounce.Switch("relay", x + dx)
    model = jounce.Model.from_lagrangian(
        "servo", coordinates=[x], kinetic=dx**2 / 2, forces={x: -relay}, start={x: 1.0}, **parts
    )
    return jounce.compile_model(model)


def test_a_relay_slides_on_its_surface() -> None:
    run = jounce.simulate(servo(), None, t_end=6.0)
    met = sqrt(3) - 1
    assert run.events.reset.tolist() == ["relay_starts", "relay_switches"]
    assert run.events.t.iloc[1] == pytest.approx(met, rel=1e-12)
    for now in (1.0, 3.0, 6.0):
        state = run.at(now)
        assert state["x"] == pytest.approx(met * exp(met - now), rel=1e-9)
        assert state["x"] + state["d_x"] == pytest.approx(0.0, abs=1e-11)  # a tenth of the tolerance
        assert state["relay"] == 0
    assert run.at(0.3)["relay"] == 1
    assert float(np.abs(run.energy["residual"]).max()) < 1e-10
    assert run.audit().empty
    assert len(run.data.step_t) < 60


def test_a_relay_without_velocity_only_crosses() -> None:
    """x'' = -sign(x) has the period 4 sqrt(2 A)."""
    x, _ = jounce.coordinate("x", "m")
    model = jounce.Model("bang", [x], [1], [-jounce.Switch("side", x)], start={x: 1.0})
    run = jounce.simulate(model, None, t_end=20 * sqrt(2))
    assert run.final["x"] == pytest.approx(1.0, rel=1e-12)
    assert run.final["d_x"] == pytest.approx(0.0, abs=1e-11)
    assert set(run["side"]) == {1.0, -1.0}
    np.testing.assert_allclose(np.diff(run.events.t[1:]), 2 * sqrt(2), rtol=1e-12)


@pytest.mark.parametrize("speed", [0.0, 0.2])
def test_sliding_ends_where_the_value_reaches_its_limit(speed: float) -> None:
    """v' = t - sign(v): S = t holds v at zero until t = 1; then v = (t - 1)^2/2. A start on it slides at once."""
    x, dx = jounce.coordinate("x", "m")
    model = jounce.Model("ramp", [x], [1], [t - jounce.Switch("s", dx)])
    run = jounce.simulate(model, {"d_x": speed}, t_end=3.0)
    met = 1 - sqrt(1 - 2 * speed)
    assert run.at(max(met + 0.1, 0.1))["s"] == 0
    leaves = run.events[run.events.reset == "s_leaves"]
    assert leaves.t.tolist() == pytest.approx([1.0], rel=1e-9)
    assert run.final["d_x"] == pytest.approx(2.0, rel=1e-8)
    assert run.final["s"] == 1
    assert (run.events.reset == "s_switches").sum() == (speed > 0)


def test_runs_that_are_cut_keep_sliding() -> None:
    system = servo()
    half = jounce.simulate(system, None, t_end=2.0)
    rest = jounce.simulate(system, half.final, t_end=6.0)
    assert rest.events.empty
    assert rest.final["x"] == pytest.approx(jounce.simulate(system, None, t_end=6.0).final["x"], rel=1e-9)
    table = jounce.ensemble(system, {"x": np.array([1.0, -1.0])}, 2.0)
    assert table["x"].values == pytest.approx([half.final["x"], -half.final["x"]], rel=1e-12)


def test_an_impact_throws_it_off_its_surface() -> None:
    """A wall at x = 0.2 with e = 1/2: behind the impact x + x' = 0.3; in the end the body is pressed to the wall."""
    x = jounce.coordinate("x", "m")[0]
    system = servo(contacts=[jounce.Contact("wall", gap=x - sp.Rational(1, 5), restitution=0.5)])
    run = jounce.simulate(system, None, t_end=6.0)
    hit = run.events[run.events.kind == "impact"].iloc[0]
    met = sqrt(3) - 1
    assert hit.t == pytest.approx(met + np.log(met / 0.2), rel=1e-9)
    assert run.at(hit.t, side="left")["relay"] == 0
    assert run.at(hit.t)["relay"] == 1
    assert run.final["x"] == pytest.approx(0.2, rel=1e-9)
    assert run.final["relay"] == 1


def test_two_switches_slide_together() -> None:
    """Each is moved by the other's force; on both surfaces both decay as e^-t."""
    x, dx = jounce.coordinate("x", "m")
    y, dy = jounce.coordinate("y", "m")
    a, b = jounce.Switch("a", x + dx), jounce.Switch("b", y + dy)
    model = jounce.Model(
        "pair", [x, y], [[2, sp.Rational(1, 2)], [sp.Rational(1, 2), 1]], [-3 * a - b / 2, -2 * b - a / 2],
        start={x: 1.0, y: -0.7},
    )  # fmt: skip
    run = jounce.simulate(model, None, t_end=6.0)
    begun = run.events.t.iloc[-1]
    assert (run.final["a"], run.final["b"]) == (0, 0)
    first = run.at(begun)
    for name in ("x", "y"):
        assert run.final[name] == pytest.approx(first[name] * exp(begun - 6.0), rel=1e-8)
    assert float(np.abs(run.energy["residual"]).max()) < 1e-9


def oscillator(*, contact: bool) -> jounce.System:
    """A driven oscillator with dry friction 1 N: as a contact, and as a switch."""
    x, dx = jounce.coordinate("x", "m")
    y, _ = jounce.coordinate("y", "m")
    A = jounce.parameter("A", 2.2, "N")
    drive = A * sp.cos(jounce.time * sp.Rational(7, 10)) - x / 5
    rest = {"period": 2 * sp.pi / sp.Rational(7, 10)}
    if not contact:
        return jounce.compile_model(jounce.Model("switched", [x], [1], [drive - jounce.Switch("s", dx)], **rest))
    floor = jounce.Contact("floor", gap=y, slip=dx, friction=sp.Rational(1, 10))
    return jounce.compile_model(jounce.Model("rubbed", [x, y], [1, 1], [drive, -10], contacts=[floor], **rest))


def test_a_switch_rubs_and_sticks_as_a_contact_does() -> None:
    """Two ways to Coulomb's friction: the same motion, the same orbit, the same multipliers."""
    switched, rubbed = oscillator(contact=False), oscillator(contact=True)
    first, second = (jounce.simulate(system, {"x": 0.3}, t_end=80.0) for system in (switched, rubbed))
    for now in (7.0, 33.0, 80.0):
        assert first.at(now)["x"] == pytest.approx(second.at(now)["x"], abs=1e-7)
    sliding = first.events[first.events.reset == "s_leaves"]
    sticking = second.events[second.events.kind == "slip"]
    np.testing.assert_allclose(sliding.t[-5:], sticking.t[-5:], atol=1e-6)
    orbits = [jounce.find_orbit(run.system, run.final, "phase:0") for run in (first, second)]
    assert orbits[0].state["x"] == pytest.approx(orbits[1].state["x"], abs=1e-8)
    sizes = [np.sort(np.abs(orbit.nontrivial))[::-1][:2] for orbit in orbits]
    np.testing.assert_allclose(sizes[0], sizes[1], atol=1e-7)


def test_an_orbit_that_slides_has_the_multipliers_of_one_that_sticks() -> None:
    """With a weaker drive both hold still for a while: a multiplier of zero, the other that of the contact's orbit."""
    found = []
    for contact in (False, True):
        system = oscillator(contact=contact)
        settled = jounce.simulate(system, {"x": 0.3}, t_end=160.0, A=1.5)  # ends where friction holds it
        orbit = jounce.find_orbit(system, settled.final, "phase:0", A=1.5)
        exponents = jounce.lyapunov(system, settled.final, 100.0, A=1.5).exponents
        found.append((np.sort(np.abs(orbit.nontrivial))[::-1][:2], exponents[:2]))
    assert found[0][0][1] == pytest.approx(0.0, abs=1e-12)
    np.testing.assert_allclose(found[0][0], found[1][0], atol=1e-9)
    # a mean over 11 periods depends on how perturbations are measured by O(1/t); its limit is that of the multiplier
    assert [exponents[0] for _, exponents in found] == pytest.approx(
        [np.log(found[0][0][0]) * 0.7 / (2 * np.pi)] * 2, abs=5e-3
    )
    assert found[0][1][1] == found[1][1][1] == -np.inf


def test_switches_survive_files(tmp_path: Path) -> None:
    text = """
    name = "servo"
    [coordinates]
    x = "m"
    [switches]
    relay = "x + d_x"
    [equations]
    mass = [1]
    forces = ["-relay"]
    [start]
    x = 1.0
    """
    (tmp_path / "servo.toml").write_text(text)
    model = jounce.Model.from_file(tmp_path / "servo.toml")
    model.to_file(tmp_path / "again.toml")
    again = jounce.Model.from_file(tmp_path / "again.toml")
    finals = [jounce.simulate(which, None, t_end=3.0).final["x"] for which in (model, again)]
    assert finals[0] == finals[1] == pytest.approx((sqrt(3) - 1) * exp(sqrt(3) - 1 - 3.0), rel=1e-9)


def test_bodies_may_have_switches() -> None:
    block = jounce.Body("block", mass=2.0, inertia=1.0)
    relay = jounce.Switch("relay", block.x + block.motion[0])
    model = jounce.Model.from_bodies(
        "machine", bodies=[block], forces=[jounce.Force(block, (-2 * relay, 0))], start={block.x: 1.0}
    )
    assert jounce.simulate(model, None, t_end=2.0).final["block_x"] == pytest.approx(
        (sqrt(3) - 1) * exp(sqrt(3) - 1 - 2.0), rel=1e-9
    )


def test_mistakes_are_named() -> None:
    x, dx = jounce.coordinate("x", "m")
    s = jounce.Switch("s", dx)
    for forces, words in (
        ([-(s**2)], "linear in the values of switches"),
        ([-s * jounce.Switch("s", x)], "two surfaces"),
        ([-jounce.Switch("s", 3)], "depends on no coordinate"),
        ([-jounce.Switch("x", dx)], "same name as the coordinate 'x'"),
    ):
        with pytest.raises(jounce.ModelError, match=words):
            jounce.Model("wrong", [x], [1], forces)
    others = [pair[0] for pair in jounce.coordinates("a b c d e", "m")]
    joints = {f"rod_{other}": other - x for other in others}
    with pytest.raises(jounce.ModelError, match="minimal coordinates"):
        jounce.Model("held", [x, *others], [1] * 6, {others[0]: -s}, joints=joints)
    assert jounce.Model("held", [x, *others], [1] * 6, {x: -s}, joints=joints).contacts[0].name == "s"
    for forces in ([-s, 0], [-sp.sign(dx), 0]):
        with pytest.raises(jounce.ModelError, match="mass matrix"):
            jounce.Model("without_mass", [x, others[0]], [1, 0], forces)


def test_a_switch_slides_behind_joints() -> None:
    """A pendulum in x and y on a rod, and by its angle: the rod's force moves the surface too."""
    (x, dx), (y, _) = jounce.coordinates("x y", "m")
    relay = jounce.Switch("relay", dx + x)
    jointed = jounce.Model(
        "jointed", [x, y], [1, 1], [-3 * relay, -sp.Rational(981, 100)], joints={"rod": (x**2 + y**2 - 1) / 2},
        start={x: 0.6, y: -0.8},
    )  # fmt: skip
    phi, w = jounce.coordinate("phi", "rad")
    other = jounce.Switch("relay", sp.cos(phi) * w + sp.sin(phi))
    forces = [-sp.Rational(981, 100) * sp.sin(phi) - 3 * sp.cos(phi) * other]
    minimal = jounce.Model("minimal", [phi], [1], forces, start={phi: sp.asin(0.6)})
    ours, theirs = (jounce.simulate(model, None, t_end=3.0, tolerance=1e-11) for model in (jointed, minimal))
    assert ours.final["relay"] == theirs.final["relay"] == 0
    assert ours.events.reset.tolist() == theirs.events.reset.tolist()
    assert ours.events.t.to_numpy() == pytest.approx(theirs.events.t.to_numpy(), abs=1e-9)
    assert ours.final["x"] == pytest.approx(np.sin(theirs.final["phi"]), abs=1e-9)
    assert ours.audit().empty


@pytest.mark.audit_finds("switch slides while a contact pushes along its surface")
def test_a_contact_that_pushes_along_the_surface_of_a_sliding_switch_is_found() -> None:
    """A relay pushes one of two coupled blocks to hold the velocity of the other, which a rough floor slows.

    The value that holds it knows nothing of that friction. The force of the relay acts along another direction than
    its surface, so that it is no friction itself.
    """
    (x, dx), (y, dy), (z, dz) = jounce.coordinates("x y z", "m")
    hold = jounce.Switch("hold", dx - sp.Rational(1, 5))
    model = jounce.Model.from_lagrangian(
        "dragged", coordinates=[x, y, z], kinetic=(dx**2 + dy**2 + dx * dy + dz**2) / 2, potential=10 * z,
        forces={y: 5 * hold}, contacts=[jounce.Contact("floor", gap=z, slip=dx, friction=sp.Rational(3, 10))],
    )  # fmt: skip
    run = jounce.simulate(model, {"d_x": 1.0}, 1.0)
    assert run.status.name == "AUDIT_FAILED"
    assert "switch slides while a contact pushes along its surface at 'floor'" in run.status.message


def test_dry_friction_of_a_closed_loop() -> None:
    """A slider-crank with a torque against its turning: it takes T times the angle, and holds where energy ends.

    What keeps the crank at rest is a quotient with the determinant of its joints, which no one can multiply out.
    """
    (a, da), (b, db), (s, ds) = (jounce.coordinate(name, unit) for name, unit in (("a", ""), ("b", ""), ("s", "m")))
    r, far, m, torque = jounce.parameters(r=(0.2, "m"), far=(0.7, "m"), m=(1.0, "kg"), torque=(0.4, "N m"))
    middle = (r * sp.cos(a) + far * sp.cos(b) / 2, far * sp.sin(b) / 2)
    speeds = [sum(sp.diff(place, q) * u for q, u in ((a, da), (b, db))) for place in middle]
    model = jounce.Model.from_lagrangian(
        "dry_crank", coordinates=[a, b, s], kinetic=da**2 / 20 + m * (speeds[0] ** 2 + speeds[1] ** 2 + ds**2) / 2,
        forces={a: -torque * sp.sign(da)},
        joints={"reach": r * sp.cos(a) + far * sp.cos(b) - s, "guide": r * sp.sin(a) + far * sp.sin(b)},
    )  # fmt: skip
    start = {"a": 0.0, "b": 0.0, "s": 0.9, "d_a": 3.0, "d_b": -6 / 7, "d_s": 0.0}
    run = jounce.simulate(model, start, 3.0, tolerance=1e-11)
    kinetic = float(run.energy["kinetic"][0])
    assert run.final["a"] == pytest.approx(kinetic / 0.4, rel=1e-8)
    assert abs(run.final["d_a"]) < 1e-9
    assert run.audit().empty
