"""Forces that jump with a velocity: switches by themselves, against closed forms and against named switches."""

from __future__ import annotations

from math import pi, sqrt
from typing import Any

import numpy as np
import pytest
import sympy as sp

import jounce
from jounce.model.kinks import Kink

x, dx = jounce.coordinate("x", "m")
FRICTION = sp.Rational(3, 10)


def oscillator(force: Any, **parts: Any) -> jounce.Model:
    return jounce.Model("oscillator", [x], [1], [-x + force], start={x: 2.0}, **parts)


@pytest.mark.parametrize(
    "force",
    [
        -FRICTION * sp.sign(dx),
        FRICTION * sp.sign(-2 * dx),
        FRICTION * (1 - 2 * sp.Heaviside(dx)),
        -FRICTION * dx / sp.Abs(dx),
        -FRICTION * sp.sign(dx) ** 3,
        sp.Piecewise((-FRICTION, dx > 0), (FRICTION, True)),
        sp.Piecewise((FRICTION, 2 * dx <= 0), (-FRICTION, True)),
    ],
    ids=str,
)
def test_dry_friction_holds_what_has_come_to_rest(force: Any) -> None:
    """x'' + x = -F sign x': the amplitude falls by 2 F in each half period, and ends within F of the middle."""
    run = jounce.simulate(oscillator(force), {"x": 2.0, "d_x": 0.0}, 20.0)
    assert run.status.name == "FINISHED"
    assert run.final["x"] == pytest.approx(-0.2, abs=1e-9)
    assert run.final["d_x"] == pytest.approx(0.0, abs=1e-12)
    assert run.final["sign_d_x"] == 0
    assert run.events.t.to_numpy() == pytest.approx([0.0, pi, 2 * pi, 3 * pi], abs=1e-9)
    assert len(run.data.step_t) < 60
    assert run.audit("dense").empty
    assert float(abs(run.energy["residual"]).max()) < 1e-10


def test_a_case_that_cannot_be_computed_on_the_other_side_is_not() -> None:
    """Roots of the speed: against the same force without its jump's cases, (F + sqrt|v|) sign v."""
    cases = sp.Piecewise((-FRICTION - sp.sqrt(dx), dx > 0), (FRICTION + sp.sqrt(-dx), True))
    smooth = -(FRICTION + sp.sqrt(sp.Abs(dx))) * sp.sign(dx)
    finals = [jounce.simulate(oscillator(force), None, 20.0).final for force in (cases, smooth)]
    assert finals[0]["x"] == pytest.approx(finals[1]["x"], rel=1e-8)
    assert finals[0]["sign_d_x"] == finals[1]["sign_d_x"] == 0


def test_a_kink_is_no_jump() -> None:
    """sign(v) v^2 between two stops: v^2 obeys d(v^2)/dx = -2 x - 2 c v^2, so the next amplitude solves
    (1 + 2 c A) e^(-2 c A) = (1 - 2 c B) e^(2 c B)."""
    c = 0.3
    model = oscillator(-sp.Rational(3, 10) * sp.sign(dx) * dx**2, guards={"turn": dx})
    assert not model.states
    assert list(model.kinks.values()) == [Kink.KINK]
    run = jounce.simulate(model, None, 5.0, tolerance=1e-11, stop_at="turn")
    B = -run.final["x"]
    assert (1 - 2 * c * B) == pytest.approx((1 + 2 * c * 2.0) * sp.exp(-2 * c * (2.0 + B)), rel=1e-9)


def test_a_belt_and_a_floor_rub_one_block() -> None:
    """Two jumps in one force, of which one at a time can hold: v' = -F sign(v) - G sign(v - 1)."""
    model = jounce.Model("between", [x], [1], [-sp.sign(dx) - 3 * sp.sign(dx - 1)])
    run = jounce.simulate(model, {"d_x": 3.0}, 4.0)
    assert run.final["d_x"] == pytest.approx(1.0, abs=1e-12)  # the belt is stronger
    assert run.events.t.to_numpy()[-1] == pytest.approx(0.5, rel=1e-12)  # from 3 to 1 with 4
    weaker = jounce.Model("between", [x], [1], [-3 * sp.sign(dx) - sp.sign(dx - 1)])
    assert jounce.simulate(weaker, {"d_x": 3.0}, 4.0).final["d_x"] == pytest.approx(0.0, abs=1e-12)


def test_five_masses_rub_each_on_its_own() -> None:
    """Switches whose surfaces do not move one another are solved apart, as many as there is room for."""
    pairs = jounce.coordinates("a b c d e", "m")
    forces = [-k * sp.sign(v) for k, (_, v) in enumerate(pairs, start=1)]
    model = jounce.Model("five", [q for q, _ in pairs], [1] * 5, forces)
    run = jounce.simulate(model, {str(v): 1.0 for _, v in pairs}, 2.0)
    assert [run.final[str(q)] for q, _ in pairs] == pytest.approx([1 / (2 * k) for k in range(1, 6)], rel=1e-9)


def test_a_machine_of_bodies_has_them_too() -> None:
    block = jounce.Body("block", mass=2.0, inertia=1.0)
    rub = jounce.Force(block, (-4 * sp.sign(block.motion[0]), 0))
    model = jounce.Model.from_bodies("machine", bodies=[block], forces=[rub])
    run = jounce.simulate(model, {"block_x": 0.0, "d_block_x": 3.0}, 4.0)
    assert run.final["block_x"] == pytest.approx(3.0**2 / (2 * 2.0), rel=1e-10)


def test_names_do_not_collide() -> None:
    p = jounce.parameter("sign_d_x", 0.3)
    model = oscillator(-p * sp.sign(dx))
    assert list(model.states) == ["sign_d_x_"]


def test_a_product_of_two_jumps_has_two_switches() -> None:
    y, dy = jounce.coordinate("y", "m")
    model = jounce.Model("product", [x, y], [1, 1], [-sp.sign(dx) * sp.sign(dy), 0], start={"d_x": 1.0, "d_y": 1.0})
    assert {"sign_d_x", "sign_d_y"} <= set(model.states)
    run = jounce.simulate(model, None, 3.0, options=jounce.Options(audit="dense"))
    assert run.status.ok
    assert (run.final["x"], run.final["d_x"]) == pytest.approx((0.5, 0.0), abs=1e-9)  # stopped after 1 s, and held


# ------------------------------------------------------------------- surfaces that jump


def belted(**parts: Any) -> jounce.System:
    """v' = -0.3 sign(v - w)."""
    w = jounce.parameter("w", 1.0, "m/s")
    return jounce.compile_model(jounce.Model("belted", [x], [1], [-FRICTION * sp.sign(dx - w)], **parts))


@pytest.mark.parametrize("size", [1.0, 1e-6, 1e6])
@pytest.mark.parametrize(("start", "expected"), [(2.0, 2.3), (1.0, 1.45)])
def test_a_schedule_that_moves_the_surface_turns_the_force(start: float, expected: float, size: float) -> None:
    """From beside the surface and while it is held, at 0.5 s the belt becomes faster than the block; in other units."""
    w = jounce.parameter("w", size, "m/s")
    system = jounce.compile_model(jounce.Model("belted", [x], [1], [-FRICTION * size * sp.sign(dx - w)]))
    run = jounce.simulate(system, {"d_x": start * size}, 2.0, schedule=[(0.5, {"w": 3.0 * size})])
    assert run.final["d_x"] == pytest.approx(expected * size, rel=1e-12)


def test_a_reset_that_changes_the_velocity_turns_the_force() -> None:
    system = belted(resets=[jounce.Reset(jounce.time - sp.Rational(1, 2), {dx: dx - 3}, name="kick")])
    assert jounce.simulate(system, {"d_x": 2.0}, 2.0).final["d_x"] == pytest.approx(-0.7, rel=1e-12)


@pytest.mark.parametrize("speed", [2.0, -1.0])
def test_a_start_that_was_altered_is_asked_anew(speed: float) -> None:
    """A state that is held knows that it is; with another velocity it is not."""
    system = belted()
    held = jounce.simulate(system, {"d_x": 1.0}, 2.0).final
    assert held["sign_1"] == 0
    run = jounce.simulate(system, held.replace(d_x=speed), 3.0)
    assert run.final["d_x"] == pytest.approx(speed - 0.3 * (1 if speed > 1 else -1), rel=1e-12)
    beside = jounce.simulate(system, {"d_x": 2.0}, 1.0).final.replace(d_x=-1.0)
    assert jounce.simulate(system, beside, 2.0).final["d_x"] == pytest.approx(-0.7, rel=1e-12)


def test_a_cut_while_it_is_held_goes_on_without_a_row() -> None:
    """v' = t - sign(v) is held until t = 1, whichever way it is cut."""
    system = jounce.compile_model(jounce.Model("ramp", [x], [1], [jounce.time - sp.sign(dx)]))
    half = jounce.simulate(system, {"d_x": 0.2}, 0.8)
    rest = jounce.simulate(system, half.final, 3.0)
    assert half.events.t.to_numpy() == pytest.approx([0.0, 1 - sqrt(0.6)], abs=1e-9)
    assert rest.events.t.to_numpy() == pytest.approx([1.0], rel=1e-9)
    assert rest.final["d_x"] == pytest.approx(2.0, rel=1e-8)


# ------------------------------------------------------------------- beside contacts


def test_what_a_stop_holds_is_held_by_friction_behind_it() -> None:
    """x'' = 3 cos t - sign(x') beside a wall: held from where the wall lets go, 3 cos t = -1, to 3 cos t = 1."""
    wall = jounce.Contact("wall", gap=x)
    model = jounce.Model("stopped", [x], [1], [3 * sp.cos(jounce.time) - sp.sign(dx)], contacts=[wall])
    run = jounce.simulate(model, {"x": 0.0, "t": pi / 2 + 0.5}, 8.0)
    leaves = 2 * pi - np.arccos(1 / 3)
    rows = run.events[run.events.kind != "reset"].t.to_numpy()
    assert rows == pytest.approx([2 * pi - np.arccos(-1 / 3), leaves, leaves], abs=1e-9)
    now = 7.0  # v = 3 (sin t - sin t_0) - (t - t_0)
    expected = 3 * (np.sin(now) - np.sin(leaves)) - (now - leaves)
    assert run.at(now)["d_x"] == pytest.approx(expected, rel=1e-9)
    assert run.at(5.0)["sign_d_x"] == 0
    assert run.audit("dense").empty


@pytest.mark.parametrize("integrator", ["taylor", "dop853", "dopri5"])
def test_a_stop_that_lets_go_at_the_limit_of_friction_is_no_reset_without_end(integrator: str) -> None:
    """The same with other forces and at loose tolerances: the value that holds comes from its very limit."""
    A, w = jounce.parameters(A=(3.0, "N"), w=(1.0, "rad/s"))
    wall = jounce.Contact("wall", gap=x)
    model = jounce.Model("stopped", [x], [1], [A * sp.cos(w * jounce.time) - sp.sign(dx)], contacts=[wall])
    system = jounce.compile_model(model)
    random = np.random.default_rng(5)
    for _ in range(60):
        A_, w_ = random.uniform(1.2, 6.0), random.uniform(0.3, 5.0)
        options = jounce.Options(tolerance=10.0 ** random.uniform(-10, -7), integrator=integrator, audit="dense")
        run = jounce.simulate(system, {"x": 0.0, "t": pi / w_}, 2 * pi / w_, A=A_, w=w_, options=options)
        assert run.status.name == "FINISHED", run.status.message
        leaves = (2 * pi - np.arccos(1 / A_)) / w_
        rows = run.events[(run.events.kind == "lift_off") | (run.events.reset == "sign_d_x_leaves")].t.to_numpy()
        assert rows[:2] == pytest.approx([(2 * pi - np.arccos(-1 / A_)) / w_, leaves], rel=1e-7)
        expected = -A_ / w_ * np.sin(w_ * leaves) - (2 * pi / w_ - leaves)
        assert run.final["d_x"] == pytest.approx(expected, rel=1e-5)


# ------------------------------------------------------------------- starts at the limit of what friction holds


@pytest.mark.parametrize("integrator", ["taylor", "dop853", "dopri5"])
@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize(("grows", "speed"), [(1, 1 / 2), (2, 1 / 3), (3, 1 / 4)])
def test_what_is_held_at_its_limit_leaves_where_the_force_grows(
    grows: int, speed: float, sign: int, integrator: str
) -> None:
    """v' = s (1 + c t^k) - sign(v) from rest at t = 0: v = s c t^(k+1)/(k+1); with c = -1 friction holds it."""
    c = jounce.parameter("c", 1.0)
    force = sign * (1 + c * jounce.time**grows)
    system = jounce.compile_model(jounce.Model("limit", [x], [1], [force - sp.sign(dx)]))
    options = jounce.Options(integrator=integrator, tolerance=1e-10)
    run = jounce.simulate(system, None, 1.0, options=options)
    assert run.final["d_x"] == pytest.approx(sign * speed, rel=1e-9)
    assert run.final["sign_d_x"] == sign
    held = jounce.simulate(system, None, 1.0, options=options, c=-1.0)
    assert (held.final["x"], held.final["d_x"], held.final["sign_d_x"]) == (0.0, 0.0, 0.0)


def test_a_condition_that_always_holds_can_be_written() -> None:
    """1 + t^2 > 0 is true for SymPy; what is left of it in the cases of a switch is no expression."""
    run = jounce.simulate(jounce.Model("ever", [x], [1], [1 + jounce.time**2 - sp.sign(dx)]), None, 1.0)
    assert run.final["d_x"] == pytest.approx(1 / 3, rel=1e-9)


def test_an_audit_finds_a_switch_that_is_not_on_its_side() -> None:
    run = jounce.simulate(oscillator(-FRICTION * sp.sign(dx)), None, 5.0)
    assert run.audit("dense").empty
    run.data.step_states[:] *= -1.0
    for level in ("dense", "events"):
        assert "switch is not on the side of its surface" in set(run.audit(level)["what"])


def test_an_audit_finds_a_switch_that_slides_beyond_its_limits() -> None:
    """v' = t - sign(v) is held until t = 1; that it is held for longer contradicts its friction."""
    run = jounce.simulate(jounce.Model("ramp", [x], [1], [jounce.time - sp.sign(dx)]), None, 3.0)
    assert run.audit("dense").empty
    run.data.step_states[:] = 0.0
    for level in ("dense", "events"):
        assert "switch slides beyond its limits" in set(run.audit(level)["what"])


def test_an_audit_knows_steps_that_are_shorter_than_the_rounding_of_the_time() -> None:
    """A run cut just before an impact takes a step that does not move the time; its side is its own."""
    stop = jounce.Contact("stop", gap=x + 0.05, restitution=0.4)
    force = -25 * x + 4 * sp.cos(3 * jounce.time) - 1.5 * sp.sign(dx)
    system = jounce.compile_model(jounce.Model("stopped", [x], [1], [force], contacts=[stop], start={x: 0.3}))
    whole = jounce.simulate(system, None, 6.0)
    impacts = whole.events.t[whole.events.kind == "impact"]
    assert len(impacts) > 20
    for time in impacts:
        first = jounce.simulate(system, None, np.nextafter(time, 0.0))
        for run in (first, jounce.simulate(system, first.final, 6.0)):
            assert run.status.name == "FINISHED", run.status.message
            assert run.audit("dense").empty
