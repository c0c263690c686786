"""Guides that rub, brakes and discs that resist rolling, against closed forms."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
import sympy as sp
from scipy.integrate import quad

import jounce
from jounce import Contact, Model, coordinate, parameters, time
from jounce.model.definition import from_definition, to_definition
from tests.references.flow import check_derivative
from tests.rubbing.machines import slider


def test_both_sides_of_a_guide_rub() -> None:
    """x'' = 2 - mu |5 cos 4t|: the side on which the block is pressed changes, its friction does not know."""
    system = jounce.compile_model(slider((2.0, 5 * sp.cos(4 * time)), velocity=3.0, friction=0.3))
    run = jounce.simulate(system, None, t_end=3.0, tolerance=1e-11)
    kinks = [math.pi / 8 + k * math.pi / 4 for k in range(4)]
    rubbed = quad(lambda t: abs(math.cos(4 * t)), 0, 3, points=kinks, limit=200, epsabs=1e-12)[0]
    assert run.final["d_block_x"] == pytest.approx(3 + 2 * 3 - 1.5 * rubbed, abs=1e-9)
    assert run.audit().empty
    assert abs(run.energy.residual[-1]) < 1e-9


@pytest.mark.parametrize(("mu", "moves"), [(0.2, True), (0.6, True), (0.66, True), (0.67, False), (2.0, False)])
def test_a_drawer_locks_itself(mu: float, moves: bool) -> None:
    """Pulled at 0.15 m beside its guide of 0.2 m: N = 2 * 0.15 F/0.2, so it locks from mu = 2/3 on, for any force."""
    for force in (5.0, 5e4):
        system = jounce.compile_model(slider((force, 0), at=(0, 0.15), friction=mu, length=0.2))
        run = jounce.simulate(system, None, t_end=1.0)
        assert run.final["block_x"] == pytest.approx(force * max(0.0, 1 - 1.5 * mu) / 2, rel=1e-9, abs=1e-12)
        assert (run.status.name == "FINISHED") == moves
        assert run.audit().empty


def test_couple_and_force_take_turns_in_a_long_guide() -> None:
    """N = max(|F|, 2 |C|/L) with F = 4 - 2 t and 2 C/L = 1.5 t: the couple presses more from 8/7 s to 8 s."""
    model = slider((0.0, 4.0 - 2 * time), velocity=30.0, couple=0.3 * time, friction=0.25, length=0.4)
    run = jounce.simulate(jounce.compile_model(model), None, t_end=10.0, tolerance=1e-11)
    t_1, t_2 = 8 / 7, 8.0
    pressed = 4 * t_1 - t_1**2 + 0.75 * (t_2**2 - t_1**2) + (100 - 40) - (t_2**2 - 4 * t_2)
    assert run.final["d_block_x"] == pytest.approx(30 - 0.25 * pressed, rel=1e-11)
    assert run.audit().empty


def test_a_brake_takes_the_same_from_every_half_swing() -> None:
    """x'' + 2 x = -mu N sign x': the amplitude falls by 2 mu N/k = 1.5, and rest is where 2 |x| < mu_s N."""
    x, dx = coordinate("x", "m")
    load, mu, mu_s = parameters(load=(5.0, "N"), mu=(0.3, ""), mu_s=(0.4, ""))
    pad = Contact("pad", slip=dx, friction=mu, static_friction=mu_s, load=(), preload=load)
    model = Model.from_lagrangian("brake", coordinates=[x], kinetic=dx**2 / 2, potential=x**2, contacts=[pad])
    run = jounce.simulate(model, {"x": 5.0}, t_end=30.0, tolerance=1e-11)
    assert [run.at(t)["x"] for t in run.events.t] == pytest.approx([-3.5, 2.0, -0.5], abs=1e-9)
    assert np.diff([0.0, *run.events.t]) == pytest.approx(np.full(3, math.pi / math.sqrt(2)), abs=1e-10)
    assert run.status.name == "AT_REST"
    system = jounce.compile_model(model)
    check_derivative(system, system.state(x=4.0, d_x=1.0), 4.0, "load", {"reversal"})


def disc() -> Model:
    """A disc of 1 kg on a slope, with rolling resistance."""
    x, dx = coordinate("x", "m")
    y, dy = coordinate("y", "m")
    theta, spin = coordinate("theta", "rad")
    R, arm, mu, slope = parameters(R=(0.1, "m"), arm=(0.005, "m"), mu=(0.5, ""), slope=(0.0, "rad"))
    return Model.from_lagrangian(
        "disc_that_resists",
        coordinates=[x, y, theta],
        kinetic=(dx**2 + dy**2) / 2 + R**2 / 4 * spin**2,
        potential=9.81 * (y * sp.cos(slope) - x * sp.sin(slope)),
        contacts=[
            Contact("floor", gap=y, slip=dx - R * spin, friction=mu),
            Contact("rolling", slip=spin, friction=arm, load="floor"),
        ],
    )


def test_a_disc_rests_below_the_angle_of_its_rolling_resistance() -> None:
    system = jounce.compile_model(disc())
    angle = math.atan(0.05)
    assert jounce.simulate(system, None, t_end=1.0, slope=angle * 0.999).status.name == "AT_REST"
    run = jounce.simulate(system, None, t_end=1.0, slope=0.1)
    rolls = (math.sin(0.1) - 0.05 * math.cos(0.1)) * 9.81 / 1.5
    assert run.final["x"] == pytest.approx(rolls / 2, rel=1e-9)
    assert run.audit().empty


def test_a_rolling_disc_stops() -> None:
    system = jounce.compile_model(disc())
    run = jounce.simulate(system, {"d_x": 1.0, "d_theta": 10.0}, t_end=5.0)
    assert run.status.name == "AT_REST"
    assert run.final["x"] == pytest.approx(1.5 / (2 * 0.05 * 9.81), rel=1e-9)
    assert run.energy.friction_loss[-1] == pytest.approx(0.75, rel=1e-9)


def test_a_disc_in_flight_has_no_rolling_resistance() -> None:
    system = jounce.compile_model(disc())
    run = jounce.simulate(system, {"y": 0.5, "d_x": 1.0}, t_end=5.0)
    landed = run.events[run.events.contact == "rolling"].t.iloc[0]
    assert landed == pytest.approx(math.sqrt(1.0 / 9.81), rel=1e-12)
    assert str(run.at(landed, side="left").mode_names[1]) == "OPEN"
    assert run.status.name == "AT_REST"
    assert run.audit().empty


def wedge() -> Model:
    """A wedge on the floor lifts a load in a tower: three guides that rub, one freedom."""
    (a, da), (b, db), (x, dx), (y, dy) = (coordinate(name, "m") for name in "abxy")
    mu, force, rise = parameters(mu=(0.3, ""), force=(0.0, "N"), rise=(0.2, "rad"))
    along, across = (sp.cos(rise), sp.sin(rise)), (-sp.sin(rise), sp.cos(rise))
    return Model.from_lagrangian(
        "wedge",
        coordinates=[a, b, x, y],
        kinetic=(da**2 + db**2) / 2 + 10 * (dx**2 + dy**2) / 2,
        potential=9.81 * (b + 10 * y),
        forces={a: force},
        joints={"floor": b, "tower": x, "face": across[0] * (x - a) + across[1] * (y - b)},
        contacts=[
            Contact("on_floor", slip=da, friction=mu, load="floor"),
            Contact("in_tower", slip=dy, friction=mu, load="tower"),
            Contact("on_face", slip=along[0] * (dx - da) + along[1] * (dy - db), friction=mu, load="face"),
        ],
    )


def test_a_wedge_locks_itself_and_lifts() -> None:
    """Loose it slides back from 2 atan(mu) < rise on; pushed it lifts from the force of the three balances on."""
    system = jounce.compile_model(wedge())
    for mu in (0.05, 0.09, 0.12, 0.3):
        run = jounce.simulate(system, None, t_end=0.2, mu=mu)
        assert (run.status.name == "AT_REST") == (2 * math.atan(mu) > 0.2)
        assert run.audit().empty
    mu, s, c = 0.3, math.sin(0.2), math.cos(0.2)
    face = 98.1 / (c - mu * s - mu * (s + mu * c))
    push = face * (s + mu * c) + mu * (9.81 + face * (c - mu * s))
    for share, lifted in ((0.999, False), (1.001, True)):
        run = jounce.simulate(system, None, t_end=0.2, mu=mu, force=-push * share)
        assert (run.final["y"] > 0) == lifted


def test_redundant_joints_do_not_rub() -> None:
    block = jounce.Body("block", 1.0, 0.02, center=(0, 0))
    rails = [jounce.Translational(name, jounce.ground, block, friction=0.1) for name in ("rail", "other")]
    with pytest.raises(jounce.ModelError, match="what presses them must be known"):
        Model.from_bodies("twice", bodies=[block], joints=rails, allow_redundant=True)


def test_redundant_joints_of_symbols_do_not_rub() -> None:
    """The same rail twice, once as 2 y = 0: half of the weight, or all of it, or any other share presses the first."""
    (x, dx), (y, _) = jounce.coordinates("x y", "m")

    def rails(**joints) -> Model:
        rub = jounce.Contact("rub", slip=dx, friction=0.3, load="rail")
        return Model("rails", [x, y], [1, 1], [0, -9.81], contacts=[rub], joints=joints, start={"d_x": 1.0})

    with pytest.raises(jounce.ModelError, match="'other' follows from 'rail'"):
        rails(rail=y, other=2 * y)
    run = jounce.simulate(rails(rail=y), None, 0.2)
    assert run.final["d_x"] == pytest.approx(1 - 0.3 * 9.81 * 0.2, abs=1e-9)


def test_loads_are_kept_in_files(tmp_path: Path) -> None:
    for model in (disc(), slider((1.0, 0), friction=0.3, length=0.2)):
        again = Model.from_file(model.to_file(tmp_path / "model.toml"))
        assert [contact.load for contact in again.contacts] == [contact.load for contact in model.contacts]
        assert from_definition(to_definition(model)).contacts == tuple(model.contacts)
        ours, theirs = (jounce.simulate(one, None, t_end=0.5) for one in (model, again))
        assert np.array_equal(ours.final.q, theirs.final.q)
